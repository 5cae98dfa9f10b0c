/* SPDX-License-Identifier: MIT */
/* A directory of its own for each case: made in its fixture, and gone with all that is in it. One
 * at a time. */
#ifndef SIGNET_TEST_TEMP_DIR_H
#define SIGNET_TEST_TEMP_DIR_H

/* Makes it, empty and with mode 0700; its path stays until the next one is made. */
const char *temp_dir_make(void);
/* The path of a name in it, in one static buffer. */
const char *temp_dir_path(const char *name);
void temp_dir_remove(void);

#endif
