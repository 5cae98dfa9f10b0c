/* SPDX-License-Identifier: MIT */
/* Small structures that several maps and messages share. */
#ifndef SIGNET_LITE_WRITE_H
#define SIGNET_LITE_WRITE_H

#include <signet/addr.h>
#include <signet/utime.h>

#include "base/cursor.h"

void signet_lite_utime(struct signet_writer *w, struct signet_utime t);
/* entity_addrvec_t of one address, new form. */
void signet_lite_addrvec(struct signet_writer *w, const struct signet_addr *addr);

#endif
