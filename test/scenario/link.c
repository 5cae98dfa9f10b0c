/* SPDX-License-Identifier: MIT */
#include "link.h"

#include <stdio.h>
#include <stdlib.h>

#include <signet/keyring.h>
#include <signet/signet.h>

void link_die(const struct link *l, const char *what, int err)
{
    fprintf(stderr, "%s: %s: %s\n", l->program, what, signet_strerror(err));
    exit(3);
}

void link_must(const struct link *l, const char *what, int err)
{
    if (err != 0) {
        link_die(l, what, err);
    }
}

void link_client(struct link *l, const char *keyring_path, const char *entity)
{
    struct signet_client_options options = {.want = SIGNET_MON | SIGNET_OSD,
                                            .env = signet_env_system()};
    struct signet_keyring *keyring;
    link_must(l, "name", signet_name_parse(&options.name, entity));
    link_must(l, keyring_path, signet_keyring_load(&keyring, keyring_path, NULL));
    link_must(l, "key", signet_keyring_key(keyring, &options.name, NULL, &options.key));
    link_must(l, "client", signet_client_new(&l->client, &options));
    signet_key_unref(options.key);
    signet_keyring_free(keyring);
}

void link_next(struct link *l)
{
    link_must(
        l, "reading",
        signet_driver_run(l->driver, l->conn, &l->event, signet_driver_now_ns() + LINK_WAIT_NS));
    if (l->event.kind == SIGNET_EVENT_FAILED) {
        link_die(l, l->event.fail->text, l->event.fail->err);
    }
}

const struct signet_message *link_await(struct link *l, uint16_t type)
{
    do {
        link_next(l);
    } while (l->event.kind != SIGNET_EVENT_MESSAGE || l->event.message.type != type);
    return &l->event.message;
}

void link_log_in(struct link *l, const char *addr, uint32_t service, uint32_t mode)
{
    struct signet_conn_options options = {.role = SIGNET_ROLE_CLIENT,
                                          .peer_type = service,
                                          .client = l->client,
                                          .modes = {mode},
                                          .num_modes = mode != 0 ? 1 : 0,
                                          .env = signet_env_system()};
    link_must(l, "address", signet_addr_parse(&options.target, addr));
    link_must(l, "connecting",
              signet_driver_connect(&l->driver, &options.target, LINK_WAIT_NS, NULL));
    link_must(l, "connection", signet_conn_new(&l->conn, &options, signet_driver_now_ns()));
    do {
        link_next(l);
    } while (l->event.kind != SIGNET_EVENT_READY);
}

void link_hang_up(struct link *l)
{
    signet_conn_free(l->conn);
    signet_driver_free(l->driver);
}

void link_free(struct link *l)
{
    link_hang_up(l);
    signet_client_free(l->client);
}
