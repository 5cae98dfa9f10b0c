/* SPDX-License-Identifier: MIT */
/* A signetd in a directory of its own. */
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <signet/keyring.h>

#include "scale.h"

enum { WAIT_MS = 20000, PATH_LEN = 4096 };

static void nap(void)
{
    const struct timespec ms = {0, 1000000};
    nanosleep(&ms, NULL);
}

static void beside(char out[PATH_LEN], const char *name)
{
    ssize_t n = readlink("/proc/self/exe", out, PATH_LEN - 64);
    bench_need(n > 0, "cannot find the programs");
    out[n] = 0;
    char *at = strrchr(out, '/');
    bench_need(at != NULL, "cannot find the programs");
    snprintf(at + 1, 64, "%s", name);
}

static void run(struct daemon *d)
{
    char path[PATH_LEN], state[96];
    int null = open("/dev/null", O_RDWR);
    beside(path, "signetd");
    snprintf(state, sizeof state, "%s/state", d->dir);
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(null, STDIN_FILENO);
    execl(path, "signetd", "--state", state, "--mon", d->mon_text, "--osd", d->osd_text,
          "--metrics", "none", "--pool", "bench=1", "--log-level", "error", "--ms-mode",
          "prefer-secure", "--handler", d->handler, (char *)NULL);
    _exit(127);
}

/* What its file says about where it listens. */
static bool read_addrs(struct daemon *d)
{
    char path[96], line[512], mon[128], osd[128];
    bool found = false;
    snprintf(path, sizeof path, "%s/state/cluster", d->dir);
    FILE *in = fopen(path, "r");
    while (in != NULL && fgets(line, sizeof line, in) != NULL) {
        found = found || sscanf(line, "map = mon %127s osd %127s", mon, osd) == 2;
    }
    if (in != NULL) {
        fclose(in);
    }
    return found && signet_addr_parse(&d->mon, mon) == 0 && signet_addr_parse(&d->osd, osd) == 0;
}

void daemon_load_key(struct daemon *d)
{
    char path[96];
    struct signet_keyring *keyring;
    snprintf(path, sizeof path, "%s/state/keyring", d->dir);
    bench_need(signet_keyring_load(&keyring, path, NULL) == 0, "signetd made no keyring");
    d->key = signet_keyring_get(keyring, "client.admin");
    bench_need(d->key != NULL, "signetd made no key");
    signet_keyring_free(keyring);
}

static void spawn(struct daemon *d)
{
    d->pid = fork();
    if (d->pid == 0) {
        run(d);
    }
    bench_need(d->pid > 0, "cannot start signetd");
}

/* Its control socket is there before it serves, and answers when it does. */
static bool serves(struct daemon *d)
{
    char path[PATH_LEN], state[96];
    int status = 1;
    pid_t pid = fork();
    if (pid == 0) {
        int null = open("/dev/null", O_RDWR);
        beside(path, "signetd");
        snprintf(state, sizeof state, "%s/state", d->dir);
        dup2(null, STDOUT_FILENO);
        dup2(null, STDERR_FILENO);
        execl(path, "signetd", "ctl", "--state", state, "status", (char *)NULL);
        _exit(127);
    }
    return pid > 0 && waitpid(pid, &status, 0) == pid && status == 0;
}

static void await(struct daemon *d)
{
    for (int i = 0; i < WAIT_MS; i++) {
        bench_need(waitpid(d->pid, NULL, WNOHANG) == 0, "signetd has ended");
        if (read_addrs(d) && serves(d)) {
            return;
        }
        nap();
    }
    bench_need(false, "signetd does not start");
}

void daemon_start(struct daemon *d, const char *handler)
{
    *d = (struct daemon){.dir = "/tmp/bench_scale.XXXXXX", .handler = handler};
    bench_need(mkdtemp(d->dir) != NULL, "no place for the state of signetd");
    snprintf(d->mon_text, sizeof d->mon_text, "v2:127.0.0.1:0");
    snprintf(d->osd_text, sizeof d->osd_text, "v2:127.0.0.1:0");
    spawn(d);
    await(d);
    daemon_load_key(d);
    signet_addr_print(&d->mon, d->mon_text);
    signet_addr_print(&d->osd, d->osd_text);
}

void daemon_kill(struct daemon *d)
{
    kill(d->pid, SIGKILL);
    waitpid(d->pid, NULL, 0);
    d->pid = 0;
}

void daemon_restart(struct daemon *d)
{
    spawn(d);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
    (void)st;
    (void)type;
    (void)at;
    return remove(path);
}

void daemon_stop(struct daemon *d)
{
    if (d->pid > 0) {
        daemon_kill(d);
    }
    if (d->key != NULL) {
        bench_need(nftw(d->dir, remove_one, 8, FTW_DEPTH | FTW_PHYS) == 0,
                   "the state of signetd could not be removed");
    }
    signet_key_unref(d->key);
    d->key = NULL;
}

/* The number behind a word of a file of /proc. */
static double proc_number(const struct daemon *d, const char *file, const char *word)
{
    char path[64], line[256];
    double value = -1;
    snprintf(path, sizeof path, "/proc/%d/%s", (int)d->pid, file);
    FILE *in = fopen(path, "r");
    while (in != NULL && fgets(line, sizeof line, in) != NULL) {
        if (strncmp(line, word, strlen(word)) == 0) {
            value = strtod(line + strlen(word), NULL);
        }
    }
    if (in != NULL) {
        fclose(in);
    }
    bench_need(value >= 0, "cannot look at signetd");
    return value;
}

double daemon_memory(const struct daemon *d)
{
    return proc_number(d, "status", "RssAnon:") * 1024;
}

double daemon_cpu_ns(const struct daemon *d)
{
    clockid_t clock;
    struct timespec used;
    bench_need(clock_getcpuclockid(d->pid, &clock) == 0 && clock_gettime(clock, &used) == 0,
               "cannot look at signetd");
    return (double)used.tv_sec * 1e9 + (double)used.tv_nsec;
}
