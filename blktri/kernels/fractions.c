/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The analysis of the partial-fraction form (fractions.h): every block's roots and weights, from a few rows of its
 * eigenvectors (eigenrows.c). */
#include "blktri/kernels/fractions.h"

#include <math.h>
#include <stdlib.h>

struct matrix {
    const double *lower, *diag, *upper;
    size_t n;
    int periodic, singular, radix;
};

enum { MOST_ROWS = STARFISH_BLOCK_SEPARATORS + 2 }; /* of eigenvectors */

/* ---- Fitness ----------------------------------------------------------------------------------------------------- */

/* log(s[j+1] / s[j]), zero where nothing couples the rows. */
static double log_of_scaling(const double *lower, const double *upper, size_t j)
{
    return upper[j] == 0 || lower[j + 1] == 0 ? 0 : 0.5 * (log(fabs(upper[j])) - log(fabs(lower[j + 1])));
}

double starfish_fractions_spread(const double *lower, const double *upper, size_t n, int periodic)
{
    if (periodic && n == 2)
        return (lower[0] + upper[0] == 0) == (lower[1] + upper[1] == 0) ? 0 : HUGE_VAL;
    double logarithm = 0, least = 0, most = 0;
    for (size_t j = 0; j + 1 < n; j++) {
        if ((upper[j] == 0) != (lower[j + 1] == 0))
            return HUGE_VAL;
        logarithm += log_of_scaling(lower, upper, j);
        least = fmin(least, logarithm);
        most = fmax(most, logarithm);
    }
    return most - least;
}

int starfish_fractions_suit(const double *lower, const double *upper, size_t n, int periodic)
{
    return starfish_fractions_spread(lower, upper, n, periodic) <= log(STARFISH_FRACTIONS_SPREAD);
}

/* ---- Blocks ------------------------------------------------------------------------------------------------------ */

/* Memory for the largest block. `scaling`: log s of all rows. */
struct workspace {
    double *scaling, *diag, *off, *root, *component;
};

static size_t rows_of(const struct starfish_block *b)
{
    return (size_t)b->hi - (size_t)b->lo + 1;
}

/* Do separators cut the block into equal parts that read the same in both directions, and so on for its halves? Then
 * the last of as many eigenvectors as there are parts, in order of their roots, vanishes at all separators. */
static int is_regular(const struct matrix *m, const struct starfish_block *b)
{
    const int parts = b->separators + 1, part = b->separator[0] - b->lo + 1;
    if (b->hi - b->lo + 2 != parts * part)
        return 0;
    for (int i = 1; i < b->separators; i++)
        if (b->separator[i] - b->separator[i - 1] != part)
            return 0;
    for (int halves = parts / 2; halves > 0; halves /= 2)
        if (!starfish_is_mirrored(m->lower, m->diag, m->upper, (size_t)b->lo, (size_t)(b->lo + 2 * halves * part - 2)))
            return 0;
    return parts == 2 || parts == 4;
}

static size_t roots_of(const struct matrix *m, const struct starfish_block *b)
{
    return is_regular(m, b) ? rows_of(b) - rows_of(b) / ((size_t)b->separators + 1) : rows_of(b);
}

/* Make the block symmetric, and find its roots and the rows at lo, separators and hi of its eigenvectors. */
static starfish_status find_rows(const struct matrix *m, const struct starfish_block *b, const struct workspace *w)
{
    const size_t lo = (size_t)b->lo, rows = rows_of(b), separators = (size_t)b->separators;
    size_t wanted[MOST_ROWS] = {0};
    for (size_t i = 0; i < separators; i++)
        wanted[1 + i] = (size_t)b->separator[i] - lo;
    wanted[1 + separators] = rows - 1;
    for (size_t j = 0; j < rows; j++) {
        w->diag[j] = m->diag[lo + j];
        if (j + 1 < rows)
            w->off[j] = starfish_symmetric_coupling(m->lower[lo + j + 1], m->upper[lo + j]);
    }
    return starfish_eigenrows(w->diag, w->off, rows, wanted, separators + 2, w->root, w->component);
}

/* `roots`: as roots_of. */
static void fill_block(const struct matrix *m, const struct starfish_block *b, const struct workspace *w, size_t roots,
                       struct starfish_fraction *fraction)
{
    const int lo = b->lo, hi = b->hi;
    const size_t separators = (size_t)b->separators;
    const double reference = w->scaling[b->separator[separators / 2]];
    const double low = exp(reference - w->scaling[lo]), high = exp(reference - w->scaling[hi]);
    for (size_t q = 0; q < rows_of(b); q++) {
        const double *component = w->component + (separators + 2) * q, f = component[0], l = component[separators + 1];
        if (roots < rows_of(b) && q % (separators + 1) == separators)
            continue;
        *fraction = (struct starfish_fraction){.mu = w->root[q]};
        for (size_t i = 0; i < separators; i++) {
            const double scale = exp(reference - w->scaling[b->separator[i]]);
            fraction->from_separator[i] = component[1 + i] / scale;
            fraction->to_separator[i] = component[1 + i] * scale;
        }
        if (b->lower >= 0) {
            fraction->to_lower = m->upper[b->lower] * low * f;
            fraction->from_lower = -m->lower[lo] / low * f;
        }
        if (b->upper >= 0) {
            fraction->to_upper = m->lower[b->upper] * high * l;
            fraction->from_upper = -m->upper[hi] / high * l;
        }
        fraction++;
    }
}

static starfish_status fill_ring(const struct matrix *m, const struct workspace *w, struct starfish_fraction *fraction)
{
    STARFISH_TRY(starfish_ring_eigenrows(m->lower, m->diag, m->upper, m->n, w->root, w->component));
    for (size_t q = 0; q < m->n; q++)
        fraction[q] = (struct starfish_fraction){
            .mu = w->root[q], .from_separator = {w->component[q]}, .to_separator = {w->component[q]}};
    return STARFISH_SUCCESS;
}

static starfish_status build_level(const struct matrix *m, const struct starfish_reduction_level *rows,
                                   const struct workspace *w, struct starfish_fractions_level *level)
{
    level->first_root = calloc(rows->blocks + 1, sizeof *level->first_root);
    if (!level->first_root)
        return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for partial fractions");
    for (size_t i = 0; i < rows->blocks; i++) {
        const int is_ring = m->periodic && rows->block[i].level == 0;
        level->first_root[i + 1] = level->first_root[i] + (is_ring ? m->n : roots_of(m, &rows->block[i]));
        if (rows->block[i].separators > level->separators)
            level->separators = rows->block[i].separators;
    }
    level->roots = level->first_root[rows->blocks];
    level->fraction = calloc(level->roots + 1, sizeof *level->fraction);
    if (!level->fraction)
        return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for %zu partial fractions", level->roots);
    for (size_t i = 0; i < rows->blocks; i++) {
        struct starfish_fraction *fraction = level->fraction + level->first_root[i];
        if (m->periodic && rows->block[i].level == 0) {
            STARFISH_TRY(fill_ring(m, w, fraction));
            continue;
        }
        STARFISH_TRY(find_rows(m, &rows->block[i], w));
        fill_block(m, &rows->block[i], w, level->first_root[i + 1] - level->first_root[i], fraction);
    }
    return STARFISH_SUCCESS;
}

/* ---- All levels -------------------------------------------------------------------------------------------------- */

static void find_zero_root(struct starfish_fractions *fractions, int singular)
{
    const struct starfish_fractions_level *root = &fractions->level[0];
    for (size_t q = 1; q < root->roots; q++)
        if (fabs(root->fraction[q].mu) < fabs(root->fraction[fractions->zero_root].mu))
            fractions->zero_root = q;
    if (singular)
        root->fraction[fractions->zero_root].mu = 0;
}

static starfish_status build(struct starfish_fractions *fractions, const struct matrix *m, const struct workspace *w)
{
    w->scaling[0] = 0;
    for (size_t j = 0; j + 1 < m->n; j++)
        w->scaling[j + 1] = w->scaling[j] + log_of_scaling(m->lower, m->upper, j);
    STARFISH_TRY(starfish_reduction_dissect(&fractions->rows, m->lower, m->upper, m->n, m->periodic, m->radix));
    fractions->level = calloc(fractions->rows->levels, sizeof *fractions->level);
    if (!fractions->level)
        return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for partial fractions");
    for (size_t l = 0; l < fractions->rows->levels; l++)
        STARFISH_TRY(build_level(m, &fractions->rows->level[l], w, &fractions->level[l]));
    find_zero_root(fractions, m->singular);
    return STARFISH_SUCCESS;
}

starfish_status starfish_fractions_create(struct starfish_fractions **result, const double *lower, const double *diag,
                                          const double *upper, size_t n, int periodic, int singular, int radix)
{
    const struct matrix m = {lower, diag, upper, n, periodic, singular, radix};
    struct starfish_fractions *fractions = calloc(1, sizeof *fractions);
    double *memory = malloc((4 + MOST_ROWS) * n * sizeof *memory);
    starfish_status status;
    *result = NULL;
    if (fractions && memory) {
        const struct workspace w = {memory, memory + n, memory + 2 * n, memory + 3 * n, memory + 4 * n};
        status = build(fractions, &m, &w);
    } else {
        status = starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for partial fractions of %zu rows", n);
    }
    free(memory);
    if (status != STARFISH_SUCCESS) {
        starfish_fractions_destroy(fractions);
        return status;
    }
    *result = fractions;
    return STARFISH_SUCCESS;
}

void starfish_fractions_destroy(struct starfish_fractions *fractions)
{
    if (!fractions)
        return;
    for (size_t l = 0; fractions->level && l < fractions->rows->levels; l++) {
        free(fractions->level[l].first_root);
        free(fractions->level[l].fraction);
    }
    free(fractions->level);
    starfish_reduction_destroy(fractions->rows);
    free(fractions);
}
