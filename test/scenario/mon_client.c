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

#include <signet/signet.h>

#include "base/cursor.h"
#include "link.h"

enum {
    MON_MAP = 4,
    MON_GET_MAP = 5,
    MON_COMMAND = 50,
    MON_COMMAND_ACK = 51,
    COMMAND = 97,
    COMMAND_REPLY = 98,
    LINE_MAX_ = 65536,
};

struct asking {
    struct link link;
    uint8_t fsid[16];
    uint64_t tid;
    bool osd; /* the peer is one */
};

static void send_front(struct asking *a, uint16_t type, const void *front, size_t len)
{
    struct signet_message out = {
        .type = type, .version = 1, .compat_version = 1, .tid = ++a->tid, .front = {front, len}};
    link_must(&a->link, "sending", signet_conn_send(a->link.conn, &out, NULL, 0, NULL));
}

/* Commands carry the id of the cluster, which the monmap begins with. */
static void learn_fsid(struct asking *a)
{
    send_front(a, MON_GET_MAP, NULL, 0);
    const struct signet_message *in = link_await(&a->link, MON_MAP);
    if (in->front.len < 26) {
        link_die(&a->link, "monmap", -SIGNET_E_SHORT);
    }
    memcpy(a->fsid, in->front.p + 10, sizeof(a->fsid));
}

static void ask(struct asking *a, const char *json)
{
    static uint8_t front[LINE_MAX_ + 100];
    struct signet_writer w = signet_writer_init(front, sizeof(front));
    if (!a->osd) {
        signet_write_u64(&w, 0);
        signet_write_u16(&w, UINT16_MAX);
        signet_write_u64(&w, 0);
    }
    signet_write_bytes(&w, a->fsid, sizeof(a->fsid));
    signet_write_u32(&w, 1);
    signet_write_blob(&w, json, strlen(json));
    link_must(&a->link, "command", w.err);
    send_front(a, a->osd ? COMMAND : MON_COMMAND, front, (size_t)w.len);
}

static int command(struct asking *a, const char *json)
{
    ask(a, json);
    const struct signet_message *in =
        link_await(&a->link, a->osd ? COMMAND_REPLY : MON_COMMAND_ACK);
    struct signet_reader r = signet_reader_init(in->front.p, in->front.len);
    signet_read_view(&r, a->osd ? 0 : 18);
    int code = (int32_t)signet_read_u32(&r);
    struct signet_span say = signet_read_blob(&r, LINE_MAX_);
    link_must(&a->link, "answer", r.err);
    printf("%d %.*s\n%.*s", code, (int)say.len, (const char *)say.p, (int)in->data.len,
           (const char *)in->data.p);
    fflush(stdout);
    return code;
}

static void stall(struct asking *a)
{
    link_must(
        &a->link, "writing",
        signet_driver_flush(a->link.driver, a->link.conn, signet_driver_now_ns() + LINK_WAIT_NS));
    puts("stalled");
    fflush(stdout);
    pause();
}

int main(int argc, char **argv)
{
    static char line[LINE_MAX_];
    struct asking a = {.link = {.program = "mon_client"}};
    bool all = true;
    bool stalls = argc == 6 && strcmp(argv[5], "stall") == 0;
    if (argc != 5 && argc != 6) {
        fputs("usage: mon_client ADDR KEYRING ENTITY crc|secure [stall|OSD] < COMMANDS\n", stderr);
        return 2;
    }
    uint32_t mode = strcmp(argv[4], "secure") == 0 ? SIGNET_MODE_SECURE : SIGNET_MODE_CRC;
    link_must(&a.link, "start", signet_init(NULL));
    link_client(&a.link, argv[2], argv[3]);
    link_log_in(&a.link, argv[1], SIGNET_MON, mode);
    learn_fsid(&a);
    if (argc == 6 && !stalls) {
        link_hang_up(&a.link);
        a.osd = true;
        link_log_in(&a.link, argv[5], SIGNET_OSD, mode);
    }
    while (fgets(line, sizeof(line), stdin) != NULL) {
        line[strcspn(line, "\n")] = 0;
        if (stalls) {
            ask(&a, line);
        } else {
            all = command(&a, line) == 0 && all;
        }
    }
    if (stalls) {
        stall(&a);
    }
    link_free(&a.link);
    signet_shutdown();
    return all ? 0 : 1;
}
