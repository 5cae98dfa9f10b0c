/* SPDX-License-Identifier: MIT */
/* Structures behind an envelope, each with the one usage that it has in the protocol. */
#include <signet/ticket.h>

#include <string.h>

#include "base/fail.h"
#include "base/secret.h"

void signet_plain_free(struct signet_plain *plain)
{
    signet_secret_free(plain->p, plain->cap);
    *plain = (struct signet_plain){.p = NULL};
}

static int open_failed(struct signet_plain *plain, const struct signet_key *key, int err,
                       size_t len, const char *name, struct signet_fail *fail)
{
    signet_plain_free(plain);
    return signet_fail_set(fail, err, name, 0, "%zu bytes sealed with a type %d key: %s", len,
                           (int)signet_key_type(key), signet_strerror(err));
}

static int open_envelope(struct signet_plain *plain, const struct signet_key *key,
                         enum signet_usage usage, struct signet_span sealed, const char *name,
                         struct signet_fail *fail)
{
    signet_plain_free(plain);
    plain->p = signet_secret_alloc(sealed.len);
    if (plain->p == NULL) {
        return open_failed(plain, key, -SIGNET_E_NOMEM, sealed.len, name, fail);
    }
    plain->cap = sealed.len;
    int err =
        signet_envelope_open(key, usage, plain->p, plain->cap, &plain->len, sealed.p, sealed.len);
    return err != 0 ? open_failed(plain, key, err, sealed.len, name, fail) : 0;
}

/* What a bent type 1 ciphertext decodes to must not be told apart from one that does not open. */
static int decode_failed(struct signet_plain *plain, const struct signet_key *key, int err,
                         size_t len, const char *name, struct signet_fail *fail)
{
    if (signet_key_type(key) == SIGNET_KEY_AES) {
        return open_failed(plain, key, -SIGNET_E_OPEN, len, name, fail);
    }
    signet_plain_free(plain);
    return err;
}

/* The plaintext lies at out[0..len); it is sealed where it is. */
static int seal_envelope(uint8_t *out, size_t cap, size_t *out_len, const struct signet_key *key,
                         enum signet_usage usage, size_t len)
{
    int err = signet_envelope_seal(key, usage, out, cap, out_len, out, len);
    if (err != 0) {
        signet_wipe(out, len);
        *out_len = 0;
    }
    return err;
}

#define SEALED(x, usage, name)                                                                     \
    int signet_##x##_open(struct signet_##x *out, struct signet_plain *plain,                      \
                          const struct signet_key *key, struct signet_span sealed,                 \
                          struct signet_fail *fail)                                                \
    {                                                                                              \
        memset(out, 0, sizeof(*out));                                                              \
        int err = open_envelope(plain, key, usage, sealed, name, fail);                            \
        if (err != 0) {                                                                            \
            return err;                                                                            \
        }                                                                                          \
        err = signet_##x##_decode(out, plain->p, plain->len, fail);                                \
        return err != 0 ? decode_failed(plain, key, err, sealed.len, name, fail) : 0;              \
    }                                                                                              \
    int signet_##x##_seal(uint8_t *out, size_t cap, size_t *out_len, const struct signet_key *key, \
                          const struct signet_##x *in)                                             \
    {                                                                                              \
        size_t len;                                                                                \
        *out_len = 0;                                                                              \
        int err = signet_##x##_encode(NULL, 0, &len, in);                                          \
        size_t need = err == 0 ? signet_envelope_len(key, len) : 0;                                \
        if (err == 0 && out == NULL) {                                                             \
            *out_len = need;                                                                       \
            return 0;                                                                              \
        }                                                                                          \
        if (err == 0) {                                                                            \
            err = cap < need ? -SIGNET_E_SPACE : signet_##x##_encode(out, cap, &len, in);          \
        }                                                                                          \
        return err != 0 ? err : seal_envelope(out, cap, out_len, key, usage, len);                 \
    }

SEALED(service_ticket, SIGNET_USAGE_TICKET_SESSION_KEY, "CephXServiceTicket")
SEALED(service_ticket_info, SIGNET_USAGE_TICKET_INFO, "CephXServiceTicketInfo")
SEALED(wrapped_blob, SIGNET_USAGE_TICKET_BLOB, "wrapped CephXTicketBlob")
SEALED(connection_secret, SIGNET_USAGE_CONNECTION_SECRET, "connection secret")
SEALED(authorize, SIGNET_USAGE_AUTHORIZE, "CephXAuthorize")
SEALED(authorize_challenge, SIGNET_USAGE_AUTHORIZE_CHALLENGE, "CephXAuthorizeChallenge")
SEALED(authorize_reply, SIGNET_USAGE_AUTHORIZE_REPLY, "CephXAuthorizeReply")
SEALED(rotating_secrets, SIGNET_USAGE_ROTATING_SECRET, "RotatingSecrets")
