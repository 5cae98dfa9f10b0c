/* SPDX-License-Identifier: MIT */
/* Authentication none: whoever comes is who it says, and may do everything. Source: cephx.md 12. */
#include "auth/login.h"
#include "base/fail.h"

static const char everything[] = "allow *";

static int check(const struct signet_login *login, enum signet_con_mode mode,
                 const struct signet_auth_start *hello, struct signet_fail *fail)
{
    bool mon = login->service == SIGNET_MON;
    uint8_t want = mon ? SIGNET_AUTH_MODE_MON : SIGNET_AUTH_MODE_AUTHORIZER;
    if (mode != SIGNET_MODE_CRC) {
        return signet_fail_set(fail, -SIGNET_E_NONE_SECURE, "AUTH_REQUEST", 0, "%s",
                               signet_strerror(SIGNET_E_NONE_SECURE));
    }
    if (hello->mode != want) {
        return signet_fail_set(fail, -SIGNET_E_LOGIN_STEP, "AUTH_REQUEST", 0,
                               "the payload has mode %u, here it must be %u", hello->mode, want);
    }
    if (signet_service_name(hello->name.type) == NULL) {
        return signet_fail_set(fail, -SIGNET_E_VALUE, "AUTH_REQUEST", 1,
                               "an entity of type %u, which is none", hello->name.type);
    }
    if (!mon && hello->global_id == 0) {
        return signet_fail_set(fail, -SIGNET_E_GLOBAL_ID_ZERO, "AUTH_REQUEST", 0,
                               "an authorizer without the number that a monitor has given");
    }
    return 0;
}

/* A daemon believes any number. A monitor gives a client that comes again its old one, but none
 * that it has yet to give to another. */
static int take_number(struct signet_login *login, uint64_t claimed)
{
    bool mon = login->service == SIGNET_MON;
    login->reclaim = mon && claimed != 0 && keyserver_gave_id(login->server, claimed);
    if (!mon || login->reclaim) {
        login->global_id = claimed;
        return 0;
    }
    int err = keyserver_provide_ids(login->server);
    return err == 0 ? keyserver_new_id(login->server, &login->global_id) : err;
}

static int accept(struct signet_login *login)
{
    const struct signet_span caps = {(const uint8_t *)everything, sizeof(everything) - 1};
    int err = login_identify(login, &login->name, login->global_id, caps, UINT64_MAX);
    if (err != 0) {
        return err;
    }
    login->result = (struct signet_auth_result){.global_id = login->global_id};
    login->has_result = true;
    keyserver_count(login->server, login->service == SIGNET_MON ? STAT_LOGIN : STAT_AUTHORIZER);
    if (login->reclaim) {
        keyserver_count(login->server, STAT_RECLAIM);
    }
    return 0;
}

int login_none(struct signet_login *login, enum signet_con_mode mode, struct signet_span in,
               enum signet_verdict *verdict, struct signet_fail *fail)
{
    struct signet_auth_start hello;
    if (login->stage != LOGIN_START) {
        return signet_fail_set(fail, -SIGNET_E_LOGIN_STEP, "login", 0,
                               "a request after the end of the authentication");
    }
    int err = signet_auth_start_decode(&hello, in.p, in.len, fail);
    if (err == 0) {
        err = check(login, mode, &hello, fail);
    }
    if (err != 0) {
        return err;
    }
    login->name = hello.name;
    err = take_number(login, hello.global_id);
    if (err == 0) {
        err = accept(login);
    }
    *verdict = SIGNET_VERDICT_DONE;
    login->stage = LOGIN_DONE;
    return err;
}
