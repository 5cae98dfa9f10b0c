/* SPDX-License-Identifier: MIT */
/* Entity names (client.admin, osd.3) and service ids. Format: encoding.md 3.1. */
#ifndef SIGNET_NAME_H
#define SIGNET_NAME_H

#include <stddef.h>
#include <stdint.h>

#include <signet/error.h>
#include <signet/visibility.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Entity types; the same values are service ids and the bits of service masks. */
enum signet_service {
    SIGNET_MON = 0x01,
    SIGNET_MDS = 0x02,
    SIGNET_OSD = 0x04,
    SIGNET_CLIENT = 0x08,
    SIGNET_MGR = 0x10,
    SIGNET_AUTH = 0x20,
};

enum { SIGNET_NAME_ID_MAX = 255, SIGNET_NAME_TEXT_MAX = 264 };

/* A name by value; no padding byte or byte behind the id matters. */
struct signet_name {
    uint32_t type;                   /* enum signet_service */
    uint32_t id_len;                 /* bytes, 0..SIGNET_NAME_ID_MAX; "mon." has 0 */
    char id[SIGNET_NAME_ID_MAX + 1]; /* NUL behind id_len bytes; may hold any byte */
};

/* From "<type>.<id>", split at the first dot, types in lower case. -SIGNET_E_NAME. */
SIGNET_MUST SIGNET_API int signet_name_parse(struct signet_name *out, const char *text);
/* Into SIGNET_NAME_TEXT_MAX bytes; always ends with NUL; returns out. */
SIGNET_API const char *signet_name_print(const struct signet_name *name, char *out);
/* By type, then by id bytes: <0, 0, >0. */
SIGNET_API int signet_name_compare(const struct signet_name *a, const struct signet_name *b);
/* "mon", "osd", ...; NULL for a value that is no type. */
SIGNET_API const char *signet_service_name(uint32_t service);

#ifdef __cplusplus
}
#endif
#endif
