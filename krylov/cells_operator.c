/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Matrices of cells as operators, their preconditioners, and the tables of these. */
#include "krylov/cells_operator.h"

#include "base/pages.h"
#include "krylov/kernels/blocks.h"
#include "scheduler/runtime/ranks.h"

#include <math.h>
#include <stdlib.h>

/* ---- Tasks ------------------------------------------------------------------------------------------------------- */

static starfish_status submit(const struct starfish_cells_matrix *m, enum starfish_cell_step step,
                              struct starfish_cells_task task)
{
    task.op = m->steps.op;
    task.step = step;
    task.table = m->steps.table;
    return starfish_submit_cells(m->algebra, &task);
}

static starfish_status residual(const void *self, const struct starfish_vector *u, const struct starfish_vector *f,
                                const struct starfish_vector *result, const struct starfish_sums *sums)
{
    return submit(self, STARFISH_CELLS_RESIDUAL,
                  (struct starfish_cells_task){.u = u, .f = f, .q = result, .sums = sums});
}

static starfish_status multiply(const void *self, const struct starfish_vector *p, const struct starfish_vector *q,
                                const struct starfish_sums *pq)
{
    return submit(self, STARFISH_CELLS_APPLY, (struct starfish_cells_task){.u = p, .q = q, .sums = pq});
}

static starfish_status advance(const void *self, const struct starfish_factor *factor, const struct starfish_vector *p,
                               const struct starfish_vector *q, const struct starfish_vector *x,
                               const struct starfish_vector *r, const struct starfish_sums *sums)
{
    return submit(self, x->precision == p->precision ? STARFISH_CELLS_ADVANCE : STARFISH_CELLS_ADVANCE_WIDE,
                  (struct starfish_cells_task){.u = p, .f = q, .v = x, .r = r, .factor = *factor, .sums = sums});
}

struct starfish_linear_operator starfish_cells_operator(const struct starfish_cells_matrix *matrix)
{
    return (struct starfish_linear_operator){
        .self = matrix, .residual = residual, .multiply = multiply, .advance = advance};
}

static starfish_status precondition(void *self, const struct starfish_vector *r, const struct starfish_vector *z,
                                    const struct starfish_sums *rz)
{
    static const enum starfish_cell_step steps[] = {[STARFISH_CELLS_BY_DIAGONAL] = STARFISH_CELLS_JACOBI,
                                                    [STARFISH_CELLS_BY_IP] = STARFISH_CELLS_IP_SECOND,
                                                    [STARFISH_CELLS_BY_IP_DROPPED] = STARFISH_CELLS_IP_DROPPED,
                                                    [STARFISH_CELLS_BY_BLOCKS] = STARFISH_CELLS_JACOBI,
                                                    [STARFISH_CELLS_BY_LINES] = STARFISH_CELLS_JACOBI};
    const struct starfish_cells_matrix *m = self;
    struct starfish_cells_task task = {.u = r, .q = z, .sums = rz};

    if (m->steps.by == STARFISH_CELLS_BY_IP) {
        STARFISH_TRY(submit(m, STARFISH_CELLS_IP_FIRST, (struct starfish_cells_task){.u = r, .q = m->half}));
        task.u = m->half;
        task.f = r;
    }
    task.by_runs = m->steps.by == STARFISH_CELLS_BY_BLOCKS || m->steps.by == STARFISH_CELLS_BY_LINES;
    task.block = m->steps.by == STARFISH_CELLS_BY_BLOCKS ? m->steps.block : 0;
    return submit(m, steps[m->steps.by], task);
}

struct starfish_preconditioner starfish_cells_preconditioner(struct starfish_cells_matrix *matrix)
{
    return (struct starfish_preconditioner){
        .self = matrix, .apply_and_sum = matrix->steps.by == STARFISH_CELLS_BY_NOTHING ? NULL : precondition};
}

/* ---- Tables ------------------------------------------------------------------------------------------------------ */

static double sum_of_row(const struct starfish_cell_matrix *m, size_t cell)
{
    const double *stored = m->stored;
    const size_t count = m->n[0] * m->n[1] * m->n[2];
    size_t stride = 1;
    double sum = stored[3 * count + cell];

    for (int d = 0; d < 3; d++) {
        const size_t at = m->n[d] > 1 && stride > 0 ? cell / stride % m->n[d] : 0;
        const size_t below = at > 0 ? cell - stride : cell + (m->n[d] - 1) * stride;
        sum += m->n[d] > 1 ? stored[(size_t)d * count + cell] + stored[(size_t)d * count + below] : 0;
        stride *= m->n[d];
    }
    return sum;
}

/* Of the parts that are here. */
static void factor_runs(const struct starfish_cells_table_spec *s, double *values)
{
    const struct starfish_space *space = s->space;

    for (size_t part = 0; part < space->parts[1]; part++) {
        const struct starfish_blocks blocks = {.cells = {.matrix = *s->matrix,
                                                         .first = space->first[1][part],
                                                         .last = space->first[1][part + 1],
                                                         .below = (ptrdiff_t)s->matrix->n[2] - 1},
                                               .block = s->by == STARFISH_CELLS_BY_LINES ? 0 : s->block};
        if (!space->on_ranks || starfish_space_rank(space, part) == starfish_context_rank(space->context))
            starfish_blocks_factor(&blocks, values);
    }
}

struct diagonals {
    const struct starfish_cells_table_spec *spec;
    double *values;
};

static void fill_diagonals(void *data, size_t first, size_t last)
{
    const struct diagonals *d = data;

    for (size_t cell = first; cell < last; cell++) {
        const double diagonal = fabs(sum_of_row(d->spec->matrix, cell));
        const double safe = diagonal > 0 ? diagonal : 1; /* a single cell without any end */
        d->values[cell] = d->spec->by == STARFISH_CELLS_BY_DIAGONAL ? 1 / safe : 1 / sqrt(safe);
    }
}

/* Of neighbouring planes tasks read one; the couplings of a row are in two. */
starfish_status starfish_cells_table(const struct starfish_cells_table_spec *s,
                                     struct starfish_coefficient_table *table)
{
    enum { RUN = 1 << 16 };
    const size_t plane = s->matrix->n[0] * s->matrix->n[1], count = plane * s->matrix->n[2];
    const int by_runs = s->by == STARFISH_CELLS_BY_BLOCKS || s->by == STARFISH_CELLS_BY_LINES;
    const struct starfish_halo_window read = starfish_halo_window_with_depth(s->window, !by_runs);
    const struct starfish_spans spans = starfish_halo_window_spans(&read, 1, plane);

    if (s->by == STARFISH_CELLS_BY_NOTHING || s->by == STARFISH_CELLS_BY_ANOTHER)
        return STARFISH_SUCCESS;
    double *values = starfish_pages_alloc(count * sizeof *values);
    STARFISH_FAIL_IF(!values, STARFISH_ERROR_MEMORY, "out of memory for a preconditioner of %zu unknowns", count);
    if (by_runs)
        factor_runs(s, values);
    else
        starfish_spans_loop(&spans, RUN, fill_diagonals, &(struct diagonals){s, values});
    const starfish_status status = starfish_coefficient_table_reals_of(table, s->precision, values, count, &spans);
    free(values);
    return status;
}
