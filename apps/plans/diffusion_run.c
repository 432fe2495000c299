/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pressure equations of two-phase flow (diffusion_run.h): problems with bubbles or two phases, the versions of the
 * paper's code, and their times. */
#include "apps/plans/diffusion_run.h"

#include "base/precision.h"
#include "base/status.h"
#include "diffusion/options.h"
#include "scheduler/runtime/host_loop.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Problems ---------------------------------------------------------------------------------------------------- */

static starfish_status begin(size_t dimensions, size_t n, starfish_end end, struct diffusion_case *given)
{
    *given = (struct diffusion_case){.problem = {.dimensions = dimensions, .constant_coefficient = 1}, .count = 1};
    for (size_t d = 0; d < dimensions; d++) {
        given->problem.n[d] = n;
        given->problem.length[d] = 1;
        given->problem.ends[d][0] = given->problem.ends[d][1] = end;
        given->count *= n;
    }
    given->rhs = malloc(given->count * sizeof(double));
    return given->rhs ? STARFISH_SUCCESS
                      : starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for %zu unknowns", given->count);
}

/* A case whose cells are filled by all cores. */
struct filling {
    const struct diffusion_case *given;
    double contrast;
};
enum { CELLS = 1 << 14 }; /* of a run of a loop */

static starfish_status need_coefficients(struct diffusion_case *given)
{
    given->problem.coefficient = given->k = malloc(given->count * sizeof(double));
    given->problem.regions = given->regions = malloc(given->count * sizeof *given->regions);
    return given->k && given->regions
               ? STARFISH_SUCCESS
               : starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for %zu cells", given->count);
}

/* div grad u of the five-point matrix, u = 0 around it. */
static double difference(const double *u, size_t n, size_t e)
{
    const size_t i = e % n, j = e / n;

    return (i > 0 ? u[e - 1] : 0) + (i + 1 < n ? u[e + 1] : 0) + (j > 0 ? u[e - n] : 0) + (j + 1 < n ? u[e + n] : 0) -
           4 * u[e];
}

starfish_status diffusion_laplacian(size_t n, struct diffusion_case *given)
{
    unsigned seed = 1;

    STARFISH_TRY(begin(2, n, STARFISH_DIRICHLET, given));
    given->dirichlet_nodes = 1;
    given->problem.length[0] = given->problem.length[1] = (double)n;
    given->exact = calloc(given->count, sizeof(double));
    STARFISH_FAIL_IF(!given->exact, STARFISH_ERROR_MEMORY, "out of memory for a solution");
    for (size_t e = 0; e < given->count; e++) {
        seed = seed * 1664525u + 1013904223u;
        given->exact[e] = 1 + (double)(seed >> 8) / (1 << 24);
    }
    for (size_t e = 0; e < given->count; e++)
        given->rhs[e] = difference(given->exact, n, e);
    return STARFISH_SUCCESS;
}

/* Where a cell's centre is. */
static void place(const struct diffusion_case *given, size_t e, double x[3])
{
    for (size_t d = 0; d < 3; d++) {
        const size_t n = d < given->problem.dimensions ? given->problem.n[d] : 1;
        x[d] = ((double)(e % n) + 0.5) / (double)n;
        e /= n;
    }
}

static const double pi = 3.14159265358979323846;

static double cosines(const struct diffusion_case *given, const double x[3])
{
    return cos(pi * x[0]) * cos(pi * x[1]) * (given->problem.dimensions == 3 ? cos(pi * x[2]) : 1);
}

/* The number of the bubble that the point is in, or 0. */
static long long bubble_at(size_t dimensions, const double x[3])
{
    static const double flat[4][4] = {{.3, .3, .5, .15}, {.7, .35, .5, .1}, {.4, .72, .5, .12}, {.75, .75, .5, .08}};
    static const double solid[5][4] = {
        {.3, .3, .3, .15}, {.7, .35, .4, .1}, {.4, .72, .6, .12}, {.75, .75, .75, .08}, {.6, .3, .75, .1}};
    const size_t bubbles = dimensions == 3 ? 5 : 4;

    for (size_t b = 0; b < bubbles; b++) {
        const double *at = dimensions == 3 ? solid[b] : flat[b];
        double distance = 0;
        for (size_t d = 0; d < dimensions; d++)
            distance += (x[d] - at[d]) * (x[d] - at[d]);
        if (distance < at[3] * at[3])
            return (long long)b + 1;
    }
    return 0;
}

static void fill_bubbles(void *data, size_t first, size_t last)
{
    const struct filling *filling = data;
    const struct diffusion_case *given = filling->given;
    double x[3];

    for (size_t e = first; e < last; e++) {
        place(given, e, x);
        given->regions[e] = bubble_at(given->problem.dimensions, x);
        given->k[e] = given->regions[e] ? filling->contrast : 1;
        given->rhs[e] = cosines(given, x);
    }
}

starfish_status diffusion_bubbles(size_t dimensions, size_t n, double contrast, struct diffusion_case *given)
{
    struct filling filling = {given, contrast};

    STARFISH_TRY(begin(dimensions, n, STARFISH_NEUMANN, given));
    STARFISH_TRY(need_coefficients(given));
    starfish_host_loop(given->count, CELLS, fill_bubbles, &filling);
    return STARFISH_SUCCESS;
}

starfish_status diffusion_two_phase(size_t n, double contrast, struct diffusion_case *given)
{
    double x[3];

    STARFISH_TRY(begin(2, n, STARFISH_NEUMANN, given));
    STARFISH_TRY(need_coefficients(given));
    given->problem.mean = STARFISH_MEAN_ARITHMETIC;
    for (size_t e = 0; e < given->count; e++) {
        place(given, e, x);
        given->regions[e] = x[1] > 0.5;
        given->k[e] = given->regions[e] ? contrast : 1;
        given->rhs[e] = cosines(given, x);
    }
    return STARFISH_SUCCESS;
}

void diffusion_case_free(struct diffusion_case *given)
{
    free(given->k);
    free(given->rhs);
    free(given->exact);
    free(given->regions);
    memset(given, 0, sizeof *given);
}

/* ---- Versions ---------------------------------------------------------------------------------------------------- */

const struct diffusion_version diffusion_versions[DIFFUSION_VERSIONS] = {
    {"CGVV", "conjugate gradients", 0, 0, 0, 0, 0},
    {"CGBIC", "block incomplete Cholesky", 1, 0, 0, 0, 0},
    {"DPCG", "and deflation, E inverted, products with A for A Z", 1, 1, 0, 0, 0},
    {"DPCG1", "and A Z stored sparsely", 1, 1, 0, 1, 0},
    {"DIPCG1", "with incomplete Poisson", 1, 1, 1, 1, 0},
    {"DPCG2", "DPCG1 with a fast solution of E, steps fused", 1, 1, 0, 1, 1},
    {"DIPCG2", "DIPCG1 with a fast solution of E, steps fused", 1, 1, 1, 1, 1}};

void diffusion_set_version(const struct diffusion_version *version, size_t block, size_t vectors,
                           struct starfish_diffusion_options *options)
{
    options->method = STARFISH_DIFFUSION_CG;
    options->preconditioner = !version->preconditioned      ? STARFISH_PRECONDITIONER_NONE
                              : version->incomplete_poisson ? STARFISH_PRECONDITIONER_IP
                                                            : STARFISH_PRECONDITIONER_BLOCK_IC;
    options->deflation = version->deflated ? STARFISH_DEFLATION_STRIPES : STARFISH_DEFLATION_NONE;
    options->block = block;
    options->vectors = vectors;
    options->reserved[STARFISH_DIFFUSION_PRODUCT_WITH_AZ] = version->deflated && !version->stores_az;
    options->reserved[STARFISH_DIFFUSION_COARSE] = version->fast_coarse ? STARFISH_COARSE_AUTO : STARFISH_COARSE_DENSE;
    options->reserved[STARFISH_DIFFUSION_SEPARATE_TASKS] = !version->fast_coarse;
}

/* ---- Solves ------------------------------------------------------------------------------------------------------ */

static starfish_status find_error(const void *data, starfish_precision precision, const void *solution, double *error)
{
    const struct diffusion_case *given = data;
    double sum = 0, all = 0;

    for (size_t i = 0; i < given->count; i++) {
        const double u = starfish_element(solution, precision, i);
        sum += (u - given->exact[i]) * (u - given->exact[i]);
        all += given->exact[i] * given->exact[i];
    }
    *error = sqrt(sum / all);
    return STARFISH_SUCCESS;
}

starfish_status diffusion_repeat(const struct diffusion_case *given, const struct starfish_diffusion_options *options,
                                 struct repeats what, struct repeated *times)
{
    struct starfish_diffusion_options of_case = *options;
    starfish_plan *plan;

    what.arrays.precision = options->precision;
    what.arrays.count = given->count;
    what.load = given->rhs;
    what.find_error = given->exact ? find_error : NULL;
    what.data = given;
    of_case.reserved[STARFISH_DIFFUSION_DIRICHLET_NODES] = given->dirichlet_nodes;
    STARFISH_TRY(starfish_diffusion_plan_create(what.arrays.context, &given->problem, &of_case, &plan));
    const starfish_status status = repeat_solves(&what, plan, times);
    starfish_plan_destroy(plan);
    return status;
}
