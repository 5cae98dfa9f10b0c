/* SPDX-License-Identifier: MIT */
/*
 * session_osd MON OSD KEY MODE: a lossless session with a real OSD. MON and OSD (its address for
 * other OSDs, with nonce) as v2:IP:PORT/NONCE, KEY of osd.1 in base64, MODE crc or secure. Sends
 * pings over connections that are cut, some of them before their acknowledgement was read, and
 * says what came back; exit code 1 unless each was acknowledged and each later connection resumed.
 */
#include <signet/driver.h>
#include <signet/session.h>
#include <signet/signet.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CONNECTIONS = 6, CEPH_MSG_PING = 2 };
#define SECOND UINT64_C(1000000000)

static struct signet_client *client;
static struct signet_session *session;
static unsigned failures;

static void need(int err, const char *what)
{
    if (err != 0) {
        fprintf(stderr, "%s: %s\n", what, signet_strerror(err));
        exit(1);
    }
}

static void expect(bool truth, const char *what)
{
    if (!truth) {
        printf("not so: %s\n", what);
        failures++;
    }
}

/* Until this event; anything that ends or resets a session is wrong. */
static struct signet_event await(struct signet_driver *driver, struct signet_conn *conn,
                                 enum signet_event_kind kind)
{
    struct signet_event event = {.kind = SIGNET_EVENT_NONE};
    uint64_t until = signet_driver_now_ns() + 5 * SECOND;
    while (event.kind != kind) {
        need(signet_driver_run(driver, conn, &event, until), "waiting for the OSD");
        if (event.kind == SIGNET_EVENT_FAILED) {
            fprintf(stderr, "%s: %s\n", event.fail->where, event.fail->text);
            exit(1);
        }
        expect(event.kind != SIGNET_EVENT_RESET, "the session is kept");
    }
    return event;
}

static void log_in(struct signet_conn_options o, const struct signet_addr *mon)
{
    struct signet_driver *driver;
    struct signet_conn *conn;
    o.peer_type = SIGNET_MON;
    o.target = *mon;
    o.session = NULL;
    need(signet_driver_connect(&driver, mon, 3 * SECOND, NULL), "connecting to the monitor");
    need(signet_conn_new(&conn, &o, signet_driver_now_ns()), "connection");
    await(driver, conn, SIGNET_EVENT_AUTHENTICATED);
    signet_conn_free(conn);
    signet_driver_free(driver);
}

static void ping(void)
{
    const struct signet_message m = {
        .type = CEPH_MSG_PING, .priority = 127, .version = 1, .compat_version = 1};
    need(signet_session_send(session, &m, NULL, 0, NULL), "sending");
}

static struct signet_session_status status(void)
{
    struct signet_session_status out;
    signet_session_status(session, &out);
    return out;
}

/* One connection; an even one is cut while pings are under way. */
static void connect_once(const struct signet_conn_options *o, const struct signet_addr *osd,
                         unsigned i)
{
    struct signet_driver *driver;
    struct signet_conn *conn;
    ping();
    need(signet_driver_connect(&driver, osd, 3 * SECOND, NULL), "connecting to the OSD");
    need(signet_conn_new(&conn, o, signet_driver_now_ns()), "connection");
    struct signet_event event = await(driver, conn, SIGNET_EVENT_READY);
    expect(!event.ready.lossy, "the session is lossless");
    expect(event.ready.resumed == (i > 0), "a later connection resumes");
    while (status().acked < status().out_seq) {
        await(driver, conn, SIGNET_EVENT_ACK);
    }
    if (i % 2 == 0) {
        ping();
        ping();
        need(signet_driver_flush(driver, conn, signet_driver_now_ns() + SECOND), "writing");
        usleep(i % 4 == 0 ? 200000 : 0);
    }
    signet_conn_free(conn);
    signet_driver_free(driver);
    struct signet_session_status s = status();
    printf("connection %u: %s, connect_seq %llu, sent %llu, acknowledged %llu\n", i + 1,
           i > 0 ? "resumed" : "new", (unsigned long long)s.connect_seq,
           (unsigned long long)s.out_seq, (unsigned long long)s.acked);
}

static void make_client(const char *key)
{
    struct signet_client_options o = {.want = SIGNET_MON | SIGNET_OSD, .env = signet_env_system()};
    need(signet_name_parse(&o.name, "osd.1"), "name");
    need(signet_key_parse(&o.key, key, strlen(key), NULL, NULL), "key");
    need(signet_client_new(&client, &o), "client");
    signet_key_unref(o.key);
}

static void make_session(struct signet_sessions *table, const struct signet_addr *osd)
{
    struct signet_session_options o = {.peer_type = SIGNET_OSD, .peer = *osd};
    need(signet_addr_parse(&o.own, "v2:127.0.0.1:6999/1"), "address");
    o.own.nonce = (uint32_t)getpid(); /* of this process alone: its counters begin anew */
    need(signet_session_new(&session, table, &o), "session");
}

int main(int argc, char **argv)
{
    struct signet_sessions_options table_options = {.env = signet_env_system()};
    struct signet_sessions *table;
    struct signet_addr mon, osd;
    if (argc != 5) {
        fprintf(stderr, "usage: session_osd MON OSD KEY crc|secure\n");
        return 2;
    }
    need(signet_init(NULL), "start");
    need(signet_addr_parse(&mon, argv[1]), argv[1]);
    need(signet_addr_parse(&osd, argv[2]), argv[2]);
    make_client(argv[3]);
    need(signet_sessions_new(&table, &table_options), "sessions");
    make_session(table, &osd);
    struct signet_conn_options o = {.role = SIGNET_ROLE_CLIENT,
                                    .own_type = SIGNET_OSD,
                                    .gid = 1,
                                    .client = client,
                                    .env = table_options.env,
                                    .num_modes = 1};
    o.modes[0] = strcmp(argv[4], "secure") == 0 ? SIGNET_MODE_SECURE : SIGNET_MODE_CRC;
    log_in(o, &mon);
    o.session = session;
    for (unsigned i = 0; i < CONNECTIONS; i++) {
        connect_once(&o, &osd, i);
    }
    expect(status().num_queued == 0, "each ping was acknowledged");
    signet_session_close(session);
    signet_session_unref(session);
    signet_sessions_free(table);
    signet_client_free(client);
    signet_shutdown();
    return failures == 0 ? 0 : 1;
}
