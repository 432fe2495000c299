/* starfish solve: the pieces of one run. */
#ifndef STARFISH_APPS_SOLVE_SOLVE_H
#define STARFISH_APPS_SOLVE_SOLVE_H

#include "apps/files/array.h"
#include "apps/files/problem.h"

#include <starfish/starfish.h>

/* What the command line says. */
struct solve_options {
    const char *problem, *method, *precision, *rhs, *out, *workers, *vtk, *plot;
    size_t slabs, repeat;
    int json, quiet;
};

struct solve_run {
    struct solve_options options;
    struct starfish_problem problem;
    starfish_context *context;
    starfish_poisson_plan *plan;
    starfish_precision precision;
    struct starfish_boundary boundary;               /* arrays are problem.boundary's */
    struct starfish_array solution, second_solution; /* the second is for streams of solves */
    struct starfish_info info;                       /* of the last of the repetitions */
    double *seconds;                                 /* of each */
    double stream_seconds;                           /* per solve, when the repetitions follow each other as a stream */
    double residual_bound;
    double error; /* max |u - exact|; NaN without "exact" */
};

/* Before and after (solve_setup.c): precision from the options; the problem, without its
 * arrays in a simulation; memory, once problem and precision are known; the plan, once there
 * is a context; everything let go. */
starfish_status solve_read_precision(struct solve_run *run);
starfish_status solve_read_problem(struct solve_run *run);
starfish_status solve_prepare_data(struct solve_run *run);
starfish_status solve_make_plan(struct solve_run *run, int check_residual);
void solve_release(struct solve_run *run);

/* Files (solve_files.c). Can everything that is asked for be written? Then, after the solve, write it. */
starfish_status solve_check_outputs(const struct solve_run *run);
starfish_status solve_write_outputs(const struct solve_run *run);
/* Where the solution goes: --out, else the problem file's "solution", else NULL. */
const char *solve_output_name(const struct solve_run *run);

/* Verdict (solve_check.c): sets residual_bound and error. Error: NUMERICAL. */
starfish_status solve_check_result(struct solve_run *run);

/* What is shown (solve_report.c). */
void solve_print_table(const struct solve_run *run);
void solve_print_json(const struct solve_run *run);

/* Wait for a job, showing how many of its tasks are done when `show` (solve_progress.c). */
starfish_status solve_wait(starfish_job *job, int show, struct starfish_info *info);

#endif
