/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Hierarchies of both grid kinds: assembled and coarsened as the plans do, tables in one precision. */
#include "tests/multigrid/kind_grids.h"

#include "multigrid/flat.h"
#include "multigrid/flux.h"
#include "multigrid/q1.h"
#include "tests/common/check.h"
#include "tests/common/reals.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

enum { MOST_WIDTHS = 128, MOST_CELLS = 4096, ENOUGH = 12, ALIGNMENT = 256 };

/* Doubles in the precision; what is in 16 bits is as it is. */
static void *in_precision(const double *values, size_t count, starfish_precision precision)
{
    void *reals = malloc(count * sizeof(double));

    for (size_t i = 0; i < count; i++)
        test_real_put(reals, precision, i, values[i]);
    return reals;
}

/* ---- Q1 ---------------------------------------------------------------------------------------------------------- */

static void add_q1_inverse(const struct starfish_q1_grid *grid, const struct starfish_q1_shape *shape, double *table)
{
    double *bands = calloc(starfish_band_table_start(grid->n[0], grid->n[1], 5), sizeof *bands);

    starfish_q1_assemble(grid, bands);
    ASSERT_OK(starfish_q1_inverse(grid, bands, table + starfish_q1_table_inverse(shape)));
    free(bands);
}

static void add_q1_weights(const struct starfish_q1_grid *grid, const struct starfish_q1_shape *shape, double *table)
{
    double *weight = table + starfish_q1_table_weights(shape);

    for (int d = 0; d < 2; d++)
        for (size_t i = 0; i < grid->n[d]; i++) {
            weight[i] = grid->left[d][i];
            weight[grid->n[d] + i] = grid->right[d][i];
            if (i + 1 == grid->n[d])
                weight += 2 * grid->n[d];
        }
}

/* The matrix at the head of a table with entries in 16 bits. */
static void pack(const struct starfish_q1_grid *grid, struct starfish_q1_shape *shape, void *table)
{
    double *edges = calloc(starfish_band_table_start(grid->n[0], grid->n[1], 5), sizeof *edges);

    starfish_q1_assemble_edges(grid, edges);
    shape->scale = starfish_band_packed_scale(grid->n[0], grid->n[1], edges, shape->storage);
    assert_true(shape->scale > 0);
    starfish_band_pack(grid->n[0], grid->n[1], edges, shape->storage, shape->scale, table);
    free(edges);
}

static void add_q1_level(struct test_kind_grids *g, const struct starfish_q1_grid *grid, enum test_form form, int last)
{
    const int level = g->tail.levels++;
    struct starfish_q1_shape *shape = &g->q1[level];

    *shape = (struct starfish_q1_shape){.n = {grid->n[0], grid->n[1]},
                                        .stride = {grid->stride[0], grid->stride[1]},
                                        .origin = {grid->origin[0], grid->origin[1]},
                                        .coarsest = last,
                                        .storage = form == TEST_F16 ? STARFISH_BAND_F16 : STARFISH_BAND_REALS,
                                        .diagonals = form == TEST_DIAGONALS,
                                        .tensor = form == TEST_TENSOR,
                                        .reaction = grid->reaction,
                                        .eigenvalue = starfish_q1_largest_eigenvalue(grid)};
    const size_t size = starfish_q1_table_size(shape);
    double *table = calloc(size, sizeof *table);
    if (form != TEST_F16)
        (shape->tensor ? starfish_q1_tensor : starfish_q1_assemble)(grid, table);
    if (form == TEST_DIAGONALS)
        starfish_q1_diagonals(grid, table);
    if (level > 0)
        add_q1_weights(grid, shape, table);
    if (last)
        add_q1_inverse(grid, shape, table);
    g->table[level] = in_precision(table, size, g->tail.precision);
    if (form == TEST_F16)
        pack(grid, shape, g->table[level]);
    g->tail.shape[level] = shape;
    free(table);
}

static void make_q1(struct test_kind_grids *g, const struct test_kind_case *what)
{
    double width[2][MOST_WIDTHS];
    struct starfish_q1_problem problem = {.elements = {what->n[0], what->n[1]}, .reaction = 0.01};
    struct starfish_q1_grid grid, coarse;

    for (int d = 0; d < 2; d++) {
        for (size_t e = 0; e < what->n[d]; e++)
            width[d][e] = 1 + 0.2 * sin(1.7 * (double)e);
        problem.width[d] = width[d];
        problem.ends[d][0] = problem.ends[d][1] = what->periodic[0] ? STARFISH_NEUMANN : STARFISH_DIRICHLET;
    }
    g->tail.kind = &starfish_q1_kind;
    ASSERT_OK(starfish_q1_grid_create(&grid, &problem));
    while (grid.n[0] * grid.n[1] > ENOUGH && starfish_q1_grid_coarsens(&grid)) {
        add_q1_level(g, &grid, what->form, 0);
        ASSERT_OK(starfish_q1_grid_coarsen(&grid, &coarse));
        starfish_q1_grid_destroy(&grid);
        grid = coarse;
    }
    add_q1_level(g, &grid, what->form, 1);
    starfish_q1_grid_destroy(&grid);
}

/* ---- Flux form --------------------------------------------------------------------------------------------------- */

static void add_flux_level(struct test_kind_grids *g, const struct starfish_flux_grid *grid, int last)
{
    const int level = g->tail.levels++;
    struct starfish_flux_shape *shape = &g->flux[level];
    *shape = starfish_flux_shape_of(grid, last);
    size_t size = starfish_flux_table_size(shape);
    double *table = calloc(size, sizeof *table);

    starfish_flux_fill_table(grid, shape, table);
    if (last)
        ASSERT_OK(starfish_flux_inverse(grid, table + starfish_flux_table_inverse(shape)));
    shape->plane = &g->plane[(ptrdiff_t)3 * level];
    if (!last)
        ASSERT_OK(starfish_flux_append_planes(grid, &g->plane[(ptrdiff_t)3 * level], &table, &size));
    g->table[level] = in_precision(table, size, g->tail.precision);
    g->tail.shape[level] = shape;
    free(table);
}

/* Whether the grid can be coarser, and in which directions. */
static int choose_directions(const struct starfish_flux_grid *grid, const struct test_kind_case *what, int coarsened[3])
{
    int any = 0;

    for (int d = 0; d < 3; d++) {
        coarsened[d] = grid->line[d].n > 1 && !(d == 2 && what->only_plane);
        any = any || coarsened[d];
    }
    return any && starfish_flux_grid_unknowns(grid) > ENOUGH;
}

/* Couplings from 1 to 20 where all ends are open. */
static void set_jumps(struct starfish_flux_grid *grid, const size_t n[3])
{
    const size_t stride[3] = {1, n[0], n[0] * n[1]}, count = n[0] * n[1] * n[2];
    double *const values = calloc(4 * count, sizeof *values);
    const double *const face[3] = {values, values + count, values + 2 * count};

    for (size_t i = 0; i < 3 * count; i++)
        values[i] = i % count / stride[i / count] % n[i / count] == 0 ? 0 : 10.5 + 9.5 * sin(1.7 * (double)i);
    for (size_t i = 3 * count; i < 4 * count; i++)
        values[i] = 0.5;
    ASSERT_OK(starfish_flux_grid_set_faces(grid, face, values + 3 * count));
    assert_true(grid->pairs);
    free(values);
}

static void make_flux(struct test_kind_grids *g, const struct test_kind_case *what)
{
    double width[3][MOST_WIDTHS], *diffusion = malloc(MOST_CELLS * sizeof *diffusion);
    struct starfish_stencil_problem problem = {
        .n = {what->n[0], what->n[1], what->n[2]}, .grid = STARFISH_CELL, .reaction = 0.1};
    struct starfish_flux_grid grid, coarse;
    int coarsened[3];

    for (size_t i = 0; i < MOST_CELLS; i++)
        diffusion[i] = 1 + 0.3 * sin(0.9 * (double)i);
    for (int d = 0; d < 3; d++) {
        for (size_t i = 0; i < what->n[d]; i++)
            width[d][i] = 1 + 0.2 * cos(2.3 * (double)i);
        problem.width[d] = width[d];
        problem.coefficient[d] = what->form == TEST_STORED ? diffusion : NULL;
        problem.ends[d][0] = problem.ends[d][1] = what->periodic[d] ? STARFISH_PERIODIC : STARFISH_DIRICHLET;
    }
    g->tail.kind = &starfish_flux_kind;
    g->plane = calloc((size_t)3 * STARFISH_GRID_MOST_LEVELS, sizeof *g->plane);
    ASSERT_OK(starfish_flux_grid_create(&grid, &problem));
    if (what->form == TEST_JUMPS)
        set_jumps(&grid, what->n);
    while (choose_directions(&grid, what, coarsened)) {
        ASSERT_OK(starfish_flux_grid_coarsen(&grid, coarsened, &coarse));
        add_flux_level(g, &grid, 0);
        starfish_flux_grid_destroy(&grid);
        grid = coarse;
    }
    add_flux_level(g, &grid, 1);
    starfish_flux_grid_destroy(&grid);
    free(diffusion);
}

/* ---- Flat domains ------------------------------------------------------------------------------------------------ */

static void add_flat_level(struct test_kind_grids *g, const struct starfish_flat_grid *grid,
                           const struct starfish_flat_grid *coarse, const struct starfish_flat_problem *problem)
{
    const int level = g->tail.levels++;
    struct starfish_flat_shape *shape = &g->flat[level];

    *shape = (struct starfish_flat_shape){.n = {grid->n[0], grid->n[1], problem->n[2]},
                                          .coarse = {coarse->n[0], coarse->n[1]},
                                          .periodic = {grid->periodic[0], grid->periodic[1]},
                                          .skew = grid->corner != NULL,
                                          .coarse_sweeps = 3,
                                          .coarse_damping = 0.9};
    const size_t size = starfish_flat_table_entry(shape, STARFISH_FLAT_ENTRIES);
    double *table = calloc(size, sizeof *table);
    starfish_flat_grid_fill(grid, problem, shape, table);
    g->table[level] = in_precision(table, size, g->tail.precision);
    g->tail.shape[level] = shape;
    free(table);
}

/* Numbers of columns, faces, corners and layers that are nowhere the same. */
static void fill_flat(const struct test_kind_case *what, double values[][MOST_CELLS])
{
    const size_t nx = what->n[0], ny = what->n[1], nz = what->n[2];

    for (int v = 0; v < 9; v++)
        for (size_t i = 0; i < MOST_CELLS; i++)
            values[v][i] = 1 + 0.3 * sin(0.9 * (double)i + v);
    for (size_t j = 0; j <= ny; j++)
        for (size_t i = 0; i <= nx; i++)
            values[8][i + (nx + 1) * j] *= i == 0 || j == 0 || i == nx || j == ny ? 0 : 0.1;
    for (size_t j = 0; j < ny; j++)
        if (what->periodic[0])
            values[2][nx + (nx + 1) * j] = values[2][(nx + 1) * j];
    for (size_t i = 0; i < nx; i++)
        if (what->periodic[1])
            values[3][i + nx * ny] = values[3][i];
    values[5][0] = values[6][nz - 1] = 0;
}

static void make_flat(struct test_kind_grids *g, const struct test_kind_case *what)
{
    double(*values)[MOST_CELLS] = malloc(9 * sizeof *values);
    const struct starfish_flat_problem problem = {.n = {what->n[0], what->n[1], what->n[2]},
                                                  .periodic = {what->periodic[0], what->periodic[1]},
                                                  .mass = values[0],
                                                  .lift = values[1],
                                                  .face_x = values[2],
                                                  .face_y = values[3],
                                                  .a = values[4],
                                                  .b = values[5],
                                                  .c = values[6],
                                                  .d = values[7],
                                                  .corner = what->form == TEST_SKEW ? values[8] : NULL};
    struct starfish_flat_grid grid, coarse;
    int coarsened[2];

    fill_flat(what, values);
    g->tail.kind = &starfish_flat_kind;
    ASSERT_OK(starfish_flat_grid_create(&grid, &problem));
    while (g->tail.levels < 3 && starfish_flat_grid_directions(&grid, coarsened)) {
        ASSERT_OK(starfish_flat_grid_coarsen(&grid, coarsened, &coarse));
        add_flat_level(g, &grid, &coarse, &problem);
        starfish_flat_grid_destroy(&grid);
        grid = coarse;
    }
    add_flat_level(g, &grid, &grid, &problem);
    starfish_flat_grid_destroy(&grid);
    free(values);
}

/* ---- All -------------------------------------------------------------------------------------------------------- */

void test_kind_grids_make(struct test_kind_grids *grids, const struct test_kind_case *what,
                          starfish_precision precision)
{
    *grids = (struct test_kind_grids){.tail = {.precision = what->form == TEST_F16 ? STARFISH_F32 : precision}};
    (what->form >= TEST_FLAT ? make_flat : what->n[2] == 0 ? make_q1 : make_flux)(grids, what);
}

void test_kind_grids_free(struct test_kind_grids *grids)
{
    for (int l = 0; l < grids->tail.levels; l++)
        free(grids->table[l]);
    free(grids->plane);
}

size_t test_kind_unknowns(const struct test_kind_grids *grids, int level)
{
    size_t n[2];

    starfish_grid_extent(grids->tail.kind, grids->tail.shape[level], n);
    return n[0] * n[1];
}

int test_kind_smooths(const struct test_kind_grids *grids, starfish_smoother smoother)
{
    const int q1 = grids->tail.kind == &starfish_q1_kind;

    if (grids->tail.kind == &starfish_flat_kind)
        return smoother == STARFISH_SMOOTHER_LINE_Z || smoother == STARFISH_SMOOTHER_GAUSS_SEIDEL;
    if (q1 && smoother == STARFISH_SMOOTHER_GAUSS_SEIDEL)
        return grids->q1[0].storage == STARFISH_BAND_REALS && !grids->q1[0].tensor;
    if (smoother == STARFISH_SMOOTHER_ZEBRA)
        return q1 && grids->q1[0].storage == STARFISH_BAND_REALS && !grids->q1[0].diagonals;
    if (q1)
        return smoother != STARFISH_SMOOTHER_PLANE && smoother != STARFISH_SMOOTHER_LINE_Z;
    return 1;
}

struct starfish_smoothing test_kind_smoothing(starfish_smoother smoother)
{
    return (struct starfish_smoothing){.smoother = smoother,
                                       .damping = smoother == STARFISH_SMOOTHER_CHEBYSHEV ? 0.3 : 0.8,
                                       .before = 1,
                                       .after = 2,
                                       .coarse = {STARFISH_COARSE_DIRECT, 1e-2, 100}};
}

void *test_kind_work(size_t bytes)
{
    const size_t whole = (bytes + 2 * ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    unsigned char *work = aligned_alloc(ALIGNMENT, whole);

    memset(work, 0xff, whole);
    return work;
}

void test_kind_release(void *work, size_t bytes)
{
    const unsigned char *const values = work;
    const size_t whole = (bytes + 2 * ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;

    for (size_t i = bytes; i < whole; i++)
        assert_int_equal(values[i], 0xff);
    free(work);
}
