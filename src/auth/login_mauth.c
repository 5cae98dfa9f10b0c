/* SPDX-License-Identifier: MIT */
/* MAuth inside an authenticated session: renewals and rotating secrets. Source: cephx.md 3.1. */
#include <errno.h>
#include <string.h>

#include "auth/login.h"
#include "base/cursor.h"
#include "base/fail.h"

static int dispatch(struct signet_login *login, const struct signet_auth_request *request,
                    struct login_out *out, struct signet_fail *fail)
{
    switch (request->type) {
    case SIGNET_GET_AUTH_SESSION_KEY:
        return login_session(login, &request->authenticate, false, SIGNET_MODE_CRC, out, fail);
    case SIGNET_GET_PRINCIPAL_SESSION_KEY:
        return login_principal(login, request, out, fail);
    default:
        return login_rotating(login, out, fail);
    }
}

static bool known_type(struct signet_span payload)
{
    struct signet_reader r = signet_reader_init(payload.p, payload.len);
    uint16_t type = signet_read_u16(&r);
    return r.err != 0 || type == SIGNET_GET_AUTH_SESSION_KEY ||
           type == SIGNET_GET_PRINCIPAL_SESSION_KEY || type == SIGNET_GET_ROTATING_KEY;
}

static int answer(struct signet_login *login, struct signet_span in, struct login_out *payload,
                  struct signet_fail *fail)
{
    struct signet_mauth mauth;
    struct signet_auth_request request;
    int err = signet_mauth_decode(&mauth, in.p, in.len, fail);
    if (err == 0 && signet_login_method(login) == SIGNET_AUTH_NONE) {
        return signet_fail_set(fail, -SIGNET_E_PROTOCOL_MISMATCH, "MAuth", 0,
                               "a session without authentication has nothing to renew");
    }
    if (err == 0 && mauth.protocol != SIGNET_AUTH_CEPHX) {
        err = signet_fail_set(fail, -SIGNET_E_PROTOCOL_MISMATCH, "MAuth", 0,
                              "protocol %u in a session of cephx", mauth.protocol);
    }
    if (err == 0 && !known_type(mauth.payload)) {
        err = signet_fail_set(fail, -SIGNET_E_REQUEST_TYPE, "MAuth", 0, "%s",
                              signet_strerror(SIGNET_E_REQUEST_TYPE));
    }
    if (err == 0) {
        err = signet_auth_request_decode(&request, mauth.payload.p, mauth.payload.len, fail);
    }
    return err == 0 ? dispatch(login, &request, payload, fail) : err;
}

/* What Ceph answers: see cephx.md 11. */
static int32_t result_of(int err)
{
    switch (-err) {
    case 0:
        return 0;
    case SIGNET_E_REQUEST_TYPE:
    case SIGNET_E_PROTOCOL_MISMATCH:
        return -EINVAL;
    default:
        return signet_err_group(err) == SIGNET_GROUP_FORMAT ? -EPERM : -EACCES;
    }
}

int signet_login_mauth(struct signet_login *login, uint8_t *out, size_t cap, size_t *out_len,
                       const uint8_t *in, size_t in_len, enum signet_verdict *verdict,
                       struct signet_fail *fail)
{
    uint8_t payload[SIGNET_AUTH_PAYLOAD_MAX];
    size_t len = 0;
    struct login_out place = {payload, sizeof(payload), &len};
    *out_len = 0;
    if (login->stage != LOGIN_DONE || login->service != SIGNET_MON) {
        *verdict = SIGNET_VERDICT_REFUSED;
        return -SIGNET_E_STATE;
    }
    int err = answer(login, (struct signet_span){in, in_len}, &place, fail);
    *verdict = err == -SIGNET_E_PROOF_WRONG ? SIGNET_VERDICT_REFUSED : SIGNET_VERDICT_DONE;
    struct signet_mauth_reply reply = {
        .protocol = signet_login_method(login),
        .result = result_of(err),
        .global_id = login->global_id,
        .payload = {payload, err == 0 ? len : 0},
    };
    int encoded = signet_mauth_reply_encode(out, cap, out_len, &reply);
    if (err != 0) {
        return keyserver_refuse(login->server, err);
    }
    return encoded;
}
