/* SPDX-License-Identifier: MIT */
/* A messenger that serves a monitor on 127.0.0.1 and answers each message with itself, a second one
 * that dials it, and the keys of both: for tests of the messenger loop with the system's clock. */
#ifndef SIGNET_TEST_RIG_H
#define SIGNET_TEST_RIG_H

#include <stdatomic.h>
#include <sys/socket.h>

#include <signet/messenger.h>
#include <signet/signet.h>

#include "support/suite.h"

struct rig;

/* What happened on one side. All of it is told by callbacks. */
struct rig_side {
    struct rig *rig;
    atomic_uint ready, closed, messages, events, writable;
    _Atomic uint64_t bytes;
    atomic_uint cause[SIGNET_E_NUM_]; /* of closed */
    char last_text[208];              /* of the last `closed`; read it when that was seen */
    bool echo;                        /* answers each message with itself */
    int ready_err, message_err;       /* what the callbacks return */
    struct signet_peer *_Atomic peer; /* the last one that was READY, not referenced */
    /* If set, instead of all else that message does. */
    int (*on_message)(struct rig_side *side, struct signet_peer *peer,
                      const struct signet_message *message);
    void (*on_writable)(struct rig_side *side, struct signet_peer *peer); /* too */
};

struct rig {
    struct signet_keyserver *keys;
    struct signet_key *key; /* of client.a */
    struct signet_messenger *server, *client;
    struct signet_addr addr; /* where the server listens */
    struct rig_side at_server, at_client;

    /* set before rig_start() */
    struct signet_messenger_options server_options, client_options;
    struct signet_conn_options conn; /* of both sides */
    const char *listen;              /* default: "v2:127.0.0.1:0/0" */
    const struct signet_handler *server_pin, *client_pin;
};

/* Empty, with system clocks, one thread per messenger; the server echoes. */
void rig_init(struct rig *rig);
void rig_start(struct rig *rig);
/* Frees whatever of both messengers is there, and the keys. */
void rig_stop(struct rig *rig);
struct signet_client *rig_new_client(struct rig *rig);
/* Dials the server; waits for READY if `wait`. The peer's user is the side. */
struct signet_peer *rig_dial(struct rig *rig, struct signet_client *client, bool wait);
/* A message of len bytes of data, all of them alike. */
int rig_send(struct signet_peer *peer, size_t len, uint64_t tid);
/* Until *what reaches num; fails the test after 30 s (as slow as sanitizers make it). */
void rig_wait(atomic_uint *what, unsigned num);
/* A plain TCP connection to the server; aborts the test. */
int rig_socket(const struct rig *rig);
void rig_connect(const struct rig *rig, int fd);
uint16_t rig_port(const struct sockaddr_storage *at);
/* To be posted: keeps a worker inside it until *go (an atomic_uint) is set. */
void rig_hold(void *go);
/* To be posted: draining a messenger (arg) on its own worker is refused. */
void rig_drain_here(void *messenger);
uint64_t rig_now_ms(void);
/* Bytes of memory that this process has. */
size_t rig_resident(void);
void rig_sleep_ms(unsigned ms);

#endif
