/* Solves in the order of a CUDA stream of the user's. */
#ifndef STARFISH_POISSON_SUBMIT_ON_H
#define STARFISH_POISSON_SUBMIT_ON_H

#include "poisson/job.h"

/* For starfish_job_wait and its kin, of a job with job->on: frees it. */
starfish_status starfish_job_wait_on(struct starfish_poisson_job *job, struct starfish_info *info,
                                     struct starfish_accuracy *accuracy);
void starfish_job_progress_on(const struct starfish_poisson_job *job, size_t *finished, size_t *total);

/* solve.c: starfish_poisson_submit of arrays that all stay until the job is done, those of boundary data included. Its
 * tasks are submitted as one where there is a bundle (UNSUPPORTED where they cannot be). */
starfish_status starfish_poisson_submit_staying(struct starfish_poisson_plan *plan,
                                                const struct starfish_boundary *boundary, const void *rhs,
                                                void *solution, struct starfish_bundle *bundle,
                                                struct starfish_poisson_job **job);

#endif
