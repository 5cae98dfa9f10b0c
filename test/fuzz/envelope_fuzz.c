/* SPDX-License-Identifier: MIT */
/*
 * The input as sealed bytes of each kind, as blocks that were sealed with the right key (so that
 * padding and header are reached), and as plaintext whose sealed form gets one byte changed.
 */
#include <stdlib.h>
#include <string.h>

#include <signet/signet.h>

#include "demand.h"
#include "crypto/type1_key.h"

enum { MAX = 8192, ROOM = MAX + 64 };

static struct signet_key *keys[2];
static const uint8_t secret[32] = "0123456789abcdef0123456789abcdef";

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    struct signet_options options = {.handler = getenv("SIGNET_TEST_HANDLER")};
    demand(signet_init(&options) == 0);
    demand(signet_key_import(&keys[0], SIGNET_KEY_AES, secret, 16, 0, NULL) == 0);
    demand(signet_key_import(&keys[1], SIGNET_KEY_AES256K, secret, 32, 0, NULL) == 0);
    return 0;
}

/* Whether it opens; what does must be shorter, and what does not leaves zeros. */
static int opens(const struct signet_key *key, const uint8_t *data, size_t size)
{
    static uint8_t out[ROOM];
    size_t len = 1;
    int err = signet_envelope_open(key, SIGNET_USAGE_AUTHORIZE, out, ROOM, &len, data, size);
    demand(err == 0 || err == -SIGNET_E_OPEN);
    demand(err == 0 ? len + 10 <= size : len == 0);
    for (size_t i = len; i < size; i++) {
        demand(out[i] == 0);
    }
    return err == 0;
}

/* Whether the blocks are a whole header and right padding, by the plain definition. */
static int is_envelope(const uint8_t *p, size_t size)
{
    static const uint8_t magic[8] = {0x55, 0xaa, 0x26, 0x88, 0xad, 0x9c, 0x00, 0xff};
    uint8_t pad = p[size - 1];
    if (pad < 1 || pad > 16 || size < 9U + pad || memcmp(p + 1, magic, 8) != 0) {
        return 0;
    }
    for (size_t i = size - pad; i < size; i++) {
        if (p[i] != pad) {
            return 0;
        }
    }
    return 1;
}

static void check_blocks(const uint8_t *data, size_t size)
{
    static uint8_t sealed[ROOM];
    size -= size % 16;
    if (size > 0) {
        memcpy(sealed, data, size);
        demand(signet_type1_key_seal(keys[0], sealed, size) == 0);
        demand(opens(keys[0], sealed, size) == is_envelope(data, size));
    }
}

static void check_change(const struct signet_key *key, const uint8_t *data, size_t size)
{
    static uint8_t sealed[ROOM];
    size_t len;
    demand(signet_envelope_seal(key, SIGNET_USAGE_AUTHORIZE, sealed, ROOM, &len, data, size) == 0);
    demand(len == signet_envelope_len(key, size) && opens(key, sealed, len));
    if (size >= 3 && data[2] != 0) {
        sealed[(data[0] | (size_t)data[1] << 8) % len] ^= data[2];
        demand(signet_key_type(key) == SIGNET_KEY_AES || !opens(key, sealed, len));
    }
}

static void check_stream(const uint8_t *data, size_t size)
{
    static uint8_t buf[ROOM], zero[ROOM];
    struct signet_stream *rx;
    demand(signet_stream_new(&rx, SIGNET_OPEN, secret, secret, NULL) == 0);
    int err = signet_stream_open(rx, buf, data, size);
    demand(err == 0 || err == -SIGNET_E_OPEN);
    demand(err == 0 || size < 16 || memcmp(buf, zero, size - 16) == 0);
    signet_stream_free(rx);
    memset(buf, 0, ROOM);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size = size < MAX ? size : MAX;
    (void)opens(keys[0], data, size);
    (void)opens(keys[1], data, size);
    check_blocks(data, size);
    check_change(keys[0], data, size);
    check_change(keys[1], data, size);
    check_stream(data, size);
    return 0;
}
