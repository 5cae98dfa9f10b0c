/* SPDX-License-Identifier: MIT */
/* How fast can many writers append sealed records to one log? */
#include "log_records.h"

#include <string.h>

enum { BURSTS = 21, MAIN = MEMBERS - 1, CHECKED = 64, TO_A_PAGE = 16 };
/* Larger than the caches, as a log is not written twice. */
enum { LOG_BYTES = 128 << 20, LOG_BYTES_QUICK = 4 << 20 };

static struct bench_handlers handlers;
static uint8_t *shared_log;

static void run_member(void *arg, unsigned index, uint64_t iters)
{
    struct job *j = arg;
    struct writer *w = &j->writers[index];
    for (uint64_t i = 0; i < iters; i++) {
        bench_need(j->way->append(j, w) == 0, "a record is not appended");
    }
}

static double measure(void *arg, uint64_t iters)
{
    struct job *j = arg;
    return bench_team_ns(&j->team, iters);
}

/* Each sample meets a new log. */
static void prepare(void *arg, uint64_t iters)
{
    struct job *j = arg;
    (void)iters;
    job_stop(j);
    job_start(j);
    run_member(j, MAIN, TO_A_PAGE);
}

static void run_alone(void *arg, uint64_t iters)
{
    run_member(arg, MAIN, iters);
}

static int check(void *arg)
{
    struct job *j = arg;
    job_stop(j);
    job_start(j);
    run_member(j, 0, CHECKED);
    return !j->way->right(j, CHECKED);
}

/* The claim: sealing records on many threads, of 8 KiB by two. */
static void set_bars(struct bench_row *row, const struct job *j, unsigned writers)
{
    bool ours = j->way->kind == SIGNET_RECORD_CTR && j->way->several;
    row->versus[0].row = "CTR per page under the lock";
    row->versus[1].row = "plaintext, copied outside, several";
    row->versus[2].row = "plaintext + crc, outside, several";
    row->floor = j->way->kind == SIGNET_RECORD_CTR ? "CTR and a crc, in the cache" : NULL;
    if (ours && writers == 2 && j->n == PAGE) {
        row->versus[0].bar = 3.5;
        const char *name = signet_handler_name(j->handler);
        row->versus[1].bar = strcmp(name, "ipsec-mb") == 0  ? 0.7
                             : strcmp(name, "openssl") == 0 ? 0.4
                                                            : 0;
    }
}

static void add_way(struct bench *b, const char *group, const struct way *way, unsigned handler,
                    size_t n, unsigned writers)
{
    struct job *j = bench_alloc(sizeof *j);
    j->way = way;
    j->handler = handlers.at[handler];
    j->n = n;
    j->batch = !way->several ? 1 : n < PAGE ? 16 : 2;
    j->log = shared_log;
    j->log_bytes = bench_quick(b) ? LOG_BYTES_QUICK : LOG_BYTES;
    pthread_mutex_init(&j->lock, NULL);
    j->team = (struct bench_team){
        .members = writers, .bursts = bench_quick(b) ? 3 : BURSTS, .run = run_member, .arg = j};
    struct bench_row row = {.group = group,
                            .name = way->name,
                            .arg = j,
                            .bytes = n,
                            .ops = writers,
                            .iters = bench_quick(b) ? 50 : 0,
                            .no_allocs = true,
                            .check = check,
                            .prepare = prepare,
                            .run = writers == 1 ? run_alone : NULL,
                            .measure = measure};
    if (way->kind) {
        set_bars(&row, j, writers);
    }
    bench_add(b, &row);
}

static int setup(struct bench *b)
{
    static const size_t sizes[] = {512, PAGE};
    static const unsigned writers[] = {1, 2, 8};
    bench_signet_start(b, &handlers);
    shared_log = bench_alloc(bench_quick(b) ? LOG_BYTES_QUICK : LOG_BYTES);
    for (int s = 0; s < 2; s++) {
        for (int w = 0; w < 3; w++) {
            for (unsigned h = 0; h < handlers.num; h++) {
                const char *group =
                    bench_text(b, "%zu B, %u writers, %s", sizes[s], writers[w], handlers.name[h]);
                for (unsigned i = 0; i < num_log_ways; i++) {
                    add_way(b, group, &log_ways[i], h, sizes[s], writers[w]);
                }
            }
        }
    }
    return 0;
}

int main(int argc, char **argv)
{
    static const struct bench_program program = {
        .name = "log_records",
        .question = "how fast can many writers append sealed records to one log?",
        .notes =
            "  ns are wall time per record of all writers together, GB/s of plaintext. page: "
            "8 KiB\n"
            "  of records, sealed when it is full. several: numbers reserved at once, 16 for\n"
            "  512 B, 2 for 8 KiB. The log is 128 MiB of memory, used again and again. in the\n"
            "  cache: the bare calls of a record, by each writer into a buffer of its own.\n",
        .setup = setup,
        .rounds = 20,
        .sample_ns = 0.25e6,
    };
    return bench_main(argc, argv, &program);
}
