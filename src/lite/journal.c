/* SPDX-License-Identifier: MIT */
/* Appending. */
#include "lite/journal_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/secret.h"

enum { FREE_MAX = 16, KEEP_MAX = 1 << 20, PLACE_MIN = 8192, PATH_LEN = 4096 };

static int system_failed(struct signet_fail *fail, const char *what, const char *path)
{
    return signet_fail_set(fail, -SIGNET_E_FILE, "journal", 0, "cannot %s %.120s: %s", what, path,
                           strerror(errno));
}

static int sync_directory(const char *dir)
{
    int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int err = fd < 0 || fsync(fd) != 0 ? -1 : 0;
    if (fd >= 0) {
        close(fd);
    }
    return err;
}

static int path_of(char out[PATH_LEN], const char *dir, const char *name, struct signet_fail *fail)
{
    int len = snprintf(out, PATH_LEN, "%s/%s", dir, name);
    if (len < 0 || len >= PATH_LEN) {
        errno = ENAMETOOLONG;
        return system_failed(fail, "open", dir);
    }
    return 0;
}

static int open_file(struct journal *j, const char *dir, const char *name, int flags,
                     struct signet_fail *fail)
{
    char path[PATH_LEN];
    int err = path_of(path, dir, name, fail);
    if (err != 0) {
        return err;
    }
    if (mkdir(dir, 0700) != 0 && errno != EEXIST) {
        return system_failed(fail, "make the directory", dir);
    }
    j->fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | flags, 0600);
    if (j->fd < 0) {
        return system_failed(fail, "open", path);
    }
    if (flock(j->fd, LOCK_EX | LOCK_NB) != 0) {
        return errno == EWOULDBLOCK ? signet_fail_set(fail, -SIGNET_E_FILE, "journal", 0,
                                                      "another process uses %.120s", path)
                                    : system_failed(fail, "lock", path);
    }
    return sync_directory(dir) != 0 ? system_failed(fail, "flush", dir) : 0;
}

static int make_sealer(struct journal *j, struct signet_fail *fail)
{
    int err = signet_record_sealer_new(&j->sealer, SIGNET_RECORD_GCM, j->key, j->next, NULL);
    return err != 0 ? signet_fail_set(fail, err, "journal", 0, "cannot seal records: %s",
                                      signet_strerror(err))
                    : 0;
}

static int start_flushing(struct journal *j, struct signet_fail *fail)
{
    int err = journal_flush_start(j);
    return err != 0 ? signet_fail_set(fail, err, "journal", 0,
                                      "the system gives no thread that flushes it")
                    : 0;
}

static struct journal *journal_make(const struct journal_options *options)
{
    struct journal *j = signet_secret_alloc(sizeof(*j)); /* it has the key */
    if (j != NULL) {
        j->fd = -1;
        j->sync = options->sync;
        memcpy(j->key, options->key, sizeof(j->key));
        pthread_mutex_init(&j->lock, NULL);
        pthread_cond_init(&j->turn, NULL);
    }
    return j;
}

static int finish(struct journal **out, struct journal *j, int err)
{
    if (err != 0) {
        journal_close(j);
        return err;
    }
    *out = j;
    return 0;
}

int journal_open(struct journal **out, const struct journal_options *options, journal_replay replay,
                 void *arg, struct journal_report *report, struct signet_fail *fail)
{
    *out = NULL;
    *report = (struct journal_report){0};
    struct journal *j = journal_make(options);
    if (j == NULL) {
        return -SIGNET_E_NOMEM;
    }
    int err = open_file(j, options->dir, "journal", 0, fail);
    if (err == 0) {
        err = journal_read(j, replay, arg, report, fail);
    }
    if (err == 0 && ftruncate(j->fd, (off_t)j->end) != 0) {
        err = system_failed(fail, "cut the journal in", options->dir);
    }
    if (err == 0) {
        err = make_sealer(j, fail);
    }
    return finish(out, j, err == 0 && j->sync ? start_flushing(j, fail) : err);
}

int journal_open_new(struct journal **out, const struct journal_options *options,
                     struct signet_fail *fail)
{
    *out = NULL;
    struct journal *j = journal_make(options);
    if (j == NULL) {
        return -SIGNET_E_NOMEM;
    }
    j->sync = false; /* once, before it takes the other's place */
    int err = open_file(j, options->dir, "journal.new", O_TRUNC, fail);
    return finish(out, j, err == 0 ? make_sealer(j, fail) : err);
}

int journal_replace(struct journal *fresh, const struct journal_options *options,
                    struct signet_fail *fail)
{
    char from[PATH_LEN], to[PATH_LEN];
    int err = path_of(from, options->dir, "journal.new", fail);
    if (err == 0) {
        err = path_of(to, options->dir, "journal", fail);
    }
    if (err != 0) {
        return err;
    }
    if (fdatasync(fresh->fd) != 0 || rename(from, to) != 0 || sync_directory(options->dir) != 0) {
        return system_failed(fail, "put in place", from);
    }
    fresh->sync = options->sync;
    return fresh->sync ? start_flushing(fresh, fail) : 0;
}

void journal_close(struct journal *j)
{
    if (j == NULL) {
        return;
    }
    journal_flush_stop(j);
    if (j->fd >= 0) {
        (void)!fdatasync(j->fd);
        close(j->fd);
    }
    while (j->free != NULL) {
        struct journal_place *next = j->free->next;
        free(j->free);
        j->free = next;
    }
    signet_record_sealer_free(j->sealer);
    pthread_mutex_destroy(&j->lock);
    pthread_cond_destroy(&j->turn);
    signet_secret_free(j, sizeof(*j));
}

void journal_discard(struct journal *fresh, const struct journal_options *options)
{
    char path[PATH_LEN];
    if (path_of(path, options->dir, "journal.new", NULL) == 0) {
        unlink(path);
    }
    journal_close(fresh);
}

/* --- places --------------------------------------------------------------------------------- */

uint8_t *journal_body(struct journal_place *place)
{
    return place->record + SIGNET_RECORD_HEADER_LEN;
}

int journal_place(struct journal *j, struct journal_place **out, size_t len)
{
    size_t need = signet_record_len(SIGNET_RECORD_GCM, len);
    *out = NULL;
    if (need == 0) {
        return -E2BIG;
    }
    pthread_mutex_lock(&j->lock);
    struct journal_place *place = j->free;
    if (place != NULL) {
        j->free = place->next;
        j->num_free--;
    }
    pthread_mutex_unlock(&j->lock);
    if (place == NULL || place->cap < need) {
        size_t cap = need > PLACE_MIN ? need : PLACE_MIN;
        free(place);
        place = malloc(sizeof(*place) + cap);
        if (place == NULL) {
            return -ENOMEM;
        }
        place->cap = cap;
    }
    place->len = len;
    *out = place;
    return 0;
}

/* Under the lock. */
static void give_back(struct journal *j, struct journal_place *place)
{
    if (j->num_free < FREE_MAX && place->cap <= KEEP_MAX) {
        place->next = j->free;
        j->free = place;
        j->num_free++;
    } else {
        free(place);
    }
}

/* --- appending ------------------------------------------------------------------------------ */

/* Under the lock. Numbers that were taken and not written belong to the sealer that is gone. */
static int renew(struct journal *j)
{
    struct signet_record_sealer *sealer;
    if (j->dead || j->in_flight > 0) {
        return -j->failed;
    }
    if (signet_record_sealer_new(&sealer, SIGNET_RECORD_GCM, j->key, j->next, NULL) != 0) {
        return -EIO;
    }
    signet_record_sealer_free(j->sealer);
    j->sealer = sealer;
    j->failed = 0;
    return 0;
}

static int take_number(struct journal *j, uint64_t *seq)
{
    if (journal_lost(j)) {
        return -EIO;
    }
    pthread_mutex_lock(&j->lock);
    int err = j->failed != 0 ? renew(j) : 0;
    if (err == 0 && signet_record_reserve(j->sealer, seq, 1) != 0) {
        err = -EIO;
    }
    j->in_flight += err == 0 ? 1 : 0;
    pthread_mutex_unlock(&j->lock);
    return err;
}

/* Under the lock, in turn. */
static int write_record(struct journal *j, const uint8_t *p, size_t len)
{
    uint64_t at = j->end;
    while (len > 0) {
        ssize_t n = pwrite(j->fd, p, len, (off_t)at);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            return n < 0 && (errno == ENOSPC || errno == EDQUOT) ? ENOSPC : EIO;
        }
        p += n;
        len -= (size_t)n;
        at += (uint64_t)n;
    }
    j->end = at;
    return 0;
}

/* After a failure: what is behind the last whole record goes. */
static void fail(struct journal *j, int error)
{
    j->failed = error;
    if (ftruncate(j->fd, (off_t)j->end) != 0) {
        j->dead = true;
    }
}

static int write_in_turn(struct journal *j, uint64_t seq, const uint8_t *record, size_t len)
{
    pthread_mutex_lock(&j->lock);
    while (j->failed == 0 && j->next != seq) {
        pthread_cond_wait(&j->turn, &j->lock);
    }
    if (j->failed == 0) {
        int error = len > 0 ? write_record(j, record, len) : EIO;
        if (error != 0) {
            fail(j, error);
        } else {
            j->next++;
            atomic_store_explicit(&j->appended, j->next, memory_order_release);
        }
    }
    int err = -j->failed;
    j->in_flight--;
    if (j->in_flight > 0) {
        pthread_cond_broadcast(&j->turn);
    }
    return err;
}

int journal_append(struct journal *j, struct journal_place *place)
{
    uint64_t seq;
    size_t len = 0;
    int err = take_number(j, &seq);
    if (err != 0) {
        pthread_mutex_lock(&j->lock);
    } else {
        /* a record that cannot be sealed fails in its turn, with those behind it */
        (void)!signet_record_seal_at(j->sealer, seq, place->record, place->cap, &len,
                                     journal_body(place), place->len);
        err = write_in_turn(j, seq, place->record, len);
    }
    if (len == 0) { /* it was not sealed, and its memory goes on to others */
        signet_wipe(journal_body(place), place->len);
    }
    j->refused += err != 0 ? 1 : 0;
    give_back(j, place);
    pthread_mutex_unlock(&j->lock);
    return err;
}

struct journal_usage journal_usage(struct journal *j)
{
    struct journal_usage u = {.bytes = 0};
    if (j != NULL) {
        pthread_mutex_lock(&j->lock);
        u = (struct journal_usage){.bytes = j->end, .refused = j->refused};
        pthread_mutex_unlock(&j->lock);
        u.flushes = atomic_load_explicit(&j->flush.flushes, memory_order_relaxed);
        u.lost = journal_lost(j);
    }
    return u;
}
