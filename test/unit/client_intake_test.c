/* SPDX-License-Identifier: MIT */
/* Replies of a monitor that does not keep to the protocol. */
#include <signet/client.h>

#include <string.h>

#include "support/auth_login.h"

static void bend_no_secret(struct signet_session_grant *grant)
{
    grant->handshake = false;
}

static void bend_empty_secret(struct signet_session_grant *grant)
{
    grant->secret_len = 0;
}

static void bend_short_secret(struct signet_session_grant *grant)
{
    grant->secret_len = 63;
}

static void bend_nothing_more(struct signet_session_grant *grant)
{
    grant->more = false;
}

static void bend_service(struct signet_session_grant *grant)
{
    grant->auth.service = SIGNET_OSD;
}

static void bend_zero_validity(struct signet_session_grant *grant)
{
    grant->auth.validity.sec = 0;
}

static void bend_absurd_validity(struct signet_session_grant *grant)
{
    grant->auth.validity.sec = UINT32_MAX;
}

static void bend_nanoseconds(struct signet_session_grant *grant)
{
    grant->auth.validity.nsec = 1000000000;
}

static void bend_principal(struct signet_session_grant *grant)
{
    grant->principal = grant->auth.service_secret;
}

static void bend_wrapped(struct signet_session_grant *grant)
{
    grant->old_key = grant->auth.session_key;
}

static const struct {
    void (*bend)(struct signet_session_grant *grant);
    enum signet_err secure, crc; /* in the two modes; SIGNET_OK: taken */
} bends[] = {
    {bend_no_secret, SIGNET_E_SECRET_MISSING, SIGNET_OK},
    {bend_empty_secret, SIGNET_E_SECRET_MISSING, SIGNET_OK},
    {bend_short_secret, SIGNET_E_SECRET_LENGTH, SIGNET_OK},
    {bend_nothing_more, SIGNET_E_SECRET_MISSING, SIGNET_OK},
    {bend_service, SIGNET_E_TICKET_MISSING, SIGNET_E_TICKET_MISSING},
    {bend_zero_validity, SIGNET_E_TICKET_VALIDITY, SIGNET_E_TICKET_VALIDITY},
    {bend_absurd_validity, SIGNET_E_TICKET_VALIDITY, SIGNET_E_TICKET_VALIDITY},
    {bend_principal, SIGNET_E_OPEN, SIGNET_E_OPEN},
    {bend_wrapped, SIGNET_E_TICKET_ENC_UNEXPECTED, SIGNET_E_TICKET_ENC_UNEXPECTED},
};
enum { NUM_BENDS = sizeof(bends) / sizeof(bends[0]) };

START_TEST(bent_grants)
{
    for (int type = SIGNET_KEY_AES; type <= SIGNET_KEY_AES256K; type++) {
        login_start((enum signet_key_type)type);
        login.mon.bend = bends[_i].bend;
        login_converse(SIGNET_MODE_SECURE);
        ck_assert_int_eq(login_done(SIGNET_MODE_SECURE), -(int)bends[_i].secure);
        ck_assert_uint_eq(signet_client_global_id(login.client), 0);
        assert_err(signet_client_ticket(login.client, 0, &(struct signet_ticket_info){0}),
                   NOT_FOUND);
        login_converse(SIGNET_MODE_CRC);
        ck_assert_int_eq(login_done(SIGNET_MODE_CRC), -(int)bends[_i].crc);
        login_stop();
    }
}
END_TEST

START_TEST(nanoseconds)
{
    login_start(SIGNET_KEY_AES256K);
    login.mon.bend = bend_nanoseconds;
    login_converse(SIGNET_MODE_CRC);
    assert_err(login_done(SIGNET_MODE_CRC), VALUE);
    login_stop();
}
END_TEST

/* Changes the reply in its decoded form. */
static void edit(void (*change)(struct signet_session_reply *reply))
{
    static uint8_t copy[TEST_BUF];
    struct signet_session_reply reply;
    memcpy(copy, login.in, login.in_len);
    assert_ok(signet_session_reply_decode(&reply, copy, login.in_len, NULL));
    change(&reply);
    assert_ok(signet_session_reply_encode(login.in, sizeof(login.in), &login.in_len, &reply));
}

static void change_twice(struct signet_session_reply *reply)
{
    reply->tickets.entry[1] = reply->tickets.entry[0];
    reply->tickets.num = 2;
}

static void change_none(struct signet_session_reply *reply)
{
    reply->tickets.num = 0;
}

static void change_empty(struct signet_session_reply *reply)
{
    static const uint8_t none[13] = {1};
    reply->tickets.entry[0].ticket = (struct signet_span){none, sizeof(none)};
}

static void change_extra(struct signet_session_reply *reply)
{
    reply->extra.len -= 1; /* an old server cut it off */
}

static void change_extra_enc(struct signet_session_reply *reply)
{
    static uint8_t extra[TEST_BUF];
    struct signet_ticket_reply tickets;
    size_t len;
    assert_ok(signet_ticket_reply_decode(&tickets, reply->extra.p, reply->extra.len, NULL));
    tickets.entry[1].enc = 1;
    assert_ok(signet_ticket_reply_encode(extra, sizeof(extra), &len, &tickets));
    reply->extra = (struct signet_span){extra, len};
}

static void change_unrequested(struct signet_session_reply *reply)
{
    static uint8_t extra[TEST_BUF];
    struct signet_ticket_reply tickets;
    size_t len;
    assert_ok(signet_ticket_reply_decode(&tickets, reply->extra.p, reply->extra.len, NULL));
    tickets.entry[0].service = SIGNET_MDS;
    tickets.entry[1].service = 0x40;
    assert_ok(signet_ticket_reply_encode(extra, sizeof(extra), &len, &tickets));
    reply->extra = (struct signet_span){extra, len};
}

START_TEST(edited_replies)
{
    static const struct {
        void (*change)(struct signet_session_reply *reply);
        enum signet_err err;
    } rows[] = {
        {change_twice, SIGNET_E_TICKET_TWICE},
        {change_none, SIGNET_E_TICKET_MISSING},
        {change_empty, SIGNET_E_TICKET_EMPTY},
        {change_extra, SIGNET_E_LENGTH},
        {change_extra_enc, SIGNET_E_TICKET_ENC_UNEXPECTED},
    };
    login_start(SIGNET_KEY_AES256K);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        login_converse(SIGNET_MODE_SECURE);
        edit(rows[i].change);
        ck_assert_int_eq(login_done(SIGNET_MODE_SECURE), -(int)rows[i].err);
        ck_assert_uint_eq(signet_client_global_id(login.client), 0);
    }
    login_converse(SIGNET_MODE_SECURE);
    edit(change_unrequested); /* passed over */
    assert_ok(login_done(SIGNET_MODE_SECURE));
    ck_assert_uint_eq(signet_client_need(login.client), LOGIN_WANT);
    assert_err(signet_client_ticket(login.client, 1, &(struct signet_ticket_info){0}), NOT_FOUND);
    login_stop();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("client_intake");
    TCase *tc = suite_case(suite, "replies");
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, bent_grants, 0, NUM_BENDS);
    tcase_add_test(tc, nanoseconds);
    tcase_add_test(tc, edited_replies);
    return suite_run(suite);
}
