/* SPDX-License-Identifier: MIT */
/* What does security cost an operation of 4 KiB, beyond the GCM calls that it cannot do without? */
#include <string.h>

#include "common/bench_join.h"
#include "common/bench_signet.h"
#include "ref/ref.h"

enum {
    DATA = 4096,
    DEPTH = 16,         /* operations that go back and forth together */
    FRONT_WRITE = 230,  /* MOSDOp with a name of 30 bytes */
    FRONT_ANSWER = 190, /* MOSDOpReply */
    ROOM = DEPTH * (DATA + 1024),
    IOVS = 64,
    /* msgr2.md 5: the preamble with what is inline of the first segment; then the others, each
     * padded to 16, with an epilogue of 16. */
    FIRST = 80,
    PAD_WRITE = (FRONT_WRITE + 15) / 16 * 16,
    PAD_ANSWER = (FRONT_ANSWER + 15) / 16 * 16,
    REST_WRITE = PAD_WRITE + DATA + 16,
    REST_ANSWER = PAD_ANSWER + 16,
};

enum side { CLIENT, SERVER };

struct wire {
    uint8_t p[ROOM];
    size_t len;
};

struct job {
    const struct signet_handler *handler;
    const struct ref_gcm *ref;
    enum side side;
    struct join crc, secure;
    struct wire wire;
    void *state; /* of ref */
    uint8_t nonce[REF_NONCE_LEN], data[DATA], front[FRONT_WRITE];
    uint8_t in[REST_WRITE + REF_TAG_LEN], out[REST_WRITE + REF_TAG_LEN];
};

static struct bench_handlers handlers;

/* --- one batch ------------------------------------------------------------------------------ */

static void need(int err)
{
    bench_need(err == 0, "a connection failed");
}

/* ns of making and giving out; what is given out goes to the wire, untimed. */
static double send_all(struct signet_conn *conn, struct job *j, size_t front, size_t data)
{
    struct signet_message m = {.type = 42, .front = {j->front, front}};
    struct iovec iov[IOVS], payload = {j->data, data};
    int num = IOVS;
    double start = bench_mono_ns();
    for (int i = 0; i < DEPTH; i++) {
        need(signet_conn_send(conn, &m, &payload, data > 0 ? 1 : 0, NULL));
    }
    need(signet_conn_output(conn, iov, &num));
    double took = bench_mono_ns() - start;
    j->wire.len = 0;
    for (int i = 0; i < num; i++) {
        bench_need(iov[i].iov_len <= ROOM - j->wire.len, "the wire is full");
        memcpy(j->wire.p + j->wire.len, iov[i].iov_base, iov[i].iov_len);
        j->wire.len += iov[i].iov_len;
    }
    start = bench_mono_ns();
    signet_conn_sent(conn, j->wire.len);
    return took + (bench_mono_ns() - start);
}

static unsigned take_events(struct signet_conn *conn)
{
    struct signet_event event;
    unsigned got = 0;
    do {
        need(signet_conn_next(conn, &event));
        bench_need(event.kind != SIGNET_EVENT_FAILED, "a connection failed");
        got += event.kind == SIGNET_EVENT_MESSAGE ? 1 : 0;
    } while (event.kind != SIGNET_EVENT_NONE);
    return got;
}

/* ns of receiving all; filling the buffer is the system's work. */
static double receive_all(struct signet_conn *conn, const struct job *j)
{
    double took = 0;
    unsigned got = 0;
    for (size_t at = 0; at < j->wire.len;) {
        uint8_t *room;
        size_t cap;
        double start = bench_mono_ns();
        need(signet_conn_recv_buffer(conn, &room, &cap));
        took += bench_mono_ns() - start;
        size_t n = j->wire.len - at < cap ? j->wire.len - at : cap;
        memcpy(room, j->wire.p + at, n);
        at += n;
        start = bench_mono_ns();
        need(signet_conn_received(conn, n, 0));
        got += take_events(conn);
        took += bench_mono_ns() - start;
    }
    bench_need(got == DEPTH, "messages are missing");
    return took;
}

/* DEPTH writes there, their answers back: the ns of one side. */
static double batch(struct job *j, struct join *join)
{
    double ns[2] = {0, 0};
    ns[CLIENT] += send_all(join->sender, j, FRONT_WRITE, DATA);
    ns[SERVER] += receive_all(join->receiver, j);
    ns[SERVER] += send_all(join->receiver, j, FRONT_ANSWER, 0);
    ns[CLIENT] += receive_all(join->sender, j);
    return ns[j->side];
}

/* --- rows ----------------------------------------------------------------------------------- */

static double run_crc(void *arg, uint64_t iters)
{
    struct job *j = arg;
    double ns = 0;
    for (uint64_t i = 0; i < iters; i++) {
        ns += batch(j, &j->crc);
    }
    return ns;
}

static double run_secure(void *arg, uint64_t iters)
{
    struct job *j = arg;
    double ns = 0;
    for (uint64_t i = 0; i < iters; i++) {
        ns += batch(j, &j->secure);
    }
    return ns;
}

static void lower(double *least, double value)
{
    *least = value < *least ? value : *least;
}

/* The two in turn, and the quickest of each: a difference of sums would be that of what disturbs
 * them. */
static double run_difference(void *arg, uint64_t iters)
{
    struct job *j = arg;
    double crc = 1e12, secure = 1e12;
    for (uint64_t i = 0; i < iters; i++) {
        lower(&secure, batch(j, &j->secure));
        lower(&crc, batch(j, &j->crc));
    }
    return secure > crc ? (secure - crc) * (double)iters : 1;
}

static void bare_seal(struct job *j, size_t len)
{
    j->nonce[4]++;
    bench_need(j->ref->seal(j->state, j->out, j->in, len, j->nonce) == 0, "bare sealing failed");
}

/* Of zeros sealed under the nonce of zeros. */
static void bare_open(struct job *j, const uint8_t *sealed, size_t len)
{
    static const uint8_t nonce[REF_NONCE_LEN];
    bench_need(j->ref->open(j->state, j->out, sealed, len, nonce) == 0, "bare opening failed");
}

/* The calls of one side, once for each operation. */
static double run_bare(void *arg, uint64_t iters)
{
    struct job *j = arg;
    static uint8_t first[FIRST + REF_TAG_LEN], rest[REST_WRITE + REF_TAG_LEN];
    static const uint8_t nonce[REF_NONCE_LEN];
    size_t opened = j->side == SERVER ? REST_WRITE : REST_ANSWER;
    size_t sealed = j->side == SERVER ? REST_ANSWER : REST_WRITE;
    bench_need(j->ref->seal(j->state, first, j->in, FIRST, nonce) == 0 &&
                   j->ref->seal(j->state, rest, j->in, opened, nonce) == 0,
               "bare sealing failed");
    double start = bench_mono_ns();
    for (uint64_t i = 0; i < iters * DEPTH; i++) {
        bare_open(j, first, FIRST);
        bare_open(j, rest, opened);
        bare_seal(j, FIRST);
        bare_seal(j, sealed);
    }
    return bench_mono_ns() - start;
}

static int check(void *arg)
{
    return run_crc(arg, 1) <= 0 || run_secure(arg, 1) <= 0 || run_bare(arg, 1) <= 0;
}

static void add_row(struct bench *b, const char *group, const char *name, struct job *j,
                    double (*measure)(void *arg, uint64_t iters), struct bench_versus versus)
{
    struct bench_row row = {.group = group,
                            .name = name,
                            .arg = j,
                            .versus = {versus},
                            .ops = DEPTH,
                            .iters = bench_quick(b) ? 10 : 40,
                            .check = check,
                            .measure = measure};
    bench_add(b, &row);
}

static void add_side(struct bench *b, unsigned h, const struct ref_gcm *ref, enum side side)
{
    const char *group = bench_text(b, "%s, write of 4 KiB, %s",
                                   side == CLIENT ? "client" : "server", handlers.name[h]);
    struct job *j = bench_alloc(sizeof *j);
    const uint8_t key[REF_KEY_LEN] = {1};
    struct join_options o = {.handler = handlers.at[h], .mode = SIGNET_MODE_CRC, .senders = true};
    *j = (struct job){.handler = handlers.at[h], .ref = ref, .side = side, .state = ref->make(key)};
    join_start(&j->crc, &o);
    o.mode = SIGNET_MODE_SECURE;
    join_start(&j->secure, &o);
    const struct bench_versus none = {.row = NULL}, crc = {.row = "crc"},
                              bare = {.row = "bare GCM", .bar_median = 1 / 1.3};
    add_row(b, group, "crc", j, run_crc, none);
    add_row(b, group, "secure", j, run_secure, crc);
    add_row(b, group, "bare GCM", j, run_bare, none);
    add_row(b, group, "secure - crc", j, run_difference, bare);
}

static int setup(struct bench *b)
{
    static const struct ref_gcm *const refs[] = {&ref_gcm_nss, &ref_gcm_openssl};
    bench_signet_start(b, &handlers);
    for (unsigned h = 0; h < handlers.num; h++) {
        for (unsigned r = 0; r < sizeof refs / sizeof refs[0]; r++) {
            if (strcmp(refs[r]->name + strlen("bare "), handlers.name[h]) == 0) {
                add_side(b, h, refs[r], CLIENT);
                add_side(b, h, refs[r], SERVER);
            }
        }
    }
    return 0;
}

int main(int argc, char **argv)
{
    static const struct bench_program program = {
        .name = "security",
        .question = "what does security cost an operation of 4 KiB beyond its GCM calls?",
        .notes =
            "  ns of one side per operation: a message of 4 KiB there, an answer back, 16 at a\n"
            "  time; no sockets. bare GCM: the four calls that one side needs. The bar: what\n"
            "  secure mode takes more than crc is at most 1.3 times that.\n",
        .setup = setup,
        .rounds = 101,
    };
    return bench_main(argc, argv, &program);
}
