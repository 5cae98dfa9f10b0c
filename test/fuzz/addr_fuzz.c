/* SPDX-License-Identifier: MIT */
/* Addresses: the wire forms, and the same bytes as text. What is accepted must come back. */
#include <stdlib.h>
#include <string.h>

#include <signet/addr.h>

#include "demand.h"

static void check_vector(const struct signet_addrvec *vec)
{
    uint8_t wire[SIGNET_ADDRVEC_WIRE_MAX];
    struct signet_addrvec back;
    size_t len, used;
    demand(vec->num <= SIGNET_ADDRVEC_MAX);
    demand(signet_addrvec_encode(vec, wire, sizeof(wire), &len) == 0);
    demand(signet_addrvec_decode(&back, wire, len, &used) == 0 && used == len);
    demand(back.num == vec->num);
    for (uint32_t i = 0; i < vec->num; i++) {
        demand(signet_addr_equal(&vec->addr[i], &back.addr[i]));
        demand(signet_addr_compare(&vec->addr[i], &back.addr[i]) == 0);
    }
}

/* What is printed of an address that text can express must read back. */
static void check_text(const struct signet_addr *addr)
{
    char text[SIGNET_ADDR_TEXT_MAX];
    struct signet_addr back;
    demand(strlen(signet_addr_print(addr, text)) < sizeof(text));
    if (addr->type < SIGNET_ADDR_LEGACY || addr->type > SIGNET_ADDR_ANY ||
        addr->family == SIGNET_FAMILY_NONE) {
        return;
    }
    demand(signet_addr_parse(&back, text) == 0);
    demand(back.nonce == addr->nonce && back.type == addr->type && back.port == addr->port);
    demand(memcmp(back.ip, addr->ip, sizeof(back.ip)) == 0);
}

static void check_wire(const uint8_t *data, size_t size)
{
    struct signet_addr addr;
    struct signet_addrvec vec;
    size_t used;
    if (signet_addr_decode(&addr, data, size, &used) == 0) {
        uint8_t legacy[SIGNET_ADDR_LEGACY_LEN];
        demand(used <= size);
        check_text(&addr);
        signet_addr_encode_legacy(&addr, legacy);
        demand(signet_addr_decode(&addr, legacy, sizeof(legacy), &used) == 0);
    }
    if (signet_addrvec_decode(&vec, data, size, &used) == 0) {
        demand(used <= size);
        check_vector(&vec);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct signet_addrvec list[8];
    struct signet_fail fail;
    size_t num;
    check_wire(data, size);
    char *text = malloc(size + 1);
    demand(text != NULL);
    memcpy(text, data, size);
    text[size] = 0;
    if (signet_addr_list_parse(list, 8, &num, text, NULL, NULL, &fail) == 0) {
        demand(num > 0 && num <= 8);
        for (size_t i = 0; i < num; i++) {
            demand(list[i].num > 0);
            check_vector(&list[i]);
        }
    } else {
        demand(num == 0 && fail.err < 0 && fail.offset <= size);
    }
    free(text);
    return 0;
}
