/* SPDX-License-Identifier: MIT */
/*
 * What `signet decode` says: frames with their fields, the outcome of every check,
 * totals. Each frame is built once as JSON; the text is that object, printed.
 */
#ifndef SIGNET_TOOLS_REPORT_H
#define SIGNET_TOOLS_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include <signet/visibility.h>

#include "tool.h"

/* X(name, what is checked) in the order of the totals. */
#define TOOL_CHECKS(X)                                                                             \
    X(banner, "the banner is one of msgr2.1, and both sides fit each other")                       \
    X(preamble_crc, "crc of the preamble, also inside sealed frames")                              \
    X(segment_crc, "crc of a segment")                                                             \
    X(gcm_tag, "tag of a sealed block")                                                            \
    X(padding, "padding of a sealed frame is zero")                                                \
    X(epilogue, "status and unused fields behind the segments")                                    \
    X(shape, "tag, flags, number and lengths of the segments")                                     \
    X(order, "the frame is one that the protocol allows here")                                     \
    X(structure, "a payload decodes, to its last byte")                                            \
    X(challenge_proof, "the client's proof for the server's challenge")                            \
    X(service_ticket, "the principal's half of a ticket opens")                                    \
    X(ticket, "the service's half of a ticket opens")                                              \
    X(session_key, "both halves of a ticket hold the same session key")                            \
    X(identity, "the ticket names the entity and global_id that present or get it")                \
    X(wrapped_ticket, "a ticket under the old session key opens")                                  \
    X(connection_secret, "the connection secret opens and fits the mode")                          \
    X(authorizer, "the sealed part of an authorizer opens")                                        \
    X(authorizer_repeat, "the second authorizer has the ticket and the nonce of the first")        \
    X(authorizer_challenge, "the daemon's challenge opens")                                        \
    X(challenge_plus_one, "the second authorizer answers challenge + 1")                           \
    X(authorizer_reply, "the daemon's reply opens")                                                \
    X(nonce_plus_one, "the daemon answers nonce + 1")                                              \
    X(signature, "AUTH_SIGNATURE over all bytes of the handshake")                                 \
    X(rotating, "rotating secrets open and equal those of the keys file")                          \
    X(message_seq, "message numbers go up by one")                                                 \
    X(consumed, "the stream was read to its last byte")

enum tool_check {
#define TOOL_CHECK_ENUM_(name, text) CHECK_##name,
    TOOL_CHECKS(TOOL_CHECK_ENUM_)
#undef TOOL_CHECK_ENUM_
        CHECK_NUM
};

enum outcome { OUTCOME_OK, OUTCOME_FAILED, OUTCOME_UNCHECKED, OUTCOME_NUM };

struct report;

struct report_options {
    enum tool_format format; /* JSON is printed at the end, text at once */
    bool secrets;            /* print key material */
    bool dump;               /* print the bytes of all segments */
};

/* Exits the program when memory is out, here and below: there is nothing to unwind. */
struct report *report_new(const struct report_options *options);
/* Prints the totals; true when no check failed. Frees. */
bool report_finish(struct report *report);
/* How often a check came out so, so far. */
uint64_t report_count_of(const struct report *report, enum tool_check check, enum outcome outcome);
/* Without a word. */
void report_free(struct report *report);

void report_connection(struct report *report, const char *c2s, const char *s2c);
void report_connection_end(struct report *report);

/* A frame or banner of one side begins; fields, checks and notes that follow belong to it, until
 * _end. Outside a frame they belong to the connection. from: "client" or "server". */
void report_frame(struct report *report, const char *from, const char *name, uint64_t offset,
                  size_t len);
void report_frame_end(struct report *report);
/* Fields until _leave are inside an object called name. */
void report_enter(struct report *report, const char *name);
void report_leave(struct report *report);

void report_number(struct report *report, const char *name, uint64_t value);
void report_signed(struct report *report, const char *name, int64_t value);
void report_hex(struct report *report, const char *name, uint64_t value);
void report_text(struct report *report, const char *name, const char *format, ...)
    SIGNET_PRINTF(3, 4);
void report_name_text(struct report *report, const char *name, const void *text, size_t len);
void report_bytes(struct report *report, const char *name, const uint8_t *p, size_t len);
/* Only when secrets are asked for. */
void report_secret(struct report *report, const char *name, const uint8_t *p, size_t len);
/* Only when a dump is asked for. */
void report_dump(struct report *report, const char *name, const uint8_t *p, size_t len);
/* "2026-11-30T16:14:02.123456789Z" */
void report_time(struct report *report, const char *name, uint32_t sec, uint32_t nsec);

/* Counts; text says why when it is not OK (else NULL). */
void report_check(struct report *report, enum tool_check check, enum outcome outcome,
                  const char *format, ...) SIGNET_PRINTF(4, 5);
/* OK, or FAILED with the text. Returns ok. */
bool report_verify(struct report *report, enum tool_check check, bool ok, const char *format, ...)
    SIGNET_PRINTF(4, 5);
void report_count(struct report *report, enum tool_check check, unsigned num);
void report_note(struct report *report, const char *format, ...) SIGNET_PRINTF(2, 3);

#endif
