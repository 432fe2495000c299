/* Is the answer right? The relative residual must stay below 1e-8 (f64) or 1e-3 (f32), or below what rounding alone
 * explains where that is more: 64 units of rounding of (|A| |u| + |f|) / |f|, which is large on fine or strongly
 * stretched grids. |A| is bounded here by the largest row sums of the directions. */
#include "apps/plans/problem.h"

#include "base/status.h"

#include <float.h>
#include <math.h>

static const double bounds[] = {[STARFISH_F32] = 1e-3, [STARFISH_F64] = 1e-8};
static const double roundings[] = {[STARFISH_F32] = (double)FLT_EPSILON, [STARFISH_F64] = DBL_EPSILON};

static double smallest_spacing(const struct starfish_problem *problem, size_t d)
{
    const struct starfish_axis *axis = &problem->axis[d];
    double origin, spacing;
    if (axis->kind == STARFISH_UNIFORM) {
        starfish_problem_positions(problem, d, &origin, &spacing, NULL);
        return spacing;
    }
    spacing = INFINITY;
    for (size_t i = 1; i < axis->coordinate_count; ++i)
        spacing = fmin(spacing, axis->coordinates[i] - axis->coordinates[i - 1]);
    return spacing;
}

static double axis_norm(const struct starfish_problem *problem, size_t d)
{
    const struct starfish_axis *axis = &problem->axis[d];
    double norm = 0;
    if (axis->kind != STARFISH_TRIDIAGONAL)
        return 4 / pow(smallest_spacing(problem, d), 2);
    for (size_t i = 0; i < axis->n; ++i)
        norm = fmax(norm, fabs(axis->lower[i]) + fabs(axis->diag[i]) + fabs(axis->upper[i]));
    return norm;
}

static double largest(const struct starfish_array *array)
{
    double result = 0;
    size_t count = starfish_array_count(array);
    for (size_t i = 0; i < count; ++i)
        result = fmax(result, fabs(starfish_array_get(array, i)));
    return result;
}

static double residual_bound(const struct problem_run *run)
{
    const struct starfish_array *rhs = &run->problem.rhs.array;
    double given = largest(rhs), norm = fabs(run->problem.lambda);
    for (size_t d = 0; d < run->problem.dimensions; ++d)
        norm += axis_norm(&run->problem, d);
    double rounding = 64 * roundings[run->precision] * (norm * largest(&run->solution) + given);
    return fmax(bounds[run->precision], given > 0 ? rounding / given : 0);
}

/* A singular problem's solution is known up to a constant: take the one that fits best. */
static double error_against_exact(const struct problem_run *run)
{
    const struct starfish_values *exact = &run->problem.exact;
    double low = INFINITY, high = -INFINITY;
    size_t count = starfish_array_count(&run->solution);
    if (!exact->given)
        return NAN;
    for (size_t i = 0; i < count; ++i) {
        double wanted = exact->array.data ? starfish_array_get(&exact->array, i) : exact->constant;
        double difference = starfish_array_get(&run->solution, i) - wanted;
        low = fmin(low, difference);
        high = fmax(high, difference);
    }
    return starfish_poisson_plan_singular(run->plan) ? 0.5 * (high - low) : fmax(fabs(low), fabs(high));
}

starfish_status problem_check_result(struct problem_run *run)
{
    size_t bad = starfish_array_first_nonfinite(&run->solution);
    if (bad < starfish_array_count(&run->solution))
        return starfish_fail(STARFISH_ERROR_NUMERICAL, "%s: the solution is not finite", run->problem.path);
    run->error = error_against_exact(run);
    run->residual_bound = residual_bound(run);
    if (run->info.residual <= run->residual_bound)
        return STARFISH_SUCCESS;
    return starfish_fail(STARFISH_ERROR_NUMERICAL, "%s: the residual is %.3g, which exceeds %.3g", run->problem.path,
                         run->info.residual, run->residual_bound);
}
