/* SPDX-License-Identifier: MIT */
#include "auth/name_wire.h"

#include <string.h>

struct service {
    uint32_t value;
    const char *name;
};

static const struct service services[] = {
    {SIGNET_AUTH, "auth"}, {SIGNET_MON, "mon"}, {SIGNET_OSD, "osd"},
    {SIGNET_MDS, "mds"},   {SIGNET_MGR, "mgr"}, {SIGNET_CLIENT, "client"},
};
enum { NUM_SERVICES = sizeof(services) / sizeof(services[0]) };

const char *signet_service_name(uint32_t service)
{
    for (size_t i = 0; i < NUM_SERVICES; i++) {
        if (services[i].value == service) {
            return services[i].name;
        }
    }
    return NULL;
}

/* 0 for a text that is no type. */
static uint32_t service_value(const char *text, size_t len)
{
    for (size_t i = 0; i < NUM_SERVICES; i++) {
        if (strlen(services[i].name) == len && memcmp(services[i].name, text, len) == 0) {
            return services[i].value;
        }
    }
    return 0;
}

int signet_name_set(struct signet_name *out, uint32_t type, const void *id, size_t len)
{
    memset(out, 0, sizeof(*out));
    if (len > SIGNET_NAME_ID_MAX) {
        return -SIGNET_E_NAME;
    }
    out->type = type;
    out->id_len = (uint32_t)len;
    if (len > 0) {
        memcpy(out->id, id, len);
    }
    return 0;
}

int signet_name_parse_n(struct signet_name *out, const char *text, size_t len)
{
    memset(out, 0, sizeof(*out));
    const char *dot = len > 0 ? memchr(text, '.', len) : NULL;
    if (dot == NULL) {
        return -SIGNET_E_NAME;
    }
    size_t type_len = (size_t)(dot - text);
    uint32_t type = service_value(text, type_len);
    if (type == 0) {
        return -SIGNET_E_NAME;
    }
    return signet_name_set(out, type, dot + 1, len - type_len - 1);
}

int signet_name_parse(struct signet_name *out, const char *text)
{
    return signet_name_parse_n(out, text, strlen(text));
}

const char *signet_name_print(const struct signet_name *name, char *out)
{
    const char *type = signet_service_name(name->type);
    if (type == NULL) {
        type = "?";
    }
    size_t type_len = strlen(type);
    size_t id_len = name->id_len <= SIGNET_NAME_ID_MAX ? name->id_len : SIGNET_NAME_ID_MAX;
    memcpy(out, type, type_len);
    out[type_len] = '.';
    memcpy(out + type_len + 1, name->id, id_len);
    out[type_len + 1 + id_len] = 0;
    return out;
}

int signet_name_compare(const struct signet_name *a, const struct signet_name *b)
{
    if (a->type != b->type) {
        return a->type < b->type ? -1 : 1;
    }
    int c = memcmp(a->id, b->id, a->id_len < b->id_len ? a->id_len : b->id_len);
    if (c != 0) {
        return c;
    }
    return (a->id_len > b->id_len) - (a->id_len < b->id_len);
}

int signet_read_name(struct signet_reader *r, struct signet_name *out)
{
    uint32_t type = signet_read_u32(r);
    struct signet_span id = signet_read_blob(r, SIGNET_NAME_ID_MAX);
    if (r->err != 0) {
        memset(out, 0, sizeof(*out));
        return r->err;
    }
    return signet_name_set(out, type, id.p, id.len);
}

void signet_write_name(struct signet_writer *w, const struct signet_name *name)
{
    signet_write_u32(w, name->type);
    signet_write_blob(w, name->id, name->id_len);
}
