/* SPDX-License-Identifier: MIT */
#include "bench_stage.h"

#include <stdlib.h>
#include <string.h>

#include "lite/backoff.h"

struct stage stage;

static const struct signet_lite_pool pool = {.id = 1, .name = "bench", .pg_num = GROUPS};

struct user { /* of a peer */
    struct signet_mon_session mon;
    struct signet_osd_session osd;
};

/* --- the server ----------------------------------------------------------------------------- */

static int send_mon(void *arg, const struct signet_message *out)
{
    return signet_peer_send(arg, out, NULL, 0, NULL);
}

static int send_osd(void *arg, const struct signet_message *out, const struct iovec *data, int num)
{
    return signet_peer_send(arg, out, data, num, NULL);
}

static int mon_ready(void *arg, struct signet_peer *peer, const struct signet_event_ready *ready)
{
    struct user *user = calloc(1, sizeof(*user));
    (void)ready;
    ((struct stage *)arg)->mon_peer = peer;
    signet_peer_set_user(peer, user);
    return signet_mon_session_init(&user->mon, signet_peer_login(peer));
}

static int osd_ready(void *arg, struct signet_peer *peer, const struct signet_event_ready *ready)
{
    struct stage *s = arg;
    struct user *user = calloc(1, sizeof(*user));
    signet_peer_set_user(peer, user);
    s->second += signet_addr_equal(ready->own, &s->at[1]);
    return signet_osd_session_init(&user->osd, &s->osd, signet_peer_login(peer));
}

static int mon_message(void *arg, struct signet_peer *peer, const struct signet_message *in)
{
    struct user *user = signet_peer_user(peer);
    return signet_mon_message(&((struct stage *)arg)->mon, &user->mon, in, send_mon, peer, NULL);
}

static int osd_message(void *arg, struct signet_peer *peer, const struct signet_message *in)
{
    struct stage *s = arg;
    struct user *user = signet_peer_user(peer);
    if (in->type == LITE_MSG_OSD_BACKOFF) {
        struct lite_backoff b;
        s->wrong += lite_backoff_read(&b, in) != 0 || b.kind != LITE_BACKOFF_ACK_BLOCK ||
                    b.id != s->blocked || b.epoch != s->cluster.epoch;
        s->acks++;
        return 0;
    }
    s->ops++;
    if (s->trick && !s->trick(s, peer, in))
        return 0;
    s->answered++;
    return signet_osd_message(&s->osd, &user->osd, in, send_osd, peer, NULL);
}

static void mon_closed(void *arg, struct signet_peer *peer, const struct signet_fail *why)
{
    struct stage *s = arg;
    (void)why;
    s->mon_peer = s->mon_peer == peer ? NULL : s->mon_peer;
    free(signet_peer_user(peer));
}

static void osd_closed(void *arg, struct signet_peer *peer, const struct signet_fail *why)
{
    struct user *user = signet_peer_user(peer);
    (void)arg;
    (void)why;
    if (user)
        signet_osd_session_clear(&user->osd);
    free(user);
}

static void listen_at(struct stage *s, uint32_t service, const char *at, struct signet_addr *bound)
{
    struct signet_fail fail = {0};
    struct signet_listener_options o = {
        .service = service,
        .keys = s->keys,
        .conn.env = signet_env_system(),
        .ops = {.ready = service == SIGNET_MON ? mon_ready : osd_ready,
                .message = service == SIGNET_MON ? mon_message : osd_message,
                .closed = service == SIGNET_MON ? mon_closed : osd_closed},
        .arg = s};
    assert_ok(signet_addr_parse(&o.addr, at));
    ck_assert_msg(signet_messenger_listen(s->server, &o, bound, &fail) == 0, "%s", fail.text);
}

static void open_keys(struct stage *s)
{
    static const struct signet_cap caps[] = {{"mon", "allow r"}, {"osd", "allow rw"}};
    struct signet_keyserver_options o = {.env = signet_env_system()};
    assert_ok(signet_keyserver_open(&s->keys, &o, NULL));
    assert_ok(signet_key_generate(&s->key, SIGNET_KEY_AES256K, NULL));
    assert_ok(signet_name_parse(&s->options.login.name, "client.a"));
    assert_ok(signet_keyserver_put(s->keys, &s->options.login.name, s->key, caps, 2));
}

static void open_client(struct stage *s)
{
    struct signet_client_options c = {.key = s->key,
                                      .name = s->options.login.name,
                                      .want = SIGNET_MON | SIGNET_OSD,
                                      .env = signet_env_system()};
    s->ping.options = s->options.login;
    s->ping.mon[0] = (struct signet_addrvec){.num = 1, .addr = {s->cluster.mon}};
    s->ping.num_mon = 1;
    assert_ok(signet_client_new(&s->ping.client, &c));
}

void stage_begin(void)
{
    struct stage *s = &stage;
    const struct signet_messenger_options one = {.threads = 1, .env = signet_env_system()};
    memset(s, 0, sizeof(*s));
    suite_start();
    s->options = (struct bench_options){.login = ping_login_defaults("bench"),
                                        .depth = DEPTH,
                                        .op_size = 100,
                                        .conns = 1,
                                        .threads = 1,
                                        .pool = "bench",
                                        .run_name = BENCH_META_NAME};
    s->options.login.format = TOOL_JSON; /* it says nothing meanwhile */
    open_keys(s);
    assert_ok(signet_messenger_new(&s->server, &one));
    listen_at(s, SIGNET_OSD, "v2:127.0.0.1:0/77", &s->at[0]);
    listen_at(s, SIGNET_OSD, "v2:127.0.0.1:0/78", &s->at[1]);
    s->cluster = (struct signet_lite_cluster){.epoch = 1,
                                              .mon_name = "a",
                                              .osd = s->at[0],
                                              .features = SIGNET_FEATURES_SUPPORTED,
                                              .pools = &pool,
                                              .num_pools = 1};
    listen_at(s, SIGNET_MON, "v2:127.0.0.1:0/0", &s->cluster.mon);
    const struct signet_osd_options osd = {.cluster = &s->cluster, .env = one.env};
    assert_ok(signet_osd_init(&s->osd, &osd));
    signet_mon_init(&s->mon, &s->cluster, s->keys, one.env, 0);
    open_client(s);
}

void stage_end(void)
{
    struct stage *s = &stage;
    bench_load_close(s->load);
    signet_messenger_free(s->server);
    signet_client_free(s->ping.client);
    signet_mon_clear(&s->mon);
    signet_osd_clear(&s->osd);
    signet_keyserver_free(s->keys);
    signet_key_unref(s->key);
    suite_stop();
}

/* NUM writes. */
int stage_run(bench_trick trick, struct bench_job *job, struct bench_why *why)
{
    struct stage *s = &stage;
    s->trick = trick;
    ck_assert_int_eq(bench_map(&s->ping, "bench", &s->map), TOOL_OK);
    assert_ok(bench_load_open(&s->load, &s->options, &s->ping, &s->map, why));
    *job = (struct bench_job){.kind = BENCH_WRITE, .limit = NUM, .depth = DEPTH};
    job->meta = (struct bench_meta){.object_size = 100, .pid = 1};
    return bench_load_run(s->load, job, why);
}
