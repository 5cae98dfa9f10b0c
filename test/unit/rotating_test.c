/* SPDX-License-Identifier: MIT */
/* Ceph's rotation rules on a fake clock. */
#include "support/auth_env.h"

#include <string.h>

#include <signet/name.h>

#include "auth/rotating.h"

#define TTL (3600 * SEC)

static struct rotating_set fresh_at(uint64_t now)
{
    struct rotating_set set = {0};
    assert_ok(rotating_refresh(&set, SIGNET_KEY_AES256K, now, TTL));
    return set;
}

START_TEST(a_fresh_set_has_three_that_end_one_after_the_other)
{
    struct rotating_set set = fresh_at(1000 * SEC);
    ck_assert_uint_eq(set.num, 3);
    for (unsigned i = 0; i < 3; i++) {
        ck_assert_uint_eq(set.secret[i].id, i + 1);
        ck_assert_uint_eq(set.secret[i].expires_ns, 1000 * SEC + (i + 1) * TTL);
    }
    ck_assert(!rotating_due(&set, 1000 * SEC));
    ck_assert_uint_eq(rotating_deadline_ns(&set), 1000 * SEC + 2 * TTL);
    rotating_clear(&set);
}
END_TEST

START_TEST(the_middle_one_seals_and_the_oldest_goes)
{
    uint64_t now = 1000 * SEC;
    struct rotating_set set = fresh_at(now);
    ck_assert_uint_eq(rotating_sealing(&set, now)->id, 2);
    now += 2 * TTL - 1;
    ck_assert(!rotating_due(&set, now));
    ck_assert_uint_eq(rotating_sealing(&set, now)->id, 2);
    now += 1;
    ck_assert(rotating_due(&set, now));
    assert_ok(rotating_refresh(&set, SIGNET_KEY_AES256K, now, TTL));
    ck_assert_uint_eq(set.num, 3);
    ck_assert_uint_eq(set.secret[0].id, 2);
    ck_assert_uint_eq(rotating_sealing(&set, now)->id, 3);
    ck_assert_ptr_null(rotating_find(&set, 1));
    ck_assert_ptr_nonnull(rotating_find(&set, 2));
    rotating_clear(&set);
}
END_TEST

/* What real monitors were seen to do when nobody rotated in time. */
START_TEST(an_overdue_set_seals_with_its_newest_one)
{
    uint64_t now = 1000 * SEC;
    struct rotating_set set = fresh_at(now);
    now += 3 * TTL - 5 * SEC;
    ck_assert_uint_eq(rotating_sealing(&set, now)->id, 3);
    ck_assert_uint_eq(rotating_ticket_ttl_ns(&set, now, TTL), 5 * SEC);
    ck_assert_uint_eq(rotating_ticket_ttl_ns(&set, now + SEC / 2, TTL), 4 * SEC);
    ck_assert_ptr_null(rotating_sealing(&set, now + 6 * SEC));
    ck_assert_uint_eq(rotating_ticket_ttl_ns(&set, now + 6 * SEC, TTL), 0);
    rotating_clear(&set);
}
END_TEST

START_TEST(after_a_long_sleep_all_are_new)
{
    struct rotating_set set = fresh_at(1000 * SEC);
    uint64_t now = 1000 * SEC + 100 * TTL;
    assert_ok(rotating_refresh(&set, SIGNET_KEY_AES256K, now, TTL));
    ck_assert_uint_eq(set.num, 3);
    ck_assert(!rotating_due(&set, now));
    ck_assert_uint_gt(set.secret[1].expires_ns, now);
    ck_assert_uint_eq(set.max_ver, set.secret[2].id);
    rotating_clear(&set);
}
END_TEST

/* Tickets never outlive what they are sealed with: at any moment, the ticket made now can be
 * opened until its end if rotation is on time. */
START_TEST(tickets_never_outlive_their_secret)
{
    uint64_t now = 1000 * SEC;
    struct rotating_set set = fresh_at(now);
    uint64_t id = 0, end = 0;
    for (int i = 0; i < 20000; i++) {
        assert_ok(rotating_refresh(&set, SIGNET_KEY_AES, now, TTL));
        if (id != 0 && now < end) {
            ck_assert_ptr_nonnull(rotating_find(&set, id));
        } else {
            id = rotating_sealing(&set, now)->id;
            end = now + rotating_ticket_ttl_ns(&set, now, TTL);
        }
        now += 7 * SEC;
    }
    rotating_clear(&set);
}
END_TEST

START_TEST(loading_refuses_ids_that_do_not_ascend)
{
    struct rotating_set set = {0};
    struct signet_key *key = key_of_byte(SIGNET_KEY_AES256K, 1);
    assert_ok(rotating_append(&set, 5, key, SEC));
    assert_err(rotating_append(&set, 5, key, SEC), VALUE);
    assert_ok(rotating_append(&set, 6, signet_key_ref(key), SEC));
    assert_ok(rotating_append(&set, 9, signet_key_ref(key), SEC));
    assert_err(rotating_append(&set, 10, key, SEC), COUNT);
    ck_assert_uint_eq(set.max_ver, 9);
    rotating_clear(&set);
}
END_TEST

START_TEST(services_have_places)
{
    for (int i = 0; i < ROTATING_SERVICES; i++) {
        ck_assert_int_eq(rotating_index(rotating_service(i)), i);
    }
    ck_assert_int_eq(rotating_index(SIGNET_CLIENT), -1);
    ck_assert_int_eq(rotating_index(0), -1);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("rotating");
    TCase *t = suite_case(s, "rules");
    tcase_add_test(t, a_fresh_set_has_three_that_end_one_after_the_other);
    tcase_add_test(t, the_middle_one_seals_and_the_oldest_goes);
    tcase_add_test(t, an_overdue_set_seals_with_its_newest_one);
    tcase_add_test(t, after_a_long_sleep_all_are_new);
    tcase_add_test(t, tickets_never_outlive_their_secret);
    tcase_add_test(t, loading_refuses_ids_that_do_not_ascend);
    tcase_add_test(t, services_have_places);
    return suite_run(s);
}
