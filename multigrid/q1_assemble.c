/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The matrix of bilinear elements from element widths, and the inverse of a small one.
 *
 * On an element of widths hx, hy with coefficients kx, ky, c the matrix is a sum of tensor products of the 1D matrices
 * of linear elements, stiffness [1 -1; -1 1] / h and mass h/6 [2 1; 1 2]: kx S(hx) (x) M(hy) + ky M(hx) (x) S(hy) + c
 * M(hx) (x) M(hy). Its off-diagonal entries go to bands E, N and, for the diagonals of the element, NE and NW; the
 * others are their mirror images (multigrid/kernels/band.h). Row sums, which take the diagonal's place, are sums over
 * the element's nodes that are unknowns, and so again tensor products, of row sums of the 1D matrices: of S 0, or 1/h
 * where the other node is at a Dirichlet end, of M h/2, or h/3. All terms are positive, so that nothing cancels, where
 * assembled entries of a row would to the last digit. */
#include "multigrid/q1.h"

#include "base/status.h"
#include "krylov/kernels/coarse.h"

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

/* Entries between an element's nodes: of a node with its neighbour in x, in y, and across, and the former summed with
 * the latter. And the row sums over unknowns: of all four nodes, without the neighbours in x, in y, and of the node
 * alone; [is there one in y][in x]. */
struct element_matrix {
    double x, y, across, edge_x, edge_y, sum[2][2];
};

/* The sum of a row. S has none but at an end: exactly. */
static double row_sum(struct element_pair pair, int both)
{
    return both ? pair.same + pair.other : pair.same;
}

static void add_product(struct element_matrix *m, double factor, struct element_pair x, struct element_pair y)
{
    m->x += factor * x.other * y.same;
    m->y += factor * x.same * y.other;
    m->across += factor * x.other * y.other;
    m->edge_x += factor * x.other * row_sum(y, 1);
    m->edge_y += factor * row_sum(x, 1) * y.other;
    for (int both_y = 0; both_y < 2; both_y++)
        for (int both_x = 0; both_x < 2; both_x++)
            m->sum[both_y][both_x] += factor * row_sum(x, both_x) * row_sum(y, both_y);
}

static struct element_matrix element_matrix(const struct starfish_q1_grid *grid, size_t ex, size_t ey)
{
    const size_t e = ex + ey * grid->elements[0];
    const double hx = grid->width[0][ex], hy = grid->width[1][ey];
    struct element_matrix m = {.x = 0};

    add_product(&m, grid->diffusion[0] ? grid->diffusion[0][e] : 1, stiffness(hx), mass(hy));
    add_product(&m, grid->diffusion[1] ? grid->diffusion[1][e] : 1, mass(hx), stiffness(hy));
    add_product(&m, grid->reaction, mass(hx), mass(hy));
    return m;
}

/* Bands as they are stored, and the unknowns of an element's nodes. */
enum { SUM, E, NW, N, NE, STORED };
struct assembly {
    const struct starfish_q1_grid *grid;
    double *band[STORED];
};

/* Is node i of the grid an unknown in direction d? */
static int is_unknown(const struct starfish_q1_grid *grid, int d, size_t i)
{
    const size_t low = (size_t)grid->dirichlet[d][0];

    return i >= low && i - low < grid->n[d];
}

static int both_unknown(const struct starfish_q1_grid *grid, const size_t node[2])
{
    return is_unknown(grid, 0, node[0]) && is_unknown(grid, 1, node[1]);
}

static void add_at(const struct assembly *a, int band, const size_t node[2], double value)
{
    const struct starfish_q1_grid *grid = a->grid;
    const size_t i = node[0] - (size_t)grid->dirichlet[0][0], j = node[1] - (size_t)grid->dirichlet[1][0];

    a->band[band][i + j * grid->n[0]] += value;
}

/* Add to the entry of the unknown at a node, if that and the neighbour are unknowns. */
static void add_entry(const struct assembly *a, int band, const size_t node[2], const size_t neighbour[2], double value)
{
    if (both_unknown(a->grid, node) && both_unknown(a->grid, neighbour))
        add_at(a, band, node, value);
}

/* `opposite` is the node across, whose directions are those of the neighbours in x and in y. */
static void add_sum(const struct assembly *a, const size_t node[2], const size_t opposite[2],
                    const struct element_matrix *m)
{
    const int both_x = is_unknown(a->grid, 0, opposite[0]), both_y = is_unknown(a->grid, 1, opposite[1]);

    if (both_unknown(a->grid, node))
        add_at(a, SUM, node, m->sum[both_y][both_x]);
}

static void add_element(const struct assembly *a, size_t ex, size_t ey)
{
    const struct element_matrix m = element_matrix(a->grid, ex, ey);
    const size_t corner[4][2] = {{ex, ey}, {ex + 1, ey}, {ex, ey + 1}, {ex + 1, ey + 1}}; /* SW SE NW NE */

    for (int node = 0; node < 4; node++)
        add_sum(a, corner[node], corner[3 - node], &m);
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

/* An element's part of X, Y and Q. What is across is in the entries along an edge where the element's other edge has no
 * unknowns. */
static void add_edges(const struct assembly *a, size_t ex, size_t ey)
{
    const struct starfish_q1_grid *grid = a->grid;
    const struct element_matrix m = element_matrix(grid, ex, ey);
    const size_t corner[4][2] = {{ex, ey}, {ex + 1, ey}, {ex, ey + 1}, {ex + 1, ey + 1}}; /* SW SE NW NE */
    const int in_x = is_unknown(grid, 0, ex) && is_unknown(grid, 0, ex + 1);
    const int in_y = is_unknown(grid, 1, ey) && is_unknown(grid, 1, ey + 1);

    for (int node = 0; node < 4; node++)
        add_sum(a, corner[node], corner[3 - node], &m);
    for (int side = 0; side < 2; side++) {
        add_entry(a, E, corner[2 * side], corner[2 * side + 1], in_y ? m.edge_x : m.x);
        add_entry(a, N, corner[side], corner[side + 2], in_x ? m.edge_y : m.y);
    }
    if (in_x)
        add_entry(a, NE, corner[0], corner[3], m.across);
}

void starfish_q1_assemble_edges(const struct starfish_q1_grid *grid, double *table)
{
    struct assembly assembly = {.grid = grid};

    memset(table, 0, starfish_band_table_start(grid->n[0], grid->n[1], STORED) * sizeof *table);
    for (size_t b = 0; b < STORED; b++)
        assembly.band[b] = table + starfish_band_table_start(grid->n[0], grid->n[1], b);
    for (size_t ey = 0; ey < grid->elements[1]; ey++)
        for (size_t ex = 0; ex < grid->elements[0]; ex++)
            add_edges(&assembly, ex, ey);
}

void starfish_q1_diagonals(const struct starfish_q1_grid *grid, double *table)
{
    const struct starfish_band_matrix bands = starfish_band_table_point(grid->n[0], grid->n[1], table, sizeof *table);
    double *sum = table + starfish_band_table_start(grid->n[0], grid->n[1], SUM);

    for (size_t e = 0; e < grid->n[0] * grid->n[1]; e++)
        sum[e] = starfish_band_diagonal(&bands, e);
}

/* Unknown i of a direction lies at node i + low, low 1 where the first node is at a Dirichlet end and no unknown. */
void starfish_q1_tensor(const struct starfish_q1_grid *grid, double *table)
{
    for (int d = 0; d < 2; d++) {
        const size_t count = grid->n[d] + 1, low = (size_t)grid->dirichlet[d][0];
        for (size_t i = 0; i < count; i++) {
            const int inside = i + low > 0 && i + low - 1 < grid->elements[d];
            const double width = inside ? grid->width[d][i + low - 1] : 0;
            table[i] = width;
            table[count + i] = inside ? 1 / width : 0;
        }
        table += 2 * count;
    }
}

/* ---- The coarsest grid ------------------------------------------------------------------------------------------- */

/* The upper triangle, row by row, as LAPACK's lower one column by column. */
static void fill_triangle(const struct starfish_q1_grid *grid, const double *table, double *matrix)
{
    const size_t nx = grid->n[0], ny = grid->n[1], n = nx * ny;
    const size_t ahead[STORED] = {0, 1, nx - 1, nx, nx + 1};
    const struct starfish_band_matrix bands = starfish_band_table_point(nx, ny, table, sizeof *table);

    memset(matrix, 0, n * n * sizeof *matrix);
    for (size_t i = 0; i < n; i++)
        matrix[i * n + i] = starfish_band_diagonal(&bands, i);
    for (size_t b = 1; b < STORED; b++)
        for (size_t i = 0; i + ahead[b] < n; i++)
            matrix[i * n + i + ahead[b]] += table[starfish_band_table_start(nx, ny, b) + i];
}

starfish_status starfish_q1_inverse(const struct starfish_q1_grid *grid, const double *table, double *inverse)
{
    const size_t n = grid->n[0] * grid->n[1];

    fill_triangle(grid, table, inverse);
    if (starfish_coarse_invert(n, inverse) != 0)
        return starfish_fail(STARFISH_ERROR_NUMERICAL, "the matrix of the coarsest grid is not positive definite");
    return STARFISH_SUCCESS;
}
