/* SPDX-License-Identifier: MIT */
/* Which message is answered by what, and how an answer is made. */
#include "lite/mon_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/secret.h"

enum { PRIORITY = 127, FLAGS = 3, PAXOS_LEN = 18 };

void signet_mon_init(struct signet_mon *mon, const struct signet_lite_cluster *cluster,
                     struct signet_keyserver *keys, struct signet_env env,
                     enum signet_key_type key_type)
{
    *mon = (struct signet_mon){
        .cluster = cluster,
        .keys = keys,
        .env = env,
        .key_type = key_type != SIGNET_KEY_NONE ? key_type : SIGNET_KEY_AES256K,
        .started_ns = env.mono_ns(env.arg),
    };
    pthread_mutex_init(&mon->changing, NULL);
}

void signet_mon_clear(struct signet_mon *mon)
{
    pthread_mutex_destroy(&mon->changing);
}

int signet_mon_session_init(struct signet_mon_session *session, struct signet_login *login)
{
    const struct signet_identity *who = signet_login_identity(login);
    if (who == NULL) {
        return -SIGNET_E_STATE;
    }
    *session = (struct signet_mon_session){
        .login = login,
        .name = who->name,
        .global_id = who->global_id,
        .caps = who->caps,
    };
    return 0;
}

static int send_front(struct mon_call *call, const struct mon_reply *reply,
                      struct signet_span front)
{
    struct signet_message out = {
        .tid = reply->tid,
        .type = reply->type,
        .priority = PRIORITY,
        .version = reply->version,
        .compat_version = reply->compat,
        .flags = FLAGS,
        .front = front,
        .data = reply->data,
    };
    return call->send(call->arg, &out);
}

int mon_send(struct mon_call *call, const struct mon_reply *reply)
{
    struct signet_writer count = signet_writer_count();
    reply->front(&count, reply->arg);
    size_t len = (size_t)count.len;
    uint8_t *buf = malloc(len + 1);
    if (buf == NULL) {
        return -SIGNET_E_NOMEM;
    }
    struct signet_writer w = signet_writer_init(buf, len);
    reply->front(&w, reply->arg);
    int err = w.err != 0 ? w.err : send_front(call, reply, (struct signet_span){buf, len});
    free(buf);
    return err;
}

int mon_front_done(struct mon_call *call, struct signet_reader *r, const char *what, uint16_t known)
{
    int err = call->in->version > known ? r->err : signet_reader_done(r);
    if (err != 0) {
        return signet_fail_set(call->fail, err, what, signet_reader_offset(r),
                               "the front of %zu bytes does not decode: %s", call->in->front.len,
                               signet_strerror(err));
    }
    return 0;
}

void mon_paxos_skip(struct signet_reader *r)
{
    signet_read_view(r, PAXOS_LEN);
}

void mon_paxos_write(struct signet_writer *w)
{
    signet_write_u64(w, 0);
    signet_write_u16(w, UINT16_MAX);
    signet_write_u64(w, 0);
}

bool mon_our_fsid(const struct mon_call *call, struct signet_span fsid)
{
    return fsid.len == sizeof(call->mon->cluster->fsid) &&
           memcmp(fsid.p, call->mon->cluster->fsid, fsid.len) == 0;
}

struct signet_lite_usage mon_usage(const struct signet_mon *mon)
{
    struct signet_lite_usage u = {0};
    if (mon->usage != NULL) {
        u = mon->usage(mon->usage_arg);
    }
    if (u.used > u.capacity) {
        u.used = u.capacity;
    }
    return u;
}

int signet_mon_message(struct signet_mon *mon, struct signet_mon_session *session,
                       const struct signet_message *in, signet_mon_send send, void *arg,
                       struct signet_fail *fail)
{
    static const struct {
        uint16_t type;
        int (*answer)(struct mon_call *);
    } table[] = {
        {MSG_PING, mon_ping},           {MSG_MON_GET_MAP, mon_get_map},
        {MSG_STATFS, mon_statfs},       {MSG_MON_SUBSCRIBE, mon_subscribe},
        {MSG_AUTH, mon_renew},          {MSG_MON_GET_VERSION, mon_get_version},
        {MSG_MON_COMMAND, mon_command}, {MSG_GET_POOL_STATS, mon_pool_stats},
        {MSG_COMMAND, mon_tell},        {MSG_POOL_OP, mon_pool_op},
    };
    struct mon_call call = {mon, session, in, send, arg, fail};
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        if (table[i].type == in->type) {
            return table[i].answer(&call);
        }
    }
    return 0;
}
