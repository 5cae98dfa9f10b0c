/* SPDX-License-Identifier: MIT */
/* signet ping: logs in at a monitor, and at an OSD, step by step. */
#include <signet/signet.h>

#include "commands.h"
#include "ping.h"

static int said(const struct ping *ping, const struct tool_problem *problem)
{
    if (ping->options.format != TOOL_JSON)
        return tool_fail("ping", TOOL_TEXT, problem);
    json_object_set_new(ping->document, "error", tool_problem_json(problem));
    return TOOL_FAILURE;
}

static int failed(const struct ping *ping, int err, const struct signet_fail *fail)
{
    struct tool_problem problem = {0};
    ping_problem(ping, err, fail, &problem);
    return said(ping, &problem);
}

/* The address of a monitor that can be used: the first that is not the old messenger's. */
static bool pick_addr(const struct signet_addrvec *vec, struct signet_addr *out)
{
    for (uint32_t i = 0; i < vec->num; i++) {
        *out = vec->addr[i];
        if (out->type != SIGNET_ADDR_LEGACY)
            return true;
    }
    return false;
}

/* Whether another monitor may do better. */
static bool is_local(const struct ping *ping, int err)
{
    return ping->stage < STAGE_LOGIN ||
           ((err == -SIGNET_E_PEER_CLOSED || err == -SIGNET_E_HANDSHAKE_TIMEOUT) &&
            ping->refused.method == 0);
}

int ping_mons(struct ping *ping, int (*visit)(struct ping *ping, struct signet_fail *fail),
              int (*say_why)(const struct ping *ping, int err, const struct signet_fail *fail))
{
    struct signet_fail fail = {0};
    int code = TOOL_FAILURE;
    ping->peer_type = SIGNET_MON;
    for (size_t i = 0; i < ping->num_mon; i++) {
        int err = -SIGNET_E_MSGR1_PEER;
        ping->stage = STAGE_CONNECT;
        if (pick_addr(&ping->mon[i], &ping->peer))
            err = visit(ping, &fail);
        else
            signet_addr_print(&ping->mon[i].addr[0], ping->peer_text);
        if (err == 0)
            return TOOL_OK;
        code = say_why(ping, err, &fail);
        if (!is_local(ping, err))
            break;
    }
    return code;
}

static int ping_osd(struct ping *ping)
{
    struct signet_fail fail = {0};
    ping->peer_type = SIGNET_OSD;
    ping->peer = ping->osd;
    int err = ping_connection(ping, &fail);
    return err ? failed(ping, err, &fail) : TOOL_OK;
}

static void warn_of_clock(const struct ping *ping)
{
    struct tool_problem problem = {0};
    if (!ping_clock_problem(ping, &problem))
        return;
    if (ping->options.format == TOOL_JSON)
        json_array_append_new(json_object_get(ping->document, "warnings"),
                              tool_problem_json(&problem));
    else
        tool_fail("ping", TOOL_TEXT, &problem);
}

static int run(struct ping *ping)
{
    ping_print_start(ping);
    int code = ping_mons(ping, ping_connection, failed);
    warn_of_clock(ping);
    if (code == TOOL_OK && ping->options.osd_text)
        code = ping_osd(ping);
    if (ping->options.format != TOOL_JSON)
        return code;
    if (code == TOOL_OK)
        json_object_del(ping->document, "error");
    json_object_set_new(ping->document, "ok", json_boolean(code == TOOL_OK));
    tool_json_print(json_incref(ping->document));
    return code;
}

int signet_cmd_ping(int argc, char **argv)
{
    struct ping ping = {0};
    int code = TOOL_FAILURE;
    if (!ping_parse(argc, argv, &ping.options, &code))
        return code;
    code = tool_start("ping", ping.options.handler, ping.options.format);
    if (code != TOOL_OK)
        return code;
    code = ping_setup(&ping);
    if (code == TOOL_OK)
        code = run(&ping);
    ping_clear(&ping);
    signet_shutdown();
    return code;
}
