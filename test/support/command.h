/* SPDX-License-Identifier: MIT */
/* Running the command as a user does. */
#ifndef SIGNET_TEST_COMMAND_H
#define SIGNET_TEST_COMMAND_H

struct command_result {
    int code;  /* exit code, or 128 + signal */
    char *out; /* stdout and stderr with a final NUL */
    char *err;
};

/* Runs `signet` (SIGNET_TOOL) with the arguments, which end with NULL, in the present directory. */
struct command_result command_run(const char *const *args);
void command_free(struct command_result *result);

#endif
