/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The deflation matrix E in the form of its spec: band factors, inverse, or the two halves of the inverse. */
#include "krylov/coarse_matrix.h"

#include <stdlib.h>
#include <string.h>

/* E as a band below the diagonal, of the unknowns without the last one where that is left out. */
static void fill_band(const struct starfish_domain_graph *g, const struct starfish_coarse_matrix *c, const int *place,
                      double *band)
{
    const size_t rows = c->band + 1;

    for (size_t d = 0; d < g->domains; d++) {
        const size_t row = (size_t)place[d];
        if (row >= c->unknowns)
            continue;
        band[row * rows] += g->diagonal[d];
        for (size_t i = g->begin[d]; i < g->begin[d + 1]; i++) {
            const size_t column = (size_t)place[g->other[i]];
            if (column < row)
                band[column * rows + (row - column)] -= g->coupling[i];
        }
    }
}

static void fill_dense(const struct starfish_domain_graph *g, size_t unknowns, double *matrix)
{
    for (size_t d = 0; d < unknowns; d++) {
        matrix[d * unknowns + d] += g->diagonal[d];
        for (size_t i = g->begin[d]; i < g->begin[d + 1]; i++)
            if ((size_t)g->other[i] < unknowns)
                matrix[d * unknowns + (size_t)g->other[i]] -= g->coupling[i];
    }
}

/* What rounding may have made indefinite is made positive again: the same matrix to some units more of rounding. */
static void raise_diagonal(double *matrix, size_t count, size_t stride, double by)
{
    for (size_t i = 0; i < count; i++)
        matrix[i * stride] *= 1 + by;
}

/* E's factor, inverse, or halves of that, from a matrix with a diagonal 1 + raised times as large: 0, else whatever. */
static int try_factor(const struct starfish_domain_graph *g, const struct starfish_coarse_matrix *c,
                      const struct starfish_dissection *d, double raised, double *matrix)
{
    if (c->form == STARFISH_COARSE_BY_HALVES)
        return starfish_dissection_invert(d, g, raised, matrix);
    if (c->form == STARFISH_COARSE_BY_INVERSE) {
        fill_dense(g, c->unknowns, matrix);
        raise_diagonal(matrix, c->unknowns, c->unknowns + 1, raised);
        return starfish_coarse_invert(c->unknowns, matrix);
    }
    fill_band(g, c, d->place, matrix);
    raise_diagonal(matrix, c->unknowns, c->band + 1, raised);
    return starfish_coarse_factor(c->unknowns, c->band, matrix);
}

static starfish_status factor(const struct starfish_domain_graph *g, const struct starfish_coarse_matrix *c,
                              const struct starfish_dissection *d, double *matrix, size_t size)
{
    static const double raised[] = {0, 1e-14, 1e-12, 1e-10};

    for (size_t attempt = 0; attempt < sizeof raised / sizeof raised[0]; attempt++) {
        memset(matrix, 0, size * sizeof *matrix);
        if (try_factor(g, c, d, raised[attempt], matrix) == 0)
            return STARFISH_SUCCESS;
    }
    return starfish_fail(STARFISH_ERROR_NUMERICAL, "the matrix of %zu deflation vectors is not positive definite",
                         c->domains);
}

/* Of all domains, of which the last has none. */
static void spread(const struct starfish_coarse_matrix *c, double *matrix)
{
    const size_t n = c->unknowns, all = c->domains;

    if (n == all)
        return;
    for (size_t d = n; d-- > 0;) {
        memmove(matrix + d * all, matrix + d * n, n * sizeof *matrix);
        matrix[d * all + n] = 0;
    }
    memset(matrix + n * all, 0, all * sizeof *matrix);
}

/* Doubles of E's inverse, its halves, or its factor. */
static size_t size_of(const struct starfish_coarse_matrix *c)
{
    switch (c->form) {
    case STARFISH_COARSE_BY_INVERSE:
        return c->domains * c->domains;
    case STARFISH_COARSE_BY_HALVES:
        return 2 * c->entries + 1;
    default:
        return (c->band + 1) * c->domains;
    }
}

/* A matrix of too many domains would take its time as well: its factors, some seconds of a core at the limit. */
static starfish_status check_bytes(const struct starfish_coarse_matrix *c)
{
    const double bytes = (double)size_of(c) * sizeof(double);

    return STARFISH_OR_FAIL(bytes <= (double)STARFISH_DEFLATION_MOST_BYTES, STARFISH_ERROR_ARGUMENT,
                            "options.vectors: the %s of the %zu deflation vectors' matrix takes %.0f bytes, more than "
                            "%zu: take fewer vectors",
                            c->form == STARFISH_COARSE_BY_BAND ? "factor" : "inverse", c->domains, bytes,
                            (size_t)STARFISH_DEFLATION_MOST_BYTES);
}

/* The order of the domains, and what E's inverse or factor takes in it. The place of each: the dissection's, or for a
 * band after Cuthill and McKee. */
static starfish_status choose_order(const struct starfish_domain_graph *g, struct starfish_coarse_matrix *c,
                                    struct starfish_dissection *d)
{
    STARFISH_TRY(c->form == STARFISH_COARSE_BY_HALVES ? starfish_dissection_create(g, c->unknowns, d)
                                                      : starfish_dissection_create_band(g, c->unknowns, d));
    c->entries = d->entries;
    c->band = c->form == STARFISH_COARSE_BY_BAND ? starfish_dissection_band(g, d) : 0;
    return check_bytes(c);
}

/* Ints of what tasks read besides the matrix. */
static size_t places_of(const struct starfish_coarse_matrix *c, const struct starfish_dissection *d)
{
    return c->form == STARFISH_COARSE_BY_HALVES ? starfish_dissection_indices(d) : c->domains;
}

static starfish_status put_places(struct starfish_coarse_matrix *c, const struct starfish_dissection *d)
{
    const int by_halves = c->form == STARFISH_COARSE_BY_HALVES;
    const size_t count = places_of(c, d);
    int *index = malloc((count + 1) * sizeof *index);

    STARFISH_FAIL_IF(!index, STARFISH_ERROR_MEMORY, "out of memory for %zu deflation vectors", c->domains);
    if (by_halves)
        starfish_dissection_index(d, index);
    for (size_t i = 0; i < c->domains && !by_halves; i++)
        index[i] = (size_t)d->place[i] < c->unknowns ? d->place[i] : -1;
    const starfish_status status = starfish_coefficient_table_ints(&c->place, index, count);
    free(index);
    return status;
}

static starfish_status fill_coarse(const struct starfish_domain_graph *g, const struct starfish_dissection *d,
                                   struct starfish_coarse_matrix *c)
{
    const size_t size = size_of(c);
    double *matrix = malloc(size * sizeof *matrix);
    starfish_status status =
        matrix ? factor(g, c, d, matrix, size)
               : starfish_fail(STARFISH_ERROR_MEMORY,
                               "out of memory for the matrix of %zu deflation vectors: %zu numbers", c->domains, size);
    if (status == STARFISH_SUCCESS && c->form == STARFISH_COARSE_BY_INVERSE)
        spread(c, matrix);
    STARFISH_THEN(status, starfish_coefficient_table_reals(&c->matrix, STARFISH_F64, matrix, size));
    STARFISH_THEN(status, put_places(c, d));
    STARFISH_THEN(status, starfish_coefficient_table_results(&c->rhs, 2 * c->domains));
    STARFISH_THEN(status, starfish_coefficient_table_results(&c->solution, c->domains));
    free(matrix);
    return status;
}

static struct starfish_coarse_matrix coarse_of(const struct starfish_deflation_spec *s)
{
    return (struct starfish_coarse_matrix){
        .domains = s->domains, .unknowns = s->domains - (s->singular ? 1 : 0), .form = s->form};
}

starfish_status starfish_coarse_matrix_create(const struct starfish_deflation_spec *spec,
                                              const struct starfish_domain_graph *graph,
                                              struct starfish_coarse_matrix *matrix)
{
    struct starfish_dissection d;

    *matrix = coarse_of(spec);
    starfish_status status = choose_order(graph, matrix, &d);
    STARFISH_THEN(status, fill_coarse(graph, &d, matrix));
    starfish_dissection_destroy(&d);
    return status;
}

starfish_status starfish_coarse_matrix_count(const struct starfish_deflation_spec *spec,
                                             const struct starfish_domain_graph *graph, size_t *bytes)
{
    struct starfish_dissection d = {.domains = 0};
    struct starfish_coarse_matrix c = coarse_of(spec);
    const starfish_status status = choose_order(graph, &c, &d);

    if (status == STARFISH_SUCCESS)
        *bytes = (size_of(&c) + 3 * c.domains) * sizeof(double) + places_of(&c, &d) * sizeof(int);
    starfish_dissection_destroy(&d);
    return status;
}
