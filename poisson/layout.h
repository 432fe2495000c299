/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Layouts of the user's arrays, and many problems per solve, as plans and jobs handle them. */
#ifndef STARFISH_POISSON_LAYOUT_H
#define STARFISH_POISSON_LAYOUT_H

#include "poisson/job.h"

/* From the options, once n is known: plan->count, plan->field_n and plan->layout. Errors: ARGUMENT (names the
 * member). */
starfish_status starfish_poisson_read_layouts(struct starfish_poisson_plan *plan);

/* A field over the user's array, where the plan's layout says. StarPU takes 8 us to register and release one. So a
 * field that is in the memory of its device alone stays registered after its job, for the next one on that array.
 * Copies elsewhere would be old once the user has written. */
starfish_status starfish_poisson_user_field(struct starfish_poisson_plan *plan, enum starfish_user_array which,
                                            const struct starfish_runs *cut, void *memory,
                                            struct starfish_field **field);
/* The job that took it has ended. */
void starfish_poisson_end_user_field(struct starfish_poisson_plan *plan, enum starfish_user_array which,
                                     struct starfish_field *field);
/* When the plan ends. */
void starfish_poisson_forget_fields(struct starfish_poisson_plan *plan);
/* Whether both would be the same field. Errors: ARGUMENT (one array in two layouts that begin alike). */
starfish_status starfish_poisson_same_field(const struct starfish_poisson_plan *plan, const void *rhs,
                                            const void *solution, int *same);

/* Whether the job solves for a packed copy of the right-hand side. Of a staged job both copies are packed: cores write
 * and read them in pinned memory of the runtime's, beside the GPUs' copies and tasks. */
int starfish_job_packs_rhs(const struct starfish_poisson_job *job);
/* The slabs of the solution that the method writes: those of the job's field, or packed ones; with edges where the
 * job's space has halos. Error: MEMORY. */
starfish_status starfish_job_make_solution_slabs(struct starfish_poisson_job *job);
/* Behind the solve: from packed slabs to the field. */
starfish_status starfish_job_submit_unpacking(struct starfish_poisson_job *job);
/* After the tasks. */
void starfish_job_release_packed(struct starfish_poisson_job *job);
/* The device (owner.h) whose workers copy slab `slab` between the user's arrays and packed ones. */
int starfish_job_packing_device(const struct starfish_poisson_job *job, size_t slab);
/* After the submission of the last task that uses a staged job's copies, so that few of them exist at a time: the
 * memory of one is in the caches when the next one takes it. */
void starfish_job_end_staging(struct starfish_poisson_job *job, starfish_handle *copies);

/* How many problems a slab is of; the doubles that tasks write for each of them and the host reads. */
size_t starfish_job_problems(const struct starfish_poisson_job *job, size_t slab);
starfish_status starfish_job_make_removed(struct starfish_poisson_job *job);
/* What was taken off: all of it to job->base.kept, and of the problem with the largest in magnitude to the job's
 * result. Errors: RUNTIME. */
starfish_status starfish_job_read_removed(struct starfish_poisson_job *job);

#endif
