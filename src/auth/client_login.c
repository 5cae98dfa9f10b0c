/* SPDX-License-Identifier: MIT */
/* Login at a monitor: request, challenge, done. Source: cephx.md 3.2, 5, 6. */
#include "auth/client_state.h"

#include <string.h>

#include <signet/ticket.h>

#include "auth/wire.h"

#define WHERE "login"

static int finish(struct signet_client *client, struct signet_writer *w, size_t *out_len)
{
    *out_len = w->err == 0 ? (size_t)w->len : 0;
    if (w->err != 0) {
        client->stage = STAGE_IDLE;
    }
    return w->err;
}

int signet_client_login(struct signet_client *client, uint8_t *out, size_t cap, size_t *out_len)
{
    struct signet_auth_start start = {
        .mode = SIGNET_AUTH_MODE_MON,
        .name = client->options.name,
        .global_id = client->global_id,
    };
    struct signet_writer w = signet_writer_init(out, cap);
    signet_write_auth_start(&w, &start);
    client->server_challenge = 0;
    client->pending = 0;
    client->stage = STAGE_STARTED;
    return finish(client, &w, out_len);
}

static int random_u64(const struct signet_client *client, uint64_t *out)
{
    uint8_t buf[8];
    int err = client->options.env.random(client->options.env.arg, buf, sizeof(buf));
    *out = err == 0 ? signet_load_u64(buf) : 0;
    return err;
}

/* The AUTH ticket goes along whenever there is one, usable or not: it proves that the global_id
 * is ours. */
void signet_client_write_session_request(struct signet_client *client, struct signet_writer *w,
                                         uint32_t keys)
{
    const struct ticket *auth = &client->tickets.slot[SLOT_AUTH];
    struct signet_auth_request request = {
        .type = SIGNET_GET_AUTH_SESSION_KEY,
        .authenticate = {.version = 3, .other_keys = keys},
    };
    struct signet_authenticate *a = &request.authenticate;
    if (auth->session_key != NULL) {
        a->old_ticket.secret_id = auth->secret_id;
        a->old_ticket.sealed = (struct signet_span){.p = auth->blob, .len = auth->blob_len};
    }
    int err = random_u64(client, &a->client_challenge);
    if (err == 0) {
        err = signet_proof(&a->key, client->options.key, client->server_challenge,
                           a->client_challenge);
    }
    if (err != 0) {
        signet_writer_fail(w, (enum signet_err) - err);
        return;
    }
    signet_write_auth_request(w, &request);
    client->reclaim = auth->session_key != NULL;
    client->asked = keys;
}

static int take_challenge(struct signet_client *client, const uint8_t *in, size_t in_len,
                          struct signet_fail *fail)
{
    struct signet_server_challenge challenge;
    if (client->stage == STAGE_PROVING) {
        return signet_auth_fail(fail, SIGNET_E_SECOND_CHALLENGE, WHERE);
    }
    if (client->stage != STAGE_STARTED) {
        return signet_auth_fail(fail, SIGNET_E_STATE, WHERE);
    }
    if (client->options.method == SIGNET_AUTH_NONE) { /* nothing could answer it */
        return signet_auth_fail(fail, SIGNET_E_PROTOCOL_MISMATCH, WHERE);
    }
    int err = signet_server_challenge_decode(&challenge, in, in_len, fail);
    if (err == 0 && challenge.challenge == 0) {
        err = signet_auth_fail(fail, SIGNET_E_CHALLENGE_ZERO, "CephXServerChallenge");
    }
    client->server_challenge = challenge.challenge;
    return err;
}

int signet_client_challenge(struct signet_client *client, uint8_t *out, size_t cap, size_t *out_len,
                            const uint8_t *in, size_t in_len, struct signet_fail *fail)
{
    *out_len = 0;
    int err = take_challenge(client, in, in_len, fail);
    if (err != 0) {
        client->stage = STAGE_IDLE;
        return err;
    }
    struct signet_writer w = signet_writer_init(out, cap);
    signet_client_write_session_request(client, &w, signet_client_due(client) | SIGNET_AUTH);
    client->stage = STAGE_PROVING;
    err = finish(client, &w, out_len);
    return err != 0 ? signet_auth_fail(fail, (enum signet_err) - err, WHERE) : 0;
}

static int take_done(struct signet_client *client, struct ticket_set *set,
                     struct signet_auth_result *result, uint64_t global_id,
                     enum signet_con_mode mode, struct signet_span in, struct signet_fail *fail)
{
    bool none = client->options.method == SIGNET_AUTH_NONE;
    if (client->stage != (none ? STAGE_STARTED : STAGE_PROVING)) {
        return signet_auth_fail(fail, SIGNET_E_STATE, WHERE);
    }
    if (none) {
        return signet_auth_none_check(global_id, mode, in.len, WHERE, fail);
    }
    int err = signet_auth_done_check(global_id, mode, WHERE, fail);
    return err != 0 ? err : signet_intake_session(client, set, in.p, in.len, result, mode, fail);
}

int signet_client_done(struct signet_client *client, struct signet_auth_result *result,
                       uint64_t global_id, enum signet_con_mode mode, const uint8_t *in,
                       size_t in_len, struct signet_fail *fail)
{
    struct ticket_set set = {.slot = {{.session_key = NULL}}};
    struct signet_span span = {.p = in, .len = in_len};
    memset(result, 0, sizeof(*result));
    int err = take_done(client, &set, result, global_id, mode, span, fail);
    client->stage = err == 0 ? STAGE_OPEN : STAGE_IDLE;
    if (err == 0) {
        signet_client_commit(client, &set, global_id);
        result->global_id = global_id;
        struct signet_key *key = client->tickets.slot[SLOT_AUTH].session_key;
        result->session_key = key != NULL ? signet_key_ref(key) : NULL;
    } else {
        signet_auth_result_clear(result);
    }
    signet_ticket_set_drop(&set);
    return err;
}
