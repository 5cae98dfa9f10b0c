/* SPDX-License-Identifier: MIT */
#include "decode_walk.h"

/* --- banners ---------------------------------------------------------------------------------- */

static enum decode_refusal refused_banner(int err)
{
    return err == -SIGNET_E_MSGR1_PEER ? DECODE_MSGR1
           : err == -SIGNET_E_NOT_CEPH ? DECODE_NOT_CEPH
                                       : DECODE_DONE;
}

enum decode_refusal walk_read_banner(struct walk *walk, struct side *side)
{
    size_t used;
    int err = signet_banner_parse(&side->banner, side->data, side->len, &used);
    if (refused_banner(err) != DECODE_DONE)
        return refused_banner(err);
    if (err == 0 && used == 0) {
        side->stopped = side->len ? "it ends inside the banner" : NULL;
        return DECODE_DONE;
    }
    report_frame(walk->report, side->name, "banner", 0, used);
    if (report_verify(walk->report, CHECK_banner, err == 0, "%s", signet_strerror(err))) {
        report_hex(walk->report, "supported", side->banner.supported);
        report_hex(walk->report, "required", side->banner.required);
        side->has_banner = true;
        side->pos = used;
    } else {
        side->stopped = "its banner is wrong";
    }
    report_frame_end(walk->report);
    if (err == 0 && !(side->banner.supported & SIGNET_MSGR2_REVISION_1))
        return DECODE_MSGR20;
    return DECODE_DONE;
}

void walk_compare_banners(struct walk *walk)
{
    const struct side *client = &walk->side[CLIENT], *server = &walk->side[SERVER];
    if (client->has_banner && server->has_banner)
        report_verify(walk->report, CHECK_banner,
                      (client->banner.required & ~server->banner.supported) == 0 &&
                          (server->banner.required & ~client->banner.supported) == 0,
                      "one side requires a feature that the other does not support");
}

/* --- reading ---------------------------------------------------------------------------------- */

void walk_stop(struct side *side, const char *why)
{
    if (!side->stopped)
        side->stopped = why;
}

const struct signet_frame_view *walk_peek(struct walk *walk, struct side *side)
{
    struct signet_fail fail = {0};
    size_t need;
    if (side->next.len)
        return &side->next;
    if (side->stopped || !side->reader || side->pos == side->len)
        return NULL;
    int err = signet_frame_reader_next(side->reader, side->data + side->pos, side->len - side->pos,
                                       &side->next, &need, &fail);
    if (err) {
        report_frame(walk->report, side->name, "damaged frame", side->pos, side->len - side->pos);
        decode_frame_failure(walk->report, err, &fail);
        report_frame_end(walk->report);
        walk_stop(side, "a frame of it is damaged");
        side->next.len = 0;
        return NULL;
    }
    if (side->next.len == 0) {
        walk_stop(side, "it ends inside a frame");
        return NULL;
    }
    return &side->next;
}

bool walk_begin_frame(struct walk *walk, struct side *side, struct signet_control *control)
{
    const struct signet_frame_view *view = &side->next;
    struct signet_fail fail = {0};
    const char *name = signet_tag_name(view->tag);
    report_frame(walk->report, side->name, name ? name : "unknown tag", side->pos, view->len);
    report_text(walk->report, "layout", "%s", view->secure ? "secure" : "crc");
    decode_frame_checks(walk->report, view, side->data + side->pos);
    if (view->tag == SIGNET_TAG_MESSAGE)
        return true;
    report_dump(walk->report, "bytes", view->segment[0].p, view->segment[0].len);
    int err =
        signet_control_decode(control, view->tag, view->segment[0].p, view->segment[0].len, &fail);
    if (decode_structure(&walk->auth, err, &fail)) {
        decode_control_fields(walk->report, control);
        return true;
    }
    return false;
}

void walk_end_frame(struct walk *walk, struct side *side)
{
    report_frame_end(walk->report);
    side->pos += side->next.len;
    side->next.len = 0;
}

void walk_start_reader(struct side *side)
{
    struct signet_frame_limits limits = signet_frame_limits_default();
    limits.strict = true;
    if (side->has_banner && signet_frame_reader_new(&side->reader, &limits, side->pos) != 0)
        walk_stop(side, "there is not enough memory");
}
