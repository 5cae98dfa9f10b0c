/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <time.h>

#include "ping.h"

static int fail_with(struct ping_session *run, int err)
{
    const struct signet_fail *cause = run->conn ? signet_conn_failure(run->conn) : NULL;
    if (cause)
        *run->fail = *cause;
    return cause ? cause->err : err;
}

static void note_stage(struct ping *ping, enum signet_event_kind kind)
{
    if (kind == SIGNET_EVENT_BANNER)
        ping->stage = STAGE_HELLO;
    else if (kind == SIGNET_EVENT_HELLO)
        ping->stage = STAGE_LOGIN;
    else if (kind == SIGNET_EVENT_AUTHENTICATED)
        ping->stage = STAGE_SESSION;
    else if (kind == SIGNET_EVENT_READY)
        ping->stage = STAGE_OPEN;
}

/* Prints the event. */
int ping_session_next(struct ping_session *run, uint64_t deadline_ns)
{
    int err = signet_driver_run(run->driver, run->conn, &run->event, deadline_ns);
    if (err)
        return fail_with(run, err);
    if (run->event.kind == SIGNET_EVENT_REFUSED)
        run->ping->refused = run->event.refused;
    if (run->event.kind == SIGNET_EVENT_FAILED)
        return fail_with(run, -SIGNET_E_PEER_CLOSED);
    note_stage(run->ping, run->event.kind);
    if (!run->ping->quiet)
        ping_print_event(run->ping, &run->event);
    return 0;
}

struct signet_conn_options ping_conn_options(const struct ping *ping, uint32_t peer_type,
                                             const struct signet_addr *target)
{
    const struct ping_options *login = &ping->options;
    return (struct signet_conn_options){.role = SIGNET_ROLE_CLIENT,
                                        .own_type = login->name.type,
                                        .peer_type = peer_type,
                                        .target = *target,
                                        .client = ping->client,
                                        .modes = {login->modes[0], login->modes[1]},
                                        .num_modes = login->num_modes,
                                        .env = signet_env_system(),
                                        .handshake_timeout_ns = login->timeout_ns};
}

static int open_conn(struct ping_session *run)
{
    struct ping *ping = run->ping;
    struct signet_conn_options options = ping_conn_options(ping, ping->peer_type, &ping->peer);
    options.keepalive_timeout_ns = ping->options.timeout_ns;
    int err = signet_driver_connect(&run->driver, &ping->peer, ping->options.timeout_ns, run->fail);
    if (err)
        return err;
    ping->stage = STAGE_BANNER;
    if (!ping->quiet)
        ping_print_connect(ping);
    return signet_conn_new(&run->conn, &options, signet_driver_now_ns());
}

/* Until the session is open. The connection knows its own time limit. */
static int log_in(struct ping_session *run)
{
    int err;
    do {
        err = ping_session_next(run, UINT64_MAX);
        if (err == 0 && run->event.kind == SIGNET_EVENT_AUTHENTICATED &&
            run->ping->peer_type == SIGNET_MON && !run->ping->quiet)
            ping_print_tickets(run->ping);
    } while (err == 0 && run->event.kind != SIGNET_EVENT_READY);
    return err;
}

static int round_trip(struct ping_session *run, uint64_t *rtt_ns)
{
    uint64_t deadline = signet_driver_now_ns() + run->ping->options.timeout_ns;
    int err = signet_conn_keepalive(run->conn, signet_driver_now_ns());
    if (err)
        return fail_with(run, err);
    /* Monitors send maps and the like meanwhile. */
    do {
        err = ping_session_next(run, deadline);
        if (err == -SIGNET_E_TIMEOUT)
            err = -SIGNET_E_KEEPALIVE_TIMEOUT;
    } while (err == 0 && (run->event.kind != SIGNET_EVENT_KEEPALIVE_ACK ||
                          run->event.pong.rtt_ns == UINT64_MAX));
    *rtt_ns = err ? 0 : run->event.pong.rtt_ns;
    return err;
}

/* Waits without leaving the peer unanswered. */
static int pause_between(struct ping_session *run)
{
    uint64_t until = signet_driver_now_ns() + run->ping->options.interval_ns;
    int err = 0;
    while (err == 0 && signet_driver_now_ns() < until)
        err = ping_session_next(run, until);
    return err == -SIGNET_E_TIMEOUT ? 0 : err;
}

static int measure(struct ping_session *run)
{
    size_t num = 0, want = (size_t)run->ping->options.count;
    uint64_t *rtt_ns = calloc(want + 1, sizeof(*rtt_ns));
    int err = rtt_ns ? 0 : -SIGNET_E_NOMEM;
    while (err == 0 && num < want) {
        if (num && run->ping->options.interval_ns)
            err = pause_between(run);
        if (err == 0)
            err = round_trip(run, &rtt_ns[num]);
        num += err == 0;
    }
    if (num)
        ping_print_round_trips(run->ping, rtt_ns, num);
    free(rtt_ns);
    return err;
}

int ping_session_open(struct ping_session *run, struct ping *ping, struct signet_fail *fail)
{
    *run = (struct ping_session){.ping = ping, .fail = fail};
    *fail = (struct signet_fail){0};
    ping->refused.method = 0;
    ping->stage = STAGE_CONNECT;
    signet_addr_print(&ping->peer, ping->peer_text);
    int err = open_conn(run);
    return err ? err : log_in(run);
}

void ping_session_close(struct ping_session *run)
{
    signet_conn_free(run->conn);
    signet_driver_free(run->driver);
}

int ping_connection(struct ping *ping, struct signet_fail *fail)
{
    struct ping_session run;
    int err = ping_session_open(&run, ping, fail);
    if (err == 0)
        err = measure(&run);
    ping_session_close(&run);
    return err;
}
