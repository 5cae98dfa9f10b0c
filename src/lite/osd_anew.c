/* SPDX-License-Identifier: MIT */
/* The journal written anew while requests are answered. Each shard is cut at a record: what it
 * holds then is written as it is, and of the records that came meanwhile those behind the cut of
 * their shard follow. A shard's writers wait only while references to its objects are taken. */
#include "lite/osd_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "lite/journal_internal.h"

enum { ROUNDS = 8 };
#define TAIL_BYTES                                                                                 \
    (UINT64_C(1) << 20) /* what may be left for the moment in which nobody appends                 \
                         */

struct anew {
    struct signet_osd *osd;
    struct journal *fresh;
    uint64_t *cut; /* of each shard: its records below this number are in its objects */
    struct journal_point from;
};

static int failed(struct signet_fail *fail, int32_t bad)
{
    return signet_fail_set(fail, -SIGNET_E_FILE, "journal", 0, "cannot write it anew: %s",
                           strerror(-bad));
}

/* --- what there is -------------------------------------------------------------------------- */

static int32_t write_all(const struct anew *a, struct store_object **object, size_t num)
{
    int32_t err = 0;
    for (size_t i = 0; i < num; i++) {
        err = err == 0 ? osd_put_object(a->fresh, object[i]) : err;
        store_object_unref(object[i]);
    }
    return err;
}

static void cut_here(void *arg, unsigned shard)
{
    struct anew *a = arg;
    a->cut[shard] = journal_here(a->osd->journal).number;
}

static int write_shards(struct anew *a, struct signet_fail *fail)
{
    for (unsigned i = 0; i < store_shards(a->osd->store); i++) {
        struct store_object **object;
        size_t num;
        int32_t err = osd_keeper_ends(a->osd->keeper)
                          ? -ECANCELED
                          : store_shard_take(a->osd->store, i, &object, &num, cut_here, a);
        if (err == 0) {
            err = write_all(a, object, num);
            free(object);
        }
        if (err != 0) {
            return failed(fail, err);
        }
        journal_step(a->osd->journal, JOURNAL_SHARD_WRITTEN);
    }
    return 0;
}

/* --- what came meanwhile -------------------------------------------------------------------- */

static int copy_record(void *arg, uint64_t number, struct signet_span body,
                       struct signet_fail *fail)
{
    struct anew *a = arg;
    struct journal_place *place;
    uint32_t hash;
    if (osd_record_hash(body, &hash) && number < a->cut[store_shard_index(a->osd->store, hash)]) {
        return 0;
    }
    int err = journal_place(a->fresh, &place, body.len);
    if (err == 0) {
        memcpy(journal_body(place), body.p, body.len);
        err = journal_append(a->fresh, place);
    }
    return err != 0 ? failed(fail, err) : 0;
}

static int catch_up(struct anew *a, struct signet_fail *fail)
{
    return journal_read_tail(a->osd->journal, &a->from, copy_record, a, fail);
}

/* Who has asked for what, behind all records that the cuts have left out: the newest of two writes
 * in one place of a peer must come last. */
static int write_peers(struct anew *a, struct signet_fail *fail)
{
    int32_t err = osd_peers_each_live(a->osd->peers, osd_put_done, a->fresh);
    return err != 0 ? failed(fail, err) : 0;
}

static int follow(struct anew *a, struct signet_fail *fail)
{
    int err = catch_up(a, fail);
    if (err == 0) {
        err = write_peers(a, fail);
    }
    uint64_t left = UINT64_MAX;
    for (int i = 0; i < ROUNDS && err == 0 && left > TAIL_BYTES; i++) {
        err = journal_flush_file(a->fresh, fail);
        if (err == 0) {
            uint64_t before = a->from.offset;
            err = catch_up(a, fail);
            left = a->from.offset - before;
        }
    }
    return err;
}

static int run(struct anew *a, struct signet_fail *fail)
{
    a->from = journal_here(a->osd->journal);
    int err = write_shards(a, fail);
    if (err == 0) {
        err = follow(a, fail);
    }
    return err != 0 ? err
                    : journal_take_over(a->osd->journal, a->fresh, &a->from, copy_record, a, fail);
}

int signet_osd_journal_anew(struct signet_osd *osd, struct signet_fail *fail)
{
    struct anew a = {.osd = osd, .cut = calloc(store_shards(osd->store), sizeof(*a.cut))};
    if (a.cut == NULL) {
        return failed(fail, -ENOMEM);
    }
    int err = journal_begin_anew(osd->journal, store_usage(osd->store).memory, &a.fresh, fail);
    if (err == 0) {
        err = run(&a, fail);
        journal_end_anew(osd->journal, a.fresh);
    }
    free(a.cut);
    return err;
}
