/* SPDX-License-Identifier: MIT */
#include "support/command.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/suite.h"

enum { ARGS_MAX = 32 };

static char *slurp(FILE *f)
{
    size_t room = 4096, len = 0, n;
    char *text = malloc(room);
    ck_assert_ptr_nonnull(text);
    rewind(f);
    while ((n = fread(text + len, 1, room - len - 1, f)) > 0) {
        len += n;
        if (len + 1 == room) {
            room *= 2;
            text = realloc(text, room);
            ck_assert_ptr_nonnull(text);
        }
    }
    text[len] = 0;
    fclose(f);
    return text;
}

static void exec_tool(const char *const *args, FILE *out, FILE *err)
{
    const char *tool = getenv("SIGNET_TOOL");
    char *argv[ARGS_MAX + 2] = {(char *)(tool != NULL ? tool : "signet")};
    for (int i = 0; args[i] != NULL && i < ARGS_MAX; i++) {
        argv[i + 1] = (char *)args[i];
    }
    int null = open("/dev/null", O_RDONLY);
    dup2(null, 0);
    dup2(fileno(out), 1);
    dup2(fileno(err), 2);
    execvp(argv[0], argv);
    _exit(127);
}

struct command_result command_run(const char *const *args)
{
    FILE *out = tmpfile(), *err = tmpfile();
    ck_assert(out != NULL && err != NULL);
    pid_t pid = fork();
    ck_assert_int_ge(pid, 0);
    if (pid == 0) {
        exec_tool(args, out, err);
    }
    int status;
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    return (struct command_result){
        .code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
        .out = slurp(out),
        .err = slurp(err),
    };
}

void command_free(struct command_result *result)
{
    free(result->out);
    free(result->err);
}
