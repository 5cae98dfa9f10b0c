/* SPDX-License-Identifier: MIT */
#include "support/auth_server.h"

#include <errno.h>
#include <string.h>

static const uint32_t services[] = {SIGNET_AUTH, SIGNET_MON, SIGNET_MDS, SIGNET_OSD, SIGNET_MGR};
enum { NUM_SERVICES = sizeof(services) / sizeof(services[0]) };

static struct signet_key *generate(enum signet_key_type type)
{
    struct signet_key *key;
    assert_ok(signet_key_generate(&key, type, NULL));
    return key;
}

void test_mon_init(struct test_mon *mon, struct fake_env *fake, enum signet_key_type principal,
                   enum signet_key_type auth, enum signet_key_type service)
{
    memset(mon, 0, sizeof(*mon));
    fake_env_init(fake);
    mon->fake = fake;
    mon->name = (struct signet_name){.type = SIGNET_CLIENT, .id_len = 1, .id = "a"};
    mon->principal = generate(principal);
    mon->auth_type = auth;
    mon->service_type = service;
    mon->auth = generate(auth);
    mon->secrets = generate(service);
    mon->auth_ttl = 72 * 3600;
    mon->service_ttl = 3600;
    mon->global_id = TEST_GLOBAL_ID;
    memset(mon->secret, 0x5a, sizeof(mon->secret));
}

static void forget(struct test_mon *mon)
{
    for (size_t i = 0; i < NUM_SERVICES; i++) {
        signet_key_unref(mon->sessions[i]);
        mon->sessions[i] = NULL;
    }
}

void test_mon_free(struct test_mon *mon)
{
    forget(mon);
    signet_key_unref(mon->principal);
    signet_key_unref(mon->auth);
    signet_key_unref(mon->secrets);
}

struct signet_client_options test_mon_options(const struct test_mon *mon, uint32_t want)
{
    return (struct signet_client_options){
        .name = mon->name, .key = mon->principal, .want = want, .env = fake_env_make(mon->fake)};
}

static struct signet_auth_ticket ticket_for(const struct test_mon *mon, uint32_t ttl)
{
    struct signet_auth_ticket ticket = {
        .name = mon->name,
        .global_id = mon->global_id,
        .auid = UINT64_MAX,
        .created = signet_utime_from_ns(mon->fake->real_ns),
        .expires = signet_utime_from_ns(mon->fake->real_ns + ttl * SEC),
    };
    return ticket;
}

/* A grant for service number i with a fresh session key. */
static struct signet_grant grant_for(struct test_mon *mon, size_t i,
                                     const struct signet_auth_ticket *ticket)
{
    bool auth = services[i] == SIGNET_AUTH;
    signet_key_unref(mon->sessions[i]);
    mon->sessions[i] = generate(auth ? mon->auth_type : mon->service_type);
    return (struct signet_grant){
        .service = services[i],
        .secret_id = 2,
        .service_secret = auth ? mon->auth : mon->secrets,
        .session_key = mon->sessions[i],
        .ticket = ticket,
        .validity = {.sec = auth ? mon->auth_ttl : mon->service_ttl},
    };
}

static size_t grants_for(struct test_mon *mon, uint32_t keys, struct signet_grant *out,
                         const struct signet_auth_ticket *ticket)
{
    size_t num = 0;
    for (size_t i = 1; i < NUM_SERVICES; i++) {
        if ((keys & services[i] & ~mon->missing) != 0) {
            out[num++] = grant_for(mon, i, ticket);
        }
    }
    return num;
}

size_t test_mon_start(struct test_mon *mon, const uint8_t *in, size_t in_len, uint8_t *out)
{
    struct signet_auth_start start;
    struct signet_server_challenge challenge;
    size_t len;
    assert_ok(signet_auth_start_decode(&start, in, in_len, NULL));
    ck_assert_uint_eq(start.mode, SIGNET_AUTH_MODE_MON);
    ck_assert_int_eq(signet_name_compare(&start.name, &mon->name), 0);
    ck_assert(start.global_id == 0 || start.global_id == mon->global_id);
    mon->server_challenge += 0x1122334455667788;
    challenge.challenge = mon->server_challenge;
    assert_ok(signet_server_challenge_encode(out, TEST_BUF, &len, &challenge));
    return len;
}

/* The session key in the old ticket; NULL if there is none or it is not this instance's. */
static struct signet_key *open_old(const struct test_mon *mon, const struct signet_ticket_blob *old)
{
    struct signet_service_ticket_info info;
    struct signet_plain plain = {.p = NULL};
    struct signet_key *key = NULL;
    if (old->sealed.len > 0 && old->secret_id == 2 &&
        signet_service_ticket_info_open(&info, &plain, mon->auth, old->sealed, NULL) == 0 &&
        info.ticket.global_id == mon->global_id) {
        assert_ok(signet_key_from_view(&key, &info.session_key));
    }
    signet_plain_free(&plain);
    return key;
}

static int grant_session(struct test_mon *mon, const struct signet_authenticate *request,
                         bool handshake, size_t secret_len, uint8_t *out, size_t *out_len)
{
    struct signet_auth_ticket ticket = ticket_for(mon, mon->auth_ttl);
    struct signet_grant extra[NUM_SERVICES];
    if (signet_proof_check(mon->principal, mon->server_challenge, request) != 0) {
        return -EACCES;
    }
    struct signet_key *old = open_old(mon, &request->old_ticket);
    mon->reclaimed = old != NULL;
    mon->keys = request->other_keys;
    forget(mon);
    struct signet_session_grant grant = {
        .auth = grant_for(mon, 0, &ticket),
        .principal = mon->principal,
        .old_key = old,
        .more = request->other_keys != 0,
        .handshake = handshake,
        .secret = mon->secret,
        .secret_len = secret_len,
        .extra = extra,
        .num_extra = grants_for(mon, request->other_keys, extra, &ticket),
    };
    if (mon->bend != NULL) {
        mon->bend(&grant);
    }
    assert_ok(signet_session_reply_make(out, TEST_BUF, out_len, &grant));
    signet_key_unref(old);
    return 0;
}

int test_mon_login(struct test_mon *mon, enum signet_con_mode mode, const uint8_t *in,
                   size_t in_len, uint8_t *out, size_t *out_len)
{
    struct signet_auth_request request;
    assert_ok(signet_auth_request_decode(&request, in, in_len, NULL));
    ck_assert_uint_eq(request.type, SIGNET_GET_AUTH_SESSION_KEY);
    ck_assert_uint_eq(request.authenticate.version, 3);
    return grant_session(mon, &request.authenticate, true, mode == SIGNET_MODE_SECURE ? 64 : 0, out,
                         out_len);
}

static size_t grant_services(struct test_mon *mon, const struct signet_auth_request *request,
                             uint8_t *out)
{
    struct signet_response_header header = {.type = SIGNET_GET_PRINCIPAL_SESSION_KEY};
    struct signet_auth_ticket ticket = ticket_for(mon, mon->service_ttl);
    struct signet_presented who;
    struct signet_grant grants[NUM_SERVICES];
    size_t head, len;
    ck_assert_uint_eq(request->authorizer.service, SIGNET_AUTH);
    assert_ok(signet_authorizer_open(&who, &request->authorizer, mon->auth, NULL, NULL));
    ck_assert_uint_eq(who.authorize.have_challenge, 0);
    mon->keys = request->want.keys;
    size_t num = grants_for(mon, request->want.keys, grants, &ticket);
    assert_ok(signet_response_header_encode(out, TEST_BUF, &head, &header));
    assert_ok(signet_ticket_reply_make(out + head, TEST_BUF - head, &len, grants, num,
                                       who.session_key, NULL));
    signet_presented_clear(&who);
    return head + len;
}

static size_t give_secrets(const struct test_mon *mon, uint8_t *out)
{
    uint8_t wire[SIGNET_KEY_WIRE_MAX], sealed[512];
    struct signet_rotating_secrets secrets = {.num = 3, .max_ver = 3};
    struct signet_rotating_reply reply = {.header = {.type = SIGNET_GET_ROTATING_KEY}};
    size_t len;
    for (uint32_t i = 0; i < secrets.num; i++) {
        secrets.entry[i].id = 3 - i; /* receivers must not rely on the order */
        secrets.entry[i].secret.expiration.sec = 1000 * (3 - i);
        assert_ok(signet_key_to_view(&secrets.entry[i].secret.key, wire, mon->secrets));
    }
    assert_ok(signet_rotating_secrets_seal(sealed, sizeof(sealed), &len, mon->principal, &secrets));
    reply.sealed = (struct signet_span){sealed, len};
    assert_ok(signet_rotating_reply_encode(out, TEST_BUF, &len, &reply));
    return len;
}

size_t test_mon_mauth(struct test_mon *mon, const uint8_t *in, size_t in_len, uint8_t *out)
{
    static uint8_t payload[TEST_BUF];
    struct signet_mauth mauth;
    struct signet_auth_request request;
    struct signet_mauth_reply reply = {.protocol = SIGNET_AUTH_CEPHX, .global_id = mon->global_id};
    size_t len = 0;
    assert_ok(signet_mauth_decode(&mauth, in, in_len, NULL));
    ck_assert_uint_eq(mauth.protocol, SIGNET_AUTH_CEPHX);
    assert_ok(signet_auth_request_decode(&request, mauth.payload.p, mauth.payload.len, NULL));
    mon->type = request.type;
    if (request.type == SIGNET_GET_AUTH_SESSION_KEY) {
        reply.result = grant_session(mon, &request.authenticate, false, 0, payload, &len);
    } else if (request.type == SIGNET_GET_PRINCIPAL_SESSION_KEY) {
        len = grant_services(mon, &request, payload);
    } else {
        len = give_secrets(mon, payload);
    }
    reply.payload = (struct signet_span){payload, len};
    assert_ok(signet_mauth_reply_encode(out, TEST_BUF, &len, &reply));
    return len;
}

int test_mon_connect(struct test_mon *mon, struct signet_client *client, enum signet_con_mode mode,
                     struct signet_auth_result *result, struct signet_fail *fail)
{
    static uint8_t a[TEST_BUF], b[TEST_BUF];
    size_t a_len, b_len;
    assert_ok(signet_client_login(client, a, sizeof(a), &a_len));
    b_len = test_mon_start(mon, a, a_len, b);
    assert_ok(signet_client_challenge(client, a, sizeof(a), &a_len, b, b_len, fail));
    ck_assert_int_eq(test_mon_login(mon, mode, a, a_len, b, &b_len), 0);
    return signet_client_done(client, result, mon->global_id, mode, b, b_len, fail);
}

int test_mon_renew(struct test_mon *mon, struct signet_client *client, struct signet_fail *fail)
{
    static uint8_t a[TEST_BUF], b[TEST_BUF];
    size_t a_len, b_len;
    assert_ok(signet_client_renew(client, a, sizeof(a), &a_len));
    ck_assert_uint_gt(a_len, 0);
    b_len = test_mon_mauth(mon, a, a_len, b);
    return signet_client_reply(client, b, b_len, fail);
}

/* The first authorizer is answered with a challenge, whatever it says. */
static int give_challenge(struct test_osd *osd, uint8_t *out, size_t *out_len)
{
    struct signet_authorize_challenge challenge = {.challenge = 0xfedcba9876543210};
    osd->challenge = challenge.challenge;
    return signet_authorize_challenge_seal(out, TEST_BUF, out_len, osd->who.session_key,
                                           &challenge);
}

int test_osd_round(struct test_osd *osd, enum signet_con_mode mode, const uint8_t *in,
                   size_t in_len, uint8_t *out, size_t *out_len)
{
    struct signet_authorizer_parts parts;
    signet_presented_clear(&osd->who);
    int err = signet_authorizer_parts_decode(&parts, in, in_len, NULL);
    if (err == 0) {
        err = signet_authorizer_open(&osd->who, &parts, osd->secret, NULL, NULL);
    }
    if (err != 0) {
        return err;
    }
    if (osd->challenge == 0) {
        return give_challenge(osd, out, out_len);
    }
    err = signet_authorizer_check(&osd->who.authorize, osd->challenge);
    for (size_t i = 0; i < sizeof(osd->connection_secret); i++) {
        osd->connection_secret[i] = (uint8_t)(0xa5 + i);
    }
    return err != 0 ? err
                    : signet_authorizer_reply(out, TEST_BUF, out_len, osd->who.session_key,
                                              osd->who.authorize.nonce, osd->connection_secret,
                                              mode == SIGNET_MODE_SECURE ? 64 : 0);
}
