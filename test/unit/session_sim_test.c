/* SPDX-License-Identifier: MIT */
/*
 * Sessions over a network that breaks. Environment: SIGNET_SIM_RUNS=N: that many seeds (else 500);
 * SIGNET_SIM_STRIDE=N: every Nth byte offset (else 13; 1: all); SIGNET_SIM_SEED=N: that one alone;
 * SIGNET_SIM_CUTS=...: that run alone, as a failure has named it. SIGNET_SIM_TRACE: tells all.
 */
#include "support/sim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct sim_world world;

static unsigned long long number(const char *name, unsigned long long usual)
{
    const char *text = getenv(name);
    return text != NULL ? strtoull(text, NULL, 10) : usual;
}

/* A seed decides everything. */
static struct sim_options by_seed(uint64_t seed)
{
    struct sim_options o = {.seed = seed, .shape = (enum sim_shape)(seed % SIM_SHAPES)};
    o.mode = seed % 10 == 0 ? SIGNET_MODE_SECURE : SIGNET_MODE_CRC;
    o.trace = getenv("SIGNET_SIM_TRACE") != NULL;
    o.swapped = seed / 3 % 2 != 0;
    o.messages[0] = 5 + (unsigned)(seed / 6 % 26);
    o.messages[1] = (unsigned)(seed / 7 % 31);
    o.forgetful = seed % 4 == 3 && o.shape != SIM_PEERS_MADE;
    o.faults = 1 + (unsigned)(seed / 11 % 12);
    return o;
}

static void add(struct sim_result *sum, const struct sim_result *r)
{
    sum->links += r->links;
    sum->steps += r->steps;
    sum->resumed += r->resumed;
    sum->replaced += r->replaced;
    sum->waits += r->waits;
    sum->stale += r->stale;
    sum->ns = r->ns > sum->ns ? r->ns : sum->ns;
}

static void report(const char *what, unsigned runs, const struct sim_result *sum)
{
    printf("%s: %u runs, %u connections, %u resumed, %u replaced, %u waited, %u stale; longest "
           "%llu s\n",
           what, runs, sum->links, sum->resumed, sum->replaced, sum->waits, sum->stale,
           (unsigned long long)(sum->ns / SEC));
}

START_TEST(random_faults)
{
    uint64_t first = number("SIGNET_SIM_SEED", 0);
    unsigned runs = (unsigned)number("SIGNET_SIM_RUNS", 500);
    struct sim_result sum = {0}, r;
    sim_world_start(&world);
    for (uint64_t seed = first; seed < first + (first != 0 ? 1 : runs); seed++) {
        struct sim_options o = by_seed(seed);
        sim_run(&world, &o, &r);
        add(&sum, &r);
    }
    report("random faults", first != 0 ? 1 : runs, &sum);
    if (first == 0 && runs >= 500) { /* they must have met what they are for */
        ck_assert_uint_gt(sum.resumed, runs);
        ck_assert_uint_gt(sum.replaced, runs / 4);
        ck_assert_uint_gt(sum.waits, 0);
        ck_assert_uint_gt(sum.stale, 0);
    }
    sim_world_stop(&world);
}
END_TEST

static struct sim_options clean(unsigned shape, enum signet_con_mode mode)
{
    return (struct sim_options){.trace = getenv("SIGNET_SIM_TRACE") != NULL,
                                .seed = 1,
                                .shape = (enum sim_shape)shape,
                                .mode = mode,
                                .messages = {3, 3}};
}

static unsigned runs;

static void one(const struct sim_options *o, struct sim_result *sum)
{
    struct sim_result r;
    sim_run(&world, o, &r);
    add(sum, &r);
    runs++;
}

/* cut is one of those of o: each offset up to some bytes behind len. */
static void each_offset(const struct sim_options *o, struct sim_cut *at, uint64_t len,
                        struct sim_result *sum)
{
    unsigned stride = (unsigned)number("SIGNET_SIM_STRIDE", 13);
    for (at->at = 0; at->at < len + 200; at->at += stride) {
        at->how = (unsigned)(at->at / stride % 4);
        one(o, sum);
    }
}

/* First while a session is made, then while it is resumed. */
static void each_offset_in(struct sim_options o, const struct sim_result *usual,
                           struct sim_result *sum)
{
    for (unsigned end = 0; end < 2; end++) {
        memset(o.cuts, 0, sizeof(o.cuts));
        o.cuts[0] = (struct sim_cut){.link = 1, .end = end};
        each_offset(&o, &o.cuts[0], usual->handshake[0][end], sum);
        o.cuts[0] = (struct sim_cut){.link = 1, .how = 3, .at = usual->handshake[0][0] + 150};
        o.cuts[1] = (struct sim_cut){.link = 2, .end = end};
        each_offset(&o, &o.cuts[1], usual->handshake[1][end], sum);
    }
}

/* The lengths of the handshakes of two connections, the second one of which resumes. */
static struct sim_result measure(enum signet_con_mode mode)
{
    struct sim_options o = clean(SIM_CLIENT, mode);
    struct sim_result r;
    sim_run(&world, &o, &r);
    ck_assert_uint_gt(r.handshake[0][0], 500);
    ck_assert_uint_gt(r.handshake[0][1], 500);
    o.cuts[0] = (struct sim_cut){.link = 1, .how = 3, .at = r.handshake[0][0] + 150};
    sim_run(&world, &o, &r);
    ck_assert_uint_eq(r.links, 2);
    ck_assert_uint_eq(r.resumed, 2);
    ck_assert_uint_gt(r.handshake[1][0], 500);
    return r;
}

/* _i: shape, and whether the addresses are swapped */
START_TEST(a_cut_at_each_offset)
{
    struct sim_result sum = {0};
    runs = 0;
    sim_world_start(&world);
    for (unsigned i = 0; i < 2; i++) {
        enum signet_con_mode mode = i != 0 ? SIGNET_MODE_SECURE : SIGNET_MODE_CRC;
        struct sim_result usual = measure(mode);
        struct sim_options o = clean((unsigned)_i / 2, mode);
        o.swapped = (_i & 1) != 0;
        each_offset_in(o, &usual, &sum);
    }
    report("a cut at each offset", runs, &sum);
    sim_world_stop(&world);
}
END_TEST

/* The run that a failure named. */
START_TEST(this_one_again)
{
    unsigned v[11] = {0};
    const char *text = getenv("SIGNET_SIM_CUTS");
    struct sim_result r;
    char *end = NULL;
    for (unsigned i = 0; text != NULL && i < 11; i++) {
        v[i] = (unsigned)strtoul(text, &end, 10);
        text = *end == ':' ? end + 1 : NULL;
    }
    struct sim_options o = clean(v[0], v[1] == 2 ? SIGNET_MODE_SECURE : SIGNET_MODE_CRC);
    o.swapped = v[2] != 0;
    o.cuts[0] = (struct sim_cut){v[3], v[4], v[5], v[6]};
    o.cuts[1] = (struct sim_cut){v[7], v[8], v[9], v[10]};
    sim_world_start(&world);
    sim_run(&world, &o, &r);
    sim_world_stop(&world);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("session_sim");
    TCase *t = suite_case(s, "sim");
    tcase_set_timeout(t, 600);
    if (getenv("SIGNET_SIM_CUTS") != NULL) {
        tcase_add_test(t, this_one_again);
        return suite_run(s);
    }
    tcase_add_test(t, random_faults);
    if (getenv("SIGNET_SIM_SEED") == NULL) {
        tcase_add_loop_test(t, a_cut_at_each_offset, 0, 2 * SIM_SHAPES);
    }
    return suite_run(s);
}
