/* SPDX-License-Identifier: MIT */
/* Checking received preambles. Source: msgr2.md 2, 11. */
#include "msg/layout.h"

#include <string.h>

#include "base/crc32c.h"
#include "base/cursor.h"
#include "base/fail.h"

static const char where[] = "preamble";

enum { DESCRIPTORS_AT = 2, DESCRIPTOR_LEN = 6, FLAGS_AT = 26 };

/* u32 length, u16 alignment, which is a hint and never used. */
static int read_descriptors(struct signet_preamble *out, const uint8_t *in, uint64_t offset,
                            struct signet_fail *fail)
{
    for (unsigned i = 0; i < SIGNET_SEGMENTS_MAX; i++) {
        uint64_t both = signet_load_u64(in + DESCRIPTORS_AT + (size_t)DESCRIPTOR_LEN * i) &
                        UINT64_C(0xffffffffffff);
        out->len[i] = (uint32_t)both;
        if (i >= out->num && both != 0) {
            return signet_fail_set(fail, -SIGNET_E_SEGMENTS, where, offset,
                                   "segment %u is described but only %u are announced", i,
                                   (unsigned)out->num);
        }
    }
    return 0;
}

int signet_preamble_read(struct signet_preamble *out, const uint8_t in[SIGNET_PREAMBLE_LEN],
                         uint64_t offset, struct signet_fail *fail)
{
    uint32_t crc = signet_crc32c(0, in, SIGNET_PREAMBLE_LEN - SIGNET_CRC_LEN);
    *out = (struct signet_preamble){.tag = in[0], .num = in[1]};
    if (signet_load_u32(in + SIGNET_PREAMBLE_LEN - SIGNET_CRC_LEN) != crc) {
        return signet_fail_set(fail, -SIGNET_E_PREAMBLE_CRC, where, offset,
                               "the crc of the preamble is wrong");
    }
    if (signet_tag_name(out->tag) == NULL) {
        return signet_fail_set(fail, -SIGNET_E_TAG, where, offset, "tag %u is not known",
                               (unsigned)out->tag);
    }
    if (out->num < 1 || out->num > SIGNET_SEGMENTS_MAX) {
        return signet_fail_set(fail, -SIGNET_E_SEGMENTS, where, offset,
                               "%u segments are announced, 1 to 4 are allowed", (unsigned)out->num);
    }
    int err = read_descriptors(out, in, offset, fail);
    if (err != 0) {
        return err;
    }
    if (out->num > 1 && out->len[out->num - 1] == 0) {
        return signet_fail_set(fail, -SIGNET_E_SEGMENTS, where, offset,
                               "the last of %u segments is empty", (unsigned)out->num);
    }
    out->flags = in[FLAGS_AT];
    if (out->flags != 0) {
        return signet_fail_set(fail, -SIGNET_E_FRAME_FLAGS, where, offset,
                               (out->flags & SIGNET_FRAME_COMPRESSED) != 0
                                   ? "the frame is compressed, which was not negotiated"
                                   : "the frame has unknown flags");
    }
    return 0;
}

static int check_shape(const struct signet_preamble *p, uint64_t offset, struct signet_fail *fail)
{
    const char *name = signet_tag_name(p->tag);
    if (p->tag == SIGNET_TAG_MESSAGE) {
        return p->len[0] >= SIGNET_MESSAGE_HEADER_LEN
                   ? 0
                   : signet_fail_set(fail, -SIGNET_E_MESSAGE_SHORT, where, offset,
                                     "segment 0 of the message has %u bytes, its header 41",
                                     (unsigned)p->len[0]);
    }
    if (p->num > 1) {
        return signet_fail_set(fail, -SIGNET_E_SEGMENTS, where, offset,
                               "%s has %u segments instead of one", name, (unsigned)p->num);
    }
    if (p->len[0] == 0 && p->tag != SIGNET_TAG_WAIT) {
        return signet_fail_set(fail, -SIGNET_E_SEGMENTS, where, offset, "%s is empty", name);
    }
    return 0;
}

int signet_preamble_check(const struct signet_preamble *preamble,
                          const struct signet_frame_limits *limits, uint64_t offset,
                          struct signet_fail *fail)
{
    const uint32_t max[SIGNET_SEGMENTS_MAX] = {limits->control, limits->front, limits->middle,
                                               limits->data};
    for (unsigned i = 0; i < SIGNET_SEGMENTS_MAX; i++) {
        if (preamble->len[i] > max[i]) {
            return signet_fail_set(fail, -SIGNET_E_FRAME_LIMIT, where, offset,
                                   "segment %u of %s has %u bytes, %u are allowed", i,
                                   signet_tag_name(preamble->tag), (unsigned)preamble->len[i],
                                   (unsigned)max[i]);
        }
    }
    return limits->any_shape ? 0 : check_shape(preamble, offset, fail);
}

struct signet_frame_limits signet_frame_limits_preauth(void)
{
    return (struct signet_frame_limits){.control = 65536};
}

struct signet_frame_limits signet_frame_limits_default(void)
{
    return (struct signet_frame_limits){
        .control = 1U << 20, .front = 16U << 20, .middle = 16U << 20, .data = 64U << 20};
}
