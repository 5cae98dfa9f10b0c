/* SPDX-License-Identifier: MIT */
/* Answers that wait for the disk: which do, their order, and what follows a flush that failed. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "lite/journal_internal.h"
#include "osd_tools.h"
#include "support/temp_dir.h"

static const uint8_t key[SIGNET_RECORD_KEY_LEN] = {7};
static struct rig rig;
static struct journal_report report;
static struct signet_fail fail;

/* The peer: what has arrived, and what was posted to its worker, which is the test itself. */
enum { MANY = 16 };
static struct {
    pthread_mutex_t lock; /* over posted */
    void (*fn[MANY])(void *);
    void *held[MANY];
    int posted, run;
    bool refuse; /* the worker has ended */
    int refs, closed;
    int arrived;
    uint64_t tid[MANY];
    int32_t result[MANY];
    size_t data_len[MANY];
    uint8_t data[MANY][STORE_CHUNK * 2];
} peer = {.lock = PTHREAD_MUTEX_INITIALIZER};
static pthread_mutex_t gate_lock = PTHREAD_MUTEX_INITIALIZER;

static int take(void *arg, const struct signet_message *out, const struct iovec *data, int num)
{
    int i = peer.arrived++;
    ck_assert_ptr_eq(arg, &peer);
    struct signet_reader r = signet_reader_init(out->front.p, out->front.len);
    signet_read_blob(&r, 4096);
    signet_read_view(&r, 17 + 8);
    peer.result[i] = (int32_t)signet_read_u32(&r);
    peer.tid[i] = out->tid;
    peer.data_len[i] = 0;
    for (int k = 0; k < num; k++) {
        memcpy(peer.data[i] + peer.data_len[i], data[k].iov_base, data[k].iov_len);
        peer.data_len[i] += data[k].iov_len;
    }
    return rig.send_err;
}

static void later_ref(void *arg)
{
    ck_assert_ptr_eq(arg, &peer);
    peer.refs++;
}

static void later_unref(void *arg)
{
    ck_assert_ptr_eq(arg, &peer);
    peer.refs--;
}

static void later_close(void *arg, int err)
{
    ck_assert_ptr_eq(arg, &peer);
    peer.closed = err;
}

static int later_post(void *host, void *arg, void (*fn)(void *), void *held)
{
    ck_assert_ptr_eq(host, &rig);
    ck_assert_ptr_eq(arg, &peer);
    if (peer.refuse) {
        return -SIGNET_E_STATE;
    }
    pthread_mutex_lock(&peer.lock);
    peer.fn[peer.posted] = fn;
    peer.held[peer.posted++] = held;
    pthread_mutex_unlock(&peer.lock);
    return 0;
}

static const struct signet_osd_later later = {
    .ref = later_ref, .unref = later_unref, .post = later_post, .close = later_close, .host = &rig};

/* Lets the worker do what was posted to it. */
static void work(void)
{
    signet_osd_quiet(&rig.osd);
    while (peer.run < peer.posted) {
        peer.fn[peer.run](peer.held[peer.run]);
        peer.run++;
    }
}

static void gate(struct journal_wait *wait, int err)
{
    (void)wait;
    (void)err;
    pthread_mutex_lock(&gate_lock);
    pthread_mutex_unlock(&gate_lock);
}
static struct journal_wait holding;

/* From here on, until go(), nothing is flushed. */
static void hold(void)
{
    holding = (struct journal_wait){.done = gate};
    pthread_mutex_lock(&gate_lock);
    journal_when_safe(rig.osd.journal, &holding);
    for (bool busy = false; !busy;) { /* its own flush is over when the thread is busy with it */
        usleep(1000);
        pthread_mutex_lock(&rig.osd.journal->flush.lock);
        busy = rig.osd.journal->flush.busy;
        pthread_mutex_unlock(&rig.osd.journal->flush.lock);
    }
    usleep(1000);
}

static void go(void)
{
    pthread_mutex_unlock(&gate_lock);
    work();
}

static void start(void)
{
    suite_start();
    const struct journal_options options = {.dir = temp_dir_make(), .key = key, .sync = true};
    rig_start(&rig, &(struct signet_osd_options){.shards = 256});
    rig.osd.later = &later;
    assert_ok(signet_osd_journal(&rig.osd, &options, &report, &fail));
    peer.posted = peer.run = peer.refs = peer.closed = peer.arrived = 0;
    peer.refuse = false;
}

static void stop(void)
{
    work();
    ck_assert_int_eq(peer.refs, 0);
    rig_stop(&rig);
    temp_dir_remove();
    suite_stop();
}

static uint64_t request(const char *name, struct rig_op op)
{
    uint8_t front[1024];
    const struct rig_request q = {.name = name, .tid = ++rig.tid, .op = &op, .num_ops = 1};
    struct signet_message in = {.type = 42, .version = 8, .compat_version = 3, .tid = rig.tid};
    in.front = (struct signet_span){front, rig_encode(&rig, &q, front, sizeof(front))};
    in.data = (struct signet_span){op.data, op.len};
    assert_ok(signet_osd_message(&rig.osd, &rig.session, &in, take, &peer, &fail));
    return rig.tid;
}

static uint64_t put(const char *name, const void *data, size_t len)
{
    return request(name,
                   (struct rig_op){.code = WRITEFULL, .length = len, .data = data, .len = len});
}

static void arrived(int index, uint64_t tid, int32_t result)
{
    ck_assert_int_gt(peer.arrived, index);
    ck_assert_uint_eq(peer.tid[index], tid);
    ck_assert_int_eq(peer.result[index], result);
}

/* A write, and what shows it, wait; what does not show it goes ahead. */
START_TEST(what_waits)
{
    uint64_t clean = put("clean", "c", 1);
    work();
    arrived(0, clean, 0);
    hold();
    uint64_t wrote = put("a", "one", 3);
    uint64_t read = request("a", (struct rig_op){.code = READ});
    uint64_t stat = request("a", (struct rig_op){.code = STAT});
    ck_assert_int_eq(peer.arrived, 1);
    clean = request("clean", (struct rig_op){.code = READ});
    arrived(1, clean, 0);
    uint64_t refused = request("a", (struct rig_op){.code = CREATE, .flags = EXCL});
    ck_assert_int_eq(peer.arrived, 2);
    go();
    arrived(2, wrote, 0);
    arrived(3, read, 0);
    ck_assert_uint_eq(peer.data_len[3], 3);
    ck_assert_mem_eq(peer.data[3], "one", 3);
    arrived(4, stat, 0);
    ck_assert_uint_eq(peer.data_len[4], 16);
    ck_assert_uint_eq(peer.data[4][0], 3);
    arrived(5, refused, -EEXIST);
    read = request("a", (struct rig_op){.code = READ});
    arrived(6, read, 0);
}
END_TEST

/* What was read stays what it was, whatever is written until it is sent. */
START_TEST(a_version_is_kept)
{
    static uint8_t old[STORE_CHUNK + 5000], new[STORE_CHUNK + 5000];
    memset(old, 'o', sizeof(old));
    memset(new, 'n', sizeof(new));
    hold();
    put("a", old, sizeof(old));
    request("a", (struct rig_op){.code = READ});
    put("a", new, sizeof(new));
    uint64_t gone = request("a", (struct rig_op){.code = DELETE});
    uint64_t read = request("a", (struct rig_op){.code = READ});
    go();
    ck_assert_uint_eq(peer.data_len[1], sizeof(old));
    ck_assert_mem_eq(peer.data[1], old, sizeof(old));
    arrived(3, gone, 0);
    arrived(4, read, -ENOENT);
}
END_TEST

/* It is on the disk, but the worker has not come to the answer yet: none may overtake it. */
START_TEST(none_overtakes)
{
    uint64_t wrote = put("a", "x", 1);
    signet_osd_quiet(&rig.osd);
    ck_assert_uint_eq(journal_safe(rig.osd.journal), 1);
    ck_assert_int_eq(peer.arrived, 0);
    uint64_t read = request("a", (struct rig_op){.code = READ});
    uint64_t bad = request("", (struct rig_op){.code = READ});
    ck_assert_int_eq(peer.arrived, 0);
    work();
    arrived(0, wrote, 0);
    arrived(1, read, 0);
    arrived(2, bad, -EINVAL);
}
END_TEST

/* The session ends while answers wait, or its worker does: they are dropped, with their memory. */
START_TEST(the_session_ends)
{
    hold();
    put("a", "x", 1);
    request("a", (struct rig_op){.code = READ});
    signet_osd_session_clear(&rig.session);
    rig_login(&rig, 4243, "allow *");
    rig.send_err = -SIGNET_E_STATE;
    go();
    ck_assert_int_eq(peer.refs, 0);
    ck_assert_int_eq(peer.closed, -SIGNET_E_STATE);
    peer.refuse = true;
    put("b", "x", 1);
    signet_osd_quiet(&rig.osd);
    ck_assert_int_eq(peer.refs, 0);
}
END_TEST

/* Nobody is told of what may be lost, now or later. */
START_TEST(a_flush_that_fails)
{
    int null = open("/dev/null", O_RDWR);
    uint64_t clean = put("clean", "c", 1);
    work();
    arrived(0, clean, 0);
    int kept = dup(rig.osd.journal->fd);
    ck_assert_int_ge(dup2(null, rig.osd.journal->fd), 0);
    put("a", "x", 1);
    work();
    ck_assert_int_eq(peer.arrived, 1);
    ck_assert_int_eq(peer.closed, -SIGNET_E_FILE);
    uint64_t again = put("a", "y", 1);
    arrived(1, again, -EIO);
    uint64_t read = request("a", (struct rig_op){.code = READ});
    arrived(2, read, -EIO);
    ck_assert_uint_eq(peer.data_len[2], 0);
    clean = request("clean", (struct rig_op){.code = READ});
    arrived(3, clean, 0);
    ck_assert_int_ge(dup2(kept, rig.osd.journal->fd), 0);
    close(kept);
    close(null);
}
END_TEST

/* A host that says nothing of later: the answer is there when the call returns. */
START_TEST(without_later)
{
    rig.osd.later = NULL;
    uint64_t wrote = put("a", "x", 1);
    arrived(0, wrote, 0);
    ck_assert_uint_eq(journal_safe(rig.osd.journal), 1);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("osd_hold");
    TCase *t = tcase_create("answers");
    tcase_add_checked_fixture(t, start, stop);
    tcase_add_test(t, what_waits);
    tcase_add_test(t, a_version_is_kept);
    tcase_add_test(t, none_overtakes);
    tcase_add_test(t, the_session_ends);
    tcase_add_test(t, a_flush_that_fails);
    tcase_add_test(t, without_later);
    suite_add_tcase(s, t);
    return suite_run(s);
}
