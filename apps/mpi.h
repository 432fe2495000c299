/* Subcommands that run on several ranks, with --mpi. */
#ifndef STARFISH_APPS_MPI_H
#define STARFISH_APPS_MPI_H

#include "base/status.h"
#include "scheduler/transport.h"

/* Where --mpi is among the arguments: sets *asked, starts MPI before anything else can fail, and lets the first rank
 * alone speak of failures (command.h). *transport stays as it is where there is none. Errors: UNSUPPORTED (the library
 * is missing), RUNTIME. */
starfish_status mpi_begin(int argc, char **argv, int *asked, const struct starfish_transport **transport);
/* Ends MPI. NULL is allowed. */
void mpi_close(const struct starfish_transport *transport);

#endif
