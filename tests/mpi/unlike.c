/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Plans of ranks with unlike workers. Costs depend on a rank's GPUs, so `auto` would choose another method on a rank
 * with a GPU than on one without; the first rank chooses for all. GPUs are planted: the context of one rank counts a
 * GPU that is not there. Run by mpiexec on two ranks. */
#include <starfish/mpi.h>
#include <starfish/starfish.h>
#include <string.h>

#include "scheduler/runtime/context.h"
#include "tests/common/about.h"
#include "tests/mpi/check.h"

enum { NX = 16, NY = 200, NZ = 16 };

static starfish_context *together;
static struct planted {
    int gpu;                 /* until the method is chosen: on this rank */
    starfish_method arrives; /* on rank 1, in place of the method that the first rank has chosen */
} planted;

/* MPI's profiling interface: the library's calls come here, the first one of a plan with the choice, which begins with
 * the method. */
int MPI_Bcast(void *data, int count, MPI_Datatype type, int from, MPI_Comm communicator)
{
    const int result = PMPI_Bcast(data, count, type, from, communicator);
    together->workers_of[STARFISH_GPU] = 0; /* what follows would use it */
    if (rank == 1 && planted.arrives != STARFISH_METHOD_AUTO)
        memcpy(data, &planted.arrives, sizeof planted.arrives);
    planted.arrives = STARFISH_METHOD_AUTO;
    return result;
}

static void fill(struct starfish_axis *axis, double *rows, size_t n, double sign)
{
    double *lower = rows, *diag = rows + n, *upper = rows + 2 * n;
    for (size_t k = 0; k < n; k++) {
        lower[k] = k > 0 ? sign : 0;
        upper[k] = k + 1 < n ? 1 : 0;
        diag[k] = -2.1 - 0.01 * (double)(k % 7);
    }
    *axis = (struct starfish_axis){.kind = STARFISH_TRIDIAGONAL, .n = n, .lower = lower, .diag = diag, .upper = upper};
}

/* y has no transform: cores solve by partial fractions, for which z must be symmetric, and GPUs by a basis. */
static starfish_status create(int is_symmetric, struct planted what, starfish_plan **plan)
{
    static double y[3 * NY], z[3 * NZ];
    struct starfish_poisson_problem problem = {.lambda = -1};
    problem.axis[0] = (struct starfish_axis){.n = NX, .length = 1, .ends = {STARFISH_DIRICHLET, STARFISH_DIRICHLET}};
    fill(&problem.axis[1], y, NY, 1);
    fill(&problem.axis[2], z, NZ, is_symmetric ? 1 : -1);
    planted = what;
    together->workers_of[STARFISH_GPU] = rank == planted.gpu;
    return starfish_poisson_plan_create(together, &problem, NULL, plan);
}

static void first_rank_chooses(int gpu, const char *method)
{
    starfish_plan *plan;
    CHECK_OK(create(1, (struct planted){.gpu = gpu}, &plan));
    CHECK(strcmp(test_about(plan).method, method) == 0, "method %s, not %s", test_about(plan).method, method);
    starfish_plan_destroy(plan);
}

static void what_one_cannot_do_fails_on_all(void)
{
    starfish_plan *plan;
    const starfish_status status = create(0, (struct planted){-1, STARFISH_METHOD_BLKTRI}, &plan);
    CHECK(status == STARFISH_ERROR_NOT_SYMMETRIZABLE && strncmp(starfish_error_message(), "rank 1: axis z", 14) == 0,
          "%s: %s", starfish_status_name(status), starfish_error_message());
    CHECK_OK(create(0, (struct planted){.gpu = -1}, &plan)); /* and they go on */
    starfish_plan_destroy(plan);
}

int main(int argc, char **argv)
{
    struct starfish_context_options workers = STARFISH_CONTEXT_OPTIONS_DEFAULTS;
    int level;
    workers.cpu_workers = 1;
    workers.gpu_workers = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    CHECK_OK(starfish_mpi_context_create(&together, MPI_COMM_WORLD, &workers));
    CHECK_OK(starfish_mpi_rank(together, &rank, &ranks));
    first_rank_chooses(1, "blktri");
    first_rank_chooses(0, "slab");
    what_one_cannot_do_fails_on_all();
    starfish_context_destroy(together);
    MPI_Finalize();
    return 0;
}
