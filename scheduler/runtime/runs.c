/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Runs of rows (runs.h). They are made with plans and fields, so nothing here is performance-critical. */
#include "scheduler/runtime/runs.h"

#include "scheduler/runtime/ranks.h"

#include <stdlib.h>

void starfish_divide(size_t n, size_t parts, size_t *first)
{
    for (size_t part = 0; part <= parts; part++)
        first[part] = starfish_divided(n, parts, part);
}

/* Room for `more` parts behind those that there are. */
static starfish_status grow(struct starfish_runs *runs, size_t more)
{
    const size_t parts = runs->parts + more;
    size_t *const first = realloc(runs->first, (parts + 1) * sizeof *first);
    if (first)
        runs->first = first;
    struct starfish_owner *const owner = realloc(runs->owner, (parts + 1) * sizeof *owner);
    if (owner)
        runs->owner = owner;
    return first && owner ? STARFISH_SUCCESS
                          : starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for %zu parts of an array", parts);
}

starfish_status starfish_runs_add(struct starfish_runs *runs, size_t parts, size_t rows, struct starfish_owner owner)
{
    const size_t start = starfish_runs_end(runs);
    if (parts == 0)
        return STARFISH_SUCCESS;
    STARFISH_TRY(grow(runs, parts));
    starfish_divide(rows, parts, runs->first + runs->parts);
    for (size_t p = runs->parts; p < runs->parts + parts; p++) {
        runs->first[p] += start;
        runs->owner[p] = owner;
    }
    runs->parts += parts;
    runs->first[runs->parts] += start;
    return STARFISH_SUCCESS;
}

starfish_status starfish_runs_equally(struct starfish_runs *runs, size_t rows, size_t parts)
{
    runs->parts = 0;
    return starfish_runs_add(runs, parts, rows, (struct starfish_owner){0, STARFISH_ANY});
}

void starfish_runs_deal(struct starfish_runs *runs, size_t first, size_t gpus)
{
    for (size_t p = first; p < runs->parts; p++)
        runs->owner[p].device = (int)((p - first) * gpus / (runs->parts - first));
}

starfish_status starfish_runs_copy(struct starfish_runs *to, const struct starfish_runs *from)
{
    *to = (struct starfish_runs){.depth = from->depth, .apart = from->apart, .wraps = from->wraps};
    STARFISH_TRY(grow(to, from->parts));
    to->parts = from->parts;
    to->first[0] = 0;
    for (size_t p = 0; p < from->parts; p++) {
        to->owner[p] = starfish_runs_owner(from, p);
        to->first[p + 1] = from->first[p + 1];
    }
    return STARFISH_SUCCESS;
}

void starfish_runs_free(struct starfish_runs *runs)
{
    free(runs->first);
    free(runs->owner);
    *runs = (struct starfish_runs){.parts = 0};
}

static int is_same_owner(const struct starfish_runs *a, size_t p, const struct starfish_runs *b, size_t q)
{
    return starfish_owner_is(starfish_runs_owner(a, p), starfish_runs_owner(b, q));
}

int starfish_runs_are_same(const struct starfish_runs *a, const struct starfish_runs *b)
{
    int same = a->parts == b->parts;
    for (size_t p = 0; p < a->parts && same; p++)
        same = a->first[p + 1] == b->first[p + 1] && is_same_owner(a, p, b, p);
    return same;
}

int starfish_run_is_here(const struct starfish_context *context, const struct starfish_runs *runs, size_t part)
{
    return !context || !context->ranks || starfish_runs_owner(runs, part).rank == starfish_context_rank(context);
}

size_t starfish_runs_owners(const struct starfish_runs *runs, size_t nth, struct starfish_owner *owner)
{
    size_t owners = 0;
    int named = 0;
    for (size_t p = 0; p < runs->parts; p++) {
        const struct starfish_owner own = starfish_runs_owner(runs, p);
        size_t q = 0;
        while (q < p && !is_same_owner(runs, q, runs, p))
            q++;
        if (q == p && owners++ == nth && owner)
            *owner = own;
        named |= own.device >= 0 || own.rank > 0;
    }
    return named ? owners : 0;
}

int starfish_runs_are_on_ranks(const struct starfish_runs *runs)
{
    for (size_t p = 0; p < runs->parts; p++)
        if (starfish_runs_owner(runs, p).rank != starfish_runs_owner(runs, 0).rank)
            return 1;
    return 0;
}
