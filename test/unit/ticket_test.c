/* SPDX-License-Identifier: MIT */
/* The checks of an opened ticket, one after the other and at their borders. */
#include <signet/ticket.h>

#include <stdlib.h>
#include <string.h>

#include "support/auth_env.h"

#define NOW  UINT64_C(1780000000)
#define HOUR UINT64_C(3600)

static struct signet_service_ticket_info info;
static struct signet_ticket_limits limits;

static void good(void)
{
    static const uint8_t secret[32];
    info = (struct signet_service_ticket_info){
        .ticket = {.name = {.type = SIGNET_CLIENT, .id_len = 1, .id = "a"},
                   .global_id = 4242,
                   .auid = UINT64_MAX,
                   .created = {.sec = NOW - 10},
                   .expires = {.sec = NOW - 10 + HOUR},
                   .caps = {.present = true, .text = {(const uint8_t *)"allow r", 7}}},
        .session_key = {.type = SIGNET_KEY_AES256K,
                        .created = {.sec = NOW - 10, .nsec = 5},
                        .secret = {secret, 32}},
    };
    limits = (struct signet_ticket_limits){
        .now_ns = NOW * SEC, .skew_ns = 30 * SEC, .span_ns = HOUR * SEC};
}

#define CHECK_OK() assert_ok(signet_ticket_check(&info, &limits, NULL))

/* The verdict on what was made bad, which is good again afterwards. */
static int verdict(void)
{
    struct signet_fail fail = {.err = 0};
    int err = signet_ticket_check(&info, &limits, &fail);
    ck_assert_int_eq(fail.err, err);
    good();
    return err;
}

START_TEST(identity)
{
    good();
    CHECK_OK();
    info.ticket.caps.allow_all = 1;
    assert_err(verdict(), TICKET_ALLOW_ALL);
    info.ticket.auid = 0;
    assert_err(verdict(), TICKET_AUID);
    info.ticket.global_id = 0;
    assert_err(verdict(), GLOBAL_ID_ZERO);
    info.ticket.caps.text = (struct signet_span){(const uint8_t *)"allow\0r", 7};
    assert_err(verdict(), TICKET_CAPS);
    info.session_key.type = SIGNET_KEY_AES;
    assert_err(verdict(), TICKET_KEY_TYPE);
    info.session_key.type = SIGNET_KEY_AES;
    limits.allow_weak = true;
    CHECK_OK();
    good();
    info.ticket.caps = (struct signet_auth_caps){.present = false};
    CHECK_OK();
}
END_TEST

START_TEST(not_times)
{
    good();
    info.ticket.created.nsec = 1000000000;
    assert_err(verdict(), TICKET_TIME);
    info.ticket.expires.nsec = 1000000000;
    assert_err(verdict(), TICKET_TIME);
    info.session_key.created.nsec = UINT32_MAX;
    assert_err(verdict(), TICKET_TIME);
}
END_TEST

/* Shifts the whole ticket. */
static void made_at(uint64_t sec, uint64_t life)
{
    info.ticket.created.sec = (uint32_t)sec;
    info.ticket.expires.sec = (uint32_t)(sec + life);
    info.session_key.created = info.ticket.created;
}

START_TEST(window)
{
    good();
    made_at(NOW + 30, HOUR);
    CHECK_OK();
    info.ticket.created.nsec = 1;
    assert_err(verdict(), TICKET_FUTURE);
    made_at(NOW - HOUR - 29, HOUR);
    CHECK_OK();
    made_at(NOW - HOUR - 30, HOUR);
    assert_err(verdict(), TICKET_EXPIRED);
    made_at(0, 1);
    assert_err(verdict(), TICKET_EXPIRED);
    made_at(NOW, HOUR);
    CHECK_OK();
    info.ticket.expires.nsec = 1;
    assert_err(verdict(), TICKET_LIFETIME);
    made_at(NOW, 0);
    assert_err(verdict(), TICKET_LIFETIME);
    made_at(NOW + 20, 0);
    info.ticket.expires.sec = NOW + 10;
    assert_err(verdict(), TICKET_LIFETIME);
    limits.skew_ns = UINT64_MAX;
    CHECK_OK();
}
END_TEST

START_TEST(key_time)
{
    good();
    info.session_key.created.sec = NOW - 11;
    assert_err(verdict(), TICKET_KEY_TIME);
    info.session_key.created = (struct signet_utime){.sec = NOW - 10 + 300};
    CHECK_OK();
    info.session_key.created.nsec = 1;
    assert_err(verdict(), TICKET_KEY_TIME);
    made_at(NOW, 60);
    info.session_key.created.sec = NOW + 60;
    CHECK_OK();
    info.session_key.created.sec = NOW + 61;
    assert_err(verdict(), TICKET_KEY_TIME);
}
END_TEST

/* Tickets of real monitors pass. */
START_TEST(real_tickets)
{
    json_t *rows = kat_json("cephx/wire.json");
    size_t i, len, num = 0;
    const json_t *row;
    json_array_foreach(rows, i, row)
    {
        if (strcmp(json_hex(row, "type"), "CephXServiceTicketInfo") != 0) {
            continue;
        }
        uint8_t *p = unhex(json_hex(row, "hex"), &len);
        assert_ok(signet_service_ticket_info_decode(&info, p, len, NULL));
        limits = (struct signet_ticket_limits){
            .now_ns = signet_utime_ns(info.ticket.created) + 5 * SEC,
            .span_ns = 72 * HOUR * SEC,
            .allow_weak = info.session_key.type == SIGNET_KEY_AES,
        };
        CHECK_OK();
        free(p);
        num++;
    }
    ck_assert_uint_gt(num, 10);
    json_decref(rows);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("ticket");
    TCase *tc = tcase_create("checks");
    tcase_add_test(tc, identity);
    tcase_add_test(tc, not_times);
    tcase_add_test(tc, window);
    tcase_add_test(tc, key_time);
    tcase_add_test(tc, real_tickets);
    suite_add_tcase(suite, tc);
    return suite_run(suite);
}
