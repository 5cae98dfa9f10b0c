/* SPDX-License-Identifier: MIT */
/* What does it cost to build and seal a msgr2.1 frame, and to open and parse one? */
#include "common/bench.h"
#include "common/bench_signet.h"
#include "ref/ref.h"

#include <string.h>

#include <signet/frame.h>

static const uint32_t sizes[] = {64, 4096, 65536, 4u << 20};
enum { NUM_SIZES = sizeof sizes / sizeof *sizes, FIRST = 80, EPILOGUE = 16, BLOCKS = 2 };
/* Frames that lie ready to be opened: each opens once. */
enum { READY_BYTES = 8 << 20, READY_MAX = 1024 };

static struct bench_handlers handlers;
static uint8_t secret[64], header[SIGNET_MESSAGE_HEADER_LEN];

/* One size: a message of a header and data, and as many frames of it as are to be opened. */
struct message {
    uint32_t n;
    size_t wire[2]; /* bytes of a frame, by layout */
    unsigned ready;
    struct iovec parts[2];
    struct signet_frame frame;
    uint8_t *plain, *out;
    uint8_t *sealed[2], *work; /* by layout; work: what is opened in place */
};

/* One row. */
struct job {
    struct message *m;
    enum signet_layout layout;
    const struct signet_handler *handler;
    struct signet_stream *seal, *open;
    struct signet_frame_reader *reader;
    const struct ref_gcm *ref; /* NULL: signet */
    void *state;
    unsigned next;
};

/* ---- signet ---- */

static void new_streams(struct job *j)
{
    signet_stream_free(j->seal);
    signet_stream_free(j->open);
    bench_need(signet_streams_new(&j->seal, NULL, secret, sizeof secret, SIGNET_ROLE_SERVER,
                                  j->handler) == 0 &&
                   signet_streams_new(NULL, &j->open, secret, sizeof secret, SIGNET_ROLE_CLIENT,
                                      j->handler) == 0,
               "streams cannot be made");
}

static int build(struct job *j, uint8_t *out)
{
    const struct message *m = j->m;
    uint64_t seq = 0;
    size_t len;
    bool secure = j->layout == SIGNET_LAYOUT_SECURE;
    if (secure && signet_stream_reserve(j->seal, &seq, BLOCKS)) {
        return -1;
    }
    int err =
        signet_frame_build(out, m->wire[j->layout], &len, &m->frame, secure ? j->seal : NULL, seq);
    return err || len != m->wire[j->layout];
}

static void run_build(void *arg, uint64_t iters)
{
    struct job *j = arg;
    for (uint64_t i = 0; i < iters; i++) {
        bench_need(build(j, j->m->out) == 0, "a frame is not built");
        bench_use(j->m->out);
    }
}

static int read_next(struct job *j, struct signet_frame_view *view)
{
    size_t len = j->m->wire[j->layout], need;
    uint8_t *at = j->m->work + j->next++ * len;
    return signet_frame_reader_next(j->reader, at, len, view, &need, NULL) || view->len != len;
}

static void run_read(void *arg, uint64_t iters)
{
    struct job *j = arg;
    struct signet_frame_view view;
    for (uint64_t i = 0; i < iters; i++) {
        bench_need(read_next(j, &view) == 0, "a frame does not open");
        bench_use(&view);
    }
}

/* Puts back what was opened in place; the first frame builds the contexts. */
static void prepare_read(void *arg, uint64_t iters)
{
    struct job *j = arg;
    struct message *m = j->m;
    struct signet_frame_limits limits = signet_frame_limits_default();
    struct signet_frame_view view;
    memcpy(m->work, m->sealed[j->layout], m->wire[j->layout] * (size_t)(iters + 1));
    j->next = 0;
    signet_frame_reader_free(j->reader);
    bench_need(signet_frame_reader_new(&j->reader, &limits, 0) == 0, "out of memory");
    if (j->layout == SIGNET_LAYOUT_SECURE) {
        new_streams(j);
        signet_frame_reader_secure(j->reader, j->open);
    }
    bench_need(read_next(j, &view) == 0, "a frame does not open");
}

static int check_build(void *arg)
{
    struct job *j = arg;
    new_streams(j);
    return build(j, j->m->out) ||
           memcmp(j->m->out, j->m->sealed[j->layout], j->m->wire[j->layout]) != 0;
}

static int check_read(void *arg)
{
    struct job *j = arg;
    struct signet_frame_view view;
    prepare_read(j, 1);
    return read_next(j, &view) || view.segment[3].len != j->m->n ||
           memcmp(view.segment[3].p, j->m->plain, j->m->n) != 0 ||
           memcmp(view.segment[0].p, header, sizeof header) != 0;
}

/* ---- what it is compared with ---- */

static void run_copy(void *arg, uint64_t iters)
{
    struct job *j = arg;
    for (uint64_t i = 0; i < iters; i++) {
        memcpy(j->m->out, j->m->plain, j->m->n);
        bench_use(j->m->out);
    }
}

static int check_copy(void *arg)
{
    struct job *j = arg;
    run_copy(j, 1);
    return memcmp(j->m->out, j->m->plain, j->m->n) != 0;
}

/* The GCM calls of one frame and one copy of its data, nothing else. */
static void run_bare(void *arg, uint64_t iters)
{
    struct job *j = arg;
    struct message *m = j->m;
    uint8_t nonce[REF_NONCE_LEN] = {0}, *body = m->out + FIRST + REF_TAG_LEN;
    size_t body_len = (m->n + 15) / 16 * 16 + EPILOGUE;
    for (uint64_t i = 0; i < iters; i++) {
        memcpy(body, m->plain, m->n);
        memcpy(nonce + 4, &j->next, sizeof j->next);
        j->next++;
        bench_need(j->ref->seal(j->state, m->out, m->out, FIRST, nonce) == 0 &&
                       j->ref->seal(j->state, body, body, body_len, nonce) == 0,
                   "a message does not seal");
        bench_use(m->out);
    }
}

/* What was sealed opens again. */
static int check_bare(void *arg)
{
    struct job *j = arg;
    struct message *m = j->m;
    uint8_t nonce[REF_NONCE_LEN] = {0};
    j->next = 0;
    run_bare(j, 1);
    uint8_t *body = m->out + FIRST + REF_TAG_LEN;
    return j->ref->open(j->state, body, body, (m->n + 15) / 16 * 16 + EPILOGUE, nonce) ||
           memcmp(body, m->plain, m->n) != 0;
}

/* ---- rows ---- */

static struct job *new_job(struct message *m, enum signet_layout layout,
                           const struct signet_handler *handler)
{
    struct job *j = bench_alloc(sizeof *j);
    j->m = m;
    j->layout = layout;
    j->handler = handler;
    new_streams(j);
    return j;
}

static struct message *new_message(uint32_t n)
{
    struct message *m = bench_alloc(sizeof *m);
    uint32_t len[SIGNET_SEGMENTS_MAX] = {sizeof header, 0, 0, n};
    m->n = n;
    m->plain = bench_alloc(n);
    bench_fill(m->plain, n, n);
    m->parts[0] = (struct iovec){header, sizeof header};
    m->parts[1] = (struct iovec){m->plain, n};
    m->frame.tag = SIGNET_TAG_MESSAGE;
    m->frame.segment[0] = (struct signet_segment){&m->parts[0], 1};
    m->frame.segment[3] = (struct signet_segment){&m->parts[1], 1};
    m->ready = READY_BYTES / n < READY_MAX ? READY_BYTES / n : READY_MAX;
    for (int layout = 0; layout < 2; layout++) {
        m->wire[layout] = signet_frame_len((enum signet_layout)layout, len);
        m->sealed[layout] = bench_alloc(m->wire[layout] * m->ready);
        struct job *j = new_job(m, (enum signet_layout)layout, handlers.at[0]);
        for (unsigned i = 0; i < m->ready; i++) {
            bench_need(build(j, m->sealed[layout] + i * m->wire[layout]) == 0, "no frame");
        }
    }
    m->out = bench_alloc(m->wire[SIGNET_LAYOUT_SECURE] + 64);
    m->work = bench_alloc(m->wire[SIGNET_LAYOUT_SECURE] * m->ready);
    bench_need(signet_frame_nonces(len) == BLOCKS, "a frame has other blocks than expected");
    return m;
}

static void add_bare(struct bench *b, const char *group, struct message *m)
{
    static const struct ref_gcm *const refs[] = {&ref_gcm_nss, &ref_gcm_openssl, &ref_gcm_ipsec_mb};
    for (unsigned i = 0; i < sizeof refs / sizeof *refs; i++) {
        struct job *j = new_job(m, SIGNET_LAYOUT_SECURE, NULL);
        j->ref = refs[i];
        j->state = refs[i]->make(secret);
        if (j->state) {
            bench_add(b, &(struct bench_row){.group = group,
                                             .name = bench_text(b, "copy + %s", refs[i]->name),
                                             .arg = j,
                                             .bytes = m->n,
                                             .check = check_bare,
                                             .run = run_bare});
        }
    }
}

static void add_build(struct bench *b, struct message *m)
{
    const char *group = bench_text(b, "build and seal, %u B of data", m->n);
    struct bench_row row = {
        .group = group, .name = "memcpy", .bytes = m->n, .arg = new_job(m, 0, NULL)};
    row.check = check_copy;
    row.run = run_copy;
    bench_add(b, &row);
    add_bare(b, group, m);
    row.floor = "memcpy";
    row.name = "signet crc";
    row.arg = new_job(m, SIGNET_LAYOUT_CRC, NULL);
    row.no_allocs = true;
    row.check = check_build;
    row.run = run_build;
    bench_add(b, &row);
    for (unsigned h = 0; h < handlers.num; h++) {
        row.name = bench_text(b, "signet secure, %s", handlers.name[h]);
        row.floor = bench_text(b, "copy + bare %s", handlers.name[h]);
        row.bar_floor_ns = m->n == 4096 ? 60 : 0;
        row.versus[0].row = "memcpy";
        row.arg = new_job(m, SIGNET_LAYOUT_SECURE, handlers.at[h]);
        bench_add(b, &row);
    }
}

static void add_read(struct bench *b, struct message *m)
{
    const char *group = bench_text(b, "open and parse, %u B of data", m->n);
    struct bench_row row = {
        .group = group, .name = "memcpy", .bytes = m->n, .arg = new_job(m, 0, NULL)};
    row.check = check_copy;
    row.run = run_copy;
    bench_add(b, &row);
    row.floor = "memcpy";
    row.no_allocs = true;
    row.check = check_read;
    row.prepare = prepare_read;
    row.run = run_read;
    row.iters_max = m->ready - 1;
    row.name = "signet crc";
    row.arg = new_job(m, SIGNET_LAYOUT_CRC, NULL);
    bench_add(b, &row);
    for (unsigned h = 0; h < handlers.num; h++) {
        row.name = bench_text(b, "signet secure, %s", handlers.name[h]);
        row.arg = new_job(m, SIGNET_LAYOUT_SECURE, handlers.at[h]);
        bench_add(b, &row);
    }
}

static int setup(struct bench *b)
{
    bench_signet_start(b, &handlers);
    bench_fact(b, "ipsec-mb", "%s", ref_ipsec_mb_version());
    bench_fill(secret, sizeof secret, 3);
    bench_fill(header, sizeof header, 4);
    for (int i = 0; i < NUM_SIZES; i++) {
        struct message *m = new_message(sizes[i]);
        add_build(b, m);
        add_read(b, m);
    }
    return 0;
}

int main(int argc, char **argv)
{
    static const struct bench_program program = {
        .name = "seal_frame",
        .question = "what does it cost to build and seal a msgr2.1 frame, to open and parse one?",
        .notes = "  A message with a header of 41 bytes and data; bytes count the data only.\n"
                 "  copy + bare: one memcpy of the data and the two GCM calls of the frame by the\n"
                 "  library's innermost functions. Frames are built into one buffer again and\n"
                 "  again; each frame that is opened lies in a place of its own.\n",
        .setup = setup,
    };
    return bench_main(argc, argv, &program);
}
