/* SPDX-License-Identifier: MIT */
#include "daemon_keys.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <signet/keyring.h>

#define NS_PER_S UINT64_C(1000000000)

static const struct signet_cap all_caps[] = {
    {"mds", "allow *"}, {"mgr", "allow *"}, {"mon", "allow *"}, {"osd", "allow *"}};
enum { NUM_CAPS = sizeof(all_caps) / sizeof(all_caps[0]) };

static int failed(struct daemon_why *why, const char *what, const char *path, int err,
                  const struct signet_fail *fail)
{
    return daemon_fail(why, TOOL_FAILURE, "%s %s: %s", what, path,
                       fail->text[0] != 0 ? fail->text : signet_strerror(err));
}

static int open_server(struct signet_keyserver **out, const struct daemon_config *config,
                       const char *path, struct daemon_why *why)
{
    struct signet_fail fail = {0};
    const struct signet_keyserver_options options = {
        .env = signet_env_system(),
        .path = path,
        .auth_ttl_ns = config->auth_ttl_s * NS_PER_S,
        .service_ttl_ns = config->service_ttl_s * NS_PER_S,
        .allowed_ciphers = config->allowed_ciphers,
        .preferred_cipher = config->preferred_cipher,
        .service_cipher = config->service_cipher,
        .allow_insecure_reclaim = config->allow_insecure_reclaim,
        .auth_none = config->auth_none,
    };
    int err = signet_keyserver_open(out, &options, &fail);
    if (err == -SIGNET_E_STATE_FILE) {
        why->next = "keys.old beside it is the state before the last change; doc/state.md "
                    "describes the format";
    }
    return err == 0 ? TOOL_OK : failed(why, "cannot use the state file", path, err, &fail);
}

/* --- the first start ------------------------------------------------------------------------ */

/* client.admin with a new key. */
static int make_admin(struct signet_keyring *keyring, enum signet_key_type type)
{
    struct signet_name name;
    struct signet_key *key;
    int err = signet_name_parse(&name, "client.admin");
    if (err == 0) {
        err = signet_key_generate(&key, type, NULL);
    }
    if (err != 0) {
        return err;
    }
    err = signet_keyring_set(keyring, &name, key);
    for (size_t i = 0; err == 0 && i < NUM_CAPS; i++) {
        err = signet_keyring_set_cap(keyring, &name, all_caps[i].service, all_caps[i].text);
    }
    signet_key_unref(key);
    return err;
}

/* The file first: should the power fail in between, the next start takes the key from there. */
static int write_admin(struct signet_keyserver *keys, const struct daemon_config *config,
                       struct daemon_log *log, struct daemon_why *why)
{
    struct signet_fail fail = {0};
    struct signet_keyring *keyring;
    int err = signet_keyring_new(&keyring);
    if (err == 0) {
        err = make_admin(keyring, config->preferred_cipher);
    }
    if (err == 0) {
        err = signet_keyring_save(keyring, config->keyring, SIGNET_KEYRING_MODE, &fail);
    }
    if (err == 0) {
        err = signet_keyserver_import(keys, keyring, &fail);
    }
    signet_keyring_free(keyring);
    if (err == -SIGNET_E_FILE) {
        why->next = "its directory must be there, and this user may write in it; or name another "
                    "file with --keyring";
    }
    if (err != 0) {
        return failed(why, "cannot make the keyring", config->keyring, err, &fail);
    }
    struct logfmt line;
    if (daemon_log_begin(log, &line, SIGNET_LOG_INFO, "keyring")) {
        logfmt_text(&line, "entity", "client.admin");
        logfmt_text(&line, "path", config->keyring);
        logfmt_text(&line, "text", "made client.admin and wrote its keyring");
        daemon_log_end(log, &line);
    }
    return TOOL_OK;
}

static int take_keyring(struct signet_keyserver *keys, const struct daemon_config *config,
                        const struct signet_keyring *keyring, struct daemon_log *log,
                        struct daemon_why *why)
{
    struct signet_fail fail = {0};
    size_t num = signet_keyring_num(keyring);
    if (num == 0) {
        why->next = "remove it, and one is made; or add entities with 'signet authtool'";
        return daemon_fail(why, TOOL_FAILURE, "the keyring %s has no entity", config->keyring);
    }
    int err = signet_keyserver_import(keys, keyring, &fail);
    if (err == -SIGNET_E_CIPHER) {
        why->next = "allow them with --allowed-ciphers aes,aes256k, or make new keys";
    }
    if (err != 0) {
        return failed(why, "cannot take the keyring", config->keyring, err, &fail);
    }
    struct logfmt line;
    if (daemon_log_begin(log, &line, SIGNET_LOG_INFO, "keyring")) {
        logfmt_text(&line, "path", config->keyring);
        logfmt_printf(&line, "entities", "%zu", num);
        logfmt_text(&line, "text", "took all entities of the keyring that was there");
        daemon_log_end(log, &line);
    }
    return TOOL_OK;
}

/* --- later starts --------------------------------------------------------------------------- */

static const char *difference(const struct signet_keyring *known, const struct signet_keyring *file,
                              const struct signet_name *name)
{
    size_t index;
    struct signet_key *a = NULL, *b = NULL;
    const char *text = NULL;
    if (signet_keyring_find(known, name, &index) != 0) {
        return "the keyring has an entity that is not known here; 'ceph auth import -i FILE' adds "
               "it";
    }
    if (signet_keyring_key(known, name, NULL, &a) == 0 &&
        signet_keyring_key(file, name, NULL, &b) == 0 && !signet_key_equal(a, b)) {
        text = "the keyring has another key of this entity than the state; it cannot log in";
    }
    signet_key_unref(a);
    signet_key_unref(b);
    return text;
}

static void compare(const struct signet_keyserver *keys, const struct daemon_config *config,
                    const struct signet_keyring *keyring, struct daemon_log *log)
{
    struct signet_keyring *known;
    char name[SIGNET_NAME_TEXT_MAX];
    struct logfmt line;
    if (signet_keyserver_export(keys, &known) != 0) {
        return;
    }
    for (size_t i = 0; i < signet_keyring_num(keyring); i++) {
        const struct signet_name *who = signet_keyring_name(keyring, i);
        const char *text = difference(known, keyring, who);
        if (text != NULL && daemon_log_begin(log, &line, SIGNET_LOG_WARN, "keyring")) {
            logfmt_text(&line, "entity", signet_name_print(who, name));
            logfmt_text(&line, "path", config->keyring);
            logfmt_text(&line, "text", text);
            daemon_log_end(log, &line);
        }
    }
    signet_keyring_free(known);
}

static bool type_allowed(const struct signet_keyring *all, size_t index, uint32_t allowed)
{
    struct signet_key *key;
    if (signet_keyring_key(all, signet_keyring_name(all, index), NULL, &key) != 0) {
        return false;
    }
    bool ok = (allowed & SIGNET_CIPHER(signet_key_type(key))) != 0;
    signet_key_unref(key);
    return ok;
}

/* Who was let in by --allowed-ciphers of an earlier start, and is no more. */
static void warn_types(const struct signet_keyserver *keys, const struct daemon_config *config,
                       struct daemon_log *log)
{
    struct signet_keyring *all;
    char name[SIGNET_NAME_TEXT_MAX];
    struct logfmt line;
    if (signet_keyserver_export(keys, &all) != 0) {
        return;
    }
    size_t num = 0, first = 0;
    for (size_t i = signet_keyring_num(all); i-- > 0;) {
        if (!type_allowed(all, i, config->allowed_ciphers)) {
            first = i;
            num++;
        }
    }
    if (num > 0 && daemon_log_begin(log, &line, SIGNET_LOG_WARN, "ciphers")) {
        logfmt_text(&line, "entity", signet_name_print(signet_keyring_name(all, first), name));
        logfmt_printf(&line, "entities", "%zu", num);
        logfmt_text(&line, "text", "keys of a type that is not allowed: they cannot log in");
        logfmt_text(&line, "next",
                    "name their type in --allowed-ciphers at each start, or give them new keys");
        daemon_log_end(log, &line);
    }
    signet_keyring_free(all);
}

/* A keyring is as secret as what is in it. */
static void warn_mode(const char *path, struct daemon_log *log)
{
    struct stat st;
    if (stat(path, &st) == 0 && (st.st_mode & 077) != 0) {
        daemon_log_text(log, SIGNET_LOG_WARN, "keyring",
                        "%s has mode %04o: others may read its keys; chmod 600 it", path,
                        st.st_mode & 07777U);
    }
}

/* --- both ----------------------------------------------------------------------------------- */

static int use_keyring(struct signet_keyserver *keys, const struct daemon_config *config,
                       struct daemon_log *log, struct daemon_why *why)
{
    struct signet_fail fail = {0};
    struct signet_keyserver_stats stats;
    struct signet_keyring *keyring = NULL;
    signet_keyserver_stats(keys, &stats);
    bool first = stats.principals == 0, there = access(config->keyring, F_OK) == 0;
    if (!there && errno != ENOENT && first) {
        return daemon_fail(why, TOOL_FAILURE, "cannot look for the keyring %s: %s", config->keyring,
                           strerror(errno));
    }
    if (!there) {
        return first ? write_admin(keys, config, log, why) : TOOL_OK;
    }
    warn_mode(config->keyring, log);
    int err = signet_keyring_load(&keyring, config->keyring, &fail), code = TOOL_OK;
    if (err != 0 && first) {
        return failed(why, "cannot read the keyring", config->keyring, err, &fail);
    }
    if (err != 0) {
        daemon_log_text(log, SIGNET_LOG_WARN, "keyring", "cannot read %s: %s", config->keyring,
                        fail.text);
    } else if (first) {
        code = take_keyring(keys, config, keyring, log, why);
    } else {
        compare(keys, config, keyring, log);
    }
    signet_keyring_free(keyring);
    return code;
}

int daemon_keys_open(struct signet_keyserver **out, const struct daemon_config *config,
                     const char *path, struct daemon_log *log, struct daemon_why *why)
{
    int code = open_server(out, config, path, why);
    if (code == TOOL_OK) {
        warn_types(*out, config, log);
        code = use_keyring(*out, config, log, why);
        if (code != TOOL_OK) {
            signet_keyserver_free(*out);
            *out = NULL;
        }
    }
    return code;
}
