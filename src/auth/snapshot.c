/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "auth/keyserver_priv.h"

struct snapshot *snapshot_new(void)
{
    struct snapshot *s = calloc(1, sizeof(*s));
    if (s != NULL && (s->principals = calloc(1, sizeof(*s->principals))) == NULL) {
        free(s);
        s = NULL;
    }
    return s;
}

struct snapshot *snapshot_copy(const struct snapshot *from, size_t without)
{
    struct snapshot *s = calloc(1, sizeof(*s));
    struct principal **list = calloc(from->num + 1, sizeof(struct principal *));
    if (s == NULL || list == NULL) {
        free(s);
        free(list);
        return NULL;
    }
    s->principals = list;
    for (size_t i = 0; i < from->num; i++) {
        if (i != without) {
            from->principals[i]->refs++;
            list[s->num++] = from->principals[i];
        }
    }
    for (int i = 0; i < ROTATING_SERVICES; i++) {
        rotating_copy(&s->rotating[i], &from->rotating[i]);
    }
    return s;
}

void snapshot_free(struct snapshot *s)
{
    if (s == NULL) {
        return;
    }
    for (size_t i = 0; i < s->num; i++) {
        principal_unref(s->principals[i]);
    }
    for (int i = 0; i < ROTATING_SERVICES; i++) {
        rotating_clear(&s->rotating[i]);
    }
    free(s->principals);
    free(s);
}

bool snapshot_find(const struct snapshot *s, const struct signet_name *name, size_t *index)
{
    size_t low = 0, high = s->num;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        int order = signet_name_compare(name, &s->principals[mid]->name);
        if (order == 0) {
            *index = mid;
            return true;
        }
        if (order < 0) {
            high = mid;
        } else {
            low = mid + 1;
        }
    }
    *index = low;
    return false;
}

void snapshot_insert(struct snapshot *s, struct principal *principal)
{
    size_t at;
    (void)snapshot_find(s, &principal->name, &at);
    memmove(&s->principals[at + 1], &s->principals[at], (s->num - at) * sizeof(struct principal *));
    s->principals[at] = principal;
    s->num++;
}

static int by_service(const void *a, const void *b)
{
    const struct signet_cap *x = a, *y = b;
    return strcmp(x->service, y->service);
}

/* Caps and their texts in one allocation. */
static struct signet_cap *copy_caps(const struct signet_cap *caps, size_t num)
{
    size_t size = num * sizeof(*caps) + 1;
    for (size_t i = 0; i < num; i++) {
        size += strlen(caps[i].service) + strlen(caps[i].text) + 2;
    }
    struct signet_cap *out = malloc(size);
    char *text = (char *)(out + num);
    for (size_t i = 0; out != NULL && i < num; i++) {
        out[i].service = text;
        text = stpcpy(text, caps[i].service) + 1;
        out[i].text = text;
        text = stpcpy(text, caps[i].text) + 1;
    }
    if (out != NULL && num > 1) {
        qsort(out, num, sizeof(*out), by_service);
    }
    return out;
}

struct principal *principal_new(const struct signet_name *name, struct signet_key *key,
                                const struct signet_cap *caps, size_t num_caps)
{
    struct principal *p = calloc(1, sizeof(*p));
    struct signet_cap *copy = copy_caps(caps, num_caps);
    if (p == NULL || copy == NULL) {
        free(p);
        free(copy);
        return NULL;
    }
    p->refs = 1;
    p->name = *name;
    p->key = signet_key_ref(key);
    p->caps = copy;
    p->num_caps = num_caps;
    return p;
}

void principal_unref(struct principal *p)
{
    if (p == NULL || --p->refs > 0) {
        return;
    }
    signet_key_unref(p->key);
    signet_key_unref(p->pending);
    free(p->caps);
    free(p);
}

const char *principal_cap(const struct principal *p, const char *service)
{
    for (size_t i = 0; i < p->num_caps; i++) {
        if (strcmp(p->caps[i].service, service) == 0) {
            return p->caps[i].text;
        }
    }
    return "";
}
