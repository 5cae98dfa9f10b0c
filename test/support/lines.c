/* SPDX-License-Identifier: MIT */
#include "support/lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct cluster c;
struct link_node a, b;
struct signet_session *s;
struct line lines[LINES];

void start_with(enum signet_con_mode mode, struct signet_sessions_options table)
{
    memset(&c, 0, sizeof(c));
    memset(lines, 0, sizeof(lines));
    cluster_start(&c, SIGNET_KEY_AES256K, SIGNET_KEY_AES256K);
    node_init(&a, &c, "client.a", "any:127.0.0.1:0/1", mode, &table);
    node_init(&b, &c, "osd.0", "v2:127.0.0.1:6800/77", mode, &table);
    s = node_session(&a, &b, SIGNET_LOSSLESS_CLIENT);
}

void start(void)
{
    start_with(SIGNET_MODE_CRC, (struct signet_sessions_options){0});
}

void stop(void)
{
    for (unsigned i = 0; i < LINES; i++) {
        link_close(&lines[i].link);
    }
    signet_session_unref(s);
    node_free(&a);
    node_free(&b);
    cluster_stop(&c);
}

static void note(struct seen *seen, const struct signet_event *event)
{
    seen->num[event->kind]++;
    if (event->kind == SIGNET_EVENT_READY) {
        seen->ready = event->ready;
    } else if (event->kind == SIGNET_EVENT_RESET) {
        seen->reset = event->reset;
    } else if (event->kind == SIGNET_EVENT_ACK) {
        seen->acked = event->acked;
    } else if (event->kind == SIGNET_EVENT_FAILED) {
        seen->fail = *event->fail;
    } else if (event->kind == SIGNET_EVENT_MESSAGE) {
        size_t at = strlen(seen->text);
        snprintf(seen->text + at, sizeof(seen->text) - at, "%.*s", (int)event->message.data.len,
                 (const char *)event->message.data.p);
    }
}

void drain(struct line *l, unsigned end)
{
    struct signet_event event = {.kind = SIGNET_EVENT_HELLO};
    while (l->link.end[end] != NULL && event.kind != SIGNET_EVENT_NONE) {
        assert_ok(signet_conn_next(l->link.end[end], &event));
        note(&l->seen[end], &event);
    }
}

/* Until nothing moves. */
void run(struct line *l)
{
    size_t moved;
    do {
        moved = 0;
        for (unsigned i = 0; i < 2; i++) {
            drain(l, i);
            moved += link_take(&l->link, i, SIZE_MAX);
            moved += link_give(&l->link, i, SIZE_MAX, c.fake.mono_ns);
        }
    } while (moved > 0);
    drain(l, 0);
    drain(l, 1);
}

void cut(struct line *l)
{
    link_cut(&l->link);
    drain(l, 0);
    drain(l, 1);
}

struct line *dial(unsigned i)
{
    link_close(&lines[i].link);
    memset(&lines[i], 0, sizeof(lines[i]));
    assert_ok(link_open(&lines[i].link, &a, &b, s));
    run(&lines[i]);
    return &lines[i];
}

void say(struct signet_session *session, const char *text)
{
    struct signet_message m = {.type = 42};
    struct iovec data = {.iov_base = (void *)(uintptr_t)text, .iov_len = strlen(text)};
    assert_ok(signet_session_send(session, &m, &data, 1, NULL));
}

struct signet_session *accepted(const struct line *l)
{
    return signet_conn_session(l->link.end[LINK_ACCEPTOR]);
}

struct signet_session_status status(struct signet_session *session)
{
    struct signet_session_status out;
    signet_session_status(session, &out);
    return out;
}

void check_state(struct signet_session *session, enum signet_session_state want)
{
    ck_assert_int_eq(status(session).state, want);
}
