/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The state of an iteration (krylov/kernels/krylov.h): either a table that tasks update where the vectors are, so that
 * steps can be submitted before their factors are known; or numbers on the host, updated by the submitting thread,
 * which then waits for the sums. The host is cheaper if every step is checked anyway and no task needs a factor. */
#ifndef STARFISH_KRYLOV_SCALARS_H
#define STARFISH_KRYLOV_SCALARS_H

#include "tasks/algebra.h"

struct starfish_scalars {
    const struct starfish_space *space;
    int here;
    struct starfish_coefficient_table state;   /* unless here */
    struct starfish_coefficient_table seen[2]; /* the state after the last two steps, where parts are apart */
    /* Of parts of several GPUs each GPU computes a state of its own from the sums of all, instead of waiting for
     * another's: `owned` are those besides `state`, `first` their GPUs' first parts, of_part[p] the one of part p. */
    size_t others, first[STARFISH_KRYLOV_MOST_PARTS];
    struct starfish_coefficient_table owned[STARFISH_KRYLOV_MOST_PARTS];
    starfish_handle of_part[STARFISH_KRYLOV_MOST_PARTS];
    double values[STARFISH_KRYLOV_STATE]; /* as they were when looked at; here: as they are */
};

starfish_status starfish_scalars_create(struct starfish_scalars *scalars, const struct starfish_space *space, int here);
/* Does nothing to zero bytes. */
void starfish_scalars_destroy(struct starfish_scalars *scalars);
/* One stage; step->state is filled in. */
starfish_status starfish_scalars_advance(struct starfish_scalars *scalars, const struct starfish_algebra *algebra,
                                         const struct starfish_scalars_task *step);
/* Wait for the stages that were submitted: their state in scalars->values. */
starfish_status starfish_scalars_look(struct starfish_scalars *scalars);
/* Where parts are apart: the data that keep the state after step `number` until step number + 2, for a stage's `copy`,
 * and to wait for that step alone. */
starfish_handle starfish_scalars_copy_of(const struct starfish_scalars *scalars, int number);
starfish_status starfish_scalars_look_back(struct starfish_scalars *scalars, int number);
/* number times a scalar, as a factor of vectors. */
struct starfish_factor starfish_scalars_factor(const struct starfish_scalars *scalars, double number,
                                               enum starfish_krylov_scalar scalar);

#endif
