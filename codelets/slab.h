/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tasks of the slab method (docs/algorithms.md), on slabs of z-planes:
 *
 *     forward(slab)   transforms in x and y, and what the slab says of its ends        rhs -> solution, ends
 *     reduced(part)   the system of all slabs' separators, for a part of the modes     ends -> separators
 *     backward(slab)  the slab's interior, and the inverse transforms in y and x       separators -> solution
 *
 * The modes live in the solution's own memory between forward and backward, or, where its rows are not packed, in
 * memory of the runtime's: forward reads and backward writes rows wherever they lie. With a single slab there are no
 * ends and no reduced system. The line of a singular problem's constant mode is solved by a task of its own
 * between forward and backward (tridiag/kernels/constant_line.h).
 *
 *     problems(group) all of that for some whole problems on one grid, of a field that is many of them: on a core one
 *                     after the other, which stay in its cache, on a GPU as many as its cache holds in one launch
 *     alone           all of that for a field that is one problem and one slab, on a GPU */
#ifndef STARFISH_CODELETS_SLAB_H
#define STARFISH_CODELETS_SLAB_H

#include "codelets/plane_set.h"
#include "codelets/vectors.h"
#include "scheduler/runtime/coefficient_table.h"
#include "scheduler/runtime/field.h"
#include "scheduler/runtime/task.h"
#include "scheduler/runtime/task_group_replay.h"
#include "scheduler/runtime/workspace.h"
#include "tridiag/kernels/constant_line.h"
#include "tridiag/kernels/slab_lines.h"

enum { STARFISH_MAX_MODE_PARTS = STARFISH_SLAB_MAX_PARTS };

/* What a slab's coefficients are: for every lane of a part, one array behind the other. */
enum starfish_slab_coefficient {
    STARFISH_SLAB_LOWER,
    STARFISH_SLAB_DIAG,
    STARFISH_SLAB_HEAD_OWN,
    STARFISH_SLAB_HEAD_BEFORE,
    STARFISH_SLAB_COEFFICIENTS
};

/* What all tasks of a plan share; must outlive them. */
struct starfish_slab_space {
    struct starfish_context *context;
    starfish_precision precision;
    size_t n[3];
    size_t count; /* problems of a field, one behind the other */
    int periodic; /* in z */
    int row_sums; /* in place of z's diagonal (tridiag/kernels/slab_lines.h) */
    int weighted; /* z has weights of the eigenvalues of x */
    double lambda;
    ptrdiff_t constant_lane; /* of a singular problem, -1 when there is none */
    struct starfish_plane_set planes;
    struct starfish_coefficient_table line;             /* lower, diag, upper of z, and weights */
    struct starfish_coefficient_table shift_x, shift_y; /* eigenvalues */
    struct starfish_coefficient_table constant; /* struct starfish_constant_tables of z; only with a constant lane */
    double constant_scale;                      /* from the constant mode to a constant field */
};

/* The modes of y cut into parts, each with a reduced system of its own; and the work space of the tasks of one graph.
 */
struct starfish_slab_parts {
    const struct starfish_workspace *workspace;
    size_t count;
    size_t first_row[STARFISH_MAX_MODE_PARTS + 1];
};

/* One slab of a graph. Where there is a single slab, arrays and coefficients are unused.
 *
 * Where the reduced systems are dealt out by parts of the modes, `separator` and `head` are by part. Where instead
 * every owner of slabs solves the systems of all modes for its own slabs, what the slab says of its ends is one array,
 * `ends` (right-hand sides, then heads), that every owner reads; `separator` and `coefficient` are by owner, and stay
 * there. */
struct starfish_slab {
    size_t first_plane, planes;
    struct starfish_owner owner;
    starpu_data_handle_t ends;                               /* or NULL */
    starpu_data_handle_t separator[STARFISH_MAX_MODE_PARTS]; /* rhs of the reduced system, then separators */
    starpu_data_handle_t head[STARFISH_MAX_MODE_PARTS];
    starpu_data_handle_t coefficient[STARFISH_MAX_MODE_PARTS]; /* enum starfish_slab_coefficient */
    starpu_data_handle_t constant; /* a double for each plane: the piece of the constant line; of singular problems */
};

/* What all slabs hand on to the reduced system of one part of the modes, if it lies together: matrices with a row of
 * the part's lanes for every slab, of coefficients with four. */
struct starfish_slab_gathered {
    starpu_data_handle_t separators, heads, coefficients;
};

enum starfish_slab_priority {
    STARFISH_PRIORITY_FORWARD = 0,
    STARFISH_PRIORITY_BACKWARD = 1,
    STARFISH_PRIORITY_REDUCED = 2
};

/* Bytes of work space that a slab of `planes` planes needs, one of `slabs`: for each core on the CPU. Not monotonic in
 * `planes`. */
size_t starfish_slab_workspace(const struct starfish_slab_space *space, starfish_worker_kind kind, size_t slabs,
                               size_t planes);
/* And that a reduced system over them needs, of one of `parts` parts of the modes. */
size_t starfish_slab_reduced_workspace(const struct starfish_slab_space *space, starfish_worker_kind kind, size_t slabs,
                                       size_t parts);

/* Once per plan: the coefficients of a slab's ends, of the modes' parts into coefficient[first], [first + 1], ... */
starfish_status starfish_submit_slab_coefficients(struct starfish_progress *progress, int phase,
                                                  const struct starfish_slab_space *space,
                                                  const struct starfish_slab_parts *parts,
                                                  const struct starfish_slab *slab, size_t first);
/* rhs and solution: slabs of fields, or one of them twice; the solution's rows are packed. alone: there are no other
 * slabs. */
struct starfish_slab_forward_task {
    const struct starfish_slab_space *space;
    const struct starfish_slab_parts *parts;
    const struct starfish_slab *slab;
    int alone;
    starpu_data_handle_t rhs, solution;
    starpu_data_handle_t token; /* written, so that other tasks can wait for this one; or NULL */
};
starfish_status starfish_submit_slab_forward(struct starfish_progress *progress, int phase,
                                             const struct starfish_slab_forward_task *description);
/* The system over `slabs` slabs of one part of the modes. solver: the number of the owner of slabs that have `ends`,
 * for whom all modes are solved, else 0. upper: reals, the last row's of every slab. gathered: in place of
 * the slabs' own data, or NULL. */
struct starfish_slab_reduced_task {
    const struct starfish_slab_space *space;
    const struct starfish_slab_parts *parts;
    size_t part, solver, slabs;
    const struct starfish_slab *slab;
    const struct starfish_slab_gathered *gathered;
    starpu_data_handle_t upper;
    struct starfish_owner owner; /* of the system */
};
starfish_status starfish_submit_slab_reduced(struct starfish_progress *progress, int phase,
                                             const struct starfish_slab_reduced_task *description);
/* before: the slab below (periodic: the last one below the first), NULL when there is none. modes: what forward has
 * written, where that is not the solution. */
struct starfish_slab_backward_task {
    const struct starfish_slab_space *space;
    const struct starfish_slab_parts *parts;
    const struct starfish_slab *slab, *before;
    size_t owner; /* of slabs that have `ends`, as above */
    int alone;
    starpu_data_handle_t modes;
    const struct starfish_vector *solution; /* with edges or without */
    size_t part;                            /* of the solution: the slab */
    starpu_data_handle_t token;             /* as above */
};
starfish_status starfish_submit_slab_backward(struct starfish_progress *progress, int phase,
                                              const struct starfish_slab_backward_task *description);
/* problems(group): `problems` whole problems, of which rhs and solution are slabs of fields, or one of them twice.
 * removed: two doubles for each problem, of which the first is what is taken off its right-hand side; of a singular
 * problem, or NULL. alone: the same under another name, for one problem whose solution's rows are packed, on a GPU that
 * has the whole field. */
struct starfish_slab_problems_task {
    const struct starfish_slab_space *space;
    const struct starfish_workspace *workspace;
    struct starfish_replays *replays; /* its launches as a CUDA graph */
    size_t problems;
    int device; /* whose workers may run it (owner.h) */
    int alone;
    starpu_data_handle_t rhs, solution, removed;
};
starfish_status starfish_submit_slab_problems(struct starfish_progress *progress, int phase,
                                              const struct starfish_slab_problems_task *description);
/* Not on simulated machines that were recorded before there was the task alone. */
int starfish_slab_alone_is_known(const struct starfish_context *context);
/* Bytes of work space for the constant lines, of `planes` unknowns, of so many problems at once. */
size_t starfish_slab_problems_constants(size_t problems, size_t planes);
/* Bytes of work space for it, for each core on the CPU. strided: rows of solutions may not be packed. */
size_t starfish_slab_problems_workspace(const struct starfish_slab_space *space, starfish_worker_kind kind,
                                        int strided);
/* How many problems of so many reals a GPU does in one launch. */
size_t starfish_slab_problems_at_once(const struct starfish_slab_space *space);

/* The constant line of a singular problem, in the slabs' pieces. removed: two doubles, of which the first is what is
 * taken off the right-hand side. */
struct starfish_constant_line_task {
    const struct starfish_slab_space *space;
    size_t slabs;
    const struct starfish_slab *slab;
    starpu_data_handle_t removed;
    int device; /* whose workers may run it (owner.h) */
};
starfish_status starfish_submit_constant_line(struct starfish_progress *progress, int phase,
                                              const struct starfish_constant_line_task *description);

#endif
