/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Orders of the unknowns. The two-level order is that of the space: nodes of the coarser mesh come before those added
 * by a refinement. */
#include "fem/space.h"

#include "scheduler/runtime/host_loop.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* ---- By coordinates ---------------------------------------------------------------------------------------------- */

struct place {
    double point[3];
    int unknown;
};

static int by_place(const void *a, const void *b)
{
    const struct place *x = a, *y = b;

    for (int i = 0; i < 3; i++)
        if (x->point[i] != y->point[i])
            return x->point[i] > y->point[i] ? 1 : -1;
    return (x->unknown > y->unknown) - (x->unknown < y->unknown);
}

/* Runs are sorted by one core each, and then merged in pairs until one is left. */
struct sorting {
    struct place *from, *to;
    size_t count, run;
};

static void sort_run(void *data, size_t first, size_t last)
{
    const struct sorting *s = data;

    qsort(s->from + first, last - first, sizeof *s->from, by_place);
}

/* Two runs from `first` on. */
static void merge_runs(void *data, size_t first, size_t last)
{
    const struct sorting *s = data;
    const size_t middle = first + s->run < last ? first + s->run : last;

    for (size_t a = first, b = middle, to = first; to < last; to++) {
        const int left = b == last || (a < middle && by_place(&s->from[a], &s->from[b]) < 0);
        s->to[to] = left ? s->from[a++] : s->from[b++];
    }
}

static void sort_places(struct sorting *s)
{
    enum { LEAST = 4096 };

    s->run = s->count / (4 * starfish_host_cores()) + LEAST;
    starfish_host_loop(s->count, s->run, sort_run, s);
    for (; s->run < s->count; s->run *= 2) {
        starfish_host_loop(s->count, 2 * s->run, merge_runs, s);
        struct place *sorted = s->to;
        s->to = s->from;
        s->from = sorted;
    }
}

static starfish_status by_coordinates(const struct starfish_fem_space *space, int *order)
{
    struct place *place = malloc((2 * space->unknowns + 1) * sizeof *place);
    struct sorting sorting = {place, place ? place + space->unknowns : NULL, space->unknowns, 0};

    STARFISH_FAIL_IF(!place, STARFISH_ERROR_MEMORY, "out of memory for a numbering");
    for (size_t n = 0; n < space->nodes; n++)
        if (space->unknown[n] >= 0) {
            struct place *here = &place[space->unknown[n]];
            memcpy(here->point, space->mesh->point + 3 * n, sizeof here->point);
            here->unknown = space->unknown[n];
        }
    sort_places(&sorting);
    for (size_t i = 0; i < space->unknowns; i++)
        order[i] = sorting.from[i].unknown;
    free(place);
    return STARFISH_SUCCESS;
}

/* ---- Random ------------------------------------------------------------------------------------------------------ */

/* Fisher and Yates; numbers of splitmix64. */
static void shuffle(const struct starfish_fem_space *space, size_t seed, int *order)
{
    uint64_t state = seed;

    for (size_t i = 0; i < space->unknowns; i++)
        order[i] = (int)i;
    for (size_t i = space->unknowns; i > 1; i--) {
        uint64_t z = (state += 0x9e3779b97f4a7c15u);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        const size_t j = (size_t)((z ^ (z >> 31)) % i);
        const int swapped = order[i - 1];
        order[i - 1] = order[j];
        order[j] = swapped;
    }
}

/* ---- Cell by cell ------------------------------------------------------------------------------------------------ */

/* Children of a cell follow one another, so that the cells are in the order of the tree of refinements. */
static void by_cells(const struct starfish_fem_space *space, int *order)
{
    unsigned char *seen = (unsigned char *)(order + space->unknowns);
    size_t count = 0;

    memset(seen, 0, space->unknowns);
    for (size_t c = 0; c < space->mesh->cells; c++)
        for (int n = 0; n < space->basis.count; n++) {
            const int unknown =
                space->unknown[space->mesh->cell[c * space->mesh->lattice + (size_t)space->basis.node[n]]];
            if (unknown >= 0 && !seen[unknown]) {
                seen[unknown] = 1;
                order[count++] = unknown;
            }
        }
}

/* ---- Cuthill and McKee ------------------------------------------------------------------------------------------- */

static int degree(const struct starfish_csr *a, int i)
{
    return a->start[i + 1] - a->start[i];
}

/* The neighbours that have no number yet, at the end of the order, by rising degree. */
static size_t add_neighbours(const struct starfish_csr *a, int i, unsigned char *seen, int *order, size_t count)
{
    const size_t first = count;

    for (int e = a->start[i]; e < a->start[i + 1]; e++) {
        const int j = a->column[e];
        if (seen[j])
            continue;
        seen[j] = 1;
        size_t at = count++;
        for (; at > first && degree(a, order[at - 1]) > degree(a, j); at--)
            order[at] = order[at - 1];
        order[at] = j;
    }
    return count;
}

/* Level by level from the unknown with the fewest neighbours. Source: Cuthill, McKee, Proc. 24th ACM conf. (1969),
 * 157-172. */
static starfish_status by_levels(const struct starfish_fem_space *space, int *order)
{
    unsigned char *seen = (unsigned char *)(order + space->unknowns);
    struct starfish_csr a;
    const starfish_status status = starfish_fem_pattern(space, NULL, &a);
    size_t count = 0, done = 0;

    memset(seen, 0, space->unknowns);
    while (status == STARFISH_SUCCESS && count < space->unknowns) {
        int start = -1;
        for (int i = 0; i < (int)space->unknowns; i++)
            if (!seen[i] && (start < 0 || degree(&a, i) < degree(&a, start)))
                start = i;
        seen[start] = 1;
        order[count++] = start;
        while (done < count)
            count = add_neighbours(&a, order[done++], seen, order, count);
    }
    starfish_csr_destroy(&a);
    return status;
}

/* ---- All of them ------------------------------------------------------------------------------------------------- */

/* order[i]: the unknown that becomes the i-th; behind it is room for a byte per unknown. */
static starfish_status find_order(const struct starfish_fem_space *space, starfish_fem_numbering numbering, size_t seed,
                                  int *order)
{
    if (numbering == STARFISH_FEM_CUTHILL_MCKEE)
        return by_levels(space, order);
    if (numbering == STARFISH_FEM_XYZ)
        return by_coordinates(space, order);
    if (numbering == STARFISH_FEM_RANDOM)
        shuffle(space, seed, order);
    else
        by_cells(space, order);
    return STARFISH_SUCCESS;
}

starfish_status starfish_fem_space_number(struct starfish_fem_space *space, starfish_fem_numbering numbering,
                                          size_t seed)
{
    if (numbering == STARFISH_FEM_TWO_LEVEL)
        return STARFISH_SUCCESS;
    int *order = calloc(2 * space->unknowns + 1, sizeof *order),
        *number = malloc((space->unknowns + 1) * sizeof *number);
    starfish_status status = order && number ? find_order(space, numbering, seed, order)
                                             : starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for a numbering");

    for (size_t i = 0; status == STARFISH_SUCCESS && i < space->unknowns; i++)
        number[order[i]] = (int)i;
    for (size_t n = 0; status == STARFISH_SUCCESS && n < space->nodes; n++)
        if (space->unknown[n] >= 0)
            space->unknown[n] = number[space->unknown[n]];
    free(order);
    free(number);
    return status;
}
