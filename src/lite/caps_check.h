/* SPDX-License-Identifier: MIT */
/*
 * Whether a text is a capability that the monitor, OSD, manager or metadata server of Ceph would
 * understand, so that a slip of the pen is refused when it is made and not at the next login.
 * Grammar: what "ceph auth" of Ceph 16 and 20 took and refused.
 */
#ifndef SIGNET_LITE_CAPS_CHECK_H
#define SIGNET_LITE_CAPS_CHECK_H

#include <stddef.h>

#include <signet/visibility.h>

/* 0; -NOT_FOUND: no such service (mon, osd, mgr, mds); -CAPS: *stop is the offset of the first byte
 * that makes no sense, which may be the length of the text. */
SIGNET_MUST int signet_caps_check(const char *service, const char *text, size_t *stop);

#endif
