/* SPDX-License-Identifier: MIT */
/* MOSDBackoff at a client. Bytes: version u8, front. What is read is written again and read. */
#include <string.h>

#include "demand.h"
#include "lite/backoff.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) {
        return 0;
    }
    struct signet_message in = {.type = LITE_MSG_OSD_BACKOFF, .version = data[0]};
    struct lite_backoff b, again;
    uint8_t out[LITE_BACKOFF_MAX];
    size_t len;
    in.front = (struct signet_span){data + 1, size - 1};
    if (lite_backoff_read(&b, &in) != 0) {
        return 0;
    }
    demand(lite_backoff_write(&b, out, sizeof(out), &len) == 0);
    in.version = 1;
    in.front = (struct signet_span){out, len};
    demand(lite_backoff_read(&again, &in) == 0);
    demand(lite_hobject_compare(&b.begin, &again.begin) == 0);
    demand(lite_hobject_compare(&b.end, &again.end) == 0);
    demand(b.begin.pool != b.pool || lite_backoff_holds(&b, b.pg, &b.begin));
    return 0;
}
