/* SPDX-License-Identifier: MIT */
#include "crypto/registry.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include <signet/signet.h>

#include "base/log.h"
#include "crypto/engine.h"
#include "crypto/fork.h"
#include "crypto/probe.h"

_Atomic(struct signet_row *) signet_current_row;
bool signet_plain_calls;

static struct signet_row rows[SIGNET_HANDLER_MAX];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned users; /* signet_init() calls without their signet_shutdown() */

static struct signet_row *row_of(const struct signet_handler *handler)
{
    for (size_t i = 0; i < signet_handlers_num; i++) {
        if (signet_handlers[i] == handler) {
            return &rows[i];
        }
    }
    return NULL;
}

/* 0, the error of the last probe, or -STATE when there was none. */
static int err_of(struct signet_row *row)
{
    int verdict = atomic_load_explicit(&row->verdict, memory_order_acquire);
    return verdict == SIGNET_NOT_PROBED ? -SIGNET_E_STATE : verdict < 0 ? verdict : 0;
}

/* Starts the handler if it is not, and runs its tests. Under the lock. */
static int probe_row(struct signet_row *row)
{
    row->why[0] = 0;
    int err = 0;
    if (!row->started) {
        err = row->handler->start(row->why, sizeof(row->why));
        row->started = err == 0;
    }
    if (err == 0) {
        err = signet_probe(row->handler, row->why, sizeof(row->why));
    } else if (err != -SIGNET_E_HANDLER_FIPS) {
        err = -SIGNET_E_HANDLER_REFUSED;
    }
    atomic_store_explicit(&row->verdict, err == 0 ? SIGNET_PASSED : err, memory_order_release);
    if (err != 0) {
        signet_log(SIGNET_LOG_WARN, "handler %s is refused: %s", row->handler->name, row->why);
    } else {
        signet_log(SIGNET_LOG_DEBUG, "handler %s passed its self-test", row->handler->name);
    }
    return err;
}

static void stop_rows(void)
{
    atomic_store_explicit(&signet_current_row, NULL, memory_order_release);
    for (size_t i = 0; i < signet_handlers_num; i++) {
        if (rows[i].started) {
            rows[i].handler->stop();
        }
        rows[i].started = false;
        atomic_store_explicit(&rows[i].verdict, SIGNET_NOT_PROBED, memory_order_release);
    }
}

static void start_rows(void)
{
    for (unsigned i = 0; i < signet_handlers_num; i++) {
        rows[i].handler = signet_handlers[i];
        rows[i].index = i;
        (void)probe_row(&rows[i]);
    }
}

/* The first handler that works, other than one that was refused. */
static struct signet_row *fall_back(void)
{
    for (size_t i = 0; i < signet_handlers_num; i++) {
        if (err_of(&rows[i]) == 0) {
            return &rows[i];
        }
    }
    return NULL;
}

static int choose(const char *name, bool strict)
{
    struct signet_row *row = row_of(signet_handler_find(name != NULL ? name : "nss"));
    if (row == NULL && (name != NULL || strict)) {
        return -SIGNET_E_HANDLER_UNKNOWN;
    }
    int err = row != NULL ? err_of(row) : -SIGNET_E_HANDLER_UNKNOWN;
    if (err != 0 && !strict && fall_back() != NULL) {
        row = fall_back();
        err = 0;
        signet_log(SIGNET_LOG_INFO, "starting with handler %s", row->handler->name);
    }
    if (err == 0) {
        atomic_store_explicit(&signet_current_row, row, memory_order_release);
    }
    return err;
}

int signet_init(const struct signet_options *options)
{
    static const struct signet_options defaults;
    const struct signet_options *o = options != NULL ? options : &defaults;
    pthread_mutex_lock(&lock);
    int err = 0;
    if (users == 0) {
        signet_log_set(o->log, o->log_arg);
        signet_fork_hooks(!o->no_atfork);
        signet_plain_calls = o->plain_calls;
        start_rows();
        err = choose(o->handler, o->strict);
        if (err != 0) {
            stop_rows();
            signet_log_set(NULL, NULL);
        }
    }
    if (err == 0) {
        users++;
    }
    pthread_mutex_unlock(&lock);
    return err;
}

void signet_shutdown(void)
{
    pthread_mutex_lock(&lock);
    if (users > 0 && --users == 0) {
        stop_rows();
        signet_fork_hooks(false);
        signet_log_set(NULL, NULL);
    }
    pthread_mutex_unlock(&lock);
}

const char *signet_version(void)
{
    return SIGNET_VERSION;
}

const struct signet_handler *signet_handler_at(size_t index)
{
    return index < signet_handlers_num ? signet_handlers[index] : NULL;
}

const struct signet_handler *signet_handler_find(const char *name)
{
    for (size_t i = 0; name != NULL && i < signet_handlers_num; i++) {
        if (strcmp(signet_handlers[i]->name, name) == 0) {
            return signet_handlers[i];
        }
    }
    return NULL;
}

const char *signet_handler_name(const struct signet_handler *handler)
{
    return handler->name;
}

const struct signet_handler *signet_handler_current(void)
{
    struct signet_row *row = signet_row_now(NULL);
    return row != NULL ? row->handler : NULL;
}

static void describe(const struct signet_row *row, struct signet_handler_info *out)
{
    const struct signet_handler *h = row->handler;
    if (row->started) {
        h->version(out->version, sizeof(out->version));
        out->fips = h->fips();
    }
    if (out->probe_err == 0) {
        h->detail(out->detail, sizeof(out->detail));
    } else {
        memcpy(out->detail, row->why, sizeof(row->why));
    }
}

int signet_handler_info(const struct signet_handler *handler, struct signet_handler_info *out)
{
    _Static_assert(sizeof(out->detail) == sizeof(rows[0].why), "why is copied into detail");
    memset(out, 0, sizeof(*out));
    struct signet_row *row = row_of(handler);
    if (row == NULL) {
        return -SIGNET_E_HANDLER_UNKNOWN;
    }
    pthread_mutex_lock(&lock);
    int err = users > 0 ? 0 : -SIGNET_E_STATE;
    if (err == 0) {
        out->name = handler->name;
        out->current = signet_row_now(NULL) == row;
        out->probe_err = err_of(row);
        describe(row, out);
    }
    pthread_mutex_unlock(&lock);
    return err;
}

int signet_handler_probe(const struct signet_handler *handler)
{
    struct signet_row *row = row_of(handler);
    if (row == NULL) {
        return -SIGNET_E_HANDLER_UNKNOWN;
    }
    pthread_mutex_lock(&lock);
    int err = users > 0 ? probe_row(row) : -SIGNET_E_STATE;
    pthread_mutex_unlock(&lock);
    return err;
}

int signet_row_pin(struct signet_row **row, const struct signet_handler *handler)
{
    *row = NULL;
    if (handler == NULL) {
        return signet_row_now(NULL) != NULL ? 0 : -SIGNET_E_STATE;
    }
    struct signet_row *found = row_of(handler);
    if (found == NULL) {
        return -SIGNET_E_HANDLER_UNKNOWN;
    }
    int err = err_of(found);
    *row = err == 0 ? found : NULL;
    return err;
}

int signet_handler_use(const struct signet_handler *handler)
{
    struct signet_row *row = row_of(handler);
    if (row == NULL) {
        return -SIGNET_E_HANDLER_UNKNOWN;
    }
    int err = err_of(row);
    if (err != 0) {
        err = signet_handler_probe(handler);
    }
    if (err == 0) {
        atomic_store_explicit(&signet_current_row, row, memory_order_release);
    }
    return err;
}

void signet_registry_fork_lock(void)
{
    pthread_mutex_lock(&lock);
    signet_engine_fork_lock();
    for (size_t i = 0; i < signet_handlers_num; i++) {
        if (rows[i].started) {
            rows[i].handler->fork_prepare();
        }
    }
}

void signet_registry_fork_unlock(bool child)
{
    for (size_t i = signet_handlers_num; i-- > 0;) {
        if (rows[i].started && child) {
            rows[i].handler->fork_child();
        } else if (rows[i].started) {
            rows[i].handler->fork_parent();
        }
    }
    signet_engine_fork_unlock();
    pthread_mutex_unlock(&lock);
}
