/* SPDX-License-Identifier: MIT */
/* What the programs of the two nodes do with events. */
#include "support/sim_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/cursor.h"

void sim_fail_at(const struct sim *sim, int line, const char *format, ...)
{
    const struct sim_options *o = sim->o;
    char text[256];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    const struct sim_cut *c = o->cuts;
    for (unsigned i = 0; i < SIM_LINKS && o->trace; i++) {
        const struct sim_link *l = &sim->links[i];
        for (unsigned end = 0; l->used && end < 2; end++) {
            fprintf(stderr, "connection %u end %u: %s, %u bytes under way%s%s\n", l->no, end,
                    l->link.end[end] != NULL ? signet_conn_state(l->link.end[end]) : "gone",
                    (unsigned)l->link.len[end], l->link.cut[end] ? ", cut" : "",
                    l->busy[end] > 0 ? ", busy" : "");
        }
    }
    for (unsigned i = 0; i < 2 && o->trace; i++) {
        struct signet_session_status s = {0};
        if (sim->node[i].session != NULL) {
            signet_session_status(sim->node[i].session, &s);
        }
        fprintf(stderr, "node %u: sent %u of %u, got %u; state %d, queued %llu, acked %llu\n", i,
                sim->node[i].sent, o->messages[i], sim->node[i].expected, (int)s.state,
                (unsigned long long)s.num_queued, (unsigned long long)s.acked);
    }
    if (c[0].link != 0) {
        ck_abort_msg("%s (line %d); again: SIGNET_SIM_CUTS=%d:%d:%d:%u:%u:%u:%u:%u:%u:%u:%u", text,
                     line, (int)o->shape, (int)o->mode, (int)o->swapped, c[0].link, c[0].end,
                     c[0].how, (unsigned)c[0].at, c[1].link, c[1].end, c[1].how, (unsigned)c[1].at);
    }
    ck_abort_msg("%s (line %d); again: SIGNET_SIM_SEED=%llu", text, line,
                 (unsigned long long)o->seed);
}

static unsigned node_of(const struct sim_link *l, unsigned end)
{
    return end == LINK_DIALLER ? l->from : 1 - l->from;
}

void sim_drop_end(struct sim *sim, struct sim_link *l, unsigned end)
{
    signet_conn_free(l->link.end[end]);
    l->link.end[end] = NULL;
    l->ended[end] = true;
    l->busy[end] = 0;
    l->link.len[1 - end] = 0;
    sim->moved = true;
}

/* The payload: its number, then as many bytes as that asks for. */
static size_t payload(uint8_t *out, unsigned node, unsigned number)
{
    size_t len = 4 + number * 37 % 211;
    memset(out, (int)(number + node), len);
    signet_store_u32(out, number);
    return len;
}

void sim_say(struct sim *sim, unsigned i)
{
    struct sim_node *node = &sim->node[i];
    uint8_t bytes[256];
    struct signet_message m = {.type = 42, .priority = 127};
    uint64_t seq;
    if (node->sent == sim->o->messages[i] || node->session == NULL) {
        return;
    }
    struct iovec data = {bytes, payload(bytes, i, node->sent)};
    int err = signet_session_send(node->session, &m, &data, 1, &seq);
    if (err != 0) {
        sim_fail(sim, "node %u cannot send: %s", i, signet_strerror(err));
    }
    node->sent++;
    if (seq != node->sent && !sim->o->forgetful) {
        sim_fail(sim, "node %u: message %u got number %llu", i, node->sent,
                 (unsigned long long)seq);
    }
    sim->moved = true;
}

static void on_message(struct sim *sim, struct sim_link *l, unsigned end,
                       const struct signet_message *m)
{
    struct sim_node *node = &sim->node[node_of(l, end)];
    uint8_t want[256];
    uint32_t number = m->data.len >= 4 ? signet_load_u32(m->data.p) : 0;
    if (sim->o->forgetful && number > node->expected) {
        node->expected = number; /* those between are lost, see sim_compare() */
    }
    size_t len = payload(want, 1 - node_of(l, end), node->expected);
    if (node->expected == sim->o->messages[1 - node_of(l, end)] || m->data.len != len ||
        memcmp(m->data.p, want, len) != 0) {
        sim_fail(sim, "node %u: message %u was to come, but %u bytes of %u came", node_of(l, end),
                 node->expected, (unsigned)m->data.len, number);
    }
    node->expected++;
    node->got++;
    if (sim->faults > 0 && sim_pick(sim, 4) == 0) {
        l->busy[end] = 1 + sim_pick(sim, 60);
    }
}

void sim_measure(struct sim *sim, const struct sim_link *l)
{
    if (l->no <= 2) {
        memcpy(sim->result->handshake[l->no - 1], l->link.given, sizeof(l->link.given));
    }
}

static void on_ready(struct sim *sim, struct sim_link *l, unsigned end,
                     const struct signet_event_ready *ready)
{
    struct sim_node *node = &sim->node[node_of(l, end)];
    struct signet_session *session = signet_conn_session(l->link.end[end]);
    if (ready->lossy || l->replay || session == NULL) {
        sim_fail(sim, "connection %u is ready, but should not be", l->no);
    }
    if (node->session == NULL) {
        node->session = signet_session_ref(session);
    }
    if (node->session != session) {
        sim_fail(sim, "node %u has two sessions", node_of(l, end));
    }
    sim->result->resumed += ready->resumed ? 1 : 0;
    l->ready[end] = true;
    sim_measure(sim, l);
}

static void on_failed(struct sim *sim, struct sim_link *l, unsigned end, int err)
{
    static const int expected[] = {
        -SIGNET_E_PEER_CLOSED,       -SIGNET_E_SESSION_REPLACED, -SIGNET_E_SESSION_WAIT,
        -SIGNET_E_SESSION_STALE,     -SIGNET_E_SESSION_RETRIES,  -SIGNET_E_HANDSHAKE_TIMEOUT,
        -SIGNET_E_KEEPALIVE_TIMEOUT, -SIGNET_E_CHALLENGE_WRONG,  -SIGNET_E_SESSION_CLOSED};
    bool known = false;
    for (unsigned i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
        known =
            known || (err == expected[i] && (i < 7 || (i == 7 ? l->replay : sim->o->forgetful)));
    }
    if (!known) {
        sim_fail(sim, "connection %u, end %u: %s", l->no, end,
                 signet_conn_failure(l->link.end[end])->text);
    }
    sim->result->replaced += err == -SIGNET_E_SESSION_REPLACED ? 1 : 0;
    sim->result->waits += err == -SIGNET_E_SESSION_WAIT ? 1 : 0;
    sim->result->stale += err == -SIGNET_E_SESSION_STALE ? 1 : 0;
    sim_drop_end(sim, l, end);
}

static void on_ack(struct sim *sim, unsigned i, uint64_t acked)
{
    struct sim_node *node = &sim->node[i];
    if (acked <= node->acked || acked > node->sent) {
        sim_fail(sim, "node %u: an ack of %llu after %llu, %u sent", i, (unsigned long long)acked,
                 (unsigned long long)node->acked, node->sent);
    }
    node->acked = acked;
}

/* SIGNET_SIM_TRACE: what happens, on stderr. */
static void trace(const struct sim *sim, const struct sim_link *l, unsigned end,
                  const struct signet_event *event)
{
    struct signet_session *session = signet_conn_session(l->link.end[end]);
    struct signet_session_status s = {0};
    if (!sim->o->trace) {
        return;
    }
    if (session != NULL) {
        signet_session_status(session, &s);
    }
    fprintf(stderr,
            "%6llu ms  connection %u node %u %s: event %d %s; cookies %llx:%llx gs %llu peer %llu "
            "cs %llu in %llu\n",
            (unsigned long long)((sim->clock->mono_ns - sim->world->start.mono_ns) / 1000000),
            l->no, node_of(l, end), end == LINK_DIALLER ? "dialled" : "accepted", (int)event->kind,
            event->kind == SIGNET_EVENT_FAILED ? event->fail->text : "",
            (unsigned long long)s.client_cookie, (unsigned long long)s.server_cookie,
            (unsigned long long)s.global_seq, (unsigned long long)s.peer_global_seq,
            (unsigned long long)s.connect_seq, (unsigned long long)s.in_seq);
}

static void on_event(struct sim *sim, struct sim_link *l, unsigned end,
                     const struct signet_event *event)
{
    switch (event->kind) {
    case SIGNET_EVENT_MESSAGE:
        on_message(sim, l, end, &event->message);
        break;
    case SIGNET_EVENT_READY:
        on_ready(sim, l, end, &event->ready);
        break;
    case SIGNET_EVENT_RESET:
        sim->node[node_of(l, end)].lost += (unsigned)event->reset.lost;
        if ((event->reset.full || event->reset.lost > 0) && !sim->o->forgetful) {
            sim_fail(sim, "node %u lost %llu messages by a reset", node_of(l, end),
                     (unsigned long long)event->reset.lost);
        }
        break;
    case SIGNET_EVENT_ACK:
        on_ack(sim, node_of(l, end), event->acked);
        break;
    case SIGNET_EVENT_FAILED:
        on_failed(sim, l, end, event->fail->err);
        break;
    default:
        break;
    }
}

void sim_drain(struct sim *sim, struct sim_link *l, unsigned end)
{
    struct signet_event event = {.kind = SIGNET_EVENT_HELLO};
    while (l->link.end[end] != NULL && l->busy[end] == 0 && event.kind != SIGNET_EVENT_NONE) {
        int err = signet_conn_next(l->link.end[end], &event);
        if (err != 0) {
            sim_fail(sim, "next: %s", signet_strerror(err));
        }
        sim->moved = sim->moved || event.kind != SIGNET_EVENT_NONE;
        if (event.kind != SIGNET_EVENT_NONE) {
            trace(sim, l, end, &event);
        }
        on_event(sim, l, end, &event);
    }
}

bool sim_is_done(const struct sim *sim)
{
    for (unsigned i = 0; i < 2; i++) {
        const struct sim_node *node = &sim->node[i];
        struct signet_session_status status;
        if (node->session == NULL || node->sent != sim->o->messages[i] ||
            (node->expected != sim->o->messages[1 - i] && !sim->o->forgetful)) {
            return false;
        }
        signet_session_status(node->session, &status);
        bool rests = status.state == SIGNET_SESSION_READY || status.state == SIGNET_SESSION_STANDBY;
        if (status.num_queued > 0 || !rests) {
            return false;
        }
    }
    return true;
}

void sim_compare(const struct sim *sim)
{
    struct signet_session_status s[2];
    for (unsigned i = 0; i < 2; i++) {
        const struct sim_node *other = &sim->node[1 - i];
        signet_session_status(sim->node[i].session, &s[i]);
        if (other->got + sim->node[i].lost < sim->o->messages[i]) {
            sim_fail(sim, "node %u: of %u messages %u arrived, and %u are known to be lost", i,
                     sim->o->messages[i], other->got, sim->node[i].lost);
        }
        if (sim->o->forgetful) {
            continue;
        }
        if (s[i].acked != sim->o->messages[i] || s[i].queued != 0) {
            sim_fail(sim, "node %u: %llu of %u acknowledged", i, (unsigned long long)s[i].acked,
                     sim->o->messages[i]);
        }
        if (signet_sessions_queued(sim->node[i].table) != 0) {
            sim_fail(sim, "node %u keeps bytes of nothing", i);
        }
    }
    bool both = s[0].state == SIGNET_SESSION_READY && s[1].state == SIGNET_SESSION_READY;
    if (sim->o->forgetful && !both) {
        return; /* one may not have met the other since */
    }
    if (s[0].client_cookie != s[1].client_cookie || s[0].server_cookie != s[1].server_cookie ||
        s[0].connect_seq != s[1].connect_seq || s[0].state != s[1].state) {
        sim_fail(sim, "cookies %llx:%llx and %llx:%llx, connect_seq %llu and %llu, state %d and %d",
                 (unsigned long long)s[0].client_cookie, (unsigned long long)s[0].server_cookie,
                 (unsigned long long)s[1].client_cookie, (unsigned long long)s[1].server_cookie,
                 (unsigned long long)s[0].connect_seq, (unsigned long long)s[1].connect_seq,
                 (int)s[0].state, (int)s[1].state);
    }
}
