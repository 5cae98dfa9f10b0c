/* SPDX-License-Identifier: MIT */
#include "auth/state_text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "auth/name_wire.h"
#include "auth/rotating.h"
#include "base/secret.h"

#define NS_PER_SEC UINT64_C(1000000000)

char *state_text_room(struct state_text *t, size_t len)
{
    if (t->err == 0 && t->cap - t->len < len) {
        size_t cap = 2 * t->cap + len + 4096;
        char *p = signet_secret_alloc(cap);
        if (p == NULL) {
            t->err = -SIGNET_E_NOMEM;
            return NULL;
        }
        if (t->len > 0) {
            memcpy(p, t->p, t->len);
        }
        signet_secret_free(t->p, t->cap);
        t->p = p;
        t->cap = cap;
    }
    if (t->err != 0) {
        return NULL;
    }
    t->len += len;
    return t->p + t->len - len;
}

void state_text_add(struct state_text *t, const char *format, ...)
{
    char line[512];
    va_list args;
    va_start(args, format);
    int len = vsnprintf(line, sizeof(line), format, args);
    va_end(args);
    char *room = NULL;
    if (len < 0 || len >= (int)sizeof(line)) {
        t->err = t->err != 0 ? t->err : -SIGNET_E_LENGTH;
    } else {
        room = state_text_room(t, (size_t)len);
    }
    if (room != NULL) {
        memcpy(room, line, (size_t)len);
    }
    signet_wipe(line, sizeof(line));
}

void state_text_free(struct state_text *t)
{
    signet_secret_free(t->p, t->cap);
    memset(t, 0, sizeof(*t));
}

bool state_next_line(struct state_lines *l)
{
    const char *end = l->rest_len > 0 ? memchr(l->rest, '\n', l->rest_len) : NULL;
    l->number++;
    l->p = l->rest;
    l->len = end != NULL ? (size_t)(end - l->rest) : 0;
    if (end == NULL) {
        return false;
    }
    l->rest_len -= l->len + 1;
    l->rest = end + 1;
    return true;
}

/* Length of the next word. */
static size_t word_len(const struct state_lines *l)
{
    const char *blank = l->len > 0 ? memchr(l->p, ' ', l->len) : NULL;
    return blank != NULL ? (size_t)(blank - l->p) : l->len;
}

/* Takes n bytes and one blank behind them. */
static void take(struct state_lines *l, size_t n)
{
    n += n < l->len ? 1 : 0;
    l->p += n;
    l->len -= n;
}

bool state_word_is(struct state_lines *l, const char *word)
{
    size_t n = word_len(l);
    if (n != strlen(word) || memcmp(l->p, word, n) != 0) {
        return false;
    }
    take(l, n);
    return true;
}

/* All of the n digits at p. */
static bool number(const char *p, size_t n, uint64_t *out)
{
    *out = 0;
    for (size_t i = 0; i < n; i++) {
        if (p[i] < '0' || p[i] > '9' || *out > (UINT64_MAX - 9) / 10) {
            return false;
        }
        *out = *out * 10 + (uint64_t)(p[i] - '0');
    }
    return n > 0;
}

bool state_word_u64(struct state_lines *l, uint64_t *out)
{
    size_t n = word_len(l);
    if (!number(l->p, n, out)) {
        return false;
    }
    take(l, n);
    return true;
}

bool state_word_time(struct state_lines *l, uint64_t *ns)
{
    size_t n = word_len(l);
    const char *dot = n > 0 ? memchr(l->p, '.', n) : NULL;
    uint64_t sec, nsec;
    if (dot == NULL || l->p + n - dot != 10 || !number(l->p, (size_t)(dot - l->p), &sec) ||
        !number(dot + 1, 9, &nsec) || sec > UINT32_MAX) {
        return false;
    }
    *ns = sec * NS_PER_SEC + nsec;
    take(l, n);
    return true;
}

bool state_word_service(struct state_lines *l, uint32_t *out)
{
    for (int i = 0; i < ROTATING_SERVICES; i++) {
        if (state_word_is(l, signet_service_name(rotating_service(i)))) {
            *out = rotating_service(i);
            return true;
        }
    }
    return false;
}

bool state_word_name(struct state_lines *l, struct signet_name *out)
{
    size_t n = l->len;
    while (n > 0 && l->p[n - 1] != ' ') {
        n--;
    }
    if (n < 2 || signet_name_parse_n(out, l->p, n - 1) != 0) {
        return false;
    }
    take(l, n - 1);
    return true;
}
