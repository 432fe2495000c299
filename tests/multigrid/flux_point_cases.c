/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Residual, point smoothers and transfers of a seven-point matrix, against their naive references. */
#include "tests/common/reals.h"
#include "tests/multigrid/flux_grid.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static double *reference_residual(const struct test_flux_grid *g, int with_u, int with_f)
{
    double *u = test_flux_copy(with_u ? g->u : NULL, g->count), *f = test_flux_copy(with_f ? g->f : NULL, g->count);
    double *result = malloc(g->count * sizeof *result);

    starfish_flux_ref_residual(&g->ref, u, f, result);
    free(u);
    free(f);
    return result;
}

/* u + P coarse, either zero without it. */
static double *reference_corrected(const struct test_flux_grid *g, int with_u, int with_coarse)
{
    double *sum = test_flux_copy(with_u ? g->u : NULL, g->count);

    if (with_coarse)
        starfish_flux_ref_prolong(g->host_transfer, g->coarse, sum);
    return sum;
}

/* ---- Residual ---------------------------------------------------------------------------------------------------- */

static void check_sums(const struct test_flux_grid *g, const double *expected, const double *device_sums)
{
    static double sums[STARFISH_SUMS];
    double sum = 0, got = 0;

    g->device->memory->download(sums, device_sums, sizeof sums);
    for (size_t s = 0; s < STARFISH_SUMS; s++)
        got += sums[s];
    for (size_t e = 0; e < g->count; e++)
        sum += test_flux_in_part(&g->at, g->n, e) ? expected[e] * expected[e] : 0;
    assert_true(fabs(got - sum) <=
                (256 * test_real_epsilon(g->precision) + 1e-16 * (double)g->count) * (sum + (double)g->count));
}

static void check_residual(const struct test_flux_grid *g, int with_u, int with_f, int with_result, int with_sums)
{
    const struct starfish_flux_residual a = {
        .matrix = g->matrix,
        .at = g->at,
        .u = with_u ? g->device_u : NULL,
        .f = with_f ? g->device_f : NULL,
        .result = with_result ? test_flux_result(g) : NULL,
        .sums = with_sums ? g->device->memory->upload(NULL, STARFISH_SUMS * sizeof(double)) : NULL,
        .work = test_flux_work(g)};
    double *expected = reference_residual(g, with_u, with_f);

    g->device->residual[g->precision](&a);
    if (with_result)
        test_flux_compare(g, g->n, a.result, expected, NULL, 128);
    if (with_sums)
        check_sums(g, expected, a.sums);
    free(expected);
}

static void check_residual_in_place(const struct test_flux_grid *g)
{
    void *rhs = test_flux_upload(g, g->f, g->count);
    const struct starfish_flux_residual a = {
        .matrix = g->matrix, .at = g->at, .u = g->device_u, .f = rhs, .result = rhs, .work = test_flux_work(g)};
    double *expected = reference_residual(g, 1, 1);

    g->device->residual[g->precision](&a);
    test_flux_compare(g, g->n, rhs, expected, g->f, 128);
    free(expected);
}

/* ---- Smoothing --------------------------------------------------------------------------------------------------- */

static void check_smooth(const struct test_flux_grid *g, enum starfish_flux_order order, int with_u, int with_coarse)
{
    struct starfish_flux_smooth a = {.matrix = g->matrix,
                                     .at = g->at,
                                     .order = order,
                                     .damping = g->damping,
                                     .u = with_u ? g->device_u : NULL,
                                     .f = g->device_f,
                                     .coarse = with_coarse ? g->device_coarse : NULL,
                                     .v = test_flux_result(g),
                                     .work = test_flux_work(g)};
    double *expected = reference_corrected(g, with_u, with_coarse), *residual = malloc(g->count * sizeof *residual);

    memcpy(a.transfer, g->transfer, sizeof a.transfer);
    g->device->smooth[g->precision](&a);
    starfish_flux_ref_smooth(&g->ref, order, g->damping, g->f, expected, residual);
    test_flux_compare(g, g->n, a.v, expected, NULL, 128);
    free(expected);
    free(residual);
}

/* ---- Transfers --------------------------------------------------------------------------------------------------- */

static void check_restrict(const struct test_flux_grid *fine, int thirds, int with_u)
{
    struct test_flux_grid g = *fine;
    struct starfish_flux_restrict a = {.matrix = g.matrix,
                                       .at = test_flux_part(g.coarse_n, thirds),
                                       .u = with_u ? g.device_u : NULL,
                                       .f = g.device_f,
                                       .work = test_flux_work(fine)};
    double *residual = reference_residual(&g, with_u, 1), *expected = malloc(g.coarse_count * sizeof *expected);

    a.coarse = g.device->memory->upload(NULL, g.coarse_count * starfish_real_size(g.precision));
    g.at = a.at;
    memcpy(a.transfer, g.transfer, sizeof a.transfer);
    g.device->restrict_residual[g.precision](&a);
    starfish_flux_ref_restrict(g.host_transfer, residual, expected);
    test_flux_compare(&g, g.coarse_n, a.coarse, expected, NULL, 2048);
    free(residual);
    free(expected);
}

static void check_prolong(const struct test_flux_grid *g, int with_u, int in_place)
{
    void *v = in_place ? test_flux_upload(g, g->u, g->count) : test_flux_result(g);
    const void *u = with_u ? g->device_u : NULL;
    struct starfish_flux_prolong a = {
        .at = g->at, .coarse = g->device_coarse, .u = in_place ? v : u, .v = v, .work = test_flux_work(g)};
    double *expected = reference_corrected(g, with_u, 1);

    memcpy(a.transfer, g->transfer, sizeof a.transfer);
    g->device->prolong[g->precision](&a);
    test_flux_compare(g, g->n, v, expected, in_place ? g->u : NULL, 32);
    free(expected);
}

void test_flux_points(struct test_flux_grid *g, int thirds)
{
    static const enum starfish_flux_order orders[] = {STARFISH_FLUX_AT_ONCE, STARFISH_FLUX_EVEN_FIRST,
                                                      STARFISH_FLUX_ODD_FIRST};

    g->at = test_flux_part(g->n, thirds);
    check_residual(g, 1, 1, 1, 0);
    check_residual(g, 1, 0, 1, 1);
    check_residual(g, 0, 1, 1, 1);
    check_residual(g, 1, 1, 0, 1);
    check_residual_in_place(g);
    for (size_t o = 0; o < sizeof orders / sizeof orders[0]; o++)
        for (int given = 0; given < 4; given++)
            check_smooth(g, orders[o], given % 2, given / 2);
    check_restrict(g, thirds, 1);
    check_restrict(g, thirds, 0);
    check_prolong(g, 1, 0);
    check_prolong(g, 0, 0);
    check_prolong(g, 1, 1);
}
