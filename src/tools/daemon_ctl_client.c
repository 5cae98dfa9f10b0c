/* SPDX-License-Identifier: MIT */
/* signetd ctl: asks a daemon that runs. */
#include "daemon_ctl.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

enum { WAIT_S = 30, ANSWER_MAX = 1 << 20 };

static int complain(int code, const char *text, const char *what)
{
    fprintf(stderr, "signetd ctl: %s%s\n", text, what);
    if (code == TOOL_USAGE) {
        fputs("Try 'signetd --help'.\n", stderr);
    }
    return code;
}

/* What getopt did not take: `option` is its word. */
static int complain_option(int c, const char *option)
{
    fprintf(stderr, "signetd ctl: %s '", c == ':' ? "the option" : "there is no option");
    tool_put_text(stderr, option, strlen(option));
    fprintf(stderr, "'%s\n", c == ':' ? " lacks its value" : "");
    fputs("  next step:    options are --state DIR, the state directory of the daemon, or --ctl "
          "PATH, its socket\nTry 'signetd --help'.\n",
          stderr);
    return TOOL_USAGE;
}

static int complain_connect(const char *path, int error)
{
    const char *next = "is signetd running, with this --state or --ctl, as this user?";
    if (error == ECONNREFUSED) {
        next = "the socket is there, but nobody listens: signetd has ended; start it";
    } else if (error == EACCES || error == EPERM) {
        next = "ask as the user who runs signetd, or as root";
    } else if (error == ENOENT) {
        next = "is signetd running, and with this --state or --ctl? The socket is DIR/ctl unless "
               "it was given another with --ctl";
    } else if (error == ENAMETOOLONG) {
        next = "a socket's path has at most 107 bytes: give signetd a shorter one with --ctl";
    }
    fputs("signetd ctl: no daemon answers at ", stderr);
    tool_put_text(stderr, path, strlen(path));
    fprintf(stderr, ": %s\n  next step:    %s\n", strerror(error), next);
    return TOOL_FAILURE;
}

static int connect_to(const char *path)
{
    struct sockaddr_un addr = {.sun_family = AF_UNIX};
    struct timeval wait = {.tv_sec = WAIT_S};
    if (strlen(path) >= sizeof(addr.sun_path)) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memcpy(addr.sun_path, path, strlen(path) + 1);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && (setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait)) != 0 ||
                    connect(fd, (struct sockaddr *)&addr, sizeof(addr)) != 0)) {
        int saved = errno;
        close(fd);
        errno = saved;
        return -1;
    }
    return fd;
}

/* The whole answer with a NUL behind it, or NULL. */
static char *exchange(int fd, const char *line, size_t len)
{
    char *text = malloc(ANSWER_MAX + 1);
    size_t got = 0;
    ssize_t n = text != NULL && send(fd, line, len, MSG_NOSIGNAL) == (ssize_t)len ? 1 : -1;
    while (n > 0 && got < ANSWER_MAX) {
        n = recv(fd, text + got, ANSWER_MAX - got, 0);
        got += n > 0 ? (size_t)n : 0;
    }
    if (n < 0) {
        free(text);
        return NULL;
    }
    text[got] = 0;
    return text;
}

static int show(const char *text)
{
    if (strncmp(text, "ok\n", 3) == 0) {
        fputs(text + 3, stdout);
        return TOOL_OK;
    }
    if (strncmp(text, "error\n", 6) == 0) {
        fprintf(stderr, "signetd ctl: %s", text + 6);
        return TOOL_FAILURE;
    }
    return complain(TOOL_FAILURE, "the daemon closed the connection without an answer", "");
}

static bool is_word(const char *word)
{
    while (daemon_ctl_in_word(*word)) {
        word++;
    }
    return *word == 0;
}

static int ask(const char *path, int num, char **words)
{
    char line[DAEMON_CTL_LINE] = "";
    size_t len = 0;
    for (int i = 0; i < num; i++) {
        if (words[i][0] == 0) {
            return complain(TOOL_USAGE, "an argument is empty: leave it out, or name something",
                            "");
        }
        if (!is_word(words[i])) {
            return complain(TOOL_USAGE, "an argument has a blank, or is not printable ASCII", "");
        }
        len += (size_t)snprintf(line + len, sizeof(line) - len, "%s%c", words[i],
                                i + 1 < num ? ' ' : '\n');
        if (len >= sizeof(line)) {
            return complain(TOOL_USAGE, "the command is too long", "");
        }
    }
    int fd = connect_to(path);
    if (fd < 0) {
        return complain_connect(path, errno);
    }
    char *text = exchange(fd, line, len);
    int saved = errno;
    close(fd);
    int code = text != NULL ? show(text) : complain(TOOL_FAILURE, "no answer: ", strerror(saved));
    free(text);
    return code;
}

int daemon_ctl_main(int argc, char **argv)
{
    static const struct option options[] = {{"state", required_argument, NULL, 's'},
                                            {"ctl", required_argument, NULL, 'c'},
                                            {"help", no_argument, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};
    char path[DAEMON_PATH_MAX] = "";
    int c;
    opterr = 0;
    while ((c = getopt_long(argc, argv, ":h", options, NULL)) != -1) {
        switch (c) {
        case 's':
            snprintf(path, sizeof(path), "%.1000s/ctl", optarg);
            break;
        case 'c':
            snprintf(path, sizeof(path), "%.1010s", optarg);
            break;
        case 'h':
            daemon_help();
            return TOOL_OK;
        default:
            return complain_option(c, argv[optind - 1]);
        }
    }
    if (path[0] == 0) {
        return complain(TOOL_USAGE, "say which daemon: --state DIR or --ctl PATH", "");
    }
    if (optind == argc) {
        return complain(TOOL_USAGE, "say what to do: status, handler, reload, rotate or stop", "");
    }
    return ask(path, argc - optind, argv + optind);
}
