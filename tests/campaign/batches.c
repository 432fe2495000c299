/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Random batches of tridiagonal systems, by every algorithm and in every layout, against dense elimination in quadruple
 * precision. Matrices are dominant, or of any kind where the plan checks them or the algorithm pivots: what is accepted
 * must be solved to rounding times the condition. */
#include "kind.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

__extension__ typedef __float128 wide;

enum { MOST_ROWS = 24, MOST_LINES = 5, MOST_RHS = 2, MOST_ELEMENTS = 1 << 13, MOST_REALS = 2 * MOST_ELEMENTS };
/* Stands where no element of a solution is. */
static const double untouched = 1234.5;

static const char *const names[STARFISH_ALGORITHMS] = {"auto", "thomas", "tiled",      "cr",
                                                       "pcr",  "cr-pcr", "pcr-thomas", "pivoted"};

struct batch {
    struct starfish_tridiag_problem problem;
    starfish_precision precision;
    double lower[MOST_ELEMENTS], diag[MOST_ELEMENTS], upper[MOST_ELEMENTS];
    double shift[MOST_LINES], rhs[MOST_REALS], solution[MOST_REALS];
    float narrow[4][MOST_ELEMENTS], narrow_rhs[MOST_REALS], narrow_solution[MOST_REALS];
};

static wide size_of(wide x)
{
    return x < 0 ? -x : x;
}

static double round_to(starfish_precision precision, double value)
{
    return precision == STARFISH_F32 ? (double)(float)value : value;
}

static size_t at(const struct batch *b, size_t line, size_t row)
{
    return row * b->problem.coefficients.row + line * b->problem.coefficients.line;
}

/* Part of right-hand side r. */
static size_t at_vector(const struct batch *b, size_t line, size_t row, size_t r, size_t part)
{
    const size_t parts = b->problem.complex_rhs ? 2 : 1;
    const struct starfish_layout layout = b->problem.vectors;
    return (row * layout.row + line * layout.line + r * b->problem.rhs_stride) * parts + part;
}

/* Dominant rows, which need no pivots, or for elimination with row interchanges any. */
static void choose_row(struct batch *b, size_t e, int dominant, int m_matrix, struct campaign_random *random)
{
    const starfish_precision precision = b->precision;
    const double scale = pow(10, campaign_uniform(random, -2, 2));
    b->lower[e] = round_to(precision, scale * campaign_uniform(random, m_matrix ? 0 : -1, 1));
    b->upper[e] = round_to(precision, scale * campaign_uniform(random, m_matrix ? 0 : -1, 1));
    const double excess = scale * pow(10, campaign_uniform(random, -3, 1));
    const double sum = fabs(b->lower[e]) + fabs(b->upper[e]) + excess;
    b->diag[e] = round_to(precision, dominant ? -sum : scale * campaign_uniform(random, -2, 2));
}

/* ---- Matrices of any kind ---------------------------------------------------------------------------------------- */

enum matrix {
    UNIFORM,       /* entries without order */
    ZERO_DIAGONAL, /* some of them */
    SMALL_DIAGONAL,
    SMALL_PIVOT, /* a leading block is nearly singular */
    SKEW,        /* strong central differences of a flow */
    WAVES,       /* -u'' - c u, which is indefinite */
    WEAKLY_DOMINANT,
    GRADED, /* rows and columns of dominant matrices, scaled */
    DOMINANT,
    MATRICES
};

static void choose_any_row(double row[3], enum matrix matrix, double parameter, struct campaign_random *random)
{
    for (int i = 0; i < 3; i++)
        row[i] = campaign_uniform(random, -1, 1);
    switch (matrix) {
    case ZERO_DIAGONAL:
        row[1] *= (double)campaign_below(random, 2);
        break;
    case SMALL_DIAGONAL:
        row[1] *= parameter * parameter;
        break;
    case SKEW:
        row[0] = -1, row[2] = 1, row[1] = 2 * parameter;
        break;
    case WAVES:
        row[0] = row[2] = -1, row[1] = 2 * cos(3 * parameter);
        break;
    case WEAKLY_DOMINANT:
        row[0] = row[0] < 0 ? -1 : 1, row[1] = 2, row[2] = row[2] < 0 ? -1 : 1;
        break;
    case GRADED:
    case DOMINANT:
        row[1] = (fabs(row[0]) + fabs(row[2])) * (row[1] < 0 ? -1 - parameter : 1 + parameter);
        break;
    default:
        break;
    }
}

/* A pivot of elimination from the top becomes as small as the parameter says. */
static void choose_small_pivot(struct batch *b, size_t line, double parameter, struct campaign_random *random)
{
    const size_t chosen = campaign_below(random, b->problem.n);
    double above = 0;
    for (size_t k = 0; k <= chosen; k++) {
        const size_t e = at(b, line, k);
        const double taken = k > 0 ? b->lower[e] * above : 0;
        if (k == chosen)
            b->diag[e] = taken + parameter * parameter * b->diag[e];
        above = b->upper[e] / (b->diag[e] - taken);
    }
}

static void choose_any_line(struct batch *b, size_t line, struct campaign_random *random)
{
    const enum matrix matrix = (enum matrix)campaign_below(random, MATRICES);
    const double parameter = pow(10, campaign_uniform(random, -8, 0));
    double scale = 1;
    for (size_t k = 0; k < b->problem.n; k++) {
        const size_t e = at(b, line, k);
        double row[3];
        choose_any_row(row, matrix, parameter, random);
        const double next = matrix == GRADED ? pow(10, campaign_uniform(random, -2, 2)) : 1;
        const double of_row = matrix == GRADED ? pow(10, campaign_uniform(random, -2, 2)) : 1;
        b->lower[e] = of_row * row[0] / scale, b->diag[e] = of_row * row[1], b->upper[e] = of_row * row[2] * next;
        scale = next;
    }
    if (matrix == SMALL_PIVOT)
        choose_small_pivot(b, line, parameter, random);
    for (size_t k = 0; k < b->problem.n; k++) {
        const size_t e = at(b, line, k);
        b->lower[e] = round_to(b->precision, b->lower[e]);
        b->diag[e] = round_to(b->precision, b->diag[e]);
        b->upper[e] = round_to(b->precision, b->upper[e]);
    }
}

/* ---- Layouts ----------------------------------------------------------------------------------------------------- */

enum { DIRECTIONS = 3 };

/* Whether all elements are apart, and in the array. */
static int is_apart(const size_t extent[DIRECTIONS], const size_t stride[DIRECTIONS])
{
    static unsigned char taken[MOST_ELEMENTS];
    memset(taken, 0, sizeof taken);
    for (size_t i = 0; i < extent[0]; i++)
        for (size_t j = 0; j < extent[1]; j++)
            for (size_t k = 0; k < extent[2]; k++) {
                const size_t e = i * stride[0] + j * stride[1] + k * stride[2];
                if (e >= MOST_ELEMENTS || taken[e]++)
                    return 0;
            }
    return 1;
}

/* Nested strides in any order, with gaps or without; sometimes any strides that keep elements apart. Those of extents
 * of 1 may be anything. */
static void choose_strides(const size_t extent[DIRECTIONS], size_t stride[DIRECTIONS], struct campaign_random *random)
{
    const size_t gaps = campaign_below(random, 2), any = campaign_below(random, 4) == 0;
    size_t order[DIRECTIONS] = {0, 1, 2}, next = 1 + (gaps && campaign_below(random, 3) == 0);
    for (int tries = 0; any && tries < 50; tries++) {
        for (int d = 0; d < DIRECTIONS; d++)
            stride[d] = 1 + campaign_below(random, 60);
        if (is_apart(extent, stride))
            break;
    }
    for (size_t i = DIRECTIONS; i > 1; i--) {
        const size_t j = campaign_below(random, i), moved = order[j];
        order[j] = order[i - 1], order[i - 1] = moved;
    }
    for (int i = 0; i < DIRECTIONS && !(any && is_apart(extent, stride)); i++) {
        stride[order[i]] = next;
        next = next * extent[order[i]] + (gaps ? campaign_below(random, 3) : 0);
    }
    for (int d = 0; d < DIRECTIONS; d++)
        if (extent[d] == 1 && campaign_below(random, 2))
            stride[d] = campaign_below(random, 2) ? SIZE_MAX / 3 : campaign_below(random, 30);
}

static void choose_layouts(struct batch *b, struct campaign_random *random)
{
    struct starfish_tridiag_problem *p = &b->problem;
    const size_t matrices[DIRECTIONS] = {p->n, p->lines, 1}, vectors[DIRECTIONS] = {p->n, p->lines, p->rhs};
    size_t stride[DIRECTIONS];
    choose_strides(matrices, stride, random);
    p->coefficients = (struct starfish_layout){stride[0], campaign_below(random, 3) ? stride[1] : 0};
    choose_strides(vectors, stride, random);
    p->vectors = (struct starfish_layout){stride[0], stride[1]};
    p->rhs_stride = stride[2];
}

/* ---- Batches ----------------------------------------------------------------------------------------------------- */

static void choose_options(struct batch *b, int any_matrix, struct starfish_tridiag_options *o,
                           struct campaign_random *random)
{
    *o = (struct starfish_tridiag_options)STARFISH_TRIDIAG_OPTIONS_DEFAULTS;
    b->precision = o->precision = campaign_below(random, 5) < 2 ? STARFISH_F32 : STARFISH_F64;
    o->algorithm = (starfish_algorithm)campaign_below(random, STARFISH_ALGORITHMS);
    o->keep_factors = o->algorithm == STARFISH_ALGORITHM_THOMAS && campaign_below(random, 2);
    o->check = o->algorithm != STARFISH_ALGORITHM_PIVOTED && (any_matrix || campaign_below(random, 2));
    o->slabs = campaign_below(random, b->problem.lines < 2 ? 2 : 3);
}

static void choose(struct batch *b, int any_matrix, struct starfish_tridiag_options *o, struct campaign_random *random)
{
    struct starfish_tridiag_problem *p = &b->problem;
    memset(b, 0, sizeof *b);
    p->n = campaign_below(random, 7) == 0 ? 1 : 1 + campaign_below(random, MOST_ROWS);
    p->lines = 1 + campaign_below(random, MOST_LINES);
    p->rhs = 1 + campaign_below(random, MOST_RHS);
    p->complex_rhs = campaign_below(random, 4) == 0;
    p->periodic = campaign_below(random, 2) == 1;
    choose_options(b, any_matrix, o, random);
    choose_layouts(b, random);
    const int dominant = o->algorithm != STARFISH_ALGORITHM_PIVOTED, m_matrix = campaign_below(random, 2) == 1;
    for (size_t l = 0; l < (p->coefficients.line ? p->lines : 1); l++) {
        for (size_t k = 0; k < p->n && !any_matrix; k++)
            choose_row(b, at(b, l, k), dominant, m_matrix, random);
        if (any_matrix)
            choose_any_line(b, l, random);
    }
    const int shifted = campaign_below(random, 3) == 0;
    for (size_t l = 0; l < p->lines; l++)
        b->shift[l] = round_to(b->precision, shifted ? -campaign_uniform(random, 0, any_matrix ? 0.1 : 3) : 0);
    for (size_t i = 0; i < MOST_REALS; i++) {
        b->rhs[i] = round_to(b->precision, campaign_uniform(random, -1, 1));
        b->solution[i] = b->narrow_solution[i] = (float)untouched;
    }
    p->lower = b->lower, p->diag = b->diag, p->upper = b->upper, p->shift = shifted ? b->shift : NULL;
}

static void narrow(struct batch *b)
{
    const double *const from[4] = {b->lower, b->diag, b->upper, b->shift};
    const void **const to[4] = {&b->problem.lower, &b->problem.diag, &b->problem.upper, &b->problem.shift};
    if (b->precision != STARFISH_F32)
        return;
    for (int a = 0; a < 4; a++) {
        for (size_t i = 0; i < (a < 3 ? (size_t)MOST_ELEMENTS : (size_t)MOST_LINES); i++)
            b->narrow[a][i] = (float)from[a][i];
        if (*to[a])
            *to[a] = b->narrow[a];
    }
    for (size_t i = 0; i < MOST_REALS; i++)
        b->narrow_rhs[i] = (float)b->rhs[i];
}

/* ---- The oracle -------------------------------------------------------------------------------------------------- */

/* The matrix of a line and its inverse, by Gauss and Jordan with row interchanges; 0 where it is singular. */
static int invert(const struct batch *b, size_t line, wide a[MOST_ROWS][MOST_ROWS], wide inverse[MOST_ROWS][MOST_ROWS])
{
    const size_t n = b->problem.n;
    static wide left[MOST_ROWS][MOST_ROWS];
    memset(a, 0, sizeof(wide) * MOST_ROWS * MOST_ROWS);
    memset(inverse, 0, sizeof(wide) * MOST_ROWS * MOST_ROWS);
    for (size_t k = 0; k < n; k++) {
        const size_t e = at(b, line, k);
        a[k][k] += (wide)b->diag[e] + (wide)b->shift[line];
        if (k > 0 || b->problem.periodic)
            a[k][(k + n - 1) % n] += (wide)b->lower[e];
        if (k + 1 < n || b->problem.periodic)
            a[k][(k + 1) % n] += (wide)b->upper[e];
        inverse[k][k] = 1;
    }
    memcpy(left, a, sizeof left);
    for (size_t k = 0; k < n; k++) {
        size_t pivot = k;
        for (size_t i = k + 1; i < n; i++)
            pivot = size_of(left[i][k]) > size_of(left[pivot][k]) ? i : pivot;
        if (size_of(left[pivot][k]) < (wide)1e-25)
            return 0;
        for (size_t j = 0; j < n; j++) {
            const wide l = left[k][j], r = inverse[k][j];
            left[k][j] = left[pivot][j], inverse[k][j] = inverse[pivot][j];
            left[pivot][j] = l, inverse[pivot][j] = r;
        }
        const wide divisor = left[k][k];
        for (size_t j = 0; j < n; j++)
            left[k][j] /= divisor, inverse[k][j] /= divisor;
        for (size_t i = 0; i < n; i++) {
            const wide factor = left[i][k];
            for (size_t j = 0; j < n && i != k && factor != 0; j++)
                left[i][j] -= factor * left[k][j], inverse[i][j] -= factor * inverse[k][j];
        }
    }
    return 1;
}

/* The error of a vector over its bound is kept where it is the largest. The bound is of norms: elimination of lines
 * that are not M-matrices is stable by norms alone. */
static void compare(const struct batch *b, size_t line, size_t r, size_t part, struct campaign_trial *t)
{
    static wide a[MOST_ROWS][MOST_ROWS], inverse[MOST_ROWS][MOST_ROWS];
    const size_t n = b->problem.n;
    double largest = 0, error = 0, matrix = 0, inverse_norm = 0;
    if (!invert(b, line, a, inverse))
        return;
    for (size_t k = 0; k < n; k++) {
        const size_t e = at(b, line, k); /* periodic rows of one or two unknowns are sums of couplings */
        const double row = fabs(b->lower[e]) + fabs(b->diag[e] + b->shift[line]) + fabs(b->upper[e]);
        wide x = 0, inverse_row = 0;
        for (size_t j = 0; j < n; j++) {
            x += inverse[k][j] * (wide)b->rhs[at_vector(b, line, j, r, part)];
            inverse_row += size_of(inverse[k][j]);
        }
        const double off = fabs((double)x - b->solution[at_vector(b, line, k, r, part)]);
        error = off <= error ? error : off;
        largest = fmax(largest, fabs((double)x));
        matrix = fmax(matrix, row);
        inverse_norm = fmax(inverse_norm, (double)inverse_row);
    }
    const double eps = b->precision == STARFISH_F32 ? (double)FLT_EPSILON : DBL_EPSILON;
    const double bound = 100 * eps * matrix * inverse_norm;
    if (bound >= 1) /* no digit of the answer is certain */
        return;
    if (!(error / largest / bound <= t->error / t->bound)) {
        t->error = error / largest;
        t->bound = bound;
    }
}

/* ---- A trial ----------------------------------------------------------------------------------------------------- */

static starfish_status solve(starfish_context *context, struct batch *b, const struct starfish_tridiag_options *options)
{
    starfish_plan *plan;
    starfish_status status = starfish_tridiag_plan_create(context, &b->problem, options, &plan);
    if (status != STARFISH_SUCCESS)
        return status;
    if (b->precision == STARFISH_F64)
        status = starfish_plan_solve(plan, NULL, b->rhs, b->solution, NULL);
    else
        status = starfish_plan_solve(plan, NULL, b->narrow_rhs, b->narrow_solution, NULL);
    for (size_t i = 0; i < MOST_REALS && b->precision == STARFISH_F32; i++)
        b->solution[i] = (double)b->narrow_solution[i];
    starfish_plan_destroy(plan);
    return status;
}

/* Whether nothing was written beside the elements of the solution. */
static int keeps_gaps(const struct batch *b)
{
    static unsigned char written[MOST_REALS];
    memset(written, 0, sizeof written);
    for (size_t l = 0; l < b->problem.lines; l++)
        for (size_t k = 0; k < b->problem.n; k++)
            for (size_t r = 0; r < b->problem.rhs; r++)
                for (size_t part = 0; part < (b->problem.complex_rhs ? 2u : 1u); part++)
                    written[at_vector(b, l, k, r, part)] = 1;
    for (size_t i = 0; i < MOST_REALS; i++)
        if (!written[i] && b->solution[i] != untouched)
            return 0;
    return 1;
}

void campaign_run_batch(starfish_context *context, const struct campaign_kind *kind, struct campaign_trial *t)
{
    static struct batch b;
    struct starfish_tridiag_options options;
    struct campaign_random random = campaign_random_of(t->seed, t->index);
    choose(&b, kind->any_matrix, &options, &random);
    narrow(&b);
    t->precision = b.precision;
    snprintf(t->what, sizeof t->what, "%s, n %zu, lines %zu%s", names[options.algorithm], b.problem.n, b.problem.lines,
             b.problem.periodic ? ", periodic" : "");
    if (solve(context, &b, &options) != STARFISH_SUCCESS) {
        t->held = CAMPAIGN_KIND_REFUSED;
        snprintf(t->what, sizeof t->what, "%s: %s", names[options.algorithm], starfish_error_message());
        return;
    }
    campaign_add_bits(&t->bits, b.solution, MOST_REALS);
    t->error = 0, t->bound = 1;
    for (size_t l = 0; l < b.problem.lines; l++)
        for (size_t r = 0; r < b.problem.rhs; r++)
            for (size_t part = 0; part < (b.problem.complex_rhs ? 2u : 1u); part++)
                compare(&b, l, r, part, t);
    t->held = !keeps_gaps(&b) ? CAMPAIGN_TOUCHED : t->error <= t->bound ? CAMPAIGN_HELD : CAMPAIGN_BEYOND;
}
