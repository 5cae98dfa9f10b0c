/* SPDX-License-Identifier: MIT */
/* What the fuzz targets of the auth room share: keys, a still clock, sealing for the input. */
#ifndef SIGNET_FUZZ_AUTH_SETUP_H
#define SIGNET_FUZZ_AUTH_SETUP_H

#include <stdlib.h>
#include <string.h>

#include <signet/client.h>
#include <signet/signet.h>
#include <signet/ticket.h>

#include "demand.h"
#include "base/cursor.h"

enum { FUZZ_BUF = 1 << 18, FUZZ_GLOBAL_ID = 4242 };
enum { FUZZ_PRINCIPAL, FUZZ_SESSION, FUZZ_SERVICE, FUZZ_KEYS };
#define FUZZ_NOW UINT64_C(1780000000000000000)

/* By type (1, 2) and role. */
static struct signet_key *fuzz_keys[3][FUZZ_KEYS];

static uint64_t fuzz_clock(void *arg)
{
    (void)arg;
    return FUZZ_NOW;
}

static int fuzz_random(void *arg, uint8_t *out, size_t len)
{
    (void)arg;
    memset(out, 0x11, len);
    return 0;
}

static inline struct signet_env fuzz_env(void)
{
    return (struct signet_env){.real_ns = fuzz_clock, .mono_ns = fuzz_clock, .random = fuzz_random};
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    struct signet_options options = {.handler = getenv("SIGNET_TEST_HANDLER")};
    demand(signet_init(&options) == 0);
    for (int type = SIGNET_KEY_AES; type <= SIGNET_KEY_AES256K; type++) {
        for (int role = 0; role < FUZZ_KEYS; role++) {
            uint8_t secret[SIGNET_KEY_SECRET_MAX];
            memset(secret, 0x40 + role, sizeof(secret));
            demand(signet_key_import(&fuzz_keys[type][role], (enum signet_key_type)type, secret,
                                     signet_key_type_len((enum signet_key_type)type), FUZZ_NOW,
                                     NULL) == 0);
        }
    }
    return 0;
}

/* The input's bytes as the plaintext of an envelope, so that what is behind a seal is reached. */
static inline struct signet_span fuzz_seal(uint8_t *buf, const struct signet_key *key,
                                           enum signet_usage usage, struct signet_span plain)
{
    size_t len;
    demand(signet_envelope_seal(key, usage, buf, FUZZ_BUF, &len, plain.p, plain.len) == 0);
    return (struct signet_span){buf, len};
}

/* The next chunk of the input: a u16 length and bytes, cut to what is left. */
static inline struct signet_span fuzz_chunk(struct signet_reader *r)
{
    size_t len = signet_read_u16(r);
    size_t left = signet_reader_left(r);
    return signet_read_view(r, len < left ? len : left);
}

static inline struct signet_client *fuzz_client(enum signet_key_type type, uint32_t entity)
{
    struct signet_client *client;
    struct signet_client_options options = {
        .name = {.type = entity, .id_len = 1, .id = "a"},
        .key = fuzz_keys[type][FUZZ_PRINCIPAL],
        .want = SIGNET_MON | SIGNET_OSD,
        .env = fuzz_env(),
        .allow_weak_auth_session = true,
    };
    demand(signet_client_new(&client, &options) == 0);
    return client;
}

/* Up to where the client waits for the end of a login. */
static inline void fuzz_converse(struct signet_client *client, uint8_t *buf)
{
    static const uint8_t challenge[9] = {1, 1};
    size_t len;
    demand(signet_client_login(client, buf, FUZZ_BUF, &len) == 0);
    demand(signet_client_challenge(client, buf, FUZZ_BUF, &len, challenge, sizeof(challenge),
                                   NULL) == 0);
}

/* A login that works, with session keys of the same type and tickets of this many seconds. */
static inline void fuzz_log_in(struct signet_client *client, enum signet_key_type type,
                               uint8_t *buf, uint32_t seconds)
{
    struct signet_auth_ticket ticket = {.global_id = FUZZ_GLOBAL_ID, .auid = UINT64_MAX};
    struct signet_grant grant = {
        .service = SIGNET_AUTH,
        .service_secret = fuzz_keys[type][FUZZ_SERVICE],
        .session_key = fuzz_keys[type][FUZZ_SESSION],
        .ticket = &ticket,
        .validity = {.sec = seconds},
    };
    struct signet_grant osd = grant;
    osd.service = SIGNET_OSD;
    struct signet_session_grant session = {
        .auth = grant,
        .principal = fuzz_keys[type][FUZZ_PRINCIPAL],
        .more = true,
        .handshake = true,
        .extra = &osd,
        .num_extra = 1,
    };
    struct signet_auth_result result;
    size_t len;
    fuzz_converse(client, buf);
    demand(signet_session_reply_make(buf, FUZZ_BUF, &len, &session) == 0);
    demand(signet_client_done(client, &result, FUZZ_GLOBAL_ID, SIGNET_MODE_CRC, buf, len, NULL) ==
           0);
    signet_auth_result_clear(&result);
}

#endif
