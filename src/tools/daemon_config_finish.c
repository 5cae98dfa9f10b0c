/* SPDX-License-Identifier: MIT */
/* What depends on several options, the difference of two configurations, --help. */
#include "daemon_config.h"

#include <stdio.h>
#include <string.h>

#include <signet/client.h>
#include <signet/keyserver.h>

static void join(char *out, size_t cap, const char *dir, const char *name)
{
    size_t len = strlen(dir), more = strlen(name);
    if (*out == 0 && len + 1 + more < cap) {
        memcpy(out, dir, len);
        out[len] = '/';
        memcpy(out + len + 1, name, more + 1);
    }
}

/* The strongest that is allowed, or what was asked for if that is allowed. */
static bool choose(enum signet_key_type *type, uint32_t allowed)
{
    if (*type == SIGNET_KEY_NONE) {
        *type = (allowed & SIGNET_CIPHER(SIGNET_KEY_AES256K)) != 0 ? SIGNET_KEY_AES256K
                                                                   : SIGNET_KEY_AES;
    }
    return (allowed & SIGNET_CIPHER(*type)) != 0;
}

int daemon_config_finish(struct daemon_config *config, struct daemon_why *why)
{
    if (config->state[0] == 0) {
        return daemon_fail(why, TOOL_USAGE, "say where the state is kept: --state DIR");
    }
    if (config->journal_sync && config->journal[0] == 0) {
        return daemon_fail(why, TOOL_USAGE, "journal-sync needs a journal: --journal DIR");
    }
    if (config->auth_none && (config->num_modes != 1 || config->modes[0] != SIGNET_MODE_CRC)) {
        return daemon_fail(why, TOOL_USAGE,
                           "auth none works in crc mode only, since without authentication there "
                           "is no key to encrypt with: add --ms-mode crc, or leave auth out");
    }
    join(config->keyring, sizeof(config->keyring), config->state, "keyring");
    join(config->ctl, sizeof(config->ctl), config->state, "ctl");
    if (config->allowed_ciphers == 0) {
        config->allowed_ciphers = SIGNET_CIPHER(SIGNET_KEY_AES256K);
    }
    if (!choose(&config->preferred_cipher, config->allowed_ciphers)) {
        return daemon_fail(why, TOOL_USAGE,
                           "preferred-cipher is %s, but allowed-ciphers does not have it",
                           signet_key_type_name(config->preferred_cipher));
    }
    (void)choose(&config->service_cipher, config->allowed_ciphers); /* need not be allowed */
    if (config->mon.port != 0 && signet_addr_same_endpoint(&config->mon, &config->osd)) {
        return daemon_fail(why, TOOL_USAGE, "mon and osd have the same address and port");
    }
    return TOOL_OK;
}

/* --- differences ---------------------------------------------------------------------------- */

/* When b names none, those of a stay. */
static bool same_pools(const struct daemon_config *a, const struct daemon_config *b)
{
    if (b->num_pools == 0) {
        return true;
    }
    bool same = a->num_pools == b->num_pools;
    for (unsigned i = 0; same && i < a->num_pools; i++) {
        same = a->pools[i].id == b->pools[i].id && strcmp(a->pools[i].name, b->pools[i].name) == 0;
    }
    return same;
}

bool daemon_config_fixed_changes(const struct daemon_config *a, const struct daemon_config *b,
                                 char *out, size_t cap)
{
    const struct {
        const char *name;
        bool same;
    } rows[] = {
        {"mon", signet_addr_equal(&a->mon, &b->mon)},
        {"osd", signet_addr_equal(&a->osd, &b->osd)},
        {"state", strcmp(a->state, b->state) == 0},
        {"keyring", strcmp(a->keyring, b->keyring) == 0},
        {"fsid", a->has_fsid == b->has_fsid && memcmp(a->fsid, b->fsid, sizeof(a->fsid)) == 0},
        {"pool", same_pools(a, b)},
        {"threads", a->threads == b->threads},
        {"max-peers", a->max_peers == b->max_peers},
        {"max-half-open", a->max_half_open == b->max_half_open},
        {"max-output", a->max_output == b->max_output},
        {"max-input", a->max_input == b->max_input},
        {"ms-mode", a->num_modes == b->num_modes && a->modes[0] == b->modes[0]},
        {"auth", a->auth_none == b->auth_none},
        {"allowed-ciphers", a->allowed_ciphers == b->allowed_ciphers},
        {"preferred-cipher", a->preferred_cipher == b->preferred_cipher},
        {"service-cipher", a->service_cipher == b->service_cipher},
        {"auth-ttl", a->auth_ttl_s == b->auth_ttl_s},
        {"service-ttl", a->service_ttl_s == b->service_ttl_s},
        {"allow-insecure-reclaim", a->allow_insecure_reclaim == b->allow_insecure_reclaim},
        {"metrics", a->metrics_on == b->metrics_on && signet_addr_equal(&a->metrics, &b->metrics)},
        {"ctl", strcmp(a->ctl, b->ctl) == 0},
        {"journal", strcmp(a->journal, b->journal) == 0},
        {"journal-sync", a->journal_sync == b->journal_sync},
    };
    size_t len = 0;
    out[0] = 0;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (!rows[i].same && len < cap) {
            len += (size_t)snprintf(out + len, cap - len, "%s%s", len > 0 ? " " : "", rows[i].name);
        }
    }
    return len > 0;
}

/* --- text ----------------------------------------------------------------------------------- */

static void help_option(const struct daemon_option *option)
{
    char left[64];
    const char *line = option->help;
    snprintf(left, sizeof(left), "--%s%s%s", option->name, option->arg != NULL ? " " : "",
             option->arg != NULL ? option->arg : "");
    for (const char *name = left; *line != 0; name = "") {
        int len = (int)strcspn(line, "\n");
        printf("  %-26s %.*s\n", name, len, line);
        line += len + (line[len] == '\n');
    }
}

void daemon_help(void)
{
    fputs("Usage: signetd --state DIR [OPTION...]\n"
          "       signetd ctl {--state DIR | --ctl PATH} COMMAND\n"
          "A monitor and an OSD that clients of Ceph log in to: keys, tickets and commands of\n"
          "'ceph auth'. Stays in the foreground and logs to stderr. The first start on an empty\n"
          "directory makes the cluster, and a keyring for client.admin.\n"
          "\n",
          stdout);
    for (size_t i = 0; daemon_option_at(i) != NULL; i++) {
        help_option(daemon_option_at(i));
    }
    fputs("  -h, --help                 this help\n"
          "  -V, --version              the version\n"
          "\n"
          "Commands of a daemon that runs:\n"
          "  status                     addresses, handler, sessions, objects, entities\n"
          "  handler [NAME]             show or switch what does the cryptography\n"
          "  reload                     the same as SIGHUP: read configuration and state again\n"
          "  rotate                     make new service secrets now; tickets sealed with the\n"
          "                             old ones end\n"
          "  stop                       the same as SIGTERM: end connections, then the daemon\n"
          "\n"
          "Exit codes: 0 stopped as asked, 1 failure (the message says why), 2 wrong usage.\n",
          stdout);
}

const char *daemon_fsid_print(const uint8_t fsid[16], char out[DAEMON_FSID_TEXT])
{
    static const char digits[] = "0123456789abcdef";
    char *p = out;
    for (size_t i = 0; i < 16; i++) {
        if (i == 4 || i == 6 || i == 8 || i == 10) {
            *p++ = '-';
        }
        *p++ = digits[fsid[i] >> 4];
        *p++ = digits[fsid[i] & 15];
    }
    *p = 0;
    return out;
}

static int digit(char c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    if (c >= 'a' && c <= 'f') {
        return c - 'a' + 10;
    }
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

bool daemon_fsid_parse(uint8_t fsid[16], const char *text)
{
    unsigned any = 0;
    for (size_t i = 0; i < 16; i++) {
        if ((i == 4 || i == 6 || i == 8 || i == 10) && *text++ != '-') {
            return false;
        }
        int high = digit(text[0]), low = high >= 0 ? digit(text[1]) : -1;
        if (low < 0) {
            return false;
        }
        fsid[i] = (uint8_t)(high << 4 | low);
        any |= fsid[i];
        text += 2;
    }
    return *text == 0 && any != 0;
}
