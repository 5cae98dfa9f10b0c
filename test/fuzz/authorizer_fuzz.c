/* SPDX-License-Identifier: MIT */
/*
 * Authorizers at both ends. First byte: bit 0 key type, 1 and 2 which: an authorizer at the
 * daemon, a ticket's plaintext at the daemon, a challenge at the client, a reply at the client;
 * bit 3 the client's bytes come as they are, else they are sealed here.
 */
#include "auth_setup.h"

static uint8_t buf[FUZZ_BUF], sealed[FUZZ_BUF], outer[FUZZ_BUF];

static void present(const struct signet_authorizer_parts *parts, const struct signet_key *secret)
{
    static const struct signet_ticket_limits limits = {
        .now_ns = FUZZ_NOW, .skew_ns = 30000000000, .span_ns = 3600000000000, .allow_weak = true};
    struct signet_presented who;
    struct signet_fail fail;
    int err = signet_authorizer_open(&who, parts, secret, NULL, &fail);
    demand(err == 0 ? who.session_key != NULL : fail.err == err && who.session_key == NULL);
    if (err == 0) {
        demand(who.info.ticket.global_id == parts->global_id);
        demand(signet_authorizer_check(&who.authorize, 1) != 0 ||
               who.authorize.challenge_plus_one == 2);
    }
    signet_presented_clear(&who);
    err = signet_authorizer_open(&who, parts, secret, &limits, &fail);
    demand(err != 0 || who.info.ticket.caps.allow_all == 0);
    signet_presented_clear(&who);
}

static void at_daemon(struct signet_span in, const struct signet_key *secret)
{
    struct signet_authorizer_parts parts;
    if (signet_authorizer_parts_decode(&parts, in.p, in.len, NULL) == 0) {
        present(&parts, secret);
    }
}

/* Part B goes with the session key of the ticket, where it has one. */
static void ticket_plain(struct signet_span in, const struct signet_key *secret)
{
    static uint8_t part_b[256];
    struct signet_authorizer_parts parts = {.global_id = FUZZ_GLOBAL_ID, .service = SIGNET_OSD};
    struct signet_authorize authorize = {.version = 2, .nonce = 7};
    struct signet_service_ticket_info info;
    struct signet_key *key;
    if (signet_service_ticket_info_decode(&info, in.p, in.len, NULL) == 0) {
        parts.global_id = info.ticket.global_id;
        demand(signet_key_from_view(&key, &info.session_key) == 0);
        demand(signet_authorize_seal(part_b, sizeof(part_b), &parts.sealed.len, key, &authorize) ==
               0);
        signet_key_unref(key);
    }
    parts.sealed.p = part_b;
    parts.ticket.sealed = fuzz_seal(sealed, secret, SIGNET_USAGE_TICKET_INFO, in);
    present(&parts, secret);
}

static void at_client(struct signet_span in, enum signet_key_type type, bool reply, bool raw)
{
    const struct signet_key *key = fuzz_keys[type][FUZZ_SESSION];
    struct signet_client *client = fuzz_client(type, SIGNET_CLIENT);
    struct signet_authorizer *authorizer;
    struct signet_auth_result result;
    struct signet_fail fail;
    size_t len;
    fuzz_log_in(client, type, buf, 3600);
    demand(signet_authorizer_new(&authorizer, client, SIGNET_OSD) == 0);
    demand(signet_authorizer_request(authorizer, buf, sizeof(buf), &len) == 0);
    if (!raw) {
        in = fuzz_seal(sealed, key,
                       reply ? SIGNET_USAGE_AUTHORIZE_REPLY : SIGNET_USAGE_AUTHORIZE_CHALLENGE, in);
    }
    if (!reply) {
        int err =
            signet_authorizer_challenge(authorizer, buf, sizeof(buf), &len, in.p, in.len, &fail);
        demand(err == 0 ? len > 0 : len == 0 && fail.err == err);
    } else {
        struct signet_sealed sealed_in = {.sealed = in};
        if (!raw && signet_sealed_encode(outer, sizeof(outer), &len, &sealed_in) == 0) {
            in = (struct signet_span){outer, len};
        }
        int err = signet_authorizer_done(authorizer, &result, FUZZ_GLOBAL_ID, SIGNET_MODE_SECURE,
                                         in.p, in.len, &fail);
        demand(err == 0 ? result.secret_len == 64 : fail.err == err && result.session_key == NULL);
        signet_auth_result_clear(&result);
    }
    signet_authorizer_free(authorizer);
    signet_client_free(client);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) {
        return 0;
    }
    enum signet_key_type type = (data[0] & 1) != 0 ? SIGNET_KEY_AES256K : SIGNET_KEY_AES;
    struct signet_span in = {data + 1, size - 1};
    const struct signet_key *secret = fuzz_keys[type][FUZZ_SERVICE];
    switch (data[0] >> 1 & 3) {
    case 0:
        at_daemon(in, secret);
        break;
    case 1:
        ticket_plain(in, secret);
        break;
    default:
        at_client(in, type, (data[0] >> 1 & 3) == 3, (data[0] & 8) != 0);
    }
    return 0;
}
