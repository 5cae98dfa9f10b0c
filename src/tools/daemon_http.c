/* SPDX-License-Identifier: MIT */
#include "daemon_http.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <microhttpd.h>

/* A client that sends a byte now and then is never idle: it may hold its own places, not all. */
enum { CONNECTIONS = 16, OF_ONE_ADDRESS = 4, WAIT_S = 5, MEMORY = 8192 };

struct daemon_http {
    struct MHD_Daemon *mhd;
    daemon_http_page page;
    void *arg;
};

/* --- answers -------------------------------------------------------------------------------- */

static enum MHD_Result reply(struct MHD_Connection *connection, unsigned status, const char *text,
                             const char *allow)
{
    struct MHD_Response *response = MHD_create_response_from_buffer(
        strlen(text), (char *)(uintptr_t)text, MHD_RESPMEM_PERSISTENT);
    if (response == NULL) {
        return MHD_NO;
    }
    MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, "text/plain; charset=utf-8");
    if (allow != NULL) {
        MHD_add_response_header(response, MHD_HTTP_HEADER_ALLOW, allow);
    }
    enum MHD_Result result = MHD_queue_response(connection, status, response);
    MHD_destroy_response(response);
    return result;
}

static enum MHD_Result reply_page(struct daemon_http *http, struct MHD_Connection *connection)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL) {
        return MHD_NO;
    }
    http->page(http->arg, out);
    if (fclose(out) != 0) {
        free(text);
        return MHD_NO;
    }
    struct MHD_Response *response =
        MHD_create_response_from_buffer(size, text, MHD_RESPMEM_MUST_FREE);
    if (response == NULL) {
        free(text);
        return MHD_NO;
    }
    MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE,
                            "text/plain; version=0.0.4; charset=utf-8");
    enum MHD_Result result = MHD_queue_response(connection, MHD_HTTP_OK, response);
    MHD_destroy_response(response);
    return result;
}

static enum MHD_Result handle(void *arg, struct MHD_Connection *connection, const char *url,
                              const char *method, const char *version, const char *upload,
                              size_t *upload_len, void **state)
{
    static char begun;
    (void)version;
    (void)upload;
    if (strcmp(method, MHD_HTTP_METHOD_GET) != 0) {
        *upload_len = 0;
        return reply(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "GET only\n", "GET");
    }
    if (*state == NULL) { /* the headers alone have come */
        *state = &begun;
        return MHD_YES;
    }
    if (*upload_len != 0) { /* a body that nobody wants */
        *upload_len = 0;
        return MHD_YES;
    }
    if (strcmp(url, "/metrics") != 0) {
        return reply(connection, MHD_HTTP_NOT_FOUND, "there is /metrics only\n", NULL);
    }
    return reply_page(arg, connection);
}

/* --- the socket ----------------------------------------------------------------------------- */

union address {
    struct sockaddr any;
    struct sockaddr_in in;
    struct sockaddr_in6 in6;
};

static socklen_t fill(union address *to, const struct signet_addr *addr)
{
    memset(to, 0, sizeof(*to));
    if (addr->family == SIGNET_FAMILY_IPV6) {
        to->in6.sin6_family = AF_INET6;
        to->in6.sin6_port = htons(addr->port);
        to->in6.sin6_scope_id = addr->scope_id;
        memcpy(&to->in6.sin6_addr, addr->ip, 16);
        return sizeof(to->in6);
    }
    to->in.sin_family = AF_INET;
    to->in.sin_port = htons(addr->port);
    memcpy(&to->in.sin_addr, addr->ip, 4);
    return sizeof(to->in);
}

static int listen_socket(const struct signet_addr *addr, struct signet_addr *bound)
{
    union address at;
    socklen_t len = fill(&at, addr);
    int on = 1, fd = socket(at.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) {
        return -1;
    }
    if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) != 0 ||
        bind(fd, &at.any, len) != 0 || listen(fd, CONNECTIONS) != 0 ||
        getsockname(fd, &at.any, &len) != 0) {
        int saved = errno;
        close(fd);
        errno = saved;
        return -1;
    }
    *bound = *addr;
    bound->port = ntohs(at.any.sa_family == AF_INET6 ? at.in6.sin6_port : at.in.sin_port);
    return fd;
}

bool daemon_http_taken(const struct signet_addr *addr)
{
    struct signet_addr bound;
    int fd = listen_socket(addr, &bound);
    bool taken = fd < 0 && errno == EADDRINUSE;
    if (fd >= 0) {
        close(fd);
    }
    return taken;
}

const char *daemon_http_where(const struct signet_addr *addr, char *out)
{
    struct signet_addr bare = *addr;
    bare.type = SIGNET_ADDR_NONE;
    signet_addr_print(&bare, out);
    out[strcspn(out, "/")] = 0;
    return out;
}

int daemon_http_start(struct daemon_http **out, const struct signet_addr *addr,
                      struct signet_addr *bound, daemon_http_page page, void *arg,
                      struct daemon_why *why)
{
    char text[SIGNET_ADDR_TEXT_MAX];
    struct daemon_http *http = calloc(1, sizeof(*http));
    *out = NULL;
    int fd = http != NULL ? listen_socket(addr, bound) : -1;
    if (fd >= 0) {
        http->page = page;
        http->arg = arg;
        http->mhd = MHD_start_daemon(
            MHD_USE_AUTO | MHD_USE_INTERNAL_POLLING_THREAD, 0, NULL, NULL, handle, http,
            MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTIONS,
            MHD_OPTION_PER_IP_CONNECTION_LIMIT, (unsigned)OF_ONE_ADDRESS,
            MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)WAIT_S, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
            (size_t)MEMORY, MHD_OPTION_END);
    }
    if (fd < 0 || http->mhd == NULL) {
        int saved = errno;
        if (fd >= 0) {
            close(fd);
        }
        free(http);
        why->next = "take another port with --metrics, or switch metrics off with --metrics none";
        return daemon_fail(why, TOOL_FAILURE, "cannot serve metrics at %s: %s",
                           daemon_http_where(addr, text), strerror(saved));
    }
    *out = http;
    return TOOL_OK;
}

void daemon_http_stop(struct daemon_http *http)
{
    if (http != NULL) {
        MHD_stop_daemon(http->mhd); /* closes the socket */
        free(http);
    }
}
