/* SPDX-License-Identifier: MIT */
/* The accepting side's idents. Sessions are lossy: a broken one is over. Source: msgr2.md 7.3. */
#include "msg/conn_internal.h"

#include <string.h>

static bool is_default(const struct signet_addr *addr)
{
    return addr->type == SIGNET_ADDR_NONE && addr->nonce == 0 && addr->family == SIGNET_FAMILY_NONE;
}

static int check_addrs(struct signet_conn *conn, const struct signet_ident *client)
{
    if (client->addrs.num == 0 || is_default(&client->addrs.addr[0])) {
        return conn_fault(conn, -SIGNET_E_PEER_ADDR, "the client names no address of its own");
    }
    const struct signet_addr *own = &conn->o.own;
    if (!signet_addr_same_endpoint(&client->target, own) || client->target.nonce != own->nonce) {
        char dialled[SIGNET_ADDR_TEXT_MAX], ours[SIGNET_ADDR_TEXT_MAX];
        return conn_fault(conn, -SIGNET_E_PEER_ADDR, "the client dialled %s, this is %s",
                          signet_addr_print(&client->target, dialled),
                          signet_addr_print(own, ours));
    }
    return 0;
}

static int send_missing(struct signet_conn *conn, uint64_t missing)
{
    struct signet_control c = {.tag = SIGNET_TAG_IDENT_MISSING_FEATURES, .value = missing};
    if (++conn->refusals > CONN_REFUSALS) {
        return conn_fault(conn, -SIGNET_E_PEER_FEATURES, "the client misses features 0x%llx",
                          (unsigned long long)missing);
    }
    return conn_send_control(conn, &c);
}

static int send_ident(struct signet_conn *conn)
{
    struct signet_control c = {.tag = SIGNET_TAG_SERVER_IDENT};
    struct signet_ident *i = &c.ident;
    i->addrs.num = 1;
    i->addrs.addr[0] = conn->o.own;
    i->gid = conn->o.gid;
    i->global_seq = conn->o.global_seq;
    i->supported = conn->o.supported;
    i->required = conn->o.required;
    i->flags = SIGNET_IDENT_LOSSY;
    return conn_send_control(conn, &c);
}

int conn_on_client_ident(struct signet_conn *conn, const struct signet_frame_view *view,
                         struct signet_event *event)
{
    struct signet_control c;
    int err = conn_decode(conn, view, &c);
    if (err == 0) {
        err = check_addrs(conn, &c.ident);
    }
    if (err != 0) {
        return err;
    }
    uint64_t we_lack = c.ident.required & ~conn->o.supported;
    uint64_t it_lacks = conn->o.required & ~c.ident.supported;
    if (we_lack != 0) {
        return conn_fault(conn, -SIGNET_E_PEER_FEATURES, "the client requires 0x%llx that we lack",
                          (unsigned long long)we_lack);
    }
    if (it_lacks != 0) {
        return send_missing(conn, it_lacks);
    }
    err = send_ident(conn);
    if (err == 0) {
        conn_open_session(conn, &c.ident, true, event);
    }
    return err;
}

/* No session outlives its connection here: the client starts a new one. */
int conn_on_reconnect(struct signet_conn *conn, const struct signet_frame_view *view,
                      struct signet_event *event)
{
    struct signet_control c;
    (void)event;
    int err = conn_decode(conn, view, &c);
    if (err == 0 && ++conn->refusals > CONN_REFUSALS) {
        err = conn_fault(conn, -SIGNET_E_UNEXPECTED_TAG, "SESSION_RECONNECT again and again");
    }
    if (err == 0) {
        c = (struct signet_control){.tag = SIGNET_TAG_SESSION_RESET, .full = 1};
        err = conn_send_control(conn, &c);
    }
    return err;
}
