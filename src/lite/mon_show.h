/* SPDX-License-Identifier: MIT */
/* What the commands that show the cluster share. */
#ifndef SIGNET_LITE_MON_SHOW_H
#define SIGNET_LITE_MON_SHOW_H

#include "lite/mon_internal.h"

#define MON_RELEASE_NAME "pacific" /* whose maps ours are */

/* As clients read the flags of our map. */
#define MON_OSD_FLAGS     "sortbitwise,recovery_deletes,purged_snapdirs,pglog_hardlimit"
#define MON_OSD_FLAGS_NUM 0x588000

enum { MON_FSID_TEXT = 37, MON_TIME_TEXT = 40 };

const char *mon_fsid_text(const struct signet_mon *mon, char out[MON_FSID_TEXT]);
/* Takes the reference. The form that run asks for; `ceph tell` gets the pretty one by default. */
int mon_show_json(struct mon_run *run, json_t *json);
/* "2026-11-30T20:31:19.060876" and the zone. */
const char *mon_time_text(struct signet_utime time, const char *zone, char out[MON_TIME_TEXT]);
/* HOST:PORT/NONCE without its type. */
const char *mon_bare_addr(const struct signet_addr *addr, char text[SIGNET_ADDR_TEXT_MAX]);
/* {"addrvec": [{"type": "v2", "addr": "HOST:PORT", "nonce": NONCE}]} */
json_t *mon_addrvec_json(const struct signet_addr *addr);

json_t *mon_monmap_json(const struct signet_mon *mon);
json_t *mon_osdmap_json(const struct signet_mon *mon);
json_t *mon_osd_stat_json(const struct signet_mon *mon);

#endif
