/* SPDX-License-Identifier: MIT */
/*
 * A stream of frames in the secure layout. The input is the plaintext of the blocks, which are
 * sealed here: byte 0: flags, byte 1: how many bytes come at a time, bytes 2 and 3: which byte
 * of the sealed stream is changed (0: none).
 */
#include "frames_common.h"

struct sealed {
    struct signet_stream *seal, *open;
    uint8_t *p;
    size_t len;
};

static void make_streams(struct sealed *s)
{
    uint8_t secret[64] = {0};
    secret[16] = 1;
    demand(signet_streams_new(&s->seal, NULL, secret, 64, SIGNET_ROLE_SERVER, NULL) == 0);
    demand(signet_streams_new(NULL, &s->open, secret, 64, SIGNET_ROLE_CLIENT, NULL) == 0);
}

static void add_block(struct sealed *s, struct signet_reader *r, uint64_t plain_len)
{
    struct signet_span in = signet_read_view(r, plain_len);
    demand(signet_stream_seal(s->seal, s->p + s->len, in.p, in.len) == 0);
    s->len += in.len + SIGNET_STREAM_TAG_LEN;
}

/* Seals the next frame; false when too little is left of the input. */
static bool add_frame(struct sealed *s, struct signet_reader *r, bool repair)
{
    uint8_t first[SIGNET_FIRST_PLAIN_LEN];
    uint32_t len[SIGNET_SEGMENTS_MAX];
    if (signet_reader_left(r) < sizeof(first)) {
        return false;
    }
    signet_read_bytes(r, first, sizeof(first));
    if (repair) {
        repair_preamble(first);
    }
    unsigned num = read_lengths(first, len);
    struct signet_extent e = signet_layout_extent(SIGNET_LAYOUT_SECURE, len, num);
    demand(signet_stream_seal(s->seal, s->p + s->len, first, sizeof(first)) == 0);
    s->len += SIGNET_FIRST_SEALED_LEN;
    const uint64_t blocks[2] = {e.rest0, e.tail};
    for (unsigned i = 0; i < 2; i++) {
        if (blocks[i] > 0 && blocks[i] - SIGNET_STREAM_TAG_LEN > signet_reader_left(r)) {
            return false;
        }
        if (blocks[i] > 0) {
            add_block(s, r, blocks[i] - SIGNET_STREAM_TAG_LEN);
        }
    }
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct signet_frame_reader *reader = NULL;
    struct sealed s = {0};
    if (size < 4) {
        return 0;
    }
    fuzz_init();
    struct signet_frame_limits limits = fuzz_limits(data[0]);
    struct signet_reader r = signet_reader_init(data + 4, size - 4);
    size_t change = (size_t)data[2] | (size_t)data[3] << 8;
    make_streams(&s);
    s.p = malloc(2 * size + 1); /* at most three tags for every 80 bytes */
    demand(s.p != NULL && signet_frame_reader_new(&reader, &limits, 0) == 0);
    while (add_frame(&s, &r, (data[0] & FUZZ_REPAIR) != 0)) {
    }
    if (change > 0 && change <= s.len) {
        s.p[change - 1] ^= 0x40;
    }
    signet_frame_reader_secure(reader, s.open);
    read_all(reader, s.p, s.len, data[1] != 0 ? data[1] : s.len + 1);
    signet_frame_reader_free(reader);
    signet_stream_free(s.seal);
    signet_stream_free(s.open);
    free(s.p);
    return 0;
}
