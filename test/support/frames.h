/* SPDX-License-Identifier: MIT */
/* Frames for tests: built from plain bytes, read from plain bytes. */
#ifndef SIGNET_TEST_FRAMES_H
#define SIGNET_TEST_FRAMES_H

#include <signet/control.h>
#include <signet/frame.h>

/* A frame in memory of its own. */
struct test_frame {
    uint8_t *p;
    size_t len;
};

/* num segments; stream NULL: crc layout, else sealed with the next nonces. */
struct test_frame make_frame(uint8_t tag, const struct signet_span *segment, unsigned num,
                             struct signet_stream *stream);
/* The same with late_status aborted. */
struct test_frame make_aborted(uint8_t tag, const struct signet_span *segment, unsigned num,
                               struct signet_stream *stream);
/* One control frame. */
struct test_frame make_control(const struct signet_control *control, struct signet_stream *stream);
/* A payload that decodes, for any tag but MESSAGE. */
void sample_control(struct signet_control *out, uint8_t tag);
/* Any preamble with a right crc; len and align as they are. */
void make_preamble(uint8_t out[SIGNET_PREAMBLE_LEN], uint8_t tag, uint8_t num,
                   const uint32_t len[SIGNET_SEGMENTS_MAX], uint8_t flags);
/* The two streams of a test connection: secret 00..3f. */
void test_streams(struct signet_stream **seal, struct signet_stream **open,
                  enum signet_role seal_role);
/* One way of reading: a reader and, in secure mode, streams of its own. */
struct lane {
    struct signet_stream *seal, *open;
    struct signet_frame_reader *reader;
};
struct lane lane_new(bool secure, struct signet_frame_limits limits);
void lane_free(struct lane *l);
/* One step of the reader; checks that fail and view agree with what it returns. */
int lane_read(struct lane *l, uint8_t *buf, size_t len, struct signet_frame_view *view);
/* The default limits, strict. */
struct signet_frame_limits strict_limits(void);
/* Limits that let all tags and shapes through. */
struct signet_frame_limits test_limits(void);

#endif
