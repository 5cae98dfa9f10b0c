/* SPDX-License-Identifier: MIT */
/*
 * Replies with tickets. All of a reply is opened and checked before any of it is kept.
 * Source: cephx.md 5.3, 5.4, 10.
 */
#include "auth/client_state.h"

#include <stdlib.h>
#include <string.h>

#include <signet/ticket.h>

#include "auth/wire.h"
#include "base/fail.h"
#include "base/log.h"

#define WHERE "ticket reply"
/* No issuer grants more; what does is a clock that jumped. */
#define VALIDITY_MAX_S (10U * 366 * 86400)

static int check_validity(struct signet_utime validity, struct signet_fail *fail)
{
    if ((validity.sec == 0 && validity.nsec == 0) || validity.sec > VALIDITY_MAX_S) {
        return signet_fail_set(fail, -SIGNET_E_TICKET_VALIDITY, WHERE, 0,
                               "a ticket is granted for %u s: the clock of the monitor may be off",
                               (unsigned)validity.sec);
    }
    return 0;
}

static int check_strength(const struct signet_client *client, unsigned slot,
                          const struct signet_key_view *session_key, struct signet_fail *fail)
{
    const struct signet_client_options *options = &client->options;
    bool refuse = slot == SLOT_AUTH ? !options->allow_weak_auth_session
                                    : options->refuse_weak_service_session;
    if (refuse && signet_key_type(options->key) == SIGNET_KEY_AES256K &&
        session_key->type != SIGNET_KEY_AES256K) {
        return signet_fail_set(fail, -SIGNET_E_WEAK_SESSION_KEY, WHERE, 0,
                               "the %s ticket has a type %u session key beside a type 2 secret",
                               signet_service_name(signet_slot_service(slot)),
                               (unsigned)session_key->type);
    }
    return 0;
}

/* The principal's half. renew_ns: cephx.md 10, three quarters of the whole seconds. */
static int take_half(const struct intake *in, unsigned slot, struct ticket *out,
                     const struct signet_service_ticket *half)
{
    int err = check_validity(half->validity, in->fail);
    if (err == 0) {
        err = check_strength(in->client, slot, &half->session_key, in->fail);
    }
    if (err != 0) {
        return err;
    }
    const struct signet_env *env = &in->client->options.env;
    out->validity_ns = signet_utime_ns(half->validity);
    out->expires_ns = env->mono_ns(env->arg) + out->validity_ns;
    out->renew_ns = out->expires_ns - (uint64_t)half->validity.sec * 250000000U;
    out->created_ns = signet_utime_ns(half->session_key.created);
    out->received_ns = env->real_ns(env->arg);
    err = signet_key_from_view(&out->session_key, &half->session_key);
    return err != 0 ? signet_auth_fail(in->fail, (enum signet_err) - err, "CryptoKey") : 0;
}

static int take_blob(struct ticket *out, const struct signet_ticket_blob *blob,
                     struct signet_fail *fail)
{
    if (blob->sealed.len == 0) {
        return signet_auth_fail(fail, SIGNET_E_TICKET_EMPTY, WHERE);
    }
    out->blob = malloc(blob->sealed.len);
    if (out->blob == NULL) {
        return signet_auth_fail(fail, SIGNET_E_NOMEM, WHERE);
    }
    memcpy(out->blob, blob->sealed.p, blob->sealed.len);
    out->blob_len = blob->sealed.len;
    out->secret_id = blob->secret_id;
    return 0;
}

static int take_plain_blob(const struct intake *in, unsigned slot, struct ticket *out,
                           struct signet_span ticket)
{
    struct signet_ticket_blob blob;
    if (slot == SLOT_AUTH && in->old_key != NULL) {
        return signet_auth_fail(in->fail, SIGNET_E_TICKET_ENC_MISSING, WHERE);
    }
    int err = signet_ticket_blob_decode(&blob, ticket.p, ticket.len, in->fail);
    return err != 0 ? err : take_blob(out, &blob, in->fail);
}

static int take_wrapped_blob(const struct intake *in, unsigned slot, struct ticket *out,
                             struct signet_span ticket)
{
    struct signet_plain plain = {.p = NULL};
    struct signet_wrapped_blob wrapped;
    if (slot != SLOT_AUTH || in->old_key == NULL) {
        return signet_auth_fail(in->fail, SIGNET_E_TICKET_ENC_UNEXPECTED, WHERE);
    }
    int err = signet_wrapped_blob_open(&wrapped, &plain, in->old_key, ticket, in->fail);
    if (err == 0) {
        err = take_blob(out, &wrapped.blob, in->fail);
    }
    signet_plain_free(&plain);
    return err;
}

static int take_entry(const struct intake *in, unsigned slot,
                      const struct signet_ticket_entry *entry)
{
    struct ticket *out = &in->set->slot[slot];
    struct signet_plain plain = {.p = NULL};
    struct signet_service_ticket half;
    if (out->session_key != NULL) {
        return signet_auth_fail(in->fail, SIGNET_E_TICKET_TWICE, WHERE);
    }
    int err = signet_service_ticket_open(&half, &plain, in->reply_key, entry->sealed, in->fail);
    if (err == 0) {
        err = take_half(in, slot, out, &half);
    }
    signet_plain_free(&plain);
    if (err != 0) {
        return err;
    }
    return entry->enc != 0 ? take_wrapped_blob(in, slot, out, entry->ticket)
                           : take_plain_blob(in, slot, out, entry->ticket);
}

int signet_intake(const struct intake *in, const struct signet_ticket_reply *reply)
{
    for (uint32_t i = 0; i < reply->num; i++) {
        const struct signet_ticket_entry *entry = &reply->entry[i];
        unsigned slot = signet_slot_of(entry->service);
        if (slot == SLOT_NUM || (in->asked & entry->service) == 0) {
            continue;
        }
        int err = take_entry(in, slot, entry);
        if (err != 0) {
            return err;
        }
    }
    return 0;
}

/* The header comes first: a refusal has no useful rest. */
static int check_header(const uint8_t *in, size_t in_len, struct signet_fail *fail)
{
    struct signet_response_header header;
    struct signet_reader r = signet_reader_init(in, in_len);
    signet_read_response_header(&r, &header);
    if (r.err != 0) {
        return signet_wire_report(&r, fail, "CephXResponseHeader");
    }
    if (header.type != SIGNET_GET_AUTH_SESSION_KEY) {
        return signet_auth_fail(fail, SIGNET_E_REPLY_TYPE, "CephXResponseHeader");
    }
    return signet_auth_result_check(header.status, "CephXResponseHeader", fail);
}

/* The secret of a handshake has to open in any mode, and is kept in secure mode only. */
static int take_secret(const struct signet_session_reply *reply, const struct signet_key *key,
                       struct signet_auth_result *result, enum signet_con_mode mode,
                       struct signet_fail *fail)
{
    struct signet_plain plain = {.p = NULL};
    struct signet_connection_secret secret = {.secret = {.p = NULL, .len = 0}};
    int err = 0;
    if (reply->has_secret) {
        err = signet_connection_secret_open(&secret, &plain, key, reply->secret, fail);
    }
    if (err == 0) {
        err = signet_auth_take_secret(result, mode, secret.secret, "connection secret", fail);
    }
    signet_plain_free(&plain);
    return err;
}

static int take_extra(const struct intake *in, struct signet_span extra)
{
    struct signet_ticket_reply tickets;
    if (extra.len == 0) {
        return 0;
    }
    int err = signet_ticket_reply_decode(&tickets, extra.p, extra.len, in->fail);
    return err != 0 ? err : signet_intake(in, &tickets);
}

static int take_session(struct signet_client *client, struct ticket_set *set,
                        const struct signet_session_reply *reply, struct signet_auth_result *result,
                        enum signet_con_mode mode, struct signet_fail *fail)
{
    struct intake in = {
        .client = client,
        .set = set,
        .asked = SIGNET_AUTH,
        .reply_key = client->options.key,
        .old_key = client->reclaim ? client->tickets.slot[SLOT_AUTH].session_key : NULL,
        .fail = fail,
    };
    int err = signet_intake(&in, &reply->tickets);
    const struct signet_key *key = set->slot[SLOT_AUTH].session_key;
    if (err == 0 && key == NULL) {
        err = signet_auth_fail(fail, SIGNET_E_TICKET_MISSING, WHERE);
    }
    if (err == 0 && result != NULL) {
        err = take_secret(reply, key, result, mode, fail);
    }
    if (err != 0) {
        return err;
    }
    in.asked = client->asked & ~(uint32_t)SIGNET_AUTH;
    in.reply_key = key;
    in.old_key = NULL;
    return take_extra(&in, reply->extra);
}

int signet_intake_session(struct signet_client *client, struct ticket_set *set, const uint8_t *in,
                          size_t in_len, struct signet_auth_result *result,
                          enum signet_con_mode mode, struct signet_fail *fail)
{
    struct signet_session_reply reply;
    int err = check_header(in, in_len, fail);
    if (err == 0) {
        err = signet_session_reply_decode(&reply, in, in_len, fail);
    }
    return err != 0 ? err : take_session(client, set, &reply, result, mode, fail);
}

void signet_client_commit(struct signet_client *client, struct ticket_set *set, uint64_t global_id)
{
    if (client->global_id != 0 && client->global_id != global_id) {
        signet_log(SIGNET_LOG_WARN, "cephx: the monitor changed our global_id %llu to %llu",
                   (unsigned long long)client->global_id, (unsigned long long)global_id);
    }
    client->global_id = global_id;
    for (unsigned i = 0; i < SLOT_NUM; i++) {
        if (set->slot[i].session_key == NULL) {
            continue;
        }
        signet_ticket_drop(&client->tickets.slot[i]);
        client->tickets.slot[i] = set->slot[i];
        client->retry_ns[i] = 0;
        set->slot[i] = (struct ticket){.session_key = NULL};
    }
}
