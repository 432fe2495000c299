/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Engines of grids that are sparse matrices: restrictions, tables of whole grids and of their parts, and the index sets
 * that a part reads from others. */
#include "multigrid/fem.h"

#include "base/precision.h"
#include "base/real.h"
#include "multigrid/fem_halos.h"
#include "multigrid/fem_pinned.h"
#include "multigrid/fem_steps.h"
#include "multigrid/kernels/fem_kind.h"
#include "scheduler/runtime/ranks.h"
#include "sparse/pack.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* A grid's matrices, by enum starfish_fem_matrix. Those of the first and last are the caller's. */
struct grid {
    const struct starfish_csr *matrix[STARFISH_FEM_MATRICES];
    struct starfish_csr r, ra, pinned;
    struct starfish_fem_steps steps;
    int *local; /* of a cut grid: local numbers of its unknowns in the part that is made */
};

/* A table as it goes to the graph. */
struct packed {
    struct starfish_fem_shape shape;
    float *words;
    size_t count;
};

struct part_of_grid {
    struct packed packed[STARFISH_FEM_MOST_PARTS];
    struct starfish_hierarchy_grid grid[STARFISH_FEM_MOST_PARTS];
    size_t rows[STARFISH_FEM_MOST_PARTS];
};

struct making {
    const struct starfish_context *context;
    const struct starfish_fem_grids *grids;
    starfish_precision precision; /* of the cycles */
    int steps;                    /* of the smoother, before and after each coarse grid's correction */
    struct grid grid[STARFISH_GRID_MOST_LEVELS];
    int mixed;
    struct packed whole[STARFISH_GRID_MOST_LEVELS], high; /* high: the finest operator for residuals in f64, */
    struct packed high_part[STARFISH_FEM_MOST_PARTS];     /* and where it is cut its parts */
    struct part_of_grid *part;                            /* of cut levels */
    struct starfish_fem_halos *halos;                     /* likewise */
    /* Descriptions for the engine. */
    struct starfish_fem_shape shape[STARFISH_GRID_MOST_LEVELS];
    struct starfish_hierarchy_index_sets sets[STARFISH_GRID_MOST_LEVELS];
    struct starfish_hierarchy_grid high_grid[STARFISH_FEM_MOST_PARTS];
};

/* ---- Tables ------------------------------------------------------------------------------------------------------ */

/* Of a matrix of a grid. The few long rows of E and G are shared by threads, whatever the format. */
static starfish_sparse_format format_of(enum starfish_fem_matrix matrix, starfish_sparse_format format)
{
    return matrix == STARFISH_FEM_E || matrix == STARFISH_FEM_G ? STARFISH_SPARSE_ELLPACK_T : format;
}

/* Of a grid. */
static starfish_sparse_format format_for(const struct starfish_fem_grids *grids, int level)
{
    enum { FEW = 1 << 16 }; /* rows with which a thread per row leaves a GPU idle */

    return grids->grid[level].a.rows <= FEW ? grids->format_of_small : grids->format;
}

static starfish_status lay_out(const struct starfish_csr *const matrix[STARFISH_FEM_MATRICES],
                               starfish_sparse_format format, starfish_precision precision, struct packed *p)
{
    for (int m = 0; m < STARFISH_FEM_MATRICES; m++)
        if (matrix[m])
            STARFISH_TRY(starfish_sparse_lay_out(matrix[m], format_of((enum starfish_fem_matrix)m, format), precision,
                                                 &p->shape.matrix[m], &p->count));
    p->shape.inverse = p->count = (p->count + 1) / 2 * 2;
    p->count += p->shape.diagonal ? p->shape.all_rows * starfish_real_size(precision) / sizeof(float) : 0;
    return STARFISH_SUCCESS;
}

/* The diagonal of A, of row i at local[i] where that is not -1; NULL: at i. */
static void pack_inverse(const struct starfish_csr *a, const int *local, starfish_precision precision, struct packed *p)
{
    void *inverse = p->words + p->shape.inverse;

    for (size_t i = 0; i < a->rows; i++) {
        const size_t at = local && local[i] < 0 ? SIZE_MAX : local ? (size_t)local[i] : i;
        const int e = at < p->shape.all_rows ? starfish_csr_find(a, i, i) : -1;
        const double value = e < 0 || a->value[e] == 0 ? 0 : 1 / a->value[e];
        if (at < p->shape.all_rows)
            starfish_element_set(inverse, precision, at, value);
    }
}

static starfish_status pack(const struct starfish_csr *const matrix[STARFISH_FEM_MATRICES],
                            starfish_sparse_format format, starfish_precision precision, struct packed *p)
{
    STARFISH_TRY(lay_out(matrix, format, precision, p));
    p->words = calloc(p->count + 1, sizeof(float));
    STARFISH_FAIL_IF(!p->words, STARFISH_ERROR_MEMORY, "out of memory for a grid's matrices");
    for (int m = 0; m < STARFISH_FEM_MATRICES; m++)
        if (matrix[m])
            STARFISH_TRY(starfish_sparse_pack(matrix[m], &p->shape.matrix[m], precision, (int *)(void *)p->words));
    return STARFISH_SUCCESS;
}

/* Of grids that are cut the parts have matrices, and of the last of them the tail has one besides. */
static int is_in_parts(const struct making *m, int l)
{
    return m->grids->cut && l + 1 < m->grids->cut->levels;
}

static starfish_status pack_whole(struct making *m, int l)
{
    const struct starfish_fem_grid *given = &m->grids->grid[l];
    struct packed *p = &m->whole[l];

    p->shape.rows = p->shape.all_rows = given->a.rows;
    p->shape.coarse_rows = given->p.columns;
    p->shape.diagonal = !given->m.start;
    p->shape.damping = given->damping;
    p->shape.at_once = m->grid[l].steps.count;
    if (is_in_parts(m, l))
        return lay_out(m->grid[l].matrix, format_for(m->grids, l), m->precision, p);
    STARFISH_TRY(pack(m->grid[l].matrix, format_for(m->grids, l), m->precision, p));
    if (p->shape.diagonal)
        pack_inverse(&given->a, NULL, m->precision, p);
    return STARFISH_SUCCESS;
}

/* ---- Grids ------------------------------------------------------------------------------------------------------- */

static starfish_status make_grid(struct making *m, int l)
{
    const struct starfish_fem_grid *given = &m->grids->grid[l];
    struct grid *grid = &m->grid[l];

    grid->matrix[STARFISH_FEM_A] = &given->a;
    grid->matrix[STARFISH_FEM_M] = given->m.start ? &given->m : NULL;
    if (l + 1 < m->grids->levels) {
        STARFISH_TRY(starfish_csr_transpose(&given->p, &grid->r));
        STARFISH_TRY(starfish_csr_product(&grid->r, NULL, &given->a, &grid->ra));
        grid->matrix[STARFISH_FEM_P] = &given->p;
        grid->matrix[STARFISH_FEM_R] = &grid->r;
        grid->matrix[STARFISH_FEM_RA] = &grid->ra;
    }
    if (l + 1 == m->grids->levels)
        STARFISH_TRY(starfish_fem_pin(&given->a, &grid->pinned));
    grid->matrix[STARFISH_FEM_PINNED] = grid->pinned.start ? &grid->pinned : NULL;
    if (l + 1 < m->grids->levels && m->grids->steps_at_once && !is_in_parts(m, l))
        STARFISH_TRY(starfish_fem_steps_create(given, m->steps, m->precision, &grid->steps));
    if (grid->steps.count > 0) {
        grid->matrix[STARFISH_FEM_E] = &grid->steps.e;
        grid->matrix[STARFISH_FEM_G] = &grid->steps.g;
    }
    return pack_whole(m, l);
}

/* ---- Parts ------------------------------------------------------------------------------------------------------- */

static void mark_columns(const struct starfish_csr *a, const size_t rows[2], int *local)
{
    for (int e = a ? a->start[rows[0]] : 0; a && e < a->start[rows[1]]; e++)
        local[a->column[e]] = 1;
}

static int ahead_of(const struct making *m, int l)
{
    return m->grids->cut->ahead ? m->grids->cut->ahead[l] : 0;
}

/* Marks neighbours of what is marked. */
static void mark_rings(const struct starfish_csr *a, int rings, int *local)
{
    for (int r = 0; r < rings; r++)
        for (size_t i = 0; i < a->rows; i++)
            for (int e = local[i] == r + 1 ? a->start[i] : a->start[i + 1]; e < a->start[i + 1]; e++)
                if (local[a->column[e]] == 0)
                    local[a->column[e]] = r + 2; /* not yet in this ring */
}

/* Local numbers of a level's unknowns in a part: its own, then its ghosts in the order of their numbers; -1: not read.
 */
static void number_locally(const struct making *m, int l, size_t p)
{
    const struct starfish_fem_cut *cut = m->grids->cut;
    const struct grid *grid = &m->grid[l];
    const size_t n = m->grids->grid[l].a.rows, *own = &cut->first[l][p];
    int next = (int)(own[1] - own[0]);

    memset(grid->local, 0, n * sizeof *grid->local);
    mark_columns(grid->matrix[STARFISH_FEM_A], own, grid->local);
    mark_columns(grid->matrix[STARFISH_FEM_M], own, grid->local);
    if (l + 1 < cut->levels) {
        mark_columns(grid->matrix[STARFISH_FEM_R], &cut->first[l + 1][p], grid->local);
        mark_columns(grid->matrix[STARFISH_FEM_RA], &cut->first[l + 1][p], grid->local);
    }
    if (l > 0)
        mark_columns(grid[-1].matrix[STARFISH_FEM_P], &cut->first[l - 1][p], grid->local);
    if (ahead_of(m, l) > 0)
        mark_rings(grid->matrix[STARFISH_FEM_A], ahead_of(m, l) - 1, grid->local);
    for (size_t j = 0; j < n; j++) {
        const int is_own = j >= own[0] && j < own[1];
        grid->local[j] = is_own ? (int)(j - own[0]) : grid->local[j] ? next++ : -1;
    }
}

static size_t count_local(const struct making *m, int l)
{
    size_t count = 0;

    for (size_t j = 0; j < m->grids->grid[l].a.rows; j++)
        count += m->grid[l].local[j] >= 0;
    return count;
}

/* All rows that the part knows, of columns that it knows. */
static starfish_status localise_square(const struct making *m, int l, const struct starfish_csr *a,
                                       struct starfish_csr *b)
{
    const size_t count = count_local(m, l);
    const struct starfish_renumbering new = {m->grid[l].local, m->grid[l].local, count, count};

    return starfish_csr_renumber(a, &new, b);
}

/* Rows of a matrix in the local numbers of its columns. */
static starfish_status localise(const struct starfish_csr *a, const size_t rows[2], const int *local,
                                struct starfish_csr *b)
{
    struct starfish_csr run;
    struct starfish_renumbering new = {.row_count = rows[1] - rows[0], .column_count = a->columns, .columns = local};
    int *identity = malloc((new.row_count + 1) * sizeof *identity);

    STARFISH_FAIL_IF(!identity, STARFISH_ERROR_MEMORY, "out of memory for a part of a matrix");
    for (size_t i = 0; i < new.row_count; i++)
        identity[i] = (int)i;
    new.rows = identity;
    starfish_status status = starfish_csr_rows(a, rows[0], rows[1], &run);
    STARFISH_THEN(status, starfish_csr_renumber(&run, &new, b));
    starfish_csr_destroy(&run);
    free(identity);
    return status;
}

/* The matrices of part p, once the local numbers of its level and of the next are there. */
static starfish_status localise_all(const struct making *m, int l, size_t p, struct starfish_csr *local)
{
    const struct starfish_fem_cut *cut = m->grids->cut;
    const size_t *own = &cut->first[l][p];

    for (int i = 0; i < STARFISH_FEM_MATRICES; i++) {
        const int of_coarse_rows = i == STARFISH_FEM_R || i == STARFISH_FEM_RA;
        const int has_coarse = l + 1 < cut->levels, needs_coarse = of_coarse_rows || i == STARFISH_FEM_P;
        if (!m->grid[l].matrix[i] || (needs_coarse && !has_coarse) || i >= STARFISH_FEM_E) /* which whole grids have */
            continue;
        if (ahead_of(m, l) > 0 && (i == STARFISH_FEM_A || i == STARFISH_FEM_M)) {
            STARFISH_TRY(localise_square(m, l, m->grid[l].matrix[i], &local[i]));
            continue;
        }
        const int *columns = i == STARFISH_FEM_P ? m->grid[l + 1].local : m->grid[l].local;
        STARFISH_TRY(localise(m->grid[l].matrix[i], of_coarse_rows ? &cut->first[l + 1][p] : own, columns, &local[i]));
    }
    return STARFISH_SUCCESS;
}

/* What all ranks know of a part. */
static struct starfish_fem_shape outline(const struct making *m, int l, size_t p)
{
    const struct starfish_fem_cut *cut = m->grids->cut;
    const size_t rows = cut->first[l][p + 1] - cut->first[l][p];
    struct starfish_fem_shape shape = {
        .rows = rows, .all_rows = rows, .diagonal = m->whole[l].shape.diagonal, .damping = m->whole[l].shape.damping};

    if (l + 1 < cut->levels)
        shape.coarse_rows = cut->first[l + 1][p + 1] - cut->first[l + 1][p];
    return shape;
}

static starfish_status pack_part(struct making *m, int l, size_t p)
{
    struct starfish_csr local[STARFISH_FEM_MATRICES] = {{.rows = 0}};
    const struct starfish_csr *matrix[STARFISH_FEM_MATRICES];
    struct packed *packed = &m->part[l].packed[p];

    if (ahead_of(m, l) > 0)
        packed->shape.all_rows = count_local(m, l);
    starfish_status status = localise_all(m, l, p, local);
    for (int i = 0; i < STARFISH_FEM_MATRICES; i++)
        matrix[i] = local[i].start ? &local[i] : NULL;
    STARFISH_THEN(status, pack(matrix, format_for(m->grids, l), m->precision, packed));
    if (status == STARFISH_SUCCESS && packed->shape.diagonal)
        pack_inverse(&m->grids->grid[l].a, m->grid[l].local, m->precision, packed);
    if (status == STARFISH_SUCCESS && m->mixed && l == 0) {
        const struct starfish_csr *const high[STARFISH_FEM_MATRICES] = {[STARFISH_FEM_A] = &local[STARFISH_FEM_A]};
        status = pack(high, format_for(m->grids, 0), STARFISH_F64, &m->high_part[p]);
    }
    for (int i = 0; i < STARFISH_FEM_MATRICES; i++)
        starfish_csr_destroy(&local[i]);
    return status;
}

/* Index sets of what part `to` reads of the others. Ghosts of one part follow one another. */
static starfish_status make_halos(struct making *m, int l, size_t to)
{
    const struct starfish_fem_cut *cut = m->grids->cut;
    const int *local = m->grid[l].local;

    for (size_t from = 0; from < cut->parts; from++) {
        const size_t first = cut->first[l][from], last = cut->first[l][from + 1];
        struct starfish_index_halo halo = {.from = from, .to = to};
        int *index = from == to ? NULL : malloc((last - first + 1) * sizeof *index);
        if (from == to)
            continue;
        for (size_t j = first; index && j < last; j++)
            if (local[j] >= 0) {
                halo.at = halo.count == 0 ? local[j] : halo.at;
                index[halo.count++] = (int)(j - first);
            }
        STARFISH_FAIL_IF(!index, STARFISH_ERROR_MEMORY, "out of memory for a halo");
        halo.index = index;
        if (halo.count == 0)
            free(index);
        else
            STARFISH_TRY(starfish_fem_halos_add(&m->halos[l], &halo));
    }
    return STARFISH_SUCCESS;
}

/* Are matrices of the part made and kept here? */
static int is_here(const struct making *m, size_t p)
{
    const struct starfish_owner *owner = m->grids->cut->owner;

    return !owner || starfish_context_ranks(m->context) == 1 || owner[p].rank == starfish_context_rank(m->context);
}

static starfish_status make_part(struct making *m, size_t p)
{
    const struct starfish_fem_cut *cut = m->grids->cut;

    for (int l = 0; l < cut->levels; l++)
        number_locally(m, l, p);
    for (int l = 0; l < cut->levels; l++) {
        STARFISH_TRY(pack_part(m, l, p));
        STARFISH_TRY(make_halos(m, l, p));
    }
    return STARFISH_SUCCESS;
}

static starfish_status make_parts(struct making *m)
{
    const struct starfish_fem_cut *cut = m->grids->cut;

    m->part = calloc((size_t)cut->levels, sizeof *m->part);
    m->halos = calloc((size_t)cut->levels, sizeof *m->halos);
    for (int l = 0; l < cut->levels && m->part; l++)
        m->grid[l].local = malloc((m->grids->grid[l].a.rows + 1) * sizeof(int));
    for (int l = 0; l < cut->levels; l++)
        if (!m->part || !m->halos || !m->grid[l].local)
            return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for the parts of a grid");
    for (size_t p = 0; p < cut->parts; p++)
        for (int l = 0; l < cut->levels; l++) {
            m->part[l].rows[p] = cut->first[l][p + 1] - cut->first[l][p];
            m->part[l].packed[p].shape = outline(m, l, p);
            m->high_part[p].shape.rows = m->part[0].rows[p];
        }
    for (size_t p = 0; p < cut->parts; p++)
        if (is_here(m, p))
            STARFISH_TRY(make_part(m, p));
    return STARFISH_SUCCESS;
}

static struct starfish_hierarchy_grid hierarchy_grid_of(const struct packed *p)
{
    return (struct starfish_hierarchy_grid){.shape = &p->shape, .packed = p->words, .table_size = p->count};
}

static void describe_parts(struct making *m)
{
    const struct starfish_fem_cut *cut = m->grids->cut;

    for (int l = 0; cut && l < cut->levels; l++) {
        struct part_of_grid *part = &m->part[l];
        for (size_t p = 0; p < cut->parts; p++)
            part->grid[p] = hierarchy_grid_of(&part->packed[p]);
        m->sets[l] = (struct starfish_hierarchy_index_sets){.parts = cut->parts,
                                                            .rows = part->rows,
                                                            .owner = cut->owner,
                                                            .halos = m->halos[l].count,
                                                            .halo = m->halos[l].halo,
                                                            .grid = part->grid,
                                                            .ahead = ahead_of(m, l)};
    }
}

/* ---- The engine -------------------------------------------------------------------------------------------------- */

/* Shapes of parts must stay as long as the graph. */
static starfish_status keep_shapes(struct starfish_multigrid_engine *engine, const struct making *m)
{
    const struct starfish_fem_cut *cut = m->grids->cut;
    struct starfish_fem_shape *kept;

    if (!cut)
        return STARFISH_SUCCESS;
    kept = malloc((size_t)cut->levels * cut->parts * sizeof *kept);
    STARFISH_FAIL_IF(!kept, STARFISH_ERROR_MEMORY, "out of memory for the parts of a grid");
    engine->part_shapes = kept;
    for (int l = 0; l < cut->levels; l++)
        for (size_t p = 0; p < cut->parts; p++, kept++) {
            *kept = m->part[l].packed[p].shape;
            m->part[l].grid[p].shape = kept;
        }
    return STARFISH_SUCCESS;
}

/* Mixed precision: the finest operator in f64, where it is not in parts. */
static starfish_status keep_high(struct starfish_multigrid_engine *engine, struct making *m)
{
    const struct starfish_csr *const matrix[STARFISH_FEM_MATRICES] = {[STARFISH_FEM_A] = &m->grids->grid[0].a};

    if (!engine->mixed || m->grids->cut)
        return STARFISH_SUCCESS;
    m->high.shape.rows = m->grids->grid[0].a.rows;
    STARFISH_TRY(pack(matrix, format_for(m->grids, 0), engine->options.precision, &m->high));
    engine->high = starfish_parted_grid_create(1);
    return engine->high ? starfish_coefficient_table_floats(&engine->high->part[0].table, m->high.words, m->high.count)
                        : STARFISH_ERROR_MEMORY;
}

/* Rows that are worth a task on a core, about 100 us of a sweep; and of the first grid of the tail. */
enum { ROWS_PER_TASK = 4096, TAIL_ON_CORES = 4096, TAIL_ON_EITHER = 4096 };

static starfish_status complete(struct starfish_multigrid_engine *engine, struct making *m)
{
    const struct starfish_fem_grids *g = m->grids;
    struct starfish_multigrid_grids grids = {
        .spec = {.kind = &starfish_fem_kind,
                 .levels = g->levels,
                 .smoothing.coarse = {.tolerance = g->coarse_tolerance, .iterations = g->coarse_iterations},
                 .unknowns_per_task = ROWS_PER_TASK,
                 .tail_on_cores = TAIL_ON_CORES,
                 .tail_on_either = TAIL_ON_EITHER,
                 .index_levels = g->cut ? g->cut->levels : 0,
                 .index_sets = m->sets},
        .shape = m->shape,
        .shape_size = sizeof m->shape[0],
        .high_shape = &m->high.shape,
        .high_part = m->mixed && g->cut ? m->high_grid : NULL};

    for (int l = 0; l < g->levels; l++) {
        m->shape[l] = m->whole[l].shape;
        grids.level[l] = hierarchy_grid_of(&m->whole[l]);
    }
    for (size_t p = 0; p < STARFISH_FEM_MOST_PARTS; p++)
        m->high_grid[p] = hierarchy_grid_of(&m->high_part[p]);
    describe_parts(m);
    STARFISH_TRY(keep_shapes(engine, m));
    STARFISH_TRY(starfish_multigrid_engine_count(engine, &grids, 0));
    return starfish_multigrid_engine_complete(engine, &grids);
}

static void free_all(struct making *m)
{
    const struct starfish_fem_cut *cut = m->grids->cut;

    for (int l = 0; l < m->grids->levels; l++) {
        starfish_csr_destroy(&m->grid[l].r);
        starfish_csr_destroy(&m->grid[l].ra);
        starfish_csr_destroy(&m->grid[l].pinned);
        starfish_fem_steps_destroy(&m->grid[l].steps);
        free(m->grid[l].local);
        free(m->whole[l].words);
    }
    if (cut)
        starfish_fem_halos_free(m->halos, cut->levels);
    for (int l = 0; cut && m->part && l < cut->levels; l++)
        for (size_t p = 0; p < cut->parts; p++)
            free(m->part[l].packed[p].words);
    for (size_t p = 0; p < STARFISH_FEM_MOST_PARTS; p++)
        free(m->high_part[p].words);
    free(m->part);
    free(m->halos);
    free(m->high.words);
    free(m);
}

static starfish_status make_grids(struct making *m, struct starfish_multigrid_engine *engine)
{
    for (int l = 0; l < m->grids->levels; l++)
        STARFISH_TRY(make_grid(m, l));
    if (m->grids->cut)
        STARFISH_TRY(make_parts(m));
    return keep_high(engine, m);
}

starfish_status starfish_fem_grids_complete(struct starfish_multigrid_engine *engine,
                                            const struct starfish_fem_grids *grids)
{
    struct making *m = calloc(1, sizeof *m);
    starfish_status status = m ? STARFISH_SUCCESS : starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for a plan");

    if (m) {
        m->context = engine->context;
        m->grids = grids;
        m->precision = starfish_cycle_precision(&engine->options);
        m->mixed = engine->mixed;
        m->steps = engine->options.before == engine->options.after ? engine->options.before : 1;
        status = make_grids(m, engine);
    }
    status = starfish_ranks_agree(engine->context, status);
    if (status == STARFISH_SUCCESS && grids->cut && starfish_context_ranks(engine->context) > 1)
        status = starfish_fem_halos_share(m->context, m->halos, grids->cut->levels);
    STARFISH_THEN(status, complete(engine, m));
    if (m)
        free_all(m);
    return status;
}
