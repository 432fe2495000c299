/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The option --workers (workers.h): words such as cpu:4,gpu:1 become the counts of a context's options, and errors name
 * the word. */
#include "apps/workers.h"
#include "apps/names.h"

#include "base/status.h"
#include "scheduler/runtime/context.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

static starfish_status complain(const char *text)
{
    return starfish_fail(STARFISH_ERROR_ARGUMENT, "--workers: '%s' is not " WORKERS_WORDS, text);
}

/* One "kind" or "kind:count" at *at, which moves behind it. */
static int read_kind(const char **at, int counts[STARFISH_WORKER_KINDS], int seen[STARFISH_WORKER_KINDS])
{
    int kind = 0;
    while (kind < STARFISH_WORKER_KINDS && strncmp(*at, names_workers[kind], 3) != 0)
        ++kind;
    if (kind == STARFISH_WORKER_KINDS || seen[kind]++)
        return 0;
    *at += 3;
    counts[kind] = -1;
    if (**at == ':') {
        char *end;
        errno = 0;
        long count = strtol(*at + 1, &end, 10);
        if (end == *at + 1 || errno || count < 0 || count > INT_MAX)
            return 0;
        counts[kind] = (int)count;
        *at = end;
    }
    return 1;
}

starfish_status workers_read(const char *text, struct starfish_context_options *options)
{
    int counts[STARFISH_WORKER_KINDS] = {0}, seen[STARFISH_WORKER_KINDS] = {0}, more = 1;
    const char *at = text;
    if (strcmp(text, "all") == 0)
        return STARFISH_SUCCESS;
    if (strcmp(text, "team") == 0) {
        options->gpu_workers = 0;
        workers_as_one_team(options);
        return STARFISH_SUCCESS;
    }
    while (more) {
        if (!read_kind(&at, counts, seen))
            return complain(text);
        more = *at == ',';
        at += more;
    }
    if (*at || (counts[STARFISH_CPU] == 0 && counts[STARFISH_GPU] == 0))
        return complain(text);
    options->cpu_workers = counts[STARFISH_CPU];
    options->gpu_workers = counts[STARFISH_GPU];
    return STARFISH_SUCCESS;
}

starfish_status workers_open(const char *text, int as_team, starfish_context **context)
{
    struct starfish_context_options options = STARFISH_CONTEXT_OPTIONS_DEFAULTS;
    STARFISH_TRY(workers_read(text, &options));
    if (as_team)
        workers_as_one_team(&options);
    return starfish_context_create(context, &options);
}

void workers_as_one_team(struct starfish_context_options *options)
{
    int cores, numa_nodes;
    starfish_topology_count(&cores, &numa_nodes);
    if (options->cores_per_worker == 0 && (options->gpu_workers == 0 || starfish_gpu_count() == 0))
        options->cores_per_worker = cores;
}
