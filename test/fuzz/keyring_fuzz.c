/* SPDX-License-Identifier: MIT */
/*
 * Keyrings in both forms. What is accepted must come back from what is written of it: unchanged
 * from the binary form; unchanged from the text form, too, but for blanks at the ends of
 * capabilities.
 */
#include <stdlib.h>
#include <string.h>

#include <signet/keyring.h>

#include "demand.h"

static char *text_of(const struct signet_keyring *keyring, size_t *len)
{
    size_t room = signet_keyring_text_len(keyring);
    char *text = malloc(room + 1);
    demand(text != NULL);
    demand(signet_keyring_print(keyring, text, room, len) == 0 && *len == room);
    return text;
}

static uint8_t *wire_of(const struct signet_keyring *keyring, size_t *len)
{
    size_t room = signet_keyring_wire_len(keyring);
    uint8_t *wire = malloc(room);
    demand(wire != NULL);
    demand(signet_keyring_encode(keyring, wire, room, len) == 0 && *len == room);
    return wire;
}

/* What is read from `in`, as text. */
static char *reread(const void *in, size_t in_len, size_t *len)
{
    struct signet_keyring *keyring;
    demand(signet_keyring_parse(&keyring, in, in_len, NULL) == 0);
    char *text = text_of(keyring, len);
    signet_keyring_free(keyring);
    return text;
}

static void check_same(const char *a, size_t a_len, const char *b, size_t b_len)
{
    demand(a_len == b_len && memcmp(a, b, a_len) == 0);
}

static void check_forms(const struct signet_keyring *keyring)
{
    size_t text_len, wire_len, again_len, once_len;
    char *text = text_of(keyring, &text_len);
    uint8_t *wire = wire_of(keyring, &wire_len);
    char *again = reread(wire, wire_len, &again_len);
    check_same(again, again_len, text, text_len);
    free(again);
    char *once = reread(text, text_len, &once_len);
    demand(once_len <= text_len);
    again = reread(once, once_len, &again_len);
    check_same(again, again_len, once, once_len);
    free(again);
    free(once);
    free(wire);
    free(text);
}

static void check_lookup(const struct signet_keyring *keyring)
{
    for (size_t i = 0; i < signet_keyring_num(keyring); i++) {
        size_t at = 0, key_len;
        const struct signet_name *name = signet_keyring_name(keyring, i);
        demand(signet_keyring_find(keyring, name, &at) == 0 && at == i);
        demand(signet_keyring_key_wire(keyring, i, &key_len) != NULL && key_len >= 12);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct signet_keyring *keyring;
    struct signet_fail fail = {0};
    int err = signet_keyring_parse(&keyring, data, size, &fail);
    if (err != 0) {
        demand(keyring == NULL && fail.err == err && fail.text[0] != 0);
        return 0;
    }
    check_lookup(keyring);
    if (size < SIGNET_KEYRING_FILE_MAX / 8) { /* escapes make a text longer */
        check_forms(keyring);
    }
    signet_keyring_free(keyring);
    return 0;
}
