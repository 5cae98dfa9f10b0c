/* SPDX-License-Identifier: MIT */
/* A text that grows; it may hold keys and is wiped when it moves and when it goes. */
#ifndef SIGNET_LITE_TEXT_H
#define SIGNET_LITE_TEXT_H

#include <stddef.h>

#include <jansson.h>

#include <signet/visibility.h>

/* All zeros is the empty text. Failure sticks: once err is -NOMEM nothing is added. */
struct lite_text {
    char *p;
    size_t len, cap;
    int err;
};

/* Room for len more bytes, which the caller fills before it adds len; NULL when out of memory. */
char *lite_text_room(struct lite_text *text, size_t len);
void lite_text_add(struct lite_text *text, const char *p, size_t len);
/* At most 1023 bytes per call. */
void lite_text_printf(struct lite_text *text, const char *format, ...) SIGNET_PRINTF(2, 3);
/* A JSON string with its quotes. */
void lite_text_quote(struct lite_text *text, const char *p);
/* Takes the reference (NULL: -NOMEM); no secrets, since jansson does not wipe. */
void lite_text_json(struct lite_text *text, json_t *json, size_t flags);
void lite_text_clear(struct lite_text *text);

#endif
