/* SPDX-License-Identifier: MIT */
/* What the clients of the scenarios share: a login and a connection. Each failure is told and ends
 * the program with 3. */
#ifndef SIGNET_TEST_SCENARIO_LINK_H
#define SIGNET_TEST_SCENARIO_LINK_H

#include <stdint.h>

#include <signet/client.h>
#include <signet/conn.h>
#include <signet/driver.h>

#define LINK_WAIT_NS UINT64_C(20000000000)

struct link {
    const char *program; /* for what is told */
    struct signet_client *client;
    struct signet_conn *conn;
    struct signet_driver *driver;
    struct signet_event event; /* the last one */
};

_Noreturn void link_die(const struct link *l, const char *what, int err);
/* link_die() unless err is 0. */
void link_must(const struct link *l, const char *what, int err);
/* A client of this entity, with its key in the keyring, for tickets of both services. */
void link_client(struct link *l, const char *keyring, const char *entity);
/* Connects to a service and logs in; mode 0: as the library prefers. */
void link_log_in(struct link *l, const char *addr, uint32_t service, uint32_t mode);
/* Waits for the next event, at most LINK_WAIT_NS. */
void link_next(struct link *l);
/* For the next message of that type; valid until the next call. */
const struct signet_message *link_await(struct link *l, uint16_t type);
void link_hang_up(struct link *l);
void link_free(struct link *l);

#endif
