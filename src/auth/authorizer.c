/* SPDX-License-Identifier: MIT */
/* Authentication at one daemon, from the client's side. Source: cephx.md 9.3. */
#include <stdlib.h>
#include <string.h>

#include <signet/ticket.h>

#include "auth/client_state.h"
#include "auth/seal.h"
#include "auth/wire.h"
#include "base/secret.h"

#define WHERE "authorizer"

enum authorizer_stage { NEW, REQUESTED, CHALLENGED, ENDED };

struct signet_authorizer {
    enum authorizer_stage stage;
    struct signet_env env;
    bool none; /* name and global_id are all of it */
    struct signet_name name;
    uint64_t global_id;
    uint32_t service;
    uint64_t secret_id;
    struct signet_key *session_key;
    uint64_t nonce;
    size_t blob_len;
    uint8_t blob[];
};

static struct signet_authorizer *make(const struct signet_client *client, uint32_t service,
                                      size_t blob_len)
{
    struct signet_authorizer *a = calloc(1, sizeof(*a) + blob_len);
    if (a != NULL) {
        a->env = client->options.env;
        a->none = client->options.method == SIGNET_AUTH_NONE;
        a->name = client->options.name;
        a->global_id = client->global_id;
        a->service = service;
    }
    return a;
}

static int new_none(struct signet_authorizer **out, const struct signet_client *client,
                    uint32_t service)
{
    if (client->global_id == 0) {
        return -SIGNET_E_STATE;
    }
    *out = make(client, service, 0);
    return *out != NULL ? 0 : -SIGNET_E_NOMEM;
}

int signet_authorizer_new(struct signet_authorizer **out, const struct signet_client *client,
                          uint32_t service)
{
    *out = NULL;
    if (client->options.method == SIGNET_AUTH_NONE) {
        return new_none(out, client, service);
    }
    const struct signet_env *env = &client->options.env;
    unsigned slot = signet_slot_of(service);
    const struct ticket *ticket = slot < SLOT_NUM ? &client->tickets.slot[slot] : NULL;
    if (ticket == NULL || !signet_ticket_usable(ticket, env->mono_ns(env->arg))) {
        return -SIGNET_E_NO_TICKET;
    }
    struct signet_authorizer *a = make(client, service, ticket->blob_len);
    if (a == NULL) {
        return -SIGNET_E_NOMEM;
    }
    a->secret_id = ticket->secret_id;
    a->session_key = signet_key_ref(ticket->session_key);
    a->blob_len = ticket->blob_len;
    memcpy(a->blob, ticket->blob, ticket->blob_len);
    *out = a;
    return 0;
}

void signet_authorizer_free(struct signet_authorizer *authorizer)
{
    if (authorizer != NULL) {
        signet_key_unref(authorizer->session_key);
        free(authorizer);
    }
}

/* Part A does not change between the rounds, nor does the nonce. */
static int write_parts(struct signet_authorizer *a, const struct signet_authorize *authorize,
                       uint8_t *out, size_t cap, size_t *out_len)
{
    struct signet_ticket_blob blob = {
        .secret_id = a->secret_id,
        .sealed = {.p = a->blob, .len = a->blob_len},
    };
    struct signet_writer w = signet_writer_init(out, cap);
    signet_write_authorizer_a(&w, a->global_id, a->service, &blob);
    signet_write_sealed_authorize(&w, a->session_key, authorize);
    *out_len = w.err == 0 ? (size_t)w.len : 0;
    return w.err;
}

static int write_none(const struct signet_authorizer *a, uint8_t *out, size_t cap, size_t *out_len)
{
    const struct signet_auth_start start = {
        .mode = SIGNET_AUTH_MODE_AUTHORIZER, .name = a->name, .global_id = a->global_id};
    struct signet_writer w = signet_writer_init(out, cap);
    signet_write_auth_start(&w, &start);
    *out_len = w.err == 0 ? (size_t)w.len : 0;
    return w.err;
}

static int write_first(struct signet_authorizer *a, uint8_t *out, size_t cap, size_t *out_len)
{
    uint8_t nonce[8];
    int err = a->env.random(a->env.arg, nonce, sizeof(nonce));
    if (err != 0) {
        return err;
    }
    a->nonce = signet_load_u64(nonce);
    struct signet_authorize authorize = {.version = 2, .nonce = a->nonce};
    return write_parts(a, &authorize, out, cap, out_len);
}

int signet_authorizer_request(struct signet_authorizer *authorizer, uint8_t *out, size_t cap,
                              size_t *out_len)
{
    *out_len = 0;
    if (authorizer->stage != NEW) {
        return -SIGNET_E_STATE;
    }
    int err = authorizer->none ? write_none(authorizer, out, cap, out_len)
                               : write_first(authorizer, out, cap, out_len);
    authorizer->stage = err == 0 ? REQUESTED : ENDED;
    return err;
}

static int open_challenge(struct signet_authorizer *a, uint64_t *challenge, const uint8_t *in,
                          size_t in_len, struct signet_fail *fail)
{
    struct signet_authorize_challenge opened;
    struct signet_plain plain = {.p = NULL};
    if (a->stage == CHALLENGED) {
        return signet_auth_fail(fail, SIGNET_E_SECOND_CHALLENGE, WHERE);
    }
    if (a->stage != REQUESTED) {
        return signet_auth_fail(fail, SIGNET_E_STATE, WHERE);
    }
    if (a->none) {
        return signet_auth_fail(fail, SIGNET_E_PROTOCOL_MISMATCH, WHERE);
    }
    int err = signet_authorize_challenge_open(&opened, &plain, a->session_key,
                                              (struct signet_span){in, in_len}, fail);
    signet_plain_free(&plain);
    if (err == 0 && opened.challenge == 0) {
        err = signet_auth_fail(fail, SIGNET_E_CHALLENGE_ZERO, "CephXAuthorizeChallenge");
    }
    *challenge = opened.challenge;
    return err;
}

int signet_authorizer_challenge(struct signet_authorizer *authorizer, uint8_t *out, size_t cap,
                                size_t *out_len, const uint8_t *in, size_t in_len,
                                struct signet_fail *fail)
{
    uint64_t challenge = 0;
    *out_len = 0;
    int err = open_challenge(authorizer, &challenge, in, in_len, fail);
    if (err == 0) {
        struct signet_authorize authorize = {
            .version = 2,
            .nonce = authorizer->nonce,
            .have_challenge = 1,
            .challenge_plus_one = challenge + 1,
        };
        err = write_parts(authorizer, &authorize, out, cap, out_len);
        if (err != 0) {
            signet_auth_fail(fail, (enum signet_err) - err, WHERE);
        }
    }
    authorizer->stage = err == 0 ? CHALLENGED : ENDED;
    return err;
}

static int check_reply(const struct signet_authorizer *a,
                       const struct signet_authorize_reply *reply,
                       struct signet_auth_result *result, enum signet_con_mode mode,
                       struct signet_fail *fail)
{
    uint64_t want = a->nonce + 1;
    if (!signet_equal(&want, &reply->nonce_plus_one, sizeof(want))) {
        return signet_auth_fail(fail, SIGNET_E_NONCE_WRONG, "CephXAuthorizeReply");
    }
    return signet_auth_take_secret(result, mode, reply->secret, "CephXAuthorizeReply", fail);
}

static int open_reply(const struct signet_authorizer *a, struct signet_auth_result *result,
                      enum signet_con_mode mode, const uint8_t *in, size_t in_len,
                      struct signet_fail *fail)
{
    struct signet_sealed outer;
    struct signet_authorize_reply reply;
    struct signet_plain plain = {.p = NULL};
    int err = signet_sealed_decode(&outer, in, in_len, fail);
    if (err == 0) {
        err = signet_authorize_reply_open(&reply, &plain, a->session_key, outer.sealed, fail);
    }
    if (err == 0) {
        err = check_reply(a, &reply, result, mode, fail);
    }
    signet_plain_free(&plain);
    return err;
}

static int check_done(const struct signet_authorizer *a, uint64_t global_id,
                      enum signet_con_mode mode, struct signet_fail *fail)
{
    if (a->stage != REQUESTED && a->stage != CHALLENGED) {
        return signet_auth_fail(fail, SIGNET_E_STATE, WHERE);
    }
    int err = signet_auth_done_check(global_id, mode, WHERE, fail);
    if (err == 0 && global_id != a->global_id) {
        err = signet_auth_fail(fail, SIGNET_E_GLOBAL_ID_WRONG, WHERE);
    }
    return err;
}

int signet_authorizer_done(struct signet_authorizer *authorizer, struct signet_auth_result *result,
                           uint64_t global_id, enum signet_con_mode mode, const uint8_t *in,
                           size_t in_len, struct signet_fail *fail)
{
    memset(result, 0, sizeof(*result));
    int err = check_done(authorizer, global_id, mode, fail);
    if (err == 0 && authorizer->none) {
        err = signet_auth_none_check(global_id, mode, in_len, WHERE, fail);
    } else if (err == 0) {
        err = open_reply(authorizer, result, mode, in, in_len, fail);
    }
    authorizer->stage = ENDED;
    if (err != 0) {
        signet_auth_result_clear(result);
        return err;
    }
    if (!authorizer->none) {
        result->session_key = signet_key_ref(authorizer->session_key);
    }
    result->global_id = global_id;
    return 0;
}
