/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Matrices and loads of small distorted meshes, compared with a dense assembly that shares no code with ours: bilinear
 * and trilinear maps from the corners, shape functions written out, Gauss points of its own. */
#include "fem/space.h"
#include "tests/common/reals.h"
#include "tests/fem/meshes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 27 };

/* Lagrange polynomials of degree p on [-1,1], and their derivatives. */
static double shape(int p, int i, double t)
{
    if (p == 1)
        return i ? 0.5 * (1 + t) : 0.5 * (1 - t);
    return i == 0 ? 0.5 * t * (t - 1) : i == 1 ? 1 - t * t : 0.5 * t * (t + 1);
}

static double slope(int p, int i, double t)
{
    if (p == 1)
        return i ? 0.5 : -0.5;
    return i == 0 ? t - 0.5 : i == 1 ? -2 * t : t + 0.5;
}

static double determinant(double j[3][3])
{
    return j[0][0] * (j[1][1] * j[2][2] - j[1][2] * j[2][1]) - j[0][1] * (j[1][0] * j[2][2] - j[1][2] * j[2][0]) +
           j[0][2] * (j[1][0] * j[2][1] - j[1][1] * j[2][0]);
}

/* Solve j^T g = s by Cramer's rule. */
static void gradient(double j[3][3], const double s[3], double g[3])
{
    for (int column = 0; column < 3; column++) {
        double replaced[3][3];
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 3; c++)
                replaced[r][c] = c == column ? s[r] : j[c][r];
        g[column] = determinant(replaced) / determinant(j);
    }
}

struct point {
    double weight, value[MOST], gradient[MOST][3];
};

/* Shape functions at a Gauss point of a cell given by its corners, x fastest. */
static void at_point(int d, int p, double corner[8][3], const double t[3], struct point *point)
{
    const int side = p + 1;
    double j[3][3] = {{0}};

    j[2][2] = d == 2;
    for (int c = 0; c < 1 << d; c++)
        for (int x = 0; x < d; x++)
            for (int r = 0; r < d; r++) {
                double factor = 1;
                for (int i = 0; i < 3 && i < d; i++)
                    factor *= (i == r ? slope : shape)(1, c >> i & 1, t[i]);
                j[x][r] += factor * corner[c][x];
            }
    for (int n = 0; n < (d == 2 ? side * side : side * side * side); n++) {
        const int at[3] = {n % side, n / side % side, n / side / side};
        double s[3] = {0, 0, 0};
        point->value[n] = 1;
        for (int i = 0; i < 3 && i < d; i++)
            point->value[n] *= shape(p, at[i], t[i]);
        for (int r = 0; r < d; r++) {
            s[r] = 1;
            for (int i = 0; i < 3 && i < d; i++)
                s[r] *= (i == r ? slope : shape)(p, at[i], t[i]);
        }
        gradient(j, s, point->gradient[n]);
    }
    point->weight *= determinant(j);
}

static void add_cell(const struct starfish_fem_space *space, size_t c, int p, double *a, double *f)
{
    static const double t2[] = {-0.577350269189625764509, 0.577350269189625764509}, w2[] = {1, 1};
    static const double t3[] = {-0.774596669241483377036, 0, 0.774596669241483377036},
                        w3[] = {5.0 / 9, 8.0 / 9, 5.0 / 9};
    const double *t = p == 1 ? t2 : t3, *w = p == 1 ? w2 : w3;
    const int d = space->mesh->d, side = p + 1, count = d == 2 ? side * side : side * side * side;
    const int *cell = space->mesh->cell + c * space->mesh->lattice;
    double corner[8][3];

    for (int k = 0; k < 1 << d; k++)
        memcpy(corner[k], space->mesh->point + 3 * cell[2 * (k & 1) + 6 * (k >> 1 & 1) + 18 * (k >> 2)],
               sizeof corner[k]);
    for (int g = 0; g < count; g++) {
        const int at[3] = {g % side, g / side % side, g / side / side};
        struct point point = {.weight = w[at[0]] * w[at[1]] * (d == 3 ? w[at[2]] : 1)};
        const double place[3] = {t[at[0]], t[at[1]], d == 3 ? t[at[2]] : 0};
        at_point(d, p, corner, place, &point);
        for (int m = 0; m < count; m++) {
            const int row = cell[p == 2 ? m : 2 * (m & 1) + 6 * (m >> 1 & 1) + 18 * (m >> 2)];
            f[row] += point.weight * point.value[m];
            for (int n = 0; n < count; n++) {
                const int column = cell[p == 2 ? n : 2 * (n & 1) + 6 * (n >> 1 & 1) + 18 * (n >> 2)];
                for (int x = 0; x < d; x++)
                    a[(size_t)row * space->nodes + (size_t)column] +=
                        point.weight * point.gradient[m][x] * point.gradient[n][x];
            }
        }
    }
}

/* The largest difference, over the largest entry. */
static double compare(const struct starfish_fem_space *space, const struct starfish_csr *a, const double *load,
                      const double *dense, const double *f)
{
    double worst = 0, largest = 0;

    for (size_t i = 0; i < space->nodes; i++) {
        double wanted = f[i];
        if (space->unknown[i] < 0)
            continue;
        for (size_t j = 0; j < space->nodes; j++) {
            const double entry = dense[i * space->nodes + j];
            largest = fmax(largest, fabs(entry));
            if (space->unknown[j] < 0) {
                wanted -= entry * space->given[j];
                continue;
            }
            const int e = starfish_csr_find(a, (size_t)space->unknown[i], (size_t)space->unknown[j]);
            worst = test_worst(worst, fabs(entry - (e < 0 ? 0 : a->value[e])));
        }
        worst = test_worst(worst, fabs(wanted - load[space->unknown[i]]));
    }
    return worst / largest;
}

static int test(int d, int n, starfish_fem_element element, starfish_fem_numbering numbering)
{
    struct test_mesh mesh;
    test_box(&mesh, d, n, d == 2 ? 0.3 : 0.2);
    const struct starfish_fem_dirichlet dirichlet = {.group = TEST_OUTSIDE, .function = test_exact, .data = &d};
    const struct starfish_fem_problem problem = {
        .mesh = &mesh.mesh, .element = element, .rhs = 1, .dirichlets = 1, .dirichlet = &dirichlet};
    struct starfish_refined refined;
    struct starfish_fem_space space = {.mesh = NULL};
    struct starfish_csr a = {.rows = 0};
    double worst = HUGE_VAL;

    if (starfish_refined_begin(&problem, &refined) == STARFISH_SUCCESS &&
        starfish_fem_space_create(&problem, &refined, &space) == STARFISH_SUCCESS &&
        starfish_fem_space_number(&space, numbering, 1) == STARFISH_SUCCESS) {
        double *load = calloc(space.unknowns + 1, sizeof *load), *f = calloc(space.nodes, sizeof *f);
        double *dense = calloc(space.nodes * space.nodes, sizeof *dense);
        for (size_t c = 0; c < refined.cells; c++)
            add_cell(&space, c, element == STARFISH_FEM_Q1 ? 1 : 2, dense, f);
        if (starfish_fem_assemble(&problem, &space, NULL, &(struct starfish_fem_sums){&a, load, NULL}) ==
            STARFISH_SUCCESS)
            worst = compare(&space, &a, load, dense, f);
        free(load);
        free(f);
        free(dense);
    }
    if (!(worst <= 1e-12))
        fprintf(stderr, "%dD, %d cells, element %d, numbering %d: differs by %.3e (%s)\n", d, n, (int)element,
                (int)numbering, worst, starfish_error_message());
    starfish_csr_destroy(&a);
    starfish_fem_space_destroy(&space);
    starfish_refined_destroy(&refined);
    test_mesh_free(&mesh);
    return !(worst <= 1e-12);
}

int main(void)
{
    int failed = 0;

    for (int element = 0; element < STARFISH_FEM_ELEMENTS; element++)
        for (int numbering = 0; numbering < STARFISH_FEM_NUMBERINGS; numbering++) {
            failed += test(2, 3, (starfish_fem_element)element, (starfish_fem_numbering)numbering);
            failed += test(3, 2, (starfish_fem_element)element, (starfish_fem_numbering)numbering);
        }
    failed += test(2, 1, STARFISH_FEM_Q2, STARFISH_FEM_TWO_LEVEL) + test(3, 1, STARFISH_FEM_Q2, STARFISH_FEM_RANDOM);
    return failed != 0;
}
