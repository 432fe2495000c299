/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Coarsest grids of singular problems: finds singular components and pins one unknown of each. */
#include "multigrid/fem_pinned.h"

#include <math.h>
#include <stdlib.h>

/* Unknowns of the component that is walked through: those found, of which the first `taken` have been looked at. */
struct walk {
    const struct starfish_csr *a;
    unsigned char *seen; /* by unknown */
    int *found;
    size_t count, taken;
};

static double diagonal_of(const struct starfish_csr *a, size_t i)
{
    const int e = starfish_csr_find(a, i, i);

    return e < 0 ? 0 : a->value[e];
}

static void find(struct walk *w, int i)
{
    if (!w->seen[i])
        w->found[w->count++] = i;
    w->seen[i] = 1;
}

/* The component of unknown `first`: is the sum of each of its rows 0, but for rounding errors? */
static int is_singular(struct walk *w, size_t first)
{
    const double rounding = 1e-10;
    double largest = 0, worst = 0;

    w->count = w->taken = 0;
    find(w, (int)first);
    for (; w->taken < w->count; w->taken++) {
        const size_t i = (size_t)w->found[w->taken];
        double sum = 0;
        for (int e = w->a->start[i]; e < w->a->start[i + 1]; e++) {
            find(w, w->a->column[e]);
            sum += w->a->value[e];
        }
        worst = fmax(worst, fabs(sum));
        largest = fmax(largest, fabs(diagonal_of(w->a, i)));
    }
    return worst <= rounding * largest;
}

static starfish_status pin(struct walk *w, struct starfish_csr *pinned)
{
    for (size_t i = 0; i < w->a->rows; i++) {
        if (w->seen[i] || !is_singular(w, i))
            continue;
        if (!pinned->start)
            STARFISH_TRY(starfish_csr_rows(w->a, 0, w->a->rows, pinned));
        const int e = starfish_csr_find(pinned, i, i);
        if (e >= 0)
            pinned->value[e] *= 2;
    }
    return STARFISH_SUCCESS;
}

starfish_status starfish_fem_pin(const struct starfish_csr *a, struct starfish_csr *pinned)
{
    struct walk w = {.a = a, .seen = calloc(a->rows + 1, 1), .found = malloc((a->rows + 1) * sizeof *w.found)};

    *pinned = (struct starfish_csr){.rows = 0};
    const starfish_status status =
        w.seen && w.found ? pin(&w, pinned) : starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for a coarsest grid");
    free(w.seen);
    free(w.found);
    return status;
}
