/* bench spmv: whole solves by starfish_fem_plan_create and starfish_plan_solve, as users call them, beside the bytes of
 * their cycles: the entries of every product and its vectors once. */
#include "apps/bench/spmv_solve.h"

#include "apps/command.h"
#include "bench/clock.h"
#include "fem/options.h"
#include "fem/plan.h"

#include <stdio.h>
#include <stdlib.h>

struct solving {
    const struct spmv_solve *given;
    struct starfish_result result;
    struct starfish_about about;
    struct starfish_fem_matrices matrices;
    double bytes;
    double seconds[BENCH_MOST_REPEATS];
};

static starfish_status repeat(struct solving *s, starfish_plan *plan)
{
    const struct bench *bench = s->given->bench;
    double *u = malloc(starfish_fem_nodes(plan) * sizeof *u);
    starfish_status status = u ? STARFISH_SUCCESS : starfish_fail(STARFISH_ERROR_MEMORY, "no memory for a solution");
    for (size_t i = 0; i < bench->warmup + bench->repeat && status == STARFISH_SUCCESS; ++i) {
        const double start = clock_now();
        status = starfish_plan_solve(plan, NULL, NULL, u, &s->result);
        if (i >= bench->warmup)
            s->seconds[i - bench->warmup] = clock_now() - start;
    }
    s->bytes = s->result.iterations * starfish_fem_cycle_bytes(plan);
    free(u);
    return status;
}

static void add_row(struct solving *s)
{
    const struct spmv_solve *g = s->given;
    char name[128];
    snprintf(name, sizeof name, "%s, %s, solve by %s, %s", starfish_fem_element_names[g->problem->element],
             starfish_fem_numbering_names[g->numbering], starfish_fem_smoother_names[g->smoother], g->set);
    json_t *row = bench_row(g->bench, "starfish", name, s->seconds, g->bench->repeat, s->bytes);
    bench_limit(row, g->seconds_of_byte * s->bytes);
    bench_keys(row, KEY("unknowns", s->about.unknowns), KEY("nonzeros", s->matrices.nonzeros),
               KEY("iterations", s->result.iterations), KEY("inside_seconds", s->result.seconds),
               KEY("setup_seconds", s->about.seconds), KEY("smoother_seconds", s->matrices.smoother_seconds),
               KEY("smoother_nonzeros", s->matrices.smoother_nonzeros));
}

starfish_status bench_spmv_solve(const struct spmv_solve *given)
{
    struct starfish_fem_options options = STARFISH_FEM_OPTIONS_DEFAULTS;
    starfish_plan *plan = NULL;
    struct solving *s = calloc(1, sizeof *s);
    if (!s)
        return starfish_fail(STARFISH_ERROR_MEMORY, "no memory for the times");
    s->given = given;
    s->result = (struct starfish_result)STARFISH_RESULT_DEFAULTS;
    s->about = (struct starfish_about)STARFISH_ABOUT_DEFAULTS;
    s->matrices = (struct starfish_fem_matrices)STARFISH_FEM_MATRICES_DEFAULTS;
    options.smoother = given->smoother;
    options.numbering = given->numbering;
    options.precision = given->precision;
    options.tolerance = given->precision == STARFISH_F32 ? 1e-5 : 1e-8;
    bench_announce("%s, solve by %s", starfish_fem_numbering_names[given->numbering],
                   starfish_fem_smoother_names[given->smoother]);
    starfish_status status = starfish_fem_plan_create(given->context, given->problem, &options, &plan);
    if (status == STARFISH_SUCCESS)
        status = starfish_plan_about(plan, &s->about);
    if (status == STARFISH_SUCCESS)
        status = starfish_fem_matrices(plan, &s->matrices);
    if (status == STARFISH_SUCCESS)
        status = repeat(s, plan);
    if (status == STARFISH_SUCCESS)
        add_row(s);
    starfish_plan_destroy(plan);
    free(s);
    return status;
}
