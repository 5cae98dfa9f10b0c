/* SPDX-License-Identifier: MIT */
/*
 * Messages into an OSD session that has two objects. Bytes: type u8, version u8, capabilities u8
 * (index below), then messages: length of the front u16, length of the data u16, front, data.
 */
#include "auth_setup.h"

#include "lite/osd.h"

static const char *const caps[] = {"allow *", "allow r", "allow rw pool=bench namespace=n*", ""};
static const struct signet_lite_pool pool = {.id = 1, .name = "bench", .pg_num = 8};
static const struct signet_lite_cluster cluster = {.epoch = 1, .pools = &pool, .num_pools = 1};

enum { STORE_BYTES = 1 << 20, OBJECT_MAX = 1 << 18 };

/* All bytes are read, so that the sanitizers see them. */
static volatile uint8_t sink;

static int take(void *arg, const struct signet_message *out, const struct iovec *data, int num)
{
    unsigned *answers = arg;
    uint8_t sum = 0;
    for (size_t i = 0; i < out->front.len; i++) {
        sum ^= out->front.p[i];
    }
    for (int i = 0; i < num; i++) {
        const uint8_t *p = data[i].iov_base;
        for (size_t j = 0; j < data[i].iov_len; j++) {
            sum ^= p[j];
        }
    }
    sink = sum;
    ++*answers;
    return 0;
}

static void feed(struct signet_osd *osd, struct signet_osd_session *session,
                 const struct signet_message *in)
{
    struct signet_fail fail = {0};
    unsigned answers = 0;
    int err = signet_osd_message(osd, session, in, take, &answers, &fail);
    demand(err == 0 || (fail.err == err && answers == 0));
    demand(err != 0 || answers == (in->type == 42 || in->type == 97 ? 1 : 0));
}

/* The store's own figures always add up. */
static void check(struct signet_osd *osd)
{
    struct store_usage u = signet_osd_usage(osd);
    demand(u.memory <= STORE_BYTES && u.bytes <= u.objects * (uint64_t)OBJECT_MAX);
    demand((u.objects == 0) == (u.memory == 0));
}

static void put(struct signet_osd *osd, const char *name, struct signet_span data)
{
    struct store_work work;
    struct store_id id = {.pool = 1, .name = {(const uint8_t *)name, strlen(name)}};
    store_begin(&work, osd->store, &id);
    demand(store_replace(&work, data) == 0);
    demand(store_reserve(&work) == 0);
    demand(store_commit(&work, (struct signet_utime){0}, 0) > 0);
    store_end(&work);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint8_t large[3 * STORE_CHUNK / 2];
    struct signet_reader r = signet_reader_init(data, size);
    struct signet_message in = {.type = signet_read_u8(&r), .version = signet_read_u8(&r)};
    struct signet_osd_options options = {.cluster = &cluster,
                                         .env = fuzz_env(),
                                         .store_bytes = STORE_BYTES,
                                         .max_object = OBJECT_MAX,
                                         .shards = 4};
    struct signet_osd osd;
    struct signet_osd_session session;
    demand(signet_osd_init(&osd, &options) == 0);
    put(&osd, "o", (struct signet_span){(const uint8_t *)"hello", 5});
    put(&osd, "obj1", (struct signet_span){large, sizeof(large)});
    signet_osd_session_make(&session, &osd, 1, caps[signet_read_u8(&r) % 4]);
    while (r.err == 0 && signet_reader_left(&r) > 0) {
        uint16_t front = signet_read_u16(&r), len = signet_read_u16(&r);
        in.front = signet_read_view(&r, front);
        in.data = signet_read_view(&r, len);
        if (r.err == 0) {
            in.tid++;
            feed(&osd, &session, &in);
            feed(&osd, &session, &in); /* again, as after a lost connection */
            check(&osd);
        }
    }
    signet_osd_session_clear(&session);
    signet_osd_clear(&osd);
    return 0;
}
