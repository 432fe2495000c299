/* What tests on several ranks have in common: who they are, and a check that ends all of them. */
#ifndef STARFISH_TESTS_MPI_RANKS_H
#define STARFISH_TESTS_MPI_RANKS_H

#include <starfish/mpi.h>
#include <starfish/starfish.h>
#include <stdio.h>

static int rank, ranks;
static starfish_context *together, *alone;

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

/* A context of all ranks, and one of each. */
static inline void create_contexts(int *argc, char ***argv)
{
    struct starfish_context_options options = STARFISH_CONTEXT_OPTIONS_DEFAULTS;
    int level;
    MPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &level);
    CHECK_OK(starfish_mpi_context_create(&together, MPI_COMM_WORLD, &options));
    CHECK_OK(starfish_mpi_rank(together, &rank, &ranks));
    CHECK_OK(starfish_context_create(&alone, NULL));
}

static inline void destroy_contexts(void)
{
    starfish_context_destroy(alone);
    starfish_context_destroy(together);
    MPI_Finalize();
}

#endif
