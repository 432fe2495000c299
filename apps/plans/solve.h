/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Functions shared by subcommands that solve once and show the result: starfish solve and starfish fem. */
#ifndef STARFISH_APPS_PLANS_SOLVE_H
#define STARFISH_APPS_PLANS_SOLVE_H

#include "apps/plans/problem.h"

/* What the command line says beside what problem_options has. */
struct solve_options {
    struct starfish_context_options context; /* --policy */
    const char *out, *workers, *vtk, *plot, *plane;
    int json, quiet, mpi;
};

/* The slice that a picture of a solid shows (--plane): across direction d, where this has that coordinate. */
struct solve_plane {
    double coordinate; /* NAN: where |u| is largest */
    int d;
};

struct solve_run;

/* What subcommands that solve differ in: the files that they leave, and what they print. */
struct solve_front {
    starfish_status (*check_outputs)(struct solve_run *run);
    starfish_status (*write_outputs)(struct solve_run *run);
    void (*print_table)(const struct solve_run *run);
    void (*print_json)(const struct solve_run *run);
};

struct solve_run {
    const struct solve_front *front;
    struct solve_options options;
    struct solve_plane plane;
    struct problem_run solver;
    double *seconds;       /* of each of the repetitions, */
    size_t solves;         /* as many as were done */
    double *busy;          /* seconds of tasks of all repetitions, by the context's workers */
    double stream_seconds; /* per solve, when the repetitions follow each other as a stream */
};

/* The whole subcommand, which is to set front, defaults of the options and solver.error. Returns the exit status. */
int solve_main(struct solve_run *run, const struct command_line *line, int argc, char **argv);

/* Where the solution goes: --out, else the problem file's "solution", else NULL. */
const char *solve_output_name(const struct solve_run *run);

/* Reads --plane, which needs three dimensions; without it, run->plane stays. Errors: ARGUMENT. */
starfish_status solve_read_plane(struct solve_run *run, size_t dimensions);

/* Wait for a job, the solve of that number from 1 on, showing how many of its tasks or iterations are done when `show`
 * (progress.c). */
starfish_status solve_wait(struct problem_run *run, starfish_job *job, size_t solve, int show);

#endif
