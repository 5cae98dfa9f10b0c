/* SPDX-License-Identifier: MIT */
/* What the files of the load share: connections, and the operations that are under way on them. */
#ifndef SIGNET_TOOLS_BENCH_LOAD_H
#define SIGNET_TOOLS_BENCH_LOAD_H

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

#include <signet/messenger.h>

#include "bench.h"

struct bench_slot {
    uint64_t tid, object, sent_ns; /* tid 0: free; sent_ns: when it was begun */
    uint32_t sends;                /* how often it was sent; 0: it waits */
};

/* Where operations go, as the map says. */
struct bench_place {
    uint64_t pool, mark; /* mark: see lite/osdmap_read.h */
    uint32_t pg_num, epoch;
    bool pause_read, pause_write;
    struct signet_addr osd;
};

/* A connection as the main thread sees it, which alone begins new ones. */
enum bench_link_state { LINK_DOWN, LINK_DIALLING, LINK_UP };
struct bench_link {
    /* under the load's lock */
    enum bench_link_state state;
    unsigned ups;           /* how often it came up */
    struct signet_fail why; /* it is down */
    /* the main thread's: what of these it has seen */
    enum bench_link_state seen;
    unsigned seen_ups;
    uint64_t up_ns, lost_ns, retry_ns, pause_ns;
};

struct bench_backoff; /* bench_backoff.c */

/* Used by its worker alone, but for the figures, which the main thread reads. */
struct bench_conn {
    struct bench_load *load;
    struct signet_peer *peer; /* NULL: closed */
    unsigned index;
    uint64_t features;
    uint64_t turn; /* of tids: 1 + index + turn * connections */
    uint64_t in_flight, depth;
    bool dry;     /* nothing more to begin */
    bool working; /* its part of the job has not ended */
    bool hold;    /* some operations must wait: backoffs, or a pause of the map */
    bool resent;  /* answers to what it sent before may come late */
    bool broken;  /* the OSD breaks the protocol: there is no use in another connection */
    uint32_t random;
    struct bench_slot *slot; /* num_slots of them, by turn */
    uint8_t *contents;       /* of an object: its text changes, the rest stays */
    struct bench_place place;
    struct bench_backoff *backoffs;
    struct bench_hist hist;
    double sum_squares;
    struct bench_link link;
    /* relaxed */
    _Atomic uint64_t started, finished, last_ns, sum_ns, min_ns, max_ns;
} __attribute__((aligned(64)));

/* The session at a monitor: newer maps, and tickets. */
struct bench_mon {
    struct bench_link link;
    struct signet_peer *peer; /* under the lock, with a reference; NULL: not open */
    size_t next;              /* monitor to dial, of ping's */
    struct signet_addr addr;
    /* under the lock: */
    bool renewing; /* its worker has the client until the answer is there */
    bool counts;   /* what was asked for is of use here */
    bool fresh;    /* map has come */
    struct lite_osdmap map;
    uint32_t asked; /* the main thread's: the newest epoch that was asked for */
};

struct bench_load {
    const struct bench_options *options;
    struct ping *ping;
    struct lite_osdmap map; /* the main thread's */
    struct signet_messenger *messenger;
    struct bench_conn *conn;
    uint64_t num_conns, num_slots;
    struct bench_job *job;
    char prefix[BENCH_NAME_MAX]; /* of names, up to the number */
    size_t prefix_len;
    uint64_t contents_len, deadline_ns, begun_ns;
    struct bench_mon mon;
    struct bench_place place; /* under the lock */
    uint64_t num_down, down_ns;
    _Atomic uint64_t next;    /* object */
    _Atomic uint64_t running; /* connections */
    _Atomic uint32_t heard;   /* newest epoch that the OSD has told of */
    _Atomic uint64_t reconnects, resends, backoffs, maps, renewals;
    _Atomic uint64_t blocked; /* backoffs in force now */
    atomic_bool failed, ending, opened;
    sem_t event;          /* a connection is ready, has ended its part, or something failed */
    pthread_mutex_t lock; /* over why, links and what the monitor said */
    struct bench_why why;
};

/* The first failure counts; everything ends. */
void bench_fail(struct bench_load *load, const struct bench_why *why);

/* --- bench_request.c: on the worker of the connection --------------------------------------- */

/* arg: the connection. Begins its part of a job, which ends when the last is answered. */
void bench_begin(void *arg);
/* Goes on with it, if it has one: begins operations until its depth is reached or there are no
 * more. */
void bench_refill(struct bench_conn *c);
/* Sends a begun operation, once more. A failure is one of all. */
int bench_send(struct bench_conn *c, struct bench_slot *slot);
/* A message of the OSD. 0, or the code to close with. */
int bench_answer(void *arg, struct signet_peer *peer, const struct signet_message *message);
/* Length of the object's name. */
size_t bench_name(const struct bench_load *load, uint64_t object, char out[BENCH_NAME_MAX]);
bool bench_is_read(enum bench_kind kind);

/* --- bench_backoff.c: on the worker of the connection --------------------------------------- */

/* MOSDBackoff: 0, or the code to close with. */
int bench_on_backoff(struct bench_conn *c, const struct signet_message *message);
/* Forgets all: they belong to a connection. */
void bench_drop_backoffs(struct bench_conn *c);
/* Whether an operation on the object must wait; asked only while hold is set. */
bool bench_held(const struct bench_conn *c, uint64_t object);
/* Sends what was begun and may be sent: all of it, or what has waited. */
void bench_resend(struct bench_conn *c, bool all);
/* arg: the connection. Takes over the load's place. */
void bench_move(void *arg);
/* The OSD has a map of that epoch. */
void bench_heard(struct bench_load *load, uint32_t epoch);

/* --- bench_link.c: connections to the OSD ----------------------------------------------------- */

int bench_dial(struct bench_load *load, struct bench_conn *c);
/* Any of the two kinds: 0 or what signet_messenger_dial() said, which the link has too. */
int bench_link_dial(struct bench_load *load, struct bench_link *link,
                    const struct signet_dial_options *dial);
void bench_link_set(struct bench_load *load, struct bench_link *link, enum bench_link_state state,
                    const struct signet_fail *why);

/* --- bench_mon.c: the main thread ------------------------------------------------------------- */

/* The monitor that ping's last session was with is the first one to dial. */
void bench_mon_begin(struct bench_load *load);
int bench_mon_dial(struct bench_load *load);
void bench_mon_free(struct bench_load *load);
/* Asks for the newest map if the OSD has told of one that is newer than those asked for. */
void bench_mon_ask(struct bench_load *load);
/* Asks for tickets that are due. True: the client is in use until the answer. */
bool bench_mon_renew(struct bench_load *load);

/* --- bench_keep.c: the main thread ------------------------------------------------------------ */

/* Brings back what was lost, takes over newer maps, renews tickets. When to call it again, if no
 * event comes before. */
uint64_t bench_keep(struct bench_load *load, uint64_t now_ns);
/* Only sees and counts what has come up or gone down. */
void bench_watch(struct bench_load *load, uint64_t now_ns);
/* Why nothing moves. */
void bench_stuck(struct bench_load *load, struct bench_why *why);
/* Makes the map what operations go by. */
void bench_place_set(struct bench_load *load, const struct lite_osdmap *map);
/* A line about what happens, for people. */
void bench_say(struct bench_load *load, const char *format, ...) SIGNET_PRINTF(2, 3);

#endif
