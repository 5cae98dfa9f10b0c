/* SPDX-License-Identifier: MIT */
/* Keyrings and capability files from disk. */
#include "auth/keyring_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/secret.h"
#include "base/span.h"

static int file_fail(struct signet_fail *fail, const char *path, const char *verb)
{
    int cause = errno;
    signet_fail_set(fail, -SIGNET_E_FILE, "keyring", 0, "cannot %s %.120s: (%d) %s", verb, path,
                    cause, strerror(cause));
    errno = cause;
    return -SIGNET_E_FILE;
}

/* Twice the room, at most one byte more than a keyring may have. */
static bool grow(uint8_t **buf, size_t len, size_t *room)
{
    size_t more = 2 * *room <= SIGNET_KEYRING_FILE_MAX ? 2 * *room : SIGNET_KEYRING_FILE_MAX + 1;
    uint8_t *bigger = signet_secret_alloc(more);
    if (bigger != NULL) {
        memcpy(bigger, *buf, len);
        signet_secret_free(*buf, *room);
        *buf = bigger;
        *room = more;
    }
    return bigger != NULL;
}

/* 1 at the end, 0 when there may be more, -1 with errno. */
static int read_some(int fd, uint8_t *buf, size_t *len, size_t room)
{
    ssize_t n = read(fd, buf + *len, room - *len);
    if (n > 0) {
        *len += (size_t)n;
    }
    return n == 0 ? 1 : n < 0 && errno != EINTR ? -1 : 0;
}

static int read_all(int fd, uint8_t **buf, size_t *len, size_t *room, const char *path,
                    struct signet_fail *fail)
{
    int end = 0;
    while (end == 0) {
        if (*len > SIGNET_KEYRING_FILE_MAX) {
            return signet_fail_set(fail, -SIGNET_E_KEYRING_SIZE, "keyring", 0,
                                   "found more than %d bytes", SIGNET_KEYRING_FILE_MAX);
        }
        if (*len == *room && !grow(buf, *len, room)) {
            return signet_fail_set(fail, -SIGNET_E_NOMEM, "keyring", 0, "out of memory");
        }
        end = read_some(fd, *buf, len, *room);
    }
    return end < 0 ? file_fail(fail, path, "read") : 0;
}

int keyring_file_read(uint8_t **out, size_t *len, size_t *room, const char *path,
                      struct signet_fail *fail)
{
    *out = NULL;
    *len = 0;
    *room = 4096;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return file_fail(fail, path, "open");
    }
    *out = signet_secret_alloc(*room);
    int err = *out != NULL ? read_all(fd, out, len, room, path, fail)
                           : signet_fail_set(fail, -SIGNET_E_NOMEM, "keyring", 0, "out of memory");
    int cause = errno;
    close(fd);
    if (err != 0) {
        signet_secret_free(*out, *room);
        *out = NULL;
    }
    errno = cause;
    return err;
}

int signet_keyring_load(struct signet_keyring **out, const char *path, struct signet_fail *fail)
{
    uint8_t *buf;
    size_t len, room;
    *out = NULL;
    int err = keyring_file_read(&buf, &len, &room, path, fail);
    if (err == 0) {
        err = signet_keyring_parse(out, buf, len, fail);
        signet_secret_free(buf, room);
    }
    return err;
}

/* The capabilities of a caps file: options mon, osd, mds and mgr of its section [global]. */
struct caps_build {
    struct keyring_entity *entity;
    bool global;
    struct signet_fail *fail;
};

static int on_section(void *arg, const char *name, size_t len, uint64_t line)
{
    struct caps_build *build = arg;
    (void)line;
    build->global = signet_span_is((struct signet_span){(const uint8_t *)name, len}, "global");
    return 0;
}

static int on_option(void *arg, struct signet_span name, struct signet_span value, uint64_t line)
{
    static const char *const services[] = {"mon", "osd", "mds", "mgr"};
    struct caps_build *build = arg;
    for (size_t i = 0; build->global && i < 4; i++) {
        if (signet_span_is(name, services[i])) {
            int err = keyring_entity_set_cap(build->entity, services[i], 3, (const char *)value.p,
                                             value.len);
            return err == 0 ? 0
                            : signet_fail_set(build->fail, err, "caps file", line, "%s",
                                              signet_strerror(err));
        }
    }
    return 0;
}

int signet_keyring_load_caps(struct signet_keyring *keyring, const struct signet_name *name,
                             const char *path, struct signet_fail *fail)
{
    static const struct keyring_sink sink = {on_section, on_option};
    struct keyring_entity *entity = keyring_lookup(keyring, name);
    if (entity == NULL) {
        return signet_fail_set(fail, -SIGNET_E_NOT_FOUND, "caps file", 0,
                               "there is no such entity");
    }
    uint8_t *buf;
    size_t len, room;
    int err = keyring_file_read(&buf, &len, &room, path, fail);
    if (err != 0) {
        return err;
    }
    struct keyring_entity fresh = {.num_caps = 0};
    struct caps_build build = {.entity = &fresh, .fail = fail};
    err = keyring_text_scan((const char *)buf, len, &sink, &build, fail);
    signet_secret_free(buf, room);
    /* The old ones stay when the file is bad. */
    struct keyring_entity *drop = err == 0 ? entity : &fresh;
    keyring_entity_clear_caps(drop);
    if (err == 0) {
        entity->caps = fresh.caps;
        entity->num_caps = fresh.num_caps;
    }
    return err;
}
