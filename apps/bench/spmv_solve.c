/* bench spmv: whole solves by starfish_fem_plan_create and starfish_fem_solve, as users call them, beside the bytes of
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
    struct starfish_fem_info info;
    double bytes;
    double seconds[BENCH_MOST_REPEATS];
};

static starfish_status repeat(struct solving *s, starfish_fem_plan *plan)
{
    const struct bench *bench = s->given->bench;
    double *u = malloc(starfish_fem_nodes(plan) * sizeof *u);
    starfish_status status = u ? STARFISH_SUCCESS : starfish_fail(STARFISH_ERROR_MEMORY, "no memory for a solution");
    for (size_t i = 0; i < bench->warmup + bench->repeat && status == STARFISH_SUCCESS; ++i) {
        const double start = clock_now();
        status = starfish_fem_solve(plan, u, &s->info);
        if (i >= bench->warmup)
            s->seconds[i - bench->warmup] = clock_now() - start;
    }
    s->bytes = s->info.iterations * starfish_fem_cycle_bytes(plan);
    free(u);
    return status;
}

static void add_row(struct solving *s)
{
    const struct spmv_solve *g = s->given;
    const struct starfish_fem_info *info = &s->info;
    char name[128];
    snprintf(name, sizeof name, "%s, %s, solve by %s, %s", starfish_fem_element_names[g->problem->element],
             starfish_fem_numbering_names[g->numbering], starfish_fem_smoother_names[g->smoother], g->set);
    json_t *row = bench_row(g->bench, "starfish", name, s->seconds, g->bench->repeat, s->bytes);
    bench_limit(row, g->seconds_of_byte * s->bytes);
    json_object_set_new(row, "unknowns", json_integer((json_int_t)info->unknowns));
    json_object_set_new(row, "nonzeros", json_integer((json_int_t)info->nonzeros));
    json_object_set_new(row, "iterations", json_integer(info->iterations));
    json_object_set_new(row, "inside_seconds", command_json_real(info->seconds));
    json_object_set_new(row, "setup_seconds", command_json_real(info->setup_seconds));
    json_object_set_new(row, "smoother_seconds", command_json_real(info->smoother_seconds));
    json_object_set_new(row, "smoother_nonzeros", json_integer((json_int_t)info->smoother_nonzeros));
}

starfish_status bench_spmv_solve(const struct spmv_solve *given)
{
    struct starfish_fem_options options = STARFISH_FEM_OPTIONS_DEFAULTS;
    starfish_fem_plan *plan = NULL;
    struct solving *s = calloc(1, sizeof *s);
    if (!s)
        return starfish_fail(STARFISH_ERROR_MEMORY, "no memory for the times");
    s->given = given;
    options.smoother = given->smoother;
    options.numbering = given->numbering;
    options.precision = options.inner = given->precision;
    options.tolerance = given->precision == STARFISH_F32 ? 1e-5 : 1e-8;
    bench_announce("%s, solve by %s", starfish_fem_numbering_names[given->numbering],
                   starfish_fem_smoother_names[given->smoother]);
    starfish_status status = starfish_fem_plan_create(given->context, given->problem, &options, &plan);
    if (status == STARFISH_SUCCESS)
        status = repeat(s, plan);
    if (status == STARFISH_SUCCESS)
        add_row(s);
    starfish_fem_plan_destroy(plan);
    free(s);
    return status;
}
