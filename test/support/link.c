/* SPDX-License-Identifier: MIT */
#include "support/link.h"

#include <stdlib.h>
#include <string.h>

static void log_in(struct link_node *node)
{
    assert_ok(cluster_login(node->cluster, node->client, SIGNET_MODE_SECURE));
}

void node_init(struct link_node *node, struct cluster *cluster, const char *name, const char *addr,
               enum signet_con_mode mode, const struct signet_sessions_options *table_options)
{
    struct signet_name who;
    memset(node, 0, sizeof(*node));
    node->cluster = cluster;
    node->client = cluster_client(cluster, name, cluster->key);
    log_in(node);
    assert_ok(signet_name_parse(&who, name));
    assert_ok(signet_addr_parse(&node->addr, addr));
    struct signet_conn_options common = {.own_type = who.type,
                                         .own = node->addr,
                                         .gid = strtol(who.id, NULL, 10),
                                         .env = fake_env_make(&cluster->fake),
                                         .modes = {mode},
                                         .num_modes = 1};
    node->dial = node->accept = common;
    node->dial.role = SIGNET_ROLE_CLIENT;
    node->dial.client = node->client;
    node->accept.role = SIGNET_ROLE_SERVER;
    node->accept.target = node->addr;
    if (table_options != NULL) {
        struct signet_sessions_options o = *table_options;
        o.env = common.env;
        assert_ok(signet_sessions_new(&node->table, &o));
        node->accept.sessions = node->table;
    }
}

void node_free(struct link_node *node)
{
    signet_sessions_free(node->table);
    signet_client_free(node->client);
}

struct signet_session *node_session(struct link_node *node, const struct link_node *peer,
                                    enum signet_session_policy policy)
{
    struct signet_session_options o = {.policy = policy,
                                       .peer_type = peer->accept.own_type,
                                       .peer = peer->addr,
                                       .own = node->addr};
    struct signet_session *session;
    o.name.type = o.peer_type;
    o.name.id[0] = (char)('0' + peer->accept.gid);
    o.name.id_len = 1;
    assert_ok(signet_session_new(&session, node->table, &o));
    return session;
}

int link_open(struct link *link, struct link_node *from, struct link_node *to,
              struct signet_session *session)
{
    struct signet_conn_options dial = from->dial, accept = to->accept;
    uint64_t now = from->cluster->fake.mono_ns;
    memset(link, 0, sizeof(*link));
    dial.session = session;
    dial.peer_type = accept.own_type;
    dial.target = to->addr;
    int err = signet_conn_new(&link->end[LINK_DIALLER], &dial, now);
    if (err == 0) {
        assert_ok(signet_login_new(&link->login, to->cluster->server, accept.own_type));
        accept.login = link->login;
        assert_ok(signet_conn_new(&link->end[LINK_ACCEPTOR], &accept, now));
    }
    return err;
}

void link_close(struct link *link)
{
    for (unsigned i = 0; i < 2; i++) {
        signet_conn_free(link->end[i]);
        free(link->way[i]);
    }
    signet_login_free(link->login);
    memset(link, 0, sizeof(*link));
}

static void add(struct link *link, unsigned end, const void *p, size_t len)
{
    if (link->len[end] + len > link->cap[end]) {
        link->cap[end] = 2 * (link->len[end] + len);
        link->way[end] = realloc(link->way[end], link->cap[end]);
        ck_assert_ptr_nonnull(link->way[end]);
    }
    memcpy(link->way[end] + link->len[end], p, len);
    link->len[end] += len;
}

size_t link_take(struct link *link, unsigned end, size_t max)
{
    struct iovec iov;
    int num = 1;
    if (link->end[end] == NULL || signet_conn_output(link->end[end], &iov, &num) != 0 || num == 0) {
        return 0;
    }
    size_t n = iov.iov_len < max ? iov.iov_len : max;
    if (!link->cut[end]) {
        add(link, end, iov.iov_base, n);
    }
    signet_conn_sent(link->end[end], n);
    return n;
}

size_t link_give(struct link *link, unsigned end, size_t max, uint64_t now_ns)
{
    struct signet_conn *to = link->end[1 - end];
    uint8_t *room;
    size_t cap, n = link->len[end] < max ? link->len[end] : max;
    if (n == 0 || to == NULL || signet_conn_recv_buffer(to, &room, &cap) != 0) {
        link->len[end] = to == NULL || n > 0 ? 0 : link->len[end]; /* nobody listens */
        return 0;
    }
    n = n < cap ? n : cap;
    memcpy(room, link->way[end], n);
    memmove(link->way[end], link->way[end] + n, link->len[end] - n);
    link->len[end] -= n;
    link->given[end] += n;
    assert_ok(signet_conn_received(to, n, now_ns));
    return n;
}

void link_cut(struct link *link)
{
    for (unsigned i = 0; i < 2; i++) {
        link->cut[i] = true;
        link->len[i] = 0;
        if (link->end[i] != NULL) {
            signet_conn_closed(link->end[i], -SIGNET_E_PEER_CLOSED);
        }
    }
}
