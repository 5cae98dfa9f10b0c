/* SPDX-License-Identifier: MIT */
/* Sealed structures against whole exchanges with fixed inputs, and bent at every byte. */
#include <signet/ticket.h>

#include <stdlib.h>
#include <string.h>

#include "auth/seal.h"
#include "support/auth_env.h"

enum { CLIENT_BYTE = 0xc1, SESSION_BYTE = 0x5e, SERVICE_BYTE = 0x77, GLOBAL_ID = 4242 };
#define NONCE     UINT64_C(0x0102030405060708)
#define CHALLENGE UINT64_C(0x1122334455667788)

static json_t *e2e;
static const json_t *vectors; /* of one key type */
static struct signet_key *session, *service, *principal;
static enum signet_key_type type;

static void use(size_t index)
{
    e2e = kat_json("cephx/e2e.json");
    vectors = json_array_get(e2e, index);
    type = (enum signet_key_type)json_integer_value(json_object_get(vectors, "type"));
    session = key_of_byte(type, SESSION_BYTE);
    service = key_of_byte(type, SERVICE_BYTE);
    principal = key_of_byte(type, CLIENT_BYTE);
}

static void done(void)
{
    signet_key_unref(session);
    signet_key_unref(service);
    signet_key_unref(principal);
    json_decref(e2e);
}

static uint8_t *vector(const char *name, size_t *len)
{
    const json_t *v = json_object_get(vectors, name);
    uint8_t *p = unhex(json_hex(vectors, name), len);
    if (json_object_get(v, "len") != NULL) {
        ck_assert_uint_eq(*len, (size_t)json_integer_value(json_object_get(v, "len")));
    }
    return p;
}

/* Type 1 seals to the same bytes; type 2 to the same length. */
static void same_sealed(const uint8_t *got, size_t got_len, const uint8_t *want, size_t len)
{
    ck_assert_uint_eq(got_len, len);
    ck_assert(type != SIGNET_KEY_AES || memcmp(got, want, len) == 0);
}

#define SEALS(x, key, v, want, len)                                                                \
    do {                                                                                           \
        uint8_t buf_[1024];                                                                        \
        size_t n_;                                                                                 \
        assert_ok(signet_##x##_seal(NULL, 0, &n_, key, v));                                        \
        ck_assert_uint_eq(n_, len);                                                                \
        assert_ok(signet_##x##_seal(buf_, sizeof(buf_), &n_, key, v));                             \
        same_sealed(buf_, n_, want, len);                                                          \
        assert_err(signet_##x##_seal(buf_, (len)-1, &n_, key, v), SPACE);                          \
        ck_assert_uint_eq(n_, 0);                                                                  \
    } while (0)

/* Opens with its key only, and not once a byte is changed, missing or added. (A changed byte
 * of type 1 is noticed only where the structure is: there it must be -OPEN or open whole.) */
#define BENDS(x, key, bytes_, size_)                                                               \
    do {                                                                                           \
        struct signet_##x v_;                                                                      \
        struct signet_plain plain_ = {.p = NULL};                                                  \
        uint8_t *copy_ = malloc((size_) + 1);                                                      \
        struct signet_key *other_ = key_of_byte(type, 0x99);                                       \
        for (size_t i_ = 0; i_ < (size_); i_++) {                                                  \
            struct signet_fail fail_ = {.err = 0};                                                 \
            memcpy(copy_, bytes_, size_);                                                          \
            copy_[i_] ^= 0x40;                                                                     \
            int err_ =                                                                             \
                signet_##x##_open(&v_, &plain_, key, (struct signet_span){copy_, size_}, &fail_);  \
            ck_assert(err_ == -SIGNET_E_OPEN || (err_ == 0 && type == SIGNET_KEY_AES));            \
            ck_assert_int_eq(fail_.err, err_);                                                     \
            ck_assert(err_ == 0 || (plain_.p == NULL && plain_.len == 0));                         \
            memcpy(copy_, bytes_, size_);                                                          \
            assert_err(                                                                            \
                signet_##x##_open(&v_, &plain_, key, (struct signet_span){copy_, i_}, NULL),       \
                OPEN);                                                                             \
        }                                                                                          \
        copy_[size_] = 0;                                                                          \
        assert_err(                                                                                \
            signet_##x##_open(&v_, &plain_, key, (struct signet_span){copy_, (size_) + 1}, NULL),  \
            OPEN);                                                                                 \
        assert_err(                                                                                \
            signet_##x##_open(&v_, &plain_, other_, (struct signet_span){copy_, size_}, NULL),     \
            OPEN);                                                                                 \
        signet_key_unref(other_);                                                                  \
        free(copy_);                                                                               \
        signet_plain_free(&plain_);                                                                \
    } while (0)

START_TEST(ticket_info)
{
    use((size_t)_i);
    size_t len, plain_len, want_len;
    uint8_t *p = vector("CephXTicketBlob", &len);
    uint8_t *want = vector("CephXServiceTicketInfo", &want_len);
    struct signet_ticket_blob blob;
    struct signet_service_ticket_info info;
    struct signet_plain plain = {.p = NULL};
    uint8_t buf[256];
    assert_ok(signet_ticket_blob_decode(&blob, p, len, NULL));
    ck_assert_uint_eq(blob.secret_id, 9);
    assert_ok(signet_service_ticket_info_open(&info, &plain, service, blob.sealed, NULL));
    assert_ok(signet_service_ticket_info_encode(buf, sizeof(buf), &plain_len, &info));
    ck_assert_uint_eq(plain_len, want_len);
    ck_assert_mem_eq(buf, want, want_len);
    ck_assert_uint_eq(info.ticket.global_id, GLOBAL_ID);
    SEALS(service_ticket_info, service, &info, blob.sealed.p, blob.sealed.len);
    BENDS(service_ticket_info, service, blob.sealed.p, blob.sealed.len);
    signet_plain_free(&plain);
    free(p);
    free(want);
    done();
}
END_TEST

START_TEST(ticket_reply)
{
    use((size_t)_i);
    size_t len;
    uint8_t *p = vector("ticket reply", &len);
    struct signet_ticket_reply reply;
    struct signet_service_ticket half;
    struct signet_plain plain = {.p = NULL};
    assert_ok(signet_ticket_reply_decode(&reply, p, len, NULL));
    ck_assert_uint_eq(reply.num, 1);
    struct signet_span sealed = reply.entry[0].sealed;
    assert_ok(signet_service_ticket_open(&half, &plain, principal, sealed, NULL));
    ck_assert_uint_eq(half.validity.sec, 3600);
    struct signet_key *key;
    assert_ok(signet_key_from_view(&key, &half.session_key));
    ck_assert(signet_key_equal(key, session));
    signet_key_unref(key);
    SEALS(service_ticket, principal, &half, sealed.p, sealed.len);
    BENDS(service_ticket, principal, sealed.p, sealed.len);
    signet_plain_free(&plain);
    free(p);
    done();
}
END_TEST

START_TEST(wrapped_ticket)
{
    use((size_t)_i);
    size_t len, blob_len;
    uint8_t *p = vector("renewal: encrypted ticket blob, old session key = 5e..", &len);
    uint8_t *want = vector("CephXTicketBlob", &blob_len);
    struct signet_wrapped_blob wrapped;
    struct signet_plain plain = {.p = NULL};
    struct signet_span sealed = {p + 4, len - 4};
    assert_ok(signet_wrapped_blob_open(&wrapped, &plain, session, sealed, NULL));
    ck_assert_uint_eq(wrapped.blob.sealed.len, blob_len - 13);
    ck_assert_mem_eq(wrapped.blob.sealed.p, want + 13, blob_len - 13);
    SEALS(wrapped_blob, session, &wrapped, sealed.p, sealed.len);
    BENDS(wrapped_blob, session, sealed.p, sealed.len);
    signet_plain_free(&plain);
    free(p);
    free(want);
    done();
}
END_TEST

START_TEST(secret_envelope)
{
    use((size_t)_i);
    size_t len;
    uint8_t *p = vector("connection secret bufferlist", &len);
    struct signet_connection_secret opened;
    struct signet_plain plain = {.p = NULL};
    struct signet_span sealed = {p + 8, len - 8};
    assert_ok(signet_connection_secret_open(&opened, &plain, session, sealed, NULL));
    ck_assert_uint_eq(opened.secret.len, 64);
    ck_assert_uint_eq(opened.secret.p[63], 63);
    SEALS(connection_secret, session, &opened, sealed.p, sealed.len);
    BENDS(connection_secret, session, sealed.p, sealed.len);
    signet_plain_free(&plain);
    free(p);
    done();
}
END_TEST

static void check_part_b(const char *name, const struct signet_authorize *want)
{
    size_t len;
    uint8_t *p = vector(name, &len);
    struct signet_authorize got;
    struct signet_plain plain = {.p = NULL};
    struct signet_span sealed = {p + 4, len - 4};
    assert_ok(signet_authorize_open(&got, &plain, session, sealed, NULL));
    ck_assert_uint_eq(got.version, want->version);
    ck_assert_uint_eq(got.nonce, want->nonce);
    ck_assert_uint_eq(got.have_challenge, want->have_challenge);
    ck_assert_uint_eq(got.challenge_plus_one, want->challenge_plus_one);
    SEALS(authorize, session, want, sealed.p, sealed.len);
    BENDS(authorize, session, sealed.p, sealed.len);
    signet_plain_free(&plain);
    free(p);
}

START_TEST(authorize_envelope)
{
    use((size_t)_i);
    check_part_b("authorizer part B without challenge",
                 &(struct signet_authorize){.version = 2, .nonce = NONCE});
    check_part_b("authorizer part B with challenge",
                 &(struct signet_authorize){.version = 2,
                                            .nonce = NONCE,
                                            .have_challenge = 1,
                                            .challenge_plus_one = CHALLENGE + 1});
    done();
}
END_TEST

START_TEST(challenge_envelope)
{
    use((size_t)_i);
    size_t len;
    uint8_t *p = vector("authorize challenge", &len);
    struct signet_authorize_challenge got;
    struct signet_plain plain = {.p = NULL};
    struct signet_span sealed = {p, len};
    assert_ok(signet_authorize_challenge_open(&got, &plain, session, sealed, NULL));
    ck_assert_uint_eq(got.challenge, CHALLENGE);
    SEALS(authorize_challenge, session, &got, p, len);
    BENDS(authorize_challenge, session, p, len);
    signet_plain_free(&plain);
    free(p);
    done();
}
END_TEST

START_TEST(reply_envelope)
{
    use((size_t)_i);
    for (int v = 1; v <= 2; v++) {
        size_t len;
        uint8_t *p = vector(v == 1 ? "authorize reply v1" : "authorize reply v2", &len);
        struct signet_authorize_reply got;
        struct signet_plain plain = {.p = NULL};
        struct signet_span sealed = {p + 4, len - 4};
        assert_ok(signet_authorize_reply_open(&got, &plain, session, sealed, NULL));
        ck_assert_int_eq(got.version, v);
        ck_assert_uint_eq(got.nonce_plus_one, NONCE + 1);
        ck_assert_uint_eq(got.secret.len, v == 1 ? 0 : 64);
        SEALS(authorize_reply, session, &got, sealed.p, sealed.len);
        BENDS(authorize_reply, session, sealed.p, sealed.len);
        signet_plain_free(&plain);
        free(p);
    }
    done();
}
END_TEST

/* A type 2 key opens each kind only as what it was sealed as; type 1 refuses what does not decode.
 */
START_TEST(usages)
{
    use((size_t)_i);
    size_t len;
    uint8_t *p = vector("authorize reply v1", &len);
    struct signet_span sealed = {p + 4, len - 4};
    struct signet_plain plain = {.p = NULL};
    struct signet_connection_secret secret;
    struct signet_authorize authorize;
    struct signet_authorize_challenge challenge;
    struct signet_service_ticket half;
    assert_err(signet_connection_secret_open(&secret, &plain, session, sealed, NULL), OPEN);
    assert_err(signet_service_ticket_open(&half, &plain, session, sealed, NULL), OPEN);
    if (type == SIGNET_KEY_AES256K) {
        assert_err(signet_authorize_open(&authorize, &plain, session, sealed, NULL), OPEN);
        assert_err(signet_authorize_challenge_open(&challenge, &plain, session, sealed, NULL),
                   OPEN);
    }
    free(p);
    done();
}
END_TEST

/* What opens but does not decode: -OPEN under type 1, the decoder's error under type 2. */
START_TEST(undecodable)
{
    use((size_t)_i);
    static const struct {
        const char *hex;
        enum signet_err err;
    } rows[] = {
        {"020000000000000000", SIGNET_E_VERSION},
        {"010000000000000000ff", SIGNET_E_TRAILING},
        {"0100000000000000", SIGNET_E_SHORT},
        {"", SIGNET_E_SHORT},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct signet_authorize_challenge v;
        struct signet_plain plain = {.p = NULL};
        struct signet_fail fail;
        uint8_t sealed[128];
        size_t len, n;
        uint8_t *p = unhex(rows[i].hex, &len);
        assert_ok(signet_envelope_seal(session, SIGNET_USAGE_AUTHORIZE_CHALLENGE, sealed,
                                       sizeof(sealed), &n, p, len));
        int want = type == SIGNET_KEY_AES ? -SIGNET_E_OPEN : -(int)rows[i].err;
        ck_assert_int_eq(signet_authorize_challenge_open(&v, &plain, session,
                                                         (struct signet_span){sealed, n}, &fail),
                         want);
        ck_assert_int_eq(fail.err, want);
        ck_assert_ptr_null(plain.p);
        free(p);
    }
    done();
}
END_TEST

START_TEST(rotating)
{
    use((size_t)_i);
    uint8_t wire[SIGNET_KEY_WIRE_MAX], sealed[512];
    struct signet_rotating_secrets in = {.num = 2, .max_ver = 7}, out;
    struct signet_plain plain = {.p = NULL};
    size_t n;
    for (uint32_t i = 0; i < in.num; i++) {
        in.entry[i].id = 6 + i;
        in.entry[i].secret.expiration.sec = 100 * i;
        assert_ok(signet_key_to_view(&in.entry[i].secret.key, wire, service));
    }
    assert_ok(signet_rotating_secrets_seal(sealed, sizeof(sealed), &n, principal, &in));
    assert_ok(signet_rotating_secrets_open(&out, &plain, principal, (struct signet_span){sealed, n},
                                           NULL));
    ck_assert_uint_eq(out.num, 2);
    ck_assert_uint_eq(out.entry[1].id, 7);
    signet_plain_free(&plain);
    BENDS(rotating_secrets, principal, sealed, n);
    done();
}
END_TEST

/* Nothing is written when the room for a sealed part is short, whatever is in front of it. */
START_TEST(in_writer)
{
    use((size_t)_i);
    struct signet_authorize v = {.version = 2, .nonce = NONCE};
    uint8_t buf[128];
    struct signet_writer count = signet_writer_count();
    signet_write_sealed_authorize(&count, session, &v);
    struct signet_writer w = signet_writer_init(buf, (size_t)count.len);
    signet_write_sealed_authorize(&w, session, &v);
    ck_assert_int_eq(w.err, 0);
    ck_assert_uint_eq(w.len, count.len);
    w = signet_writer_init(buf, (size_t)count.len - 1);
    signet_write_sealed_authorize(&w, session, &v);
    ck_assert_int_eq(w.err, -SIGNET_E_SPACE);
    done();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("seal");
    TCase *tc = suite_case(suite, "both key types");
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, ticket_info, 0, 2);
    tcase_add_loop_test(tc, ticket_reply, 0, 2);
    tcase_add_loop_test(tc, wrapped_ticket, 0, 2);
    tcase_add_loop_test(tc, secret_envelope, 0, 2);
    tcase_add_loop_test(tc, authorize_envelope, 0, 2);
    tcase_add_loop_test(tc, challenge_envelope, 0, 2);
    tcase_add_loop_test(tc, reply_envelope, 0, 2);
    tcase_add_loop_test(tc, usages, 0, 2);
    tcase_add_loop_test(tc, undecodable, 0, 2);
    tcase_add_loop_test(tc, rotating, 0, 2);
    tcase_add_loop_test(tc, in_writer, 0, 2);
    return suite_run(suite);
}
