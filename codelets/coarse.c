/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tasks: the coarse space of deflation (krylov/kernels/coarse.h): sums over domains, memory-bound, and solves with the
 * small matrix, latency-bound. */
#include "codelets/coarse.h"

#include "codelets/kernel_pair.h"

STARFISH_PLACE_KERNEL(run_sums, starfish_chunk_sums)
STARFISH_PLACE_KERNEL_ALONE(run_solve, starfish_coarse_solve)

/* ---- Sums over domains ------------------------------------------------------------------------------------------- */

struct sums_arguments {
    struct starfish_task_header header;
    starfish_precision precision;
    struct starfish_chunk_sums kernel;
    struct starfish_access r, y;
    int first; /* position of the tables: sums, cells' beginnings, cells, terms' beginnings, terms, factors */
};

static struct starfish_chunk_sums sums_with_pointers(void *buffers[], const struct sums_arguments *a)
{
    struct starfish_chunk_sums k = a->kernel;

    k.r = starfish_vector_here(buffers, &a->r, a->precision);
    k.y = starfish_vector_here(buffers, &a->y, a->precision);
    k.sum = STARFISH_VECTOR(buffers, a->first);
    k.cell_begin = STARFISH_VECTOR(buffers, a->first + 1);
    k.cell = STARFISH_VECTOR(buffers, a->first + 2);
    k.term_begin = STARFISH_VECTOR(buffers, a->first + 3);
    k.term = STARFISH_VECTOR(buffers, a->first + 4);
    k.factor = STARFISH_VECTOR(buffers, a->first + 5);
    return k;
}

static int sums_share(const struct starfish_place *place, void *data, size_t part, size_t parts)
{
    struct starfish_chunk_sums kernel = *(const struct starfish_chunk_sums *)data;

    kernel.chunk0 = kernel.chunks * part / parts;
    kernel.chunk1 = kernel.chunks * (part + 1) / parts;
    return run_sums(place, &kernel);
}

static void domain_sums_here(const struct starfish_place *place, void *buffers[], const struct sums_arguments *a)
{
    struct starfish_chunk_sums kernel = sums_with_pointers(buffers, a);

    starfish_task_check(&a->header, "domain sums",
                        starfish_place_share(place, a->header.progress->context, sums_share, &kernel));
}

STARFISH_PLACE_CODELET(domain_sums, sums_arguments, a->precision, "domain_sums", 0x8855aa);

struct starfish_cost starfish_chunks_cost(starfish_precision precision, const struct starfish_chunks *chunks,
                                          int has_terms)
{
    return starfish_chunk_sums_cost(precision, (double)chunks->cell.count, has_terms ? (double)chunks->term.count : 0);
}

starfish_status starfish_submit_chunk_sums(const struct starfish_algebra *algebra, size_t part,
                                           const struct starfish_chunks *chunks, const struct starfish_vector *r,
                                           const struct starfish_vector *y)
{
    const struct starfish_extent extent = starfish_part_extent(r->space, part);
    struct sums_arguments a = {.precision = r->precision, .kernel = {.chunks = chunks->chunks}};
    struct starfish_task task;

    starfish_task_begin(&task, &domain_sums_codelet, algebra->progress, algebra->phase);
    starfish_task_of_owner(&task, r->space, part, algebra->where);
    starfish_task_costs(&task, starfish_chunks_cost(r->precision, chunks, y != NULL));
    a.r = starfish_vector_attach(&task, r, part, &extent, STARPU_R);
    a.y = y ? starfish_vector_attach(&task, y, part, &extent, STARPU_R) : STARFISH_NO_ACCESS;
    a.first = task.count;
    starfish_task_data(&task, chunks->sums.handle, STARPU_W);
    starfish_task_data(&task, chunks->cell_begin.handle, STARPU_R);
    starfish_task_data(&task, chunks->cell.handle, STARPU_R);
    starfish_task_data(&task, chunks->term_begin.handle, STARPU_R);
    starfish_task_data(&task, chunks->term.handle, STARPU_R);
    starfish_task_data(&task, chunks->factor.handle, STARPU_R);
    a.header.footprint =
        STARFISH_FOOTPRINT(r->precision, chunks->chunks, r->space->n[0], (size_t)(extent.y1 - extent.y0), y != NULL);
    return starfish_task_submit(&task, &a, sizeof a);
}

/* ---- The small matrix -------------------------------------------------------------------------------------------- */

struct arguments {
    struct starfish_task_header header;
    struct starfish_coarse_solve kernel; /* data: solution, rhs, matrix, place, and of each part chunks and sums */
};

static struct starfish_coarse_solve with_pointers(void *buffers[], const struct arguments *a)
{
    struct starfish_coarse_solve k = a->kernel;

    k.solution = STARFISH_VECTOR(buffers, 0);
    k.rhs = STARFISH_VECTOR(buffers, 1);
    k.matrix = STARFISH_VECTOR(buffers, 2);
    k.place = STARFISH_VECTOR(buffers, 3);
    for (size_t part = 0; part < k.parts; part++) {
        k.chunk_begin[part] = STARFISH_VECTOR(buffers, 4 + 2 * part);
        k.sum[part] = STARFISH_VECTOR(buffers, 5 + 2 * part);
    }
    return k;
}

static void coarse_solve_here(const struct starfish_place *place, void *buffers[], const struct arguments *a)
{
    const struct starfish_coarse_solve kernel = with_pointers(buffers, a);

    starfish_task_check(&a->header, "coarse solve", run_solve(place, &kernel));
}

STARFISH_PLACE_CODELET(coarse_solve, arguments, STARFISH_F64, "coarse_solve", 0xaa5588);

starfish_status starfish_submit_coarse_solve(const struct starfish_algebra *algebra, const struct starfish_space *space,
                                             const struct starfish_coarse_matrix *matrix,
                                             const struct starfish_chunks *chunks)
{
    const size_t parts = space->parts[1];
    struct arguments a = {.kernel = {.domains = matrix->domains,
                                     .unknowns = matrix->unknowns,
                                     .band = matrix->band,
                                     .entries = matrix->entries,
                                     .form = matrix->form,
                                     .parts = parts}};
    struct starfish_task task;

    starfish_task_begin(&task, &coarse_solve_codelet, algebra->progress, algebra->phase);
    starfish_task_of_all_owners(&task, space, algebra->where);
    if (matrix->form == STARFISH_COARSE_BY_BAND)
        task.device = STARFISH_CORES;
    task.flops = starfish_coarse_solve_cost(&a.kernel).operations;
    starfish_task_data(&task, matrix->solution.handle, STARPU_W);
    starfish_task_data(&task, matrix->rhs.handle, STARPU_W);
    starfish_task_data(&task, matrix->matrix.handle, STARPU_R);
    starfish_task_data(&task, matrix->place.handle, STARPU_R);
    for (size_t part = 0; part < parts; part++) {
        starfish_task_data(&task, chunks[part].domain_begin.handle, STARPU_R);
        starfish_task_data(&task, chunks[part].sums.handle, STARPU_R);
    }
    a.header.footprint = STARFISH_FOOTPRINT(matrix->domains, matrix->band, (size_t)matrix->form, parts);
    return starfish_task_submit(&task, &a, sizeof a);
}
