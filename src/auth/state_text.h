/* SPDX-License-Identifier: MIT */
/* Text of the state file: a growing buffer in secret memory, and lines of words. */
#ifndef SIGNET_AUTH_STATE_TEXT_H
#define SIGNET_AUTH_STATE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <signet/name.h>

/* All zero: empty. After a failure (err) it only stays as it is. */
struct state_text {
    char *p;
    size_t len, cap;
    int err;
};
void state_text_add(struct state_text *t, const char *format, ...) SIGNET_PRINTF(2, 3);
/* The next len bytes, to be filled; NULL on failure. */
char *state_text_room(struct state_text *t, size_t len);
void state_text_free(struct state_text *t);

/* rest, rest_len: the text. The line in hand: p, len; words are taken from its front. */
struct state_lines {
    const char *rest;
    size_t rest_len;
    const char *p;
    size_t len;
    unsigned number; /* of the line, from 1 */
};
/* False at the end; a last line without its line end does not count. */
bool state_next_line(struct state_lines *l);
/* Whether the next word is this; then it is taken. */
bool state_word_is(struct state_lines *l, const char *word);
bool state_word_u64(struct state_lines *l, uint64_t *out);
bool state_word_time(struct state_lines *l, uint64_t *ns); /* 1700000000.000000000 */
bool state_word_service(struct state_lines *l, uint32_t *out);
/* An entity name up to the last blank of the line: ids may have blanks. */
bool state_word_name(struct state_lines *l, struct signet_name *out);

#endif
