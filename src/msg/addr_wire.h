/* SPDX-License-Identifier: MIT */
/* Addresses through cursors, for structures that hold them. Contracts: signet/addr.h. */
#ifndef SIGNET_MSG_ADDR_WIRE_H
#define SIGNET_MSG_ADDR_WIRE_H

#include <signet/addr.h>

#include "base/cursor.h"

void signet_addr_write(struct signet_writer *w, const struct signet_addr *addr);
void signet_addr_read(struct signet_reader *r, struct signet_addr *out);
void signet_addrvec_write(struct signet_writer *w, const struct signet_addrvec *vec);
void signet_addrvec_read(struct signet_reader *r, struct signet_addrvec *out);

#endif
