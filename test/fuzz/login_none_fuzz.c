/* SPDX-License-Identifier: MIT */
/*
 * Authentication none. First byte: bit 0 an OSD instead of a monitor, bit 1 secure mode, bit 2 the
 * client: the rest is then what AUTH_DONE carries, else the payload of AUTH_REQUEST.
 */
#include "auth_setup.h"

#include <signet/server.h>

#include <string.h>

static uint8_t out[SIGNET_AUTH_PAYLOAD_MAX];

static void at_server(struct signet_span in, uint32_t service, enum signet_con_mode mode)
{
    struct signet_keyserver_options options = {.env = fuzz_env(), .auth_none = true};
    struct signet_keyserver *server;
    struct signet_login *login;
    struct signet_auth_result result;
    struct signet_fail fail = {.err = 0};
    enum signet_verdict verdict;
    size_t len;
    demand(signet_keyserver_open(&server, &options, NULL) == 0);
    demand(signet_login_new(&login, server, service) == 0);
    int err = signet_login_step(login, mode, out, sizeof(out), &len, in.p, in.len, &verdict, &fail);
    const struct signet_identity *who = signet_login_identity(login);
    demand(len == 0 && (err == 0) == (who != NULL));
    if (err == 0) {
        demand(verdict == SIGNET_VERDICT_DONE && mode == SIGNET_MODE_CRC);
        demand(signet_login_take(login, &result) == 0);
        demand(result.session_key == NULL && result.secret_len == 0);
        demand(result.global_id != 0 && result.global_id == who->global_id);
        demand(signet_service_name(who->name.type) != NULL && strcmp(who->caps, "allow *") == 0);
    } else {
        demand(verdict == SIGNET_VERDICT_REFUSED && fail.err == err && fail.text[0] != 0);
    }
    demand(signet_login_step(login, mode, out, sizeof(out), &len, in.p, in.len, &verdict, NULL) <
           0);
    signet_login_free(login);
    signet_keyserver_free(server);
}

static void at_client(struct signet_span in, enum signet_con_mode mode)
{
    struct signet_client_options options = {.method = SIGNET_AUTH_NONE, .env = fuzz_env()};
    struct signet_client *client;
    struct signet_auth_result result;
    struct signet_fail fail = {.err = 0};
    size_t len;
    demand(signet_name_parse(&options.name, "client.a") == 0);
    demand(signet_client_new(&client, &options) == 0);
    demand(signet_client_login(client, out, sizeof(out), &len) == 0);
    uint64_t id = in.len > 0 ? in.p[0] : 0;
    int err = signet_client_done(client, &result, id, mode, in.p, in.len, &fail);
    demand(err == 0 ? in.len == 0 && mode == SIGNET_MODE_CRC : fail.err == err);
    signet_client_free(client);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) {
        return 0;
    }
    struct signet_span in = {data + 1, size - 1};
    enum signet_con_mode mode = (data[0] & 2) != 0 ? SIGNET_MODE_SECURE : SIGNET_MODE_CRC;
    if ((data[0] & 4) != 0) {
        at_client(in, mode);
    } else {
        at_server(in, (data[0] & 1) != 0 ? SIGNET_OSD : SIGNET_MON, mode);
    }
    return 0;
}
