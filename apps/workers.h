/* The option --workers: all, cpu, gpu, cpu:N, gpu:M or both with a comma between. */
#ifndef STARFISH_APPS_WORKERS_H
#define STARFISH_APPS_WORKERS_H

#include <starfish/context.h>

/* Error: ARGUMENT. */
starfish_status workers_read(const char *text, struct starfish_context_options *options);
/* A 2D problem is one chain of levels: without a GPU its cores share every task, unless the options say otherwise. */
void workers_for_flat_problem(struct starfish_context_options *options);

#endif
