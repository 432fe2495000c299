/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* starfish bench multigrid: declarations shared by its two problems, Q1 elements (multigrid.c) and seven-point
 * differences (multigrid_cubes.c). */
#ifndef STARFISH_APPS_BENCH_MULTIGRID_H
#define STARFISH_APPS_BENCH_MULTIGRID_H

#include "apps/frame/frame.h"
#include "apps/lists.h"
#include "apps/names.h"
#include "apps/plans/multigrid_run.h"
#include "bench/peer_hypre.h"

#include <starfish/multigrid.h>

enum multigrid_problem { MULTIGRID_Q1, MULTIGRID_SEVEN };

/* What is combined: problems, ways that both have, and ways of bilinear elements. */
enum multigrid_axes {
    MULTIGRID_SIZE,
    MULTIGRID_LEVEL,
    MULTIGRID_MESH,
    MULTIGRID_PRECISION,
    MULTIGRID_SMOOTHER,
    MULTIGRID_CYCLE,
    MULTIGRID_PLACE,
    MULTIGRID_MATRIX,
    MULTIGRID_STORAGE,
    MULTIGRID_AXES
};

struct multigrid_bench {
    struct bench bench; /* first: measure() gets at the rest through it */
    struct axis axis[MULTIGRID_AXES];
    struct bench_sets sets;
    int problem, peers;                        /* enum multigrid_problem; NAMES_ALL or NAMES_NONE */
    struct starfish_multigrid_options options; /* --krylov, --tail */
    size_t steps, cycles;                      /* 0: not given */
    /* What is measured now: */
    struct multigrid_mesh mesh;
    char name[64]; /* of mesh and level */
    double peer;   /* seconds of hypre's fastest way on a cube, 0: not measured */
};

/* The options of this combination: precision, smoother and cycle, and so many steps. Returns 0 of a GPU's memory that
 * is not there. */
int multigrid_bench_options(const struct multigrid_bench *run, size_t steps,
                            struct starfish_multigrid_options *options);
/* As often as the benchmark says, where the combination has its arrays. */
struct repeats multigrid_bench_repeats(const struct multigrid_bench *run);

/* In a row's name, by starfish_krylov. */
extern const char *const multigrid_bench_krylovs[STARFISH_KRYLOVS];

/* A row of ours, whose solves move so many reals of the options' precision at least. */
json_t *multigrid_bench_row(struct multigrid_bench *run, const char *name,
                            const struct starfish_multigrid_options *options, struct repeated *times, double reals);

/* A row of hypre's on one core, whose iterations move so many doubles. Returns its seconds, 0 where there is no hypre,
 * or where it cannot solve this. */
double multigrid_bench_hypre(struct multigrid_bench *run, const char *name, const struct peer_hypre_problem *problem,
                             enum peer_hypre_solver solver, double doubles);

/* Seven-point differences on the cube of MULTIGRID_SIZE (multigrid_cubes.c); data: the run. */
starfish_status bench_multigrid_cube(void *data);

#endif
