/* A third kind of grids, for the test of what carries all kinds: sparse matrices with given prolongations, in parts
 * that read index sets of each other. It is what finite elements need. */
#include "tests/multigrid/csr_kind.h"

#include "base/real.h"
#include "multigrid/kernels/band.h"
#include "sparse/kernels/csr.h"

#include <stdlib.h>
#include <string.h>

/* ---- The kind ---------------------------------------------------------------------------------------------------- */

/* Matrices of a grid, or of a part of one: the operator, the restriction times it, the restriction, and the
 * prolongation. The table has for each its starts, columns and values, then the inverse diagonal, and of the coarsest
 * grid the inverse, all in words of 32 bits. */
struct csr_shape {
    size_t rows, coarse_rows, start[MATRICES], column[MATRICES], value[MATRICES], inverse, dense;
};

STARFISH_PLACE_KERNEL(run_apply, starfish_csr_apply)
STARFISH_PLACE_KERNEL(run_dense, starfish_band_dense)

static int apply(const struct starfish_place *place, const struct starfish_grid_step *s, enum matrix m,
                 struct starfish_csr_apply apply)
{
    const struct csr_shape *shape = s->shape;
    const int *words = s->table;

    apply.matrix = (struct starfish_csr){words + shape->start[m], words + shape->column[m], words + shape->value[m]};
    apply.first = s->at.y0;
    apply.last = s->at.y1;
    apply.result = s->result;
    return run_apply(place, &apply);
}

static int smooth(const struct starfish_place *place, const struct starfish_grid_step *s)
{
    const struct csr_shape *shape = s->shape;
    const struct starfish_csr_apply step = {.factor = -1,
                                            .damping = s->damping,
                                            .x = s->u,
                                            .base = s->f,
                                            .inverse = (const int *)s->table + shape->inverse};
    return apply(place, s, A, step);
}

static int restrict_residual(const struct starfish_place *place, const struct starfish_grid_step *s)
{
    const struct starfish_csr_apply of_f = {.factor = 1, .x = s->f};
    const struct starfish_csr_apply of_u = {.factor = -1, .x = s->u, .base = s->result};

    TRY_LAUNCH(apply(place, s, R, of_f));
    return s->u ? apply(place, s, RA, of_u) : 0;
}

static int prolong(const struct starfish_place *place, const struct starfish_grid_step *s)
{
    const struct starfish_csr_apply step = {.factor = 1, .x = s->coarse, .base = s->zero ? NULL : s->result};
    return apply(place, s, P, step);
}

static int residual(const struct starfish_place *place, const struct starfish_grid_step *s)
{
    const struct starfish_csr_apply step = {.factor = -1, .x = s->u, .base = s->f, .sums = s->sums};
    return apply(place, s, A, step);
}

static int solve(const struct starfish_place *place, const struct starfish_smoothing *smoothing,
                 const struct starfish_grid_step *s)
{
    const struct csr_shape *shape = s->shape;
    const struct starfish_band_dense dense = {
        .n = shape->rows, .inverse = (const int *)s->table + shape->dense, .f = s->f, .u = s->result};
    (void)smoothing;
    return run_dense(place, &dense);
}

static void extent(const void *shape, size_t n[2])
{
    n[0] = 1;
    n[1] = ((const struct csr_shape *)shape)->rows;
}

static size_t no_work(const struct starfish_smoothing *smoothing, const void *shape, starfish_precision precision,
                      int gpu)
{
    (void)smoothing, (void)shape, (void)precision, (void)gpu;
    return 0;
}

static int sweeps(const struct starfish_smoothing *smoothing, const void *shape, int reverse,
                  int sweep[STARFISH_GRID_MOST_SWEEPS])
{
    (void)smoothing, (void)shape, (void)reverse;
    sweep[0] = 0;
    return 1;
}

static double damping(const struct starfish_smoothing *smoothing, const void *shape, int step, int steps)
{
    (void)shape, (void)step, (void)steps;
    return smoothing->damping;
}

static int never(const struct starfish_smoothing *smoothing)
{
    (void)smoothing;
    return 0;
}

/* Entries may lead to any ghost; only the right-hand side of a sweep or a residual is read in place. */
static struct starfish_reach reads(const struct starfish_grid_step *s, enum starfish_grid_operation operation,
                                   enum starfish_grid_input input)
{
    const struct csr_shape *shape = s->shape;
    const ptrdiff_t rows = (ptrdiff_t)(input == STARFISH_GRID_COARSE ? shape->coarse_rows : shape->rows);
    const int inside = input == STARFISH_GRID_F && operation != STARFISH_GRID_RESTRICT;

    return (struct starfish_reach){0, 1, inside ? 0 : -1, inside ? rows : rows + 1, 0};
}

static int not_along_columns(int sweep)
{
    return sweep < 0;
}

static size_t one(const void *shape)
{
    (void)shape;
    return 1;
}

static void share(struct starfish_grid_step *s, enum starfish_grid_operation operation, size_t part, size_t parts)
{
    const size_t first = s->at.y0, rows = s->at.y1 - s->at.y0;
    (void)operation;
    if (s->sums && part > 0)
        s->at.y1 = s->at.y0;
    else if (!s->sums) {
        s->at.y0 = first + rows * part / parts;
        s->at.y1 = first + rows * (part + 1) / parts;
    }
}

static const char *const sweep_names[] = {"points"};
const struct starfish_grid_kind test_csr_kind = {"csr",
                                                 {smooth, restrict_residual, prolong, residual},
                                                 solve,
                                                 extent,
                                                 no_work,
                                                 no_work,
                                                 sweeps,
                                                 damping,
                                                 never,
                                                 reads,
                                                 not_along_columns,
                                                 one,
                                                 share,
                                                 one,
                                                 sweep_names};
const size_t test_csr_shape_size = sizeof(struct csr_shape);

/* ---- Parts ------------------------------------------------------------------------------------------------------- */

/* Local numbers of a level's unknowns in a part: its own, then its ghosts in the order of their global numbers. */
static void number_locally(const struct test_csr *csr, int l, size_t p, int *local)
{
    const struct test_csr_level *level = &csr->level[l], *finer = level - 1, *coarser = level + 1;
    int next = (int)(level->first[p + 1] - level->first[p]);

    for (size_t j = 0; j < level->n; j++) {
        int read = 0;
        for (size_t i = level->first[p]; i < level->first[p + 1]; i++)
            read = read || level->matrix[A][i * level->n + j] != 0;
        for (size_t i = coarser->first[p]; level->matrix[R] && i < coarser->first[p + 1]; i++)
            read = read || level->matrix[RA][i * level->n + j] != 0 || level->matrix[R][i * level->n + j] != 0;
        for (size_t i = l > 0 ? finer->first[p] : 0; l > 0 && i < finer->first[p + 1]; i++)
            read = read || finer->matrix[P][i * level->n + j] != 0;
        const int own = j >= level->first[p] && j < level->first[p + 1];
        local[j] = own ? (int)(j - level->first[p]) : read ? next++ : -1;
    }
}

/* Rows first .. last-1 of a dense matrix, and the local numbers of its columns. */
struct dense_rows {
    const double *dense;
    size_t first, last, columns;
    const int *local;
};

/* The rows as CSR in local numbers, behind `words` words; returns how many there are then. */
static size_t pack(const struct dense_rows *rows, starfish_precision precision, enum matrix which,
                   struct csr_shape *shape, int *table, size_t words)
{
    const size_t first = rows->first, last = rows->last, m = rows->columns;
    const double *dense = rows->dense;
    const size_t word = precision == STARFISH_F64 ? 2 : 1;
    size_t entries = 0;

    for (size_t e = first * m; e < last * m; e++)
        entries += dense[e] != 0;
    shape->start[which] = words;
    shape->column[which] = words + last - first + 1;
    shape->value[which] = (shape->column[which] + entries + 1) / 2 * 2;
    for (size_t i = first, e = 0; i < last; i++) {
        table[shape->start[which] + i - first] = (int)e;
        for (size_t j = 0; j < m; j++)
            if (dense[i * m + j] != 0) {
                table[shape->column[which] + e] = rows->local[j];
                test_real_put(table + shape->value[which], precision, e++, dense[i * m + j]);
            }
        table[shape->start[which] + i + 1 - first] = (int)e;
    }
    return shape->value[which] + word * entries + word * entries % 2;
}

/* The grid of rows first .. last-1 of a level, coarse_first .. coarse_last-1 of the next, in local numbers of both. */
static void make_grid(const struct test_csr_level *level, const size_t own[2], const size_t coarse[2],
                      const int *const local[2], starfish_precision precision, struct test_csr_grid *grid)
{
    struct csr_shape *shape = calloc(1, sizeof *shape);
    const size_t n = level->n, m = level[1].n, word = precision == STARFISH_F64 ? 2 : 1;
    size_t words = 0;

    *grid = (struct test_csr_grid){shape, calloc(16 * n * n + 64, sizeof(int)), 0};
    shape->rows = own[1] - own[0];
    shape->coarse_rows = coarse[1] - coarse[0];
    const struct dense_rows rows[] = {[A] = {level->matrix[A], own[0], own[1], n, local[0]},
                                      [RA] = {level->matrix[RA], coarse[0], coarse[1], n, local[0]},
                                      [R] = {level->matrix[R], coarse[0], coarse[1], n, local[0]},
                                      [P] = {level->matrix[P], own[0], own[1], m, local[1]}};
    static const enum matrix order[] = {A, RA, R, P};
    for (size_t i = 0; i < (level->matrix[P] ? sizeof order / sizeof order[0] : 1); i++)
        words = pack(&rows[order[i]], precision, order[i], shape, grid->table, words);
    shape->inverse = words;
    for (size_t i = own[0]; i < own[1]; i++, words += word)
        test_real_put(grid->table + shape->inverse, precision, i - own[0], 1 / level->matrix[A][i * n + i]);
    shape->dense = words = (words + 1) / 2 * 2;
    for (size_t e = 0; level->dense && e < n * n; e++, words += word)
        test_real_put(grid->table + shape->dense, precision, e, level->dense[e]);
    grid->words = words;
}

/* Index sets of what part `to` reads of the others. */
static void make_halos(const struct test_csr_level *level, size_t parts, size_t to, const int *local,
                       struct test_csr_cut *cut)
{
    for (size_t from = 0; from < parts; from++) {
        struct starfish_index_halo *halo = &cut->halo[cut->halos];
        int *index = calloc(level->n, sizeof *index);
        *halo = (struct starfish_index_halo){.from = from, .to = to, .index = index};
        for (size_t j = level->first[from]; from != to && j < level->first[from + 1]; j++)
            if (local[j] >= 0) {
                halo->at = halo->count == 0 ? local[j] : halo->at;
                index[halo->count++] = (int)(j - level->first[from]);
            }
        cut->halos += halo->count > 0;
        if (halo->count == 0)
            free(index);
    }
}

void test_csr_cut(struct test_csr *csr, starfish_precision precision)
{
    int *local[2] = {calloc(csr->level[0].n, sizeof(int)), calloc(csr->level[0].n, sizeof(int))};
    const int *const numbers[2] = {local[0], local[1]};

    for (int l = 0; l < TEST_CSR_LEVELS; l++) {
        const size_t own[2] = {0, csr->level[l].n}, coarse[2] = {0, csr->level[l + 1].n};
        for (size_t j = 0; j < csr->level[0].n; j++)
            local[0][j] = local[1][j] = (int)j;
        make_grid(&csr->level[l], own, coarse, numbers, precision, &csr->whole[l]);
    }
    for (int l = 0; csr->parts > 1 && l < TEST_CSR_CUT; l++)
        for (size_t p = 0; p < csr->parts; p++) {
            number_locally(csr, l, p, local[0]);
            number_locally(csr, l + 1, p, local[1]);
            make_grid(&csr->level[l], &csr->level[l].first[p], &csr->level[l + 1].first[p], numbers, precision,
                      &csr->cut[l].grid[p]);
            csr->cut[l].rows[p] = csr->level[l].first[p + 1] - csr->level[l].first[p];
            make_halos(&csr->level[l], csr->parts, p, local[0], &csr->cut[l]);
        }
    free(local[0]);
    free(local[1]);
}
