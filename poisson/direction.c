/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Discretisation of one direction: second differences on uniform and stretched grids with their ends, or the user's own
 * tridiagonal matrix. The formulas are those of include/starfish/poisson.h. */
#include "poisson/direction.h"

#include "base/row_sum.h"
#include "poisson/null_space.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Checking -------------------------------------------------------------------------------------------------- */

/* From values[first] on. */
static starfish_status check_finite(const char *name, const char *member, const double *values, size_t first,
                                    size_t count)
{
    STARFISH_REFUSE_IF(!values, "%s.%s is NULL", name, member);
    for (size_t i = first; i < count; i++)
        STARFISH_REFUSE_IF(!isfinite(values[i]), "%s.%s[%zu] is not finite", name, member, i);
    return STARFISH_SUCCESS;
}

static starfish_status check_ends(const char *name, const struct starfish_axis *axis)
{
    for (int end = 0; end < 2; end++)
        STARFISH_REFUSE_IF((unsigned)axis->ends[end] > STARFISH_END_CENTRE, "%s.ends[%d] is no kind of end", name, end);
    STARFISH_REFUSE_IF((axis->ends[0] == STARFISH_PERIODIC) != (axis->ends[1] == STARFISH_PERIODIC),
                       "%s.ends: one end is periodic and the other is not", name);
    for (int end = 0; end < 2; end++)
        STARFISH_FAIL_IF(axis->robin[end] != 0 || axis->ends[end] == STARFISH_ROBIN, STARFISH_ERROR_UNSUPPORTED,
                         "%s.robin[%d] is %g: there are no Robin ends yet", name, end, axis->robin[end]);
    STARFISH_REFUSE_IF(axis->grid != STARFISH_NODE && axis->grid != STARFISH_CELL,
                       "%s.grid is neither STARFISH_NODE nor STARFISH_CELL", name);
    return STARFISH_SUCCESS;
}

static starfish_status check_uniform(const char *name, const struct starfish_axis *axis)
{
    STARFISH_TRY(check_ends(name, axis));
    STARFISH_REFUSE_IF(!(axis->length > 0) || !isfinite(axis->length), "%s.length is %g, not a positive number", name,
                       axis->length);
    STARFISH_REFUSE_IF(axis->grid == STARFISH_NODE && axis->ends[0] == STARFISH_NEUMANN &&
                           axis->ends[1] == STARFISH_NEUMANN && axis->n < 2,
                       "%s.n is 1, but two Neumann ends on nodes need at least 2", name);
    return STARFISH_SUCCESS;
}

static size_t expected_coordinates(const struct starfish_axis *axis)
{
    if (axis->grid == STARFISH_CELL)
        return axis->n + 1;
    return axis->n + (axis->ends[0] == STARFISH_DIRICHLET) + (axis->ends[1] == STARFISH_DIRICHLET);
}

static starfish_status check_stretched(const char *name, const struct starfish_axis *axis)
{
    STARFISH_TRY(check_ends(name, axis));
    STARFISH_REFUSE_IF(axis->ends[0] == STARFISH_PERIODIC && axis->grid == STARFISH_NODE,
                       "%s.grid must be STARFISH_CELL where a stretched direction is periodic", name);
    const size_t expected = expected_coordinates(axis);
    STARFISH_REFUSE_IF(axis->coordinate_count != expected || expected < 2,
                       "%s.coordinates: %zu values, but n = %zu needs %zu (at least 2)", name, axis->coordinate_count,
                       axis->n, expected);
    STARFISH_TRY(check_finite(name, "coordinates", axis->coordinates, 0, expected));
    for (size_t i = 1; i < expected; i++)
        STARFISH_REFUSE_IF(!(axis->coordinates[i] > axis->coordinates[i - 1]),
                           "%s.coordinates[%zu] is not larger than the one before", name, i);
    return STARFISH_SUCCESS;
}

static starfish_status check_tridiagonal(const char *name, const struct starfish_axis *axis)
{
    const size_t parts = axis->complex_line ? 2 : 1, reals = parts * axis->n, ignored = axis->periodic ? 0 : parts;
    STARFISH_TRY(check_finite(name, "lower", axis->lower, ignored, reals));
    STARFISH_TRY(check_finite(name, "diag", axis->diag, 0, reals));
    return check_finite(name, "upper", axis->upper, 0, reals - ignored);
}

/* ---- Uniform grids --------------------------------------------------------------------------------------------- */

static double spacing(const struct starfish_axis *axis)
{
    if (axis->ends[0] == STARFISH_PERIODIC || axis->grid == STARFISH_CELL)
        return axis->length / (double)axis->n;
    const int dirichlet = (axis->ends[0] == STARFISH_DIRICHLET) + (axis->ends[1] == STARFISH_DIRICHLET);
    return axis->length / ((double)axis->n + dirichlet - 1);
}

static enum starfish_transform_kind transform_of(const struct starfish_axis *axis)
{
    static const enum starfish_transform_kind kinds[2][2][2] = {
        [STARFISH_NODE] = {{STARFISH_TRANSFORM_DD_NODE, STARFISH_TRANSFORM_DN_NODE},
                           {STARFISH_TRANSFORM_ND_NODE, STARFISH_TRANSFORM_NN_NODE}},
        [STARFISH_CELL] = {{STARFISH_TRANSFORM_DD_CELL, STARFISH_TRANSFORM_DN_CELL},
                           {STARFISH_TRANSFORM_ND_CELL, STARFISH_TRANSFORM_NN_CELL}}};
    if (axis->ends[0] == STARFISH_PERIODIC)
        return STARFISH_TRANSFORM_PERIODIC;
    return kinds[axis->grid][axis->ends[0] == STARFISH_NEUMANN][axis->ends[1] == STARFISH_NEUMANN];
}

/* Coupling to what lies beyond an end, eliminated: `outward` is the coefficient of the absent neighbour, `inward` that
 * of the other one, `width` the distance to the absent neighbour (NODE) or of the last cell (CELL). */
static void close_end(struct starfish_direction *d, int end, starfish_grid grid, starfish_end condition, double width)
{
    const size_t row = end == 0 ? 0 : d->n - 1;
    double *outward = end == 0 ? &d->lower[row] : &d->upper[row], *inward = end == 0 ? &d->upper[row] : &d->lower[row];
    const double sign = end == 0 ? -1 : 1;
    d->takes_boundary[end] = condition <= STARFISH_ROBIN;
    if (condition > STARFISH_ROBIN) { /* axis, pole, centre: the metric is zero there, and so is the coupling */
        *outward = 0;
    } else if (grid == STARFISH_NODE && condition == STARFISH_NEUMANN) { /* ghost = opposite neighbour -+ 2 h g */
        d->boundary_weight[end] = sign * 2 * width * *outward;
        *inward += *outward;
        *outward = 0;
    } else if (grid == STARFISH_CELL) { /* ghost = 2 g - u, or u -+ h g */
        const int dirichlet = condition == STARFISH_DIRICHLET;
        d->boundary_weight[end] = dirichlet ? 2 * *outward : sign * width * *outward;
        d->diag[row] += dirichlet ? -*outward : *outward;
        d->sum[row] -= dirichlet ? 2 * *outward : 0;
        *outward = 0;
    }
}

/* A Dirichlet value on a node is itself the absent neighbour. Last, since the other end may have doubled the coupling
 * of a single unknown. */
static void close_dirichlet_nodes(struct starfish_direction *d, const struct starfish_axis *axis)
{
    double *outward[2] = {&d->lower[0], &d->upper[d->n - 1]};
    for (int end = 0; end < 2; end++)
        if (axis->grid == STARFISH_NODE && axis->ends[end] == STARFISH_DIRICHLET) {
            d->boundary_weight[end] = *outward[end];
            d->takes_boundary[end] = 1;
            d->sum[end == 0 ? 0 : d->n - 1] -= *outward[end];
            *outward[end] = 0;
        }
}

/* Places of faces and unknowns: faces are midway between nodes, at a Neumann end as far outside. */
static void find_places(const struct starfish_axis *axis, double *faces, double *at)
{
    const size_t n = axis->n, before = axis->ends[0] == STARFISH_DIRICHLET;
    const double h = axis->kind == STARFISH_UNIFORM ? spacing(axis) : 0, *x = axis->coordinates;
    if (n == 0)
        return;
    for (size_t k = 0; axis->grid == STARFISH_CELL && k <= n; k++)
        faces[k] = x ? x[k] : k < n ? axis->origin + (double)k * h : axis->origin + axis->length;
    for (size_t k = 0; axis->grid == STARFISH_CELL && k < n; k++)
        at[k] = (faces[k] + faces[k + 1]) / 2;
    if (axis->grid == STARFISH_CELL)
        return;
    for (size_t k = 0; k < n; k++)
        at[k] = x ? x[k + before] : axis->origin + (double)(k + before) * h;
    for (size_t k = 1; k < n; k++)
        faces[k] = (at[k - 1] + at[k]) / 2;
    if (axis->ends[1] == STARFISH_DIRICHLET)
        faces[n] = x ? (at[n - 1] + x[n + before]) / 2 : at[n - 1] + h / 2;
    faces[0] = !before ? 2 * at[0] - (n > 1 ? faces[1] : faces[n]) : x ? (x[0] + at[0]) / 2 : at[0] - h / 2;
    if (axis->ends[1] != STARFISH_DIRICHLET)
        faces[n] = 2 * at[n - 1] - faces[n - 1];
}

/* Of rows of second differences whose ends are not closed. */
static starfish_status apply_metric(struct starfish_direction *d, const struct starfish_axis *axis,
                                    enum starfish_metric metric)
{
    if (metric == STARFISH_METRIC_NONE)
        return STARFISH_SUCCESS;
    struct starfish_axis of_grid = *axis;
    double *faces = calloc(2 * d->n + 1, sizeof *faces);
    STARFISH_FAIL_IF(!faces, STARFISH_ERROR_MEMORY, "out of memory for places of %zu unknowns", d->n);
    if (axis->kind == STARFISH_UNIFORM)
        of_grid.coordinates = NULL;
    find_places(&of_grid, faces, faces + d->n + 1);
    d->has_transform = 0;
    const starfish_status status = starfish_metric_apply(metric, d, faces, faces + d->n + 1);
    free(faces);
    return status;
}

static starfish_status build_uniform(struct starfish_direction *d, const struct starfish_axis *axis,
                                     enum starfish_metric metric)
{
    const double h = spacing(axis), off = 1 / (h * h);
    for (size_t k = 0; k < d->n; k++) {
        d->lower[k] = d->upper[k] = off;
        d->diag[k] = -2 * off;
    }
    d->periodic = axis->ends[0] == STARFISH_PERIODIC;
    d->has_transform = 1;
    d->transform = transform_of(axis);
    starfish_transform_eigenvalues(d->transform, d->n, h, d->eigenvalue);
    if (d->periodic)
        return STARFISH_SUCCESS;
    STARFISH_TRY(apply_metric(d, axis, metric));
    for (int end = 0; end < 2; end++)
        close_end(d, end, axis->grid, axis->ends[end], h);
    close_dirichlet_nodes(d, axis);
    return STARFISH_SUCCESS;
}

/* ---- Stretched grids: three-point conservative differences ------------------------------------------------------ */

/* Distances to the neighbours of unknown k and the width of its control volume. */
struct metric {
    double before, after, width;
};

/* From `spacing`, the distances between successive coordinates. */
static struct metric metric_of_node(const struct starfish_axis *axis, const double *spacing, size_t k)
{
    const double *after = spacing + (axis->ends[0] == STARFISH_DIRICHLET) + k;
    const int first = k == 0 && axis->ends[0] != STARFISH_DIRICHLET;
    const int last = k == axis->n - 1 && axis->ends[1] != STARFISH_DIRICHLET;
    struct metric m;
    m.before = first ? 0 : after[-1];
    m.after = last ? m.before : after[0];
    if (first)
        m.before = m.after; /* mirrored, as at `last` */
    m.width = (m.before + m.after) / 2;
    return m;
}

static struct metric metric_of_cell(const struct starfish_axis *axis, const double *spacing, size_t k)
{
    const double width = spacing[k];
    const int wraps = axis->ends[0] == STARFISH_PERIODIC;
    const double before = k > 0 ? spacing[k - 1] : wraps ? spacing[axis->n - 1] : width;
    const double after = k + 1 < axis->n ? spacing[k + 1] : wraps ? spacing[0] : width;
    return (struct metric){(before + width) / 2, (width + after) / 2, width};
}

/* Spacings of a grid that is its own mirror image differ from their mirrors by the rounding of the coordinates; their
 * means make the operator symmetric, which a change of basis can make use of. */
static void make_spacings(const struct starfish_axis *axis, double *spacing)
{
    const double *x = axis->coordinates;
    const size_t count = axis->coordinate_count - 1;
    const double rounding = 4 * DBL_EPSILON * fmax(fabs(x[0]), fabs(x[count]));
    int mirrored = 1;
    for (size_t i = 0; i < count; i++)
        spacing[i] = x[i + 1] - x[i];
    for (size_t i = 0; i < count / 2; i++)
        mirrored = mirrored && fabs(spacing[i] - spacing[count - 1 - i]) <= rounding;
    for (size_t i = 0; mirrored && i < count / 2; i++)
        spacing[i] = spacing[count - 1 - i] = (spacing[i] + spacing[count - 1 - i]) / 2;
}

static starfish_status build_stretched(struct starfish_direction *d, const struct starfish_axis *axis,
                                       enum starfish_metric metric)
{
    double end_width[2] = {0, 0}, *spacing = calloc(axis->coordinate_count, sizeof *spacing);
    STARFISH_FAIL_IF(!spacing, STARFISH_ERROR_MEMORY, "out of memory for %zu coordinates", axis->coordinate_count);
    make_spacings(axis, spacing);
    for (size_t k = 0; k < d->n; k++) {
        const struct metric m =
            axis->grid == STARFISH_NODE ? metric_of_node(axis, spacing, k) : metric_of_cell(axis, spacing, k);
        d->lower[k] = 1 / (m.before * m.width);
        d->upper[k] = 1 / (m.after * m.width);
        d->diag[k] = -(d->lower[k] + d->upper[k]);
        if (k == 0)
            end_width[0] = axis->grid == STARFISH_NODE ? m.before : m.width;
        end_width[1] = axis->grid == STARFISH_NODE ? m.after : m.width;
    }
    free(spacing);
    d->periodic = axis->ends[0] == STARFISH_PERIODIC;
    if (d->periodic && d->n == 1) /* coupled to itself alone */
        d->lower[0] = d->diag[0] = d->upper[0] = 0;
    if (d->periodic)
        return STARFISH_SUCCESS;
    STARFISH_TRY(apply_metric(d, axis, metric));
    for (int end = 0; end < 2; end++)
        close_end(d, end, axis->grid, axis->ends[end], end_width[end]);
    close_dirichlet_nodes(d, axis);
    return STARFISH_SUCCESS;
}

/* ---- The user's own matrix -------------------------------------------------------------------------------------- */

/* Constant coefficients, the same to both sides, are a multiple of the second difference plus a shift: the transforms
 * of a periodic or of a Dirichlet-Dirichlet grid diagonalise them. */
static void find_transform(struct starfish_direction *d)
{
    const size_t n = d->n;
    const double off = d->periodic || n == 1 ? d->lower[0] : d->upper[0], diag = d->diag[0];
    const double sum = starfish_row_sum(off, diag, off);
    for (size_t k = 0; k < n; k++)
        if (d->diag[k] != diag || ((k > 0 || d->periodic) && d->lower[k] != off) ||
            ((k + 1 < n || d->periodic) && d->upper[k] != off))
            return;
    d->has_transform = 1;
    /* A single row is its own mode in any transform, and a constant its own value in this one. */
    d->transform = d->periodic || n == 1 ? STARFISH_TRANSFORM_PERIODIC : STARFISH_TRANSFORM_DD_NODE;
    starfish_transform_eigenvalues(d->transform, n, 1, d->eigenvalue);
    for (size_t k = 0; k < n; k++)
        d->eigenvalue[k] = sum + off * d->eigenvalue[k];
}

/* Both parts of pairs; a line whose imaginary parts are all zero is real. */
static starfish_status copy_pairs(struct starfish_direction *d, const struct starfish_axis *axis)
{
    const double *const pairs[3] = {axis->lower, axis->diag, axis->upper};
    double *const real[3] = {d->lower, d->diag, d->upper};
    double *imaginary = calloc(3 * d->n, sizeof *imaginary);
    int is_complex = 0;
    STARFISH_FAIL_IF(!imaginary, STARFISH_ERROR_MEMORY, "out of memory for %zu complex coefficients", d->n);
    for (size_t p = 0; p < 3; p++)
        for (size_t k = 0; k < d->n; k++) {
            const int ignored = !axis->periodic && ((p == 0 && k == 0) || (p == 2 && k + 1 == d->n));
            real[p][k] = pairs[p][2 * k];
            imaginary[p * d->n + k] = ignored ? 0 : pairs[p][2 * k + 1];
            is_complex = is_complex || imaginary[p * d->n + k] != 0;
        }
    if (is_complex)
        d->imaginary = imaginary;
    else
        free(imaginary);
    return STARFISH_SUCCESS;
}

static starfish_status build_tridiagonal(struct starfish_direction *d, const struct starfish_axis *axis,
                                         enum starfish_metric metric)
{
    (void)metric;
    if (axis->complex_line) {
        STARFISH_TRY(copy_pairs(d, axis));
    } else {
        memcpy(d->lower, axis->lower, d->n * sizeof(double));
        memcpy(d->diag, axis->diag, d->n * sizeof(double));
        memcpy(d->upper, axis->upper, d->n * sizeof(double));
    }
    d->periodic = axis->periodic != 0;
    if (!d->periodic)
        d->lower[0] = d->upper[d->n - 1] = 0;
    for (size_t k = 0; k < d->n; k++) {
        d->sum[k] = starfish_row_sum(d->lower[k], d->diag[k], d->upper[k]);
        d->dropped = fmax(d->dropped, starfish_row_sum_dropped(d->lower[k], d->diag[k], d->upper[k]));
    }
    if (d->n == 1) { /* a single periodic row is coupled to itself alone */
        double *const i = d->imaginary;
        d->diag[0] = d->sum[0];
        d->lower[0] = d->upper[0] = 0;
        for (int part = 0; i && part < 3; part += 2) {
            i[1] += i[part];
            i[part] = 0;
        }
    }
    if (!d->imaginary)
        find_transform(d);
    return STARFISH_SUCCESS;
}

/* ---- Common ----------------------------------------------------------------------------------------------------- */

static starfish_status allocate(struct starfish_direction *d, const char *name, size_t n)
{
    memset(d, 0, sizeof *d);
    STARFISH_REFUSE_IF(n == 0 || n > INT32_MAX / 4, "%s.n is %zu, not in 1..%d", name, n, INT32_MAX / 4);
    d->n = n;
    double **const arrays[] = {&d->lower, &d->diag, &d->upper, &d->eigenvalue, &d->weight, &d->sum};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        if (!(*arrays[i] = calloc(n, sizeof(double)))) {
            starfish_direction_destroy(d);
            return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for %s of %zu unknowns", name, n);
        }
    return STARFISH_SUCCESS;
}

starfish_status starfish_direction_make_spectral(struct starfish_direction *d, const char *name,
                                                 const struct starfish_axis *axis)
{
    STARFISH_FAIL_IF(axis->kind != STARFISH_UNIFORM, STARFISH_ERROR_UNSUPPORTED,
                     "problem.eigenvalues: for spectral ones %s.kind must be STARFISH_UNIFORM", name);
    STARFISH_FAIL_IF(d->n > STARFISH_MOST_SPECTRAL, STARFISH_ERROR_UNSUPPORTED,
                     "problem.eigenvalues: spectral ones are for at most %d unknowns, and %s.n is %zu",
                     STARFISH_MOST_SPECTRAL, name, d->n);
    starfish_transform_spectral_eigenvalues(d->transform, d->n, spacing(axis), d->eigenvalue);
    d->spectral = 1;
    return STARFISH_SUCCESS;
}

static void add_lambda(struct starfish_direction *d, double lambda)
{
    for (size_t k = 0; d->scale_y && k < d->n; k++) {
        d->diag[k] += lambda * d->scale_y[k];
        d->sum[k] += lambda * d->scale_y[k];
    }
}

starfish_status starfish_direction_create(struct starfish_direction *d, const char *name,
                                          const struct starfish_axis *axis, enum starfish_metric metric, double lambda)
{
    static const struct {
        starfish_status (*check)(const char *, const struct starfish_axis *);
        starfish_status (*build)(struct starfish_direction *, const struct starfish_axis *, enum starfish_metric);
    } kinds[] = {
        [STARFISH_UNIFORM] = {check_uniform, build_uniform},
        [STARFISH_STRETCHED] = {check_stretched, build_stretched},
        [STARFISH_TRIDIAGONAL] = {check_tridiagonal, build_tridiagonal},
    };
    STARFISH_REFUSE_IF((unsigned)axis->kind > STARFISH_TRIDIAGONAL, "%s.kind is unknown", name);
    STARFISH_REFUSE_IF(axis->complex_line && axis->kind != STARFISH_TRIDIAGONAL,
                       "%s.complex_line is for axes of kind STARFISH_TRIDIAGONAL", name);
    STARFISH_TRY(allocate(d, name, axis->n));
    starfish_status status = kinds[axis->kind].check(name, axis);
    STARFISH_THEN(status, kinds[axis->kind].build(d, axis, metric));
    if (status == STARFISH_SUCCESS)
        add_lambda(d, lambda);
    STARFISH_THEN(status, starfish_find_null_space(d));
    if (status != STARFISH_SUCCESS) {
        starfish_direction_destroy(d);
        return status;
    }
    return status;
}

/* NULL stays NULL. Returns 0 without memory. */
static int copy_if_any(double **copy, const double *values, size_t count)
{
    if (values && (*copy = malloc(count * sizeof **copy)))
        memcpy(*copy, values, count * sizeof **copy);
    return !values || *copy;
}

starfish_status starfish_direction_copy(struct starfish_direction *copy, const struct starfish_direction *d)
{
    struct starfish_direction own;
    STARFISH_TRY(allocate(&own, "a direction", d->n));
    double *const to[] = {own.lower, own.diag, own.upper, own.eigenvalue, own.weight, own.sum};
    const double *const from[] = {d->lower, d->diag, d->upper, d->eigenvalue, d->weight, d->sum};
    for (size_t i = 0; i < sizeof to / sizeof to[0]; i++)
        memcpy(to[i], from[i], d->n * sizeof(double));
    if (!copy_if_any(&own.imaginary, d->imaginary, 3 * d->n) || !copy_if_any(&own.weight_x, d->weight_x, d->n) ||
        !copy_if_any(&own.scale_y, d->scale_y, d->n)) {
        starfish_direction_destroy(&own);
        return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for %zu coefficients", d->n);
    }
    *copy = *d;
    copy->lower = own.lower;
    copy->diag = own.diag;
    copy->upper = own.upper;
    copy->imaginary = own.imaginary;
    copy->weight_x = own.weight_x;
    copy->scale_y = own.scale_y;
    copy->eigenvalue = own.eigenvalue;
    copy->weight = own.weight;
    copy->sum = own.sum;
    return STARFISH_SUCCESS;
}

void starfish_direction_destroy(struct starfish_direction *d)
{
    free(d->lower);
    free(d->diag);
    free(d->upper);
    free(d->eigenvalue);
    free(d->sum);
    free(d->weight);
    free(d->imaginary);
    free(d->weight_x);
    free(d->scale_y);
    memset(d, 0, sizeof *d);
}
