/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The interface of the layer that joins the processes of a parallel program: transfers of data between tasks, and a few
 * collectives. The MPI library implements it with StarPU-MPI and MPI (mpi/transport.c). Nothing else uses either, so
 * programs of one process do not need them.
 *
 * Functions return 0, or a code that the layer's text() explains. Collectives are called by all ranks in the same
 * order. */
#ifndef STARFISH_SCHEDULER_RUNTIME_TRANSPORT_H
#define STARFISH_SCHEDULER_RUNTIME_TRANSPORT_H

#include <starpu.h>
#include <stddef.h>
#include <stdint.h>

/* GPUs of a node, and this rank's default number of them: -1 if the rank is alone on its node. */
struct starfish_node_share {
    int gpus, gpu_workers;
};

struct starfish_transport {
    size_t size; /* sizeof(struct starfish_transport), of who fills it */
    void *state;
    int rank, ranks;

    /* Binds the calling thread to this rank's share of its node's cores, of which `asked` are wanted (-1: a fair
     * share), and says in the environment which of share->gpus GPUs StarPU shall take. Collective. */
    int (*take_share)(void *state, int asked, struct starfish_node_share *share);
    /* Behind the start of the runtime, and before its end. Collective. */
    int (*start)(void *state);
    void (*stop)(void *state);
    /* Called with the context's end, once it has stopped; NULL: the state has another owner. */
    void (*release)(void *state);
    /* Why the last function failed, one line. */
    const char *(*text)(void *state);

    /* From now on the data may travel, under the same tag on all ranks. */
    void (*name)(void *state, starpu_data_handle_t data, int64_t tag, int owner);
    /* Data that a task on rank `to` reads, from their owner, which sends, and `to` receives; others do nothing. What is
     * there already does not travel again. 1: it has been posted, and `done` will be called when the data may change.
     */
    int (*fetch)(void *state, starpu_data_handle_t data, int to, int priority, void (*done)(void *));
    /* Data that a task on rank `from` has written go to their owner, and copies elsewhere are void. 1: as above. */
    int (*give_back)(void *state, starpu_data_handle_t data, int from, int priority, void (*done)(void *));
    /* The given ranks have each computed the data, the owner among them: copies elsewhere are void. */
    void (*keep)(void *state, starpu_data_handle_t data, int ranks, const int *rank);

    /* `bytes` of every rank, one behind the other in `all`; and those of one rank on all. */
    int (*gather)(void *state, const void *own, size_t bytes, void *all);
    int (*broadcast)(void *state, void *data, size_t bytes, int from);
    /* Of any size, bytes[r] those of rank r: all to the first rank, in the order of ranks, or from it to all. Who waits
     * for them takes no core meanwhile. */
    int (*collect)(void *state, const void *own, const size_t *bytes, void *all);
    int (*deal)(void *state, const void *all, const size_t *bytes, void *own);
};

#endif
