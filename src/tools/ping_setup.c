/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <signet/driver.h>
#include <signet/keyring.h>

#include "conf.h"
#include "ping.h"

#define EXPORT_IT                                                                                  \
    "name the keyring with -k, or export it: ceph auth get NAME -o FILE (signetd wrote "           \
    "client.admin's to the file keyring of its --state directory at its first start)"

static int refuse(const struct ping *ping, const struct tool_problem *problem)
{
    return tool_fail(ping->options.command, ping->options.format, problem);
}

static int bad_addr(const struct ping *ping, int err, const char *text,
                    const struct signet_fail *fail)
{
    struct tool_problem problem = {.err = err};
    if (err == -SIGNET_E_RESOLVE) {
        problem.cause[0] = "the name is misspelled, or the name server does not answer";
        problem.next = "try 'getent hosts NAME', or give an IP address";
    } else {
        problem.next = "write v2:HOST:PORT, [v2:HOST:PORT,v1:HOST:PORT] or HOST";
    }
    tool_what(&problem, "cannot use the address %s: %s", text,
              fail->text[0] ? fail->text : signet_strerror(err));
    return refuse(ping, &problem);
}

static int parse_mons(struct ping *ping, const char *text)
{
    struct signet_fail fail = {0};
    int err = signet_addr_list_parse(ping->mon, PING_ADDRS_MAX, &ping->num_mon, text,
                                     signet_driver_resolve, NULL, &fail);
    return err ? bad_addr(ping, err, text, &fail) : TOOL_OK;
}

static int parse_osd(struct ping *ping, const char *text)
{
    struct signet_fail fail = {0};
    struct signet_addrvec list[1];
    size_t num;
    int err = signet_addr_list_parse(list, 1, &num, text, signet_driver_resolve, NULL, &fail);
    if (err == 0 && num == 1)
        for (uint32_t i = 0; i < list[0].num; i++)
            if (list[0].addr[i].type != SIGNET_ADDR_LEGACY) {
                ping->osd = list[0].addr[i];
                return TOOL_OK;
            }
    return bad_addr(ping, err ? err : -SIGNET_E_ADDR, text, &fail);
}

/* mon_host and, when none was given, keyring. */
static int read_conf(struct ping *ping)
{
    char why[200] = "";
    struct tool_conf *conf = tool_conf_load(ping->options.conf, why);
    if (!conf) {
        struct tool_problem problem = {
            .err = -SIGNET_E_FILE,
            .next = "is the path right? Or give monitors with -m and the keyring with -k"};
        tool_what(&problem, "cannot use the configuration: %s", why);
        return refuse(ping, &problem);
    }
    char *mons =
        ping->options.mon_text ? NULL : tool_conf_get(conf, ping->options.name_text, "mon_host");
    ping->keyring_path = tool_conf_get(conf, ping->options.name_text, "keyring");
    tool_conf_free(conf);
    int code = TOOL_OK;
    if (mons) {
        code = parse_mons(ping, mons);
    } else if (!ping->options.mon_text) {
        struct tool_problem problem = {.err = -SIGNET_E_NOT_FOUND,
                                       .next = "give monitors with -m, or add 'mon host = ...'"};
        tool_what(&problem, "%s has no mon_host", ping->options.conf);
        code = refuse(ping, &problem);
    }
    free(mons);
    return code;
}

/* The first file of a list that can be read, malloc'd; the list stays when none can. */
static char *pick_keyring(char *list)
{
    char *copy = strdup(list), *found = NULL, *state;
    for (char *p = copy ? strtok_r(copy, ", ;", &state) : NULL; p && !found;
         p = strtok_r(NULL, ", ;", &state))
        if (access(p, R_OK) == 0)
            found = strdup(p);
    free(copy);
    if (!found)
        return list;
    free(list);
    return found;
}

static void choose_keyring(struct ping *ping)
{
    char usual[2 * SIGNET_NAME_TEXT_MAX];
    if (ping->options.keyring) {
        free(ping->keyring_path);
        ping->keyring_path = strdup(ping->options.keyring);
        return;
    }
    if (!ping->keyring_path) {
        snprintf(usual, sizeof(usual),
                 "/etc/ceph/ceph.%s.keyring,/etc/ceph/ceph.keyring,/etc/ceph/keyring,"
                 "/etc/ceph/keyring.bin",
                 ping->options.name_text);
        ping->keyring_path = strdup(usual);
    }
    if (ping->keyring_path)
        ping->keyring_path = pick_keyring(ping->keyring_path);
}

/* None of several files is there. */
static int no_keyring(const struct ping *ping)
{
    struct tool_problem problem = {.err = -SIGNET_E_FILE, .next = EXPORT_IT};
    char tried[500] = "", *copy = strdup(ping->keyring_path), *state;
    size_t len = 0;
    for (char *p = copy ? strtok_r(copy, ", ;", &state) : NULL; p && len < sizeof(tried);
         p = strtok_r(NULL, ", ;", &state)) {
        errno = 0;
        bool denied = access(p, R_OK) != 0 && errno != ENOENT;
        len +=
            (size_t)snprintf(tried + len, sizeof(tried) - len, "%s%s%s%s%s", len ? ", " : "", p,
                             denied ? " (" : "", denied ? strerror(errno) : "", denied ? ")" : "");
    }
    free(copy);
    tool_what(&problem, "no keyring found; tried %s", tried);
    return refuse(ping, &problem);
}

static int bad_keyring(const struct ping *ping, int err, const struct signet_fail *fail)
{
    struct tool_problem problem = {.err = err};
    char place[TOOL_PLACE_MAX] = "";
    if (err == -SIGNET_E_FILE) {
        problem.cause[0] = "the file does not exist, or this user may not read it";
        problem.next = EXPORT_IT;
    } else {
        problem.cause[0] = "the file is damaged, or is no keyring";
        problem.next = "look at it with 'signet authtool -l FILE'";
        tool_keyring_place(place, fail);
    }
    tool_what(&problem, "cannot use the keyring %s: %s%s", ping->keyring_path, place,
              fail->text[0] ? fail->text : signet_strerror(err));
    return refuse(ping, &problem);
}

static int bad_key(const struct ping *ping, int err)
{
    struct tool_problem problem = {.err = err};
    bool missing = err == -SIGNET_E_NOT_FOUND;
    problem.cause[0] = missing ? "the keyring is that of another entity"
                               : "the entry has no key, or one of a type that cannot be used";
    problem.next = "list its entities with 'signet authtool -l FILE', and choose one with -n";
    tool_what(&problem,
              missing ? "there is no %s in the keyring %s%s"
                      : "the key of %s in %s cannot be used: %s",
              ping->options.name_text, ping->keyring_path, missing ? "" : signet_strerror(err));
    return refuse(ping, &problem);
}

static int load_key(struct ping *ping)
{
    struct signet_keyring *keyring;
    struct signet_fail fail = {0};
    choose_keyring(ping);
    if (!ping->options.keyring && ping->keyring_path && strpbrk(ping->keyring_path, ", ;"))
        return no_keyring(ping);
    int err = ping->keyring_path ? signet_keyring_load(&keyring, ping->keyring_path, &fail)
                                 : -SIGNET_E_NOMEM;
    if (err)
        return bad_keyring(ping, err, &fail);
    err = signet_keyring_key(keyring, &ping->options.name, NULL, &ping->key);
    signet_keyring_free(keyring);
    return err ? bad_key(ping, err) : TOOL_OK;
}

static int make_client(struct ping *ping)
{
    struct signet_client_options options = {.name = ping->options.name,
                                            .key = ping->key,
                                            .method = ping->options.auth,
                                            .want = SIGNET_MON | SIGNET_OSD | SIGNET_MGR,
                                            .env = signet_env_system()};
    int err = signet_client_new(&ping->client, &options);
    if (err == 0)
        return TOOL_OK;
    struct tool_problem problem = {.err = err};
    tool_what(&problem, "cannot begin a login: %s", signet_strerror(err));
    return refuse(ping, &problem);
}

int ping_setup(struct ping *ping)
{
    int code = TOOL_OK;
    if (ping->options.conf)
        code = read_conf(ping);
    if (code == TOOL_OK && ping->options.mon_text)
        code = parse_mons(ping, ping->options.mon_text);
    if (code == TOOL_OK && ping->options.osd_text)
        code = parse_osd(ping, ping->options.osd_text);
    if (code == TOOL_OK && ping->options.auth != SIGNET_AUTH_NONE)
        code = load_key(ping);
    return code == TOOL_OK ? make_client(ping) : code;
}

void ping_clear(struct ping *ping)
{
    signet_client_free(ping->client);
    signet_key_unref(ping->key);
    free(ping->keyring_path);
    json_decref(ping->document);
}
