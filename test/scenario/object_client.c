/* SPDX-License-Identifier: MIT */
/*
 * object_client MON KEYRING OSD POOL write FIRST PID NUM [churn]: writes, several at a time,
 * objects of numbers from FIRST on: a number's contents follow from it, every eighth one is also
 * appended to the object "log", and with churn each is also written over the large object "over".
 * Prints each number when its write is answered; kills PID behind NUM of them, and ends when the
 * connection is lost (exit code 3).
 *
 * object_client MON KEYRING OSD POOL check LAST < NUMBERS: of the numbers up to LAST those in stdin
 * must be there and whole, the others whole or not there; the same with those in "log", in order.
 *
 * object_client MON KEYRING OSD POOL deaf NUM: writes one large object, asks for it many times on
 * NUM connections and reads nothing of the answers; says "asked" and waits for the end of stdin.
 *
 * object_client MON KEYRING OSD POOL loud NUM: on NUM connections, one after the other, sends a
 * message that is larger than the daemon takes, until it is cut off.
 */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <signet/signet.h>

#include "base/cursor.h"
#include "lite/osd_client.h"
#include "link.h"

enum { DEPTH = 8, SIZE = 3000, LOG_EVERY = 8 };
enum { OP_APPEND = 0x2206, PG_NUM = 8, OVER = 20000, BIG = 2 << 20, ASKS = 8 };
#define MARK "nobody sees this in the journal"

struct writing {
    struct link link;
    uint64_t features, pool;
};

static void send_op(struct writing *o, uint64_t tid, const char *name, struct lite_op op,
                    const void *data)
{
    uint8_t front[LITE_OSD_FRONT_MAX];
    struct lite_osd_request request = {.pool = o->pool,
                                       .pg_num = PG_NUM,
                                       .epoch = 1,
                                       .name = {(const uint8_t *)name, strlen(name)},
                                       .features = o->features,
                                       .num_ops = 1,
                                       .ops = &op};
    struct signet_message out = {
        .type = 42, .version = 8, .compat_version = 3, .tid = tid, .front.p = front};
    struct iovec payload = {(void *)(uintptr_t)data, op.payload_len};
    link_must(&o->link, "request",
              lite_osd_request(&request, front, sizeof(front), &out.front.len));
    link_must(&o->link, "sending",
              signet_conn_send(o->link.conn, &out, &payload, op.payload_len > 0 ? 1 : 0, NULL));
}

/* The next answer: its result, transaction number and data. */
static int32_t receive(struct writing *o, uint64_t *tid, struct signet_span *data)
{
    struct lite_osd_reply reply;
    const struct signet_message *in = link_await(&o->link, 43);
    link_must(&o->link, "answer", lite_osd_reply(&reply, in));
    *tid = in->tid;
    *data = in->data;
    return reply.result;
}

/* --- contents ------------------------------------------------------------------------------- */

static const char *name_of(uint64_t number, char out[32])
{
    snprintf(out, 32, "o%" PRIu64, number);
    return out;
}

static void contents_of(uint64_t number, uint8_t out[SIZE])
{
    uint64_t x = number * UINT64_C(0x9e3779b97f4a7c15) + 1;
    for (size_t i = 0; i < SIZE; i += 8) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        memcpy(out + i, &x, 8);
    }
    memcpy(out, MARK, sizeof(MARK) - 1);
}

/* --- writing -------------------------------------------------------------------------------- */

static bool churn;

/* tid of a number is four times it, of its line in the log one more, of what is written over two.
 */
static void write_one(struct writing *o, uint64_t number)
{
    uint8_t data[SIZE];
    char name[32];
    contents_of(number, data);
    send_op(o, number * 4, name_of(number, name),
            (struct lite_op){.code = LITE_OP_WRITEFULL, .length = SIZE, .payload_len = SIZE}, data);
    if (number % LOG_EVERY == 0) {
        uint8_t line[8];
        signet_store_u64(line, number);
        send_op(o, number * 4 + 1, "log",
                (struct lite_op){.code = OP_APPEND, .length = 8, .payload_len = 8}, line);
    }
    if (churn) {
        static const uint8_t over[OVER];
        send_op(o, number * 4 + 2, "over",
                (struct lite_op){.code = LITE_OP_WRITEFULL, .length = OVER, .payload_len = OVER},
                over);
    }
}

static unsigned answers_of(uint64_t number)
{
    return (number % LOG_EVERY == 0 ? 2U : 1U) + (churn ? 1U : 0U);
}

/* Not at the same point of the daemon's work each time. */
static void kill_it(pid_t pid, uint64_t num)
{
    uint64_t until = signet_driver_now_ns() + num % 11 * 15000;
    while (signet_driver_now_ns() < until) {
    }
    kill(pid, SIGKILL);
}

static void write_all(struct writing *o, uint64_t first, pid_t pid, uint64_t num)
{
    uint64_t printed = 0;
    unsigned waiting[DEPTH] = {0}; /* answers, by number */
    uint64_t sent = first, done = first;
    for (;;) {
        while (sent < done + DEPTH) {
            waiting[sent % DEPTH] = answers_of(sent);
            write_one(o, sent++);
        }
        uint64_t tid;
        struct signet_span data;
        int32_t result = receive(o, &tid, &data);
        if (result != 0) {
            fprintf(stderr, "object_client: write %" PRIu64 ": %s\n", tid / 4, strerror(-result));
            exit(1);
        }
        if (--waiting[tid / 4 % DEPTH] == 0) {
            printf("%" PRIu64 "\n", tid / 4);
            fflush(stdout);
            if (++printed == num) {
                kill_it(pid, num);
            }
        }
        while (done < sent && waiting[done % DEPTH] == 0) {
            done++;
        }
    }
}

/* --- checking ------------------------------------------------------------------------------- */

static uint8_t *answered; /* by number */

static void read_numbers(const struct link *l, uint64_t last)
{
    char line[32];
    answered = calloc(last + 1, 1);
    if (answered == NULL) {
        link_die(l, "numbers", -SIGNET_E_NOMEM);
    }
    while (fgets(line, sizeof(line), stdin) != NULL) {
        uint64_t number = strtoull(line, NULL, 10);
        if (number <= last) {
            answered[number] = 1;
        }
    }
}

static void wrong(const char *what, uint64_t number)
{
    fprintf(stderr, "object_client: %s: %" PRIu64 "\n", what, number);
    exit(1);
}

static void check_objects(struct writing *o, uint64_t last)
{
    uint8_t want[SIZE];
    char name[32];
    for (uint64_t number = 1; number <= last; number++) {
        uint64_t tid;
        struct signet_span data;
        send_op(o, number, name_of(number, name), (struct lite_op){.code = LITE_OP_READ}, NULL);
        int32_t result = receive(o, &tid, &data);
        if (result == -ENOENT && answered[number]) {
            wrong("was answered, but is not there", number);
        }
        contents_of(number, want);
        if (result == 0 && (data.len != SIZE || memcmp(data.p, want, SIZE) != 0)) {
            wrong("is there, but not whole", number);
        }
        if (result != 0 && result != -ENOENT) {
            wrong("cannot be read", number);
        }
    }
}

static void check_log(struct writing *o, uint64_t last)
{
    uint64_t tid, before = 0;
    struct signet_span data;
    send_op(o, last + 1, "log", (struct lite_op){.code = LITE_OP_READ}, NULL);
    int32_t result = receive(o, &tid, &data);
    if (result != 0 || data.len % 8 != 0) {
        wrong("the log cannot be read or ends within a line", data.len);
    }
    for (size_t at = 0; at < data.len; at += 8) {
        uint64_t number = signet_load_u64(data.p + at);
        if (number <= before || number > last || number % LOG_EVERY != 0) {
            wrong("the log has a line that is out of place", number);
        }
        answered[number] = 0;
        before = number;
    }
    for (uint64_t number = LOG_EVERY; number <= last; number += LOG_EVERY) {
        if (answered[number]) {
            wrong("was answered, but the log lacks it", number);
        }
    }
}

/* --- asking without reading ----------------------------------------------------------------- */

static void ask(struct writing *o, uint64_t tid)
{
    send_op(o, tid, "big", (struct lite_op){.code = LITE_OP_READ}, NULL);
    int err = signet_driver_flush(o->link.driver, o->link.conn, signet_driver_now_ns() + 10000000);
    (void)err; /* it is not read any more, or the daemon has had enough of it */
}

static void be_deaf(struct writing *o, const char *osd, uint64_t num)
{
    struct writing *deaf = calloc(num, sizeof(*deaf));
    uint8_t *data = calloc(1, BIG);
    uint64_t tid;
    struct signet_span none;
    if (deaf == NULL || data == NULL) {
        link_die(&o->link, "connections", -SIGNET_E_NOMEM);
    }
    send_op(o, 1, "big",
            (struct lite_op){.code = LITE_OP_WRITEFULL, .length = BIG, .payload_len = BIG}, data);
    if (receive(o, &tid, &none) != 0) {
        wrong("cannot be written", 1);
    }
    for (uint64_t i = 0; i < num; i++) {
        deaf[i] = *o; /* but for its connection */
        link_log_in(&deaf[i].link, osd, SIGNET_OSD, 0);
    }
    for (uint64_t n = 1; n <= ASKS * num; n++) {
        ask(&deaf[n % num], n);
    }
    puts("asked");
    fflush(stdout);
    while (getchar() != EOF) {
    }
    for (uint64_t i = 0; i < num; i++) {
        link_hang_up(&deaf[i].link);
    }
    free(deaf);
    free(data);
}

/* --- sending too much ----------------------------------------------------------------------- */

static void await_end(struct link *l)
{
    int err = 0;
    while (err == 0 && l->event.kind != SIGNET_EVENT_FAILED) {
        err =
            signet_driver_run(l->driver, l->conn, &l->event, signet_driver_now_ns() + LINK_WAIT_NS);
    }
    if (err == -SIGNET_E_TIMEOUT) {
        link_die(l, "it was not cut off", err);
    }
}

static void be_loud(struct writing *o, const char *osd, uint64_t num)
{
    static const uint8_t data[BIG];
    for (uint64_t i = 0; i < num; i++) {
        struct writing loud = *o; /* but for its connection */
        link_log_in(&loud.link, osd, SIGNET_OSD, 0);
        send_op(&loud, 1, "big",
                (struct lite_op){.code = LITE_OP_WRITEFULL, .length = BIG, .payload_len = BIG},
                data);
        await_end(&loud.link);
        link_hang_up(&loud.link);
    }
}

int main(int argc, char **argv)
{
    struct writing o = {.link = {.program = "object_client"}};
    churn = argc == 10 && strcmp(argv[9], "churn") == 0;
    bool writes = argc == (churn ? 10 : 9) && strcmp(argv[5], "write") == 0;
    bool checks = argc == 7 && strcmp(argv[5], "check") == 0;
    bool deaf = argc == 7 && strcmp(argv[5], "deaf") == 0;
    bool loud = argc == 7 && strcmp(argv[5], "loud") == 0;
    if (!writes && !checks && !deaf && !loud) {
        fputs("usage: object_client MON KEYRING OSD POOL write FIRST PID NUM [churn] |"
              " check LAST | deaf NUM | loud NUM\n",
              stderr);
        return 2;
    }
    uint64_t number = strtoull(argv[6], NULL, 10);
    link_must(&o.link, "start", signet_init(NULL));
    link_client(&o.link, argv[2], "client.admin");
    o.pool = strtoull(argv[4], NULL, 10);
    link_log_in(&o.link, argv[1], SIGNET_MON, 0);
    link_hang_up(&o.link);
    link_log_in(&o.link, argv[3], SIGNET_OSD, 0);
    o.features = o.link.event.ready.features;
    if (writes) {
        write_all(&o, number, (pid_t)strtol(argv[7], NULL, 10), strtoull(argv[8], NULL, 10));
    } else if (deaf) {
        be_deaf(&o, argv[3], number);
    } else if (loud) {
        be_loud(&o, argv[3], number);
    } else {
        read_numbers(&o.link, number);
        check_objects(&o, number);
        check_log(&o, number);
    }
    link_free(&o.link);
    free(answered);
    signet_shutdown();
    return 0;
}
