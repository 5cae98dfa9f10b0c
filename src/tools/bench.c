/* SPDX-License-Identifier: MIT */
/* signet bench: loads an OSD as rados bench does. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <signet/handler.h>
#include <signet/signet.h>

#include "bench.h"
#include "commands.h"

#define SECOND_NS UINT64_C(1000000000)

struct bench {
    struct bench_options options;
    struct ping ping;
    struct lite_osdmap map;
    struct bench_load *load;
    struct bench_screen screen;
    struct bench_meta meta;
};

/* --- failures ------------------------------------------------------------------------------- */

static void what_failed(const struct bench *b, const struct bench_why *why,
                        struct tool_problem *problem)
{
    static const char *const doing[] = {"writing object",           "reading object",
                                        "reading object",           "removing object",
                                        "listing the pool, page",   "reading the run's record",
                                        "writing the run's record", "removing the run's record"};
    char number[32] = "";
    if (why->kind < BENCH_META_READ)
        snprintf(number, sizeof(number), " %" PRIu64, why->object);
    if (why->differs) {
        tool_what(problem, "%s%s: it is not what the write left there", doing[why->kind], number);
        problem->cause[0] = "another program has written to these objects";
        problem->cause[1] = "the OSD, or its storage, has damaged them";
        problem->next = "compare with 'rados get' and with 'rados bench seq'";
        return;
    }
    tool_what(problem, "error during benchmark: %s%s: (%d) %s", doing[why->kind], number,
              -why->os_err, strerror(-why->os_err));
    if (why->os_err == -ENOSPC || why->os_err == -EDQUOT) {
        problem->cause[0] = "the OSD's memory or disk is full, or the pool's quota is reached";
        problem->cause[1] =
            "a ceph-osd with memstore counts wrong under load, and takes itself for "
            "full: see 'ceph osd df'";
        problem->next = "remove what is not needed ('signet bench cleanup'), or raise the store's "
                        "size";
    } else if (why->os_err == -EPERM || why->os_err == -EACCES) {
        problem->cause[0] = "the entity's osd capabilities do not allow this on the pool";
        problem->next = "look at 'ceph auth get' of it: reading takes r, writing rw";
    } else if (why->os_err == -ENOENT && why->kind < BENCH_META_READ) {
        problem->cause[0] = "somebody has removed objects of the run, or it ran on another host";
        problem->next = "write them again with --no-cleanup";
    }
    (void)b;
}

static const struct {
    const char *what;
    const char *cause[2], *next;
} reasons[] = {
    [BENCH_LOST] = {"the connection was lost, and no other came about in time",
                    {"the OSD has ended and was not started again", "the network broke down"},
                    "look at 'ceph osd tree', and raise --timeout to wait longer"},
    [BENCH_NO_OSD] = {"it is gone, and the map has no OSD that is up",
                      {"the OSD has ended and was not started again"},
                      "look at 'ceph osd tree', and raise --timeout to wait longer"},
    [BENCH_PAUSED] = {"the map pauses the cluster",
                      {"somebody has set it: ceph osd set pause"},
                      "take it back with 'ceph osd unset pause'"},
    [BENCH_BLOCKED] = {"it holds operations back: placement groups are not active",
                       {"the pool's min_size is above the copies that there can be",
                        "the groups wait for an OSD that is down"},
                       "look at 'ceph -s' and 'ceph pg dump_stuck', or raise --timeout"},
    [BENCH_NO_POOL] = {"the pool has been removed meanwhile", {NULL}, "look at 'ceph osd pool ls'"},
    [BENCH_MORE_OSDS] = {"there are more OSDs now: placements over several are not computed",
                         {"an OSD was started or taken in"},
                         "measure against a cluster of one OSD, or use rados bench"},
    [BENCH_OTHER_CLUSTER] = {"its monitors are another cluster's now",
                             {"the cluster was made anew while this ran"},
                             "run it again"},
};

static void cannot_go_on(const struct bench *b, const struct bench_why *why,
                         struct tool_problem *problem)
{
    const char *last = why->fail.text[0] ? why->fail.text : signet_strerror(why->fail.err);
    tool_what(problem, "osd %s: %s%s%s", b->ping.peer_text, reasons[why->reason].what,
              why->fail.err ? ": " : "", why->fail.err ? last : "");
    problem->err = why->err;
    problem->cause[0] = reasons[why->reason].cause[0];
    problem->cause[1] = reasons[why->reason].cause[1];
    problem->next = reasons[why->reason].next;
}

static int failed(struct bench *b, const struct bench_why *why)
{
    struct tool_problem problem = {0};
    if (why->reason) {
        cannot_go_on(b, why, &problem);
    } else if (why->kind == BENCH_META_READ && (why->os_err == -ENOENT || why->differs)) {
        tool_what(&problem,
                  "Must write data before running a read benchmark! There is no usable "
                  "object %s in the pool %s",
                  b->options.run_name, b->options.pool);
        problem.next = "run 'signet bench SECONDS write --no-cleanup' first";
    } else if (why->os_err || why->differs) {
        what_failed(b, why, &problem);
    } else if (why->err == -SIGNET_E_TIMEOUT) {
        tool_what(&problem, "osd %s does not answer any more", b->ping.peer_text);
        problem.err = why->err;
        problem.cause[0] = "placement groups are not active yet, or the OSD hangs";
        problem.next = "look at 'ceph -s', and raise --timeout if the OSD is only slow";
    } else {
        ping_problem(&b->ping, why->err, &why->fail, &problem);
    }
    return tool_fail("bench", b->options.login.format, &problem);
}

/* --- jobs ----------------------------------------------------------------------------------- */

static int run(struct bench *b, struct bench_job *job)
{
    struct bench_why why;
    return bench_load_run(b->load, job, &why) ? failed(b, &why) : TOOL_OK;
}

/* One operation on the record of the run. */
static int run_meta(struct bench *b, enum bench_kind kind)
{
    struct bench_job *job = calloc(1, sizeof(*job));
    if (!job)
        return TOOL_FAILURE;
    *job = (struct bench_job){.kind = kind, .limit = 1, .depth = 1, .meta = b->meta};
    int code = run(b, job);
    b->meta = job->meta;
    free(job);
    return code;
}

static void tick(struct bench_load *load, struct bench_job *job, void *arg)
{
    struct bench *b = arg;
    (void)load;
    bench_print_tick(&b->screen, job);
}

static int remove_objects(struct bench *b, struct bench_job *job, uint64_t num)
{
    bool text = b->options.login.format != TOOL_JSON;
    if (text)
        puts("Cleaning up (deleting benchmark objects)");
    *job = (struct bench_job){
        .kind = BENCH_REMOVE, .limit = num, .depth = b->options.depth, .meta = b->meta};
    int code = run(b, job);
    if (code == TOOL_OK)
        code = run_meta(b, BENCH_META_REMOVE);
    if (code == TOOL_OK && text)
        printf("Removed %" PRIu64 " objects\n"
               "Clean up completed and total clean up time :%.6g\n",
               num, (double)job->elapsed_ns / (double)SECOND_NS);
    return code;
}

static int write_all(struct bench *b, struct bench_job *job)
{
    char prefix[BENCH_NAME_MAX];
    b->meta = (struct bench_meta){.object_size = b->options.op_size,
                                  .pid = (uint64_t)getpid(),
                                  .op_size = b->options.op_size};
    bench_prefix(prefix, b->meta.pid);
    bench_print_head(&b->screen, prefix);
    job->meta = b->meta;
    int code = run(b, job);
    b->meta.num = job->finished;
    if (code == TOOL_OK)
        code = run_meta(b, BENCH_META_WRITE);
    if (code != TOOL_OK)
        return code;
    if (b->options.cleanup && b->options.login.format == TOOL_JSON) {
        /* one document: it comes when all has gone well */
        struct bench_job *rest = calloc(1, sizeof(*rest));
        code = rest ? remove_objects(b, rest, b->meta.num) : TOOL_FAILURE;
        free(rest);
        if (code == TOOL_OK)
            bench_print_end(&b->screen, job);
        return code;
    }
    bench_print_end(&b->screen, job);
    return b->options.cleanup ? remove_objects(b, job, b->meta.num) : TOOL_OK;
}

static int read_all(struct bench *b, struct bench_job *job)
{
    int code = run_meta(b, BENCH_META_READ);
    if (code != TOOL_OK)
        return code;
    b->screen.op_size = b->meta.object_size;
    bench_print_head(&b->screen, "");
    job->meta = b->meta;
    if (b->options.kind == BENCH_SEQ && b->meta.num < job->limit)
        job->limit = b->meta.num;
    code = run(b, job);
    if (code == TOOL_OK)
        bench_print_end(&b->screen, job);
    return code;
}

/* --- cleanup -------------------------------------------------------------------------------- */

/* The record, if it tells of objects that were removed. */
static int remove_record(struct bench *b, const char *prefix)
{
    char of_run[BENCH_NAME_MAX];
    int code = run_meta(b, BENCH_META_READ);
    if (code != TOOL_OK)
        return code;
    bench_prefix(of_run, b->meta.pid);
    return strncmp(of_run, prefix, strlen(prefix)) == 0 ? run_meta(b, BENCH_META_REMOVE) : TOOL_OK;
}

/* Page by page, so that a large pool needs no more memory than a small one. */
static int remove_listed(struct bench *b, struct bench_job *job, struct bench_list *list,
                         uint64_t *removed)
{
    int code = TOOL_OK;
    while (code == TOOL_OK && !list->end) {
        *job = (struct bench_job){.kind = BENCH_LIST, .limit = 1, .depth = 1, .list = list};
        code = run(b, job);
        if (code != TOOL_OK || list->num == 0)
            continue;
        *job = (struct bench_job){
            .kind = BENCH_REMOVE, .limit = list->num, .depth = b->options.depth, .list = list};
        code = run(b, job);
        *removed += list->num;
        bench_list_drop(list);
    }
    return code;
}

static void say_removed(const struct bench *b, const char *prefix, uint64_t num, double seconds)
{
    if (b->options.login.format == TOOL_JSON)
        tool_json_print(json_pack("{s:b, s:o, s:I, s:f}", "ok", 1, "prefix",
                                  tool_json_text(prefix, strlen(prefix)), "removed",
                                  (json_int_t)num, "seconds", seconds));
    else
        printf("Removed %" PRIu64 " objects\n"
               "Clean up completed and total clean up time :%.6g\n",
               num, seconds);
}

static int clean_up(struct bench *b, struct bench_job *job)
{
    char prefix[BENCH_NAME_MAX];
    static struct bench_list list;
    uint64_t removed = 0, start_ns = signet_driver_now_ns();
    bench_host_prefix(prefix);
    if (b->options.prefix)
        snprintf(prefix, sizeof(prefix), "%s", b->options.prefix);
    if (bench_list_begin(&list, prefix, b->options.run_name) != 0)
        return TOOL_FAILURE;
    int code = remove_listed(b, job, &list, &removed);
    if (code == TOOL_OK && list.record)
        code = remove_record(b, prefix);
    if (code == TOOL_OK)
        say_removed(b, prefix, removed, (double)(signet_driver_now_ns() - start_ns) / SECOND_NS);
    bench_load_close(b->load); /* it may still use the list */
    b->load = NULL;
    bench_list_free(&list);
    return code;
}

static int run_all(struct bench *b)
{
    struct bench_why why;
    if (bench_load_open(&b->load, &b->options, &b->ping, &b->map, &why))
        return failed(b, &why);
    struct bench_job *job = calloc(1, sizeof(*job));
    if (!job)
        return TOOL_FAILURE;
    *job = (struct bench_job){.kind = b->options.kind,
                              .limit = b->options.max_objects ? b->options.max_objects : UINT64_MAX,
                              .duration_ns = b->options.seconds * SECOND_NS,
                              .depth = b->options.depth,
                              .tick = tick,
                              .arg = b};
    b->screen = (struct bench_screen){.options = &b->options, .op_size = b->options.op_size};
    int code = b->options.remove_only           ? clean_up(b, job)
               : b->options.kind == BENCH_WRITE ? write_all(b, job)
                                                : read_all(b, job);
    free(job);
    return code;
}

int signet_cmd_bench(int argc, char **argv)
{
    static struct bench b;
    int code = TOOL_FAILURE;
    memset(&b, 0, sizeof(b));
    if (!bench_parse(argc, argv, &b.options, &code))
        return code;
    code = tool_start("bench", b.options.login.handler, b.options.login.format);
    if (code != TOOL_OK)
        return code;
    b.ping.options = b.options.login;
    code = ping_setup(&b.ping);
    if (code == TOOL_OK)
        code = bench_map(&b.ping, b.options.pool, &b.map);
    if (code == TOOL_OK)
        code = run_all(&b);
    bench_load_close(b.load);
    ping_clear(&b.ping);
    signet_shutdown();
    return code;
}
