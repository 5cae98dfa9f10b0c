/* SPDX-License-Identifier: MIT */
/* One connection at a port. What is kept of it begins with its authentication, so that a flood of
 * others takes no memory here. */
#include "daemon_peer.h"

#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

#include <signet/server.h>

#include "lite/journal.h"

struct user {
    enum signet_con_mode mode;
    bool ready;
    union {
        struct signet_mon_session mon;
        struct signet_osd_session osd;
    } session;
};

/* --- log ------------------------------------------------------------------------------------ */

static uint64_t mono_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

static const char *mode_name(enum signet_con_mode mode)
{
    return mode == SIGNET_MODE_SECURE ? "secure" : "crc";
}

/* A line with what is known of the peer. */
static bool begin(struct daemon_port *port, struct signet_peer *peer, struct logfmt *line,
                  enum signet_log_level level, const char *event)
{
    char addr[SIGNET_ADDR_TEXT_MAX], name[SIGNET_NAME_TEXT_MAX];
    if (!daemon_log_begin(port->serve->log, line, level, event)) {
        return false;
    }
    const struct signet_login *login = signet_peer_login(peer);
    const struct signet_identity *who = login != NULL ? signet_login_identity(login) : NULL;
    const struct signet_name *claimed = login != NULL ? signet_login_claimed(login) : NULL;
    const struct user *user = signet_peer_user(peer);
    logfmt_text(line, "service", daemon_service_names[port->index]);
    logfmt_printf(line, "conn", "%" PRIu64, signet_peer_id(peer));
    logfmt_text(line, "peer", signet_addr_print(signet_peer_addr(peer), addr));
    if (who != NULL) {
        logfmt_text(line, "entity", signet_name_print(&who->name, name));
        logfmt_printf(line, "global_id", "%" PRIu64, who->global_id);
    } else if (claimed != NULL) { /* not proved */
        logfmt_text(line, "claims", signet_name_print(claimed, name));
    }
    if (user != NULL) {
        logfmt_text(line, "mode", mode_name(user->mode));
    }
    if (login != NULL && signet_login_method(login) == SIGNET_AUTH_NONE) {
        logfmt_text(line, "auth", "none"); /* who it is, is not proved at all */
    }
    return true;
}

/* The same for warnings that peers can cause at will, of which only so many are written. */
static bool begin_warning(struct daemon_port *port, struct signet_peer *peer, struct logfmt *line,
                          const char *event)
{
    return daemon_log_allowed(port->serve->log, mono_ns()) &&
           begin(port, peer, line, SIGNET_LOG_WARN, event);
}

static void end(struct daemon_port *port, struct logfmt *line, const struct signet_fail *why)
{
    logfmt_text(line, "cause", signet_err_name(why->err));
    logfmt_text(line, "where", why->where[0] != 0 ? why->where : NULL);
    logfmt_text(line, "text", why->text[0] != 0 ? why->text : signet_strerror(why->err));
    if (why->err == -SIGNET_E_MSGR1_PEER) {
        logfmt_text(line, "next", "a msgr1 client: give it the v2: address");
    } else if (why->err == -SIGNET_E_AUTH_METHOD) {
        logfmt_text(line, "next",
                    "give both sides the same method: --auth here, auth_client_required or --auth "
                    "there");
    } else if (why->err == -SIGNET_E_OUTPUT_LIMIT) {
        logfmt_text(line, "next",
                    "a client that hangs, or a slow network; if many read slowly: --max-output");
    } else if (why->err == -SIGNET_E_INPUT_LIMIT) {
        logfmt_text(line, "next",
                    "a client that stopped within a message; if many write slowly: --max-input");
    }
    daemon_log_end(port->serve->log, line);
}

/* --- callbacks ------------------------------------------------------------------------------ */

static const char *event_name(enum signet_event_kind kind)
{
    switch (kind) {
    case SIGNET_EVENT_BANNER:
        return "banner";
    case SIGNET_EVENT_HELLO:
        return "hello";
    case SIGNET_EVENT_AUTHENTICATED:
        return "authenticated";
    case SIGNET_EVENT_ABORTED:
        return "message_aborted";
    case SIGNET_EVENT_RESET:
        return "session_reset";
    case SIGNET_EVENT_KEEPALIVE:
        return "keepalive";
    default:
        return NULL;
    }
}

static void on_event(void *arg, struct signet_peer *peer, const struct signet_event *event)
{
    struct daemon_port *port = arg;
    struct logfmt line;
    const char *name = event_name(event->kind);
    if (name != NULL && begin(port, peer, &line, SIGNET_LOG_DEBUG, name)) {
        daemon_log_end(port->serve->log, &line);
    }
    if (event->kind != SIGNET_EVENT_AUTHENTICATED) {
        return;
    }
    struct user *user = calloc(1, sizeof(*user));
    if (user != NULL) {
        user->mode = event->auth.mode;
        signet_peer_set_user(peer, user);
    }
}

static int begin_session(struct daemon_port *port, struct user *user, struct signet_login *login)
{
    return port->index == DAEMON_MON
               ? signet_mon_session_init(&user->session.mon, login)
               : signet_osd_session_init(&user->session.osd, &port->serve->osd, login);
}

static int on_ready(void *arg, struct signet_peer *peer, const struct signet_event_ready *ready)
{
    struct daemon_port *port = arg;
    struct user *user = signet_peer_user(peer);
    struct logfmt line;
    (void)ready;
    if (!atomic_load_explicit(&port->serve->open, memory_order_acquire)) {
        return -SIGNET_E_STATE;
    }
    if (user == NULL) {
        return -SIGNET_E_NOMEM;
    }
    int err = begin_session(port, user, signet_peer_login(peer));
    if (err != 0) {
        return err;
    }
    user->ready = true;
    atomic_fetch_add_explicit(&port->ok, 1, memory_order_relaxed);
    if (begin(port, peer, &line, SIGNET_LOG_INFO, "session")) {
        daemon_log_end(port->serve->log, &line);
    }
    return 0;
}

static int send_mon(void *arg, const struct signet_message *out)
{
    const struct iovec data = {(void *)(uintptr_t)out->data.p, out->data.len};
    return signet_peer_send(arg, out, &data, out->data.len > 0 ? 1 : 0, NULL);
}

static int send_osd(void *arg, const struct signet_message *out, const struct iovec *data, int num)
{
    return signet_peer_send(arg, out, data, num, NULL);
}

static void later_ref(void *arg)
{
    signet_peer_ref(arg);
}

static void later_unref(void *arg)
{
    signet_peer_unref(arg);
}

/* Once, by the first answer that must not go out. */
static void tell_lost(struct daemon_serve *serve)
{
    struct logfmt line;
    if (!atomic_exchange(&serve->lost_told, true) &&
        daemon_log_begin(serve->log, &line, SIGNET_LOG_ERROR, "journal")) {
        logfmt_text(&line, "text",
                    "cannot be flushed to its disk: writes that were not answered may be lost, and "
                    "no more are taken");
        logfmt_text(&line, "next", "see what the system says of the disk, and restart");
        daemon_log_end(serve->log, &line);
    }
}

static int later_post(void *host, void *arg, void (*fn)(void *held), void *held)
{
    struct daemon_serve *serve = host;
    if (journal_lost(serve->osd.journal)) {
        tell_lost(serve);
    }
    return signet_messenger_post(serve->messenger, signet_peer_worker(arg), fn, held);
}

static void later_close(void *arg, int err)
{
    signet_peer_close(arg, err);
}

const struct signet_osd_later daemon_peer_later = {
    .ref = later_ref, .unref = later_unref, .post = later_post, .close = later_close};

static int on_message(void *arg, struct signet_peer *peer, const struct signet_message *message)
{
    struct daemon_port *port = arg;
    struct user *user = signet_peer_user(peer);
    struct signet_fail fail = {.err = 0};
    struct logfmt line;
    int err = port->index == DAEMON_MON ? signet_mon_message(&port->serve->mon, &user->session.mon,
                                                             message, send_mon, peer, &fail)
                                        : signet_osd_message(&port->serve->osd, &user->session.osd,
                                                             message, send_osd, peer, &fail);
    if (err != 0 && begin_warning(port, peer, &line, "message")) {
        logfmt_printf(&line, "type", "%u", message->type);
        fail.err = err;
        end(port, &line, &fail);
    }
    return err;
}

static void log_failed(struct daemon_port *port, struct signet_peer *peer,
                       const struct signet_fail *why)
{
    struct logfmt line;
    unsigned cause = (unsigned)-why->err;
    atomic_fetch_add_explicit(&port->failed[cause < SIGNET_E_NUM_ ? cause : 0], 1,
                              memory_order_relaxed);
    if (begin_warning(port, peer, &line, "handshake_failed")) {
        end(port, &line, why);
    }
}

/* Clients that were served well enough would not have been closed for these. */
static bool is_limit(int err)
{
    return err == -SIGNET_E_OUTPUT_LIMIT || err == -SIGNET_E_INPUT_LIMIT;
}

static void on_closed(void *arg, struct signet_peer *peer, const struct signet_fail *why)
{
    struct daemon_port *port = arg;
    struct user *user = signet_peer_user(peer);
    struct logfmt line;
    if (user == NULL || !user->ready) {
        log_failed(port, peer, why);
    } else if (is_limit(why->err) ? begin_warning(port, peer, &line, "session_end")
                                  : begin(port, peer, &line, SIGNET_LOG_INFO, "session_end")) {
        end(port, &line, why);
    }
    if (user != NULL && user->ready && port->index == DAEMON_OSD) {
        signet_osd_session_clear(&user->session.osd);
    }
    signet_peer_set_user(peer, NULL);
    free(user);
}

const struct signet_peer_ops daemon_peer_ops = {
    .event = on_event,
    .ready = on_ready,
    .message = on_message,
    .closed = on_closed,
};
