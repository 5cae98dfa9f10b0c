/* SPDX-License-Identifier: MIT */
/* The objects that runs have left, page by page: what `signet bench cleanup` removes. */
#include <stdlib.h>
#include <string.h>

#include "bench_load.h"
#include "lite/page.h"

static bool is_named(struct signet_span name, const char *prefix, bool whole)
{
    size_t len = strlen(prefix);
    return (whole ? name.len == len : name.len >= len) && memcmp(name.p, prefix, len) == 0;
}

static bool keep(struct bench_list *list, struct signet_span name)
{
    if (list->num == list->cap) {
        size_t cap = list->cap ? 2 * list->cap : 1024;
        char **grown = realloc(list->name, cap * sizeof(*grown));
        if (!grown)
            return false;
        list->name = grown;
        list->cap = cap;
    }
    char *copy = strndup((const char *)name.p, name.len);
    if (copy)
        list->name[list->num++] = copy;
    return copy;
}

/* Those of the default namespace without a key, which is how benches name theirs. */
static int take(struct bench_list *list, const struct lite_listed *o)
{
    if (o->ns.len || o->key.len || o->name.len >= BENCH_NAME_MAX ||
        memchr(o->name.p, 0, o->name.len))
        return 0;
    if (is_named(o->name, list->run_name, true))
        list->record = true;
    else if (is_named(o->name, list->prefix, false) && !keep(list, o->name))
        return -SIGNET_E_NOMEM;
    return 0;
}

static int set_cursor(struct bench_list *list, const struct lite_hobject *next)
{
    struct signet_writer w = signet_writer_init(list->cursor, sizeof(list->cursor));
    lite_hobject_write(&w, next);
    list->cursor_len = w.err ? 0 : (size_t)w.len;
    list->hash = next->hash;
    list->end = next->max;
    return w.err;
}

int bench_list_begin(struct bench_list *list, const char *prefix, const char *run_name)
{
    const struct lite_hobject first = {.pool = INT64_MIN};
    *list = (struct bench_list){.prefix = prefix, .run_name = run_name};
    return set_cursor(list, &first);
}

int bench_list_take(struct bench_list *list, const void *p, size_t len)
{
    struct lite_page page;
    struct lite_listed listed;
    int err = lite_page_open(&page, (struct signet_span){p, len});
    while (err == 0 && (err = lite_page_next(&page, &listed)) == 0)
        err = take(list, &listed);
    return err == -SIGNET_E_NOT_FOUND ? set_cursor(list, &page.next) : err;
}

void bench_list_drop(struct bench_list *list)
{
    for (size_t i = 0; i < list->num; i++)
        free(list->name[i]);
    list->num = 0;
}

void bench_list_free(struct bench_list *list)
{
    bench_list_drop(list);
    free(list->name);
    *list = (struct bench_list){0};
}
