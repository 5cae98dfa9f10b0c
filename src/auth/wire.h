/* SPDX-License-Identifier: MIT */
/*
 * The structures of signet/cephx.h over cursors. Readers leave their failure in the cursor
 * (and *out half filled); spans point into what is read. Source: cephx.md 2, 3, 5, 7-9.
 */
#ifndef SIGNET_AUTH_WIRE_H
#define SIGNET_AUTH_WIRE_H

#include <signet/cephx.h>

#include "base/cursor.h"

#define SIGNET_WIRE_CURSOR(x)                                                                      \
    void signet_read_##x(struct signet_reader *r, struct signet_##x *out);                         \
    void signet_write_##x(struct signet_writer *w, const struct signet_##x *in)

/* No sealed part other than a ticket comes near this. */
enum { SIGNET_SEALED_MAX = SIGNET_TICKET_BLOB_MAX + 128 };

SIGNET_WIRE_CURSOR(utime);
SIGNET_WIRE_CURSOR(key_view);
SIGNET_WIRE_CURSOR(server_challenge);
SIGNET_WIRE_CURSOR(response_header);
SIGNET_WIRE_CURSOR(ticket_blob);
SIGNET_WIRE_CURSOR(service_ticket);
SIGNET_WIRE_CURSOR(auth_caps);
SIGNET_WIRE_CURSOR(auth_ticket);
SIGNET_WIRE_CURSOR(service_ticket_info);
SIGNET_WIRE_CURSOR(expiring_key);
SIGNET_WIRE_CURSOR(rotating_secrets);
SIGNET_WIRE_CURSOR(connection_secret);
SIGNET_WIRE_CURSOR(wrapped_blob);
SIGNET_WIRE_CURSOR(authorize);
SIGNET_WIRE_CURSOR(authorize_challenge);
SIGNET_WIRE_CURSOR(authorize_reply);
SIGNET_WIRE_CURSOR(auth_start);
SIGNET_WIRE_CURSOR(auth_start_v1);
SIGNET_WIRE_CURSOR(authorizer_parts);
SIGNET_WIRE_CURSOR(authenticate);
SIGNET_WIRE_CURSOR(service_ticket_request);
SIGNET_WIRE_CURSOR(auth_request);
SIGNET_WIRE_CURSOR(ticket_reply);
SIGNET_WIRE_CURSOR(session_reply);
SIGNET_WIRE_CURSOR(principal_reply);
SIGNET_WIRE_CURSOR(rotating_reply);
SIGNET_WIRE_CURSOR(sealed);
SIGNET_WIRE_CURSOR(mauth);
SIGNET_WIRE_CURSOR(mauth_reply);

/* Part A of an authorizer: all of it in front of the sealed part. */
void signet_write_authorizer_a(struct signet_writer *w, uint64_t global_id, uint32_t service,
                               const struct signet_ticket_blob *ticket);
/* A version byte from min to max, else VERSION. */
uint8_t signet_read_version(struct signet_reader *r, uint8_t min, uint8_t max);
/* u32 length and the bytes; longer than max: LENGTH, so that nothing is written that its reader
 * would refuse. */
void signet_write_limited(struct signet_writer *w, struct signet_span span, size_t max);
/* A nested reader must be used up; its failure becomes that of its parent. */
void signet_read_sub_done(struct signet_reader *r, struct signet_reader *sub);
/* The end of a decode: fills fail and gives the error, or 0. */
int signet_wire_report(struct signet_reader *r, struct signet_fail *fail, const char *where);

#endif
