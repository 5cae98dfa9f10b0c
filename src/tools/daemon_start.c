/* SPDX-License-Identifier: MIT */
/* Starting, step by step, and the way back. */
#include "daemon.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "daemon_keys.h"
#include "daemon_notify.h"

/* All threads inherit the mask; signals arrive as bytes of a descriptor. */
static int block_signals(struct daemon *d, struct daemon_why *why)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGHUP);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    signal(SIGPIPE, SIG_IGN);
    d->signals_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    d->timer_fd = timerfd_create(CLOCK_REALTIME, TFD_CLOEXEC | TFD_NONBLOCK);
    d->log.wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (d->signals_fd < 0 || d->timer_fd < 0 || d->log.wake_fd < 0) {
        return daemon_fail(why, TOOL_FAILURE, "cannot wait for signals and time: %s",
                           strerror(errno));
    }
    return TOOL_OK;
}

/* Each connection is a file: take all that the system grants. */
static void raise_files(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
        limit.rlim_cur = limit.rlim_max;
        if (setrlimit(RLIMIT_NOFILE, &limit) != 0) {
            errno = 0; /* fewer connections, then */
        }
    }
}

static int start_library(struct daemon *d, struct daemon_why *why)
{
    const char *name = d->config.handler[0] != 0 ? d->config.handler : NULL;
    const struct signet_options options = {
        .log = daemon_log_library, .log_arg = &d->log, .handler = name, .strict = name != NULL};
    int err = signet_init(&options);
    if (err != 0) {
        why->next = "'signet handlers' shows what works here";
        return daemon_fail(why, TOOL_FAILURE, "the handler %s cannot be used: %s",
                           name != NULL ? name : "nss or openssl", signet_strerror(err));
    }
    d->library = true;
    return TOOL_OK;
}

/* Who starts a second daemon by mistake hears of all its addresses, not only of the first that
 * could not be taken. */
static void name_taken(const struct daemon_config *config, struct daemon_why *why)
{
    const struct {
        const char *name;
        const struct signet_addr *addr;
        bool on;
    } rows[] = {{"mon", &config->mon, true},
                {"osd", &config->osd, true},
                {"metrics", &config->metrics, config->metrics_on}};
    char list[3 * (SIGNET_ADDR_TEXT_MAX + 16)] = "", where[SIGNET_ADDR_TEXT_MAX];
    size_t len = 0, num = 0;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (rows[i].on && rows[i].addr->port != 0 && daemon_http_taken(rows[i].addr)) {
            len +=
                (size_t)snprintf(list + len, sizeof(list) - len, "%s%s (%s)", num++ > 0 ? ", " : "",
                                 daemon_http_where(rows[i].addr, where), rows[i].name);
        }
    }
    if (num > 1) {
        why->next = "is another signetd running? Stop what listens there, or take other ports";
        daemon_fail(why, TOOL_FAILURE, "cannot listen: other programs do at %s", list);
    }
}

static int start_serving(struct daemon *d, struct daemon_why *why)
{
    const struct daemon_cluster *cluster = &d->state.cluster;
    int code = daemon_serve_start(&d->serve, &d->config, cluster->osd_nonce, d->keys, &d->log, why);
    if (code != TOOL_OK) {
        name_taken(&d->config, why);
    }
    if (code == TOOL_OK && d->config.metrics_on) {
        code = daemon_http_start(&d->http, &d->config.metrics, &d->metrics, daemon_page, d, why);
    }
    if (code == TOOL_OK) {
        code = daemon_state_publish(&d->state, &d->config, &d->serve.port[DAEMON_MON].addr,
                                    &d->serve.port[DAEMON_OSD].addr, why);
    }
    if (code == TOOL_OK) {
        code = daemon_serve_open(&d->serve, &d->config, cluster->fsid, cluster->epoch,
                                 cluster->created_s, why);
    }
    return code;
}

/* Metrics are not secret, but they tell much of who comes and goes. */
static void warn_metrics(struct daemon *d)
{
    static const uint8_t loopback6[16] = {[15] = 1};
    const struct signet_addr *a = &d->metrics;
    bool loopback =
        a->family == SIGNET_FAMILY_IPV6 ? memcmp(a->ip, loopback6, 16) == 0 : a->ip[0] == 127;
    char text[SIGNET_ADDR_TEXT_MAX];
    if (d->http != NULL && !loopback) {
        daemon_log_text(&d->log, SIGNET_LOG_WARN, "metrics",
                        "%s can be reached from other machines, without encryption",
                        daemon_http_where(a, text));
    }
}

static void warn_auth(struct daemon *d)
{
    if (d->config.auth_none) {
        daemon_log_text(&d->log, SIGNET_LOG_WARN, "auth",
                        "authentication is off: whoever reaches the ports may read, change and "
                        "delete everything, under any name, and nothing is encrypted");
    }
}

static void log_start(struct daemon *d)
{
    struct logfmt line;
    char text[SIGNET_ADDR_TEXT_MAX], fsid[DAEMON_FSID_TEXT];
    if (!daemon_log_begin(&d->log, &line, SIGNET_LOG_INFO, "start")) {
        return;
    }
    logfmt_text(&line, "version", SIGNET_VERSION);
    logfmt_text(&line, "fsid", daemon_fsid_print(d->state.cluster.fsid, fsid));
    logfmt_text(&line, "mon", signet_addr_print(&d->serve.port[DAEMON_MON].addr, text));
    logfmt_text(&line, "osd", signet_addr_print(&d->serve.port[DAEMON_OSD].addr, text));
    if (d->http != NULL) {
        logfmt_text(&line, "metrics", daemon_http_where(&d->metrics, text));
    }
    logfmt_text(&line, "handler", signet_handler_name(signet_handler_current()));
    logfmt_text(&line, "auth", d->config.auth_none ? "none" : "cephx");
    logfmt_text(&line, "state", d->state.path);
    logfmt_text(&line, "text", d->state.fresh ? "made a new cluster" : "uses the existing cluster");
    daemon_log_end(&d->log, &line);
}

int daemon_start(struct daemon *d, struct daemon_why *why)
{
    struct signet_env env = signet_env_system();
    d->started_ns = env.real_ns(env.arg);
    raise_files();
    int code = block_signals(d, why);
    if (code == TOOL_OK && !daemon_log_start(&d->log)) {
        daemon_log_text(
            &d->log, SIGNET_LOG_WARN, "log",
            "the system gives no thread for it: a stderr that stalls stalls the daemon");
    }
    if (code == TOOL_OK) {
        code = daemon_state_open(&d->state, &d->config, why);
    }
    if (code == TOOL_OK) {
        code = daemon_cluster_pools(&d->state.cluster, &d->config, why);
    }
    if (code == TOOL_OK) {
        code = start_library(d, why);
    }
    if (code == TOOL_OK) {
        code = daemon_ctl_open(&d->ctl, d->config.ctl, daemon_answer, d, why);
    }
    if (code == TOOL_OK) {
        code = daemon_keys_open(&d->keys, &d->config, d->state.keys_path, &d->log, why);
    }
    if (code == TOOL_OK) {
        code = start_serving(d, why);
    }
    if (code == TOOL_OK) {
        warn_metrics(d);
        warn_auth(d);
        log_start(d);
        daemon_notify("READY=1");
    }
    return code;
}

static void close_fd(int fd)
{
    if (fd >= 0) {
        close(fd);
    }
}

void daemon_end(struct daemon *d)
{
    daemon_http_stop(d->http);
    if (!daemon_serve_stop(&d->serve, d->config.drain_s * UINT64_C(1000000000))) {
        daemon_log_text(&d->log, SIGNET_LOG_WARN, "drain", "some connections were cut");
    }
    signet_keyserver_free(d->keys);
    daemon_ctl_close(&d->ctl);
    if (d->library) {
        signet_shutdown();
    }
    daemon_state_close(&d->state);
    close_fd(d->signals_fd);
    close_fd(d->timer_fd);
    close_fd(d->log.wake_fd);
    d->log.wake_fd = -1;
}

void daemon_log_why(struct daemon *d, enum signet_log_level level, const char *event,
                    const struct daemon_why *why)
{
    struct logfmt line;
    if (daemon_log_begin(&d->log, &line, level, event)) {
        logfmt_text(&line, "text", why->text);
        logfmt_text(&line, "next", why->next);
        daemon_log_end(&d->log, &line);
    }
}
