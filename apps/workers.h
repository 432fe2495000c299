/* The option --workers: all, cpu, gpu, cpu:N, gpu:M or both with a comma between. */
#ifndef STARFISH_APPS_WORKERS_H
#define STARFISH_APPS_WORKERS_H

#include <starfish/context.h>

/* Error: ARGUMENT. */
starfish_status workers_read(const char *text, struct starfish_context_options *options);

#endif
