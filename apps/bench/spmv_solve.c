/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* bench spmv: whole solves by starfish_fem_plan_create and starfish_plan_solve, as users call them, beside the bytes of
 * their cycles: the entries of every product and its vectors once. */
#include "apps/bench/spmv_solve.h"

#include "apps/measured/repeat.h"
#include "fem/plan.h"

static starfish_status add_row(const struct spmv_solve *g, const starfish_plan *plan, struct repeated *times)
{
    const double bytes = times->result.iterations * starfish_fem_cycle_bytes(plan);
    struct starfish_fem_matrices matrices = STARFISH_FEM_MATRICES_DEFAULTS;
    STARFISH_TRY(starfish_fem_matrices(plan, &matrices));
    json_t *row = bench_row(g->bench, "starfish",
                            bench_name("%s, %s, solve by %s, %s", starfish_fem_element_names[g->problem->element],
                                       starfish_fem_numbering_names[g->numbering],
                                       starfish_fem_smoother_names[g->smoother], g->set),
                            times->seconds, times->repeat, bytes);
    bench_limit(row, g->seconds_of_byte * bytes);
    command_keys(row, KEY("unknowns", times->about.unknowns), KEY("nonzeros", matrices.nonzeros),
                 KEY("iterations", times->result.iterations), KEY("inside_seconds", times->result.seconds),
                 KEY("setup_seconds", times->about.seconds), KEY("smoother_seconds", matrices.smoother_seconds),
                 KEY("smoother_nonzeros", matrices.smoother_nonzeros));
    return STARFISH_SUCCESS;
}

starfish_status bench_spmv_solve(const struct spmv_solve *given)
{
    struct starfish_fem_options options = STARFISH_FEM_OPTIONS_DEFAULTS;
    struct repeats what = repeats_of(given->bench, given->context, SOLVE_PAGEABLE);
    struct repeated times;
    starfish_plan *plan;
    options.smoother = given->smoother;
    options.numbering = given->numbering;
    options.precision = given->precision;
    options.tolerance = given->precision == STARFISH_F32 ? 1e-5 : 1e-8;
    bench_announce("%s, solve by %s", starfish_fem_numbering_names[given->numbering],
                   starfish_fem_smoother_names[given->smoother]);
    STARFISH_TRY(starfish_fem_plan_create(given->context, given->problem, &options, &plan));
    what.by_clock = 1;
    starfish_status status = repeat_elements(&what, plan, &times);
    STARFISH_THEN(status, add_row(given, plan, &times));
    starfish_plan_destroy(plan);
    return status;
}
