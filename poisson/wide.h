/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Solves repeated in f64. In f32 the rounding of a correct solution may leave a residual that no test can distinguish
 * from that of a wrong one: in thin layers, and if rows differ greatly in size. If method `auto` rejects such a
 * solution, the same right-hand side is solved in f64 and all tests are made there. A solution that passes is rounded
 * to f32. If it is rejected in f64 too, small problems are solved by elimination (methods.h). */
#ifndef STARFISH_POISSON_WIDE_H
#define STARFISH_POISSON_WIDE_H

#include "poisson/job.h"

/* create.c: the same problem in f64, for packed arrays, in that context, which may be one rank's, by method `auto` or
 * by its last choice, with all tests. Collective. Errors: those of starfish_poisson_plan_create. */
starfish_status starfish_poisson_plan_widen(const struct starfish_poisson_plan *plan, struct starfish_context *context,
                                            int last_resort, struct starfish_plan **result);

/* Whether a job whose solution was refused may be solved again: one between arrays, by a plan that chose its method
 * and its steps of refinement. Not in a stream, where others may have read the solution by now. */
int starfish_job_may_widen(const struct starfish_poisson_job *job);
/* After a refusal, which is this thread's last error, and before anything of the job is released: solves again, writes
 * the solution to where the user wants it, and what is known of it to the job's result. The first of these solves makes
 * the plan's second plan. Collective. Errors: the refusal's, the solution being the refused one. */
starfish_status starfish_job_widen(struct starfish_poisson_job *job);

#endif
