/* SPDX-License-Identifier: MIT */
/*
 * The end of a login. First byte: bit 0 key type, 1 mode, 2 a reclaim, 3 the rest is the payload
 * as it is; else it is chunks that are sealed and put together here: CephXServiceTicket, blob,
 * connection secret, CephXServiceTicket of an extra ticket.
 */
#include "auth_setup.h"

static uint8_t half[FUZZ_BUF], wrapped[FUZZ_BUF], secret[FUZZ_BUF], extra_half[FUZZ_BUF],
    extra[FUZZ_BUF], whole[FUZZ_BUF];

/* The session key that the input grants, if it grants one. */
static struct signet_key *granted(struct signet_span plain)
{
    struct signet_service_ticket ticket;
    struct signet_key *key = NULL;
    if (signet_service_ticket_decode(&ticket, plain.p, plain.len, NULL) == 0) {
        demand(signet_key_from_view(&key, &ticket.session_key) == 0);
    }
    return key;
}

static struct signet_span extra_tickets(struct signet_reader *r, const struct signet_key *key)
{
    static const uint8_t blob[14] = {1, 2, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 7};
    struct signet_ticket_reply reply = {.num = 1};
    size_t len;
    reply.entry[0] = (struct signet_ticket_entry){
        .service = SIGNET_OSD,
        .sealed = fuzz_seal(extra_half, key, SIGNET_USAGE_TICKET_SESSION_KEY, fuzz_chunk(r)),
        .ticket = {blob, sizeof(blob)},
    };
    return signet_ticket_reply_encode(extra, sizeof(extra), &len, &reply) == 0
               ? (struct signet_span){extra, len}
               : (struct signet_span){extra, 0};
}

static struct signet_span assemble(struct signet_reader *r, enum signet_key_type type, bool reclaim)
{
    struct signet_span plain = fuzz_chunk(r), blob = fuzz_chunk(r);
    struct signet_session_reply reply = {
        .header = {.type = SIGNET_GET_AUTH_SESSION_KEY}, .tickets = {.num = 1}, .more = true};
    struct signet_key *key = granted(plain);
    size_t len;
    reply.tickets.entry[0] = (struct signet_ticket_entry){
        .service = SIGNET_AUTH,
        .sealed = fuzz_seal(half, fuzz_keys[type][FUZZ_PRINCIPAL], SIGNET_USAGE_TICKET_SESSION_KEY,
                            plain),
        .enc = reclaim,
        .ticket = reclaim ? fuzz_seal(wrapped, fuzz_keys[type][FUZZ_SESSION],
                                      SIGNET_USAGE_TICKET_BLOB, blob)
                          : blob,
    };
    if (key != NULL) {
        reply.has_secret = true;
        reply.secret = fuzz_seal(secret, key, SIGNET_USAGE_CONNECTION_SECRET, fuzz_chunk(r));
        reply.extra = extra_tickets(r, key);
        signet_key_unref(key);
    }
    return signet_session_reply_encode(whole, sizeof(whole), &len, &reply) == 0
               ? (struct signet_span){whole, len}
               : (struct signet_span){whole, 0};
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint8_t buf[FUZZ_BUF];
    struct signet_reader r = signet_reader_init(data, size);
    uint8_t flags = signet_read_u8(&r);
    enum signet_key_type type = (flags & 1) != 0 ? SIGNET_KEY_AES256K : SIGNET_KEY_AES;
    enum signet_con_mode mode = (flags & 2) != 0 ? SIGNET_MODE_SECURE : SIGNET_MODE_CRC;
    struct signet_client *client = fuzz_client(type, SIGNET_CLIENT);
    struct signet_auth_result result;
    struct signet_fail fail;
    if ((flags & 4) != 0) {
        fuzz_log_in(client, type, buf, 3600);
    }
    uint64_t before = signet_client_global_id(client);
    fuzz_converse(client, buf);
    struct signet_span in = (flags & 8) != 0 ? signet_read_view(&r, signet_reader_left(&r))
                                             : assemble(&r, type, (flags & 4) != 0);
    int err = signet_client_done(client, &result, 99, mode, in.p, in.len, &fail);
    demand(err == 0 ? result.session_key != NULL : fail.err == err && result.session_key == NULL);
    demand(signet_client_global_id(client) == (err == 0 ? 99 : before));
    demand(err != 0 || result.secret_len == (mode == SIGNET_MODE_SECURE ? 64U : 0U));
    signet_auth_result_clear(&result);
    signet_client_free(client);
    return 0;
}
