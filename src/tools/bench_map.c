/* SPDX-License-Identifier: MIT */
/* What the monitor is asked for: tickets, and the map of OSDs. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "bench.h"
#include "lite/osd_client.h"

struct asked {
    const char *pool;
    struct lite_osdmap *map;
};

static int subscribe(struct ping_session *s)
{
    uint8_t front[64];
    struct signet_message message = {
        .type = LITE_MSG_MON_SUBSCRIBE, .priority = 127, .version = 3, .compat_version = 1};
    message.front.p = front;
    int err = lite_osdmap_subscribe(true, front, sizeof(front), &message.front.len);
    return err ? err : signet_conn_send(s->conn, &message, NULL, 0, NULL);
}

static int read_map(const struct asked *asked, const struct signet_message *message,
                    struct signet_fail *fail)
{
    struct signet_span map;
    uint64_t offset = 0;
    int err = lite_osdmap_find(&map, NULL, message->front);
    if (err == 0)
        err = lite_osdmap_read(asked->map, asked->pool, map, &offset);
    if (err) {
        *fail = (struct signet_fail){.err = err, .offset = offset, .where = "OSDMap"};
        snprintf(fail->text, sizeof(fail->text), "the map does not decode at byte %" PRIu64 ": %s",
                 offset, signet_strerror(err));
    }
    return err;
}

static int fetch(struct ping *ping, struct signet_fail *fail)
{
    struct ping_session s;
    int err = ping_session_open(&s, ping, fail);
    if (err == 0)
        err = subscribe(&s);
    uint64_t deadline = signet_driver_now_ns() + ping->options.timeout_ns;
    while (err == 0) {
        err = ping_session_next(&s, deadline);
        if (err == 0 && s.event.kind == SIGNET_EVENT_MESSAGE &&
            s.event.message.type == LITE_MSG_OSD_MAP) {
            err = read_map(ping->user, &s.event.message, fail);
            break;
        }
    }
    ping_session_close(&s);
    return err;
}

static int failed(const struct ping *ping, int err, const struct signet_fail *fail)
{
    struct tool_problem problem = {0};
    ping_problem(ping, err, fail, &problem);
    return tool_fail("bench", ping->options.format, &problem);
}

/* What cannot be used, with the next step. */
static bool judge(const struct lite_osdmap *map, const char *pool, struct tool_problem *problem)
{
    if (map->pool.id < 0) {
        tool_what(problem, "there is no pool '%s' (the cluster has %s)", pool,
                  map->num_pools > 0 ? map->pools : "none");
        problem->next =
            "choose one of the cluster's with -p, or make it: 'ceph osd pool create NAME' "
            "(of signetd: start it anew with --pool NAME=ID for each)";
    } else if (map->pool.type != LITE_POOL_REPLICATED || map->pool.hash != LITE_HASH_RJENKINS) {
        tool_what(problem, "the pool '%s' is not a replicated pool with rjenkins names", pool);
        problem->next = "make one for the measurement: ceph osd pool create NAME";
    } else if (map->num_up != 1) {
        tool_what(problem, "the cluster has %" PRIu32 " OSDs that are up and in, not one",
                  map->num_up);
        problem->cause[0] = map->num_up ? "this command does not compute placements over several"
                                        : "no OSD has been started, or it is still booting";
        problem->next = map->num_up ? "measure against a cluster of one OSD, or use rados bench"
                                    : "look at 'ceph osd tree'";
    } else {
        return true;
    }
    return false;
}

int bench_map(struct ping *ping, const char *pool, struct lite_osdmap *map)
{
    struct asked asked = {pool, map};
    ping->user = &asked;
    ping->quiet = true;
    ping->peer_type = SIGNET_MON;
    int code = ping_mons(ping, fetch, failed);
    struct tool_problem problem = {0};
    if (code == TOOL_OK && !judge(map, pool, &problem))
        code = tool_fail("bench", ping->options.format, &problem);
    return code;
}
