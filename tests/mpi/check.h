/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What programs on several ranks check by. Includers have MPI and the library. */
#ifndef STARFISH_TESTS_MPI_CHECK_H
#define STARFISH_TESTS_MPI_CHECK_H

#include <stdio.h>

static int rank, ranks;

/* One line, of the first rank that comes, and the end of all. */
#define CHECK(condition, ...)                                                                                          \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "rank %d of %d, line %d: ", rank, ranks, __LINE__);                                        \
            fprintf(stderr, __VA_ARGS__);                                                                              \
            fprintf(stderr, "\n");                                                                                     \
            MPI_Abort(MPI_COMM_WORLD, 1);                                                                              \
        }                                                                                                              \
    } while (0)
#define CHECK_OK(call) CHECK((call) == STARFISH_SUCCESS, "%s: %s", #call, starfish_error_message())

#endif
