/* SPDX-License-Identifier: MIT */
#include "lite/mon_show.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

const char *mon_fsid_text(const struct signet_mon *mon, char out[MON_FSID_TEXT])
{
    static const char digits[] = "0123456789abcdef";
    char *p = out;
    for (size_t i = 0; i < sizeof(mon->cluster->fsid); i++) {
        if (i == 4 || i == 6 || i == 8 || i == 10) {
            *p++ = '-';
        }
        *p++ = digits[mon->cluster->fsid[i] >> 4];
        *p++ = digits[mon->cluster->fsid[i] & 15];
    }
    *p = 0;
    return out;
}

int mon_show_json(struct mon_run *run, json_t *json)
{
    bool pretty = run->pretty || (run->tell && !run->json);
    lite_text_json(&run->out, json, pretty ? JSON_INDENT(4) : JSON_COMPACT);
    lite_text_add(&run->out, "\n", pretty ? 1 : 0);
    return 0;
}

const char *mon_time_text(struct signet_utime t, const char *zone, char out[MON_TIME_TEXT])
{
    time_t sec = (time_t)t.sec;
    struct tm tm;
    gmtime_r(&sec, &tm);
    size_t len = strftime(out, MON_TIME_TEXT, "%Y-%m-%dT%H:%M:%S", &tm);
    snprintf(out + len, MON_TIME_TEXT - len, ".%06" PRIu32 "%s", t.nsec / 1000, zone);
    return out;
}

const char *mon_bare_addr(const struct signet_addr *addr, char text[SIGNET_ADDR_TEXT_MAX])
{
    signet_addr_print(addr, text);
    char *colon = strchr(text, ':');
    return colon != NULL ? colon + 1 : text;
}

json_t *mon_addrvec_json(const struct signet_addr *addr)
{
    char text[SIGNET_ADDR_TEXT_MAX];
    const char *bare = mon_bare_addr(addr, text);
    return json_pack("{s:[{s:s, s:s%, s:I}]}", "addrvec", "type", "v2", "addr", bare,
                     strcspn(bare, "/"), "nonce", (json_int_t)addr->nonce);
}
