/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What kernels on cells take: operations and bytes by their formulas (cells.h, blocks.h, coarse.h, gradients.h). */
#include "krylov/kernels/gradients.h"

/* Of a step for a cell: operations, those for each of its faces (two a direction), words of vectors and tables, whether
 * the matrix is read, and operations where there are sums. A u is a difference, a product and a sum for each face, and
 * a product with extra. With s and S of incomplete Poisson, S having c s s for a face of coupling c to a cell below:
 * first s u + s sum c s (s u), second s (u + s sum c s u), dropped s ((1 + sum S S) s u + s sum c s (s u)). */
static const struct {
    double operations, of_face, words, of_sums;
    int has_matrix;
} steps[STARFISH_CELL_STEPS] = {
    [STARFISH_CELLS_APPLY] = {1, 3, 2, 2, 1},       [STARFISH_CELLS_TURN] = {3, 3, 4, 2, 1},
    [STARFISH_CELLS_RESIDUAL] = {2, 3, 3, 2, 1},    [STARFISH_CELLS_ABSOLUTE] = {1, 3, 1, 2, 1},
    [STARFISH_CELLS_ADVANCE] = {4, 0, 6, 2, 0},     [STARFISH_CELLS_ADVANCE_WIDE] = {4, 0, 6, 2, 0},
    [STARFISH_CELLS_JACOBI] = {1, 0, 3, 2, 0},      [STARFISH_CELLS_IP_FIRST] = {3, 2, 3, 2, 1},
    [STARFISH_CELLS_IP_SECOND] = {3, 1.5, 4, 2, 1}, [STARFISH_CELLS_IP_DROPPED] = {5, 6, 3, 2, 1},
    [STARFISH_CELLS_PROLONG] = {1, 0, 3.5, 2, 0},   [STARFISH_CELLS_PROLONG_WIDE] = {2, 0, 2.5, 0, 0},
    [STARFISH_CELLS_SUM] = {0, 0, 1, 1, 0},         [STARFISH_CELLS_SHIFT] = {1, 0, 2, 0, 0},
    [STARFISH_CELLS_LARGEST] = {0, 0, 1, 0, 0},
};

static double matrix_words(const struct starfish_cell_matrix *matrix)
{
    return matrix->stored ? starfish_directions(matrix->n) + !matrix->without_extra : 1;
}

struct starfish_cost starfish_cells_cost(starfish_precision precision, enum starfish_cell_step step,
                                         const struct starfish_cell_matrix *matrix, double cells, int has_sums)
{
    return starfish_cost_of(cells,
                            steps[step].operations + steps[step].of_face * 2 * starfish_directions(matrix->n) +
                                (has_sums ? steps[step].of_sums : 0),
                            steps[step].words + (steps[step].has_matrix ? matrix_words(matrix) : 0), precision);
}

/* Forward and back, for each entry beside the diagonal a product and a difference; products with the table. */
struct starfish_cost starfish_blocks_cost(starfish_precision precision, const struct starfish_blocks *arguments,
                                          double cells, int has_sums)
{
    const int entries = arguments->block > 0 ? 2 * starfish_directions(arguments->cells.matrix.n) : 2;

    return starfish_cost_of(cells, 2 * entries + 2 + (has_sums ? 2 : 0), 9, precision);
}

struct starfish_cost starfish_chunk_sums_cost(starfish_precision precision, double cells, double terms)
{
    struct starfish_cost cost = starfish_cost_of(cells, 1, 1, precision);

    starfish_cost_add(&cost, starfish_cost_of(terms, 2, 2, precision));
    cost.bytes += (cells + terms) * sizeof(int);
    return cost;
}

/* A product and a sum for each entry that is used, which of a band and of halves all are twice. */
struct starfish_cost starfish_coarse_solve_cost(const struct starfish_coarse_solve *arguments)
{
    const double n = (double)arguments->unknowns;

    switch (arguments->form) {
    case STARFISH_COARSE_BY_BAND:
        return starfish_cost_of(n * (double)(arguments->band + 1), 4, 2, STARFISH_F64);
    case STARFISH_COARSE_BY_HALVES:
        return starfish_cost_of((double)arguments->entries, 4, 2, STARFISH_F64);
    default:
        return starfish_cost_of(n * n, 2, 1, STARFISH_F64);
    }
}

static struct starfish_cost preconditioner_cost(starfish_precision precision, const struct starfish_gradients *g,
                                                double cells)
{
    const struct starfish_cell_matrix *matrix = &g->blocks.cells.matrix;
    const int has_sums = !g->deflated;
    struct starfish_cost cost = {0, 0};

    switch (g->by) {
    case STARFISH_CELLS_BY_DIAGONAL:
        return starfish_cells_cost(precision, STARFISH_CELLS_JACOBI, matrix, cells, has_sums);
    case STARFISH_CELLS_BY_IP:
        cost = starfish_cells_cost(precision, STARFISH_CELLS_IP_FIRST, matrix, cells, 0);
        starfish_cost_add(&cost, starfish_cells_cost(precision, STARFISH_CELLS_IP_SECOND, matrix, cells, has_sums));
        return cost;
    case STARFISH_CELLS_BY_IP_DROPPED:
        return starfish_cells_cost(precision, STARFISH_CELLS_IP_DROPPED, matrix, cells, has_sums);
    case STARFISH_CELLS_BY_BLOCKS:
    case STARFISH_CELLS_BY_LINES:
        return starfish_blocks_cost(precision, &g->blocks, cells, has_sums);
    case STARFISH_CELLS_BY_NOTHING:
        return g->deflated ? cost : starfish_cost_of(cells, 2, 3, precision);
    case STARFISH_CELLS_BY_ANOTHER:
        break;
    }
    return cost;
}

struct starfish_cost starfish_gradients_cost(starfish_precision precision, const struct starfish_gradients *g,
                                             struct starfish_cost beside)
{
    const struct starfish_cell_matrix *matrix = &g->blocks.cells.matrix;
    const double cells = (double)(matrix->n[0] * matrix->n[1] * (g->blocks.cells.last - g->blocks.cells.first));
    struct starfish_cost step = beside;

    starfish_cost_add(&step, preconditioner_cost(precision, g, cells));
    if (g->deflated)
        starfish_cost_add(&step, starfish_cells_cost(precision, STARFISH_CELLS_PROLONG, matrix, cells, 1));
    starfish_cost_add(&step, starfish_cells_cost(precision, STARFISH_CELLS_TURN, matrix, cells, 1));
    starfish_cost_add(&step, starfish_cells_cost(precision, STARFISH_CELLS_ADVANCE, matrix, cells, 1));
    return (struct starfish_cost){g->count * step.operations, g->count * step.bytes};
}
