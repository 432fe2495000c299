/* starfish bench poisson3d: 3D solves by size, precision, boundary kinds, method, workers and place of the data. */
#include "apps/bench.h"

#include <starfish/starfish.h>
#include <stdlib.h>

struct poisson3d {
    struct bench bench;
    size_t n;
};

static starfish_status measure(struct bench *bench)
{
    const struct poisson3d *run = (const struct poisson3d *)bench;
    const struct starfish_axis axis = {.n = run->n, .length = 1, .ends = {STARFISH_DIRICHLET, STARFISH_DIRICHLET}};
    const struct starfish_poisson_problem problem = {{axis, axis, axis}, 0};
    const size_t count = run->n * run->n * run->n;
    double *u = calloc(count, sizeof *u), seconds[BENCH_MOST_REPEATS];
    starfish_context *context = NULL;
    starfish_poisson_plan *plan = NULL;
    starfish_status status = starfish_context_create(&context, NULL);
    if (status == STARFISH_SUCCESS)
        status = starfish_poisson_plan_create(context, &problem, NULL, &plan);
    for (size_t r = 0; r < bench->repeat && status == STARFISH_SUCCESS; ++r) {
        struct starfish_info info;
        bench_announce("solve %zu", r);
        status = starfish_poisson_solve(plan, NULL, u, u, &info);
        seconds[r] = info.seconds;
    }
    if (status == STARFISH_SUCCESS) {
        bench_machine(bench, context);
        bench_row(bench, "starfish", "in place", seconds, bench->repeat, 8.0 * (double)count * sizeof *u);
    }
    starfish_poisson_plan_destroy(plan);
    starfish_context_destroy(context);
    free(u);
    return status;
}

int bench_poisson3d(int argc, char **argv)
{
    struct poisson3d run = {.bench = BENCH_DEFAULTS("poisson3d"), .n = 256};
    const struct option_entry options[] = {
        {"--n", OPTION_COUNT, &run.n, "N", "unknowns per direction", {NULL}},
        BENCH_OPTIONS(&run.bench),
        {.name = NULL},
    };
    const struct command_line line = {
        .usage = "bench poisson3d [OPTION ...]", .summary = "3D solves.", .options = options};
    return bench_main(&run.bench, &line, argc, argv, measure);
}
