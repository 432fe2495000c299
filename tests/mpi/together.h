/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What tests of several ranks have in common: a context of all ranks and one of each, chance, and an end of all ranks
 * where one of them finds a mistake. */
#ifndef STARFISH_TESTS_MPI_TOGETHER_H
#define STARFISH_TESTS_MPI_TOGETHER_H

#include <starfish/mpi.h>
#include <starfish/starfish.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/mpi/check.h"

static starfish_context *together, *alone;

static unsigned state = 1;

static unsigned next(unsigned below)
{
    state = state * 1664525u + 1013904223u;
    return (state >> 8) % below;
}

static double real(void)
{
    return (double)next(1 << 20) / (1 << 19) - 1;
}

static void *part_of(const void *whole, size_t first, size_t bytes)
{
    void *part = malloc(bytes + 1);
    memcpy(part, (const char *)whole + first, bytes);
    return part;
}

static void begin(int *argc, char ***argv)
{
    struct starfish_context_options options = STARFISH_CONTEXT_OPTIONS_DEFAULTS;
    int level;
    MPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &level);
    CHECK_OK(starfish_mpi_context_create(&together, MPI_COMM_WORLD, &options));
    CHECK_OK(starfish_mpi_rank(together, &rank, &ranks));
    CHECK_OK(starfish_context_create(&alone, NULL));
}

static void end(void)
{
    starfish_context_destroy(alone);
    starfish_context_destroy(together);
    MPI_Finalize();
}

#endif
