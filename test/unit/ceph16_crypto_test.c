/* SPDX-License-Identifier: MIT */
/* Answers given by the library inside a real Ceph 16: keys, the type 1 cipher, and the first
 * secure block of a connection in both directions. */
#include "support/suite.h"

#include <signet/signet.h>
#include <stdlib.h>
#include <string.h>

#include "crypto/type1.h"
#include "crypto/type1_key.h"

static const char *text(json_t *row, const char *name)
{
    const char *s = json_string_value(json_object_get(row, name));
    ck_assert_ptr_nonnull(s);
    return s;
}

static void check_key(json_t *row)
{
    uint64_t sec = (uint64_t)json_integer_value(json_object_get(row, "sec"));
    uint64_t nsec = (uint64_t)json_integer_value(json_object_get(row, "nsec"));
    uint8_t secret[16], wire[SIGNET_KEY_WIRE_MAX];
    size_t len;
    struct signet_key *key;
    unhex_to(secret, 16, text(row, "secret"));
    assert_ok(signet_key_import(&key, SIGNET_KEY_AES, secret, 16, sec * 1000000000U + nsec, NULL));
    assert_ok(signet_key_encode(key, wire, sizeof(wire), &len));
    assert_hex(wire, len, text(row, "enc"));
    signet_key_unref(key);
}

static void check_cbc(json_t *row)
{
    uint8_t secret[16], out[256];
    struct signet_key *key;
    unhex_to(secret, 16, text(row, "key"));
    assert_ok(signet_key_import(&key, SIGNET_KEY_AES, secret, 16, 0, NULL));
    size_t in_len;
    uint8_t *in = unhex(text(row, "in"), &in_len);
    memcpy(out, in, in_len);
    assert_ok(signet_type1_key_seal(key, out, in_len));
    assert_hex(out, signet_type1_len(in_len), text(row, "out"));
    free(in);
    signet_key_unref(key);
}

/* The first operation of a connection: preamble and inline bytes, 80 and the tag. */
static void check_frame(json_t *row)
{
    size_t secret_len, frame_len;
    uint8_t *secret = unhex(text(row, "connection_secret"), &secret_len);
    uint8_t *frame = unhex(text(row, "frame"), &frame_len);
    const uint8_t *nonce = secret + (json_integer_value(json_object_get(row, "crossed")) ? 16 : 28);
    struct signet_stream *rx, *tx;
    uint8_t plain[80], again[96];
    ck_assert_uint_ge(frame_len, 96);
    assert_ok(signet_stream_new(&rx, SIGNET_OPEN, secret, nonce, NULL));
    assert_ok(signet_stream_new(&tx, SIGNET_SEAL, secret, nonce, NULL));
    assert_ok(signet_stream_open(rx, plain, frame, 96));
    ck_assert_int_eq(plain[0], json_integer_value(json_object_get(row, "tag")));
    assert_ok(signet_stream_seal(tx, again, plain, 80));
    ck_assert_mem_eq(again, frame, 96);
    signet_stream_free(rx);
    signet_stream_free(tx);
    free(secret);
    free(frame);
}

START_TEST(answers_of_ceph_16)
{
    json_t *all = kat_json("ceph16_crypto.json"), *row;
    size_t i, done = 0;
    static const struct {
        const char *name;
        void (*check)(json_t *row);
    } kinds[] = {{"CryptoKey", check_key}, {"aes_cbc", check_cbc}, {"frame", check_frame}};
    json_array_foreach(all, i, row)
    {
        for (size_t k = 0; k < 3; k++) {
            if (strcmp(text(row, "t"), kinds[k].name) == 0) {
                kinds[k].check(row);
                done++;
            }
        }
    }
    ck_assert_uint_eq(done, 11);
    json_decref(all);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("ceph16_crypto");
    tcase_add_test(suite_case(s, "recorded answers"), answers_of_ceph_16);
    return suite_run(s);
}
