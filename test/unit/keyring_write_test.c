/* SPDX-License-Identifier: MIT */
/* Changing and writing keyrings; no handler is needed for any of it. */
#include "support/suite.h"
#include "support/temp_dir.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <signet/keyring.h>

#define K1 "AQAQBwpZAAAAABAAAQIDBAUGBwgJCgsMDQ4PEA=="
#define K2 "AgAAAABgBAMCASAAAAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="

static struct signet_keyring *keyring;
static const char *dir;

static void start(void)
{
    dir = temp_dir_make();
    ck_assert_int_eq(chdir(dir), 0);
    umask(022);
    assert_ok(signet_keyring_new(&keyring));
}

static void stop(void)
{
    signet_keyring_free(keyring);
    temp_dir_remove();
}

static struct signet_name name_of(const char *text)
{
    struct signet_name name;
    assert_ok(signet_name_parse(&name, text));
    return name;
}

static void set(const char *entity, const char *key)
{
    struct signet_name name = name_of(entity);
    assert_ok(signet_keyring_set_text(keyring, &name, key, strlen(key)));
}

static int cap(const char *entity, const char *service, const char *text)
{
    struct signet_name name = name_of(entity);
    return signet_keyring_set_cap(keyring, &name, service, text);
}

static void assert_text(const struct signet_keyring *of, const char *want)
{
    char out[4096];
    size_t len, n = signet_keyring_text_len(of);
    ck_assert_uint_lt(n, sizeof(out));
    assert_ok(signet_keyring_print(of, out, n, &len));
    ck_assert_uint_eq(len, n);
    out[len] = 0;
    ck_assert_str_eq(out, want);
}

START_TEST(prints_as_ceph_does)
{
    set("client.b", K1);
    set("mon.", K2);
    assert_ok(cap("client.b", "osd", "allow rw pool=\"x y\""));
    assert_ok(cap("client.b", "mds", "old"));
    assert_ok(cap("client.b", "mds", ""));
    assert_ok(cap("client.b", "mon osd", " 'q' "));
    assert_text(keyring,
                "[mon.]\n\tkey = " K2 "\n"
                "[client.b]\n\tkey = " K1 "\n\tcaps mds = \"\"\n"
                "\tcaps mon osd = \" 'q' \"\n\tcaps osd = \"allow rw pool=\\\"x y\\\"\"\n");
}
END_TEST

/* Where ceph-authtool writes what its own reader refuses or reads as something else. */
START_TEST(escapes_what_readers_need)
{
    set("client.a]b#;\\", K1);
    assert_ok(cap("client.a]b#;\\", "mds", "path=/a\\b # x; y"));
    assert_text(keyring, "[client.a\\]b\\#\\;\\\\]\n\tkey = " K1 "\n"
                         "\tcaps mds = \"path=/a\\\\b \\# x\\; y\"\n");
}
END_TEST

static struct signet_keyring *again(bool binary)
{
    uint8_t out[4096];
    size_t len;
    struct signet_keyring *copy;
    struct signet_fail fail;
    if (binary) {
        size_t n = signet_keyring_wire_len(keyring);
        assert_ok(signet_keyring_encode(keyring, out, sizeof(out), &len));
        ck_assert_uint_eq(len, n);
        assert_err(signet_keyring_encode(keyring, out, n - 1, &len), SPACE);
    } else {
        size_t n = signet_keyring_text_len(keyring);
        assert_ok(signet_keyring_print(keyring, (char *)out, sizeof(out), &len));
        ck_assert_uint_eq(len, n);
        assert_err(signet_keyring_print(keyring, (char *)out, n - 1, &len), SPACE);
    }
    ck_assert_uint_eq(len, 0);
    len = binary ? signet_keyring_wire_len(keyring) : signet_keyring_text_len(keyring);
    int err = signet_keyring_parse(&copy, out, len, &fail);
    ck_assert_msg(err == 0, "%s: %s", signet_err_name(err), fail.text);
    return copy;
}

START_TEST(round_trips)
{
    set("client.a]b#;\\ \"'[= ", K1);
    set("osd.\xc3\xa9", K2);
    set("client.none", "AAAAAAAAAAAAABAAAAECAwQFBgcICQoLDA0ODw==");
    set("client.empty", "CQAQBwpZAAAAAAAA");
    assert_ok(cap("osd.\xc3\xa9", "mds", "a\\\\b#c;d\"e'f\\"));
    assert_ok(cap("osd.\xc3\xa9", "a\"b]'", "[x]=\t y"));
    char want[4096];
    size_t len;
    assert_ok(signet_keyring_print(keyring, want, sizeof(want) - 1, &len));
    want[len] = 0;
    for (int binary = 0; binary < 2; binary++) {
        struct signet_keyring *copy = again(binary != 0);
        assert_text(copy, want);
        signet_keyring_free(copy);
    }
}
END_TEST

START_TEST(refuses_what_no_reader_takes)
{
    static const char *const services[] = {"",    " mon", "mon ", "a  b", "a\tb", "a_b", "a=b",
                                           "a#b", "a;b",  "a[b",  "a\\b", "a\nb", "\xff"};
    set("client.a", K1);
    for (size_t i = 0; i < sizeof(services) / sizeof(services[0]); i++) {
        assert_err(cap("client.a", services[i], "x"), CAPS);
    }
    assert_err(cap("client.a", "mon", "a\nb"), CAPS);
    assert_err(cap("client.a", "mon", "a\rb"), CAPS);
    assert_err(cap("client.a", "mon", "caf\xe9"), CAPS);
    assert_err(cap("client.b", "mon", "x"), NOT_FOUND);
    struct signet_name name = name_of("client.a\nb");
    assert_err(signet_keyring_set(keyring, &name, NULL), NAME);
    name = name_of("client.b");
    assert_err(signet_keyring_set_text(keyring, &name, "AAAA", 4), SHORT);
    assert_err(signet_keyring_set_text(keyring, &name, "AAA", 3), BASE64);
    assert_err(signet_keyring_set_wire(keyring, &name, (const uint8_t *)"", 1), SHORT);
    assert_text(keyring, "[client.a]\n\tkey = " K1 "\n");
}
END_TEST

START_TEST(changes_entities)
{
    struct signet_name a = name_of("client.a"), b = name_of("client.b");
    struct signet_keyring *other;
    set("client.a", K1);
    assert_ok(cap("client.a", "mon", "x"));
    set("client.a", K2); /* capabilities stay */
    assert_ok(signet_keyring_set(keyring, &b, NULL));
    assert_text(keyring, "[client.a]\n\tkey = " K2 "\n\tcaps mon = \"x\"\n"
                         "[client.b]\n\tkey = AAAAAAAAAAAAAAAA\n");
    assert_ok(signet_keyring_new(&other));
    assert_ok(signet_keyring_set_text(other, &a, K1, strlen(K1)));
    assert_ok(signet_keyring_import(keyring, other));
    assert_ok(signet_keyring_import(keyring, keyring));
    signet_keyring_free(other);
    assert_text(keyring, "[client.a]\n\tkey = " K1 "\n[client.b]\n\tkey = AAAAAAAAAAAAAAAA\n");
    assert_ok(signet_keyring_remove(keyring, &a));
    assert_err(signet_keyring_remove(keyring, &a), NOT_FOUND);
    assert_err(signet_keyring_clear_caps(keyring, &a), NOT_FOUND);
    assert_ok(signet_keyring_clear_caps(keyring, &b));
    ck_assert_uint_eq(signet_keyring_num(keyring), 1);
    signet_keyring_free(NULL);
}
END_TEST

static void write_file(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    ck_assert_ptr_nonnull(f);
    fputs(text, f);
    fclose(f);
}

START_TEST(loads_caps_files)
{
    struct signet_name name = name_of("client.a");
    struct signet_fail fail;
    set("client.a", K1);
    assert_ok(cap("client.a", "mon", "old"));
    write_file("caps", "[x]\nmgr = n\n[global]\nmon = \"allow r\"\nosd = allow rw\nfoo = bar\n");
    assert_ok(signet_keyring_load_caps(keyring, &name, "caps", &fail));
    const char *want = "[client.a]\n\tkey = " K1 "\n\tcaps mon = \"allow r\"\n"
                       "\tcaps osd = \"allow rw\"\n";
    assert_text(keyring, want);
    write_file("caps", "mon = a\nosd = b\n");
    assert_err(signet_keyring_load_caps(keyring, &name, "caps", &fail), KEYRING);
    ck_assert_uint_eq(fail.offset, 2);
    assert_text(keyring, want);
    assert_err(signet_keyring_load_caps(keyring, &name, "no", &fail), FILE);
    write_file("caps", "mds = one\n");
    assert_ok(signet_keyring_load_caps(keyring, &name, "caps", &fail));
    assert_text(keyring, "[client.a]\n\tkey = " K1 "\n\tcaps mds = \"one\"\n");
    name = name_of("client.b");
    assert_err(signet_keyring_load_caps(keyring, &name, "caps", &fail), NOT_FOUND);
}
END_TEST

static void assert_saved(const char *path, unsigned mode)
{
    struct stat st;
    struct signet_keyring *copy;
    struct signet_fail fail;
    ck_assert_int_eq(stat(path, &st), 0);
    ck_assert_uint_eq(st.st_mode & 07777, mode);
    assert_ok(signet_keyring_load(&copy, path, &fail));
    assert_text(copy, "[client.a]\n\tkey = " K1 "\n");
    signet_keyring_free(copy);
}

static unsigned num_files(void)
{
    unsigned num = 0;
    DIR *d = opendir(".");
    while (readdir(d) != NULL) {
        num++;
    }
    closedir(d);
    return num - 2;
}

START_TEST(saves)
{
    struct signet_fail fail;
    set("client.a", K1);
    assert_ok(signet_keyring_save(keyring, "new", SIGNET_KEYRING_MODE, &fail));
    assert_saved("new", 0600);
    ck_assert_int_eq(chmod("new", 0640), 0);
    assert_ok(signet_keyring_save(keyring, "new", 0600, &fail)); /* an old file keeps its mode */
    assert_saved("new", 0640);
    char path[128];
    snprintf(path, sizeof(path), "%s/wide", dir);
    assert_ok(signet_keyring_save(keyring, path, 0666, &fail)); /* less the umask */
    assert_saved("wide", 0644);
    ck_assert_uint_eq(num_files(), 2);
}
END_TEST

START_TEST(saves_through_links)
{
    struct signet_fail fail;
    struct stat st;
    set("client.a", K1);
    ck_assert_int_eq(mkdir("sub", 0700) | symlink("sub/b", "a") | symlink("c", "sub/b"), 0);
    assert_ok(signet_keyring_save(keyring, "a", 0600, &fail)); /* leads to nothing yet */
    assert_ok(signet_keyring_save(keyring, "a", 0600, &fail));
    assert_saved("sub/c", 0600);
    ck_assert(lstat("a", &st) == 0 && S_ISLNK(st.st_mode));
    ck_assert(lstat("sub/b", &st) == 0 && S_ISLNK(st.st_mode));
    ck_assert_int_eq(symlink("loop", "loop"), 0);
    assert_err(signet_keyring_save(keyring, "loop", 0600, &fail), FILE);
    ck_assert_int_eq(errno, ELOOP);
    assert_ok(signet_keyring_save(keyring, "/dev/null", 0600, &fail)); /* stays what it is */
    ck_assert(stat("/dev/null", &st) == 0 && S_ISCHR(st.st_mode));
}
END_TEST

START_TEST(says_why_it_cannot_save)
{
    struct signet_fail fail;
    assert_err(signet_keyring_save(keyring, "no/where", 0600, &fail), FILE);
    ck_assert_int_eq(errno, ENOENT);
    ck_assert_ptr_nonnull(strstr(fail.text, "no/where"));
    assert_err(signet_keyring_save(keyring, dir, 0600, &fail), FILE);
    ck_assert_int_eq(errno, EISDIR);
    assert_err(signet_keyring_save(keyring, "/dev/full/x", 0600, NULL), FILE);
    set("client.a", K1);
    assert_err(signet_keyring_save(keyring, "/dev/full", 0600, &fail), FILE);
    ck_assert_int_eq(errno, ENOSPC);
    ck_assert_uint_eq(num_files(), 0);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("keyring_write");
    TCase *t = tcase_create("write");
    tcase_add_checked_fixture(t, start, stop);
    tcase_add_test(t, prints_as_ceph_does);
    tcase_add_test(t, escapes_what_readers_need);
    tcase_add_test(t, round_trips);
    tcase_add_test(t, refuses_what_no_reader_takes);
    tcase_add_test(t, changes_entities);
    tcase_add_test(t, loads_caps_files);
    tcase_add_test(t, saves);
    tcase_add_test(t, saves_through_links);
    tcase_add_test(t, says_why_it_cannot_save);
    suite_add_tcase(s, t);
    return suite_run(s);
}
