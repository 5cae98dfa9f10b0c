/* SPDX-License-Identifier: MIT */
#include "daemon_metrics.h"

#include <inttypes.h>

#include <signet/signet.h>

#define NS_PER_S 1e9

const char *const daemon_service_names[DAEMON_SERVICES] = {"mon", "osd"};

static void head(FILE *out, const char *name, const char *type, const char *help)
{
    fprintf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void one(FILE *out, const char *name, const char *type, const char *help, uint64_t value)
{
    head(out, name, type, help);
    fprintf(out, "%s %" PRIu64 "\n", name, value);
}

static void counter(FILE *out, const char *name, const char *help, uint64_t value)
{
    one(out, name, "counter", help, value);
}

static void gauge(FILE *out, const char *name, const char *help, uint64_t value)
{
    one(out, name, "gauge", help, value);
}

/* A row for each cause that has happened. */
static void causes(FILE *out, const char *name, const char *help,
                   const uint64_t count[SIGNET_E_NUM_])
{
    head(out, name, "counter", help);
    for (int e = 1; e < SIGNET_E_NUM_; e++) {
        if (count[e] != 0) {
            fprintf(out, "%s{cause=\"%s\"} %" PRIu64 "\n", name, signet_err_name(e), count[e]);
        }
    }
}

static void pair(FILE *out, const char *name, const char *help, const char *label, const char *a,
                 uint64_t value_a, const char *b, uint64_t value_b)
{
    head(out, name, "counter", help);
    fprintf(out, "%s{%s=\"%s\"} %" PRIu64 "\n", name, label, a, value_a);
    fprintf(out, "%s{%s=\"%s\"} %" PRIu64 "\n", name, label, b, value_b);
}

/* --- parts ---------------------------------------------------------------------------------- */

static void print_process(FILE *out, const struct daemon_figures *f)
{
    head(out, "signet_build_info", "gauge", "Version of signetd.");
    fprintf(out, "signet_build_info{version=\"%s\"} 1\n", SIGNET_VERSION);
    head(out, "signet_start_time_seconds", "gauge", "When the daemon started, since 1970.");
    fprintf(out, "signet_start_time_seconds %.3f\n", (double)f->started_ns / NS_PER_S);
    counter(out, "signet_log_lines_dropped_total",
            "Warnings of what clients did that were left out of the log.", f->log_dropped);
    counter(out, "signet_log_lines_lost_total",
            "Log lines of any kind that were lost because stderr took none.", f->log_lost);
}

static void print_handlers(FILE *out, const struct daemon_figures *f)
{
    const struct signet_handler *handler;
    head(out, "signet_handler", "gauge", "1 for the library that does the cryptography now.");
    for (size_t i = 0; (handler = signet_handler_at(i)) != NULL; i++) {
        fprintf(out, "signet_handler{handler=\"%s\"} %d\n", signet_handler_name(handler),
                handler == f->handler);
    }
    const char *const names[] = {"signet_sealed_bytes_total", "signet_opened_bytes_total"};
    const char *const help[] = {"Plaintext sealed on secure connections.",
                                "Plaintext opened on secure connections."};
    for (int k = 0; k < 2; k++) {
        head(out, names[k], "counter", help[k]);
        for (int i = 0; i < SIGNET_MESSENGER_HANDLERS; i++) {
            if (f->net.by_handler[i].handler != NULL) {
                fprintf(out, "%s{handler=\"%s\"} %" PRIu64 "\n", names[k],
                        signet_handler_name(f->net.by_handler[i].handler),
                        k == 0 ? f->net.by_handler[i].sealed : f->net.by_handler[i].opened);
            }
        }
    }
}

static void print_handshakes(FILE *out, const struct daemon_figures *f)
{
    head(out, "signet_handshakes_total", "counter",
         "Handshakes that ended, by port, outcome and cause.");
    for (int s = 0; s < DAEMON_SERVICES; s++) {
        const struct daemon_handshakes *h = &f->handshakes[s];
        fprintf(out,
                "signet_handshakes_total{service=\"%s\",outcome=\"ok\",cause=\"\"} %" PRIu64 "\n",
                daemon_service_names[s], h->ok);
        for (int e = 1; e < SIGNET_E_NUM_; e++) {
            if (h->failed[e] != 0) {
                fprintf(out,
                        "signet_handshakes_total{service=\"%s\",outcome=\"failed\",cause=\"%s\"} "
                        "%" PRIu64 "\n",
                        daemon_service_names[s], signet_err_name(e), h->failed[e]);
            }
        }
    }
}

static void print_network(FILE *out, const struct daemon_figures *f)
{
    const struct signet_messenger_stats *net = &f->net;
    counter(out, "signet_connections_accepted_total", "Connections accepted.", net->accepted);
    causes(out, "signet_connections_closed_total", "Connections that ended, by cause.",
           net->closed);
    gauge(out, "signet_peers", "Connections now, half-open ones included.", net->peers);
    gauge(out, "signet_half_open", "Connections now that are not through their handshake.",
          net->half_open);
    gauge(out, "signet_output_buffer_bytes",
          "Memory for what waits to be read by clients, free buffers included.", net->output_bytes);
    gauge(out, "signet_input_buffer_bytes", "Memory for messages that come in.", net->input_bytes);
    pair(out, "signet_messages_total", "Messages.", "direction", "in", net->messages_in, "out",
         net->messages_out);
    pair(out, "signet_network_bytes_total", "Bytes on the wire.", "direction", "in", net->received,
         "out", net->sent);
    if (net->nonces_left != UINT64_MAX) {
        gauge(out, "signet_nonces_left",
              "The least number of frames that a direction of a live secure connection may still "
              "seal.",
              net->nonces_left);
    }
}

static void print_keys(FILE *out, const struct daemon_figures *f)
{
    const struct signet_keyserver_stats *keys = &f->keys;
    counter(out, "signet_logins_total", "Logins that succeeded.", keys->logins);
    counter(out, "signet_reclaims_total", "Logins that kept their global_id.", keys->reclaims);
    counter(out, "signet_renewals_total", "Tickets renewed inside a session.", keys->renewals);
    counter(out, "signet_tickets_issued_total", "Service tickets issued.", keys->tickets);
    counter(out, "signet_authorizers_verified_total", "Authorizers accepted.", keys->authorizers);
    causes(out, "signet_refused_total", "Logins, renewals and authorizers refused, by cause.",
           keys->refused);
    counter(out, "signet_rotations_total", "Rotations of the service secrets.", keys->rotations);
    if (keys->rotated_real_ns != 0) {
        head(out, "signet_rotation_age_seconds", "gauge",
             "Time since the last rotation of this process.");
        fprintf(out, "signet_rotation_age_seconds %.3f\n",
                f->now_ns > keys->rotated_real_ns
                    ? (double)(f->now_ns - keys->rotated_real_ns) / NS_PER_S
                    : 0.0);
    }
    gauge(out, "signet_principals", "Entities that the key server knows.", keys->principals);
}

static void print_objects(FILE *out, const struct daemon_figures *f)
{
    gauge(out, "signet_objects", "Objects that the OSD keeps.", f->objects);
    gauge(out, "signet_object_bytes", "Bytes of their data.", f->object_bytes);
    gauge(out, "signet_object_memory_bytes", "Memory that they take.", f->object_memory);
    gauge(out, "signet_object_memory_max_bytes", "Memory that they may take.",
          f->object_memory_max);
    if (f->journal) {
        gauge(out, "signet_journal_bytes", "Size of the journal of objects.", f->journal_bytes);
        counter(out, "signet_journal_refused_total",
                "Writes refused because the journal could not take them.", f->journal_refused);
        counter(out, "signet_journal_rewrites_total",
                "Times that the journal was written anew, at the start or since.", f->journal_anew);
        counter(out, "signet_journal_flushes_total",
                "With --journal-sync: flushes, each for all writes that waited.",
                f->journal_flushes);
        gauge(out, "signet_journal_lost",
              "1 after a flush that failed: nothing is written until a restart.",
              f->journal_lost ? 1 : 0);
    }
}

void daemon_metrics_print(FILE *out, const struct daemon_figures *figures)
{
    print_process(out, figures);
    print_handlers(out, figures);
    print_handshakes(out, figures);
    print_network(out, figures);
    print_keys(out, figures);
    print_objects(out, figures);
}
