/* SPDX-License-Identifier: MIT */
/* A child of a program whose messengers are at work: it gives their memory back, uses keys, runs a
 * messenger of its own; the parent's connections do not notice. */
#include "support/suite.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/rig.h"

enum { GOOD = 16, FORKS = 20 };

static struct rig rig;
static struct signet_client *clients[GOOD];
static struct signet_peer *peers[GOOD];
static atomic_bool stop;

static int again(struct rig_side *side, struct signet_peer *peer, const struct signet_message *m)
{
    atomic_fetch_add(&side->messages, 1);
    return atomic_load(&stop) ? 0 : rig_send(peer, (m->tid * 31) % 3000, m->tid + 1);
}

static void open_all(void)
{
    rig_init(&rig);
    rig.at_client.on_message = again;
    rig.server_options.threads = rig.client_options.threads = 2;
    rig_start(&rig);
    for (unsigned i = 0; i < GOOD; i++) {
        clients[i] = rig_new_client(&rig);
        peers[i] = rig_dial(&rig, clients[i], true);
        assert_ok(rig_send(peers[i], 100, i));
    }
}

static void close_all(void)
{
    rig_stop(&rig);
    for (unsigned i = 0; i < GOOD; i++) {
        signet_peer_unref(peers[i]);
        signet_client_free(clients[i]);
    }
}

/* The same as in the parent, on a new rig. */
static bool own_messenger(void)
{
#ifdef __SANITIZE_THREAD__
    return true; /* the tool forbids threads there */
#else
    rig_init(&rig);
    rig_start(&rig);
    struct signet_client *client = rig_new_client(&rig);
    struct signet_peer *peer = rig_dial(&rig, client, true);
    bool ok = rig_send(peer, 5000, 1) == 0;
    rig_wait(&rig.at_client.messages, 1);
    signet_peer_unref(peer);
    rig_stop(&rig);
    signet_client_free(client);
    return ok;
#endif
}

static void child(void)
{
    alarm(120);
    close_all();
    _exit(own_messenger() ? 0 : 1);
}

START_TEST(children_of_a_busy_program)
{
    open_all();
    for (unsigned i = 0; i < FORKS; i++) {
        unsigned before = atomic_load(&rig.at_client.messages);
        int status = -1;
        pid_t pid = fork();
        if (pid == 0) {
            child();
        }
        ck_assert_int_eq(waitpid(pid, &status, 0), pid);
        ck_assert_int_eq(status, 0);
        rig_wait(&rig.at_client.messages, before + 10 * GOOD);
    }
    ck_assert_uint_eq(atomic_load(&rig.at_client.closed), 0);
    ck_assert_uint_eq(atomic_load(&rig.at_server.closed), 0);
    atomic_store(&stop, true);
    close_all();
}
END_TEST

static atomic_int from_worker;

static void fork_here(void *arg)
{
    int status = -1;
    (void)arg;
    pid_t pid = fork();
    if (pid == 0) {
        _exit(7);
    }
    waitpid(pid, &status, 0);
    atomic_store(&from_worker, WEXITSTATUS(status));
}

START_TEST(a_worker_forks)
{
    open_all();
    assert_ok(signet_messenger_post(rig.server, 0, fork_here, NULL));
    for (unsigned i = 0; i < 20000 && atomic_load(&from_worker) == 0; i++) {
        rig_sleep_ms(1);
    }
    ck_assert_int_eq(atomic_load(&from_worker), 7);
    rig_wait(&rig.at_client.messages, atomic_load(&rig.at_client.messages) + 10 * GOOD);
    atomic_store(&stop, true);
    close_all();
}
END_TEST

int main(void)
{
    Suite *s = suite_create("messenger_fork");
    TCase *t = suite_case(s, "fork");
    tcase_add_test(t, children_of_a_busy_program);
    tcase_add_test(t, a_worker_forks);
    return suite_run(s);
}
