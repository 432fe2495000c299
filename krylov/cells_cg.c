/* Conjugate gradients on cells. */
#include "krylov/cells_cg.h"

#include "base/pages.h"
#include "base/status.h"
#include "codelets/gradients.h"
#include "krylov/kernels/blocks.h"
#include "scheduler/ranks.h"

#include <math.h>
#include <stdlib.h>

/* ---- Preconditioners --------------------------------------------------------------------------------------------- */

static starfish_status submit_step(const struct starfish_cells_cg *cg, struct starfish_cells_task task,
                                   enum starfish_cell_step step)
{
    task.op = cg->op;
    task.step = step;
    task.table = cg->table ? cg->table->handle : NULL;
    return starfish_submit_cells(cg->algebra, &task);
}

static starfish_status by_runs(const struct starfish_cells_cg *cg, size_t block, struct starfish_cells_task task)
{
    task.by_runs = 1;
    task.block = block;
    return submit_step(cg, task, STARFISH_CELLS_JACOBI);
}

static starfish_status by_another(const struct starfish_cells_cg *cg, int number, const struct starfish_vector *r,
                                  const struct starfish_vector *z, const struct starfish_sums *rz)
{
    int cycles;

    STARFISH_TRY(cg->other.apply(cg->other.self, number, r, z, 1, &cycles));
    return rz ? starfish_algebra_product(cg->algebra, r, z, rz) : STARFISH_SUCCESS;
}

/* z = M^-1 r, and into rz, where not NULL, their product. Incomplete Poisson's first half goes to q, which nobody needs
 * then. */
static starfish_status precondition(const struct starfish_cells_cg *cg, int number, const struct starfish_vector *r,
                                    const struct starfish_vector *z, const struct starfish_sums *rz)
{
    const struct starfish_cells_task task = {.u = r, .q = z, .sums = rz};

    switch (cg->by) {
    case STARFISH_CELLS_BY_NOTHING:
        STARFISH_TRY(starfish_algebra_update(cg->algebra, r, NULL, NULL, z));
        return rz ? starfish_algebra_product(cg->algebra, r, z, rz) : STARFISH_SUCCESS;
    case STARFISH_CELLS_BY_DIAGONAL:
        return submit_step(cg, task, STARFISH_CELLS_JACOBI);
    case STARFISH_CELLS_BY_IP:
        STARFISH_TRY(submit_step(cg, (struct starfish_cells_task){.u = r, .q = cg->q}, STARFISH_CELLS_IP_FIRST));
        return submit_step(cg, (struct starfish_cells_task){.u = cg->q, .f = r, .q = z, .sums = rz},
                           STARFISH_CELLS_IP_SECOND);
    case STARFISH_CELLS_BY_IP_DROPPED:
        return submit_step(cg, task, STARFISH_CELLS_IP_DROPPED);
    case STARFISH_CELLS_BY_BLOCKS:
        return by_runs(cg, cg->block, task);
    case STARFISH_CELLS_BY_LINES:
        return by_runs(cg, 0, task);
    case STARFISH_CELLS_BY_ANOTHER:
        break;
    }
    return by_another(cg, number, r, z, rz);
}

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
starfish_status starfish_cells_table(const struct starfish_cells_table_spec *s, struct starfish_table *table)
{
    enum { RUN = 1 << 16 };
    const size_t plane = s->matrix->n[0] * s->matrix->n[1], count = plane * s->matrix->n[2];
    const int by_runs = s->by == STARFISH_CELLS_BY_BLOCKS || s->by == STARFISH_CELLS_BY_LINES;
    const struct starfish_window read = starfish_window_with_depth(s->window, !by_runs);
    const struct starfish_spans spans = starfish_window_spans(&read, 1, plane);

    if (s->by == STARFISH_CELLS_BY_NOTHING || s->by == STARFISH_CELLS_BY_ANOTHER)
        return STARFISH_SUCCESS;
    double *values = starfish_pages_alloc(count * sizeof *values);
    if (!values)
        return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for a preconditioner of %zu unknowns", count);
    if (by_runs)
        factor_runs(s, values);
    else
        starfish_spans_loop(&spans, RUN, fill_diagonals, &(struct diagonals){s, values});
    const starfish_status status = starfish_table_reals_of(table, s->precision, values, count, &spans);
    free(values);
    return status;
}

/* ---- Steps ------------------------------------------------------------------------------------------------------- */

/* The norm is made by the step itself, but for the first one. */
static starfish_status residual(void *self, int zero, const struct starfish_sums *sums)
{
    const struct starfish_cells_cg *cg = self;

    return zero ? starfish_algebra_product(cg->algebra, cg->r, cg->r, sums) : STARFISH_SUCCESS;
}

/* q = A p; x += factor alpha p, r -= alpha q. */
static starfish_status apply(const struct starfish_cells_cg *cg, const struct starfish_sums *product)
{
    return submit_step(cg, (struct starfish_cells_task){.u = cg->p, .q = cg->q, .sums = product}, STARFISH_CELLS_APPLY);
}

static starfish_status advance(const struct starfish_cells_cg *cg, const struct starfish_factor *factor,
                               const struct starfish_sums *norm)
{
    const int wide = cg->x->precision != cg->p->precision;
    struct starfish_cells_task task = {.u = cg->p, .f = cg->q, .v = cg->x, .r = cg->r, .factor = *factor, .sums = norm};

    task.factor.number = cg->unscale;
    return submit_step(cg, task, wide ? STARFISH_CELLS_ADVANCE_WIDE : STARFISH_CELLS_ADVANCE);
}

/* Begin with Q r. */
static starfish_status begin(const struct starfish_cells_cg *cg)
{
    const struct starfish_factor one = {.number = 1};

    if (!cg->deflation)
        return STARFISH_SUCCESS;
    STARFISH_TRY(starfish_deflation_solve(cg->deflation, cg->algebra, cg->r, NULL));
    STARFISH_TRY(starfish_deflation_prolong(cg->deflation, cg->algebra, cg->op, NULL, NULL, cg->p, NULL));
    STARFISH_TRY(apply(cg, NULL));
    return advance(cg, &one, NULL);
}

/* z = (P' M^-1 + Q) r = y + Q (r - A y), y = M^-1 r. */
static starfish_status deflate(const struct starfish_cells_cg *cg, int number)
{
    const struct starfish_vector *y = cg->by == STARFISH_CELLS_BY_NOTHING ? cg->r : cg->z;

    if (y == cg->z)
        STARFISH_TRY(precondition(cg, number, cg->r, cg->z, NULL));
    if (cg->product_with_az) {
        STARFISH_TRY(
            submit_step(cg, (struct starfish_cells_task){.u = y, .f = cg->r, .q = cg->q}, STARFISH_CELLS_RESIDUAL));
        STARFISH_TRY(starfish_deflation_solve(cg->deflation, cg->algebra, cg->q, NULL));
    } else {
        STARFISH_TRY(starfish_deflation_solve(cg->deflation, cg->algebra, cg->r, y));
    }
    return starfish_deflation_prolong(cg->deflation, cg->algebra, cg->op, y, cg->r, cg->z, cg->rz);
}

static starfish_status step(void *self, int number, int zero, int most, int *cycles)
{
    const struct starfish_cells_cg *cg = self;
    const struct starfish_scalars_task direction = {.stage = STARFISH_KRYLOV_DIRECTION, .sign = 1, .sums = cg->rz};
    const struct starfish_scalars_task length = {.stage = STARFISH_KRYLOV_STEP, .sign = 1, .sums = cg->product};
    const struct starfish_factor alpha = starfish_scalars_factor(cg->scalars, 1, STARFISH_KRYLOV_ALPHA);
    const struct starfish_factor beta = starfish_scalars_factor(cg->scalars, 1, STARFISH_KRYLOV_BETA);

    (void)zero, (void)most;
    *cycles = 1;
    if (number == 0)
        STARFISH_TRY(begin(cg));
    STARFISH_TRY(cg->deflation ? deflate(cg, number) : precondition(cg, number, cg->r, cg->z, cg->rz));
    STARFISH_TRY(starfish_scalars_advance(cg->scalars, cg->algebra, &direction));
    STARFISH_TRY(number == 0 ? starfish_algebra_update(cg->algebra, cg->z, NULL, NULL, cg->p)
                             : starfish_algebra_update(cg->algebra, cg->z, &beta, cg->p, cg->p));
    STARFISH_TRY(apply(cg, cg->product));
    STARFISH_TRY(starfish_scalars_advance(cg->scalars, cg->algebra, &length));
    return advance(cg, &alpha, cg->norm);
}

static starfish_status steps(void *self, int first, int count)
{
    const struct starfish_cells_cg *cg = self;
    const struct starfish_cells_deflation *d = cg->deflation;
    const struct starfish_gradients_task task = {.op = cg->op,
                                                 .by = cg->by,
                                                 .cycle = cg->by == STARFISH_CELLS_BY_ANOTHER ? cg->cycle : NULL,
                                                 .block = cg->block,
                                                 .table = cg->table ? cg->table->handle : NULL,
                                                 .coarse = d ? &d->coarse : NULL,
                                                 .chunks = d ? d->chunks : NULL,
                                                 .domain = d ? d->domain.handle : NULL,
                                                 .r = cg->r,
                                                 .z = cg->z,
                                                 .p = {cg->p, cg->other_p},
                                                 .q = cg->q,
                                                 .x = cg->x,
                                                 .state = cg->scalars->state.handle,
                                                 .norm = cg->norm->part[0].handle,
                                                 .product = cg->product->part[0].handle,
                                                 .rz = cg->rz->part[0].handle,
                                                 .first = first,
                                                 .count = count,
                                                 .replays = cg->replays};

    if (first == 0)
        STARFISH_TRY(begin(cg));
    return starfish_submit_gradients(cg->algebra, &task);
}

int starfish_cells_cg_fuses(const struct starfish_space *space, enum starfish_cell_preconditioner by,
                            enum starfish_coarse_form form)
{
    const int gpus = starfish_context_workers_of(space->context, STARFISH_GPU) > 0;
    const int one = starfish_context_workers_of(space->context, STARFISH_CPU) == 1;

    if (space->parts[1] != 1 || !starfish_gradients_known(space->context, gpus ? STARFISH_GPU : STARFISH_CPU))
        return 0;
    if (by == STARFISH_CELLS_BY_ANOTHER)
        return one && !gpus;
    return gpus ? form != STARFISH_COARSE_BY_BAND : one;
}

struct starfish_iteration starfish_cells_cg_iteration(struct starfish_cells_cg *cg)
{
    return (struct starfish_iteration){.self = cg,
                                       .residual = residual,
                                       .step = step,
                                       .steps = cg->other_p && !cg->product_with_az ? steps : NULL,
                                       .algebra = cg->algebra,
                                       .scalars = cg->scalars,
                                       .sums = cg->norm,
                                       .needs_residual = 1,
                                       .most_ahead = STARFISH_KRYLOV_RING};
}
