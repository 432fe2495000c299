/* Choosing a method: what is possible, and of that the fastest.
 *
 * A fast transform in y is always best. Else two methods compete, a change of basis in y (a matrix product each way,
 * then a tridiagonal solve) and partial fractions (about log2 nz tridiagonal solves, two for every level). On a GPU
 * products win as far as the basis can be kept at all. On cores both are bound by arithmetic, and estimates of their
 * times decide: those of one core of an AMD EPYC with AVX2, in f64, whose ratios carry over. They were fitted to n =
 * 127 to 1023 in 2D and 64 x 256^2 and 64 x 512^2 in 3D, and are within a quarter of what was measured. */
#include "poisson/plan.h"

#include "poisson/methods.h"

#include <math.h>
#include <stdio.h>

const char *const starfish_method_list[STARFISH_METHODS + 1] = {[STARFISH_METHOD_AUTO] = "auto",
                                                                [STARFISH_METHOD_SLAB] = "slab",
                                                                [STARFISH_METHOD_BLKTRI] = "blktri",
                                                                [STARFISH_METHOD_BLKTRI_PRODUCT] = "blktri-product",
                                                                [STARFISH_METHOD_MULTIGRID] = "multigrid"};

/* ---- Estimates: seconds -------------------------------------------------------------------------------------------
 */

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

/* Of preparing and solving for all right-hand sides; where their number is not known, of one solve alone. */
struct estimate {
    double basis, fractions;
};

static double unknowns(const struct starfish_poisson_plan *plan)
{
    return (double)plan->n[0] * (double)plan->n[1] * (double)plan->n[2];
}

static int is_mirrored(const struct starfish_direction *d)
{
    const struct starfish_basis_operator op = {d->n, d->periodic, d->lower, d->diag, d->upper, STARFISH_BASIS_EXACT};
    return starfish_basis_is_reflected(&op);
}

static int is_complex(const struct starfish_poisson_plan *plan)
{
    return plan->numbers != STARFISH_TRIDIAG_REAL;
}

/* `steps`: of refinement, each of which solves again. */
static struct estimate estimate(const struct starfish_poisson_plan *plan, int steps)
{
    const double ny = (double)plan->n[1], nz = (double)plan->n[2];
    const double levels = log2(nz + 1) / log2(starfish_poisson_radix(plan)), solves = fmax(2 * levels - 1, 1);
    const double flops = is_mirrored(&plan->direction[1]) ? 2 * ny : 4 * ny;
    const double basis = (1 + steps) * unknowns(plan) * (flops * SECONDS_PER_FLOP + SECONDS_PER_LINE) *
                         (is_complex(plan) ? COMPLEX_PRODUCT : 1);
    const double fractions = unknowns(plan) * solves * SECONDS_PER_SOLVE * (is_complex(plan) ? COMPLEX_SOLVE : 1);
    if (plan->options.right_hand_sides == 0)
        return (struct estimate){basis, fractions};
    const double count = (double)plan->options.right_hand_sides;
    return (struct estimate){count * basis + ny * ny * ny * SECONDS_PER_BASIS_ENTRY,
                             count * fractions + nz * nz * SECONDS_PER_FRACTIONS_ENTRY};
}

/* What the comparison was; `y`: the direction's name. */
static const char *describe(const struct starfish_poisson_plan *plan, const char *y, struct estimate e, char *text,
                            size_t size)
{
    const size_t count = plan->options.right_hand_sides;
    char work[64] = "a solve";
    if (count > 0)
        snprintf(work, sizeof work, "preparing and %zu solve%s", count, count > 1 ? "s" : "");
    snprintf(text, size, "%s on a core, estimated: change of basis in %s %.3g ms, partial fractions %.3g ms", work, y,
             1e3 * e.basis, 1e3 * e.fractions);
    return text;
}

/* ---- Methods ------------------------------------------------------------------------------------------------------
 */

static starfish_status choose_slab(struct starfish_poisson_plan *plan, const char *why)
{
    plan->method = STARFISH_METHOD_SLAB;
    snprintf(plan->reason, sizeof plan->reason, "%s", why);
    return STARFISH_SUCCESS;
}

starfish_status starfish_poisson_choose_blktri(struct starfish_poisson_plan *plan, const char *const names[3],
                                               starfish_method form, const char *why)
{
    const struct starfish_direction *z = &plan->direction[2];
    STARFISH_TRY(starfish_check_symmetrizable(names[2], z->lower, z->upper, z->n, z->periodic));
    const int suits = starfish_fractions_suit(z->lower, z->upper, z->n, z->periodic);
    plan->method = suits ? form : STARFISH_METHOD_BLKTRI_PRODUCT;
    snprintf(plan->reason, sizeof plan->reason, "%.180s%s", why,
             plan->method == form ? "" : "; the last direction is too far from symmetric for partial fractions");
    return STARFISH_SUCCESS;
}

/* ---- AUTO ---------------------------------------------------------------------------------------------------------
 */

enum { BASIS_AT_MOST = 2048, WHY = 200 };
#define SCALING_AT_MOST 1e6

static int has_gpu(const struct starfish_poisson_plan *plan)
{
    return plan->context->workers_of[STARFISH_GPU] > 0;
}

/* y has a basis; is z fit for the other method? */
static starfish_status choose_faster(struct starfish_poisson_plan *plan, const char *const names[3])
{
    const struct starfish_direction *z = &plan->direction[2];
    char why[WHY];
    snprintf(why, sizeof why, "%s has a basis of eigenvectors: matrix products", names[1]);
    if (plan->n[1] <= BASIS_AT_MOST && has_gpu(plan) && !is_complex(plan))
        return choose_slab(plan, why);
    if (starfish_check_symmetrizable(names[2], z->lower, z->upper, z->n, z->periodic) != STARFISH_SUCCESS)
        return choose_slab(plan, why);
    if (has_gpu(plan) && is_complex(plan))
        return starfish_poisson_choose_blktri(plan, names, STARFISH_METHOD_BLKTRI,
                                              "complex numbers: matrix products of two columns do not fill a GPU");
    const struct estimate e = estimate(plan, plan->refinements);
    describe(plan, names[1], e, why, sizeof why);
    if (plan->n[1] <= BASIS_AT_MOST && e.basis <= e.fractions)
        return choose_slab(plan, why);
    return starfish_poisson_choose_blktri(plan, names, STARFISH_METHOD_BLKTRI, why);
}

static starfish_status choose_best(struct starfish_poisson_plan *plan, const char *const names[3])
{
    const struct starfish_direction *y = &plan->direction[1];
    char why[WHY];
    snprintf(why, sizeof why, "%s is complex: no basis of eigenvectors", names[1]);
    if (y->imaginary)
        return starfish_poisson_choose_blktri(plan, names, STARFISH_METHOD_BLKTRI, why);
    if (is_complex(plan) && plan->singular)
        return starfish_poisson_choose_blktri(plan, names, STARFISH_METHOD_BLKTRI, "singular in complex numbers");
    snprintf(why, sizeof why, "%s can be transformed: fewest operations", names[1]);
    if (y->has_transform)
        return choose_slab(plan, why);
    if (starfish_check_symmetrizable(names[1], y->lower, y->upper, y->n, y->periodic) == STARFISH_SUCCESS)
        return choose_faster(plan, names);
    snprintf(why, sizeof why, "%s has neither a transform nor a basis", names[1]);
    return starfish_poisson_choose_blktri(plan, names, STARFISH_METHOD_BLKTRI, why);
}

/* Of complex problems the method slab does those with a real second direction and without a constant mode. */
static starfish_status check_slab(const struct starfish_poisson_plan *plan, const char *const names[3])
{
    const struct starfish_direction *y = &plan->direction[1];
    if (y->imaginary)
        return starfish_fail(STARFISH_ERROR_UNSUPPORTED, "method slab cannot do %s, which is complex", names[1]);
    if (is_complex(plan) && plan->singular)
        return starfish_fail(STARFISH_ERROR_UNSUPPORTED, "method slab cannot do a singular problem in complex numbers");
    return y->has_transform ? STARFISH_SUCCESS
                            : starfish_check_symmetrizable(names[1], y->lower, y->upper, y->n, y->periodic);
}

starfish_status starfish_poisson_choose_method(struct starfish_poisson_plan *plan, const char *const names[3])
{
    switch (plan->options.method) {
    case STARFISH_METHOD_SLAB:
        STARFISH_TRY(check_slab(plan, names));
        return choose_slab(plan, "asked for");
    case STARFISH_METHOD_BLKTRI:
    case STARFISH_METHOD_BLKTRI_PRODUCT:
        return starfish_poisson_choose_blktri(plan, names, plan->options.method, "asked for");
    case STARFISH_METHOD_MULTIGRID:
        plan->method = STARFISH_METHOD_MULTIGRID;
        snprintf(plan->reason, sizeof plan->reason, "asked for");
        return STARFISH_SUCCESS;
    case STARFISH_METHOD_AUTO:
        return choose_best(plan, names);
    }
    return starfish_fail(STARFISH_ERROR_ARGUMENT, "options.method is unknown");
}

/* Scaling makes a basis symmetric, and its squares are what rounding errors of some rows are multiplied with.
 * Refinement is known to be needed only now. */
starfish_status starfish_poisson_check_basis(const struct starfish_poisson_plan *plan, const char *name)
{
    const struct starfish_basis *basis = &plan->space.planes.basis.basis;
    const struct starfish_direction *z = &plan->direction[2];
    char why[WHY];
    if (plan->options.method != STARFISH_METHOD_AUTO || basis->n == 0)
        return STARFISH_SUCCESS;
    if (basis->scaling > SCALING_AT_MOST)
        return starfish_fail(STARFISH_ERROR_NOT_SYMMETRIZABLE, "%s has a basis with a scaling of %.3g", name,
                             basis->scaling);
    if (has_gpu(plan) || starfish_check_symmetrizable("", z->lower, z->upper, z->n, z->periodic) != STARFISH_SUCCESS)
        return STARFISH_SUCCESS;
    const struct estimate e = estimate(plan, plan->refinements);
    if (e.basis <= e.fractions)
        return STARFISH_SUCCESS;
    return starfish_fail(STARFISH_ERROR_NOT_SYMMETRIZABLE, "%s; %s has a basis that needs refinement",
                         describe(plan, name, e, why, sizeof why), name);
}
