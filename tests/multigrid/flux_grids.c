/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Grids of 3D multigrid: coarse lines against Galerkin's product, transfers against each other, inverses against their
 * definitions. */
#include "multigrid/flux.h"

#include "tests/common/check.h"
#include "tests/common/reals.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 14, MOST_UNKNOWNS = 600 };

/* ---- Problems ---------------------------------------------------------------------------------------------------- */

struct lines {
    double coupling[3][MOST + 1], extra[3][MOST], weight[3][MOST];
    struct starfish_stencil_problem problem;
};

/* Random couplings that differ by a factor of 100; bits of periodic: directions; extras: 0 none, 1 at open ends, 2
 * everywhere. */
static void make_lines(struct lines *l, const size_t n[3], int periodic, int extras, unsigned seed)
{
    memset(l, 0, sizeof *l);
    for (int d = 0; d < 3; d++) {
        const int wraps = periodic >> d & 1;
        l->problem.n[d] = n[d];
        l->problem.ends[d][0] = l->problem.ends[d][1] = wraps ? STARFISH_PERIODIC : STARFISH_NEUMANN;
        for (size_t i = 0; i < n[d]; i++) {
            const int end = i == 0 || i + 1 == n[d];
            l->weight[d][i] = 2 + test_real_random(&seed);
            l->coupling[d][i] = i > 0 || wraps ? pow(10, test_real_random(&seed)) : 0;
            if (extras == 2 || (extras == 1 && end && !wraps))
                l->extra[d][i] = 1 + test_real_random(&seed);
        }
        l->coupling[d][n[d]] = l->coupling[d][0];
        l->problem.line[d] = (struct starfish_stencil_line){l->coupling[d], l->extra[d], l->weight[d]};
    }
}

static double *dense(size_t rows, size_t columns)
{
    double *matrix = calloc(rows * columns, sizeof *matrix);

    assert_non_null(matrix);
    return matrix;
}

/* The interpolation of one direction as struct starfish_flux_transfer describes it, fine rows and coarse columns; or,
 * from gather, its transpose. */
static double *interpolation(const struct starfish_flux_interpolation *to, int from_gather)
{
    const long n = (long)to->fine, coarse = (long)to->coarse;
    double *p = dense(to->fine, to->coarse);

    for (long i = 0; i < n && !from_gather; i++) {
        const long base = (i + 1) / 2 - 1;
        const double weight[2] = {to->lower[i], to->upper[i]};
        for (int side = 0; side < 2; side++) {
            const long c = to->periodic ? (base + side + coarse) % coarse : base + side;
            if (c >= 0 && c < coarse)
                p[i * coarse + c] += weight[side];
            else
                assert_true(weight[side] == 0);
        }
    }
    for (long c = 0; c < coarse && from_gather; c++)
        for (long t = 0; t < 4; t++) {
            const long i = to->periodic ? (2 * c - 1 + t + n) % n : 2 * c - 1 + t;
            if (i >= 0 && i < n)
                p[i * coarse + c] += to->gather[t][c];
            else
                assert_true(to->gather[t][c] == 0);
        }
    return p;
}

/* P^T A P */
static double *galerkin(const double *a, const double *p, size_t fine, size_t coarse)
{
    double *ap = dense(fine, coarse), *result = dense(coarse, coarse);

    for (size_t i = 0; i < fine; i++)
        for (size_t k = 0; k < fine; k++)
            for (size_t j = 0; j < coarse; j++)
                ap[i * coarse + j] += a[i * fine + k] * p[k * coarse + j];
    for (size_t k = 0; k < fine; k++)
        for (size_t i = 0; i < coarse; i++)
            for (size_t j = 0; j < coarse; j++)
                result[i * coarse + j] += p[k * coarse + i] * ap[k * coarse + j];
    free(ap);
    return result;
}

/* ---- One direction ----------------------------------------------------------------------------------------------- */

static void check_line(size_t n, int periodic, int extras)
{
    const int along[3] = {1, 0, 0};
    struct starfish_flux_grid fine, coarse;
    struct lines lines;

    make_lines(&lines, (const size_t[]){n, 1, 1}, periodic, extras, (unsigned)(n + 20 * (size_t)extras));
    for (int d = 1; d < 3; d++) {
        lines.weight[d][0] = 1;
        lines.extra[d][0] = 0;
    }
    ASSERT_OK(starfish_flux_grid_create(&fine, &lines.problem));
    ASSERT_OK(starfish_flux_grid_coarsen(&fine, along, &coarse));
    const size_t m = coarse.line[0].n;
    assert_true(m == n / 2 || m == (n + 1) / 2);
    double *p = interpolation(&fine.to[0], 0), *r = interpolation(&fine.to[0], 1), *a = dense(n, n), *b = dense(m, m);
    starfish_flux_add_matrix(&fine, a);
    starfish_flux_add_matrix(&coarse, b);
    double *product = galerkin(a, p, n, m);
    for (size_t e = 0; e < n * m; e++)
        assert_true(p[e] == r[e]);
    for (size_t e = 0; e < m * m; e++)
        if (!(fabs(product[e] - b[e]) < 1e-11))
            fail_msg("n %zu, periodic %d, extras %d: entry %zu is %g, not %g", n, periodic, extras, e, b[e],
                     product[e]);
    for (size_t c = 0; c < m; c++) {
        double weight = 0;
        for (size_t i = 0; i < n; i++)
            weight += p[i * m + c] * fine.line[0].weight[i];
        assert_true(fabs(weight - coarse.line[0].weight[c]) < 1e-12);
    }
    free(p), free(r), free(a), free(b), free(product);
    starfish_flux_grid_destroy(&fine);
    starfish_flux_grid_destroy(&coarse);
}

static void coarse_lines_are_galerkins(void **state)
{
    (void)state;
    for (size_t n = 2; n <= MOST; n++)
        for (int periodic = 0; periodic < 2; periodic++)
            for (int extras = 0; extras < 3; extras++)
                check_line(n, periodic, extras);
}

/* A line of resistors stays one, and what is uniform stays what a coarser discretisation is. */
static void uniform_lines_stay_uniform(void **state)
{
    (void)state;
    const int along[3] = {1, 0, 0};
    double width[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    const struct starfish_stencil_problem problem = {
        .n = {7, 1, 1}, .ends = {{STARFISH_DIRICHLET, STARFISH_DIRICHLET}}, .grid = STARFISH_NODE, .width = {width}};
    struct starfish_flux_grid fine, coarse;

    ASSERT_OK(starfish_flux_grid_create(&fine, &problem));
    ASSERT_OK(starfish_flux_grid_coarsen(&fine, along, &coarse));
    assert_int_equal(coarse.line[0].n, 3);
    for (size_t i = 0; i < 3; i++) {
        assert_true(coarse.line[0].weight[i] == 2);
        assert_true(coarse.line[0].extra[i] == (i != 1 ? 0.5 : 0));
        assert_true(coarse.line[0].coupling[i] == (i > 0 ? 0.5 : 0));
    }
    starfish_flux_grid_destroy(&fine);
    starfish_flux_grid_destroy(&coarse);
}

/* ---- Three directions -------------------------------------------------------------------------------------------- */

/* The interpolation of all three directions. */
static double *whole_interpolation(const struct starfish_flux_grid *fine, const struct starfish_flux_grid *coarse)
{
    const size_t rows = starfish_flux_grid_unknowns(fine), columns = starfish_flux_grid_unknowns(coarse);
    double *p = dense(rows, columns), *one[3];

    for (int d = 0; d < 3; d++)
        one[d] = fine->to[d].lower ? interpolation(&fine->to[d], 0) : NULL;
    for (size_t e = 0; e < rows; e++)
        for (size_t c = 0; c < columns; c++) {
            size_t row = e, column = c;
            double product = 1;
            for (int d = 0; d < 3; d++) {
                const size_t n = fine->line[d].n, m = coarse->line[d].n, i = row % n, j = column % m;
                product *= one[d] ? one[d][i * m + j] : i == j;
                row /= n;
                column /= m;
            }
            p[e * columns + c] = product;
        }
    for (int d = 0; d < 3; d++)
        free(one[d]);
    return p;
}

static double energy(const double *a, const double *u, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            sum += u[i] * a[i * n + j] * u[j];
    return sum;
}

/* Coarse matrices may not be weaker than Galerkin's, or corrections are too large; and what is constant costs no
 * energy. */
static void check_energy(struct starfish_flux_grid *fine, const int coarsened[3], int singular)
{
    struct starfish_flux_grid coarse;
    unsigned seed = 3;

    ASSERT_OK(starfish_flux_grid_coarsen(fine, coarsened, &coarse));
    const size_t n = starfish_flux_grid_unknowns(fine), m = starfish_flux_grid_unknowns(&coarse);
    double *a = dense(n, n), *b = dense(m, m), *p = whole_interpolation(fine, &coarse), *u = dense(m, 1);
    starfish_flux_add_matrix(fine, a);
    starfish_flux_add_matrix(&coarse, b);
    double *product = galerkin(a, p, n, m);
    for (int t = 0; t < 20; t++) {
        for (size_t i = 0; i < m; i++)
            u[i] = test_real_random(&seed);
        assert_true(energy(b, u, m) >= energy(product, u, m) * (1 - 1e-12));
    }
    for (size_t i = 0; i < m; i++)
        u[i] = 1;
    assert_true(!singular || fabs(energy(b, u, m)) < 1e-10);
    assert_int_equal(starfish_flux_grid_is_singular(&coarse), singular);
    free(a), free(b), free(p), free(u), free(product);
    starfish_flux_grid_destroy(&coarse);
}

static void coarse_grids_are_no_weaker(void **state)
{
    (void)state;
    for (int which = 1; which < 8; which++)
        for (int extras = 0; extras < 2; extras++) {
            const int coarsened[3] = {which & 1, which >> 1 & 1, which >> 2 & 1};
            struct starfish_flux_grid grid;
            struct lines lines;
            make_lines(&lines, (const size_t[]){6, 5, 4}, which % 3, extras, (unsigned)which);
            ASSERT_OK(starfish_flux_grid_create(&grid, &lines.problem));
            check_energy(&grid, coarsened, extras == 0);
            starfish_flux_grid_destroy(&grid);
        }
}

static void stored_grids_are_no_weaker(void **state)
{
    (void)state;
    static double diffusion[MOST_UNKNOWNS];
    double width[MOST];
    unsigned seed = 8;
    for (int which = 1; which < 8; which++) {
        const int coarsened[3] = {which & 1, which >> 1 & 1, which >> 2 & 1};
        const starfish_end end = which % 2 ? STARFISH_NEUMANN : STARFISH_PERIODIC;
        struct starfish_stencil_problem problem = {.n = {6, 5, 4}, .grid = STARFISH_CELL};
        struct starfish_flux_grid grid;
        for (size_t i = 0; i < MOST; i++)
            width[i] = 2 + test_real_random(&seed);
        for (size_t e = 0; e < 120; e++)
            diffusion[e] = pow(1000, test_real_random(&seed));
        for (int d = 0; d < 3; d++) {
            problem.ends[d][0] = problem.ends[d][1] = end;
            problem.width[d] = width + d;
            problem.coefficient[d] = diffusion;
        }
        ASSERT_OK(starfish_flux_grid_create(&grid, &problem));
        check_energy(&grid, coarsened, 1);
        starfish_flux_grid_destroy(&grid);
    }
}

/* Couplings that jump, harmonic means of what is constant in each pair: the coarse grid has those of its own cells,
 * with faces of four times the area between centres at twice the distance. */
static void pairs_are_cells(void **state)
{
    (void)state;
    enum { N = 6, C = N / 2 };
    static const size_t wide[3] = {1, C, C * C};
    static const int all[3] = {1, 1, 1};
    static double k[C * C * C], face[3][N * N * N], rest[N * N * N];
    struct starfish_stencil_problem problem = {.n = {N, N, N}, .grid = STARFISH_CELL};
    struct starfish_flux_grid grid, coarse;
    double width[N];
    unsigned seed = 5;

    for (size_t i = 0; i < N; i++)
        width[i] = 1;
    for (size_t c = 0; c < C * C * C; c++)
        k[c] = pow(1000, test_real_random(&seed));
    for (size_t e = 0; e < N * N * N; e++)
        for (int d = 0; d < 3; d++) {
            const size_t i[3] = {e % N, e / N % N, e / N / N}, own = i[0] / 2 + C * (i[1] / 2 + C * (i[2] / 2));
            const size_t below = i[d] % 2 ? own : own - wide[d];
            face[d][e] = i[d] > 0 ? 2 / (1 / k[own] + 1 / k[below]) : 0;
        }
    for (int d = 0; d < 3; d++) {
        problem.ends[d][0] = problem.ends[d][1] = STARFISH_NEUMANN;
        problem.width[d] = width;
    }
    ASSERT_OK(starfish_flux_grid_create(&grid, &problem));
    ASSERT_OK(starfish_flux_grid_set_faces(&grid, (const double *const[]){face[0], face[1], face[2]}, rest));
    assert_int_equal(grid.pairs, 1);
    ASSERT_OK(starfish_flux_grid_coarsen(&grid, all, &coarse));
    for (size_t c = 0; c < C * C * C; c++)
        for (int d = 0; d < 3; d++) {
            const size_t i[3] = {c % C, c / C % C, c / C / C};
            const double expected = i[d] > 0 ? 2 * 2 / (1 / k[c] + 1 / k[c - wide[d]]) : 0;
            assert_true(fabs(coarse.face[d][c] - expected) <= 1e-12 * expected);
        }
    for (size_t i = 0; i < N; i++)
        assert_true(grid.to[0].lower[i] == (double)(i % 2) && grid.to[0].upper[i] == (double)(1 - i % 2));
    starfish_flux_grid_destroy(&grid);
    starfish_flux_grid_destroy(&coarse);
}

/* X = A^-1; of a singular A, A X A = A and X of a constant is 0. */
static void inverses_invert(void **state)
{
    (void)state;
    for (int c = 0; c < 12; c++) {
        const size_t n[3] = {1 + (size_t)c % 4, 3, c < 6 ? 1 : 2}, count = n[0] * n[1] * n[2];
        struct starfish_flux_grid grid;
        struct lines lines;
        make_lines(&lines, c == 0 ? (const size_t[]){1, 1, 1} : n, c % 2 ? 7 : 0, c % 3, (unsigned)c);
        const size_t m = c == 0 ? 1 : count;
        ASSERT_OK(starfish_flux_grid_create(&grid, &lines.problem));
        const int singular = starfish_flux_grid_is_singular(&grid);
        double *a = dense(m, m), *x = dense(m, m);
        starfish_flux_add_matrix(&grid, a);
        ASSERT_OK(starfish_flux_inverse(&grid, x));
        double *axa = galerkin(x, a, m, m); /* A is symmetric */
        for (size_t e = 0; e < m * m; e++)
            assert_true(fabs(axa[e] - a[e]) < 1e-9);
        for (size_t i = 0; i < m && singular; i++) {
            double sum = 0;
            for (size_t j = 0; j < m; j++)
                sum += x[i * m + j];
            assert_true(fabs(sum) < 1e-9);
        }
        free(a), free(x), free(axa);
        starfish_flux_grid_destroy(&grid);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(coarse_lines_are_galerkins),
        cmocka_unit_test(uniform_lines_stay_uniform),
        cmocka_unit_test(coarse_grids_are_no_weaker),
        cmocka_unit_test(stored_grids_are_no_weaker),
        cmocka_unit_test(pairs_are_cells),
        cmocka_unit_test(inverses_invert),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
