/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A pass over a grid of a seven-point matrix (flux.h) on cores: all that a cycle does to the grid before it goes to the
 * coarser one, or after it. */
#ifndef STARFISH_MULTIGRID_FLUX_PASS_H
#define STARFISH_MULTIGRID_FLUX_PASS_H

#include "base/barrier.h"
#include "multigrid/kernels/flux.h"

/* Several sweeps in two colours in place and what comes before and after them, in one pass over all planes:
 *     v += P correction   (where that is not NULL; `zero`: v is zero yet, whatever its memory holds)
 *     v improved by `sweeps` sweeps, as struct starfish_flux_smooth says
 *     coarse = R (f - A v), where that is not NULL
 *     *sum = f . v on what this core does, where that is not NULL.
 * Directions y and z must be open, and where there is a `coarse` each transfer is of pairs or the identity. `parts`
 * cores do it together, each calls this with its number `part`, and each has its own planes, as many at least as
 * starfish_flux_pass_planes says; nothing is computed twice. Before it all must have met, and after it too. In all 3
 * words per unknown, 2 from zero, and an eighth for each coarse array. */
enum { STARFISH_FLUX_PASS_SWEEPS = 4 };
struct starfish_flux_pass {
    struct starfish_flux_matrix matrix;
    enum starfish_flux_order order; /* not AT_ONCE */
    int sweeps, zero;               /* 1 .. STARFISH_FLUX_PASS_SWEEPS */
    double damping;
    struct starfish_flux_transfer transfer[3];
    const void *f, *correction;
    void *v, *coarse, *work;
    double *sum;
    size_t part, parts;
    struct starfish_barrier *barrier; /* of several parts */
};

/* Planes that each of several cores must have. */
static inline size_t starfish_flux_pass_planes(int sweeps, int corrects, int restricts)
{
    const int last = 2 * sweeps - 1 + (corrects != 0) + (restricts != 0);

    return 2 * (size_t)(last + last % 2);
}
void starfish_flux_pass_cpu_f32(const struct starfish_flux_pass *arguments);
void starfish_flux_pass_cpu_f64(const struct starfish_flux_pass *arguments);

#endif
