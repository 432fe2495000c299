/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The cases: separable problems by a table, one function for each other part of the interface. Problems are of some
 * thousand unknowns. Arrays that the library reads are static; those that it writes are cleared before. */
#include "tests/faults/cases.h"

#include <math.h>
#include <string.h>

enum { N = 10, UNKNOWNS = N * N * N, ELEMENTS = 24, STEPS = 4 };

static double rhs_f64[2 * UNKNOWNS], solution_f64[STEPS][2 * UNKNOWNS], face[N * N];
static float rhs_f32[UNKNOWNS], solution_f32[UNKNOWNS];
static double lower[2 * N], diag[2 * N], upper[2 * N], width[ELEMENTS];

int (*faults_again)(void);

static int again(starfish_status status)
{
    return status == STARFISH_SUCCESS && faults_again && faults_again();
}

static void fill_arrays(void)
{
    for (int i = 0; i < 2 * UNKNOWNS; i++)
        rhs_f64[i] = sin(1 + i) + 0.3 * cos(3.0 * i);
    for (int i = 0; i < UNKNOWNS; i++)
        rhs_f32[i] = (float)rhs_f64[i];
    for (int i = 0; i < N * N; i++)
        face[i] = 0.01 * i;
    for (int i = 0; i < N; i++) {
        lower[i] = 1 + 0.1 * i;
        upper[i] = 1 + 0.1 * (i + 1);
        diag[i] = -(lower[i] + upper[i]) - 0.5;
    }
    for (int i = 0; i < ELEMENTS; i++)
        width[i] = 1.0 / ELEMENTS;
}

void faults_clear(void)
{
    memset(solution_f64, 0, sizeof solution_f64);
    memset(solution_f32, 0, sizeof solution_f32);
}

static void keep_f64(struct faults_result *result, const double *values, size_t count)
{
    for (size_t i = 0; i < count && result->count < FAULTS_MOST_VALUES; i++)
        result->value[result->count++] = values[i];
}

static void keep_f32(struct faults_result *result, const float *values, size_t count)
{
    for (size_t i = 0; i < count && result->count < FAULTS_MOST_VALUES; i++)
        result->value[result->count++] = (double)values[i];
}

/* ---- Separable problems ------------------------------------------------------------------------------------------ */

#define PERIODIC                                                                                                       \
    {                                                                                                                  \
        .kind = STARFISH_UNIFORM, .n = N, .length = 1                                                                  \
    }
#define ENDS(low, high)                                                                                                \
    {                                                                                                                  \
        .kind = STARFISH_UNIFORM, .n = N, .length = 1, .ends = {low, high}, .grid = STARFISH_CELL                      \
    }
#define DIRICHLET ENDS(STARFISH_DIRICHLET, STARFISH_DIRICHLET)
#define NEUMANN ENDS(STARFISH_NEUMANN, STARFISH_NEUMANN)
#define MATRIX                                                                                                         \
    {                                                                                                                  \
        .kind = STARFISH_TRIDIAGONAL, .n = N, .lower = lower, .diag = diag, .upper = upper                             \
    }
#define OPTIONS(name, real)                                                                                            \
    .size = sizeof(struct starfish_poisson_options), .split = -1, .method = STARFISH_METHOD_##name,                    \
    .precision = STARFISH_##real

struct separable {
    struct starfish_poisson_problem problem;
    struct starfish_poisson_options options;
    int boundary; /* values at the ends of z */
};

static const struct separable slab = {.problem = {.axis = {PERIODIC, DIRICHLET, DIRICHLET}},
                                      .options = {OPTIONS(SLAB, F64)}};
static const struct separable slabs = {
    .problem = {.axis = {PERIODIC, DIRICHLET, DIRICHLET}},
    .options = {OPTIONS(SLAB, F64), .slabs = 3, .mode_blocks = 2, .check_residual = 1},
    .boundary = 1};
static const struct separable slab_matrix = {.problem = {.axis = {PERIODIC, MATRIX, MATRIX}},
                                             .options = {OPTIONS(SLAB, F64), .refinements = 1, .check_residual = 1}};
static const struct separable slab_singular = {.problem = {.axis = {PERIODIC, NEUMANN, NEUMANN}},
                                               .options = {OPTIONS(SLAB, F64), .slabs = 2, .refinements = 1}};
static const struct separable slab_f32 = {.problem = {.axis = {DIRICHLET, NEUMANN, DIRICHLET}},
                                          .options = {OPTIONS(SLAB, F32), .check_residual = 1}};
static const struct separable blktri = {
    .problem = {.axis = {PERIODIC, DIRICHLET, MATRIX}},
    .options = {OPTIONS(BLKTRI, F64), .slabs = 2, .mode_blocks = 2, .check_residual = 1},
    .boundary = 1};
static const struct separable blktri_singular = {.problem = {.axis = {PERIODIC, NEUMANN, NEUMANN}},
                                                 .options = {OPTIONS(BLKTRI, F64), .check_residual = 1}};
static const struct separable blktri_product = {.problem = {.axis = {PERIODIC, DIRICHLET, DIRICHLET}},
                                                .options = {OPTIONS(BLKTRI_PRODUCT, F32), .refinements = 1}};
static const struct separable multigrid = {.problem = {.axis = {PERIODIC, DIRICHLET, DIRICHLET}},
                                           .options = {OPTIONS(MULTIGRID, F64), .check_residual = 1},
                                           .boundary = 1};
static const struct separable multigrid_mixed = {.problem = {.axis = {DIRICHLET, NEUMANN, DIRICHLET}},
                                                 .options = {OPTIONS(MULTIGRID, F64), .mixed = 1, .slabs = 2}};
static const struct separable automatic = {.problem = {.axis = {PERIODIC, MATRIX, DIRICHLET}},
                                           .options = {OPTIONS(AUTO, F64), .refinements = -1, .check_residual = 1}};

static starfish_status solve_separable(starfish_plan *plan, const struct separable *s, struct faults_result *result)
{
    const struct starfish_boundary boundary = {.constant[2][0] = 1, .array[2][1] = face};
    const int single = s->options.precision == STARFISH_F32;
    struct starfish_result info = STARFISH_RESULT_DEFAULTS;
    starfish_status status;
    do
        status = single ? starfish_plan_solve(plan, NULL, rhs_f32, solution_f32, &info)
                        : starfish_plan_solve(plan, s->boundary ? &boundary : NULL, rhs_f64, solution_f64[0], &info);
    while (again(status));
    if (single)
        keep_f32(result, solution_f32, UNKNOWNS);
    else
        keep_f64(result, solution_f64[0], UNKNOWNS);
    return status;
}

static starfish_status run_separable(struct starfish_context *context, const void *details,
                                     struct faults_result *result)
{
    const struct separable *s = details;
    starfish_plan *plan = NULL;
    starfish_status status = starfish_poisson_plan_create(context, &s->problem, &s->options, &plan);
    if (status == STARFISH_SUCCESS)
        status = solve_separable(plan, s, result);
    starfish_plan_destroy(plan);
    return status;
}

/* Several jobs at once; each that was submitted is waited for. The last one overwrites its right-hand side. */
static starfish_status run_jobs(struct starfish_context *context, const void *details, struct faults_result *result)
{
    const struct separable *s = details;
    starfish_plan *plan = NULL;
    starfish_job *job[STEPS] = {NULL};
    starfish_status status = starfish_poisson_plan_create(context, &s->problem, &s->options, &plan);
    memcpy(solution_f64[STEPS - 1], rhs_f64, UNKNOWNS * sizeof(double));
    for (int i = 0; i < STEPS && status == STARFISH_SUCCESS; i++)
        status = starfish_plan_submit(plan, NULL, i == STEPS - 1 ? solution_f64[i] : rhs_f64, solution_f64[i], &job[i]);
    for (int i = 0; i < STEPS; i++)
        if (job[i]) {
            const starfish_status waited = starfish_job_finish(job[i], NULL);
            status = status != STARFISH_SUCCESS ? status : waited;
            keep_f64(result, solution_f64[i], UNKNOWNS);
        }
    starfish_plan_destroy(plan);
    return status;
}

static starfish_status write_rhs(starfish_field *rhs)
{
    void *memory;
    const starfish_status status = starfish_field_acquire(rhs, &memory);
    if (status != STARFISH_SUCCESS)
        return status;
    memcpy(memory, rhs_f64, UNKNOWNS * sizeof(double));
    return starfish_field_release(rhs);
}

/* With a right-hand side that is written once for several solves; of data that nobody writes any more StarPU keeps its
 * notes about many readers. */
static starfish_status solve_field(starfish_plan *plan, starfish_field *rhs, starfish_field *solution)
{
    starfish_job *job = NULL;
    starfish_status status = STARFISH_SUCCESS;
    int steps = 0;
    do {
        if (steps % STEPS == 0)
            status = write_rhs(rhs);
        if (status == STARFISH_SUCCESS)
            status = starfish_poisson_submit_field(plan, NULL, rhs, solution, &job);
        if (status == STARFISH_SUCCESS)
            status = starfish_job_finish(job, NULL);
        steps++;
    } while ((steps < STEPS && status == STARFISH_SUCCESS) || again(status));
    return status;
}

static starfish_status run_fields(struct starfish_context *context, const void *details, struct faults_result *result)
{
    const struct separable *s = details;
    starfish_plan *plan = NULL;
    starfish_field *rhs = NULL, *solution = NULL;
    starfish_status status = starfish_poisson_plan_create(context, &s->problem, &s->options, &plan);
    if (status == STARFISH_SUCCESS)
        status = starfish_poisson_field(plan, NULL, &rhs);
    if (status == STARFISH_SUCCESS)
        status = starfish_poisson_field(plan, solution_f64[0], &solution);
    if (status == STARFISH_SUCCESS)
        status = solve_field(plan, rhs, solution);
    starfish_field_destroy(solution);
    starfish_field_destroy(rhs);
    starfish_plan_destroy(plan);
    keep_f64(result, solution_f64[0], UNKNOWNS);
    return status;
}

/* ---- Two dimensions, and FISHPACK -------------------------------------------------------------------------------- */

/* details: an int, whether right-hand sides are complex */
static starfish_status run_2d(struct starfish_context *context, const void *details, struct faults_result *result)
{
    const struct starfish_axis axis = MATRIX;
    struct starfish_poisson_options options = STARFISH_POISSON_OPTIONS_DEFAULTS;
    starfish_plan *plan = NULL;
    options.complex_rhs = *(const int *)details;
    starfish_status status = starfish_separable2d_plan_create(context, &axis, &axis, 0, &options, &plan);
    if (status == STARFISH_SUCCESS)
        status = starfish_plan_solve(plan, NULL, rhs_f64, solution_f64[0], NULL);
    starfish_plan_destroy(plan);
    keep_f64(result, solution_f64[0], (size_t)N * N * (options.complex_rhs ? 2 : 1));
    return status;
}

static const int number_is_real = 0, number_is_complex = 1;

/* Rows of y are longer than m, so that the library copies them. */
static starfish_status run_fishpack(struct starfish_context *context, const void *details, struct faults_result *result)
{
    static double am[2 * N], bm[2 * N], cm[2 * N];
    const int complex_line = *(const int *)details, idimy = N - 1, m = N - 2;
    double *y = solution_f64[0];
    starfish_blktri_work work = STARFISH_BLKTRI_WORK_INIT;
    starfish_status status = STARFISH_SUCCESS;
    int error = 0;
    work.context = context;
    memcpy(y, rhs_f64, UNKNOWNS * sizeof(double));
    for (int i = 0; i < m; i++) {
        const int at = complex_line ? 2 * i : i;
        am[at] = cm[at] = 1;
        bm[at] = -2.5;
    }
    for (int call = 0; call < 3 && status == STARFISH_SUCCESS; call++)
        status = complex_line
                     ? starfish_cblktri(call > 0, 1, N, lower, diag, upper, 1, m, am, bm, cm, idimy, y, &error, &work)
                     : starfish_blktri(call > 0, 1, N, lower, diag, upper, 1, m, am, bm, cm, idimy, y, &error, &work);
    starfish_blktri_free(&work);
    keep_f64(result, y, (size_t)N * (size_t)idimy * (complex_line ? 2 : 1));
    return status;
}

/* ---- Multigrid --------------------------------------------------------------------------------------------------- */

#define MULTIGRID_OPTIONS(mixed_, krylov_)                                                                             \
    .size = sizeof(struct starfish_multigrid_options), .precision = STARFISH_F64, .mixed = (mixed_), .before = 2,      \
    .after = 2, .tolerance = 1e-9, .max_iterations = 60, .inner_cycles = 2, .krylov = STARFISH_KRYLOV_##krylov_

struct grids {
    struct starfish_multigrid_options options;
    int three; /* dimensions: seven-point differences */
    int submits;
};

static const struct grids q1 = {.options = {MULTIGRID_OPTIONS(0, NONE)}};
static const struct grids q1_mixed = {
    .options = {MULTIGRID_OPTIONS(1, NONE), .smoother = STARFISH_SMOOTHER_ADI, .slabs = 3}, .submits = 1};
static const struct grids q1_gradients = {
    .options = {MULTIGRID_OPTIONS(0, CG), .matrix = STARFISH_MATRIX_STORED, .tail = 1}};
static const struct grids q1_f16 = {
    .options = {MULTIGRID_OPTIONS(1, NONE), .storage = STARFISH_STORAGE_F16, .inner_digits = 1},
};
static const struct grids q1_coarse = {
    .options = {MULTIGRID_OPTIONS(0, CG), .levels = 2, .coarse = STARFISH_COARSE_CG_ADI, .coarse_tolerance = 1e-6}};
static const struct grids flux = {.options = {MULTIGRID_OPTIONS(0, NONE)}, .three = 1, .submits = 1};
static const struct grids flux_lines = {
    .options = {MULTIGRID_OPTIONS(1, NONE), .smoother = STARFISH_SMOOTHER_ADI, .slabs = 2, .tail = 1}, .three = 1};
static const struct grids flux_planes = {.options = {MULTIGRID_OPTIONS(0, CG), .smoother = STARFISH_SMOOTHER_PLANE},
                                         .three = 1};

static starfish_status create_grids(struct starfish_context *context, const struct grids *grids, starfish_plan **plan)
{
#define DIRICHLET_ENDS                                                                                                 \
    {                                                                                                                  \
        STARFISH_DIRICHLET, STARFISH_DIRICHLET                                                                         \
    }
    const struct starfish_q1_problem plane = {
        .elements = {ELEMENTS, ELEMENTS}, .width = {width, width}, .ends = {DIRICHLET_ENDS, DIRICHLET_ENDS}};
    const struct starfish_stencil_problem box = {.n = {N, N, N},
                                                 .grid = STARFISH_CELL,
                                                 .ends = {DIRICHLET_ENDS, DIRICHLET_ENDS, DIRICHLET_ENDS},
                                                 .width = {width, width, width}};
    return grids->three ? starfish_stencil_plan_create(context, &box, &grids->options, plan)
                        : starfish_q1_plan_create(context, &plane, &grids->options, plan);
}

static starfish_status solve_grids(starfish_plan *plan, const struct grids *grids)
{
    struct starfish_result info = STARFISH_RESULT_DEFAULTS;
    starfish_job *job[STEPS] = {NULL};
    starfish_status status = STARFISH_SUCCESS;
    if (!grids->submits) {
        do
            status = starfish_plan_solve(plan, NULL, rhs_f64, solution_f64[0], &info);
        while (again(status));
        return status;
    }
    for (int i = 0; i < STEPS && status == STARFISH_SUCCESS; i++)
        status = starfish_plan_submit(plan, NULL, rhs_f64, solution_f64[i], &job[i]);
    for (int i = 0; i < STEPS; i++)
        if (job[i]) {
            const starfish_status waited = starfish_job_finish(job[i], NULL);
            status = status != STARFISH_SUCCESS ? status : waited;
        }
    return status;
}

static starfish_status run_grids(struct starfish_context *context, const void *details, struct faults_result *result)
{
    const struct grids *grids = details;
    const size_t n = grids->three ? UNKNOWNS : (size_t)(ELEMENTS - 1) * (ELEMENTS - 1);
    starfish_plan *plan = NULL;
    starfish_status status = create_grids(context, grids, &plan);
    if (status == STARFISH_SUCCESS)
        status = solve_grids(plan, grids);
    starfish_plan_destroy(plan);
    for (int i = 0; i < (grids->submits ? STEPS : 1); i++)
        keep_f64(result, solution_f64[i], n);
    return status;
}

/* ---- Batches ----------------------------------------------------------------------------------------------------- */

static const struct starfish_tridiag_options batch = {.size = sizeof batch,
                                                      .precision = STARFISH_F64,
                                                      .algorithm = STARFISH_ALGORITHM_THOMAS,
                                                      .keep_factors = 1,
                                                      .check = 1};
static const struct starfish_tridiag_options batch_pivoted = {
    .size = sizeof batch, .precision = STARFISH_F64, .algorithm = STARFISH_ALGORITHM_PIVOTED, .slabs = 3};
static const struct starfish_tridiag_options batch_reduction = {
    .size = sizeof batch, .precision = STARFISH_F64, .algorithm = STARFISH_ALGORITHM_CR_PCR};

static starfish_status solve_batch(starfish_plan *plan)
{
    starfish_job *job[STEPS] = {NULL};
    starfish_status status;
    do
        status = starfish_plan_solve(plan, NULL, rhs_f64, solution_f64[0], NULL);
    while (again(status));
    if (status == STARFISH_SUCCESS)
        status = starfish_tridiag_plan_update(plan);
    for (int i = 0; i < STEPS && status == STARFISH_SUCCESS; i++)
        status = starfish_plan_submit(plan, NULL, rhs_f64, solution_f64[i], &job[i]);
    for (int i = 0; i < STEPS; i++)
        if (job[i]) {
            const starfish_status waited = starfish_job_finish(job[i], NULL);
            status = status != STARFISH_SUCCESS ? status : waited;
        }
    return status;
}

static starfish_status run_batch(struct starfish_context *context, const void *details, struct faults_result *result)
{
    const struct starfish_tridiag_options *options = details;
    const struct starfish_tridiag_problem problem = {.n = N,
                                                     .lines = (size_t)N * N,
                                                     .rhs = 1,
                                                     .periodic = options->algorithm == STARFISH_ALGORITHM_THOMAS,
                                                     .lower = lower,
                                                     .diag = diag,
                                                     .upper = upper,
                                                     .coefficients = {1, 0},
                                                     .shift = options->check ? NULL : face,
                                                     .vectors = {1, N}};
    starfish_plan *plan = NULL;
    starfish_status status = starfish_tridiag_plan_create(context, &problem, options, &plan);
    if (status == STARFISH_SUCCESS)
        status = solve_batch(plan);
    /* After a failure a plan can be used on. */
    if (plan && status != STARFISH_SUCCESS)
        (void)starfish_plan_solve(plan, NULL, rhs_f64, solution_f64[0], NULL);
    starfish_plan_destroy(plan);
    for (int i = 0; i < STEPS; i++)
        keep_f64(result, solution_f64[i], UNKNOWNS);
    return status;
}

/* ---- Contexts ---------------------------------------------------------------------------------------------------- */

/* One beside the one given, or, where there is none, the only one. */
static starfish_status run_context(struct starfish_context *given, const void *details, struct faults_result *result)
{
    (void)given;
    starfish_context *context = NULL;
    const struct starfish_context_options options = {
        .size = sizeof options, .cpu_workers = -1, .gpu_workers = -1, .policy = details};
    starfish_status status = starfish_context_create(&context, given ? NULL : &options);
    if (status == STARFISH_SUCCESS)
        status = run_separable(context, &slab, result);
    starfish_context_destroy(context);
    return status;
}

/* ---- The table --------------------------------------------------------------------------------------------------- */

/* Cuts may differ with what could be had, and with them the last digits. */
#define F64 1e-7
#define F32 1e-3

const struct faults_case *faults_case(size_t number)
{
    static const struct faults_case cases[] = {
        {"slab", F64, run_separable, &slab, 0},
        {"slab-slabs", F64, run_separable, &slabs, 0},
        {"slab-matrix", F64, run_separable, &slab_matrix, 0},
        {"slab-singular", F64, run_separable, &slab_singular, 0},
        {"slab-f32", F32, run_separable, &slab_f32, 0},
        {"blktri", F64, run_separable, &blktri, 0},
        {"blktri-singular", F64, run_separable, &blktri_singular, 0},
        {"blktri-product", F32, run_separable, &blktri_product, 0},
        {"multigrid", F64, run_separable, &multigrid, 0},
        {"multigrid-mixed", F64, run_separable, &multigrid_mixed, 0},
        {"auto", F64, run_separable, &automatic, 0},
        {"jobs-slab", F64, run_jobs, &slabs, 0},
        {"jobs-blktri", F64, run_jobs, &blktri, 0},
        {"jobs-multigrid", F64, run_jobs, &multigrid, 0},
        {"fields-slab", F64, run_fields, &slabs, 0},
        {"fields-multigrid", F64, run_fields, &multigrid, 0},
        {"2d", F64, run_2d, &number_is_real, 0},
        {"2d-complex", F64, run_2d, &number_is_complex, 0},
        {"fishpack", F64, run_fishpack, &number_is_real, 0},
        {"fishpack-complex", F64, run_fishpack, &number_is_complex, 0},
        {"q1", F64, run_grids, &q1, 0},
        {"q1-mixed", F64, run_grids, &q1_mixed, 0},
        {"q1-gradients", F64, run_grids, &q1_gradients, 0},
        {"q1-f16", F64, run_grids, &q1_f16, 0},
        {"q1-coarse", F64, run_grids, &q1_coarse, 0},
        {"flux", F64, run_grids, &flux, 0},
        {"flux-lines", F64, run_grids, &flux_lines, 0},
        {"flux-planes", F64, run_grids, &flux_planes, 0},
        {"batch", F64, run_batch, &batch, 0},
        {"batch-pivoted", F64, run_batch, &batch_pivoted, 0},
        {"batch-reduction", F64, run_batch, &batch_reduction, 0},
        {"context-joins", F64, run_context, NULL, 0},
        {"context", F64, run_context, NULL, 1},
        {"context-policy", F64, run_context, "starfish-width", 1},
    };
    if (number >= sizeof cases / sizeof cases[0])
        return NULL;
    fill_arrays();
    return &cases[number];
}

const struct faults_case *faults_case_named(const char *name)
{
    size_t number = 0;
    while (faults_case(number) && strcmp(faults_case(number)->name, name) != 0)
        number++;
    return faults_case(number);
}

double faults_difference(const struct faults_result *result, const struct faults_result *expected)
{
    double most = 0, largest = 0;
    if (result->count != expected->count)
        return INFINITY;
    for (size_t i = 0; i < result->count; i++) {
        if (!isfinite(result->value[i]))
            return INFINITY;
        most = fmax(most, fabs(result->value[i] - expected->value[i]));
        largest = fmax(largest, fabs(expected->value[i]));
    }
    return largest > 0 ? most / largest : most;
}
