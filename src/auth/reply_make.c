/* SPDX-License-Identifier: MIT */
/* Replies with tickets, at the monitor. Source: cephx.md 5.2, 5.3. */
#include <signet/ticket.h>

#include "auth/seal.h"
#include "auth/wire.h"
#include "base/secret.h"

/* The service's half, sealed, into secret memory; *len is its length. */
static uint8_t *seal_info(const struct signet_grant *grant, size_t *len, int *err)
{
    uint8_t buf[SIGNET_KEY_WIRE_MAX];
    uint8_t *sealed = NULL;
    struct signet_service_ticket_info info = {.ticket = *grant->ticket};
    *len = 0;
    *err = signet_key_to_view(&info.session_key, buf, grant->session_key);
    if (*err == 0) {
        *err = signet_service_ticket_info_seal(NULL, 0, len, grant->service_secret, &info);
    }
    size_t cap = *len;
    if (*err == 0 && (sealed = signet_secret_alloc(cap)) == NULL) {
        *err = -SIGNET_E_NOMEM;
    }
    if (*err == 0) {
        *err = signet_service_ticket_info_seal(sealed, cap, len, grant->service_secret, &info);
    }
    if (*err != 0) {
        signet_secret_free(sealed, cap);
        sealed = NULL;
    }
    signet_wipe(buf, sizeof(buf));
    return sealed;
}

static void write_principal_half(struct signet_writer *w, const struct signet_grant *grant,
                                 const struct signet_key *reply_key)
{
    uint8_t buf[SIGNET_KEY_WIRE_MAX];
    struct signet_service_ticket ticket = {.validity = grant->validity};
    int err = signet_key_to_view(&ticket.session_key, buf, grant->session_key);
    if (err != 0) {
        signet_writer_fail(w, (enum signet_err) - err);
    } else {
        signet_write_sealed_service_ticket(w, reply_key, &ticket);
    }
    signet_wipe(buf, sizeof(buf));
}

static void write_blob(struct signet_writer *w, const struct signet_ticket_blob *blob,
                       const struct signet_key *old_key)
{
    struct signet_wrapped_blob wrapped = {.blob = *blob};
    signet_write_u8(w, old_key != NULL);
    if (old_key != NULL) {
        signet_write_sealed_wrapped_blob(w, old_key, &wrapped);
    } else {
        signet_write_wrapped_blob(w, &wrapped);
    }
}

static void write_grant(struct signet_writer *w, const struct signet_grant *grant,
                        const struct signet_key *reply_key, const struct signet_key *old_key)
{
    int err;
    size_t len;
    uint8_t *sealed = seal_info(grant, &len, &err);
    if (err != 0) {
        signet_writer_fail(w, (enum signet_err) - err);
        return;
    }
    struct signet_ticket_blob blob = {
        .secret_id = grant->secret_id,
        .sealed = {.p = sealed, .len = len},
    };
    signet_write_u32(w, grant->service);
    signet_write_u8(w, 1);
    write_principal_half(w, grant, reply_key);
    write_blob(w, &blob, old_key);
    signet_secret_free(sealed, len);
}

static void write_grants(struct signet_writer *w, const struct signet_grant *grants, size_t num,
                         const struct signet_key *reply_key, const struct signet_key *old_key)
{
    if (num > SIGNET_TICKETS_MAX) {
        signet_writer_fail(w, SIGNET_E_COUNT);
        return;
    }
    signet_write_u8(w, 1);
    signet_write_u32(w, (uint32_t)num);
    for (size_t i = 0; i < num; i++) {
        write_grant(w, &grants[i], reply_key, old_key);
    }
}

static int finish(struct signet_writer *w, size_t *out_len)
{
    *out_len = w->err == 0 ? (size_t)w->len : 0;
    if (w->err != 0 && w->start != NULL) {
        signet_wipe(w->start, (size_t)w->len);
    }
    return w->err;
}

static struct signet_writer start(uint8_t *out, size_t cap)
{
    return out != NULL ? signet_writer_init(out, cap) : signet_writer_count();
}

int signet_ticket_reply_make(uint8_t *out, size_t cap, size_t *out_len,
                             const struct signet_grant *grants, size_t num,
                             const struct signet_key *reply_key, const struct signet_key *old_key)
{
    struct signet_writer w = start(out, cap);
    write_grants(&w, grants, num, reply_key, old_key);
    return finish(&w, out_len);
}

static void write_secret_list(struct signet_writer *w, const struct signet_session_grant *grant)
{
    struct signet_connection_secret secret = {
        .secret = {.p = grant->secret, .len = grant->secret_len},
    };
    size_t at = signet_write_hole_u32(w);
    if (grant->handshake) {
        signet_write_sealed_connection_secret(w, grant->auth.session_key, &secret);
        signet_write_patch_u32(w, at, (uint32_t)(w->len - at - 4));
    }
}

static void write_extra(struct signet_writer *w, const struct signet_session_grant *grant)
{
    size_t at = signet_write_hole_u32(w);
    if (grant->num_extra > 0) {
        write_grants(w, grant->extra, grant->num_extra, grant->auth.session_key, NULL);
        signet_write_patch_u32(w, at, (uint32_t)(w->len - at - 4));
    }
}

int signet_session_reply_make(uint8_t *out, size_t cap, size_t *out_len,
                              const struct signet_session_grant *grant)
{
    struct signet_writer w = start(out, cap);
    struct signet_response_header header = {.type = SIGNET_GET_AUTH_SESSION_KEY, .status = 0};
    signet_write_response_header(&w, &header);
    write_grants(&w, &grant->auth, 1, grant->principal, grant->old_key);
    if (grant->more) {
        write_secret_list(&w, grant);
        write_extra(&w, grant);
    }
    return finish(&w, out_len);
}
