/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Flat domains on several ranks against those of one process: every rank solves the whole problem in a context of its
 * own, and compares its planes of what all have solved together. Run by mpiexec. */
#include "tests/mpi/together.h"

#include <math.h>

enum { MOST_LAYERS = 20 };

/* Runs of 9 rows a rank at least, or boxes; one rank solves for all where neither is possible, as in the last box. The
 * panels of a sphere are dealt to the ranks. */
static const struct shape {
    size_t n[3];
    int periodic[2], drift;
    starfish_flat_geometry geometry;
    size_t boxes;
} shapes[] = {
    {{40, 64, 6}, {0, 0}, 0, STARFISH_FLAT_BOX, 0},  {{33, 75, 9}, {1, 0}, 0, STARFISH_FLAT_BOX, 0},
    {{24, 41, 5}, {0, 0}, 0, STARFISH_PANEL, 0},     {{20, 48, 16}, {0, 0}, 1, STARFISH_FLAT_BOX, 0},
    {{30, 40, 2}, {1, 1}, 0, STARFISH_FLAT_BOX, 0},  {{12, 11, 4}, {0, 0}, 0, STARFISH_FLAT_BOX, 0},
    {{48, 50, 18}, {0, 0}, 0, STARFISH_PANEL, 2},    {{48, 40, 20}, {1, 1}, 0, STARFISH_FLAT_BOX, 2},
    {{12, 11, 4}, {0, 0}, 0, STARFISH_FLAT_BOX, 16}, {{10, 60, 7}, {0, 0}, 0, STARFISH_SPHERE, 0},
};
enum { SHAPES = sizeof shapes / sizeof shapes[0] };

static const struct way {
    starfish_atmosphere_method method;
    starfish_atmosphere_preconditioner preconditioner;
    starfish_precision precision;
    int mixed, red_black;
} ways[] = {
    {STARFISH_ATMOSPHERE_MULTIGRID, STARFISH_ATMOSPHERE_PRECONDITIONER_AUTO, STARFISH_F64, 0, 0},
    {STARFISH_ATMOSPHERE_CG, STARFISH_ATMOSPHERE_PRECONDITIONER_LINES, STARFISH_F64, 0, 0},
    {STARFISH_ATMOSPHERE_CG, STARFISH_ATMOSPHERE_PRECONDITIONER_MULTIGRID, STARFISH_F64, 0, 0},
    {STARFISH_ATMOSPHERE_MULTIGRID, STARFISH_ATMOSPHERE_PRECONDITIONER_AUTO, STARFISH_F64, 1, 0},
    {STARFISH_ATMOSPHERE_MULTIGRID, STARFISH_ATMOSPHERE_PRECONDITIONER_AUTO, STARFISH_F64, 0, 1},
    {STARFISH_ATMOSPHERE_MULTIGRID, STARFISH_ATMOSPHERE_PRECONDITIONER_AUTO, STARFISH_F32, 0, 0},
};
enum { WAYS = sizeof ways / sizeof ways[0] };

/* A solve as all ranks have it, or one: its planes, its numbers, and what a check of it says. */
struct solved {
    void *u;
    struct starfish_result info;
    struct starfish_atmosphere_check check;
};

static struct solved solve(starfish_context *context, const struct starfish_atmosphere_problem *p,
                           const struct starfish_atmosphere_options *o, const void *f, size_t planes)
{
    const size_t bytes = planes * p->n[0] * p->n[1] * (o->precision == STARFISH_F32 ? sizeof(float) : sizeof(double));
    struct solved s = {.u = malloc(bytes + 1), .info = STARFISH_RESULT_DEFAULTS};
    starfish_plan *plan;

    CHECK_OK(starfish_atmosphere_plan_create(context, p, o, &plan));
    for (int turn = 0; turn < 2; turn++) /* the second finds what the first has left */
        CHECK_OK(starfish_plan_solve(plan, NULL, planes ? f : NULL, planes ? s.u : NULL, &s.info));
    CHECK_OK(starfish_atmosphere_check(plan, planes ? f : NULL, planes ? s.u : NULL, &s.check));
    starfish_plan_destroy(plan);
    return s;
}

static double number(starfish_precision precision, const void *array, size_t e)
{
    return precision == STARFISH_F32 ? (double)((const float *)array)[e] : ((const double *)array)[e];
}

static void compare(const struct starfish_atmosphere_problem *p, const struct starfish_atmosphere_options *o,
                    const struct solved *one, const struct solved *all, size_t first, size_t planes)
{
    const size_t plane = p->n[0] * p->n[1];
    const double tolerance = o->precision == STARFISH_F32 ? 1e-4 : p->xi_up ? 1e-9 : 1e-11; /* BiCGStab is rough */
    double largest = 0;

    for (size_t e = 0; e < plane * p->n[2]; e++)
        largest = fmax(largest, fabs(number(o->precision, one->u, e)));
    for (size_t e = 0; e < plane * planes; e++) {
        const double is = number(o->precision, all->u, e), wanted = number(o->precision, one->u, first * plane + e);
        CHECK(fabs(is - wanted) <= tolerance * largest, "%zu x %zu x %zu: element %zu is %.17g, not %.17g", p->n[0],
              p->n[1], p->n[2], e, is, wanted);
    }
    CHECK(all->info.iterations == one->info.iterations || p->xi_up, "%zu x %zu x %zu: %d iterations, not %d", p->n[0],
          p->n[1], p->n[2], all->info.iterations, one->info.iterations);
    CHECK(all->check.residual <= 3 * one->check.residual + 1e-13 && all->check.euclidean <= 1e-4, "residuals %g and %g",
          all->check.residual, all->check.euclidean);
    CHECK(fabs(all->check.bound - one->check.bound) <= 1e-6 * one->check.bound, "bound %g, not %g", all->check.bound,
          one->check.bound);
}

static void solve_one(const struct shape *shape, const struct way *way)
{
    double xi[MOST_LAYERS];
    struct starfish_atmosphere_problem p = {
        .geometry = shape->geometry, .length = {1, 1.25}, .height = 0.05, .omega = 0.05, .lambda = 1};
    struct starfish_atmosphere_options o = STARFISH_ATMOSPHERE_OPTIONS_DEFAULTS;
    size_t first, planes;

    memcpy(p.n, shape->n, sizeof p.n);
    memcpy(p.periodic, shape->periodic, sizeof p.periodic);
    for (size_t k = 0; k < p.n[2]; k++)
        xi[k] = 3 + sin((double)k);
    p.xi_up = shape->drift ? xi : NULL;
    o.method = way->method;
    o.preconditioner = way->preconditioner;
    o.precision = way->precision;
    o.mixed = way->mixed;
    o.red_black = way->red_black;
    o.boxes = ranks > 1 ? shape->boxes : 0;
    o.tolerance = way->precision == STARFISH_F32 ? 1e-5 : 1e-12;
    const size_t plane = p.n[0] * p.n[1], size = o.precision == STARFISH_F32 ? sizeof(float) : sizeof(double);
    char *f = malloc(plane * p.n[2] * size + 1);
    for (size_t e = 0; e < plane * p.n[2]; e++) {
        const double value = real();
        const float single = (float)value;
        memcpy(f + e * size, size == sizeof(float) ? (const void *)&single : (const void *)&value, size);
    }
    CHECK_OK(starfish_mpi_planes(together, p.n[2], rank, &first, &planes));
    struct starfish_atmosphere_options whole = o;
    whole.boxes = 0;
    const struct solved one = solve(alone, &p, &whole, f, p.n[2]);
    void *own = part_of(f, first * plane * size, planes * plane * size);
    const struct solved all = solve(together, &p, &o, own, planes);
    compare(&p, &o, &one, &all, first, planes);
    free(one.u);
    free(all.u);
    free(own);
    free(f);
}

static void expect(starfish_status status, const char *message)
{
    CHECK(status == STARFISH_ERROR_ARGUMENT && strstr(starfish_error_message(), message), "%s: %s, not: %s",
          starfish_status_name(status), starfish_error_message(), message);
}

/* What one rank gets wrong fails on all; and they go on. */
static void errors_of_one_are_errors_of_all(void)
{
    struct starfish_atmosphere_problem p = {
        .n = {24, 40, 8}, .length = {1, 1}, .height = 0.05, .omega = rank == ranks - 1 ? 0.2 : 0.3, .lambda = 1};
    static double f[24 * 40 * 8] = {1}, u[24 * 40 * 8];
    starfish_plan *plan;

    if (ranks > 1)
        expect(starfish_atmosphere_plan_create(together, &p, NULL, &plan), "differs between ranks");
    p.omega = rank == ranks - 1 ? -1 : 1;
    expect(starfish_atmosphere_plan_create(together, &p, NULL, &plan), "omega is -1");
    p.omega = 0.2;
    CHECK_OK(starfish_atmosphere_plan_create(together, &p, NULL, &plan));
    expect(starfish_plan_solve(plan, NULL, rank == ranks - 1 ? NULL : f, u, NULL), "rhs is NULL");
    CHECK_OK(starfish_plan_solve(plan, NULL, f, u, NULL));
    starfish_plan_destroy(plan);
}

/* Where runs of rows are not possible, and boxes neither; all say what the first rank's plan is. */
static void one_rank_solves_for_all(void)
{
    const struct starfish_atmosphere_problem p = {
        .n = {2, 2, 4}, .length = {1, 1}, .height = 0.05, .omega = 0.2, .lambda = 1};
    struct starfish_about about = STARFISH_ABOUT_DEFAULTS;
    struct starfish_result result = STARFISH_RESULT_DEFAULTS;
    struct starfish_memory memory;
    double f[2 * 2 * 4], u[2 * 2 * 4];
    const struct starfish_boundary none = {.constant = {{0}}};
    size_t done, most;
    starfish_plan *plan;
    starfish_job *job;

    for (int e = 0; e < 2 * 2 * 4; e++)
        f[e] = 1 + e % 3;
    CHECK_OK(starfish_atmosphere_plan_create(together, &p, NULL, &plan));
    CHECK_OK(starfish_plan_about(plan, &about));
    CHECK(strcmp(about.kind, "atmosphere3d") == 0 && strcmp(about.method, "multigrid") == 0, "%s, %s", about.kind,
          about.method);
    CHECK((strstr(about.reason, "lines upwards; solved by the first rank") != NULL) == (ranks > 1), "%s", about.reason);
    CHECK(about.owners == 1 && about.unknowns == 2 * 2 * 4 && about.levels >= 1, "%d owners, %zu unknowns, %d levels",
          about.owners, about.unknowns, about.levels);
    CHECK_OK(starfish_plan_memory(plan, &memory));
    CHECK((memory.main_bytes > 0) == (rank == 0), "%zu bytes", memory.main_bytes);
    CHECK_OK(starfish_plan_submit(plan, NULL, f, u, &job));
    CHECK_OK(starfish_job_state(job, &done, &most));
    CHECK(done <= most && (rank == 0 || done == most), "%zu of %zu", done, most);
    CHECK_OK(starfish_job_finish(job, &result));
    CHECK(result.outcome == STARFISH_SOLVED && result.residual <= 1e-10, "residual %g", result.residual);
    expect(starfish_plan_solve(plan, rank == ranks - 1 ? &none : NULL, f, u, NULL), "boundary must be NULL");
    CHECK(rank == 0 || result.worker[STARFISH_CPU].tasks == 0, "%zu tasks", result.worker[STARFISH_CPU].tasks);
    starfish_plan_destroy(plan);
}

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    for (int s = 0; s < SHAPES; s++)
        for (int w = 0; w < WAYS; w++)
            if (s == 0 || w == s % 2)
                solve_one(&shapes[s], &ways[w]);
    errors_of_one_are_errors_of_all();
    one_rank_solves_for_all();
    if (rank == 0)
        printf("%d ranks\n", ranks);
    end();
    return 0;
}
