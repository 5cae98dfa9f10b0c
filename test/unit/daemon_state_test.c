/* SPDX-License-Identifier: MIT */
/* The state directory of signetd: first start, later ones, and what is refused. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/suite.h"
#include "support/temp_dir.h"

#include "daemon_state.h"

static const char *base;
static char dir[60];
static struct daemon_config config;
static struct daemon_state state;
static struct daemon_why why;
static struct signet_addr mon, osd;

static const char *in_dir(const char *name)
{
    static char path[100];
    snprintf(path, sizeof(path), "%s/%s", dir, name);
    return path;
}

static void write_file(const char *name, const char *text)
{
    FILE *out = fopen(in_dir(name), "w");
    ck_assert_ptr_nonnull(out);
    fputs(text, out);
    fclose(out);
}

static void start(void)
{
    base = temp_dir_make();
    snprintf(dir, sizeof(dir), "%s", temp_dir_path("s"));
    daemon_config_defaults(&config);
    snprintf(config.state, sizeof(config.state), "%s", dir);
    memset(&why, 0, sizeof(why));
    ck_assert_int_eq(daemon_config_finish(&config, &why), TOOL_OK);
    ck_assert(daemon_set_pool(&config, "data=1"));
    mon = config.mon;
    osd = config.osd;
    state.lock_fd = -1;
}

static void stop(void)
{
    daemon_state_close(&state);
    temp_dir_remove();
}

static void reopen(void)
{
    daemon_state_close(&state);
    ck_assert_msg(daemon_state_open(&state, &config, &why) == TOOL_OK, "%s", why.text);
}

static void publish(uint32_t epoch)
{
    ck_assert_int_eq(daemon_state_publish(&state, &config, &mon, &osd, &why), TOOL_OK);
    ck_assert_uint_eq(state.cluster.epoch, epoch);
}

static void refused(const char *says)
{
    daemon_state_close(&state);
    ck_assert_int_eq(daemon_state_open(&state, &config, &why), TOOL_FAILURE);
    ck_assert_msg(strstr(why.text, says) != NULL, "%s", why.text);
    ck_assert_int_eq(state.lock_fd, -1);
}

static mode_t mode(const char *path)
{
    struct stat st;
    ck_assert_int_eq(stat(path, &st), 0);
    return st.st_mode & 07777;
}

START_TEST(first_and_later)
{
    reopen();
    ck_assert(state.fresh);
    ck_assert_int_eq(mode(dir), 0700);
    ck_assert_int_eq(mode(in_dir("cluster")), 0600);
    ck_assert_int_eq(mode(in_dir("lock")), 0600);
    ck_assert_int_eq(state.cluster.fsid[6] >> 4, 4);
    ck_assert_int_eq(state.cluster.fsid[8] >> 6, 2);
    ck_assert_uint_ne(state.cluster.osd_nonce, 0);
    struct daemon_cluster first = state.cluster;
    publish(1);
    write_file("keys", "x");
    reopen();
    ck_assert(!state.fresh);
    ck_assert_mem_eq(state.cluster.fsid, first.fsid, sizeof(first.fsid));
    ck_assert_uint_eq(state.cluster.osd_nonce, first.osd_nonce);
    ck_assert_uint_eq(state.cluster.created_s, first.created_s);
    publish(1); /* nothing new */
    osd.port++;
    publish(2);
    config.pools[0].id++;
    publish(3);
    reopen();
    ck_assert_uint_eq(state.cluster.epoch, 3);
    publish(3);
}
END_TEST

START_TEST(fsid)
{
    config.has_fsid = daemon_fsid_parse(config.fsid, "2f0c1a3e-0000-4000-8000-5d1b6a7c8d9e");
    ck_assert(config.has_fsid);
    reopen();
    ck_assert_mem_eq(state.cluster.fsid, config.fsid, sizeof(config.fsid));
    reopen();
    config.fsid[15]++;
    refused("is the state of cluster 2f0c1a3e-0000-4000-8000-5d1b6a7c8d9e, not of 2f0c1a3e-0000-"
            "4000-8000-5d1b6a7c8d9f");
    config.has_fsid = false;
    reopen();
}
END_TEST

START_TEST(locked)
{
    struct daemon_state other;
    char want[80];
    reopen();
    ck_assert_int_eq(daemon_state_open(&other, &config, &why), TOOL_FAILURE);
    snprintf(want, sizeof(want), "another signetd, process %ld, uses", (long)getpid());
    ck_assert_msg(strstr(why.text, "another signetd, process") != NULL, "%s", why.text);
    ck_assert_msg(strstr(why.text, want) != NULL, "%s", why.text);
    ck_assert_ptr_nonnull(why.next);
    reopen();
}
END_TEST

START_TEST(directories)
{
    reopen();
    chmod(dir, 0770);
    refused("could be changed by others");
    chmod(dir, 0755);
    reopen();
    chmod(dir, 0700);
    snprintf(config.state, sizeof(config.state), "%s/none/s", base);
    refused("cannot make the state directory");
    snprintf(config.state, sizeof(config.state), "%s", in_dir("lock"));
    refused("is not a directory");
}
END_TEST

static void denied(const char *says)
{
    why.next = NULL;
    refused(says);
    ck_assert_msg(strstr(why.text, "Permission denied") != NULL, "%s", why.text);
    ck_assert_ptr_nonnull(why.next);
}

/* As somebody who is not root, for whom modes mean nothing. */
START_TEST(without_permission)
{
    enum { NOBODY = 65534 };
    bool root = geteuid() == 0;
    ck_assert_int_eq(chmod(base, 0), 0);
    ck_assert(!root || seteuid(NOBODY) == 0);
    denied("cannot make the state directory");
    ck_assert(!root || seteuid(0) == 0);
    ck_assert_int_eq(chmod(base, 0755), 0);
    ck_assert_int_eq(mkdir(dir, 0500), 0);
    ck_assert(!root || (chown(dir, NOBODY, NOBODY) == 0 && seteuid(NOBODY) == 0));
    denied("/lock: ");
    ck_assert_int_eq(chmod(dir, 0700), 0);
    reopen();
    publish(1);
    write_file("keys", "x");
    ck_assert_int_eq(chmod(in_dir("cluster"), 0), 0);
    denied("cannot read ");
    ck_assert_int_eq(chmod(in_dir("cluster"), 0600), 0);
    reopen();
    ck_assert_int_eq(chmod(dir, 0500), 0);
    config.pools[0].id = 77; /* another map, which is to be written */
    ck_assert_int_eq(daemon_state_publish(&state, &config, &mon, &osd, &why), TOOL_FAILURE);
    ck_assert_msg(strstr(why.text, "cannot write ") != NULL, "%s", why.text);
    ck_assert_ptr_nonnull(strstr(why.next, "0700"));
    ck_assert_int_eq(chmod(dir, 0700), 0);
    ck_assert(!root || seteuid(0) == 0);
}
END_TEST

/* Either file without the other is no first start. */
START_TEST(missing)
{
    reopen();
    publish(1);
    refused("keys is missing: the keys of this cluster");
    write_file("keys", "x");
    reopen();
    unlink(in_dir("cluster"));
    refused("has the keys of a cluster, but");
    config.has_fsid = daemon_fsid_parse(config.fsid, "2f0c1a3e-0000-4000-8000-5d1b6a7c8d9e");
    reopen();
    publish(1);
}
END_TEST

START_TEST(damaged)
{
    static const struct {
        const char *text, *says;
    } rows[] = {
        {"", "cluster:1: damaged: there is no fsid"},
        {"fsid = x\n", "cluster:1: damaged: 'fsid"},
        {"# c\nfsid = 2f0c1a3e-0000-4000-8000-5d1b6a7c8d9e\nepoch = 0\n", "cluster:3: damaged"},
        {"created = 1\ncreated = 1\n", "cluster:2: damaged"},
        {"epoch = 4294967296\n", "cluster:1: damaged"},
        {"osd-nonce = 0\n", "cluster:1: damaged"},
        {"what = 1\n", "cluster:1: damaged: 'what"},
        {"nothing\n", "cluster:1: damaged: 'nothing'"},
        {"fsid = 2f0c1a3e-0000-4000-8000-5d1b6a7c8d9e\ncreated = 1\nosd-nonce = 1\nepoch = 1\nmap "
         "= x",
         "there is no map"}, /* the last line was cut off */
    };
    reopen();
    write_file("keys", "x");
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        write_file("cluster", rows[i].text);
        refused(rows[i].says);
    }
}
END_TEST

/* A start without --pool has the pools of the one before. */
START_TEST(pools)
{
    static struct daemon_cluster none;
    static const char *const wrong[] = {"x",
                                        "mon osd pools",
                                        "osd pools ",
                                        "osd pools a",
                                        "osd pools a=1  b=2",
                                        "osd pools a=1 a=2",
                                        "osd pools a=1 b=1"};
    config.num_pools = 0;
    ck_assert_int_eq(daemon_cluster_pools(&none, &config, &why), TOOL_OK);
    ck_assert_uint_eq(config.num_pools, 1);
    ck_assert_str_eq(config.pools[0].name, "data");
    ck_assert_uint_eq(config.pools[0].id, 1);
    config.num_pools = 0;
    ck_assert(daemon_set_pool(&config, "two=5") && daemon_set_pool(&config, "one=1"));
    reopen();
    publish(1);
    ck_assert_int_eq(daemon_cluster_pools(&none, &config, &why), TOOL_OK); /* they were named */
    ck_assert_uint_eq(config.num_pools, 2);
    write_file("keys", "x");
    config.num_pools = 0;
    reopen();
    ck_assert_int_eq(daemon_cluster_pools(&state.cluster, &config, &why), TOOL_OK);
    ck_assert_uint_eq(config.num_pools, 2);
    ck_assert_str_eq(config.pools[0].name, "one");
    ck_assert_str_eq(config.pools[1].name, "two");
    ck_assert_uint_eq(config.pools[1].id, 5);
    publish(1); /* nothing new */
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        strcpy(state.cluster.map, wrong[i]);
        config.num_pools = 0;
        why.next = NULL;
        ck_assert_int_eq(daemon_cluster_pools(&state.cluster, &config, &why), TOOL_FAILURE);
        ck_assert_uint_eq(config.num_pools, 0);
        ck_assert_ptr_nonnull(strstr(why.next, "--pool"));
    }
}
END_TEST

START_TEST(text)
{
    struct daemon_cluster a = {.epoch = 7, .created_s = 1700000000, .osd_nonce = 9}, b;
    char out[DAEMON_MAP_MAX + 300];
    a.fsid[0] = 1;
    memset(a.map, 'm', sizeof(a.map) - 1);
    size_t len = daemon_cluster_print(&a, out, sizeof(out));
    ck_assert_uint_lt(len, sizeof(out));
    ck_assert_int_eq(daemon_cluster_parse(&b, "p", out, &why), TOOL_OK);
    ck_assert_mem_eq(&a, &b, sizeof(a));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("daemon_state");
    TCase *t = tcase_create("daemon_state");
    tcase_add_checked_fixture(t, start, stop);
    tcase_add_test(t, first_and_later);
    tcase_add_test(t, fsid);
    tcase_add_test(t, locked);
    tcase_add_test(t, directories);
    tcase_add_test(t, without_permission);
    tcase_add_test(t, missing);
    tcase_add_test(t, damaged);
    tcase_add_test(t, pools);
    tcase_add_test(t, text);
    suite_add_tcase(suite, t);
    return suite_run(suite);
}
