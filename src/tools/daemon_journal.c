/* SPDX-License-Identifier: MIT */
#include "daemon_journal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lite/journal.h"

enum { KEY_LEN = SIGNET_RECORD_KEY_LEN };

/* Its length, -1 where there is none; it is 0 until the first record. */
static off_t journal_len(const struct daemon_config *config)
{
    char path[DAEMON_PATH_MAX];
    struct stat st;
    snprintf(path, sizeof(path), "%.1000s/journal", config->journal);
    return stat(path, &st) == 0 ? st.st_size : -1;
}

static bool sync_directory(const char *path)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool ok = fd >= 0 && fsync(fd) == 0;
    if (fd >= 0) {
        close(fd);
    }
    return ok;
}

/* Under another name first: there is a whole key or none. */
static int make_key(const struct daemon_config *config, const char *path, uint8_t key[KEY_LEN],
                    struct daemon_why *why)
{
    char temp[DAEMON_PATH_MAX];
    struct signet_env env = signet_env_system();
    if (env.random(env.arg, key, KEY_LEN) != 0) {
        return daemon_fail(why, TOOL_FAILURE, "the system gives no random bytes");
    }
    snprintf(temp, sizeof(temp), "%.1000s/journal.new", config->state);
    int fd = open(temp, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    bool ok = fd >= 0 && write(fd, key, KEY_LEN) == KEY_LEN && fsync(fd) == 0;
    ok = fd >= 0 && close(fd) == 0 && ok && rename(temp, path) == 0;
    if (!ok || !sync_directory(config->state)) {
        return daemon_fail(why, TOOL_FAILURE, "cannot write %s: %s", path, strerror(errno));
    }
    return TOOL_OK;
}

static int read_key(const struct daemon_config *config, const char *path, uint8_t key[KEY_LEN],
                    struct daemon_why *why)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0 && errno == ENOENT) {
        if (journal_len(config) <= 0) {
            return make_key(config, path, key, why);
        }
        why->next = "restore it; without it the objects are lost, and the journal can be removed";
        return daemon_fail(why, TOOL_FAILURE, "%s is missing: the key of the journal in %s", path,
                           config->journal);
    }
    bool ok = fd >= 0 && fstat(fd, &st) == 0 && st.st_size == KEY_LEN &&
              read(fd, key, KEY_LEN) == KEY_LEN;
    bool open_to_all = ok && (st.st_mode & 077) != 0;
    if (fd >= 0) {
        close(fd);
    }
    if (open_to_all) {
        why->next = "chmod 600 it";
        return daemon_fail(why, TOOL_FAILURE, "%s may be read by others", path);
    }
    return ok ? TOOL_OK : daemon_fail(why, TOOL_FAILURE, "%s is not a key of 32 bytes", path);
}

static int refused(const struct daemon_config *config, int err, const struct signet_fail *fail,
                   struct daemon_why *why)
{
    switch (-err) {
    case SIGNET_E_RECORD_BODY:
        why->next = "was the file changed, or does journal.key in the state directory belong to "
                    "another one? Restore both; or cut the journal there and lose what follows";
        break;
    case SIGNET_E_RECORD_HEADER:
    case SIGNET_E_RECORD_KIND:
    case SIGNET_E_RECORD_SEQ:
        why->next = "restore the file, or cut it there and lose what follows";
        break;
    case SIGNET_E_NOMEM:
        why->next = "raise --store-bytes";
        break;
    case SIGNET_E_FILE:
        why->next = "its parent directory must be there, and the directory belong to this user; or "
                    "give another one with --journal";
        return daemon_fail(why, TOOL_FAILURE, "cannot use the journal in %s: %s", config->journal,
                           fail->text);
    default:
        break;
    }
    return daemon_fail(why, TOOL_FAILURE,
                       "cannot use the journal in %s: at byte %" PRIu64 ": %s: %s", config->journal,
                       fail->offset, signet_strerror(err), fail->text);
}

static void log_report(struct daemon_log *log, const struct journal_report *report)
{
    struct logfmt line;
    enum signet_log_level level = report->cut > 0 ? SIGNET_LOG_WARN : SIGNET_LOG_INFO;
    if (daemon_log_begin(log, &line, level, "journal")) {
        logfmt_printf(&line, "records", "%" PRIu64, report->records);
        logfmt_printf(&line, "bytes", "%" PRIu64, report->bytes);
        logfmt_printf(&line, "cut", "%" PRIu64, report->cut);
        logfmt_text(&line, "text",
                    report->cut > 0 ? "the last record was not whole, and is gone"
                    : report->anew  ? "objects restored; the journal was written anew"
                                    : "objects restored");
        daemon_log_end(log, &line);
    }
}

static void log_kept(void *arg, uint64_t before, uint64_t after, int err,
                     const struct signet_fail *fail)
{
    struct daemon_log *log = arg;
    struct logfmt line;
    enum signet_log_level level = err != 0 ? SIGNET_LOG_WARN : SIGNET_LOG_INFO;
    if (daemon_log_begin(log, &line, level, "journal")) {
        logfmt_printf(&line, "before", "%" PRIu64, before);
        logfmt_printf(&line, "bytes", "%" PRIu64, after);
        logfmt_text(&line, "text",
                    err == 0 ? "written anew, without what is history"
                             : "most of it is history, and it could not be written anew: it stays "
                               "as it is, and is tried again");
        if (err != 0) {
            logfmt_text(&line, "cause", fail->text[0] != 0 ? fail->text : signet_strerror(err));
            logfmt_text(&line, "next", "make room on its disk for what the objects take");
        }
        daemon_log_end(log, &line);
    }
}

/* Nobody else can make records that open, but a former journal can be put back. */
static void warn_mode(const char *path, struct daemon_log *log)
{
    struct stat st;
    if (stat(path, &st) != 0) {
        return;
    }
    if ((st.st_mode & 022) != 0) {
        daemon_log_text(log, SIGNET_LOG_WARN, "journal",
                        "%s has mode %04o: others may remove or replace the journal; chmod 700 it",
                        path, st.st_mode & 07777U);
    } else if (st.st_uid != geteuid() && st.st_uid != 0) {
        daemon_log_text(log, SIGNET_LOG_WARN, "journal",
                        "%s belongs to user %u, who may remove or replace the journal; chown it",
                        path, (unsigned)st.st_uid);
    }
}

/* There is a key, so there was a journal: an option forgotten, or another directory than before. */
static void warn_left(const struct daemon_config *config, struct daemon_log *log)
{
    if (config->journal[0] == 0) {
        daemon_log_text(log, SIGNET_LOG_WARN, "journal",
                        "%s has the key of a journal, which is not used without --journal: objects "
                        "in it are not seen, new ones are in memory only",
                        config->state);
    } else {
        daemon_log_text(log, SIGNET_LOG_WARN, "journal",
                        "%s had no journal, and a new one begins, but this cluster has had one: "
                        "its objects are not seen; is the directory the right one?",
                        config->journal);
    }
}

static void wipe(uint8_t *key)
{
    memset(key, 0, KEY_LEN);
    __asm__ __volatile__("" : : "r"(key) : "memory");
}

int daemon_journal_open(struct signet_osd *osd, const struct daemon_config *config,
                        struct daemon_log *log, struct daemon_why *why)
{
    char path[DAEMON_PATH_MAX];
    uint8_t key[KEY_LEN];
    struct journal_report report;
    struct signet_fail fail = {.err = 0};
    snprintf(path, sizeof(path), "%.1000s/journal.key", config->state);
    if (access(path, F_OK) == 0 && (config->journal[0] == 0 || journal_len(config) < 0)) {
        warn_left(config, log);
    }
    if (config->journal[0] == 0) {
        return TOOL_OK;
    }
    int code = read_key(config, path, key, why);
    if (code != TOOL_OK) {
        wipe(key);
        return code;
    }
    const struct journal_options options = {.dir = config->journal,
                                            .key = key,
                                            .sync = config->journal_sync,
                                            .keep_bytes = config->journal_keep};
    int err = signet_osd_journal(osd, &options, &report, &fail);
    wipe(key);
    if (err != 0) {
        return refused(config, err, &fail, why);
    }
    log_report(log, &report);
    if (report.kept != 0) {
        log_kept(log, report.bytes, report.bytes, report.kept, &fail);
    }
    warn_mode(config->journal, log);
    err = signet_osd_keep(osd, config->journal_keep, log_kept, log);
    return err == 0 ? TOOL_OK
                    : daemon_fail(why, TOOL_FAILURE, "no thread for the journal in %s: %s",
                                  config->journal, signet_strerror(err));
}
