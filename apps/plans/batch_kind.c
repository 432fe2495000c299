/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The kind of plan that --batch names: tridiagonal lines, with the size and layout that the option's words give. */
#include "apps/files/array.h"
#include "apps/lists.h"
#include "apps/plans/batch_case.h"
#include "apps/plans/plan.h"
#include "apps/recorded/simulate.h"
#include "base/real.h"

#include <stdio.h>
#include <string.h>

struct batch_run {
    struct batch_case data;
    struct starfish_tridiag_options options;
    struct starfish_array array[BATCH_ARRAYS];
};

/* ---- The command line -------------------------------------------------------------------------------------------- */

/* One word of --batch after its size. */
static starfish_status read_word(const char *word, struct batch_run *run)
{
    const int layout = starfish_option_value(starfish_option_of_flag(&names_table, "--layout"), word);
    const int coefficients = starfish_option_value(starfish_option_of_flag(&names_table, "--coefficients"), word);
    if (layout >= 0)
        run->data.interleaved = layout;
    else if (coefficients >= 0)
        run->data.coefficients = (enum batch_coefficients)coefficients;
    else if (strcmp(word, "periodic") == 0)
        run->data.periodic = 1;
    else if (strcmp(word, "factors") == 0)
        run->options.keep_factors = 1;
    else
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "--batch: '%s' is no layout, coefficients, periodic or factors",
                             word);
    return STARFISH_SUCCESS;
}

static starfish_status read_options(struct plan_options *given, struct batch_run *run)
{
    const char *const algorithm = *options_word(&given->words, "--algorithm");
    struct list words;
    STARFISH_FAIL_IF(given->cycles > 0, STARFISH_ERROR_ARGUMENT, "--cycles: is for --mesh and --method multigrid");
    STARFISH_FAIL_IF(given->precision == STARFISH_PRECISION_MIXED, STARFISH_ERROR_UNSUPPORTED,
                     "--precision: batches of tridiagonal lines have no mixed mode; choose f64 or f32");
    STARFISH_TRY(list_read("--batch", given->named[PLAN_BATCH], ',', &words));
    STARFISH_TRY(batch_case_read_size("--batch", words.item[0], &run->data));
    for (size_t i = 1; i < words.count; ++i)
        STARFISH_TRY(read_word(words.item[i], run));
    if (algorithm)
        STARFISH_TRY(starfish_option_set(starfish_option_of_flag(&starfish_tridiag_option_table, "--algorithm"),
                                         &run->options, algorithm));
    else if (run->options.keep_factors)
        run->options.algorithm = STARFISH_ALGORITHM_THOMAS;
    run->data.precision = run->options.precision = (starfish_precision)given->precision;
    batch_case_describe(&run->data);
    return STARFISH_SUCCESS;
}

/* ---- The plan ---------------------------------------------------------------------------------------------------- */

/* In a simulation there is no memory behind the arrays. */
static starfish_status make_arrays(struct batch_run *run)
{
    for (int i = 0; i < BATCH_ARRAYS; ++i) {
        const size_t count = run->data.count[i];
        if (count == 0)
            continue;
        STARFISH_TRY((SIMULATED ? starfish_array_reserve : starfish_array_create)(&run->array[i], run->data.precision,
                                                                                  1, &count));
        run->data.host[i] = run->array[i].data;
    }
    for (int i = 0; i < BATCH_ARRAYS && !SIMULATED; ++i)
        batch_case_fill(&run->data, i);
    return STARFISH_SUCCESS;
}

static starfish_status open_batch(struct plan *plan)
{
    struct batch_run *run = plan->data;
    run->options = plan->options.tridiag;
    plan->library = &run->options;
    STARFISH_TRY(read_options(&plan->options, run));
    STARFISH_TRY(make_arrays(run));
    snprintf(plan->name, sizeof plan->name, "%s", run->data.name);
    snprintf(plan->size, sizeof plan->size, "tridiagonal lines, %s", run->data.name);
    snprintf(plan->method, sizeof plan->method, "%s", starfish_algorithm_names[run->options.algorithm]);
    plan->rows = run->data.lines;
    plan->array[0] = run->data.host[BATCH_RHS];
    plan->array[1] = run->data.host[BATCH_SOLUTION];
    plan->bytes[0] = plan->bytes[1] = run->data.count[BATCH_RHS] * starfish_real_size(run->data.precision);
    return STARFISH_SUCCESS;
}

static starfish_status create_plan(struct plan *plan, int check)
{
    struct batch_run *run = plan->data;
    const struct starfish_tridiag_problem problem = batch_case_problem(&run->data);
    (void)check; /* the solution is checked on the host */
    return starfish_tridiag_plan_create(plan->context, &problem, &run->options, &plan->made);
}

static starfish_status check_solution(struct plan *plan)
{
    const struct batch_run *run = plan->data;
    plan->residual = batch_case_residual(&run->data);
    STARFISH_FAIL_IF(plan->residual > batch_case_bound(&run->data), STARFISH_ERROR_NUMERICAL, "%s: the residual is %g",
                     plan->name, plan->residual);
    return STARFISH_SUCCESS;
}

static void close_batch(struct plan *plan)
{
    struct batch_run *run = plan->data;
    for (int i = 0; i < BATCH_ARRAYS; ++i)
        starfish_array_free(&run->array[i]);
}

const struct plan_kind plan_batch = {.whose = "--batch",
                                     .table = &starfish_tridiag_option_table,
                                     .bytes = sizeof(struct batch_run),
                                     .open = open_batch,
                                     .create = create_plan,
                                     .solve = plan_solve,
                                     .check = check_solution,
                                     .close = close_batch};
