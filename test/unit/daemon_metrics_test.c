/* SPDX-License-Identifier: MIT */
/* The page of metrics: its text, and who gets it. */
#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <signet/driver.h>
#include <signet/signet.h>

#include "support/suite.h"

#include "daemon_http.h"
#include "daemon_metrics.h"

static struct daemon_figures figures;

static char *page(void)
{
    char *text;
    size_t len;
    FILE *out = open_memstream(&text, &len);
    daemon_metrics_print(out, &figures);
    fclose(out);
    return text;
}

static void fill(void)
{
    memset(&figures, 0, sizeof(figures));
    figures.handler = signet_handler_current();
    figures.started_ns = UINT64_C(1700000000500000000);
    figures.now_ns = UINT64_C(1700000100000000000);
    figures.log_dropped = 3;
    figures.log_lost = 33;
    figures.handshakes[DAEMON_MON].ok = 5;
    figures.handshakes[DAEMON_OSD].failed[SIGNET_E_TICKET_EXPIRED] = 2;
    figures.net.accepted = 9;
    figures.net.peers = 4;
    figures.net.half_open = 1;
    figures.net.messages_in = 11;
    figures.net.messages_out = 12;
    figures.net.received = 1300;
    figures.net.sent = 1400;
    figures.net.closed[SIGNET_E_PEER_CLOSED] = 6;
    figures.net.by_handler[0].handler = signet_handler_at(0);
    figures.net.by_handler[0].sealed = 15;
    figures.net.by_handler[0].opened = 16;
    figures.net.nonces_left = 17;
    figures.keys.logins = 18;
    figures.keys.reclaims = 19;
    figures.keys.renewals = 20;
    figures.keys.tickets = 21;
    figures.keys.authorizers = 22;
    figures.keys.rotations = 23;
    figures.keys.rotated_real_ns = UINT64_C(1700000090000000000);
    figures.keys.principals = 24;
    figures.objects = 26;
    figures.object_bytes = 27;
    figures.object_memory = 28;
    figures.object_memory_max = 29;
    figures.journal = true;
    figures.journal_bytes = 30;
    figures.journal_refused = 31;
    figures.journal_flushes = 32;
    figures.journal_anew = 34;
    figures.journal_lost = true;
    figures.net.output_bytes = 33;
    figures.net.input_bytes = 34;
    figures.keys.refused[SIGNET_E_PROOF_WRONG] = 25;
}

START_TEST(rows)
{
    static const char *const want[] = {
        "signet_build_info{version=\"" SIGNET_VERSION "\"} 1",
        "signet_start_time_seconds 1700000000.500",
        "signet_log_lines_dropped_total 3",
        "signet_log_lines_lost_total 33",
        "signet_handshakes_total{service=\"mon\",outcome=\"ok\",cause=\"\"} 5",
        "signet_handshakes_total{service=\"osd\",outcome=\"ok\",cause=\"\"} 0",
        "signet_handshakes_total{service=\"osd\",outcome=\"failed\",cause=\"TICKET_EXPIRED\"} 2",
        "signet_connections_accepted_total 9",
        "signet_connections_closed_total{cause=\"PEER_CLOSED\"} 6",
        "signet_peers 4",
        "signet_half_open 1",
        "signet_output_buffer_bytes 33",
        "signet_input_buffer_bytes 34",
        "signet_messages_total{direction=\"in\"} 11",
        "signet_messages_total{direction=\"out\"} 12",
        "signet_network_bytes_total{direction=\"in\"} 1300",
        "signet_network_bytes_total{direction=\"out\"} 1400",
        "signet_sealed_bytes_total{handler=\"nss\"} 15",
        "signet_opened_bytes_total{handler=\"nss\"} 16",
        "signet_nonces_left 17",
        "signet_logins_total 18",
        "signet_reclaims_total 19",
        "signet_renewals_total 20",
        "signet_tickets_issued_total 21",
        "signet_authorizers_verified_total 22",
        "signet_rotations_total 23",
        "signet_rotation_age_seconds 10.000",
        "signet_principals 24",
        "signet_objects 26",
        "signet_object_bytes 27",
        "signet_object_memory_bytes 28",
        "signet_object_memory_max_bytes 29",
        "signet_journal_bytes 30",
        "signet_journal_refused_total 31",
        "signet_journal_flushes_total 32",
        "signet_journal_rewrites_total 34",
        "signet_journal_lost 1",
        "signet_refused_total{cause=\"PROOF_WRONG\"} 25",
    };
    fill();
    char *text = page(), line[200];
    for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
        snprintf(line, sizeof(line), "\n%s\n", want[i]);
        ck_assert_msg(strstr(text, line) != NULL, "no %s in %s", want[i], text);
    }
    snprintf(line, sizeof(line), "\nsignet_handler{handler=\"%s\"} 1\n", suite_handler());
    ck_assert_ptr_nonnull(strstr(text, line));
    snprintf(line, sizeof(line), "\nsignet_handler{handler=\"%s\"} 0\n",
             strcmp(suite_handler(), "nss") == 0 ? "openssl" : "nss");
    ck_assert_ptr_nonnull(strstr(text, line));
    free(text);
    /* What nobody knows is left out. */
    figures.net.nonces_left = UINT64_MAX;
    figures.keys.rotated_real_ns = 0;
    figures.journal = false;
    text = page();
    ck_assert_ptr_null(strstr(text, "nonces_left"));
    ck_assert_ptr_null(strstr(text, "rotation_age"));
    ck_assert_ptr_null(strstr(text, "journal"));
    free(text);
    figures.keys.rotated_real_ns = figures.now_ns + 1; /* a clock that was set back */
    text = page();
    ck_assert_ptr_nonnull(strstr(text, "\nsignet_rotation_age_seconds 0.000\n"));
    free(text);
}
END_TEST

/* The grammar: HELP, TYPE, then samples of that name alone; each family once; counters end with
 * _total; a number at the end of each sample. */
START_TEST(grammar)
{
    fill();
    char *text = page(), *rest = text, *line, family[100] = "", seen[5000] = "\n";
    ck_assert_int_eq(text[strlen(text) - 1], '\n');
    while ((line = strsep(&rest, "\n")) != NULL && rest != NULL) {
        char name[100], type[20], mark[110], *end;
        if (sscanf(line, "# HELP %99s", name) == 1) {
            snprintf(mark, sizeof(mark), "\n%s\n", name);
            ck_assert_msg(strstr(seen, mark) == NULL, "%s twice", name);
            strcat(seen, mark + 1);
            ck_assert_int_eq(line[strlen(line) - 1], '.');
            strcpy(family, name);
            line = strsep(&rest, "\n");
            ck_assert_int_eq(sscanf(line, "# TYPE %99s %19s", name, type), 2);
            ck_assert_str_eq(name, family);
            bool counter = strcmp(type, "counter") == 0;
            ck_assert(counter || strcmp(type, "gauge") == 0);
            size_t len = strlen(name);
            ck_assert_int_eq(counter, strcmp(name + len - 6, "_total") == 0);
            continue;
        }
        size_t len = strcspn(line, "{ ");
        ck_assert_uint_eq(len, strlen(family));
        ck_assert_int_eq(strncmp(line, family, len), 0);
        const char *value = strrchr(line, ' ');
        ck_assert_ptr_nonnull(value);
        ck_assert(strtod(value + 1, &end) >= 0 && *end == 0);
    }
    ck_assert_str_eq(line, "");
    free(text);
}
END_TEST

/* --- over HTTP ------------------------------------------------------------------------------ */

static void write_page(void *arg, FILE *out)
{
    fprintf(out, "page %d\n", ++*(int *)arg);
}

static int dial_from(uint32_t own, uint16_t port)
{
    struct sockaddr_in addr = {.sin_family = AF_INET};
    addr.sin_addr.s_addr = htonl(own);
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    ck_assert_int_eq(bind(fd, (struct sockaddr *)&addr, sizeof(addr)), 0);
    addr.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    addr.sin_port = htons(port);
    ck_assert_int_eq(connect(fd, (struct sockaddr *)&addr, sizeof(addr)), 0);
    return fd;
}

static int dial(uint16_t port)
{
    return dial_from(INADDR_LOOPBACK, port);
}

static const char *fetch(uint16_t port, const char *request)
{
    static char text[4096];
    size_t len = 0;
    ssize_t n;
    int fd = dial(port);
    ck_assert_int_eq(send(fd, request, strlen(request), MSG_NOSIGNAL), (ssize_t)strlen(request));
    while ((n = recv(fd, text + len, sizeof(text) - 1 - len, 0)) > 0) {
        len += (size_t)n;
    }
    close(fd);
    text[len] = 0;
    return text;
}

#define CLOSE " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"

START_TEST(over_http)
{
    struct signet_addr addr, bound, again;
    struct daemon_why why;
    struct daemon_http *http, *other;
    int asked = 0;
    assert_ok(signet_addr_parse(&addr, "127.0.0.1:0"));
    ck_assert_int_eq(daemon_http_start(&http, &addr, &bound, write_page, &asked, &why), TOOL_OK);
    ck_assert_uint_ne(bound.port, 0);
    const char *text = fetch(bound.port, "GET /metrics" CLOSE "\r\n");
    ck_assert_int_eq(strncmp(text, "HTTP/1.1 200 ", 13), 0);
    ck_assert_ptr_nonnull(
        strstr(text, "Content-Type: text/plain; version=0.0.4; charset=utf-8\r\n"));
    ck_assert_ptr_nonnull(strstr(text, "\r\n\r\npage 1\n"));
    text = fetch(bound.port, "GET /metrics?x=1" CLOSE "\r\n");
    ck_assert_ptr_nonnull(strstr(text, "\r\n\r\npage 2\n"));
    text = fetch(bound.port, "GET /" CLOSE "\r\n");
    ck_assert_int_eq(strncmp(text, "HTTP/1.1 404 ", 13), 0);
    text = fetch(bound.port, "GET /metrics/../metrics" CLOSE "\r\n");
    ck_assert_int_eq(strncmp(text, "HTTP/1.1 404 ", 13), 0);
    text = fetch(bound.port, "POST /metrics" CLOSE "Content-Length: 3\r\n\r\nabc");
    ck_assert_int_eq(strncmp(text, "HTTP/1.1 405 ", 13), 0);
    ck_assert_ptr_nonnull(strstr(text, "Allow: GET\r\n"));
    text = fetch(bound.port, "DELETE /metrics" CLOSE "\r\n");
    ck_assert_int_eq(strncmp(text, "HTTP/1.1 405 ", 13), 0);
    ck_assert_int_eq(asked, 2);
    ck_assert_int_eq(daemon_http_start(&other, &bound, &again, write_page, &asked, &why),
                     TOOL_FAILURE);
    ck_assert_ptr_null(other);
    ck_assert_ptr_nonnull(strstr(why.text, "cannot serve metrics at 127.0.0.1:"));
    ck_assert_ptr_nonnull(strstr(why.text, "Address already in use"));
    daemon_http_stop(http);
    daemon_http_stop(NULL);
}
END_TEST

/* Who opens all the connections there may be, and does not finish a request, keeps no other address
 * out. */
START_TEST(one_address_is_not_all)
{
    enum { MANY = 16 };
    struct signet_addr addr, bound;
    struct daemon_why why;
    struct daemon_http *http;
    int asked = 0, held[MANY];
    assert_ok(signet_addr_parse(&addr, "127.0.0.1:0"));
    ck_assert_int_eq(daemon_http_start(&http, &addr, &bound, write_page, &asked, &why), TOOL_OK);
    for (int i = 0; i < MANY; i++) {
        held[i] = dial_from(INADDR_LOOPBACK + 1, bound.port);
        (void)!send(held[i], "GET", 3, MSG_NOSIGNAL);
    }
    uint64_t before = signet_driver_now_ns();
    const char *text = fetch(bound.port, "GET /metrics" CLOSE "\r\n");
    ck_assert_int_eq(strncmp(text, "HTTP/1.1 200 ", 13), 0);
    /* not only when the others were idle for too long, which they need not be */
    ck_assert_uint_lt(signet_driver_now_ns() - before, UINT64_C(4000000000));
    for (int i = 0; i < MANY; i++) {
        close(held[i]);
    }
    daemon_http_stop(http);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("daemon_metrics");
    TCase *t = suite_case(suite, "daemon_metrics");
    tcase_add_test(t, rows);
    tcase_add_test(t, grammar);
    tcase_add_test(t, over_http);
    tcase_add_test(t, one_address_is_not_all);
    return suite_run(suite);
}
