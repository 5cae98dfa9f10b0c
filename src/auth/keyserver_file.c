/* SPDX-License-Identifier: MIT */
/*
 * The state file. Text, so that an operator can read it:
 *
 *   signet-state 1
 *   crc 1a2b3c4d               crc32c of all that follows; "-" after editing by hand
 *   global-id 8192             all numbers below may have been given out
 *   max auth 3
 *   secret auth 2 1700000000.000000000 AgAA...
 *   pending client.x 1700000000.000000000 AgAA...
 *   keyring
 *   [client.admin]             from here on a keyring
 *           key = AgAA...
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "auth/keyring_priv.h"
#include "auth/keyserver_priv.h"
#include "auth/state_text.h"
#include "base/crc32c.h"
#include "base/fail.h"
#include "base/secret.h"

#define NS_PER_SEC UINT64_C(1000000000)

/* --- writing -------------------------------------------------------------------------------- */

static void put_time(struct state_text *t, uint64_t ns)
{
    state_text_add(t, "%" PRIu64 ".%09" PRIu64 " ", ns / NS_PER_SEC, ns % NS_PER_SEC);
}

static void put_key(struct state_text *t, const struct signet_key *key)
{
    char text[SIGNET_KEY_TEXT_MAX];
    int err = signet_key_print(key, text, sizeof(text));
    if (err != 0) {
        t->err = t->err != 0 ? t->err : err;
    }
    state_text_add(t, "%s\n", err == 0 ? text : "");
    signet_wipe(text, sizeof(text));
}

static void put_rotating(struct state_text *t, const struct snapshot *snapshot)
{
    for (int i = 0; i < ROTATING_SERVICES; i++) {
        const struct rotating_set *set = &snapshot->rotating[i];
        const char *name = signet_service_name(rotating_service(i));
        state_text_add(t, "max %s %" PRIu64 "\n", name, set->max_ver);
        for (unsigned k = 0; k < set->num; k++) {
            state_text_add(t, "secret %s %" PRIu64 " ", name, set->secret[k].id);
            put_time(t, set->secret[k].expires_ns);
            put_key(t, set->secret[k].key);
        }
    }
}

static void put_pending(struct state_text *t, const struct snapshot *snapshot)
{
    char name[SIGNET_NAME_TEXT_MAX];
    for (size_t i = 0; i < snapshot->num; i++) {
        const struct principal *p = snapshot->principals[i];
        if (p->pending != NULL) {
            /* The time first: a name may have blanks. */
            state_text_add(t, "pending ");
            put_time(t, p->pending_since_ns);
            state_text_add(t, "%s ", signet_name_print(&p->name, name));
            put_key(t, p->pending);
        }
    }
}

static void put_keyring(struct state_text *t, const struct snapshot *snapshot)
{
    struct signet_keyring *keyring;
    int err = snapshot_export(snapshot, false, &keyring);
    if (err != 0) {
        t->err = t->err != 0 ? t->err : err;
        return;
    }
    size_t len = signet_keyring_text_len(keyring);
    char *room = state_text_room(t, len);
    if (room != NULL) {
        err = signet_keyring_print(keyring, room, len, &len);
        t->err = t->err != 0 ? t->err : err;
    }
    signet_keyring_free(keyring);
}

/* Keeps the last good file beside the new one. */
static void keep_old(const char *path)
{
    char old[4096];
    if (snprintf(old, sizeof(old), "%s.old", path) < (int)sizeof(old)) {
        unlink(old);
        /* Best effort; there may be no file yet. What a link leads to is kept, not the link. */
        (void)linkat(AT_FDCWD, path, AT_FDCWD, old, AT_SYMLINK_FOLLOW);
    }
}

int state_save(const char *path, const struct snapshot *snapshot, const struct state_extra *extra)
{
    struct state_text t = {0};
    state_text_add(&t, "signet-state 1\ncrc 00000000\n");
    size_t body = t.len;
    state_text_add(&t, "global-id %" PRIu64 "\n", extra->id_limit);
    put_rotating(&t, snapshot);
    put_pending(&t, snapshot);
    state_text_add(&t, "keyring\n");
    put_keyring(&t, snapshot);
    int err = t.err;
    if (err == 0) {
        char crc[9];
        snprintf(crc, sizeof(crc), "%08" PRIx32,
                 signet_crc32c(UINT32_MAX, t.p + body, t.len - body));
        memcpy(t.p + body - 9, crc, 8);
        keep_old(path);
        err = keyring_store(path, t.p, t.len, 0600) ? 0 : -SIGNET_E_FILE;
    }
    state_text_free(&t);
    return err;
}

/* --- reading -------------------------------------------------------------------------------- */

struct loader {
    struct state_lines lines;
    struct snapshot *snapshot;
    struct state_extra *extra;
    struct signet_fail *fail;
    bool in_keyring;
};

static int bad(struct loader *l, const char *expected)
{
    return signet_fail_set(l->fail, -SIGNET_E_STATE_FILE, "state file", l->lines.number,
                           "line %u: expected %s", l->lines.number, expected);
}

static int bad_key(struct loader *l, int err)
{
    return signet_fail_set(l->fail, -SIGNET_E_STATE_FILE, "state file", l->lines.number,
                           "line %u: the key: %s", l->lines.number, signet_strerror(err));
}

static int read_max(struct loader *l)
{
    uint32_t service;
    uint64_t max;
    if (!state_word_service(&l->lines, &service) || !state_word_u64(&l->lines, &max)) {
        return bad(l, "\"max SERVICE NUMBER\"");
    }
    struct rotating_set *set = &l->snapshot->rotating[rotating_index(service)];
    set->max_ver = max > set->max_ver ? max : set->max_ver;
    return 0;
}

static int read_secret(struct loader *l)
{
    uint32_t service;
    uint64_t id, expires_ns;
    if (!state_word_service(&l->lines, &service) || !state_word_u64(&l->lines, &id) ||
        !state_word_time(&l->lines, &expires_ns)) {
        return bad(l, "\"secret SERVICE ID SECONDS.NANOSECONDS KEY\"");
    }
    struct signet_key *key;
    int err = signet_key_parse(&key, l->lines.p, l->lines.len, NULL, NULL);
    if (err != 0) {
        return bad_key(l, err);
    }
    if (rotating_append(&l->snapshot->rotating[rotating_index(service)], id, key, expires_ns) !=
        0) {
        signet_key_unref(key);
        return bad(l, "at most three secrets of a service, ids ascending");
    }
    return 0;
}

/* Pending keys come before the keyring: they wait in principals without a key. */
static int read_pending(struct loader *l)
{
    uint64_t since_ns;
    struct signet_name name;
    struct signet_key *key;
    if (!state_word_time(&l->lines, &since_ns) || !state_word_name(&l->lines, &name)) {
        return bad(l, "\"pending SECONDS.NANOSECONDS ENTITY KEY\"");
    }
    int err = signet_key_parse(&key, l->lines.p, l->lines.len, NULL, NULL);
    if (err != 0) {
        return bad_key(l, err);
    }
    struct principal *p = principal_new(&name, key, NULL, 0);
    signet_key_unref(key);
    struct snapshot *grown = p != NULL ? snapshot_copy(l->snapshot, SIZE_MAX) : NULL;
    if (grown == NULL) {
        principal_unref(p);
        return -SIGNET_E_NOMEM;
    }
    p->pending_since_ns = since_ns;
    snapshot_insert(grown, p);
    snapshot_free(l->snapshot);
    l->snapshot = grown;
    return 0;
}

static int read_global_id(struct loader *l)
{
    if (!state_word_u64(&l->lines, &l->extra->id_limit) || l->lines.len != 0 ||
        l->extra->id_limit < GLOBAL_ID_FIRST) {
        return bad(l, "\"global-id NUMBER\", 4096 or more");
    }
    return 0;
}

static int read_line(struct loader *l)
{
    if (state_word_is(&l->lines, "secret")) {
        return read_secret(l);
    }
    if (state_word_is(&l->lines, "max")) {
        return read_max(l);
    }
    if (state_word_is(&l->lines, "pending")) {
        return read_pending(l);
    }
    if (state_word_is(&l->lines, "global-id")) {
        return read_global_id(l);
    }
    if (state_word_is(&l->lines, "keyring") && l->lines.len == 0) {
        l->in_keyring = true;
        return 0;
    }
    return bad(l, "global-id, max, secret, pending or keyring");
}

/* Gives principals of `from` to l's snapshot; those that wait there have the pending key. */
static int merge(struct loader *l, const struct signet_keyring *keyring)
{
    struct snapshot *waiting = l->snapshot;
    size_t num = signet_keyring_num(keyring), used = 0;
    struct principal **list = calloc(num + 1, sizeof(struct principal *));
    int err = list != NULL ? 0 : -SIGNET_E_NOMEM;
    for (size_t i = 0; err == 0 && i < num; i++) {
        size_t at;
        err = principal_from_keyring(keyring, i, &list[i], l->fail);
        if (err == 0 && snapshot_find(waiting, &list[i]->name, &at)) {
            list[i]->pending = signet_key_ref(waiting->principals[at]->key);
            list[i]->pending_since_ns = waiting->principals[at]->pending_since_ns;
            used++;
        }
    }
    if (err == 0 && used != waiting->num) {
        err = bad(l, "each pending key to have its entity in the keyring");
    }
    struct principal **drop = err == 0 ? waiting->principals : list;
    size_t num_drop = err == 0 ? waiting->num : num;
    for (size_t i = 0; drop != NULL && i < num_drop; i++) {
        principal_unref(drop[i]);
    }
    free(drop);
    if (err == 0) {
        waiting->principals = list; /* a keyring is in the order of names */
        waiting->num = num;
    }
    return err;
}

static int read_keyring(struct loader *l)
{
    struct signet_keyring *keyring;
    struct signet_fail why = {0};
    uint64_t before = l->lines.number;
    int err = signet_keyring_parse(&keyring, l->lines.rest, l->lines.rest_len, &why);
    if (err != 0) {
        return signet_fail_set(l->fail, -SIGNET_E_STATE_FILE, "state file", before + why.offset,
                               "line %" PRIu64 ": %.150s", before + why.offset, why.text);
    }
    err = merge(l, keyring);
    signet_keyring_free(keyring);
    return err;
}

static int read_crc(struct loader *l)
{
    char want[16];
    snprintf(want, sizeof(want), "%08" PRIx32,
             signet_crc32c(UINT32_MAX, l->lines.rest, l->lines.rest_len));
    bool none = l->lines.len == 1 && l->lines.p[0] == '-';
    if (!none && (l->lines.len != 8 || memcmp(l->lines.p, want, 8) != 0)) {
        return bad(l, "the crc of the rest of the file: it was cut off or changed; put "
                      "\"crc -\" here after editing by hand");
    }
    return 0;
}

static int read_head(struct loader *l)
{
    if (!state_next_line(&l->lines) || !state_word_is(&l->lines, "signet-state") ||
        l->lines.len != 1 || l->lines.p[0] != '1') {
        return bad(l, "\"signet-state 1\"");
    }
    if (!state_next_line(&l->lines) || !state_word_is(&l->lines, "crc")) {
        return bad(l, "\"crc\" and eight hexadecimal digits");
    }
    return read_crc(l);
}

static int parse(struct loader *l)
{
    int err = read_head(l);
    while (err == 0 && !l->in_keyring) {
        err = state_next_line(&l->lines) ? read_line(l) : bad(l, "the line \"keyring\"");
    }
    return err == 0 ? read_keyring(l) : err;
}

/* 0 with *there false when there is no file. */
static int check_file(const char *path, bool *there, struct signet_fail *fail)
{
    struct stat st;
    *there = stat(path, &st) == 0;
    if (!*there) {
        return errno == ENOENT ? 0
                               : signet_fail_set(fail, -SIGNET_E_FILE, "state file", 0,
                                                 "cannot read %.100s: %s", path, strerror(errno));
    }
    if ((st.st_mode & 077) != 0) {
        return signet_fail_set(fail, -SIGNET_E_STATE_MODE, "state file", 0,
                               "%.100s has mode %04o, but it holds every secret: chmod 600 it",
                               path, st.st_mode & 07777);
    }
    return 0;
}

int state_parse(const char *text, size_t len, struct snapshot **out, struct state_extra *extra,
                struct signet_fail *fail)
{
    struct loader l = {.lines = {.rest = text, .rest_len = len},
                       .snapshot = snapshot_new(),
                       .extra = extra,
                       .fail = fail};
    *out = NULL;
    int err = l.snapshot != NULL ? parse(&l) : -SIGNET_E_NOMEM;
    if (err != 0) {
        snapshot_free(l.snapshot);
        return err;
    }
    *out = l.snapshot;
    return 0;
}

int state_load(const char *path, struct snapshot **out, struct state_extra *extra,
               struct signet_fail *fail)
{
    bool there;
    uint8_t *text;
    size_t len, room;
    *out = NULL;
    int err = check_file(path, &there, fail);
    if (err != 0 || !there) {
        return err;
    }
    err = keyring_file_read(&text, &len, &room, path, fail);
    if (err == 0) {
        err = state_parse((const char *)text, len, out, extra, fail);
        signet_secret_free(text, room);
    }
    return err;
}
