/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Solves of a problem file by any method: what the subcommands solve, sched and trace share. Which kind it is only the
 * library knows (solver/kinds.h): options are set by their names, where the kind has them. */
#ifndef STARFISH_APPS_PLANS_PROBLEM_H
#define STARFISH_APPS_PLANS_PROBLEM_H

#include "apps/files/array.h"
#include "apps/files/problem.h"
#include "apps/options.h"

#include <starfish/starfish.h>

/* What the command line says. */
struct problem_options {
    const char *path, *rhs;
    const struct elements_options *elements; /* of a mesh file (elements.h); NULL: it is a problem file */
    const void *library;                     /* struct of the kind's table, before the words; NULL: its defaults */
    struct option_words words;
    int precision;         /* a starfish_precision, or STARFISH_PRECISION_MIXED */
    size_t repeat, cycles; /* steps of an iterative method: exactly so many; 0: as the tolerance takes */
};

/* What a solve did. */
struct problem_result {
    const char *status; /* the name of info.outcome; NULL before it has ended, or where it failed otherwise */
    struct starfish_result info;
    struct starfish_poisson_phases phases;
    int iterates;     /* there are iterations and a residual of their own */
    double tolerated; /* the tolerance that counted in the place of the one that was asked for, or NaN */
};

/* Steps of an iterative method in a simulation, where no residual tells when to stop. */
enum { PROBLEM_SIMULATED_CYCLES = 10 };

struct problem_run {
    struct problem_options options;
    struct starfish_read_problem problem;
    const struct starfish_transport
        *transport; /* to other ranks (scheduler/runtime/transport.h), NULL: there are none */
    void *library;  /* option struct of the kind's table */
    starfish_context *context;
    starfish_plan *plan;
    struct starfish_about about;
    starfish_precision precision;
    int iterates;                      /* the requested method is iterative */
    int checks;                        /* solves look at what their kind leaves to a function of its own */
    struct starfish_boundary boundary; /* its arrays are problem.boundary's */
    struct starfish_array solution, second_solution; /* the second is for streams of solves */
    starfish_field *field[2];                        /* right-hand side and solution that are spread, or NULL */
    struct problem_result result;                    /* of the last solve */
    double error;                                    /* max |u - exact|, of all ranks; NaN without "exact" */
};

/* In this order. The file and its arrays, in a simulation, where they are not needed, only their shapes; then
 * the options from the command line, and the precision. */
starfish_status problem_read(struct problem_run *run);
/* Memory for the fields, once problem and precision are known. */
starfish_status problem_prepare(struct problem_run *run);
/* The plan, once there is a context. */
starfish_status problem_make_plan(struct problem_run *run, int check_residual);
void problem_destroy_plan(struct problem_run *run);
starfish_status problem_submit(struct problem_run *run, void *solution, starfish_job **job);
/* Wait for a job and fill run->result. */
starfish_status problem_wait(struct problem_run *run, starfish_job *job);
/* Solve and wait. */
starfish_status problem_solve(struct problem_run *run, void *solution);
/* The same between run->field, which problem_make_fields has made for the plan: fields that live spread over the
 * memories of those who work on them. Error: UNSUPPORTED (not of this kind). */
starfish_status problem_make_fields(struct problem_run *run);
starfish_status problem_solve_fields(struct problem_run *run);
/* This process among all. */
int problem_rank(const struct problem_run *run);
int problem_ranks(const struct problem_run *run);
/* Sets error, after a solve with a plan that checks the residual. Error: NUMERICAL (the solution is not finite). */
starfish_status problem_check_result(struct problem_run *run);
/* Destroys plan and context, and frees all memory; also after a failure. */
void problem_release(struct problem_run *run);

#endif
