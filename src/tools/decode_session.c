/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdio.h>

#include <signet/ticket.h>

#include "decode.h"

void decode_auth_mauth(struct decode_auth *auth, struct signet_span front)
{
    struct signet_mauth mauth;
    struct signet_fail fail = {0};
    if (decode_structure(auth, signet_mauth_decode(&mauth, front.p, front.len, &fail), &fail))
        decode_cephx_request(auth, mauth.payload);
}

static void principal_reply(struct decode_auth *auth, struct signet_span payload)
{
    struct signet_principal_reply reply;
    struct signet_fail fail = {0};
    int err = signet_principal_reply_decode(&reply, payload.p, payload.len, &fail);
    if (decode_structure(auth, err, &fail))
        decode_ticket_reply(auth, &reply.tickets, auth->auth_session, "the AUTH session key", NULL);
}

static void rotating_fields(struct decode_auth *auth, const struct signet_rotating_secrets *secrets)
{
    for (uint32_t i = 0; i < secrets->num; i++) {
        struct signet_key *key = NULL;
        const struct signet_expiring_key *entry = &secrets->entry[i].secret;
        const struct signet_key *known =
            tool_keys_rotating(auth->keys, auth->name.type, secrets->entry[i].id);
        char name[40];
        snprintf(name, sizeof(name), "secret %" PRIu64, secrets->entry[i].id);
        report_enter(auth->report, name);
        report_time(auth->report, "expires", entry->expiration.sec, entry->expiration.nsec);
        report_secret(auth->report, "key", entry->key.secret.p, entry->key.secret.len);
        report_leave(auth->report);
        if (known && signet_key_from_view(&key, &entry->key) == 0)
            report_verify(auth->report, CHECK_rotating, signet_key_equal(key, known),
                          "%s is another one than in the keys file", name);
        signet_key_unref(key);
    }
}

static void rotating_reply(struct decode_auth *auth, struct signet_span payload)
{
    struct signet_rotating_reply reply;
    struct signet_rotating_secrets secrets;
    struct signet_plain plain = {0};
    struct signet_fail fail = {0};
    const struct signet_key *key = decode_entity_key(auth);
    int err = signet_rotating_reply_decode(&reply, payload.p, payload.len, &fail);
    if (!decode_structure(auth, err, &fail))
        return;
    if (!key) {
        report_check(auth->report, CHECK_rotating, OUTCOME_UNCHECKED,
                     "the daemon's own key is not known");
        return;
    }
    err = signet_rotating_secrets_open(&secrets, &plain, key, reply.sealed, &fail);
    if (report_verify(auth->report, CHECK_rotating, err == 0,
                      "they do not open with the daemon's own key: %s %s", fail.where, fail.text))
        rotating_fields(auth, &secrets);
    signet_plain_free(&plain);
}

void decode_auth_mauth_reply(struct decode_auth *auth, struct signet_span front)
{
    struct signet_mauth_reply reply;
    struct signet_response_header header;
    struct signet_fail fail = {0};
    enum { HEADER_LEN = 6 };
    int err = signet_mauth_reply_decode(&reply, front.p, front.len, &fail);
    if (!decode_structure(auth, err, &fail))
        return;
    report_signed(auth->report, "result", reply.result);
    report_number(auth->report, "global_id", reply.global_id);
    if (reply.result < 0 || reply.payload.len < HEADER_LEN)
        return;
    if (signet_response_header_decode(&header, reply.payload.p, HEADER_LEN, &fail) != 0)
        header.type = 0;
    if (header.type == SIGNET_GET_AUTH_SESSION_KEY)
        decode_session_reply(auth, reply.payload, 0);
    else if (header.type == SIGNET_GET_PRINCIPAL_SESSION_KEY)
        principal_reply(auth, reply.payload);
    else if (header.type == SIGNET_GET_ROTATING_KEY)
        rotating_reply(auth, reply.payload);
    else
        report_check(auth->report, CHECK_structure, OUTCOME_FAILED,
                     "the reply is to a request that does not exist");
}
