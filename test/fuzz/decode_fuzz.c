/* SPDX-License-Identifier: MIT */
/*
 * A keys file and both streams of a connection, as `signet decode` gets them. The crcs of crc
 * frames are put right first, so that changes reach what the frames hold. Input: u32 length of the
 * keys, u32 length of the client's stream, the three parts.
 */
#include <stdlib.h>
#include <string.h>

#include <signet/signet.h>

#include "base/crc32c.h"
#include "base/cursor.h"
#include "decode.h"
#include "demand.h"

/* One frame in the crc layout; its length, or 0 at the end. */
static size_t mend_frame(uint8_t *p, size_t left)
{
    if (left < SIGNET_PREAMBLE_LEN)
        return 0;
    signet_store_u32(p + 28, signet_crc32c(0, p, 28));
    uint64_t len = signet_load_u32(p + 2), at = SIGNET_PREAMBLE_LEN;
    if (at + len + 4 > left)
        return 0;
    if (len)
        signet_store_u32(p + at + len, signet_crc32c(UINT32_MAX, p + at, (size_t)len));
    at += len + (len ? 4 : 0);
    return p[1] == 1 ? (size_t)at : 0;
}

static void mend(struct decode_input *input)
{
    size_t at = SIGNET_BANNER_LEN, used = 1;
    while (used && at < input->len) {
        used = mend_frame(input->data + at, input->len - at);
        at += used;
    }
}

static struct decode_input part(const uint8_t *data, size_t len)
{
    struct decode_input input = {.path = "input", .data = malloc(len ? len : 1), .len = len};
    demand(input.data != NULL);
    if (len)
        memcpy(input.data, data, len);
    mend(&input);
    return input;
}

static void decode(struct tool_keys *keys, struct decode_input input[2])
{
    struct report_options options = {.format = TOOL_JSON, .secrets = true, .dump = true};
    struct report *report = report_new(&options);
    unsigned side;
    decode_connection(report, keys, input, &side);
    report_free(report);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static bool started;
    struct signet_options options = {.handler = getenv("SIGNET_TEST_HANDLER")};
    struct signet_reader r = signet_reader_init(data, size);
    struct signet_fail fail;
    struct tool_keys *keys;
    demand(started || signet_init(&options) == 0);
    started = true;
    uint32_t keys_len = signet_read_u32(&r), c2s_len = signet_read_u32(&r);
    struct signet_span text = signet_read_view(&r, keys_len), c2s = signet_read_view(&r, c2s_len);
    struct signet_span s2c = signet_read_view(&r, signet_reader_left(&r));
    if (r.err || tool_keys_parse(&keys, (const char *)text.p, text.len, &fail) != 0)
        return 0;
    struct decode_input input[2] = {part(c2s.p, c2s.len), part(s2c.p, s2c.len)};
    decode(keys, input);
    free(input[0].data);
    free(input[1].data);
    tool_keys_free(keys);
    return 0;
}
