/* SPDX-License-Identifier: MIT */
/* Shared by the fuzz targets that read frames. */
#ifndef SIGNET_FUZZ_FRAMES_COMMON_H
#define SIGNET_FUZZ_FRAMES_COMMON_H

#include <stdlib.h>
#include <string.h>

#include <signet/control.h>
#include <signet/signet.h>

#include "demand.h"
#include "base/crc32c.h"
#include "base/cursor.h"
#include "msg/layout.h"

/* Bits of the first input byte. */
enum { FUZZ_ANY_SHAPE = 1, FUZZ_STRICT = 2, FUZZ_PREAUTH = 4, FUZZ_REPAIR = 8 };

static inline void fuzz_init(void)
{
    const struct signet_options options = {.handler = getenv("SIGNET_TEST_HANDLER")};
    static int started;
    if (!started) {
        started = 1;
        demand(signet_init(&options) == 0);
    }
}

static inline struct signet_frame_limits fuzz_limits(uint8_t flags)
{
    struct signet_frame_limits limits =
        (flags & FUZZ_PREAUTH) != 0 ? signet_frame_limits_preauth() : signet_frame_limits_default();
    limits.any_shape = (flags & FUZZ_ANY_SHAPE) != 0;
    limits.strict = (flags & FUZZ_STRICT) != 0;
    return limits;
}

static inline void check_frame(const struct signet_frame_view *view, const uint8_t *buf,
                               size_t have)
{
    struct signet_control c;
    struct signet_message m;
    demand(view->len <= have && view->num_segments >= 1 && view->num_segments <= 4);
    for (unsigned i = 0; i < SIGNET_SEGMENTS_MAX; i++) {
        struct signet_span s = view->segment[i];
        demand(s.len == 0 || (s.p >= buf && s.p + s.len <= buf + view->len));
        demand(i < view->num_segments || s.len == 0);
    }
    if (view->tag == SIGNET_TAG_MESSAGE) {
        (void)!signet_message_decode(&m, view);
    } else {
        (void)!signet_control_decode(&c, view->tag, view->segment[0].p, view->segment[0].len, NULL);
    }
}

/* Feeds buf, step bytes more each time, and checks what the reader says of it. */
static inline void read_all(struct signet_frame_reader *reader, uint8_t *buf, size_t len,
                            size_t step)
{
    size_t at = 0, have = 0;
    for (;;) {
        struct signet_frame_view view;
        struct signet_fail fail = {.err = 0};
        size_t need;
        int err = signet_frame_reader_next(reader, buf + at, have - at, &view, &need, &fail);
        demand(err == fail.err && (err == 0 || view.len == 0));
        if (err != 0) {
            demand(signet_frame_reader_next(reader, buf + at, have - at, &view, &need, NULL) ==
                   err);
            return;
        }
        if (view.len > 0) {
            demand(view.offset == at);
            check_frame(&view, buf + at, have - at);
            at += view.len;
        } else if (have == len) {
            return;
        } else {
            demand(need > have - at);
            have = len - have < step ? len : have + step;
        }
    }
}

/* Puts the right crc under a preamble. */
static inline void repair_preamble(uint8_t *p)
{
    signet_store_u32(p + 28, signet_crc32c(0, p, 28));
}

/* Segment lengths as a preamble gives them, if it can be read at all. */
static inline unsigned read_lengths(const uint8_t *p, uint32_t len[SIGNET_SEGMENTS_MAX])
{
    unsigned num = p[1] >= 1 && p[1] <= SIGNET_SEGMENTS_MAX ? p[1] : 1;
    for (unsigned i = 0; i < SIGNET_SEGMENTS_MAX; i++) {
        len[i] = i < num ? signet_load_u32(p + 2 + 6 * (size_t)i) : 0;
    }
    return num;
}

#endif
