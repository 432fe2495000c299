/* Steps of an iteration on the cells of a matrix, on a core. Bound by memory; the couplings of a stored matrix are four
 * words of each cell. */
#include "krylov/kernels/cells.h"

#include "krylov/kernels/cell_step.h"

#include <string.h>

static inline double walk(enum starfish_cell_step step, const struct starfish_cells *a)
{
    const double scalar = a->scalar ? *a->scalar : 1;
    double sum = 0;

    for (size_t k = a->first; k < a->last; k++)
        for (size_t j = 0; j < a->matrix.n[1]; j++)
            for (size_t i = 0; i < a->matrix.n[0]; i++) {
                const struct cell c = cell_at(a, i, j, k);
                sum = cell_add(step, sum, cell_step(step, a, &c, scalar));
            }
    return sum;
}

/* A loop for each step, in which it is a constant. */
static double sum_of(enum starfish_cell_step step, const struct starfish_cells *a)
{
    switch (step) {
    case STARFISH_CELLS_APPLY:
        return walk(STARFISH_CELLS_APPLY, a);
    case STARFISH_CELLS_RESIDUAL:
        return walk(STARFISH_CELLS_RESIDUAL, a);
    case STARFISH_CELLS_ADVANCE:
        return walk(STARFISH_CELLS_ADVANCE, a);
    case STARFISH_CELLS_JACOBI:
        return walk(STARFISH_CELLS_JACOBI, a);
    case STARFISH_CELLS_IP_FIRST:
        return walk(STARFISH_CELLS_IP_FIRST, a);
    case STARFISH_CELLS_IP_SECOND:
        return walk(STARFISH_CELLS_IP_SECOND, a);
    case STARFISH_CELLS_PROLONG:
        return walk(STARFISH_CELLS_PROLONG, a);
    default:
        return walk(step, a);
    }
}

void REAL_NAME(starfish_cells_cpu)(enum starfish_cell_step step, const struct starfish_cells *a)
{
    const double sum = sum_of(step, a);

    if (!a->sums)
        return;
    if (a->slot == 0)
        memset(a->sums + a->slots, 0, (STARFISH_SUMS - a->slots) * sizeof *a->sums);
    a->sums[a->slot] = sum;
}
