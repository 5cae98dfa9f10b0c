/* SPDX-License-Identifier: MIT */
/* Records of a journal that opened: done again, one after the other. Bytes: length u16, body; ...
 */
#include <stdlib.h>

#include "auth_setup.h"

#include "lite/osd_internal.h"

static const struct signet_lite_pool pool = {.id = 1, .name = "bench", .pg_num = 8};
static const struct signet_lite_cluster cluster = {.epoch = 1, .pools = &pool, .num_pools = 1};

enum { STORE_BYTES = 1 << 20, OBJECT_MAX = 1 << 18 };

static void no_cut(void *arg, unsigned shard)
{
    (void)arg;
    (void)shard;
}

/* The sizes of all objects. */
static uint64_t count(struct store *store)
{
    uint64_t bytes = 0;
    for (unsigned shard = 0; shard < store_shards(store); shard++) {
        struct store_object **object;
        size_t num;
        demand(store_shard_take(store, shard, &object, &num, no_cut, NULL) == 0);
        for (size_t i = 0; i < num; i++) {
            demand(object[i]->version > 0 && object[i]->size <= OBJECT_MAX);
            bytes += object[i]->size;
            store_object_unref(object[i]);
        }
        free(object);
    }
    return bytes;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct signet_reader r = signet_reader_init(data, size);
    struct signet_osd_options options = {.cluster = &cluster,
                                         .env = fuzz_env(),
                                         .store_bytes = STORE_BYTES,
                                         .max_object = OBJECT_MAX,
                                         .shards = 4};
    struct signet_osd osd;
    demand(signet_osd_init(&osd, &options) == 0);
    while (signet_reader_left(&r) > 0) {
        struct signet_span body = signet_read_view(&r, signet_read_u16(&r));
        struct signet_fail fail = {0};
        int err = r.err == 0 ? osd_record_replay(&osd, body, &fail) : 0;
        demand(err == 0 || err == -SIGNET_E_NOMEM || fail.err == err);
        struct store_usage u = signet_osd_usage(&osd);
        demand(u.bytes == count(osd.store) && u.memory <= STORE_BYTES);
    }
    signet_osd_clear(&osd);
    return 0;
}
