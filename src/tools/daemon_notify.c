/* SPDX-License-Identifier: MIT */
#include "daemon_notify.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

void daemon_notify(const char *text)
{
    struct sockaddr_un addr = {.sun_family = AF_UNIX};
    const char *path = getenv("NOTIFY_SOCKET"); /* nothing of this program sets variables */
    size_t len = path != NULL ? strlen(path) : 0;
    if (len < 2 || len >= sizeof(addr.sun_path) || (path[0] != '/' && path[0] != '@')) {
        return;
    }
    memcpy(addr.sun_path, path, len);
    if (path[0] == '@') {
        addr.sun_path[0] = 0; /* an abstract socket */
    }
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd >= 0) {
        ssize_t sent = sendto(fd, text, strlen(text), MSG_NOSIGNAL, (const struct sockaddr *)&addr,
                              (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len));
        (void)sent;
        close(fd);
    }
}

void daemon_notify_reloading(void)
{
    char text[80];
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    snprintf(text, sizeof(text), "RELOADING=1\nMONOTONIC_USEC=%lld",
             (long long)now.tv_sec * 1000000 + now.tv_nsec / 1000);
    daemon_notify(text);
}
