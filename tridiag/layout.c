/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Checks that a layout keeps elements distinct.
 *
 * Two elements of an array meet where a row + b line + c rhs_stride = 0 for differences a, b, c of their indices that
 * are not all 0, |a| < n, |b| < lines, |c| < rhs. Most layouts nest: each stride is larger than all that the smaller
 * ones reach, and nothing meets. For others every c >= 0 is tried: with g = gcd(row, line), solutions of
 * a row + b line = t exist where g divides t, and then a is one residue class modulo line / g. */
#include "tridiag/layout.h"

#include <stdint.h>

/* ---- Elements apart ---------------------------------------------------------------------------------------------- */

static int64_t greatest_divisor(int64_t a, int64_t b)
{
    while (b != 0) {
        const int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* a with a * value = 1 modulo `modulus`, to which value is prime. */
static int64_t inverse_modulo(int64_t value, int64_t modulus)
{
    int64_t r = modulus, next_r = value % modulus, a = 0, next_a = 1;

    while (next_r != 0) {
        const int64_t quotient = r / next_r, rest = r - quotient * next_r, last = a - quotient * next_a;
        r = next_r;
        next_r = rest;
        a = next_a;
        next_a = last;
    }
    return a < 0 ? a + modulus : a;
}

static int64_t largest(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t smallest(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Quotients towards minus and plus infinity; divisors are positive. */
static int64_t divide_down(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

static int64_t divide_up(int64_t a, int64_t b)
{
    return a / b + (a % b > 0);
}

/* Whether elements of right-hand sides c apart meet. Extents are below 2^26 and strides below 2^32. */
static int meet(const struct starfish_batch_extents *array, int64_t c)
{
    const size_t *const extent = array->extent, *const stride = array->stride;
    const int64_t n = (int64_t)extent[STARFISH_BATCH_ROWS], lines = (int64_t)extent[STARFISH_BATCH_LINES];
    const int64_t row = (int64_t)stride[STARFISH_BATCH_ROWS], line = (int64_t)stride[STARFISH_BATCH_LINES];
    if (row == 0 || line == 0)
        return 1;
    const int64_t divisor = greatest_divisor(row, line), target = c * (int64_t)stride[STARFISH_BATCH_RHS];
    const int64_t r = row / divisor, l = line / divisor, t = target / divisor;

    if (c == 0)
        return l < n && r < lines;
    if (target % divisor != 0)
        return 0;
    const int64_t low = largest(divide_up(t - (lines - 1) * l, r), 1 - n);
    const int64_t high = smallest(divide_down(t + (lines - 1) * l, r), n - 1);
    const int64_t residue =
        (int64_t)((uint64_t)(t % l) * (uint64_t)inverse_modulo(r, l) % (uint64_t)l); /* of a modulo l */
    return low + ((residue - low) % l + l) % l <= high;
}

static int is_apart(const struct starfish_batch_extents *array)
{
    const struct starfish_batch_shape shape = starfish_batch_shape_of(array, array->extent[STARFISH_BATCH_LINES]);
    size_t reach = 0;
    int nests = 1;

    for (int i = 0; i < shape.directions; i++) {
        const enum starfish_batch_direction d = shape.order[i];
        if (array->stride[d] == 0)
            return 0;
        nests = nests && array->stride[d] > reach;
        reach += (array->extent[d] - 1) * array->stride[d];
    }
    for (int64_t c = 0; !nests && c < (int64_t)array->extent[STARFISH_BATCH_RHS]; c++)
        if (meet(array, c))
            return 0;
    return 1;
}

/* ---- Problems ---------------------------------------------------------------------------------------------------- */

struct starfish_tridiag_problem starfish_batch_normalised(const struct starfish_tridiag_problem *problem)
{
    struct starfish_tridiag_problem p = *problem;

    if (p.n == 1)
        p.coefficients.row = p.vectors.row = 1;
    if (p.lines == 1)
        p.vectors.line = 1;
    if (p.lines == 1 && p.coefficients.line > 0) /* 0 stands for shared coefficients */
        p.coefficients.line = 1;
    if (p.rhs == 1)
        p.rhs_stride = 1;
    return p;
}

struct starfish_batch_extents starfish_batch_coefficients(const struct starfish_tridiag_problem *problem)
{
    const struct starfish_layout layout = problem->coefficients;

    return (struct starfish_batch_extents){.extent = {layout.line == 0 ? 1 : problem->lines, problem->n, 1},
                                           .stride = {layout.line, layout.row, 1}};
}

struct starfish_batch_extents starfish_batch_vectors(const struct starfish_tridiag_problem *problem)
{
    return (struct starfish_batch_extents){
        .extent = {problem->lines, problem->n, problem->rhs},
        .stride = {problem->vectors.line, problem->vectors.row, problem->rhs_stride}};
}

static starfish_status check_stride(const char *name, const char *member, size_t stride, size_t extent)
{
    STARFISH_REFUSE_IF(extent > 1 && (stride == 0 || stride > UINT32_MAX), "%s%s is %zu, not in 1..2^32-1", name,
                       member, stride);
    return STARFISH_SUCCESS;
}

/* Of one right-hand side. */
static starfish_status check_lines(const char *name, const struct starfish_batch_extents *array)
{
    const size_t *const extent = array->extent, *const stride = array->stride;
    struct starfish_batch_extents one = *array;

    one.extent[STARFISH_BATCH_RHS] = 1;
    STARFISH_TRY(check_stride(name, ".row", stride[STARFISH_BATCH_ROWS], extent[STARFISH_BATCH_ROWS]));
    STARFISH_TRY(check_stride(name, ".line", stride[STARFISH_BATCH_LINES], extent[STARFISH_BATCH_LINES]));
    STARFISH_REFUSE_IF(!is_apart(&one), "%s: lines overlap with strides %zu (row) and %zu (line)", name,
                       stride[STARFISH_BATCH_ROWS], stride[STARFISH_BATCH_LINES]);
    return STARFISH_SUCCESS;
}

starfish_status starfish_batch_check_layouts(const struct starfish_tridiag_problem *problem)
{
    const struct starfish_batch_extents coefficients = starfish_batch_coefficients(problem);
    const struct starfish_batch_extents vectors = starfish_batch_vectors(problem);

    STARFISH_TRY(check_lines("problem.coefficients", &coefficients));
    STARFISH_TRY(check_lines("problem.vectors", &vectors));
    STARFISH_TRY(check_stride("problem.rhs_stride", "", problem->rhs_stride, problem->rhs));
    STARFISH_REFUSE_IF(!is_apart(&vectors), "problem.rhs_stride is %zu: right-hand sides overlap", problem->rhs_stride);
    return STARFISH_SUCCESS;
}
