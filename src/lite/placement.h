/* SPDX-License-Identifier: MIT */
/*
 * Where an object belongs: the hash of its name and the placement group. Both sides compute it;
 * the hash also orders listings. Pure functions.
 */
#ifndef SIGNET_LITE_PLACEMENT_H
#define SIGNET_LITE_PLACEMENT_H

#include <stddef.h>
#include <stdint.h>

#include <signet/span.h>

enum { LITE_NAME_MAX = 2048, LITE_NS_MAX = 256 }; /* bytes of an object name, of a namespace */

/* The hash that pools call rjenkins: Bob Jenkins's function of 1996 (lookup2), initval 0. */
uint32_t lite_hash(const void *p, size_t len);
/* That of an object: of its key, or of its name if it has none; with the namespace and a unit
 * separator in front unless that is the default one. Lengths within the limits above. */
uint32_t lite_object_hash(struct signet_span ns, struct signet_span key, struct signet_span name);
/* Number of the placement group of `num` (not 0) that a hash falls into: reduced so that few
 * objects move when num grows. */
uint32_t lite_pg(uint32_t hash, uint32_t num);
/* Bit 0 becomes bit 31: listings are in the order of this. */
uint32_t lite_reverse(uint32_t hash);

#endif
