/* SPDX-License-Identifier: MIT */
/* Frames against the vectors of the specification and of Ceph's own library. */
#include "support/suite.h"

#include <stdlib.h>
#include <string.h>

#include <signet/name.h>

#include "support/frames.h"

static const char *text(json_t *json, const char *name)
{
    const char *value = json_string_value(json_object_get(json, name));
    ck_assert_msg(value != NULL, "no %s", name);
    return value;
}

static void assert_frame(struct test_frame frame, const char *hex)
{
    assert_hex(frame.p, frame.len, hex);
    free(frame.p);
}

/* Reads one frame that must fill the bytes exactly and compares its segments. */
static void assert_reads(struct signet_frame_reader *reader, const char *hex, uint8_t tag,
                         const struct signet_span *segment, unsigned num)
{
    struct signet_frame_view view;
    size_t len, need;
    struct signet_fail fail = {0};
    uint8_t *in = unhex(hex, &len);
    int err = signet_frame_reader_next(reader, in, len, &view, &need, &fail);
    ck_assert_msg(err == 0, "%s: %s", signet_err_name(err), fail.text);
    ck_assert_uint_eq(view.len, len);
    ck_assert_uint_eq(view.tag, tag);
    ck_assert_uint_eq(view.num_segments, num);
    ck_assert(!view.aborted);
    for (unsigned i = 0; i < SIGNET_SEGMENTS_MAX; i++) {
        size_t want = i < num ? segment[i].len : 0;
        ck_assert_uint_eq(view.segment[i].len, want);
        ck_assert(want == 0 || memcmp(view.segment[i].p, segment[i].p, want) == 0);
    }
    free(in);
}

static struct signet_frame_reader *new_reader(struct signet_stream *stream)
{
    struct signet_frame_limits limits = test_limits();
    struct signet_frame_reader *reader;
    assert_ok(signet_frame_reader_new(&reader, &limits, 0));
    if (stream != NULL) {
        signet_frame_reader_secure(reader, stream);
    }
    return reader;
}

START_TEST(crc_layout)
{
    json_t *kat = kat_json("msgr2.json");
    uint8_t header[41], five[8] = {5};
    unhex_to(header, sizeof(header), text(kat, "header2"));
    const struct signet_span message[4] = {
        {header, 41}, {(const uint8_t *)"FRONT", 5}, {NULL, 0}, {(const uint8_t *)"DATA", 4}};
    const struct signet_span ack = {five, 8};
    struct signet_frame_reader *reader = new_reader(NULL);
    assert_frame(make_frame(SIGNET_TAG_MESSAGE, message, 4, NULL), text(kat, "message"));
    assert_reads(reader, text(kat, "message"), SIGNET_TAG_MESSAGE, message, 4);
    assert_frame(make_frame(SIGNET_TAG_MESSAGE, message, 3, NULL), text(kat, "message_front_only"));
    assert_reads(reader, text(kat, "message_front_only"), SIGNET_TAG_MESSAGE, message, 2);
    assert_frame(make_frame(SIGNET_TAG_ACK, &ack, 1, NULL), text(kat, "ack5"));
    assert_reads(reader, text(kat, "ack5"), SIGNET_TAG_ACK, &ack, 1);
    const struct signet_span nothing = {NULL, 0};
    struct test_frame wait = make_frame(SIGNET_TAG_WAIT, &nothing, 1, NULL);
    ck_assert_uint_eq(wait.len, 32);
    free(wait.p);
    signet_frame_reader_free(reader);
    json_decref(kat);
}
END_TEST

START_TEST(hello_and_message_header)
{
    json_t *kat = kat_json("msgr2.json");
    struct signet_control hello = {.tag = SIGNET_TAG_HELLO};
    hello.hello.entity_type = SIGNET_MON;
    assert_ok(signet_addr_parse(&hello.hello.peer, "v2:10.0.0.1:3300/0"));
    assert_frame(make_control(&hello, NULL), text(kat, "hello"));
    struct signet_message m = {
        .seq = 1, .tid = 2, .type = 42, .priority = 127, .version = 1, .compat_version = 1};
    uint8_t header[SIGNET_MESSAGE_HEADER_LEN];
    signet_message_header_encode(&m, header);
    assert_hex(header, sizeof(header), text(kat, "header2"));
    json_decref(kat);
}
END_TEST

START_TEST(secure_layout)
{
    json_t *kat = kat_json("msgr2.json"), *rows = json_object_get(kat, "secure");
    uint8_t header[41], signature[32], control[64];
    unhex_to(header, sizeof(header), text(kat, "header2"));
    memset(signature, 0x5a, sizeof(signature));
    for (unsigned i = 0; i < sizeof(control); i++) {
        control[i] = (uint8_t)i;
    }
    const struct signet_span segment[3][4] = {
        {{signature, 32}},
        {{header, 41}, {(const uint8_t *)"FRONT", 5}, {NULL, 0}, {(const uint8_t *)"DATA", 4}},
        {{control, 64}}};
    const unsigned num[3] = {1, 4, 1};
    struct signet_stream *seal, *open;
    test_streams(&seal, &open, SIGNET_ROLE_CLIENT);
    struct signet_frame_reader *reader = new_reader(open);
    for (unsigned i = 0; i < 3; i++) {
        json_t *row = json_array_get(rows, i);
        uint8_t tag = (uint8_t)json_integer_value(json_object_get(row, "tag"));
        assert_frame(make_frame(tag, segment[i], num[i], seal), text(row, "frame"));
        assert_reads(reader, text(row, "frame"), tag, segment[i], num[i]);
    }
    ck_assert_uint_eq(signet_stream_used(seal), 5);
    ck_assert_uint_eq(signet_stream_used(open), 5);
    signet_frame_reader_free(reader);
    signet_stream_free(seal);
    signet_stream_free(open);
    json_decref(kat);
}
END_TEST

/* One row's segments as spans; freed by free_segments. */
static unsigned load_segments(json_t *row, struct signet_span *segment)
{
    json_t *list = json_object_get(row, "segs");
    unsigned num = (unsigned)json_array_size(list);
    for (unsigned i = 0; i < num; i++) {
        segment[i].p = unhex(json_string_value(json_array_get(list, i)), &segment[i].len);
    }
    return num;
}

static void free_segments(const struct signet_span *segment, unsigned num)
{
    for (unsigned i = 0; i < num; i++) {
        free((void *)(uintptr_t)segment[i].p);
    }
}

static unsigned counted(const struct signet_span *segment, unsigned num)
{
    while (num > 1 && segment[num - 1].len == 0) {
        num--;
    }
    return num;
}

static void check_row(json_t *row, struct signet_stream *seal, struct signet_frame_reader *reader)
{
    struct signet_span segment[4] = {{0}};
    uint8_t tag = (uint8_t)json_integer_value(json_object_get(row, "tag"));
    unsigned num = load_segments(row, segment);
    assert_frame(make_frame(tag, segment, num, seal), text(row, "frame"));
    assert_reads(reader, text(row, "frame"), tag, segment, counted(segment, num));
    free_segments(segment, num);
}

/* crossed: sealed with the nonce at 16, as a server does. */
static void row_streams(json_t *row, struct signet_stream **seal, struct signet_stream **open)
{
    uint8_t secret[64];
    bool crossed = json_integer_value(json_object_get(row, "crossed")) != 0;
    unhex_to(secret, sizeof(secret), text(row, "connection_secret"));
    enum signet_role sealer = crossed ? SIGNET_ROLE_SERVER : SIGNET_ROLE_CLIENT;
    enum signet_role opener = crossed ? SIGNET_ROLE_CLIENT : SIGNET_ROLE_SERVER;
    assert_ok(signet_streams_new(seal, NULL, secret, 64, sealer, NULL));
    assert_ok(signet_streams_new(NULL, open, secret, 64, opener, NULL));
}

START_TEST(ceph_library_frames)
{
    json_t *rows = kat_json("ceph16_frames.json"), *row;
    struct signet_stream *seal = NULL, *open = NULL;
    struct signet_frame_reader *reader = new_reader(NULL);
    size_t i;
    unsigned done = 0;
    json_array_foreach(rows, i, row)
    {
        if (json_integer_value(json_object_get(row, "rev1")) == 0) {
            continue;
        }
        bool secure = strcmp(text(row, "mode"), "secure") == 0;
        if (secure && json_integer_value(json_object_get(row, "idx")) == 0) {
            signet_stream_free(seal);
            signet_stream_free(open);
            signet_frame_reader_free(reader);
            row_streams(row, &seal, &open);
            reader = new_reader(open);
        }
        check_row(row, secure ? seal : NULL, reader);
        done++;
    }
    ck_assert_uint_eq(done, 63);
    signet_stream_free(seal);
    signet_stream_free(open);
    signet_frame_reader_free(reader);
    json_decref(rows);
}
END_TEST

/* Whether a reader takes all of in as whole frames. */
static bool reads_all(uint8_t *in, size_t len, struct signet_stream *stream)
{
    struct signet_frame_reader *reader = new_reader(stream);
    struct signet_frame_view view;
    size_t at = 0, need;
    while (at < len &&
           signet_frame_reader_next(reader, in + at, len - at, &view, &need, NULL) == 0 &&
           view.len > 0) {
        at += view.len;
    }
    signet_frame_reader_free(reader);
    return at == len;
}

START_TEST(revision_0_is_refused)
{
    json_t *rows = kat_json("ceph16_frames.json"), *row;
    size_t i;
    json_array_foreach(rows, i, row)
    {
        if (json_integer_value(json_object_get(row, "rev1")) != 0) {
            continue;
        }
        struct signet_stream *seal = NULL, *open = NULL;
        bool secure = strcmp(text(row, "mode"), "secure") == 0;
        /* a first block that is the whole frame is the same in both revisions */
        size_t len;
        uint8_t *in = unhex(text(row, "frame"), &len);
        if (secure) {
            row_streams(row, &seal, &open);
        }
        ck_assert_msg((secure && len == SIGNET_PREAMBLE_LEN + 64) || !reads_all(in, len, open),
                      "row %zu", i);
        free(in);
        signet_stream_free(seal);
        signet_stream_free(open);
    }
    json_decref(rows);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("frame_vectors");
    TCase *t = suite_case(s, "frames");
    tcase_add_test(t, crc_layout);
    tcase_add_test(t, hello_and_message_header);
    tcase_add_test(t, secure_layout);
    tcase_add_test(t, ceph_library_frames);
    tcase_add_test(t, revision_0_is_refused);
    return suite_run(s);
}
