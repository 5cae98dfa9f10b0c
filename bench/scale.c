/* SPDX-License-Identifier: MIT */
/* What do many connections to one signetd cost: memory, handshakes, and those that are busy? */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "scale.h"

enum {
    IDLE = 10000,
    FILES = IDLE + 1000,
    BUSY = 64,
    LANES = 50,   /* handshakes at a time */
    SETTLE_S = 4, /* until buffers of a handshake are given back */
    BAR_BYTES = 24 << 10,
    JITTER_MS = 2000,
    SLICES = 9,
    FEW = 3, /* smaller numbers of idle ones */
};

/* Of one handler. The idle connections come and go, so that the same busy ones are measured at the
 * same daemon alone and beside them, in turn. */
struct scene {
    struct daemon daemon;
    struct holder idle;
    struct crowd busy;
    struct crowd mon[2], to[2]; /* handshakes: crc, secure */
};

/* A row: a crowd and what it does. */
struct act {
    struct crowd *crowd;
    double (*run)(struct crowd *crowd, uint64_t num);
    const struct signet_handler *handler;
    unsigned check_num;
    bool cpu;                 /* what signetd computed, instead of the time that it took */
    const struct scene *idle; /* whose idle connections are there; NULL: none of any */
};

static struct bench_handlers handlers;
static struct scene scenes[BENCH_HANDLERS_MAX];
static unsigned num_scenes, num_idle = IDLE, settle_s = SETTLE_S;

static void use(const struct signet_handler *handler)
{
    bench_need(signet_handler_use(handler) == 0, "a handler cannot be used");
}

static void settle(unsigned seconds)
{
    const struct timespec wait = {seconds, 0};
    nanosleep(&wait, NULL);
}

/* Each connection is a file, here and at the daemon. Children have the same limit. */
static void raise_files(void)
{
    struct rlimit limit;
    bench_need(getrlimit(RLIMIT_NOFILE, &limit) == 0, "no limit of files");
    limit.rlim_cur = limit.rlim_max;
    bench_need(setrlimit(RLIMIT_NOFILE, &limit) == 0, "no limit of files");
}

static void choose_num(struct bench *b)
{
    struct rlimit limit;
    bench_need(getrlimit(RLIMIT_NOFILE, &limit) == 0, "no limit of files");
    if (bench_quick(b)) {
        num_idle = 200;
        settle_s = 0;
    } else if (limit.rlim_cur < FILES) {
        num_idle = (unsigned)(limit.rlim_cur / 2);
        bench_fact(b, "files", "only %llu are allowed: %u connections instead of %d",
                   (unsigned long long)limit.rlim_cur, num_idle, IDLE);
    }
}

/* --- memory --------------------------------------------------------------------------------- */

/* Opens as many as are said, in a daemon that has seen none before. */
static void measure_memory(struct bench *b, struct holder *h, const struct daemon *d, unsigned num)
{
    double before = daemon_memory(d), cpu = daemon_cpu_ns(d);
    double took = holder_open(h, d, num);
    cpu = daemon_cpu_ns(d) - cpu;
    settle(settle_s);
    double each = (daemon_memory(d) - before) / num;
    bool bar = num >= 1000;
    bench_fact(b, bench_text(b, "%u idle connections, %s", num, d->handler),
               "%.0f bytes each%s; opened in %.2f s, %.0f us of CPU each in signetd", each,
               !bar                ? ""
               : each <= BAR_BYTES ? " (bar: <= 24576, met)"
                                   : " (bar: <= 24576, MISSED)",
               took / 1e9, cpu / num / 1e3);
}

static void memory_of_few(struct bench *b, const char *handler, struct holder *h, unsigned num)
{
    struct daemon d;
    daemon_start(&d, handler);
    measure_memory(b, h, &d, num);
    holder_end(h);
    daemon_stop(&d);
}

/* --- a storm -------------------------------------------------------------------------------- */

/* The daemon dies with all its connections; they come back to the next one. */
static void storm(struct bench *b, struct scene *s)
{
    const struct timespec down = {1, 0};
    holder_come_back(&s->idle, JITTER_MS * UINT64_C(1000000));
    daemon_kill(&s->daemon);
    nanosleep(&down, NULL);
    daemon_restart(&s->daemon);
    double took = holder_await(&s->idle);
    double cpu = daemon_cpu_ns(&s->daemon);
    settle(settle_s);
    bench_fact(b, bench_text(b, "storm, %s", s->daemon.handler),
               "%u connections were back %.2f s after signetd was started again (first tries "
               "within %d s, %llu in vain), %.0f us of CPU each, then %.0f bytes each",
               s->idle.num, took / 1e9, JITTER_MS / 1000, (unsigned long long)s->idle.failed,
               cpu / s->idle.num / 1e3, daemon_memory(&s->daemon) / s->idle.num);
}

/* --- rows ----------------------------------------------------------------------------------- */

/* No idle connections but those of this scene, all of which are at rest. */
static void let_idle(const struct scene *wanted)
{
    for (unsigned i = 0; i < num_scenes; i++) {
        struct scene *s = &scenes[i];
        bool want = s == wanted;
        if (want == s->idle.open) {
            continue;
        }
        if (want) {
            (void)holder_open(&s->idle, &s->daemon, num_idle);
            settle(settle_s);
        } else {
            holder_close(&s->idle);
            settle(settle_s / 4);
        }
    }
}

static void prepare(void *arg, uint64_t iters)
{
    const struct act *a = arg;
    (void)iters;
    let_idle(a->idle);
}

static double measure(void *arg, uint64_t iters)
{
    struct act *a = arg;
    use(a->handler);
    double cpu = daemon_cpu_ns(a->crowd->daemon);
    double ns = a->run(a->crowd, iters);
    return a->cpu ? daemon_cpu_ns(a->crowd->daemon) - cpu : ns;
}

/* In slices, of which the median counts: what else runs on the machine disturbs some. */
static double write_slices(struct crowd *crowd, uint64_t num)
{
    double ns[SLICES];
    uint64_t each = num / SLICES;
    if (each < BUSY) {
        return crowd_write(crowd, num);
    }
    for (unsigned i = 0; i < SLICES; i++) {
        ns[i] = crowd_write(crowd, each);
    }
    bench_sort(ns, SLICES);
    return ns[SLICES / 2] * (double)num / (double)each;
}

static int check(void *arg)
{
    struct act *a = arg;
    return measure(a, a->check_num) <= 0;
}

static void add_row(struct bench *b, const char *group, const char *name, const char *reference,
                    double bar, const struct act *like)
{
    struct act *a = bench_alloc(sizeof *a);
    *a = *like;
    struct bench_row row = {.group = group,
                            .name = name,
                            .arg = a,
                            .versus = {{.row = reference, .bar_median = bar}},
                            .iters = bench_quick(b) ? a->check_num : 0,
                            .check = check,
                            .prepare = prepare,
                            .measure = measure};
    bench_add(b, &row);
}

static void add_writes(struct bench *b, struct scene *s, unsigned h)
{
    const char *group =
        bench_text(b, "write of 4 KiB on %d connections, %s", BUSY, handlers.name[h]);
    s->busy = (struct crowd){.daemon = &s->daemon,
                             .service = SIGNET_OSD,
                             .num = BUSY,
                             .lanes = BUSY / 4,
                             .secure = true};
    crowd_start(&s->busy);
    crowd_open(&s->busy);
    const char *beside = bench_text(b, "beside %u idle ones", num_idle);
    struct act time = {&s->busy, write_slices, handlers.at[h], 1000, false, NULL}, cpu = time;
    cpu.cpu = true;
    add_row(b, group, "alone", NULL, 0, &time);
    add_row(b, group, "alone, CPU of signetd", NULL, 0, &cpu);
    time.idle = cpu.idle = s;
    add_row(b, group, beside, "alone", 0.9, &time);
    add_row(b, group, bench_text(b, "%s, CPU of signetd", beside), "alone, CPU of signetd", 0,
            &cpu);
}

static void add_handshakes(struct bench *b, struct scene *s, unsigned h)
{
    const char *group = bench_text(b, "handshake, %s", handlers.name[h]);
    static const char *const names[2][2] = {{"login, crc", "login, secure"},
                                            {"authorizer, crc", "authorizer, secure"}};
    for (unsigned i = 0; i < 4; i++) {
        struct crowd *c = i < 2 ? &s->mon[i % 2] : &s->to[i % 2];
        *c = (struct crowd){.daemon = &s->daemon,
                            .service = i < 2 ? SIGNET_MON : SIGNET_OSD,
                            .num = LANES,
                            .lanes = LANES,
                            .secure = i % 2 == 1};
        crowd_start(c);
        const struct act a = {c, crowd_churn, handlers.at[h], 2 * LANES, false, NULL};
        add_row(b, group, names[i / 2][i % 2], NULL, 0, &a);
    }
}

static void set_the_scene(struct bench *b, unsigned h, struct holder few[FEW])
{
    static const unsigned nums[FEW] = {1, BUSY, 1000};
    struct scene *s = &scenes[num_scenes++];
    const char *handler = handlers.name[h];
    use(handlers.at[h]);
    for (unsigned i = 0; i < FEW && !bench_quick(b); i++) {
        memory_of_few(b, handler, &few[i], nums[i]);
    }
    daemon_start(&s->daemon, handler);
    measure_memory(b, &s->idle, &s->daemon, num_idle);
    storm(b, s);
    add_writes(b, s, h);
    add_handshakes(b, s, h);
}

static int setup(struct bench *b)
{
    static struct holder few[BENCH_HANDLERS_MAX][FEW];
    raise_files();
    for (unsigned i = 0; i < BENCH_HANDLERS_MAX; i++) {
        holder_fork(&scenes[i].idle);
        for (unsigned k = 0; k < FEW && !bench_quick(b); k++) {
            holder_fork(&few[i][k]);
        }
    }
    bench_signet_start(b, &handlers);
    choose_num(b);
    for (unsigned h = 0; h < handlers.num; h++) {
        if (strcmp(handlers.name[h], "ipsec-mb") != 0) {
            set_the_scene(b, h, few[h]);
        }
    }
    return 0;
}

static void teardown(void)
{
    for (unsigned i = 0; i < BENCH_HANDLERS_MAX; i++) { /* also those that have none */
        struct scene *s = &scenes[i];
        holder_end(&s->idle);
        crowd_stop(&s->busy);
        for (unsigned k = 0; k < 2; k++) {
            crowd_stop(&s->mon[k]);
            crowd_stop(&s->to[k]);
        }
        daemon_stop(&s->daemon);
    }
    bench_signet_stop();
}

int main(int argc, char **argv)
{
    static const struct bench_program program = {
        .name = "scale",
        .question = "what do many connections to one signetd cost?",
        .notes = "  One signetd and one client process on the same processors. Bytes: memory of\n"
                 "  signetd that no file backs, before and after. ns are wall time of both sides\n"
                 "  together: per write, 64 at a time; per handshake, 50 at a time. Idle ones are\n"
                 "  opened and closed between samples: both rows of writes are of the same 64.\n",
        .setup = setup,
        .teardown = teardown,
        .rounds = 9,
        .sample_ns = 5e8,
    };
    return bench_main(argc, argv, &program);
}
