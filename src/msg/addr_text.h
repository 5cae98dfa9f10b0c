/* SPDX-License-Identifier: MIT */
#ifndef SIGNET_MSG_ADDR_TEXT_H
#define SIGNET_MSG_ADDR_TEXT_H

#include <signet/addr.h>

/* An address from text[0..len) and which of its optional parts stood there. resolve may be NULL.
 * -ADDR, or what resolve returned. */
struct signet_addr_text {
    struct signet_addr addr;
    bool has_type, has_port;
};
int signet_addr_text_parse(struct signet_addr_text *out, const char *text, size_t len,
                           signet_resolver resolve, void *resolve_arg);
/* Whether text[0..len) begins with a type prefix; its length or 0. *type is set then. */
size_t signet_addr_text_prefix(const char *text, size_t len, uint32_t *type);

#endif
