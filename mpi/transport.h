/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The layer that joins ranks: StarPU-MPI for data between tasks, MPI for agreement. Of the library it uses only the
 * table that it fills (scheduler/runtime/transport.h), so a program can load it without a second copy of the library.
 * */
#ifndef STARFISH_MPI_TRANSPORT_H
#define STARFISH_MPI_TRANSPORT_H

#include "scheduler/runtime/transport.h"
#include <starfish/export.h>

#include <mpi.h>

/* Copies the communicator. NULL: text[size] says why, one line. One at a time in a process, since StarPU-MPI is the
 * process's. Collective; fails on all ranks alike. */
struct starfish_transport *starfish_mpi_transport_create(MPI_Comm communicator, char *text, size_t size);
void starfish_mpi_transport_destroy(struct starfish_transport *transport);

/* For a program that loads this library: starts MPI and joins all ranks of MPI_COMM_WORLD; and the end of both. */
STARFISH_API const struct starfish_transport *starfish_mpi_open(char *text, size_t size);
STARFISH_API void starfish_mpi_close(const struct starfish_transport *transport);

#endif
