/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What graphs of the slab method have in common, whatever their cut: tables of planes, lines and the constant mode. */
#include "tasks/slab.h"

#include "base/precision.h"
#include "base/real.h"
#include "tridiag/kernels/constant_line.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static starfish_status make_constant_tables(struct starfish_slab_space *space, const struct starfish_direction *z,
                                            double amplitude)
{
    const size_t n = z->n;
    const size_t count = STARFISH_CONSTANT_TABLES * n;
    double *array = malloc(count * sizeof *array);
    STARFISH_FAIL_IF(!array, STARFISH_ERROR_MEMORY, "out of memory for tables of the constant mode");
    starfish_constant_fill(array, n, z->lower, z->upper, z->weight);
    space->constant_scale = 1 / amplitude;
    const starfish_status status = starfish_coefficient_table_reals(&space->constant, STARFISH_F64, array, count);
    free(array);
    return status;
}

static starfish_status make_planes(struct starfish_slab_space *space, const struct starfish_direction *d,
                                   size_t max_planes)
{
    const enum starfish_transform_kind kind[2] = {d[0].transform, d[1].transform};
    const struct starfish_basis_operator operator_y = {.n = d[1].n,
                                                       .periodic = d[1].periodic,
                                                       .lower = d[1].lower,
                                                       .diag = d[1].diag,
                                                       .upper = d[1].upper,
                                                       .reflection = STARFISH_BASIS_EXACT,
                                                       .sum = d[1].sum,
                                                       .weight = d[1].scale_y};
    return starfish_plane_set_create(&space->planes, space->context, kind, space->n,
                                     d[1].has_transform ? NULL : &operator_y, max_planes, space->precision);
}

/* The smallest eigenvalue but zero, in magnitude; 1 where all are zero. */
static double smallest_eigenvalue(const double *eigenvalue, size_t n)
{
    double smallest = HUGE_VAL;
    for (size_t i = 0; i < n; i++)
        if (eigenvalue[i] != 0)
            smallest = fmin(smallest, fabs(eigenvalue[i]));
    return isfinite(smallest) ? smallest : 1;
}

void starfish_weigh_points(const double *eigenvalue, size_t n, const struct starfish_direction *z,
                           starfish_precision precision, double *weight)
{
    const double eps = starfish_epsilon(precision), unit = 1 / (eps * eps * smallest_eigenvalue(eigenvalue, n));
    for (size_t k = 0; k < z->n; k++)
        if (weight[k] == 0)
            weight[k] = unit * (z->lower[k] + z->upper[k]);
}

/* z for elimination: of rows whose signs allow it, sums in place of the diagonal. */
static starfish_status make_line(struct starfish_slab_space *space, const struct starfish_direction *d)
{
    struct starfish_direction line = d[2];
    if (space->row_sums)
        line.diag = d[2].sum;
    space->weighted = d[2].weight_x != NULL;
    if (!space->weighted)
        return starfish_matrix_table(&space->line, space->precision, &line, 1);
    line.weight_x = malloc(line.n * sizeof *line.weight_x);
    STARFISH_FAIL_IF(!line.weight_x, STARFISH_ERROR_MEMORY, "out of memory for %zu weights", line.n);
    memcpy(line.weight_x, d[2].weight_x, line.n * sizeof *line.weight_x);
    starfish_weigh_points(d[0].eigenvalue, d[0].n, &d[2], space->precision, line.weight_x);
    const starfish_status status = starfish_matrix_table(&space->line, space->precision, &line, 1);
    free(line.weight_x);
    return status;
}

static starfish_status fill_space(struct starfish_slab_space *space, const struct starfish_direction *d, int singular,
                                  size_t max_planes)
{
    STARFISH_TRY(make_planes(space, d, max_planes));
    const struct starfish_basis *basis = d[1].has_transform ? NULL : &space->planes.basis.basis;
    STARFISH_TRY(make_line(space, d));
    STARFISH_TRY(starfish_coefficient_table_reals(&space->shift_x, space->precision, d[0].eigenvalue, d[0].n));
    STARFISH_TRY(starfish_coefficient_table_reals(&space->shift_y, space->precision,
                                                  basis ? basis->eigenvalue : d[1].eigenvalue, d[1].n));
    if (!singular)
        return STARFISH_SUCCESS;
    /* The constant mode of every transform is its first, and then a constant field's own value. */
    const size_t row = basis ? basis->constant : 0;
    STARFISH_FAIL_IF(row == d[1].n, STARFISH_ERROR_NUMERICAL, "the basis of a singular direction has no constant mode");
    space->constant_lane = (ptrdiff_t)(row * d[0].n);
    return make_constant_tables(space, &d[2], basis ? starfish_basis_of_ones(basis, row) : 1);
}

starfish_status starfish_slab_space_create(struct starfish_slab_space *space,
                                           const struct starfish_slab_description *description)
{
    const struct starfish_direction *direction = description->direction;
    memset(space, 0, sizeof *space);
    space->context = description->context;
    space->count = description->count;
    space->precision = description->precision;
    space->periodic = direction[2].periodic;
    space->row_sums = direction[2].signs != 0;
    space->lambda = description->lambda;
    space->constant_lane = -1;
    for (int axis = 0; axis < 3; axis++)
        space->n[axis] = direction[axis].n;
    starfish_status status = fill_space(space, direction, description->singular, description->max_planes);
    if (status != STARFISH_SUCCESS)
        starfish_slab_space_destroy(space);
    return status;
}

void starfish_slab_space_destroy(struct starfish_slab_space *space)
{
    if (!space->context)
        return;
    struct starfish_coefficient_table *const vectors[] = {&space->line, &space->shift_x, &space->shift_y,
                                                          &space->constant};
    for (size_t v = 0; v < sizeof vectors / sizeof vectors[0]; v++)
        starfish_coefficient_table_destroy(vectors[v]);
    starfish_plane_set_destroy(&space->planes);
    space->context = NULL;
}
