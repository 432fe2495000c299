/* starfish bench multigrid: what its two problems share. */
#ifndef STARFISH_APPS_BENCH_MULTIGRID_H
#define STARFISH_APPS_BENCH_MULTIGRID_H

#include "apps/frame/frame.h"
#include "apps/lists.h"
#include "apps/names.h"
#include "apps/plans/multigrid_run.h"
#include "bench/peer_hypre.h"

#include <starfish/multigrid.h>

struct multigrid_bench {
    struct bench bench; /* first: measure() gets at the rest through it */
    const char *sizes, *meshes, *levels, *precisions, *smoothers, *shapes, *workers, *where;
    const char *matrices, *storages;
    int problem, peers;                        /* enum multigrid_problem; NAMES_ALL or NAMES_NONE */
    struct starfish_multigrid_options options; /* --krylov, --tail */
    size_t steps, cycles;                      /* 0: not given */
    double host_rate, device_rate;             /* bytes per second of copies */
};

/* What is measured: lists, as numbers. */
struct axes {
    struct list mesh, workers;
    size_t size[LIST_MOST], sizes, level[LIST_MOST], levels, precision[LIST_MOST], precisions;
    size_t smoother[LIST_MOST], smoothers, shape[LIST_MOST], shapes, place[LIST_MOST], places;
    size_t matrix[LIST_MOST], matrices, storage[LIST_MOST], storages;
};

enum multigrid_problem { MULTIGRID_Q1, MULTIGRID_SEVEN };

/* What either problem is solved with; the numbers are those of the lists. */
struct multigrid_way {
    const char *workers;
    starfish_context *context;
    size_t precision, smoother, shape, place;
};

/* Calls measure(run, data) with *way set to every combination of the lists that both problems have, in a context with
 * the workers of each set. A GPU's memory is left out where there is no GPU. */
starfish_status multigrid_bench_ways(struct multigrid_bench *run, const struct axes *axes, struct multigrid_way *way,
                                     starfish_status (*measure)(struct multigrid_bench *run, void *data), void *data);

/* A row of ours, whose solves move so many reals of the options' precision at least. */
json_t *multigrid_bench_row(struct multigrid_bench *run, const char *name, const struct multigrid_way *way,
                            const struct starfish_multigrid_options *options, struct repeated *times, double reals);

/* A row of hypre's on one core, whose iterations move so many doubles. Returns its seconds, 0 where there is no hypre,
 * or where it cannot solve this. */
double multigrid_bench_hypre(struct multigrid_bench *run, const char *name, const struct peer_hypre_problem *problem,
                             enum peer_hypre_solver solver, double doubles);

/* Seven-point differences on cubes (multigrid_cubes.c). */
starfish_status bench_multigrid_cubes(struct multigrid_bench *run, const struct axes *axes);

#endif
