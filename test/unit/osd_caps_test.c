/* SPDX-License-Identifier: MIT */
/* Capabilities: the grammar, and what sessions with them may do. */
#include "osd_tools.h"

#include <errno.h>
#include <string.h>

static struct signet_span span(const char *text)
{
    return (struct signet_span){(const uint8_t *)text, strlen(text)};
}

/* What each text gives on object "obj1" of pool "bench", namespace "ns": letters, a for all. */
static const struct {
    const char *text, *may;
} cases[] = {
    {"allow *", "rwxa"},
    {"allow all", "rwxa"},
    {"allow r", "r"},
    {" allow\trw ", "rw"},
    {"allow rwx pool=bench", "rwx"},
    {"allow * pool=bench", "rwx"},
    {"allow rwx pool bench", "rwx"},
    {"allow rwx pool = bench", "rwx"},
    {"allow rwx pool=\"bench\"", "rwx"},
    {"allow rwx pool='bench' namespace='ns'", "rwx"},
    {"allow rwx namespace=ns pool=bench", "rwx"},
    {"allow rwx pool=bench2", ""},
    {"allow rwx pool=benc", ""},
    {"allow r pool=other, allow w pool=bench", "w"},
    {"allow r, allow w", "rw"},
    {"allow r;allow x", "rx"},
    {"allow rw namespace=ns", "rw"},
    {"allow rw namespace=n*", "rw"},
    {"allow rw namespace=*", "rw"},
    {"allow rw namespace=n", ""},
    {"allow rw namespace=nsx", ""},
    {"allow rw namespace=\"\"", ""},
    {"allow rw object_prefix obj", "rw"},
    {"allow rw object_prefix obj1", "rw"},
    {"allow rw object_prefix obj12", ""},
    {"allow class-read object_prefix rbd_children, allow rwx pool=bench", "rwx"},
    {"allow class-read", ""},
    {"allow r class-write", "r"},
    {"profile rbd", "rwx"},
    {"profile rbd pool=bench", "rwx"},
    {"profile rbd pool=images", ""},
    {"profile rbd-read-only pool=bench namespace=ns", "rx"},
    /* nothing at all */
    {"", ""},
    {" ", ""},
    {"allow", ""},
    {"allow r,", ""},
    {"allow r,,allow w", ""},
    {"allow r allow w", ""},
    {"allow q", ""},
    {"allow rq", ""},
    {"allow *x", ""},
    {"ALLOW *", ""},
    {"deny *", ""},
    {"allow pool=bench", ""},
    {"allow pool bench rwx", ""},
    {"allow rwx pool=", ""},
    {"allow rwx pool=\"\"", ""},
    {"allow rwx pool=\"bench", ""},
    {"allow rwx pool=\"bench\"x", ""},
    {"allow rwx pool=bench=x", ""},
    {"allow rwx pool", ""},
    {"allow rwx =bench", ""},
    {"allow rwx pool=bench pool=bench", ""},
    {"allow rwx namespace=", ""},
    {"allow rwx object_prefix", ""},
    {"allow rwx tag rados *=*", ""},
    {"allow rwx network 127.0.0.0/8", ""},
    {"allow *, garbage", ""},
    {"profile", ""},
    {"profile osd", ""},
    {"profile rbd rwx", ""},
    {"allow profile rbd", ""},
    {"allow r,allow r,allow r,allow r,allow r,allow r,allow r,allow r,allow r,allow r,allow r,"
     "allow r,allow r,allow r,allow r,allow r,allow r",
     ""},
};
enum { CASES = sizeof(cases) / sizeof(cases[0]) };

START_TEST(texts)
{
    struct osd_caps caps;
    struct signet_span ns = span("ns");
    char may[8] = "";
    size_t num = 0;
    osd_caps_parse(&caps, cases[_i].text);
    for (unsigned bit = 0; bit < 3; bit++) {
        if (osd_caps_allow(&caps, 1U << bit, "bench", &ns, span("obj1"))) {
            may[num++] = "rwx"[bit];
        }
    }
    may[num] = osd_caps_all(&caps) ? 'a' : 0;
    ck_assert_msg(strcmp(may, cases[_i].may) == 0, "'%s' gives '%s'", cases[_i].text, may);
}
END_TEST

START_TEST(no_text)
{
    struct osd_caps caps;
    ck_assert(!osd_caps_parse(&caps, NULL));
    ck_assert(!osd_caps_allow(&caps, OSD_MAY_R, "bench", NULL, span("")));
}
END_TEST

/* --- sessions ------------------------------------------------------------------------------- */

static struct rig rig;

static void start(void)
{
    rig_start(&rig, NULL);
    ck_assert_int_eq(rig_put(&rig, "o", "kept"), 0);
}

static void stop(void)
{
    rig_stop(&rig);
}

START_TEST(a_reader_cannot_write)
{
    static const uint16_t codes[] = {WRITE, WRITEFULL, APPEND, TRUNCATE, CREATE, DELETE, HINT};
    rig_login(&rig, 1, "allow r");
    for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
        struct rig_op op[2] = {{.code = STAT}, {.code = codes[i], .flags = FAILOK}};
        ck_assert_int_eq(rig_one(&rig, "o", op[1]), -EPERM);
        ck_assert_int_eq(rig_do(&rig, &(struct rig_request){.name = "o", .op = op, .num_ops = 2}),
                         -EPERM);
    }
    rig_is_text(&rig, "o", "kept");
}
END_TEST

START_TEST(a_writer_cannot_read)
{
    rig_login(&rig, 1, "allow w");
    ck_assert_int_eq(rig_put(&rig, "o", "new"), 0);
    ck_assert_int_eq(rig_one(&rig, "o", (struct rig_op){.code = READ}), -EPERM);
    ck_assert_uint_eq(rig.data_len, 0);
    /* not even whether there is one */
    ck_assert_int_eq(rig_one(&rig, "no", (struct rig_op){.code = STAT}), -EPERM);
}
END_TEST

static int32_t list_named(const char *name, const char *ns, uint64_t pool)
{
    static const uint8_t first[] = {4, 3, 33, 0, 0, 0, [38] = 0x80};
    const struct rig_op op = {.code = PGNLS, .offset = 10, .data = first, .len = sizeof(first)};
    return rig_do(
        &rig, &(struct rig_request){.name = name, .ns = ns, .pool = pool, .op = &op, .num_ops = 1});
}

static int32_t list(const char *ns, uint64_t pool)
{
    return list_named("", ns, pool);
}

START_TEST(listing_is_reading)
{
    rig_login(&rig, 1, "allow w");
    ck_assert_int_eq(list("", 1), -EPERM);
    rig_login(&rig, 1, "allow r pool=bench");
    ck_assert_int_eq(list("\1", 1), 1);
    ck_assert_int_eq(list("", 2), -EPERM);
    rig_login(&rig, 1, "allow r namespace=\"\"");
    ck_assert_int_eq(list("", 1), 1);
    ck_assert_int_eq(list("\1", 1), -EPERM);
    ck_assert_int_eq(list("n", 1), -EPERM);
    rig_login(&rig, 1, "allow r object_prefix o");
    ck_assert_int_eq(list("", 1), -EPERM);
    ck_assert_int_eq(list_named("other", "", 1), -EPERM); /* a name that it may read */
}
END_TEST

START_TEST(pools_and_namespaces)
{
    const struct rig_op op = {.code = CREATE};
    rig_login(&rig, 1, "allow rw pool=bench namespace=a*");
    struct rig_request q = {.name = "x", .ns = "abc", .op = &op, .num_ops = 1};
    ck_assert_int_eq(rig_do(&rig, &q), 0);
    q.ns = "b";
    ck_assert_int_eq(rig_do(&rig, &q), -EPERM);
    q.ns = "abc";
    q.pool = 2;
    ck_assert_int_eq(rig_do(&rig, &q), -EPERM);
}
END_TEST

/* --- commands ------------------------------------------------------------------------------- */

static int tell(const char *fsid, const char *json)
{
    static uint8_t front[512];
    struct signet_writer w = signet_writer_init(front, sizeof(front));
    signet_write_bytes(&w, fsid, 16);
    signet_write_u32(&w, 1);
    signet_write_blob(&w, json, strlen(json));
    rig.tid = 99;
    assert_ok(rig_feed(&rig, 97, 1, (struct signet_span){front, (size_t)w.len},
                       (struct signet_span){NULL, 0}));
    ck_assert_int_eq(rig.answers, 1);
    ck_assert_uint_eq(rig.out.type, 98);
    ck_assert_uint_eq(rig.out.tid, 99);
    rig.data[rig.data_len] = 0;
    return (int32_t)signet_load_u32(rig.front);
}

START_TEST(commands)
{
    static const char fsid[] = "\x11\x11\x11\x11\x11\x11\x11\x11\x11\x11\x11\x11\x11\x11\x11\x11";
    ck_assert_int_eq(tell(fsid, "{\"prefix\": \"version\"}"), 0);
    ck_assert_ptr_nonnull(strstr((char *)rig.data, "signet"));
    ck_assert_int_eq(tell(fsid, "{\"prefix\": \"get_command_descriptions\"}"), 0);
    ck_assert_ptr_nonnull(strstr((char *)rig.data, "\"sig\":[\"version\"]"));
    ck_assert_int_eq(tell(fsid, "{\"prefix\": \"bench\"}"), -EINVAL);
    ck_assert_int_eq(tell(fsid, "{\"prefix\": 3}"), -EINVAL);
    ck_assert_int_eq(tell(fsid, "no json"), -EINVAL);
    ck_assert_int_eq(tell("----------------", "{\"prefix\": \"version\"}"), -EACCES);
    rig_login(&rig, 1, "allow rwx");
    ck_assert_int_eq(tell(fsid, "{\"prefix\": \"version\"}"), -EACCES);
    ck_assert_uint_eq(rig.data_len, 0);
    assert_err(rig_feed(&rig, 97, 1, span("short"), span("")), SHORT);
    ck_assert_str_eq(rig.fail.where, "MCommand");
}
END_TEST

int main(void)
{
    Suite *s = suite_create("osd_caps");
    TCase *t = tcase_create("grammar");
    tcase_add_loop_test(t, texts, 0, CASES);
    tcase_add_test(t, no_text);
    suite_add_tcase(s, t);
    t = tcase_create("sessions");
    tcase_add_checked_fixture(t, start, stop);
    tcase_add_test(t, a_reader_cannot_write);
    tcase_add_test(t, a_writer_cannot_read);
    tcase_add_test(t, listing_is_reading);
    tcase_add_test(t, pools_and_namespaces);
    tcase_add_test(t, commands);
    suite_add_tcase(s, t);
    return suite_run(s);
}
