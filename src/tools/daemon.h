/* SPDX-License-Identifier: MIT */
/* signetd as a whole: what is started, what it waits for, what it is asked. Main thread only. */
#ifndef SIGNET_TOOLS_DAEMON_H
#define SIGNET_TOOLS_DAEMON_H

#include "daemon_config.h"
#include "daemon_ctl.h"
#include "daemon_http.h"
#include "daemon_log.h"
#include "daemon_serve.h"
#include "daemon_state.h"

struct daemon {
    int argc;
    char **argv;                        /* read again by a reload */
    struct daemon_config config, fresh; /* fresh: as the last reload read it */
    struct daemon_log log;
    struct daemon_state state;
    struct signet_keyserver *keys;
    struct daemon_serve serve;
    struct daemon_http *http;
    struct signet_addr metrics; /* as it was taken */
    struct daemon_ctl ctl;
    int signals_fd, timer_fd;
    uint64_t started_ns; /* wall clock */
    uint64_t told_ns;    /* monotonic: when it was last told what the log has dropped */
    bool library, stop;  /* signet_init() was called; it is time to end */
};

/* Runs until it is told to stop. Exit code. */
int daemon_main(int argc, char **argv);

/* --- daemon_start.c: in order, and back --- */

int daemon_start(struct daemon *d, struct daemon_why *why);
void daemon_end(struct daemon *d);
void daemon_log_why(struct daemon *d, enum signet_log_level level, const char *event,
                    const struct daemon_why *why);

/* --- daemon_ask.c: requests --- */

/* For struct daemon_ctl; arg is the struct daemon. */
bool daemon_answer(void *arg, int num, char *const *words, FILE *out);
/* SIGHUP: reads configuration and state again. False: something was refused, and is logged. */
bool daemon_reload(struct daemon *d);
/* For the page of metrics; any thread while the daemon runs. */
void daemon_page(void *arg, FILE *out);

#endif
