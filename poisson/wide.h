/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Solves that are repeated. In f32 the rounding of a right solution alone may leave a residual that no test can
 * tell from a wrong solution's: in thin layers, and where rows have sizes far apart. Where method `auto` has refused
 * such a solution, the same right-hand side is solved for in f64, all tests are made there, and the solution that has
 * passed them is rounded to f32. Where it is refused in f64, small problems are solved by elimination (methods.h). */
#ifndef STARFISH_POISSON_WIDE_H
#define STARFISH_POISSON_WIDE_H

#include "poisson/job.h"

/* plan.c: the same problem in f64, for packed arrays, in that context, which may be one rank's, by method `auto` or by
 * its last choice, with all tests. Collective. Errors: those of starfish_poisson_plan_create. */
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
