/* SPDX-License-Identifier: MIT */
/* Payloads of control frames: the first byte is the tag. What is accepted must come back. */
#include <stdlib.h>
#include <string.h>

#include <signet/control.h>

#include "demand.h"

static void check_inside(struct signet_span span, const uint8_t *data, size_t size)
{
    demand(span.len == 0 || (span.p >= data && span.p + span.len <= data + size));
}

static void check_views(const struct signet_control *c, const uint8_t *data, size_t size)
{
    if (c->tag == SIGNET_TAG_AUTH_REQUEST) {
        demand(c->auth_request.modes.num <= SIGNET_LIST_MAX);
        check_inside(c->auth_request.payload, data, size);
    } else if (c->tag == SIGNET_TAG_AUTH_DONE) {
        check_inside(c->done.payload, data, size);
    } else if (c->tag == SIGNET_TAG_AUTH_REPLY_MORE || c->tag == SIGNET_TAG_AUTH_REQUEST_MORE) {
        check_inside(c->payload, data, size);
    }
}

static void check_again(const struct signet_control *c, size_t size)
{
    struct signet_control back;
    size_t room = size + SIGNET_CONTROL_MAX, len, again_len;
    uint8_t *wire = malloc(room), *again = malloc(room);
    demand(wire != NULL && again != NULL);
    demand(signet_control_encode(c, wire, room, &len) == 0);
    demand(signet_control_decode(&back, c->tag, wire, len, NULL) == 0);
    demand(signet_control_encode(&back, again, room, &again_len) == 0);
    demand(len == again_len && memcmp(wire, again, len) == 0);
    free(wire);
    free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct signet_control c;
    struct signet_fail fail = {.err = 0};
    if (size == 0) {
        return 0;
    }
    int err = signet_control_decode(&c, data[0], data + 1, size - 1, &fail);
    demand(fail.err == err);
    if (err == 0) {
        demand(c.tag == data[0]);
        check_views(&c, data + 1, size - 1);
        check_again(&c, size);
    }
    return 0;
}
