/* SPDX-License-Identifier: MIT */
/* What keeps a load going, on the main thread: it dials again what was lost, one connection at a
 * time since they share the client; takes over newer maps; has tickets renewed. */
#include <stdarg.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "bench_load.h"

#define PAUSE_MIN_NS UINT64_C(50000000)
#define PAUSE_MAX_NS UINT64_C(2000000000)
#define SECOND_NS    1e9

void bench_say(struct bench_load *load, const char *format, ...)
{
    char text[400];
    va_list args;
    if (load->options->login.format == TOOL_JSON)
        return;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    double s = (double)(signet_driver_now_ns() - load->begun_ns) / SECOND_NS;
    fprintf(stderr, "signet bench: %.3f s: ", s);
    tool_put_text(stderr, text, strlen(text));
    fputc('\n', stderr);
}

static const char *text_of(const struct signet_fail *fail)
{
    return fail->text[0] ? fail->text : signet_strerror(fail->err);
}

/* --- maps ------------------------------------------------------------------------------------- */

static bool msgr2_of(const struct lite_osdmap *map, struct signet_addr *out)
{
    for (uint32_t i = 0; i < map->addrs.num; i++)
        if (map->addrs.addr[i].type == SIGNET_ADDR_MSGR2) {
            *out = map->addrs.addr[i];
            return true;
        }
    return false;
}

void bench_place_set(struct bench_load *load, const struct lite_osdmap *map)
{
    struct bench_place place = {.pool = (uint64_t)map->pool.id,
                                .mark = map->mark,
                                .pg_num = map->pool.pg_num,
                                .epoch = map->epoch,
                                .pause_read = (map->flags & LITE_OSDMAP_PAUSE_READ) != 0,
                                .pause_write = (map->flags & LITE_OSDMAP_PAUSE_WRITE) != 0};
    load->map = *map;
    if (!msgr2_of(map, &place.osd))
        place.osd = load->place.osd; /* it is down: where it was, until the map knows better */
    load->ping->peer = place.osd;
    signet_addr_print(&place.osd, load->ping->peer_text);
    pthread_mutex_lock(&load->lock);
    load->place = place;
    pthread_mutex_unlock(&load->lock);
}

static bool usable(struct bench_load *load, const struct lite_osdmap *map)
{
    struct bench_why why = {.kind = load->job ? load->job->kind : BENCH_WRITE};
    if (memcmp(map->fsid, load->map.fsid, sizeof(map->fsid)) != 0)
        why.reason = BENCH_OTHER_CLUSTER;
    else if (map->pool.id != load->map.pool.id)
        why.reason = BENCH_NO_POOL;
    else if (map->num_up > 1)
        why.reason = BENCH_MORE_OSDS;
    if (why.reason) {
        why.err = -SIGNET_E_STATE;
        bench_fail(load, &why);
    }
    return !why.reason;
}

/* The OSD is elsewhere: there is no need to wait. */
static void dial_now(struct bench_load *load)
{
    for (uint64_t i = 0; i < load->num_conns; i++) {
        load->conn[i].link.retry_ns = 0;
        load->conn[i].link.pause_ns = PAUSE_MIN_NS;
    }
}

static void take_map(struct bench_load *load)
{
    pthread_mutex_lock(&load->lock);
    bool fresh = load->mon.fresh;
    struct lite_osdmap map = load->mon.map;
    load->mon.fresh = false;
    pthread_mutex_unlock(&load->lock);
    const struct lite_osdmap *old = &load->map;
    if (!fresh || map.epoch < old->epoch || (map.epoch == old->epoch && map.mark == old->mark) ||
        !usable(load, &map))
        return;
    if (map.mark != old->mark || map.flags != old->flags)
        bench_say(load, "map %" PRIu32 " follows %" PRIu32 ": %s", map.epoch, old->epoch,
                  map.num_up == 0           ? "no OSD is up"
                  : map.flags != old->flags ? "flags have changed"
                  : old->num_up == 0        ? "the OSD is up"
                                            : "the pool or the OSD has changed");
    atomic_fetch_add(&load->maps, 1);
    struct signet_addr before = load->place.osd;
    bench_place_set(load, &map);
    if (!signet_addr_equal(&before, &load->place.osd))
        dial_now(load);
    int err = 0;
    for (uint64_t i = 0; i < load->num_conns && err == 0; i++)
        err = signet_messenger_post(load->messenger,
                                    (unsigned)(load->conn[i].index % load->options->threads),
                                    bench_move, &load->conn[i]);
    if (err)
        bench_fail(load, &(struct bench_why){.err = err});
}

/* --- links ------------------------------------------------------------------------------------ */

static struct bench_link look(struct bench_load *load, const struct bench_link *link)
{
    pthread_mutex_lock(&load->lock);
    struct bench_link now = *link;
    pthread_mutex_unlock(&load->lock);
    return now;
}

static void pause_longer(struct bench_link *link, uint64_t now_ns)
{
    link->retry_ns = now_ns + link->pause_ns;
    link->pause_ns = 2 * link->pause_ns < PAUSE_MAX_NS ? 2 * link->pause_ns : PAUSE_MAX_NS;
}

/* One that comes up and goes down at once, again and again, counts as lost all the time. */
static void lost(struct bench_load *load, struct bench_link *link, uint64_t now_ns)
{
    if (link->lost_ns == 0 || now_ns - link->up_ns >= PAUSE_MAX_NS) {
        link->lost_ns = link->retry_ns = now_ns;
        link->pause_ns = PAUSE_MIN_NS;
    } else {
        pause_longer(link, now_ns);
    }
    if (link == &load->mon.link) {
        bench_say(load, "the monitor is gone: %s", text_of(&link->why));
    } else if (load->num_down++ == 0) {
        load->down_ns = now_ns;
        bench_say(load, "lost the connection to osd %s: %s; connecting again",
                  load->ping->peer_text, text_of(&link->why));
    }
}

static void back(struct bench_load *load, struct bench_link *link, uint64_t now_ns)
{
    if (link->seen_ups == 0) /* for the first time */
        return;
    if (link == &load->mon.link)
        bench_say(load, "a monitor is there again");
    else if (--load->num_down == 0)
        bench_say(load, "connected to osd %s again after %.3f s", load->ping->peer_text,
                  (double)(now_ns - load->down_ns) / SECOND_NS);
}

/* The next try, and what it needs: tickets that were refused are no good any more. */
static void failed(struct bench_load *load, struct bench_link *link, uint64_t now_ns)
{
    pause_longer(link, now_ns);
    if (link->why.err != -SIGNET_E_AUTH_DENIED)
        return;
    if (link == &load->mon.link)
        signet_client_reset(load->ping->client);
    else
        signet_client_invalidate(load->ping->client, SIGNET_OSD);
}

/* It may have come up and gone down since the last look. */
static void watch(struct bench_load *load, struct bench_link *link, uint64_t now_ns)
{
    struct bench_link now = look(load, link);
    if (now.state == link->seen && now.ups == link->seen_ups)
        return;
    if (now.ups != link->seen_ups) {
        atomic_fetch_add(&load->reconnects, now.ups - link->seen_ups - (link->seen_ups == 0));
        back(load, link, now_ns);
        link->seen = LINK_UP;
        link->seen_ups = now.ups;
        link->up_ns = now_ns;
    }
    if (now.state == LINK_DOWN && link->seen == LINK_UP)
        lost(load, link, now_ns);
    else if (now.state == LINK_DOWN && link->seen == LINK_DIALLING)
        failed(load, link, now_ns);
    link->seen = now.state;
}

static bool is_due(const struct bench_link *link, uint64_t now_ns)
{
    return link->seen == LINK_DOWN && link->retry_ns <= now_ns;
}

static bool is_dialling(const struct bench_load *load)
{
    bool dialling = load->mon.link.seen == LINK_DIALLING;
    for (uint64_t i = 0; i < load->num_conns && !dialling; i++)
        dialling = load->conn[i].link.seen == LINK_DIALLING;
    return dialling;
}

/* True: the connection has the client. */
static bool dial_next(struct bench_load *load, uint64_t now_ns)
{
    struct bench_link *link = NULL;
    uint64_t chosen = 0;
    if (is_due(&load->mon.link, now_ns))
        link = &load->mon.link;
    for (uint64_t i = 0; i < load->num_conns && !link; i++)
        if (is_due(&load->conn[i].link, now_ns)) {
            link = &load->conn[i].link;
            chosen = i;
        }
    if (!link)
        return false;
    link->seen = LINK_DIALLING;
    int err =
        link == &load->mon.link ? bench_mon_dial(load) : bench_dial(load, &load->conn[chosen]);
    return err == 0;
}

/* One that is not back in time. */
static void give_up(struct bench_load *load, uint64_t now_ns)
{
    for (uint64_t i = 0; i < load->num_conns; i++) {
        const struct bench_link *link = &load->conn[i].link;
        if (link->seen == LINK_UP || now_ns - link->lost_ns < load->options->login.timeout_ns)
            continue;
        struct bench_why why = {.reason = BENCH_LOST};
        bench_stuck(load, &why);
        bench_fail(load, &why);
        return;
    }
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t next_time(const struct bench_load *load, bool busy, uint64_t now_ns)
{
    uint64_t at = UINT64_MAX;
    if (load->mon.link.seen == LINK_DOWN && !busy)
        at = load->mon.link.retry_ns;
    for (uint64_t i = 0; i < load->num_conns; i++) {
        const struct bench_link *link = &load->conn[i].link;
        if (link->seen != LINK_UP)
            at = earlier(at, link->lost_ns + load->options->login.timeout_ns);
        if (link->seen == LINK_DOWN && !busy)
            at = earlier(at, link->retry_ns);
    }
    if (load->mon.link.seen == LINK_UP && !busy) {
        uint64_t due_ns = signet_client_deadline_ns(load->ping->client);
        at = earlier(at, due_ns > now_ns ? due_ns : now_ns + PAUSE_MAX_NS);
    }
    return at;
}

void bench_watch(struct bench_load *load, uint64_t now_ns)
{
    watch(load, &load->mon.link, now_ns);
    for (uint64_t i = 0; i < load->num_conns; i++)
        watch(load, &load->conn[i].link, now_ns);
}

uint64_t bench_keep(struct bench_load *load, uint64_t now_ns)
{
    bench_watch(load, now_ns);
    take_map(load);
    bench_mon_ask(load);
    give_up(load, now_ns);
    /* the client is one dial's or one renewal's at a time */
    bool busy = is_dialling(load) || bench_mon_renew(load) || dial_next(load, now_ns);
    return next_time(load, busy, now_ns);
}

/* --- why nothing moves ------------------------------------------------------------------------ */

/* Down, or up for a moment only, after it was lost. */
static bool is_lost(const struct bench_link *link)
{
    return link->seen != LINK_UP ||
           (link->lost_ns > 0 && signet_driver_now_ns() - link->up_ns < PAUSE_MAX_NS);
}

void bench_stuck(struct bench_load *load, struct bench_why *why)
{
    why->err = -SIGNET_E_TIMEOUT;
    for (uint64_t i = 0; i < load->num_conns; i++)
        if (is_lost(&load->conn[i].link)) {
            why->reason = load->map.num_up == 0 ? BENCH_NO_OSD : BENCH_LOST;
            why->fail = look(load, &load->conn[i].link).why;
            return;
        }
    bool read = load->job && bench_is_read(load->job->kind);
    if (read ? load->place.pause_read : load->place.pause_write)
        why->reason = BENCH_PAUSED;
    else if (atomic_load(&load->blocked))
        why->reason = BENCH_BLOCKED;
}
