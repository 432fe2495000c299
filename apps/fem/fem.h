/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* starfish fem: declarations shared by its files. One struct holds a run, from the mesh file to the plan and its
 * result. */
#ifndef STARFISH_APPS_FEM_FEM_H
#define STARFISH_APPS_FEM_FEM_H

#include "apps/plans/elements.h"
#include "apps/plans/solve.h"

struct fem_run {
    struct solve_run solve; /* the first member */
    struct elements_options elements;
    const char *points;
};

/* files.c, of a struct fem_run */
starfish_status fem_check_outputs(struct solve_run *run);
starfish_status fem_write_outputs(struct solve_run *run);
/* picture.c: the solution on the plane, or of a solid on --plane, else the middle plane across z. */
starfish_status fem_write_plot(const struct solve_run *run);

/* report.c, of a struct fem_run */
void fem_print_table(const struct solve_run *run);
void fem_print_json(const struct solve_run *run);

#endif
