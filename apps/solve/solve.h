/* starfish solve: the pieces of one run. */
#ifndef STARFISH_APPS_SOLVE_SOLVE_H
#define STARFISH_APPS_SOLVE_SOLVE_H

#include "apps/files/vtk.h"
#include "apps/plans/problem.h"

/* What the command line says beside what problem_options has. */
struct solve_options {
    struct starfish_context_options context; /* --policy */
    const char *out, *workers, *vtk, *plot;
    int json, quiet, mpi;
};

struct solve_run {
    struct solve_options options;
    struct problem_run solver;
    double *seconds;       /* of each of the repetitions, */
    size_t solves;         /* as many as were done */
    double stream_seconds; /* per solve, when the repetitions follow each other as a stream */
};

/* Files (files.c). Can everything that is asked for be written? Then, after the solve, write it. */
starfish_status solve_check_outputs(const struct solve_run *run);
starfish_status solve_write_outputs(struct solve_run *run);
/* Where the solution goes: --out, else the problem file's "solution", else NULL. */
const char *solve_output_name(const struct solve_run *run);

/* Several ranks (mpi.c): all of them write an array file, or with `axis` a VTK file, of the solution. Collective. */
starfish_status solve_write_together(const struct problem_run *run, const char *name,
                                     const struct starfish_vtk_axis *axis);

/* What is shown (report.c). */
void solve_print_table(const struct solve_run *run);
void solve_print_json(const struct solve_run *run);

/* Wait for a job, showing how many of its tasks or iterations are done when `show` (progress.c). */
starfish_status solve_wait(struct problem_run *run, starfish_job *job, int show);

#endif
