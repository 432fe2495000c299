/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* starfish reproduce goeddeke-meshes: the meshes of Goeddeke and Strzodka 2011, section 4.1: largest aspect ratios,
 * smallest widths, and condition numbers of the matrices.
 *
 * The paper computed condition numbers up to level 6 and extrapolated them; ours are of the levels themselves: the
 * largest eigenvalue by the power method, the smallest by the power method of the inverse, each step of which is a
 * solve by multigrid. Both approach their limit from inside, so that condition numbers are a little too small. */
#include "apps/plans/multigrid_run.h"
#include "apps/reproduce/reproduce.h"
#include "scheduler/runtime/host_loop.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PAPER_LEVELS = 3, FIRST_LEVEL = 8, WIDTHS_LEVEL = 10, FORWARD_STEPS = 60, INVERSE_STEPS = 8 };

static const struct {
    const char *name;
    double ratio, width, condition[PAPER_LEVELS];
} meshes[] = {
    {"U1", 1, 9.77e-4, {1.33e4, 5.31e4, 2.12e5}},           {"U2", 4, 2.44e-4, {2.50e4, 1.00e5, 4.00e5}},
    {"U3", 16, 6.10e-5, {2.70e4, 1.08e5, 4.31e5}},          {"A1", 22.20, 5.50e-5, {7.20e4, 3.84e5, 2.05e6}},
    {"A2", 1.54e3, 9.54e-7, {1.25e6, 1.00e7, 8.00e7}},      {"A3", 1.84e6, 9.31e-10, {2.11e8, 3.38e9, 5.41e10}},
    {"A4", 2.13e12, 8.88e-16, {1.07e13, 6.83e14, 4.37e16}}, {"A5", 2.08e15, 9.24e-19, {2.57e15, 3.29e17, 4.21e19}}};

struct experiment {
    struct bench bench; /* first: measure() gets at the rest through it */
    size_t level;
    starfish_context *context;
};

static void add(struct experiment *e, const char *mesh, int level, const char *what, double paper, double ours)
{
    json_t *row =
        reproduce_number(&e->bench, bench_name("%s, level %d: %s", mesh, level, what), paper, REPRODUCE_SIZE, ours);
    command_keys(row, KEY("mesh", mesh), KEY("level", level));
}

/* ---- Widths ------------------------------------------------------------------------------------------------------ */

static void range_of(const double *width, size_t count, double *least, double *most)
{
    *least = INFINITY;
    *most = 0;
    for (size_t i = 0; i < count; i++) {
        *least = fmin(*least, width[i]);
        *most = fmax(*most, width[i]);
    }
}

static void add_widths(struct experiment *e, size_t m, int level, const struct multigrid_mesh *mesh)
{
    const int known = level == WIDTHS_LEVEL;
    double least[2], most[2];
    for (int d = 0; d < 2; d++)
        range_of(mesh->width[d], mesh->problem.elements[d], &least[d], &most[d]);
    add(e, meshes[m].name, level, "largest aspect ratio", known ? meshes[m].ratio : (double)NAN,
        fmax(most[0] / least[1], most[1] / least[0]));
    add(e, meshes[m].name, level, "smallest width", known ? meshes[m].width : (double)NAN, fmin(least[0], least[1]));
}

/* ---- Eigenvalues ------------------------------------------------------------------------------------------------- */

/* Scales x to length 1. */
static void normalise(double *x, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += x[i] * x[i];
    const double length = sqrt(sum);
    for (size_t i = 0; i < count && length > 0; i++)
        x[i] /= length;
}

/* Rayleigh's quotient of x, of length 1, and of y, which becomes the next x. */
static double next_step(double *x, double *y, size_t count)
{
    double quotient = 0;
    for (size_t i = 0; i < count; i++)
        quotient += x[i] * y[i];
    normalise(y, count);
    memcpy(x, y, count * sizeof *x);
    return quotient;
}

static void set_random(double *x, size_t count)
{
    solve_array_random(x, STARFISH_F64, count);
    normalise(x, count);
}

/* Row k of the stiffness and of the mass matrix of linear elements: entries of nodes k - 1, k and k + 1. */
static void row_of(const double *width, size_t k, double stiffness[3], double mass[3])
{
    const double left = width[k], right = width[k + 1];
    stiffness[0] = -1 / left;
    stiffness[1] = 1 / left + 1 / right;
    stiffness[2] = -1 / right;
    mass[0] = left / 6;
    mass[1] = (left + right) / 3;
    mass[2] = right / 6;
}

/* y = A x, A = stiffness of x times mass of y, and the other way round. */
struct product {
    const struct multigrid_mesh *mesh;
    const double *x;
    double *y;
};

/* Lines first .. last-1 of a product. */
static void multiply_lines(void *data, size_t first, size_t last)
{
    const struct product *p = data;
    const struct multigrid_mesh *mesh = p->mesh;
    const size_t nx = mesh->n[0], ny = mesh->n[1];
    const double *x = p->x;
    for (size_t j = first; j < last; j++) {
        double stiff_y[3], mass_y[3];
        row_of(mesh->width[1], j, stiff_y, mass_y);
        for (size_t i = 0; i < nx; i++) {
            double stiff_x[3], mass_x[3], sum = 0;
            row_of(mesh->width[0], i, stiff_x, mass_x);
            for (size_t b = j > 0 ? 0 : 1; b < 3 && j + b <= ny; b++)
                for (size_t a = i > 0 ? 0 : 1; a < 3 && i + a <= nx; a++)
                    sum += (stiff_x[a] * mass_y[b] + mass_x[a] * stiff_y[b]) * x[i + a - 1 + nx * (j + b - 1)];
            p->y[i + nx * j] = sum;
        }
    }
}

static double largest_eigenvalue(const struct multigrid_mesh *mesh, double *x, double *y)
{
    struct product product = {mesh, x, y};
    double largest = 0;
    set_random(x, mesh->count);
    for (int step = 0; step < FORWARD_STEPS; step++) {
        starfish_host_loop(mesh->n[1], 1, multiply_lines, &product);
        largest = next_step(x, y, mesh->count);
    }
    return largest;
}

/* NaN: not every solve reached its tolerance. */
static starfish_status smallest_eigenvalue(starfish_plan *plan, size_t count, double *x, double *y, double *smallest)
{
    set_random(x, count);
    for (int step = 0; step < INVERSE_STEPS; step++) {
        const starfish_status status = starfish_plan_solve(plan, NULL, x, y, NULL);
        if (status == STARFISH_ERROR_NUMERICAL) {
            *smallest = (double)NAN;
            return STARFISH_SUCCESS;
        }
        STARFISH_TRY(status);
        *smallest = 1 / next_step(x, y, count);
    }
    return STARFISH_SUCCESS;
}

static starfish_status find_condition(const struct experiment *e, const struct multigrid_mesh *mesh, double *condition)
{
    struct starfish_multigrid_options options = STARFISH_MULTIGRID_OPTIONS_DEFAULTS;
    starfish_plan *plan = NULL;
    double *x = malloc(2 * mesh->count * sizeof *x), smallest = 0;
    STARFISH_FAIL_IF(!x, STARFISH_ERROR_MEMORY, "out of memory for two vectors of %zu", mesh->count);
    options.smoother = STARFISH_SMOOTHER_ADI;
    starfish_status status = starfish_q1_plan_create(e->context, &mesh->problem, &options, &plan);
    STARFISH_THEN(status, smallest_eigenvalue(plan, mesh->count, x, x + mesh->count, &smallest));
    if (status == STARFISH_SUCCESS)
        *condition = largest_eigenvalue(mesh, x, x + mesh->count) / smallest;
    starfish_plan_destroy(plan);
    free(x);
    return status;
}

/* ---- The run ----------------------------------------------------------------------------------------------------- */

static starfish_status measure_mesh(struct experiment *e, size_t m, int level)
{
    const int at = level - FIRST_LEVEL, known = at >= 0 && at < PAPER_LEVELS;
    struct multigrid_mesh mesh;
    double condition = (double)NAN;
    bench_next("%s, level %d", meshes[m].name, level);
    starfish_status status = multigrid_mesh_create(meshes[m].name, level, &mesh);
    if (status == STARFISH_SUCCESS && level == (int)e->level)
        add_widths(e, m, level, &mesh);
    STARFISH_THEN(status, find_condition(e, &mesh, &condition));
    if (status == STARFISH_SUCCESS)
        add(e, meshes[m].name, level, "condition number", known ? meshes[m].condition[at] : (double)NAN, condition);
    multigrid_mesh_free(&mesh);
    return status;
}

static starfish_status measure(struct bench *bench)
{
    struct experiment *e = (struct experiment *)bench;
    starfish_status status = STARFISH_SUCCESS;
    STARFISH_FAIL_IF(e->level < 3 || e->level > MULTIGRID_MOST_LEVEL, STARFISH_ERROR_ARGUMENT,
                     "--level: is %zu, must be 3 .. %d", e->level, MULTIGRID_MOST_LEVEL);
    STARFISH_TRY(starfish_context_create(&e->context, NULL));
    bench_machine(bench, e->context);
    bench->parts = PAPER_LEVELS * sizeof meshes / sizeof meshes[0];
    for (size_t m = 0; m < sizeof meshes / sizeof meshes[0]; m++)
        for (int level = (int)e->level - 2; level <= (int)e->level && status == STARFISH_SUCCESS; level++)
            status = measure_mesh(e, m, level);
    starfish_context_destroy(e->context);
    return status;
}

int reproduce_goeddeke_meshes(int argc, char **argv)
{
    struct experiment e = {.bench = {.name = "goeddeke-meshes", .repeat = 1, .warmup = 0}, .level = WIDTHS_LEVEL};
    const struct option_entry options[] = {
        {"--level", OPTION_COUNT, &e.level, "L", .help = "the largest level; and the two before"},
        BENCH_OPTIONS(&e.bench),
        {.name = NULL},
    };
    return reproduce_main(
        &e.bench, "Goeddeke, Strzodka 2011, section 4.1: aspect ratios, widths and condition numbers of the meshes.",
        options, argc, argv, measure);
}
