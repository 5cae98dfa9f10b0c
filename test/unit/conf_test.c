/* SPDX-License-Identifier: MIT */
/* What is read of a ceph.conf. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/suite.h"

#include "conf.h"

static char why[200];

static struct tool_conf *load(const char *text)
{
    char path[] = "/tmp/signet-conf-XXXXXX";
    int fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
    struct tool_conf *conf = tool_conf_load(path, why);
    unlink(path);
    return conf;
}

static void expect(const struct tool_conf *conf, const char *entity, const char *key,
                   const char *value)
{
    char *got = tool_conf_get(conf, entity, key);
    if (value)
        ck_assert_str_eq(got, value);
    else
        ck_assert_ptr_null(got);
    free(got);
}

START_TEST(sections)
{
    struct tool_conf *conf = load("# comment\n"
                                  "mon host = before any section\n"
                                  "[global]\n"
                                  "mon host = 10.0.0.1 ; comment\n"
                                  "keyring = /g\n"
                                  "[client]\n"
                                  "keyring = /c\n"
                                  "[client.admin]\n"
                                  "keyring = /a\n"
                                  "keyring = /later\n");
    ck_assert_ptr_nonnull(conf);
    expect(conf, "client.admin", "keyring", "/later");
    expect(conf, "client.x", "keyring", "/c");
    expect(conf, "osd.0", "keyring", "/g");
    expect(conf, "osd.0", "mon_host", "10.0.0.1");
    expect(conf, "osd.0", "fsid", NULL);
    tool_conf_free(conf);
}
END_TEST

START_TEST(spelling)
{
    struct tool_conf *conf = load("  [ global ]  \n"
                                  "mon-host=\"[v2:1.2.3.4:3300,v1:1.2.3.4:6789]\"\r\n"
                                  "auth  client_required = cephx\n"
                                  "log file = 'a # b'\n"
                                  "run dir = /a\\\n/b\n"
                                  "empty =\n");
    ck_assert_ptr_nonnull(conf);
    expect(conf, "client.a", "mon_host", "[v2:1.2.3.4:3300,v1:1.2.3.4:6789]");
    expect(conf, "client.a", "auth_client_required", "cephx");
    expect(conf, "client.a", "log_file", "a # b");
    expect(conf, "client.a", "run_dir", "/a/b");
    expect(conf, "client.a", "empty", "");
    tool_conf_free(conf);
}
END_TEST

START_TEST(variables)
{
    struct tool_conf *conf = load("[global]\n"
                                  "keyring = /etc/$cluster.$name.keyring,/$type/$id/$other$\n");
    ck_assert_ptr_nonnull(conf);
    expect(conf, "client.a.b", "keyring", "/etc/ceph.client.a.b.keyring,/client/a.b/$other$");
    tool_conf_free(conf);
}
END_TEST

START_TEST(wrong)
{
    ck_assert_ptr_null(load("[global]\nno option\n"));
    ck_assert_ptr_nonnull(strstr(why, "line 2"));
    ck_assert_ptr_null(load("[global\n"));
    ck_assert_ptr_null(load("= value\n"));
    ck_assert_ptr_null(tool_conf_load("/nonexistent/ceph.conf", why));
    ck_assert_ptr_nonnull(strstr(why, "No such file"));
    tool_conf_free(NULL);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("conf");
    TCase *t = tcase_create("conf");
    tcase_add_test(t, sections);
    tcase_add_test(t, spelling);
    tcase_add_test(t, variables);
    tcase_add_test(t, wrong);
    suite_add_tcase(suite, t);
    return suite_run(suite);
}
