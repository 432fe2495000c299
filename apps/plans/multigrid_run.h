/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The papers' test problem solved by Q1 multigrid, for `starfish bench multigrid`, `starfish reproduce goeddeke-...`,
 * and --mesh of `sched` and `trace`: on one of the meshes U1 .. A5, u0 = x (a - x) y (1 - y), whose right-hand side is
 * integrated exactly. */
#ifndef STARFISH_APPS_PLANS_MULTIGRID_RUN_H
#define STARFISH_APPS_PLANS_MULTIGRID_RUN_H

#include "apps/measured/repeat.h"
#include "apps/names.h"

#include <starfish/starfish.h>

enum { MULTIGRID_MOST_LEVEL = 13 };

struct multigrid_mesh {
    struct starfish_q1_problem problem;
    double *width[2], *load;
    size_t n[2], count;
};
/* In a simulation the load is not computed. Errors: ARGUMENT (name, level), MEMORY. Free also after a failure. */
starfish_status multigrid_mesh_create(const char *name, int level, struct multigrid_mesh *mesh);
void multigrid_mesh_free(struct multigrid_mesh *mesh);

/* f32, f64, or STARFISH_PRECISION_MIXED. */
void multigrid_set_precision(struct starfish_multigrid_options *options, size_t precision);
/* Smoothing steps before and after as the library counts them, and exactly so many cycles; 0: as the tolerance takes */
void multigrid_set_work(struct starfish_multigrid_options *options, size_t steps, size_t cycles);
/* Smoothing steps of Q1 that cost what `steps` steps of ADI cost (0: 2): such a step is two of the other kinds. */
size_t multigrid_q1_steps(size_t smoother, size_t steps);

/* Solve a plan of multigrid, which is then destroyed, and say what it chose. */
starfish_status multigrid_repeat(const struct repeats *what, starfish_plan *plan, struct repeated *times);
/* The same of a mesh, with what->arrays as the mesh has them. */
starfish_status multigrid_run(const struct multigrid_mesh *mesh, const struct starfish_multigrid_options *options,
                              struct repeats what, struct repeated *times);

/* Words per unknown of the finest grid that a solve must move at least, with the bands of symmetric matrices: a
 * smoothing step in one direction or by points 8 (5 bands, u, f, the new u), by colours 10, restriction of the
 * residual 7.25, prolongation 2.25, the residual's norm 7, a step of conjugate gradients 24; all grids together 4/3 of
 * the finest. With entries in 16 bits 2.5 less of each matrix. */
double multigrid_words(const struct repeated *times);

#endif
