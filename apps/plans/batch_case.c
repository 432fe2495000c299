/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Data of a batch of tridiagonal lines, and the residual of its solution. */
#include "apps/plans/batch_case.h"

#include "apps/lists.h"
#include "apps/names.h"
#include "base/precision.h"
#include "base/real.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { SAMPLED_LINES = 16 };

/* ---- What is solved ---------------------------------------------------------------------------------------------- */

starfish_status batch_case_read_size(const char *option, const char *item, struct batch_case *c)
{
    char first[LIST_ITEM];
    const char *x = strchr(item, 'x');
    STARFISH_FAIL_IF(!x || x == item || !x[1], STARFISH_ERROR_ARGUMENT, "%s: '%s' is not NxL, unknowns by lines",
                     option, item);
    snprintf(first, sizeof first, "%.*s", (int)(x - item), item);
    STARFISH_TRY(list_count(option, first, &c->n));
    return list_count(option, x + 1, &c->lines);
}

void batch_case_describe(struct batch_case *c)
{
    const size_t all = c->n * c->lines, own = c->coefficients == BATCH_GENERAL ? all : c->n;
    const size_t count[BATCH_ARRAYS] = {own, own, own, c->coefficients == BATCH_SHIFTED ? c->lines : 0, all, all};
    memcpy(c->count, count, sizeof count);
    snprintf(c->name, sizeof c->name, "%zux%zu %s %s %s%s", c->n, c->lines, starfish_precision_names[c->precision],
             names_layouts[c->interleaved], names_coefficients[c->coefficients], c->periodic ? " periodic" : "");
}

double batch_case_bytes(const struct batch_case *c)
{
    size_t reals = 0;
    for (int i = 0; i < BATCH_ARRAYS; ++i)
        reals += c->count[i];
    return (double)reals * (double)starfish_real_size(c->precision);
}

struct starfish_tridiag_problem batch_case_problem(const struct batch_case *c)
{
    const struct starfish_layout layout =
        c->interleaved ? (struct starfish_layout){c->lines, 1} : (struct starfish_layout){1, c->n};
    return (struct starfish_tridiag_problem){
        .n = c->n,
        .lines = c->lines,
        .rhs = 1,
        .periodic = c->periodic,
        .lower = c->host[BATCH_LOWER],
        .diag = c->host[BATCH_DIAG],
        .upper = c->host[BATCH_UPPER],
        .coefficients = c->coefficients == BATCH_GENERAL ? layout : (struct starfish_layout){1, 0},
        .shift = c->host[BATCH_SHIFT],
        .vectors = layout};
}

/* ---- Data -------------------------------------------------------------------------------------------------------- */

/* -1 .. 1, from a number, so that parts of an array can be filled side by side. */
static double random_real(size_t i, unsigned seed)
{
    uint64_t mixed = (i + 1) * UINT64_C(0x9e3779b97f4a7c15) ^ (uint64_t)seed << 40;
    mixed = (mixed ^ mixed >> 31) * UINT64_C(0xbf58476d1ce4e5b9);
    return (double)(mixed >> 11) * 0x1p-52 - 1;
}

/* Entries that lead out of a line are zero where it is not periodic, as cuSPARSE wants it. */
void batch_case_fill(const struct batch_case *c, int array)
{
    const struct starfish_tridiag_problem p = batch_case_problem(c);
    const size_t lines = c->count[array] == c->n ? 1 : c->lines, row = p.coefficients.row, line = p.coefficients.line;
    const double middle = array == BATCH_DIAG ? 2.6 : array == BATCH_SHIFT ? 1 : 0;
    const double half = array == BATCH_DIAG ? 0.5 : 1;

#pragma omp parallel for if (c->count[array] > BATCH_FEW)
    for (size_t i = 0; i < c->count[array]; ++i)
        starfish_element_set(c->host[array], c->precision, i, middle + half * random_real(i, (unsigned)array));
    for (size_t l = 0; l < lines && array == BATCH_LOWER && !c->periodic; ++l)
        starfish_element_set(c->host[array], c->precision, l * line, 0);
    for (size_t l = 0; l < lines && array == BATCH_UPPER && !c->periodic; ++l)
        starfish_element_set(c->host[array], c->precision, (c->n - 1) * row + l * line, 0);
}

/* ---- The solution ------------------------------------------------------------------------------------------------ */

static double value(const struct batch_case *c, int array, size_t i)
{
    return starfish_element(c->host[array], c->precision, i);
}

size_t batch_case_sampled_step(const struct batch_case *c)
{
    return c->lines > SAMPLED_LINES ? c->lines / SAMPLED_LINES : 1;
}

/* A x - d in row k of line l. */
static double row_residual(const struct batch_case *c, const struct starfish_tridiag_problem *p, size_t l, size_t k)
{
    const size_t a = k * p->coefficients.row + l * p->coefficients.line, start = l * p->vectors.line;
    const double shift = p->shift ? value(c, BATCH_SHIFT, l) : 0;
    const size_t before = k > 0 ? k - 1 : c->n - 1, after = k + 1 < c->n ? k + 1 : 0;
    double sum = (value(c, BATCH_DIAG, a) + shift) * value(c, BATCH_SOLUTION, start + k * p->vectors.row) -
                 value(c, BATCH_RHS, start + k * p->vectors.row);

    if (k > 0 || c->periodic)
        sum += value(c, BATCH_LOWER, a) * value(c, BATCH_SOLUTION, start + before * p->vectors.row);
    if (k + 1 < c->n || c->periodic)
        sum += value(c, BATCH_UPPER, a) * value(c, BATCH_SOLUTION, start + after * p->vectors.row);
    return isnan(sum) ? HUGE_VAL : fabs(sum);
}

double batch_case_residual(const struct batch_case *c)
{
    const struct starfish_tridiag_problem p = batch_case_problem(c);
    const size_t step = batch_case_sampled_step(c);
    double worst = 0;

    for (size_t l = 0; l < c->lines; l += step)
#pragma omp parallel for reduction(max : worst) if (c->n > BATCH_FEW)
        for (size_t k = 0; k < c->n; ++k)
            worst = fmax(worst, row_residual(c, &p, l, k));
    return worst;
}

double batch_case_bound(const struct batch_case *c)
{
    return c->precision == STARFISH_F32 ? 1e-4 : 1e-12;
}
