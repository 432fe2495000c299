/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The graph of the slab method: forward(slab) for all slabs -> reduced(part) for all parts -> backward(slab) for all
 * slabs. A field that is one slab of a GPU is one task, from the right-hand side to the solution.
 *
 * Every slab is transformed in x and y and eliminated in z where it lies; only its first and last rows meet the other
 * slabs', in a reduced system with one unknown per slab and mode. So there is no transpose and no exchange of all with
 * all: CPU teams and GPUs are owners of slabs. The modes are cut into parts, whose reduced systems are distributed to
 * the owners too. Between two owners, only the slab ends for the modes of the other's part are exchanged, there and
 * back. On the GPUs of one process these tasks are one CUDA graph, whose kernels write slab ends and separators into
 * each other's memory (scheduler/runtime/task_group_gpus.h). */
#ifndef STARFISH_TASKS_SLAB_H
#define STARFISH_TASKS_SLAB_H

#include "codelets/slab.h"
#include "codelets/slab_whole.h"
#include "tasks/separable.h"
#include "tasks/slab_stream.h"

/* Everything that does not depend on how the field is cut, of a field of `count` problems. GPUs' tasks have at most
 * `max_planes` planes at a time. Destroyed after a failure. */
struct starfish_slab_description {
    struct starfish_context *context;
    starfish_precision precision;
    const struct starfish_direction *direction; /* three */
    double lambda;
    int singular;
    size_t count, max_planes;
};
starfish_status starfish_slab_space_create(struct starfish_slab_space *space,
                                           const struct starfish_slab_description *description);
void starfish_slab_space_destroy(struct starfish_slab_space *space);
/* Rows of z whose unknowns are one, with a weight of 0, get weights so large that all modes in x but the constant one
 * vanish from them. eigenvalue: n, of x. */
void starfish_weigh_points(const double *eigenvalue, size_t n, const struct starfish_direction *z,
                           starfish_precision precision, double *weight);

/* Successive solves take turns with the arrays between their tasks, so that the next one's forward tasks, and the
 * copies before them, need not wait for this one's backward tasks. */
enum { STARFISH_SLAB_TURNS = 2 };

/* How a field is cut for a graph. parts: of the modes of y, each with a reduced system of its own. reduced_device:
 * whose workers solve these (owner.h); where slabs have owners, each of these solves as many, and where GPUs alone may,
 * each GPU does.
 *
 * slots: 0 where devices hold the whole field. Else it is streamed through them, `slots` slabs at a time
 * (slab_stream.h). The data between the tasks are registered in main memory, and solves do not take turns. Rows of
 * solutions are packed.
 *
 * joined: where each slab is in the memory of a GPU, and these are of one process, a solve is one task of all GPUs.
 *
 * whole: one task for all slabs, where starfish_slab_whole_possible, then with nothing else between them. */
struct starfish_slab_shape {
    const struct starfish_runs *cut;
    size_t parts, slots;
    int each_owner; /* solves the reduced systems of all modes; there is one part then */
    int reduced_device;
    int joined, whole;
};

/* A graph for one way of cutting the field. */
struct starfish_slab_graph {
    struct starfish_slab_space *space; /* NULL before create and after destroy */
    struct starfish_runs cut;
    struct starfish_slab_parts parts;   /* of the slabs' ends; in a stream there is one, with all modes */
    struct starfish_slab_parts systems; /* of the reduced systems */
    size_t solvers;                     /* owners of slabs that each solve all systems; 1: the systems are
                                           distributed */
    struct starfish_workspace workspace;
    struct starfish_replays replays;    /* of whole problems on GPUs */
    struct starfish_gpu_groups *groups; /* of solves on slabs of several GPUs, or NULL */
    struct starfish_owner
        reduced_owner[STARFISH_MAX_MODE_PARTS]; /* by systems, which are distributed to the owners, or by
                                                        solvers */
    struct starfish_slab_stream stream;
    int turns, turn;                                 /* of the next solve */
    struct starfish_slab *slab[STARFISH_SLAB_TURNS]; /* of the cut; coefficients are the same in all */
    struct starfish_slab_whole *whole;               /* NULL: each slab has separate tasks */
    struct starfish_coefficient_table upper;         /* of z, at every slab's last plane */
    starfish_handle *modes[STARFISH_SLAB_TURNS];     /* of each slab, once rows of a solution are not packed */
};

/* Makes the graph's data and starts computing its coefficients; `progress` must be waited for before it goes. */
starfish_status starfish_slab_graph_create(struct starfish_slab_graph *graph, struct starfish_slab_space *space,
                                           const struct starfish_direction *z, const struct starfish_slab_shape *shape,
                                           struct starfish_progress *progress);
/* After its tasks: coefficients are only read from now on. */
void starfish_slab_graph_is_made(struct starfish_slab_graph *graph);
void starfish_slab_graph_destroy(struct starfish_slab_graph *graph);

/* A graph of a field of many problems, which is cut between them. strided: rows of solutions may not be packed. */
starfish_status starfish_slab_graph_of_problems(struct starfish_slab_graph *graph, struct starfish_slab_space *space,
                                                const struct starfish_runs *cut, int strided);
/* Solves with a struct starfish_slab_graph of either kind. One thread at a time. */
starfish_status starfish_graph_slab(void *of_slabs, struct starfish_progress *progress,
                                    const struct starfish_direct_data *data);

#endif
