/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Runs of rows: how an array is cut into consecutive parts, and who owns each. Rows are the planes of a field, or the
 * lines of a plane. Everything that distributes an array makes runs: options that ask for slabs, the workers of a
 * context, shares of a user's spread field, and the ranks of MPI. A field (field.h) has one handle per run; a space
 * (space.h) adds the halos between runs. */
#ifndef STARFISH_SCHEDULER_RUNTIME_RUNS_H
#define STARFISH_SCHEDULER_RUNTIME_RUNS_H

#include "scheduler/runtime/context.h"
#include "scheduler/runtime/owner.h"

#include <stddef.h>

/* Part p holds rows first[p] .. first[p + 1] - 1. A space of runs is apart where the owners' memories differ or
 * `apart` is set, and then has halos of `depth` rows on both sides of each cut; with `wraps` also between the last part
 * and the first, whose ghosts are then rows -depth .. -1 and n .. n+depth-1. */
struct starfish_runs {
    size_t parts;
    size_t *first;                /* parts + 1; NULL where there are no parts */
    struct starfish_owner *owner; /* NULL: STARFISH_ANY */
    size_t depth;
    int apart, wraps;
};

static inline size_t starfish_runs_rows(const struct starfish_runs *runs, size_t part)
{
    return runs->first[part + 1] - runs->first[part];
}

static inline struct starfish_owner starfish_runs_owner(const struct starfish_runs *runs, size_t part)
{
    return runs->owner ? runs->owner[part] : (struct starfish_owner){0, STARFISH_ANY};
}

/* Rows of all parts. */
static inline size_t starfish_runs_end(const struct starfish_runs *runs)
{
    return runs->parts > 0 ? runs->first[runs->parts] : 0;
}

/* Where part `part` begins of n rows that are cut into `parts` runs which differ by one at most. */
static inline size_t starfish_divided(size_t n, size_t parts, size_t part)
{
    return n / parts * part + (part < n % parts ? part : n % parts);
}
/* Cuts 0..n-1 into `parts` such runs: first[0] .. first[parts]. */
void starfish_divide(size_t n, size_t parts, size_t *first);

/* Appends `rows` rows in `parts` parts of equal size. The arrays are malloc's then: zero-initialised runs grow so.
 * Error: MEMORY, and nothing is appended. */
starfish_status starfish_runs_add(struct starfish_runs *runs, size_t parts, size_t rows, struct starfish_owner owner);
/* Replaces what the runs have by `parts` equal ones that any worker may have. */
starfish_status starfish_runs_equally(struct starfish_runs *runs, size_t rows, size_t parts);
/* The parts from `first` on become those of GPUs 0 .. gpus - 1, as many to each, one GPU behind the other. */
void starfish_runs_deal(struct starfish_runs *runs, size_t first, size_t gpus);
/* `to` is new, with arrays of its own. */
starfish_status starfish_runs_copy(struct starfish_runs *to, const struct starfish_runs *from);
/* Frees arrays that grew or were copied. */
void starfish_runs_free(struct starfish_runs *runs);

/* The same parts and owners. */
int starfish_runs_are_same(const struct starfish_runs *a, const struct starfish_runs *b);
/* Whether this rank owns a part. NULL: all parts are here. */
int starfish_run_is_here(const struct starfish_context *context, const struct starfish_runs *runs, size_t part);
/* The number of different owners; 0 where none is a GPU or another rank, so that kinds of workers are all that is said.
 * *owner, unless NULL: number `nth` of them, in the order of their first parts. */
size_t starfish_runs_owners(const struct starfish_runs *runs, size_t nth, struct starfish_owner *owner);
/* Whether there are owners of several ranks. */
int starfish_runs_are_on_ranks(const struct starfish_runs *runs);

#endif
