/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The option --workers, which all subcommands that solve have: the kinds and numbers of workers of their contexts. */
#ifndef STARFISH_APPS_WORKERS_H
#define STARFISH_APPS_WORKERS_H

#include <starfish/context.h>

#define WORKERS_WORDS "all, cpu, gpu, team, cpu:N, gpu:M or cpu:N,gpu:M"
#define WORKERS_SETS "sets with ; between, each as for solve"

/* team: all cores as one worker. Error: ARGUMENT. */
starfish_status workers_read(const char *text, struct starfish_context_options *options);
/* A context with these workers; as_team: workers_as_one_team. */
starfish_status workers_open(const char *text, int as_team, starfish_context **context);
/* Without a GPU all cores share every task, unless the options say otherwise: for chains of tasks, each of which waits
 * for all of the last (2D problems; iterations with many short tasks). */
void workers_as_one_team(struct starfish_context_options *options);

#endif
