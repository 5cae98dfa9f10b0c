/* SPDX-License-Identifier: MIT */
/* The parts of `signet bench`. */
#ifndef SIGNET_TOOLS_BENCH_H
#define SIGNET_TOOLS_BENCH_H

#include <stdbool.h>
#include <stdint.h>

#include "lite/osdmap_read.h"
#include "ping.h"

enum bench_kind {
    BENCH_WRITE,
    BENCH_SEQ,
    BENCH_RAND,
    BENCH_REMOVE,
    BENCH_LIST,      /* a page of the pool */
    BENCH_META_READ, /* the object that says what the last write has left */
    BENCH_META_WRITE,
    BENCH_META_REMOVE,
};

struct bench_options {
    struct ping_options login;
    enum bench_kind kind; /* one of the first three */
    uint64_t seconds;
    uint64_t depth;       /* operations at a time, over all connections */
    uint64_t op_size;     /* bytes, of writes */
    uint64_t max_objects; /* operations; 0: no limit */
    uint64_t conns, threads;
    const char *pool, *run_name;
    bool cleanup, verify;
    bool remove_only;   /* cleanup: what earlier runs have left; no seconds, no kind */
    const char *prefix; /* of the names that it removes; NULL: those of this host */
};
/* bench_options.c. False with the exit code when there is nothing to do (any more). */
bool bench_parse(int argc, char **argv, struct bench_options *options, int *code);

/* --- bench_hist.c: how often which latency, within 1/64 --- */

enum { BENCH_BUCKETS = 64 * 36 };
struct bench_hist {
    uint64_t num[BENCH_BUCKETS];
};
void bench_hist_add(struct bench_hist *hist, uint64_t ns);
void bench_hist_merge(struct bench_hist *to, const struct bench_hist *from);
/* The latency that this share (0..1) of them does not exceed, in nanoseconds. */
double bench_hist_at(const struct bench_hist *hist, double share);

/* --- bench_op.c: names, contents, requests and answers --- */

struct bench_meta { /* what the last write has left */
    uint64_t object_size, num, pid, op_size;
};
enum { BENCH_META_LEN = 24, BENCH_NAME_MAX = 512, BENCH_TEXT_MAX = 32 };
#define BENCH_META_NAME "benchmark_last_metadata"
void bench_meta_write(uint8_t out[BENCH_META_LEN], const struct bench_meta *meta);
bool bench_meta_read(struct bench_meta *meta, const void *p, size_t len);
/* "benchmark_data_HOST", and with "_PID", which "_objectN" follows. */
void bench_host_prefix(char out[BENCH_NAME_MAX]);
void bench_prefix(char out[BENCH_NAME_MAX], uint64_t pid);
/* The first bytes of object `index`, at most size: "I'm the N-th op!" as rados bench writes it, the
 * rest is all 'z'. */
void bench_text(char *out, uint64_t size, uint64_t index);
/* Whether these are the contents of object `index`; contents: size bytes of which all but the text
 * are right. */
bool bench_holds(void *contents, uint64_t size, uint64_t index, const void *p, size_t len);

/* --- bench_list.c: what runs have left --- */

#define BENCH_PREFIX "benchmark_data"
struct bench_list {
    const char *prefix, *run_name;
    char **name; /* of the pages so far, malloc'd */
    size_t num, cap;
    bool record, end;     /* the record is there; all pages were seen */
    uint8_t cursor[8192]; /* of the next page */
    size_t cursor_len;
    uint32_t hash;
};
/* Before the first page; both names are borrowed. 0 or a negative code, also below. */
int bench_list_begin(struct bench_list *list, const char *prefix, const char *run_name);
/* A page: keeps the names that begin with the prefix. */
int bench_list_take(struct bench_list *list, const void *p, size_t len);
/* Forgets the names, not where it is. */
void bench_list_drop(struct bench_list *list);
void bench_list_free(struct bench_list *list);

/* --- bench_load.c --- */

struct bench_conn;
struct bench_load;

/* One job for all connections, and what came of it. */
struct bench_job {
    enum bench_kind kind;
    uint64_t limit;       /* operations; UINT64_MAX: until the time is over */
    uint64_t duration_ns; /* 0: until the limit */
    uint64_t depth;       /* over all connections; with less than those, some stand still */
    struct bench_meta meta;
    struct bench_list *list; /* of LIST; of REMOVE: what to remove. NULL: the objects of meta */
    /* Each second, and at the end; may be NULL. */
    void (*tick)(struct bench_load *load, struct bench_job *job, void *arg);
    void *arg;
    /* results */
    uint64_t started, finished, elapsed_ns;
    uint64_t last_ns, sum_ns, min_ns, max_ns; /* latencies so far */
    double sum_squares;                       /* of latencies in seconds, at the end */
    uint64_t cpu_ns, sealed, opened;          /* at the end */
    uint64_t reconnects, resends, backoffs, maps, renewals; /* since the start, at the end */
    struct bench_hist hist;                                 /* at the end */
};

enum bench_reason {
    BENCH_FAILED,  /* err or os_err say it */
    BENCH_LOST,    /* no connection came about in time; fail: the last try's end */
    BENCH_NO_OSD,  /* and the map has none that is up */
    BENCH_PAUSED,  /* by flags of the map */
    BENCH_BLOCKED, /* by the OSD: groups that are not active */
    BENCH_NO_POOL, /* it was removed */
    BENCH_MORE_OSDS,
    BENCH_OTHER_CLUSTER,
};

/* Why it could not go on. err 0 with os_err: an operation failed with that errno. */
struct bench_why {
    enum bench_reason reason;
    int err, os_err;
    enum bench_kind kind;
    uint64_t object;
    bool differs; /* what was read is not what was written */
    struct signet_fail fail;
};

/* Connects to the OSD of the map, one connection after the other; the client of ping must have its
 * ticket. 0, or a negative code with *why. */
int bench_load_open(struct bench_load **out, const struct bench_options *options, struct ping *ping,
                    const struct lite_osdmap *map, struct bench_why *why);
/* After a failure there are no more jobs. */
int bench_load_run(struct bench_load *load, struct bench_job *job, struct bench_why *why);
void bench_load_close(struct bench_load *load);

/* --- bench_map.c: logs in at a monitor and asks for the map --- */

/* TOOL_OK or the exit code, all said. */
int bench_map(struct ping *ping, const char *pool, struct lite_osdmap *map);

/* --- bench_print.c --- */

struct bench_screen {
    const struct bench_options *options;
    uint64_t op_size, num_ticks, last_finished;
    double last_s;
    double iops_sum, iops_squares, iops_min, iops_max; /* of whole seconds */
};
void bench_print_head(struct bench_screen *screen, const char *prefix);
void bench_print_tick(struct bench_screen *screen, const struct bench_job *job);
/* The summary as text, or the document of JSON. */
void bench_print_end(struct bench_screen *screen, const struct bench_job *job);

#endif
