/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The cores and GPUs of a node, shared by its ranks, if their launcher has not bound them to cores of their own. */
#ifndef STARFISH_MPI_SHARE_H
#define STARFISH_MPI_SHARE_H

#include "scheduler/runtime/transport.h"

#include <mpi.h>

/* Binds the calling thread to this rank's part of the cores that it shares with other ranks of its node, as many as
 * `asked`, or (-1) a fair share. A rank that its launcher has bound to cores of its own keeps them. Likewise GPUs,
 * where neither CUDA_VISIBLE_DEVICES nor STARPU_WORKERS_CUDAID says which. -1: text[size] says why. Collective. */
int starfish_mpi_take_share(MPI_Comm communicator, int asked, struct starfish_node_share *share, char *text,
                            size_t size);

#endif
