/* The option --workers. */
#ifndef STARFISH_APPS_WORKERS_H
#define STARFISH_APPS_WORKERS_H

#include <starfish/context.h>

#define WORKERS_WORDS "all, cpu, gpu, cpu:N, gpu:M or cpu:N,gpu:M"
#define WORKERS_SETS "sets with ; between, each as for solve"

/* Error: ARGUMENT. */
starfish_status workers_read(const char *text, struct starfish_context_options *options);
/* A 2D problem is one chain of levels: without a GPU its cores share every task, unless the options say otherwise. */
void workers_for_flat_problem(struct starfish_context_options *options);

#endif
