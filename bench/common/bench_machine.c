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

/* A virtual machine often hides the number in the name, and what a figure depends on with it. */
static void state_cpu(struct bench *b, const char *otherwise)
{
    static const char info[] = "/proc/cpuinfo";
    char name[256], family[16], model[16];
    proc_value(name, sizeof name, info, "model name");
    proc_value(family, sizeof family, info, "cpu family");
    proc_value(model, sizeof model, info, "model\t");
    if (name[0] && family[0] && model[0]) {
        bench_fact(b, "cpu", "%s (family %s, model %s)", name, family, model);
    } else {
        bench_fact(b, "cpu", "%s", name[0] ? name : otherwise);
    }
}

void bench_machine(struct bench *b)
{
    char load[128];
    struct utsname u = {0};
    cpu_set_t set;
    CPU_ZERO(&set);
    proc_value(load, sizeof load, "/proc/loadavg", "");
    load[strcspn(load, " ")] = 0;
    uname(&u);
    int cores = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 0;
    state_cpu(b, u.machine);
    bench_fact(b, "cores", "%d", cores);
    bench_fact(b, "system", "%s %s", u.sysname, u.release);
    bench_fact(b, "load at start", "%s", load);
    bench_fact(b, "compiler", "%s", __VERSION__);
    bench_fact(b, "signet", "%s", SIGNET_VERSION);
    bench_fact(b, "openssl", "%s", OpenSSL_version(OPENSSL_VERSION_STRING));
    bench_fact(b, "nss", "%s", NSS_GetVersion());
}
