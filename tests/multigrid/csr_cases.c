/* The third kind of grids solved through the same graph, tail and driver as all kinds: whole, and in three parts whose
 * owners are given. */
#include "tests/multigrid/csr_cases.h"

#include "tests/multigrid/csr_kind.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SIDE = 23 };

/* A plan's grids out of those of the test. */
static void describe(const struct test_csr *csr, struct starfish_multigrid_grids *grids,
                     struct starfish_hierarchy_index_sets sets[TEST_CSR_CUT],
                     struct starfish_hierarchy_grid part[TEST_CSR_CUT][TEST_CSR_PARTS])
{
    for (int l = 0; csr->parts > 1 && l < TEST_CSR_CUT; l++) {
        for (size_t p = 0; p < csr->parts; p++)
            part[l][p] =
                (struct starfish_hierarchy_grid){.shape = csr->cut[l].grid[p].shape,
                                                 .packed = (const float *)(const void *)csr->cut[l].grid[p].table,
                                                 .table_size = csr->cut[l].grid[p].words};
        sets[l].parts = csr->parts;
        sets[l].rows = csr->cut[l].rows;
        sets[l].halos = csr->cut[l].halos;
        sets[l].halo = csr->cut[l].halo;
        sets[l].grid = part[l];
    }
    grids->index_levels = csr->parts > 1 ? TEST_CSR_CUT : 0;
    grids->index_sets = sets;
}

static starfish_status create(starfish_context *context, const struct test_csr *csr, starfish_precision precision,
                              const struct starfish_owner *owner, starfish_multigrid_plan **plan)
{
    static const struct starfish_multigrid_hooks hooks = {.prepare = NULL};
    struct starfish_multigrid_options options = STARFISH_MULTIGRID_OPTIONS_DEFAULTS;
    struct starfish_hierarchy_index_sets sets[TEST_CSR_CUT] = {{.owner = owner}, {.owner = owner}};
    struct starfish_hierarchy_grid part[TEST_CSR_CUT][TEST_CSR_PARTS];
    char shapes[TEST_CSR_LEVELS * 256];
    float *packed[TEST_CSR_LEVELS];
    double *none[TEST_CSR_LEVELS] = {NULL};
    size_t size[TEST_CSR_LEVELS];
    struct starfish_multigrid_grids grids = {.kind = &test_csr_kind,
                                             .levels = TEST_CSR_LEVELS,
                                             .shape = shapes,
                                             .shape_size = test_csr_shape_size,
                                             .table = none,
                                             .packed = packed,
                                             .table_size = size,
                                             .unknowns_per_task = 64,
                                             .tail_on_cores = 150,
                                             .tail_on_either = 150};

    for (int l = 0; l < TEST_CSR_LEVELS; l++) {
        memcpy(shapes + (size_t)l * test_csr_shape_size, csr->whole[l].shape, test_csr_shape_size);
        packed[l] = (float *)(void *)csr->whole[l].table;
        size[l] = csr->whole[l].words;
    }
    describe(csr, &grids, sets, part);
    options.precision = options.inner = precision;
    options.smoother = STARFISH_SMOOTHER_JACOBI;
    options.damping = 0.8;
    options.tolerance = precision == STARFISH_F32 ? 1e-5 : 1e-10;
    options.tail = 150;
    STARFISH_TRY(starfish_multigrid_plan_begin(context, &options, &hooks, plan));
    const starfish_status status = starfish_multigrid_plan_complete(*plan, &grids);
    if (status != STARFISH_SUCCESS)
        starfish_multigrid_plan_destroy(*plan);
    return status;
}

/* Solve for a random right-hand side; the number of cycles, or -1 after a failure. */
static int solve(starfish_context *context, const struct test_csr *csr, starfish_precision precision,
                 const struct starfish_owner *owner, const void *rhs, void *solution)
{
    struct starfish_multigrid_info info;
    starfish_multigrid_plan *plan;

    if (create(context, csr, precision, owner, &plan) != STARFISH_SUCCESS)
        return -1;
    const starfish_status status = starfish_multigrid_solve(plan, rhs, solution, &info);
    starfish_multigrid_plan_destroy(plan);
    return status == STARFISH_SUCCESS ? info.cycles : -1;
}

/* The largest difference of A u and f, over the largest f. */
static double residual_of(const struct test_csr *csr, starfish_precision precision, const void *u, const void *f)
{
    const struct test_csr_level *finest = &csr->level[0];
    double worst = 0, scale = 0;

    for (size_t i = 0; i < finest->n; i++) {
        double r = test_real_get(f, precision, i);
        scale = fmax(scale, fabs(r));
        for (size_t j = 0; j < finest->n; j++)
            r -= finest->matrix[A][i * finest->n + j] * test_real_get(u, precision, j);
        worst = isnan(r) ? HUGE_VAL : fmax(worst, fabs(r));
    }
    return worst / scale;
}

static int check(const char *what, starfish_precision precision, int good)
{
    if (!good)
        fprintf(stderr, "csr kind, %s, %s: failed (%s)\n", what, precision == STARFISH_F32 ? "f32" : "f64",
                starfish_error_message());
    return !good;
}

static int test_precision(starfish_context *context, starfish_precision precision,
                          const struct starfish_owner owners[][TEST_CSR_PARTS], size_t sets)
{
    const double rounding = precision == STARFISH_F32 ? 1e-4 : 1e-9, equal = precision == STARFISH_F32 ? 1e-5 : 1e-13;
    struct test_csr whole, cut;
    unsigned seed = 5;
    int failed = 0;

    test_csr_make(&whole, SIDE, 1);
    test_csr_cut(&whole, precision);
    test_csr_make(&cut, SIDE, TEST_CSR_PARTS);
    test_csr_cut(&cut, precision);
    const size_t n = whole.level[0].n;
    void *rhs = test_reals(precision, n, &seed), *one = test_reals(precision, n, &seed);
    void *three = test_reals(precision, n, &seed);
    const int cycles = solve(context, &whole, precision, NULL, rhs, one);
    failed +=
        check("one part", precision, cycles > 0 && cycles < 20 && residual_of(&whole, precision, one, rhs) < rounding);
    for (size_t set = 0; set < sets; set++) {
        const int again = solve(context, &cut, precision, owners[set], rhs, three);
        double worst = 0, largest = 0;
        for (size_t i = 0; i < n; i++) {
            worst = fmax(worst, fabs(test_real_get(one, precision, i) - test_real_get(three, precision, i)));
            largest = fmax(largest, fabs(test_real_get(one, precision, i)));
        }
        failed += check("three parts", precision, again == cycles && worst <= equal * largest);
    }
    free(rhs);
    free(one);
    free(three);
    test_csr_free(&whole);
    test_csr_free(&cut);
    return failed;
}

int test_csr_kind_on(starfish_context *context, const struct starfish_owner owners[][TEST_CSR_PARTS], size_t sets)
{
    return test_precision(context, STARFISH_F64, owners, sets) + test_precision(context, STARFISH_F32, owners, sets);
}
