/* SPDX-License-Identifier: MIT */
#include "lite/placement.h"

#include <string.h>

#include "base/cursor.h"

#define GOLDEN    0x9e3779b9U
#define SEPARATOR 0x1f

struct state {
    uint32_t a, b, c;
};

static inline void mix(struct state *s)
{
    static const struct {
        uint8_t right, left, last;
    } rounds[3] = {{13, 8, 13}, {12, 16, 5}, {3, 10, 15}};
    for (int i = 0; i < 3; i++) {
        s->a = (s->a - s->b - s->c) ^ (s->c >> rounds[i].right);
        s->b = (s->b - s->c - s->a) ^ (s->a << rounds[i].left);
        s->c = (s->c - s->a - s->b) ^ (s->b >> rounds[i].last);
    }
}

uint32_t lite_hash(const void *p, size_t len)
{
    const uint8_t *at = p;
    struct state s = {GOLDEN, GOLDEN, 0};
    size_t left = len;
    for (; left >= 12; left -= 12, at += 12) {
        s.a += signet_load_u32(at);
        s.b += signet_load_u32(at + 4);
        s.c += signet_load_u32(at + 8);
        mix(&s);
    }
    uint8_t last[12] = {0};
    if (left > 0) {
        memcpy(last, at, left);
    }
    /* the lowest byte of c is the length's */
    s.a += signet_load_u32(last);
    s.b += signet_load_u32(last + 4);
    s.c += (signet_load_u32(last + 8) << 8) + (uint32_t)len;
    mix(&s);
    return s.c;
}

uint32_t lite_object_hash(struct signet_span ns, struct signet_span key, struct signet_span name)
{
    struct signet_span text = key.len > 0 ? key : name;
    if (ns.len == 0 || ns.len > LITE_NS_MAX || text.len > LITE_NAME_MAX) {
        return lite_hash(text.p, text.len);
    }
    uint8_t both[LITE_NS_MAX + 1 + LITE_NAME_MAX];
    memcpy(both, ns.p, ns.len);
    both[ns.len] = SEPARATOR;
    if (text.len > 0) {
        memcpy(both + ns.len + 1, text.p, text.len);
    }
    return lite_hash(both, ns.len + 1 + text.len);
}

uint32_t lite_pg(uint32_t hash, uint32_t num)
{
    uint32_t mask = num > 1 ? UINT32_MAX >> __builtin_clz(num - 1) : 0;
    uint32_t pg = hash & mask;
    return pg < num ? pg : hash & (mask >> 1);
}

uint32_t lite_reverse(uint32_t hash)
{
    uint32_t v = __builtin_bswap32(hash);
    v = (v >> 4 & 0x0f0f0f0fU) | (v & 0x0f0f0f0fU) << 4;
    v = (v >> 2 & 0x33333333U) | (v & 0x33333333U) << 2;
    return (v >> 1 & 0x55555555U) | (v & 0x55555555U) << 1;
}
