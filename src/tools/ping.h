/* SPDX-License-Identifier: MIT */
/* The parts of `signet ping`. */
#ifndef SIGNET_TOOLS_PING_H
#define SIGNET_TOOLS_PING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include <signet/addr.h>
#include <signet/client.h>
#include <signet/conn.h>
#include <signet/key.h>
#include <signet/name.h>

#include "tool.h"

enum { PING_ADDRS_MAX = 32 };

/* What was asked for, complete and checked. */
struct ping_options {
    enum tool_format format;
    struct signet_name name;
    char name_text[SIGNET_NAME_TEXT_MAX];
    const char *mon_text;       /* addresses of monitors as given; else from the conf */
    const char *osd_text;       /* NULL: no OSD */
    const char *conf, *keyring; /* files; NULL: not given */
    const char *handler;        /* NULL: the default */
    uint32_t modes[2];
    unsigned num_modes;
    uint64_t count, interval_ns, timeout_ns;
};

/* How far a connection came. */
enum ping_stage {
    STAGE_CONNECT,
    STAGE_BANNER,
    STAGE_HELLO,
    STAGE_LOGIN,
    STAGE_SESSION,
    STAGE_OPEN
};

struct ping {
    struct ping_options options;
    struct signet_addrvec mon[PING_ADDRS_MAX];
    size_t num_mon;
    struct signet_addr osd;
    char *keyring_path;
    struct signet_key *key;
    struct signet_client *client;

    /* The connection under way. */
    uint32_t peer_type;
    struct signet_addr peer;
    char peer_text[SIGNET_ADDR_TEXT_MAX];
    enum ping_stage stage;
    struct signet_auth_bad_method refused; /* method 0: it was not refused */
    double skew_s;                         /* the monitor's clock minus ours */
    bool has_skew;

    json_t *document, *connection; /* JSON output */
};

/* ping_options.c. False with the exit code when there is nothing to do (any more). */
bool ping_parse(int argc, char **argv, struct ping_options *options, int *code);

/* ping_setup.c: addresses, keyring and key, client. TOOL_OK or the exit code, all said. */
int ping_setup(struct ping *ping);
void ping_clear(struct ping *ping);

/* ping_run.c: one connection from connect to the last keepalive. 0 or the -SIGNET_E_x that ended
 * it; fail is set as far as there is more to say. */
int ping_connection(struct ping *ping, struct signet_fail *fail);

/* ping_print.c: the steps, as text at once or into the JSON document. */
void ping_print_start(struct ping *ping);
void ping_print_connect(struct ping *ping);
void ping_print_event(struct ping *ping, const struct signet_event *event);
void ping_print_tickets(struct ping *ping);
void ping_print_round_trips(struct ping *ping, const uint64_t *rtt_ns, size_t num);

/* ping_problem.c: what a failure means. */
void ping_problem(const struct ping *ping, int err, const struct signet_fail *fail,
                  struct tool_problem *problem);
/* The clocks differ so much that tickets may be refused; false when they do not. */
bool ping_clock_problem(const struct ping *ping, struct tool_problem *problem);

#endif
