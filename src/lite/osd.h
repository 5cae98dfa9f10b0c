/* SPDX-License-Identifier: MIT */
/*
 * The OSD that signetd plays: the objects of all pools, in memory, and what it answers to each
 * message of a session. Messages in, messages out; no sockets. What real Ceph 16 and 20 clients
 * send and take: osdlite.md of the specification.
 *
 * One struct signet_osd serves any number of sessions on any number of threads at once; a session
 * is for one thread at a time. Messages of a session are answered in order, each before the next is
 * looked at, so that operations on one object keep their order.
 *
 *   C->O 42 MOSDOp v8, v9 -> 43 MOSDOpReply v8    97 MCommand -> 98 MCommandReply
 *   any other (2 MPing too): no answer
 *
 * Operations: WRITEFULL, WRITE, APPEND, TRUNCATE, CREATE, DELETE, SETALLOCHINT, READ, STAT, PGNLS;
 * any other is -EOPNOTSUPP. A request is done whole or, when one of its operations fails (without
 * FAILOK), not at all. A write that comes again, with the same transaction number from the same
 * global_id, is answered as it was and not done again: the last OSD_REPEATS of each are known.
 */
#ifndef SIGNET_LITE_OSD_H
#define SIGNET_LITE_OSD_H

#include <stdint.h>
#include <sys/uio.h>

#include <signet/control.h>
#include <signet/env.h>
#include <signet/server.h>

#include "lite/maps.h"
#include "lite/osd_caps.h"
#include "lite/store.h"

enum {
    SIGNET_OSD_OPS_MAX = 128,      /* of one request; more is -E2BIG */
    SIGNET_OSD_REPEATS = 512,      /* writes of a peer whose repetition is known */
    SIGNET_OSD_PEERS_MAX = 4096,   /* peers without a session whose writes are remembered */
    SIGNET_OSD_OUT_MAX = 64 << 20, /* bytes of data of a reply; more is -E2BIG */
};

/* Zero means the default. */
struct signet_osd_options {
    const struct signet_lite_cluster *cluster; /* borrowed, does not change */
    struct signet_env env;
    uint64_t store_bytes; /* memory of all objects; default 1 GiB; more is -ENOSPC */
    uint64_t max_object;  /* size of an object; default 128 MiB; more is -EFBIG */
    unsigned shards;      /* a power of two up to 4096; default 256 */
};

struct osd_peers;
struct journal;
struct journal_options;
struct journal_report;
struct journal_usage;

/* For answers that wait until a journal with sync is on the disk: how they get to their peer, by
 * the `arg` that came with the message. */
struct signet_osd_later {
    void (*ref)(void *arg); /* it must stay until unref; as a place to send to, not longer than its
                             * session */
    void (*unref)(void *arg);
    /* Runs fn soon where the session's messages are answered, in the order of these calls, which
     * come from the journal's thread. Not 0: it will not run. */
    int (*post)(void *host, void *arg, void (*fn)(void *held), void *held);
    /* Ends the session for cause err. */
    void (*close)(void *arg, int err);
    void *host;
};

struct osd_keeper;

struct signet_osd {
    const struct signet_lite_cluster *cluster;
    struct store *store;
    struct osd_peers *peers;
    struct journal *journal; /* NULL: objects are gone when the daemon ends */
    /* Before the first session; NULL: the thread that answers waits for the disk itself. */
    const struct signet_osd_later *later;
    struct osd_keeper *keeper;
};

/* 0, -INVAL, -NOMEM or -RANDOM. */
SIGNET_MUST int signet_osd_init(struct signet_osd *osd, const struct signet_osd_options *options);
/* Before the first session: does again what the journal in a directory says (lite/journal.h), and
 * lets every later write be in it before it is answered. Writes it anew, with what is there, when
 * it has grown far beyond that; when there is no room for that it stays, and the report says so.
 * Codes of journal_open(), and -NOMEM when the objects do not fit in the store; fail says where. */
SIGNET_MUST int signet_osd_journal(struct signet_osd *osd, const struct journal_options *options,
                                   struct journal_report *report, struct signet_fail *fail);
/* Writes the journal anew, while requests are answered; one call at a time, not on a thread that
 * answers. Nobody waits for longer than the last of it takes, whatever the journal's length. -FILE,
 * -NOMEM: the journal goes on as it was, and DIR/journal.new is gone. */
SIGNET_MUST int signet_osd_journal_anew(struct signet_osd *osd, struct signet_fail *fail);
/* A thread that does so whenever the journal is larger than keep_bytes (0: 64 MiB) and than twice
 * what the objects take; it looks each second, and at once when a write finds the disk full. After
 * a failure, 10 s later again, then 20, up to 320, or when the objects take half. It ends with
 * signet_osd_clear(). told (may be NULL) is called after each time, with the size before and after,
 * and 0 or the failure. -NOMEM. */
typedef void (*signet_osd_kept)(void *arg, uint64_t before, uint64_t after, int err,
                                const struct signet_fail *fail);
SIGNET_MUST int signet_osd_keep(struct signet_osd *osd, uint64_t keep_bytes, signet_osd_kept told,
                                void *arg);
/* Other limits than at the start, at any time: of the memory of all objects, and for
 * signet_osd_keep(). */
void signet_osd_limit(struct signet_osd *osd, uint64_t store_bytes, uint64_t keep_bytes);
/* The largest global_id whose writes are remembered, or 0. No other client may get it or one below:
 * its writes would be taken for repetitions. Before the first session. */
uint64_t signet_osd_last_client(const struct signet_osd *osd);
/* Once no messages come any more: returns when no answer waits for the disk. */
void signet_osd_quiet(struct signet_osd *osd);
/* All sessions must have ended. An osd of zeros is fine. */
void signet_osd_clear(struct signet_osd *osd);
/* Figures of the store; they need not belong to one moment. */
struct store_usage signet_osd_usage(const struct signet_osd *osd);
struct store_pool signet_osd_pool_usage(const struct signet_osd *osd, uint64_t pool);
/* Of its journal; zeros without one. */
void signet_osd_journal_usage(const struct signet_osd *osd, struct journal_usage *out);

struct osd_peer;
struct osd_line;

/* Who is at the other end, with the capabilities of the login. */
struct signet_osd_session {
    struct signet_osd *osd;
    uint64_t global_id;
    struct osd_caps caps;  /* views of the login's text */
    struct osd_peer *peer; /* its writes; from the first one on */
    struct osd_line *line; /* its answers that wait for the disk; from the first one on */
    uint64_t waiting;      /* a bit for each hash of objects that they are about, modulo 64 */
};

/* From a login that is DONE, which must outlive the session; -STATE before. */
SIGNET_MUST int signet_osd_session_init(struct signet_osd_session *session, struct signet_osd *osd,
                                        struct signet_login *login);
/* The same from parts, for servers without logins. */
void signet_osd_session_make(struct signet_osd_session *session, struct signet_osd *osd,
                             uint64_t global_id, const char *caps);
/* What was written is remembered for the peer's next session. */
void signet_osd_session_clear(struct signet_osd_session *session);

/* Takes one answer: the message (whose own data member is empty) and its data in pieces, most of
 * them views of the store. With a journal that syncs it may be called after signet_osd_message()
 * has returned, from what signet_osd_later.post() runs. All valid during the call alone. Not 0:
 * signet_osd_message() returns it. */
typedef int (*signet_osd_send)(void *arg, const struct signet_message *out,
                               const struct iovec *data, int num);

/* Answers one message. 0: go on. Else the session must be closed: a front that does not decode
 * (-SHORT, -LENGTH, -COUNT, -TRAILING, -VERSION; fail names message and offset), what send
 * returned, -NOMEM. An operation that fails or is not allowed is an answer, not a failure. fail may
 * be NULL. */
SIGNET_MUST int signet_osd_message(struct signet_osd *osd, struct signet_osd_session *session,
                                   const struct signet_message *in, signet_osd_send send, void *arg,
                                   struct signet_fail *fail);

#endif
