/* SPDX-License-Identifier: MIT */
#include "lite/json.h"

#include <string.h>

enum { INDENT = 4 };

static void line(struct lite_json *j)
{
    if (!j->pretty) {
        return;
    }
    lite_text_add(j->out, "\n", 1);
    for (int i = 0; i < j->levels * INDENT; i++) {
        lite_text_add(j->out, " ", 1);
    }
}

/* What stands in front of a member. */
static void lead(struct lite_json *j, const char *name)
{
    if (j->more) {
        lite_text_add(j->out, ",", 1);
    }
    if (j->levels > 0) {
        line(j);
    }
    if (name != NULL) {
        lite_text_quote(j->out, name);
        lite_text_add(j->out, ": ", j->pretty ? 2 : 1);
    }
    j->more = true;
}

void lite_json_open(struct lite_json *j, const char *name, char bracket)
{
    lead(j, name);
    lite_text_add(j->out, &bracket, 1);
    j->levels++;
    j->more = false;
}

void lite_json_close(struct lite_json *j, char bracket)
{
    j->levels--;
    if (j->more) {
        line(j);
    }
    lite_text_add(j->out, &bracket, 1);
    j->more = true;
    if (j->levels == 0 && j->pretty) {
        lite_text_add(j->out, "\n", 1);
    }
}

void lite_json_string(struct lite_json *j, const char *name, const char *value)
{
    lead(j, name);
    lite_text_quote(j->out, value);
}

void lite_json_base64(struct lite_json *j, const char *name, const char *value)
{
    lead(j, name);
    lite_text_add(j->out, "\"", 1);
    lite_text_add(j->out, value, strlen(value));
    lite_text_add(j->out, "\"", 1);
}
