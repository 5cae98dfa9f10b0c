/* SPDX-License-Identifier: MIT */
/* Many sessions at once on few objects. */
#include "osd_tools.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 4, ROUNDS = 2000, OBJECTS = 8, LARGE = 3 * STORE_CHUNK };

static struct rig rig;

struct worker {
    pthread_t thread;
    unsigned index;
    struct signet_osd_session session;
    uint64_t tid;
    uint8_t front[4096];
    uint8_t *payload;
    const char *bad;
};

/* All bytes of one read are of one write. */
static int take(void *arg, const struct signet_message *out, const struct iovec *data, int num)
{
    struct worker *w = arg;
    (void)out;
    int first = -1;
    for (int i = 0; i < num; i++) {
        const uint8_t *p = data[i].iov_base;
        for (size_t j = 0; j < data[i].iov_len; j++) {
            first = first < 0 ? p[j] : first;
            w->bad = p[j] != first ? "a read saw parts of two writes" : w->bad;
        }
    }
    return 0;
}

static void request(struct worker *w, const struct rig_request *q)
{
    struct signet_message in = {.type = 42, .version = 8, .compat_version = 3, .tid = ++w->tid};
    in.front = (struct signet_span){w->front, rig_encode(&rig, q, w->front, sizeof(w->front))};
    in.data = (struct signet_span){q->op[0].data, q->op[0].len};
    if (signet_osd_message(&rig.osd, &w->session, &in, take, w, NULL) != 0) {
        w->bad = "a message was refused";
    }
}

static void *work(void *arg)
{
    struct worker *w = arg;
    unsigned seed = w->index;
    for (int i = 0; i < ROUNDS; i++) {
        char name[16];
        snprintf(name, sizeof(name), "o%d", rand_r(&seed) % OBJECTS);
        size_t len = rand_r(&seed) % 4 == 0 ? LARGE : 4096;
        int what = rand_r(&seed) % 8;
        memset(w->payload, rand_r(&seed), len);
        struct rig_op op = {.code = READ};
        if (what < 3) {
            op = (struct rig_op){.code = WRITEFULL, .length = len, .data = w->payload, .len = len};
        } else if (what == 3) {
            op = (struct rig_op){.code = DELETE};
        }
        request(w, &(struct rig_request){.name = name, .op = &op, .num_ops = 1});
    }
    return NULL;
}

START_TEST(reads_and_writes_at_once)
{
    static struct worker all[THREADS];
    rig_start(&rig, &(struct signet_osd_options){.shards = 2});
    for (unsigned i = 0; i < THREADS; i++) {
        all[i].index = i;
        all[i].payload = malloc(LARGE);
        signet_osd_session_make(&all[i].session, &rig.osd, 100 + i, "allow *");
        ck_assert_int_eq(pthread_create(&all[i].thread, NULL, work, &all[i]), 0);
    }
    for (unsigned i = 0; i < THREADS; i++) {
        pthread_join(all[i].thread, NULL);
        ck_assert_msg(all[i].bad == NULL, "%s", all[i].bad);
        signet_osd_session_clear(&all[i].session);
        free(all[i].payload);
    }
    char name[16];
    for (int i = 0; i < OBJECTS; i++) {
        snprintf(name, sizeof(name), "o%d", i);
        (void)rig_one(&rig, name, (struct rig_op){.code = DELETE});
    }
    ck_assert_uint_eq(signet_osd_usage(&rig.osd).memory, 0);
    ck_assert_uint_eq(signet_osd_usage(&rig.osd).bytes, 0);
    ck_assert_uint_eq(signet_osd_usage(&rig.osd).objects, 0);
    rig_stop(&rig);
}
END_TEST

/* One client on two connections at once: each of its appends is done once. */
static void *append_all(void *arg)
{
    struct worker *w = arg;
    const struct rig_op op = {.code = APPEND, .length = 1, .data = "x", .len = 1};
    for (int i = 0; i < SIGNET_OSD_REPEATS; i++) {
        request(w, &(struct rig_request){.name = "a", .op = &op, .num_ops = 1});
    }
    return NULL;
}

START_TEST(repetitions_at_once)
{
    static struct worker all[THREADS];
    rig_start(&rig, NULL);
    for (unsigned i = 0; i < THREADS; i++) {
        signet_osd_session_make(&all[i].session, &rig.osd, 7, "allow *");
        ck_assert_int_eq(pthread_create(&all[i].thread, NULL, append_all, &all[i]), 0);
    }
    for (unsigned i = 0; i < THREADS; i++) {
        pthread_join(all[i].thread, NULL);
        ck_assert_msg(all[i].bad == NULL, "%s", all[i].bad);
        signet_osd_session_clear(&all[i].session);
    }
    ck_assert_uint_eq(signet_osd_usage(&rig.osd).bytes, SIGNET_OSD_REPEATS);
    rig_stop(&rig);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("osd_race");
    TCase *t = tcase_create("threads");
    tcase_set_timeout(t, 60);
    tcase_add_test(t, reads_and_writes_at_once);
    tcase_add_test(t, repetitions_at_once);
    suite_add_tcase(s, t);
    return suite_run(s);
}
