/* SPDX-License-Identifier: MIT */
/* The load of signet bench against an OSD that plays tricks on it: blocks groups, loses
 * connections, moves, says nonsense, or nothing. */
#include <string.h>

#include "bench_stage.h"
#include "lite/backoff.h"
#include "lite/osd_client.h"

enum { ATTEMPT_FROM_END = 12 };

static uint32_t number_at(const struct signet_message *op, size_t at)
{
    return signet_load_u32(op->front.p + at);
}

static uint32_t group_of(const struct signet_message *op)
{
    return number_at(op, 6 + 1 + 8);
}

static uint32_t attempt_of(const struct signet_message *op)
{
    return number_at(op, op->front.len - ATTEMPT_FROM_END);
}

/* --- backoffs ------------------------------------------------------------------------------- */

static void backoff(struct stage *s, struct signet_peer *peer, enum lite_backoff_kind kind)
{
    uint8_t front[LITE_BACKOFF_MAX];
    struct lite_backoff b = {.pool = 1,
                             .pg = s->group,
                             .shard = 0xff,
                             .epoch = s->cluster.epoch,
                             .kind = kind,
                             .id = s->blocked,
                             .begin = {.pool = 1},
                             .end = {.max = true, .pool = INT64_MIN}};
    struct signet_message m = {
        .type = LITE_MSG_OSD_BACKOFF, .version = 1, .compat_version = 1, .front.p = front};
    ck_assert_int_eq(lite_backoff_write(&b, front, sizeof(front), &m.front.len), 0);
    ck_assert_int_eq(signet_peer_send(peer, &m, NULL, 0, NULL), 0);
}

/* A failure, in answer to the first time that it was sent. */
static void answer_late(struct signet_peer *peer, uint64_t tid)
{
    uint8_t front[4 + 17 + 8 + 4 + 12 + 4 + 4 + 4 + 20 + 1] = {0};
    const size_t result = 4 + 17 + 8;
    struct signet_message m = {.type = LITE_MSG_OSD_OP_REPLY,
                               .tid = tid,
                               .version = 8,
                               .compat_version = 2,
                               .front = {front, sizeof(front)}};
    memset(front + result, 0xff, 4); /* -EPERM */
    ck_assert_int_eq(signet_peer_send(peer, &m, NULL, 0, NULL), 0);
}

/* Blocks the group of the tenth operation, drops what it has got of it, and unblocks it once
 * nothing else can be under way. Answers to what was dropped come late, and must not count. */
static bool block(struct stage *s, struct signet_peer *peer, const struct signet_message *op)
{
    if (s->ops == 10) {
        s->group = group_of(op);
        s->blocked = 1;
        backoff(s, peer, LITE_BACKOFF_BLOCK);
    }
    if (s->acks == 1 && s->blocked == 1 && s->answered >= 40) {
        backoff(s, peer, LITE_BACKOFF_UNBLOCK);
        for (unsigned i = 0; i < s->again; i++)
            answer_late(peer, s->kept[i]);
        s->blocked = 2;
    }
    if (s->blocked != 1 || group_of(op) != s->group)
        return true;
    s->wrong += s->acks > 0 || s->again == DEPTH; /* it had been told */
    s->kept[s->again++ % DEPTH] = op->tid;
    return false;
}

static bool late_again(struct stage *s, struct signet_peer *peer, const struct signet_message *op)
{
    (void)op;
    if (s->ops == 20)
        answer_late(peer, s->kept[0]);
    return true;
}

START_TEST(groups_that_are_blocked)
{
    static struct bench_job job;
    struct bench_why why;
    ck_assert_int_eq(stage_run(block, &job, &why), 0);
    ck_assert_uint_eq(job.finished, NUM);
    ck_assert_uint_eq(job.backoffs, 1);
    ck_assert_uint_eq(stage.acks, 1);
    ck_assert_uint_eq(stage.wrong, 0);
    ck_assert_uint_eq(job.resends, stage.again);
    ck_assert_uint_eq(stage.ops, NUM + stage.again);
    ck_assert_uint_eq(job.reconnects, 0);
    /* once more, in the next job on the same connection */
    stage.trick = late_again;
    stage.ops = 0;
    job = (struct bench_job){.kind = BENCH_REMOVE, .limit = NUM, .depth = DEPTH, .meta = job.meta};
    ck_assert_int_eq(bench_load_run(stage.load, &job, &why), 0);
    ck_assert_uint_eq(job.finished, NUM);
}
END_TEST

static bool block_for_ever(struct stage *s, struct signet_peer *peer,
                           const struct signet_message *op)
{
    s->group = group_of(op);
    s->blocked++;
    backoff(s, peer, LITE_BACKOFF_BLOCK);
    return false;
}

START_TEST(groups_that_stay_blocked)
{
    static struct bench_job job;
    struct bench_why why;
    stage.options.login.timeout_ns = 300 * MS;
    ck_assert_int_ne(stage_run(block_for_ever, &job, &why), 0);
    ck_assert_int_eq(why.reason, BENCH_BLOCKED);
    assert_err(why.err, TIMEOUT);
    ck_assert_uint_eq(job.finished, 0);
}
END_TEST

static bool say_nonsense(struct stage *s, struct signet_peer *peer, const struct signet_message *op)
{
    struct signet_message m = {.type = LITE_MSG_OSD_BACKOFF, .version = 1, .front = op->front};
    if (s->ops == 5)
        ck_assert_int_eq(signet_peer_send(peer, &m, NULL, 0, NULL), 0);
    return true;
}

/* There is no use in another connection. */
START_TEST(a_backoff_that_is_none)
{
    static struct bench_job job;
    struct bench_why why;
    ck_assert_int_ne(stage_run(say_nonsense, &job, &why), 0);
    ck_assert_int_eq(why.reason, BENCH_FAILED);
    ck_assert_int_lt(why.err, 0);
    assert_err(why.fail.err, VERSION);
}
END_TEST

/* --- connections ---------------------------------------------------------------------------- */

/* Three times one is lost with all that is under way, answered or not. */
static bool lose(struct stage *s, struct signet_peer *peer, const struct signet_message *op)
{
    s->again += attempt_of(op) > 0;
    if (s->ops % 100 == 0 && s->ops <= 300)
        signet_peer_close(peer, -SIGNET_E_PEER_CLOSED);
    return s->ops % 100 < 90 || s->ops > 300;
}

START_TEST(connections_that_are_lost)
{
    static struct bench_job job;
    struct bench_why why;
    ck_assert_int_eq(stage_run(lose, &job, &why), 0);
    ck_assert_uint_eq(job.finished, NUM);
    ck_assert_uint_eq(job.reconnects, 3);
    ck_assert_uint_ge(job.resends, 3);
    ck_assert_uint_eq(job.resends, stage.again);
}
END_TEST

/* The map says that the OSD is elsewhere: nothing is answered any more where it was. */
static bool move(struct stage *s, struct signet_peer *peer, const struct signet_message *op)
{
    uint8_t front[8192];
    struct signet_message m = {
        .type = LITE_MSG_OSD_MAP, .version = 4, .compat_version = 3, .front.p = front};
    (void)peer;
    (void)op;
    if (s->ops == 50) {
        struct signet_writer w = signet_writer_init(front, sizeof(front));
        s->cluster.epoch++;
        s->cluster.osd = s->at[1];
        signet_write_bytes(&w, s->cluster.fsid, sizeof(s->cluster.fsid));
        signet_write_u32(&w, 0);
        signet_write_u32(&w, 1);
        signet_write_u32(&w, s->cluster.epoch);
        size_t at = signet_write_hole_u32(&w);
        signet_lite_osdmap(&w, &s->cluster);
        signet_write_patch_u32(&w, at, (uint32_t)(w.len - at - 4));
        signet_write_zeros(&w, 12);
        m.front.len = (size_t)w.len;
        ck_assert_int_eq(signet_peer_send(s->mon_peer, &m, NULL, 0, NULL), 0);
    }
    return s->ops < 50 || s->second > 0;
}

START_TEST(an_osd_that_moves)
{
    static struct bench_job job;
    struct bench_why why;
    ck_assert_int_eq(stage_run(move, &job, &why), 0);
    ck_assert_uint_eq(job.finished, NUM);
    ck_assert_uint_eq(job.maps, 1);
    ck_assert_uint_eq(job.reconnects, 1);
    ck_assert_uint_eq(stage.second, 1);
    ck_assert_uint_ge(job.resends, 1);
}
END_TEST

static bool say_nothing(struct stage *s, struct signet_peer *peer, const struct signet_message *op)
{
    (void)peer;
    (void)op;
    return s->ops < 50;
}

START_TEST(an_osd_that_does_not_answer)
{
    static struct bench_job job;
    struct bench_why why;
    stage.options.login.timeout_ns = 300 * MS;
    ck_assert_int_ne(stage_run(say_nothing, &job, &why), 0);
    ck_assert_int_eq(why.reason, BENCH_FAILED);
    assert_err(why.err, TIMEOUT);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("bench_trouble");
    TCase *t = tcase_create("trouble");
    tcase_add_checked_fixture(t, stage_begin, stage_end);
    tcase_set_timeout(t, 60);
    tcase_add_test(t, groups_that_are_blocked);
    tcase_add_test(t, groups_that_stay_blocked);
    tcase_add_test(t, a_backoff_that_is_none);
    tcase_add_test(t, connections_that_are_lost);
    tcase_add_test(t, an_osd_that_moves);
    tcase_add_test(t, an_osd_that_does_not_answer);
    suite_add_tcase(s, t);
    return suite_run(s);
}
