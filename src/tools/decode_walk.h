/* SPDX-License-Identifier: MIT */
/* Inside of decode_conn.c: the state of a walk through both streams, and reading ahead in them. */
#ifndef SIGNET_TOOLS_DECODE_WALK_H
#define SIGNET_TOOLS_DECODE_WALK_H

#include "decode.h"

enum { CLIENT, SERVER };

struct side {
    const char *name;
    uint8_t *data;
    size_t len, pos;
    const char *stopped; /* why nothing more can be read; NULL: more may come */
    bool has_banner, seq_known;
    struct signet_banner banner;
    struct signet_frame_reader *reader;
    struct signet_stream *stream;
    struct signet_frame_view next; /* read ahead; len 0: not yet */
    size_t signed_len;             /* bytes under the peer's signature */
    uint64_t seq;                  /* of its last message */
    bool has_signed;
};

struct walk {
    struct report *report;
    struct decode_auth auth;
    struct side side[2];
    unsigned unanswered; /* steps of the client that the server has not answered yet */
    bool ready;
};

/* Reads and reports the banner. */
enum decode_refusal walk_read_banner(struct walk *walk, struct side *side);
void walk_compare_banners(struct walk *walk);
/* Nothing more of this side can be read, for this reason; the first one stays. */
void walk_stop(struct side *side, const char *why);
/* Frames from behind the banner on. */
void walk_start_reader(struct side *side);
/* The next frame of a side, read ahead once; NULL when there is none. */
const struct signet_frame_view *walk_peek(struct walk *walk, struct side *side);
/* Begins the report of the frame that was read ahead and decodes it, unless it is a message. */
bool walk_begin_frame(struct walk *walk, struct side *side, struct signet_control *control);
void walk_end_frame(struct walk *walk, struct side *side);

#endif
