/* Deflation: the sums over domains, part by part, the entries of A Z, and the small matrix E, assembled from the faces
 * between domains and reordered after Cuthill and McKee so that it has a band. */
#include "krylov/deflation.h"

#include "base/status.h"
#include "krylov/dissection.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* ---- Faces ------------------------------------------------------------------------------------------------------- */

/* A walk over the faces of a matrix that is stored, each once: the cells on its two sides and its coupling. */
struct face {
    size_t cell, other;
    double coupling;
};

static size_t cells_of(const struct starfish_cell_matrix *m)
{
    return m->n[0] * m->n[1] * m->n[2];
}

/* The cell above in direction d, around a periodic end; itself where there is none. */
static size_t above(const struct starfish_cell_matrix *m, size_t cell, int d)
{
    const size_t stride[3] = {1, m->n[0], m->n[0] * m->n[1]};
    const size_t at = cell / stride[d] % m->n[d];

    if (at + 1 < m->n[d])
        return cell + stride[d];
    return m->periodic[d] ? cell - at * stride[d] : cell;
}

static struct face face_at(const struct starfish_cell_matrix *m, size_t cell, int d)
{
    const double *stored = m->stored;

    return (struct face){cell, above(m, cell, d), stored[(size_t)d * cells_of(m) + cell]};
}

/* ---- A Z --------------------------------------------------------------------------------------------------------- */

/* Entries of A Z by rows of A: at most the cell's own domain and six others. */
struct term {
    int domain, cell;
    double factor;
};

struct terms {
    size_t count, room;
    struct term *term;
    starfish_status status;
};

static void add_term(struct terms *t, int domain, size_t cell, double factor)
{
    if (t->count == t->room && t->status == STARFISH_SUCCESS) {
        const size_t room = 2 * t->room + 1024;
        struct term *more = realloc(t->term, room * sizeof *more);
        if (!more) {
            t->status = starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for A Z");
            return;
        }
        t->term = more;
        t->room = room;
    }
    if (t->status == STARFISH_SUCCESS && factor != 0)
        t->term[t->count++] = (struct term){domain, (int)cell, factor};
}

static starfish_status find_terms(const struct starfish_deflation_spec *s, struct terms *t)
{
    const struct starfish_cell_matrix *m = s->matrix;
    const size_t count = cells_of(m);

    *t = (struct terms){.count = 0};
    for (size_t cell = 0; cell < count; cell++) {
        add_term(t, s->domain[cell], cell, ((const double *)m->stored)[3 * count + cell]);
        for (int d = 0; d < 3; d++) {
            const struct face f = face_at(m, cell, d);
            const int here = s->domain[f.cell], there = s->domain[f.other];
            if (here == there || f.coupling == 0)
                continue;
            add_term(t, here, f.cell, f.coupling);
            add_term(t, there, f.other, f.coupling);
            add_term(t, there, f.cell, -f.coupling);
            add_term(t, here, f.other, -f.coupling);
        }
    }
    return t->status;
}

/* ---- Chunks ------------------------------------------------------------------------------------------------------ */

static int part_of(const struct starfish_space *space, size_t cell)
{
    const size_t row = cell / space->n[0];
    int part = 0;

    while (row >= space->first[1][part + 1])
        part++;
    return part;
}

/* What a part has of each domain, sorted by domains: a counting sort. */
struct bins {
    int *begin; /* domains + 1 */
    int *cell;
    double *factor;
};

static void free_bins(struct bins *bins)
{
    free(bins->begin);
    free(bins->cell);
    free(bins->factor);
}

static starfish_status allocate_bins(struct bins *bins, size_t domains, size_t count)
{
    bins->begin = calloc(domains + 2, sizeof *bins->begin);
    bins->cell = malloc((count + 1) * sizeof *bins->cell);
    bins->factor = malloc((count + 1) * sizeof *bins->factor);
    return bins->begin && bins->cell && bins->factor
               ? STARFISH_SUCCESS
               : starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for domains of %zu cells", count);
}

static starfish_status bin_cells(const struct starfish_deflation_spec *s, size_t first, size_t last, struct bins *bins)
{
    STARFISH_TRY(allocate_bins(bins, s->domains, last - first));
    for (size_t cell = first; cell < last; cell++)
        bins->begin[s->domain[cell] + 2]++;
    for (size_t d = 0; d < s->domains; d++)
        bins->begin[d + 2] += bins->begin[d + 1];
    for (size_t cell = first; cell < last; cell++)
        bins->cell[bins->begin[s->domain[cell] + 1]++] = (int)cell;
    return STARFISH_SUCCESS;
}

static starfish_status bin_terms(const struct starfish_deflation_spec *s, const struct terms *t, int part,
                                 struct bins *bins)
{
    STARFISH_TRY(allocate_bins(bins, s->domains, t->count));
    for (size_t i = 0; i < t->count; i++)
        if (part_of(s->space, (size_t)t->term[i].cell) == part)
            bins->begin[t->term[i].domain + 2]++;
    for (size_t d = 0; d < s->domains; d++)
        bins->begin[d + 2] += bins->begin[d + 1];
    for (size_t i = 0; i < t->count; i++)
        if (part_of(s->space, (size_t)t->term[i].cell) == part) {
            const int at = bins->begin[t->term[i].domain + 1]++;
            bins->cell[at] = t->term[i].cell;
            bins->factor[at] = t->term[i].factor;
        }
    return STARFISH_SUCCESS;
}

/* Chunks that so many cells and terms of a domain take. */
static int chunks_for(int cells, int terms)
{
    const int most = cells > terms ? cells : terms;

    return (most + STARFISH_CHUNK - 1) / STARFISH_CHUNK;
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

/* Where the chunks of every domain begin, among cells and among terms. begin: 3 arrays. */
static void cut_chunks(size_t domains, const struct bins *cells, const struct bins *terms, int *const begin[3])
{
    int chunk = 0;

    for (size_t d = 0; d < domains; d++) {
        const int cell = cells->begin[d], term = terms->begin[d];
        const int count = chunks_for(cells->begin[d + 1] - cell, terms->begin[d + 1] - term);
        begin[0][d] = chunk;
        for (int c = 0; c < count; c++, chunk++) {
            begin[1][chunk] = least(cell + c * STARFISH_CHUNK, cells->begin[d + 1]);
            begin[2][chunk] = least(term + c * STARFISH_CHUNK, terms->begin[d + 1]);
        }
    }
    begin[0][domains] = chunk;
    begin[1][chunk] = cells->begin[domains];
    begin[2][chunk] = terms->begin[domains];
}

static starfish_status fill_chunks(const struct starfish_deflation_spec *s, const struct bins *cells,
                                   const struct bins *terms, int part, struct starfish_chunks *chunks)
{
    size_t count = 0;
    int *begin[3] = {NULL};
    starfish_status status = STARFISH_SUCCESS;

    for (size_t d = 0; d < s->domains; d++)
        count += (size_t)chunks_for(cells->begin[d + 1] - cells->begin[d], terms->begin[d + 1] - terms->begin[d]);
    chunks->chunks = count;
    begin[0] = malloc((s->domains + 1) * sizeof(int));
    begin[1] = malloc((count + 1) * sizeof(int));
    begin[2] = malloc((count + 1) * sizeof(int));
    if (!begin[0] || !begin[1] || !begin[2])
        status = starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for %zu chunks", count);
    else
        cut_chunks(s->domains, cells, terms, begin);
    const struct {
        struct starfish_table *table;
        const int *values;
        size_t count;
    } tables[] = {{&chunks->domain_begin, begin[0], s->domains + 1},
                  {&chunks->cell_begin, begin[1], count + 1},
                  {&chunks->term_begin, begin[2], count + 1},
                  {&chunks->cell, cells->cell, (size_t)cells->begin[s->domains]},
                  {&chunks->term, terms->cell, (size_t)terms->begin[s->domains]}};
    for (size_t i = 0; i < sizeof tables / sizeof tables[0] && status == STARFISH_SUCCESS; i++)
        status = starfish_table_ints(tables[i].table, tables[i].values, tables[i].count);
    if (status == STARFISH_SUCCESS)
        status = starfish_table_reals(&chunks->factor, s->precision, terms->factor, (size_t)terms->begin[s->domains]);
    if (status == STARFISH_SUCCESS)
        status =
            starfish_table_results_of(&chunks->sums, s->space->context, count > 0 ? count : 1,
                                      starfish_space_rank(s->space, (size_t)part)); /* tasks of other ranks read them */
    for (int i = 0; i < 3; i++)
        free(begin[i]);
    return status;
}

static starfish_status create_chunks(const struct starfish_deflation_spec *s, const struct terms *t, int part,
                                     struct starfish_chunks *chunks)
{
    const size_t *first = s->space->first[1];
    struct bins cells = {NULL, NULL, NULL}, terms = {NULL, NULL, NULL};
    starfish_status status = bin_cells(s, first[part] * s->space->n[0], first[part + 1] * s->space->n[0], &cells);

    if (status == STARFISH_SUCCESS)
        status = bin_terms(s, t, part, &terms);
    if (status == STARFISH_SUCCESS)
        status = fill_chunks(s, &cells, &terms, part, chunks);
    free_bins(&cells);
    free_bins(&terms);
    return status;
}

/* ---- E ----------------------------------------------------------------------------------------------------------- */

static void free_graph(struct starfish_domain_graph *g)
{
    free(g->diagonal);
    free(g->begin);
    free(g->other);
    free(g->coupling);
}

static int by_other(const void *a, const void *b)
{
    const struct term *x = a, *y = b;

    return x->domain != y->domain ? (x->domain > y->domain) - (x->domain < y->domain)
                                  : (x->cell > y->cell) - (x->cell < y->cell);
}

/* Couplings between domains from the faces, two for each (struct term: domain, other, coupling), sorted and added. */
static starfish_status find_couplings(const struct starfish_deflation_spec *s, struct terms *pairs, double *diagonal)
{
    const struct starfish_cell_matrix *m = s->matrix;
    const size_t count = cells_of(m);
    size_t kept = 0;

    *pairs = (struct terms){.count = 0};
    for (size_t cell = 0; cell < count; cell++) {
        diagonal[s->domain[cell]] += ((const double *)m->stored)[3 * count + cell];
        for (int d = 0; d < 3; d++) {
            const struct face f = face_at(m, cell, d);
            const int here = s->domain[f.cell], there = s->domain[f.other];
            if (here == there)
                continue;
            add_term(pairs, here, (size_t)there, f.coupling);
            add_term(pairs, there, (size_t)here, f.coupling);
        }
    }
    STARFISH_TRY(pairs->status);
    if (pairs->count > 0)
        qsort(pairs->term, pairs->count, sizeof *pairs->term, by_other);
    for (size_t i = 0; i < pairs->count; i++)
        if (kept > 0 && pairs->term[kept - 1].domain == pairs->term[i].domain &&
            pairs->term[kept - 1].cell == pairs->term[i].cell)
            pairs->term[kept - 1].factor += pairs->term[i].factor;
        else
            pairs->term[kept++] = pairs->term[i];
    pairs->count = kept;
    return STARFISH_SUCCESS;
}

static starfish_status create_graph(const struct starfish_deflation_spec *s, struct starfish_domain_graph *g)
{
    struct terms pairs = {.count = 0};

    *g = (struct starfish_domain_graph){.domains = s->domains, .diagonal = calloc(s->domains, sizeof(double))};
    if (!g->diagonal)
        return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for %zu domains", s->domains);
    starfish_status status = find_couplings(s, &pairs, g->diagonal);
    g->begin = calloc(s->domains + 1, sizeof *g->begin);
    g->other = malloc((pairs.count + 1) * sizeof *g->other);
    g->coupling = malloc((pairs.count + 1) * sizeof *g->coupling);
    if (status == STARFISH_SUCCESS && (!g->begin || !g->other || !g->coupling))
        status = starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for %zu domains", s->domains);
    for (size_t i = 0; i < pairs.count && status == STARFISH_SUCCESS; i++) {
        g->begin[pairs.term[i].domain + 1]++;
        g->other[i] = pairs.term[i].cell;
        g->coupling[i] = pairs.term[i].factor;
        g->diagonal[pairs.term[i].domain] += pairs.term[i].factor;
    }
    for (size_t d = 0; d < s->domains && status == STARFISH_SUCCESS; d++)
        g->begin[d + 1] += g->begin[d];
    free(pairs.term);
    return status;
}

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

    if (bytes <= (double)STARFISH_DEFLATION_MOST_BYTES)
        return STARFISH_SUCCESS;
    return starfish_fail(STARFISH_ERROR_ARGUMENT,
                         "--vectors: the %s of the %zu deflation vectors' matrix takes %.0f bytes, more than %zu: "
                         "take fewer vectors",
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

    if (!index)
        return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for %zu deflation vectors", c->domains);
    if (by_halves)
        starfish_dissection_index(d, index);
    for (size_t i = 0; i < c->domains && !by_halves; i++)
        index[i] = (size_t)d->place[i] < c->unknowns ? d->place[i] : -1;
    const starfish_status status = starfish_table_ints(&c->place, index, count);
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
    if (status == STARFISH_SUCCESS)
        status = starfish_table_reals(&c->matrix, STARFISH_F64, matrix, size);
    if (status == STARFISH_SUCCESS)
        status = put_places(c, d);
    if (status == STARFISH_SUCCESS)
        status = starfish_table_results(&c->rhs, 2 * c->domains);
    if (status == STARFISH_SUCCESS)
        status = starfish_table_results(&c->solution, c->domains);
    free(matrix);
    return status;
}

static struct starfish_coarse_matrix coarse_of(const struct starfish_deflation_spec *s)
{
    return (struct starfish_coarse_matrix){
        .domains = s->domains, .unknowns = s->domains - (s->singular ? 1 : 0), .form = s->form};
}

static starfish_status create_coarse(const struct starfish_deflation_spec *s, const struct starfish_domain_graph *g,
                                     struct starfish_coarse_matrix *c)
{
    struct starfish_dissection d;

    *c = coarse_of(s);
    starfish_status status = choose_order(g, c, &d);
    if (status == STARFISH_SUCCESS)
        status = fill_coarse(g, &d, c);
    starfish_dissection_destroy(&d);
    return status;
}

starfish_status starfish_deflation_count(const struct starfish_deflation_spec *spec, size_t *bytes)
{
    struct starfish_domain_graph graph = {.domains = 0};
    struct starfish_dissection d = {.domains = 0};
    struct starfish_coarse_matrix c = coarse_of(spec);
    starfish_status status = create_graph(spec, &graph);

    if (status == STARFISH_SUCCESS)
        status = choose_order(&graph, &c, &d);
    if (status == STARFISH_SUCCESS)
        *bytes = (size_of(&c) + 3 * c.domains) * sizeof(double) + places_of(&c, &d) * sizeof(int);
    starfish_dissection_destroy(&d);
    free_graph(&graph);
    return status;
}

/* ---- All of it --------------------------------------------------------------------------------------------------- */

static starfish_status create_sums(struct starfish_cells_deflation *deflation, const struct starfish_deflation_spec *s)
{
    struct terms terms = {.count = 0};
    starfish_status status = find_terms(s, &terms);

    for (size_t part = 0; part < s->space->parts[1] && status == STARFISH_SUCCESS; part++)
        status = create_chunks(s, &terms, (int)part, &deflation->chunks[part]);
    free(terms.term);
    return status;
}

starfish_status starfish_deflation_create(struct starfish_cells_deflation *deflation,
                                          const struct starfish_deflation_spec *spec)
{
    struct starfish_domain_graph graph = {.domains = 0};

    memset(deflation, 0, sizeof *deflation);
    deflation->space = spec->space;
    starfish_status status = create_graph(spec, &graph);
    if (status == STARFISH_SUCCESS)
        status = create_coarse(spec, &graph, &deflation->coarse);
    free_graph(&graph);
    STARFISH_TRY(status);
    STARFISH_TRY(starfish_table_ints(&deflation->domain, spec->domain, cells_of(spec->matrix)));
    STARFISH_TRY(create_sums(deflation, spec));
    deflation->coarse.one_each = spec->space->parts[1] == 1 && deflation->chunks[0].chunks == spec->domains;
    return STARFISH_SUCCESS;
}

void starfish_deflation_destroy(struct starfish_cells_deflation *deflation)
{
    struct starfish_coarse_matrix *c = &deflation->coarse;
    struct starfish_table *const of_coarse[] = {&deflation->domain, &c->matrix, &c->place, &c->rhs, &c->solution};

    for (size_t part = 0; deflation->space && part < deflation->space->parts[1]; part++) {
        struct starfish_chunks *p = &deflation->chunks[part];
        struct starfish_table *const tables[] = {&p->cell_begin, &p->cell,         &p->term_begin, &p->term,
                                                 &p->factor,     &p->domain_begin, &p->sums};
        for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++)
            starfish_table_destroy(tables[i]);
    }
    for (size_t i = 0; i < sizeof of_coarse / sizeof of_coarse[0]; i++)
        starfish_table_destroy(of_coarse[i]);
    memset(deflation, 0, sizeof *deflation);
}

starfish_status starfish_deflation_solve(const struct starfish_cells_deflation *d,
                                         const struct starfish_algebra *algebra, const struct starfish_vector *r,
                                         const struct starfish_vector *y)
{
    for (size_t part = 0; part < d->space->parts[1]; part++)
        STARFISH_TRY(starfish_submit_chunk_sums(algebra, part, &d->chunks[part], r, y));
    return starfish_submit_coarse_solve(algebra, d->space, &d->coarse, d->chunks);
}

starfish_status starfish_deflation_prolong(const struct starfish_cells_deflation *d,
                                           const struct starfish_algebra *algebra,
                                           const struct starfish_cell_operator *op, const struct starfish_vector *u,
                                           const struct starfish_vector *f, const struct starfish_vector *q,
                                           const struct starfish_sums *sums)
{
    const struct starfish_cells_task task = {.op = op,
                                             .step = STARFISH_CELLS_PROLONG,
                                             .u = u,
                                             .f = f,
                                             .q = q,
                                             .domain = d->domain.handle,
                                             .coarse = d->coarse.solution.handle,
                                             .sums = sums};

    return starfish_submit_cells(algebra, &task);
}
