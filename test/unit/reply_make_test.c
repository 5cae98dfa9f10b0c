/* SPDX-License-Identifier: MIT */
/* Replies made by us against those of the specification and of Ceph's own library. */
#include <signet/ticket.h>

#include <stdlib.h>
#include <string.h>

#include "support/auth_env.h"

static uint8_t out[65536];
static size_t out_len;

static struct signet_auth_ticket ticket(void)
{
    return (struct signet_auth_ticket){
        .name = {.type = SIGNET_CLIENT, .id_len = 5, .id = "admin"},
        .global_id = 4242,
        .auid = UINT64_MAX,
        .created = {.sec = 0x65000000},
        .expires = {.sec = 0x65000000 + 3600},
        .caps = {.present = true, .text = {(const uint8_t *)"allow r", 7}},
    };
}

START_TEST(fixed)
{
    json_t *e2e = kat_json("cephx/e2e.json");
    const json_t *vectors = json_array_get(e2e, (size_t)_i);
    enum signet_key_type type = _i == 0 ? SIGNET_KEY_AES : SIGNET_KEY_AES256K;
    struct signet_key *principal = key_of_byte(type, 0xc1), *session = key_of_byte(type, 0x5e),
                      *service = key_of_byte(type, 0x77);
    struct signet_auth_ticket info = ticket();
    uint8_t secret[64];
    for (uint8_t i = 0; i < 64; i++) {
        secret[i] = i;
    }
    struct signet_session_grant grant = {
        .auth = {.service = SIGNET_AUTH,
                 .secret_id = 9,
                 .service_secret = service,
                 .session_key = session,
                 .ticket = &info,
                 .validity = {.sec = 3600}},
        .principal = principal,
        .more = true,
        .handshake = true,
        .secret = secret,
        .secret_len = sizeof(secret),
    };
    assert_ok(
        signet_ticket_reply_make(out, sizeof(out), &out_len, &grant.auth, 1, principal, NULL));
    ck_assert_uint_eq(out_len, _i == 0 ? 192 : 295);
    if (type == SIGNET_KEY_AES) {
        assert_hex(out, out_len, json_hex(vectors, "ticket reply"));
    }
    size_t cut;
    assert_err(signet_ticket_reply_make(out, out_len - 1, &cut, &grant.auth, 1, principal, NULL),
               SPACE);
    ck_assert_uint_eq(cut, 0);
    assert_ok(signet_session_reply_make(NULL, 0, &out_len, &grant));
    ck_assert_uint_eq(out_len, _i == 0 ? 290 : 430);
    assert_ok(signet_session_reply_make(out, sizeof(out), &out_len, &grant));
    ck_assert_uint_eq(out_len, _i == 0 ? 290 : 430);
    if (type == SIGNET_KEY_AES) {
        assert_hex(out + 6, 192, json_hex(vectors, "ticket reply"));
        assert_hex(out + 198, 88, json_hex(vectors, "connection secret bufferlist"));
    }
    grant.old_key = session;
    assert_ok(
        signet_ticket_reply_make(out, sizeof(out), &out_len, &grant.auth, 1, principal, session));
    size_t wrapped_len;
    uint8_t *wrapped = unhex(
        json_hex(vectors, "renewal: encrypted ticket blob, old session key = 5e.."), &wrapped_len);
    if (type == SIGNET_KEY_AES) {
        ck_assert_mem_eq(out + out_len - wrapped_len, wrapped, wrapped_len);
    }
    free(wrapped);
    signet_key_unref(principal);
    signet_key_unref(session);
    signet_key_unref(service);
    json_decref(e2e);
}
END_TEST

/* A ticket of Ceph's library: its reply opened, and made again with the same bytes. */
static void check_oracle(const json_t *row)
{
    size_t len, key_len;
    uint8_t secret[16], *p = unhex(json_hex(row, "reply"), &len);
    struct signet_key *principal, *old, *service = key_of_wire(json_hex(row, "service_secret"));
    struct signet_ticket_reply reply;
    uint8_t *raw = unhex(json_hex(row, "principal"), &key_len);
    assert_ok(signet_key_import(&principal, SIGNET_KEY_AES, raw, key_len, 0, NULL));
    free(raw);
    unhex_to(secret, sizeof(secret), json_hex(row, "ticket_enc_key"));
    assert_ok(signet_key_import(&old, SIGNET_KEY_AES, secret, sizeof(secret), 0, NULL));
    assert_ok(signet_ticket_reply_decode(&reply, p, len, NULL));
    ck_assert_uint_eq(reply.num, 2);
    bool enc = json_integer_value(json_object_get(row, "should_encrypt")) != 0;
    for (uint32_t i = 0; i < reply.num; i++) {
        struct signet_service_ticket half;
        struct signet_plain plain = {.p = NULL}, wrap = {.p = NULL};
        struct signet_ticket_blob blob;
        struct signet_wrapped_blob wrapped;
        struct signet_ticket_entry *e = &reply.entry[i];
        assert_ok(signet_service_ticket_open(&half, &plain, principal, e->sealed, NULL));
        ck_assert_uint_eq(e->enc, enc);
        if (enc) {
            assert_ok(signet_wrapped_blob_open(&wrapped, &wrap, old, e->ticket, NULL));
            blob = wrapped.blob;
        } else {
            assert_ok(signet_ticket_blob_decode(&blob, e->ticket.p, e->ticket.len, NULL));
        }
        if (i == 0) {
            struct signet_service_ticket_info info;
            struct signet_plain inner = {.p = NULL};
            struct signet_key *session = key_of_wire(json_hex(row, "session_key"));
            assert_hex(blob.sealed.p, blob.sealed.len, json_hex(row, "blob"));
            assert_ok(signet_service_ticket_info_open(&info, &inner, service, blob.sealed, NULL));
            struct signet_grant grant = {.service = e->service,
                                         .secret_id = blob.secret_id,
                                         .service_secret = service,
                                         .session_key = session,
                                         .ticket = &info.ticket,
                                         .validity = half.validity};
            assert_ok(signet_ticket_reply_make(out, sizeof(out), &out_len, &grant, 1, principal,
                                               enc ? old : NULL));
            ck_assert_mem_eq(out + 5, p + 5, out_len - 5);
            signet_plain_free(&inner);
            signet_key_unref(session);
        }
        signet_plain_free(&plain);
        signet_plain_free(&wrap);
    }
    free(p);
    signet_key_unref(principal);
    signet_key_unref(old);
    signet_key_unref(service);
}

START_TEST(oracle)
{
    json_t *rows = kat_json("cephx/oracle.json");
    size_t i, num = 0;
    const json_t *row;
    json_array_foreach(rows, i, row)
    {
        if (strcmp(json_hex(row, "t"), "ticket") == 0) {
            check_oracle(row);
            num++;
        }
    }
    ck_assert_uint_eq(num, 4);
    json_decref(rows);
}
END_TEST

START_TEST(limits)
{
    struct signet_key *key = key_of_byte(SIGNET_KEY_AES256K, 1);
    struct signet_auth_ticket info = ticket();
    struct signet_grant grants[SIGNET_TICKETS_MAX + 1];
    static const uint8_t caps[20000];
    for (size_t i = 0; i <= SIGNET_TICKETS_MAX; i++) {
        grants[i] = (struct signet_grant){
            .service = 4, .service_secret = key, .session_key = key, .ticket = &info};
    }
    assert_err(signet_ticket_reply_make(out, sizeof(out), &out_len, grants, SIGNET_TICKETS_MAX + 1,
                                        key, NULL),
               COUNT);
    ck_assert_uint_eq(out_len, 0);
    assert_ok(signet_ticket_reply_make(out, sizeof(out), &out_len, grants, SIGNET_TICKETS_MAX, key,
                                       NULL));
    info.caps.text = (struct signet_span){caps, sizeof(caps)};
    assert_err(signet_ticket_reply_make(out, sizeof(out), &out_len, grants, 1, key, NULL), LENGTH);
    info.caps.text.len = 16384; /* the sealed ticket would be beyond its cap */
    assert_err(signet_ticket_reply_make(out, sizeof(out), &out_len, grants, 1, key, NULL), LENGTH);
    signet_key_unref(key);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("reply_make");
    TCase *tc = suite_case(suite, "monitor");
    tcase_add_loop_test(tc, fixed, 0, 2);
    tcase_add_test(tc, oracle);
    tcase_add_test(tc, limits);
    return suite_run(suite);
}
