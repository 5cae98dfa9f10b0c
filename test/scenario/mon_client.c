/* SPDX-License-Identifier: MIT */
/*
 * mon_client ADDR KEYRING ENTITY crc|secure [stall|OSD] < COMMANDS: logs in at a monitor and sends
 * each line of stdin, a JSON object, as a command. The answer to each on stdout: a line with its
 * code and what it says, then its output; all of that is written before the next command is sent.
 * Exit code 0: all were answered with code 0; 1: some were not; 3: no login, or the connection is
 * lost. stall: sends all of them, says so, and then neither reads nor ends. OSD: goes to that
 * address with its ticket and sends the commands there.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <signet/client.h>
#include <signet/conn.h>
#include <signet/driver.h>
#include <signet/keyring.h>
#include <signet/signet.h>

#include "base/cursor.h"

enum {
    MON_MAP = 4,
    MON_GET_MAP = 5,
    MON_COMMAND = 50,
    MON_COMMAND_ACK = 51,
    COMMAND = 97,
    COMMAND_REPLY = 98,
    LINE_MAX_ = 65536,
};
#define WAIT_NS UINT64_C(20000000000)

struct link {
    struct signet_client *client;
    struct signet_conn *conn;
    struct signet_driver *driver;
    struct signet_event event;
    uint8_t fsid[16];
    uint64_t tid;
    bool osd; /* the peer is one */
};

static void die(const char *what, int err)
{
    fprintf(stderr, "mon_client: %s: %s\n", what, signet_strerror(err));
    exit(3);
}

static void must(const char *what, int err)
{
    if (err != 0) {
        die(what, err);
    }
}

static void make_client(struct link *l, const char *keyring_path, const char *entity)
{
    struct signet_client_options options = {.want = SIGNET_MON | SIGNET_OSD,
                                            .env = signet_env_system()};
    struct signet_keyring *keyring;
    must("name", signet_name_parse(&options.name, entity));
    must(keyring_path, signet_keyring_load(&keyring, keyring_path, NULL));
    must("key", signet_keyring_key(keyring, &options.name, NULL, &options.key));
    must("client", signet_client_new(&l->client, &options));
    signet_key_unref(options.key);
    signet_keyring_free(keyring);
}

static void next(struct link *l)
{
    must("reading",
         signet_driver_run(l->driver, l->conn, &l->event, signet_driver_now_ns() + WAIT_NS));
    if (l->event.kind == SIGNET_EVENT_FAILED) {
        die(l->event.fail->text, l->event.fail->err);
    }
}

static void hang_up(struct link *l)
{
    signet_conn_free(l->conn);
    signet_driver_free(l->driver);
}

static void log_in(struct link *l, const char *addr, bool secure)
{
    struct signet_conn_options options = {.role = SIGNET_ROLE_CLIENT,
                                          .peer_type = l->osd ? SIGNET_OSD : SIGNET_MON,
                                          .client = l->client,
                                          .modes = {secure ? SIGNET_MODE_SECURE : SIGNET_MODE_CRC},
                                          .num_modes = 1,
                                          .env = signet_env_system()};
    must("address", signet_addr_parse(&options.target, addr));
    must("connecting", signet_driver_connect(&l->driver, &options.target, WAIT_NS, NULL));
    must("connection", signet_conn_new(&l->conn, &options, signet_driver_now_ns()));
    do {
        next(l);
    } while (l->event.kind != SIGNET_EVENT_READY);
}

/* Waits for a message of that type. */
static const struct signet_message *await(struct link *l, uint16_t type)
{
    do {
        next(l);
    } while (l->event.kind != SIGNET_EVENT_MESSAGE || l->event.message.type != type);
    return &l->event.message;
}

static void send_front(struct link *l, uint16_t type, const void *front, size_t len)
{
    struct signet_message out = {
        .type = type, .version = 1, .compat_version = 1, .tid = ++l->tid, .front = {front, len}};
    must("sending", signet_conn_send(l->conn, &out, NULL, 0, NULL));
}

/* Commands carry the id of the cluster, which the monmap begins with. */
static void learn_fsid(struct link *l)
{
    send_front(l, MON_GET_MAP, NULL, 0);
    const struct signet_message *in = await(l, MON_MAP);
    if (in->front.len < 26) {
        die("monmap", -SIGNET_E_SHORT);
    }
    memcpy(l->fsid, in->front.p + 10, sizeof(l->fsid));
}

static void ask(struct link *l, const char *json)
{
    static uint8_t front[LINE_MAX_ + 100];
    struct signet_writer w = signet_writer_init(front, sizeof(front));
    if (!l->osd) {
        signet_write_u64(&w, 0);
        signet_write_u16(&w, UINT16_MAX);
        signet_write_u64(&w, 0);
    }
    signet_write_bytes(&w, l->fsid, sizeof(l->fsid));
    signet_write_u32(&w, 1);
    signet_write_blob(&w, json, strlen(json));
    must("command", w.err);
    send_front(l, l->osd ? COMMAND : MON_COMMAND, front, (size_t)w.len);
}

static int command(struct link *l, const char *json)
{
    ask(l, json);
    const struct signet_message *in = await(l, l->osd ? COMMAND_REPLY : MON_COMMAND_ACK);
    struct signet_reader r = signet_reader_init(in->front.p, in->front.len);
    signet_read_view(&r, l->osd ? 0 : 18);
    int code = (int32_t)signet_read_u32(&r);
    struct signet_span say = signet_read_blob(&r, LINE_MAX_);
    must("answer", r.err);
    printf("%d %.*s\n%.*s", code, (int)say.len, (const char *)say.p, (int)in->data.len,
           (const char *)in->data.p);
    fflush(stdout);
    return code;
}

static void stall(struct link *l)
{
    must("writing", signet_driver_flush(l->driver, l->conn, signet_driver_now_ns() + WAIT_NS));
    puts("stalled");
    fflush(stdout);
    pause();
}

int main(int argc, char **argv)
{
    static char line[LINE_MAX_];
    struct link l = {.tid = 0};
    bool all = true;
    bool stalls = argc == 6 && strcmp(argv[5], "stall") == 0;
    if (argc != 5 && argc != 6) {
        fputs("usage: mon_client ADDR KEYRING ENTITY crc|secure [stall|OSD] < COMMANDS\n", stderr);
        return 2;
    }
    must("start", signet_init(NULL));
    make_client(&l, argv[2], argv[3]);
    log_in(&l, argv[1], strcmp(argv[4], "secure") == 0);
    learn_fsid(&l);
    if (argc == 6 && !stalls) {
        hang_up(&l);
        l.osd = true;
        log_in(&l, argv[5], strcmp(argv[4], "secure") == 0);
    }
    while (fgets(line, sizeof(line), stdin) != NULL) {
        line[strcspn(line, "\n")] = 0;
        if (stalls) {
            ask(&l, line);
        } else {
            all = command(&l, line) == 0 && all;
        }
    }
    if (stalls) {
        stall(&l);
    }
    hang_up(&l);
    signet_client_free(l.client);
    signet_shutdown();
    return all ? 0 : 1;
}
