/* SPDX-License-Identifier: MIT */
/* Idle connections in a process of their own: each process has its limit of files. */
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "scale.h"

enum order { HOLDER_OPEN, HOLDER_CLOSE, HOLDER_COME_BACK, HOLDER_AWAIT };

struct request {
    enum order order;
    uint64_t arg;
    struct daemon daemon;
    char handler[32];
};

struct answer {
    double ns;
    uint64_t failed;
};

static void open_crowd(struct crowd *crowd, struct daemon *d, const struct request *r)
{
    if (crowd->messenger != NULL) {
        crowd_open(crowd);
        return;
    }
    const struct signet_options o = {.handler = r->handler, .strict = true};
    *d = r->daemon;
    bench_need(signet_init(&o) == 0, "signet does not start");
    daemon_load_key(d);
    *crowd =
        (struct crowd){.daemon = d, .service = SIGNET_OSD, .num = (unsigned)r->arg, .secure = true};
    crowd->lanes = crowd->num < HOLDER_LANES ? crowd->num : HOLDER_LANES;
    crowd_start(crowd);
    crowd_open(crowd);
}

static void hold(int fd)
{
    static struct crowd crowd;
    static struct daemon daemon;
    struct request r;
    while (recv(fd, &r, sizeof r, 0) == (ssize_t)sizeof r) {
        double start = bench_mono_ns();
        if (r.order == HOLDER_OPEN) {
            open_crowd(&crowd, &daemon, &r);
        } else if (r.order == HOLDER_CLOSE) {
            crowd_close(&crowd);
        } else if (r.order == HOLDER_COME_BACK) {
            atomic_store(&crowd.failed, 0);
            crowd_come_back(&crowd, r.arg);
        } else {
            (void)crowd_drive(&crowd, crowd.num);
        }
        const struct answer a = {bench_mono_ns() - start, atomic_load(&crowd.failed)};
        bench_need(send(fd, &a, sizeof a, 0) == (ssize_t)sizeof a, "nobody wants the connections");
    }
    _exit(0);
}

void holder_fork(struct holder *h)
{
    int pair[2];
    bench_need(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair) == 0, "no sockets");
    h->pid = fork();
    bench_need(h->pid >= 0, "no process");
    if (h->pid == 0) {
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
        close(pair[0]);
        hold(pair[1]);
    }
    close(pair[1]);
    h->fd = pair[0];
}

static double ask(struct holder *h, const struct request *r)
{
    struct answer a = {0};
    bench_need(send(h->fd, r, sizeof *r, 0) == (ssize_t)sizeof *r &&
                   recv(h->fd, &a, sizeof a, 0) == (ssize_t)sizeof a,
               "the process with the idle connections has ended");
    h->failed = a.failed;
    return a.ns;
}

double holder_open(struct holder *h, const struct daemon *d, unsigned num)
{
    struct request r = {.order = HOLDER_OPEN, .arg = num, .daemon = *d};
    h->num = num;
    h->open = true;
    strncpy(r.handler, d->handler, sizeof r.handler - 1);
    return ask(h, &r);
}

void holder_close(struct holder *h)
{
    const struct request r = {.order = HOLDER_CLOSE};
    (void)ask(h, &r);
    h->open = false;
}

void holder_come_back(struct holder *h, uint64_t ns)
{
    const struct request r = {.order = HOLDER_COME_BACK, .arg = ns};
    (void)ask(h, &r);
}

double holder_await(struct holder *h)
{
    const struct request r = {.order = HOLDER_AWAIT};
    return ask(h, &r);
}

void holder_end(struct holder *h)
{
    if (h->pid > 0) {
        close(h->fd);
        kill(h->pid, SIGKILL); /* others that were forked hold its socket open */
        waitpid(h->pid, NULL, 0);
        h->pid = 0;
    }
}
