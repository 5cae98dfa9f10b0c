/* SPDX-License-Identifier: MIT */
/* MMonCommand (50) and MCommand (97): a JSON object in, code, line and output out. */
#include "lite/mon_internal.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { FSID_LEN = 16, WORDS_MAX = 16, COMMAND_MAX = 1 << 20, SHOWN_MAX = 120 };

/* A request as both messages have it. */
struct request {
    struct signet_span fsid, words; /* words: the vector with its count */
    uint32_t num;
    struct signet_span first; /* the first element */
};

struct ack {
    const struct mon_run *run;
    const struct request *request;
    int32_t code;
};

int mon_say(struct mon_run *run, int err, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    vsnprintf(run->say, sizeof(run->say), format, ap);
    va_end(ap);
    for (char *p = run->say; *p != 0; p++) { /* may have parts of the request */
        if ((*p >= 0 && *p < ' ' && *p != '\n') || *p == 0x7f) {
            *p = '?';
        }
    }
    return err;
}

int mon_say_failure(struct mon_run *run, int err)
{
    return mon_say(run, -signet_err_errno(err), "%s", signet_strerror(err));
}

const char *mon_arg(const struct mon_run *run, const char *name)
{
    return json_string_value(json_object_get(run->args, name));
}

static void read_request(struct signet_reader *r, struct request *q)
{
    q->fsid = signet_read_view(r, FSID_LEN);
    const uint8_t *start = r->p;
    q->num = signet_read_count(r, WORDS_MAX, 4);
    for (uint32_t i = 0; i < q->num && r->err == 0; i++) {
        struct signet_span word = signet_read_blob(r, COMMAND_MAX);
        if (i == 0) {
            q->first = word;
        }
    }
    if (r->err == 0) {
        q->words = (struct signet_span){start, (size_t)(r->p - start)};
    }
}

/* --- running -------------------------------------------------------------------------------- */

static unsigned needed(const char *perm)
{
    return (strchr(perm, 'r') != NULL ? SIGNET_MAY_R : 0U) |
           (strchr(perm, 'w') != NULL ? SIGNET_MAY_W : 0U) |
           (strchr(perm, 'x') != NULL ? SIGNET_MAY_X : 0U);
}

static void read_format(struct mon_run *run)
{
    const char *format = mon_arg(run, "format");
    run->pretty = format != NULL && strcmp(format, "json-pretty") == 0;
    run->json = run->pretty || (format != NULL && strcmp(format, "json") == 0);
}

static int run_prefix(const struct mon_call *call, struct mon_run *run)
{
    const char *prefix = mon_arg(run, "prefix");
    if (prefix == NULL) {
        return mon_say(run, -EINVAL, "command prefix not found");
    }
    if (prefix[0] == 0) {
        return mon_say(run, -EINVAL, "command prefix must not be empty");
    }
    const struct mon_command *command = mon_command_find(prefix);
    if (command == NULL) {
        return run->tell ? mon_say(run, -EINVAL, "unknown command prefix %.80s", prefix)
                         : mon_say(run, -EINVAL, "command not known");
    }
    unsigned may = signet_mon_caps(call->session->caps);
    if (run->tell && needed(command->perm) != 0 && may != SIGNET_MAY_ALL) {
        return mon_say(run, -EACCES, "insufficient caps");
    }
    if ((needed(command->perm) & ~may) != 0) {
        return mon_say(run, -EACCES, "access denied");
    }
    read_format(run);
    return command->run(run);
}

/* Says what came, as far as it can be shown. */
static int not_an_object(struct mon_run *run, const json_t *json, const struct request *q)
{
    const char *what = json != NULL ? "not JSON object" : "unparseable JSON";
    int len = q->first.len < SHOWN_MAX ? (int)q->first.len : SHOWN_MAX;
    return mon_say(run, -EINVAL, "%s %.*s", what, len, (const char *)q->first.p);
}

static int32_t run_request(const struct mon_call *call, struct mon_run *run,
                           const struct request *q, int wrong_fsid)
{
    if (!mon_our_fsid(call, q->fsid)) {
        return mon_say(run, wrong_fsid, "wrong fsid");
    }
    json_t *json = q->num == 1 ? json_loadb((const char *)q->first.p, q->first.len,
                                            JSON_REJECT_DUPLICATES, NULL)
                               : NULL;
    run->args = json;
    int code = json_is_object(json) ? run_prefix(call, run) : not_an_object(run, json, q);
    json_decref(json);
    if (run->out.err != 0) {
        code = mon_say_failure(run, run->out.err);
    }
    if (code < 0) { /* nothing half done is shown */
        lite_text_clear(&run->out);
    }
    return code;
}

/* --- answering ------------------------------------------------------------------------------ */

static void write_result(struct signet_writer *w, const struct ack *ack)
{
    signet_write_u32(w, (uint32_t)ack->code);
    signet_write_blob(w, ack->run->say, strlen(ack->run->say));
}

static void write_ack(struct signet_writer *w, const void *arg)
{
    const struct ack *ack = arg;
    mon_paxos_write(w);
    write_result(w, ack);
    signet_write_bytes(w, ack->request->words.p, ack->request->words.len);
}

static void write_tell(struct signet_writer *w, const void *arg)
{
    write_result(w, arg);
}

static int answer(struct mon_call *call, const struct request *q, int wrong_fsid,
                  struct mon_reply reply)
{
    struct mon_run run = {
        .mon = call->mon, .data = call->in->data, .tell = call->in->type == MSG_COMMAND};
    struct ack ack = {.run = &run, .request = q};
    ack.code = run_request(call, &run, q, wrong_fsid);
    reply.tid = call->in->tid;
    reply.version = reply.compat = 1;
    reply.data = (struct signet_span){(const uint8_t *)run.out.p, run.out.len};
    reply.arg = &ack;
    int err = mon_send(call, &reply);
    lite_text_clear(&run.out);
    return err;
}

int mon_command(struct mon_call *call)
{
    struct signet_reader r = signet_reader_init(call->in->front.p, call->in->front.len);
    struct request q = {0};
    mon_paxos_skip(&r);
    read_request(&r, &q);
    int err = mon_front_done(call, &r, "MMonCommand", 1);
    if (err != 0) {
        return err;
    }
    return answer(call, &q, -EPERM,
                  (struct mon_reply){.type = MSG_MON_COMMAND_ACK, .front = write_ack});
}

int mon_tell(struct mon_call *call)
{
    struct signet_reader r = signet_reader_init(call->in->front.p, call->in->front.len);
    struct request q = {0};
    read_request(&r, &q);
    int err = mon_front_done(call, &r, "MCommand", 1);
    if (err != 0) {
        return err;
    }
    return answer(call, &q, -EACCES,
                  (struct mon_reply){.type = MSG_COMMAND_REPLY, .front = write_tell});
}
