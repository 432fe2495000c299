/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tasks that work in one place on vectors whose parts lie in separate memories: the parts are copied there, collected
 * in one array, and spread from it again. Used for the tail of a hierarchy whose finer grids are cut. Bound by the
 * links between the memories: each unknown moves one word in and one word out. */
#ifndef STARFISH_CODELETS_COLLECT_H
#define STARFISH_CODELETS_COLLECT_H

#include "codelets/vectors.h"

/* Attach all parts of a vector, whose accesses part[0], part[1], ... become; mode: STARPU_R to collect it, STARPU_W to
 * spread, STARPU_RW to do both. */
void starfish_parts_attach(struct starfish_task *task, const struct starfish_vector *vector,
                           enum starpu_data_access_mode mode, struct starfish_access *part);
/* Inside a task: all parts to an array in the memory of the place, and from there to the parts and their edges. Return
 * a cudaError_t, 0 on cores. */
int starfish_parts_collect(const struct starfish_place *place, void *buffers[], const struct starfish_access *part,
                           void *array);
int starfish_parts_spread(const struct starfish_place *place, void *buffers[], const struct starfish_access *part,
                          const void *array);

#endif
