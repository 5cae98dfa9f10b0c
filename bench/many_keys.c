/* SPDX-License-Identifier: MIT */
/* Does an operation cost more when many keys are alive, and how much memory is a key? */
#include "common/bench.h"
#include "common/bench_signet.h"
#include "ref/ref.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FEW = 100, MANY = 10000, PLAIN = 128, ROOM = PLAIN + 64 };

static struct bench_handlers handlers;

/* num keys of one type on one handler. Made by the row's check, so that rows which are left out
 * cost nothing. */
struct ring {
    enum signet_key_type type;
    enum signet_usage usage;
    unsigned handler, num, at;
    struct signet_key **keys;
    uint8_t plain[ROOM], out[ROOM];
};

static double resident(void)
{
    char line[128], *second = NULL;
    unsigned long pages = 0; /* the second number of the line */
    FILE *f = fopen("/proc/self/statm", "r");
    if (f) {
        if (fgets(line, sizeof line, f) != NULL) {
            (void)strtoul(line, &second, 10);
            pages = strtoul(second, NULL, 10);
        }
        fclose(f);
    }
    return (double)pages * (double)sysconf(_SC_PAGESIZE);
}

static int seal_with(struct ring *r, unsigned i)
{
    struct bench_sealer s = {r->keys[i], r->usage};
    return bench_sealer_seal(&s, r->out, r->plain, PLAIN);
}

static void *touch_all(void *arg)
{
    struct ring *r = arg;
    for (unsigned i = 0; i < r->num; i++) {
        bench_need(seal_with(r, i) > 0, "a key does not seal");
    }
    return NULL;
}

static void touch_all_elsewhere(struct ring *r)
{
    pthread_t thread;
    bench_need(pthread_create(&thread, NULL, touch_all, r) == 0, "a thread cannot be started");
    pthread_join(thread, NULL);
}

static struct ring *new_ring(enum signet_key_type type, unsigned handler, unsigned num)
{
    struct ring *r = bench_alloc(sizeof *r);
    r->type = type;
    r->usage = SIGNET_USAGE_AUTHORIZE;
    r->handler = handler;
    r->num = num;
    bench_fill(r->plain, sizeof r->plain, 3);
    memcpy(r->plain, ref_header, sizeof ref_header);
    return r;
}

static void fill_ring(struct ring *r)
{
    r->keys = bench_alloc(r->num * sizeof(struct signet_key *));
    for (unsigned i = 0; i < r->num; i++) {
        r->keys[i] = bench_key(r->type, handlers.at[r->handler], i + 1);
    }
    (void)touch_all(r);
}

/* Bytes per key. */
struct memory {
    double first, thread, usage;
};

/* Grows in turn by keys used by one thread, by a second thread and by a second usage. */
static void measure_memory(struct ring *r, struct memory *m)
{
    double num = r->num, before = resident();
    fill_ring(r);
    double one = resident();
    touch_all_elsewhere(r);
    double two = resident();
    r->usage = SIGNET_USAGE_TICKET_INFO;
    (void)touch_all(r);
    *m = (struct memory){(one - before) / num, (two - one) / num, (resident() - two) / num};
}

/* In a child, whose heap has no room that others have left. */
static void state_memory(struct bench *b, enum signet_key_type type, unsigned handler, unsigned num)
{
    struct memory *m =
        mmap(NULL, sizeof *m, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int status = 0;
    bench_need(m != MAP_FAILED, "out of memory");
    pid_t pid = fork();
    if (pid == 0) {
        measure_memory(new_ring(type, handler, num), m);
        _exit(0);
    }
    bench_need(pid > 0 && waitpid(pid, &status, 0) == pid && status == 0, "a child failed");
    const char *name = signet_key_type_name(type);
    bench_fact(b, bench_text(b, "bytes per key, %s, %s", name, handlers.name[handler]),
               "%.0f for one usage on one thread, %.0f more for a further thread", m->first,
               m->thread);
    if (type == SIGNET_KEY_AES256K) {
        bench_fact(b, bench_text(b, "bytes per usage, %s, %s", name, handlers.name[handler]),
                   "%.0f for a further usage on one thread", m->usage);
    }
    munmap(m, sizeof *m);
}

/* Each key gives what OpenSSL gives; sealing only, so that each key keeps its two contexts. */
static int check(void *arg)
{
    struct ring *r = arg;
    const struct ref_cipher *ref = &ref_cached_openssl;
    uint8_t key[REF_KEY_LEN], want[ROOM];
    int wrong = 0;
    fill_ring(r);
    touch_all_elsewhere(r);
    for (unsigned i = 0; i < r->num && !wrong; i++) {
        bench_fill(key, sizeof key, i + 1);
        void *state = ref->make(key);
        int len = ref->seal(state, want, r->plain, PLAIN);
        wrong = seal_with(r, i) != len || memcmp(want, r->out, (size_t)len) != 0;
        ref->drop(state);
    }
    return wrong;
}

static void run(void *arg, uint64_t iters)
{
    struct ring *r = arg;
    for (uint64_t i = 0; i < iters; i++) {
        bench_need(seal_with(r, r->at) > 0, "a key does not seal");
        r->at = r->at + 1 < r->num ? r->at + 1 : 0;
    }
}

static void add_ring(struct bench *b, const char *group, unsigned handler, unsigned num)
{
    struct bench_row row = {.group = group,
                            .name = bench_text(b, "%u keys", num),
                            .arg = new_ring(SIGNET_KEY_AES, handler, num),
                            .bytes = PLAIN,
                            .no_allocs = true,
                            .check = check,
                            .run = run};
    if (num != FEW) {
        row.floor = bench_text(b, "%u keys", FEW);
        row.bar_floor = 3;
    }
    bench_add(b, &row);
}

static int setup(struct bench *b)
{
    bench_signet_start(b, &handlers);
    for (unsigned h = 0; h < handlers.num && !bench_quick(b); h++) {
        state_memory(b, SIGNET_KEY_AES, h, MANY);
        state_memory(b, SIGNET_KEY_AES256K, h, MANY / 5);
    }
    for (unsigned h = 0; h < handlers.num; h++) {
        const char *group = bench_text(b, "seal 128 B, aes, round robin, %s", handlers.name[h]);
        add_ring(b, group, h, FEW);
        add_ring(b, group, h, MANY);
    }
    return 0;
}

int main(int argc, char **argv)
{
    static const struct bench_program program = {
        .name = "many_keys",
        .question = "does an operation cost more when many keys are alive?",
        .notes =
            "  Two threads have used each key, so that each has two contexts (NSS: sessions)\n"
            "  per key; one of them is timed. Instructions per operation: bench/instructions.sh.\n",
        .setup = setup,
        .sample_ns = 2e6,
        .rounds = 51,
    };
    return bench_main(argc, argv, &program);
}
