/* SPDX-License-Identifier: MIT */
#include "daemon_state.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <signet/env.h>

#define NS_PER_S UINT64_C(1000000000)

static const char *join(char out[DAEMON_PATH_MAX], const char *dir, const char *name)
{
    /* --state leaves room for the names. */
    snprintf(out, DAEMON_PATH_MAX, "%.1000s/%.20s", dir, name);
    return out;
}

/* --- the directory -------------------------------------------------------------------------- */

static int make_directory(const char *path, struct daemon_why *why)
{
    struct stat st;
    if (mkdir(path, 0700) != 0 && errno != EEXIST) {
        why->next = errno == ENOENT ? "make its parent directory first"
                                    : "give another directory with --state, or run signetd as the "
                                      "user that may write there";
        return daemon_fail(why, TOOL_FAILURE, "cannot make the state directory %s: %s", path,
                           strerror(errno));
    }
    if (stat(path, &st) != 0) {
        why->next = "give another directory with --state, or run signetd as the user that may read "
                    "there";
        return daemon_fail(why, TOOL_FAILURE, "cannot look at the state directory %s: %s", path,
                           strerror(errno));
    }
    if (!S_ISDIR(st.st_mode)) {
        why->next = "name a directory with --state; it is made if it is not there";
        return daemon_fail(why, TOOL_FAILURE, "%s is not a directory", path);
    }
    if (st.st_uid != geteuid()) {
        why->next = "run signetd as the user that owns it, chown it, or give another directory";
        return daemon_fail(why, TOOL_FAILURE,
                           "the state directory %s belongs to user %u, and you are %u", path,
                           (unsigned)st.st_uid, (unsigned)geteuid());
    }
    if ((st.st_mode & 022) != 0) {
        why->next = "chmod 700 it";
        return daemon_fail(why, TOOL_FAILURE,
                           "the state directory %s could be changed by others: it has mode %04o",
                           path, st.st_mode & 07777U);
    }
    return TOOL_OK;
}

static int locked_by_other(const char *dir, int fd, struct daemon_why *why)
{
    char pid[24] = "";
    ssize_t n = pread(fd, pid, sizeof(pid) - 1, 0);
    pid[n > 0 ? strspn(pid, "0123456789") : 0] = 0;
    why->next = "stop that one, or give this one a directory of its own with --state";
    return daemon_fail(why, TOOL_FAILURE, "another signetd%s%s%s uses the state directory %s",
                       pid[0] != 0 ? ", process " : "", pid, pid[0] != 0 ? "," : "", dir);
}

/* A file in it that the system refuses. */
static int refused(const char *what, const char *path, struct daemon_why *why)
{
    int error = errno;
    if (error == EACCES || error == EPERM) {
        why->next = "the directory and what is in it must belong to the user who runs signetd, "
                    "with modes 0700 and 0600";
    } else if (error == ENOSPC || error == EDQUOT || error == EROFS) {
        why->next = "make room there, or give another directory with --state";
    }
    return daemon_fail(why, TOOL_FAILURE, "cannot %s %s: %s", what, path, strerror(error));
}

static int take_lock(struct daemon_state *state, struct daemon_why *why)
{
    char path[DAEMON_PATH_MAX], pid[24];
    join(path, state->path, "lock");
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0) {
        return refused("open", path, why);
    }
    if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
        int code = errno == EWOULDBLOCK ? locked_by_other(state->path, fd, why)
                                        : daemon_fail(why, TOOL_FAILURE, "cannot lock %s: %s", path,
                                                      strerror(errno));
        close(fd);
        return code;
    }
    state->lock_fd = fd;
    int len = snprintf(pid, sizeof(pid), "%ld\n", (long)getpid());
    /* For people only. */
    if (ftruncate(fd, 0) != 0 || pwrite(fd, pid, (size_t)len, 0) != len) {
        errno = 0;
    }
    return TOOL_OK;
}

/* --- the cluster ---------------------------------------------------------------------------- */

static bool write_all(int fd, const char *text, size_t len)
{
    ssize_t n = write(fd, text, len);
    return n >= 0 && (size_t)n == len && fsync(fd) == 0;
}

/* A reader, or a crash, sees the old file or the new one. */
static bool replace_file(const char *dir, const char *path, const char *text, size_t len)
{
    char temp[DAEMON_PATH_MAX];
    join(temp, dir, "cluster.new");
    int fd = open(temp, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0) {
        return false;
    }
    bool ok = write_all(fd, text, len);
    ok = close(fd) == 0 && ok && rename(temp, path) == 0;
    int at = ok ? open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    ok = at >= 0 && fsync(at) == 0;
    if (at >= 0) {
        close(at);
    }
    return ok;
}

static int write_cluster(const struct daemon_state *state, struct daemon_why *why)
{
    char path[DAEMON_PATH_MAX], text[DAEMON_MAP_MAX + 300];
    size_t len = daemon_cluster_print(&state->cluster, text, sizeof(text));
    join(path, state->path, "cluster");
    if (!replace_file(state->path, path, text, len)) {
        return refused("write", path, why);
    }
    return TOOL_OK;
}

static int make_cluster(struct daemon_state *state, const struct daemon_config *config,
                        struct daemon_why *why)
{
    struct signet_env env = signet_env_system();
    struct daemon_cluster *c = &state->cluster;
    *c = (struct daemon_cluster){.created_s = env.real_ns(env.arg) / NS_PER_S};
    memcpy(c->fsid, config->fsid, sizeof(c->fsid));
    if (env.random(env.arg, (uint8_t *)&c->osd_nonce, sizeof(c->osd_nonce)) != 0 ||
        (!config->has_fsid && env.random(env.arg, c->fsid, sizeof(c->fsid)) != 0)) {
        return daemon_fail(why, TOOL_FAILURE, "the system gives no random bytes");
    }
    if (!config->has_fsid) { /* a random UUID: version 4 */
        c->fsid[6] = (uint8_t)((c->fsid[6] & 0x0f) | 0x40);
        c->fsid[8] = (uint8_t)((c->fsid[8] & 0x3f) | 0x80);
    }
    c->osd_nonce |= 1;
    c->epoch = 1;
    state->fresh = true;
    return write_cluster(state, why);
}

static int check_fsid(const struct daemon_state *state, const struct daemon_config *config,
                      struct daemon_why *why)
{
    char ours[DAEMON_FSID_TEXT], asked[DAEMON_FSID_TEXT];
    if (!config->has_fsid || memcmp(config->fsid, state->cluster.fsid, sizeof(config->fsid)) == 0) {
        return TOOL_OK;
    }
    why->next = "leave --fsid out, or give the new cluster an empty directory with --state";
    return daemon_fail(why, TOOL_FAILURE, "%s is the state of cluster %s, not of %s", state->path,
                       daemon_fsid_print(state->cluster.fsid, ours),
                       daemon_fsid_print(config->fsid, asked));
}

/* Neither of the two files goes missing by itself once a daemon has run. */
static int check_files(const struct daemon_state *state, bool cluster, const char *path,
                       struct daemon_why *why)
{
    bool keys = access(state->keys_path, F_OK) == 0;
    if (!cluster && keys) {
        why->next = "restore it; if it is lost, give the cluster's id with --fsid";
        return daemon_fail(why, TOOL_FAILURE, "%s has the keys of a cluster, but %s is missing",
                           state->path, path);
    }
    if (cluster && !keys && state->cluster.map[0] != 0) {
        why->next = "restore it (keys.old is the state before the last change); to start anew, "
                    "remove the directory";
        return daemon_fail(why, TOOL_FAILURE, "%s is missing: the keys of this cluster",
                           state->keys_path);
    }
    return TOOL_OK;
}

static int read_cluster(struct daemon_state *state, const struct daemon_config *config,
                        struct daemon_why *why)
{
    char path[DAEMON_PATH_MAX];
    size_t len;
    join(path, state->path, "cluster");
    char *text = tool_read_file(path, (size_t)2 * DAEMON_MAP_MAX, &len);
    if (text == NULL && errno == ENOENT) {
        int code = config->has_fsid ? TOOL_OK : check_files(state, false, path, why);
        return code == TOOL_OK ? make_cluster(state, config, why) : code;
    }
    if (text == NULL) {
        return refused("read", path, why);
    }
    int code = daemon_cluster_parse(&state->cluster, path, text, why);
    free(text);
    if (code == TOOL_OK) {
        code = check_files(state, true, path, why);
    }
    return code == TOOL_OK ? check_fsid(state, config, why) : code;
}

int daemon_state_open(struct daemon_state *state, const struct daemon_config *config,
                      struct daemon_why *why)
{
    *state = (struct daemon_state){.lock_fd = -1};
    snprintf(state->path, sizeof(state->path), "%s", config->state);
    join(state->keys_path, state->path, "keys");
    int code = make_directory(state->path, why);
    if (code == TOOL_OK) {
        code = take_lock(state, why);
    }
    if (code == TOOL_OK) {
        code = read_cluster(state, config, why);
    }
    if (code != TOOL_OK) {
        daemon_state_close(state);
    }
    return code;
}

void daemon_state_close(struct daemon_state *state)
{
    if (state->lock_fd >= 0) {
        close(state->lock_fd);
    }
    state->lock_fd = -1;
}

/* --- the maps ------------------------------------------------------------------------------- */

int daemon_state_publish(struct daemon_state *state, const struct daemon_config *config,
                         const struct signet_addr *mon, const struct signet_addr *osd,
                         struct daemon_why *why)
{
    char map[DAEMON_MAP_MAX];
    daemon_cluster_map(map, config, mon, osd);
    if (strcmp(map, state->cluster.map) == 0) {
        return TOOL_OK;
    }
    state->cluster.epoch += state->cluster.map[0] != 0;
    memcpy(state->cluster.map, map, sizeof(map));
    return write_cluster(state, why);
}
