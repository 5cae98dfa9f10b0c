/* SPDX-License-Identifier: MIT */
#include "support/temp_dir.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/suite.h"

enum { OPEN_AT_ONCE = 8 };

static char dir[32];

const char *temp_dir_make(void)
{
    strcpy(dir, "/tmp/signet-test-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(dir));
    return dir;
}

const char *temp_dir_path(const char *name)
{
    static char path[128];
    int len = snprintf(path, sizeof(path), "%s/%s", dir, name);
    ck_assert_int_lt(len, (int)sizeof(path));
    return path;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
    (void)st;
    (void)type;
    (void)at;
    return remove(path);
}

void temp_dir_remove(void)
{
    ck_assert_int_eq(nftw(dir, remove_one, OPEN_AT_ONCE, FTW_DEPTH | FTW_PHYS), 0);
}
