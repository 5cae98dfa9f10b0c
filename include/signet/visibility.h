/* SPDX-License-Identifier: MIT */
/* Attributes shared by all public headers. */
#ifndef SIGNET_VISIBILITY_H
#define SIGNET_VISIBILITY_H

#if defined(__GNUC__)
#define SIGNET_API          __attribute__((visibility("default")))
#define SIGNET_MUST         __attribute__((warn_unused_result))
#define SIGNET_PRINTF(f, a) __attribute__((format(printf, f, a)))
#else
#define SIGNET_API
#define SIGNET_MUST
#define SIGNET_PRINTF(f, a)
#endif

#endif
