/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Several sweeps, the coarse grid's correction before them, and the restriction or the inner product after them, in one
 * pass over memory on the CPU.
 *
 * Stages follow each other a plane apart, in place in v: while a plane is corrected, the first colour of the plane
 * before it is relaxed, the second colour of the one before that, and so on, so that a plane stays in the cache until
 * all has been done to it. V(2,2) reads and writes 12 words per unknown of a stored matrix in this way, 28 sweep by
 * sweep. In place is right because the unknowns of a colour read only the other colour, and these are written again
 * two stages later.
 *
 * Planes of which too little fits into the cache are done in strips of rows, one after the other; each stage of a strip
 * begins and ends a row before the stage whose neighbours it reads. Source: Lamport, The parallel execution of DO
 * loops, Communications of the ACM 17 (1974), 83-93.
 *
 * Several cores divide the planes among them. First each does what needs no others: in every stage its planes, but at
 * both edges one less than in the stage before. When its neighbours have done that too, it does the planes that are
 * left around its lower edge, in every stage one more. So cores wait for each other once, and of each other's planes
 * they read as few as sweep by sweep. Source: Krishnamoorthy et al., Effective automatic parallelization of stencil
 * computations, PLDI 2007 (split tiling).
 *
 * Loops over a row load both colours and use one, and store both, one as it was, so no core may read a plane that
 * another core is relaxing. In two cases two cores would: in the first stage at their common edge, where it reads
 * neighbours, and in the last one half-way between two edges, where cores have no more planes than they must. Then one
 * plane is done before all others, or after them, and the cores wait for each other once more. */
#include "multigrid/kernels/flux_pass.h"

#include "multigrid/kernels/flux_row.h"

#include <string.h>

enum { CACHED_BYTES = 1024 * 1024, CACHED_ARRAYS = 5 }; /* of a core; v, f, and couplings in three directions */
enum { MOST_STAGES = 2 * STARFISH_FLUX_PASS_SWEEPS + 2, FEWEST_ROWS = MOST_STAGES + 2 };

/* Planes first .. end-1 of each stage. */
struct tile {
    size_t first[MOST_STAGES], end[MOST_STAGES];
};

struct pass;
struct stage {
    void (*run)(struct pass *pass, int colour, size_t j, size_t k);
    int colour;
    size_t shift; /* rows and planes by which its edges are away from those of the first stage */
};

struct pass {
    const struct starfish_flux_pass *a;
    struct starfish_flux_restrict onto; /* the coarse grid */
    size_t nx, ny, nz;
    real damping;
    double sum;
    size_t stages;
    struct stage stage[MOST_STAGES];
    size_t last_shift;     /* of the stages that write v */
    int is_early, is_late; /* one plane of the first stages is done before all others; of the last ones after them */
};

static size_t start_of(const struct pass *p, size_t j, size_t k)
{
    return p->nx * (j + p->ny * k);
}

static real *solution_row(const struct pass *p, size_t j, size_t k)
{
    return (real *)p->a->v + start_of(p, j, k);
}

static const real *rhs_row(const struct pass *p, size_t j, size_t k)
{
    return (const real *)p->a->f + start_of(p, j, k);
}

static int parity_of(int colour, size_t j, size_t k)
{
    return (int)((j + k + (size_t)colour) % 2);
}

/* ---- Stages ------------------------------------------------------------------------------------------------------ */

static void correct(struct pass *p, int colour, size_t j, size_t k)
{
    real *v = solution_row(p, j, k);

    (void)colour;
    flux_prefetch_after(v, p->nx);
    REAL_NAME(starfish_flux_row_prolong)
    (p->a->transfer, p->a->correction, v, j, (ptrdiff_t)k, flux_work_row(p->a->work, p->nx, 0), v);
}

/* The first colour where all is zero. */
static void relax_zero(struct pass *p, int colour, size_t j, size_t k)
{
    struct flux_row row;

    REAL_NAME(starfish_flux_row)(&p->a->matrix, j, (ptrdiff_t)k, &row);
    flux_prefetch_after(rhs_row(p, j, k), p->nx);
    REAL_NAME(starfish_flux_row_relax_zero)
    (&row, rhs_row(p, j, k), p->damping, parity_of(colour, j, k), solution_row(p, j, k));
}

/* The values of row (j,k): directions are open. */
static struct flux_values values_of(const struct pass *p, size_t j, size_t k)
{
    const real *const v = solution_row(p, j, k);
    const size_t plane = p->nx * p->ny;

    return (struct flux_values){.middle = v,
                                .side = {[FLUX_SOUTH] = j > 0 ? v - p->nx : v,
                                         [FLUX_NORTH] = j + 1 < p->ny ? v + p->nx : v,
                                         [FLUX_BELOW] = k > 0 ? v - plane : v,
                                         [FLUX_ABOVE] = k + 1 < p->nz ? v + plane : v}};
}

static void relax(struct pass *p, int colour, size_t j, size_t k)
{
    const struct flux_values values = values_of(p, j, k);
    struct flux_row row;

    REAL_NAME(starfish_flux_row)(&p->a->matrix, j, (ptrdiff_t)k, &row);
    REAL_NAME(starfish_flux_row_relax)
    (&row, &values, rhs_row(p, j, k), p->damping, parity_of(colour, j, k), solution_row(p, j, k));
}

/* The first relaxation of a pass that neither corrects nor begins at zero. */
static void relax_first(struct pass *p, int colour, size_t j, size_t k)
{
    flux_prefetch_after(rhs_row(p, j, k), p->nx);
    flux_prefetch_after(values_of(p, j, k).side[FLUX_ABOVE], p->nx);
    relax(p, colour, j, k);
}

/* Is a fine row the first of those that its coarse row gets some of? */
static int is_first_of_coarse(const struct starfish_flux_transfer *t, size_t fine)
{
    return t->fine == t->coarse || fine % 2 == 0;
}

static size_t coarse_index(const struct starfish_flux_transfer *t, size_t fine)
{
    return t->fine == t->coarse ? fine : fine / 2;
}

static void restrict_residual(struct pass *p, int colour, size_t j, size_t k)
{
    const struct starfish_flux_transfer *const t = p->a->transfer;
    const size_t row = coarse_index(&t[1], j) + t[1].coarse * coarse_index(&t[2], k);

    (void)colour;
    if (is_first_of_coarse(&t[1], j) && is_first_of_coarse(&t[2], k))
        memset((real *)p->a->coarse + t[0].coarse * row, 0, t[0].coarse * sizeof(real));
    REAL_NAME(starfish_flux_row_restrict)(&p->onto, j, k);
}

static void multiply(struct pass *p, int colour, size_t j, size_t k)
{
    (void)colour;
    p->sum += REAL_NAME(starfish_flux_row_product)(rhs_row(p, j, k), solution_row(p, j, k), p->nx);
}

static void add_stage(struct pass *p, void (*run)(struct pass *, int, size_t, size_t), int colour, size_t shift)
{
    p->stage[p->stages++] = (struct stage){run, colour, shift};
}

/* Shifts grow where neighbours are read. The restriction begins at an even row and plane, so that no coarse one is two
 * strips' or cores'. */
static void find_stages(struct pass *p)
{
    const struct starfish_flux_pass *a = p->a;
    const int first = a->order == STARFISH_FLUX_ODD_FIRST;
    size_t shift = 0;

    if (a->correction)
        add_stage(p, correct, 0, shift++);
    for (int i = 0; i < 2 * a->sweeps; i++)
        add_stage(p, i > 0 || a->correction ? relax : a->zero ? relax_zero : relax_first, (first + i) % 2, shift++);
    p->last_shift = shift - 1;
    if (a->sum)
        add_stage(p, multiply, 0, p->last_shift);
    if (a->coarse)
        add_stage(p, restrict_residual, 0, shift + shift % 2);
    p->is_early = a->parts > 1 && !a->correction && !a->zero;
    p->is_late = a->parts > 1 && p->nz / 2 / a->parts * 2 <= 2 * p->last_shift;
}

/* ---- Tiles ------------------------------------------------------------------------------------------------------- */

/* Where a strip's edge lies for a stage. */
static size_t shifted(const struct pass *p, const struct stage *stage, size_t edge)
{
    return edge == 0 || edge == p->ny ? edge : edge - stage->shift;
}

static void run_strip(struct pass *p, const struct tile *tile, const size_t y[2])
{
    size_t begin = p->nz + p->stages, end = 0;

    for (size_t s = 0; s < p->stages; s++) {
        begin = tile->first[s] + s < begin ? tile->first[s] + s : begin;
        end = tile->end[s] + s > end ? tile->end[s] + s : end;
    }
    for (size_t step = begin; step < end; step++)
        for (size_t s = 0; s < p->stages; s++) {
            const struct stage *const stage = &p->stage[s];
            if (step < tile->first[s] + s || step >= tile->end[s] + s)
                continue;
            for (size_t j = shifted(p, stage, y[0]); j < shifted(p, stage, y[1]); j++)
                stage->run(p, stage->colour, j, step - s);
        }
}

/* Rows of a strip, an even number. */
static size_t strip_rows(const struct pass *p)
{
    const size_t planes = p->stages + 1, most = p->ny / FEWEST_ROWS;
    const size_t cached = CACHED_BYTES / (CACHED_ARRAYS * planes * p->nx * sizeof(real)) + 1;
    const size_t wanted = (p->ny + cached - 1) / cached, strips = wanted < most ? wanted : most > 0 ? most : 1;

    return ((p->ny + strips - 1) / strips + 1) / 2 * 2;
}

static void run_tile(struct pass *p, const struct tile *tile)
{
    const size_t rows = strip_rows(p);

    for (size_t y = 0; y < p->ny; y += rows)
        run_strip(p, tile, (const size_t[]){y, y + rows < p->ny ? y + rows : p->ny});
}

/* The first plane of a part, an even one; of the one past the last part that past the last plane. */
static size_t first_plane(const struct pass *p, size_t part)
{
    return part == p->a->parts ? p->nz : p->nz / 2 * part / p->a->parts * 2;
}

/* What a part needs no others for. */
static struct tile tile_within(const struct pass *p)
{
    const size_t part = p->a->part, first = first_plane(p, part), end = first_plane(p, part + 1);
    struct tile tile = {.first = {0}, .end = {0}};

    for (size_t s = 0; s < p->stages; s++) {
        tile.first[s] = part > 0 ? first + p->stage[s].shift + (p->is_early && s == 0) : first;
        tile.end[s] = part + 1 < p->a->parts ? end - p->stage[s].shift : end;
    }
    return tile;
}

/* What is left around its first plane. */
static struct tile tile_between(const struct pass *p)
{
    const size_t edge = first_plane(p, p->a->part);
    struct tile tile = {.first = {0}, .end = {0}};

    for (size_t s = 0; s < p->stages; s++) {
        tile.first[s] = edge - p->stage[s].shift + (p->is_late && p->stage[s].shift == p->last_shift);
        tile.end[s] = edge + p->stage[s].shift;
    }
    return tile;
}

/* The lowest plane around its first one of the stages with that shift. */
static struct tile tile_of_plane(const struct pass *p, size_t shift)
{
    const size_t plane = first_plane(p, p->a->part) - shift;
    struct tile tile = {.first = {0}, .end = {0}};

    for (size_t s = 0; s < p->stages; s++) {
        tile.first[s] = plane;
        tile.end[s] = plane + (p->stage[s].shift == shift);
    }
    return tile;
}

/* One plane that is done by itself, as the cores' first or last. */
static void run_plane(struct pass *p, size_t shift)
{
    if (p->a->part > 0) {
        const struct tile tile = tile_of_plane(p, shift);
        run_tile(p, &tile);
    }
}

static void wait_beside(const struct pass *p)
{
    if (p->a->parts > 1)
        starfish_barrier_wait_beside(p->a->barrier, p->a->part, p->a->parts);
}

void REAL_NAME(starfish_flux_pass_cpu)(const struct starfish_flux_pass *a)
{
    const struct starfish_flux_axis *axis = a->matrix.axis;
    struct pass p = {.a = a, .nx = axis[0].n, .ny = axis[1].n, .nz = axis[2].n, .damping = (real)a->damping};

    p.onto = (struct starfish_flux_restrict){.matrix = a->matrix,
                                             .at = {0, a->transfer[1].coarse, 0, a->transfer[2].coarse},
                                             .u = a->v,
                                             .f = a->f,
                                             .coarse = a->coarse,
                                             .work = a->work};
    memcpy(p.onto.transfer, a->transfer, sizeof p.onto.transfer);
    find_stages(&p);
    if (p.is_early) {
        run_plane(&p, 0);
        wait_beside(&p);
    }
    const struct tile within = tile_within(&p);
    run_tile(&p, &within);
    wait_beside(&p);
    if (a->part > 0) {
        const struct tile between = tile_between(&p);
        run_tile(&p, &between);
    }
    if (p.is_late) {
        wait_beside(&p);
        run_plane(&p, p.last_shift);
    }
    if (a->sum)
        *a->sum = p.sum;
}
