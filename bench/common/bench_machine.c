/* SPDX-License-Identifier: MIT */
/* States the machine and the libraries; figures mean nothing without them. */
#include "common/bench_private.h"

#include <nss.h>
#include <openssl/crypto.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include <signet/signet.h>

/* The value of the first line that starts with key, cut at its end; "" if there is none. */
static void proc_value(char *out, size_t cap, const char *path, const char *key)
{
    out[0] = 0;
    FILE *f = fopen(path, "r");
    if (!f) {
        return;
    }
    char line[512];
    while (fgets(line, sizeof line, f)) {
        if (strncmp(line, key, strlen(key)) != 0) {
            continue;
        }
        const char *value = strchr(line, ':');
        value = value ? value + 1 + strspn(value + 1, " \t") : line;
        snprintf(out, cap, "%.*s", (int)strcspn(value, "\n"), value);
        break;
    }
    fclose(f);
}

void bench_machine(struct bench *b)
{
    char cpu[256], load[128];
    struct utsname u = {0};
    cpu_set_t set;
    CPU_ZERO(&set);
    proc_value(cpu, sizeof cpu, "/proc/cpuinfo", "model name");
    proc_value(load, sizeof load, "/proc/loadavg", "");
    load[strcspn(load, " ")] = 0;
    uname(&u);
    int cores = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 0;
    bench_fact(b, "cpu", "%s", cpu[0] ? cpu : u.machine);
    bench_fact(b, "cores", "%d", cores);
    bench_fact(b, "system", "%s %s", u.sysname, u.release);
    bench_fact(b, "load at start", "%s", load);
    bench_fact(b, "compiler", "%s", __VERSION__);
    bench_fact(b, "signet", "%s", SIGNET_VERSION);
    bench_fact(b, "openssl", "%s", OpenSSL_version(OPENSSL_VERSION_STRING));
    bench_fact(b, "nss", "%s", NSS_GetVersion());
}
