/* SPDX-License-Identifier: MIT */
/* The figures of signetd as Prometheus reads them (text format 0.0.4). Pure: figures in, text out.
 */
#ifndef SIGNET_TOOLS_DAEMON_METRICS_H
#define SIGNET_TOOLS_DAEMON_METRICS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <signet/keyserver.h>
#include <signet/messenger.h>

enum { DAEMON_MON, DAEMON_OSD, DAEMON_SERVICES };
extern const char *const daemon_service_names[DAEMON_SERVICES]; /* "mon", "osd" */

/* Handshakes at one of the two ports. */
struct daemon_handshakes {
    uint64_t ok;
    uint64_t failed[SIGNET_E_NUM_]; /* by cause: enum signet_err */
};

struct daemon_figures {
    struct signet_messenger_stats net;
    struct signet_keyserver_stats keys;
    struct daemon_handshakes handshakes[DAEMON_SERVICES];
    const struct signet_handler *handler; /* the current one */
    uint64_t now_ns, started_ns;          /* wall clock */
    uint64_t log_dropped, log_lost;
    uint64_t objects, object_bytes; /* at the OSD; bytes of their data */
    uint64_t object_memory, object_memory_max;
    bool journal; /* there is one: */
    uint64_t journal_bytes, journal_refused, journal_flushes, journal_anew;
    bool journal_lost;
};

void daemon_metrics_print(FILE *out, const struct daemon_figures *figures);

#endif
