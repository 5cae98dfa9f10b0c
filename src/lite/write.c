/* SPDX-License-Identifier: MIT */
#include "lite/write.h"

void signet_lite_utime(struct signet_writer *w, struct signet_utime t)
{
    signet_write_u32(w, t.sec);
    signet_write_u32(w, t.nsec);
}

void signet_lite_addrvec(struct signet_writer *w, const struct signet_addr *addr)
{
    uint8_t wire[SIGNET_ADDR_WIRE_MAX];
    size_t len;
    int err = signet_addr_encode(addr, wire, sizeof(wire), &len);
    if (err != 0) {
        signet_writer_fail(w, (enum signet_err) - err);
        return;
    }
    signet_write_u8(w, 2);
    signet_write_u32(w, 1);
    signet_write_bytes(w, wire, len);
}
