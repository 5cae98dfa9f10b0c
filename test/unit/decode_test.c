/* SPDX-License-Identifier: MIT */
/* Recorded sessions of real Ceph, whole, damaged and cut off. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/suite.h"

#include "commands.h"
#include "decode.h"

/* What a folder of test/kat/captures must give. */
struct capture {
    const char *folder;
    unsigned connections;
    enum decode_refusal refusal;
    unsigned wrong_proofs;   /* the only check that may fail */
    unsigned closed_tickets; /* whose secret is not in keys.json */
    bool unknown_entity;     /* its proof cannot be checked */
};

static const struct capture captures[] = {
    {"ceph16/a_ceph_s.rev0crc", 2, DECODE_MSGR20, 0, 0, false},
    {"ceph16/a_ceph_s.v2crc", 2, DECODE_DONE, 0, 0, false},
    {"ceph16/a_ceph_s.v2sec", 2, DECODE_DONE, 0, 0, false},
    {"ceph16/d_rados_put_get.v1sig", 2, DECODE_MSGR1, 0, 0, false},
    {"ceph16/d_rados_put_get.v2crc", 8, DECODE_DONE, 0, 0, false},
    {"ceph16/d_rados_put_get.v2def", 4, DECODE_DONE, 0, 0, false},
    {"ceph16/d_rados_put_get.v2none", 4, DECODE_DONE, 0, 0, false},
    {"ceph16/d_rados_put_get.v2sec", 8, DECODE_DONE, 0, 0, false},
    {"ceph16/e_unknown_entity.v2crc", 1, DECODE_DONE, 0, 0, true},
    {"ceph16/e_wrong_key.v2sec", 1, DECODE_DONE, 1, 0, false},
    {"ceph16/f_keepalive.v2sec", 3, DECODE_DONE, 0, 0, false},
    {"ceph16/f_reconnect.twosec", 22, DECODE_DONE, 0, 0, false},
    {"ceph16/g_osd_boot.v2sec", 2, DECODE_DONE, 0, 0, false},
    {"ceph16/h_renew.v2sec", 3, DECODE_DONE, 0, 0, false},
    {"ceph16/i_method_mismatch.v2", 1, DECODE_DONE, 0, 0, false},
    {"ceph16/i_mode_mismatch.v2", 1, DECODE_DONE, 0, 0, false},
    {"ceph20/a-aes256k-mon-crc", 3, DECODE_DONE, 0, 0, false},
    {"ceph20/b-aes256k-mon-secure", 3, DECODE_DONE, 0, 0, false},
    {"ceph20/c-oldaes-mon-secure", 3, DECODE_DONE, 0, 0, false},
    {"ceph20/d-oldaes-rados-put-secure", 4, DECODE_DONE, 0, 0, false},
    {"ceph20/d-rados-put-crc", 4, DECODE_DONE, 0, 0, false},
    {"ceph20/d-rados-put-secure", 4, DECODE_DONE, 0, 0, false},
    {"ceph20/e-unknown-entity", 1, DECODE_DONE, 0, 0, true},
    {"ceph20/e-wrongkey-aes256k", 1, DECODE_DONE, 1, 0, false},
    {"ceph20/g-osd-boot-rotating", 16, DECODE_DONE, 0, 0, false},
    {"ceph20/i-v16client-oldaes", 4, DECODE_DONE, 0, 5, false},
};
enum { CAPTURES = sizeof(captures) / sizeof(*captures) };

static struct tool_keys *load_keys(const char *folder)
{
    char name[200];
    struct tool_keys *keys;
    struct signet_fail fail;
    snprintf(name, sizeof(name), "captures/%s/keys.json", folder);
    assert_ok(tool_keys_load(&keys, kat_path(name), &fail));
    return keys;
}

static struct report *quiet_report(void)
{
    struct report_options options = {.format = TOOL_JSON};
    return report_new(&options);
}

/* Both streams of one connection; freed by the caller. */
static void load_streams(struct decode_input input[2], const char *folder, unsigned number)
{
    for (unsigned side = 0; side < 2; side++) {
        char name[200];
        snprintf(name, sizeof(name), "captures/%s/conn%02u.%s", folder, number,
                 side ? "s2c" : "c2s");
        input[side].path = folder;
        input[side].data = kat_read(name, &input[side].len);
    }
}

static void free_streams(struct decode_input input[2])
{
    free(input[0].data);
    free(input[1].data);
}

static uint64_t total(const struct report *report, enum outcome outcome)
{
    uint64_t sum = 0;
    for (unsigned check = 0; check < CHECK_NUM; check++)
        sum += report_count_of(report, check, outcome);
    return sum;
}

/* All connections of a folder into one report, with keys that are learned from one to the next. */
static struct report *decode_folder(const struct capture *capture)
{
    struct tool_keys *keys = load_keys(capture->folder);
    struct report *report = quiet_report();
    for (unsigned i = 0; i < CAPTURES * 100 && i < capture->connections; i++) {
        struct decode_input input[2];
        unsigned side;
        /* The msgr1 folder holds connections 2 and 3. */
        load_streams(input, capture->folder, capture->refusal == DECODE_MSGR1 ? i + 2 : i);
        ck_assert_int_eq(decode_connection(report, keys, input, &side), capture->refusal);
        free_streams(input);
    }
    tool_keys_free(keys);
    return report;
}

START_TEST(whole)
{
    const struct capture *capture = &captures[_i];
    struct report *report = decode_folder(capture);
    bool decoded = capture->refusal == DECODE_DONE;
    ck_assert_uint_eq(report_count_of(report, CHECK_consumed, OUTCOME_OK),
                      decoded ? 2 * capture->connections : 0);
    ck_assert_uint_eq(report_count_of(report, CHECK_challenge_proof, OUTCOME_FAILED),
                      capture->wrong_proofs);
    ck_assert_uint_eq(report_count_of(report, CHECK_banner, OUTCOME_FAILED),
                      decoded ? 0 : capture->connections);
    ck_assert_uint_eq(total(report, OUTCOME_FAILED),
                      capture->wrong_proofs + (decoded ? 0 : capture->connections));
    ck_assert_uint_eq(report_count_of(report, CHECK_ticket, OUTCOME_UNCHECKED),
                      capture->closed_tickets);
    ck_assert_uint_eq(total(report, OUTCOME_UNCHECKED),
                      capture->closed_tickets + capture->unknown_entity);
    report_free(report);
}
END_TEST

/* How often each check of one folder passes: a check that silently stops being made shows here. */
START_TEST(numbers)
{
    static const unsigned expected[CHECK_NUM] = {[CHECK_banner] = 9,
                                                 [CHECK_preamble_crc] = 114,
                                                 [CHECK_segment_crc] = 18,
                                                 [CHECK_gcm_tag] = 178,
                                                 [CHECK_padding] = 96,
                                                 [CHECK_shape] = 114,
                                                 [CHECK_order] = 114,
                                                 [CHECK_structure] = 167,
                                                 [CHECK_challenge_proof] = 4,
                                                 [CHECK_service_ticket] = 19,
                                                 [CHECK_ticket] = 27,
                                                 [CHECK_session_key] = 27,
                                                 [CHECK_identity] = 27,
                                                 [CHECK_wrapped_ticket] = 2,
                                                 [CHECK_connection_secret] = 3,
                                                 [CHECK_authorizer] = 6,
                                                 [CHECK_authorizer_repeat] = 1,
                                                 [CHECK_authorizer_challenge] = 1,
                                                 [CHECK_challenge_plus_one] = 1,
                                                 [CHECK_authorizer_reply] = 1,
                                                 [CHECK_nonce_plus_one] = 1,
                                                 [CHECK_signature] = 6,
                                                 [CHECK_message_seq] = 72,
                                                 [CHECK_consumed] = 6};
    const struct capture *capture = &captures[13];
    struct report *report = decode_folder(capture);
    ck_assert_str_eq(capture->folder, "ceph16/h_renew.v2sec");
    for (unsigned check = 0; check < CHECK_NUM; check++)
        ck_assert_msg(report_count_of(report, check, OUTCOME_OK) == expected[check],
                      "check %u passes %lu times, not %u", check,
                      (unsigned long)report_count_of(report, check, OUTCOME_OK), expected[check]);
    report_free(report);
}
END_TEST

/* Decodes copies of the streams with one bit turned over or the end cut off; the failures. */
static uint64_t decode_changed(struct tool_keys *keys, const struct decode_input input[2],
                               unsigned side, size_t flip, size_t cut, struct report **out)
{
    struct decode_input copy[2];
    unsigned said;
    for (unsigned i = 0; i < 2; i++) {
        copy[i] = input[i];
        copy[i].len = i == side && cut < input[i].len ? cut : input[i].len;
        /* Exactly as long, so that sanitizers see a read past the end. */
        copy[i].data = malloc(copy[i].len + 1);
        ck_assert_ptr_nonnull(copy[i].data);
        copy[i].data = realloc(copy[i].data, copy[i].len ? copy[i].len : 1);
        memcpy(copy[i].data, input[i].data, copy[i].len);
    }
    if (flip < copy[side].len)
        copy[side].data[flip] ^= (uint8_t)(1U << flip % 8);
    *out = quiet_report();
    decode_connection(*out, keys, copy, &said);
    free_streams(copy);
    return total(*out, OUTCOME_FAILED);
}

static const char *const small[] = {"ceph16/a_ceph_s.v2crc", "ceph16/a_ceph_s.v2sec",
                                    "ceph20/b-aes256k-mon-secure"};

START_TEST(flipped_bytes)
{
    struct tool_keys *keys = load_keys(small[_i]);
    struct decode_input input[2];
    load_streams(input, small[_i], 0);
    for (unsigned side = 0; side < 2; side++) {
        for (size_t at = 0; at < input[side].len; at++) {
            struct report *report;
            uint64_t failed = decode_changed(keys, input, side, at, SIZE_MAX, &report);
            ck_assert_msg(failed > 0, "%s: byte %zu of side %u is not covered", small[_i], at,
                          side);
            report_free(report);
        }
    }
    free_streams(input);
    tool_keys_free(keys);
}
END_TEST

START_TEST(cut_off)
{
    struct tool_keys *keys = load_keys(small[_i]);
    struct decode_input input[2];
    unsigned boundaries = 0;
    load_streams(input, small[_i], 0);
    for (unsigned side = 0; side < 2; side++) {
        /* Every byte of the first, some of the others: a frame is longer than the steps. */
        for (size_t cut = 0; cut < input[side].len; cut += _i ? 5 : 1) {
            struct report *report;
            boundaries += decode_changed(keys, input, side, SIZE_MAX, cut, &report) == 0;
            report_free(report);
        }
    }
    /* Only behind whole frames, and only in the session, a cut cannot be seen. */
    ck_assert_uint_ge(boundaries, _i ? 0 : 2);
    ck_assert_uint_le(boundaries, 12);
    free_streams(input);
    tool_keys_free(keys);
}
END_TEST

/* Without its secrets a connection is decoded as far as that is possible. */
START_TEST(other_keys)
{
    struct tool_keys *keys = load_keys("ceph20/a-aes256k-mon-crc");
    struct decode_input input[2];
    struct report *report = quiet_report();
    unsigned side;
    load_streams(input, "ceph16/a_ceph_s.v2crc", 0);
    ck_assert_int_eq(decode_connection(report, keys, input, &side), DECODE_DONE);
    ck_assert_uint_eq(report_count_of(report, CHECK_consumed, OUTCOME_OK), 2);
    ck_assert_uint_eq(report_count_of(report, CHECK_signature, OUTCOME_OK), 0);
    ck_assert_uint_gt(report_count_of(report, CHECK_challenge_proof, OUTCOME_FAILED), 0);
    report_free(report);
    free_streams(input);
    tool_keys_free(keys);
}
END_TEST

/* The command in this process, its output in a file. */
static int run_command(char **argv, FILE *out)
{
    int argc = 0, saved = dup(STDOUT_FILENO);
    while (argv[argc])
        argc++;
    optind = 0; /* getopt_long starts anew */
    fflush(stdout);
    dup2(fileno(out), STDOUT_FILENO);
    int code = signet_cmd_decode(argc, argv);
    fflush(stdout);
    dup2(saved, STDOUT_FILENO);
    close(saved);
    rewind(out);
    return code;
}

static int decode_command(const char *folder, const char *extra, const char *extra2, FILE *out)
{
    char keys[300], c2s[300], s2c[300], dir[200];
    snprintf(dir, sizeof(dir), "captures/%s", folder);
    snprintf(dir, sizeof(dir), "%s", kat_path(dir));
    snprintf(keys, sizeof(keys), "%s/keys.json", dir);
    snprintf(c2s, sizeof(c2s), "%s/conn00.c2s", dir);
    snprintf(s2c, sizeof(s2c), "%s/conn00.s2c", dir);
    char *argv[] = {"decode", "--keys", keys, c2s, s2c, (char *)extra, (char *)extra2, NULL};
    return run_command(argv, out);
}

START_TEST(json_output)
{
    FILE *out = tmpfile();
    ck_assert_int_eq(decode_command("ceph16/a_ceph_s.v2sec", "--format", "json", out), TOOL_OK);
    json_error_t error;
    json_t *document = json_loadf(out, JSON_REJECT_DUPLICATES, &error);
    ck_assert_msg(document != NULL, "line %d: %s", error.line, error.text);
    ck_assert(json_is_true(json_object_get(document, "ok")));
    json_t *connection = json_array_get(json_object_get(document, "connections"), 0);
    ck_assert_uint_gt(json_array_size(json_object_get(connection, "frames")), 10);
    json_decref(document);
    fclose(out);
}
END_TEST

static bool contains(FILE *file, const char *text)
{
    char line[2000];
    while (fgets(line, sizeof(line), file))
        if (strstr(line, text))
            return true;
    return false;
}

START_TEST(text_output)
{
    FILE *out = tmpfile();
    ck_assert_int_eq(decode_command("ceph16/a_ceph_s.v2sec", NULL, NULL, out), TOOL_OK);
    ck_assert(contains(out, "no check failed"));
    rewind(out);
    ck_assert(!contains(out, "session_key:"));
    rewind(out);
    ck_assert(!contains(out, "connection_secret:"));
    fclose(out);
    out = tmpfile();
    ck_assert_int_eq(decode_command("ceph16/a_ceph_s.v2sec", "--show-secrets", "--dump", out),
                     TOOL_OK);
    ck_assert(contains(out, "connection_secret: "));
    fclose(out);
}
END_TEST

START_TEST(refused_output)
{
    FILE *out = tmpfile();
    ck_assert_int_eq(decode_command("ceph16/a_ceph_s.rev0crc", NULL, NULL, out), TOOL_FAILURE);
    ck_assert(contains(out, "msgr2.0"));
    fclose(out);
}
END_TEST

START_TEST(wrong_usage)
{
    FILE *out = tmpfile();
    char *no_keys[] = {"decode", "a", "b", NULL}, *one[] = {"decode", "-k", "x", "a", NULL};
    char *option[] = {"decode", "--bogus", NULL}, *format[] = {"decode", "--format", "xml", NULL};
    ck_assert_int_eq(run_command(no_keys, out), TOOL_USAGE);
    ck_assert_int_eq(run_command(one, out), TOOL_USAGE);
    ck_assert_int_eq(run_command(option, out), TOOL_USAGE);
    ck_assert_int_eq(run_command(format, out), TOOL_USAGE);
    char *missing[] = {"decode", "-k", "/nonexistent", "a", "b", NULL};
    ck_assert_int_eq(run_command(missing, out), TOOL_FAILURE);
    fclose(out);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("decode");
    TCase *t = suite_case(suite, "recorded");
    tcase_set_timeout(t, 60);
    tcase_add_loop_test(t, whole, 0, CAPTURES);
    tcase_add_test(t, numbers);
    tcase_add_test(t, other_keys);
    t = suite_case(suite, "changed");
    tcase_set_timeout(t, 240);
    tcase_add_loop_test(t, flipped_bytes, 0, 3);
    tcase_add_loop_test(t, cut_off, 0, 3);
    t = suite_case(suite, "command");
    tcase_add_test(t, json_output);
    tcase_add_test(t, text_output);
    tcase_add_test(t, refused_output);
    tcase_add_test(t, wrong_usage);
    return suite_run(suite);
}
