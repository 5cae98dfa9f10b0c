/* SPDX-License-Identifier: MIT */
#ifndef SIGNET_LITE_POOL_H
#define SIGNET_LITE_POOL_H

#include "lite/maps.h"

/* pg_pool_t v29 of a replicated pool of size 1. Source: monlite.md 5.1. */
void signet_lite_pool(struct signet_writer *w, const struct signet_lite_cluster *cluster,
                      const struct signet_lite_pool *pool);

#endif
