/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The public functions of the MPI library (include/starfish/mpi.h): a context on a communicator, ranks, and the planes
 * that each has. */
#include "mpi/transport.h"
#include "scheduler/runtime/ranks.h"
#include <starfish/mpi.h>

static void release(void *state)
{
    starfish_mpi_transport_destroy(state);
}

starfish_status starfish_mpi_context_create(starfish_context **context, MPI_Comm communicator,
                                            const struct starfish_context_options *options)
{
    char text[256];
    struct starfish_transport *transport = starfish_mpi_transport_create(communicator, text, sizeof text);
    if (transport)
        transport->release = release;
    return starfish_context_create_ranked(context, options, transport, text);
}

starfish_status starfish_mpi_context_create_f(starfish_context **context, int communicator,
                                              const struct starfish_context_options *options)
{
    int there = 0; /* MPI_Comm_f2c ends the program before MPI_Init */
    MPI_Initialized(&there);
    return starfish_mpi_context_create(context, there ? MPI_Comm_f2c((MPI_Fint)communicator) : MPI_COMM_NULL, options);
}

starfish_status starfish_mpi_rank(const starfish_context *context, int *rank, int *ranks)
{
    return starfish_context_tell_rank(context, rank, ranks);
}

starfish_status starfish_mpi_planes(const starfish_context *context, size_t n, int rank, size_t *first, size_t *count)
{
    return starfish_context_deal(context, n, rank, first, count);
}
