/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Runs a tail of grids inside a task, on all cores of a team together. */
#ifndef STARFISH_CODELETS_TAIL_H
#define STARFISH_CODELETS_TAIL_H

#include "multigrid/kernels/tail.h"
#include "scheduler/runtime/workspace.h"

/* On a simulated machine: has it times of such tasks on all of the context's workers? 1 where nothing is simulated. */
int starfish_tail_recorded(const struct starfish_context *context);

/* The running worker's core `part` of `parts`, with the arrays in the room that its team shares. */
struct starfish_tail_core starfish_tail_core_here(const struct starfish_workspace *workspace, size_t part,
                                                  size_t parts);

#endif
