/* SPDX-License-Identifier: MIT */
/* Logins on four threads while principals and rotating secrets change. */
#include "support/cluster.h"

#include "auth/keyserver_priv.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

struct race {
    struct cluster *c;
    atomic_bool end;
    atomic_int exchanges;
};

static void *exchange(void *arg)
{
    struct race *race = arg;
    struct cluster mine = {.server = race->c->server, .fake = race->c->fake};
    static uint8_t a[4][CLUSTER_BUF], b[4][CLUSTER_BUF];
    static atomic_int next;
    int me = atomic_fetch_add(&next, 1) % 4;
    struct signet_client *client = cluster_client(&mine, "client.a", race->c->key);
    while (!atomic_load(&race->end)) {
        size_t a_len, b_len;
        enum signet_verdict verdict;
        struct signet_login *login;
        assert_ok(signet_login_new(&login, race->c->server, SIGNET_MON));
        assert_ok(signet_client_login(client, a[me], CLUSTER_BUF, &a_len));
        assert_ok(signet_login_step(login, SIGNET_MODE_SECURE, b[me], CLUSTER_BUF, &b_len, a[me],
                                    a_len, &verdict, NULL));
        assert_ok(signet_client_challenge(client, a[me], CLUSTER_BUF, &a_len, b[me], b_len, NULL));
        assert_ok(signet_login_step(login, SIGNET_MODE_SECURE, b[me], CLUSTER_BUF, &b_len, a[me],
                                    a_len, &verdict, NULL));
        signet_login_free(login);
        atomic_fetch_add(&race->exchanges, 1);
    }
    signet_client_free(client);
    return NULL;
}

static void *change(void *arg)
{
    struct race *race = arg;
    struct signet_name name = {0};
    assert_ok(signet_name_parse(&name, "client.other"));
    while (!atomic_load(&race->end)) {
        assert_ok(signet_keyserver_put(race->c->server, &name, race->c->key, NULL, 0));
    }
    return NULL;
}

START_TEST(logins_go_on_while_everything_changes)
{
    struct cluster c = {0};
    c.options.env = signet_env_system(); /* overwritten by the start; threads need the real one */
    cluster_start(&c, SIGNET_KEY_AES256K, SIGNET_KEY_AES256K);
    ((struct signet_keyserver_options *)(void *)c.server)->env = signet_env_system();
    assert_ok(signet_keyserver_tick(c.server));
    struct race race = {.c = &c};
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) {
        ck_assert_int_eq(pthread_create(&threads[i], NULL, exchange, &race), 0);
    }
    struct signet_name name = {0};
    int changes = 0;
    assert_ok(signet_name_parse(&name, "client.other"));
    while (atomic_load(&race.exchanges) < 400 || changes < 60) {
        assert_ok(signet_keyserver_put(c.server, &name, c.key, NULL, 0));
        assert_ok(signet_keyserver_wipe_rotating(c.server));
        assert_ok(signet_keyserver_remove(c.server, &name));
        changes++;
    }
    atomic_store(&race.end, true);
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
    }
    cluster_stop(&c);
}
END_TEST

/* A fork holds newcomers off the handlers, some of them inside a read section that a change waits
 * for: neither may wait for the other. */
START_TEST(forks_while_logins_and_changes_go_on)
{
    struct cluster c = {0};
    cluster_start(&c, SIGNET_KEY_AES256K, SIGNET_KEY_AES256K);
    ((struct signet_keyserver_options *)(void *)c.server)->env = signet_env_system();
    assert_ok(signet_keyserver_tick(c.server));
    struct race race = {.c = &c};
    pthread_t threads[4];
    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(pthread_create(&threads[i], NULL, exchange, &race), 0);
    }
    ck_assert_int_eq(pthread_create(&threads[3], NULL, change, &race), 0);
    for (int i = 0; i < 60; i++) {
        pid_t child = fork();
        if (child == 0) {
            _exit(0);
        }
        ck_assert_int_eq(waitpid(child, NULL, 0), child);
    }
    atomic_store(&race.end, true);
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
    }
    cluster_stop(&c);
}
END_TEST

/* Between a login with the pending key and its commit somebody rotates again. */
START_TEST(a_login_commits_only_the_key_that_it_used)
{
    struct cluster c = {0};
    struct signet_key *used, *later;
    struct signet_name name;
    cluster_start(&c, SIGNET_KEY_AES256K, SIGNET_KEY_AES256K);
    assert_ok(signet_name_parse(&name, "client.a"));
    assert_ok(signet_key_generate(&used, SIGNET_KEY_AES256K, NULL));
    assert_ok(signet_key_generate(&later, SIGNET_KEY_AES256K, NULL));
    assert_ok(signet_keyserver_rotate_key(c.server, &name, used));
    assert_ok(signet_keyserver_rotate_key(c.server, &name, later));
    assert_ok(keyserver_commit_pending(c.server, &name, used));
    struct signet_key *valid[] = {c.key, later};
    for (int i = 0; i < 2; i++) {
        struct signet_client *client = cluster_client(&c, "client.a", valid[i]);
        assert_ok(cluster_login(&c, client, SIGNET_MODE_SECURE));
        signet_client_free(client);
    }
    signet_key_unref(used);
    signet_key_unref(later);
    cluster_stop(&c);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("keyserver_race");
    TCase *t = suite_case(s, "race");
    tcase_set_timeout(t, 0);
    tcase_add_test(t, logins_go_on_while_everything_changes);
    tcase_add_test(t, forks_while_logins_and_changes_go_on);
    tcase_add_test(t, a_login_commits_only_the_key_that_it_used);
    return suite_run(s);
}
