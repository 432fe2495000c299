/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Subcommands that run on several ranks, with --mpi: MPI is started before anything can fail, and one rank speaks for
 * all. */
#ifndef STARFISH_APPS_MPI_H
#define STARFISH_APPS_MPI_H

#include "apps/options.h"
#include "scheduler/runtime/transport.h"

/* options_run of a command that may run on ranks. Where --mpi is among the arguments: sets *asked, starts MPI before
 * anything else can fail, and lets the first rank alone speak of failures (command.h). Where one rank cannot read its
 * command line, or has other options than the others, none runs. *transport stays as it is where there is no --mpi;
 * mpi_close releases it. Returns the exit status. */
int mpi_run(const struct command_line *line, int argc, char **argv, int *asked,
            const struct starfish_transport **transport, starfish_status (*run)(void *), void *data);
/* Ends MPI. NULL is allowed. */
void mpi_close(const struct starfish_transport *transport);

#endif
