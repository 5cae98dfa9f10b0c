/* SPDX-License-Identifier: MIT */
/* Reading the journal at the start. */
#include "lite/journal_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/secret.h"
#include "base/zeros.h"

enum { FIRST_CAP = 1 << 20, SCAN = 8192 };

/* A part of the file: the bytes from `at` on that are not consumed. */
struct window {
    int fd;
    uint8_t *buf;
    size_t cap, from, len;
    uint64_t at;    /* offset in the file of buf[from] */
    bool end;       /* there is no more */
    uint64_t limit; /* read no further; 0: to the end */
};

static int read_failed(const struct window *w, int err, struct signet_fail *fail)
{
    return signet_fail_set(fail, err, "journal", w->at, "cannot read the journal: %s",
                           err == -SIGNET_E_NOMEM ? signet_strerror(err) : strerror(errno));
}

/* Room for `need` bytes from the next record on. */
static int make_room(struct window *w, size_t need)
{
    if (w->from > 0) {
        memmove(w->buf, w->buf + w->from, w->len);
        w->from = 0;
    }
    if (need <= w->cap) {
        return 0;
    }
    size_t cap = need > 2 * w->cap ? need : 2 * w->cap;
    uint8_t *bigger = malloc(cap);
    if (bigger == NULL) {
        return -SIGNET_E_NOMEM;
    }
    if (w->len > 0) {
        memcpy(bigger, w->buf, w->len);
    }
    signet_wipe(w->buf, w->cap);
    free(w->buf);
    w->buf = bigger;
    w->cap = cap;
    return 0;
}

/* More of the file, at least up to `need` bytes if it has so many. */
static int fill(struct window *w, size_t need, struct signet_fail *fail)
{
    int err = make_room(w, need > FIRST_CAP ? need : FIRST_CAP);
    while (err == 0 && !w->end && w->len < need) {
        uint64_t at = w->at + w->len;
        size_t want = w->cap - w->len;
        if (w->limit != 0 && want > w->limit - at) {
            want = (size_t)(w->limit - at);
        }
        ssize_t n = pread(w->fd, w->buf + w->len, want, (off_t)at);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n < 0) {
            err = -SIGNET_E_FILE;
        }
        w->end = n == 0;
        w->len += n > 0 ? (size_t)n : 0;
    }
    return err != 0 ? read_failed(w, err, fail) : 0;
}

/* Behind the `used` bytes of what was never written, a header or a record without its end, a crash
 * leaves space without contents at most. Anything else is a hole in the middle of the file, and
 * what follows it must not be cut off as if it were torn. */
static int check_end(struct window *w, size_t used, struct signet_fail *fail)
{
    uint8_t chunk[SCAN];
    size_t left = w->len - used;
    bool zeros = signet_all_zeros(w->buf + w->from + used, left);
    uint64_t at = w->at + w->len;
    while (zeros) {
        ssize_t n = pread(w->fd, chunk, sizeof(chunk), (off_t)at);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n < 0) {
            return read_failed(w, -SIGNET_E_FILE, fail);
        }
        if (n == 0) {
            return 0;
        }
        zeros = signet_all_zeros(chunk, (size_t)n);
        at += (uint64_t)n;
    }
    return signet_fail_set(fail, -SIGNET_E_RECORD_HEADER, "journal", w->at,
                           "zeros in place of a record, or of its end, and data behind them");
}

/* The next record, as much as it takes of the file; view->len 0 at the end, torn ones included. */
static int next(struct window *w, struct signet_record_reader *reader,
                struct signet_record_view *view, struct signet_fail *fail)
{
    for (;;) {
        size_t need = 0;
        int err = signet_record_open(reader, w->buf + w->from, w->len, view, &need, fail);
        if ((err == 0 && view->len > 0) || (err != 0 && err != -SIGNET_E_RECORD_TORN)) {
            return err;
        }
        view->len = 0;
        if (need <= w->len) {
            return check_end(w, need, fail);
        }
        if (w->end) {
            return 0;
        }
        err = fill(w, need, fail);
        if (err != 0) {
            return err;
        }
    }
}

static int read_all(struct window *w, struct signet_record_reader *reader, journal_replay replay,
                    void *arg, struct journal_report *report, struct signet_fail *fail)
{
    struct signet_record_view view;
    int err = fill(w, SIGNET_RECORD_HEADER_LEN, fail);
    while (err == 0) {
        err = next(w, reader, &view, fail);
        if (err != 0 || view.len == 0) {
            break;
        }
        err = replay(arg, view.body, fail);
        if (err != 0 && fail != NULL) {
            fail->offset = view.offset;
        }
        signet_wipe(w->buf + w->from, view.len);
        w->from += view.len;
        w->len -= view.len;
        w->at += view.len;
        report->records++;
    }
    return err;
}

int journal_read_part(struct journal *j, const struct journal_point *from,
                      const struct journal_point *to, journal_replay replay, void *arg,
                      struct signet_fail *fail)
{
    struct window w = {.fd = j->fd, .at = from->offset, .limit = to->offset};
    struct journal_report report = {.records = 0};
    struct signet_record_reader *reader;
    int err = signet_record_reader_new(&reader, SIGNET_RECORD_GCM, j->key, from->number,
                                       from->offset, SIGNET_RECORD_MAX, NULL);
    if (err != 0) {
        return signet_fail_set(fail, err, "journal", 0, "cannot open records: %s",
                               signet_strerror(err));
    }
    err = read_all(&w, reader, replay, arg, &report, fail);
    signet_record_reader_free(reader);
    if (w.buf != NULL) {
        signet_wipe(w.buf, w.cap);
    }
    free(w.buf);
    if (err == 0 && (w.at != to->offset || report.records != to->number - from->number)) {
        err = signet_fail_set(fail, -SIGNET_E_FILE, "journal", w.at,
                              "a part of the file was changed by somebody else");
    }
    return err;
}

int journal_read(struct journal *j, journal_replay replay, void *arg, struct journal_report *report,
                 struct signet_fail *fail)
{
    struct window w = {.fd = j->fd};
    struct signet_record_reader *reader;
    int err =
        signet_record_reader_new(&reader, SIGNET_RECORD_GCM, j->key, 0, 0, SIGNET_RECORD_MAX, NULL);
    if (err != 0) {
        return signet_fail_set(fail, err, "journal", 0, "cannot open records: %s",
                               signet_strerror(err));
    }
    err = read_all(&w, reader, replay, arg, report, fail);
    signet_record_reader_free(reader);
    if (w.buf != NULL) {
        signet_wipe(w.buf, w.cap);
    }
    free(w.buf);
    j->next = report->records;
    j->end = report->bytes = w.at;
    struct stat st;
    if (err == 0 && fstat(j->fd, &st) == 0 && (uint64_t)st.st_size > w.at) {
        report->cut = (uint64_t)st.st_size - w.at;
    }
    return err;
}
