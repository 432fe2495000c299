/* The matrix of bilinear elements from element widths, and the inverse of a small one.
 *
 * On an element of widths hx, hy with coefficients kx, ky, c the matrix is a sum of tensor products of the 1D matrices of
 * linear elements, stiffness [1 -1; -1 1] / h and mass h/6 [2 1; 1 2]:
 *     kx S(hx) (x) M(hy) + ky M(hx) (x) S(hy) + c M(hx) (x) M(hy).
 * Its off-diagonal entries go to bands E, N and, for the diagonals of the element, NE and NW; the others are their mirror
 * images (multigrid/kernels/band.h). */
#include "multigrid/q1.h"

#include "base/status.h"

#include <lapacke.h>
#include <string.h>

/* Of two nodes of an element along a direction, the first low (0) or high (1): the same one and the other one. */
struct element_pair {
    double same, other;
};

static struct element_pair stiffness(double h)
{
    return (struct element_pair){1 / h, -1 / h};
}

static struct element_pair mass(double h)
{
    return (struct element_pair){h / 3, h / 6};
}

/* Entries between an element's nodes: that of a node with itself, its neighbour in x, in y, and across. */
struct element_matrix {
    double self, x, y, across;
};

static void add_product(struct element_matrix *m, double factor, struct element_pair x, struct element_pair y)
{
    m->self += factor * x.same * y.same;
    m->x += factor * x.other * y.same;
    m->y += factor * x.same * y.other;
    m->across += factor * x.other * y.other;
}

static struct element_matrix element_matrix(const struct starfish_q1_grid *grid, size_t ex, size_t ey)
{
    const size_t e = ex + ey * grid->elements[0];
    const double hx = grid->width[0][ex], hy = grid->width[1][ey];
    struct element_matrix m = {0, 0, 0, 0};

    add_product(&m, grid->diffusion[0] ? grid->diffusion[0][e] : 1, stiffness(hx), mass(hy));
    add_product(&m, grid->diffusion[1] ? grid->diffusion[1][e] : 1, mass(hx), stiffness(hy));
    add_product(&m, grid->reaction, mass(hx), mass(hy));
    return m;
}

/* Bands as they are stored, and the unknowns of an element's nodes. */
enum { C, E, NW, N, NE, STORED };
struct assembly {
    const struct starfish_q1_grid *grid;
    double *band[STORED];
};

/* Add to the entry of the unknown at node (i,j) of the grid, if that and the neighbour at (k,l) are unknowns. */
static void add_entry(const struct assembly *a, int band, const size_t node[2], const size_t neighbour[2], double value)
{
    const struct starfish_q1_grid *grid = a->grid;
    size_t unknown[2];

    for (int d = 0; d < 2; d++) {
        const size_t low = (size_t)grid->dirichlet[d][0];
        if (node[d] < low || node[d] - low >= grid->n[d] || neighbour[d] < low || neighbour[d] - low >= grid->n[d])
            return;
        unknown[d] = node[d] - low;
    }
    a->band[band][unknown[0] + unknown[1] * grid->n[0]] += value;
}

static void add_element(const struct assembly *a, size_t ex, size_t ey)
{
    const struct element_matrix m = element_matrix(a->grid, ex, ey);
    const size_t corner[4][2] = {{ex, ey}, {ex + 1, ey}, {ex, ey + 1}, {ex + 1, ey + 1}}; /* SW SE NW NE */

    for (int node = 0; node < 4; node++)
        add_entry(a, C, corner[node], corner[node], m.self);
    add_entry(a, E, corner[0], corner[1], m.x);
    add_entry(a, E, corner[2], corner[3], m.x);
    add_entry(a, N, corner[0], corner[2], m.y);
    add_entry(a, N, corner[1], corner[3], m.y);
    add_entry(a, NE, corner[0], corner[3], m.across);
    add_entry(a, NW, corner[1], corner[2], m.across);
}

void starfish_q1_assemble(const struct starfish_q1_grid *grid, double *table)
{
    struct assembly assembly = {.grid = grid};

    for (size_t b = 0; b < STORED; b++)
        assembly.band[b] = table + starfish_band_table_start(grid->n[0], grid->n[1], b);
    for (size_t ey = 0; ey < grid->elements[1]; ey++)
        for (size_t ex = 0; ex < grid->elements[0]; ex++)
            add_element(&assembly, ex, ey);
}

/* ---- The coarsest grid ------------------------------------------------------------------------------------------- */

/* The upper triangle, row by row, as LAPACK's lower one column by column. */
static void fill_triangle(const struct starfish_q1_grid *grid, const double *table, double *matrix)
{
    const size_t nx = grid->n[0], ny = grid->n[1], n = nx * ny;
    const size_t ahead[STORED] = {0, 1, nx - 1, nx, nx + 1};

    memset(matrix, 0, n * n * sizeof *matrix);
    for (size_t b = 0; b < STORED; b++)
        for (size_t i = 0; i + ahead[b] < n; i++)
            matrix[i * n + i + ahead[b]] += table[starfish_band_table_start(nx, ny, b) + i];
}

starfish_status starfish_q1_inverse(const struct starfish_q1_grid *grid, const double *table, double *inverse)
{
    const size_t n = grid->n[0] * grid->n[1];

    fill_triangle(grid, table, inverse);
    if (LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', (lapack_int)n, inverse, (lapack_int)n) != 0 ||
        LAPACKE_dpotri(LAPACK_COL_MAJOR, 'L', (lapack_int)n, inverse, (lapack_int)n) != 0)
        return starfish_fail(STARFISH_ERROR_NUMERICAL, "the matrix of the coarsest grid is not positive definite");
    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < n; j++)
            inverse[j * n + i] = inverse[i * n + j];
    return STARFISH_SUCCESS;
}
