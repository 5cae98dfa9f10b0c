/* SPDX-License-Identifier: MIT */
#include "lite/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <signet/error.h>

#include "base/secret.h"

enum { FIRST_CAP = 512, PRINT_MAX = 1024 };

static void grow(struct lite_text *t, size_t need)
{
    size_t cap = t->cap > 0 ? t->cap : FIRST_CAP;
    while (cap < need) {
        cap *= 2;
    }
    char *p = malloc(cap);
    if (p == NULL) {
        t->err = -SIGNET_E_NOMEM;
        return;
    }
    if (t->len > 0) {
        memcpy(p, t->p, t->len);
    }
    signet_wipe(t->p, t->len);
    free(t->p);
    t->p = p;
    t->cap = cap;
}

char *lite_text_room(struct lite_text *t, size_t len)
{
    if (t->err == 0 && len > SIZE_MAX / 4 - t->len) {
        t->err = -SIGNET_E_NOMEM;
    }
    if (t->err == 0 && t->len + len > t->cap) {
        grow(t, t->len + len);
    }
    return t->err == 0 ? t->p + t->len : NULL;
}

void lite_text_add(struct lite_text *t, const char *p, size_t len)
{
    char *room = len > 0 ? lite_text_room(t, len) : NULL;
    if (room != NULL) {
        memcpy(room, p, len);
        t->len += len;
    }
}

void lite_text_printf(struct lite_text *t, const char *format, ...)
{
    char buf[PRINT_MAX];
    va_list ap;
    va_start(ap, format);
    int n = vsnprintf(buf, sizeof(buf), format, ap);
    va_end(ap);
    if (n > 0) {
        lite_text_add(t, buf, (size_t)n < sizeof(buf) ? (size_t)n : sizeof(buf) - 1);
    }
    signet_wipe(buf, sizeof(buf));
}

void lite_text_json(struct lite_text *t, json_t *json, size_t flags)
{
    char *dump = json != NULL ? json_dumps(json, flags) : NULL;
    if (dump == NULL) {
        t->err = -SIGNET_E_NOMEM;
    } else {
        lite_text_add(t, dump, strlen(dump));
    }
    free(dump);
    json_decref(json);
}

/* Texts that are not UTF-8 are shown as far as JSON can hold them. */
void lite_text_quote(struct lite_text *t, const char *p)
{
    json_t *json = json_string(p);
    if (json == NULL) {
        lite_text_add(t, "\"", 1);
        for (; *p != 0; p++) {
            lite_text_add(t, *p >= ' ' && *p < 0x7f && *p != '"' && *p != '\\' ? p : "?", 1);
        }
        lite_text_add(t, "\"", 1);
        return;
    }
    lite_text_json(t, json, JSON_ENCODE_ANY);
}

void lite_text_clear(struct lite_text *t)
{
    signet_wipe(t->p, t->len);
    free(t->p);
    *t = (struct lite_text){0};
}
