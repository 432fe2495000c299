/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* starfish solve: the pieces of one run. files.c and mpi.c write the outputs, report.c prints tables and JSON. */
#ifndef STARFISH_APPS_SOLVE_SOLVE_H
#define STARFISH_APPS_SOLVE_SOLVE_H

#include "apps/files/vtk.h"
#include "apps/plans/solve.h"

/* Files (files.c). Before the solve: can all requested files be written? After it: write them. */
starfish_status solve_check_outputs(struct solve_run *run);
starfish_status solve_write_outputs(struct solve_run *run);

/* Several ranks (mpi.c): all of them write an array file, or with `grid` a VTK file. `planes`: this rank's, of the
 * solution or, for VTK, of the solution with longer rows. Collective. */
starfish_status solve_write_together(const struct problem_run *run, const char *name,
                                     const struct starfish_vtk_grid *grid, const struct starfish_array *planes);

/* What is shown (report.c). */
void solve_print_table(const struct solve_run *run);
void solve_print_json(const struct solve_run *run);

#endif
