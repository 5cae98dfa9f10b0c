/* SPDX-License-Identifier: MIT */
/* Envelopes that are sealed together are those that are sealed alone. */
#include "support/suite.h"

#include <signet/signet.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 200, LONGEST = 700, ROOM = LONGEST + 80 };

static const enum signet_key_type types[] = {SIGNET_KEY_AES, SIGNET_KEY_AES256K};

static uint8_t in[MOST][LONGEST], out[MOST][ROOM];
static struct signet_seal_job jobs[MOST];

static struct signet_key *fresh_key(enum signet_key_type type)
{
    struct signet_key *key;
    assert_ok(signet_key_generate(&key, type, NULL));
    return key;
}

/* Jobs of the lengths that len(i) gives, out of place. */
static void prepare(const struct signet_key *key, size_t num, size_t (*len)(size_t))
{
    for (size_t i = 0; i < num; i++) {
        for (size_t k = 0; k < LONGEST; k++) {
            in[i][k] = (uint8_t)(i * 31 + k * 7);
        }
        memset(out[i], 0xee, ROOM);
        jobs[i] = (struct signet_seal_job){.in = in[i], .len = len(i), .out = out[i]};
        jobs[i].cap = signet_envelope_len(key, jobs[i].len);
        jobs[i].out_len = 77;
    }
}

/* Type 1 gives the same bytes as sealing alone; all open to what was sealed. */
static void check_one(const struct signet_key *key, size_t i)
{
    uint8_t alone[ROOM], back[ROOM];
    size_t len;
    ck_assert_uint_eq(jobs[i].out_len, jobs[i].cap);
    ck_assert_uint_eq(out[i][jobs[i].cap], 0xee);
    if (signet_key_type(key) == SIGNET_KEY_AES) {
        assert_ok(signet_envelope_seal(key, SIGNET_USAGE_TICKET_BLOB, alone, ROOM, &len, in[i],
                                       jobs[i].len));
        ck_assert_mem_eq(out[i], alone, len);
    }
    assert_ok(signet_envelope_open(key, SIGNET_USAGE_TICKET_BLOB, back, ROOM, &len, out[i],
                                   jobs[i].out_len));
    ck_assert_uint_eq(len, jobs[i].len);
    ck_assert_mem_eq(back, in[i], len);
}

static size_t equal(size_t i)
{
    (void)i;
    return 119;
}

static size_t growing(size_t i)
{
    return i % LONGEST;
}

static size_t mixed(size_t i)
{
    return i * i * 13 % LONGEST;
}

static size_t one_long(size_t i)
{
    return i == 3 ? LONGEST : 5;
}

static size_t (*const lengths[])(size_t) = {equal, growing, mixed, one_long};
enum { LENGTHS = sizeof(lengths) / sizeof(lengths[0]) };

START_TEST(together_as_alone)
{
    for (int type = 0; type < 2; type++) {
        struct signet_key *key = fresh_key(types[type]);
        for (size_t num = 0; num <= MOST; num += num < 10 ? 1 : num < 60 ? 25 : 1 + num / 8) {
            prepare(key, num, lengths[_i]);
            assert_ok(signet_key_seal_batch(key, SIGNET_USAGE_TICKET_BLOB, jobs, num));
            for (size_t i = 0; i < num; i++) {
                check_one(key, i);
            }
        }
        signet_key_unref(key);
    }
}
END_TEST

START_TEST(in_place)
{
    for (int type = 0; type < 2; type++) {
        struct signet_key *key = fresh_key(types[type]);
        prepare(key, 70, mixed);
        for (size_t i = 0; i < 70; i++) {
            memcpy(out[i] + i % 3, in[i], jobs[i].len);
            jobs[i].in = out[i] + i % 3;
        }
        assert_ok(signet_key_seal_batch(key, SIGNET_USAGE_TICKET_BLOB, jobs, 70));
        for (size_t i = 0; i < 70; i++) {
            uint8_t back[ROOM];
            size_t len;
            assert_ok(signet_envelope_open(key, SIGNET_USAGE_TICKET_BLOB, back, ROOM, &len, out[i],
                                           jobs[i].out_len));
            ck_assert_uint_eq(len, jobs[i].len);
            ck_assert_mem_eq(back, in[i], len);
        }
        signet_key_unref(key);
    }
}
END_TEST

static void assert_untouched(size_t num)
{
    for (size_t i = 0; i < num; i++) {
        ck_assert_uint_eq(jobs[i].out_len, 0);
        ck_assert_uint_eq(out[i][0], 0xee);
    }
}

START_TEST(all_or_none)
{
    struct signet_key *key = fresh_key(types[_i]);
    prepare(key, 20, mixed);
    jobs[17].cap--;
    assert_err(signet_key_seal_batch(key, SIGNET_USAGE_TICKET_BLOB, jobs, 20), SPACE);
    assert_untouched(20);
    jobs[17].cap++;
    jobs[3].len = SIZE_MAX;
    assert_err(signet_key_seal_batch(key, SIGNET_USAGE_TICKET_BLOB, jobs, 20), SPACE);
    assert_untouched(20);
    prepare(key, 20, mixed);
    assert_err(signet_key_seal_batch(key, (enum signet_usage)0x77, jobs, 20), USAGE);
    for (size_t i = 0; i < 20; i++) {
        ck_assert_uint_eq(jobs[i].out_len, 0);
        ck_assert(jobs[i].len == 0 || memcmp(out[i] + 9, in[i], jobs[i].len) != 0);
    }
    signet_key_unref(key);
}
END_TEST

/* The state of each handler is made on first use, also in the middle of it all. */
START_TEST(handlers_may_be_switched)
{
    struct signet_key *key = fresh_key(SIGNET_KEY_AES);
    const struct signet_handler *h;
    for (size_t turn = 0; (h = signet_handler_at(turn)) != NULL; turn++) {
        assert_ok(signet_handler_use(h));
        prepare(key, 9, mixed);
        assert_ok(signet_key_seal_batch(key, SIGNET_USAGE_TICKET_BLOB, jobs, 9));
        for (size_t i = 0; i < 9; i++) {
            check_one(key, i);
        }
    }
    signet_key_unref(key);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("batch");
    TCase *t = suite_case(s, "batch");
    tcase_add_loop_test(t, together_as_alone, 0, LENGTHS);
    tcase_add_test(t, in_place);
    tcase_add_loop_test(t, all_or_none, 0, 2);
    tcase_add_test(t, handlers_may_be_switched);
    return suite_run(s);
}
