/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Matrices become axes of kind TRIDIAGONAL, which starfish_direction_create checks and takes apart as for plans. */
#include "fishpack/directions.h"

#include "fishpack/kept.h"
#include "poisson/null_space.h"

#include <math.h>
#include <stdlib.h>

/* Second differences times a factor. */
static void multiply(struct starfish_direction *d, double factor)
{
    double *const rows[] = {d->lower, d->diag, d->upper, d->sum, d->eigenvalue};
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++)
        for (size_t k = 0; k < d->n; k++)
            rows[r][k] *= factor;
}

struct starfish_rows starfish_rows_read(struct starfish_call *call, int k, size_t n, int periodic, size_t parts)
{
    return (struct starfish_rows){.n = n,
                                  .parts = parts,
                                  .periodic = periodic,
                                  .lower = starfish_call_reals(call, k, parts * n),
                                  .diag = starfish_call_reals(call, k + 1, parts * n),
                                  .upper = starfish_call_reals(call, k + 2, parts * n)};
}

struct starfish_axis starfish_axis_of_rows(const struct starfish_rows *matrix)
{
    return (struct starfish_axis){.kind = STARFISH_TRIDIAGONAL,
                                  .n = matrix->n,
                                  .lower = matrix->lower,
                                  .diag = matrix->diag,
                                  .upper = matrix->upper,
                                  .periodic = matrix->periodic,
                                  .complex_line = matrix->parts > 1};
}

struct starfish_axis starfish_axis_of_direction(const struct starfish_direction *d)
{
    return starfish_axis_of_rows(&(struct starfish_rows){d->n, 1, d->periodic, d->lower, d->diag, d->upper});
}

struct starfish_axis starfish_axis_of_period(int code, size_t n, int staggered)
{
    const int low = code == 1 || code == 2, high = code == 1 || code == 4;
    struct starfish_axis axis = {.kind = STARFISH_UNIFORM, .n = n, .grid = staggered ? STARFISH_CELL : STARFISH_NODE};
    axis.ends[0] = code == 0 ? STARFISH_PERIODIC : low ? STARFISH_DIRICHLET : STARFISH_NEUMANN;
    axis.ends[1] = code == 0 ? STARFISH_PERIODIC : high ? STARFISH_DIRICHLET : STARFISH_NEUMANN;
    axis.length = (double)n + (code == 0 || staggered ? 0 : low + high - 1);
    return axis;
}

struct starfish_axis starfish_no_axis(void)
{
    static const double zero = 0;
    return (struct starfish_axis){.kind = STARFISH_TRIDIAGONAL, .n = 1, .lower = &zero, .diag = &zero, .upper = &zero};
}

size_t starfish_opposed_row(const struct starfish_axis *axis)
{
    for (size_t j = axis->periodic ? 0 : 1; j < axis->n; j++) {
        const double lower = axis->lower[j], upper = axis->upper[(j > 0 ? j : axis->n) - 1];
        if ((lower < 0 && upper > 0) || (lower > 0 && upper < 0))
            return j;
    }
    return axis->n;
}

static starfish_status create(struct starfish_direct *direct, const struct starfish_direct_axes *axes)
{
    struct starfish_direction *const d[3] = {&direct->x, &direct->y, &direct->z};
    static const char *const names[3] = {"x", "y", "z"};
    for (int i = 0; i < 3; i++) {
        STARFISH_TRY(starfish_direction_create(d[i], names[i], &direct->axis[i], STARFISH_METRIC_NONE, 0));
        const double factor = i < 2 ? axes->factor[i] : 0;
        if (factor == 0)
            continue;
        multiply(d[i], factor);
        direct->no_plan = direct->no_plan || factor < 0;
        direct->axis[i].length /= sqrt(fabs(factor));
    }
    for (size_t k = 0; axes->lambda != 0 && k < direct->z.n; k++) {
        direct->z.diag[k] += axes->lambda;
        direct->z.sum[k] += axes->lambda;
    }
    if (axes->lambda != 0)
        STARFISH_TRY(starfish_find_null_space(&direct->z));
    if (direct->no_plan)
        direct->z.signs = 0;
    return STARFISH_SUCCESS;
}

starfish_status starfish_direct_create(struct starfish_direct *direct, const struct starfish_direct_axes *axes)
{
    *direct = (struct starfish_direct){.axis = {axes->x, axes->y, axes->z},
                                       .kind = STARFISH_DIRECT_PLAIN,
                                       .parts = axes->parts,
                                       .lambda = axes->lambda};
    const starfish_status status = create(direct, axes);
    if (status != STARFISH_SUCCESS)
        starfish_direct_free(direct);
    return status;
}

/* ---- Kept between calls ------------------------------------------------------------------------------------------ */

static void destroy(void *object)
{
    starfish_direct_free(object);
    free(object);
}

/* Coefficients of a matrix are the direction's copies, which plans of real problems read too. */
static void own_axes(struct starfish_direct *direct)
{
    struct starfish_direction *const d[3] = {&direct->x, &direct->y, &direct->z};
    for (int i = 0; i < 3; i++)
        if (direct->axis[i].kind == STARFISH_TRIDIAGONAL)
            direct->axis[i] = starfish_axis_of_direction(d[i]);
}

static starfish_status make(const void *from, void **object, size_t *bytes)
{
    struct starfish_direct *direct = malloc(sizeof *direct);
    STARFISH_FAIL_IF(!direct, STARFISH_ERROR_MEMORY, "out of memory for directions");
    starfish_status status = starfish_direct_create(direct, from);
    if (status != STARFISH_SUCCESS) {
        free(direct);
        return status;
    }
    own_axes(direct);
    status = starfish_direct_prepare(direct);
    if (status != STARFISH_SUCCESS) {
        destroy(direct);
        return status;
    }
    *object = direct;
    *bytes = sizeof *direct + 8 * sizeof(double) * (direct->x.n + direct->y.n + direct->z.n);
    return STARFISH_SUCCESS;
}

starfish_status starfish_direct_find(const struct starfish_direct_axes *axes, const struct starfish_direct **direct)
{
    static const struct starfish_kept_kind kind = {make, destroy};
    const double numbers[] = {axes->factor[0], axes->factor[1], axes->lambda, (double)axes->parts};
    const struct starfish_axis *const axis[3] = {&axes->x, &axes->y, &axes->z};
    struct starfish_key key = {NULL};
    void *object = NULL;
    starfish_key_add(&key, numbers, sizeof numbers);
    for (int i = 0; i < 3; i++)
        starfish_key_add_axis(&key, axis[i]);
    const starfish_status status = starfish_kept_find(&kind, &key, axes, &object);
    starfish_key_free(&key);
    *direct = object;
    return status;
}
