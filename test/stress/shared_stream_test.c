/* SPDX-License-Identifier: MIT */
/* Threads seal frames of one stream outside any lock while handlers are switched; the other end
 * opens them in order. */
#include "support/suite.h"

#include <signet/signet.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define FRAMES  20000
#define LEN     64
#define THREADS 4

static struct signet_stream *tx;
static uint8_t (*frames)[LEN + SIGNET_STREAM_TAG_LEN];
static atomic_uint wrong;

static void *seal_frames(void *arg)
{
    (void)arg;
    uint64_t first;
    unsigned num = 16;
    while (signet_stream_reserve(tx, &first, num) == 0 && first < FRAMES) {
        for (uint64_t seq = first; seq < first + num && seq < FRAMES; seq++) {
            uint8_t plain[LEN];
            memset(plain, (int)(seq % 251), LEN);
            wrong += signet_stream_seal_at(tx, seq, frames[seq], plain, LEN) != 0;
            if (seq % 64 == 0) {
                const struct signet_handler *h = signet_handler_at(seq / 64 % 2);
                wrong += h != NULL && signet_handler_use(h) != 0;
            }
        }
        num = num % 16 + 1;
    }
    return NULL;
}

START_TEST(many_threads_one_stream)
{
    static const uint8_t key[16] = {1}, nonce[12] = {2};
    struct signet_stream *rx;
    pthread_t threads[THREADS];
    frames = malloc(FRAMES * sizeof(*frames));
    ck_assert_ptr_nonnull(frames);
    assert_ok(signet_stream_new(&tx, SIGNET_SEAL, key, nonce, NULL));
    assert_ok(signet_stream_new(&rx, SIGNET_OPEN, key, nonce, NULL));
    for (int i = 0; i < THREADS; i++) {
        ck_assert_int_eq(pthread_create(&threads[i], NULL, seal_frames, NULL), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    ck_assert_uint_eq(wrong, 0);
    for (unsigned seq = 0; seq < FRAMES; seq++) {
        uint8_t out[LEN];
        assert_ok(signet_stream_open(rx, out, frames[seq], sizeof(frames[seq])));
        ck_assert_uint_eq(out[0], seq % 251);
        ck_assert_uint_eq(out[LEN - 1], seq % 251);
    }
    signet_stream_free(tx);
    signet_stream_free(rx);
    free(frames);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("shared_stream");
    TCase *t = suite_case(s, "stress");
    tcase_set_timeout(t, 60);
    tcase_add_test(t, many_threads_one_stream);
    return suite_run(s);
}
