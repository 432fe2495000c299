/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A time loop of a flow code on several ranks: velocities on a staggered periodic grid, cut into runs of z planes by
 * the code's own decomposition, with a ghost plane on each side. Every step diffuses and stirs the flow, and then makes
 * it free of divergence by a pressure, for which each rank passes its own planes to Starfish.
 *
 *     mpiexec -n 4 flow [STEPS]
 *
 * What is printed is the largest divergence before and after the projection, over all ranks. */
#include <math.h>
#include <starfish/mpi.h>
#include <starfish/starfish.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 48 }; /* planes of N x N cells */
static const double h = 1.0 / N, dt = 1e-4, viscosity = 0.1;

static int rank, ranks;
static size_t planes[64], first; /* of all ranks; the first of this one */

/* Plane -1 and plane `planes[rank]` are ghosts. */
struct field {
    double *ghosted;
};

static struct field create(void)
{
    return (struct field){calloc((planes[rank] + 2) * N * N, sizeof(double))};
}

static double *at(struct field f, size_t i, size_t j, size_t k)
{
    return f.ghosted + (i + N) % N + N * ((j + N) % N + N * (k + 1));
}

static void stop(const char *message)
{
    fprintf(stderr, "rank %d: %s\n", rank, message);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/* ---- The code's decomposition and its halos -----------------------------------------------------------------------
 */

/* As a code has it whose ranks have unequal work: the first one takes half as many planes as the others. */
static void decompose(void)
{
    size_t end = 0;
    for (int r = 0; r < ranks; r++) {
        const size_t begin = end;
        end = r + 1 == ranks ? N : (size_t)(N * (2.0 * r + 1) / (2.0 * ranks - 1));
        planes[r] = end - begin;
        if (r == rank)
            first = begin;
    }
}

static void exchange(struct field f)
{
    const int below = (rank + ranks - 1) % ranks, above = (rank + 1) % ranks;
    const size_t last = planes[rank] - 1;
    MPI_Sendrecv(at(f, 0, 0, last), N * N, MPI_DOUBLE, above, 0, f.ghosted, N * N, MPI_DOUBLE, below, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv(at(f, 0, 0, 0), N * N, MPI_DOUBLE, below, 1, at(f, 0, 0, last + 1), N * N, MPI_DOUBLE, above, 1,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* ---- The flow -----------------------------------------------------------------------------------------------------
 */

/* to = from + dt (viscosity lap from + force), one velocity. */
static void diffuse(struct field from, struct field to, int direction, double time)
{
    exchange(from);
    for (size_t k = 0; k < planes[rank]; k++)
        for (size_t j = 0; j < N; j++)
            for (size_t i = 0; i < N; i++) {
                const double sum = *at(from, i - 1, j, k) + *at(from, i + 1, j, k) + *at(from, i, j - 1, k) +
                                   *at(from, i, j + 1, k) + *at(from, i, j, k - 1) + *at(from, i, j, k + 1);
                const double x = 6.2831853 * h * (double)i, z = 6.2831853 * h * (double)(first + k);
                const double force = direction == 0 ? sin(x + time) : direction == 2 ? cos(x) * sin(2 * z) : 0;
                *at(to, i, j, k) =
                    *at(from, i, j, k) + dt * (viscosity / (h * h) * (sum - 6 * *at(from, i, j, k)) + 100 * force);
            }
}

/* Packed, over dt: the right-hand side of the pressure. Returns the largest over all ranks, times dt. */
static double divergence(struct field v[3], double *rhs)
{
    double largest = 0;
    exchange(v[2]);
    for (size_t k = 0; k < planes[rank]; k++)
        for (size_t j = 0; j < N; j++)
            for (size_t i = 0; i < N; i++) {
                const double sum = *at(v[0], i + 1, j, k) - *at(v[0], i, j, k) + *at(v[1], i, j + 1, k) -
                                   *at(v[1], i, j, k) + *at(v[2], i, j, k + 1) - *at(v[2], i, j, k);
                rhs[i + N * (j + N * k)] = sum / h / dt;
                largest = fmax(largest, fabs(sum / h));
            }
    MPI_Allreduce(MPI_IN_PLACE, &largest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return largest;
}

static void project(struct field v[3], struct field p)
{
    exchange(p);
    for (size_t k = 0; k < planes[rank]; k++)
        for (size_t j = 0; j < N; j++)
            for (size_t i = 0; i < N; i++) {
                const double here = *at(p, i, j, k);
                *at(v[0], i, j, k) -= dt / h * (here - *at(p, i - 1, j, k));
                *at(v[1], i, j, k) -= dt / h * (here - *at(p, i, j - 1, k));
                *at(v[2], i, j, k) -= dt / h * (here - *at(p, i, j, k - 1));
            }
}

/* ---- The solver ---------------------------------------------------------------------------------------------------
 */

/* The pressure's array has a ghost plane in front, which the solver leaves as it is. */
static starfish_plan *make_plan(starfish_context *context)
{
    const struct starfish_axis axis = {STARFISH_UNIFORM, .n = N, .length = 1,
                                       .ends = {STARFISH_PERIODIC, STARFISH_PERIODIC}};
    const struct starfish_poisson_problem problem = {.axis = {axis, axis, axis}, .lambda = 0};
    struct starfish_poisson_options options = STARFISH_POISSON_OPTIONS_DEFAULTS;
    starfish_plan *plan;
    options.planes = planes;
    options.solution_layout.offset = N * N;
    if (starfish_poisson_plan_create(context, &problem, &options, &plan) != STARFISH_SUCCESS)
        stop(starfish_error_message());
    return plan;
}

int main(int argc, char **argv)
{
    int level;
    starfish_context *context;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const int steps = argc > 1 ? atoi(argv[1]) : 5;
    if (ranks > N / 2 || ranks > 64)
        stop("more ranks than this decomposition has planes for");
    decompose();
    if (starfish_mpi_context_create(&context, MPI_COMM_WORLD, NULL) != STARFISH_SUCCESS)
        stop(starfish_error_message());
    starfish_plan *plan = make_plan(context);
    struct field v[3] = {create(), create(), create()}, other = create(), p = create();
    double *rhs = malloc(planes[rank] * N * N * sizeof *rhs);
    for (int step = 0; step < steps; step++) {
        for (int d = 0; d < 3; d++) {
            diffuse(v[d], other, d, step * dt);
            const struct field old = v[d];
            v[d] = other;
            other = old;
        }
        const double before = divergence(v, rhs);
        if (starfish_plan_solve(plan, NULL, rhs, p.ghosted, NULL) != STARFISH_SUCCESS)
            stop(starfish_error_message());
        project(v, p);
        const double after = divergence(v, rhs);
        if (rank == 0)
            printf("step %d: divergence %.3e, after the projection %.3e\n", step + 1, before, after);
    }
    free(rhs);
    for (int f = 0; f < 5; f++)
        free((struct field[]){v[0], v[1], v[2], other, p}[f].ghosted);
    starfish_plan_destroy(plan);
    starfish_context_destroy(context);
    MPI_Finalize();
    return 0;
}
