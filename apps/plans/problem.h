/* Solves of a problem file by any method: what the subcommands solve, sched and trace share. */
#ifndef STARFISH_APPS_PLANS_PROBLEM_H
#define STARFISH_APPS_PLANS_PROBLEM_H

#include "apps/files/array.h"
#include "apps/files/problem.h"

#include <starfish/starfish.h>

/* What the command line says. */
struct problem_options {
    const char *path, *rhs;
    struct starfish_poisson_options library;
    int precision;         /* a starfish_precision, or STARFISH_PRECISION_MIXED */
    size_t repeat, cycles; /* cycles of method multigrid: exactly so many; 0: as the tolerance takes */
};

struct problem_run {
    struct problem_options options;
    struct starfish_problem problem;
    const struct starfish_transport *transport; /* to other ranks (scheduler/transport.h), NULL: there are none */
    starfish_context *context;
    starfish_poisson_plan *plan;
    starfish_precision precision;
    struct starfish_boundary boundary;               /* its arrays are problem.boundary's */
    struct starfish_array solution, second_solution; /* the second is for streams of solves */
    starfish_field *field[2];                        /* right-hand side and solution that are spread, or NULL */
    struct starfish_info info;                       /* of the last solve */
    struct starfish_accuracy accuracy;               /* the same */
    double error;                                    /* max |u - exact|, of all ranks; NaN without "exact" */
};

/* In this order. The precision from the options, where the method can work in it (UNSUPPORTED, ARGUMENT). */
starfish_status problem_read_precision(struct problem_run *run);
/* The file and its arrays; in a simulation, where they are not needed, only their shapes. */
starfish_status problem_read(struct problem_run *run);
/* Memory for the fields, once problem and precision are known. */
starfish_status problem_prepare(struct problem_run *run);
/* The plan, once there is a context. */
starfish_status problem_make_plan(struct problem_run *run, int check_residual);
/* This process among all. */
int problem_rank(const struct problem_run *run);
int problem_ranks(const struct problem_run *run);
/* Sets error, after a solve with a plan that checks the residual. Error: NUMERICAL (the solution is not finite). */
starfish_status problem_check_result(struct problem_run *run);
/* Destroys plan and context, and frees all memory; also after a failure. */
void problem_release(struct problem_run *run);

#endif
