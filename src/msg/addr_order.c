/* SPDX-License-Identifier: MIT */
/* Comparing addresses. */
#include <signet/addr.h>

#include <string.h>

#include "base/cursor.h"

bool signet_addr_same_endpoint(const struct signet_addr *a, const struct signet_addr *b)
{
    return a->family == b->family && a->port == b->port && a->scope_id == b->scope_id &&
           memcmp(a->ip, b->ip, sizeof(a->ip)) == 0;
}

bool signet_addr_equal(const struct signet_addr *a, const struct signet_addr *b)
{
    return signet_addr_same_endpoint(a, b) && a->type == b->type && a->nonce == b->nonce &&
           a->flowinfo == b->flowinfo;
}

/* The image that Ceph compares: type, nonce, and its 28-byte union of socket addresses. */
static void image(const struct signet_addr *addr, uint8_t out[36])
{
    struct signet_writer w = signet_writer_init(out, 36);
    signet_write_u32(&w, addr->type);
    signet_write_u32(&w, addr->nonce);
    signet_write_u16(&w, addr->family);
    signet_write_be16(&w, addr->port);
    if (addr->family == SIGNET_FAMILY_IPV6) {
        signet_write_be16(&w, (uint16_t)(addr->flowinfo >> 16));
        signet_write_be16(&w, (uint16_t)addr->flowinfo);
        signet_write_bytes(&w, addr->ip, 16);
        signet_write_u32(&w, addr->scope_id);
    } else {
        signet_write_bytes(&w, addr->ip, 4);
        signet_write_zeros(&w, 20);
    }
}

int signet_addr_compare(const struct signet_addr *a, const struct signet_addr *b)
{
    uint8_t x[36], y[36];
    image(a, x);
    image(b, y);
    return memcmp(x, y, sizeof(x));
}
