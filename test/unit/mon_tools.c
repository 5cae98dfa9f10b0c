/* SPDX-License-Identifier: MIT */
#include "mon_tools.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"

static const struct signet_lite_pool pool = {.id = 1, .name = "bench", .pg_num = 8};

static struct signet_span keep(uint8_t *buf, struct signet_span in)
{
    ck_assert_uint_lt(in.len, BENCH_BUF);
    if (in.len > 0) {
        memcpy(buf, in.p, in.len);
    }
    buf[in.len] = 0;
    return (struct signet_span){buf, in.len};
}

static int collect(void *arg, const struct signet_message *out)
{
    struct bench *b = arg;
    if (b->send_err != 0) {
        return b->send_err;
    }
    ck_assert_int_lt(b->num, BENCH_ANSWERS);
    struct answer *a = &b->answer[b->num++];
    a->message = *out;
    a->message.front = keep(a->front, out->front);
    a->message.data = keep(a->data, out->data);
    return 0;
}

void bench_start(struct bench *b, const char *caps)
{
    memset(b, 0, sizeof(*b));
    b->cluster = (struct signet_lite_cluster){
        .epoch = 1,
        .created = {.sec = 0x6553f100},
        .mon_name = "a",
        .features = 0x3f01cfbdfffdffff,
        .pools = &pool,
        .num_pools = 1,
    };
    unhex_to(b->cluster.fsid, sizeof(b->cluster.fsid), BENCH_FSID);
    assert_ok(signet_addr_parse(&b->cluster.mon, "v2:127.0.0.1:17500/0"));
    assert_ok(signet_addr_parse(&b->cluster.osd, "v2:127.0.0.1:17501/4242"));
    if (caps != NULL) {
        cluster_start(&b->c, SIGNET_KEY_AES256K, SIGNET_KEY_AES256K);
    } else {
        fake_env_init(&b->c.fake);
    }
    signet_mon_init(&b->mon, &b->cluster, b->c.server, fake_env_make(&b->c.fake), SIGNET_KEY_NONE);
    b->session.caps = caps != NULL ? caps : "allow *";
}

void bench_stop(struct bench *b)
{
    signet_mon_clear(&b->mon);
    if (b->c.server != NULL) {
        cluster_stop(&b->c);
    }
}

static int feed(struct bench *b, const struct signet_message *in)
{
    b->num = 0;
    memset(&b->fail, 0, sizeof(b->fail));
    return signet_mon_message(&b->mon, &b->session, in, collect, b, &b->fail);
}

int bench_feed(struct bench *b, uint16_t type, uint16_t version, const void *front, size_t len)
{
    struct signet_message in = {
        .type = type, .version = version, .compat_version = 1, .tid = 77, .front = {front, len}};
    return feed(b, &in);
}

int bench_feed_hex(struct bench *b, uint16_t type, uint16_t version, const char *hex)
{
    size_t len;
    uint8_t *front = unhex(hex, &len);
    int err = bench_feed(b, type, version, front, len);
    free(front);
    return err;
}

size_t bench_command(struct bench *b, uint8_t *out, size_t cap, const char *json)
{
    struct signet_writer w = signet_writer_init(out, cap);
    signet_write_u64(&w, 0);
    signet_write_u16(&w, UINT16_MAX);
    signet_write_u64(&w, 0);
    signet_write_bytes(&w, b->cluster.fsid, sizeof(b->cluster.fsid));
    signet_write_u32(&w, 1);
    signet_write_blob(&w, json, strlen(json));
    ck_assert_int_eq(w.err, 0);
    return (size_t)w.len;
}

static void read_ack(struct bench *b)
{
    struct answer *a = &b->answer[0];
    ck_assert_int_eq(b->num, 1);
    ck_assert_uint_eq(a->message.type, 51);
    ck_assert_uint_eq(a->message.tid, 77);
    struct signet_reader r = signet_reader_init(a->front, a->message.front.len);
    signet_read_view(&r, 18);
    b->code = (int32_t)signet_read_u32(&r);
    struct signet_span say = signet_read_blob(&r, sizeof(b->say) - 1);
    ck_assert_uint_eq(signet_read_u32(&r), 1);
    signet_read_blob(&r, BENCH_BUF);
    ck_assert_int_eq(signet_reader_done(&r), 0);
    memcpy(b->say, say.p, say.len);
    b->say[say.len] = 0;
    b->out = (char *)a->data;
}

int32_t bench_run(struct bench *b, const char *json, const char *input)
{
    static uint8_t front[BENCH_BUF];
    struct signet_message in = {.type = 50, .version = 1, .compat_version = 1, .tid = 77};
    in.front = (struct signet_span){front, bench_command(b, front, sizeof(front), json)};
    if (input != NULL) {
        in.data = (struct signet_span){(const uint8_t *)input, strlen(input)};
    }
    assert_ok(feed(b, &in));
    read_ack(b);
    ck_assert(b->code >= 0 || b->answer[0].message.data.len == 0);
    return b->code;
}

int32_t bench_auth(struct bench *b, const char *prefix, const char *entity, const char *more)
{
    char json[512];
    snprintf(json, sizeof(json), "{\"prefix\": \"%s\", \"entity\": \"%s\"%s}", prefix, entity,
             more);
    return bench_run(b, json, NULL);
}

json_t *bench_json(struct bench *b)
{
    json_error_t why;
    json_t *json = json_loads(b->out, 0, &why);
    ck_assert_msg(json != NULL, "%s in %s", why.text, b->out);
    return json;
}
