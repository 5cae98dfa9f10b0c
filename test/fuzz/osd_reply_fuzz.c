/* SPDX-License-Identifier: MIT */
/* MOSDOpReply. Bytes: version u8, front. */
#include "demand.h"
#include "lite/osd_client.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) {
        return 0;
    }
    struct signet_message in = {.type = LITE_MSG_OSD_OP_REPLY, .version = data[0]};
    struct lite_osd_reply reply;
    in.front = (struct signet_span){data + 1, size - 1};
    demand(lite_osd_reply(&reply, &in) != 0 || reply.num_ops <= LITE_OPS_MAX);
    return 0;
}
