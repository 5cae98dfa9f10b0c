/* SPDX-License-Identifier: MIT */
/* signet authtool: what ceph-authtool does to keyring files. */
#include "authtool.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <signet/signet.h>

#include "commands.h"
#include "tool.h"

int authtool_fail(const char *format, ...)
{
    va_list args;
    fflush(stdout); /* messages stay in their order where both go to one place */
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    return TOOL_FAILURE;
}

/* Why a file could not be read, behind the line that ceph-authtool has for it, and what to do when
 * it is missing. */
static int read_failure(int err, const char *path, const struct signet_fail *fail,
                        const char *if_missing)
{
    int cause = errno;
    if (err == -SIGNET_E_FILE) {
        return authtool_fail("can't open %s: (%d) %s%s", path, cause, strerror(cause),
                             cause == ENOENT ? if_missing : "");
    }
    char place[TOOL_PLACE_MAX];
    return authtool_fail("error reading file %s\n%s: %s%s (%s)", path, path,
                         tool_keyring_place(place, fail), fail->text, signet_err_name(err));
}

static int open_keyring(struct signet_keyring **out, const struct authtool *tool)
{
    struct signet_fail fail;
    if (tool->create) {
        printf("creating %s\n", tool->file);
        return signet_keyring_new(out) == 0 ? 0 : authtool_fail("out of memory");
    }
    int err = signet_keyring_load(out, tool->file, &fail);
    return err == 0 ? 0 : read_failure(err, tool->file, &fail, "\nWith -C a new keyring is made.");
}

static int import(struct signet_keyring *keyring, const struct authtool *tool)
{
    struct signet_fail fail;
    struct signet_keyring *other;
    int err = signet_keyring_load(&other, tool->import, &fail);
    if (err != 0) {
        return read_failure(err, tool->import, &fail,
                            "\n--import-keyring copies from a keyring that is there already.");
    }
    printf("importing contents of %s into %s\n", tool->import, tool->file);
    err = signet_keyring_import(keyring, other);
    signet_keyring_free(other);
    return err == 0 ? 0 : authtool_fail("can't import: %s", signet_strerror(err));
}

/* A new key, which is the one thing here that needs a handler. */
static int generate(struct signet_key **out, enum signet_key_type type)
{
    int err = signet_init(NULL);
    if (err == 0) {
        err = signet_key_generate(out, type, NULL);
        if (err != 0) {
            signet_shutdown();
        }
    }
    return err == 0 ? 0
                    : authtool_fail("can't make a key: %s\n'signet handlers' shows which library "
                                    "works here.",
                                    signet_strerror(err));
}

static void drop_generated(struct signet_key *key)
{
    signet_key_unref(key);
    signet_shutdown();
}

static int gen_print_key(const struct authtool *tool)
{
    struct signet_key *key = NULL;
    char text[SIGNET_KEY_TEXT_MAX];
    int code = generate(&key, tool->type);
    if (code != 0) {
        return code;
    }
    int err = signet_key_print(key, text, sizeof(text));
    if (err == 0) {
        puts(text);
    }
    explicit_bzero(text, sizeof(text));
    drop_generated(key);
    return err == 0 ? 0 : authtool_fail("can't print the key: %s", signet_strerror(err));
}

/* A new or changed key starts without capabilities. */
static int forget_caps(struct signet_keyring *keyring, const struct authtool *tool, int err)
{
    if (err == 0) {
        err = signet_keyring_clear_caps(keyring, &tool->name);
    }
    return err == 0 ? 0 : authtool_fail("can't set the key: %s", signet_strerror(err));
}

static int gen_key(struct signet_keyring *keyring, const struct authtool *tool)
{
    struct signet_key *key = NULL;
    int code = generate(&key, tool->type);
    if (code == 0) {
        code = forget_caps(keyring, tool, signet_keyring_set(keyring, &tool->name, key));
        drop_generated(key);
    }
    return code;
}

/* Neither message shows the key, as those of ceph-authtool do. */
static int add_key(struct signet_keyring *keyring, const struct authtool *tool)
{
    char name[SIGNET_NAME_TEXT_MAX];
    int err = signet_keyring_set_text(keyring, &tool->name, tool->add_key, strlen(tool->add_key));
    if (err != 0 && err != -SIGNET_E_NOMEM && err != -SIGNET_E_NAME) {
        return authtool_fail("can't decode key: %s (%s)\nExpected 40 characters of base64 (aes) or "
                             "60 (aes256k), as 'signet authtool --gen-print-key' prints them.",
                             signet_strerror(err), signet_err_name(err));
    }
    int code = forget_caps(keyring, tool, err);
    if (code == 0) {
        printf("added entity %s auth(key=...)\n", signet_name_print(&tool->name, name));
    }
    return code;
}

static int load_caps(struct signet_keyring *keyring, const struct authtool *tool)
{
    size_t index;
    struct signet_fail fail;
    int err = signet_keyring_find(keyring, &tool->name, &index);
    if (err != 0) {
        err = signet_keyring_set(keyring, &tool->name, NULL);
    }
    if (err != 0) {
        return authtool_fail("can't add the entity: %s", signet_strerror(err));
    }
    err = signet_keyring_load_caps(keyring, &tool->name, tool->caps_file, &fail);
    if (err == -SIGNET_E_FILE) {
        return authtool_fail("could not parse caps file %s: (%d) %s", tool->caps_file, errno,
                             strerror(errno));
    }
    if (err != 0) {
        return authtool_fail("could not parse caps file %s\n%s: line %llu: %s\nThe first line must "
                             "be [global], then lines such as mon = \"allow r\".",
                             tool->caps_file, tool->caps_file, (unsigned long long)fail.offset,
                             fail.text);
    }
    return 0;
}

/* Of two with one service the first one counts. */
static bool is_repeated(const struct authtool *tool, size_t index)
{
    for (size_t i = 0; i < index; i++) {
        if (strcmp(tool->caps[i].service, tool->caps[index].service) == 0) {
            return true;
        }
    }
    return false;
}

static int set_caps(struct signet_keyring *keyring, const struct authtool *tool)
{
    char name[SIGNET_NAME_TEXT_MAX];
    signet_name_print(&tool->name, name);
    if (signet_keyring_clear_caps(keyring, &tool->name) != 0) {
        return authtool_fail("can't find existing key for %s and neither gen-key nor add-key "
                             "specified",
                             name);
    }
    size_t num = 0;
    for (size_t i = 0; i < tool->num_caps; i++) {
        const struct authtool_cap *cap = &tool->caps[i];
        if (is_repeated(tool, i)) {
            continue;
        }
        int err = signet_keyring_set_cap(keyring, &tool->name, cap->service, cap->text);
        if (err != 0) {
            return authtool_fail("can't set the capability '%s' of %s: %s (%s)\nNo reader would "
                                 "take it back: a text is one line of UTF-8, a service a word such "
                                 "as mon.",
                                 cap->service, name, signet_strerror(err), signet_err_name(err));
        }
        num++;
    }
    if (tool->add_key != NULL) {
        printf("added %zu caps to entity %s\n", num, name);
    }
    return 0;
}

static int change(struct signet_keyring *keyring, const struct authtool *tool)
{
    int code = tool->import != NULL ? import(keyring, tool) : 0;
    if (code == 0 && tool->gen_key) {
        code = gen_key(keyring, tool);
    }
    if (code == 0 && tool->add_key != NULL) {
        code = add_key(keyring, tool);
    }
    if (code == 0 && tool->caps_file != NULL) {
        code = load_caps(keyring, tool);
    }
    if (code == 0 && tool->num_caps > 0) {
        code = set_caps(keyring, tool);
    }
    return code;
}

static int list(const struct signet_keyring *keyring)
{
    size_t room = signet_keyring_text_len(keyring), len = 0;
    char *text = malloc(room + 1);
    int err = text != NULL ? signet_keyring_print(keyring, text, room, &len) : -SIGNET_E_NOMEM;
    if (text != NULL) {
        fwrite(text, 1, len, stdout);
        explicit_bzero(text, room);
    }
    free(text);
    return err == 0 ? 0 : authtool_fail("can't list: %s", signet_strerror(err));
}

static int print_key(const struct signet_keyring *keyring, const struct authtool *tool)
{
    char name[SIGNET_NAME_TEXT_MAX];
    size_t index, len;
    if (signet_keyring_find(keyring, &tool->name, &index) != 0) {
        return authtool_fail("entity %s not found", signet_name_print(&tool->name, name));
    }
    (void)signet_keyring_key_wire(keyring, index, &len);
    size_t room = (len + 2) / 3 * 4 + 1;
    char *text = malloc(room);
    int err = text != NULL ? signet_keyring_key_text(keyring, index, text, room) : -SIGNET_E_NOMEM;
    if (err == 0) {
        puts(text);
    }
    if (text != NULL) {
        explicit_bzero(text, room);
    }
    free(text);
    return err == 0 ? 0 : authtool_fail("can't print the key: %s", signet_strerror(err));
}

static int save(const struct signet_keyring *keyring, const struct authtool *tool)
{
    struct signet_fail fail;
    fflush(stdout); /* the keyring itself may go there */
    int err = signet_keyring_save(keyring, tool->file, tool->mode, &fail);
    return err == 0 ? 0 : authtool_fail("could not write %s\n%s", tool->file, fail.text);
}

static int work(const struct authtool *tool)
{
    struct signet_keyring *keyring;
    int code = open_keyring(&keyring, tool);
    if (code != 0) {
        return code;
    }
    code = change(keyring, tool);
    if (code == 0 && tool->list) {
        code = list(keyring);
    }
    if (code == 0 && tool->print_key) {
        code = print_key(keyring, tool);
    }
    bool changed = tool->create || tool->import != NULL || tool->gen_key || tool->add_key != NULL ||
                   tool->caps_file != NULL || tool->num_caps > 0;
    if (code == 0 && changed) {
        code = save(keyring, tool);
    }
    signet_keyring_free(keyring);
    return code;
}

int signet_cmd_authtool(int argc, char **argv)
{
    struct authtool tool;
    int code;
    if (authtool_parse(&tool, argc, argv, &code)) {
        code = tool.gen_print_key ? gen_print_key(&tool) : work(&tool);
    }
    free(tool.caps);
    return code;
}
