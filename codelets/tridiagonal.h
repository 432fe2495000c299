/* Task: the tridiagonal systems along z of one block of modes, whole lines over all its tiles. */
#ifndef STARFISH_CODELETS_TRIDIAGONAL_H
#define STARFISH_CODELETS_TRIDIAGONAL_H

#include "scheduler/task.h"
#include "scheduler/vector.h"
#include "scheduler/workspace.h"
#include "tridiag/tridiag.h"

struct starfish_tridiagonal_task {
    starfish_precision precision;
    size_t n; /* unknowns per line */
    int periodic;
    size_t inner, outer; /* modes of x in this block, modes of y */
    double shift;
    ptrdiff_t pinned_lane;
    size_t tiles;
    const starpu_data_handle_t *tile;
    const size_t *first;          /* first plane of each tile, and n */
    starpu_data_handle_t line;    /* lower, diag, upper: 3 n reals */
    starpu_data_handle_t shift_x; /* eigenvalues of all modes of x ... */
    size_t first_mode;            /* ... from this one on */
    starpu_data_handle_t shift_y; /* `outer` reals */
    const struct starfish_workspace *workspace;
};

size_t starfish_tridiagonal_workspace(starfish_worker_kind kind, size_t n, size_t lanes, int periodic,
                                      starfish_precision precision);
starfish_status starfish_submit_tridiagonal(struct starfish_progress *progress, int phase,
                                            const struct starfish_tridiagonal_task *description);

#endif
