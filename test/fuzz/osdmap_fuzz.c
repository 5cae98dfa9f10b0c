/* SPDX-License-Identifier: MIT */
/* An OSDMap, and the same bytes as the front of an MOSDMap. */

#include "demand.h"
#include "lite/osdmap_read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct signet_span in = {data, size}, found;
    struct lite_osdmap map;
    uint64_t offset;
    uint32_t newest;
    if (lite_osdmap_read(&map, "bench", in, &offset) == 0) {
        demand(map.pool.id < 0 || map.pool.pg_num > 0);
        demand((map.num_up > 0) == (map.osd >= 0));
    } else {
        demand(offset <= size);
    }
    if (lite_osdmap_find(&found, &newest, in) == 0) {
        demand(found.len <= size);
        demand(found.p >= data && found.p + found.len <= data + size);
        demand(lite_osdmap_read(&map, "bench", found, &offset) <= 0);
    }
    return 0;
}
