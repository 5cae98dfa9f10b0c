/* SPDX-License-Identifier: MIT */
/*
 * The accepting side from the first byte on. First byte: bit 0 an OSD instead of a monitor,
 * bit 1 both modes allowed, bit 2 crc mode and authentication none. The rest is what the client
 * sends; crcs are right only by the corpus.
 */
#include "auth_setup.h"

#include <signet/conn.h>

static void drain(struct signet_conn *conn)
{
    struct signet_event event;
    struct iovec iov[4];
    int num = 4;
    do {
        demand(signet_conn_next(conn, &event) == 0);
    } while (event.kind != SIGNET_EVENT_NONE);
    if (signet_conn_output(conn, iov, &num) == 0) {
        for (int i = 0; i < num; i++) {
            signet_conn_sent(conn, iov[i].iov_len);
        }
    }
}

static void feed(struct signet_conn *conn, const uint8_t *p, size_t len)
{
    uint8_t *room;
    size_t cap;
    while (len > 0 && signet_conn_recv_buffer(conn, &room, &cap) == 0) {
        size_t n = len < cap ? len : cap;
        memcpy(room, p, n);
        demand(signet_conn_received(conn, n, 1) == 0);
        p += n;
        len -= n;
        drain(conn);
    }
    signet_conn_closed(conn, -SIGNET_E_PEER_CLOSED);
    drain(conn);
    demand(signet_conn_failure(conn) != NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct signet_keyserver_options keys = {.env = fuzz_env()};
    struct signet_conn_options o = {.role = SIGNET_ROLE_SERVER,
                                    .env = keys.env,
                                    .modes = {SIGNET_MODE_SECURE, SIGNET_MODE_CRC},
                                    .num_modes = 1};
    struct signet_keyserver *server;
    struct signet_conn *conn;
    if (size == 0) {
        return 0;
    }
    o.own_type = (data[0] & 1) != 0 ? SIGNET_OSD : SIGNET_MON;
    o.num_modes = (data[0] & 2) != 0 ? 2 : 1;
    if ((data[0] & 4) != 0) {
        keys.auth_none = true;
        o.modes[0] = SIGNET_MODE_CRC;
        o.num_modes = 1;
    }
    demand(signet_addr_parse(&o.own, "v2:127.0.0.1:3300/0") == 0);
    demand(signet_keyserver_open(&server, &keys, NULL) == 0);
    demand(signet_login_new(&o.login, server, o.own_type) == 0);
    demand(signet_conn_new(&conn, &o, 0) == 0);
    feed(conn, data + 1, size - 1);
    signet_conn_free(conn);
    signet_login_free(o.login);
    signet_keyserver_free(server);
    return 0;
}
