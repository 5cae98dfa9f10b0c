/* SPDX-License-Identifier: MIT */
/*
 * What signetd reads that others wrote: by the first byte a configuration (0), its file of the
 * cluster (1), a line at the control socket (2), or a value in the log (3), which must
 * stay one value on one line.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "demand.h"
#include "daemon_config.h"
#include "daemon_ctl.h"
#include "daemon_logfmt.h"
#include "daemon_state.h"

static void read_config(const char *text, size_t len)
{
    static struct daemon_config config;
    struct daemon_why why = {.code = 0};
    daemon_config_defaults(&config);
    int code = daemon_config_text(&config, "fuzz", text, len, &why);
    demand(code == why.code && (code == 0) == (why.text[0] == 0));
    if (code == 0 && daemon_config_finish(&config, &why) == 0) {
        demand(config.num_pools <= DAEMON_POOLS_MAX);
        demand(config.ctl[0] != 0 && config.keyring[0] != 0);
    }
}

/* What is taken is written in a way that gives the same again. */
static void read_cluster(const char *text)
{
    static struct daemon_cluster one, two;
    static struct daemon_config config;
    static char out[DAEMON_MAP_MAX + 300];
    struct daemon_why why = {.code = 0};
    if (daemon_cluster_parse(&one, "fuzz", text, &why) == 0) {
        demand(daemon_cluster_print(&one, out, sizeof(out)) < sizeof(out));
        demand(daemon_cluster_parse(&two, "fuzz", out, &why) == 0);
        demand(memcmp(one.fsid, two.fsid, sizeof(one.fsid)) == 0 && one.epoch == two.epoch);
        demand(strcmp(one.map, two.map) == 0);
        config.num_pools = 0;
        int code = daemon_cluster_pools(&one, &config, &why);
        demand((code == 0) == (config.num_pools > 0) && config.num_pools <= DAEMON_POOLS_MAX);
    }
}

static void read_line(const char *text, size_t len)
{
    char line[DAEMON_CTL_LINE], *words[DAEMON_CTL_WORDS + 1];
    len = len < sizeof(line) ? len : sizeof(line) - 1;
    memcpy(line, text, len);
    int num = daemon_ctl_split(line, len, words);
    demand(num <= DAEMON_CTL_WORDS);
    for (int i = 0; i < num; i++) {
        demand(words[i] >= line && words[i] < line + len && words[i][0] != 0);
    }
    demand(num < 0 || words[num] == NULL);
}

static void log_value(const char *text, size_t len)
{
    struct logfmt line = {.len = 0};
    logfmt_text(&line, "event", "x");
    logfmt_bytes(&line, "v", text, len);
    logfmt_end(&line);
    bool quoted = false;
    for (size_t i = 10; i + 1 < line.len; i++) {
        demand(line.text[i] >= 0x20 && line.text[i] < 0x7f);
        demand(quoted || line.text[i] != ' '); /* no further pair begins */
        if (line.text[i] == '\\') {
            demand(quoted);
            i++;
        } else if (line.text[i] == '"') {
            quoted = !quoted;
            demand(quoted || i + 2 == line.len);
        }
    }
    demand(!quoted && line.text[line.len - 1] == '\n');
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) {
        return 0;
    }
    size_t len = size - 1;
    char *text = malloc(len + 1);
    demand(text != NULL);
    memcpy(text, data + 1, len);
    text[len] = 0;
    switch (data[0] % 4) {
    case 0:
        read_config(text, len);
        break;
    case 1:
        read_cluster(text);
        break;
    case 2:
        read_line(text, len);
        break;
    default:
        log_value(text, len);
    }
    free(text);
    return 0;
}
