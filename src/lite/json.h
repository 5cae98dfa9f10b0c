/* SPDX-License-Identifier: MIT */
/* JSON straight into a text that is wiped: keys must not pass through memory that nobody wipes.
 * Compact, or with four blanks per level and a line end last, as the monitor of Ceph has both. */
#ifndef SIGNET_LITE_JSON_H
#define SIGNET_LITE_JSON_H

#include <stdbool.h>

#include "lite/text.h"

struct lite_json {
    struct lite_text *out;
    bool pretty;
    bool more;  /* something stands before in this object or array */
    int levels; /* open ones */
};

/* name NULL: a member of an array, or the outermost. bracket: { or [. */
void lite_json_open(struct lite_json *json, const char *name, char bracket);
void lite_json_close(struct lite_json *json, char bracket);
void lite_json_string(struct lite_json *json, const char *name, const char *value);
/* The value needs no escapes, and leaves no copy behind. */
void lite_json_base64(struct lite_json *json, const char *name, const char *value);

#endif
