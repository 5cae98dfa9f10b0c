/* SPDX-License-Identifier: MIT */
/* signet ping: its options, and what it says when a login fails. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/stranger.h"
#include "support/suite.h"

#include "commands.h"
#include "ping.h"

#define PARSE(options, code, ...) parse((char *[]){"ping", __VA_ARGS__, NULL}, &(options), &(code))

static bool parse(char **argv, struct ping_options *options, int *code)
{
    int argc = 0;
    while (argv[argc])
        argc++;
    optind = 0;
    return ping_parse(argc, argv, options, code);
}

START_TEST(options)
{
    struct ping_options o;
    int code;
    ck_assert(PARSE(o, code, "-m", "v2:h:1", "-n", "osd.3", "-k", "f", "--osd", "x", "--ms-mode",
                    "prefer-crc", "--handler", "openssl", "-c", "7", "-i", "0.5", "--timeout", "2",
                    "--format", "json"));
    ck_assert_str_eq(o.mon_text, "v2:h:1");
    ck_assert_str_eq(o.name_text, "osd.3");
    ck_assert_str_eq(o.keyring, "f");
    ck_assert_str_eq(o.osd_text, "x");
    ck_assert_uint_eq(o.num_modes, 2);
    ck_assert_uint_eq(o.modes[0], SIGNET_MODE_CRC);
    ck_assert_uint_eq(o.modes[1], SIGNET_MODE_SECURE);
    ck_assert_str_eq(o.handler, "openssl");
    ck_assert_uint_eq(o.count, 7);
    ck_assert_uint_eq(o.interval_ns, 500000000);
    ck_assert_uint_eq(o.timeout_ns, 2000000000);
    ck_assert_int_eq(o.format, TOOL_JSON);
}
END_TEST

START_TEST(count_or_conf)
{
    struct ping_options o;
    int code;
    ck_assert(PARSE(o, code, "-c", "/etc/ceph/ceph.conf", "-c", "3"));
    ck_assert_str_eq(o.conf, "/etc/ceph/ceph.conf");
    ck_assert_uint_eq(o.count, 3);
    ck_assert(PARSE(o, code, "-C", "5"));
    ck_assert_str_eq(o.conf, "5");
    ck_assert_uint_eq(o.count, 4);
    ck_assert_str_eq(o.name_text, "client.admin");
    ck_assert_uint_eq(o.num_modes, 1);
    ck_assert_uint_eq(o.modes[0], SIGNET_MODE_SECURE);
}
END_TEST

START_TEST(wrong_options)
{
    struct ping_options o;
    int code;
    static char *const wrong[][3] = {{"-c", "100001"},      {"-n", "admin"},  {"--timeout", "0"},
                                     {"--timeout", "x"},    {"-i", "-1"},     {"--ms-mode", "both"},
                                     {"--format", "xml"},   {"--bogus", "1"}, {"--count", "many"},
                                     {"--interval", "1.x"}, {"stray", "one"}};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
        code = -1;
        ck_assert_msg(!PARSE(o, code, "-m", "h", wrong[i][0], wrong[i][1]), "%s", wrong[i][0]);
        ck_assert_int_eq(code, TOOL_USAGE);
    }
    ck_assert(!PARSE(o, code, "-k", "f"));
    ck_assert_int_eq(code, TOOL_USAGE);
}
END_TEST

/* Every failure that users meet names itself, a likely cause and the next step. */
START_TEST(problems)
{
    static const struct {
        int err;
        enum ping_stage stage;
        uint32_t peer;
        const char *text;
    } cases[] = {
        {SIGNET_E_CONNECT_REFUSED, STAGE_CONNECT, SIGNET_MON, "nobody listens"},
        {SIGNET_E_UNREACHABLE, STAGE_CONNECT, SIGNET_MON, "unreachable"},
        {SIGNET_E_TIMEOUT, STAGE_CONNECT, SIGNET_MON, "did not answer in time"},
        {SIGNET_E_MSGR1_PEER, STAGE_BANNER, SIGNET_MON, "msgr1"},
        {SIGNET_E_MSGR1_PEER, STAGE_CONNECT, SIGNET_MON, "address of msgr1"},
        {SIGNET_E_MSGR20_PEER, STAGE_BANNER, SIGNET_MON, "msgr2.0"},
        {SIGNET_E_NOT_CEPH, STAGE_BANNER, SIGNET_MON, "not a Ceph port"},
        {SIGNET_E_BANNER, STAGE_BANNER, SIGNET_MON, "banner"},
        {SIGNET_E_BANNER_FEATURES, STAGE_BANNER, SIGNET_MON, "feature"},
        {SIGNET_E_PEER_CLOSED, STAGE_BANNER, SIGNET_MON, "before its banner"},
        {SIGNET_E_PEER_CLOSED, STAGE_HELLO, SIGNET_MON, "before its HELLO"},
        {SIGNET_E_PEER_CLOSED, STAGE_LOGIN, SIGNET_MON, "during the login"},
        {SIGNET_E_PEER_CLOSED, STAGE_SESSION, SIGNET_OSD, "session"},
        {SIGNET_E_PEER_CLOSED, STAGE_OPEN, SIGNET_MON, "open session"},
        {SIGNET_E_HANDSHAKE_TIMEOUT, STAGE_LOGIN, SIGNET_MON, "time-out"},
        {SIGNET_E_PEER_TYPE, STAGE_HELLO, SIGNET_MON, "not a monitor"},
        {SIGNET_E_PEER_TYPE, STAGE_HELLO, SIGNET_OSD, "not an OSD"},
        {SIGNET_E_AUTH_DENIED, STAGE_LOGIN, SIGNET_MON, "wrong key"},
        {SIGNET_E_AUTH_DENIED, STAGE_LOGIN, SIGNET_MON, "unknown entity"},
        {SIGNET_E_AUTH_DENIED, STAGE_LOGIN, SIGNET_OSD, "refused the ticket"},
        {SIGNET_E_AUTH_MODE, STAGE_LOGIN, SIGNET_MON, "no common connection mode"},
        {SIGNET_E_AUTH_METHOD, STAGE_LOGIN, SIGNET_MON, "does not allow cephx"},
        {SIGNET_E_AUTH_SIGNATURE, STAGE_LOGIN, SIGNET_MON, "signature"},
        {SIGNET_E_PEER_ADDR, STAGE_SESSION, SIGNET_MON, "another address"},
        {SIGNET_E_MISSING_FEATURES, STAGE_SESSION, SIGNET_MON, "features"},
        {SIGNET_E_PEER_FEATURES, STAGE_SESSION, SIGNET_MON, "features"},
        {SIGNET_E_KEEPALIVE_TIMEOUT, STAGE_OPEN, SIGNET_MON, "keepalives"},
        {SIGNET_E_WEAK_SESSION_KEY, STAGE_LOGIN, SIGNET_MON, "aes session key"},
        {SIGNET_E_NO_TICKET, STAGE_LOGIN, SIGNET_OSD, "no usable ticket"},
        {SIGNET_E_MODE_NOT_OFFERED, STAGE_LOGIN, SIGNET_MON, "not offered"},
        {SIGNET_E_OPEN, STAGE_LOGIN, SIGNET_MON, "does not open"},
        {SIGNET_E_SEGMENT_CRC, STAGE_LOGIN, SIGNET_MON, "crc"},
    };
    struct ping ping = {.options = {.name_text = "client.x", .timeout_ns = 1}, .peer_text = "ADDR"};
    struct signet_fail fail = {0};
    assert_ok(signet_key_generate(&ping.key, SIGNET_KEY_AES, NULL));
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct tool_problem problem = {0};
        ping.stage = cases[i].stage;
        ping.peer_type = cases[i].peer;
        ping_problem(&ping, -cases[i].err, &fail, &problem);
        ck_assert_msg(strstr(problem.what, cases[i].text) != NULL, "'%s' in '%s'", cases[i].text,
                      problem.what);
        ck_assert_msg(strstr(problem.what, "ADDR") != NULL, "%s", problem.what);
        ck_assert_int_eq(problem.err, -cases[i].err);
        ck_assert_ptr_nonnull(problem.cause[0]);
        ck_assert_ptr_nonnull(problem.next);
        /* The peer may be signetd, whose users may not have Ceph's commands. */
        ck_assert_msg(strstr(problem.next, "'ceph ") == NULL || strstr(problem.next, "signetd"),
                      "%s", problem.next);
    }
    static const struct {
        int err;
        uint32_t peer;
        const char *text;
    } without[] = {{SIGNET_E_AUTH_METHOD, SIGNET_MON, "does not allow authentication none"},
                   {SIGNET_E_AUTH_DENIED, SIGNET_MON, "client.x, without authentication"},
                   {SIGNET_E_AUTH_DENIED, SIGNET_OSD, "client.x, without authentication"}};
    for (size_t i = 0; i < sizeof(without) / sizeof(*without); i++) {
        struct ping none = {.options = {.name_text = "client.x", .auth = SIGNET_AUTH_NONE},
                            .peer_text = "ADDR",
                            .stage = STAGE_LOGIN,
                            .peer_type = without[i].peer};
        struct tool_problem problem = {0};
        ping_problem(&none, -without[i].err, &fail, &problem);
        ck_assert_msg(strstr(problem.what, without[i].text) != NULL, "%s", problem.what);
        ck_assert_ptr_nonnull(problem.next);
    }
    static const int wrong_port[] = {SIGNET_E_CONNECT_REFUSED, SIGNET_E_MSGR1_PEER,
                                     SIGNET_E_NOT_CEPH, SIGNET_E_BANNER, SIGNET_E_PEER_CLOSED};
    for (size_t i = 0; i < sizeof(wrong_port) / sizeof(*wrong_port); i++) {
        struct tool_problem problem = {0};
        ping.stage = STAGE_BANNER;
        ping.peer_type = SIGNET_OSD;
        ping_problem(&ping, -wrong_port[i], &fail, &problem);
        ck_assert_msg(strstr(problem.next, "ceph osd dump") != NULL, "%s", problem.next);
    }
    signet_key_unref(ping.key);
}
END_TEST

START_TEST(clocks)
{
    struct ping ping = {.has_skew = true, .skew_s = 59};
    struct tool_problem problem = {0};
    ck_assert(!ping_clock_problem(&ping, &problem));
    ping.skew_s = -3600;
    ck_assert(ping_clock_problem(&ping, &problem));
    ck_assert_ptr_nonnull(strstr(problem.what, "3600 s behind"));
    ping.skew_s = 61;
    ck_assert(ping_clock_problem(&ping, &problem));
    ck_assert_ptr_nonnull(strstr(problem.what, "ahead of"));
    ping.has_skew = false;
    ck_assert(!ping_clock_problem(&ping, &problem));
}
END_TEST

static char keyring_path[] = "/tmp/signet-ping-XXXXXX";

static void write_keyring(void)
{
    static const char text[] = "[client.admin]\n\tkey = AQACEF5fAAAAABAAsLGys7S1tre4ubq7vL2+vw==\n";
    int fd = mkstemp(keyring_path);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(write(fd, text, sizeof(text) - 1), sizeof(text) - 1);
    close(fd);
}

/* The command in this process; *error becomes the name of the failure in its JSON. */
static int run(const char *addr, const char *extra, const char *value, char *error, size_t cap)
{
    char *argv[] = {"ping", "-m",        (char *)addr, "-k",          keyring_path,  "--format",
                    "json", "--timeout", "0.3",        (char *)extra, (char *)value, NULL};
    FILE *out = tmpfile();
    int argc = 0, saved = dup(STDOUT_FILENO);
    while (argv[argc])
        argc++;
    optind = 0;
    fflush(stdout);
    dup2(fileno(out), STDOUT_FILENO);
    int code = signet_cmd_ping(argc, argv);
    fflush(stdout);
    dup2(saved, STDOUT_FILENO);
    close(saved);
    rewind(out);
    json_t *document = json_loadf(out, JSON_REJECT_DUPLICATES, NULL);
    ck_assert_ptr_nonnull(document);
    const char *name =
        json_string_value(json_object_get(json_object_get(document, "error"), "name"));
    snprintf(error, cap, "%s", name ? name : "");
    json_decref(document);
    fclose(out);
    return code;
}

#define BANNER        "ceph v2\n\x10\0"
#define FEATURES(low) low "\0\0\0\0\0\0\0"

START_TEST(strangers)
{
    static const struct {
        const char *says;
        size_t len;
        bool hangs_up;
        const char *error;
    } cases[] = {
        {"SSH-2.0-OpenSSH_9\r\n", 19, false, "NOT_CEPH"},
        {"ceph v027", 9, false, "MSGR1_PEER"},
        {BANNER FEATURES("\0") FEATURES("\0"), 26, false, "MSGR20_PEER"},
        {BANNER FEATURES("\1") FEATURES("\x10"), 26, false, "BANNER_FEATURES"},
        {"ceph v2\n\1\0", 10, false, "BANNER"},
        {"", 0, false, "HANDSHAKE_TIMEOUT"},
        {"", 0, true, "PEER_CLOSED"},
        {BANNER FEATURES("\1") FEATURES("\0"), 26, true, "PEER_CLOSED"},
        {BANNER FEATURES("\1") FEATURES("\0") "this is no frame of any kind, but long enough", 71,
         false, "PREAMBLE_CRC"},
    };
    struct stranger stranger;
    char addr[40], error[64];
    write_keyring();
    stranger_start(&stranger, cases[_i].says, cases[_i].len, cases[_i].hangs_up);
    snprintf(addr, sizeof(addr), "v2:127.0.0.1:%u", stranger.port);
    int code = run(addr, NULL, NULL, error, sizeof(error));
    stranger_stop(&stranger);
    unlink(keyring_path);
    ck_assert_int_eq(code, TOOL_FAILURE);
    ck_assert_str_eq(error, cases[_i].error);
}
END_TEST
enum { STRANGERS = 9 };

START_TEST(before_connecting)
{
    struct stranger stranger;
    char addr[40], error[64];
    write_keyring();
    stranger_start(&stranger, "", 0, false);
    snprintf(addr, sizeof(addr), "v2:127.0.0.1:%u", stranger.port);
    stranger_stop(&stranger);
    ck_assert_int_eq(run(addr, NULL, NULL, error, sizeof(error)), TOOL_FAILURE);
    ck_assert_str_eq(error, "CONNECT_REFUSED");
    ck_assert_int_eq(run("v1:127.0.0.1:6789", NULL, NULL, error, sizeof(error)), TOOL_FAILURE);
    ck_assert_str_eq(error, "MSGR1_PEER");
    ck_assert_int_eq(run("v2:", NULL, NULL, error, sizeof(error)), TOOL_FAILURE);
    ck_assert_str_eq(error, "ADDR");
    ck_assert_int_eq(run(addr, "-n", "client.x", error, sizeof(error)), TOOL_FAILURE);
    ck_assert_str_eq(error, "NOT_FOUND");
    ck_assert_int_eq(run(addr, "-C", "/nonexistent", error, sizeof(error)), TOOL_FAILURE);
    ck_assert_str_eq(error, "FILE");
    unlink(keyring_path);
    ck_assert_int_eq(run(addr, NULL, NULL, error, sizeof(error)), TOOL_FAILURE);
    ck_assert_str_eq(error, "FILE");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("ping");
    TCase *t = suite_case(suite, "ping");
    tcase_set_timeout(t, 30);
    tcase_add_test(t, options);
    tcase_add_test(t, count_or_conf);
    tcase_add_test(t, wrong_options);
    tcase_add_test(t, problems);
    tcase_add_test(t, clocks);
    tcase_add_loop_test(t, strangers, 0, STRANGERS);
    tcase_add_test(t, before_connecting);
    return suite_run(suite);
}
