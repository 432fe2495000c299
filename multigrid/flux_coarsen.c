/* From a grid to the next coarser one (flux.h), one direction at a time. */
#include "multigrid/flux.h"

#include "base/status.h"

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
    if (!there)
        return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for an interpolation from %zu unknowns", to->coarse);
    fill_weights(line, pairs, origin, to);
    fill_gather(to);
    return STARFISH_SUCCESS;
}

/* result[I] = sum of what fine values give to coarse unknown I; values of one line are `stride` apart. */
static void gather(const struct starfish_flux_interpolation *to, const double *values, size_t stride, double *result,
                   size_t result_stride)
{
    const ptrdiff_t n = (ptrdiff_t)to->fine;

    for (size_t c = 0; c < to->coarse; c++) {
        double sum = 0;
        for (ptrdiff_t t = 0; t < 4; t++)
            if (to->gather[t][c] != 0) {
                const ptrdiff_t i = (2 * (ptrdiff_t)c - 1 + t + n) % n;
                sum += to->gather[t][c] * values[(size_t)i * stride];
            }
        result[c * result_stride] = sum;
    }
}

/* The coupling below coarse unknown c: of the fine one there, or what Galerkin's product makes of the two faces of the
 * unknown between. That is the two in series where they are those that the interpolation is made of; where they are
 * not, in the stored form, it is more: a coarse grid of weaker couplings would correct too much. `below` are the
 * couplings of the faces below fine unknowns. */
static double coarse_coupling(const struct starfish_flux_line *line, const struct starfish_flux_interpolation *to,
                              size_t c, const double *below, size_t stride)
{
    const size_t n = line->n, origin = origin_of(line), i = 2 * c + origin, between = i > 0 ? i - 1 : n - 1;
    const double above = below[i * stride];

    if (to->coarse == 1 || (i == 0 && !line->periodic))
        return 0;
    if (!goes(line, origin, between))
        return above;
    const double lower = to->lower[between], upper = to->upper[between];
    return fmax(below[between * stride] * (1 - lower) * upper + above * lower * (1 - upper) -
                    line->extra[between] * lower * upper,
                0);
}

/* The same of pairs: the fine face in the coarse one, between centres that are further apart. */
static double coupling_of_pairs(const struct starfish_flux_line *line, size_t c, const double *below, size_t stride)
{
    const size_t n = line->n, i = 2 * c, coarse = (n + 1) / 2;
    const double *w = line->weight;

    if (coarse == 1 || (i == 0 && !line->periodic))
        return 0;
    const size_t last = 2 * ((c > 0 ? c : coarse) - 1); /* the first of the pair before */
    const double before = last + 1 < n ? w[last] + w[last + 1] : w[last], own = i + 1 < n ? w[i] + w[i + 1] : w[i];
    return below[i * stride] * (w[i > 0 ? i - 1 : n - 1] + w[i]) / (before + own);
}

static double coupling_of(const struct starfish_flux_line *line, int pairs,
                          const struct starfish_flux_interpolation *to, size_t c, const double *below, size_t stride)
{
    return pairs ? coupling_of_pairs(line, c, below, stride) : coarse_coupling(line, to, c, below, stride);
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
    gather(to, fine->extra, 1, coarse->extra, 1);
    gather(to, fine->weight, 1, coarse->weight, 1);
    for (size_t c = 0; c < to->coarse; c++)
        coarse->coupling[c] = coupling_of(fine, pairs, to, c, fine->coupling, 1);
    coarse->coupling[to->coarse] = fine->periodic ? coarse->coupling[0] : 0;
    return STARFISH_SUCCESS;
}

/* ---- Stored couplings -------------------------------------------------------------------------------------------- */

/* n: of the array before; direction d becomes coarser. `along`: its faces, which become coarse couplings, all else is
 * gathered. */
static starfish_status coarsen_array(const struct starfish_flux_grid *fine, const size_t n[3], int d, int along,
                                     double **array)
{
    const struct starfish_flux_interpolation *to = &fine->to[d];
    const size_t before = d == 0 ? 1 : d == 1 ? n[0] : n[0] * n[1], lines = n[0] * n[1] * n[2] / n[d];
    double *result = calloc(lines * to->coarse, sizeof *result);

    if (!result)
        return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for a matrix of %zu rows", lines * to->coarse);
    for (size_t l = 0; l < lines; l++) {
        const double *values = *array + l % before + l / before * before * n[d];
        double *coarse = result + l % before + l / before * before * to->coarse;
        if (!along)
            gather(to, values, before, coarse, before);
        for (size_t c = 0; c < to->coarse && along; c++)
            coarse[c * before] = coupling_of(&fine->line[d], fine->pairs, to, c, values, before);
    }
    free(*array);
    *array = result;
    return STARFISH_SUCCESS;
}

static starfish_status coarsen_stored(const struct starfish_flux_grid *fine, struct starfish_flux_grid *coarse)
{
    size_t n[3] = {fine->line[0].n, fine->line[1].n, fine->line[2].n};
    const size_t bytes = n[0] * n[1] * n[2] * sizeof(double);

    for (int a = 0; a < 4; a++) {
        double **array = a < 3 ? &coarse->face[a] : &coarse->rest;
        if (!(*array = malloc(bytes)))
            return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for a matrix of %zu rows", n[0] * n[1] * n[2]);
        memcpy(*array, a < 3 ? fine->face[a] : fine->rest, bytes);
    }
    for (int d = 0; d < 3; d++) {
        if (!fine->to[d].lower)
            continue;
        for (int a = 0; a < 4; a++)
            STARFISH_TRY(coarsen_array(fine, n, d, a == d, a < 3 ? &coarse->face[a] : &coarse->rest));
        n[d] = fine->to[d].coarse;
    }
    return STARFISH_SUCCESS;
}

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
    return fine->face[0] ? coarsen_stored(fine, coarse) : STARFISH_SUCCESS;
}
