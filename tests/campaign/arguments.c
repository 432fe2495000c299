/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Arguments that all campaigns take: the seed, how many problems, one of them alone, and the workers to run on. */
#include "arguments.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int read_number(const char *text, uint64_t *value)
{
    char *end;
    *value = strtoull(text, &end, 10);
    return *text != 0 && *end == 0;
}

static int read_workers(const char *text, struct campaign_arguments *a)
{
    a->gpus = 0;
    if (sscanf(text, "cpu:%d,gpu:%d", &a->cpus, &a->gpus) >= 1)
        return 1;
    a->cpus = 0;
    return sscanf(text, "gpu:%d", &a->gpus) == 1;
}

int campaign_argument(struct campaign_arguments *a, const char *name, const char *value)
{
    int known = 0;
    if (strcmp(name, "--verbose") == 0)
        return a->verbose = 1;
    if (strcmp(name, "--seed") == 0)
        known = read_number(value, &a->seed);
    else if (strcmp(name, "--count") == 0)
        known = read_number(value, &a->count);
    else if (strcmp(name, "--first") == 0)
        known = read_number(value, &a->first);
    else if (strcmp(name, "--only") == 0)
        known = read_number(value, &a->first) && (a->count = 1);
    else if (strcmp(name, "--workers") == 0)
        known = read_workers(value, a);
    return known ? 2 : 0;
}
