/* SPDX-License-Identifier: MIT */
/*
 * Network addresses of Ceph entities: entity_addr_t, entity_addrvec_t and their text.
 * Formats: encoding.md 4. All functions: any thread, no state.
 */
#ifndef SIGNET_ADDR_H
#define SIGNET_ADDR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <signet/error.h>
#include <signet/visibility.h>

#ifdef __cplusplus
extern "C" {
#endif

enum signet_addr_type {
    SIGNET_ADDR_NONE = 0,
    SIGNET_ADDR_LEGACY = 1, /* v1: */
    SIGNET_ADDR_MSGR2 = 2,  /* v2: */
    SIGNET_ADDR_ANY = 3,    /* any: */
    SIGNET_ADDR_CIDR = 4,
};

/* Families as they stand on the wire, whatever the host calls them. */
enum { SIGNET_FAMILY_NONE = 0, SIGNET_FAMILY_IPV4 = 2, SIGNET_FAMILY_IPV6 = 10 };

enum {
    SIGNET_ADDR_WIRE_MAX = 47, /* bytes of the new form: blank 47, IPv4 35, IPv6 47 */
    SIGNET_ADDR_LEGACY_LEN = 136,
    SIGNET_ADDR_TEXT_MAX = 80, /* of one address, with the final NUL */
    SIGNET_ADDRVEC_MAX = 32,   /* more addresses in one vector are refused */
    SIGNET_ADDRVEC_WIRE_MAX = 5 + SIGNET_ADDRVEC_MAX * SIGNET_ADDR_WIRE_MAX,
    SIGNET_PORT_MSGR2 = 3300, /* of a monitor */
    SIGNET_PORT_LEGACY = 6789,
};

/* An address by value. All zeros is the blank address. ip holds 4 bytes (IPv4) or 16 (IPv6) in
 * network order, the rest is zero; family NONE has neither port nor ip. */
struct signet_addr {
    uint32_t type; /* enum signet_addr_type */
    uint32_t nonce;
    uint16_t family;
    uint16_t port; /* host order */
    uint32_t flowinfo;
    uint32_t scope_id;
    uint8_t ip[16];
};

struct signet_addrvec {
    uint32_t num;
    struct signet_addr addr[SIGNET_ADDRVEC_MAX];
};

/* New form (marker 1). A blank address is written with 28 zero bytes, as Ceph does. -SPACE. */
SIGNET_MUST SIGNET_API int signet_addr_encode(const struct signet_addr *addr, uint8_t *out,
                                              size_t cap, size_t *out_len);
/* New form or legacy form (marker 0; its type becomes LEGACY). *used is the length of what was
 * read; more bytes may follow. -SHORT, -LENGTH (a length larger than what follows, or wrong for
 * the family), -VERSION, -VALUE (unknown marker, type or family). */
SIGNET_MUST SIGNET_API int signet_addr_decode(struct signet_addr *out, const uint8_t *in,
                                              size_t in_len, size_t *used);
/* 136 bytes, the form of msgr1; the type is not in it. */
SIGNET_API void signet_addr_encode_legacy(const struct signet_addr *addr,
                                          uint8_t out[SIGNET_ADDR_LEGACY_LEN]);

/* A vector (marker 2). -COUNT if num is too large, -SPACE. */
SIGNET_MUST SIGNET_API int signet_addrvec_encode(const struct signet_addrvec *vec, uint8_t *out,
                                                 size_t cap, size_t *out_len);
/* A vector, or a single address of either form as a vector of one. Errors as above; -COUNT. */
SIGNET_MUST SIGNET_API int signet_addrvec_decode(struct signet_addrvec *out, const uint8_t *in,
                                                 size_t in_len, size_t *used);

/* All fields. */
SIGNET_API bool signet_addr_equal(const struct signet_addr *a, const struct signet_addr *b);
/* Family, ip, scope and port: where to connect to, whatever the type and nonce. */
SIGNET_API bool signet_addr_same_endpoint(const struct signet_addr *a, const struct signet_addr *b);
/* The tie-break order of two colliding connections: <0, 0, >0. Source: msgr2.md 11. */
SIGNET_API int signet_addr_compare(const struct signet_addr *a, const struct signet_addr *b);

/* "v2:127.0.0.1:3300/0", "v1:[::1]:6789/0", "-" for the blank address, into
 * SIGNET_ADDR_TEXT_MAX bytes. Returns out. */
SIGNET_API const char *signet_addr_print(const struct signet_addr *addr, char *out);
/* One address: [v1:|v2:|any:]IP[:PORT][/NONCE]; IPv6 in brackets (bare when there is neither port
 * nor prefix). Without prefix the type is ANY, without port the port is 0. -ADDR. */
SIGNET_MUST SIGNET_API int signet_addr_parse(struct signet_addr *out, const char *text);

/* Turns a host name into family and ip of *out; 0 or -SIGNET_E_x, which is passed on. */
typedef int (*signet_resolver)(void *arg, const char *host, struct signet_addr *out);

/*
 * A list as in ceph.conf's mon_host, separated by commas, semicolons or blanks. Each entry (one
 * monitor) is an address or a vector in brackets: "[v2:10.0.0.1:3300,v1:10.0.0.1:6789],10.0.0.2".
 * Port and type that are not given follow Ceph: a bare host means v2 at 3300 and v1 at 6789, a bare
 * HOST:6789 means v1, any other bare HOST:PORT v2, a prefix without port its usual port.
 * *num is the number of entries written to list. resolve: NULL if host names are not allowed.
 * -ADDR: the text is wrong (fail->offset is where); -COUNT: more than cap entries or than
 * SIGNET_ADDRVEC_MAX addresses in one; what resolve returned. On failure *num is 0; an empty
 * list is a failure.
 */
SIGNET_MUST SIGNET_API int signet_addr_list_parse(struct signet_addrvec *list, size_t cap,
                                                  size_t *num, const char *text,
                                                  signet_resolver resolve, void *resolve_arg,
                                                  struct signet_fail *fail);

#ifdef __cplusplus
}
#endif
#endif
