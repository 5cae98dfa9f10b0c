/* SPDX-License-Identifier: MIT */
/* The parts of `signet ping`; its logins serve other commands too. */
#ifndef SIGNET_TOOLS_PING_H
#define SIGNET_TOOLS_PING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include <signet/addr.h>
#include <signet/client.h>
#include <signet/conn.h>
#include <signet/driver.h>
#include <signet/key.h>
#include <signet/name.h>

#include "tool.h"

enum { PING_ADDRS_MAX = 32 };

/* What was asked for, complete and checked. */
struct ping_options {
    const char *command; /* whose messages these are */
    enum tool_format format;
    struct signet_name name;
    char name_text[SIGNET_NAME_TEXT_MAX];
    const char *mon_text;       /* addresses of monitors as given; else from the conf */
    const char *osd_text;       /* NULL: no OSD */
    const char *conf, *keyring; /* files; NULL: not given */
    const char *handler;        /* NULL: the default */
    uint32_t auth;              /* SIGNET_AUTH_CEPHX or _NONE */
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
    bool quiet; /* connections are not shown */
    void *user; /* of who visits monitors */
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

/* The options of a login, for every command that has one: rows of getopt, what their values must be
 * (ends the list), lines of help, what they
 * are before the first is read, and one that was read; false: not one of these, or a bad value. */
enum {
    PING_OPT_MODE = TOOL_OPT_OWN,
    PING_OPT_HANDLER,
    PING_OPT_TIMEOUT,
    PING_OPT_AUTH,
    PING_OPT_OWN
};
#define PING_LOGIN_SHORT ":m:C:n:k:h"
#define PING_LOGIN_ROWS                                                                            \
    {"mon", required_argument, NULL, 'm'}, {"conf", required_argument, NULL, 'C'},                 \
        {"name", required_argument, NULL, 'n'}, {"keyring", required_argument, NULL, 'k'},         \
        {"ms-mode", required_argument, NULL, PING_OPT_MODE},                                       \
        {"auth", required_argument, NULL, PING_OPT_AUTH},                                          \
        {"handler", required_argument, NULL, PING_OPT_HANDLER},                                    \
        {"timeout", required_argument, NULL, PING_OPT_TIMEOUT},                                    \
        {"format", required_argument, NULL, TOOL_OPT_FORMAT},                                      \
    {                                                                                              \
        "help", no_argument, NULL, 'h'                                                             \
    }
#define PING_LOGIN_EXPECTED                                                                        \
    {'n', "TYPE.ID, such as client.admin"}, {PING_OPT_MODE, TOOL_MODES},                           \
        {PING_OPT_AUTH, "cephx or none"},                                                          \
        {PING_OPT_TIMEOUT, "a number of seconds above 0, such as 2.5"},                            \
        {TOOL_OPT_FORMAT, "text or json"},                                                         \
    {                                                                                              \
        0, NULL                                                                                    \
    }
#define PING_LOGIN_HELP_1                                                                          \
    "  -m, --mon ADDR[,...]    monitors: v2:HOST:PORT, [v2:HOST:PORT,v1:HOST:PORT], IPv6 in\n"     \
    "                          brackets, or HOST (port 3300)\n"                                    \
    "  -C, --conf FILE         take mon_host and keyring from a ceph.conf\n"                       \
    "  -n, --name NAME         entity, TYPE.ID (client.admin)\n"                                   \
    "  -k, --keyring FILE      its keyring; else that of the conf, else those that Ceph's own\n"   \
    "                          clients look for, /etc/ceph/ceph.NAME.keyring first\n"
#define PING_LOGIN_HELP_2                                                                          \
    "      --ms-mode MODE      " TOOL_MODES " (secure)\n"                                          \
    "      --auth METHOD       cephx, or none for a cluster without authentication, which has\n"   \
    "                          no keys: with --ms-mode crc only (cephx)\n"                         \
    "      --handler NAME      " TOOL_HANDLERS " (nss)\n"
#define PING_LOGIN_HELP_3                                                                          \
    "      --timeout SECONDS   longest wait for a connection, a login or an answer (10)\n"         \
    "      --format text|json  form of the output (text)\n"                                        \
    "  -h, --help              this help\n"
struct ping_options ping_login_defaults(const char *command);
bool ping_login_option(struct ping_options *options, int c);
/* What depends on several of them; false with the exit code after a message. */
bool ping_login_check(const struct ping_options *options, int *code);

/* ping_setup.c: addresses, keyring and key, client. TOOL_OK or the exit code, all said. */
int ping_setup(struct ping *ping);
void ping_clear(struct ping *ping);

/* ping.c: visits monitors in turn until the login begins at one; what it returned. say_why does so
 * and gives the exit code. */
int ping_mons(struct ping *ping, int (*visit)(struct ping *ping, struct signet_fail *fail),
              int (*say_why)(const struct ping *ping, int err, const struct signet_fail *fail));

/* ping_run.c: what a connection of the login to that daemon asks for, without keepalives. */
struct signet_conn_options ping_conn_options(const struct ping *ping, uint32_t peer_type,
                                             const struct signet_addr *target);

/* ping_run.c: a connection to ping->peer until its session is open; then the next event, which is
 * the last one; 0 or the -SIGNET_E_x that ended it. -TIMEOUT at the deadline. */
struct ping_session {
    struct ping *ping;
    struct signet_driver *driver;
    struct signet_conn *conn;
    struct signet_event event;
    struct signet_fail *fail;
};
int ping_session_open(struct ping_session *run, struct ping *ping, struct signet_fail *fail);
int ping_session_next(struct ping_session *run, uint64_t deadline_ns);
void ping_session_close(struct ping_session *run);

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
