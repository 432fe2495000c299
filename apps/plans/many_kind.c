/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The kind of plan that --many names: small cubes of cells, all as one solve of the slab method. */
#include "apps/lists.h"
#include "apps/plans/batch_case.h"
#include "apps/plans/plan.h"
#include "poisson/methods.h"
#include "poisson/options.h"

#include <stdio.h>
#include <string.h>

struct many_run {
    size_t n, count, row; /* of each cube; cubes; of a row of the solution, with ghosts */
    struct starfish_poisson_options options;
};

static starfish_status read_words(const char *text, struct many_run *run)
{
    struct list words;
    struct batch_case size;
    STARFISH_TRY(list_read("--many", text, ',', &words));
    STARFISH_TRY(batch_case_read_size("--many", words.item[0], &size));
    run->n = size.n;
    run->count = run->options.count = size.lines;
    for (size_t i = 1; i < words.count; ++i)
        if (strcmp(words.item[i], "ghosts") == 0)
            run->options.ghosts = 1;
        else if (strcmp(words.item[i], "check-data") == 0)
            run->options.check_data = 1;
        else
            return starfish_fail(STARFISH_ERROR_ARGUMENT, "--many: '%s' is not ghosts or check-data", words.item[i]);
    return STARFISH_SUCCESS;
}

static starfish_status open_many(struct plan *plan)
{
    const struct plan_options *given = &plan->options;
    struct many_run *run = plan->data;
    STARFISH_FAIL_IF(given->precision == STARFISH_PRECISION_MIXED || given->cycles > 0, STARFISH_ERROR_UNSUPPORTED,
                     "--many: neither --precision mixed nor --cycles");
    starfish_options_set_defaults(&starfish_poisson_option_table, &run->options);
    run->options.size = sizeof run->options;
    run->options.method = STARFISH_METHOD_SLAB;
    run->options.precision = (starfish_precision)given->precision;
    plan->library = &run->options;
    STARFISH_TRY(read_words(given->named[PLAN_MANY], run));
    run->row = run->n + (run->options.ghosts ? 2 : 0);
    if (run->options.ghosts)
        run->options.solution_layout = (struct starfish_array_layout){.row = run->row,
                                                                      .plane = run->row * run->row,
                                                                      .problem = run->row * run->row * run->row,
                                                                      .offset = 1 + run->row + run->row * run->row};
    STARFISH_TRY(plan_make_array(plan, 0, run->options.precision, run->count * run->n * run->n * run->n, 1));
    STARFISH_TRY(plan_make_array(plan, 1, run->options.precision, run->count * run->row * run->row * run->row, 0));
    snprintf(plan->name, sizeof plan->name, "%zu cubes of %zu^3 cells", run->count, run->n);
    snprintf(plan->size, sizeof plan->size, "%zu x %zu^3 cells, %s", run->count, run->n,
             starfish_precision_names[given->precision]);
    snprintf(plan->method, sizeof plan->method, "%s", starfish_method_list[STARFISH_METHOD_SLAB]);
    plan->rows = run->count;
    return STARFISH_SUCCESS;
}

static starfish_status create_plan(struct plan *plan, int check)
{
    struct many_run *run = plan->data;
    const struct starfish_axis axis = {
        .n = run->n, .length = 1, .ends = {STARFISH_DIRICHLET, STARFISH_DIRICHLET}, .grid = STARFISH_CELL};
    const struct starfish_poisson_problem problem = {.axis = {axis, axis, axis}, .lambda = 0};
    struct starfish_poisson_options options = run->options;
    options.check_residual = check;
    return starfish_poisson_plan_create(plan->context, &problem, &options, &plan->made);
}

static starfish_status check_solution(struct plan *plan)
{
    const struct many_run *run = plan->data;
    const double most = run->options.precision == STARFISH_F32 ? 1e-3 : 1e-9;
    plan->residual = plan->result.residual_max;
    STARFISH_FAIL_IF(!(plan->residual < most), STARFISH_ERROR_NUMERICAL, "%s: the residual is %g", plan->name,
                     plan->residual);
    return STARFISH_SUCCESS;
}

const struct plan_kind plan_many = {.whose = "--many",
                                    .table = &starfish_poisson_option_table,
                                    .bytes = sizeof(struct many_run),
                                    .open = open_many,
                                    .create = create_plan,
                                    .solve = plan_solve,
                                    .check = check_solution};
