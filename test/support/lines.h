/* SPDX-License-Identifier: MIT */
/* A client that dials an OSD, over one line after the other: the scene of session tests. */
#ifndef SIGNET_TEST_LINES_H
#define SIGNET_TEST_LINES_H

#include "support/link.h"

/* What one end's caller saw last. */
struct seen {
    unsigned num[SIGNET_EVENT_FAILED + 1];
    struct signet_event_ready ready;
    struct signet_event_reset reset;
    uint64_t acked;
    struct signet_fail fail;
    char text[64]; /* the messages, joined */
};

struct line {
    struct link link;
    struct seen seen[2];
};

enum { LINES = 4 };

/* One scene for each program. */
extern struct cluster c;
extern struct link_node a, b;    /* client.a, osd.0 */
extern struct signet_session *s; /* of a to b */
extern struct line lines[LINES];

void start_with(enum signet_con_mode mode, struct signet_sessions_options table);
/* crc mode, default tables. */
void start(void);
void stop(void);

/* All events of an end. */
void drain(struct line *l, unsigned end);
/* Moves bytes until nothing moves. */
void run(struct line *l);
void cut(struct line *l);
/* Line i anew, with s, and run. */
struct line *dial(unsigned i);
void say(struct signet_session *session, const char *text);
struct signet_session *accepted(const struct line *l);
struct signet_session_status status(struct signet_session *session);
void check_state(struct signet_session *session, enum signet_session_state want);

#endif
