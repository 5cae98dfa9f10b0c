/* SPDX-License-Identifier: MIT */
#include "daemon_logfmt.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static bool plain(unsigned char c)
{
    return c > 0x20 && c < 0x7f && c != '"' && c != '=' && c != '\\';
}

static bool needs_quotes(const char *value, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (!plain((unsigned char)value[i])) {
            return true;
        }
    }
    return len == 0;
}

/* As it stands between quotes, into at most 4 bytes and a NUL. */
static const char *escape(unsigned char c, char out[5])
{
    static const char special[] = "\"\\\n\r\t", letter[] = "\"\\nrt";
    const char *at = c != 0 ? strchr(special, c) : NULL;
    if (at != NULL) {
        snprintf(out, 5, "\\%c", letter[at - special]);
    } else if (c >= 0x20 && c < 0x7f) {
        snprintf(out, 5, "%c", c);
    } else {
        snprintf(out, 5, "\\x%02x", c);
    }
    return out;
}

/* Builds the pair aside: 4 bytes for each of the value, quotes, name, dots. */
struct pair {
    char text[4 * LOGFMT_VALUE_MAX + 100];
    size_t len;
};

static void put(struct pair *pair, const char *text)
{
    size_t len = strlen(text);
    memcpy(pair->text + pair->len, text, len);
    pair->len += len;
}

void logfmt_bytes(struct logfmt *line, const char *name, const char *value, size_t len)
{
    struct pair pair = {.len = 0};
    char one[5];
    bool cut = len > LOGFMT_VALUE_MAX, quotes = needs_quotes(value, len);
    pair.len = (size_t)snprintf(pair.text, 80, "%s%.60s=%s", line->len > 0 ? " " : "", name,
                                quotes ? "\"" : "");
    for (size_t i = 0; i < (cut ? LOGFMT_VALUE_MAX : len); i++) {
        put(&pair, escape((unsigned char)value[i], one));
    }
    put(&pair, cut ? "..." : "");
    put(&pair, quotes ? "\"" : "");
    if (pair.len < sizeof(line->text) - line->len) { /* one is left for the newline */
        memcpy(line->text + line->len, pair.text, pair.len);
        line->len += pair.len;
    }
}

void logfmt_text(struct logfmt *line, const char *name, const char *value)
{
    if (value != NULL) {
        logfmt_bytes(line, name, value, strlen(value));
    }
}

void logfmt_printf(struct logfmt *line, const char *name, const char *format, ...)
{
    char value[LOGFMT_VALUE_MAX + 2];
    va_list args;
    va_start(args, format);
    vsnprintf(value, sizeof(value), format, args);
    va_end(args);
    logfmt_text(line, name, value);
}

void logfmt_end(struct logfmt *line)
{
    line->text[line->len++] = '\n';
}
