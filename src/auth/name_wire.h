/* SPDX-License-Identifier: MIT */
/* Names on the wire: u32 type, u32 length, id bytes. Source: encoding.md 3.1. */
#ifndef SIGNET_AUTH_NAME_WIRE_H
#define SIGNET_AUTH_NAME_WIRE_H

#include <signet/name.h>

#include "base/cursor.h"

/* Any type value is taken, as Ceph does: check signet_service_name() where it matters. An id
 * longer than SIGNET_NAME_ID_MAX fails the reader with LENGTH. On failure out is zeroed. */
int signet_read_name(struct signet_reader *r, struct signet_name *out);
void signet_write_name(struct signet_writer *w, const struct signet_name *name);

/* -NAME when len > SIGNET_NAME_ID_MAX; out is then zeroed. */
int signet_name_set(struct signet_name *out, uint32_t type, const void *id, size_t len);
/* signet_name_parse of len bytes, which may hold NUL. */
int signet_name_parse_n(struct signet_name *out, const char *text, size_t len);

#endif
