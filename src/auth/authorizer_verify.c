/* SPDX-License-Identifier: MIT */
/* Authorizers at the daemon. Source: cephx.md 9.2. */
#include <signet/ticket.h>

#include <string.h>

#include "auth/seal.h"
#include "base/fail.h"
#include "base/secret.h"

void signet_presented_clear(struct signet_presented *presented)
{
    signet_key_unref(presented->session_key);
    signet_plain_free(&presented->plain);
    signet_wipe(presented, sizeof(*presented));
}

static int open_ticket(struct signet_presented *out, const struct signet_authorizer_parts *parts,
                       const struct signet_key *service_secret,
                       const struct signet_ticket_limits *limits, struct signet_fail *fail)
{
    int err = signet_service_ticket_info_open(&out->info, &out->plain, service_secret,
                                              parts->ticket.sealed, fail);
    if (err != 0) {
        return err;
    }
    if (out->info.ticket.global_id != parts->global_id) {
        return signet_fail_set(fail, -SIGNET_E_TICKET_GLOBAL_ID, "authorizer", 0,
                               "the ticket is for global_id %llu, the authorizer claims %llu",
                               (unsigned long long)out->info.ticket.global_id,
                               (unsigned long long)parts->global_id);
    }
    if (limits != NULL) {
        err = signet_ticket_check(&out->info, limits, fail);
    }
    if (err != 0) {
        return err;
    }
    err = signet_key_from_view(&out->session_key, &out->info.session_key);
    return err == 0 ? 0 : signet_fail_set(fail, err, "CryptoKey", 0, "%s", signet_strerror(err));
}

static int open_part_b(struct signet_presented *out, const struct signet_authorizer_parts *parts,
                       struct signet_fail *fail)
{
    struct signet_plain plain = {.p = NULL};
    int err = signet_authorize_open(&out->authorize, &plain, out->session_key, parts->sealed, fail);
    signet_plain_free(&plain);
    return err;
}

int signet_authorizer_open(struct signet_presented *out,
                           const struct signet_authorizer_parts *parts,
                           const struct signet_key *service_secret,
                           const struct signet_ticket_limits *limits, struct signet_fail *fail)
{
    memset(out, 0, sizeof(*out));
    int err = open_ticket(out, parts, service_secret, limits, fail);
    if (err == 0) {
        err = open_part_b(out, parts, fail);
    }
    if (err != 0) {
        signet_presented_clear(out);
    }
    return err;
}

int signet_authorizer_check(const struct signet_authorize *authorize, uint64_t challenge)
{
    uint64_t want = challenge + 1;
    bool same = signet_equal(&want, &authorize->challenge_plus_one, sizeof(want));
    if (authorize->have_challenge == 0) {
        return -SIGNET_E_CHALLENGE_MISSING;
    }
    return same ? 0 : -SIGNET_E_CHALLENGE_WRONG;
}

int signet_authorizer_reply(uint8_t *out, size_t cap, size_t *out_len,
                            const struct signet_key *session_key, uint64_t nonce,
                            const uint8_t *secret, size_t secret_len)
{
    struct signet_authorize_reply reply = {
        .version = secret_len > 0 ? 2 : 1,
        .nonce_plus_one = nonce + 1,
        .secret = {.p = secret, .len = secret_len},
    };
    struct signet_writer w = out != NULL ? signet_writer_init(out, cap) : signet_writer_count();
    signet_write_sealed_authorize_reply(&w, session_key, &reply);
    *out_len = w.err == 0 ? (size_t)w.len : 0;
    return w.err;
}
