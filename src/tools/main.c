/* SPDX-License-Identifier: MIT */
/* signet: finds the subcommand and hands over. */
#include <stdio.h>
#include <string.h>

#include <signet/signet.h>

#include "commands.h"
#include "tool.h"

struct command {
    const char *name, *text;
    int (*run)(int argc, char **argv);
};

#define COMMAND_ROW_(name, text) {#name, text, signet_cmd_##name},
static const struct command commands[] = {SIGNET_COMMANDS(COMMAND_ROW_){NULL, NULL, NULL}};
#undef COMMAND_ROW_

static void print_help(FILE *out)
{
    fputs("Usage: signet COMMAND [OPTION...]\n"
          "Keys, logins and recorded sessions of Ceph-compatible authentication (cephx, msgr2).\n"
          "\n"
          "Commands:\n",
          out);
    for (const struct command *c = commands; c->name; c++)
        fprintf(out, "  %-10s %s\n", c->name, c->text);
    fputs("\n"
          "  -h, --help     this help; 'signet COMMAND --help' for one command\n"
          "  -V, --version  the version\n"
          "\n"
          "Exit codes: 0 done, 1 failure (the message says why), 2 wrong usage.\n",
          out);
}

static int run_command(int argc, char **argv)
{
    for (const struct command *c = commands; c->name; c++)
        if (strcmp(argv[0], c->name) == 0)
            return c->run(argc, argv);
    fputs("signet: there is no command '", stderr);
    tool_put_text(stderr, argv[0], strlen(argv[0]));
    fputs("'\nTry 'signet --help'.\n", stderr);
    return TOOL_USAGE;
}

/* 'signet help' and 'signet help COMMAND' say what --help does. */
static int show_help(int argc, char **argv)
{
    if (argc < 2) {
        print_help(stdout);
        return TOOL_OK;
    }
    char option[] = "--help", *asked[] = {argv[1], option, NULL};
    return run_command(2, asked);
}

static int dispatch(int argc, char **argv)
{
    if (argc < 2) {
        print_help(stderr);
        return TOOL_USAGE;
    }
    if (strcmp(argv[1], "help") == 0)
        return show_help(argc - 1, argv + 1);
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        print_help(stdout);
        return TOOL_OK;
    }
    if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0) {
        printf("signet %s\n", SIGNET_VERSION);
        return TOOL_OK;
    }
    return run_command(argc - 1, argv + 1);
}

int main(int argc, char **argv)
{
    int code = dispatch(argc, argv);
    /* A full disk must not look like success. */
    if (fflush(stdout) != 0 || ferror(stdout)) {
        perror("signet: writing the output");
        return code == TOOL_OK ? TOOL_FAILURE : code;
    }
    return code;
}
