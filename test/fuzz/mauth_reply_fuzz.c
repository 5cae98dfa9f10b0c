/* SPDX-License-Identifier: MIT */
/*
 * Replies inside a session. First byte: bit 0 key type, 1 and 2 what was asked for, 3 the rest is
 * the front as it is; else it is a chunk of plaintext that is sealed and put together here.
 */
#include "auth_setup.h"

static uint8_t sealed[FUZZ_BUF], payload[FUZZ_BUF], front[FUZZ_BUF];

/* One service ticket with this principal's half; its blob is the next chunk. */
static size_t principal_payload(struct signet_reader *r, const struct signet_key *key)
{
    static struct signet_principal_reply reply;
    size_t len = 0;
    reply = (struct signet_principal_reply){.header = {.type = SIGNET_GET_PRINCIPAL_SESSION_KEY},
                                            .tickets = {.num = 1}};
    reply.tickets.entry[0] = (struct signet_ticket_entry){
        .service = SIGNET_MON,
        .sealed = fuzz_seal(sealed, key, SIGNET_USAGE_TICKET_SESSION_KEY, fuzz_chunk(r)),
        .ticket = fuzz_chunk(r),
    };
    demand(signet_principal_reply_encode(payload, sizeof(payload), &len, &reply) == 0 || len == 0);
    return len;
}

static size_t rotating_payload(struct signet_reader *r, const struct signet_key *key)
{
    struct signet_rotating_reply reply = {
        .header = {.type = SIGNET_GET_ROTATING_KEY},
        .sealed = fuzz_seal(sealed, key, SIGNET_USAGE_ROTATING_SECRET, fuzz_chunk(r)),
    };
    size_t len = 0;
    demand(signet_rotating_reply_encode(payload, sizeof(payload), &len, &reply) == 0 || len == 0);
    return len;
}

static struct signet_span assemble(struct signet_reader *r, enum signet_key_type type,
                                   bool rotating)
{
    struct signet_mauth_reply reply = {.protocol = SIGNET_AUTH_CEPHX, .global_id = 99};
    size_t len = 0;
    reply.payload.p = payload;
    reply.payload.len = rotating ? rotating_payload(r, fuzz_keys[type][FUZZ_PRINCIPAL])
                                 : principal_payload(r, fuzz_keys[type][FUZZ_SESSION]);
    demand(signet_mauth_reply_encode(front, sizeof(front), &len, &reply) == 0 || len == 0);
    return (struct signet_span){front, len};
}

/* 0: tickets of services, 1: of AUTH as well, else rotating secrets. */
static void ask(struct signet_client *client, unsigned what, uint8_t *buf)
{
    size_t len;
    if (what == 1) {
        signet_client_invalidate(client, SIGNET_OSD);
    }
    demand((what <= 1 ? signet_client_renew(client, buf, FUZZ_BUF, &len)
                      : signet_client_rotating(client, buf, FUZZ_BUF, &len)) == 0);
    demand(len > 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint8_t buf[FUZZ_BUF];
    struct signet_reader r = signet_reader_init(data, size);
    uint8_t flags = signet_read_u8(&r);
    unsigned what = flags >> 1 & 3;
    enum signet_key_type type = (flags & 1) != 0 ? SIGNET_KEY_AES256K : SIGNET_KEY_AES;
    struct signet_client *client = fuzz_client(type, SIGNET_OSD);
    struct signet_fail fail;
    fuzz_log_in(client, type, buf, 3600);
    ask(client, what, buf);
    struct signet_span in = (flags & 8) != 0 ? signet_read_view(&r, signet_reader_left(&r))
                                             : assemble(&r, type, what > 1);
    int err = signet_client_reply(client, in.p, in.len, &fail);
    demand(err == 0 || fail.err == err);
    demand(err == 0 || signet_client_global_id(client) == FUZZ_GLOBAL_ID);
    demand(signet_client_global_id(client) != 0);
    demand(signet_client_reply(client, in.p, in.len, NULL) == -SIGNET_E_STATE);
    signet_client_free(client);
    return 0;
}
