/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <signet/handler.h>

#include "ping.h"

static bool json(const struct ping *ping)
{
    return ping->options.format == TOOL_JSON;
}

static void line(const char *step, const char *format, ...) SIGNET_PRINTF(2, 3);

static void line(const char *step, const char *format, ...)
{
    va_list args;
    printf("  %-11s ", step);
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    putchar('\n');
    fflush(stdout);
}

static void put(json_t *object, const char *name, json_t *value)
{
    json_object_set_new(object, name, value);
}

static const char *service_text(uint32_t service)
{
    return signet_service_name(service) ? signet_service_name(service) : "unknown";
}

static const char *mode_text(uint32_t mode)
{
    return mode == SIGNET_MODE_CRC ? "crc" : mode == SIGNET_MODE_SECURE ? "secure" : "unknown";
}

static const char *method_text(uint32_t method)
{
    return method == SIGNET_AUTH_NONE ? "none" : method == SIGNET_AUTH_CEPHX ? "cephx" : "unknown";
}

/* "secure crc"; into 64 bytes. */
static const char *modes_text(const uint32_t *modes, size_t num, char *out)
{
    size_t len = 0;
    *out = '\0';
    for (size_t i = 0; i < num && len < 48; i++)
        len += (size_t)snprintf(out + len, 64 - len, "%s%s", i ? " " : "", mode_text(modes[i]));
    return out;
}

static json_t *hex_json(uint64_t value)
{
    char text[24];
    snprintf(text, sizeof(text), "0x%" PRIx64, value);
    return json_string(text);
}

void ping_print_start(struct ping *ping)
{
    struct signet_handler_info info = {0};
    const char *name = signet_handler_name(signet_handler_current());
    const char *type = ping->key ? signet_key_type_name(signet_key_type(ping->key)) : NULL;
    if (signet_handler_info(signet_handler_current(), &info) != 0)
        info.version[0] = '\0';
    ping->document =
        json_pack("{s:b, s:o, s:s, s:s?, s:s?, s:s, s:[], s:[]}", "ok", 0, "entity",
                  tool_json_text(ping->options.name_text, strlen(ping->options.name_text)), "auth",
                  method_text(ping->options.auth), "key_type", type, "handler", name, "version",
                  info.version, "connections", "warnings");
    if (json(ping))
        return;
    if (ping->options.auth == SIGNET_AUTH_NONE)
        printf("%s without authentication: nobody proves who it is, and nothing is encrypted\n",
               ping->options.name_text);
    else
        printf("%s with %s key, handler %s (%s)\n", ping->options.name_text,
               type && *type == 'a' ? type : "a", name, info.version);
}

void ping_print_connect(struct ping *ping)
{
    char modes[64];
    modes_text(ping->options.modes, ping->options.num_modes, modes);
    ping->connection = json_pack("{s:s, s:s, s:s}", "peer", service_text(ping->peer_type), "addr",
                                 ping->peer_text, "offered_modes", modes);
    json_array_append_new(json_object_get(ping->document, "connections"), ping->connection);
    if (json(ping))
        return;
    printf("%s %s\n", service_text(ping->peer_type), ping->peer_text);
    line("connected", "offering %s, mode %s", method_text(ping->options.auth), modes);
}

static void banner(struct ping *ping, const struct signet_banner *banner)
{
    if (json(ping)) {
        put(ping->connection, "banner",
            json_pack("{s:o, s:o}", "supported", hex_json(banner->supported), "required",
                      hex_json(banner->required)));
        return;
    }
    line("banner", "msgr2.1, features 0x%" PRIx64 "%s%s, required 0x%" PRIx64, banner->supported,
         banner->supported & SIGNET_MSGR2_REVISION_1 ? " revision-1" : "",
         banner->supported & SIGNET_MSGR2_COMPRESSION ? " compression" : "", banner->required);
}

static void hello(struct ping *ping, const struct signet_hello *peer)
{
    char own[SIGNET_ADDR_TEXT_MAX];
    signet_addr_print(&peer->peer, own);
    if (json(ping))
        put(ping->connection, "hello",
            json_pack("{s:s, s:s}", "entity_type", service_text(peer->entity_type), "sees_us_as",
                      own));
    else
        line("hello", "it is %s %s and sees us as %s", peer->entity_type == SIGNET_OSD ? "an" : "a",
             service_text(peer->entity_type), own);
}

static void refused(struct ping *ping, const struct signet_auth_bad_method *bad)
{
    char modes[64];
    modes_text(bad->modes.v, bad->modes.num, modes);
    if (json(ping)) {
        json_t *methods = json_array();
        for (uint32_t i = 0; i < bad->methods.num; i++)
            json_array_append_new(methods, json_string(method_text(bad->methods.v[i])));
        put(ping->connection, "refused",
            json_pack("{s:s, s:i, s:o, s:s}", "method", method_text(bad->method), "result",
                      (int)bad->result, "allowed_methods", methods, "allowed_modes", modes));
        return;
    }
    printf("  %-11s method %s, result %" PRId32 "; it allows methods", "refused",
           method_text(bad->method), bad->result);
    for (uint32_t i = 0; i < bad->methods.num; i++)
        printf(" %s", method_text(bad->methods.v[i]));
    printf(", modes %s\n", modes);
}

static void authenticated(struct ping *ping, const struct signet_event_auth *auth)
{
    if (json(ping)) {
        put(ping->connection, "global_id", json_integer((json_int_t)auth->global_id));
        put(ping->connection, "mode", json_string(mode_text(auth->mode)));
        put(ping->connection, "signed",
            json_pack("{s:I, s:I}", "received", (json_int_t)auth->received, "sent",
                      (json_int_t)auth->sent));
        return;
    }
    line("logged in", "method %s, mode %s, global_id %" PRIu64, method_text(ping->options.auth),
         mode_text(auth->mode), auth->global_id);
    if (ping->options.auth == SIGNET_AUTH_NONE)
        line("signatures", "zeros, as there is no key");
    else
        line("signatures", "right, over %zu bytes received and %zu sent", auth->received,
             auth->sent);
}

static void session(struct ping *ping, const struct signet_event_ready *ready)
{
    char peer[SIGNET_ADDR_TEXT_MAX] = "-", own[SIGNET_ADDR_TEXT_MAX];
    if (ready->peer->addrs.num)
        signet_addr_print(&ready->peer->addrs.addr[0], peer);
    signet_addr_print(ready->own, own);
    if (json(ping)) {
        put(ping->connection, "session",
            json_pack("{s:I, s:s, s:s, s:o, s:b}", "gid", (json_int_t)ready->peer->gid, "peer",
                      peer, "own", own, "features", hex_json(ready->features), "lossy",
                      (int)ready->lossy));
        return;
    }
    line("session", "with %s.%" PRId64 " at %s, features 0x%" PRIx64 "%s",
         service_text(ping->peer_type), ready->peer->gid, peer, ready->features,
         ready->lossy ? ", lossy" : "");
}

void ping_print_event(struct ping *ping, const struct signet_event *event)
{
    switch (event->kind) {
    case SIGNET_EVENT_BANNER:
        banner(ping, &event->banner);
        break;
    case SIGNET_EVENT_HELLO:
        hello(ping, &event->hello);
        break;
    case SIGNET_EVENT_REFUSED:
        refused(ping, &event->refused);
        break;
    case SIGNET_EVENT_AUTHENTICATED:
        authenticated(ping, &event->auth);
        break;
    case SIGNET_EVENT_READY:
        session(ping, &event->ready);
        break;
    default:
        break;
    }
}

static void ticket(struct ping *ping, const struct signet_ticket_info *info)
{
    const char *type = signet_key_type_name(info->session_type);
    double validity = (double)info->validity_ns / 1e9;
    if (json(ping)) {
        json_t *tickets = json_object_get(ping->connection, "tickets");
        if (!tickets) {
            put(ping->connection, "tickets", json_array());
            tickets = json_object_get(ping->connection, "tickets");
        }
        json_array_append_new(
            tickets, json_pack("{s:s, s:s, s:I, s:f, s:I, s:b}", "service",
                               service_text(info->service), "session_key_type", type ? type : "?",
                               "secret_id", (json_int_t)info->secret_id, "validity_s", validity,
                               "len", (json_int_t)info->blob_len, "usable", (int)info->usable));
        return;
    }
    line("ticket", "%s: %s session key, valid for %.0f s, secret %" PRIu64 ", %zu bytes%s",
         service_text(info->service), type ? type : "unknown", validity, info->secret_id,
         info->blob_len, info->usable ? "" : ", NOT usable");
}

void ping_print_tickets(struct ping *ping)
{
    struct signet_ticket_info info;
    for (size_t i = 0; signet_client_ticket(ping->client, i, &info) == 0; i++) {
        ticket(ping, &info);
        if (info.service != SIGNET_AUTH)
            continue;
        ping->skew_s = ((double)info.created_ns - (double)info.received_ns) / 1e9;
        ping->has_skew = true;
        if (json(ping))
            put(ping->connection, "clock_ahead_s", json_real(ping->skew_s));
        else
            line("clock", "the monitor's is %.3f s %s ours",
                 ping->skew_s < 0 ? -ping->skew_s : ping->skew_s,
                 ping->skew_s < 0 ? "behind" : "ahead of");
    }
}

void ping_print_round_trips(struct ping *ping, const uint64_t *rtt_ns, size_t num)
{
    uint64_t min = UINT64_MAX, max = 0, sum = 0;
    json_t *all = json_array();
    for (size_t i = 0; i < num; i++) {
        min = rtt_ns[i] < min ? rtt_ns[i] : min;
        max = rtt_ns[i] > max ? rtt_ns[i] : max;
        sum += rtt_ns[i];
        json_array_append_new(all, json_real((double)rtt_ns[i] / 1e6));
    }
    double min_ms = (double)min / 1e6, max_ms = (double)max / 1e6;
    double avg_ms = (double)sum / (double)num / 1e6;
    if (json(ping))
        put(ping->connection, "keepalive",
            json_pack("{s:I, s:f, s:f, s:f, s:O}", "count", (json_int_t)num, "min_ms", min_ms,
                      "avg_ms", avg_ms, "max_ms", max_ms, "rtt_ms", all));
    else
        line("keepalive", "%zu round trips, min/avg/max %.3f/%.3f/%.3f ms", num, min_ms, avg_ms,
             max_ms);
    json_decref(all);
}
