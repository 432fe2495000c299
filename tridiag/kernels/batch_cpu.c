/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A batch on the CPU: the algorithm by its number, and the border of periodic lines. */
#include "tridiag/kernels/batch_cpu.h"

#include "tridiag/kernels/batch_row.h"

/* By elimination with row interchanges. */
static void pivoted(const struct starfish_batch *b)
{
    for (size_t column = 0; column < b->columns; column++)
        for (size_t line = 0; line < b->lines; line++)
            if (b->periodic)
                batch_pivoted_ring(b, line, column, b->workspace, 1);
            else
                batch_pivoted_line(b, line, column, b->workspace, 1);
}

static void solve_open(const struct starfish_batch *b)
{
    switch (starfish_batch_choose_cpu(b)) {
    case STARFISH_ALGORITHM_THOMAS:
        REAL_NAME(starfish_batch_thomas_cpu)(b);
        return;
    case STARFISH_ALGORITHM_PIVOTED:
        pivoted(b);
        return;
    default:
        REAL_NAME(starfish_batch_reduction_cpu)(b);
    }
}

size_t REAL_NAME(starfish_batch_open_workspace_cpu)(const struct starfish_batch *b)
{
    switch (starfish_batch_choose_cpu(b)) {
    case STARFISH_ALGORITHM_THOMAS:
        return REAL_NAME(starfish_batch_thomas_workspace)(b);
    case STARFISH_ALGORITHM_PIVOTED:
        return starfish_batch_pivoted_reals(b) * sizeof(real);
    default:
        return REAL_NAME(starfish_batch_reduction_workspace)(b);
    }
}

/* x = y - factor z, line by line. */
static void add_border(const struct starfish_batch *b)
{
    const size_t matrices = starfish_batch_matrices(b), row = starfish_batch_kept_row(b);

    for (size_t column = 0; column < b->columns; column++)
        for (size_t line = 0; line < b->lines; line++) {
            real *x = (real *)b->output + batch_column_offset(b, line, column);
            const real *z = (const real *)b->border + (matrices > 1 ? line : 0);
            const real factor = batch_border_factor(b, line, x);
            for (size_t k = 0; k < b->n; k++)
                x[k * b->vectors.row] -= factor * z[k * row];
        }
}

void REAL_NAME(starfish_batch_cpu)(const struct starfish_batch *b)
{
    solve_open(b);
    if (starfish_batch_has_border(b))
        add_border(b);
}

/* Solves of systems as they may come, by the algorithm itself. */
static void try_matrix(const struct starfish_batch *b, size_t m)
{
    const struct starfish_batch line = starfish_batch_run(b, m, 1, sizeof(real));
    const struct starfish_batch trial = starfish_batch_trial_cpu(&line, sizeof(real));
    real *x = trial.output;

    for (int t = 0; t < BATCH_TRIALS; t++) {
        for (size_t k = 0; k < b->n; k++)
            x[k] = batch_trial_rhs(&line, 0, k, t);
        REAL_NAME(starfish_batch_cpu)(&trial);
        batch_trial_end(&line, 0, x, 1, t);
    }
}

void REAL_NAME(starfish_batch_prepare_cpu)(const struct starfish_batch *b)
{
    const size_t matrices = starfish_batch_matrices(b), row = starfish_batch_kept_row(b);

    for (size_t m = 0; m < matrices && (b->factors || b->growth); m++)
        batch_factor_line(b, m);
    if (starfish_batch_has_border(b)) {
        const struct starfish_batch border = starfish_batch_border(b);
        for (size_t k = 0; k < b->n; k++)
            for (size_t m = 0; m < matrices; m++)
                ((real *)b->border)[k * row + m] = batch_border_rhs(b, m, k);
        solve_open(&border);
    }
    for (size_t m = 0; m < matrices && b->growth; m++)
        if (isinf(b->growth[m].any_order))
            try_matrix(b, m);
}
