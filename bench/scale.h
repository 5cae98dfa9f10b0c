/* SPDX-License-Identifier: MIT */
/* A signetd of one's own, and crowds of connections to it from this process. */
#ifndef BENCH_SCALE_H
#define BENCH_SCALE_H

#include <stdatomic.h>
#include <sys/types.h>

#include <signet/messenger.h>

#include "common/bench_signet.h"

/* --- scale_daemon.c ------------------------------------------------------------------------- */

struct daemon {
    pid_t pid;
    char dir[64];
    char mon_text[SIGNET_ADDR_TEXT_MAX], osd_text[SIGNET_ADDR_TEXT_MAX];
    struct signet_addr mon, osd;
    struct signet_key *key; /* of client.admin */
    const char *handler;
};

/* Starts the signetd beside this program, in a new directory; waits until it serves. */
void daemon_start(struct daemon *d, const char *handler);
/* Kills it without a warning, and starts it again where it was. */
void daemon_kill(struct daemon *d);
void daemon_restart(struct daemon *d);
/* client.admin's, from its directory. */
void daemon_load_key(struct daemon *d);
/* Ends it and removes its directory. Fine twice. */
void daemon_stop(struct daemon *d);
/* Bytes of its own memory (not shared with files); what its threads have computed. */
double daemon_memory(const struct daemon *d);
double daemon_cpu_ns(const struct daemon *d);

/* --- scale_crowd.c -------------------------------------------------------------------------- */

enum member_state { MEMBER_AWAY, MEMBER_WAITING, MEMBER_DIALLED, MEMBER_OPEN };

/* One connection, now or later. */
struct member {
    struct crowd *crowd;
    unsigned index;
    enum member_state state;
    bool busy_lane; /* its lane's client is in use by it */
    struct signet_peer *peer;
    uint64_t due_ns, features;
    unsigned tries;
};

/* Lanes log in with a client of their own each; member i belongs to lane i % lanes, and members of
 * a lane dial one after the other. All but the counters is for the worker. */
struct crowd {
    struct daemon *daemon;
    uint32_t service;    /* SIGNET_MON: each dial is a login; SIGNET_OSD: an authorizer */
    unsigned num, lanes; /* num: a multiple of lanes */
    bool secure;

    struct signet_messenger *messenger;
    struct member *member;
    struct signet_client **client; /* of lanes */
    bool *in_use;
    uint64_t random;
    uint64_t back_ns; /* closed connections come back within this time; 0: they stay away */
    bool churn;       /* open ones are closed, and dialled again */
    uint64_t left;    /* handshakes to begin, or operations */
    uint64_t tid;     /* of the last operation */
    uint8_t data[4096];
    _Atomic uint64_t open, done, failed;
};

/* Zeroed but for the first five members; logs the lanes in. */
void crowd_start(struct crowd *crowd);
void crowd_stop(struct crowd *crowd);
/* Opens all; returns when they are. */
void crowd_open(struct crowd *crowd);
/* Closes all, which stay away; returns when they are. */
void crowd_close(struct crowd *crowd);
/* From now on those that are closed dial again after a random part of ns, or twice that each time
 * it is in vain. crowd_drive() lets them, until so many are open; the ns that it took. */
void crowd_come_back(struct crowd *crowd, uint64_t ns);
double crowd_drive(struct crowd *crowd, uint64_t open);
/* num handshakes, as many at a time as there are lanes, each connection closed at once; ns. */
double crowd_churn(struct crowd *crowd, uint64_t num);
/* num writes of 4 KiB over all members, which are open, one at a time on each; ns. */
double crowd_write(struct crowd *crowd, uint64_t num);

/* --- scale_holder.c ------------------------------------------------------------------------- */

enum { HOLDER_LANES = 50 };

/* A process with idle connections to the OSD. */
struct holder {
    pid_t pid;
    int fd;
    unsigned num;
    bool open;
    uint64_t failed; /* dials in vain, since they were told to come back */
};

/* Before there are threads. */
void holder_fork(struct holder *h);
/* Again only after it was closed, with the same daemon and number; the ns that it took. */
double holder_open(struct holder *h, const struct daemon *d, unsigned num);
void holder_close(struct holder *h);
/* As those of a crowd. */
void holder_come_back(struct holder *h, uint64_t ns);
double holder_await(struct holder *h);
void holder_end(struct holder *h);

#endif
