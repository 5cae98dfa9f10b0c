/* SPDX-License-Identifier: MIT */
/*
 * A stream of frames in the crc layout. Byte 0: flags, byte 1: how many bytes come at a time. With
 * FUZZ_REPAIR all crcs are made right first, so that what lies behind them is reached.
 */
#include "frames_common.h"

static void repair_segments(uint8_t *frame, const uint32_t *len, unsigned num)
{
    uint8_t *at = frame + SIGNET_PREAMBLE_LEN, *crcs = NULL;
    uint32_t crc[SIGNET_SEGMENTS_MAX] = {0};
    for (unsigned i = 0; i < num; i++) {
        crc[i] = signet_crc32c(UINT32_MAX, at, len[i]);
        at += len[i];
        if (i == 0 && len[0] > 0) {
            signet_store_u32(at, crc[0]);
            at += SIGNET_CRC_LEN;
        }
    }
    crcs = at + 1; /* behind late_status */
    for (unsigned i = 1; num > 1 && i < SIGNET_SEGMENTS_MAX; i++) {
        signet_store_u32(crcs + (size_t)SIGNET_CRC_LEN * (i - 1), crc[i]);
    }
}

static void repair(uint8_t *buf, size_t len)
{
    size_t at = 0;
    while (len - at >= SIGNET_PREAMBLE_LEN) {
        uint32_t lens[SIGNET_SEGMENTS_MAX];
        repair_preamble(buf + at);
        unsigned num = read_lengths(buf + at, lens);
        uint64_t total = signet_layout_extent(SIGNET_LAYOUT_CRC, lens, num).total;
        if (total > len - at) {
            return;
        }
        repair_segments(buf + at, lens, num);
        at += (size_t)total;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct signet_frame_reader *reader = NULL;
    if (size < 2) {
        return 0;
    }
    struct signet_frame_limits limits = fuzz_limits(data[0]);
    size_t len = size - 2, step = data[1] != 0 ? data[1] : len + 1;
    uint8_t *buf = malloc(len + 1);
    demand(buf != NULL && signet_frame_reader_new(&reader, &limits, 0) == 0);
    memcpy(buf, data + 2, len);
    if ((data[0] & FUZZ_REPAIR) != 0) {
        repair(buf, len);
    }
    read_all(reader, buf, len, step);
    signet_frame_reader_free(reader);
    free(buf);
    return 0;
}
