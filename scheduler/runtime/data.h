/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Calls of StarPU that wait until data are in the requested memory. They wake idle workers (idle.h). In a forked child,
 * and if the runtime is stuck (watchdog.h), they do nothing. */
#ifndef STARFISH_SCHEDULER_RUNTIME_DATA_H
#define STARFISH_SCHEDULER_RUNTIME_DATA_H

#include "scheduler/runtime/context.h"

/* The host's access to a handle in the memory that it was registered with, until its release. Errors: RUNTIME (inside a
 * task, in a forked child, or the runtime is stuck), MEMORY. */
starfish_status starfish_data_acquire(struct starfish_context *context, starpu_data_handle_t handle,
                                      enum starpu_data_access_mode mode);
void starfish_data_release_access(starpu_data_handle_t handle);
/* Whether the data were registered in main memory. */
int starfish_data_is_of_host(starpu_data_handle_t handle);
/* Begins to copy the data to the memory of the only GPU, before a task asks for them there. Copies of several handles
 * follow one another. Nothing happens where there is no GPU, or several. */
void starfish_data_send_ahead(const struct starfish_context *context, starpu_data_handle_t handle);
/* After the last task that uses the handle: its values are copied to the memory that it was registered with. NULL is
 * allowed. */
void starfish_data_unregister(starpu_data_handle_t handle);
/* The same, and the values are lost. */
void starfish_data_discard(starpu_data_handle_t handle);
/* The same without waiting: the memory is given back when the tasks that were submitted so far are done with it. */
void starfish_data_discard_after_tasks(starpu_data_handle_t handle);

#endif
