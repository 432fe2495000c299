/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Bilinear elements: matrices against quadrature over every element, coarse grids against the Galerkin product, meshes
 * against the paper's figures. */
#include "multigrid/q1.h"

#include "tests/common/check.h"
#include "tests/common/reals.h"

#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#undef I /* complex.h, which lapacke.h brings along */

enum { MOST = 64, MOST_UNKNOWNS = 500 };

struct mesh {
    double width[2][MOST], diffusion[2][MOST * MOST];
    struct starfish_q1_problem problem;
};

/* Random widths that differ by a factor of 30, random coefficients; ends: bits of direction and end, set for
 * Neumann. */
static void make_mesh(struct mesh *mesh, size_t nx, size_t ny, int neumann, int variable)
{
    const size_t elements[2] = {nx, ny};
    unsigned seed = (unsigned)(nx + 5 * ny);

    mesh->problem = (struct starfish_q1_problem){.elements = {nx, ny}, .reaction = 0.3};
    for (int d = 0; d < 2; d++) {
        for (size_t e = 0; e < elements[d]; e++)
            mesh->width[d][e] = pow(30, 0.5 * test_real_random(&seed));
        for (size_t e = 0; e < nx * ny; e++)
            mesh->diffusion[d][e] = 2 + test_real_random(&seed);
        mesh->problem.width[d] = mesh->width[d];
        mesh->problem.coefficient[d] = variable ? mesh->diffusion[d] : NULL;
        for (int end = 0; end < 2; end++)
            mesh->problem.ends[d][end] = neumann >> (2 * d + end) & 1 ? STARFISH_NEUMANN : STARFISH_DIRICHLET;
    }
}

/* ---- A dense matrix by quadrature -------------------------------------------------------------------------------- */

static double *dense(size_t n)
{
    double *matrix = calloc(n * n, sizeof *matrix);

    assert_non_null(matrix);
    return matrix;
}

static long unknown_of(const struct starfish_q1_grid *g, size_t ex, size_t ey, int node)
{
    const long i = (long)ex + node % 2 - g->dirichlet[0][0], j = (long)ey + node / 2 - g->dirichlet[1][0];

    return i < 0 || j < 0 || i >= (long)g->n[0] || j >= (long)g->n[1] ? -1 : i + j * (long)g->n[0];
}

/* Basis function of a node and its derivatives at (s,t) of the unit square. */
static void basis(int node, double s, double t, double value[3])
{
    const double x = node % 2 ? s : 1 - s, y = node / 2 ? t : 1 - t;

    value[0] = x * y;
    value[1] = (node % 2 ? 1 : -1) * y;
    value[2] = (node / 2 ? 1 : -1) * x;
}

/* By 2x2 Gauss points, exact for products of bilinear functions. */
static double element_entry(const struct starfish_q1_grid *g, size_t ex, size_t ey, int a, int b)
{
    const size_t e = ex + ey * g->elements[0];
    const double hx = g->width[0][ex], hy = g->width[1][ey], gauss = 0.5 / sqrt(3);
    double sum = 0;

    for (int q = 0; q < 4; q++) {
        double p[3], r[3];
        basis(a, 0.5 + (q % 2 ? gauss : -gauss), 0.5 + (q / 2 ? gauss : -gauss), p);
        basis(b, 0.5 + (q % 2 ? gauss : -gauss), 0.5 + (q / 2 ? gauss : -gauss), r);
        sum += 0.25 * hx * hy *
               ((g->diffusion[0] ? g->diffusion[0][e] : 1) * p[1] * r[1] / (hx * hx) +
                (g->diffusion[1] ? g->diffusion[1][e] : 1) * p[2] * r[2] / (hy * hy) + g->reaction * p[0] * r[0]);
    }
    return sum;
}

static double *by_quadrature(const struct starfish_q1_grid *g)
{
    const size_t n = g->n[0] * g->n[1];
    double *matrix = dense(n);

    for (size_t ey = 0; ey < g->elements[1]; ey++)
        for (size_t ex = 0; ex < g->elements[0]; ex++)
            for (int pair = 0; pair < 16; pair++) {
                const long row = unknown_of(g, ex, ey, pair % 4), column = unknown_of(g, ex, ey, pair / 4);
                if (row >= 0 && column >= 0)
                    matrix[(size_t)row * n + (size_t)column] += element_entry(g, ex, ey, pair % 4, pair / 4);
            }
    return matrix;
}

/* ---- The same from bands ----------------------------------------------------------------------------------------- */

static double *assembled_table(const struct starfish_q1_grid *g)
{
    double *table = calloc(starfish_band_table_start(g->n[0], g->n[1], 5), sizeof *table);

    assert_non_null(table);
    starfish_q1_assemble(g, table);
    return table;
}

/* Entries, or in the place of diagonals row sums as they are stored. */
static double *stored_bands(const struct starfish_q1_grid *g, const double *table)
{
    const size_t nx = g->n[0], ny = g->n[1], n = nx * ny;
    const struct starfish_band_matrix matrix = starfish_band_table_point(nx, ny, table, sizeof *table);
    double *full = dense(n);

    for (size_t e = 0; e < n; e++)
        for (int b = 0; b < STARFISH_BANDS; b++) {
            const long i = (long)(e % nx) + b % 3 - 1, j = (long)(e / nx) + b / 3 - 1;
            const double value = ((const double *)matrix.band[b])[e];
            if (i < 0 || j < 0 || i >= (long)nx || j >= (long)ny)
                assert_true(value == 0);
            else
                full[e * n + (size_t)i + (size_t)j * nx] = value;
        }
    return full;
}

static double *from_bands(const struct starfish_q1_grid *g, const double *table)
{
    const size_t n = g->n[0] * g->n[1];
    double *full = stored_bands(g, table);

    for (size_t e = 0; e < n; e++)
        for (size_t other = 0; other < n; other++)
            full[e * n + e] -= other == e ? 0 : full[e * n + other];
    return full;
}

static void assert_near(const double *a, const double *b, size_t n, double tolerance)
{
    double largest = 0;

    for (size_t e = 0; e < n; e++)
        largest = fmax(largest, fabs(b[e]));
    for (size_t e = 0; e < n; e++)
        assert_true(fabs(a[e] - b[e]) <= tolerance * largest);
}

static void matrices_are_those_of_quadrature(void **state)
{
    (void)state;
    static const size_t sizes[][2] = {{2, 2}, {3, 2}, {2, 7}, {8, 5}, {12, 13}};
    static struct mesh mesh;
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
        for (int neumann = 0; neumann < 16; neumann++) {
            struct starfish_q1_grid grid;
            make_mesh(&mesh, sizes[s][0], sizes[s][1], neumann, neumann % 3 != 0);
            ASSERT_OK(starfish_q1_grid_create(&grid, &mesh.problem));
            double *table = assembled_table(&grid), *got = from_bands(&grid, table), *expected = by_quadrature(&grid);
            assert_near(got, expected, grid.n[0] * grid.n[1] * grid.n[0] * grid.n[1], 64 * DBL_EPSILON);
            free(table);
            free(got);
            free(expected);
            starfish_q1_grid_destroy(&grid);
        }
}

/* X, Y and Q are the same matrix: entries along an edge less what is across in the elements on both sides. */
static void edges_are_the_same_matrix(void **state)
{
    (void)state;
    static const size_t sizes[][2] = {{2, 2}, {3, 2}, {2, 7}, {8, 5}, {12, 13}};
    static struct mesh mesh;
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
        for (int neumann = 0; neumann < 16; neumann++) {
            struct starfish_q1_grid grid;
            make_mesh(&mesh, sizes[s][0], sizes[s][1], neumann, neumann % 3 != 0);
            ASSERT_OK(starfish_q1_grid_create(&grid, &mesh.problem));
            const size_t nx = grid.n[0], ny = grid.n[1], n = nx * ny;
            double *table = assembled_table(&grid), *edges = assembled_table(&grid);
            const double *q = edges + starfish_band_table_start(nx, ny, 4);
            starfish_q1_assemble_edges(&grid, edges);
            for (size_t e = 0; e < n; e++) {
                const double west = e % nx > 0 ? q[e - 1] : 0, south = e >= nx ? q[e - nx] : 0;
                const double entries[5] = {edges[starfish_band_table_start(nx, ny, 0) + e],
                                           edges[starfish_band_table_start(nx, ny, 1) + e] - q[e] - south, west,
                                           edges[starfish_band_table_start(nx, ny, 3) + e] - q[e] - west, q[e]};
                for (size_t b = 0; b < 5; b++) {
                    const double value = table[starfish_band_table_start(nx, ny, b) + e];
                    const double size = fabs(value) + fabs(q[e]) + fabs(west) + fabs(south);
                    assert_true(fabs(entries[b] - value) <= 16 * DBL_EPSILON * size);
                }
            }
            free(table);
            free(edges);
            starfish_q1_grid_destroy(&grid);
        }
}

/* ---- Coarse grids ------------------------------------------------------------------------------------------------ */

/* How much of coarse unknown I there is in fine unknown i of a direction. */
static double weight(const struct starfish_q1_grid *coarse, int d, size_t i, size_t I)
{
    const size_t F = coarse->stride[d] * I + coarse->origin[d];

    return i == F ? 1 : i + 1 == F ? coarse->left[d][I] : i == F + 1 ? coarse->right[d][I] : 0;
}

/* P^T A P. */
static double *galerkin(const struct starfish_q1_grid *fine, const struct starfish_q1_grid *coarse, const double *A)
{
    const size_t n = fine->n[0] * fine->n[1], m = coarse->n[0] * coarse->n[1];
    double *P = calloc(n * m, sizeof *P), *AP = calloc(n * m, sizeof *AP), *product = dense(m);

    for (size_t i = 0; i < n; i++)
        for (size_t I = 0; I < m; I++)
            P[i * m + I] = weight(coarse, 0, i % fine->n[0], I % coarse->n[0]) *
                           weight(coarse, 1, i / fine->n[0], I / coarse->n[0]);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++)
            for (size_t I = 0; I < m && A[i * n + k] != 0; I++)
                AP[i * m + I] += A[i * n + k] * P[k * m + I];
    for (size_t I = 0; I < m; I++)
        for (size_t k = 0; k < n; k++)
            for (size_t J = 0; J < m && P[k * m + I] != 0; J++)
                product[I * m + J] += P[k * m + I] * AP[k * m + J];
    free(P);
    free(AP);
    return product;
}

/* Spaces are nested, so that with constant coefficients the coarse matrix is the Galerkin product, to the last
 * level. */
static void coarse_matrices_are_galerkin_products(void **state)
{
    (void)state;
    static const size_t sizes[][2] = {{8, 8}, {16, 4}, {7, 9}, {13, 6}, {1, 11}, {21, 2}};
    static struct mesh mesh;
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
        for (int neumann = 0; neumann < 16; neumann++) {
            struct starfish_q1_grid grid, coarse;
            int levels = 1;
            if (sizes[s][0] == 1 && neumann % 4 == 0) /* no unknowns */
                continue;
            make_mesh(&mesh, sizes[s][0], sizes[s][1], neumann, 0);
            ASSERT_OK(starfish_q1_grid_create(&grid, &mesh.problem));
            for (; starfish_q1_grid_coarsens(&grid); levels++) {
                ASSERT_OK(starfish_q1_grid_coarsen(&grid, &coarse));
                double *fine_table = assembled_table(&grid), *A = from_bands(&grid, fine_table);
                double *coarse_table = assembled_table(&coarse), *got = from_bands(&coarse, coarse_table);
                double *expected = galerkin(&grid, &coarse, A);
                assert_near(got, expected, coarse.n[0] * coarse.n[1] * coarse.n[0] * coarse.n[1], 1e-12);
                free(fine_table);
                free(A);
                free(coarse_table);
                free(got);
                free(expected);
                starfish_q1_grid_destroy(&grid);
                grid = coarse;
            }
            assert_true(grid.n[0] <= 2 && grid.n[1] <= 2);
            assert_true(levels >= 3);
            starfish_q1_grid_destroy(&grid);
        }
}

static void coarse_coefficients_are_means(void **state)
{
    (void)state;
    static struct mesh mesh;
    struct starfish_q1_grid grid, coarse;
    make_mesh(&mesh, 9, 6, 0, 1);
    ASSERT_OK(starfish_q1_grid_create(&grid, &mesh.problem));
    ASSERT_OK(starfish_q1_grid_coarsen(&grid, &coarse));
    assert_int_equal(coarse.elements[0], 5);
    for (int d = 0; d < 2; d++) {
        double fine_sum = 0, coarse_sum = 0; /* integrals */
        for (size_t e = 0; e < 54; e++)
            fine_sum += grid.width[0][e % 9] * grid.width[1][e / 9] * grid.diffusion[d][e];
        for (size_t e = 0; e < 15; e++)
            coarse_sum += coarse.width[0][e % 5] * coarse.width[1][e / 5] * coarse.diffusion[d][e];
        assert_true(fabs(fine_sum - coarse_sum) <= 1e-13 * fine_sum);
        /* the last column is one element wide */
        const double expected = (grid.diffusion[d][8] * grid.width[1][0] + grid.diffusion[d][17] * grid.width[1][1]) /
                                (grid.width[1][0] + grid.width[1][1]);
        assert_true(fabs(coarse.diffusion[d][4] - expected) <= 1e-14 * expected);
    }
    starfish_q1_grid_destroy(&grid);
    starfish_q1_grid_destroy(&coarse);
}

static void anisotropy_is_of_couplings(void **state)
{
    (void)state;
    static struct mesh mesh;
    struct starfish_q1_grid grid;
    make_mesh(&mesh, 3, 2, 0, 1);
    for (int e = 0; e < 6; e++)
        mesh.diffusion[0][e] = mesh.diffusion[1][e] = 2;
    for (int e = 0; e < 3; e++)
        mesh.width[0][e] = mesh.width[1][e] = 0.5;
    ASSERT_OK(starfish_q1_grid_create(&grid, &mesh.problem));
    assert_true(starfish_q1_anisotropy(&grid) == 1);
    grid.diffusion[1][4] = 16;
    assert_true(starfish_q1_anisotropy(&grid) == 8);
    grid.width[1][0] = 4;
    assert_true(starfish_q1_anisotropy(&grid) == 64);
    starfish_q1_grid_destroy(&grid);
}

/* Of the eigenvalues of D^-1 A by LAPACK: never below the largest, and close to it on a uniform grid. */
static void eigenvalues_are_bounded(void **state)
{
    (void)state;
    static const size_t sizes[][2] = {{2, 2}, {3, 2}, {2, 7}, {9, 4}, {14, 14}};
    static struct mesh mesh;
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
        for (int neumann = 0; neumann < 16; neumann++)
            for (int reaction = 0; reaction < 3; reaction++) {
                const int uniform = s == 4;
                struct starfish_q1_grid grid;
                make_mesh(&mesh, sizes[s][0], sizes[s][1], neumann, !uniform);
                for (int d = 0; d < 2 && uniform; d++)
                    for (size_t e = 0; e < sizes[s][d]; e++)
                        mesh.width[d][e] = 0.25;
                mesh.problem.reaction = reaction == 2 ? 1e3 : 0.01 * reaction;
                if (uniform && neumann % 5 > 0)
                    continue; /* one is slow enough */
                ASSERT_OK(starfish_q1_grid_create(&grid, &mesh.problem));
                const size_t n = grid.n[0] * grid.n[1];
                double *table = assembled_table(&grid), *A = from_bands(&grid, table), *values = dense(n);
                for (size_t i = 0; i < n; i++)
                    values[i] = sqrt(A[i * n + i]);
                for (size_t i = 0; i < n; i++)
                    for (size_t j = 0; j < n; j++)
                        A[i * n + j] /= values[i] * values[j];
                assert_int_equal(LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'N', 'U', (lapack_int)n, A, (lapack_int)n, values), 0);
                const double bound = starfish_q1_largest_eigenvalue(&grid);
                assert_true(bound >= values[n - 1] * (1 - 1e-12) && bound <= 3);
                if (uniform && reaction < 2)
                    assert_true(bound <= 1.03 * values[n - 1]);
                starfish_q1_grid_destroy(&grid);
                free(table);
                free(A);
                free(values);
            }
}

static void inverses_invert(void **state)
{
    (void)state;
    static const size_t sizes[][2] = {{2, 2}, {3, 2}, {2, 5}, {1, 1}, {9, 4}};
    static struct mesh mesh;
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
        for (int neumann = 1; neumann < 16; neumann += 7) {
            struct starfish_q1_grid grid;
            make_mesh(&mesh, sizes[s][0], sizes[s][1], neumann, 1);
            if (sizes[s][0] == 1 && neumann != 15)
                continue;
            ASSERT_OK(starfish_q1_grid_create(&grid, &mesh.problem));
            const size_t n = grid.n[0] * grid.n[1];
            double *table = assembled_table(&grid), *A = from_bands(&grid, table), *inverse = dense(n);
            ASSERT_OK(starfish_q1_inverse(&grid, table, inverse));
            for (size_t i = 0; i < n; i++)
                for (size_t j = 0; j < n; j++) {
                    double sum = 0;
                    for (size_t k = 0; k < n; k++)
                        sum += A[i * n + k] * inverse[k * n + j];
                    assert_true(fabs(sum - (i == j)) <= 1e-11);
                }
            free(table);
            free(A);
            free(inverse);
            starfish_q1_grid_destroy(&grid);
        }
}

/* ---- Meshes and integrals ---------------------------------------------------------------------------------------- */

/* The paper's section 4.1 at level 10: largest aspect ratio and smallest width. */
static void named_meshes_are_the_papers(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double ratio, smallest;
    } cases[] = {{"U1", 1.0, 9.77e-4},    {"U2", 4.0, 2.44e-4},     {"U3", 16.0, 6.10e-5},    {"A1", 22.20, 5.50e-5},
                 {"A2", 1.54e3, 9.54e-7}, {"A3", 1.84e6, 9.31e-10}, {"A4", 2.13e12, 8.88e-16}};
    static double width[2][1024];
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        struct starfish_q1_refinement refinement = {.level = 10};
        double smallest[2] = {1, 1}, largest[2] = {0, 0}, sum[2] = {0, 0};
        ASSERT_OK(starfish_q1_named(cases[c].name, &refinement));
        ASSERT_OK(starfish_q1_refine(&refinement, width[0], width[1]));
        for (int d = 0; d < 2; d++)
            for (int e = 0; e < 1024; e++) {
                smallest[d] = fmin(smallest[d], width[d][e]);
                largest[d] = fmax(largest[d], width[d][e]);
                sum[d] += width[d][e];
            }
        assert_true(fabs(sum[0] - refinement.length[0]) < 1e-13 && fabs(sum[1] - 1) < 1e-13);
        assert_true(fabs(fmax(largest[1] / smallest[0], largest[0] / smallest[1]) / cases[c].ratio - 1) < 5e-3);
        assert_true(fabs(fmin(smallest[0], smallest[1]) / cases[c].smallest - 1) < 5e-3);
        assert_true(smallest[0] == width[0][1023] && smallest[1] == width[1][0]);
    }
}

static double polynomial(void *data, const struct starfish_q1_point *p)
{
    (void)data;
    return 3 - 2 * p->low[0] + pow(p->high[1], 4) * pow(p->low[0], 3);
}

static double one(void *data, const struct starfish_q1_point *p)
{
    (void)data;
    (void)p;
    return 1;
}

/* Basis functions add up to 1 where no end is Dirichlet, so that a load adds up to the integral. */
static void loads_are_integrals(void **state)
{
    (void)state;
    static struct mesh mesh;
    static double load[MOST_UNKNOWNS];
    double length[2] = {0, 0}, sum = 0;
    make_mesh(&mesh, 11, 7, 15, 0);
    for (int d = 0; d < 2; d++)
        for (size_t e = 0; e < mesh.problem.elements[d]; e++)
            length[d] += mesh.width[d][e];
    ASSERT_OK(starfish_q1_load(&mesh.problem, polynomial, NULL, load));
    for (size_t i = 0; i < 12 * 8; i++)
        sum += load[i];
    const double a = length[0], b = length[1];
    const double integral = 3 * a * b - a * a * b + pow(b, 5) / 5 * pow(a, 4) / 4;
    assert_true(fabs(sum - integral) <= 1e-13 * integral);

    make_mesh(&mesh, 11, 7, 0, 0);
    ASSERT_OK(starfish_q1_load(&mesh.problem, one, NULL, load));
    for (size_t i = 0; i < 10; i++)
        for (size_t j = 0; j < 6; j++) {
            const double area = (mesh.width[0][i] + mesh.width[0][i + 1]) * (mesh.width[1][j] + mesh.width[1][j + 1]);
            assert_true(fabs(load[i + 10 * j] - area / 4) <= 1e-14 * area);
        }
}

/* On one element with two Neumann ends, u_h = 1 on a quarter: by hand. */
static void errors_are_relative_norms(void **state)
{
    (void)state;
    static struct mesh mesh;
    static double solution[MOST_UNKNOWNS];
    double error;
    make_mesh(&mesh, 5, 4, 15, 0);
    for (size_t i = 0; i < 30; i++)
        solution[i] = 1.25;
    ASSERT_OK(starfish_q1_error(&mesh.problem, one, NULL, solution, &error));
    assert_true(fabs(error - 0.25) < 1e-14);
    /* a hat of height 1 in the middle of one: || 1 - hat ||^2 / area = 1 - 2/4 + 1/9 */
    mesh.problem.elements[0] = mesh.problem.elements[1] = 2;
    for (int d = 0; d < 2; d++)
        mesh.problem.ends[d][0] = mesh.problem.ends[d][1] = STARFISH_DIRICHLET;
    solution[0] = 1;
    ASSERT_OK(starfish_q1_error(&mesh.problem, one, NULL, solution, &error));
    assert_true(fabs(error - sqrt(1 - 0.5 + 1.0 / 9)) < 1e-14);
}

static void bad_meshes_are_refused(void **state)
{
    (void)state;
    double x[2], y[2];
    struct starfish_q1_refinement r = {{1, 1}, 1, 1};
    ASSERT_FAILS(starfish_q1_named("U4", &r), STARFISH_ERROR_ARGUMENT, "U4");
    ASSERT_FAILS(starfish_q1_named(NULL, &r), STARFISH_ERROR_ARGUMENT, "NULL");
    ASSERT_FAILS(starfish_q1_refine(NULL, x, y), STARFISH_ERROR_ARGUMENT, "refinement");
    ASSERT_FAILS(starfish_q1_refine(&r, NULL, y), STARFISH_ERROR_ARGUMENT, "width");
    r.nu = 0;
    ASSERT_FAILS(starfish_q1_refine(&r, x, y), STARFISH_ERROR_ARGUMENT, "nu");
    r.nu = 1.5;
    ASSERT_FAILS(starfish_q1_refine(&r, x, y), STARFISH_ERROR_ARGUMENT, "nu");
    r.nu = 1;
    r.level = 25;
    ASSERT_FAILS(starfish_q1_refine(&r, x, y), STARFISH_ERROR_ARGUMENT, "level");
    r.level = 1;
    r.length[1] = (double)NAN;
    ASSERT_FAILS(starfish_q1_refine(&r, x, y), STARFISH_ERROR_ARGUMENT, "length[1]");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matrices_are_those_of_quadrature),
        cmocka_unit_test(edges_are_the_same_matrix),
        cmocka_unit_test(coarse_matrices_are_galerkin_products),
        cmocka_unit_test(coarse_coefficients_are_means),
        cmocka_unit_test(anisotropy_is_of_couplings),
        cmocka_unit_test(eigenvalues_are_bounded),
        cmocka_unit_test(inverses_invert),
        cmocka_unit_test(named_meshes_are_the_papers),
        cmocka_unit_test(loads_are_integrals),
        cmocka_unit_test(errors_are_relative_norms),
        cmocka_unit_test(bad_meshes_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
