/* SPDX-License-Identifier: MIT */
#include "lite/page.h"

#include "lite/envelope.h"
#include "lite/placement.h"

enum { VERSION = 1, NAMES_MAX = 1 << 20 };

int lite_page_open(struct lite_page *out, struct signet_span data)
{
    uint8_t version;
    struct signet_reader r = signet_reader_init(data.p, data.len);
    struct signet_reader env = signet_env_open(&r, VERSION, &version);
    *out = (struct lite_page){0};
    lite_hobject_read(&env, &out->next);
    out->left = signet_read_count(&env, NAMES_MAX, 12);
    if (env.err == 0 && version < VERSION) {
        signet_reader_fail(&env, SIGNET_E_VERSION);
    }
    out->names = env;
    return env.err != 0 ? env.err : signet_reader_done(&r);
}

int lite_page_next(struct lite_page *page, struct lite_listed *out)
{
    struct signet_reader *r = &page->names;
    *out = (struct lite_listed){0};
    if (r->err == 0 && page->left == 0) {
        return -SIGNET_E_NOT_FOUND;
    }
    out->ns = signet_read_blob(r, LITE_NS_MAX);
    out->name = signet_read_blob(r, LITE_NAME_MAX);
    out->key = signet_read_blob(r, LITE_NAME_MAX);
    page->left--;
    return r->err;
}
