/* SPDX-License-Identifier: MIT */
/* The options: how each value is read. */
#include "daemon_config.h"

#include <stdio.h>
#include <string.h>

#include <signet/client.h>
#include <signet/keyserver.h>

#include "daemon_log.h"

#define TTL_MAX_S (UINT64_C(3652) * 86400)

static bool copy(char *out, size_t cap, const char *value)
{
    size_t len = strlen(value);
    if (len == 0 || len >= cap) {
        return false;
    }
    memcpy(out, value, len + 1);
    return true;
}

/* --- files ---------------------------------------------------------------------------------- */

static bool set_state(struct daemon_config *config, const char *value)
{
    return copy(config->state, sizeof(config->state) - 16, value); /* names are added to it */
}

static bool set_keyring(struct daemon_config *config, const char *value)
{
    return copy(config->keyring, sizeof(config->keyring), value);
}

static bool set_ctl(struct daemon_config *config, const char *value)
{
    return copy(config->ctl, sizeof(config->ctl), value);
}

/* Only the command line names the file; its own lines are not asked. */
static bool set_config(struct daemon_config *config, const char *value)
{
    (void)config;
    return *value != 0;
}

/* --- the cluster ---------------------------------------------------------------------------- */

static bool set_fsid(struct daemon_config *config, const char *value)
{
    config->has_fsid = daemon_fsid_parse(config->fsid, value);
    return config->has_fsid;
}

static bool pool_name(const char *name, size_t len)
{
    static const char set[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
    return len > 0 && len < DAEMON_POOL_NAME_MAX && strspn(name, set) >= len;
}

/* In the order of ids; false when id or name is there already, or there is no room. */
static bool insert_pool(struct daemon_config *config, const struct daemon_pool *pool)
{
    unsigned at = 0;
    for (unsigned i = 0; i < config->num_pools; i++) {
        const struct daemon_pool *other = &config->pools[i];
        if (other->id == pool->id || strcmp(other->name, pool->name) == 0) {
            return false;
        }
        at += other->id < pool->id;
    }
    if (config->num_pools == DAEMON_POOLS_MAX) {
        return false;
    }
    memmove(&config->pools[at + 1], &config->pools[at], (config->num_pools - at) * sizeof(*pool));
    config->pools[at] = *pool;
    config->num_pools++;
    return true;
}

bool daemon_set_pool(struct daemon_config *config, const char *value)
{
    struct daemon_pool pool = {.id = 0};
    const char *equals = strchr(value, '=');
    if (equals == NULL || !pool_name(value, (size_t)(equals - value)) ||
        !tool_number_parse(&pool.id, equals + 1, 1, INT32_MAX)) {
        return false;
    }
    memcpy(pool.name, value, (size_t)(equals - value));
    return insert_pool(config, &pool);
}

/* --- cryptography and tickets --------------------------------------------------------------- */

static bool set_handler(struct daemon_config *config, const char *value)
{
    return signet_handler_find(value) != NULL &&
           copy(config->handler, sizeof(config->handler), value);
}

static bool set_mode(struct daemon_config *config, const char *value)
{
    return tool_modes_parse(config->modes, &config->num_modes, value);
}

static bool set_auth(struct daemon_config *config, const char *value)
{
    config->auth_none = strcmp(value, "none") == 0;
    return config->auth_none || strcmp(value, "cephx") == 0;
}

static bool cipher(enum signet_key_type *out, const char *name)
{
    return signet_key_type_parse(out, name) == 0 && *out != SIGNET_KEY_NONE;
}

static bool set_allowed(struct daemon_config *config, const char *value)
{
    char list[64], *rest = list, *name;
    config->allowed_ciphers = 0;
    if (!copy(list, sizeof(list), value)) {
        return false;
    }
    while ((name = strsep(&rest, ",")) != NULL) {
        enum signet_key_type type;
        name += strspn(name, " \t");
        if (!cipher(&type, name)) {
            return false;
        }
        config->allowed_ciphers |= SIGNET_CIPHER(type);
    }
    return true;
}

static bool set_preferred(struct daemon_config *config, const char *value)
{
    return cipher(&config->preferred_cipher, value);
}

static bool set_service(struct daemon_config *config, const char *value)
{
    return cipher(&config->service_cipher, value);
}

static bool set_auth_ttl(struct daemon_config *config, const char *value)
{
    return tool_number_parse(&config->auth_ttl_s, value, 1, TTL_MAX_S);
}

static bool set_service_ttl(struct daemon_config *config, const char *value)
{
    return tool_number_parse(&config->service_ttl_s, value, 1, TTL_MAX_S);
}

static bool set_reclaim(struct daemon_config *config, const char *value)
{
    config->allow_insecure_reclaim = strcmp(value, "yes") == 0;
    return config->allow_insecure_reclaim || strcmp(value, "no") == 0;
}

/* --- the process ---------------------------------------------------------------------------- */

static bool set_threads(struct daemon_config *config, const char *value)
{
    uint64_t threads;
    if (!tool_number_parse(&threads, value, 1, DAEMON_THREADS_MAX)) {
        return false;
    }
    config->threads = (unsigned)threads;
    return true;
}

static bool set_limit(uint32_t *out, const char *value)
{
    uint64_t limit;
    if (!tool_number_parse(&limit, value, 1, 10000000)) {
        return false;
    }
    *out = (uint32_t)limit;
    return true;
}

static bool set_max_peers(struct daemon_config *config, const char *value)
{
    return set_limit(&config->max_peers, value);
}

static bool set_max_half_open(struct daemon_config *config, const char *value)
{
    return set_limit(&config->max_half_open, value);
}

static bool set_drain(struct daemon_config *config, const char *value)
{
    return tool_number_parse(&config->drain_s, value, 0, 3600);
}

/* "", "K", "M", "G" or "T" as a number of bits. */
static bool parse_unit(unsigned *shift, const char *unit)
{
    static const char units[] = "KMGT";
    const char *at = *unit != '\0' ? strchr(units, *unit) : NULL;
    *shift = at != NULL ? 10 * (unsigned)(at - units + 1) : 0;
    return *unit == '\0' || (at != NULL && unit[1] == '\0');
}

static bool parse_bytes(uint64_t *out, const char *value)
{
    char digits[24] = "";
    unsigned shift;
    uint64_t num;
    size_t len = strspn(value, "0123456789");
    if (len >= sizeof(digits) || !parse_unit(&shift, value + len)) {
        return false;
    }
    memcpy(digits, value, len);
    if (!tool_number_parse(&num, digits, 1, (UINT64_C(1) << 50) >> shift)) {
        return false;
    }
    *out = num << shift;
    return true;
}

static bool set_store(struct daemon_config *config, const char *value)
{
    return parse_bytes(&config->store_bytes, value);
}

/* Less than a few messages of usual size for each worker would close whoever sends one. */
static bool parse_memory(uint64_t *out, const char *value)
{
    return parse_bytes(out, value) && *out >= UINT64_C(16) << 20;
}

static bool set_max_output(struct daemon_config *config, const char *value)
{
    return parse_memory(&config->max_output, value);
}

static bool set_max_input(struct daemon_config *config, const char *value)
{
    return parse_memory(&config->max_input, value);
}

static bool set_journal_keep(struct daemon_config *config, const char *value)
{
    return parse_bytes(&config->journal_keep, value);
}

static bool set_journal(struct daemon_config *config, const char *value)
{
    return copy(config->journal, sizeof(config->journal) - 16, value);
}

static bool set_journal_sync(struct daemon_config *config, const char *value)
{
    config->journal_sync = strcmp(value, "yes") == 0;
    return config->journal_sync || strcmp(value, "no") == 0;
}

static bool set_level(struct daemon_config *config, const char *value)
{
    return daemon_log_level_parse(&config->log_level, value);
}

#define A_LIMIT     "a number from 1 to 10000000"
#define A_CIPHER    "aes or aes256k"
#define SECONDS     "a whole number of seconds from 1 to 315532800 (ten years)"
#define V2_ADDR     "v2:IP[:PORT] with an IP that clients can dial"
#define SOME_MEMORY "a number of bytes from 16M, of KiB with K, MiB M, GiB G or TiB T"
#define SOME_BYTES  "a number of bytes from 1, of KiB with K, MiB M, GiB G or TiB T"
#define SOME_FILE   "a path of 1 to 1000 bytes"

static const struct daemon_option options[] = {
    {"mon", "ADDR", V2_ADDR ", without nonce",
     "where the monitor listens, as clients dial it; without a\nport 3300, with 0 any free one "
     "(v2:127.0.0.1:3300)",
     daemon_set_mon, false, false},
    {"osd", "ADDR", V2_ADDR,
     "where the OSD listens; without a port 6800, with 0 any\nfree one (v2:127.0.0.1:6800)",
     daemon_set_osd, false, false},
    {"state", "DIR", "a path of 1 to 1000 bytes",
     "directory of the key server's state; made if it is not\nthere (mode 0700)", set_state, false,
     false},
    {"keyring", "FILE", SOME_FILE,
     "at the first start: keyring to take entities from, or,\n"
     "if there is none, to write that of client.admin to\n(DIR/keyring)",
     set_keyring, false, false},
    {"config", "FILE", SOME_FILE, "file of lines 'name = value', named as these options",
     set_config, false, false},
    {"fsid", "UUID", "a UUID such as 2f0c1a3e-0000-4000-8000-5d1b6a7c8d9e",
     "id of the cluster, for the first start (a random one)", set_fsid, false, false},
    {"pool", "NAME=ID",
     "NAME=ID: a name of letters, digits, '.', '_' and '-', an id from 1, each of them once, at "
     "most 64 pools",
     "a pool; may be repeated (those of the last start, data=1 at\nthe first)", daemon_set_pool,
     true, false},
    {"store-bytes", "N[KMGT]", SOME_BYTES, "memory for the objects of the OSD (1G)", set_store,
     false, true},
    {"journal", "DIR", SOME_FILE,
     "keep objects also in a journal there, with a key that is in\n--state (without, they are gone "
     "when the daemon ends)",
     set_journal, false, false},
    {"journal-sync", NULL, "yes or no",
     "wait for the disk before each answer; without, a crash of\nthe machine may lose the last "
     "writes; [=no]",
     set_journal_sync, false, false},
    {"journal-keep", "N[KMGT]", SOME_BYTES,
     "do not write the journal anew, without what is history,\nbefore it has this size (64M)",
     set_journal_keep, false, true},
    {"threads", "N", "a number from 1 to 256", "worker threads (one for each processor)",
     set_threads, false, false},
    {"max-peers", "N", A_LIMIT, "connections at a time (65536)", set_max_peers, false, false},
    {"max-half-open", "N", A_LIMIT,
     "of them without a login; above, the oldest of these is\nclosed (1024)", set_max_half_open,
     false, false},
    {"max-output", "N[KMGT]", SOME_MEMORY,
     "memory for what clients have not read yet; above, the one\nwith most of it is closed (512M "
     "for "
     "each thread)",
     set_max_output, false, false},
    {"max-input", "N[KMGT]", SOME_MEMORY,
     "memory for messages that come in; above, more wait for\nthose before (512M for each thread)",
     set_max_input, false, false},
    {"handler", "NAME", TOOL_HANDLERS,
     "library that does the cryptography:\n" TOOL_HANDLERS " (nss)", set_handler, false, true},
    {"ms-mode", "MODE", TOOL_MODES, "modes that clients may use:\n" TOOL_MODES " (secure)",
     set_mode, false, false},
    {"auth", "METHOD", "cephx or none",
     "cephx, or none: whoever comes is believed and may do\nanything; with --ms-mode crc only "
     "(cephx)",
     set_auth, false, false},
    {"allowed-ciphers", "LIST", "a list of aes and aes256k, separated by commas",
     "types of keys that may log in: aes, aes256k (aes256k)", set_allowed, false, false},
    {"preferred-cipher", "TYPE", A_CIPHER, "type of new keys (aes256k if that is allowed)",
     set_preferred, false, false},
    {"service-cipher", "TYPE", A_CIPHER,
     "type of the secrets that seal tickets (aes256k if that is\nallowed)", set_service, false,
     false},
    {"auth-ttl", "SECONDS", SECONDS, "life of an AUTH ticket (259200)", set_auth_ttl, false, false},
    {"service-ttl", "SECONDS", SECONDS, "life of a service ticket (3600)", set_service_ttl, false,
     false},
    {"allow-insecure-reclaim", NULL, "yes or no",
     "clients may keep their global_id without showing the old\nticket; =no where the file says "
     "yes",
     set_reclaim, false, false},
    {"metrics", "[IP:]PORT", "none, PORT, or IP[:PORT] with IPv6 in brackets",
     "Prometheus metrics over HTTP, or none; without a port\n9284, with 0 any free one "
     "(127.0.0.1:9284)",
     daemon_set_metrics, false, false},
    {"ctl", "PATH", SOME_FILE, "control socket (DIR/ctl)", set_ctl, false, false},
    {"drain", "SECONDS", "a number from 0 to 3600",
     "longest wait for connections to end at the stop (5)", set_drain, false, true},
    {"log-level", "LEVEL", "error, warn, info or debug", "error, warn, info or debug (info)",
     set_level, false, true},
};

_Static_assert(sizeof(options) / sizeof(options[0]) <= DAEMON_OPTIONS_MAX, "grow the limit");

const struct daemon_option *daemon_option_at(size_t index)
{
    return index < sizeof(options) / sizeof(options[0]) ? &options[index] : NULL;
}
