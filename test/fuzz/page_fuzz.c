/* SPDX-License-Identifier: MIT */
/* A page of objects as a client reads it: no more names than it says, all inside, and a cursor that
 * can be sent back. */

#include "demand.h"
#include "lite/page.h"

static void inside(struct signet_span s, const uint8_t *data, size_t size)
{
    demand(s.len == 0 || (s.p >= data && s.p + s.len <= data + size));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct lite_page page;
    struct lite_listed listed;
    uint8_t cursor[8192];
    if (lite_page_open(&page, (struct signet_span){data, size}) != 0) {
        return 0;
    }
    struct signet_writer w = signet_writer_init(cursor, sizeof(cursor));
    lite_hobject_write(&w, &page.next);
    demand(w.err == 0);
    uint32_t num = page.left;
    int err;
    while ((err = lite_page_next(&page, &listed)) == 0) {
        inside(listed.ns, data, size);
        inside(listed.name, data, size);
        inside(listed.key, data, size);
        demand(num-- > 0);
    }
    demand(err == -SIGNET_E_NOT_FOUND ? num == 0 : err < 0);
    return 0;
}
