/* SPDX-License-Identifier: MIT */
/* The header of messages. Source: msgr2.md 8. */
#include <signet/control.h>

#include <string.h>

#include "base/cursor.h"

void signet_message_header_encode(const struct signet_message *message,
                                  uint8_t out[SIGNET_MESSAGE_HEADER_LEN])
{
    struct signet_writer w = signet_writer_init(out, SIGNET_MESSAGE_HEADER_LEN);
    signet_write_u64(&w, message->seq);
    signet_write_u64(&w, message->tid);
    signet_write_u16(&w, message->type);
    signet_write_u16(&w, message->priority);
    signet_write_u16(&w, message->version);
    signet_write_u32(&w, message->data_pre_padding_len);
    signet_write_u16(&w, message->data_off);
    signet_write_u64(&w, message->ack_seq);
    signet_write_u8(&w, message->flags);
    signet_write_u16(&w, message->compat_version);
    signet_write_u16(&w, 0);
}

int signet_message_decode(struct signet_message *out, const struct signet_frame_view *view)
{
    memset(out, 0, sizeof(*out));
    if (view->tag != SIGNET_TAG_MESSAGE) {
        return -SIGNET_E_TAG;
    }
    if (view->segment[0].len < SIGNET_MESSAGE_HEADER_LEN) {
        return -SIGNET_E_MESSAGE_SHORT;
    }
    struct signet_reader r = signet_reader_init(view->segment[0].p, view->segment[0].len);
    out->seq = signet_read_u64(&r);
    out->tid = signet_read_u64(&r);
    out->type = signet_read_u16(&r);
    out->priority = signet_read_u16(&r);
    out->version = signet_read_u16(&r);
    out->data_pre_padding_len = signet_read_u32(&r);
    out->data_off = signet_read_u16(&r);
    out->ack_seq = signet_read_u64(&r);
    out->flags = signet_read_u8(&r);
    out->compat_version = signet_read_u16(&r);
    out->front = view->segment[1];
    out->middle = view->segment[2];
    out->data = view->segment[3];
    return 0;
}
