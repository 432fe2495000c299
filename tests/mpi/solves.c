/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Solves on several ranks against those of one process: every rank makes the same random problem, solves it whole in a
 * context of its own, and compares its planes of what all have solved together. Run by mpiexec. */
#include "tests/mpi/together.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static void *reals(starfish_precision precision, size_t count)
{
    float *single = malloc((count + 1) * sizeof *single);
    double *values = malloc((count + 1) * sizeof *values);
    for (size_t i = 0; i < count; i++)
        single[i] = (float)(values[i] = real());
    free(precision == STARFISH_F32 ? (void *)values : (void *)single);
    return precision == STARFISH_F32 ? (void *)single : (void *)values;
}

struct problem {
    struct starfish_poisson_problem problem;
    struct starfish_poisson_options options;
    struct starfish_boundary boundary;
    size_t n[3], bytes; /* of a real */
    void *rhs, *face[3][2], *memory[8];
    int memories;
};

static double *keep(struct problem *p, double *values)
{
    p->memory[p->memories++] = values;
    return values;
}

/* Increasing, not equally spaced. */
static double *coordinates(struct problem *p, size_t count)
{
    double *x = keep(p, malloc(count * sizeof *x));
    double at = 0;
    for (size_t i = 0; i < count; i++)
        x[i] = at += 0.5 + 0.4 * real();
    return x;
}

static void uniform(struct starfish_axis *axis, const starfish_end ends[2])
{
    axis->kind = STARFISH_UNIFORM;
    axis->length = 1 + (double)next(3);
    axis->grid = next(2) ? STARFISH_CELL : STARFISH_NODE;
    memcpy(axis->ends, ends, sizeof axis->ends);
}

/* Diagonally dominant, or with rows that sum to zero. */
static void matrix(struct problem *p, struct starfish_axis *axis, int singular)
{
    double *lower = keep(p, malloc(3 * axis->n * sizeof *lower)), *diag = lower + axis->n, *upper = diag + axis->n;
    axis->kind = STARFISH_TRIDIAGONAL;
    for (size_t k = 0; k < axis->n; k++)
        upper[k] = 1.5 + real();
    for (size_t k = 0; k < axis->n; k++) {
        lower[k] = k > 0 ? upper[k - 1] : 0;
        diag[k] = -lower[k] - (k + 1 < axis->n ? upper[k] : 0) - (singular ? 0 : 0.1);
    }
    axis->lower = lower;
    axis->diag = diag;
    axis->upper = upper;
}

enum kind { ANY, SINGULAR, KINDS };

static void make_axis(struct problem *p, int a, enum kind kind)
{
    static const starfish_end choices[][2] = {{STARFISH_NEUMANN, STARFISH_NEUMANN},
                                              {STARFISH_PERIODIC, STARFISH_PERIODIC},
                                              {STARFISH_DIRICHLET, STARFISH_DIRICHLET},
                                              {STARFISH_DIRICHLET, STARFISH_NEUMANN},
                                              {STARFISH_NEUMANN, STARFISH_DIRICHLET}};
    struct starfish_axis *axis = &p->problem.axis[a];
    const starfish_end *ends = choices[next(kind == SINGULAR ? 2 : 5)];
    axis->n = p->n[a];
    uniform(axis, ends);
    if (axis->grid == STARFISH_NODE && axis->n < 3)
        axis->grid = STARFISH_CELL;
    const unsigned other = a == 0 ? 0 : next(4);
    if (other == 1)
        matrix(p, axis, kind == SINGULAR);
    if (other == 2 && ends[0] != STARFISH_PERIODIC) {
        axis->kind = STARFISH_STRETCHED;
        axis->grid = STARFISH_CELL;
        axis->coordinate_count = axis->n + 1;
        axis->coordinates = coordinates(p, axis->n + 1);
    }
}

/* Grids of some levels, so that planes of all ranks are parts of several. */
static void enlarge(size_t n[3])
{
    n[0] = 24 + next(20);
    n[1] = 24 + next(20);
    n[2] = 48 + next(20);
}

static void make_problem(struct problem *p, enum kind kind, starfish_precision precision, starfish_method method)
{
    *p = (struct problem){.options = STARFISH_POISSON_OPTIONS_DEFAULTS};
    p->options.precision = precision;
    p->options.check_residual = 1;
    p->options.method = method;
    p->options.refinements = next(4) == 0 ? 1 : 0;
    p->bytes = precision == STARFISH_F32 ? sizeof(float) : sizeof(double);
    for (int a = 0; a < 3; a++)
        p->n[a] = 1 + next(a == 2 ? 13 : 9);
    if (method == STARFISH_METHOD_MULTIGRID)
        enlarge(p->n);
    for (int a = 0; a < 3; a++)
        make_axis(p, a, kind);
    p->problem.lambda = kind == SINGULAR ? 0 : -1 - (double)next(3);
    p->rhs = reals(precision, p->n[0] * p->n[1] * p->n[2]);
    for (int a = 0; a < 3; a++)
        for (int end = 0; end < 2; end++) {
            p->boundary.constant[a][end] = real();
            if (next(2))
                p->boundary.array[a][end] = p->face[a][end] = reals(precision, p->n[0] * p->n[1] * p->n[2] / p->n[a]);
        }
}

static void release_problem(struct problem *p)
{
    free(p->rhs);
    for (int face = 0; face < 6; face++)
        free(p->face[face / 2][face % 2]);
    while (p->memories > 0)
        free(p->memory[--p->memories]);
}

/* ---- Parts of arrays ----------------------------------------------------------------------------------------------
 */

/* Boundary data of planes first .. first + count - 1. */
static struct starfish_boundary faces_of(const struct problem *p, size_t first, size_t count)
{
    struct starfish_boundary part = p->boundary;
    for (int a = 0; a < 2; a++)
        for (int end = 0; end < 2; end++) {
            const size_t line = p->n[a == 0 ? 1 : 0] * p->bytes;
            if (p->face[a][end])
                part.array[a][end] = part_of(p->face[a][end], first * line, count * line);
        }
    return part;
}

static double value(const struct problem *p, const void *array, size_t index)
{
    return p->options.precision == STARFISH_F32 ? (double)((const float *)array)[index]
                                                : ((const double *)array)[index];
}

static void compare(const struct problem *p, const void *expected, size_t first, const void *got, size_t count)
{
    const double tolerance = p->options.precision == STARFISH_F32 ? 2e-4 : 1e-11;
    double largest = 0;
    for (size_t i = 0; i < p->n[0] * p->n[1] * p->n[2]; i++)
        largest = fmax(largest, fabs(value(p, expected, i)));
    for (size_t i = 0; i < count; i++) {
        const double wanted = value(p, expected, first + i), is = value(p, got, i);
        CHECK(fabs(is - wanted) <= tolerance * largest, "%zu x %zu x %zu: element %zu is %.17g, not %.17g", p->n[0],
              p->n[1], p->n[2], first + i, is, wanted);
    }
}

/* ---- Solves -------------------------------------------------------------------------------------------------------
 */

/* A decomposition of the program's own: all but a few planes to ranks by chance, and so some have none. */
static void deal(size_t n, size_t *planes)
{
    memset(planes, 0, (size_t)ranks * sizeof *planes);
    for (size_t k = 0; k < n; k++)
        planes[next((unsigned)ranks)]++;
}

static void solve_together(struct problem *p, const void *expected, const struct starfish_result *one, int own_planes)
{
    size_t planes[64], first = 0, count;
    struct starfish_result info = STARFISH_RESULT_DEFAULTS;
    starfish_plan *plan;
    if (own_planes) {
        deal(p->n[2], planes);
        for (int r = 0; r < rank; r++)
            first += planes[r];
        count = planes[rank];
        p->options.planes = planes;
    } else {
        CHECK_OK(starfish_mpi_planes(together, p->n[2], rank, &first, &count));
    }
    CHECK_OK(starfish_poisson_plan_create(together, &p->problem, &p->options, &plan));
    const size_t plane = p->n[0] * p->n[1], bytes = plane * p->bytes;
    void *rhs = part_of(p->rhs, first * bytes, count * bytes), *u = malloc(count * bytes + 1);
    const struct starfish_boundary boundary = faces_of(p, first, count);
    for (int turn = 0; turn < 2; turn++) {
        CHECK_OK(starfish_plan_solve(plan, &boundary, count ? rhs : NULL, count ? u : NULL, &info));
        compare(p, expected, first * plane, u, count * plane);
        CHECK(fabs(info.pertrb - one->pertrb) <= (p->bytes == 4 ? 1e-4 : 1e-12) * (1 + fabs(one->pertrb)),
              "pertrb is %.17g, not %.17g", info.pertrb, one->pertrb);
        CHECK(info.residual_max <= 1e-3, "the residual is %g", info.residual_max);
        CHECK(info.iterations == one->iterations, "%d cycles, not %d", info.iterations, one->iterations);
    }
    CHECK_OK(starfish_plan_solve(plan, &boundary, count ? rhs : NULL, count ? rhs : NULL, &info)); /* in place */
    compare(p, expected, first * plane, rhs, count * plane);
    starfish_plan_destroy(plan);
    for (int face = 0; face < 4; face++)
        if (boundary.array[face / 2][face % 2] != p->face[face / 2][face % 2])
            free((void *)(uintptr_t)boundary.array[face / 2][face % 2]);
    free(rhs);
    free(u);
}

static void solve_one(enum kind kind, starfish_precision precision, int own_planes, starfish_method method)
{
    struct problem p;
    struct starfish_result info = STARFISH_RESULT_DEFAULTS;
    starfish_plan *plan;
    make_problem(&p, kind, precision, method);
    const starfish_status status = starfish_poisson_plan_create(alone, &p.problem, &p.options, &plan);
    if (status != STARFISH_SUCCESS) { /* what one process cannot do, several cannot */
        starfish_status other = starfish_poisson_plan_create(together, &p.problem, &p.options, &plan);
        CHECK(other == status, "%s, alone %s", starfish_status_name(other), starfish_status_name(status));
        release_problem(&p);
        return;
    }
    void *expected = malloc(p.n[0] * p.n[1] * p.n[2] * p.bytes);
    const starfish_status solved = starfish_plan_solve(plan, &p.boundary, p.rhs, expected, &info);
    starfish_plan_destroy(plan);
    CHECK(solved == STARFISH_SUCCESS || solved == STARFISH_ERROR_NUMERICAL, "%s", starfish_error_message());
    if (solved == STARFISH_SUCCESS) /* f32 does not suffice for all that chance makes */
        solve_together(&p, expected, &info, own_planes);
    release_problem(&p);
    free(expected);
}

/* ---- Errors that all ranks report ---------------------------------------------------------------------------------
 */

static void expect(starfish_status status, starfish_status wanted, const char *message)
{
    CHECK(status == wanted && strstr(starfish_error_message(), message), "%s: %s, not %s: %s",
          starfish_status_name(status), starfish_error_message(), starfish_status_name(wanted), message);
}

static void errors_of_one_are_errors_of_all(void)
{
    struct starfish_poisson_options options = STARFISH_POISSON_OPTIONS_DEFAULTS;
    struct starfish_poisson_problem problem = {.lambda = 0};
    starfish_plan *plan;
    starfish_field *field;
    const int last = ranks - 1;
    double u[64] = {0};
    char who[32] = "";
    if (ranks > 1)
        snprintf(who, sizeof who, "rank %d: ", last);
    for (int a = 0; a < 3; a++)
        problem.axis[a] = (struct starfish_axis){.n = 4, .length = 1, .ends = {STARFISH_DIRICHLET, STARFISH_DIRICHLET}};
    problem.axis[1].length = rank == last ? -1 : 1;
    expect(starfish_poisson_plan_create(together, &problem, NULL, &plan), STARFISH_ERROR_ARGUMENT, who);
    problem.axis[1].length = 1;
    problem.lambda = rank == last ? -1 : -2;
    if (ranks > 1)
        expect(starfish_poisson_plan_create(together, &problem, NULL, &plan), STARFISH_ERROR_ARGUMENT, "differs");
    problem.lambda = 0;
    options.method = STARFISH_METHOD_MULTIGRID; /* which one rank solves by for all, of so few planes */
    CHECK_OK(starfish_poisson_plan_create(together, &problem, &options, &plan));
    if (ranks > 1)
        expect(starfish_poisson_field(plan, NULL, &field), STARFISH_ERROR_UNSUPPORTED, "no fields on several ranks");
    if (ranks <= 4)
        expect(starfish_plan_solve(plan, NULL, rank == last ? NULL : u, u, NULL), STARFISH_ERROR_ARGUMENT,
               "rhs is NULL");
    CHECK_OK(starfish_plan_solve(plan, NULL, u, u, NULL));
    starfish_plan_destroy(plan);
    CHECK_OK(starfish_poisson_plan_create(together, &problem, NULL, &plan));
    if (ranks <= 4)
        expect(starfish_plan_solve(plan, NULL, rank == last ? NULL : u, u, NULL), STARFISH_ERROR_ARGUMENT,
               "rhs is NULL");
    CHECK_OK(starfish_plan_solve(plan, NULL, u, u, NULL)); /* and they go on */
    starfish_plan_destroy(plan);
}

/* Addresses beyond what the process has now. */
static void limit_memory(size_t more)
{
    size_t pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    CHECK(file && fscanf(file, "%zu", &pages) == 1, "no /proc/self/statm");
    fclose(file);
    const struct rlimit limit = {pages * (size_t)sysconf(_SC_PAGESIZE) + more, RLIM_INFINITY};
    setrlimit(RLIMIT_AS, &limit);
}

static void memory_that_one_lacks_all_lack(void)
{
    static const struct rlimit none = {RLIM_INFINITY, RLIM_INFINITY};
    struct starfish_poisson_problem problem = {.lambda = -1};
    const size_t n[3] = {512, 512, 64 * (size_t)ranks}; /* 134 MB each, which nobody touches */
    starfish_plan *plan;
    starfish_field *field;
    for (int a = 0; a < 3; a++)
        problem.axis[a] =
            (struct starfish_axis){.n = n[a], .length = 1, .ends = {STARFISH_DIRICHLET, STARFISH_DIRICHLET}};
    CHECK_OK(starfish_poisson_plan_create(together, &problem, NULL, &plan));
    if (rank == ranks - 1)
        limit_memory(64 << 20);
    const starfish_status status = starfish_poisson_field(plan, NULL, &field);
    setrlimit(RLIMIT_AS, &none);
    expect(status, STARFISH_ERROR_MEMORY, "memory");
    CHECK_OK(starfish_poisson_field(plan, NULL, &field));
    starfish_field_destroy(field);
    starfish_plan_destroy(plan);
}

/* Fields of the plan's own memory, in which each rank fills its planes in place. */
static void fields_are_of_own_planes(void)
{
    struct problem p;
    struct starfish_result info = STARFISH_RESULT_DEFAULTS;
    starfish_plan *plan;
    starfish_field *field;
    starfish_job *job;
    void *memory;
    size_t first, count;
    make_problem(&p, ANY, STARFISH_F64, STARFISH_METHOD_SLAB);
    void *expected = malloc(p.n[0] * p.n[1] * p.n[2] * p.bytes);
    CHECK_OK(starfish_poisson_plan_create(alone, &p.problem, &p.options, &plan));
    CHECK_OK(starfish_plan_solve(plan, NULL, p.rhs, expected, &info));
    starfish_plan_destroy(plan);
    CHECK_OK(starfish_poisson_plan_create(together, &p.problem, &p.options, &plan));
    CHECK_OK(starfish_mpi_planes(together, p.n[2], rank, &first, &count));
    CHECK_OK(starfish_poisson_field(plan, NULL, &field));
    CHECK_OK(starfish_field_acquire(field, &memory));
    const size_t plane = p.n[0] * p.n[1];
    if (count > 0)
        memcpy(memory, (const double *)p.rhs + first * plane, count * plane * sizeof(double));
    CHECK_OK(starfish_field_release(field));
    CHECK_OK(starfish_poisson_submit_field(plan, NULL, field, field, &job));
    CHECK_OK(starfish_job_finish(job, &info));
    CHECK_OK(starfish_field_acquire(field, &memory));
    compare(&p, expected, first * plane, memory, count * plane);
    CHECK_OK(starfish_field_release(field));
    starfish_field_destroy(field);
    starfish_plan_destroy(plan);
    release_problem(&p);
    free(expected);
}

int main(int argc, char **argv)
{
    const int cases = argc > 1 ? atoi(argv[1]) : 4;
    begin(&argc, &argv);
    for (int i = 0; i < cases; i++)
        for (int kind = 0; kind < KINDS; kind++)
            for (int method = STARFISH_METHOD_AUTO; method <= STARFISH_METHOD_MULTIGRID; method++)
                if (method == STARFISH_METHOD_SLAB || i % 4 == method % 4)
                    solve_one((enum kind)kind, i % 3 == 2 ? STARFISH_F32 : STARFISH_F64, i % 2,
                              (starfish_method)method);
    fields_are_of_own_planes();
    errors_of_one_are_errors_of_all();
    memory_that_one_lacks_all_lack();
    end();
    if (rank == 0)
        printf("%d ranks: %d problems\n", ranks, cases * KINDS);
    return 0;
}
