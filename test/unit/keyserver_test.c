/* SPDX-License-Identifier: MIT */
/* Principals and the state file: what survives, what is refused. */
#include "support/cluster.h"
#include "support/temp_dir.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *dir;
static char path[96];

static void start(void)
{
    suite_start();
    dir = temp_dir_make();
    snprintf(path, sizeof(path), "%s", temp_dir_path("state"));
}

static void stop(void)
{
    temp_dir_remove();
    suite_stop();
}

static struct signet_name name_of(const char *text)
{
    struct signet_name name;
    assert_ok(signet_name_parse(&name, text));
    return name;
}

/* The principals as text; free it. */
static char *dump(struct signet_keyserver *server)
{
    struct signet_keyring *keyring;
    assert_ok(signet_keyserver_export(server, &keyring));
    size_t len = signet_keyring_text_len(keyring);
    char *text = calloc(1, len + 1);
    assert_ok(signet_keyring_print(keyring, text, len, &len));
    signet_keyring_free(keyring);
    return text;
}

static void reopen(struct cluster *c)
{
    signet_login_free(c->login);
    c->login = NULL;
    signet_keyserver_free(c->server);
    struct signet_fail fail = {0};
    ck_assert_msg(signet_keyserver_open(&c->server, &c->options, &fail) == 0, "%s", fail.text);
}

START_TEST(a_restart_changes_nothing_for_clients)
{
    struct cluster c = {.options = {.path = path}};
    cluster_start(&c, SIGNET_KEY_AES256K, SIGNET_KEY_AES256K);
    struct signet_client *client = cluster_client(&c, "client.a", c.key);
    struct signet_name osd = name_of("osd.0");
    struct signet_key *fresh;
    assert_ok(signet_key_generate(&fresh, SIGNET_KEY_AES256K, NULL));
    assert_ok(signet_keyserver_rotate_key(c.server, &osd, fresh));
    assert_ok(cluster_login(&c, client, SIGNET_MODE_SECURE));
    uint64_t id = c.global_id;
    char *before = dump(c.server);
    reopen(&c);
    char *after = dump(c.server);
    ck_assert_str_eq(before, after);
    assert_ok(cluster_login(&c, client, SIGNET_MODE_SECURE)); /* reclaim needs the old secrets */
    ck_assert_uint_eq(c.global_id, id);
    assert_ok(cluster_authorize(&c, client, SIGNET_MODE_SECURE));

    struct signet_client *other = cluster_client(&c, "osd.0", fresh); /* the pending key */
    assert_ok(cluster_login(&c, other, SIGNET_MODE_SECURE));
    ck_assert_uint_gt(c.global_id, id); /* no number twice */
    struct stat st;
    ck_assert_int_eq(stat(path, &st), 0);
    ck_assert_uint_eq(st.st_mode & 07777, 0600);
    free(before);
    free(after);
    signet_client_free(client);
    signet_client_free(other);
    signet_key_unref(fresh);
    cluster_stop(&c);
}
END_TEST

/* Numbers that others remember are not given out, now nor after a restart. */
START_TEST(numbers_can_be_passed)
{
    static const uint64_t last[] = {1, 4097, 5000, 100000, 100000};
    struct cluster c = {.options = {.path = path}};
    cluster_start(&c, SIGNET_KEY_AES256K, SIGNET_KEY_AES256K);
    for (size_t i = 0; i < sizeof(last) / sizeof(last[0]); i++) {
        assert_ok(signet_keyserver_pass_ids(c.server, last[i]));
        if (i == 3) {
            reopen(&c);
        }
        struct signet_client *client = cluster_client(&c, "client.a", c.key);
        assert_ok(cluster_login(&c, client, SIGNET_MODE_SECURE));
        ck_assert_uint_gt(c.global_id, last[i]);
        signet_client_free(client);
    }
    assert_err(signet_keyserver_pass_ids(c.server, UINT64_C(1) << 63), INVAL);
    cluster_stop(&c);
}
END_TEST

static char *slurp(size_t *len)
{
    FILE *f = fopen(path, "rb");
    ck_assert_ptr_nonnull(f);
    char *text = calloc(1, 65536);
    *len = fread(text, 1, 65535, f);
    fclose(f);
    return text;
}

static void spill(const char *text, size_t len)
{
    FILE *f = fopen(path, "wb");
    ck_assert_ptr_nonnull(f);
    ck_assert_uint_eq(fwrite(text, 1, len, f), len);
    ck_assert_int_eq(fclose(f), 0);
}

START_TEST(a_damaged_file_is_refused_wherever_the_damage_is)
{
    struct cluster c = {.options = {.path = path}};
    cluster_start(&c, SIGNET_KEY_AES256K, SIGNET_KEY_AES256K);
    size_t len;
    char *good = slurp(&len);
    signet_keyserver_free(c.server);
    c.server = NULL;
    for (size_t at = 0; at < len; at += 3) {
        struct signet_keyserver *server;
        struct signet_fail fail = {0};
        good[at] ^= 0x10;
        spill(good, len);
        int err = signet_keyserver_open(&server, &c.options, &fail);
        ck_assert_msg(err == -SIGNET_E_STATE_FILE, "byte %zu: %s", at, signet_err_name(err));
        ck_assert_ptr_nonnull(strstr(fail.text, "line "));
        good[at] ^= 0x10;
        spill(good, at);
        assert_err(signet_keyserver_open(&server, &c.options, &fail), STATE_FILE);
        size_t kept;
        free(slurp(&kept));
        ck_assert_uint_eq(kept, at); /* it was left as it is */
    }
    spill(good, len);
    assert_ok(signet_keyserver_open(&c.server, &c.options, NULL));
    free(good);
    cluster_stop(&c);
}
END_TEST

struct edit {
    const char *body; /* behind "signet-state 1\ncrc -\n" */
    unsigned line;
};

#define KEY   "AgAAAABgBAMCASAAAAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
#define RING  "keyring\n[client.a]\n\tkey = " KEY "\n"
#define FIRST "global-id 4096\n"

static const struct edit edits[] = {
    {FIRST "bogus\n" RING, 4},
    {"global-id 12\n" RING, 3},
    {"global-id x\n" RING, 3},
    {FIRST "secret foo 1 5.000000000 " KEY "\n" RING, 4},
    {FIRST "secret osd x 5.000000000 " KEY "\n" RING, 4},
    {FIRST "secret osd 1 5 " KEY "\n" RING, 4},
    {FIRST "secret osd 1 5.000000000 AAAA\n" RING, 4},
    {FIRST "secret osd 2 5.000000000 " KEY "\nsecret osd 1 5.000000000 " KEY "\n" RING, 5},
    {FIRST "max osd\n" RING, 4},
    {FIRST "pending 5.000000000 client.b " KEY "\n" RING, 5},
    {FIRST "pending 5.000000000 nobody " KEY "\n" RING, 4},
    {FIRST "pending 5.000000000 client.a AAAA\n" RING, 4},
    {FIRST "keyring\n[client.a]\n\tkey = bad!\n", 6},
    {FIRST, 4},
};

START_TEST(a_bad_line_is_named)
{
    struct signet_keyserver_options options = {.path = path, .env = signet_env_system()};
    struct signet_keyserver *server;
    char text[1024];
    for (size_t i = 0; i < sizeof(edits) / sizeof(edits[0]); i++) {
        struct signet_fail fail = {0};
        snprintf(text, sizeof(text), "signet-state 1\ncrc -\n%s", edits[i].body);
        spill(text, strlen(text));
        ck_assert_int_eq(chmod(path, 0600), 0);
        assert_err(signet_keyserver_open(&server, &options, &fail), STATE_FILE);
        ck_assert_msg(fail.offset == edits[i].line, "case %zu: line %u, not %u: %s", i,
                      (unsigned)fail.offset, edits[i].line, fail.text);
    }
    snprintf(text, sizeof(text), "signet-state 1\ncrc -\n%s",
             FIRST "pending 5.000000000 client.a " KEY "\n" RING);
    spill(text, strlen(text));
    assert_ok(signet_keyserver_open(&server, &options, NULL));
    signet_keyserver_free(server);
}
END_TEST

START_TEST(a_file_that_others_may_read_is_refused)
{
    struct cluster c = {.options = {.path = path}};
    cluster_start(&c, SIGNET_KEY_AES256K, SIGNET_KEY_AES256K);
    struct signet_keyserver *server;
    ck_assert_int_eq(chmod(path, 0640), 0);
    assert_err(signet_keyserver_open(&server, &c.options, NULL), STATE_MODE);
    cluster_stop(&c);
}
END_TEST

START_TEST(what_cannot_be_written_does_not_happen)
{
    struct cluster c = {.options = {.path = path}};
    cluster_start(&c, SIGNET_KEY_AES256K, SIGNET_KEY_AES256K);
    char *before = dump(c.server), moved[128];
    struct signet_name name = name_of("client.new");
    snprintf(moved, sizeof(moved), "%s.gone", dir);
    ck_assert_int_eq(rename(dir, moved), 0);
    assert_err(signet_keyserver_put(c.server, &name, c.key, NULL, 0), FILE);
    char *after = dump(c.server);
    ck_assert_str_eq(before, after);
    ck_assert_int_eq(rename(moved, dir), 0);
    assert_ok(signet_keyserver_put(c.server, &name, c.key, NULL, 0));
    free(before);
    free(after);
    cluster_stop(&c);
}
END_TEST

START_TEST(bad_changes_are_refused)
{
    struct cluster c = {0};
    cluster_start(&c, SIGNET_KEY_AES256K, SIGNET_KEY_AES256K);
    struct signet_name a = name_of("client.a"), none = name_of("client.none");
    struct signet_key *weak;
    struct signet_cap newline = {"mon", "allow\nr"};
    assert_ok(signet_key_generate(&weak, SIGNET_KEY_AES, NULL));
    assert_err(signet_keyserver_remove(c.server, &none), NOT_FOUND);
    assert_err(signet_keyserver_put(c.server, &none, NULL, NULL, 0), NOT_FOUND);
    assert_err(signet_keyserver_rotate_key(c.server, &none, c.key), NOT_FOUND);
    assert_err(signet_keyserver_put(c.server, &a, c.key, &newline, 1), CAPS);
    assert_err(signet_keyserver_reload(c.server, NULL), INVAL);
    ((struct signet_keyserver_options *)(void *)c.server)->allowed_ciphers =
        SIGNET_CIPHER(SIGNET_KEY_AES256K);
    assert_err(signet_keyserver_put(c.server, &a, weak, NULL, 0), CIPHER);
    assert_err(signet_keyserver_rotate_key(c.server, &a, weak), CIPHER);
    struct signet_keyring *ring;
    assert_ok(signet_keyring_new(&ring));
    assert_ok(signet_keyring_set(ring, &a, weak));
    struct signet_fail fail = {0};
    assert_err(signet_keyserver_import(c.server, ring, &fail), CIPHER);
    ck_assert_ptr_nonnull(strstr(fail.text, "client.a"));
    signet_keyring_free(ring);
    signet_key_unref(weak);
    struct signet_keyserver *server;
    const uint64_t ns = UINT64_C(1000000000), day = 86400 * ns;
    const uint64_t bad[] = {1, UINT64_MAX / ns * ns, 3653 * day};
    for (int i = 0; i < 6; i++) {
        c.options.auth_ttl_ns = i < 3 ? bad[i] : 0;
        c.options.service_ttl_ns = i < 3 ? 0 : bad[i - 3];
        assert_err(signet_keyserver_open(&server, &c.options, NULL), INVAL);
    }
    c.options.auth_ttl_ns = 3652 * day;
    c.options.service_ttl_ns = 0;
    assert_ok(signet_keyserver_open(&server, &c.options, NULL));
    signet_keyserver_free(server);
    cluster_stop(&c);
}
END_TEST

START_TEST(a_reload_takes_what_was_edited_and_keeps_the_rest)
{
    struct cluster c = {.options = {.path = path}};
    cluster_start(&c, SIGNET_KEY_AES256K, SIGNET_KEY_AES256K);
    size_t len;
    char *good = slurp(&len);
    spill("rubbish\n", 8);
    struct signet_fail fail = {0};
    assert_err(signet_keyserver_reload(c.server, &fail), STATE_FILE);
    struct signet_client *client = cluster_client(&c, "client.a", c.key);
    assert_ok(cluster_login(&c, client, SIGNET_MODE_CRC)); /* as before */
    ck_assert_int_eq(unlink(path), 0);
    assert_err(signet_keyserver_reload(c.server, NULL), NOT_FOUND);
    spill(good, len);
    ck_assert_int_eq(chmod(path, 0600), 0);
    struct signet_name osd = name_of("osd.0");
    assert_ok(signet_keyserver_reload(c.server, NULL));
    assert_ok(signet_keyserver_remove(c.server, &osd));
    free(good);
    signet_client_free(client);
    cluster_stop(&c);
}
END_TEST

/* --- killed while writing --------------------------------------------------------------------- */

/* Adds client.N for N = first.., telling each number when its call has returned. */
static void child_updates(struct cluster *c, int first, int fd)
{
    for (int n = first;; n++) {
        char text[32];
        snprintf(text, sizeof(text), "client.k%d", n);
        struct signet_name name = name_of(text);
        assert_ok(signet_keyserver_put(c->server, &name, c->key, NULL, 0));
        ck_assert_int_eq(write(fd, &n, sizeof(n)), sizeof(n));
    }
}

static int kill_after(struct cluster *c, int first, int updates)
{
    int fds[2], last = first - 1, n;
    ck_assert_int_eq(pipe(fds), 0);
    pid_t pid = fork();
    ck_assert_int_ge(pid, 0);
    if (pid == 0) {
        close(fds[0]);
        child_updates(c, first, fds[1]);
        _exit(0);
    }
    close(fds[1]);
    while (read(fds[0], &n, sizeof(n)) == sizeof(n)) {
        last = n;
        if (n == first + updates) {
            kill(pid, SIGKILL);
        }
    }
    close(fds[0]);
    waitpid(pid, NULL, 0);
    return last;
}

START_TEST(a_kill_loses_no_update_that_was_acknowledged)
{
    struct cluster c = {.options = {.path = path}};
    cluster_start(&c, SIGNET_KEY_AES256K, SIGNET_KEY_AES256K);
    int last = -1;
    for (int round = 0; round < 20; round++) {
        last = kill_after(&c, last + 1, round % 7);
        reopen(&c);
        char *text = dump(c.server), want[32];
        snprintf(want, sizeof(want), "[client.k%d]", last);
        ck_assert_msg(strstr(text, want) != NULL, "%s is lost", want);
        snprintf(want, sizeof(want), "[client.k%d]", last + 1);
        last += strstr(text, want) != NULL; /* written but not yet told */
        free(text);
    }
    cluster_stop(&c);
}
END_TEST

START_TEST(the_former_file_is_kept_also_behind_a_link)
{
    char target[128], old[128];
    snprintf(target, sizeof(target), "%s/target", dir);
    snprintf(old, sizeof(old), "%s.old", path);
    ck_assert_int_eq(symlink(target, path), 0);
    struct cluster c = {.options = {.path = path}};
    cluster_start(&c, SIGNET_KEY_AES256K, SIGNET_KEY_AES256K);
    struct signet_name name = name_of("client.b");
    size_t len;
    char *before = slurp(&len);
    assert_ok(signet_keyserver_put(c.server, &name, c.key, NULL, 0));
    ck_assert_int_eq(rename(old, path), 0);
    char *kept = slurp(&len);
    ck_assert_str_eq(kept, before);
    free(before);
    free(kept);
    cluster_stop(&c);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("keyserver");
    TCase *t = tcase_create("state");
    tcase_add_checked_fixture(t, start, stop);
    tcase_set_timeout(t, 0);
    tcase_add_test(t, a_restart_changes_nothing_for_clients);
    tcase_add_test(t, numbers_can_be_passed);
    tcase_add_test(t, a_damaged_file_is_refused_wherever_the_damage_is);
    tcase_add_test(t, a_bad_line_is_named);
    tcase_add_test(t, a_file_that_others_may_read_is_refused);
    tcase_add_test(t, what_cannot_be_written_does_not_happen);
    tcase_add_test(t, bad_changes_are_refused);
    tcase_add_test(t, a_reload_takes_what_was_edited_and_keeps_the_rest);
    tcase_add_test(t, the_former_file_is_kept_also_behind_a_link);
    tcase_add_test(t, a_kill_loses_no_update_that_was_acknowledged);
    suite_add_tcase(s, t);
    return suite_run(s);
}
