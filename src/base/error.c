/* SPDX-License-Identifier: MIT */
#include "base/fail.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct row {
    const char *name;
    int errnum;
    enum signet_group group;
    const char *text;
};

static const struct row table[SIGNET_E_NUM_] = {
    [SIGNET_OK] = {"OK", 0, SIGNET_GROUP_NONE, "success"},
#define ROW(name, errnum, group, text)                                                             \
    [SIGNET_E_##name] = {#name, errnum, SIGNET_GROUP_##group, text},
    SIGNET_ERRORS(ROW)
#undef ROW
};

static const struct row unknown = {"UNKNOWN", EIO, SIGNET_GROUP_NONE, "unknown error"};

static const struct row *find(int err)
{
    unsigned code = err < 0 ? 0U - (unsigned)err : (unsigned)err;
    return code < SIGNET_E_NUM_ ? &table[code] : &unknown;
}

const char *signet_strerror(int err)
{
    return find(err)->text;
}

const char *signet_err_name(int err)
{
    return find(err)->name;
}

int signet_err_errno(int err)
{
    return find(err)->errnum;
}

enum signet_group signet_err_group(int err)
{
    return find(err)->group;
}

int signet_fail_set(struct signet_fail *fail, int err, const char *where, uint64_t offset,
                    const char *format, ...)
{
    if (fail != NULL) {
        fail->err = err;
        fail->offset = offset;
        snprintf(fail->where, sizeof(fail->where), "%s", where);
        va_list args;
        va_start(args, format);
        vsnprintf(fail->text, sizeof(fail->text), format, args);
        va_end(args);
    }
    return err;
}
