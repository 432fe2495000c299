/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* starfish bench spmv: whole finite element solves by the public functions, a row each, beside the products with their
 * matrices. */
#ifndef STARFISH_APPS_BENCH_SPMV_SOLVE_H
#define STARFISH_APPS_BENCH_SPMV_SOLVE_H

#include "apps/frame/frame.h"

#include <starfish/fem.h>

struct spmv_solve {
    struct bench *bench;
    starfish_context *context;
    const struct starfish_fem_problem *problem;
    starfish_fem_numbering numbering;
    starfish_fem_smoother smoother;
    starfish_precision precision;
    const char *set;        /* of workers, for the row's name */
    double seconds_of_byte; /* of a copy there; NaN: not known */
};

/* Adds a row: the plan is made, and the problem solved to 1e-8 again and again, by the public calls with their defaults
 * (F cycles). Least bytes are those of a solve's cycles, the setup is a key beside. Errors: those of the calls. */
starfish_status bench_spmv_solve(const struct spmv_solve *given);

#endif
