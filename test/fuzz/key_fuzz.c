/* SPDX-License-Identifier: MIT */
/* The input as wire form and as text of a CryptoKey. What is accepted is written again byte for
 * byte: there is one form only. */
#include <stdlib.h>
#include <string.h>

#include <signet/signet.h>

#include "demand.h"

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    struct signet_options options = {.handler = getenv("SIGNET_TEST_HANDLER")};
    demand(signet_init(&options) == 0);
    return 0;
}

static void check_wire(const uint8_t *data, size_t size)
{
    struct signet_key *key;
    uint8_t wire[SIGNET_KEY_WIRE_MAX];
    size_t len;
    int err = signet_key_decode(&key, data, size, NULL);
    demand((err == 0) == (key != NULL));
    if (err == 0) {
        demand(signet_key_encode(key, wire, sizeof(wire), &len) == 0);
        demand(len == size && memcmp(wire, data, len) == 0);
        signet_key_unref(key);
    }
}

static void check_text(const char *text, size_t size)
{
    struct signet_key *key;
    struct signet_fail why = {0};
    char again[SIGNET_KEY_TEXT_MAX];
    int err = signet_key_parse(&key, text, size, NULL, &why);
    demand((err == 0) == (key != NULL) && why.err == err);
    demand(why.offset <= size && memchr(why.text, 0, sizeof(why.text)) != NULL);
    if (err == 0) {
        demand(signet_key_print(key, again, sizeof(again)) == 0);
        demand(strlen(again) == size && memcmp(again, text, size) == 0);
        signet_key_unref(key);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    check_wire(data, size);
    check_text((const char *)data, size);
    return 0;
}
