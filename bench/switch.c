/* SPDX-License-Identifier: MIT */
/* Does an operation cost more while the handler is switched a thousand times a second? */
#include "common/bench.h"
#include "common/bench_signet.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

enum { PLAIN = 128, ROOM = PLAIN + 64, KEY_SEED = 31, PERIOD_NS = 1000000 };

static struct bench_handlers handlers;
static atomic_bool stop;

struct job {
    struct bench_sealer sealer; /* its key follows the current handler */
    int first, last;            /* the handlers used, one after the other; -1: those in force */
    uint8_t plain[ROOM], out[ROOM], want[ROOM];
};

static void use(unsigned handler)
{
    bench_need(signet_handler_use(handlers.at[handler]) == 0, "a handler is refused");
}

static int seal(struct job *j)
{
    return bench_sealer_seal(&j->sealer, j->out, j->plain, PLAIN);
}

static void seal_many(struct job *j, uint64_t iters)
{
    for (uint64_t i = 0; i < iters; i++) {
        bench_need(seal(j) > 0, "an envelope does not seal");
        bench_use(j->out);
    }
}

/* Half on each of two handlers, without a switch in between but the one. */
static void run_steady(void *arg, uint64_t iters)
{
    struct job *j = arg;
    use((unsigned)j->first);
    seal_many(j, iters / 2);
    use((unsigned)j->last);
    seal_many(j, iters - iters / 2);
}

static void *switcher(void *arg)
{
    (void)arg;
    struct timespec period = {0, PERIOD_NS};
    for (unsigned i = 0; !atomic_load(&stop); i++) {
        use(i % 2);
        nanosleep(&period, NULL);
    }
    return NULL;
}

static double measure_switched(void *arg, uint64_t iters)
{
    pthread_t thread;
    atomic_store(&stop, false);
    bench_need(pthread_create(&thread, NULL, switcher, NULL) == 0, "a thread cannot be started");
    double start = bench_mono_ns();
    seal_many(arg, iters);
    double ns = bench_mono_ns() - start;
    atomic_store(&stop, true);
    pthread_join(thread, NULL);
    return ns;
}

/* A type 1 key seals to the same bytes with every handler. */
static int check(void *arg)
{
    struct job *j = arg;
    for (unsigned h = 0; h < handlers.num; h++) {
        use(h);
        int len = seal(j);
        if (len < 0 || (h > 0 && memcmp(j->out, j->want, (size_t)len) != 0)) {
            return 1;
        }
        memcpy(j->want, j->out, (size_t)len);
    }
    return 0;
}

static struct job *new_job(int first, int last)
{
    struct job *j = bench_alloc(sizeof *j);
    j->sealer =
        (struct bench_sealer){bench_key(SIGNET_KEY_AES, NULL, KEY_SEED), SIGNET_USAGE_AUTHORIZE};
    j->first = first;
    j->last = last;
    bench_fill(j->plain, sizeof j->plain, 5);
    return j;
}

static int setup(struct bench *b)
{
    static const char group[] = "seal 128 B, aes";
    bench_signet_start(b, &handlers);
    bench_need(handlers.num >= 2, "there is only one handler");
    for (int h = 0; h < 2; h++) {
        bench_add(b, &(struct bench_row){.group = group,
                                         .name = bench_text(b, "%s", handlers.name[h]),
                                         .arg = new_job(h, h),
                                         .bytes = PLAIN,
                                         .no_allocs = true,
                                         .check = check,
                                         .run = run_steady});
    }
    bench_add(b, &(struct bench_row){.group = group,
                                     .name = "half with each",
                                     .arg = new_job(0, 1),
                                     .bytes = PLAIN,
                                     .no_allocs = true,
                                     .check = check,
                                     .run = run_steady});
    bench_add(b, &(struct bench_row){.group = group,
                                     .name = "switched 1,000 times a second",
                                     .versus = {{"half with each", 0, 1 / 1.1, 0}},
                                     .arg = new_job(-1, -1),
                                     .bytes = PLAIN,
                                     .check = check,
                                     .measure = measure_switched});
    return 0;
}

int main(int argc, char **argv)
{
    static const struct bench_program program = {
        .name = "switch",
        .question = "does an operation cost more while the handler is switched?",
        .notes = "  A second thread makes the two handlers current in turn, once a millisecond.\n",
        .setup = setup,
        .rounds = 41,
        .sample_ns = 10e6,
    };
    return bench_main(argc, argv, &program);
}
