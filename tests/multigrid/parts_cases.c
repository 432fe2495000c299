/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Cycles on three uneven parts with given owners equal cycles on one part: the same count, solutions to rounding; and
 * what travels between memories are edges. */
#include "tests/multigrid/parts_cases.h"

#include "multigrid/plan.h"
#include "scheduler/runtime/context.h"
#include "tests/common/reals.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    Q1_ELEMENTS = 64,
    LARGE_ELEMENTS = 256,
    LARGE_UNKNOWNS = 255 * 255,
    TALL_ELEMENTS = 800,
    FLUX_N = 64,
    TALL_N = 200,
    MOST_ELEMENTS = 800
};

static size_t q1_first[] = {0, 31, 43, 63}, flux_first[] = {0, 30, 42, 64}, odd_first[] = {0, 30, 42, 63};
/* Parts of many rows and planes. */
static size_t tall_first[] = {0, 299, 531, 799}, high_first[] = {0, 64, 131, 200};

/* One hierarchy: a maker of plans over the same problem, cut or whole. */
struct family {
    const char *name;
    size_t unknowns;
    size_t *first;
    starfish_status (*create)(starfish_context *context, const struct starfish_multigrid_options *options,
                              const struct starfish_runs *runs, starfish_plan **plan);
    size_t smoothers;
    starfish_smoother smoother[8];
    int steps; /* before and after; 0: the default */
};

static starfish_status create_rectangle(starfish_context *context, size_t columns, size_t rows,
                                        const struct starfish_multigrid_options *options,
                                        const struct starfish_runs *runs, starfish_plan **plan)
{
    static double width[MOST_ELEMENTS];
    const struct starfish_q1_problem problem = {
        .elements = {columns, rows},
        .width = {width, width},
        .ends = {{STARFISH_DIRICHLET, STARFISH_DIRICHLET}, {STARFISH_DIRICHLET, STARFISH_DIRICHLET}}};
    struct starfish_multigrid_engine *engine;

    for (size_t i = 0; i < rows; i++)
        width[i] = 1.0 / (double)rows;
    STARFISH_TRY(starfish_multigrid_engine_create(context, &starfish_q1_hooks, &problem, options, runs, &engine, NULL));
    return starfish_multigrid_plan_of(engine, starfish_now(), plan);
}

static starfish_status create_q1(starfish_context *context, const struct starfish_multigrid_options *options,
                                 const struct starfish_runs *runs, starfish_plan **plan)
{
    return create_rectangle(context, Q1_ELEMENTS, Q1_ELEMENTS, options, runs, plan);
}

static starfish_status create_large(starfish_context *context, const struct starfish_multigrid_options *options,
                                    const struct starfish_runs *runs, starfish_plan **plan)
{
    return create_rectangle(context, LARGE_ELEMENTS, LARGE_ELEMENTS, options, runs, plan);
}

static starfish_status create_tall(starfish_context *context, const struct starfish_multigrid_options *options,
                                   const struct starfish_runs *runs, starfish_plan **plan)
{
    return create_rectangle(context, Q1_ELEMENTS / 4, TALL_ELEMENTS, options, runs, plan);
}

/* With those ends of z, others of x where it is periodic. */
static starfish_status create_box(starfish_context *context, size_t planes, const starfish_end z[2],
                                  const struct starfish_multigrid_options *options, const struct starfish_runs *runs,
                                  starfish_plan **plan)
{
    static double width[MOST_ELEMENTS];
    const starfish_end x = z[0] == STARFISH_PERIODIC ? STARFISH_DIRICHLET : STARFISH_PERIODIC;
    const struct starfish_stencil_faces faces = {
        .problem = {.n = {17, 18, planes},
                    .ends = {{x, x}, {STARFISH_NEUMANN, STARFISH_NEUMANN}, {z[0], z[1]}},
                    .grid = STARFISH_CELL,
                    .width = {width, width, width},
                    .rhs_factor = -1}};
    struct starfish_multigrid_engine *engine;

    for (int i = 0; i < MOST_ELEMENTS; i++)
        width[i] = 0.1;
    STARFISH_TRY(
        starfish_multigrid_engine_create(context, &starfish_stencil_hooks, &faces, options, runs, &engine, NULL));
    return starfish_multigrid_plan_of(engine, starfish_now(), plan);
}

static starfish_status create_flux(starfish_context *context, const struct starfish_multigrid_options *options,
                                   const struct starfish_runs *runs, starfish_plan **plan)
{
    return create_box(context, FLUX_N, (const starfish_end[]){STARFISH_DIRICHLET, STARFISH_NEUMANN}, options, runs,
                      plan);
}

static starfish_status create_high(starfish_context *context, const struct starfish_multigrid_options *options,
                                   const struct starfish_runs *runs, starfish_plan **plan)
{
    return create_box(context, TALL_N, (const starfish_end[]){STARFISH_DIRICHLET, STARFISH_NEUMANN}, options, runs,
                      plan);
}

static const starfish_end around[] = {STARFISH_PERIODIC, STARFISH_PERIODIC};

static starfish_status create_periodic(starfish_context *context, const struct starfish_multigrid_options *options,
                                       const struct starfish_runs *runs, starfish_plan **plan)
{
    return create_box(context, FLUX_N, around, options, runs, plan);
}

static starfish_status create_odd(starfish_context *context, const struct starfish_multigrid_options *options,
                                  const struct starfish_runs *runs, starfish_plan **plan)
{
    return create_box(context, FLUX_N - 1, around, options, runs, plan);
}

static const struct family families[] = {
    {"q1",
     63 * 63,
     q1_first,
     create_q1,
     4,
     {STARFISH_SMOOTHER_JACOBI, STARFISH_SMOOTHER_CHEBYSHEV, STARFISH_SMOOTHER_GAUSS_SEIDEL, STARFISH_SMOOTHER_LINE_X},
     0},
    {"flux",
     17 * 18 * FLUX_N,
     flux_first,
     create_flux,
     5,
     {STARFISH_SMOOTHER_JACOBI, STARFISH_SMOOTHER_CHEBYSHEV, STARFISH_SMOOTHER_GAUSS_SEIDEL, STARFISH_SMOOTHER_LINE_X,
      STARFISH_SMOOTHER_LINE_Y},
     0},
    {"flux with periodic planes",
     17 * 18 * FLUX_N,
     flux_first,
     create_periodic,
     4,
     {STARFISH_SMOOTHER_JACOBI, STARFISH_SMOOTHER_GAUSS_SEIDEL, STARFISH_SMOOTHER_LINE_X, STARFISH_SMOOTHER_LINE_Y},
     0},
    {"flux with an odd number of periodic planes",
     17 * 18 * (FLUX_N - 1),
     odd_first,
     create_odd,
     2,
     {STARFISH_SMOOTHER_JACOBI, STARFISH_SMOOTHER_GAUSS_SEIDEL},
     0},
    {"q1 with tall parts",
     15 * (TALL_ELEMENTS - 1),
     tall_first,
     create_tall,
     3,
     {STARFISH_SMOOTHER_JACOBI, STARFISH_SMOOTHER_CHEBYSHEV, STARFISH_SMOOTHER_GAUSS_SEIDEL},
     0},
    {"flux with high parts, one step",
     17 * 18 * TALL_N,
     high_first,
     create_high,
     1,
     {STARFISH_SMOOTHER_GAUSS_SEIDEL},
     1},
};

/* How a solve goes: in which precisions, alone or around it conjugate gradients. */
static const struct {
    const char *name;
    starfish_precision precision;
    int mixed, gradients;
    double tolerance, equal;
} forms[] = {
    {"f64", STARFISH_F64, 0, 0, 1e-10, 1e-13},
    {"f32", STARFISH_F32, 0, 0, 1e-4, 1e-5},
    {"mixed", STARFISH_F64, 1, 0, 1e-9, 1e-6},
    {"conjugate gradients", STARFISH_F64, 0, 1, 1e-10, 1e-12},
};

/* Cycles, or -1 after a failure; bytes that travelled, besides those of right-hand side and solution. */
static int solve(starfish_context *context, const struct family *family,
                 const struct starfish_multigrid_options *options, const struct starfish_runs *runs, const void *rhs,
                 void *solution, double *bytes)
{
    struct starfish_result info = STARFISH_RESULT_DEFAULTS;
    starfish_plan *plan;

    if (family->create(context, options, runs, &plan) != STARFISH_SUCCESS)
        return -1;
    const struct starfish_bytes before = starfish_context_bytes(context);
    const starfish_status status = starfish_plan_solve(plan, NULL, rhs, solution, &info);
    const struct starfish_bytes after = starfish_context_bytes(context);
    *bytes = (double)(after.host_to_device - before.host_to_device + after.device_to_host - before.device_to_host);
    starfish_plan_destroy(plan);
    return status == STARFISH_SUCCESS ? info.iterations : -1;
}

static double difference(const void *a, const void *b, starfish_precision precision, size_t n)
{
    return test_difference(precision, a, b, n) / test_largest(precision, a, n);
}

static int test_smoother(starfish_context *context, const struct family *family, starfish_smoother smoother,
                         const struct test_owners *owners)
{
    struct test_owners by = *owners;
    int failed = 0;

    for (size_t f = 0; f < sizeof forms / sizeof forms[0]; f++) {
        struct starfish_multigrid_options options = STARFISH_MULTIGRID_OPTIONS_DEFAULTS;
        const struct starfish_runs runs = {.parts = 3, .first = family->first, .owner = by.owner, .apart = by.apart};
        const starfish_precision precision = forms[f].precision;
        double bytes;
        unsigned seed = 3;
        if (forms[f].gradients && smoother == STARFISH_SMOOTHER_GAUSS_SEIDEL)
            continue; /* not symmetric in four colours */
        options.precision = precision;
        options.mixed = forms[f].mixed;
        options.krylov = forms[f].gradients ? STARFISH_KRYLOV_CG : STARFISH_KRYLOV_NONE;
        options.smoother = smoother;
        options.before = family->steps > 0 ? family->steps : options.before;
        options.after = family->steps > 0 ? family->steps : options.after;
        options.tolerance = forms[f].tolerance;
        options.max_iterations = 200;
        void *rhs = test_reals(precision, family->unknowns, &seed);
        void *one = test_reals(precision, family->unknowns, &seed),
             *three = test_reals(precision, family->unknowns, &seed);
        const int cycles = solve(context, family, &options, NULL, rhs, one, &bytes);
        options.tail = 300;
        const int again = solve(context, family, &options, &runs, rhs, three, &bytes);
        const double apart = cycles > 0 && again > 0 ? difference(one, three, precision, family->unknowns) : HUGE_VAL;
        if (cycles <= 0 || again != cycles || !(apart <= forms[f].equal)) {
            fprintf(stderr, "%s, smoother %d, %s, %s: %d cycles in one part, %d in three, apart by %g (%s)\n",
                    family->name, (int)smoother, forms[f].name, owners->name, cycles, again, apart,
                    starfish_error_message());
            failed++;
        }
        free(rhs);
        free(one);
        free(three);
    }
    return failed;
}

/* Bytes over the links of a cycle. Its seven exchanges of edges and what the tail takes and gives are less than a
 * field; whole neighbours in their place would be several. */
static int test_bytes(starfish_context *context, const struct test_owners *owners)
{
    static size_t first[] = {0, 101, 150, 255};
    static const struct family large = {.unknowns = LARGE_UNKNOWNS, .create = create_large};
    struct test_owners by = *owners;
    const struct starfish_runs runs = {.parts = 3, .first = first, .owner = by.owner, .apart = by.apart};
    struct starfish_multigrid_options options = STARFISH_MULTIGRID_OPTIONS_DEFAULTS;
    const double field = (double)LARGE_UNKNOWNS * sizeof(double);
    double few = 0, many = 0;
    unsigned seed = 3;
    void *rhs = test_reals(STARFISH_F64, large.unknowns, &seed), *u = test_reals(STARFISH_F64, large.unknowns, &seed);

    options.smoother = STARFISH_SMOOTHER_JACOBI;
    options.tolerance = 0;
    options.tail = 300;
    options.max_iterations = 5;
    int failed = solve(context, &large, &options, &runs, rhs, u, &few) != options.max_iterations;
    options.max_iterations = 15;
    failed += solve(context, &large, &options, &runs, rhs, u, &many) != options.max_iterations;
    if (failed || !((many - few) / 10 < field)) {
        fprintf(stderr, "%s: %g bytes a cycle, a field has %g (%s)\n", owners->name, (many - few) / 10, field,
                starfish_error_message());
        failed = 1;
    }
    free(rhs);
    free(u);
    return failed;
}

/* ---- Parts that options ask for ---------------------------------------------------------------------------------- */

static int compare_asked(starfish_context *context, const struct family *family, size_t parts, starfish_sharing sharing)
{
    struct starfish_multigrid_options options = STARFISH_MULTIGRID_OPTIONS_DEFAULTS;
    double bytes;
    unsigned seed = 4;
    void *rhs = test_reals(STARFISH_F64, family->unknowns, &seed);
    void *one = test_reals(STARFISH_F64, family->unknowns, &seed),
         *several = test_reals(STARFISH_F64, family->unknowns, &seed);

    options.smoother = STARFISH_SMOOTHER_JACOBI;
    options.sharing = STARFISH_SHARING_ALONE;
    options.krylov = STARFISH_KRYLOV_CG;
    options.tolerance = 1e-11;
    const int cycles = solve(context, family, &options, NULL, rhs, one, &bytes);
    options.tail = 300;
    options.parts = parts;
    options.sharing = sharing;
    const int again = solve(context, family, &options, NULL, rhs, several, &bytes);
    const double apart = cycles > 0 && again > 0 ? difference(one, several, STARFISH_F64, family->unknowns) : HUGE_VAL;
    const int failed = cycles <= 0 || again != cycles || !(apart <= 1e-11);
    if (failed)
        fprintf(stderr, "%s, %zu parts asked for, sharing %d: %d cycles, %d in one, apart by %g (%s)\n", family->name,
                parts, (int)sharing, again, cycles, apart, starfish_error_message());
    free(rhs);
    free(one);
    free(several);
    return failed;
}

static int is_refused(starfish_context *context, const struct family *family,
                      const struct starfish_multigrid_options *options, starfish_status status, const char *why)
{
    starfish_plan *plan = NULL;
    const starfish_status got = family->create(context, options, NULL, &plan);
    const int good = got == status && strstr(starfish_error_message(), why);

    if (!good)
        fprintf(stderr, "%s: %d instead of %d, %s instead of %s\n", family->name, (int)got, (int)status,
                starfish_error_message(), why);
    starfish_plan_destroy(plan);
    return good;
}

int test_asked_parts(starfish_context *context, starfish_sharing sharing)
{
    struct starfish_multigrid_options options = STARFISH_MULTIGRID_OPTIONS_DEFAULTS;
    int failed = 0;

    for (size_t f = 0; f < sizeof families / sizeof families[0]; f++)
        for (size_t parts = 1; parts <= 5; parts += 2)
            failed += compare_asked(context, &families[f], parts, sharing);
    options.parts = 16;
    options.smoother = STARFISH_SMOOTHER_JACOBI;
    failed += !is_refused(context, &families[0], &options, STARFISH_ERROR_ARGUMENT,
                          "options.parts is 16, but needs 9 rows or planes for each part, and there are 63");
    options.parts = 2;
    options.smoother = STARFISH_SMOOTHER_ADI;
    failed += !is_refused(context, &families[0], &options, STARFISH_ERROR_UNSUPPORTED,
                          "choose jacobi, chebyshev, gauss-seidel or line-x");
    options.parts = 17;
    failed += !is_refused(context, &families[0], &options, STARFISH_ERROR_ARGUMENT, "options.parts");
    return failed;
}

int test_parts(starfish_context *context, const struct test_owners *owners, size_t sets)
{
    int failed = 0;

    for (size_t f = 0; f < sizeof families / sizeof families[0]; f++)
        for (size_t s = 0; s < families[f].smoothers; s++)
            for (size_t set = 0; set < sets; set++)
                failed += test_smoother(context, &families[f], families[f].smoother[s], &owners[set]);
    for (size_t set = 0; set < sets; set++)
        failed += test_bytes(context, &owners[set]);
    return failed;
}
