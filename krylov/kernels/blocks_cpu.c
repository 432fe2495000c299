/* Substitution by blocks and lines on a core. */
#include "krylov/kernels/blocks.h"

#include "krylov/kernels/block_run.h"

#include <string.h>

void REAL_NAME(starfish_blocks_cpu)(const struct starfish_blocks *a)
{
    const struct starfish_cells *c = &a->cells;
    double sum = 0;

    for (size_t run = a->run0; run < a->run1; run++)
        sum += run_solve(a, run);
    if (!c->sums)
        return;
    if (c->slot == 0)
        memset(c->sums + c->slots, 0, (STARFISH_SUMS - c->slots) * sizeof *c->sums);
    c->sums[c->slot] = sum;
}

#ifdef STARFISH_REAL_F64
size_t starfish_blocks_count(const struct starfish_blocks *a)
{
    const size_t plane = a->cells.matrix.n[0] * a->cells.matrix.n[1];

    return a->block == 0 ? plane : ((a->cells.last - a->cells.first) * plane + a->block - 1) / a->block;
}

/* D of a cell: its diagonal, less the squares of what is eliminated. */
static double pivot(const struct starfish_blocks *a, const struct run *run, size_t e, const double *table)
{
    const struct starfish_cell_matrix *m = &a->cells.matrix;
    const struct place at = place_of(m, e);
    const struct cell c = cell_at(&a->cells, at.i, at.j, at.k);
    double diagonal = cell_extra(m, &c);

    for (int d = 0; d < 3; d++)
        diagonal += (c.above[d] != c.e ? cell_coupling_above(m, &c, d) : 0) +
                    (c.below[d] != c.e ? cell_coupling_below(m, &c, d) : 0);
    const double value = diagonal - run_sum(a, run, &c, table, 0, 1);
    return value > 1e-8 * diagonal ? value : diagonal;
}

void starfish_blocks_factor(const struct starfish_blocks *a, double *table)
{
    const size_t runs = starfish_blocks_count(a);

    for (size_t number = 0; number < runs; number++) {
        const struct run run = run_at(a, number);
        for (size_t e = run.begin; e < run.end; e += run.stride)
            table[e] = 1 / pivot(a, &run, e, table);
    }
}
#endif
