/* How the cores of a team run a tail of grids together, inside a task. */
#ifndef STARFISH_CODELETS_TAIL_H
#define STARFISH_CODELETS_TAIL_H

#include "multigrid/kernels/tail.h"
#include "scheduler/workspace.h"

/* The running worker's core `part` of `parts`, with the arrays in the room that its team shares. */
struct starfish_tail_core starfish_tail_core_here(const struct starfish_workspace *workspace, size_t part,
                                                  size_t parts);

#endif
