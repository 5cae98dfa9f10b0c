/* SPDX-License-Identifier: MIT */
/* signetd: the daemon, or `signetd ctl`, which talks to one. */
#include <stdio.h>
#include <string.h>

#include "daemon.h"

int main(int argc, char **argv)
{
    bool ctl = argc > 1 && strcmp(argv[1], "ctl") == 0;
    int code = ctl ? daemon_ctl_main(argc - 1, argv + 1) : daemon_main(argc, argv);
    /* A full disk must not look like success. */
    if (fflush(stdout) != 0 || ferror(stdout)) {
        perror("signetd: writing the output");
        return code == TOOL_OK ? TOOL_FAILURE : code;
    }
    return code;
}
