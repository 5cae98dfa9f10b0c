/* SPDX-License-Identifier: MIT */
#include "daemon_serve.h"

#include <errno.h>
#include <string.h>

#include <signet/conn.h>

#include "daemon_journal.h"
#include "daemon_peer.h"
#include "lite/journal.h"

enum { PG_NUM = 8 };
#define KEEPALIVE_NS UINT64_C(60000000000) /* finds peers that are gone without a word */
#define ANSWER_NS    UINT64_C(1000000) /* see signet_conn_options: clients watch monitors only */

static int listen_at(struct daemon_serve *serve, const struct daemon_config *config, int index,
                     const struct signet_addr *addr, uint32_t service, struct daemon_why *why)
{
    struct daemon_port *port = &serve->port[index];
    struct signet_fail fail = {.err = 0};
    char text[SIGNET_ADDR_TEXT_MAX];
    struct signet_listener_options options = {
        .addr = *addr,
        .service = service,
        .keys = serve->keys,
        .conn = {.num_modes = config->num_modes,
                 .keepalive_interval_ns = KEEPALIVE_NS,
                 .keepalive_answer_ns = index == DAEMON_MON ? ANSWER_NS : 0,
                 .supported = SIGNET_FEATURES_SUPPORTED,
                 .required = SIGNET_FEATURES_REQUIRED_SERVER},
        .ops = daemon_peer_ops,
        .arg = port,
    };
    memcpy(options.conn.modes, config->modes, sizeof(options.conn.modes));
    port->serve = serve;
    port->index = index;
    int err = signet_messenger_listen(serve->messenger, &options, &port->addr, &fail);
    if (err == 0) {
        return TOOL_OK;
    }
    if (err == -SIGNET_E_ADDR_IN_USE) {
        why->next = index == DAEMON_MON
                        ? "stop what listens there, or take another port with --mon"
                        : "stop what listens there, or take another port with --osd";
    }
    signet_addr_print(addr, text);
    size_t len = strlen(text); /* the reason names the address already */
    bool named = strncmp(fail.text, text, len) == 0 && strncmp(fail.text + len, ": ", 2) == 0;
    return daemon_fail(why, TOOL_FAILURE, "cannot listen at %s: %s", text,
                       named               ? fail.text + len + 2
                       : fail.text[0] != 0 ? fail.text
                                           : signet_strerror(err));
}

int daemon_serve_start(struct daemon_serve *serve, const struct daemon_config *config,
                       uint32_t osd_nonce, struct signet_keyserver *keys, struct daemon_log *log,
                       struct daemon_why *why)
{
    const struct signet_messenger_options options = {.threads = config->threads,
                                                     .max_peers = config->max_peers,
                                                     .max_half_open = config->max_half_open,
                                                     .max_output = config->max_output,
                                                     .max_input = config->max_input};
    struct signet_addr osd = config->osd;
    osd.nonce = osd.nonce != 0 ? osd.nonce : osd_nonce;
    serve->log = log;
    serve->keys = keys;
    atomic_init(&serve->open, false);
    atomic_init(&serve->lost_told, false);
    errno = 0;
    int err = signet_messenger_new(&serve->messenger, &options);
    if (err != 0) {
        int saved = errno;
        why->next = "raise the limit of open files (LimitNOFILE of the unit, or ulimit -n), or "
                    "take fewer --threads";
        return daemon_fail(why, TOOL_FAILURE, "cannot start the workers: %s%s%s",
                           signet_strerror(err), saved != 0 ? ": " : "",
                           saved != 0 ? strerror(saved) : "");
    }
    int code = listen_at(serve, config, DAEMON_OSD, &osd, SIGNET_OSD, why);
    if (code == TOOL_OK) {
        code = listen_at(serve, config, DAEMON_MON, &config->mon, SIGNET_MON, why);
    }
    if (code != TOOL_OK) {
        signet_messenger_free(serve->messenger);
        serve->messenger = NULL;
    }
    return code;
}

static struct signet_lite_usage pools_usage(void *arg)
{
    struct store_usage u = signet_osd_usage(arg);
    return (struct signet_lite_usage){
        .objects = u.objects, .bytes = u.bytes, .used = u.memory, .capacity = u.max_bytes};
}

static struct signet_lite_usage pool_usage(void *arg, uint64_t pool)
{
    struct store_pool u = signet_osd_pool_usage(arg, pool);
    return (struct signet_lite_usage){.objects = u.objects, .bytes = u.bytes, .used = u.memory};
}

/* The journal may know of clients that the state does not, when an older state was restored. */
static int pass_clients(struct daemon_serve *serve, struct daemon_why *why)
{
    int err = signet_keyserver_pass_ids(serve->keys, signet_osd_last_client(&serve->osd));
    return err == 0 ? TOOL_OK
                    : daemon_fail(why, TOOL_FAILURE, "cannot pass the clients of the journal: %s",
                                  signet_strerror(err));
}

int daemon_serve_open(struct daemon_serve *serve, const struct daemon_config *config,
                      const uint8_t fsid[16], uint32_t epoch, uint64_t created_s,
                      struct daemon_why *why)
{
    struct signet_lite_cluster *c = &serve->cluster;
    *c = (struct signet_lite_cluster){
        .epoch = epoch,
        .created = {.sec = (uint32_t)created_s},
        .mon_name = "a",
        .mon = serve->port[DAEMON_MON].addr,
        .osd = serve->port[DAEMON_OSD].addr,
        .features = SIGNET_FEATURES_SUPPORTED,
        .pools = serve->pools,
        .num_pools = config->num_pools,
    };
    memcpy(c->fsid, fsid, sizeof(c->fsid));
    for (unsigned i = 0; i < config->num_pools; i++) {
        serve->pools[i] = (struct signet_lite_pool){
            .id = config->pools[i].id, .name = config->pools[i].name, .pg_num = PG_NUM};
    }
    const struct signet_osd_options options = {
        .cluster = c, .env = signet_env_system(), .store_bytes = config->store_bytes};
    int err = signet_osd_init(&serve->osd, &options);
    if (err != 0) {
        return daemon_fail(why, TOOL_FAILURE, "cannot make room for objects: %s",
                           signet_strerror(err));
    }
    serve->later = daemon_peer_later;
    serve->later.host = serve;
    serve->osd.later = &serve->later;
    int code = daemon_journal_open(&serve->osd, config, serve->log, why);
    if (code == TOOL_OK) {
        code = pass_clients(serve, why);
    }
    if (code != TOOL_OK) {
        signet_osd_clear(&serve->osd);
        return code;
    }
    signet_mon_init(&serve->mon, c, serve->keys, signet_env_system(), config->preferred_cipher);
    serve->mon.usage = pools_usage;
    serve->mon.pool_usage = pool_usage;
    serve->mon.usage_arg = &serve->osd;
    /* Workers that see the flag see what was written before. */
    atomic_store_explicit(&serve->open, true, memory_order_release);
    return TOOL_OK;
}

bool daemon_serve_stop(struct daemon_serve *serve, uint64_t drain_ns)
{
    bool all = true;
    if (serve->messenger != NULL) {
        all = signet_messenger_drain(serve->messenger, drain_ns) == 0;
        signet_osd_quiet(&serve->osd); /* it uses the messenger */
        signet_messenger_free(serve->messenger);
        serve->messenger = NULL;
    }
    if (atomic_load_explicit(&serve->open, memory_order_relaxed)) {
        signet_mon_clear(&serve->mon);
        signet_osd_clear(&serve->osd);
        atomic_store_explicit(&serve->open, false, memory_order_relaxed);
    }
    return all;
}

void daemon_serve_figures(const struct daemon_serve *serve, struct daemon_figures *out)
{
    signet_messenger_stats(serve->messenger, &out->net);
    struct store_usage usage = {.objects = 0};
    struct journal_usage journal = {.bytes = 0};
    if (atomic_load_explicit(&serve->open, memory_order_acquire)) {
        usage = signet_osd_usage(&serve->osd);
        signet_osd_journal_usage(&serve->osd, &journal);
        out->journal = serve->osd.journal != NULL;
    }
    out->objects = usage.objects;
    out->object_bytes = usage.bytes;
    out->object_memory = usage.memory;
    out->object_memory_max = usage.max_bytes;
    out->journal_bytes = journal.bytes;
    out->journal_refused = journal.refused;
    out->journal_anew = journal.anew;
    out->journal_flushes = journal.flushes;
    out->journal_lost = journal.lost;
    for (int i = 0; i < DAEMON_SERVICES; i++) {
        const struct daemon_port *port = &serve->port[i];
        out->handshakes[i].ok = atomic_load_explicit(&port->ok, memory_order_relaxed);
        for (int e = 0; e < SIGNET_E_NUM_; e++) {
            out->handshakes[i].failed[e] =
                atomic_load_explicit(&port->failed[e], memory_order_relaxed);
        }
    }
}
