/* SPDX-License-Identifier: MIT */
/* The subcommands of signet. Each has its own file(s) and one line here. */
#ifndef SIGNET_TOOLS_COMMANDS_H
#define SIGNET_TOOLS_COMMANDS_H

/* X(name, one line for --help). Implemented by signet_cmd_NAME(): argv[0] is the subcommand's
 * name, so that getopt_long works as in a main(); the result is the exit code (tool.h). */
#define SIGNET_COMMANDS(X)                                                                         \
    X(authtool, "make, show and change keyring files, as ceph-authtool does")                      \
    X(handlers, "crypto libraries: version, self-test, FIPS state")                                \
    X(ping, "log in at a monitor or OSD, step by step, and measure")                               \
    X(decode, "open and check recorded connections")                                               \
    X(bench, "load an OSD as rados bench does, and measure")

#define SIGNET_COMMAND_DECLARE_(name, text) int signet_cmd_##name(int argc, char **argv);
SIGNET_COMMANDS(SIGNET_COMMAND_DECLARE_)
#undef SIGNET_COMMAND_DECLARE_

#endif
