/* SPDX-License-Identifier: MIT */
/*
 * A log as it may be found on a disk. Byte 0: kind (bit 0), whether the crcs of headers are put
 * right (bit 1), whether the input is the plaintexts of records that are sealed here first (bit 2);
 * bytes 1 and 2: which byte is changed then (0: none); the rest is the log.
 */
#include <signet/signet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "demand.h"
#include "msg/record_format.h"

static const uint8_t key[SIGNET_RECORD_KEY_LEN] = {1, 2, 3};

static void start(void)
{
    static int started;
    struct signet_options options = {.handler = getenv("SIGNET_TEST_HANDLER")};
    if (!started) {
        demand(signet_init(&options) == 0);
        started = 1;
    }
}

/* Records of the lengths that the bytes themselves say. */
static size_t seal_all(uint8_t *log, enum signet_record_kind kind, const uint8_t *in, size_t len)
{
    struct signet_record_sealer *s;
    size_t end = 0, got;
    demand(signet_record_sealer_new(&s, kind, key, 0, NULL) == 0);
    for (uint64_t seq; len > 0;) {
        size_t n = in[0] < len ? in[0] : len;
        demand(signet_record_reserve(s, &seq, 1) == 0);
        demand(signet_record_seal_at(s, seq, log + end, signet_record_len(kind, n), &got, in, n) ==
               0);
        end += got;
        in += n > 0 ? n : 1;
        len -= n > 0 ? n : 1;
    }
    signet_record_sealer_free(s);
    return end;
}

/* Makes the header at the start of the rest pass its crc. */
static void repair(uint8_t *at, size_t len, enum signet_record_kind kind)
{
    struct signet_record_header h;
    const char *what;
    if (len >= SIGNET_RECORD_HEADER_LEN) {
        (void)signet_record_header_read(&h, at, kind, &what);
        signet_record_header_write(at, &h);
    }
}

static void read_all(uint8_t *log, size_t end, enum signet_record_kind kind, int put_right)
{
    struct signet_record_reader *r;
    struct signet_record_view view;
    struct signet_fail fail;
    size_t at = 0, need;
    demand(signet_record_reader_new(&r, kind, key, SIGNET_RECORD_SEQ_ANY, 0, 4096, NULL) == 0);
    for (;;) {
        if (put_right) {
            repair(log + at, end - at, kind);
        }
        int err = signet_record_open(r, log + at, end - at, &view, &need, &fail);
        demand(err <= 0 && (err == 0 || (fail.err == err && view.len == 0)));
        if (err != 0 || view.len == 0) {
            break;
        }
        demand(view.offset == at && view.len <= end - at && view.body.len <= 4096);
        at += view.len;
    }
    signet_record_reader_free(r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 4) {
        return 0;
    }
    start();
    enum signet_record_kind kind = data[0] & 1 ? SIGNET_RECORD_CTR : SIGNET_RECORD_GCM;
    size_t change = (size_t)data[1] | (size_t)data[2] << 8, len = size - 3;
    uint8_t *log = malloc(len * 60);
    demand(log != NULL);
    if (data[0] & 4) {
        size_t end = seal_all(log, kind, data + 3, len);
        if (change > 0 && change <= end) {
            log[change - 1] ^= 0x10;
        }
        read_all(log, end, kind, data[0] & 2);
    } else {
        /* In a block of its own size, so that each read past it is seen. */
        uint8_t *exact = malloc(len);
        demand(exact != NULL);
        memcpy(exact, data + 3, len);
        read_all(exact, len, kind, data[0] & 2);
        free(exact);
    }
    free(log);
    return 0;
}
