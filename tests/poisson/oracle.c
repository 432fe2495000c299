/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The discrete operator from the rules for ghost values. Slow and plain on purpose. */
#include "tests/poisson/oracle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static starfish_end end_of(char letter)
{
    return letter == 'd' ? STARFISH_DIRICHLET : STARFISH_NEUMANN;
}

struct starfish_axis test_axis(const char *text, size_t n, double origin, double length)
{
    struct starfish_axis axis = {.kind = STARFISH_UNIFORM, .n = n, .origin = origin, .length = length};
    if (strncmp(text, "periodic", 8) == 0)
        return axis; /* ends are periodic by being zero */
    axis.ends[0] = end_of(text[0]);
    axis.ends[1] = end_of(text[1]);
    axis.grid = strstr(text, "cell") ? STARFISH_CELL : STARFISH_NODE;
    if (!strstr(text, "stretched"))
        return axis;
    axis.kind = STARFISH_STRETCHED;
    axis.coordinate_count = axis.grid == STARFISH_CELL
                                ? n + 1
                                : n + (axis.ends[0] == STARFISH_DIRICHLET) + (axis.ends[1] == STARFISH_DIRICHLET);
    double *x = malloc(axis.coordinate_count * sizeof *x);
    for (size_t i = 0; i < axis.coordinate_count; i++) {
        const double t = (double)i / (double)(axis.coordinate_count - 1);
        x[i] = origin + length * (t + 0.3 * t * (t - 1)); /* spacing grows by a factor of about two */
    }
    axis.coordinates = x;
    return axis;
}

void test_axis_free(struct starfish_axis *axis)
{
    free((void *)axis->coordinates);
    free((void *)axis->lower);
    free((void *)axis->diag);
    free((void *)axis->upper);
}

struct starfish_axis test_matrix(size_t n, int periodic, unsigned *seed)
{
    double *lower = calloc(n, sizeof *lower), *diag = calloc(n, sizeof *diag), *upper = calloc(n, sizeof *upper);
    double *scale = malloc(n * sizeof *scale);
    for (size_t k = 0; k < n; k++)
        scale[k] = exp(test_real_random(seed));
    /* D^-1 S D with S symmetric: off-diagonals s_k between k and k+1. */
    for (size_t k = 0; k < n; k++) {
        const size_t next = (k + 1) % n;
        if (k + 1 == n && !periodic)
            break;
        const double s = 2 + test_real_random(seed);
        upper[k] = s * scale[next] / scale[k];
        lower[next] = s * scale[k] / scale[next];
        diag[k] -= s * 1.1;
        diag[next] -= s * 1.1;
    }
    for (size_t k = 0; k < n; k++)
        diag[k] -= 0.1;
    free(scale);
    return (struct starfish_axis){
        .kind = STARFISH_TRIDIAGONAL, .n = n, .lower = lower, .diag = diag, .upper = upper, .periodic = periodic};
}

struct starfish_axis test_flux_matrix(size_t n, int periodic, unsigned *seed)
{
    double *lower = calloc(n, sizeof *lower), *diag = malloc(n * sizeof *diag), *upper = calloc(n, sizeof *upper);
    const double around = periodic ? exp(test_real_random(seed)) : 0;
    double through = around;
    for (size_t k = 0; k < n; k++) {
        const double width = exp(test_real_random(seed));
        lower[k] = through / width;
        through = k + 1 < n ? exp(test_real_random(seed)) : around;
        upper[k] = through / width;
        diag[k] = -(lower[k] + upper[k]);
    }
    return (struct starfish_axis){
        .kind = STARFISH_TRIDIAGONAL, .n = n, .lower = lower, .diag = diag, .upper = upper, .periodic = periodic};
}

struct starfish_poisson_problem test_problem(const char *x, const char *y, const char *z, size_t nx, size_t ny,
                                             size_t nz, double lambda)
{
    return (struct starfish_poisson_problem){
        .axis = {test_axis(x, nx, 0, 1.5), test_axis(y, ny, -1, 1), test_axis(z, nz, 0.5, 2)}, .lambda = lambda};
}

void test_free_problem(struct starfish_poisson_problem *problem)
{
    for (int axis = 0; axis < 3; axis++)
        test_axis_free(&problem->axis[axis]);
}

size_t test_unknowns(const struct starfish_poisson_problem *problem)
{
    return problem->axis[0].n * problem->axis[1].n * problem->axis[2].n;
}

/* Node positions including one ghost on either side, and control volumes. */
struct line_grid {
    double before, after, width; /* distance to the neighbours, width of the control volume */
};

static double uniform_spacing(const struct starfish_axis *axis)
{
    const int d = (axis->ends[0] == STARFISH_DIRICHLET) + (axis->ends[1] == STARFISH_DIRICHLET);
    if (axis->ends[0] == STARFISH_PERIODIC || axis->grid == STARFISH_CELL)
        return axis->length / (double)axis->n;
    return axis->length / ((double)axis->n - 1 + d);
}

static struct line_grid grid_at(const struct starfish_axis *axis, size_t i)
{
    if (axis->kind == STARFISH_UNIFORM) {
        const double h = uniform_spacing(axis);
        return (struct line_grid){h, h, h};
    }
    const double *x = axis->coordinates;
    if (axis->grid == STARFISH_CELL) {
        const double w = x[i + 1] - x[i];
        const double wb = i > 0 ? x[i] - x[i - 1] : w, wa = i + 1 < axis->n ? x[i + 2] - x[i + 1] : w;
        return (struct line_grid){(wb + w) / 2, (w + wa) / 2, w};
    }
    x += axis->ends[0] == STARFISH_DIRICHLET;
    const int no_before = i == 0 && axis->ends[0] == STARFISH_NEUMANN;
    const int no_after = i + 1 == axis->n && axis->ends[1] == STARFISH_NEUMANN;
    const double before = no_before ? x[i + 1] - x[i] : x[i] - x[(ptrdiff_t)i - 1];
    const double after = no_after ? before : x[i + 1] - x[i];
    return (struct line_grid){before, after, (before + after) / 2};
}

static double ghost(const struct starfish_axis *axis, int end, double datum, double self, double inner)
{
    const struct line_grid g = grid_at(axis, end == 0 ? 0 : axis->n - 1);
    const double h = end == 0 ? -g.before : g.after;
    if (axis->grid == STARFISH_CELL)
        return axis->ends[end] == STARFISH_DIRICHLET ? 2 * datum - self : self + h * datum;
    return axis->ends[end] == STARFISH_DIRICHLET ? datum : inner + 2 * h * datum;
}

/* out[i * stride] += (D u)(i) along one line with boundary data low, high. */
static void apply_line(const struct starfish_axis *axis, const double *u, size_t stride, double low, double high,
                       double *out)
{
    const size_t n = axis->n;
    if (axis->kind == STARFISH_TRIDIAGONAL) {
        for (size_t i = 0; i < n; i++) {
            if (i > 0 || axis->periodic)
                out[i * stride] += axis->lower[i] * u[(i + n - 1) % n * stride];
            if (i + 1 < n || axis->periodic)
                out[i * stride] += axis->upper[i] * u[(i + 1) % n * stride];
            out[i * stride] += axis->diag[i] * u[i * stride];
        }
        return;
    }
    for (size_t i = 0; i < n; i++) {
        const struct line_grid g = grid_at(axis, i);
        const double self = u[i * stride];
        double below, above;
        if (axis->ends[0] == STARFISH_PERIODIC) {
            below = u[(i + n - 1) % n * stride];
            above = u[(i + 1) % n * stride];
        } else {
            /* The other neighbour of a Neumann node may itself be a Dirichlet value. */
            const double inner_low = n > 1 ? u[stride] : high, inner_high = n > 1 ? u[(n - 2) * stride] : low;
            below = i > 0 ? u[(i - 1) * stride] : ghost(axis, 0, low, self, inner_low);
            above = i + 1 < n ? u[(i + 1) * stride] : ghost(axis, 1, high, self, inner_high);
        }
        out[i * stride] += ((above - self) / g.after - (self - below) / g.before) / g.width;
    }
}

static double datum(const struct starfish_boundary *boundary, int axis, int end, size_t index)
{
    if (!boundary)
        return 0;
    const double *array = boundary->array[axis][end];
    return array ? array[index] : boundary->constant[axis][end];
}

void test_apply(const struct starfish_poisson_problem *problem, const struct starfish_boundary *boundary,
                const double *u, double *out)
{
    const size_t n[3] = {problem->axis[0].n, problem->axis[1].n, problem->axis[2].n};
    const size_t stride[3] = {1, n[0], n[0] * n[1]};
    for (size_t e = 0; e < n[0] * n[1] * n[2]; e++)
        out[e] = problem->lambda * u[e];
    for (int axis = 0; axis < 3; axis++) {
        const int p = axis == 0 ? 1 : 0, q = axis == 2 ? 1 : 2; /* the other two, lower first */
        for (size_t b = 0; b < n[q]; b++)
            for (size_t a = 0; a < n[p]; a++) {
                const size_t at = a * stride[p] + b * stride[q], face = a + n[p] * b;
                apply_line(&problem->axis[axis], u + at, stride[axis], datum(boundary, axis, 0, face),
                           datum(boundary, axis, 1, face), out + at);
            }
    }
}

void test_weights(const struct starfish_axis *axis, double *weight)
{
    double sum = 0;
    for (size_t i = 0; i < axis->n; i++) {
        const int at_neumann_node =
            axis->grid == STARFISH_NODE && axis->ends[0] != STARFISH_PERIODIC && (i == 0 || i + 1 == axis->n);
        weight[i] = grid_at(axis, i).width * (at_neumann_node ? 0.5 : 1);
        sum += weight[i];
    }
    for (size_t i = 0; i < axis->n; i++)
        weight[i] /= sum;
}

double test_weighted_mean(const struct starfish_poisson_problem *problem, const double *u)
{
    const size_t n[3] = {problem->axis[0].n, problem->axis[1].n, problem->axis[2].n};
    double *w[3], mean = 0;
    for (int axis = 0; axis < 3; axis++) {
        w[axis] = malloc(n[axis] * sizeof *w[axis]);
        test_weights(&problem->axis[axis], w[axis]);
    }
    for (size_t e = 0; e < test_unknowns(problem); e++)
        mean += w[0][e % n[0]] * w[1][e / n[0] % n[1]] * w[2][e / n[0] / n[1]] * u[e];
    for (int axis = 0; axis < 3; axis++)
        free(w[axis]);
    return mean;
}

double test_position(const struct starfish_axis *axis, size_t i)
{
    if (axis->kind == STARFISH_STRETCHED) {
        const double *x = axis->coordinates;
        return axis->grid == STARFISH_CELL ? (x[i] + x[i + 1]) / 2 : x[i + (axis->ends[0] == STARFISH_DIRICHLET)];
    }
    const double h = uniform_spacing(axis);
    if (axis->ends[0] == STARFISH_PERIODIC)
        return axis->origin + h * (double)i;
    if (axis->grid == STARFISH_CELL)
        return axis->origin + h * ((double)i + 0.5);
    return axis->origin + h * (double)(i + (axis->ends[0] == STARFISH_DIRICHLET));
}
