/* SPDX-License-Identifier: MIT */
#include <string.h>

#include <signet/ticket.h>

#include "decode.h"

/* What the second authorizer must repeat of the first. */
static void check_repeat(struct decode_auth *auth, const struct signet_authorizer_parts *parts,
                         const struct signet_authorize *authorize)
{
    bool same_ticket =
        auth->first_ticket_len == parts->ticket.sealed.len &&
        memcmp(auth->first_ticket, parts->ticket.sealed.p, parts->ticket.sealed.len) == 0;
    report_verify(auth->report, CHECK_authorizer_repeat,
                  same_ticket && auth->has_nonce && auth->nonce == authorize->nonce,
                  "the ticket is %s, the nonce is %s", same_ticket ? "the same" : "another one",
                  auth->nonce == authorize->nonce ? "the same" : "another one");
    report_verify(auth->report, CHECK_challenge_plus_one,
                  auth->has_challenge && authorize->have_challenge &&
                      authorize->challenge_plus_one == auth->server_challenge + 1,
                  "the authorizer %s",
                  authorize->have_challenge ? "answers another challenge" : "answers no challenge");
}

void decode_daemon_request(struct decode_auth *auth, struct signet_span payload, bool first)
{
    struct signet_authorizer_parts parts;
    struct signet_authorize authorize;
    struct signet_fail fail = {0};
    struct signet_key *key;
    int err = signet_authorizer_parts_decode(&parts, payload.p, payload.len, &fail);
    if (!decode_structure(auth, err, &fail))
        return;
    bool opened = decode_authorizer(auth, &parts, &authorize, &key);
    decode_set_key(&auth->session, key);
    if (!opened)
        return;
    if (!first) {
        check_repeat(auth, &parts, &authorize);
        return;
    }
    auth->nonce = authorize.nonce;
    auth->has_nonce = true;
    auth->first_ticket = parts.ticket.sealed.p;
    auth->first_ticket_len = parts.ticket.sealed.len;
}

void decode_daemon_challenge(struct decode_auth *auth, struct signet_span sealed)
{
    struct signet_authorize_challenge challenge;
    struct signet_plain plain = {0};
    struct signet_fail fail = {0};
    if (!auth->session) {
        report_check(auth->report, CHECK_authorizer_challenge, OUTCOME_UNCHECKED,
                     "the session key is not known");
        return;
    }
    int err = signet_authorize_challenge_open(&challenge, &plain, auth->session, sealed, &fail);
    if (report_verify(auth->report, CHECK_authorizer_challenge, err == 0,
                      "it does not open with the session key: %s %s", fail.where, fail.text)) {
        auth->server_challenge = challenge.challenge;
        auth->has_challenge = true;
    }
    signet_plain_free(&plain);
}

void decode_daemon_reply(struct decode_auth *auth, struct signet_span payload, uint32_t mode)
{
    struct signet_sealed outer;
    struct signet_authorize_reply reply;
    struct signet_plain plain = {0};
    struct signet_fail fail = {0};
    if (!decode_structure(auth, signet_sealed_decode(&outer, payload.p, payload.len, &fail), &fail))
        return;
    if (!auth->session) {
        report_check(auth->report, CHECK_authorizer_reply, OUTCOME_UNCHECKED,
                     "the session key is not known");
        return;
    }
    int err = signet_authorize_reply_open(&reply, &plain, auth->session, outer.sealed, &fail);
    if (report_verify(auth->report, CHECK_authorizer_reply, err == 0,
                      "it does not open with the session key: %s %s", fail.where, fail.text)) {
        report_verify(auth->report, CHECK_nonce_plus_one,
                      auth->has_nonce && reply.nonce_plus_one == auth->nonce + 1,
                      "the daemon answers another nonce");
        decode_set_secret(auth, reply.secret, mode);
    }
    signet_plain_free(&plain);
}
