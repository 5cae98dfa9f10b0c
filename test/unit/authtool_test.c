/* SPDX-License-Identifier: MIT */
/* signet authtool over every recorded keyring: what ceph-authtool 16.2.15 says is what it says. */
#include "support/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/command.h"

/* Deliberate differences, as doc/keyring.md lists them. */
struct difference {
    const char *file;
    int code;
    const char *list; /* stdout of -l */
};

#define K "AQAQBwpZAAAAABAAAQIDBAUGBwgJCgsMDQ4PEA=="

static const struct difference differences[] = {
    /* crash ceph-authtool */
    {"valid/24_utf8_name.keyring", 0, "[client.\xc3\xa9]\n\tkey = " K "\n"},
    {"bad/22_bom.keyring", 1, ""},
    /* a key longer than its cipher's, a key with trailing bytes */
    {"bad/11_len32.keyring", 1, ""},
    {"bad/12_trailing_bytes.keyring", 1, ""},
    /* would be read back as /ab */
    {"more/03_caps_double_backslash.keyring", 0,
     "[client.a]\n\tkey = " K "\n\tcaps mds = \"allow rw path=/a\\\\b\"\n"},
};

static const char *const files[] = {
#define V(name) "valid/" name
#define B(name) "bad/" name
#define M(name) "more/" name
    V("01_one.keyring"),
    V("02_many.keyring"),
    V("03_caps.keyring"),
    V("04_nocaps.keyring"),
    V("10_comments.keyring"),
    V("11_crlf.keyring"),
    V("12_no_final_newline.keyring"),
    V("13_quoted_key.keyring"),
    V("14_auid.keyring"),
    V("15_dup_entity.keyring"),
    V("16_dup_key.keyring"),
    V("17_continuation.keyring"),
    V("18_dup_caps.keyring"),
    V("19_tabs.keyring"),
    V("20_global_section.keyring"),
    V("21_unknown_cap_service.keyring"),
    V("22_key_uppercase.keyring"),
    V("23_caps_underscore.keyring"),
    V("24_utf8_name.keyring"),
    V("25_empty_id.keyring"),
    V("30_binary_map_only.bin"),
    V("31_binary_v1_map.bin"),
    B("01_empty.keyring"),
    B("02_garbage_text.keyring"),
    B("03_garbage_binary.keyring"),
    B("04_unclosed_section.keyring"),
    B("05_not_base64.keyring"),
    B("06_truncated_base64.keyring"),
    B("07_type2.keyring"),
    B("08_len15.keyring"),
    B("09_len_over.keyring"),
    B("10_len0.keyring"),
    B("11_len32.keyring"),
    B("12_trailing_bytes.keyring"),
    B("13_type0_none.keyring"),
    B("14_type0_with_secret.keyring"),
    B("15_unknown_field.keyring"),
    B("16_no_key.keyring"),
    B("17_unknown_type.keyring"),
    B("18_no_dot.keyring"),
    B("19_key_before_section.keyring"),
    B("20_unterminated_quote.keyring"),
    B("21_nul_byte.keyring"),
    B("22_bom.keyring"),
    B("23_spaces_in_section.keyring"),
    B("24_space_in_key.keyring"),
    B("25_no_equals.keyring"),
    B("26_empty_value.keyring"),
    B("27_empty_section.keyring"),
    B("28_extra_padding.keyring"),
    B("29_missing_padding.keyring"),
    B("30_binary_truncated.bin"),
    B("31_binary_trailing.bin"),
    B("32_urlsafe_char.keyring"),
    M("01_caps_escaped_quotes.keyring"),
    M("02_caps_backslash_b.keyring"),
    M("03_caps_double_backslash.keyring"),
    M("04_caps_hash_in_quotes.keyring"),
    M("05_caps_hash_unquoted.keyring"),
    M("06_caps_single_quotes.keyring"),
    M("07_spaces_before_section.keyring"),
    M("08_blank_lines_first.keyring"),
    M("09_section_trailing_ws.keyring"),
    M("10_section_trailing_comment.keyring"),
    M("11_comment_no_newline.keyring"),
    M("12_key_trailing_ws.keyring"),
    M("13_continuation_unquoted.keyring"),
    M("14_quoted_trailing_garbage.keyring"),
    M("15_unknown_section_only.keyring"),
    M("16_two_entities_second_bad.keyring"),
    M("17_caps_empty.keyring"),
    M("18_caps_no_service.keyring"),
    M("19_caps_unknown_service.keyring"),
    M("20_caps_two_words.keyring"),
    M("21_caps_extra_space.keyring"),
    M("22_unterminated_no_eol.keyring"),
    M("23_only_comment.keyring"),
    M("24_only_blank.keyring"),
    M("25_crlf_no_final.keyring"),
    M("26_key_semicolon_comment.keyring"),
    M("27_dup_bad_then_good.keyring"),
    M("28_section_quoted.keyring"),
    M("29_name_with_space.keyring"),
    M("30_formfeed.keyring"),
    M("31_type_key_print_form.keyring"),
    M("32_continuation_key.keyring"),
    M("33_continuation_quoted.keyring"),
    M("34_caps_semicolon_in_quotes.keyring"),
};
enum { NUM_FILES = sizeof(files) / sizeof(files[0]) };

static const struct difference *difference_of(const char *file)
{
    for (size_t i = 0; i < sizeof(differences) / sizeof(differences[0]); i++) {
        if (strcmp(differences[i].file, file) == 0) {
            return &differences[i];
        }
    }
    return NULL;
}

/* The recorded output without "rc N", which is put into *code. */
static char *recorded(const char *file, const char *what, int *code)
{
    char path[256];
    size_t len;
    const char *base = strchr(file, '/') + 1;
    snprintf(path, sizeof(path), "keyring/out/%s%s.%s.txt", file[0] == 'm' ? "more_" : "", base,
             what);
    char *text = (char *)kat_read(path, &len);
    char *rc = strstr(text, "rc ");
    for (char *next = rc; next != NULL; next = strstr(next + 1, "rc ")) {
        rc = next;
    }
    ck_assert_ptr_nonnull(rc);
    *code = atoi(rc + 3);
    *rc = 0;
    return text;
}

/* Without line ends at the end, of which the records have one too many or too few. */
static void chomp(char *text)
{
    size_t len = strlen(text);
    while (len > 0 && text[len - 1] == '\n') {
        text[--len] = 0;
    }
}

static void in_vectors(void)
{
    ck_assert_int_eq(chdir(kat_path("keyring")), 0);
    setenv("SIGNET_KAT", "..", 1);
}

static void compare(const char *file, const char *what, const char *const *args)
{
    int code;
    char *want = recorded(file, what, &code);
    struct command_result got = command_run(args);
    ck_assert_msg(got.code == code, "%s: exit code %d, not %d: %s", file, got.code, code, got.err);
    chomp(want);
    chomp(got.out);
    if (code == 0) {
        ck_assert_str_eq(got.out, want);
        ck_assert_str_eq(got.err, "");
    } else {
        char *end = strchr(got.err, '\n'); /* behind the first line is what the other never says */
        ck_assert_ptr_nonnull(end);
        *end = 0;
        ck_assert_str_eq(got.out, "");
        ck_assert_str_eq(got.err, want);
        ck_assert(strncmp(got.err, "error reading", 13) != 0 || strlen(end + 1) > strlen(file));
    }
    command_free(&got);
    free(want);
}

static void compare_difference(const struct difference *difference, const char *const *args)
{
    struct command_result got = command_run(args);
    ck_assert_int_eq(got.code, difference->code);
    ck_assert_str_eq(got.out, difference->list);
    command_free(&got);
}

START_TEST(lists_as_recorded)
{
    const char *args[] = {"authtool", "-c", "/dev/null", files[_i], "-l", NULL};
    const struct difference *difference = difference_of(files[_i]);
    in_vectors();
    if (difference != NULL) {
        compare_difference(difference, args);
    } else {
        compare(files[_i], "list", args);
    }
}
END_TEST

START_TEST(prints_as_recorded)
{
    const char *args[] = {"authtool", "-c", "/dev/null", files[_i], "-p", "-n", "client.a", NULL};
    in_vectors();
    if (files[_i][0] != 'm' && difference_of(files[_i]) == NULL) {
        compare(files[_i], "print", args);
    }
}
END_TEST

START_TEST(no_file_is_left_out)
{
    static const char *const folders[] = {"valid", "bad", "more"};
    char command[256];
    int num = 0;
    in_vectors();
    for (size_t i = 0; i < 3; i++) {
        snprintf(command, sizeof(command), "ls %s | grep -c -e keyring -e bin", folders[i]);
        FILE *f = popen(command, "r");
        int n;
        ck_assert_int_eq(fscanf(f, "%d", &n), 1);
        pclose(f);
        num += n;
    }
    ck_assert_int_eq(num, NUM_FILES);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("authtool");
    TCase *t = tcase_create("recorded");
    suite_add_tcase(s, t);
    tcase_add_loop_test(t, lists_as_recorded, 0, NUM_FILES);
    tcase_add_loop_test(t, prints_as_recorded, 0, NUM_FILES);
    tcase_add_test(t, no_file_is_left_out);
    return suite_run(s);
}
