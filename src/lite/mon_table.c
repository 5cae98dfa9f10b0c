/* SPDX-License-Identifier: MIT */
/* The commands, and their description for the command line that parses them. */
#include "lite/mon_internal.h"

#include <stdio.h>
#include <string.h>

#define KEY_TYPE "key_type=CephString?"

/* perm as Ceph has them: reading keys takes x too. */
static const struct mon_command commands[] = {
    {"get_command_descriptions", "describe all commands", "", mon_run_descriptions},
    {"fsid", "show cluster FSID/UUID", "r", mon_run_fsid},
    {"version", "show the version of the monitor", "r", mon_run_version},
    {"status", "show cluster status", "r", mon_run_status},
    {"health detail=CephChoices:detail?", "show cluster health", "r", mon_run_health},
    {"df detail=CephChoices:detail?", "show cluster free space", "r", mon_run_df},
    {"config dump", "show all configuration options: there are none", "r", mon_run_config_dump},
    {"mon_status", "show the state of the monitor", "r", mon_run_mon_status},
    {"mon dump epoch=CephInt?", "dump the monitor map", "r", mon_run_mon_dump},
    {"mon getmap epoch=CephInt?", "the encoded monitor map", "r", mon_run_mon_getmap},
    {"osd dump epoch=CephInt?", "print the OSD map", "r", mon_run_osd_dump},
    {"osd getmap epoch=CephInt?", "the encoded OSD map", "r", mon_run_osd_getmap},
    {"osd stat", "print the state of the OSD", "r", mon_run_osd_stat},
    {"osd lspools", "list pools with their numbers", "r", mon_run_osd_lspools},
    {"osd pool ls", "list pools", "r", mon_run_osd_pool_ls},
    {"auth ls", "list authentication state", "rx", mon_run_auth_ls},
    {"auth list", "list authentication state", "rx", mon_run_auth_ls},
    {"auth get entity=CephString", "write keyring with the entity's key", "rx", mon_run_auth_get},
    {"auth export entity=CephString?", "write keyring of one entity or of all", "rx",
     mon_run_auth_export},
    {"auth print-key entity=CephString", "show the entity's key", "rx", mon_run_auth_print_key},
    {"auth print_key entity=CephString", "show the entity's key", "rx", mon_run_auth_print_key},
    {"auth get-key entity=CephString", "show the entity's key", "rx", mon_run_auth_print_key},
    {"auth get-or-create entity=CephString caps=CephString*? " KEY_TYPE,
     "add an entity with a fresh key and these caps, unless it is there", "rwx",
     mon_run_auth_get_or_create},
    {"auth get-or-create-key entity=CephString caps=CephString*? " KEY_TYPE,
     "the same, and show the key alone", "rwx", mon_run_auth_get_or_create_key},
    {"auth add entity=CephString caps=CephString*? " KEY_TYPE,
     "add an entity with the key of the input file, or a fresh one", "rwx", mon_run_auth_add},
    {"auth import", "import the keyring of the input file", "rwx", mon_run_auth_import},
    {"auth caps entity=CephString caps=CephString*", "replace the caps of the entity", "rwx",
     mon_run_auth_caps},
    {"auth rotate entity=CephString " KEY_TYPE, "give the entity a fresh key", "rwx",
     mon_run_auth_rotate},
    {"auth del entity=CephString", "delete the entity", "rwx", mon_run_auth_del},
    {"auth rm entity=CephString", "delete the entity", "rwx", mon_run_auth_del},
};

const struct mon_command *mon_command_at(size_t index)
{
    return index < sizeof(commands) / sizeof(commands[0]) ? &commands[index] : NULL;
}

/* Bytes of the words in front of the first argument. */
static size_t prefix_len(const char *signature)
{
    const char *argument = strchr(signature, '=');
    if (argument == NULL) {
        return strlen(signature);
    }
    while (*argument != ' ') {
        argument--;
    }
    return (size_t)(argument - signature);
}

const struct mon_command *mon_command_find(const char *prefix)
{
    size_t len = strlen(prefix);
    for (size_t i = 0; mon_command_at(i) != NULL; i++) {
        const char *words = commands[i].signature;
        if (prefix_len(words) == len && strncmp(words, prefix, len) == 0) {
            return &commands[i];
        }
    }
    return NULL;
}

/* --- descriptions --------------------------------------------------------------------------- */

/* NAME=TYPE[:CHOICES][*][?] */
static json_t *argument(const char *word, size_t len)
{
    size_t name = (size_t)((const char *)memchr(word, '=', len) - word);
    bool optional = word[len - 1] == '?';
    len -= optional ? 1 : 0;
    bool list = word[len - 1] == '*';
    len -= list ? 1 : 0;
    const char *choices = memchr(word, ':', len);
    const char *type = word + name + 1;
    size_t type_len = (size_t)((choices != NULL ? choices : word + len) - type);
    json_t *json = json_pack("{s:s%, s:s%}", "name", word, name, "type", type, type_len);
    if (choices != NULL) {
        json_object_set_new(json, "strings",
                            json_stringn(choices + 1, (size_t)(word + len - choices - 1)));
    }
    if (list) {
        json_object_set_new(json, "n", json_string("N"));
    }
    if (optional) {
        json_object_set_new(json, "req", json_string("false"));
    }
    return json;
}

static json_t *signature_json(const char *signature)
{
    json_t *list = json_array();
    for (const char *at = signature; *at != 0; at += strspn(at, " ")) {
        size_t len = strcspn(at, " ");
        bool literal = memchr(at, '=', len) == NULL;
        json_array_append_new(list, literal ? json_stringn(at, len) : argument(at, len));
        at += len;
    }
    return list;
}

int mon_run_descriptions(struct mon_run *run)
{
    json_t *all = json_object();
    for (size_t i = 0; mon_command_at(i) != NULL; i++) {
        char name[16];
        snprintf(name, sizeof(name), "cmd%03zu", i);
        json_object_set_new(all, name,
                            json_pack("{s:o?, s:s, s:s, s:s, s:i}", "sig",
                                      signature_json(commands[i].signature), "help",
                                      commands[i].help, "module", "mon", "perm", commands[i].perm,
                                      "flags", 0));
    }
    lite_text_json(&run->out, all, JSON_COMPACT);
    return 0;
}
