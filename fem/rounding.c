/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How large rounding errors may make a residual, in the equations of all free unknowns.
 *
 * Only solves that miss their tolerance need this bound. The host's matrix of the finest grid has been freed by then:
 * the plan stores its entries packed for kernels, possibly in parts and on GPUs. The first such solve therefore
 * assembles it again on the host's cores, and the plan keeps it. */
#include "fem/plan.h"
#include "fem/ranks.h"

#include "base/precision.h"
#include "scheduler/runtime/host_loop.h"
#include "scheduler/runtime/ranks.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 8192 };

/* The rows of this rank's unknowns. */
static starfish_status assemble(struct starfish_fem_plan *plan)
{
    const struct starfish_fem_mesh mesh = {.dimensions = plan->mesh.d};
    const struct starfish_fem_problem problem = {.mesh = &mesh, .element = plan->element};
    const struct starfish_fem_sums sums = {.a = &plan->finest};
    unsigned char *rows = plan->is_dealt ? calloc(plan->space.unknowns + 1, 1) : NULL;

    STARFISH_FAIL_IF(plan->is_dealt && !rows, STARFISH_ERROR_MEMORY, "out of memory for the rows of a rank");
    if (rows)
        memset(rows + plan->own[0], 1, plan->own[1] - plan->own[0]);
    const starfish_status status = starfish_fem_assemble(&problem, &plan->space, rows, &sums);
    free(rows);
    if (status != STARFISH_SUCCESS)
        starfish_csr_destroy(&plan->finest);
    return status;
}

struct rounding {
    const struct starfish_fem_plan *plan;
    const void *u;
    double *square; /* by run of rows */
};

static void add_squares(void *data, size_t first, size_t last)
{
    const struct rounding *r = data;
    const struct starfish_csr *a = &r->plan->finest;
    const starfish_precision precision = r->plan->options.precision;
    double square = 0;

    for (size_t i = first + r->plan->own[0]; i < last + r->plan->own[0]; i++) {
        double sum = 0;
        for (int e = a->start[i]; e < a->start[i + 1]; e++)
            sum += fabs(a->value[e] * starfish_element(r->u, precision, (size_t)a->column[e]));
        square += sum * sum;
    }
    r->square[first / ROWS] = square;
}

/* The sum of the squares of |A| |u| over this rank's rows. */
static starfish_status find_square(const struct starfish_fem_plan *plan, const void *u, double *square)
{
    const size_t rows = plan->own[1] - plan->own[0], runs = (rows + ROWS - 1) / ROWS;
    const struct rounding rounding = {plan, u, malloc((runs + 1) * sizeof *rounding.square)};

    STARFISH_FAIL_IF(!rounding.square, STARFISH_ERROR_MEMORY, "out of memory for the bound of rounding errors");
    starfish_host_loop_in_call(rows, ROWS, add_squares, (void *)(uintptr_t)&rounding);
    *square = 0;
    for (size_t k = 0; k < runs; k++)
        *square += rounding.square[k];
    free(rounding.square);
    return STARFISH_SUCCESS;
}

starfish_status starfish_fem_rounding(struct starfish_fem_plan *plan, const void *u, double *rounding)
{
    void *together = NULL;
    double square = 0;

    STARFISH_TRY(starfish_ranks_agree(plan->plan.context, plan->finest.start ? STARFISH_SUCCESS : assemble(plan)));
    if (plan->is_dealt)
        STARFISH_TRY(starfish_fem_bring_together(plan, u, 1, &together));
    const starfish_status status = find_square(plan, together ? together : u, &square);
    free(together);
    STARFISH_TRY(starfish_ranks_agree(plan->plan.context, status));
    STARFISH_TRY(starfish_fem_sum(plan, &square, 1));
    *rounding = starfish_rounding(plan->options.precision, sqrt(square), plan->load_norm);
    return STARFISH_SUCCESS;
}
