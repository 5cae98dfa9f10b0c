/* SPDX-License-Identifier: MIT */
/* Space on the disk, taken ahead, with a reserve at its end for records that make room. */
#include "lite/journal_internal.h"

#include <errno.h>
#include <fcntl.h>

enum { STEP = 4 << 20 };

/* 0, or an errno. Beyond the end of the file: its size stays. */
static int allocate(struct journal *j, uint64_t upto)
{
    if (j->max_bytes != 0 && upto > j->max_bytes) {
        return ENOSPC;
    }
    int err;
    do {
        err = fallocate(j->fd, FALLOC_FL_KEEP_SIZE, (off_t)j->room, (off_t)(upto - j->room)) == 0
                  ? 0
                  : errno;
    } while (err == EINTR);
    j->full = err != 0;
    j->room = err == 0 ? upto : j->room;
    return err;
}

int journal_room(struct journal *j, uint64_t len, bool frees)
{
    uint64_t need = j->planned + len;
    uint64_t with_reserve = need + (j->fresh ? 0 : JOURNAL_RESERVE);
    if (j->no_reserve || with_reserve <= j->room) {
        return 0;
    }
    int err = allocate(j, with_reserve + STEP);
    if (err == ENOSPC || err == EDQUOT) {
        err = allocate(j, with_reserve);
    }
    if (err == 0) {
        return 0;
    }
    if (err != ENOSPC && err != EDQUOT) {
        j->no_reserve = true; /* a file system that takes no space ahead: writing tells */
        return 0;
    }
    return frees && need <= j->room ? 0 : -ENOSPC;
}
