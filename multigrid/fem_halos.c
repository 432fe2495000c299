/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Halos of the parts of finite element grids (fem_halos.h): every rank's halos as one array of integers, which all
 * ranks gather. */
#include "multigrid/fem_halos.h"

#include "scheduler/runtime/ranks.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* A halo among those that a rank tells of: these numbers, and its indices. */
enum { LEVEL, FROM, TO, COUNT, AT, NUMBERS };

/* All that were made here, one behind the other; NULL: counts alone. */
static size_t write_halos(const struct starfish_fem_halos *halos, int levels, int *to)
{
    size_t at = 0;

    for (int l = 0; l < levels; l++)
        for (size_t h = 0; h < halos[l].count; h++) {
            const struct starfish_index_halo *halo = &halos[l].halo[h];
            const int number[NUMBERS] = {l, (int)halo->from, (int)halo->to, (int)halo->count, (int)halo->at};
            if (to) {
                memcpy(to + at, number, sizeof number);
                memcpy(to + at + NUMBERS, halo->index, halo->count * sizeof *to);
            }
            at += NUMBERS + halo->count;
        }
    return at;
}

starfish_status starfish_fem_halos_add(struct starfish_fem_halos *halos, const struct starfish_index_halo *halo)
{
    struct starfish_index_halo *const all = realloc(halos->halo, (halos->count + 1) * sizeof *all);

    if (!all) {
        free((void *)(uintptr_t)halo->index);
        return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for a halo");
    }
    halos->halo = all;
    all[halos->count++] = *halo;
    return STARFISH_SUCCESS;
}

static starfish_status read_halos(struct starfish_fem_halos *halos, const int *from, size_t count)
{
    for (size_t at = 0; at < count; at += NUMBERS + (size_t)from[at + COUNT]) {
        const int *number = from + at;
        const size_t bytes = (size_t)number[COUNT] * sizeof *from;
        int *index = malloc(bytes + 1);
        STARFISH_FAIL_IF(!index, STARFISH_ERROR_MEMORY, "out of memory for a halo");
        memcpy(index, number + NUMBERS, bytes);
        const struct starfish_index_halo halo = {.from = (size_t)number[FROM],
                                                 .to = (size_t)number[TO],
                                                 .count = (size_t)number[COUNT],
                                                 .index = index,
                                                 .at = number[AT]};
        STARFISH_TRY(starfish_fem_halos_add(&halos[number[LEVEL]], &halo));
    }
    return STARFISH_SUCCESS;
}

void starfish_fem_halos_free(struct starfish_fem_halos *halos, int levels)
{
    for (int l = 0; halos && l < levels; l++) {
        for (size_t h = 0; h < halos[l].count; h++)
            free((void *)(uintptr_t)halos[l].halo[h].index);
        free(halos[l].halo);
        halos[l] = (struct starfish_fem_halos){.count = 0};
    }
}

/* What all ranks tell. */
struct telling {
    const struct starfish_context *context;
    size_t *words; /* by rank */
    int *all;      /* those of all, in the order of ranks, so that a halo has the same number everywhere */
};

static starfish_status tell(const struct telling *t, struct starfish_fem_halos *halos, int levels)
{
    const int ranks = starfish_context_ranks(t->context), here = starfish_context_rank(t->context);
    size_t at = 0;

    for (int r = 0; r < ranks; at += t->words[r++]) {
        if (r == here)
            write_halos(halos, levels, t->all + at);
        STARFISH_TRY(starfish_ranks_broadcast(t->context, t->all + at, t->words[r] * sizeof *t->all, r));
    }
    starfish_fem_halos_free(halos, levels);
    return starfish_ranks_agree(t->context, read_halos(halos, t->all, at));
}

static starfish_status no_memory(void)
{
    return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for the halos of ranks");
}

static starfish_status share(struct telling *t, struct starfish_fem_halos *halos, int levels)
{
    const size_t ranks = (size_t)starfish_context_ranks(t->context), own = write_halos(halos, levels, NULL);
    size_t sum = 0;

    t->words = calloc(ranks, sizeof *t->words);
    STARFISH_TRY(starfish_ranks_agree(t->context, t->words ? STARFISH_SUCCESS : no_memory()));
    STARFISH_TRY(starfish_ranks_gather(t->context, &own, sizeof own, t->words));
    for (size_t r = 0; r < ranks; r++)
        sum += t->words[r];
    t->all = malloc((sum + 1) * sizeof *t->all);
    STARFISH_TRY(starfish_ranks_agree(t->context, t->all ? STARFISH_SUCCESS : no_memory()));
    return tell(t, halos, levels);
}

starfish_status starfish_fem_halos_share(const struct starfish_context *context, struct starfish_fem_halos *halos,
                                         int levels)
{
    struct telling telling = {context, NULL, NULL};
    const starfish_status status = share(&telling, halos, levels);

    free(telling.words);
    free(telling.all);
    return status;
}
