/* SPDX-License-Identifier: MIT */
/* What a view of text says. For names and words, not for secrets: it takes as long as they agree.
 */
#ifndef SIGNET_BASE_SPAN_H
#define SIGNET_BASE_SPAN_H

#include <stdbool.h>
#include <string.h>

#include <signet/span.h>

static inline bool signet_span_is(struct signet_span text, const char *word)
{
    return text.len == strlen(word) && (text.len == 0 || memcmp(text.p, word, text.len) == 0);
}

#endif
