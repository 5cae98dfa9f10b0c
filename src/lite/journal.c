/* SPDX-License-Identifier: MIT */
/* Appending. */
#include "lite/journal_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/secret.h"

enum { FREE_MAX = 16, KEEP_MAX = 1 << 20, PLACE_MIN = 8192 };

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
    place->frees = false;
    *out = place;
    return 0;
}

void journal_frees(struct journal_place *place)
{
    place->frees = true;
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
    j->planned = j->end;
    return 0;
}

static int take_number(struct journal *j, const struct journal_place *place, uint64_t *seq)
{
    uint64_t len = signet_record_len(SIGNET_RECORD_GCM, place->len);
    if (journal_lost(j)) {
        return -EIO;
    }
    pthread_mutex_lock(&j->lock);
    while (j->moving) {
        pthread_cond_wait(&j->turn, &j->lock);
    }
    int err = j->failed != 0 ? renew(j) : 0;
    if (err == 0) {
        err = journal_room(j, len, place->frees);
    }
    if (err == 0 && signet_record_reserve(j->sealer, seq, 1) != 0) {
        err = -EIO;
    }
    if (err == 0) {
        j->in_flight++;
        j->planned += len;
    }
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
    j->room = j->end; /* what was taken ahead is gone with it */
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
            atomic_fetch_add_explicit(&j->appended, 1, memory_order_release);
        }
    }
    int err = -j->failed;
    j->in_flight--;
    if (j->in_flight > 0 || j->moving) {
        pthread_cond_broadcast(&j->turn);
    }
    return err;
}

int journal_append(struct journal *j, struct journal_place *place)
{
    uint64_t seq;
    size_t len = 0;
    int err = take_number(j, place, &seq);
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
        u = (struct journal_usage){.bytes = j->end, .refused = j->refused, .anew = j->anew};
        pthread_mutex_unlock(&j->lock);
        u.flushes = atomic_load_explicit(&j->flush.flushes, memory_order_relaxed);
        u.lost = journal_lost(j);
    }
    return u;
}
