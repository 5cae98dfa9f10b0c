/* SPDX-License-Identifier: MIT */
/* What the files of the monitor share: a message that is being answered, and its commands. */
#ifndef SIGNET_LITE_MON_INTERNAL_H
#define SIGNET_LITE_MON_INTERNAL_H

#include <stdbool.h>

#include <jansson.h>

#include "lite/mon.h"
#include "lite/text.h"

enum {
    MSG_PING = 2,
    MSG_MON_MAP = 4,
    MSG_MON_GET_MAP = 5,
    MSG_STATFS = 13,
    MSG_STATFS_REPLY = 14,
    MSG_MON_SUBSCRIBE = 15,
    MSG_AUTH = 17,
    MSG_AUTH_REPLY = 18,
    MSG_MON_GET_VERSION = 19,
    MSG_MON_GET_VERSION_REPLY = 20,
    MSG_OSD_MAP = 41,
    MSG_POOL_OP_REPLY = 48,
    MSG_POOL_OP = 49,
    MSG_MON_COMMAND = 50,
    MSG_MON_COMMAND_ACK = 51,
    MSG_GET_POOL_STATS = 58,
    MSG_GET_POOL_STATS_REPLY = 59,
    MSG_CONFIG = 62,
    MSG_COMMAND = 97,
    MSG_COMMAND_REPLY = 98,
};

/* The message that is being answered. */
struct mon_call {
    struct signet_mon *mon;
    struct signet_mon_session *session;
    const struct signet_message *in;
    signet_mon_send send;
    void *arg;
    struct signet_fail *fail;
};

struct mon_reply {
    uint16_t type, version, compat;
    uint64_t tid;
    struct signet_span data;
    void (*front)(struct signet_writer *w, const void *arg); /* called twice: count, write */
    const void *arg;
};

int mon_send(struct mon_call *call, const struct mon_reply *reply);
/* How a front ended: the reader's failure as the session's. Bytes that follow are allowed from a
 * newer version than `known` alone. */
int mon_front_done(struct mon_call *call, struct signet_reader *r, const char *what,
                   uint16_t known);
/* version u64, rank s16, tid u64: read and passed over; written as zeros and -1. */
void mon_paxos_skip(struct signet_reader *r);
void mon_paxos_write(struct signet_writer *w);
/* Zeros when nobody knows; never more used than there is. */
struct signet_lite_usage mon_usage(const struct signet_mon *mon);
/* mon_pools.c: of one pool; its capacity is that of all. */
struct signet_lite_usage mon_pool_usage(const struct signet_mon *mon, uint64_t pool);
bool mon_our_fsid(const struct mon_call *call, struct signet_span fsid);

int mon_get_map(struct mon_call *call);
int mon_subscribe(struct mon_call *call);
int mon_ping(struct mon_call *call);
int mon_renew(struct mon_call *call);
int mon_get_version(struct mon_call *call);
int mon_statfs(struct mon_call *call);
int mon_pool_stats(struct mon_call *call);
int mon_pool_op(struct mon_call *call);
int mon_command(struct mon_call *call); /* 50 */
int mon_tell(struct mon_call *call);    /* 97 */

/* --- commands ------------------------------------------------------------------------------- */

/* A command while it runs. */
struct mon_run {
    struct signet_mon *mon;
    const json_t *args;      /* members beside prefix */
    struct signet_span data; /* what -i gave */
    bool tell;               /* asked by `ceph tell` */
    bool json, pretty;       /* format: pretty is JSON too */
    char say[256];           /* rs: a line for stderr, may be empty */
    struct lite_text out;    /* for stdout */
};

/* 0 or a negative errno, for the peer. */
typedef int (*mon_run_fn)(struct mon_run *run);

struct mon_command {
    /* Words, then arguments NAME=TYPE[:CHOICES][*][?] (* a list, ? may be left out). */
    const char *signature, *help;
    const char *perm; /* as in `get_command_descriptions`; letters of enum signet_mon_may */
    mon_run_fn run;
};

/* By index; NULL past the last. */
const struct mon_command *mon_command_at(size_t index);
/* The command of this prefix, or NULL. */
const struct mon_command *mon_command_find(const char *prefix);

/* Says the text and returns err. */
int mon_say(struct mon_run *run, int err, const char *format, ...) SIGNET_PRINTF(3, 4);
/* A failure of the library as the peer's: its errno and its text. */
int mon_say_failure(struct mon_run *run, int err);
/* A string among the arguments, or NULL. */
const char *mon_arg(const struct mon_run *run, const char *name);

int mon_run_descriptions(struct mon_run *run);
int mon_run_fsid(struct mon_run *run);
int mon_run_version(struct mon_run *run);
int mon_run_status(struct mon_run *run);
int mon_run_health(struct mon_run *run);
int mon_run_mon_status(struct mon_run *run);
int mon_run_mon_dump(struct mon_run *run);
int mon_run_mon_getmap(struct mon_run *run);
int mon_run_osd_dump(struct mon_run *run);
int mon_run_osd_getmap(struct mon_run *run);
int mon_run_osd_stat(struct mon_run *run);
int mon_run_osd_lspools(struct mon_run *run);
int mon_run_osd_pool_ls(struct mon_run *run);
int mon_run_df(struct mon_run *run);
int mon_run_config_dump(struct mon_run *run);
int mon_run_auth_ls(struct mon_run *run);
int mon_run_auth_get(struct mon_run *run);
int mon_run_auth_export(struct mon_run *run);
int mon_run_auth_print_key(struct mon_run *run);
int mon_run_auth_get_or_create(struct mon_run *run);
int mon_run_auth_get_or_create_key(struct mon_run *run);
int mon_run_auth_add(struct mon_run *run);
int mon_run_auth_del(struct mon_run *run);
int mon_run_auth_caps(struct mon_run *run);
int mon_run_auth_rotate(struct mon_run *run);
int mon_run_auth_import(struct mon_run *run);

json_t *mon_health_json(void);
json_t *mon_state_json(const struct signet_mon *mon); /* what `ceph ping` shows, too */

#endif
