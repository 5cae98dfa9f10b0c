/* SPDX-License-Identifier: MIT */
/* The maps byte for byte against maps that real Ceph 16 and 20 clients took. */
#include "support/suite.h"

#include <stdlib.h>
#include <string.h>

#include <signet/error.h>

#include "lite/maps.h"

static const struct signet_lite_pool bench = {.id = 1, .name = "bench", .pg_num = 8};

static struct signet_lite_cluster sample(void)
{
    struct signet_lite_cluster c = {
        .epoch = 1,
        .created = {.sec = 0x6553f100},
        .mon_name = "a",
        .features = 0x3f01cfbdfffdffff,
        .pools = &bench,
        .num_pools = 1,
    };
    unhex_to(c.fsid, sizeof(c.fsid), "f0e1d2c3b4a5968778695a4b3c2d1e0f");
    assert_ok(signet_addr_parse(&c.mon, "v2:127.0.0.1:17500/0"));
    assert_ok(signet_addr_parse(&c.osd, "v2:127.0.0.1:17501/4242"));
    return c;
}

static void compare(void (*encode)(struct signet_writer *, const struct signet_lite_cluster *),
                    const char *file)
{
    uint8_t buf[2048];
    size_t len;
    struct signet_lite_cluster c = sample();
    char *hex = (char *)kat_read(file, &len);
    hex[strcspn(hex, "\n")] = 0;
    struct signet_writer w = signet_writer_init(buf, sizeof(buf));
    encode(&w, &c);
    ck_assert_int_eq(w.err, 0);
    assert_hex(buf, (size_t)w.len, hex);
    free(hex);
}

START_TEST(monmap_is_that_of_a_real_monitor)
{
    compare(signet_lite_monmap, "lite/monmap.hex");
}
END_TEST

START_TEST(osdmap_is_one_that_real_clients_took)
{
    compare(signet_lite_osdmap, "lite/osdmap.hex");
}
END_TEST

START_TEST(too_small_a_buffer_is_an_error_at_every_length)
{
    uint8_t buf[2048];
    struct signet_lite_cluster c = sample();
    for (size_t cap = 0; cap < 1023; cap++) {
        struct signet_writer w = signet_writer_init(buf, cap);
        signet_lite_osdmap(&w, &c);
        ck_assert_int_eq(w.err, -SIGNET_E_SPACE);
    }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("lite_maps");
    TCase *t = tcase_create("maps");
    tcase_add_test(t, monmap_is_that_of_a_real_monitor);
    tcase_add_test(t, osdmap_is_one_that_real_clients_took);
    tcase_add_test(t, too_small_a_buffer_is_an_error_at_every_length);
    suite_add_tcase(s, t);
    return suite_run(s);
}
