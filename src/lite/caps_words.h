/* SPDX-License-Identifier: MIT */
/* Words of capabilities. Each function takes what it knows from *at, or returns false and leaves
 * *at alone; those that return nothing take what may be left out. */
#ifndef SIGNET_LITE_CAPS_WORDS_H
#define SIGNET_LITE_CAPS_WORDS_H

#include <stdbool.h>

bool caps_blanks(const char **at);
/* This text, whatever follows. */
bool caps_word(const char **at, const char *text);
/* The same with blanks in front of it, and a value (bare or in quotes) with blanks in front. */
bool caps_next_word(const char **at, const char *text);
bool caps_next_value(const char **at);
/* Blanks, NAME=VALUE; or, where loose, NAME VALUE. */
bool caps_pair(const char **at, const char *name, bool loose);
/* Blanks, any KEY=VALUE. */
bool caps_any_pair(const char **at);
/* KEY=VALUE, KEY prefix VALUE and KEY regex VALUE, any number; behind "with". */
void caps_constraints(const char **at);
void caps_with_constraints(const char **at);
void caps_network(const char **at);
/* Blanks, and "*", "all" or letters of rwx in this order, each at most once. */
bool caps_next_rights(const char **at);

#endif
