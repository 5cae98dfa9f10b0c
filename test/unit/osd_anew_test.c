/* SPDX-License-Identifier: MIT */
/* The journal written anew under writers that do not stop, and killed at each step. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lite/journal_internal.h"
#include "osd_tools.h"
#include "support/temp_dir.h"

enum { WRITERS = 3, SHARDS = 16, SPREAD = 40 };

static const uint8_t key[SIGNET_RECORD_KEY_LEN] = {7};
static struct rig rig;
static struct journal_options options;
static struct journal_report report;
static struct signet_fail fail;

/* Shared with a child: what was answered to each writer. */
static struct shared {
    atomic_uint answered[WRITERS];
    atomic_bool stop;
} * shared;

static int reopen(void)
{
    rig_start(&rig, &(struct signet_osd_options){.shards = SHARDS});
    memset(&fail, 0, sizeof(fail));
    return signet_osd_journal(&rig.osd, &options, &report, &fail);
}

static void start(void)
{
    suite_start();
    options = (struct journal_options){.dir = temp_dir_make(), .key = key};
    shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(shared, MAP_FAILED);
}

static void stop(void)
{
    temp_dir_remove();
    munmap(shared, sizeof(*shared));
    suite_stop();
}

/* --- writers -------------------------------------------------------------------------------- */

/* check's assertions go through a file that children share: one that is killed while a writer is
 * asserting would leave half a message there. */
static bool is_child;

static void need(bool right, int line)
{
    if (!right && is_child) {
        _exit(3);
    }
    if (!right) {
        ck_abort_msg("line %d: a writer's request failed", line);
    }
}

struct writer {
    pthread_t thread;
    unsigned index;
    struct signet_osd_session session;
    uint64_t tid;
    int32_t result;
};

static int take(void *arg, const struct signet_message *out, const struct iovec *data, int num)
{
    struct writer *w = arg;
    (void)data;
    (void)num;
    struct signet_reader r = signet_reader_init(out->front.p, out->front.len);
    signet_read_blob(&r, 4096);
    signet_read_view(&r, 17 + 8);
    w->result = (int32_t)signet_read_u32(&r);
    return 0;
}

static int32_t request(struct writer *w, const char *name, struct rig_op op)
{
    uint8_t front[1024];
    const struct rig_request q = {.name = name, .tid = ++w->tid, .op = &op, .num_ops = 1};
    struct signet_message in = {.type = 42, .version = 8, .compat_version = 3, .tid = w->tid};
    in.front = (struct signet_span){front, rig_encode(&rig, &q, front, sizeof(front))};
    in.data = (struct signet_span){op.data, op.len};
    w->result = -EIO;
    need(signet_osd_message(&rig.osd, &w->session, &in, take, w, NULL) == 0, __LINE__);
    return w->result;
}

/* Number n: appended to the writer's own list, and written over one of a few objects. Every eighth
 * makes an object and deletes it. */
static void write_number(struct writer *w, uint32_t n)
{
    char name[32];
    uint32_t text[200];
    for (size_t i = 0; i < 200; i++) {
        text[i] = n;
    }
    snprintf(name, sizeof(name), "x%u.%u", w->index, n % SPREAD);
    const struct rig_op whole = {
        .code = WRITEFULL, .length = sizeof(text), .data = text, .len = sizeof(text)};
    need(request(w, name, whole) == 0, __LINE__);
    snprintf(name, sizeof(name), "list%u", w->index);
    const struct rig_op append = {.code = APPEND, .length = 4, .data = &n, .len = 4};
    need(request(w, name, append) == 0, __LINE__);
    if (n % 8 == 0) {
        snprintf(name, sizeof(name), "gone%u.%u", w->index, n);
        need(request(w, name, whole) == 0, __LINE__);
        need(request(w, name, (struct rig_op){.code = DELETE}) == 0, __LINE__);
    }
}

static void *write_on(void *arg)
{
    struct writer *w = arg;
    signet_osd_session_make(&w->session, &rig.osd, 100 + w->index, "allow *");
    for (uint32_t n = 1; !atomic_load(&shared->stop); n++) {
        write_number(w, n);
        atomic_store(&shared->answered[w->index], n);
    }
    signet_osd_session_clear(&w->session);
    return NULL;
}

static struct writer writers[WRITERS];

static void begin_writers(void)
{
    atomic_store(&shared->stop, false);
    for (unsigned i = 0; i < WRITERS; i++) {
        writers[i] = (struct writer){.index = i};
        atomic_store(&shared->answered[i], 0);
        need(pthread_create(&writers[i].thread, NULL, write_on, &writers[i]) == 0, __LINE__);
    }
}

static void end_writers(void)
{
    atomic_store(&shared->stop, true);
    for (int i = 0; i < WRITERS; i++) {
        pthread_join(writers[i].thread, NULL);
    }
}

static void wait_for_some(uint32_t more)
{
    for (int i = 0; i < WRITERS; i++) {
        uint32_t until = atomic_load(&shared->answered[i]) + more;
        while (atomic_load(&shared->answered[i]) < until) {
            usleep(200);
        }
    }
}

/* Everything that was answered is there, once and in order, and nothing that nobody wrote. */
static void check_writer(unsigned index)
{
    const uint32_t answered = atomic_load(&shared->answered[index]);
    const struct rig_op read = {.code = READ};
    char name[32];
    snprintf(name, sizeof(name), "list%u", index);
    ck_assert_int_eq(rig_one(&rig, name, read), 0);
    ck_assert_uint_eq(rig.data_len % 4, 0);
    uint32_t last = (uint32_t)(rig.data_len / 4);
    ck_assert_uint_ge(last, answered);
    ck_assert_uint_le(last, answered + 1);
    for (uint32_t n = 1; n <= last; n++) {
        ck_assert_uint_eq(signet_load_u32(rig.data + (size_t)(n - 1) * 4), n);
    }
    for (uint32_t k = 0; k < SPREAD && k < answered; k++) {
        uint32_t want = answered - (answered - k) % SPREAD; /* the last that was written there */
        snprintf(name, sizeof(name), "x%u.%u", index, k);
        if (want == 0) {
            continue;
        }
        ck_assert_int_eq(rig_one(&rig, name, read), 0);
        ck_assert_uint_eq(rig.data_len, 800);
        uint32_t have = signet_load_u32(rig.data);
        ck_assert(have == want || have == answered + 1);
    }
    for (uint32_t n = 8; n <= answered; n += 8) {
        snprintf(name, sizeof(name), "gone%u.%u", index, n);
        ck_assert_int_eq(rig_one(&rig, name, read), -ENOENT);
    }
}

static void check_all(void)
{
    for (unsigned i = 0; i < WRITERS; i++) {
        check_writer(i);
    }
    ck_assert_int_eq(access(temp_dir_path("journal.new"), F_OK), -1);
}

/* --- tests ---------------------------------------------------------------------------------- */

START_TEST(under_writers)
{
    options.sync = _i == 1;
    assert_ok(reopen());
    begin_writers();
    for (unsigned round = 0; round < 5; round++) {
        wait_for_some(options.sync ? 10 : 300);
        uint64_t before = journal_usage(rig.osd.journal).bytes;
        assert_ok(signet_osd_journal_anew(&rig.osd, &fail));
        ck_assert_uint_eq(journal_usage(rig.osd.journal).anew, round + 1);
        ck_assert_uint_gt(before, 0);
    }
    wait_for_some(10);
    end_writers();
    check_all();
    struct store_usage usage = signet_osd_usage(&rig.osd);
    ck_assert_int_eq(rig_put(&rig, "after", "x"), 0);
    rig_stop(&rig);
    assert_ok(reopen());
    check_all();
    rig_is_text(&rig, "after", "x");
    ck_assert_uint_eq(signet_osd_usage(&rig.osd).objects, usage.objects + 1);
    rig_stop(&rig);
}
END_TEST

static enum journal_step killed_at;
static int killed_after;

static void kill_here(enum journal_step step)
{
    if (step == killed_at && killed_after-- == 0) {
        kill(getpid(), SIGKILL);
    }
}

static void child(int delay)
{
    is_child = true;
    options.step = kill_here;
    if (reopen() != 0) {
        _exit(1);
    }
    begin_writers();
    wait_for_some(options.sync ? 5 : 100);
    usleep((unsigned)delay);
    if (signet_osd_journal_anew(&rig.osd, &fail) != 0) {
        _exit(2);
    }
    wait_for_some(1);
    kill(getpid(), SIGKILL);
}

static void write_and_die(void)
{
    is_child = true;
    if (reopen() != 0) {
        _exit(1);
    }
    begin_writers();
    wait_for_some(4 * SPREAD); /* most of it is history then */
    kill(getpid(), SIGKILL);
}

static void await_killed(pid_t pid)
{
    int status;
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert_msg(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL, "status %x", status);
}

/* kill -9 at each step, with writers at work: what was answered is there. */
START_TEST(killed_at_each_step)
{
    options.sync = _i / (JOURNAL_SETTLED + 1) == 1;
    killed_at = (enum journal_step)(_i % (JOURNAL_SETTLED + 1));
    for (int round = 0; round < 2; round++) {
        killed_after = killed_at == JOURNAL_SHARD_WRITTEN ? round * 9 : 0;
        pid_t pid = fork();
        if (pid == 0) {
            child(round * 300);
        }
        await_killed(pid);
        options.step = NULL;
        ck_assert_int_eq(access(temp_dir_path("journal.new"), F_OK),
                         killed_at <= JOURNAL_BEFORE_RENAME ? 0 : -1);
        int err = reopen();
        ck_assert_msg(err == 0, "%s: %s", signet_err_name(err), fail.text);
        check_all();
        rig_stop(&rig);
        unlink(temp_dir_path("journal"));
    }
}
END_TEST

/* The same while it is written anew at a start. */
START_TEST(killed_at_each_step_of_a_start)
{
    options.sync = _i / (JOURNAL_SETTLED + 1) == 1;
    killed_at = (enum journal_step)(_i % (JOURNAL_SETTLED + 1));
    killed_after = killed_at == JOURNAL_SHARD_WRITTEN ? SHARDS / 2 : 0;
    pid_t pid = fork();
    if (pid == 0) {
        write_and_die();
    }
    await_killed(pid);
    pid = fork();
    if (pid == 0) {
        is_child = true;
        options.step = kill_here;
        options.keep_bytes = 1;
        _exit(reopen());
    }
    await_killed(pid);
    assert_ok(reopen());
    check_all();
    rig_stop(&rig);
}
END_TEST

static atomic_int times, bad;

static void kept(void *arg, uint64_t before, uint64_t after, int err, const struct signet_fail *why)
{
    (void)arg;
    (void)why;
    (void)after; /* by then writers may have written as much again */
    atomic_fetch_add(&bad, err != 0 || before < 200000);
    atomic_fetch_add(&times, 1);
}

/* The thread that looks after it. */
START_TEST(by_itself)
{
    atomic_store(&times, 0);
    atomic_store(&bad, 0);
    assert_ok(reopen());
    assert_ok(signet_osd_keep(&rig.osd, 200000, kept, NULL));
    begin_writers();
    for (int i = 0; i < 1000 && atomic_load(&times) < 2; i++) {
        usleep(20000);
    }
    end_writers();
    ck_assert_int_ge(atomic_load(&times), 2);
    ck_assert_int_eq(atomic_load(&bad), 0);
    check_all();
    rig_stop(&rig);
    assert_ok(reopen());
    check_all();
    rig_stop(&rig);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("osd_anew");
    TCase *t = tcase_create("anew");
    tcase_set_timeout(t, 60);
    tcase_add_checked_fixture(t, start, stop);
    tcase_add_loop_test(t, under_writers, 0, 2);
    tcase_add_loop_test(t, killed_at_each_step, 0, 2 * (JOURNAL_SETTLED + 1));
    tcase_add_loop_test(t, killed_at_each_step_of_a_start, 0, 2 * (JOURNAL_SETTLED + 1));
    tcase_add_test(t, by_itself);
    suite_add_tcase(s, t);
    return suite_run(s);
}
