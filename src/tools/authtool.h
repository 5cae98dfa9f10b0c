/* SPDX-License-Identifier: MIT */
/* What the files of `signet authtool` share. */
#ifndef SIGNET_TOOLS_AUTHTOOL_H
#define SIGNET_TOOLS_AUTHTOOL_H

#include <stdbool.h>
#include <stddef.h>

#include <signet/keyring.h>

struct authtool_cap {
    const char *service, *text;
};

/* The command line; texts point into argv. */
struct authtool {
    const char *file; /* NULL: none */
    struct signet_name name;
    bool list, print_key, create, gen_key, gen_print_key;
    const char *add_key, *caps_file, *import; /* NULL: not given */
    struct authtool_cap *caps;                /* --cap, in order */
    size_t num_caps;
    unsigned mode;
    enum signet_key_type type;
};

/* Fills *tool (its caps are to be freed, also on failure). False: it is all done, *code is the
 * exit code; what there was to say is said. */
bool authtool_parse(struct authtool *tool, int argc, char **argv, int *code);

/* "signet authtool" exits as ceph-authtool does: 0, or 1 whatever went wrong. Prints to stderr,
 * after what stdout has so far; returns 1. */
int authtool_fail(const char *format, ...) SIGNET_PRINTF(1, 2);

#endif
