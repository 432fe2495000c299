/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Preconditioner and deflation of a plan: choices, tables, the multigrid engine. Made once per plan, by loops over all
 * cells. */
#include "diffusion/plan.h"

#include "base/pages.h"
#include "base/real.h"
#include "multigrid/engine.h"
#include "scheduler/runtime/memory.h"
#include "scheduler/runtime/ranks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Multigrid --------------------------------------------------------------------------------------------------- */

/* Of a run of a loop over all rows; and unknowns of a grid that is collected where ranks have GPUs. */
enum { ROWS = 256, TAIL_OF_GPUS = 1 << 19 };

struct faces {
    const struct starfish_diffusion_box *box;
    double *values; /* of all three directions, and the rest */
};

/* Multigrid has the coupling below each unknown where the matrix has the one above. */
static void shift_faces(void *data, size_t first, size_t last)
{
    const struct faces *faces = data;
    const struct starfish_diffusion_box *box = faces->box;
    const size_t nx = box->n[0], ny = box->n[1], plane = nx * ny;

    for (size_t row = first; row < last; row++) {
        const size_t y = row % ny, z = row / ny, e = row * nx;
        const size_t before[2] = {y > 0 ? e - nx : e + plane - nx, z > 0 ? e - plane : e + (box->n[2] - 1) * plane};
        faces->values[e] = box->stored[e + nx - 1];
        memcpy(faces->values + e + 1, box->stored + e, (nx - 1) * sizeof *faces->values);
        for (size_t d = 1; d < 3; d++)
            memcpy(faces->values + d * box->cells + e, box->stored + d * box->cells + before[d - 1],
                   nx * sizeof *faces->values);
        for (size_t i = e; i < e + nx; i++)
            faces->values[3 * box->cells + i] =
                box->stored[3 * box->cells + i] + (box->lambda > 0 ? 2 * box->lambda : 0);
    }
}

/* Grids are those of cells of width one; equations keep their scale, as volumes are one. A matrix that lambda may have
 * made indefinite is preconditioned by one that has its magnitude added (the shifted Laplacian). */
static starfish_status use_cycles(const struct starfish_diffusion_plan *plan, starfish_precision precision,
                                  double *values, struct starfish_multigrid_engine **created,
                                  struct starfish_memory *memory)
{
    const struct starfish_diffusion_box *box = &plan->box;
    struct starfish_multigrid_options options = STARFISH_MULTIGRID_OPTIONS_DEFAULTS;
    struct starfish_stencil_faces faces = {.problem = {.grid = STARFISH_CELL, .reaction = fabs(box->lambda)},
                                           .window =
                                               starfish_halo_window_with_depth(&box->window, STARFISH_STENCIL_WINDOW)};
    double *width = values + 4 * box->cells;
    /* where a GPU or a team of cores has all of the problem it has a cycle over all grids as one task */
    const int whole = plan->runs.parts == 1 && (starfish_context_workers_of(plan->plan.context, STARFISH_GPU) > 0 ||
                                                starfish_context_workers_of(plan->plan.context, STARFISH_CPU) == 1);
    const struct starfish_runs *runs = whole ? NULL : &plan->runs;

    for (int d = 0; d < 3; d++) {
        faces.problem.n[d] = box->n[d];
        faces.problem.ends[d][0] = box->ends[d][0];
        faces.problem.ends[d][1] = box->ends[d][1];
        faces.problem.width[d] = width;
        faces.face[d] = values + (size_t)d * box->cells;
        for (size_t i = 0; i < box->n[d]; i++)
            width[i] = 1;
    }
    const struct starfish_spans rows = starfish_halo_window_spans(&faces.window, 1, box->n[1]);
    starfish_spans_loop(&rows, ROWS, shift_faces, &(struct faces){box, values});
    faces.rest = values + 3 * box->cells;
    options.precision = precision;
    options.krylov = STARFISH_KRYLOV_CG;
    options.before = options.after = 2;
    if (plan->dealt.any_gpu)
        options.tail = TAIL_OF_GPUS;
    return starfish_multigrid_engine_create(plan->plan.context, &starfish_stencil_hooks, &faces, &options, runs,
                                            created, memory);
}

/* The engine; or, where `memory` is there, what it would take. */
static starfish_status create_multigrid(const struct starfish_diffusion_plan *plan, starfish_precision precision,
                                        struct starfish_multigrid_engine **created, struct starfish_memory *memory)
{
    const struct starfish_diffusion_box *box = &plan->box;
    const size_t longest = fmax(fmax((double)box->n[0], (double)box->n[1]), (double)box->n[2]);

    double *values = starfish_pages_alloc((4 * box->cells + longest) * sizeof *values);
    starfish_status status = starfish_halo_window_agree(
        &box->window, STARFISH_OR_FAIL(values, STARFISH_ERROR_MEMORY, "out of memory for a hierarchy"));
    if (status == STARFISH_SUCCESS && values)
        status = use_cycles(plan, precision, values, created, memory);
    free(values);
    return status;
}

starfish_status starfish_diffusion_create_cycles(struct starfish_diffusion_plan *plan)
{
    return plan->options.preconditioner == STARFISH_PRECONDITIONER_MULTIGRID
               ? create_multigrid(plan, plan->inner, &plan->multigrid, NULL)
               : STARFISH_SUCCESS;
}

/* Parts apart have ghosts as deep as the cycles read. */
static starfish_status create_fallback(struct starfish_diffusion_plan *plan)
{
    struct starfish_diffusion_fallback *fallback = &plan->fallback;

    STARFISH_TRY(create_multigrid(plan, plan->options.precision, &fallback->multigrid, NULL));
    const struct starfish_space *space = &plan->space;
    if (plan->space.apart && fallback->multigrid)
        space = fallback->multigrid->op.space;
    fallback->has_vectors = plan->options.mixed || plan->space.apart;
    for (int i = 0; i < 4 && fallback->has_vectors; i++)
        STARFISH_TRY(starfish_vector_create(&fallback->vector[i], space, plan->options.precision));
    return STARFISH_SUCCESS;
}

starfish_status starfish_diffusion_need_fallback(struct starfish_diffusion_plan *plan)
{
    return plan->fallback.multigrid ? STARFISH_SUCCESS
                                    : starfish_ranks_agree(plan->plan.context, create_fallback(plan));
}

/* ---- Deflation --------------------------------------------------------------------------------------------------- */

/* A band is for cores. */
static enum starfish_coarse_form choose_form(const struct starfish_diffusion_plan *plan)
{
    const int on_gpu = starfish_context_workers_of(plan->plan.context, STARFISH_GPU) > 0 || plan->dealt.any_gpu;
    const int has_cores = starfish_context_workers_of(plan->plan.context, STARFISH_CPU) > 0;

    switch (plan->options.reserved[STARFISH_DIFFUSION_COARSE]) {
    case STARFISH_COARSE_DENSE:
        return STARFISH_COARSE_BY_INVERSE;
    case STARFISH_COARSE_HALVES:
        return STARFISH_COARSE_BY_HALVES;
    case STARFISH_COARSE_BAND:
        return has_cores && !plan->dealt.any_gpu ? STARFISH_COARSE_BY_BAND : STARFISH_COARSE_BY_HALVES;
    default:
        return on_gpu ? STARFISH_COARSE_BY_HALVES : STARFISH_COARSE_BY_BAND;
    }
}

/* Of the cells in the box's window. */
static starfish_status find_domains(struct starfish_diffusion_plan *plan,
                                    const struct starfish_diffusion_problem *problem, int *domain)
{
    const struct starfish_diffusion_box *box = &plan->box;
    const size_t wanted = plan->options.vectors;

    switch (plan->options.deflation) {
    case STARFISH_DEFLATION_STRIPES:
        plan->vectors = starfish_domains_stripes(&box->window, box->n, wanted > 0 ? wanted : 64, domain);
        return STARFISH_SUCCESS;
    case STARFISH_DEFLATION_BLOCKS:
        plan->vectors = starfish_domains_blocks(&box->window, box->n, wanted > 0 ? wanted : 8, domain);
        return STARFISH_SUCCESS;
    default:
        return starfish_domains_regions(&box->window, box->n[0] * box->n[1], problem->regions, domain, &plan->vectors);
    }
}

static struct starfish_cell_matrix matrix_of(const struct starfish_diffusion_box *box)
{
    return (struct starfish_cell_matrix){.n = {box->n[0], box->n[1], box->n[2]},
                                         .periodic = {box->periodic[0], box->periodic[1], box->periodic[2]},
                                         .stored = box->stored};
}

/* Of deflation: domains of cells, entries of A Z at faces between domains, four at most for each and one of each cell,
 * and what there is of E. */
static starfish_status count_deflation(const struct starfish_diffusion_plan *plan,
                                       const struct starfish_deflation_spec *spec, size_t *bytes)
{
    const struct starfish_diffusion_box *box = &plan->box;
    const struct starfish_run_of_planes own = starfish_halo_window_own(&box->window);
    const size_t stride[3] = {1, box->n[0], box->n[0] * box->n[1]}, cells = own.count * stride[2];
    size_t faces = 0;

    for (size_t e = own.first * stride[2]; e < own.first * stride[2] + cells; e++)
        for (int d = 0; d < 3; d++) {
            const size_t at = e / stride[d] % box->n[d];
            faces += at + 1 == box->n[d] || spec->domain[e] != spec->domain[e + stride[d]];
        }
    STARFISH_TRY(starfish_deflation_count(spec, bytes));
    *bytes += 2 * cells * sizeof(int) + (4 * faces + cells) * (sizeof(int) + sizeof(double));
    return STARFISH_SUCCESS;
}

/* Deflation, from the domains of cells: made, or where `bytes` is there, counted. */
static starfish_status with_domains(struct starfish_diffusion_plan *plan,
                                    const struct starfish_diffusion_problem *problem, size_t *bytes)
{
    const struct starfish_cell_matrix matrix = matrix_of(&plan->box);
    int *domain = starfish_pages_alloc(plan->box.cells * sizeof *domain);
    starfish_status status = starfish_halo_window_agree(
        &plan->box.window,
        STARFISH_OR_FAIL(domain, STARFISH_ERROR_MEMORY, "out of memory for domains of %zu cells", plan->box.cells));

    if (status == STARFISH_SUCCESS && domain)
        status = find_domains(plan, problem, domain);
    if (status == STARFISH_SUCCESS && domain) {
        const struct starfish_deflation_spec spec = {.space = &plan->space,
                                                     .window = &plan->box.window,
                                                     .precision = plan->inner,
                                                     .op = &plan->low,
                                                     .matrix = &matrix,
                                                     .domain = domain,
                                                     .domains = plan->vectors,
                                                     .singular = plan->box.singular,
                                                     .form = choose_form(plan)};
        status = bytes ? count_deflation(plan, &spec, bytes) : starfish_deflation_create(&plan->deflation, &spec);
    }
    free(domain);
    return status;
}

starfish_status starfish_diffusion_create_deflation(struct starfish_diffusion_plan *plan,
                                                    const struct starfish_diffusion_problem *problem)
{
    return plan->options.deflation == STARFISH_DEFLATION_NONE ? STARFISH_SUCCESS : with_domains(plan, problem, NULL);
}

/* ---- All of it --------------------------------------------------------------------------------------------------- */

static const enum starfish_cell_preconditioner kinds[STARFISH_PRECONDITIONERS] = {
    [STARFISH_PRECONDITIONER_NONE] = STARFISH_CELLS_BY_NOTHING,
    [STARFISH_PRECONDITIONER_JACOBI] = STARFISH_CELLS_BY_DIAGONAL,
    [STARFISH_PRECONDITIONER_IP] = STARFISH_CELLS_BY_IP,
    [STARFISH_PRECONDITIONER_BLOCK_IC] = STARFISH_CELLS_BY_BLOCKS,
    [STARFISH_PRECONDITIONER_LINE_Z] = STARFISH_CELLS_BY_LINES,
    [STARFISH_PRECONDITIONER_MULTIGRID] = STARFISH_CELLS_BY_ANOTHER,
};

enum starfish_cell_preconditioner starfish_diffusion_preconditioner_kind(const struct starfish_diffusion_plan *plan)
{
    const enum starfish_cell_preconditioner kind = kinds[plan->options.preconditioner];

    return kind == STARFISH_CELLS_BY_IP && plan->options.reserved[STARFISH_DIFFUSION_DROPPED_FILL]
               ? STARFISH_CELLS_BY_IP_DROPPED
               : kind;
}

starfish_status starfish_diffusion_create_table(struct starfish_diffusion_plan *plan)
{
    const struct starfish_cell_matrix matrix = matrix_of(&plan->box);
    const struct starfish_cells_table_spec spec = {.by = starfish_diffusion_preconditioner_kind(plan),
                                                   .matrix = &matrix,
                                                   .space = &plan->space,
                                                   .window = &plan->box.window,
                                                   .block = plan->options.block,
                                                   .precision = plan->inner};

    return starfish_cells_table(&spec, &plan->preconditioner);
}

/* ---- Memory ------------------------------------------------------------------------------------------------------ */

/* The cycles' memory, of the plan that there is, or of one that is only asked for; and that of those which may come to
 * the fallback: in mixed precision they have the same grids with numbers of twice the size. */
static starfish_status measure_cycles(const struct starfish_diffusion_plan *plan, struct starfish_memory *cycles,
                                      struct starfish_memory *fallback)
{
    const struct starfish_diffusion_options *o = &plan->options;

    if (o->preconditioner != STARFISH_PRECONDITIONER_MULTIGRID)
        return create_multigrid(plan, o->precision, NULL, fallback);
    STARFISH_TRY(plan->multigrid ? starfish_multigrid_engine_memory(plan->multigrid, cycles)
                                 : create_multigrid(plan, plan->inner, NULL, cycles));
    if (plan->inner != o->precision)
        fallback->main_bytes = 2 * cycles->main_bytes;
    return STARFISH_SUCCESS;
}

/* Vectors and matrices of the iteration, and what preconditions and deflates it; a task has four vectors, or all of
 * multigrid's, or a matrix of deflation. */
starfish_status starfish_diffusion_measure(struct starfish_diffusion_plan *plan,
                                           const struct starfish_diffusion_problem *problem)
{
    enum { AT_ONCE = 4, VECTORS = 4, SMALL = 1 << 20 };
    const struct starfish_diffusion_options *o = &plan->options;
    const struct starfish_spans here =
        starfish_halo_window_spans(&plan->box.window, 1, plan->box.n[0] * plan->box.n[1]);
    const size_t cells = starfish_spans_elements(&here), per_cell = o->reserved[STARFISH_DIFFUSION_MATRIX_FREE] ? 1 : 4;
    const size_t high = cells * starfish_real_size(o->precision), low = cells * starfish_real_size(plan->inner);
    const size_t matrices = per_cell * (high + (plan->inner == o->precision ? 0 : low));
    /* A GPU has room for all of a table: at once for the matrix, or for that of cycles, whose coarse grids take a
     * seventh more; in time for these and the matrix in another precision. */
    const size_t untouched = (plan->box.cells - cells) * starfish_real_size(o->precision), words = 5;
    struct starfish_memory cycles = {.main_bytes = 0}, fallback = {.main_bytes = 0};
    struct starfish_memory *memory = &plan->plan.memory;
    size_t deflation = 0;

    STARFISH_TRY(starfish_halo_window_agree(&plan->box.window, measure_cycles(plan, &cycles, &fallback)));
    if (o->deflation != STARFISH_DEFLATION_NONE)
        STARFISH_TRY(with_domains(plan, problem, &deflation));
    memory->main_bytes = matrices + VECTORS * (high + low) + low + deflation + cycles.main_bytes + SMALL;
    memory->main_bytes += fallback.main_bytes + (o->mixed || plan->runs.apart ? VECTORS * high : 0);
    memory->gpu_work = cycles.gpu_work;
    memory->gpu_data = memory->main_bytes + 2 * high;
    memory->gpu_least =
        cycles.gpu_work + starfish_device_footprint(per_cell * high + low + AT_ONCE * high + deflation, SMALL);
    if (cycles.gpu_least > memory->gpu_least)
        memory->gpu_least = cycles.gpu_least;
    memory->gpu_data += (2 * per_cell + words) * untouched;
    memory->gpu_least += words * untouched;
    starfish_memory_complete(plan->plan.context, plan->multigrid != NULL, memory); /* whose work space is taken */
    return plan->plan.is_measured ? STARFISH_SUCCESS : starfish_memory_check("diffusion", memory);
}
