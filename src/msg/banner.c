/* SPDX-License-Identifier: MIT */
/* The banner. Source: msgr2.md 1. */
#include <signet/frame.h>

#include <string.h>

#include "base/cursor.h"

enum { PROMPT_LEN = 8, HEAD_LEN = PROMPT_LEN + 2, PAYLOAD_LEN = 16 };

static const char v2_prompt[] = "ceph v2\n";
static const char v1_prompt[] = "ceph v027";

void signet_banner_encode(const struct signet_banner *banner, uint8_t out[SIGNET_BANNER_LEN])
{
    struct signet_writer w = signet_writer_init(out, SIGNET_BANNER_LEN);
    signet_write_bytes(&w, v2_prompt, PROMPT_LEN);
    signet_write_u16(&w, PAYLOAD_LEN);
    signet_write_u64(&w, banner->supported);
    signet_write_u64(&w, banner->required);
}

/* Whether in agrees with prompt as far as both go. */
static bool agrees(const uint8_t *in, size_t in_len, const char *prompt, size_t prompt_len)
{
    return in_len == 0 || memcmp(in, prompt, in_len < prompt_len ? in_len : prompt_len) == 0;
}

int signet_banner_parse(struct signet_banner *out, const uint8_t *in, size_t in_len, size_t *used)
{
    *used = 0;
    memset(out, 0, sizeof(*out));
    if (!agrees(in, in_len, v2_prompt, PROMPT_LEN)) {
        bool v1 = agrees(in, in_len, v1_prompt, sizeof(v1_prompt) - 1);
        return v1 && in_len < sizeof(v1_prompt) - 1 ? 0
               : v1                                 ? -SIGNET_E_MSGR1_PEER
                                                    : -SIGNET_E_NOT_CEPH;
    }
    if (in_len < HEAD_LEN) {
        return 0;
    }
    struct signet_reader r = signet_reader_init(in + PROMPT_LEN, in_len - PROMPT_LEN);
    uint16_t len = signet_read_u16(&r);
    if (len < PAYLOAD_LEN || len > SIGNET_BANNER_PAYLOAD_MAX) {
        return -SIGNET_E_BANNER;
    }
    if (len > signet_reader_left(&r)) {
        return 0;
    }
    out->supported = signet_read_u64(&r);
    out->required = signet_read_u64(&r);
    *used = HEAD_LEN + (size_t)len;
    return 0;
}

int signet_banner_check(const struct signet_banner *mine, const struct signet_banner *theirs)
{
    uint64_t missing = mine->required & ~theirs->supported;
    if ((missing & SIGNET_MSGR2_REVISION_1) != 0) {
        return -SIGNET_E_MSGR20_PEER;
    }
    return missing != 0 || (theirs->required & ~mine->supported) != 0 ? -SIGNET_E_BANNER_FEATURES
                                                                      : 0;
}
