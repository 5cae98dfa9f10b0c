/* SPDX-License-Identifier: MIT */
/*
 * Options as ceph-authtool takes them, which is not as getopt does: `-n VALUE` and `-n=VALUE` but
 * not `-nVALUE`, no bundled letters, no abbreviations, `_` for `-`, nothing counts behind `--`.
 */
#include "authtool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <signet/signet.h>

#include "tool.h"

static const char help[] =
    "Usage: signet authtool KEYRING OPTION...\n"
    "Makes, shows and changes keyring files, as ceph-authtool does.\n"
    "\n"
    "  -l, --list               print all keys and capabilities\n"
    "  -p, --print-key          print the key of the entity, as mount takes it for secret=\n"
    "  -C, --create-keyring     start with an empty keyring, in place of any old file\n"
    "  -g, --gen-key            make a new key for the entity; its capabilities go\n"
    "  -t, --key-type TYPE      type of new keys: aes256k, or aes for Ceph before 19.2.6\n"
    "                           (aes256k)\n"
    "      --gen-print-key      print a new key, without any keyring\n"
    "      --import-keyring FILE  copy all entities of another keyring\n"
    "  -n, --name ENTITY        the entity, TYPE.ID (client.admin)\n"
    "      --id, --user ID      the same as --name client.ID\n"
    "  -a, --add-key BASE64     give the entity this key; its capabilities go\n"
    "      --cap SERVICE TEXT   a capability of the entity, in place of all it has; may be\n"
    "                           repeated\n"
    "      --caps FILE          all capabilities of the entity, from the lines SERVICE = TEXT\n"
    "                           below [global] of a file\n"
    "      --mode MODE          permissions of a new file, octal (0600)\n"
    "  -c, --conf FILE          ignored, as is the next\n"
    "      --cluster NAME       ignored\n"
    "  -v, --version            the version\n"
    "  -h, --help               this help\n"
    "\n"
    "Exit codes: 0 done, 1 anything else, this help included.\n";

struct args {
    int argc, at; /* argv[at] is looked at */
    char **argv;
    struct authtool *tool;
    int failed; /* exit code, once something is wrong */
};

static bool same_name(const char *given, const char *name, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (given[i] != name[i] && !(i > 1 && given[i] == '_' && name[i] == '-')) {
            return false;
        }
    }
    return true;
}

static bool is_flag(struct args *args, const char *short_name, const char *name)
{
    const char *given = args->argv[args->at];
    bool hit = strcmp(given, short_name) == 0 ||
               (strlen(given) == strlen(name) && same_name(given, name, strlen(name)));
    args->at += hit;
    return hit;
}

/* The value of an option by one of its names; past the end of the list it is an error. */
static bool has_value_as(struct args *args, const char *name, const char **value)
{
    const char *given = args->argv[args->at];
    size_t len = strlen(name);
    if (strlen(given) < len || !same_name(given, name, len) ||
        (given[len] != 0 && given[len] != '=')) {
        return false;
    }
    args->at++;
    if (given[len] == '=') {
        *value = given + len + 1;
    } else if (args->at < args->argc) {
        *value = args->argv[args->at++];
    } else {
        *value = NULL;
        args->failed = authtool_fail("Option %s requires an argument.", given);
    }
    return true;
}

static bool has_value(struct args *args, const char *short_name, const char *name,
                      const char **value)
{
    return has_value_as(args, short_name, value) || has_value_as(args, name, value);
}

static int usage(const char *what)
{
    return authtool_fail("%s\nTry 'signet authtool --help'.", what);
}

static void set_name(struct args *args, const char *type, const char *text)
{
    char full[SIGNET_NAME_TEXT_MAX + 8];
    int len = snprintf(full, sizeof(full), "%s%s", type, text);
    if (len >= (int)sizeof(full) || signet_name_parse(&args->tool->name, full) != 0) {
        args->failed = authtool_fail("error parsing '%s%s': expected string of the form TYPE.ID, "
                                     "valid types are: auth, mon, osd, mds, mgr, client",
                                     type, text);
    }
}

static void set_mode(struct args *args, const char *text)
{
    char *end;
    long mode = strtol(text, &end, 8);
    if (end == text || *end != 0) {
        args->failed = authtool_fail("Option --mode requires an argument: '%s' is no octal mode, "
                                     "expected one such as 0644",
                                     text);
    }
    args->tool->mode = (unsigned)mode & 07777;
}

static void set_type(struct args *args, const char *text)
{
    int err = signet_key_type_parse(&args->tool->type, text);
    if (err != 0 || signet_key_type_len(args->tool->type) == 0) {
        args->failed = authtool_fail(
            "invalid key type: %s\nExpected aes256k, or aes for Ceph before 19.2.6.", text);
    }
}

static void add_cap(struct args *args, const char *service)
{
    struct authtool *tool = args->tool;
    if (args->at == args->argc) {
        args->failed = authtool_fail("must give two arguments to --cap: key and val.");
        return;
    }
    struct authtool_cap *caps = realloc(tool->caps, (tool->num_caps + 1) * sizeof(*caps));
    if (caps == NULL) {
        args->failed = authtool_fail("out of memory");
        return;
    }
    caps[tool->num_caps++] = (struct authtool_cap){service, args->argv[args->at++]};
    tool->caps = caps;
}

static bool take_flag(struct args *args)
{
    struct authtool *tool = args->tool;
    const struct {
        const char *short_name, *name;
        bool *flag;
    } flags[] = {
        {"-l", "--list", &tool->list},
        {"-p", "--print-key", &tool->print_key},
        {"-C", "--create-keyring", &tool->create},
        {"-g", "--gen-key", &tool->gen_key},
        {"--gen-print-key", "--gen-print-key", &tool->gen_print_key},
    };
    for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
        if (is_flag(args, flags[i].short_name, flags[i].name)) {
            *flags[i].flag = true;
            return true;
        }
    }
    return false;
}

/* Options whose value is a text of its own; an empty one is as if it had not been given. */
static bool take_text(struct args *args)
{
    struct authtool *tool = args->tool;
    const char *value = NULL;
    if (has_value(args, "--caps", "--caps", &value)) {
        tool->caps_file = value != NULL && *value != 0 ? value : NULL;
    } else if (has_value(args, "--import-keyring", "--import-keyring", &value)) {
        tool->import = value != NULL && *value != 0 ? value : NULL;
    } else if (has_value(args, "-a", "--add-key", &value)) {
        tool->add_key = value;
        if (value != NULL && *value == 0) {
            args->failed = authtool_fail("Option --add-key requires an argument");
        }
    } else {
        return has_value(args, "-c", "--conf", &value) ||
               has_value(args, "--cluster", "--cluster", &value);
    }
    return true;
}

static bool take_parsed(struct args *args)
{
    static const struct {
        const char *short_name, *name;
        void (*set)(struct args *args, const char *value);
    } options[] = {
        {"--cap", "--cap", add_cap},
        {"--mode", "--mode", set_mode},
        {"-t", "--key-type", set_type},
    };
    const char *value = NULL;
    for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
        if (has_value(args, options[i].short_name, options[i].name, &value)) {
            if (value != NULL) {
                options[i].set(args, value);
            }
            return true;
        }
    }
    bool name = has_value(args, "-n", "--name", &value);
    if (!name && !has_value(args, "--id", "--user", &value)) {
        return false;
    }
    if (value != NULL) {
        set_name(args, name ? "" : "client.", value);
    }
    return true;
}

static void take_argument(struct args *args)
{
    const char *given = args->argv[args->at];
    bool option = given[0] == '-' && given[1] != 0;
    if (args->tool->file == NULL && !option && *given != 0) {
        args->tool->file = given;
        args->at++;
    } else if (args->tool->file == NULL && *given == 0) {
        args->at++;
    } else {
        args->failed = authtool_fail(
            "signet authtool: unexpected '%s'\n%sTry 'signet authtool "
            "--help'.",
            given, option ? "If it is the name of a file, write ./ before it.\n" : "");
    }
}

/* --help and --version win over whatever else is there. */
static bool said_all(int argc, char **argv, int *code)
{
    bool version = false;
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strcmp(argv[i], "-h") == 0 || strcmp(argv[i], "--help") == 0) {
            (void)tool_help(help);
            *code = TOOL_FAILURE; /* as ceph-authtool */
            return true;
        }
        version = version || strcmp(argv[i], "-v") == 0 || strcmp(argv[i], "--version") == 0;
    }
    if (version) {
        printf("signet %s\n", signet_version());
        *code = TOOL_OK;
    }
    return version;
}

static int check(const struct authtool *tool)
{
    bool change = tool->gen_key || tool->add_key != NULL || tool->create || tool->import != NULL ||
                  tool->caps_file != NULL || tool->num_caps > 0;
    if (tool->file == NULL && !tool->gen_print_key) {
        return usage("signet authtool: must specify filename");
    }
    if (!change && !tool->gen_print_key && !tool->list && !tool->print_key) {
        return usage("no command specified");
    }
    if (tool->create && tool->num_caps > 0 && !tool->gen_key && tool->add_key == NULL) {
        return usage("must specify either gen-key or add-key when creating");
    }
    if (tool->gen_key && tool->add_key != NULL) {
        return usage("can't both gen-key and add-key");
    }
    return 0;
}

bool authtool_parse(struct authtool *tool, int argc, char **argv, int *code)
{
    *tool = (struct authtool){.mode = SIGNET_KEYRING_MODE, .type = SIGNET_KEY_AES256K};
    if (signet_name_parse(&tool->name, "client.admin") != 0 || said_all(argc, argv, code)) {
        return false;
    }
    if (argc == 1) {
        *code = authtool_fail("signet authtool: -h or --help for usage");
        return false;
    }
    struct args args = {.argc = argc, .at = 1, .argv = argv, .tool = tool};
    while (args.failed == 0 && args.at < argc && strcmp(argv[args.at], "--") != 0) {
        if (!take_flag(&args) && !take_text(&args) && !take_parsed(&args)) {
            take_argument(&args);
        }
    }
    *code = args.failed != 0 ? args.failed : check(tool);
    return *code == 0;
}
