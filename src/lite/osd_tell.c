/* SPDX-License-Identifier: MIT */
/* MCommand: `ceph tell osd.0 ...`. Source: monlite.md 6.5. */
#include "lite/osd_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <signet/signet.h>

#include "base/fail.h"
#include "lite/text.h"

enum { FSID_LEN = 16, WORDS_MAX = 16, COMMAND_MAX = 1 << 16, FRONT_MAX = 128, PRIORITY = 127 };

struct answer {
    int32_t code;
    const char *say;
    struct lite_text out;
};

static void add_command(json_t *all, const char *key, const char *word, const char *help)
{
    json_object_set_new(all, key,
                        json_pack("{s:[s], s:s, s:s, s:s, s:i}", "sig", word, "help", help,
                                  "module", "osd", "perm", "r", "flags", 0));
}

static void descriptions(struct lite_text *out)
{
    json_t *all = json_object();
    add_command(all, "cmd000", "get_command_descriptions", "describe all commands");
    add_command(all, "cmd001", "version", "show the version of the daemon");
    lite_text_json(out, all, JSON_COMPACT);
}

static void version(struct lite_text *out)
{
    lite_text_json(out, json_pack("{s:s+}", "version", "signet ", signet_version()),
                   JSON_INDENT(4));
    lite_text_add(out, "\n", 1);
}

static void run(const char *prefix, struct answer *a)
{
    if (prefix != NULL && strcmp(prefix, "get_command_descriptions") == 0) {
        descriptions(&a->out);
    } else if (prefix != NULL && strcmp(prefix, "version") == 0) {
        version(&a->out);
    } else {
        a->code = -EINVAL;
        a->say = "command not known";
    }
}

static void run_json(const struct osd_call *call, struct signet_span text, struct answer *a)
{
    if (!osd_caps_all(&call->session->caps)) {
        a->code = -EACCES;
        a->say = "access denied: commands take osd 'allow *'";
        return;
    }
    json_t *json = json_loadb((const char *)text.p, text.len, JSON_REJECT_DUPLICATES, NULL);
    run(json_string_value(json_object_get(json, "prefix")), a);
    json_decref(json);
    if (a->out.err != 0) {
        a->code = -ENOMEM;
        lite_text_clear(&a->out);
    }
}

static int send_answer(struct osd_call *call, const struct answer *a)
{
    uint8_t front[FRONT_MAX];
    struct signet_writer w = signet_writer_init(front, sizeof(front));
    signet_write_u32(&w, (uint32_t)a->code);
    signet_write_blob(&w, a->say, strlen(a->say));
    struct signet_message out = {
        .tid = call->in->tid,
        .type = MSG_TELL_REPLY,
        .priority = PRIORITY,
        .version = 1,
        .compat_version = 1,
        .flags = 3,
        .front = {front, (size_t)w.len},
    };
    struct iovec data = {a->out.p, a->out.len};
    return w.err != 0 ? w.err : call->send(call->arg, &out, &data, a->out.len > 0 ? 1 : 0);
}

int osd_tell(struct osd_call *call)
{
    struct signet_reader r = signet_reader_init(call->in->front.p, call->in->front.len);
    struct signet_span fsid = signet_read_view(&r, FSID_LEN), first = {NULL, 0};
    uint32_t num = signet_read_count(&r, WORDS_MAX, 4);
    for (uint32_t i = 0; i < num && r.err == 0; i++) {
        struct signet_span word = signet_read_blob(&r, COMMAND_MAX);
        first = i == 0 ? word : first;
    }
    int err = call->in->version > 1 ? r.err : signet_reader_done(&r);
    if (err != 0) {
        return signet_fail_set(call->fail, err, "MCommand", signet_reader_offset(&r),
                               "the front of %zu bytes does not decode: %s", call->in->front.len,
                               signet_strerror(err));
    }
    struct answer a = {.say = ""};
    if (memcmp(fsid.p, call->osd->cluster->fsid, FSID_LEN) != 0) {
        a.code = -EACCES;
        a.say = "wrong fsid";
    } else {
        run_json(call, first, &a);
    }
    err = send_answer(call, &a);
    lite_text_clear(&a.out);
    return err;
}
