/* SPDX-License-Identifier: MIT */
/* Space on the disk, taken ahead, with a reserve at its end for records that make room. */
#include "lite/journal_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

enum { STEP = 4 << 20, PIECE = 64 << 10 };

static int ask(const struct journal *j, uint64_t upto)
{
    int err;
    if (j->max_bytes != 0 && upto > j->max_bytes) {
        return ENOSPC;
    }
    do {
        err = fallocate(j->fd, FALLOC_FL_KEEP_SIZE, (off_t)j->room, (off_t)(upto - j->room)) == 0
                  ? 0
                  : errno;
    } while (err == EINTR);
    return err;
}

/* Beyond the end of the file: its size stays. What was taken by a former process is taken again, on
 * a full disk too. */
static bool take(struct journal *j, uint64_t upto)
{
    int err = ask(j, upto);
    if (err == ENOSPC || err == EDQUOT) {
        return false;
    }
    if (err == 0) {
        j->room = upto;
    } else {
        j->no_reserve = true; /* a file system that takes no space ahead: writing tells */
    }
    return true;
}

static void set_full(struct journal *j, bool full)
{
    atomic_store_explicit(&j->full, full, memory_order_relaxed);
}

bool journal_full(const struct journal *j)
{
    return j != NULL && atomic_load_explicit(&j->full, memory_order_relaxed);
}

bool journal_take_ahead(struct journal *j, uint64_t bytes)
{
    uint64_t upto = j->planned + bytes;
    if (j->no_reserve || upto <= j->room) {
        return true;
    }
    bool all = take(j, upto);
    set_full(j, !all);
    for (uint64_t less = PIECE; !all && less < bytes && upto - less > j->room; less += PIECE) {
        if (take(j, upto - less)) {
            break;
        }
    }
    return all;
}

void journal_lend(struct journal *j, struct journal *fresh)
{
    if (ftruncate(j->fd, (off_t)j->end) == 0) {
        j->room = j->end;
        (void)journal_take_ahead(fresh, JOURNAL_LENT);
        (void)journal_take_ahead(j, JOURNAL_RESERVE - JOURNAL_LENT); /* deletions go on meanwhile */
    }
}

int journal_room(struct journal *j, uint64_t len, bool frees)
{
    uint64_t need = j->planned + len;
    uint64_t with_reserve = need + (j->fresh ? 0 : JOURNAL_RESERVE);
    if (j->no_reserve || with_reserve <= j->room) {
        return 0;
    }
    bool full = !take(j, with_reserve + STEP);
    set_full(j, full);
    if (!full || take(j, with_reserve)) {
        return 0;
    }
    return frees && need <= j->room ? 0 : -ENOSPC;
}
