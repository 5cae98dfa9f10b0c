/* SPDX-License-Identifier: MIT */
/* The screen of rados bench: a line each second, the summary, and what it does not tell. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench.h"

#define SECOND_NS  1e9
#define MIB        1048576.0
#define HEAD_EVERY 20

static double seconds(uint64_t ns)
{
    return (double)ns / SECOND_NS;
}

static double rate_mb(double ops, double s, uint64_t op_size)
{
    return s > 0 ? ops * (double)op_size / s / MIB : 0;
}

static void columns(void)
{
    puts("  sec Cur ops   started  finished  avg MB/s  cur MB/s last lat(s)  avg lat(s)");
}

void bench_print_head(struct bench_screen *screen, const char *prefix)
{
    const struct bench_options *o = screen->options;
    if (o->login.format == TOOL_JSON)
        return;
    if (o->kind == BENCH_WRITE) {
        printf("Maintaining %" PRIu64 " concurrent writes of %" PRIu64
               " bytes to objects of size %" PRIu64 " for up to %" PRIu64 " seconds or %" PRIu64
               " objects\n",
               o->depth, o->op_size, o->op_size, o->seconds, o->max_objects);
        printf("Object prefix: %s\n", prefix);
    }
    columns();
    printf("%5d%8d%10d%10d%10d%10d%12s%12d\n", 0, 0, 0, 0, 0, 0, "-", 0);
    fflush(stdout);
}

static void sample(struct bench_screen *s, double iops)
{
    s->iops_min = s->num_ticks == 0 || iops < s->iops_min ? iops : s->iops_min;
    s->iops_max = s->num_ticks == 0 || iops > s->iops_max ? iops : s->iops_max;
    s->iops_sum += iops;
    s->iops_squares += iops * iops;
    s->num_ticks++;
}

void bench_print_tick(struct bench_screen *s, const struct bench_job *job)
{
    double now = seconds(job->elapsed_ns), done = (double)job->finished;
    double iops = (double)(job->finished - s->last_finished) / (now - s->last_s);
    sample(s, iops);
    s->last_finished = job->finished;
    s->last_s = now;
    if (s->options->login.format == TOOL_JSON)
        return;
    if (s->num_ticks % HEAD_EVERY == 0)
        columns();
    printf("%5.0f%8" PRIu64 "%10" PRIu64 "%10" PRIu64 "%10.6g%10.6g", now,
           job->started - job->finished, job->started, job->finished,
           rate_mb(done, now, s->op_size), rate_mb(iops, 1, s->op_size));
    if (job->finished)
        printf("%12.6g%12.6g\n", seconds(job->last_ns), seconds(job->sum_ns) / done);
    else
        printf("%12s%12s\n", "-", "-");
    fflush(stdout);
}

/* --- the summary ---------------------------------------------------------------------------- */

/* All values of the summary, as both forms print them. */
struct summary {
    double total_s, mb, mb_stddev, mb_max, mb_min;
    double iops, iops_stddev, iops_max, iops_min;
    double lat, lat_stddev, lat_max, lat_min, p50, p99, p999, cpu_us;
};

static double deviation(double sum, double squares, double num)
{
    double variance = num > 1 ? (squares - sum * sum / num) / (num - 1) : 0;
    return variance > 0 ? sqrt(variance) : 0;
}

static struct summary sum_up(struct bench_screen *s, const struct bench_job *job)
{
    double num = job->finished ? (double)job->finished : 1, total = seconds(job->elapsed_ns);
    double iops = total > 0 ? (double)job->finished / total : 0;
    if (s->num_ticks == 0)
        sample(s, iops);
    double to_mb = (double)s->op_size / MIB;
    struct summary u = {.total_s = total,
                        .mb = iops * to_mb,
                        .iops = iops,
                        .iops_max = s->iops_max,
                        .iops_min = s->iops_min,
                        .lat = seconds(job->sum_ns) / num,
                        .lat_max = seconds(job->max_ns),
                        .lat_min = job->finished ? seconds(job->min_ns) : 0,
                        .p50 = bench_hist_at(&job->hist, 0.5) / SECOND_NS,
                        .p99 = bench_hist_at(&job->hist, 0.99) / SECOND_NS,
                        .p999 = bench_hist_at(&job->hist, 0.999) / SECOND_NS,
                        .cpu_us = (double)job->cpu_ns / 1000 / num};
    u.iops_stddev = deviation(s->iops_sum, s->iops_squares, (double)s->num_ticks);
    u.lat_stddev = deviation(seconds(job->sum_ns), job->sum_squares, num);
    u.mb_stddev = u.iops_stddev * to_mb;
    u.mb_max = u.iops_max * to_mb;
    u.mb_min = u.iops_min * to_mb;
    return u;
}

static void print_text(const struct bench_screen *s, const struct bench_job *job,
                       const struct summary *u)
{
    bool write = job->kind == BENCH_WRITE;
    printf("Total time run:         %.6g\n", u->total_s);
    printf("Total %s made:%s%" PRIu64 "\n", write ? "writes" : "reads",
           write ? "      " : "       ", job->finished);
    printf("%s size:%s%" PRIu64 "\n", write ? "Write" : "Read",
           write ? "             " : "              ", s->op_size);
    printf("Object size:            %" PRIu64 "\n", s->op_size);
    printf("Bandwidth (MB/sec):     %.6g\n", u->mb);
    if (write)
        printf("Stddev Bandwidth:       %.6g\n"
               "Max bandwidth (MB/sec): %.6g\n"
               "Min bandwidth (MB/sec): %.6g\n",
               u->mb_stddev, u->mb_max, u->mb_min);
    printf("Average IOPS:           %.0f\n"
           "Stddev IOPS:            %.6g\n"
           "Max IOPS:               %.0f\n"
           "Min IOPS:               %.0f\n"
           "Average Latency(s):     %.6g\n",
           u->iops, u->iops_stddev, u->iops_max, u->iops_min, u->lat);
    if (write)
        printf("Stddev Latency(s):      %.6g\n", u->lat_stddev);
    printf("Max latency(s):         %.6g\n"
           "Min latency(s):         %.6g\n"
           "p50 latency(s):         %.6g\n"
           "p99 latency(s):         %.6g\n"
           "p99.9 latency(s):       %.6g\n"
           "CPU per op(us):         %.4g\n"
           "Bytes sealed:           %" PRIu64 "\n"
           "Bytes opened:           %" PRIu64 "\n",
           u->lat_max, u->lat_min, u->p50, u->p99, u->p999, u->cpu_us, job->sealed, job->opened);
    printf("Reconnects:             %" PRIu64 "\n"
           "Operations sent again:  %" PRIu64 "\n"
           "Backoffs of the OSD:    %" PRIu64 "\n"
           "Newer maps:             %" PRIu64 "\n"
           "Ticket renewals:        %" PRIu64 "\n",
           job->reconnects, job->resends, job->backoffs, job->maps, job->renewals);
}

static void print_json(const struct bench_screen *s, const struct bench_job *job,
                       const struct summary *u)
{
    static const char *const kinds[] = {"write", "seq", "rand"};
    const struct bench_options *o = s->options;
    json_t *all =
        json_pack("{s:b, s:s, s:o, s:s, s:I, s:I, s:I, s:I, s:b, s:I, s:I}", "ok", 1, "kind",
                  kinds[o->kind], "pool", tool_json_text(o->pool, strlen(o->pool)), "handler",
                  signet_handler_name(signet_handler_current()), "concurrent", (json_int_t)o->depth,
                  "connections", (json_int_t)o->conns, "threads", (json_int_t)o->threads, "size",
                  (json_int_t)s->op_size, "verified", o->kind != BENCH_WRITE && o->verify,
                  "operations", (json_int_t)job->finished, "seconds_asked", (json_int_t)o->seconds);
    const struct {
        const char *name;
        double value;
    } numbers[] = {{"seconds", u->total_s},
                   {"mb_per_s", u->mb},
                   {"iops", u->iops},
                   {"iops_stddev", u->iops_stddev},
                   {"iops_max", u->iops_max},
                   {"iops_min", u->iops_min},
                   {"latency_s", u->lat},
                   {"latency_stddev_s", u->lat_stddev},
                   {"latency_max_s", u->lat_max},
                   {"latency_min_s", u->lat_min},
                   {"latency_p50_s", u->p50},
                   {"latency_p99_s", u->p99},
                   {"latency_p999_s", u->p999},
                   {"cpu_us_per_op", u->cpu_us}};
    for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
        json_object_set_new(all, numbers[i].name, json_real(numbers[i].value));
    json_object_set_new(all, "bytes_sealed", json_integer((json_int_t)job->sealed));
    json_object_set_new(all, "bytes_opened", json_integer((json_int_t)job->opened));
    json_object_set_new(all, "reconnects", json_integer((json_int_t)job->reconnects));
    json_object_set_new(all, "operations_sent_again", json_integer((json_int_t)job->resends));
    json_object_set_new(all, "backoffs", json_integer((json_int_t)job->backoffs));
    json_object_set_new(all, "newer_maps", json_integer((json_int_t)job->maps));
    json_object_set_new(all, "ticket_renewals", json_integer((json_int_t)job->renewals));
    tool_json_print(all);
}

void bench_print_end(struct bench_screen *screen, const struct bench_job *job)
{
    struct summary u = sum_up(screen, job);
    if (screen->options->login.format == TOOL_JSON)
        print_json(screen, job, &u);
    else
        print_text(screen, job, &u);
    fflush(stdout);
}
