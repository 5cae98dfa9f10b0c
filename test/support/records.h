/* SPDX-License-Identifier: MIT */
/* Logs of sealed records for tests. */
#ifndef SIGNET_TEST_RECORDS_H
#define SIGNET_TEST_RECORDS_H

#include <signet/record.h>

extern const uint8_t records_key[SIGNET_RECORD_KEY_LEN];

struct signet_record_sealer *records_sealer(enum signet_record_kind kind, uint64_t first);
struct signet_record_reader *records_reader(enum signet_record_kind kind, uint64_t first);
/* Appends a record of len bytes, each (uint8_t)(number + 3 * its place); returns its length. */
size_t records_add(struct signet_record_sealer *sealer, uint8_t *at, size_t cap, size_t len);
/* Whether a view holds what records_add() put in. */
int records_right(const struct signet_record_view *view, size_t len);

#endif
