/* SPDX-License-Identifier: MIT */
/* Recorded connections of real Ceph, both directions, read to the last byte: every check of the
 * reader, every control payload decoded and made again, messages in order. */
#include "support/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/frames.h"

/* As counted by an independent decoder for Ceph 16; 124 frames of Ceph 20 come on top. */
enum { NUM_FRAMES = 936 + 124, NUM_SECURE = 461 };

static unsigned frames, controls, messages, secure_frames;

static void check_control(const struct signet_frame_view *view, const char *name)
{
    struct signet_control c;
    struct signet_fail fail = {0};
    uint8_t again[65536 + SIGNET_CONTROL_MAX];
    size_t len;
    struct signet_span in = view->segment[0];
    int err = signet_control_decode(&c, view->tag, in.p, in.len, &fail);
    ck_assert_msg(err == 0, "%s: %s %s", name, fail.where, fail.text);
    assert_ok(signet_control_encode(&c, again, sizeof(again), &len));
    ck_assert_msg(len == in.len && (len == 0 || memcmp(again, in.p, len) == 0), "%s: %s", name,
                  signet_tag_name(view->tag));
    controls++;
}

static void check_message(const struct signet_frame_view *view, uint64_t *seq, const char *name)
{
    struct signet_message m;
    uint8_t header[SIGNET_MESSAGE_HEADER_LEN];
    assert_ok(signet_message_decode(&m, view));
    signet_message_header_encode(&m, header);
    ck_assert_mem_eq(header, view->segment[0].p, sizeof(header));
    ck_assert_msg(*seq == 0 || m.seq == *seq + 1, "%s: message %llu", name,
                  (unsigned long long)m.seq);
    *seq = m.seq;
    messages++;
}

/* The frame behind which this direction is sealed. */
static uint8_t last_plain(bool from_client)
{
    return from_client ? SIGNET_TAG_AUTH_REQUEST_MORE : SIGNET_TAG_AUTH_DONE;
}

static void walk_frames(uint8_t *p, size_t len, size_t at, struct signet_stream *open,
                        bool from_client, const char *name)
{
    struct signet_frame_limits limits = signet_frame_limits_default();
    struct signet_frame_reader *reader;
    struct signet_frame_view view;
    uint64_t seq = 0;
    limits.strict = true;
    assert_ok(signet_frame_reader_new(&reader, &limits, at));
    while (at < len) {
        struct signet_fail fail = {0};
        size_t need;
        int err = signet_frame_reader_next(reader, p + at, len - at, &view, &need, &fail);
        ck_assert_msg(err == 0 && view.len > 0, "%s at %zu: %s %s", name, at, fail.where,
                      fail.text);
        ck_assert_uint_eq(view.offset, at);
        frames++;
        secure_frames += view.secure ? 1 : 0;
        if (view.tag == SIGNET_TAG_MESSAGE) {
            check_message(&view, &seq, name);
        } else {
            check_control(&view, name);
        }
        if (open != NULL && view.tag == last_plain(from_client)) {
            signet_frame_reader_secure(reader, open);
        }
        at += view.len;
    }
    signet_frame_reader_free(reader);
}

static void walk(const char *conn, const char *secret_hex, bool from_client)
{
    char name[256];
    size_t len, used;
    struct signet_banner banner;
    struct signet_stream *open = NULL;
    snprintf(name, sizeof(name), "captures/%s.%s", conn, from_client ? "c2s" : "s2c");
    uint8_t *p = kat_read(name, &len);
    if (secret_hex[0] != 0) {
        uint8_t secret[64];
        unhex_to(secret, sizeof(secret), secret_hex);
        assert_ok(signet_streams_new(NULL, &open, secret, sizeof(secret),
                                     from_client ? SIGNET_ROLE_SERVER : SIGNET_ROLE_CLIENT, NULL));
    }
    assert_ok(signet_banner_parse(&banner, p, len, &used));
    ck_assert(used > 0 || len == 0);
    ck_assert(len == 0 || (banner.supported & SIGNET_MSGR2_REVISION_1) != 0);
    walk_frames(p, len, used, open, from_client, name);
    signet_stream_free(open);
    free(p);
}

START_TEST(all)
{
    json_t *rows = kat_json("walks.json"), *row;
    size_t i;
    json_array_foreach(rows, i, row)
    {
        const char *conn = json_string_value(json_object_get(row, "conn"));
        const char *secret = json_string_value(json_object_get(row, "secret"));
        walk(conn, secret, true);
        walk(conn, secret, false);
    }
    json_decref(rows);
    ck_assert_msg(frames == NUM_FRAMES && secure_frames == NUM_SECURE,
                  "%u frames, %u secure, %u controls, %u messages", frames, secure_frames, controls,
                  messages);
    ck_assert_uint_eq(frames, controls + messages);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("walk");
    TCase *t = suite_case(s, "captures");
    tcase_add_test(t, all);
    return suite_run(s);
}
