/* SPDX-License-Identifier: MIT */
#include "conf.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CONF_WHY = 200, CONF_LINE_MAX = 65536 };

struct option_line {
    struct option_line *next;
    char *section, *name, *value;
};

struct tool_conf {
    struct option_line *newest; /* the last line first, so that it wins */
};

static char *trim(char *text)
{
    while (isspace((unsigned char)*text))
        text++;
    char *end = text + strlen(text);
    while (end > text && isspace((unsigned char)end[-1]))
        *--end = '\0';
    return text;
}

/* Cuts a comment off; one that is quoted or escaped is text. */
static void cut_comment(char *line)
{
    char quote = '\0';
    for (char *p = line; *p; p++) {
        if (*p == '\\' && p[1])
            p++;
        else if (quote)
            quote = *p == quote ? '\0' : quote;
        else if (*p == '"' || *p == '\'')
            quote = *p;
        else if (*p == '#' || *p == ';') {
            *p = '\0';
            return;
        }
    }
}

static void unquote(char *value)
{
    size_t len = strlen(value);
    if (len < 2 || (*value != '"' && *value != '\'') || value[len - 1] != *value)
        return;
    memmove(value, value + 1, len - 2);
    value[len - 2] = '\0';
}

static void normalize(char *key)
{
    char *out = key;
    for (const char *p = key; *p; p++) {
        char c = isspace((unsigned char)*p) || *p == '-' ? '_' : *p;
        /* "mon  host" is mon_host too. */
        if (c != '_' || out == key || out[-1] != '_')
            *out++ = c;
    }
    *out = '\0';
}

static bool add_option(struct tool_conf *conf, const char *section, char *line)
{
    char *equals = strchr(line, '=');
    if (!equals)
        return false;
    *equals = '\0';
    char *key = trim(line), *value = trim(equals + 1);
    struct option_line *option = calloc(1, sizeof(*option));
    if (!option)
        return false;
    normalize(key);
    unquote(value);
    *option = (struct option_line){conf->newest, strdup(section), strdup(key), strdup(value)};
    conf->newest = option;
    return *key && option->section && option->name && option->value;
}

static bool add_line(struct tool_conf *conf, char *section, size_t cap, char *line)
{
    cut_comment(line);
    line = trim(line);
    if (!*line)
        return true;
    if (*line != '[')
        return add_option(conf, section, line);
    char *end = strchr(line, ']');
    if (!end)
        return false;
    *end = '\0';
    snprintf(section, cap, "%s", trim(line + 1));
    return true;
}

/* One line, with those that follow a backslash appended; false at the end of the file. */
static bool read_line(FILE *file, char *line, unsigned *number)
{
    size_t len = 0;
    while (fgets(line + len, (int)(CONF_LINE_MAX - len), file)) {
        ++*number;
        len += strcspn(line + len, "\r\n");
        line[len] = '\0';
        if (len == 0 || line[len - 1] != '\\')
            return true;
        line[--len] = '\0';
    }
    return len > 0;
}

static bool read_file(struct tool_conf *conf, FILE *file, const char *path, char *why)
{
    char section[300] = "global", *line = malloc(CONF_LINE_MAX);
    unsigned number = 0;
    bool ok = line != NULL;
    while (ok && read_line(file, line, &number)) {
        ok = add_line(conf, section, sizeof(section), line);
        if (!ok)
            snprintf(why, CONF_WHY, "%.120s: line %u is no section, option or comment", path,
                     number);
    }
    free(line);
    return ok;
}

struct tool_conf *tool_conf_load(const char *path, char *why)
{
    struct tool_conf *conf = calloc(1, sizeof(*conf));
    FILE *file = fopen(path, "re");
    if (!file)
        snprintf(why, CONF_WHY, "%.120s: %s", path, strerror(errno));
    bool ok = conf && file && read_file(conf, file, path, why);
    if (file)
        fclose(file);
    if (ok)
        return conf;
    tool_conf_free(conf);
    return NULL;
}

void tool_conf_free(struct tool_conf *conf)
{
    if (!conf)
        return;
    for (struct option_line *next, *o = conf->newest; o; o = next) {
        next = o->next;
        free(o->section);
        free(o->name);
        free(o->value);
        free(o);
    }
    free(conf);
}

static const char *find(const struct tool_conf *conf, const char *section, const char *name)
{
    for (const struct option_line *o = conf->newest; o; o = o->next)
        if (strcmp(o->section, section) == 0 && strcmp(o->name, name) == 0)
            return o->value;
    return NULL;
}

/* Appends the value of a variable and returns how many characters its name took; 0: none. */
static size_t expand_variable(FILE *out, const char *text, const char *entity)
{
    const char *dot = strchr(entity, '.');
    char host[256] = "";
    if (strncmp(text, "$cluster", 8) == 0)
        return fputs("ceph", out), 8;
    if (strncmp(text, "$name", 5) == 0)
        return fputs(entity, out), 5;
    if (dot && strncmp(text, "$type", 5) == 0)
        return fprintf(out, "%.*s", (int)(dot - entity), entity), 5;
    if (dot && strncmp(text, "$id", 3) == 0)
        return fputs(dot + 1, out), 3;
    if (strncmp(text, "$host", 5) == 0 && gethostname(host, sizeof(host) - 1) == 0)
        return fprintf(out, "%.*s", (int)strcspn(host, "."), host), 5;
    return 0;
}

static char *expand(const char *value, const char *entity)
{
    char *text = NULL;
    size_t len;
    FILE *out = open_memstream(&text, &len);
    if (!out)
        return NULL;
    while (*value) {
        size_t taken = *value == '$' ? expand_variable(out, value, entity) : 0;
        if (!taken)
            fputc(*value, out);
        value += taken ? taken : 1;
    }
    return fclose(out) == 0 ? text : (free(text), NULL);
}

char *tool_conf_get(const struct tool_conf *conf, const char *entity, const char *key)
{
    char type[64];
    snprintf(type, sizeof(type), "%.*s", (int)strcspn(entity, "."), entity);
    const char *sections[] = {entity, type, "global"};
    for (size_t i = 0; i < sizeof(sections) / sizeof(*sections); i++) {
        const char *value = find(conf, sections[i], key);
        if (value)
            return expand(value, entity);
    }
    return NULL;
}
