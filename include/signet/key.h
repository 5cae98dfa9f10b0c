/* SPDX-License-Identifier: MIT */
/*
 * CryptoKey: a secret with all the state its operations need, built once, never
 * changed and shared by all threads. Formats: keys.md 1-5 of the specification.
 */
#ifndef SIGNET_KEY_H
#define SIGNET_KEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <signet/error.h>
#include <signet/handler.h>
#include <signet/visibility.h>

#ifdef __cplusplus
extern "C" {
#endif

enum signet_key_type {
    SIGNET_KEY_NONE = 0,
    SIGNET_KEY_AES = 1,     /* AES-128-CBC, fixed IV, unauthenticated; 16 bytes of secret */
    SIGNET_KEY_AES256K = 2, /* aes256-cts-hmac-sha384-192 of RFC 8009; 32 bytes of secret */
};

/* What an envelope holds. Type 1 keys ignore it; a type 2 key opens an envelope only with the
 * usage it was sealed with. Other numbers are refused with -SIGNET_E_USAGE. */
enum signet_usage {
    SIGNET_USAGE_NONE = 0x00,
    SIGNET_USAGE_CONNECTION_SECRET = 0x03,
    SIGNET_USAGE_TICKET_SESSION_KEY = 0x04,
    SIGNET_USAGE_TICKET_BLOB = 0x05,
    SIGNET_USAGE_AUTHORIZE = 0x10,
    SIGNET_USAGE_AUTHORIZE_CHALLENGE = 0x11,
    SIGNET_USAGE_AUTHORIZE_REPLY = 0x12,
    SIGNET_USAGE_ROTATING_SECRET = 0x20,
    SIGNET_USAGE_TICKET_INFO = 0x30,
};

enum {
    SIGNET_KEY_SECRET_MAX = 32, /* bytes */
    SIGNET_KEY_WIRE_MAX = 44,   /* bytes of the wire form: 12 + secret */
    SIGNET_KEY_TEXT_MAX = 61,   /* base64 of it and the final NUL */
    SIGNET_HMAC_LEN = 32,
    SIGNET_ENVELOPE_HEADER = 9, /* version byte and magic in front of the structure */
};

/* Reference counted and immutable; a `const struct signet_key *` may be used by any number of
 * threads at once. No operation takes or drops a reference: whoever calls the last
 * signet_key_unref() makes sure that no operation on the key is in flight. */
struct signet_key;

/* "aes", "aes256k", "none"; NULL for a type that is not known. */
SIGNET_API const char *signet_key_type_name(enum signet_key_type type);
/* Case is ignored; "recommended" is aes256k. -SIGNET_E_KEY_TYPE if not known. */
SIGNET_MUST SIGNET_API int signet_key_type_parse(enum signet_key_type *out, const char *name);
/* 16 for aes, 32 for aes256k, 0 otherwise. */
SIGNET_API size_t signet_key_type_len(enum signet_key_type type);

/* A key with a fresh random secret, created now. pin: NULL to follow the current handler, else
 * the key always uses that one. On failure *out is NULL.
 * -KEY_TYPE, -RANDOM, -NOMEM, or why the handler cannot build its state. */
SIGNET_MUST SIGNET_API int signet_key_generate(struct signet_key **out, enum signet_key_type type,
                                               const struct signet_handler *pin);
/* A key from raw secret bytes, which are copied. Exactly 16 (aes) or 32 (aes256k) bytes, else
 * -KEY_LENGTH. created_ns: stored in the wire form, nanoseconds since 1970, no meaning. */
SIGNET_MUST SIGNET_API int signet_key_import(struct signet_key **out, enum signet_key_type type,
                                             const uint8_t *secret, size_t len, uint64_t created_ns,
                                             const struct signet_handler *pin);
/* A key from its wire form; in_len must be all of it (-KEY_TRAILING). -SHORT: cut off; -LENGTH:
 * the length field points past the end; -KEY_TYPE; -KEY_LENGTH: wrong for its type;
 * -KEY_EMPTY: a length of 0 (legal to carry, unusable). */
SIGNET_MUST SIGNET_API int signet_key_decode(struct signet_key **out, const uint8_t *in,
                                             size_t in_len, const struct signet_handler *pin);
/* A key from base64 of its wire form: strict standard alphabet and padding, no blanks. Errors
 * as signet_key_decode, and -BASE64. why may be NULL. */
SIGNET_MUST SIGNET_API int signet_key_parse(struct signet_key **out, const char *text, size_t len,
                                            const struct signet_handler *pin,
                                            struct signet_fail *why);

/* ref returns its argument. unref of NULL is fine; the last one wipes and frees. */
SIGNET_API struct signet_key *signet_key_ref(struct signet_key *key);
SIGNET_API void signet_key_unref(struct signet_key *key);

SIGNET_API enum signet_key_type signet_key_type(const struct signet_key *key);
SIGNET_API uint64_t signet_key_created_ns(const struct signet_key *key);
/* Same type and secret (constant time); the creation time does not count. */
SIGNET_API bool signet_key_equal(const struct signet_key *a, const struct signet_key *b);
/* Wire form; *out_len is 28 or 44. The output holds the secret: wipe it. -SPACE. */
SIGNET_MUST SIGNET_API int signet_key_encode(const struct signet_key *key, uint8_t *out, size_t cap,
                                             size_t *out_len);
/* Base64 of the wire form with a final NUL. -SPACE. */
SIGNET_MUST SIGNET_API int signet_key_print(const struct signet_key *key, char *out, size_t cap);

/* Builds ahead what the first operation with this usage on the current (or pinned) handler
 * would build; never needed for correctness. */
SIGNET_MUST SIGNET_API int signet_key_prepare(const struct signet_key *key,
                                              enum signet_usage usage);

/* Length of the sealed envelope of plain_len bytes: type 1: 16 * ((plain_len + 9) / 16 + 1);
 * type 2: plain_len + 49. 0 when that does not fit a u32. */
SIGNET_API size_t signet_envelope_len(const struct signet_key *key, size_t plain_len);
/* Seals len bytes behind the envelope header. out may equal in or overlap it in any way.
 * Writes exactly signet_envelope_len() bytes or nothing: on failure *out_len is 0.
 * -SPACE, -USAGE, -HANDLER_FIPS, -HANDLER_FAILED, -RANDOM, -NOMEM (first use on a thread). */
SIGNET_MUST SIGNET_API int signet_envelope_seal(const struct signet_key *key,
                                                enum signet_usage usage, uint8_t *out, size_t cap,
                                                size_t *out_len, const uint8_t *in, size_t len);
/* One of several envelopes that are sealed together. */
struct signet_seal_job {
    const uint8_t *in; /* the structure, len bytes */
    size_t len;
    uint8_t *out; /* room for cap bytes */
    size_t cap;
    size_t out_len; /* set: signet_envelope_len(), or 0 on failure */
};
/* Seals num structures for one usage, each as signet_envelope_seal() would, all or none: on failure
 * every out_len is 0 and no plaintext has left. Type 1 keys seal four or more side by side, which
 * takes a third of the time for each when they are of like length; type 2 keys one after the other.
 * A job's out may overlap its own in, but nothing of another job. num may be 0. No allocation after
 * a thread's first call with four or more. Errors as signet_envelope_seal(). */
SIGNET_MUST SIGNET_API int signet_key_seal_batch(const struct signet_key *key,
                                                 enum signet_usage usage,
                                                 struct signet_seal_job *jobs, size_t num);
/* Opens an envelope; every way in which the data can be wrong (length, tag, padding, magic) is
 * -SIGNET_E_OPEN, and takes the same time for the same length. cap must be at least len (the
 * output is used as scratch); the structure is written at out[0..*out_len) and the rest of what
 * was used is wiped. out may equal in. On failure *out_len is 0 and out holds no plaintext. */
SIGNET_MUST SIGNET_API int signet_envelope_open(const struct signet_key *key,
                                                enum signet_usage usage, uint8_t *out, size_t cap,
                                                size_t *out_len, const uint8_t *in, size_t len);

/* HMAC-SHA256 with the raw secret. Any key type. */
SIGNET_MUST SIGNET_API int signet_key_hmac(const struct signet_key *key,
                                           uint8_t out[SIGNET_HMAC_LEN], const uint8_t *in,
                                           size_t len);

#ifdef __cplusplus
}
#endif
#endif
