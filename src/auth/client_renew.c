/* SPDX-License-Identifier: MIT */
/* Requests and replies inside an open monitor session. Source: cephx.md 3.1, 6, 7, 8, 10. */
#include "auth/client_state.h"

#include <signet/ticket.h>

#include "auth/seal.h"
#include "auth/wire.h"

#define WHERE "MAuthReply"

/* GET_PRINCIPAL_SESSION_KEY; there is no challenge and no answer to the nonce here. */
static void write_principal_request(struct signet_client *client, struct signet_writer *w,
                                    uint32_t keys)
{
    const struct ticket *auth = &client->tickets.slot[SLOT_AUTH];
    uint8_t nonce[8];
    int err = client->options.env.random(client->options.env.arg, nonce, sizeof(nonce));
    if (err != 0) {
        signet_writer_fail(w, (enum signet_err) - err);
        return;
    }
    struct signet_authorize authorize = {.version = 2, .nonce = signet_load_u64(nonce)};
    struct signet_ticket_blob blob = {
        .secret_id = auth->secret_id,
        .sealed = {.p = auth->blob, .len = auth->blob_len},
    };
    struct signet_service_ticket_request want = {.keys = keys};
    signet_write_u16(w, SIGNET_GET_PRINCIPAL_SESSION_KEY);
    signet_write_authorizer_a(w, client->global_id, SIGNET_AUTH, &blob);
    signet_write_sealed_authorize(w, auth->session_key, &authorize);
    signet_write_service_ticket_request(w, &want);
    client->asked = keys;
}

static void write_payload(struct signet_client *client, struct signet_writer *w, uint16_t type,
                          uint32_t need)
{
    switch (type) {
    case SIGNET_GET_AUTH_SESSION_KEY:
        signet_client_write_session_request(client, w, need);
        break;
    case SIGNET_GET_PRINCIPAL_SESSION_KEY:
        write_principal_request(client, w, need);
        break;
    default:
        signet_write_u16(w, type);
        client->asked = 0;
    }
}

/* The front of an MAuth around a request. */
static int send_request(struct signet_client *client, uint16_t type, uint32_t need, uint8_t *out,
                        size_t cap, size_t *out_len)
{
    struct signet_writer w = signet_writer_init(out, cap);
    signet_write_u64(&w, 0);
    signet_write_u16(&w, 0xffff);
    signet_write_u64(&w, 0);
    signet_write_u32(&w, SIGNET_AUTH_CEPHX);
    size_t at = signet_write_hole_u32(&w);
    write_payload(client, &w, type, need);
    signet_write_patch_u32(&w, at, (uint32_t)(w.len - at - 4));
    signet_write_u32(&w, 0); /* monmap epoch */
    if (w.err == 0) {
        client->pending = type;
        *out_len = (size_t)w.len;
    }
    return w.err;
}

int signet_client_renew(struct signet_client *client, uint8_t *out, size_t cap, size_t *out_len)
{
    *out_len = 0;
    if (client->stage != STAGE_OPEN) {
        return -SIGNET_E_STATE;
    }
    uint32_t need = client->pending == 0 ? signet_client_need(client) : 0;
    if (need == 0) {
        return 0;
    }
    uint16_t type =
        (need & SIGNET_AUTH) != 0 ? SIGNET_GET_AUTH_SESSION_KEY : SIGNET_GET_PRINCIPAL_SESSION_KEY;
    return send_request(client, type, need, out, cap, out_len);
}

int signet_client_rotating(struct signet_client *client, uint8_t *out, size_t cap, size_t *out_len)
{
    uint32_t type = client->options.name.type;
    *out_len = 0;
    if ((type != SIGNET_OSD && type != SIGNET_MDS && type != SIGNET_MGR) ||
        client->options.method == SIGNET_AUTH_NONE) {
        return -SIGNET_E_INVAL;
    }
    if (client->stage != STAGE_OPEN) {
        return -SIGNET_E_STATE;
    }
    return client->pending != 0
               ? 0
               : send_request(client, SIGNET_GET_ROTATING_KEY, 0, out, cap, out_len);
}

static int check_header(const struct signet_response_header *header, uint16_t type,
                        struct signet_fail *fail)
{
    if (header->type != type) {
        return signet_auth_fail(fail, SIGNET_E_REPLY_TYPE, "CephXResponseHeader");
    }
    return signet_auth_result_check(header->status, "CephXResponseHeader", fail);
}

static int take_principal(struct signet_client *client, struct ticket_set *set,
                          struct signet_span payload, struct signet_fail *fail)
{
    struct signet_principal_reply reply;
    struct intake in = {
        .client = client,
        .set = set,
        .asked = client->asked,
        .reply_key = client->tickets.slot[SLOT_AUTH].session_key,
        .fail = fail,
    };
    int err = signet_principal_reply_decode(&reply, payload.p, payload.len, fail);
    if (err == 0) {
        err = check_header(&reply.header, SIGNET_GET_PRINCIPAL_SESSION_KEY, fail);
    }
    return err != 0 ? err : signet_intake(&in, &reply.tickets);
}

/* Ascending by id, each once. */
static int insert_secret(struct rotating *to, uint64_t id, const struct signet_expiring_key *secret)
{
    size_t at = to->num;
    while (at > 0 && to->entry[at - 1].id >= id) {
        at--;
    }
    if (at < to->num && to->entry[at].id == id) {
        return -SIGNET_E_VALUE;
    }
    struct signet_rotating_info info = {
        .id = id,
        .expires_ns = signet_utime_ns(secret->expiration),
    };
    int err = signet_key_from_view(&info.key, &secret->key);
    if (err != 0) {
        return err;
    }
    for (size_t i = to->num++; i > at; i--) {
        to->entry[i] = to->entry[i - 1];
    }
    to->entry[at] = info;
    return 0;
}

static int keep_secrets(struct signet_client *client, const struct signet_rotating_secrets *secrets,
                        struct signet_fail *fail)
{
    struct rotating fresh = {.num = 0};
    int err = 0;
    for (uint32_t i = 0; i < secrets->num && err == 0; i++) {
        err = insert_secret(&fresh, secrets->entry[i].id, &secrets->entry[i].secret);
    }
    if (err != 0) {
        signet_rotating_drop(&fresh);
        return signet_auth_fail(fail, (enum signet_err) - err, "RotatingSecrets");
    }
    signet_rotating_drop(&client->rotating);
    client->rotating = fresh;
    return 0;
}

static int take_rotating(struct signet_client *client, struct signet_span payload,
                         struct signet_fail *fail)
{
    struct signet_rotating_reply reply;
    struct signet_rotating_secrets secrets;
    struct signet_plain plain = {.p = NULL};
    int err = signet_rotating_reply_decode(&reply, payload.p, payload.len, fail);
    if (err == 0) {
        err = check_header(&reply.header, SIGNET_GET_ROTATING_KEY, fail);
    }
    if (err == 0) {
        err =
            signet_rotating_secrets_open(&secrets, &plain, client->options.key, reply.sealed, fail);
    }
    if (err == 0) {
        err = keep_secrets(client, &secrets, fail);
    }
    signet_plain_free(&plain);
    return err;
}

static int take_payload(struct signet_client *client, uint16_t type, struct ticket_set *set,
                        struct signet_span payload, struct signet_fail *fail)
{
    switch (type) {
    case SIGNET_GET_AUTH_SESSION_KEY:
        return signet_intake_session(client, set, payload.p, payload.len, NULL, SIGNET_MODE_CRC,
                                     fail);
    case SIGNET_GET_PRINCIPAL_SESSION_KEY:
        return take_principal(client, set, payload, fail);
    default:
        return take_rotating(client, payload, fail);
    }
}

/* Source: cephx.md 3.1; each check was once a bug somewhere. */
static int check_front(const struct signet_mauth_reply *reply, struct signet_fail *fail)
{
    if (reply->protocol != SIGNET_AUTH_CEPHX) {
        return signet_auth_fail(fail, SIGNET_E_PROTOCOL_MISMATCH, WHERE);
    }
    int err = signet_auth_result_check(reply->result, WHERE, fail);
    if (err == 0 && reply->global_id == 0) {
        err = signet_auth_fail(fail, SIGNET_E_GLOBAL_ID_ZERO, WHERE);
    }
    return err;
}

/* What was asked for and did not come is left alone for a while. */
static void back_off(struct signet_client *client)
{
    uint64_t at = client->options.env.mono_ns(client->options.env.arg) + SIGNET_AUTH_RETRY_NS;
    for (unsigned i = 0; i < SLOT_NUM; i++) {
        if ((client->asked & signet_slot_service(i)) != 0) {
            client->retry_ns[i] = at;
        }
    }
}

int signet_client_reply(struct signet_client *client, const uint8_t *in, size_t in_len,
                        struct signet_fail *fail)
{
    struct signet_mauth_reply reply;
    struct ticket_set set = {.slot = {{.session_key = NULL}}};
    uint16_t type = client->pending;
    if (client->stage != STAGE_OPEN || type == 0) {
        return signet_auth_fail(fail, SIGNET_E_STATE, WHERE);
    }
    client->pending = 0;
    back_off(client);
    int err = signet_mauth_reply_decode(&reply, in, in_len, fail);
    if (err == 0) {
        err = check_front(&reply, fail);
    }
    if (err == 0) {
        err = take_payload(client, type, &set, reply.payload, fail);
    }
    if (err == 0) {
        signet_client_commit(client, &set, reply.global_id);
    }
    signet_ticket_set_drop(&set);
    return err;
}
