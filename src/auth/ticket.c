/* SPDX-License-Identifier: MIT */
/* Whether an opened ticket is one that an honest issuer makes. Source: cephx.md 9.2 step 4. */
#include <signet/ticket.h>

#include <string.h>

#include "base/fail.h"

#define NSEC_PER_SEC UINT32_C(1000000000)
/* The session key is made together with the ticket: this much later at most. */
#define KEY_LAG_NS UINT64_C(300000000000)

static int bad(struct signet_fail *fail, enum signet_err err)
{
    return signet_fail_set(fail, -(int)err, "AuthTicket", 0, "%s", signet_strerror((int)err));
}

static bool is_time(struct signet_utime t)
{
    return t.nsec < NSEC_PER_SEC;
}

/* a - b, or 0. */
static uint64_t minus(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

static int check_identity(const struct signet_service_ticket_info *info,
                          const struct signet_ticket_limits *limits, struct signet_fail *fail)
{
    const struct signet_auth_ticket *ticket = &info->ticket;
    if (ticket->caps.allow_all != 0) {
        return bad(fail, SIGNET_E_TICKET_ALLOW_ALL);
    }
    if (ticket->auid != UINT64_MAX) {
        return bad(fail, SIGNET_E_TICKET_AUID);
    }
    if (ticket->global_id == 0) {
        return bad(fail, SIGNET_E_GLOBAL_ID_ZERO);
    }
    if (ticket->caps.text.len > 0 &&
        memchr(ticket->caps.text.p, 0, ticket->caps.text.len) != NULL) {
        return bad(fail, SIGNET_E_TICKET_CAPS);
    }
    if (info->session_key.type != SIGNET_KEY_AES256K && !limits->allow_weak) {
        return bad(fail, SIGNET_E_TICKET_KEY_TYPE);
    }
    return 0;
}

static int check_times(const struct signet_service_ticket_info *info,
                       const struct signet_ticket_limits *limits, struct signet_fail *fail)
{
    const struct signet_auth_ticket *ticket = &info->ticket;
    if (!is_time(ticket->created) || !is_time(ticket->expires) ||
        !is_time(info->session_key.created)) {
        return bad(fail, SIGNET_E_TICKET_TIME);
    }
    uint64_t created = signet_utime_ns(ticket->created);
    uint64_t expires = signet_utime_ns(ticket->expires);
    uint64_t key_created = signet_utime_ns(info->session_key.created);
    if (minus(created, limits->skew_ns) > limits->now_ns) {
        return bad(fail, SIGNET_E_TICKET_FUTURE);
    }
    if (expires <= minus(limits->now_ns, limits->skew_ns)) {
        return bad(fail, SIGNET_E_TICKET_EXPIRED);
    }
    if (expires <= created || expires - created > limits->span_ns) {
        return bad(fail, SIGNET_E_TICKET_LIFETIME);
    }
    if (key_created < created || key_created > expires || key_created - created > KEY_LAG_NS) {
        return bad(fail, SIGNET_E_TICKET_KEY_TIME);
    }
    return 0;
}

int signet_ticket_check(const struct signet_service_ticket_info *info,
                        const struct signet_ticket_limits *limits, struct signet_fail *fail)
{
    int err = check_identity(info, limits, fail);
    return err != 0 ? err : check_times(info, limits, fail);
}
