/* SPDX-License-Identifier: MIT */
/* A disk that is full, and somebody who takes each byte that becomes free. Skipped where a file
 * system in memory cannot be mounted. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#include "lite/journal_internal.h"
#include "osd_tools.h"
#include "support/temp_dir.h"

enum { OBJECTS = 10 };

static const uint8_t key[SIGNET_RECORD_KEY_LEN] = {7};
static struct rig rig;
static const char *dir;
static struct journal_options options;
static struct journal_report report;
static struct signet_fail fail;

static int reopen(void)
{
    uint64_t tid = rig.tid; /* what comes is no repetition */
    rig_start(&rig, NULL);
    rig.tid = tid;
    memset(&fail, 0, sizeof(fail));
    return signet_osd_journal(&rig.osd, &options, &report, &fail);
}

static void put_text(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY);
    (void)!(fd >= 0 && write(fd, text, strlen(text)) > 0);
    close(fd);
}

static bool own_mounts(void)
{
    char map[32];
    snprintf(map, sizeof(map), "0 %u 1", (unsigned)geteuid());
    if (unshare(CLONE_NEWNS) != 0) {
        if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) {
            return false;
        }
        put_text("/proc/self/uid_map", map);
    }
    return mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0;
}

/* False: not here. */
static bool start_disk(void)
{
    dir = temp_dir_make();
    options = (struct journal_options){.dir = dir, .key = key};
    if (own_mounts() && mount("none", dir, "tmpfs", 0, "size=8m") == 0) {
        return true;
    }
    temp_dir_remove();
    return false;
}

static void stop_disk(void)
{
    rig_stop(&rig);
    umount2(dir, MNT_DETACH);
    temp_dir_remove();
}

static void take_the_rest(void)
{
    static const char zeros[4096];
    int fd = open(temp_dir_path("hog"), O_WRONLY | O_CREAT | O_APPEND, 0600);
    ck_assert_int_ge(fd, 0);
    while (write(fd, zeros, sizeof(zeros)) > 0) {
    }
    ck_assert_int_eq(errno, ENOSPC);
    close(fd);
}

static int32_t put(unsigned index, size_t len)
{
    static char text[50000];
    char name[16];
    const struct rig_op op = {.code = WRITEFULL, .length = len, .data = text, .len = len};
    snprintf(name, sizeof(name), "o%u", index);
    return rig_one(&rig, name, op);
}

/* Objects are written over until the disk is full. */
static void fill(size_t len)
{
    unsigned num = 0;
    while (put(num++ % OBJECTS, len) == 0) {
    }
    ck_assert_int_eq(rig.result, -ENOSPC);
    take_the_rest();
}

static void delete (int from, int to)
{
    char name[16];
    for (int i = from; i < to; i++) {
        snprintf(name, sizeof(name), "o%d", i);
        ck_assert_int_eq(rig_one(&rig, name, (struct rig_op){.code = DELETE}), 0);
    }
}

static void take_it_all(enum journal_step step)
{
    if (step == JOURNAL_BEGUN) {
        take_the_rest();
    }
}

/* Its history does not fit beside it, not at a restart either; deletions mend that. */
START_TEST(mended_by_deletions)
{
    if (!start_disk()) {
        return;
    }
    assert_ok(reopen());
    fill(50000);
    assert_err(signet_osd_journal_anew(&rig.osd, &fail), FILE);
    take_the_rest();
    options.keep_bytes = 1;
    for (int i = 0; i < 2; i++) { /* the second time a part of the reserve is used */
        rig_stop(&rig);
        assert_ok(reopen());
        ck_assert_int_eq(report.kept, -SIGNET_E_FILE);
        take_the_rest();
        ck_assert_int_eq(put(9, 50000), -ENOSPC);
        delete (2 * i, 2 * i + 2);
    }
    delete (4, OBJECTS);
    take_the_rest();
    options.step = rig.osd.journal->step = take_it_all;
    assert_ok(signet_osd_journal_anew(&rig.osd, &fail));
    ck_assert_int_eq(put(0, 50000), 0);
    stop_disk();
}
END_TEST

/* Small objects have their room in the reserve, at a start too. */
START_TEST(small_ones_fit)
{
    if (!start_disk()) {
        return;
    }
    assert_ok(reopen());
    fill(20000);
    rig_stop(&rig);
    options.keep_bytes = 1;
    options.step = take_it_all;
    assert_ok(reopen());
    ck_assert_msg(report.anew, "%s", fail.text);
    ck_assert_int_eq(put(0, 20000), 0);
    stop_disk();
}
END_TEST

int main(void)
{
    Suite *s = suite_create("osd_full_disk");
    TCase *t = tcase_create("full");
    tcase_set_timeout(t, 60);
    tcase_add_checked_fixture(t, suite_start, suite_stop);
    tcase_add_test(t, mended_by_deletions);
    tcase_add_test(t, small_ones_fit);
    suite_add_tcase(s, t);
    return suite_run(s);
}
