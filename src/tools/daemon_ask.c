/* SPDX-License-Identifier: MIT */
/* What the daemon is asked while it runs: signetd ctl, SIGHUP, metrics. */
#include "daemon.h"

#include <inttypes.h>
#include <string.h>

#include "daemon_notify.h"

/* --- figures -------------------------------------------------------------------------------- */

static void collect(const struct daemon *d, struct daemon_figures *out)
{
    struct signet_env env = signet_env_system();
    *out = (struct daemon_figures){
        .handler = signet_handler_current(),
        .now_ns = env.real_ns(env.arg),
        .started_ns = d->started_ns,
        .log_lost = daemon_log_lost(&d->log),
        .log_dropped = atomic_load_explicit(&d->log.dropped, memory_order_relaxed),
    };
    signet_keyserver_stats(d->keys, &out->keys);
    daemon_serve_figures(&d->serve, out);
}

void daemon_page(void *arg, FILE *out)
{
    struct daemon_figures figures;
    collect(arg, &figures);
    daemon_metrics_print(out, &figures);
}

static bool ask_status(struct daemon *d, FILE *out)
{
    struct daemon_figures f;
    char text[SIGNET_ADDR_TEXT_MAX], fsid[DAEMON_FSID_TEXT];
    collect(d, &f);
    fprintf(out, "version   %s\n", SIGNET_VERSION);
    fprintf(out, "fsid      %s\n", daemon_fsid_print(d->state.cluster.fsid, fsid));
    fprintf(out, "mon       %s\n", signet_addr_print(&d->serve.port[DAEMON_MON].addr, text));
    fprintf(out, "osd       %s\n", signet_addr_print(&d->serve.port[DAEMON_OSD].addr, text));
    fprintf(out, "metrics   %s\n", d->http != NULL ? daemon_http_where(&d->metrics, text) : "none");
    fprintf(out, "handler   %s\n", signet_handler_name(f.handler));
    fprintf(out, "auth      %s\n", d->config.auth_none ? "none" : "cephx");
    fprintf(out, "log-level %s\n",
            daemon_log_level_name((enum signet_log_level)atomic_load(&d->log.level)));
    fprintf(out, "uptime    %" PRIu64 " s\n", (f.now_ns - d->started_ns) / UINT64_C(1000000000));
    fprintf(out, "peers     %" PRIu64 " (%" PRIu64 " half-open)\n", f.net.peers, f.net.half_open);
    fprintf(out, "sessions  %" PRIu64 " mon, %" PRIu64 " osd since the start\n",
            f.handshakes[DAEMON_MON].ok, f.handshakes[DAEMON_OSD].ok);
    fprintf(out, "objects   %" PRIu64 ", %" PRIu64 " bytes\n", f.objects, f.object_bytes);
    if (f.journal) {
        fprintf(out, "journal   %" PRIu64 " bytes, %" PRIu64 " writes refused%s\n", f.journal_bytes,
                f.journal_refused, f.journal_lost ? ", a flush has failed: restart" : "");
    }
    fprintf(out, "entities  %" PRIu64 "\n", f.keys.principals);
    return true;
}

/* --- changes -------------------------------------------------------------------------------- */

static int use_handler(struct daemon *d, const char *name)
{
    const struct signet_handler *handler = signet_handler_find(name);
    int err = handler != NULL ? signet_handler_use(handler) : -SIGNET_E_HANDLER_UNKNOWN;
    struct logfmt line;
    if (daemon_log_begin(&d->log, &line, err == 0 ? SIGNET_LOG_INFO : SIGNET_LOG_ERROR,
                         "handler")) {
        logfmt_text(&line, "handler", name);
        logfmt_text(&line, "cause", err != 0 ? signet_err_name(err) : NULL);
        logfmt_text(&line, "text", err == 0 ? "switched" : signet_strerror(err));
        daemon_log_end(&d->log, &line);
    }
    return err;
}

static bool ask_handler(struct daemon *d, const char *name, FILE *out)
{
    int err = name != NULL ? use_handler(d, name) : 0;
    if (err != 0) {
        fprintf(out, "the handler '%s' cannot be used: %s%s\n", name, signet_strerror(err),
                err == -SIGNET_E_HANDLER_UNKNOWN ? "; it must be " TOOL_HANDLERS : "");
        return false;
    }
    fprintf(out, "%s\n", signet_handler_name(signet_handler_current()));
    return true;
}

static bool ask_rotate(struct daemon *d, FILE *out)
{
    int err = signet_keyserver_wipe_rotating(d->keys);
    daemon_log_text(&d->log, err == 0 ? SIGNET_LOG_INFO : SIGNET_LOG_ERROR, "rotation", "%s",
                    err == 0 ? "asked for: all service secrets are new" : signet_strerror(err));
    fprintf(out, "%s\n", err == 0 ? "all service secrets are new" : signet_strerror(err));
    return err == 0;
}

static void apply_limits(struct daemon *d, const struct daemon_config *fresh)
{
    struct daemon_config *now = &d->config;
    if (fresh->store_bytes == now->store_bytes && fresh->journal_keep == now->journal_keep &&
        fresh->drain_s == now->drain_s) {
        return;
    }
    now->store_bytes = fresh->store_bytes;
    now->journal_keep = fresh->journal_keep;
    now->drain_s = fresh->drain_s;
    signet_osd_limit(&d->serve.osd, now->store_bytes, now->journal_keep);
    daemon_log_text(&d->log, SIGNET_LOG_INFO, "reload",
                    "in force now: store-bytes %" PRIu64 ", journal-keep %" PRIu64
                    ", drain %" PRIu64,
                    now->store_bytes, now->journal_keep, now->drain_s);
}

/* Only what has changed in the configuration: a handler that was switched by hand stays. */
static bool apply(struct daemon *d, const struct daemon_config *fresh)
{
    bool ok = true;
    char names[500];
    if (fresh->log_level != d->fresh.log_level) {
        atomic_store_explicit(&d->log.level, (int)fresh->log_level, memory_order_relaxed);
    }
    if (strcmp(fresh->handler, d->fresh.handler) != 0) {
        ok = use_handler(d, fresh->handler[0] != 0 ? fresh->handler : "nss") == 0;
    }
    apply_limits(d, fresh);
    if (daemon_config_fixed_changes(&d->config, fresh, names, sizeof(names))) {
        daemon_log_text(&d->log, SIGNET_LOG_WARN, "reload",
                        "changed, but in force after a restart only: %s", names);
    }
    d->fresh = *fresh;
    return ok;
}

static bool reload_config(struct daemon *d)
{
    static struct daemon_config fresh; /* too large for a stack */
    struct daemon_why why = {.code = TOOL_OK};
    bool shown;
    if (daemon_config_read(&fresh, d->argc, d->argv, &shown, &why) != TOOL_OK) {
        daemon_log_why(d, SIGNET_LOG_ERROR, "reload", &why);
        return false;
    }
    return apply(d, &fresh);
}

static bool reload_keys(struct daemon *d)
{
    struct signet_fail fail = {.err = 0};
    int err = signet_keyserver_reload(d->keys, &fail);
    if (err != 0) {
        daemon_log_text(&d->log, SIGNET_LOG_ERROR, "reload", "%s: %s", d->state.keys_path,
                        fail.text[0] != 0 ? fail.text : signet_strerror(err));
    }
    return err == 0;
}

bool daemon_reload(struct daemon *d)
{
    daemon_notify_reloading();
    bool config = reload_config(d), keys = reload_keys(d);
    if (config && keys) {
        daemon_log_text(&d->log, SIGNET_LOG_INFO, "reload", "read configuration and state again");
    }
    daemon_notify("READY=1");
    return config && keys;
}

static bool ask_reload(struct daemon *d, FILE *out)
{
    bool ok = daemon_reload(d);
    char names[500];
    fputs(ok ? "read again\n" : "something was refused and stays as it was: see the log\n", out);
    if (daemon_config_fixed_changes(&d->config, &d->fresh, names, sizeof(names))) {
        fprintf(out, "restart needed for: %s\n", names);
    }
    return ok;
}

static bool ask_stop(struct daemon *d, FILE *out)
{
    d->stop = true;
    fputs("stopping\n", out);
    return true;
}

bool daemon_answer(void *arg, int num, char *const *words, FILE *out)
{
    struct daemon *d = arg;
    const char *what = words[0];
    if (strcmp(what, "handler") == 0 && num <= 2) {
        return ask_handler(d, words[1], out);
    }
    if (num == 1 && strcmp(what, "status") == 0) {
        return ask_status(d, out);
    }
    if (num == 1 && strcmp(what, "reload") == 0) {
        return ask_reload(d, out);
    }
    if (num == 1 && strcmp(what, "rotate") == 0) {
        return ask_rotate(d, out);
    }
    if (num == 1 && strcmp(what, "stop") == 0) {
        return ask_stop(d, out);
    }
    fprintf(out,
            "'%s'%s is no command; there are status, handler [NAME], reload, rotate "
            "and stop\n",
            what, num > 1 ? " with these arguments" : "");
    return false;
}
