/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Recorded machines, as folders (docs/simulation.md):
 *
 *     machine.json          cores, NUMA nodes, GPUs, versions, and the rates that plans would measure
 *                           (scheduler/runtime/machine.h)
 *     sampling/             StarPU's own: links in bus/, times of tasks in codelets/
 *     measured.csv          what `starfish sched` took there: a row per case, set of workers and policy
 *                           (apps/machine/measured.h) */
#ifndef STARFISH_APPS_RECORDED_RECORDED_H
#define STARFISH_APPS_RECORDED_RECORDED_H

#include "base/status.h"
#include "scheduler/runtime/machine.h"

#include <starfish/context.h>

/* Read FOLDER/machine.json. Errors: FILE, ARGUMENT. */
starfish_status machine_read(const char *folder, struct starfish_machine *machine);
/* Keys of "corrections" in machine.json, by starfish_worker_set. */
extern const char *const machine_set_names[STARFISH_WORKER_SETS];
/* Plan for the machine that the variable STARFISH_MACHINE names, where it names one. */
void machine_use_named(void);

/* The machine in a few words, for titles: of a simulated one its name, else cores and GPUs, "16 cores, 2 x NVIDIA
 * H200".
 */
void machine_describe(const struct starfish_runtime *runtime, const struct starfish_worker *worker, size_t workers,
                      char *text, size_t size);

/* Does the line of a file of StarPU's models tell a task's time? It begins with the task's footprint. */
int machine_is_time(const char *line);
/* Call `visit` for all entries of a folder, which need not be there; depth 1: for those of the folders in it. */
typedef starfish_status machine_visit(const char *path, const char *host);
starfish_status machine_each_file(const char *folder, int depth, machine_visit *visit, const char *host);

#endif
