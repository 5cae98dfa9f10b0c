/* SPDX-License-Identifier: MIT */
/* The messages that are not commands. */
#include "lite/mon_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/secret.h"
#include "base/span.h"
#include "lite/envelope.h"

enum {
    KIB = 1024,
    SUBSCRIPTIONS_MAX = 64,
    NAME_MAX_LEN = 256,
    FSID_LEN = 16,
    RENEW_BUF = SIGNET_AUTH_PAYLOAD_MAX + 64, /* payload and what MAuthReply has around it */
};

static struct signet_reader front_of(const struct mon_call *call)
{
    return signet_reader_init(call->in->front.p, call->in->front.len);
}

/* --- maps ----------------------------------------------------------------------------------- */

static void write_monmap(struct signet_writer *w, const void *arg)
{
    size_t at = signet_write_hole_u32(w);
    signet_lite_monmap(w, arg);
    signet_write_patch_u32(w, at, (uint32_t)(w->len - at - 4));
}

static void write_osdmap(struct signet_writer *w, const void *arg)
{
    const struct signet_lite_cluster *c = arg;
    signet_write_bytes(w, c->fsid, sizeof(c->fsid));
    signet_write_u32(w, 0); /* incremental maps */
    signet_write_u32(w, 1);
    signet_write_u32(w, c->epoch);
    size_t at = signet_write_hole_u32(w);
    signet_lite_osdmap(w, c);
    signet_write_patch_u32(w, at, (uint32_t)(w->len - at - 4));
    signet_write_u32(w, c->epoch); /* oldest, newest */
    signet_write_u32(w, c->epoch);
    signet_write_u32(w, 0); /* gap_removed_snaps */
}

static void write_config(struct signet_writer *w, const void *arg)
{
    (void)arg;
    signet_write_u32(w, 0);
}

static int send_monmap(struct mon_call *call)
{
    return mon_send(call, &(struct mon_reply){.type = MSG_MON_MAP,
                                              .version = 1,
                                              .compat = 1,
                                              .front = write_monmap,
                                              .arg = call->mon->cluster});
}

/* Its front is empty; more of it would be no reason to fail. */
int mon_get_map(struct mon_call *call)
{
    return send_monmap(call);
}

static int subscription(struct mon_call *call, struct signet_span what, uint64_t start)
{
    const struct signet_lite_cluster *c = call->mon->cluster;
    if (signet_span_is(what, "config")) {
        return mon_send(call,
                        &(struct mon_reply){
                            .type = MSG_CONFIG, .version = 1, .compat = 1, .front = write_config});
    }
    if (start > c->epoch) { /* when something newer is there: never */
        return 0;
    }
    if (signet_span_is(what, "monmap")) {
        return send_monmap(call);
    }
    if (signet_span_is(what, "osdmap")) {
        return mon_send(
            call,
            &(struct mon_reply){
                .type = MSG_OSD_MAP, .version = 4, .compat = 3, .front = write_osdmap, .arg = c});
    }
    return 0;
}

/* Reads all, or with `answer` set answers what is asked. */
static int subscriptions(struct mon_call *call, struct signet_reader *r, bool answer)
{
    int err = 0;
    uint32_t num = signet_read_count(r, SUBSCRIPTIONS_MAX, 4 + 8 + 1);
    for (uint32_t i = 0; i < num && err == 0 && r->err == 0; i++) {
        struct signet_span what = signet_read_blob(r, NAME_MAX_LEN);
        uint64_t start = signet_read_u64(r);
        signet_read_u8(r);
        err = answer ? subscription(call, what, start) : 0;
    }
    return err;
}

int mon_subscribe(struct mon_call *call)
{
    if (call->in->version < 2) {
        return signet_fail_set(call->fail, -SIGNET_E_VERSION, "MMonSubscribe", 0,
                               "version %u; the form of SUBSCRIBE2 is 2 or newer",
                               call->in->version);
    }
    struct signet_reader r = front_of(call);
    (void)subscriptions(call, &r, false);
    if (call->in->version >= 3) {
        signet_read_blob(&r, NAME_MAX_LEN); /* host name */
    }
    int err = mon_front_done(call, &r, "MMonSubscribe", 3);
    if (err != 0) {
        return err;
    }
    r = front_of(call);
    return subscriptions(call, &r, true);
}

static void write_version(struct signet_writer *w, const void *arg)
{
    const uint64_t *v = arg;
    signet_write_u64(w, v[0]); /* handle */
    signet_write_u64(w, v[1]); /* newest */
    signet_write_u64(w, v[1]); /* oldest */
}

int mon_get_version(struct mon_call *call)
{
    struct signet_reader r = front_of(call);
    uint64_t v[2] = {signet_read_u64(&r), 0};
    struct signet_span what = signet_read_blob(&r, NAME_MAX_LEN);
    int err = mon_front_done(call, &r, "MMonGetVersion", 1);
    if (err != 0) {
        return err;
    }
    if (signet_span_is(what, "osdmap") || signet_span_is(what, "monmap")) {
        v[1] = call->mon->cluster->epoch;
    } else if (!signet_span_is(what, "mdsmap") && !signet_span_is(what, "fsmap")) {
        return 0;
    }
    return mon_send(call, &(struct mon_reply){.type = MSG_MON_GET_VERSION_REPLY,
                                              .version = 1,
                                              .compat = 1,
                                              .tid = call->in->tid,
                                              .front = write_version,
                                              .arg = v});
}

/* --- usage ---------------------------------------------------------------------------------- */

static void write_statfs(struct signet_writer *w, const void *arg)
{
    const struct signet_mon *mon = arg;
    const struct signet_lite_cluster *c = mon->cluster;
    struct signet_lite_usage u = mon_usage(mon);
    signet_write_bytes(w, c->fsid, sizeof(c->fsid));
    signet_write_u64(w, c->epoch);
    signet_write_u64(w, u.capacity / KIB);
    signet_write_u64(w, u.used / KIB);
    signet_write_u64(w, (u.capacity - u.used) / KIB);
    signet_write_u64(w, u.objects);
}

int mon_statfs(struct mon_call *call)
{
    struct signet_reader r = front_of(call);
    mon_paxos_skip(&r);
    struct signet_span fsid = signet_read_view(&r, FSID_LEN);
    if (call->in->version >= 2 && signet_read_u8(&r) != 0) {
        signet_read_u64(&r); /* pool */
    }
    int err = mon_front_done(call, &r, "MStatfs", 2);
    if (err != 0 || !mon_our_fsid(call, fsid)) {
        return err;
    }
    return mon_send(call, &(struct mon_reply){.type = MSG_STATFS_REPLY,
                                              .version = 1,
                                              .compat = 1,
                                              .tid = call->in->tid,
                                              .front = write_statfs,
                                              .arg = call->mon});
}

/* An error, which is all that there is: pools neither come nor go nor have
 * snapshots. Without an answer the client would wait for ever. */
static void write_pool_op(struct signet_writer *w, const void *arg)
{
    const struct signet_lite_cluster *c = arg;
    mon_paxos_write(w);
    signet_write_bytes(w, c->fsid, sizeof(c->fsid));
    signet_write_u32(w, (uint32_t)-EOPNOTSUPP);
    signet_write_u32(w, c->epoch);
    signet_write_u8(w, 0); /* no data */
}

int mon_pool_op(struct mon_call *call)
{
    struct signet_reader r = front_of(call);
    mon_paxos_skip(&r);
    struct signet_span fsid = signet_read_view(&r, FSID_LEN);
    signet_read_view(&r, signet_reader_left(&r)); /* pool, name, operation */
    int err = mon_front_done(call, &r, "MPoolOp", 1);
    if (err != 0 || !mon_our_fsid(call, fsid)) {
        return err;
    }
    return mon_send(call, &(struct mon_reply){.type = MSG_POOL_OP_REPLY,
                                              .version = 1,
                                              .compat = 1,
                                              .tid = call->in->tid,
                                              .front = write_pool_op,
                                              .arg = call->mon->cluster});
}

/* --- life and renewal ----------------------------------------------------------------------- */

static void write_ping(struct signet_writer *w, const void *arg)
{
    const struct lite_text *text = arg;
    signet_write_blob(w, text->p, text->len);
}

int mon_ping(struct mon_call *call)
{
    struct lite_text text = {0};
    json_t *json = json_pack("{s:o?, s:o?}", "health", mon_health_json(), "mon_status",
                             mon_state_json(call->mon));
    lite_text_json(&text, json, JSON_INDENT(4));
    int err = text.err;
    if (err == 0) {
        err = mon_send(call, &(struct mon_reply){.type = MSG_PING,
                                                 .version = 1,
                                                 .compat = 1,
                                                 .tid = call->in->tid,
                                                 .front = write_ping,
                                                 .arg = &text});
    }
    lite_text_clear(&text);
    return err;
}

static void write_span(struct signet_writer *w, const void *arg)
{
    const struct signet_span *s = arg;
    signet_write_bytes(w, s->p, s->len);
}

/* A refusal is answered too; only a wrong proof, or no answer at all, ends the session. */
static int renew_into(struct mon_call *call, uint8_t *buf)
{
    enum signet_verdict verdict;
    struct signet_span front = {buf, 0};
    int cause = signet_login_mauth(call->session->login, buf, RENEW_BUF, &front.len,
                                   call->in->front.p, call->in->front.len, &verdict, call->fail);
    if (front.len == 0) {
        return cause;
    }
    int err = mon_send(call, &(struct mon_reply){.type = MSG_AUTH_REPLY,
                                                 .version = 1,
                                                 .compat = 1,
                                                 .tid = call->in->tid,
                                                 .front = write_span,
                                                 .arg = &front});
    return err == 0 && verdict == SIGNET_VERDICT_REFUSED ? cause : err;
}

int mon_renew(struct mon_call *call)
{
    if (call->session->login == NULL) {
        return signet_fail_set(call->fail, -SIGNET_E_STATE, "MAuth", 0,
                               "a session without a login cannot renew");
    }
    uint8_t *buf = malloc(RENEW_BUF);
    if (buf == NULL) {
        return -SIGNET_E_NOMEM;
    }
    int err = renew_into(call, buf);
    free(buf);
    return err;
}
