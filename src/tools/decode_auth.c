/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <signet/client.h>
#include <signet/ticket.h>

#include "decode.h"

void decode_auth_init(struct decode_auth *auth, struct report *report, struct tool_keys *keys)
{
    memset(auth, 0, sizeof(*auth));
    auth->report = report;
    auth->keys = keys;
}

void decode_auth_clear(struct decode_auth *auth)
{
    signet_key_unref(auth->auth_session);
    signet_key_unref(auth->old_session);
    signet_key_unref(auth->session);
    explicit_bzero(auth, sizeof(*auth));
}

static void set_name(struct decode_auth *auth, const struct signet_name *name)
{
    char text[SIGNET_NAME_TEXT_MAX];
    signet_name_print(name, text);
    report_name_text(auth->report, "entity", text, strlen(text));
    auth->name = *name;
    auth->has_name = true;
}

const struct signet_key *decode_entity_key(const struct decode_auth *auth)
{
    return auth->has_name ? tool_keys_entity(auth->keys, &auth->name) : NULL;
}

/* --- to a monitor ------------------------------------------------------------------------------
 */

static void login_start(struct decode_auth *auth, struct signet_span payload)
{
    struct signet_auth_start start;
    struct signet_fail fail = {0};
    if (!decode_structure(auth, signet_auth_start_decode(&start, payload.p, payload.len, &fail),
                          &fail))
        return;
    set_name(auth, &start.name);
    report_number(auth->report, "global_id", start.global_id);
    auth->to_mon = start.mode == SIGNET_AUTH_MODE_MON;
    auth->global_id = start.global_id;
    auth->has_global_id = start.global_id != 0;
}

static void check_proof(struct decode_auth *auth, const struct signet_authenticate *request)
{
    const struct signet_key *key = decode_entity_key(auth);
    char name[SIGNET_NAME_TEXT_MAX] = "the entity";
    if (auth->has_name)
        signet_name_print(&auth->name, name);
    auth->proof_right = false;
    if (!key || !auth->has_challenge) {
        report_check(auth->report, CHECK_challenge_proof, OUTCOME_UNCHECKED, "%s%s",
                     key ? "the server's challenge is not known" : "the keys file has no key of ",
                     key ? "" : name);
        return;
    }
    auth->proof_right =
        report_verify(auth->report, CHECK_challenge_proof,
                      signet_proof_check(key, auth->server_challenge, request) == 0,
                      "it was made with another secret than that of %s in the keys file", name);
}

static void old_ticket(struct decode_auth *auth, const struct signet_ticket_blob *blob)
{
    decode_set_key(&auth->old_session, NULL);
    if (blob->sealed.len == 0)
        return;
    report_enter(auth->report, "old ticket");
    auth->old_session = decode_ticket(auth, SIGNET_AUTH, blob);
    report_leave(auth->report);
}

static void authenticate(struct decode_auth *auth, const struct signet_authenticate *request)
{
    report_number(auth->report, "authenticate_version", request->version);
    report_hex(auth->report, "client_challenge", request->client_challenge);
    report_hex(auth->report, "proof", request->key);
    report_hex(auth->report, "other_keys", request->other_keys);
    auth->wants_more = request->other_keys != 0;
    check_proof(auth, request);
    old_ticket(auth, &request->old_ticket);
}

static void principal_request(struct decode_auth *auth, const struct signet_auth_request *request)
{
    struct signet_authorize authorize;
    struct signet_key *key;
    report_hex(auth->report, "keys", request->want.keys);
    decode_authorizer(auth, &request->authorizer, &authorize, &key);
    /* The answer comes under this key, even when the AUTH ticket is renewed meanwhile. */
    if (key)
        decode_set_key(&auth->auth_session, key);
}

/* The payload of AUTH_REQUEST_MORE to a monitor, and of an MAuth. */
void decode_cephx_request(struct decode_auth *auth, struct signet_span payload)
{
    struct signet_auth_request request;
    struct signet_fail fail = {0};
    if (!decode_structure(auth, signet_auth_request_decode(&request, payload.p, payload.len, &fail),
                          &fail))
        return;
    switch (request.type) {
    case SIGNET_GET_AUTH_SESSION_KEY:
        report_text(auth->report, "request", "GET_AUTH_SESSION_KEY");
        authenticate(auth, &request.authenticate);
        break;
    case SIGNET_GET_PRINCIPAL_SESSION_KEY:
        report_text(auth->report, "request", "GET_PRINCIPAL_SESSION_KEY");
        principal_request(auth, &request);
        break;
    default:
        report_text(auth->report, "request", "GET_ROTATING_KEY");
        break;
    }
}

void decode_set_secret(struct decode_auth *auth, struct signet_span secret, uint32_t mode)
{
    size_t want = mode == SIGNET_MODE_SECURE ? SIGNET_CONNECTION_SECRET_LEN : 0;
    if (!report_verify(auth->report, CHECK_connection_secret, secret.len == want,
                       "it has %zu bytes, but this mode has %zu", secret.len, want))
        return;
    if (secret.len)
        memcpy(auth->secret, secret.p, secret.len);
    auth->secret_len = secret.len;
    report_secret(auth->report, "connection_secret", secret.p, secret.len);
}

static void login_secret(struct decode_auth *auth, struct signet_span sealed, uint32_t mode)
{
    struct signet_connection_secret secret;
    struct signet_plain plain = {0};
    struct signet_fail fail = {0};
    if (!auth->auth_session) {
        report_check(auth->report, CHECK_connection_secret, OUTCOME_UNCHECKED,
                     "the session key is not known");
        return;
    }
    int err = signet_connection_secret_open(&secret, &plain, auth->auth_session, sealed, &fail);
    if (err)
        report_check(auth->report, CHECK_connection_secret, OUTCOME_FAILED,
                     "it does not open with the session key: %s %s", fail.where, fail.text);
    else
        decode_set_secret(auth, secret.secret, mode);
    signet_plain_free(&plain);
}

static void extra_tickets(struct decode_auth *auth, struct signet_span encoded)
{
    struct signet_ticket_reply reply;
    struct signet_fail fail = {0};
    if (encoded.len == 0)
        return;
    int err = signet_ticket_reply_decode(&reply, encoded.p, encoded.len, &fail);
    if (decode_structure(auth, err, &fail))
        decode_ticket_reply(auth, &reply, auth->auth_session, "the AUTH session key", NULL);
}

/* mode 0: a renewal inside a session, without a connection secret. */
void decode_session_reply(struct decode_auth *auth, struct signet_span payload, uint32_t mode)
{
    struct signet_session_reply reply;
    struct signet_fail fail = {0};
    char what[SIGNET_NAME_TEXT_MAX + 40] = "the entity's key", name[SIGNET_NAME_TEXT_MAX];
    int err = signet_session_reply_decode(&reply, payload.p, payload.len, &fail);
    if (!decode_structure(auth, err, &fail))
        return;
    if (auth->has_name)
        snprintf(what, sizeof(what), "the key of %s", signet_name_print(&auth->name, name));
    decode_ticket_reply(auth, &reply.tickets, decode_entity_key(auth), what, &auth->auth_session);
    if (mode && reply.has_secret)
        login_secret(auth, reply.secret, mode);
    else if (mode == SIGNET_MODE_SECURE)
        report_check(auth->report, CHECK_connection_secret, OUTCOME_FAILED,
                     "the reply has none, but the mode is secure");
    extra_tickets(auth, reply.extra);
}

/* --- the steps ----------------------------------------------------------------------------------
 */

void decode_auth_request(struct decode_auth *auth, uint32_t method, struct signet_span payload)
{
    auth->method = method;
    auth->has_challenge = auth->has_nonce = false;
    if (payload.len == 0)
        return;
    if (method == SIGNET_AUTH_CEPHX && payload.p[0] == SIGNET_AUTH_MODE_AUTHORIZER)
        decode_daemon_request(auth, payload, true);
    else
        login_start(auth, payload);
}

void decode_auth_reply_more(struct decode_auth *auth, struct signet_span payload)
{
    struct signet_server_challenge challenge;
    struct signet_fail fail = {0};
    if (!auth->to_mon) {
        decode_daemon_challenge(auth, payload);
        return;
    }
    int err = signet_server_challenge_decode(&challenge, payload.p, payload.len, &fail);
    if (!decode_structure(auth, err, &fail))
        return;
    report_hex(auth->report, "server_challenge", challenge.challenge);
    auth->server_challenge = challenge.challenge;
    auth->has_challenge = true;
}

void decode_auth_request_more(struct decode_auth *auth, struct signet_span payload)
{
    if (auth->to_mon)
        decode_cephx_request(auth, payload);
    else
        decode_daemon_request(auth, payload, false);
}

void decode_auth_refused(struct decode_auth *auth, int32_t result)
{
    if (result == -13 && auth->proof_right)
        report_note(auth->report,
                    "the proof is right by the keys file, so the server has another key for this "
                    "entity, or does not know it, or does not allow its cipher");
    else if (result == -13)
        report_note(auth->report, "wrong key, unknown entity or a cipher that is not allowed: the "
                                  "server answers all three alike");
    else if (result == -95)
        report_note(auth->report, "none of the client's methods or modes is allowed");
}

void decode_auth_done(struct decode_auth *auth, uint64_t global_id, uint32_t mode,
                      struct signet_span payload)
{
    auth->global_id = global_id;
    auth->has_global_id = true;
    if (auth->method == SIGNET_AUTH_NONE)
        return;
    if (!auth->to_mon) {
        decode_daemon_reply(auth, payload, mode);
        return;
    }
    decode_session_reply(auth, payload, mode);
    if (auth->auth_session)
        decode_set_key(&auth->session, signet_key_ref(auth->auth_session));
}

void decode_auth_signature(struct decode_auth *auth, const uint8_t *signature,
                           const uint8_t *transcript, size_t len)
{
    uint8_t right[SIGNET_SIGNATURE_LEN], difference = 0;
    report_number(auth->report, "signed_bytes", len);
    if (auth->method != SIGNET_AUTH_NONE && !auth->session) {
        report_check(auth->report, CHECK_signature, OUTCOME_UNCHECKED,
                     "the session key is not known");
        return;
    }
    int err = signet_auth_signature(auth->session, right, transcript, len);
    for (size_t i = 0; i < sizeof(right); i++)
        difference |= right[i] ^ signature[i];
    report_verify(auth->report, CHECK_signature, err == 0 && difference == 0,
                  "it does not match the %zu bytes that this side received: they were changed on "
                  "the way, or the recording is not complete",
                  len);
}
