/* starfish bench multigrid: what its two problems share. */
#ifndef STARFISH_APPS_BENCH_MULTIGRID_H
#define STARFISH_APPS_BENCH_MULTIGRID_H

#include "apps/frame/frame.h"
#include "apps/lists.h"
#include "apps/names.h"

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

/* Lists, as numbers. */
struct axes {
    struct list mesh, workers;
    size_t size[LIST_MOST], sizes, level[LIST_MOST], levels, precision[LIST_MOST], precisions;
    size_t smoother[LIST_MOST], smoothers, shape[LIST_MOST], shapes, place[LIST_MOST], places;
    size_t matrix[LIST_MOST], matrices, storage[LIST_MOST], storages;
};

enum multigrid_problem { MULTIGRID_Q1, MULTIGRID_SEVEN };

/* "none" or "cg". */
const char *multigrid_krylov(const struct starfish_multigrid_options *options);

/* A row's `reached`: nothing where the number of cycles is given. */
json_t *multigrid_bench_reached(const struct multigrid_bench *run, int reached);

/* Seven-point differences on cubes (multigrid_cubes.c). */
starfish_status bench_multigrid_cubes(struct multigrid_bench *run, const struct axes *axes);

#endif
