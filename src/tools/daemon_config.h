/* SPDX-License-Identifier: MIT */
/*
 * What signetd is told: options of the command line, and lines `name = value` of a configuration
 * file, whose names are those of the long options. The command line wins. One table
 * (daemon_config_table.c) has the options of both, and makes --help.
 */
#ifndef SIGNET_TOOLS_DAEMON_CONFIG_H
#define SIGNET_TOOLS_DAEMON_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <signet/addr.h>
#include <signet/key.h>
#include <signet/signet.h>

#include "tool.h"

enum {
    DAEMON_PATH_MAX = 1024,
    DAEMON_POOLS_MAX = 64,
    DAEMON_POOL_NAME_MAX = 64,
    DAEMON_THREADS_MAX = 256,
    DAEMON_CONFIG_MAX = 1 << 20, /* bytes of a configuration file */
    DAEMON_FSID_TEXT = 37,
    DAEMON_OPTIONS_MAX = 32,
    DAEMON_PORT_MON = 3300, /* where an address has no port */
    DAEMON_PORT_OSD = 6800,
    DAEMON_PORT_METRICS = 9284,
};

/* Why something failed: an exit code (enum tool_exit) and a sentence; next: what to do, or NULL. */
struct daemon_why {
    int code;
    char text[800];
    const char *next;
};
/* Fills it and returns code. */
int daemon_fail(struct daemon_why *why, int code, const char *format, ...) SIGNET_PRINTF(3, 4);

struct daemon_pool {
    uint64_t id; /* from 1, ascending in the list */
    char name[DAEMON_POOL_NAME_MAX];
};

struct daemon_config {
    struct signet_addr mon, osd; /* v2, an address that can be dialled; port 0: any free one */
    struct signet_addr metrics;
    bool metrics_on;
    char state[DAEMON_PATH_MAX], keyring[DAEMON_PATH_MAX], ctl[DAEMON_PATH_MAX];
    char journal[DAEMON_PATH_MAX]; /* "": none */
    bool journal_sync;
    bool has_fsid;
    uint8_t fsid[16];
    struct daemon_pool pools[DAEMON_POOLS_MAX];
    unsigned num_pools; /* 0: none was named; see daemon_cluster_pools() */
    unsigned threads;   /* 0: one for each processor */
    uint32_t max_peers, max_half_open;
    uint64_t max_output, max_input; /* bytes; 0: what the messenger takes */
    char handler[16];               /* "": nss, or what works */
    uint32_t modes[2];
    unsigned num_modes;
    uint32_t allowed_ciphers; /* SIGNET_CIPHER bits */
    enum signet_key_type preferred_cipher, service_cipher;
    uint64_t auth_ttl_s, service_ttl_s, drain_s, store_bytes, journal_keep;
    bool allow_insecure_reclaim;
    bool auth_none; /* nobody proves anything */
    enum signet_log_level log_level;
};

/* One option. */
struct daemon_option {
    const char *name;
    const char *arg;      /* in --help; NULL: --name alone means "yes" */
    const char *expected; /* completes "'...' is not " */
    const char *help;     /* lines for --help */
    bool (*set)(struct daemon_config *config, const char *value);
    bool many; /* may be given more than once; a source that gives it replaces those before */
    bool live; /* SIGHUP applies a change */
};
/* By index; NULL past the last. */
const struct daemon_option *daemon_option_at(size_t index);

/* daemon_config_addr.c: values of the options of that name; for the table. */
bool daemon_set_mon(struct daemon_config *config, const char *value);
bool daemon_set_osd(struct daemon_config *config, const char *value);
bool daemon_set_metrics(struct daemon_config *config, const char *value);
bool daemon_set_pool(struct daemon_config *config, const char *value);

/* From the arguments of a program (argv[0] is its name) and the file that --config names. TOOL_OK;
 * TOOL_USAGE with why (file and line, or the option). help or version asked for: *shown is set, the
 * text is on stdout, and nothing else is done. */
int daemon_config_read(struct daemon_config *config, int argc, char **argv, bool *shown,
                       struct daemon_why *why);
/* The defaults; then lines of a file's text, applied; then what depends on several options. The
 * parts of the above, for tests. path is for messages. */
void daemon_config_defaults(struct daemon_config *config);
int daemon_config_text(struct daemon_config *config, const char *path, const char *text, size_t len,
                       struct daemon_why *why);
int daemon_config_finish(struct daemon_config *config, struct daemon_why *why);

/* Names of options whose values differ between two, and which a reload does not apply, separated
 * by blanks, into cap bytes. False when there are none. */
bool daemon_config_fixed_changes(const struct daemon_config *a, const struct daemon_config *b,
                                 char *out, size_t cap);

void daemon_help(void);

const char *daemon_fsid_print(const uint8_t fsid[16], char out[DAEMON_FSID_TEXT]);
bool daemon_fsid_parse(uint8_t fsid[16], const char *text);

#endif
