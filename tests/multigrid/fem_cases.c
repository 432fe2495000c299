/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Grids that are sparse matrices, solved whole and in three parts with index sets as halos, whose owners are given. */
#include "tests/multigrid/fem_cases.h"

#include "multigrid/plan.h"
#include "sparse/inverse.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SIDE = 23 };

/* Which smoother, how matrices are stored, and whether grids have matrices of several steps. */
struct variant {
    int spai;
    starfish_sparse_format format;
    int steps_at_once;
};

static starfish_status create(starfish_context *context, struct test_fem *fem, const struct variant *variant,
                              starfish_precision precision, const struct starfish_owner *owner, starfish_plan **plan)
{
    struct starfish_multigrid_engine *engine;
    static const struct starfish_multigrid_hooks hooks = {.prepare = NULL};
    struct starfish_multigrid_options options = STARFISH_MULTIGRID_OPTIONS_DEFAULTS;
    const size_t *const first[] = {fem->first[0], fem->first[1]};
    const struct starfish_fem_cut cut = {.parts = fem->parts, .levels = TEST_FEM_CUT, .first = first, .owner = owner};
    const struct starfish_fem_grids grids = {.levels = TEST_FEM_LEVELS,
                                             .grid = fem->grid,
                                             .format = variant->format,
                                             .format_of_small = variant->format,
                                             .steps_at_once = variant->steps_at_once,
                                             .coarse_tolerance = 1e-6,
                                             .coarse_iterations = 100,
                                             .cut = fem->parts > 1 ? &cut : NULL};

    for (int l = 0; l < TEST_FEM_LEVELS; l++) {
        starfish_csr_destroy(&fem->grid[l].m);
        if (variant->spai)
            STARFISH_TRY(starfish_spai(context, &fem->grid[l].a, 1, NULL, &fem->grid[l].m));
    }
    options.precision = precision;
    options.smoother = STARFISH_SMOOTHER_JACOBI;
    options.tolerance = precision == STARFISH_F32 ? 1e-5 : 1e-10;
    options.tail = 150;
    STARFISH_TRY(starfish_multigrid_engine_begin(context, &options, &hooks, &engine));
    const starfish_status status = starfish_fem_grids_complete(engine, &grids);
    if (status == STARFISH_SUCCESS)
        return starfish_multigrid_plan_of(engine, starfish_now(), plan);
    starfish_multigrid_engine_destroy(engine);
    return status;
}

/* Solve for a random right-hand side; the number of cycles, or -1 after a failure. */
static int solve(starfish_context *context, struct test_fem *fem, const struct variant *variant,
                 starfish_precision precision, const struct starfish_owner *owner, const void *rhs, void *solution)
{
    struct starfish_result info = STARFISH_RESULT_DEFAULTS;
    starfish_plan *plan;

    if (create(context, fem, variant, precision, owner, &plan) != STARFISH_SUCCESS)
        return -1;
    const starfish_status status = starfish_plan_solve(plan, NULL, rhs, solution, &info);
    starfish_plan_destroy(plan);
    return status == STARFISH_SUCCESS ? info.iterations : -1;
}

/* The largest difference of A u and f, over the largest f. */
static double residual_of(const struct test_fem *fem, starfish_precision precision, const void *u, const void *f)
{
    double worst = 0, scale = 0;

    for (size_t i = 0; i < fem->n; i++) {
        double r = test_real_get(f, precision, i);
        scale = fmax(scale, fabs(r));
        for (size_t j = 0; j < fem->n; j++)
            r -= fem->dense[i * fem->n + j] * test_real_get(u, precision, j);
        worst = test_worst(worst, fabs(r));
    }
    return worst / scale;
}

static int check(const char *what, starfish_precision precision, int good)
{
    if (!good)
        fprintf(stderr, "fem kind, %s, %s: failed (%s)\n", what, precision == STARFISH_F32 ? "f32" : "f64",
                starfish_error_message());
    return !good;
}

static int test_variant(starfish_context *context, const struct variant *variant, starfish_precision precision,
                        const struct starfish_owner owners[][TEST_FEM_PARTS], size_t sets)
{
    const double rounding = precision == STARFISH_F32 ? 1e-4 : 1e-9, equal = precision == STARFISH_F32 ? 1e-5 : 1e-12;
    struct test_fem whole, cut;
    unsigned seed = 5;
    int failed = 0;

    test_fem_make(&whole, SIDE, 1);
    test_fem_make(&cut, SIDE, TEST_FEM_PARTS);
    const size_t n = whole.n;
    void *rhs = test_reals(precision, n, &seed), *one = test_reals(precision, n, &seed);
    void *three = test_reals(precision, n, &seed);
    const int cycles = solve(context, &whole, variant, precision, NULL, rhs, one);
    failed +=
        check("one part", precision, cycles > 0 && cycles < 20 && residual_of(&whole, precision, one, rhs) < rounding);
    for (size_t set = 0; set < sets; set++) {
        const int again = solve(context, &cut, variant, precision, owners[set], rhs, three);
        failed += check("three parts", precision,
                        again == cycles &&
                            test_difference(precision, one, three, n) <= equal * test_largest(precision, one, n));
    }
    free(rhs);
    free(one);
    free(three);
    test_fem_free(&whole);
    test_fem_free(&cut);
    return failed;
}

int test_fem_kind_on(starfish_context *context, const struct starfish_owner owners[][TEST_FEM_PARTS], size_t sets)
{
    static const struct variant variants[] = {{0, STARFISH_SPARSE_CSR, 0},       {0, STARFISH_SPARSE_SELL, 1},
                                              {1, STARFISH_SPARSE_CSR, 0},       {1, STARFISH_SPARSE_CSR, 1},
                                              {1, STARFISH_SPARSE_ELLPACK_T, 0}, {1, STARFISH_SPARSE_SELL, 1}};
    int failed = 0;

    for (size_t v = 0; v < sizeof variants / sizeof variants[0]; v++)
        for (int precision = 0; precision < 2; precision++)
            failed += test_variant(context, &variants[v], (starfish_precision)precision, owners, sets);
    return failed;
}
