/* SPDX-License-Identifier: MIT */
/* Writing a keyring file so that nobody ever sees half of one. */
#include "auth/keyring_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/secret.h"

struct target {
    char path[PATH_MAX]; /* symbolic links followed */
    char temp[PATH_MAX];
    bool exists, in_place; /* in_place: not by a new file of that name */
    struct stat st;
    const char *data;
    size_t len;
    mode_t mode;
};

/* All functions here return false with errno set. */
static bool too_long(void)
{
    errno = ENAMETOOLONG;
    return false;
}

/* Directory part of path with the "/", or nothing. */
static int dir_len(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? (int)(slash - path + 1) : 0;
}

/* Follows the link that path is, also where it leads to nothing yet. */
static bool follow(char path[PATH_MAX])
{
    char link[PATH_MAX], joined[PATH_MAX];
    for (int hops = 0; hops < 40; hops++) {
        ssize_t n = readlink(path, link, sizeof(link) - 1);
        if (n < 0) {
            return true; /* no link; other errors show up at the next step */
        }
        link[n] = 0;
        int len = snprintf(joined, sizeof(joined), "%.*s%s", link[0] == '/' ? 0 : dir_len(path),
                           path, link);
        if (len >= PATH_MAX) {
            return too_long();
        }
        memcpy(path, joined, (size_t)len + 1);
    }
    errno = ELOOP;
    return false;
}

static bool find_target(struct target *t, const char *path)
{
    if (strlen(path) >= sizeof(t->path)) {
        return too_long();
    }
    memcpy(t->path, path, strlen(path) + 1);
    if (stat(path, &t->st) == 0) {
        t->exists = true;
        t->in_place = !S_ISREG(t->st.st_mode);
    } else if (errno != ENOENT) {
        return false;
    }
    if (t->in_place || !follow(t->path)) {
        return t->in_place;
    }
    /* A link of /proc may lead to a file that has no name any more. */
    struct stat named;
    if (t->exists && (stat(t->path, &named) != 0 || named.st_ino != t->st.st_ino ||
                      named.st_dev != t->st.st_dev)) {
        memcpy(t->path, path, strlen(path) + 1);
        t->in_place = true;
    }
    return true;
}

static bool write_all(int fd, const char *data, size_t len)
{
    while (len > 0) {
        ssize_t n = write(fd, data, len);
        if (n < 0 && errno != EINTR) {
            return false;
        }
        data += n > 0 ? n : 0;
        len -= n > 0 ? (size_t)n : 0;
    }
    return true;
}

/* Keeps errno of what failed before. */
static void close_quietly(int fd)
{
    int cause = errno;
    close(fd);
    errno = cause;
}

static bool write_in_place(const struct target *t)
{
    int fd = open(t->path, O_WRONLY | O_CLOEXEC | (S_ISREG(t->st.st_mode) ? O_TRUNC : 0));
    if (fd < 0) {
        return false;
    }
    if (!write_all(fd, t->data, t->len) || (S_ISREG(t->st.st_mode) && fsync(fd) != 0)) {
        close_quietly(fd);
        return false;
    }
    return close(fd) == 0;
}

/* A new file gets its mode, less the umask, from open(); nobody else reads it before that. */
static int create_temp(struct target *t)
{
    int fd = -1;
    for (unsigned i = 0; fd < 0 && i < 1000; i++) {
        int len = snprintf(t->temp, sizeof(t->temp), "%.*s.signet.%ld.%u", dir_len(t->path),
                           t->path, (long)getpid(), i);
        if (len >= PATH_MAX) {
            errno = ENAMETOOLONG;
            return -1;
        }
        fd = open(t->temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
                  t->exists ? 0600 : t->mode);
        if (fd < 0 && errno != EEXIST) {
            return -1;
        }
    }
    return fd;
}

/* The owner first, since chown() may drop mode bits. Only root can give files away. */
static bool keep_owner_and_mode(const struct target *t, int fd)
{
    if (!t->exists) {
        return true;
    }
    if (fchown(fd, t->st.st_uid, t->st.st_gid) != 0 && errno != EPERM) {
        return false;
    }
    return fchmod(fd, t->st.st_mode & 07777) == 0;
}

/* So that the new name outlives a crash; not all file systems can. */
static void sync_directory(const struct target *t)
{
    char dir[PATH_MAX];
    snprintf(dir, sizeof(dir), "%.*s", dir_len(t->path), t->path);
    int fd = open(dir[0] != 0 ? dir : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) {
        (void)fsync(fd);
        close(fd);
    }
}

static bool fill_temp(const struct target *t, int fd)
{
    if (!keep_owner_and_mode(t, fd) || !write_all(fd, t->data, t->len) || fsync(fd) != 0) {
        close_quietly(fd);
        return false;
    }
    return close(fd) == 0;
}

static bool replace(struct target *t)
{
    int fd = create_temp(t);
    if (fd < 0) {
        return false;
    }
    if (!fill_temp(t, fd) || rename(t->temp, t->path) != 0) {
        int cause = errno;
        unlink(t->temp);
        errno = cause;
        return false;
    }
    sync_directory(t);
    return true;
}

static bool store(struct target *t, const char *path)
{
    if (!find_target(t, path)) {
        return false;
    }
    if (t->in_place) {
        return write_in_place(t);
    }
    if (replace(t)) {
        return true;
    }
    /* A directory that may not be written to, or a file that is a mount point. */
    bool stuck = errno == EACCES || errno == EBUSY;
    return t->exists && stuck && write_in_place(t);
}

bool keyring_store(const char *path, const char *data, size_t len, unsigned mode)
{
    struct target t = {.data = data, .len = len, .mode = (mode_t)(mode & 07777)};
    return store(&t, path);
}

int signet_keyring_save(const struct signet_keyring *keyring, const char *path, unsigned mode,
                        struct signet_fail *fail)
{
    size_t room = signet_keyring_text_len(keyring), len;
    char *text = signet_secret_alloc(room);
    if (text == NULL) {
        return signet_fail_set(fail, -SIGNET_E_NOMEM, "keyring", 0, "out of memory");
    }
    int err = signet_keyring_print(keyring, text, room, &len);
    bool stored = err == 0 && keyring_store(path, text, len, mode);
    int cause = errno;
    signet_secret_free(text, room);
    errno = cause;
    if (err == 0 && !stored) {
        err = signet_fail_set(fail, -SIGNET_E_FILE, "keyring", 0, "cannot write %.120s: (%d) %s",
                              path, cause, strerror(cause));
        errno = cause;
    }
    return err;
}
