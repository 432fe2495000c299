/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Coarsens a grid (flux.h), one direction at a time: which unknowns stay, weights of interpolation, and couplings
 * between those that stay. */
#include "multigrid/flux.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- One direction ----------------------------------------------------------------------------------------------- */

/* Fine unknowns origin, origin + 2, ... stay. With a Dirichlet end below that is the second one on, as the end itself
 * is known to be zero; but what ends in a Neumann end stays to the last. In a periodic direction of odd size the last
 * and the first are neighbours, and both stay. */
static size_t origin_of(const struct starfish_flux_line *line)
{
    const int low = line->extra[0] > 0, high = line->extra[line->n - 1] > 0;

    if (line->periodic || line->n == 2)
        return 0;
    return low && (high || line->n % 2 == 0);
}

/* Is fine unknown i between coarse ones? */
static int goes(const struct starfish_flux_line *line, size_t origin, size_t i)
{
    return i % 2 != origin && i < line->n;
}

static double conductance(const struct starfish_flux_line *line, size_t i)
{
    return line->coupling[i] + line->coupling[i + 1] + line->extra[i];
}

static void fill_weights(const struct starfish_flux_line *line, int pairs, size_t origin,
                         struct starfish_flux_interpolation *to)
{
    for (size_t i = 0; i < line->n; i++) {
        /* the coarse unknown before i, and itself where it stays, as struct starfish_flux_transfer counts them; a pair
         * is both */
        if (pairs || !goes(line, origin, i)) {
            *(i % 2 ? &to->lower[i] : &to->upper[i]) = 1;
        } else if (conductance(line, i) > 0) {
            to->lower[i] = line->coupling[i] / conductance(line, i);
            to->upper[i] = line->coupling[i + 1] / conductance(line, i);
        }
    }
}

/* The transpose: coarse I gathers what fine 2 I - 1 .. 2 I + 2 give to it. */
static void fill_gather(struct starfish_flux_interpolation *to)
{
    const ptrdiff_t n = (ptrdiff_t)to->fine, coarse = (ptrdiff_t)to->coarse;

    for (ptrdiff_t c = 0; c < coarse; c++)
        for (ptrdiff_t t = 0; t < 4; t++) {
            ptrdiff_t i = 2 * c - 1 + t;
            if (to->periodic)
                i = (i + n) % n;
            if (i < 0 || i >= n)
                continue;
            const ptrdiff_t before = (i + 1) / 2 - 1, meant = t < 2 ? before + 1 : before;
            if (to->periodic ? (meant + coarse) % coarse == c : meant == c)
                to->gather[t][c] = t < 2 ? to->upper[i] : to->lower[i];
        }
}

static starfish_status make_interpolation(const struct starfish_flux_line *line, int pairs,
                                          struct starfish_flux_interpolation *to)
{
    const size_t origin = pairs ? 0 : origin_of(line);
    int there;

    to->coarse = origin == 0 ? (line->n + 1) / 2 : line->n / 2;
    there = (to->lower = calloc(line->n, sizeof(double))) != NULL;
    there = (to->upper = calloc(line->n, sizeof(double))) && there;
    for (int t = 0; t < 4; t++)
        there = (to->gather[t] = calloc(to->coarse, sizeof(double))) && there;
    STARFISH_FAIL_IF(!there, STARFISH_ERROR_MEMORY, "out of memory for an interpolation from %zu unknowns", to->coarse);
    fill_weights(line, pairs, origin, to);
    fill_gather(to);
    return STARFISH_SUCCESS;
}

/* Weights by which coarse unknown c gathers fine values: the transpose of the interpolation. */
struct starfish_flux_sum starfish_flux_gathered(const struct starfish_flux_interpolation *to, size_t c)
{
    const ptrdiff_t n = (ptrdiff_t)to->fine;
    struct starfish_flux_sum sum = {.count = 0};

    for (ptrdiff_t t = 0; t < 4; t++)
        if (to->gather[t][c] != 0) {
            sum.row[sum.count] = (size_t)((2 * (ptrdiff_t)c - 1 + t + n) % n);
            sum.factor[sum.count++] = to->gather[t][c];
        }
    return sum;
}

/* The coupling below coarse unknown c, where coarse unknowns are every other fine one. Without an unknown between, it
 * is the fine coupling there. Otherwise it is Galerkin's product of the two faces of the unknown between: two resistors
 * in series, if the interpolation is made of these faces. In the stored form it may be made of others, and the product
 * is larger. A coarse grid with weaker couplings would correct too much. */
static struct starfish_flux_sum coupling_of_points(const struct starfish_flux_line *line,
                                                   const struct starfish_flux_interpolation *to, size_t c)
{
    const size_t n = line->n, origin = origin_of(line), i = 2 * c + origin, between = i > 0 ? i - 1 : n - 1;

    if (to->coarse == 1 || (i == 0 && !line->periodic))
        return (struct starfish_flux_sum){.count = 0};
    if (!goes(line, origin, between))
        return (struct starfish_flux_sum){.count = 1, .row = {i}, .factor = {1}};
    const double lower = to->lower[between], upper = to->upper[between];
    return (struct starfish_flux_sum){.count = 2,
                                      .row = {between, i},
                                      .factor = {(1 - lower) * upper, lower * (1 - upper)},
                                      .less = line->extra[between] * lower * upper};
}

/* The coupling below coarse unknown c, where coarse unknowns are pairs of cells: that of the fine face in the coarse
 * one, times the fine distance between centres over the coarse distance. */
static struct starfish_flux_sum coupling_of_pairs(const struct starfish_flux_line *line, size_t c)
{
    const size_t n = line->n, i = 2 * c, coarse = (n + 1) / 2;
    const double *w = line->weight;

    if (coarse == 1 || (i == 0 && !line->periodic))
        return (struct starfish_flux_sum){.count = 0};
    const size_t last = 2 * ((c > 0 ? c : coarse) - 1); /* the first of the pair before */
    const double before = last + 1 < n ? w[last] + w[last + 1] : w[last], own = i + 1 < n ? w[i] + w[i + 1] : w[i];
    return (struct starfish_flux_sum){
        .count = 1, .row = {i}, .factor = {(w[i > 0 ? i - 1 : n - 1] + w[i]) / (before + own)}};
}

struct starfish_flux_sum starfish_flux_coarse_coupling(const struct starfish_flux_line *line, int pairs,
                                                       const struct starfish_flux_interpolation *to, size_t c)
{
    return pairs ? coupling_of_pairs(line, c) : coupling_of_points(line, to, c);
}

static double sum_of(const struct starfish_flux_sum *sum, const double *values)
{
    double total = -sum->less;

    for (int t = 0; t < sum->count; t++)
        total += sum->factor[t] * values[sum->row[t]];
    return sum->less > 0 ? fmax(total, 0) : total;
}

static starfish_status coarsen_line(const struct starfish_flux_line *fine, int pairs,
                                    const struct starfish_flux_interpolation *to, struct starfish_flux_line *coarse)
{
    *coarse = (struct starfish_flux_line){.n = to->coarse, .periodic = fine->periodic};
    coarse->coupling = calloc(to->coarse + 1, sizeof(double));
    coarse->extra = calloc(to->coarse, sizeof(double));
    coarse->weight = calloc(to->coarse, sizeof(double));
    if (!coarse->coupling || !coarse->extra || !coarse->weight)
        return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for a direction of %zu unknowns", to->coarse);
    if (!to->lower) {
        memcpy(coarse->coupling, fine->coupling, (fine->n + 1) * sizeof(double));
        memcpy(coarse->extra, fine->extra, fine->n * sizeof(double));
        memcpy(coarse->weight, fine->weight, fine->n * sizeof(double));
        return STARFISH_SUCCESS;
    }
    for (size_t c = 0; c < to->coarse; c++) {
        const struct starfish_flux_sum gathered = starfish_flux_gathered(to, c),
                                       coupling = starfish_flux_coarse_coupling(fine, pairs, to, c);
        coarse->extra[c] = sum_of(&gathered, fine->extra);
        coarse->weight[c] = sum_of(&gathered, fine->weight);
        coarse->coupling[c] = sum_of(&coupling, fine->coupling);
    }
    coarse->coupling[to->coarse] = fine->periodic ? coarse->coupling[0] : 0;
    return STARFISH_SUCCESS;
}

/* ---- All directions ---------------------------------------------------------------------------------------------- */

starfish_status starfish_flux_grid_coarsen(struct starfish_flux_grid *fine, const int coarsened[3],
                                           struct starfish_flux_grid *coarse)
{
    memset(coarse, 0, sizeof *coarse);
    coarse->lambda = fine->lambda;
    coarse->pairs = fine->pairs;
    for (int d = 0; d < 3; d++) {
        fine->to[d] = (struct starfish_flux_interpolation){
            .fine = fine->line[d].n, .coarse = fine->line[d].n, .periodic = fine->line[d].periodic};
        if (coarsened[d])
            STARFISH_TRY(make_interpolation(&fine->line[d], fine->pairs, &fine->to[d]));
        STARFISH_TRY(coarsen_line(&fine->line[d], fine->pairs, &fine->to[d], &coarse->line[d]));
    }
    coarse->window = fine->window;
    coarse->window.planes = coarse->line[2].n;
    return fine->face[0] ? starfish_flux_coarsen_stored(fine, coarse) : STARFISH_SUCCESS;
}
