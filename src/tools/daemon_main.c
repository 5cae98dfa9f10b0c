/* SPDX-License-Identifier: MIT */
/* The loop of the main thread: signals, time, the control socket. */
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "daemon.h"
#include "daemon_notify.h"

#define NS_PER_S UINT64_C(1000000000)
/* The key server is asked for its deadline at least so often: commands change it. */
#define LOOK_NS (60 * NS_PER_S)
enum { RETRY_S = 5 };

static uint64_t mono_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

/* --- rotation ------------------------------------------------------------------------------- */

/* Wakes at the time (wall clock), or when the clock was set. */
static void wake_at(struct daemon *d, uint64_t real_ns)
{
    const struct itimerspec at = {.it_value = {.tv_sec = (time_t)(real_ns / NS_PER_S),
                                               .tv_nsec = (long)(real_ns % NS_PER_S)}};
    if (timerfd_settime(d->timer_fd, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &at, NULL) != 0) {
        daemon_log_text(&d->log, SIGNET_LOG_ERROR, "timer", "cannot be set");
    }
}

static void rotate(struct daemon *d)
{
    struct signet_env env = signet_env_system();
    struct signet_keyserver_stats before, after;
    uint64_t gone;
    ssize_t n = read(d->timer_fd, &gone, sizeof(gone)); /* fails when the clock was set */
    (void)n;
    signet_keyserver_stats(d->keys, &before);
    int err = signet_keyserver_tick(d->keys);
    signet_keyserver_stats(d->keys, &after);
    if (err != 0) {
        daemon_log_text(&d->log, SIGNET_LOG_ERROR, "rotation", "%s; tried again in %d seconds",
                        signet_strerror(err), RETRY_S);
    } else if (after.rotations != before.rotations) {
        daemon_log_text(&d->log, SIGNET_LOG_INFO, "rotation", "new service secrets");
    }
    uint64_t now = env.real_ns(env.arg), deadline = signet_keyserver_deadline_ns(d->keys);
    deadline = deadline < now + LOOK_NS ? deadline : now + LOOK_NS;
    wake_at(d, err == 0 && deadline > now ? deadline : now + (err != 0 ? RETRY_S : 1) * NS_PER_S);
}

/* --- signals -------------------------------------------------------------------------------- */

static void take_signals(struct daemon *d)
{
    struct signalfd_siginfo info;
    while (read(d->signals_fd, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
        if (info.ssi_signo == SIGHUP) {
            (void)daemon_reload(d);
        } else {
            daemon_log_text(&d->log, SIGNET_LOG_INFO, "stop", "signal %u", info.ssi_signo);
            d->stop = true;
        }
    }
}

static struct daemon_log *cut_log; /* for the handler */

static void exit_now(int number)
{
    (void)number;
    daemon_log_cut(cut_log);
    _exit(TOOL_FAILURE);
}

/* From here on nothing waits for signals: a second one ends the process at once. Files are whole
 * at any time. */
static void free_signals(struct daemon_log *log)
{
    sigset_t set;
    const struct sigaction action = {.sa_handler = exit_now};
    cut_log = log;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

/* --- the loop ------------------------------------------------------------------------------- */

enum { TELL_MS = 1000 };

static bool untold(const struct daemon *d)
{
    return atomic_load_explicit(&d->log.dropped, memory_order_relaxed) !=
           atomic_load_explicit(&d->log.dropped_told, memory_order_relaxed);
}

/* Once a second, and at the end. */
static void tell(struct daemon *d)
{
    uint64_t now = mono_ns();
    if (untold(d) && (d->stop || now - d->told_ns >= TELL_MS * UINT64_C(1000000))) {
        d->told_ns = now;
        daemon_log_tell_dropped(&d->log);
    }
}

static void turn(struct daemon *d)
{
    uint64_t count;
    struct pollfd fds[3 + DAEMON_CTL_POLL];
    fds[0] = (struct pollfd){.fd = d->signals_fd, .events = POLLIN};
    fds[1] = (struct pollfd){.fd = d->timer_fd, .events = POLLIN};
    fds[2] = (struct pollfd){.fd = d->log.wake_fd, .events = POLLIN};
    int wait = daemon_ctl_poll(&d->ctl, fds + 3, mono_ns());
    wait = untold(d) && (wait < 0 || wait > TELL_MS) ? TELL_MS : wait;
    if (poll(fds, sizeof(fds) / sizeof(fds[0]), wait) < 0) {
        return;
    }
    daemon_ctl_run(&d->ctl, fds + 3, mono_ns());
    if (fds[0].revents != 0) {
        take_signals(d);
    }
    if (fds[1].revents != 0) {
        rotate(d);
    }
    if (fds[2].revents != 0 && read(d->log.wake_fd, &count, sizeof(count)) < 0) {
        return;
    }
    tell(d);
}

static int run(struct daemon *d)
{
    struct daemon_why why = {.code = TOOL_OK};
    int code = daemon_start(d, &why);
    if (code != TOOL_OK) {
        daemon_log_why(d, SIGNET_LOG_ERROR, "failed", &why);
        daemon_end(d);
        return code;
    }
    rotate(d);
    while (!d->stop) {
        turn(d);
    }
    daemon_notify("STOPPING=1");
    free_signals(&d->log);
    daemon_end(d);
    daemon_log_text(&d->log, SIGNET_LOG_INFO, "end", "stopped as asked");
    return TOOL_OK;
}

int daemon_main(int argc, char **argv)
{
    static struct daemon d;
    struct daemon_why why = {.code = TOOL_OK};
    bool shown;
    d.argc = argc;
    d.argv = argv;
    d.state.lock_fd = d.ctl.fd = d.signals_fd = d.timer_fd = -1;
    int code = daemon_config_read(&d.config, argc, argv, &shown, &why);
    if (code != TOOL_OK) {
        fputs("signetd: ", stderr);
        tool_put_text(stderr, why.text, strlen(why.text));
        fputs("\nTry 'signetd --help'.\n", stderr);
        return code;
    }
    if (shown) {
        return TOOL_OK;
    }
    d.fresh = d.config;
    daemon_log_init(&d.log, STDERR_FILENO, d.config.log_level);
    code = run(&d);
    daemon_log_stop(&d.log);
    return code;
}
