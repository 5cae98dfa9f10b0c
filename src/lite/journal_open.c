/* SPDX-License-Identifier: MIT */
/* Its file: opened, put in place, closed. */
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

enum { PATH_LEN = 4096, TRIES = 100 };

static int system_failed(struct signet_fail *fail, const char *what, const char *path)
{
    return signet_fail_set(fail, -SIGNET_E_FILE, "journal", 0, "cannot %s %.120s: %s", what, path,
                           strerror(errno));
}

int journal_sync_directory(const char *dir)
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

static int lock_file(struct journal *j, const char *path, int flags, struct signet_fail *fail)
{
    j->fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | flags, 0600);
    if (j->fd < 0) {
        return system_failed(fail, "open", path);
    }
    journal_step(j, JOURNAL_FOUND);
    if (flock(j->fd, LOCK_EX | LOCK_NB) != 0) {
        return errno == EWOULDBLOCK ? signet_fail_set(fail, -SIGNET_E_FILE, "journal", 0,
                                                      "another process uses %.120s", path)
                                    : system_failed(fail, "lock", path);
    }
    return 0;
}

/* Another process may have put a new one in its place before this one was locked. */
static bool has_name(const struct journal *j, const char *path)
{
    struct stat file, name;
    return fstat(j->fd, &file) == 0 && lstat(path, &name) == 0 && file.st_dev == name.st_dev &&
           file.st_ino == name.st_ino;
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
    err = lock_file(j, path, flags, fail);
    for (int i = 0; i < TRIES && err == 0; i++) {
        if (has_name(j, path)) {
            return journal_sync_directory(dir) != 0 ? system_failed(fail, "flush", dir) : 0;
        }
        close(j->fd);
        err = lock_file(j, path, flags, fail);
    }
    return err != 0 ? err
                    : signet_fail_set(fail, -SIGNET_E_FILE, "journal", 0,
                                      "%.120s is replaced again and again", path);
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
        j->step = options->step;
        j->max_bytes = options->max_bytes;
        j->dir = strdup(options->dir);
        memcpy(j->key, options->key, sizeof(j->key));
        pthread_mutex_init(&j->lock, NULL);
        pthread_mutex_init(&j->io, NULL);
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

void journal_remove_new(const char *dir)
{
    char path[PATH_LEN];
    if (path_of(path, dir, "journal.new", NULL) == 0) {
        unlink(path);
    }
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
    if (err == 0 && report->cut > 0 && ftruncate(j->fd, (off_t)j->end) != 0) {
        err = system_failed(fail, "cut the journal in", options->dir);
    }
    j->room = j->planned = j->end;
    if (err == 0) {
        journal_remove_new(options->dir); /* of a process that was killed while it wrote */
        (void)journal_take_ahead(j, JOURNAL_RESERVE);
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
    j->fresh = true;
    int err = open_file(j, options->dir, "journal.new", O_TRUNC, fail);
    return finish(out, j, err == 0 ? make_sealer(j, fail) : err);
}

int journal_rename(const char *dir, struct signet_fail *fail)
{
    char from[PATH_LEN], to[PATH_LEN];
    int err = path_of(from, dir, "journal.new", fail);
    if (err == 0) {
        err = path_of(to, dir, "journal", fail);
    }
    if (err == 0 && rename(from, to) != 0) {
        err = system_failed(fail, "put in place", from);
    }
    return err;
}

void journal_close(struct journal *j)
{
    if (j == NULL) {
        return;
    }
    journal_flush_stop(j);
    if (j->fd >= 0) {
        (void)!(j->gone || fdatasync(j->fd));
        close(j->fd);
    }
    while (j->free != NULL) {
        struct journal_place *next = j->free->next;
        free(j->free);
        j->free = next;
    }
    signet_record_sealer_free(j->sealer);
    pthread_mutex_destroy(&j->lock);
    pthread_mutex_destroy(&j->io);
    free(j->dir);
    pthread_cond_destroy(&j->turn);
    signet_secret_free(j, sizeof(*j));
}
