/* SPDX-License-Identifier: MIT */
/* A ceph.conf, read through a file in memory. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "conf.h"
#include "demand.h"

#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64], why[200];
    int fd = memfd_create("conf", 0);
    demand(fd >= 0 && write(fd, data, size) == (ssize_t)size);
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    struct tool_conf *conf = tool_conf_load(path, why);
    if (conf) {
        free(tool_conf_get(conf, "client.admin", "mon_host"));
        free(tool_conf_get(conf, "client.admin", "keyring"));
    }
    tool_conf_free(conf);
    close(fd);
    return 0;
}
