/* SPDX-License-Identifier: MIT */
/*
 * The control socket of signetd: a Unix socket of mode 0600, for the user who runs the daemon and
 * for root. One request a connection: the client sends one line of words, the daemon answers
 *
 *   ok NEWLINE TEXT           or   error NEWLINE TEXT
 *
 * and closes. Nothing blocks: a client that does not send its line in time is dropped. Main thread
 * only.
 */
#ifndef SIGNET_TOOLS_DAEMON_CTL_H
#define SIGNET_TOOLS_DAEMON_CTL_H

#include <poll.h>
#include <stdint.h>
#include <stdio.h>

#include "daemon_config.h"

enum {
    DAEMON_CTL_CLIENTS = 8, /* more wait in the queue of the socket */
    DAEMON_CTL_LINE = 256,  /* bytes of a request, with its newline */
    DAEMON_CTL_WORDS = 4,
};
/* Printable ASCII without blanks, which stand between words. */
static inline bool daemon_ctl_in_word(char c)
{
    return c > 0x20 && c < 0x7f;
}
#define DAEMON_CTL_WAIT_NS UINT64_C(5000000000)

/* Answers a request of num words (1 or more; NULL behind the last) on out; false: it failed, and
 * out says why. */
typedef bool (*daemon_ctl_answer)(void *arg, int num, char *const *words, FILE *out);

struct daemon_ctl_client {
    int fd; /* -1: free */
    size_t len;
    uint64_t since_ns;
    char line[DAEMON_CTL_LINE];
};

struct daemon_ctl {
    int fd; /* -1: closed */
    char path[DAEMON_PATH_MAX];
    struct daemon_ctl_client client[DAEMON_CTL_CLIENTS];
    daemon_ctl_answer answer;
    void *arg;
};

/* Listens at path. A socket that a dead daemon left there is replaced; anything else is not.
 * Changes the umask for a moment: call it before there are threads. TOOL_OK or TOOL_FAILURE. */
int daemon_ctl_open(struct daemon_ctl *ctl, const char *path, daemon_ctl_answer answer, void *arg,
                    struct daemon_why *why);
/* Closes and removes the socket. One that was never opened needs fd -1. */
void daemon_ctl_close(struct daemon_ctl *ctl);

enum { DAEMON_CTL_POLL = 1 + DAEMON_CTL_CLIENTS };
/* What to wait for, and for how many milliseconds at most (-1: any time). */
int daemon_ctl_poll(const struct daemon_ctl *ctl, struct pollfd fds[DAEMON_CTL_POLL],
                    uint64_t mono_ns);
/* After the wait, with what poll() set. */
void daemon_ctl_run(struct daemon_ctl *ctl, const struct pollfd fds[DAEMON_CTL_POLL],
                    uint64_t mono_ns);

/* Splits a line at blanks, in place; its newline must be gone. The number of words, NULL behind the
 * last; -1: more than DAEMON_CTL_WORDS, or a byte that is no printable ASCII. */
int daemon_ctl_split(char *line, size_t len, char *words[DAEMON_CTL_WORDS + 1]);

/* The client: signetd ctl. argv[0] is "ctl". Exit code. */
int daemon_ctl_main(int argc, char **argv);

#endif
