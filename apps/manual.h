/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pages of the manual, and completion of command lines, made of the tables by which command lines are read: commands
 * tell their table instead of printing help (options_report). */
#ifndef STARFISH_APPS_MANUAL_H
#define STARFISH_APPS_MANUAL_H

#include "apps/options.h"

/* starfish man [COMMAND ...]: the page starfish(1), or that of a command, for `man -l`. */
int manual_man(const struct option_command *commands, size_t count, int argc, char **argv);

/* starfish completion bash | zsh | fish: the script. It calls `starfish completion words WORD ...` with the words of a
 * command line up to the one that is being written, and offers the lines that this prints: commands, options, or the
 * names that an option may have. */
int manual_completion(const struct option_command *commands, size_t count, int argc, char **argv);

#endif
