/* SPDX-License-Identifier: MIT */
#include "support/suite.h"

#include <signet/sign.h>

#include <stdlib.h>
#include <string.h>

#include "base/crc32c.h"
#include "base/cursor.h"

static const struct signet_sign_input spec_input = {.header_crc = 0x11223344,
                                                    .front_crc = 0x55667788,
                                                    .front_len = 100,
                                                    .data_crc = 0x99aabbcc,
                                                    .data_len = 4096,
                                                    .seq = 7};

static struct signet_key *import_hex(int type, const char *hex)
{
    struct signet_key *key;
    size_t len;
    uint8_t *secret = unhex(hex, &len);
    assert_ok(signet_key_import(&key, (enum signet_key_type)type, secret, len, 0, NULL));
    free(secret);
    return key;
}

static uint64_t wire_u64(const char *hex)
{
    uint8_t p[8];
    unhex_to(p, sizeof(p), hex);
    return signet_load_u64(p);
}

static const char *text(json_t *row, const char *name)
{
    return json_string_value(json_object_get(row, name));
}

START_TEST(specified_vectors)
{
    json_t *kat = kat_json("msgr2.json"), *row;
    size_t i;
    json_array_foreach(json_object_get(kat, "sign_v2"), i, row)
    {
        int type = (int)json_integer_value(json_object_get(row, "type"));
        struct signet_key *key = import_hex(type, text(row, "key"));
        uint64_t want = wire_u64(text(row, "signature")), got;
        assert_ok(signet_sign(key, &spec_input, &got));
        ck_assert_uint_eq(got, want);
        assert_ok(signet_sign_verify(key, &spec_input, want));
        signet_key_unref(key);
    }
    json_decref(kat);
}
END_TEST

/* Header and footer of the msgr1 message at p, its crcs checked; the signature is returned. */
static uint64_t read_message(struct signet_reader *r, struct signet_sign_input *in)
{
    struct signet_reader header = signet_read_sub(r, 53);
    uint32_t crc = signet_crc32c(0, header.p, 49);
    in->seq = signet_read_u64(&header);
    signet_read_view(&header, 14);
    in->front_len = signet_read_u32(&header);
    in->middle_len = signet_read_u32(&header);
    in->data_len = signet_read_u32(&header);
    signet_read_view(&header, 15);
    in->header_crc = signet_read_u32(&header);
    ck_assert_uint_eq(in->header_crc, crc);
    struct signet_span front = signet_read_view(r, in->front_len);
    signet_read_view(r, in->middle_len);
    struct signet_span data = signet_read_view(r, in->data_len);
    in->front_crc = signet_read_u32(r);
    in->middle_crc = signet_read_u32(r);
    in->data_crc = signet_read_u32(r);
    ck_assert_uint_eq(in->front_crc, signet_crc32c(0, front.p, front.len));
    ck_assert_uint_eq(in->data_crc, signet_crc32c(0, data.p, data.len));
    uint64_t signature = signet_read_u64(r);
    signet_read_u8(r);
    return signature;
}

/* A put to a real OSD, both directions, from the first message to the end of the stream. */
START_TEST(recorded_session)
{
    static const struct {
        const char *file;
        size_t first;
    } rows[] = {{"captures/ceph16/d_rados_put_get.v1sig/conn03.c2s", 567},
                {"captures/ceph16/d_rados_put_get.v1sig/conn03.s2c", 409}};
    struct signet_key *key = import_hex(1, "c0668545c8994a941214b1d3896b3869");
    for (size_t i = 0; i < 2; i++) {
        size_t len;
        uint8_t *in = kat_read(rows[i].file, &len);
        struct signet_reader r = signet_reader_init(in + rows[i].first, len - rows[i].first);
        while (signet_reader_left(&r) > 0) {
            struct signet_sign_input input;
            ck_assert_uint_eq(signet_read_u8(&r), 7); /* a message */
            uint64_t signature = read_message(&r, &input);
            assert_ok(r.err);
            assert_ok(signet_sign_verify(key, &input, signature));
        }
        free(in);
    }
    signet_key_unref(key);
}
END_TEST

START_TEST(each_field_counts)
{
    json_t *kat = kat_json("msgr2.json"), *row;
    size_t i;
    json_array_foreach(json_object_get(kat, "sign_v2"), i, row)
    {
        int type = (int)json_integer_value(json_object_get(row, "type"));
        struct signet_key *key = import_hex(type, text(row, "key"));
        uint64_t sig = wire_u64(text(row, "signature"));
        struct signet_sign_input in = spec_input;
        uint32_t *fields[] = {&in.header_crc, &in.front_crc, &in.front_len, &in.middle_crc,
                              &in.middle_len, &in.data_crc,  &in.data_len};
        for (size_t f = 0; f < 7; f++) {
            *fields[f] ^= 1;
            assert_err(signet_sign_verify(key, &in, sig), SIGN_MISMATCH);
            *fields[f] ^= 1;
        }
        in.seq = 8;
        assert_err(signet_sign_verify(key, &in, sig), SIGN_MISMATCH);
        in.seq = 7 + (UINT64_C(1) << 32); /* only the low half is signed */
        assert_ok(signet_sign_verify(key, &in, sig));
        assert_err(signet_sign_verify(key, &in, sig ^ 1), SIGN_MISMATCH);
        assert_err(signet_sign_verify(key, &in, 0), SIGN_MISMATCH);
        signet_key_unref(key);
    }
    json_decref(kat);
}
END_TEST

START_TEST(old_form_is_recognised_and_refused)
{
    json_t *kat = kat_json("msgr2.json"), *row = json_object_get(kat, "sign_v1");
    struct signet_key *key = import_hex(1, text(row, "key"));
    struct signet_key *other = import_hex(1, "101112131415161718191a1b1c1d1e1f");
    struct signet_key *type2 = import_hex(2, "000102030405060708090a0b0c0d0e0f"
                                             "101112131415161718191a1b1c1d1e1f");
    uint64_t sig = wire_u64(text(row, "signature"));
    assert_err(signet_sign_verify(key, &spec_input, sig), SIGN_OLD_FORM);
    assert_err(signet_sign_verify(other, &spec_input, sig), SIGN_MISMATCH);
    assert_err(signet_sign_verify(type2, &spec_input, sig), SIGN_MISMATCH);
    signet_key_unref(key);
    signet_key_unref(other);
    signet_key_unref(type2);
    json_decref(kat);
}
END_TEST

START_TEST(form_by_features)
{
    ck_assert_int_eq(signet_sign_form(0), SIGNET_SIGN_NONE);
    ck_assert_int_eq(signet_sign_form(UINT64_C(1) << 61), SIGNET_SIGN_NONE);
    ck_assert_int_eq(signet_sign_form(UINT64_C(1) << 23), SIGNET_SIGN_V1);
    ck_assert_int_eq(signet_sign_form(UINT64_C(1) << 23 | UINT64_C(1) << 61), SIGNET_SIGN_V2);
    ck_assert_int_eq(signet_sign_form(UINT64_C(0x3f01cfbdfffdffff)), SIGNET_SIGN_V2);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("sign");
    TCase *t = suite_case(s, "signatures");
    tcase_add_test(t, specified_vectors);
    tcase_add_test(t, recorded_session);
    tcase_add_test(t, each_field_counts);
    tcase_add_test(t, old_form_is_recognised_and_refused);
    tcase_add_test(t, form_by_features);
    return suite_run(s);
}
