/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Singular problems whose rows are scaled, as those of shells are: means by volumes (volume_mean.c). */
#ifndef STARFISH_POISSON_VOLUME_MEAN_H
#define STARFISH_POISSON_VOLUME_MEAN_H

#include "poisson/job.h"

/* Of all methods but blktri, which takes means before it scales rows. */
int starfish_poisson_has_volume_mean(const struct starfish_poisson_plan *plan);

/* The tables of plans with such a mean, once their directions are made. Errors: MEMORY. */
starfish_status starfish_poisson_create_volume_mean(struct starfish_poisson_plan *plan);
void starfish_poisson_destroy_volume_mean(struct starfish_poisson_plan *plan);

/* After a solve: the solution becomes that of the problem without job->removed, the mean of f by volumes, and has mean
 * zero. `again`, after refinement: the mean alone. Plans without that mean submit nothing. */
starfish_status starfish_job_submit_volume_mean(struct starfish_poisson_job *job, int again);
void starfish_job_release_volume_mean(struct starfish_poisson_job *job);

#endif
