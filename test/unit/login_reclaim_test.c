/* SPDX-License-Identifier: MIT */
/* Whose a global_id is: CVE-2021-20288. */
#include "support/cluster.h"

#include <errno.h>
#include <string.h>

#include <signet/ticket.h>

/* A login whose first payload claims `id` and whose proof is right. */
static int claim(struct cluster *c, uint64_t id, const struct signet_ticket_blob *old,
                 uint8_t version)
{
    static uint8_t a[CLUSTER_BUF], b[CLUSTER_BUF];
    size_t a_len, b_len;
    struct signet_auth_start start = {.mode = 10, .global_id = id};
    struct signet_server_challenge challenge;
    struct signet_auth_request request = {
        .type = SIGNET_GET_AUTH_SESSION_KEY,
        .authenticate = {.version = version, .client_challenge = 77, .other_keys = 0x20},
    };
    signet_login_free(c->login);
    assert_ok(signet_login_new(&c->login, c->server, SIGNET_MON));
    assert_ok(signet_name_parse(&start.name, "client.a"));
    assert_ok(signet_auth_start_encode(a, sizeof(a), &a_len, &start));
    assert_ok(signet_login_step(c->login, SIGNET_MODE_CRC, b, sizeof(b), &b_len, a, a_len,
                                &c->verdict, NULL));
    assert_ok(signet_server_challenge_decode(&challenge, b, b_len, NULL));
    request.authenticate.old_ticket = old != NULL ? *old : (struct signet_ticket_blob){0};
    assert_ok(signet_proof(&request.authenticate.key, c->key, challenge.challenge, 77));
    assert_ok(signet_auth_request_encode(a, sizeof(a), &a_len, &request));
    return signet_login_step(c->login, SIGNET_MODE_CRC, b, sizeof(b), &b_len, a, a_len, &c->verdict,
                             NULL);
}

START_TEST(nobody_takes_over_a_global_id_without_its_ticket)
{
    struct cluster c = {0};
    cluster_start(&c, SIGNET_KEY_AES256K, SIGNET_KEY_AES256K);
    uint8_t junk[64] = {0};
    struct signet_ticket_blob forged = {.secret_id = 2, .sealed = {junk, sizeof(junk)}};
    struct signet_ticket_blob fixed = {.secret_id = UINT64_MAX, .sealed = {junk, sizeof(junk)}};
    assert_err(claim(&c, 4097, NULL, 3), RECLAIM);
    assert_err(claim(&c, 4097, NULL, 2), RECLAIM); /* old clients, too */
    assert_err(claim(&c, 4097, &forged, 3), RECLAIM);
    assert_err(claim(&c, 4097, &fixed, 3), RECLAIM);
    ck_assert_int_eq(signet_login_errno(c.login), -EACCES);
    assert_err(claim(&c, 0, &forged, 3), OLD_TICKET_UNWANTED);
    ck_assert_int_eq(signet_login_errno(c.login), -EINVAL);
    assert_ok(claim(&c, 0, NULL, 3));
    assert_ok(claim(&c, 0, NULL, 2));
    cluster_stop(&c);
}
END_TEST

START_TEST(insecure_reclaim_needs_its_switch)
{
    struct cluster c = {.options = {.allow_insecure_reclaim = true}};
    cluster_start(&c, SIGNET_KEY_AES256K, SIGNET_KEY_AES256K);
    assert_ok(claim(&c, 4097, NULL, 2));
    assert_err(claim(&c, 4097, NULL, 3), RECLAIM); /* it promised a ticket */
    cluster_stop(&c);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("login_reclaim");
    TCase *t = suite_case(s, "reclaim");
    tcase_add_test(t, nobody_takes_over_a_global_id_without_its_ticket);
    tcase_add_test(t, insecure_reclaim_needs_its_switch);
    return suite_run(s);
}
