/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Estimates of the methods' costs on cores.
 *
 * A fast transform in y is always best. Else two methods compete, a change of basis in y (a matrix product each way,
 * then a tridiagonal solve) and partial fractions (about log2 nz tridiagonal solves, two for every level). On a GPU
 * products win as far as the basis can be kept at all. On cores both are bound by arithmetic, and estimates of their
 * times decide: those of one core of an AMD EPYC with AVX2, in f64, whose ratios carry over. They were fitted to n =
 * 127 to 1023 in 2D and 64 x 256^2 and 64 x 512^2 in 3D, and are within a quarter of what was measured. */
#include "poisson/estimate.h"

#include "base/c_locale.h"
#include "fft/kernels/basis.h"

#include <math.h>
#include <stdio.h>

#define SECONDS_PER_FLOP 0.02e-9           /* of a matrix product */
#define SECONDS_PER_LINE 4e-9              /* per unknown: the solve after the product, and memory */
#define SECONDS_PER_SOLVE 2e-9             /* per unknown: one tridiagonal solve of partial fractions */
#define SECONDS_PER_BASIS_ENTRY 0.25e-9    /* per ny^3: eigenvectors */
#define SECONDS_PER_FRACTIONS_ENTRY 100e-9 /* per nz^2: eigenvalues and a few components */
/* Of complex numbers, per part: products have two columns to a plane, solves one elimination for both parts. */
#define COMPLEX_PRODUCT 1.25
#define COMPLEX_SOLVE 0.7

int starfish_poisson_radix(const struct starfish_poisson_plan *plan)
{
    return plan->options.radix > 0 ? plan->options.radix : 4;
}

static int is_mirrored(const struct starfish_direction *d)
{
    const struct starfish_basis_operator op = {d->n,     d->periodic,          d->lower, d->diag,
                                               d->upper, STARFISH_BASIS_EXACT, d->sum,   d->scale_y};
    return starfish_basis_is_reflected(&op);
}

struct starfish_estimate starfish_poisson_estimate(const struct starfish_poisson_plan *plan)
{
    const double nx = (double)plan->n[0], ny = (double)plan->n[1], nz = (double)plan->n[2], unknowns = nx * ny * nz;
    const int complex = starfish_poisson_is_complex(plan);
    const double levels = log2(nz + 1) / log2(starfish_poisson_radix(plan)), solves = fmax(2 * levels - 1, 1);
    const double flops = is_mirrored(&plan->direction[1]) ? 2 * ny : 4 * ny;
    const double basis = (1 + plan->refinements) * unknowns * (flops * SECONDS_PER_FLOP + SECONDS_PER_LINE) *
                         (complex ? COMPLEX_PRODUCT : 1);
    const double fractions = unknowns * solves * SECONDS_PER_SOLVE * (complex ? COMPLEX_SOLVE : 1);
    if (plan->options.right_hand_sides == 0)
        return (struct starfish_estimate){basis, fractions};
    const double count = (double)plan->options.right_hand_sides;
    return (struct starfish_estimate){count * basis + ny * ny * ny * SECONDS_PER_BASIS_ENTRY,
                                      count * fractions + nz * nz * SECONDS_PER_FRACTIONS_ENTRY};
}

void starfish_poisson_describe_estimate(const struct starfish_poisson_plan *plan, char *text, size_t size)
{
    const struct starfish_estimate e = starfish_poisson_estimate(plan);
    const size_t count = plan->options.right_hand_sides;
    char work[64] = "a solve";
    if (count > 0)
        snprintf(work, sizeof work, "preparing and %zu solve%s", count, count > 1 ? "s" : "");
    starfish_print(text, size, "%s on a core, estimated: change of basis in %s %.3g ms, partial fractions %.3g ms",
                   work, plan->name[1], 1e3 * e.basis, 1e3 * e.fractions);
}
