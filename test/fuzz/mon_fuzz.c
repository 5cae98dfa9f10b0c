/* SPDX-License-Identifier: MIT */
/*
 * One message into a monitor session. Bytes: type u16, version u8, capabilities u8 (bit 0: none
 * at all), length of the front u16, front, data.
 */
#include "auth_setup.h"

#include "lite/mon.h"

static struct signet_lite_cluster cluster = {.epoch = 1, .mon_name = "a"};

static void set_up_cluster(void)
{
    memset(cluster.fsid, 0x11, sizeof(cluster.fsid));
    demand(signet_addr_parse(&cluster.mon, "v2:127.0.0.1:3300/0") == 0);
    demand(signet_addr_parse(&cluster.osd, "v2:127.0.0.1:6800/1") == 0);
}

/* All bytes are read, so that the sanitizers see them. */
static volatile uint8_t sink;

static int take(void *arg, const struct signet_message *out)
{
    unsigned *num = arg;
    uint8_t sum = 0;
    for (size_t i = 0; i < out->front.len; i++) {
        sum ^= out->front.p[i];
    }
    for (size_t i = 0; i < out->data.len; i++) {
        sum ^= out->data.p[i];
    }
    demand(out->type != 0);
    sink = sum;
    ++*num;
    return 0;
}

static void feed(struct signet_mon *mon, const char *caps, const struct signet_message *in)
{
    struct signet_mon_session session = {.caps = caps};
    struct signet_fail fail = {0};
    unsigned num = 0;
    int err = signet_mon_message(mon, &session, in, take, &num, &fail);
    demand(err == 0 || (fail.err == err && num == 0));
    demand(err != 0 || (in->type != 50 && in->type != 97) || num == 1);
}

/* The message twice, since the first may have changed what the second finds. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct signet_reader r = signet_reader_init(data, size);
    struct signet_message in = {.type = signet_read_u16(&r), .version = signet_read_u8(&r)};
    const char *caps = (signet_read_u8(&r) & 1) != 0 ? "" : "allow *";
    in.front = signet_read_view(&r, signet_read_u16(&r));
    if (r.err != 0) {
        return 0;
    }
    in.data = signet_read_view(&r, signet_reader_left(&r));
    struct signet_keyserver_options options = {.env = fuzz_env()};
    struct signet_keyserver *keys;
    struct signet_mon mon;
    set_up_cluster();
    demand(signet_keyserver_open(&keys, &options, NULL) == 0);
    signet_mon_init(&mon, &cluster, keys, options.env, SIGNET_KEY_NONE);
    feed(&mon, caps, &in);
    feed(&mon, caps, &in);
    signet_mon_clear(&mon);
    signet_keyserver_free(keys);
    return 0;
}
