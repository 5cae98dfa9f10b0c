/* SPDX-License-Identifier: MIT */
/* What signetd is told: command line and file, one table for both. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <signet/client.h>
#include <signet/keyserver.h>

#include "support/suite.h"

#include "daemon_config.h"

static struct daemon_config config;
static struct daemon_why why;

enum { ARGS_MAX = 24 };

/* The command line of words, which end with NULL. */
static int read_args(const char *const *words)
{
    char *argv[ARGS_MAX] = {(char *)(uintptr_t) "signetd"};
    int argc = 1;
    bool shown;
    for (; words[argc - 1] != NULL; argc++) {
        argv[argc] = (char *)(uintptr_t)words[argc - 1];
    }
    memset(&why, 0, sizeof(why));
    int code = daemon_config_read(&config, argc, argv, &shown, &why);
    ck_assert(!shown);
    ck_assert_int_eq(code, why.code);
    return code;
}

#define ARGS(...) read_args((const char *const[]){__VA_ARGS__, NULL})

static int read_text(const char *text)
{
    memset(&why, 0, sizeof(why));
    daemon_config_defaults(&config);
    return daemon_config_text(&config, "conf", text, strlen(text), &why);
}

static const char *addr(const struct signet_addr *a)
{
    static char text[SIGNET_ADDR_TEXT_MAX];
    return signet_addr_print(a, text);
}

START_TEST(defaults)
{
    ck_assert_int_eq(ARGS("--state", "/s"), TOOL_OK);
    ck_assert_str_eq(addr(&config.mon), "v2:127.0.0.1:3300/0");
    ck_assert_str_eq(addr(&config.osd), "v2:127.0.0.1:6800/0");
    ck_assert(config.metrics_on);
    ck_assert_str_eq(addr(&config.metrics), "any:127.0.0.1:9284/0");
    ck_assert_str_eq(config.keyring, "/s/keyring");
    ck_assert_str_eq(config.ctl, "/s/ctl");
    ck_assert_uint_eq(config.num_modes, 1);
    ck_assert_uint_eq(config.modes[0], SIGNET_MODE_SECURE);
    ck_assert_uint_eq(config.allowed_ciphers, SIGNET_CIPHER(SIGNET_KEY_AES256K));
    ck_assert_int_eq(config.preferred_cipher, SIGNET_KEY_AES256K);
    ck_assert_int_eq(config.service_cipher, SIGNET_KEY_AES256K);
    ck_assert_uint_eq(config.auth_ttl_s, 259200);
    ck_assert_uint_eq(config.service_ttl_s, 3600);
    ck_assert_uint_eq(config.num_pools, 0); /* those of the last start */
    ck_assert_uint_eq(config.store_bytes, UINT64_C(1) << 30);
    ck_assert_uint_eq(config.journal_keep, UINT64_C(64) << 20);
    ck_assert_uint_eq(config.max_peers, 65536);
    ck_assert_uint_eq(config.max_half_open, 1024);
    ck_assert(config.max_output == 0 && config.max_input == 0); /* as the messenger has them */
    ck_assert(!config.has_fsid && !config.allow_insecure_reclaim);
    ck_assert_int_eq(config.log_level, SIGNET_LOG_INFO);
}
END_TEST

START_TEST(all_options)
{
    ck_assert_int_eq(ARGS("--state=/s", "--mon=10.1.2.3:0", "--osd=v2:[2001:db8::1]:6801/77",
                          "--keyring=/k", "--fsid=2f0c1a3e-0000-4000-8000-5D1B6A7C8D9E",
                          "--pool=b=2", "--pool=a=7", "--threads=3", "--handler=openssl",
                          "--ms-mode=prefer-crc", "--allowed-ciphers=aes,aes256k",
                          "--preferred-cipher=aes", "--metrics=[::1]:80",
                          "--allow-insecure-reclaim"),
                     TOOL_OK);
    ck_assert_str_eq(addr(&config.mon), "v2:10.1.2.3:0/0");
    ck_assert_str_eq(addr(&config.osd), "v2:[2001:db8::1]:6801/77");
    ck_assert_str_eq(config.keyring, "/k");
    char fsid[DAEMON_FSID_TEXT];
    ck_assert_str_eq(daemon_fsid_print(config.fsid, fsid), "2f0c1a3e-0000-4000-8000-5d1b6a7c8d9e");
    ck_assert_uint_eq(config.num_pools, 2);
    ck_assert_uint_eq(config.pools[0].id, 2);
    ck_assert_str_eq(config.pools[1].name, "a");
    ck_assert_uint_eq(config.threads, 3);
    ck_assert_str_eq(config.handler, "openssl");
    ck_assert_uint_eq(config.modes[0], SIGNET_MODE_CRC);
    ck_assert_uint_eq(config.num_modes, 2);
    ck_assert_int_eq(config.preferred_cipher, SIGNET_KEY_AES);
    ck_assert_int_eq(config.service_cipher, SIGNET_KEY_AES256K);
    ck_assert_str_eq(addr(&config.metrics), "any:[::1]:80/0");
    ck_assert(config.allow_insecure_reclaim);
    ck_assert_int_eq(ARGS("--state=/s", "--auth-ttl=8", "--service-ttl=4", "--service-cipher=aes",
                          "--ctl=/c", "--drain=0", "--log-level=debug", "--metrics=none",
                          "--allow-insecure-reclaim=no", "--allowed-ciphers=aes",
                          "--store-bytes=3M", "--journal-keep=5K"),
                     TOOL_OK);
    ck_assert_uint_eq(config.auth_ttl_s, 8);
    ck_assert_uint_eq(config.service_ttl_s, 4);
    ck_assert_int_eq(config.preferred_cipher, SIGNET_KEY_AES);
    ck_assert_str_eq(config.ctl, "/c");
    ck_assert_uint_eq(config.drain_s, 0);
    ck_assert_uint_eq(config.store_bytes, 3 << 20);
    ck_assert_uint_eq(config.journal_keep, 5 << 10);
    ck_assert(!config.metrics_on && !config.allow_insecure_reclaim);
    ck_assert_int_eq(ARGS("--state=/s", "--metrics=0"), TOOL_OK);
    ck_assert_str_eq(addr(&config.metrics), "any:127.0.0.1:0/0");
}
END_TEST

/* A port that is left out is the usual one; 0, written out, any free one. */
START_TEST(ports)
{
    static const struct {
        const char *value;
        uint16_t mon, osd;
    } rows[] = {
        {"v2:127.0.0.1", 3300, 6800},  {"127.0.0.1", 3300, 6800},
        {"any:127.0.0.1", 3300, 6800}, {"v2:[2001:db8::1]", 3300, 6800},
        {"2001:db8::1", 3300, 6800},   {"v2:127.0.0.1:0", 0, 0},
        {"v2:127.0.0.1:7/0", 7, 7},    {"v2:[2001:db8::1]:0", 0, 0},
        {"[2001:db8::1]:5", 5, 5},     {"v2:127.0.0.1/0", 3300, 6800},
    };
    char option[100];
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        snprintf(option, sizeof(option), "--mon=%s", rows[i].value);
        ck_assert_int_eq(ARGS("--state=/s", option, "--osd=v2:127.0.0.9"), TOOL_OK);
        ck_assert_msg(config.mon.port == rows[i].mon, "%s: %u", option, config.mon.port);
        snprintf(option, sizeof(option), "--osd=%s", rows[i].value);
        ck_assert_int_eq(ARGS("--state=/s", option, "--mon=v2:127.0.0.9"), TOOL_OK);
        ck_assert_msg(config.osd.port == rows[i].osd, "%s: %u", option, config.osd.port);
    }
    ck_assert_int_eq(ARGS("--state=/s", "--metrics=127.0.0.2"), TOOL_OK);
    ck_assert_str_eq(addr(&config.metrics), "any:127.0.0.2:9284/0");
    ck_assert_int_eq(ARGS("--state=/s", "--metrics=::1"), TOOL_OK);
    ck_assert_str_eq(addr(&config.metrics), "any:[::1]:9284/0");
    ck_assert_int_eq(ARGS("--state=/s", "--metrics=127.0.0.2:0"), TOOL_OK);
    ck_assert_str_eq(addr(&config.metrics), "any:127.0.0.2:0/0");
}
END_TEST

/* Each value that an option must refuse, with what the message says. */
START_TEST(wrong_values)
{
    static const struct {
        const char *option, *says;
    } rows[] = {
        {"--mon=v1:127.0.0.1:3300", "--mon: 'v1:127.0.0.1:3300' is not v2:IP[:PORT]"},
        {"--mon=v2:127.0.0.1:3300/5", "without nonce"},
        {"--mon=0.0.0.0:3300", "an IP that clients can dial"},
        {"--osd=v2:[::]:6800", "--osd: 'v2:[::]:6800' is not"},
        {"--osd=localhost", "is not v2:IP[:PORT]"},
        {"--state=", "--state: '' is not a path"},
        {"--keyring=", "is not a path"},
        {"--ctl=", "is not a path"},
        {"--fsid=2f0c1a3e", "is not a UUID"},
        {"--fsid=2f0c1a3e-0000-4000-8000-5d1b6a7c8d9ez", "is not a UUID"},
        {"--fsid=00000000-0000-0000-0000-000000000000", "is not a UUID"},
        {"--pool=data", "is not NAME=ID"},
        {"--pool=data=0", "an id from 1"},
        {"--pool=a b=1", "is not NAME=ID"},
        {"--pool==1", "is not NAME=ID"},
        {"--threads=0", "--threads: '0' is not a number from 1 to 256"},
        {"--threads=4x", "is not a number"},
        {"--handler=gcrypt", "'gcrypt' is not nss, openssl or"},
        {"--ms-mode=plain", "is not crc, secure, prefer-crc or prefer-secure"},
        {"--allowed-ciphers=aes,des", "is not a list of aes and aes256k"},
        {"--allowed-ciphers=none", "is not a list"},
        {"--allowed-ciphers=aes,", "is not a list"},
        {"--preferred-cipher=none", "is not aes or aes256k"},
        {"--service-cipher=x", "is not aes or aes256k"},
        {"--auth-ttl=0", "is not a whole number of seconds"},
        {"--service-ttl=1.5", "is not a whole number of seconds"},
        {"--service-ttl=315532801", "is not a whole number of seconds"},
        {"--metrics=v2:127.0.0.1:1", "is not none, PORT, or IP[:PORT]"},
        {"--metrics=65536", "is not none, PORT"},
        {"--max-peers=0", "--max-peers: '0' is not a number from 1 to 10000000"},
        {"--max-half-open=x", "--max-half-open: 'x' is not a number from 1"},
        {"--journal=", "is not a path"},
        {"--journal-sync=maybe", "is not yes or no"},
        {"--max-output=16383K", "--max-output: '16383K' is not a number of bytes from 16M"},
        {"--max-input=1Q", "--max-input: '1Q' is not a number of bytes from 16M"},
        {"--journal-keep=0", "is not a number of bytes from 1"},
        {"--store-bytes=0", "is not a number of bytes from 1"},
        {"--store-bytes=G", "is not a number of bytes from 1"},
        {"--store-bytes=1GB", "is not a number of bytes from 1"},
        {"--store-bytes=1X", "is not a number of bytes from 1"},
        {"--store-bytes=1025T", "is not a number of bytes from 1"},
        {"--drain=-1", "is not a number from 0 to 3600"},
        {"--log-level=loud", "is not error, warn, info or debug"},
        {"--allow-insecure-reclaim=maybe", "is not yes or no"},
        {"--nonsense", "there is no option '--nonsense'"},
        {"--threads", "the option '--threads' lacks its value"},
        {"-x", "there is no option '-x'"},
        {"word", "there are no arguments, but 'word' was given"},
        {"--config=/nonexistent/signetd.conf", "cannot read the configuration /nonexistent"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        ck_assert_int_eq(ARGS("--state=/s", rows[i].option), TOOL_USAGE);
        ck_assert_msg(strstr(why.text, rows[i].says) != NULL, "%s: %s", rows[i].option, why.text);
    }
}
END_TEST

START_TEST(wrong_together)
{
    ck_assert_int_eq(ARGS("--threads=1"), TOOL_USAGE);
    ck_assert_ptr_nonnull(strstr(why.text, "--state DIR"));
    ck_assert_int_eq(ARGS("--state=/s", "--preferred-cipher=aes"), TOOL_USAGE);
    ck_assert_ptr_nonnull(strstr(why.text, "preferred-cipher is aes, but allowed-ciphers"));
    ck_assert_int_eq(ARGS("--state=/s", "--mon=127.0.0.1:7", "--osd=127.0.0.1:7"), TOOL_USAGE);
    ck_assert_ptr_nonnull(strstr(why.text, "same address"));
    ck_assert_int_eq(ARGS("--state=/s", "--pool=a=1", "--pool=b=1"), TOOL_USAGE);
    ck_assert_ptr_nonnull(strstr(why.text, "'b=1'"));
    ck_assert_int_eq(ARGS("--state=/s", "--pool=a=1", "--pool=a=2"), TOOL_USAGE);
    ck_assert_int_eq(ARGS("--state=/s", "--journal-sync"), TOOL_USAGE);
    ck_assert_ptr_nonnull(strstr(why.text, "journal-sync needs a journal: --journal DIR"));
    ck_assert_int_eq(ARGS("--state=/s", "--journal-sync=no"), TOOL_OK);
    char path[1200];
    memset(path, 'a', sizeof(path));
    path[sizeof(path) - 1] = 0;
    ck_assert_int_eq(ARGS("--state", path), TOOL_USAGE);
}
END_TEST

START_TEST(file)
{
    ck_assert_int_eq(read_text("# signetd\n\n  state = /var/lib/signet   # here\r\n"
                               "mon=v2:10.0.0.1:3300\n\tpool = b=2\npool = a=1\n"
                               "allow-insecure-reclaim = yes\nkeyring = /a#b\n"
                               "log-level = warn"),
                     TOOL_OK);
    ck_assert_str_eq(config.state, "/var/lib/signet");
    ck_assert_str_eq(config.keyring, "/a#b");
    ck_assert_str_eq(addr(&config.mon), "v2:10.0.0.1:3300/0");
    ck_assert_uint_eq(config.num_pools, 2);
    ck_assert_str_eq(config.pools[0].name, "a");
    ck_assert(config.allow_insecure_reclaim);
    ck_assert_int_eq(config.log_level, SIGNET_LOG_WARN);
    ck_assert_int_eq(read_text(""), TOOL_OK);
}
END_TEST

START_TEST(wrong_file)
{
    static const struct {
        const char *text, *says;
    } rows[] = {
        {"state = /s\nmon host = x\n", "conf:2: there is no option 'mon host' here"},
        {"\n\nthreads = 0\n", "conf:3: threads: '0' is not a number from 1 to 256"},
        {"threads = 1\nosd = x", "conf:2: osd: 'x' is not v2:IP[:PORT]"},
        {"[global]\n", "conf:1: expected 'name = value', found '[global]'"},
        {"= x\n", "conf:1: expected 'name = value'"},
        {"state\n", "conf:1: expected 'name = value', found 'state'"},
        {"config = /other\n", "conf:1: there is no option 'config' here"},
        {"threads = 1\n\nthreads = 2\n", "conf:3: threads was given in line 1 already"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        ck_assert_int_eq(read_text(rows[i].text), TOOL_USAGE);
        ck_assert_msg(strstr(why.text, rows[i].says) != NULL, "%s", why.text);
    }
    daemon_config_defaults(&config);
    ck_assert_int_eq(daemon_config_text(&config, "conf", "a\0b", 3, &why), TOOL_USAGE);
    ck_assert_str_eq(why.text, "conf: not a text, it has a byte 0");
}
END_TEST

START_TEST(command_line_wins)
{
    char path[] = "/tmp/signetd-conf-XXXXXX";
    static const char text[] = "threads = 2\nhandler = nss\npool = x=1\npool = y=2\nstate = /f\n";
    int fd = mkstemp(path);
    ck_assert_int_eq(write(fd, text, sizeof(text) - 1), (ssize_t)sizeof(text) - 1);
    close(fd);
    ck_assert_int_eq(ARGS("--threads=5", "--pool=z=9", "--config", path), TOOL_OK);
    ck_assert_uint_eq(config.threads, 5);
    ck_assert_str_eq(config.handler, "nss");
    ck_assert_uint_eq(config.num_pools, 1);
    ck_assert_str_eq(config.pools[0].name, "z");
    ck_assert_str_eq(config.state, "/f");
    ck_assert_int_eq(ARGS("--config", path), TOOL_OK);
    ck_assert_uint_eq(config.num_pools, 2);
    unlink(path);
}
END_TEST

/* What a reload cannot apply is named; the two options that it can are not. */
START_TEST(changes)
{
    struct daemon_config before;
    char names[300];
    ck_assert_int_eq(ARGS("--state=/s"), TOOL_OK);
    before = config;
    ck_assert(!daemon_config_fixed_changes(&before, &config, names, sizeof(names)));
    ck_assert_int_eq(ARGS("--state=/s", "--handler=openssl", "--log-level=error"), TOOL_OK);
    ck_assert(!daemon_config_fixed_changes(&before, &config, names, sizeof(names)));
    ck_assert_int_eq(ARGS("--state=/t", "--mon=127.0.0.1:1", "--osd=127.0.0.1:2",
                          "--fsid=2f0c1a3e-0000-4000-8000-5d1b6a7c8d9e", "--pool=z=9",
                          "--threads=5", "--ms-mode=crc", "--auth=none", "--allowed-ciphers=aes",
                          "--auth-ttl=1", "--service-ttl=1", "--allow-insecure-reclaim",
                          "--metrics=none", "--journal=/j", "--journal-sync", "--journal-keep=1M",
                          "--drain=1", "--store-bytes=7M", "--max-peers=3", "--max-half-open=2",
                          "--max-output=5G", "--max-input=16M"),
                     TOOL_OK);
    ck_assert(daemon_config_fixed_changes(&before, &config, names, sizeof(names)));
    ck_assert_str_eq(names,
                     "mon osd state keyring fsid pool threads max-peers max-half-open max-output "
                     "max-input ms-mode auth "
                     "allowed-ciphers "
                     "preferred-cipher service-cipher auth-ttl service-ttl "
                     "allow-insecure-reclaim metrics ctl journal journal-sync");
    char small[8];
    ck_assert(daemon_config_fixed_changes(&before, &config, small, sizeof(small)));
    ck_assert_str_eq(small, "mon osd");
    /* Every option is either live or watched here. */
    for (size_t i = 0; daemon_option_at(i) != NULL; i++) {
        const struct daemon_option *o = daemon_option_at(i);
        bool named = strstr(names, o->name) != NULL;
        ck_assert_msg(o->live != named || strcmp(o->name, "config") == 0, "%s", o->name);
    }
    before = config;
    ck_assert_int_eq(ARGS("--state=/t"), TOOL_OK); /* without pools those before stay */
    ck_assert(daemon_config_fixed_changes(&before, &config, names, sizeof(names)));
    ck_assert_ptr_null(strstr(names, "pool"));
    ck_assert_int_eq(ARGS("--state=/t", "--pool=y=9"), TOOL_OK);
    ck_assert(daemon_config_fixed_changes(&before, &config, names, sizeof(names)));
    ck_assert_ptr_nonnull(strstr(names, "pool"));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("daemon_config");
    TCase *t = tcase_create("daemon_config");
    tcase_add_test(t, defaults);
    tcase_add_test(t, all_options);
    tcase_add_test(t, ports);
    tcase_add_test(t, wrong_values);
    tcase_add_test(t, wrong_together);
    tcase_add_test(t, file);
    tcase_add_test(t, wrong_file);
    tcase_add_test(t, command_line_wins);
    tcase_add_test(t, changes);
    suite_add_tcase(suite, t);
    return suite_run(suite);
}
