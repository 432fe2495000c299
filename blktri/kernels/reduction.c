/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The analysis of block cyclic reduction: blocks, their roots, and the chains of every level. */
#include "blktri/kernels/reduction.h"

#include "blktri/kernels/chains.h"

#include <math.h>
#include <stdlib.h>

struct matrix {
    const double *lower, *diag, *upper;
    size_t n;
    int periodic, singular, radix;
};

/* ---- Blocks ---------------------------------------------------------------------------------------------------- */

struct block_list {
    struct starfish_block *block;
    size_t count;
};

/* The middle of rows lo..hi, between those of the halves if they are to be cut too. */
static void add_separators(struct starfish_block *block, int lo, int hi, int radix)
{
    if (lo > hi || radix < 2)
        return;
    const int middle = lo + (hi - lo) / 2;
    add_separators(block, lo, middle - 1, radix / 2);
    block->separator[block->separators++] = middle;
    add_separators(block, middle + 1, hi, radix / 2);
}

static void dissect(const struct matrix *m, struct block_list *list, int lo, int hi, int level)
{
    if (lo > hi)
        return;
    const int n = (int)m->n;
    struct starfish_block block = {.lo = lo, .hi = hi, .lower = lo - 1, .upper = hi + 1, .level = level};
    if (m->periodic)
        block.lower = (block.lower + n) % n, block.upper = block.upper % n;
    else if (block.upper == n)
        block.upper = -1;
    add_separators(&block, lo, hi, m->radix);
    list->block[list->count++] = block;
    for (int i = 0; i <= block.separators; i++)
        dissect(m, list, i > 0 ? block.separator[i - 1] + 1 : lo, i < block.separators ? block.separator[i] - 1 : hi,
                level + 1);
}

/* Periodic: the last row separates the ring, and is both neighbours of what remains. */
static void dissect_all(const struct matrix *m, struct block_list *list)
{
    const int n = (int)m->n;
    if (!m->periodic) {
        dissect(m, list, 0, n - 1, 0);
        return;
    }
    list->block[list->count++] = (struct starfish_block){
        .lo = 0, .hi = n - 1, .separators = 1, .separator = {n - 1}, .lower = -1, .upper = -1, .level = 0};
    dissect(m, list, 0, n - 2, 1);
}

/* ---- Chains ---------------------------------------------------------------------------------------------------- */

/* Roots of the block and of its two halves; halves may be empty. */
struct block_roots {
    double *whole, *below, *above;
    size_t wholes, belows, aboves;
    int mirrored;
};

static starfish_status find_roots(const struct matrix *m, const struct starfish_block *b, struct block_roots *r)
{
    const size_t lo = (size_t)b->lo, c = (size_t)b->separator[0], hi = (size_t)b->hi;
    r->wholes = hi - lo + 1;
    r->belows = c - lo;
    r->aboves = hi - c;
    r->mirrored = starfish_is_mirrored(m->lower, m->diag, m->upper, lo, hi) && r->belows == r->aboves;
    if (m->periodic && b->level == 0)
        STARFISH_TRY(starfish_periodic_roots(m->lower, m->diag, m->upper, m->n, r->whole));
    else
        STARFISH_TRY(starfish_tridiagonal_roots(m->lower, m->diag, m->upper, lo, hi, r->whole));
    if (r->belows > 0)
        STARFISH_TRY(starfish_tridiagonal_roots(m->lower, m->diag, m->upper, lo, c - 1, r->below));
    if (r->aboves > 0 && !r->mirrored)
        STARFISH_TRY(starfish_tridiagonal_roots(m->lower, m->diag, m->upper, c + 1, hi, r->above));
    for (size_t i = 0; i < r->aboves && r->mirrored; i++)
        r->above[i] = r->whole[2 * i + 1] = r->below[i];
    return STARFISH_SUCCESS;
}

/* A product of coupling coefficients as logarithm and sign; zero: logarithm -infinity. Each but one comes with a minus
 * from the inverse's cofactor. */
struct product {
    double logarithm, sign;
};

static void multiply(struct product *p, double factor)
{
    p->logarithm += log(fabs(factor));
    if (factor < 0)
        p->sign = -p->sign;
}

static struct product couple(const double *coefficient, size_t first, size_t last)
{
    struct product p = {0, (last - first) % 2 == 0 ? 1 : -1};
    for (size_t j = first; j <= last; j++)
        multiply(&p, coefficient[j]);
    return p;
}

static double *merge(const double *x, size_t nx, const double *y, size_t ny, double *merged)
{
    for (size_t i = 0, j = 0; i + j < nx + ny;)
        if (j == ny || (i < nx && x[i] <= y[j])) {
            merged[i + j] = x[i];
            i++;
        } else {
            merged[i + j] = y[j];
            j++;
        }
    return merged;
}

/* The chains between a block's separator c and the row just outside, at its low end
 *     y_lower -= cn[lower] cn[lo]..cn[c-1] P(above) / P(whole) y_c,      y_c -= an[lo]..an[c] / P(below) x_lower,
 * or at its high end, where a and c, below and above change places. */
static starfish_status neighbour_chains(const struct matrix *m, const struct starfish_block *b,
                                        const struct block_roots *r, int high_end, struct starfish_step_list *steps,
                                        struct starfish_neighbour *neighbour)
{
    const size_t lo = (size_t)b->lo, c = (size_t)b->separator[0], hi = (size_t)b->hi;
    const double *outward = high_end ? m->lower : m->upper;
    /* the half towards the neighbour, its roots, and those of the other half */
    const size_t first = high_end ? c + 1 : lo, rows = high_end ? hi - c : c - lo,
                 others = r->belows + r->aboves - rows;
    const double *near = high_end ? r->above : r->below, *far = high_end ? r->below : r->above;
    const struct product in = high_end ? couple(m->upper, c, hi) : couple(m->lower, lo, c);
    struct product out = {0, rows % 2 == 0 ? 1 : -1};
    multiply(&out, outward[neighbour->row]);
    for (size_t j = first; j < first + rows; j++)
        multiply(&out, outward[j]);
    STARFISH_TRY(
        starfish_chain_append(steps, &neighbour->reduce, r->whole, r->wholes, far, others, out.logarithm, out.sign));
    return starfish_chain_append(steps, &neighbour->influence, near, rows, NULL, 0, in.logarithm, in.sign);
}

/* Rows that no product of couplings reaches are not neighbours. */
static int coupled(const struct matrix *m, const struct starfish_block *b, int upper_side)
{
    const int row = upper_side ? b->upper : b->lower;
    if (row < 0)
        return 0;
    const size_t c = (size_t)b->separator[upper_side ? b->separators - 1 : 0];
    const struct product to = upper_side ? couple(m->upper, c, (size_t)b->hi) : couple(m->lower, (size_t)b->lo, c);
    const double first = upper_side ? m->lower[row] : m->upper[row];
    return isfinite(to.logarithm) || first != 0;
}

static size_t nearest_to_zero(const double *root, size_t count)
{
    size_t nearest = 0;
    for (size_t q = 1; q < count; q++)
        if (fabs(root[q]) < fabs(root[nearest]))
            nearest = q;
    return nearest;
}

static starfish_status solve_chain(const struct block_roots *r, struct starfish_step_list *steps,
                                   struct starfish_chain *chain, double *merged)
{
    merge(r->below, r->belows, r->above, r->aboves, merged);
    return starfish_chain_append(steps, chain, r->whole, r->wholes, merged, r->belows + r->aboves, 0, 1);
}

/* ---- Levels ---------------------------------------------------------------------------------------------------- */

static void list_neighbours(const struct matrix *m, struct starfish_reduction_level *level)
{
    for (int upper_side = 0; upper_side < 2; upper_side++) {
        for (size_t i = 0; i < level->blocks; i++) {
            const struct starfish_block *b = &level->block[i];
            if (coupled(m, b, upper_side))
                level->neighbour[level->neighbours++] =
                    (struct starfish_neighbour){.block = i, .row = upper_side ? b->upper : b->lower};
        }
        if (!upper_side)
            level->lower = level->neighbours;
    }
}

/* Both neighbours of a mirrored block can have the same chains. */
static int mirrors(const struct matrix *m, const struct starfish_block *b, const struct block_roots *roots)
{
    return roots->mirrored && m->lower[b->lo] == m->upper[b->hi] && m->upper[b->lower] == m->lower[b->upper];
}

/* The neighbours of a block, of which there are at most one on each side, are where the lists of both sides are
 * read. */
static starfish_status add_neighbour_chains(const struct matrix *m, struct starfish_reduction_level *level,
                                            const struct block_roots *roots, size_t index, size_t at[2],
                                            struct starfish_step_list *steps)
{
    const size_t end[2] = {level->lower, level->neighbours};
    struct starfish_neighbour *lower = NULL;
    for (int upper_side = 0; upper_side < 2; upper_side++) {
        struct starfish_neighbour *neighbour = &level->neighbour[at[upper_side]];
        if (at[upper_side] == end[upper_side] || neighbour->block != index)
            continue;
        neighbour->shares = lower && mirrors(m, &level->block[index], roots);
        if (neighbour->shares) {
            neighbour->reduce = lower->reduce;
            neighbour->influence = lower->influence;
        } else {
            STARFISH_TRY(neighbour_chains(m, &level->block[index], roots, upper_side, steps, neighbour));
        }
        lower = neighbour;
        at[upper_side]++;
    }
    return STARFISH_SUCCESS;
}

static starfish_status build_chains(const struct matrix *m, struct starfish_reduction_level *level,
                                    struct block_roots *roots, double *merged)
{
    struct starfish_step_list steps = {0, 0, NULL};
    size_t at[2] = {0, level->lower};
    level->solve = calloc(level->blocks + 1, sizeof *level->solve);
    starfish_status status = level->solve
                                 ? STARFISH_SUCCESS
                                 : starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for block cyclic reduction");
    for (size_t i = 0; i < level->blocks && status == STARFISH_SUCCESS; i++) {
        status = find_roots(m, &level->block[i], roots);
        if (status == STARFISH_SUCCESS && level->block[i].level == 0 && m->singular)
            roots->whole[nearest_to_zero(roots->whole, roots->wholes)] = 0;
        if (status == STARFISH_SUCCESS)
            status = solve_chain(roots, &steps, &level->solve[i], merged);
        if (status == STARFISH_SUCCESS)
            status = add_neighbour_chains(m, level, roots, i, at, &steps);
    }
    level->steps = steps.count;
    level->step = steps.step;
    return status;
}

static starfish_status group_by_level(struct starfish_reduction *reduction, const struct block_list *list)
{
    reduction->levels = 1; /* the root is always there */
    for (size_t i = 0; i < list->count; i++)
        if ((size_t)list->block[i].level + 1 > reduction->levels)
            reduction->levels = (size_t)list->block[i].level + 1;
    reduction->level = calloc(reduction->levels, sizeof *reduction->level);
    if (!reduction->level)
        return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for block cyclic reduction");
    for (size_t i = 0; i < list->count; i++)
        reduction->level[list->block[i].level].blocks++;
    for (size_t l = 0; l < reduction->levels; l++) {
        struct starfish_reduction_level *level = &reduction->level[l];
        level->block = calloc(level->blocks + 1, sizeof *level->block);
        level->neighbour = calloc(2 * level->blocks + 1, sizeof *level->neighbour);
        if (!level->block || !level->neighbour)
            return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for block cyclic reduction");
        level->blocks = 0;
    }
    for (size_t i = 0; i < list->count; i++) { /* in order of rows, which dissection gives within a level */
        struct starfish_reduction_level *level = &reduction->level[list->block[i].level];
        level->block[level->blocks++] = list->block[i];
        level->rows += (size_t)list->block[i].separators;
    }
    return STARFISH_SUCCESS;
}

static void find_zero_root(struct starfish_reduction *reduction)
{
    const struct starfish_reduction_level *root = &reduction->level[0];
    const struct starfish_chain *solve = &root->solve[0];
    size_t nearest = solve->first;
    for (size_t s = solve->first; s < solve->first + solve->count; s++)
        if (fabs(root->step[s].mu) < fabs(root->step[nearest].mu))
            nearest = s;
    reduction->zero_root_step = (int)nearest;
}

static starfish_status dissect_rows(struct starfish_reduction *reduction, const struct matrix *m)
{
    struct block_list list = {malloc(m->n * sizeof *list.block), 0};
    if (!list.block)
        return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for block cyclic reduction");
    dissect_all(m, &list);
    starfish_status status = group_by_level(reduction, &list);
    free(list.block);
    for (size_t l = 0; l < reduction->levels && status == STARFISH_SUCCESS; l++)
        list_neighbours(m, &reduction->level[l]);
    return status;
}

static starfish_status add_chains(struct starfish_reduction *reduction, const struct matrix *m)
{
    double *scratch = malloc(4 * m->n * sizeof *scratch);
    if (!scratch)
        return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for block cyclic reduction");
    struct block_roots roots = {scratch, scratch + m->n, scratch + 2 * m->n, 0, 0, 0, 0};
    starfish_status status = STARFISH_SUCCESS;
    for (size_t l = 0; l < reduction->levels && status == STARFISH_SUCCESS; l++)
        status = build_chains(m, &reduction->level[l], &roots, scratch + 3 * m->n);
    free(scratch);
    if (status == STARFISH_SUCCESS)
        find_zero_root(reduction);
    return status;
}

static starfish_status create(struct starfish_reduction **result, const struct matrix *m, int with_chains)
{
    *result = NULL;
    if (m->n >= (size_t)1 << 30) /* rows are numbered by int */
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "block cyclic reduction: %zu rows are too many", m->n);
    struct starfish_reduction *reduction = calloc(1, sizeof *reduction);
    if (!reduction)
        return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for block cyclic reduction");
    reduction->n = m->n;
    starfish_status status = dissect_rows(reduction, m);
    if (status == STARFISH_SUCCESS && with_chains)
        status = add_chains(reduction, m);
    if (status != STARFISH_SUCCESS) {
        starfish_reduction_destroy(reduction);
        return status;
    }
    *result = reduction;
    return STARFISH_SUCCESS;
}

starfish_status starfish_reduction_create(struct starfish_reduction **result, const double *lower, const double *diag,
                                          const double *upper, size_t n, int periodic, int singular)
{
    const struct matrix m = {lower, diag, upper, n, periodic, singular, 2};
    return create(result, &m, 1);
}

starfish_status starfish_reduction_dissect(struct starfish_reduction **result, const double *lower, const double *upper,
                                           size_t n, int periodic, int radix)
{
    const struct matrix m = {lower, NULL, upper, n, periodic, 0, radix};
    return create(result, &m, 0);
}

void starfish_reduction_destroy(struct starfish_reduction *reduction)
{
    if (!reduction)
        return;
    for (size_t l = 0; reduction->level && l < reduction->levels; l++) {
        free(reduction->level[l].block);
        free(reduction->level[l].solve);
        free(reduction->level[l].neighbour);
        free(reduction->level[l].step);
    }
    free(reduction->level);
    free(reduction);
}
