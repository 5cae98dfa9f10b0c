/* SPDX-License-Identifier: MIT */
/* What rados bench calls its objects and puts into them, so that each finds the other's. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"

static void put_number(uint8_t *to, uint64_t value, unsigned len)
{
    for (unsigned i = 0; i < len; i++)
        to[i] = (uint8_t)(value >> 8 * i);
}

static uint64_t get_number(const uint8_t *from, unsigned len)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < len; i++)
        value |= (uint64_t)from[i] << 8 * i;
    return value;
}

/* u64 size of the objects, u32 their number, u32 pid, u64 size of operations. */
void bench_meta_write(uint8_t out[BENCH_META_LEN], const struct bench_meta *meta)
{
    put_number(out, meta->object_size, 8);
    put_number(out + 8, meta->num, 4);
    put_number(out + 12, meta->pid, 4);
    put_number(out + 16, meta->op_size, 8);
}

bool bench_meta_read(struct bench_meta *meta, const void *p, size_t len)
{
    const uint8_t *in = p;
    if (len != BENCH_META_LEN)
        return false;
    meta->object_size = get_number(in, 8);
    meta->num = get_number(in + 8, 4);
    meta->pid = get_number(in + 12, 4);
    meta->op_size = get_number(in + 16, 8);
    return meta->num > 0 && meta->object_size > 0;
}

void bench_host_prefix(char out[BENCH_NAME_MAX])
{
    char host[256] = "";
    if (gethostname(host, sizeof(host) - 1) != 0)
        snprintf(host, sizeof(host), "localhost");
    /* room is left for "_object" and a number */
    snprintf(out, BENCH_NAME_MAX - 64, BENCH_PREFIX "_%s", host);
}

void bench_prefix(char out[BENCH_NAME_MAX], uint64_t pid)
{
    bench_host_prefix(out);
    size_t len = strlen(out);
    snprintf(out + len, BENCH_NAME_MAX - 32 - len, "_%" PRIu64, pid);
}

void bench_text(char *out, uint64_t size, uint64_t index)
{
    char text[BENCH_TEXT_MAX] = "I'm the                 th op!";
    char *digit = text + 8 + 16;
    do {
        *--digit = (char)('0' + index % 10);
        index /= 10;
    } while (index && digit > text + 8);
    uint64_t len = strlen(text) + 1;
    len = len < size ? len : size;
    memcpy(out, text, len);
    if (len)
        out[len - 1] = '\0';
}

bool bench_holds(void *contents, uint64_t size, uint64_t index, const void *p, size_t len)
{
    bench_text(contents, size, index);
    return len == size && memcmp(p, contents, len) == 0;
}
