/* SPDX-License-Identifier: MIT */
/* A client and a monitor in the middle of a login. One per process, for forked tests. */
#ifndef SIGNET_TEST_AUTH_LOGIN_H
#define SIGNET_TEST_AUTH_LOGIN_H

#include "support/auth_server.h"

#define LOGIN_WANT (SIGNET_MON | SIGNET_OSD)

struct test_login {
    struct fake_env fake;
    struct test_mon mon;
    struct signet_client *client;
    struct signet_auth_result result;
    struct signet_fail fail;
    uint8_t in[TEST_BUF], out[TEST_BUF]; /* to and from the client */
    size_t in_len, out_len;
};
extern struct test_login login;

/* All keys of one type. */
void login_start(enum signet_key_type type);
void login_stop(void);
/* Up to the monitor's last word, which is left in `in`. */
void login_converse(enum signet_con_mode mode);
/* Up to where the client waits for the last word, whatever that was. */
void login_ask_again(void);
/* The last word; checks that fail and result agree with the verdict. */
int login_done(enum signet_con_mode mode);
/* A login from end to end that works. */
void login_ok(void);

#endif
