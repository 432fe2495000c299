/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The slab method's tasks and messages on several nodes of one GPU each, and nothing else, for simulation: StarPU-MPI
 * over SimGrid's SMPI. bench/nodes compiles and starts it; it is no part of the library.
 *
 *     nodes MICROSECONDS      what a node takes for its own planes, half of it up and half of it down
 *
 * Of 512 x 512 modes each of p ranks solves the p-th part. A rank transforms its slab and sends two numbers of each
 * mode to the rank that solves it; that one sends two back; the slab is finished and transformed back. */
#include <starpu_mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { EDGE = 512, TURNS = 3, MOST_RANKS = 256 };

static double node_microseconds;

static double half_length(struct starpu_task *task, struct starpu_perfmodel_arch *arch, unsigned implementation)
{
    (void)task, (void)arch, (void)implementation;
    return node_microseconds / 2;
}

/* A launch: the systems of a few thousand modes. */
static double launch_length(struct starpu_task *task, struct starpu_perfmodel_arch *arch, unsigned implementation)
{
    (void)task, (void)arch, (void)implementation;
    return 10;
}

static void nothing(void *buffers[], void *arguments)
{
    (void)buffers, (void)arguments;
}

static struct starpu_perfmodel half_model = {
    .type = STARPU_PER_ARCH, .arch_cost_function = half_length, .symbol = "nodes_half"};
static struct starpu_perfmodel launch_model = {
    .type = STARPU_PER_ARCH, .arch_cost_function = launch_length, .symbol = "nodes_launch"};
static struct starpu_codelet forward = {
    .cuda_funcs = {nothing}, .nbuffers = STARPU_VARIABLE_NBUFFERS, .model = &half_model, .name = "forward"};
static struct starpu_codelet backward = {
    .cuda_funcs = {nothing}, .nbuffers = STARPU_VARIABLE_NBUFFERS, .model = &half_model, .name = "backward"};
static struct starpu_codelet reduced = {
    .cuda_funcs = {nothing}, .nbuffers = STARPU_VARIABLE_NBUFFERS, .model = &launch_model, .name = "reduced"};

/* Ends of slab r for the modes of rank q, and what comes back of them, at r * ranks + q; of other ranks alone NULL. */
struct nodes {
    int rank, ranks;
    starpu_data_handle_t *up, *down;
};

static void register_one(starpu_data_handle_t *handle, int ranks, int tag, int owner)
{
    starpu_vector_data_register(handle, -1, 0, (uint32_t)(2 * EDGE * EDGE / ranks), sizeof(double));
    starpu_mpi_data_register(*handle, tag, owner);
}

static void register_all(struct nodes *n)
{
    const int p = n->ranks;
    n->up = calloc((size_t)p * (size_t)p, sizeof *n->up);
    n->down = calloc((size_t)p * (size_t)p, sizeof *n->down);
    for (int r = 0; n->up && n->down && r < p; r++)
        for (int q = 0; q < p; q++)
            if (r == n->rank || q == n->rank) {
                register_one(&n->up[r * p + q], p, 2 * (r * p + q), r);
                register_one(&n->down[r * p + q], p, 2 * (r * p + q) + 1, q);
            }
}

static void submit(struct starpu_codelet *codelet, int count, const starpu_data_handle_t *handle,
                   const enum starpu_data_access_mode *mode)
{
    struct starpu_task *task = starpu_task_create();
    task->cl = codelet;
    task->nbuffers = count;
    task->dyn_handles = malloc((size_t)count * sizeof handle[0]);
    task->dyn_modes = malloc((size_t)count * sizeof mode[0]);
    for (int i = 0; i < count; i++) {
        task->dyn_handles[i] = handle[i];
        task->dyn_modes[i] = mode[i];
    }
    if (starpu_task_submit(task) != 0)
        exit(1);
}

/* One handle to each other rank, and one from each. */
static void exchange(const struct nodes *n, const starpu_data_handle_t *handle, const int step[2])
{
    for (int i = 1; i < n->ranks; i++) {
        const int other = (n->rank + i) % n->ranks;
        const starpu_data_handle_t out = handle[other * step[0] + n->rank * step[1]];
        const starpu_data_handle_t in = handle[other * step[1] + n->rank * step[0]];
        starpu_mpi_isend_detached(out, other, starpu_mpi_data_get_tag(out), MPI_COMM_WORLD, NULL, NULL);
        starpu_mpi_irecv_detached(in, other, starpu_mpi_data_get_tag(in), MPI_COMM_WORLD, NULL, NULL);
    }
}

static void solve(const struct nodes *n)
{
    const int p = n->ranks, of_slab[2] = {1, p}, of_modes[2] = {p, 1};
    starpu_data_handle_t handle[2 * MOST_RANKS] = {NULL};
    enum starpu_data_access_mode mode[2 * MOST_RANKS] = {STARPU_NONE};
    for (int q = 0; q < p; q++) {
        handle[q] = n->up[n->rank * p + q];
        mode[q] = STARPU_W;
    }
    submit(&forward, p, handle, mode);
    exchange(n, n->up, of_slab);
    for (int r = 0; r < p; r++) {
        handle[r] = n->up[r * p + n->rank];
        handle[p + r] = n->down[r * p + n->rank];
        mode[r] = STARPU_R;
        mode[p + r] = STARPU_W;
    }
    submit(&reduced, 2 * p, handle, mode);
    exchange(n, n->down, of_modes);
    for (int q = 0; q < p; q++) {
        handle[q] = n->down[n->rank * p + q];
        mode[q] = STARPU_R;
    }
    submit(&backward, p, handle, mode);
    starpu_task_wait_for_all();
    starpu_mpi_wait_for_all(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    struct nodes n = {0};
    double least = 1e30;
    node_microseconds = argc > 1 ? atof(argv[1]) : 0;
    if (node_microseconds <= 0 || starpu_mpi_init_conf(&argc, &argv, 1, MPI_COMM_WORLD, NULL) != 0)
        return 1;
    starpu_mpi_comm_rank(MPI_COMM_WORLD, &n.rank);
    starpu_mpi_comm_size(MPI_COMM_WORLD, &n.ranks);
    if (n.ranks > MOST_RANKS)
        return 1;
    register_all(&n);
    for (int turn = 0; turn < TURNS; turn++) { /* the first one allocates */
        starpu_mpi_barrier(MPI_COMM_WORLD);
        const double start = starpu_timing_now();
        solve(&n);
        const double took = starpu_timing_now() - start;
        least = took < least ? took : least;
    }
    if (n.rank == 0)
        printf("%.6f\n", 1e-6 * least);
    for (int i = 0; i < n.ranks * n.ranks; i++)
        if (n.up[i]) {
            starpu_data_unregister(n.up[i]);
            starpu_data_unregister(n.down[i]);
        }
    free(n.up);
    free(n.down);
    starpu_mpi_shutdown();
    return 0;
}
