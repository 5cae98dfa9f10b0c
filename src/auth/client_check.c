/* SPDX-License-Identifier: MIT */
/* What the client and the authorizer check alike. Source: cephx.md 3.1, 5.4, 9.3. */
#include "auth/client_state.h"

#include <string.h>

#include "base/fail.h"

int signet_auth_fail(struct signet_fail *fail, enum signet_err err, const char *where)
{
    return signet_fail_set(fail, -(int)err, where, 0, "%s", signet_strerror((int)err));
}

int signet_auth_result_check(int32_t result, const char *where, struct signet_fail *fail)
{
    if (result == 0) {
        return 0;
    }
    if (result > 0) {
        return signet_fail_set(fail, -SIGNET_E_RESULT_POSITIVE, where, 0,
                               "the reply has the positive result %d", (int)result);
    }
    int errnum = result > -4096 ? -result : 0;
    const char *name = errnum != 0 ? strerrorname_np(errnum) : NULL;
    return signet_fail_set(fail, -SIGNET_E_RESULT, where, 0, "the peer answered %d (%s)",
                           (int)result, name != NULL ? name : "no errno");
}

int signet_auth_done_check(uint64_t global_id, enum signet_con_mode mode, const char *where,
                           struct signet_fail *fail)
{
    if (mode != SIGNET_MODE_CRC && mode != SIGNET_MODE_SECURE) {
        return signet_fail_set(fail, -SIGNET_E_CON_MODE, where, 0,
                               "connection mode %u is neither crc nor secure", (unsigned)mode);
    }
    return global_id == 0 ? signet_auth_fail(fail, SIGNET_E_GLOBAL_ID_ZERO, where) : 0;
}

int signet_auth_none_check(uint64_t global_id, enum signet_con_mode mode, size_t payload_len,
                           const char *where, struct signet_fail *fail)
{
    int err = signet_auth_done_check(global_id, mode, where, fail);
    if (err == 0 && mode != SIGNET_MODE_CRC) {
        err = signet_auth_fail(fail, SIGNET_E_NONE_SECURE, where);
    }
    if (err == 0 && payload_len != 0) {
        err = signet_fail_set(
            fail, -SIGNET_E_PROTOCOL_MISMATCH, where, 0,
            "AUTH_DONE has %zu bytes where authentication none has nothing to say", payload_len);
    }
    return err;
}

int signet_auth_take_secret(struct signet_auth_result *result, enum signet_con_mode mode,
                            struct signet_span secret, const char *where, struct signet_fail *fail)
{
    if (mode != SIGNET_MODE_SECURE) {
        return 0;
    }
    if (secret.len == 0) {
        return signet_auth_fail(fail, SIGNET_E_SECRET_MISSING, where);
    }
    if (secret.len != SIGNET_CONNECTION_SECRET_LEN) {
        return signet_fail_set(fail, -SIGNET_E_SECRET_LENGTH, where, 0,
                               "the connection secret has %zu bytes, not %d", secret.len,
                               SIGNET_CONNECTION_SECRET_LEN);
    }
    memcpy(result->secret, secret.p, secret.len);
    result->secret_len = secret.len;
    return 0;
}
