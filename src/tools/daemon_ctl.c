/* SPDX-License-Identifier: MIT */
#include "daemon_ctl.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

/* --- the socket ----------------------------------------------------------------------------- */

static int address(struct sockaddr_un *addr, const char *path, struct daemon_why *why)
{
    *addr = (struct sockaddr_un){.sun_family = AF_UNIX};
    size_t len = strlen(path);
    if (len >= sizeof(addr->sun_path)) {
        why->next = "give a shorter one with --ctl PATH";
        return daemon_fail(why, TOOL_FAILURE,
                           "the path of the control socket is too long, %zu bytes of at most %zu: "
                           "%s",
                           len, sizeof(addr->sun_path) - 1, path);
    }
    memcpy(addr->sun_path, path, len + 1);
    return TOOL_OK;
}

/* Removes a socket that nobody listens at. */
static int clear_path(const struct sockaddr_un *addr, struct daemon_why *why)
{
    struct stat st;
    if (lstat(addr->sun_path, &st) != 0) {
        return TOOL_OK; /* bind() says what else is wrong */
    }
    if (!S_ISSOCK(st.st_mode)) {
        return daemon_fail(why, TOOL_FAILURE, "%s is there already and is no socket",
                           addr->sun_path);
    }
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    bool dead = fd >= 0 && connect(fd, (const struct sockaddr *)addr, sizeof(*addr)) != 0 &&
                errno == ECONNREFUSED;
    if (fd >= 0) {
        close(fd);
    }
    if (!dead) {
        why->next = "give this one a path of its own with --ctl";
        return daemon_fail(why, TOOL_FAILURE, "another daemon listens at %s", addr->sun_path);
    }
    unlink(addr->sun_path);
    return TOOL_OK;
}

static int listen_at(struct daemon_ctl *ctl, const struct sockaddr_un *addr, struct daemon_why *why)
{
    mode_t old = umask(0177);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    bool ok = fd >= 0 && bind(fd, (const struct sockaddr *)addr, sizeof(*addr)) == 0 &&
              listen(fd, 16) == 0;
    int saved = errno;
    umask(old);
    if (!ok) {
        if (fd >= 0) {
            close(fd);
        }
        return daemon_fail(why, TOOL_FAILURE, "cannot listen at %s: %s", addr->sun_path,
                           strerror(saved));
    }
    ctl->fd = fd;
    return TOOL_OK;
}

int daemon_ctl_open(struct daemon_ctl *ctl, const char *path, daemon_ctl_answer answer, void *arg,
                    struct daemon_why *why)
{
    struct sockaddr_un addr;
    *ctl = (struct daemon_ctl){.fd = -1, .answer = answer, .arg = arg};
    for (int i = 0; i < DAEMON_CTL_CLIENTS; i++) {
        ctl->client[i].fd = -1;
    }
    int code = address(&addr, path, why);
    if (code == TOOL_OK) {
        snprintf(ctl->path, sizeof(ctl->path), "%s", path);
        code = clear_path(&addr, why);
    }
    return code == TOOL_OK ? listen_at(ctl, &addr, why) : code;
}

static void drop(struct daemon_ctl_client *client)
{
    close(client->fd);
    *client = (struct daemon_ctl_client){.fd = -1};
}

void daemon_ctl_close(struct daemon_ctl *ctl)
{
    if (ctl->fd < 0) {
        return;
    }
    for (int i = 0; i < DAEMON_CTL_CLIENTS; i++) {
        if (ctl->client[i].fd >= 0) {
            drop(&ctl->client[i]);
        }
    }
    close(ctl->fd);
    unlink(ctl->path);
    ctl->fd = -1;
}

/* --- requests ------------------------------------------------------------------------------- */

int daemon_ctl_split(char *line, size_t len, char *words[DAEMON_CTL_WORDS + 1])
{
    int num = 0;
    line[len] = 0;
    for (size_t i = 0; i < len; i++) {
        if (line[i] == ' ') {
            line[i] = 0;
        } else if (!daemon_ctl_in_word(line[i])) {
            return -1;
        } else if (i == 0 || line[i - 1] == 0) {
            if (num == DAEMON_CTL_WORDS) {
                return -1;
            }
            words[num++] = line + i;
        }
    }
    words[num] = NULL;
    return num;
}

/* An answer is far smaller than the buffer of a socket. */
static void answer(struct daemon_ctl *ctl, struct daemon_ctl_client *client, size_t len)
{
    char *words[DAEMON_CTL_WORDS + 1], *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL) {
        return;
    }
    int num = daemon_ctl_split(client->line, len, words);
    bool ok = num > 0 && ctl->answer(ctl->arg, num, words, out);
    if (num <= 0) {
        fputs("that is no request\n", out);
    }
    const char *head = ok ? "ok\n" : "error\n";
    if (fclose(out) == 0 && send(client->fd, head, strlen(head), MSG_NOSIGNAL) > 0) {
        ssize_t sent = send(client->fd, text, size, MSG_NOSIGNAL);
        (void)sent; /* who does not listen hears nothing */
    }
    free(text);
}

static void read_client(struct daemon_ctl *ctl, struct daemon_ctl_client *client)
{
    ssize_t n = recv(client->fd, client->line + client->len, sizeof(client->line) - client->len, 0);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) {
        return;
    }
    client->len += n > 0 ? (size_t)n : 0;
    const char *end = memchr(client->line, '\n', client->len);
    if (end != NULL) {
        answer(ctl, client, (size_t)(end - client->line));
    }
    if (end != NULL || n <= 0 || client->len == sizeof(client->line)) {
        drop(client);
    }
}

/* The mode of the socket keeps others out; this does where a file system ignores modes. */
static bool may(int fd)
{
    struct ucred who;
    socklen_t len = sizeof(who);
    return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &len) == 0 &&
           (who.uid == geteuid() || who.uid == 0);
}

static void accept_one(struct daemon_ctl *ctl, uint64_t mono_ns)
{
    for (int i = 0; i < DAEMON_CTL_CLIENTS; i++) {
        struct daemon_ctl_client *client = &ctl->client[i];
        if (client->fd >= 0) {
            continue;
        }
        int fd = accept4(ctl->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (fd >= 0 && !may(fd)) {
            close(fd);
        } else if (fd >= 0) {
            *client = (struct daemon_ctl_client){.fd = fd, .since_ns = mono_ns};
        }
        return;
    }
}

/* --- waiting -------------------------------------------------------------------------------- */

int daemon_ctl_poll(const struct daemon_ctl *ctl, struct pollfd fds[DAEMON_CTL_POLL],
                    uint64_t mono_ns)
{
    uint64_t left_ns = UINT64_MAX;
    bool room = false;
    for (int i = 0; i < DAEMON_CTL_CLIENTS; i++) {
        const struct daemon_ctl_client *client = &ctl->client[i];
        fds[1 + i] = (struct pollfd){.fd = client->fd, .events = POLLIN};
        room |= client->fd < 0;
        if (client->fd >= 0) {
            uint64_t until = client->since_ns + DAEMON_CTL_WAIT_NS;
            uint64_t left = until > mono_ns ? until - mono_ns : 0;
            left_ns = left < left_ns ? left : left_ns;
        }
    }
    fds[0] = (struct pollfd){.fd = room ? ctl->fd : -1, .events = POLLIN};
    return left_ns == UINT64_MAX ? -1 : (int)(left_ns / 1000000 + 1);
}

void daemon_ctl_run(struct daemon_ctl *ctl, const struct pollfd fds[DAEMON_CTL_POLL],
                    uint64_t mono_ns)
{
    for (int i = 0; i < DAEMON_CTL_CLIENTS; i++) {
        struct daemon_ctl_client *client = &ctl->client[i];
        if (client->fd >= 0 && fds[1 + i].fd == client->fd && fds[1 + i].revents != 0) {
            read_client(ctl, client);
        }
        if (client->fd >= 0 && mono_ns >= client->since_ns + DAEMON_CTL_WAIT_NS) {
            drop(client);
        }
    }
    if (fds[0].fd == ctl->fd && fds[0].revents != 0) {
        accept_one(ctl, mono_ns);
    }
}
