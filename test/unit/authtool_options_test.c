/* SPDX-License-Identifier: MIT */
/* signet authtool option by option. Each row was compared with ceph-authtool 16.2.15, unless its
 * comment says why it is not the same; test/interop/authtool.sh does it again. */
#include "support/suite.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/command.h"
#include "support/temp_dir.h"

#define K1    "AQAQBwpZAAAAABAAAQIDBAUGBwgJCgsMDQ4PEA=="
#define K2    "AQAAL2hZFc1bBxAA8PHy8/T19vf4+fr7/P3+/w=="
#define NONE  "AAAAAAAAAAAAAAAA"
#define A     "[client.a]\n\tkey = " K2 "\n"
#define ADMIN "[client.admin]\n\tkey = " K1 "\n\tcaps mon = \"allow *\"\n"
#define BASE  A ADMIN
#define OSD   "[osd.1]\n\tkey = " K1 "\n\tcaps mon = \"allow *\"\n"
#define HELP  "\nTry 'signet authtool --help'."

struct row {
    const char *args; /* "~" between them; the file is k, with BASE and mode 0640, or new */
    int code;
    const char *out, *err; /* err: its beginning */
    const char *k;         /* k afterwards; NULL: as before. NEW is a new key of 60 characters */
};

static const struct row rows[] = {
    {"k~-l", 0, BASE, "", NULL},
    {"k~--list", 0, BASE, "", NULL},
    {"-l~k", 0, BASE, "", NULL},
    {"k~-p", 0, K1 "\n", "", NULL},
    {"k~--print-key~--name~client.a", 0, K2 "\n", "", NULL},
    {"k~--print_key~--name=client.a", 0, K2 "\n", "", NULL},
    {"k~-p~-n=client.a", 0, K2 "\n", "", NULL},
    {"k~-p~--id~a", 0, K2 "\n", "", NULL},
    {"k~-p~--user=a~--cluster~x~--conf=/dev/null", 0, K2 "\n", "", NULL},
    {"k~-p~--id~a~-n~client.admin", 0, K1 "\n", "", NULL},
    {"k~-l~-p", 0, BASE K1 "\n", "", NULL},
    {"k~-p~-n~client.b", 1, "", "entity client.b not found", NULL},
    {"k~-l~--~-p~rubbish", 0, BASE, "", NULL},
    {"k~-l~-n~bogus", 1, "",
     "error parsing 'bogus': expected string of the form TYPE.ID, valid types are: auth, mon, osd, "
     "mds, mgr, client\n",
     NULL},
    {"k~-p~-nclient.a", 1, "", "signet authtool: unexpected '-nclient.a'", NULL},
    {"k~-lp", 1, "", "signet authtool: unexpected '-lp'", NULL},
    {"k~--list=1", 1, "", "signet authtool: unexpected '--list=1'", NULL},
    {"k~k2~-l", 1, "", "signet authtool: unexpected 'k2'" HELP, NULL},
    {"k~-u~5~-l", 1, "", "signet authtool: unexpected '-u'", NULL},
    /* ceph-authtool would make a file of this name */
    {"--gen-kye~-C", 1, "", "signet authtool: unexpected '--gen-kye'\nIf it is the name", NULL},
    {"", 1, "", "signet authtool: -h or --help for usage\n", NULL},
    {"-l", 1, "", "signet authtool: must specify filename" HELP, NULL},
    {"k", 1, "", "no command specified" HELP, NULL},
    {"k~--mode~0644", 1, "", "no command specified" HELP, NULL},
    {"k~-n", 1, "", "Option -n requires an argument.", NULL},
    {"k~--add-key", 1, "", "Option --add-key requires an argument.", NULL},
    {"k~--add-key=", 1, "", "Option --add-key requires an argument", NULL},
    {"k~-g~--mode~9", 1, "", "Option --mode requires an argument: '9'", NULL},
    {"k~-g~-a~" K2, 1, "", "can't both gen-key and add-key" HELP, NULL},
    {"no~-l", 1, "", "can't open no: (2) No such file or directory\nWith -C", NULL},
    {"/~-l", 1, "", "can't open /: (21) Is a directory\n", NULL},
    {"bad~-l", 1, "", "error reading file bad\nbad: line 2: found the option 'foo', expected",
     NULL},
    {"k~-C", 0, "creating k\n", "", ""},
    {"k~-C~-l~-g~-p~-n~client.z", 0, "creating k\n[client.z]\n\tkey = NEW\nNEW\n", "",
     "[client.z]\n\tkey = NEW\n"},
    {"k~-C~--cap~mon~x", 1, "", "must specify either gen-key or add-key when creating" HELP, NULL},
    {"k~-C~-p", 1, "creating k\n", "entity client.admin not found", NULL},
    {"/no/where~-C", 1, "creating /no/where\n", "could not write /no/where\n", NULL},
    {"k~-g", 0, "", "", A "[client.admin]\n\tkey = NEW\n"},
    {"k~--gen_key~--name~client.b~--cap~mon~x", 0, "", "",
     A ADMIN "[client.b]\n\tkey = NEW\n\tcaps mon = \"x\"\n"},
    {"k~-g~-n~client.a~--key-type=AES256K", 0, "", "", "[client.a]\n\tkey = NEW\n" ADMIN},
    {"k~-g~-t~none", 1, "", "invalid key type: none", NULL},
    {"k~-g~--key-type~foo", 1, "", "invalid key type: foo", NULL},
    {"--gen-print-key", 0, "NEW\n", "", NULL},
    {"--gen-print-key~k~-C~-g~-l", 0, "NEW\n", "", NULL},
    /* the messages about added keys do not show them */
    {"k~-a~" K2, 0, "added entity client.admin auth(key=...)\n", "",
     A "[client.admin]\n\tkey = " K2 "\n"},
    {"k~-a~" K1 "~-n~client.a~--cap~mon~x~-p", 0,
     "added entity client.a auth(key=...)\nadded 1 caps to entity client.a\n" K1 "\n", "",
     "[client.a]\n\tkey = " K1 "\n\tcaps mon = \"x\"\n" ADMIN},
    {"k~-a~!!!", 1, "", "can't decode key: the text is not valid base64 (BASE64)", NULL},
    {"k~-a~AAAA", 1, "", "can't decode key", NULL},
    {"k~-a~BwABAAAAAAAAABAAAAECAwQFBgcICQoLDA0ODw==", 1, "", "can't decode key", NULL},
    {"k~-a~AQABAAAAAAAAAA8AAQIDBAUGBwgJCgsMDQ4P", 1, "", "can't decode key", NULL},
    /* longer than its cipher's: ceph-authtool takes it */
    {"k~-a~AQABAAAAAAAAACAAAAECAwQFBgcICQoLDA0ODwABAgMEBQYHCAkKCwwNDg8=", 1, "",
     "can't decode key: the secret has the wrong length for its key type (KEY_LENGTH)", NULL},
    {"k~--cap", 1, "", "Option --cap requires an argument.", NULL},
    {"k~--cap~mon", 1, "", "must give two arguments to --cap: key and val.", NULL},
    {"k~--cap~osd~-l~--cap~mon~a \"b\"~--cap~osd~z~-n~client.a", 0, "", "",
     A "\tcaps mon = \"a \\\"b\\\"\"\n\tcaps osd = \"-l\"\n" ADMIN},
    {"k~--cap~mon~x~-n~client.b", 1, "",
     "can't find existing key for client.b and neither gen-key nor add-key specified\n", NULL},
    /* which ceph-authtool writes so that it cannot read them again, or as something else */
    {"k~--cap~mon~a\\b#c;~-n~client.a", 0, "", "", A "\tcaps mon = \"a\\\\b\\#c\\;\"\n" ADMIN},
    {"k~--cap~mon~a\nb", 1, "", "can't set the capability 'mon' of client.admin", NULL},
    {"k~--cap~a=b~x", 1, "", "can't set the capability 'a=b' of client.admin", NULL},
    {"k~--caps~caps~-n~client.a", 0, "", "", A "\tcaps mgr = \"\"\n\tcaps mon = \"r w\"\n" ADMIN},
    {"k~--caps~caps~-n~client.b", 0, "", "",
     A ADMIN "[client.b]\n\tkey = " NONE "\n\tcaps mgr = \"\"\n\tcaps mon = \"r w\"\n"},
    {"k~--caps=caps~--cap~osd~x", 0, "", "",
     A "[client.admin]\n\tkey = " K1 "\n\tcaps osd = \"x\"\n"},
    {"k~--caps~plain~-n~client.a", 1, "",
     "could not parse caps file plain\nplain: line 2: found 'o', expected a section", NULL},
    {"k~--caps~no", 1, "", "could not parse caps file no: (2) No such file", NULL},
    {"k~--import-keyring~imp", 0, "importing contents of imp into k\n", "",
     OSD "[client.a]\n\tkey = " K1 "\n\tcaps osd = \"x\"\n" ADMIN},
    {"k~--import-keyring~bad", 1, "", "error reading file bad\n", NULL},
    {"k~-C~--import-keyring~no", 1, "creating k\n", "can't open no: (2)", NULL},
    {"k~--import-keyring=imp~-g~-n~client.a~--cap~mgr~x", 0, "importing contents of imp into k\n",
     "", OSD "[client.a]\n\tkey = NEW\n\tcaps mgr = \"x\"\n" ADMIN},
};
enum { NUM_ROWS = sizeof(rows) / sizeof(rows[0]) };

static void write_file(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    ck_assert_ptr_nonnull(f);
    fputs(text, f);
    fclose(f);
}

static void start(void)
{
    ck_assert_int_eq(chdir(temp_dir_make()), 0);
    umask(022);
    write_file("k", BASE);
    ck_assert_int_eq(chmod("k", 0640), 0);
    write_file("imp",
               "[client.a]\nkey=" K1 "\ncaps osd=x\n[osd.1]\nkey=" K1 "\ncaps mon = 'allow *'\n");
    write_file("bad", "[client.a]\n\tfoo = x\n");
    write_file("caps", "[global]\nmon = \"r w\"\nfoo = x\nmgr =\n");
    write_file("plain", "mon = \"allow r\"\nosd = \"allow rw\"\n");
}

static void stop(void)
{
    temp_dir_remove();
}

static struct command_result run(const char *args)
{
    static char copy[512];
    const char *list[24] = {"authtool"};
    size_t num = 1;
    snprintf(copy, sizeof(copy), "%s", args);
    for (char *p = copy; *args != 0 && p != NULL; num++) {
        list[num] = p;
        p = strchr(p, '~');
        if (p != NULL) {
            *p++ = 0;
        }
    }
    list[num] = NULL;
    return command_run(list);
}

/* Each base64 key of type 2 becomes NEW. */
static void name_new_keys(char *text)
{
    for (char *p = strstr(text, "Ag"); p != NULL; p = strstr(p + 3, "Ag")) {
        ck_assert_uint_ge(strlen(p), 60);
        ck_assert_int_eq(p[59], '=');
        memcpy(p, "NEW", 3);
        memmove(p + 3, p + 60, strlen(p + 60) + 1);
    }
}

static void assert_k(const char *want)
{
    char text[1024];
    struct stat st;
    FILE *f = fopen("k", "r");
    ck_assert_ptr_nonnull(f);
    text[fread(text, 1, sizeof(text) - 1, f)] = 0;
    fclose(f);
    name_new_keys(text);
    ck_assert_str_eq(text, want);
    ck_assert_int_eq(stat("k", &st), 0);
    ck_assert_uint_eq(st.st_mode & 07777, 0640);
}

START_TEST(does_as_ceph_authtool)
{
    const struct row *row = &rows[_i];
    struct command_result got = run(row->args);
    ck_assert_msg(got.code == row->code, "%s: %d: %s", row->args, got.code, got.err);
    name_new_keys(got.out);
    ck_assert_str_eq(got.out, row->out);
    ck_assert_msg(strncmp(got.err, row->err, strlen(row->err)) == 0, "%s: %s", row->args, got.err);
    ck_assert(*row->err != 0 || *got.err == 0);
    assert_k(row->k != NULL ? row->k : BASE);
    command_free(&got);
}
END_TEST

struct mode_row {
    const char *args;
    unsigned mode;
};

static const struct mode_row modes[] = {
    {"new~-C", 0600},
    {"new~-C~--mode~0644", 0644},
    {"new~-C~--mode=666", 0644}, /* less the umask */
    {"new~-C~--mode~0", 0},
    {"new~-C~--mode~ +7", 05}, /* as strtol() reads it */
};

START_TEST(new_files_get_their_mode)
{
    struct stat st;
    struct command_result got = run(modes[_i].args);
    ck_assert_int_eq(got.code, 0);
    ck_assert_int_eq(stat("new", &st), 0);
    ck_assert_uint_eq(st.st_mode & 07777, modes[_i].mode);
    command_free(&got);
}
END_TEST

START_TEST(makes_keys_for_old_ceph)
{
    struct command_result got = run("--gen-print-key~--key-type~aes");
    ck_assert_int_eq(got.code, 0);
    ck_assert_uint_eq(strlen(got.out), 41);
    ck_assert_int_eq(strncmp(got.out, "AQ", 2), 0);
    command_free(&got);
}
END_TEST

START_TEST(help_and_version)
{
    struct command_result got = run("k~-h~-x");
    ck_assert_int_eq(got.code, 1); /* as ceph-authtool */
    ck_assert_ptr_nonnull(strstr(got.out, "--gen-print-key"));
    command_free(&got);
    got = run("-v");
    ck_assert_int_eq(got.code, 0);
    ck_assert_int_eq(strncmp(got.out, "signet ", 7), 0);
    command_free(&got);
}
END_TEST

START_TEST(writes_to_stdout)
{
    struct command_result got = run("/dev/stdout~-C~-a~" K1);
    ck_assert_int_eq(got.code, 0);
    ck_assert_ptr_nonnull(strstr(got.out, "[client.admin]\n\tkey = " K1 "\n"));
    command_free(&got);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("authtool_options");
    TCase *t = tcase_create("options");
    tcase_add_checked_fixture(t, start, stop);
    suite_add_tcase(s, t);
    tcase_add_loop_test(t, does_as_ceph_authtool, 0, NUM_ROWS);
    tcase_add_loop_test(t, new_files_get_their_mode, 0, (int)(sizeof(modes) / sizeof(modes[0])));
    tcase_add_test(t, makes_keys_for_old_ceph);
    tcase_add_test(t, help_and_version);
    tcase_add_test(t, writes_to_stdout);
    return suite_run(s);
}
