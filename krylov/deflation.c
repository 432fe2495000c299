/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Deflation: sums over domains, part by part; the entries of A Z; and the couplings between domains that form the small
 * matrix E. */
#include "krylov/deflation.h"

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

/* Terms of the cells from `first` to `last`, this rank's own, which are made of faces of the planes beside them too. */
struct walk {
    const struct starfish_deflation_spec *spec;
    size_t first, last;
    struct terms *terms;
};

static void add_own(const struct walk *w, int domain, size_t cell, double factor)
{
    if (cell >= w->first && cell < w->last)
        add_term(w->terms, domain, cell, factor);
}

static void add_terms_of(const struct walk *w, size_t cell)
{
    const struct starfish_deflation_spec *s = w->spec;
    const struct starfish_cell_matrix *m = s->matrix;

    add_own(w, s->domain[cell], cell, ((const double *)m->stored)[3 * cells_of(m) + cell]);
    for (int d = 0; d < 3; d++) {
        const struct face f = face_at(m, cell, d);
        const int here = s->domain[f.cell], there = s->domain[f.other];
        if (here == there || f.coupling == 0)
            continue;
        add_own(w, here, f.cell, f.coupling);
        add_own(w, there, f.other, f.coupling);
        add_own(w, there, f.cell, -f.coupling);
        add_own(w, here, f.other, -f.coupling);
    }
}

static starfish_status find_terms(const struct starfish_deflation_spec *s, struct terms *t)
{
    const struct starfish_run_of_planes own = starfish_halo_window_own(s->window);
    const struct starfish_halo_window around = starfish_halo_window_with_depth(s->window, 1);
    const size_t plane = s->matrix->n[0] * s->matrix->n[1];
    const struct starfish_spans spans = starfish_halo_window_spans(&around, 1, plane);
    const struct walk walk = {s, own.first * plane, (own.first + own.count) * plane, t};

    *t = (struct terms){.count = 0};
    for (int i = 0; i < spans.count; i++)
        for (size_t cell = spans.span[i].first; cell < spans.span[i].first + spans.span[i].count; cell++)
            add_terms_of(&walk, cell);
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
    return STARFISH_OR_FAIL(bins->begin && bins->cell && bins->factor, STARFISH_ERROR_MEMORY,
                            "out of memory for domains of %zu cells", count);
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

/* Where the chunks of every domain begin, and among cells and among terms. begin: 3 arrays. */
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

/* domain_begin: those of every domain's chunks. */
static starfish_status fill_chunks(const struct starfish_deflation_spec *s, const struct bins *cells,
                                   const struct bins *terms, int *domain_begin, struct starfish_chunks *chunks)
{
    size_t count = 0;
    int *begin[3] = {domain_begin};

    for (size_t d = 0; d < s->domains; d++)
        count += (size_t)chunks_for(cells->begin[d + 1] - cells->begin[d], terms->begin[d + 1] - terms->begin[d]);
    begin[1] = malloc((count + 1) * sizeof(int));
    begin[2] = malloc((count + 1) * sizeof(int));
    starfish_status status =
        STARFISH_OR_FAIL(begin[1] && begin[2], STARFISH_ERROR_MEMORY, "out of memory for %zu chunks", count);
    if (status == STARFISH_SUCCESS)
        cut_chunks(s->domains, cells, terms, begin);
    const struct {
        struct starfish_coefficient_table *table;
        const int *values;
        size_t count;
    } tables[] = {{&chunks->cell_begin, begin[1], count + 1},
                  {&chunks->term_begin, begin[2], count + 1},
                  {&chunks->cell, cells->cell, (size_t)cells->begin[s->domains]},
                  {&chunks->term, terms->cell, (size_t)terms->begin[s->domains]}};
    for (size_t i = 0; i < sizeof tables / sizeof tables[0] && status == STARFISH_SUCCESS; i++)
        status = starfish_coefficient_table_ints(tables[i].table, tables[i].values, tables[i].count);
    STARFISH_THEN(status, starfish_coefficient_table_reals(&chunks->factor, s->precision, terms->factor,
                                                           (size_t)terms->begin[s->domains]));
    free(begin[1]);
    free(begin[2]);
    return status;
}

static starfish_status create_chunks(const struct starfish_deflation_spec *s, const struct terms *t, int part,
                                     int *domain_begin, struct starfish_chunks *chunks)
{
    const size_t *first = s->space->first[1];
    struct bins cells = {NULL, NULL, NULL}, terms = {NULL, NULL, NULL};
    starfish_status status = bin_cells(s, first[part] * s->space->n[0], first[part + 1] * s->space->n[0], &cells);

    STARFISH_THEN(status, bin_terms(s, t, part, &terms));
    STARFISH_THEN(status, fill_chunks(s, &cells, &terms, domain_begin, chunks));
    free_bins(&cells);
    free_bins(&terms);
    return status;
}

/* What all ranks have of every part: where its chunks begin for each domain, and the chunks' sums, which tasks of other
 * ranks read. */
static starfish_status create_shared(const struct starfish_deflation_spec *s, size_t part, int *domain_begin,
                                     struct starfish_chunks *chunks)
{
    const int owner = starfish_space_rank(s->space, part);

    if (s->window->context)
        STARFISH_TRY(
            starfish_ranks_broadcast(s->window->context, domain_begin, (s->domains + 1) * sizeof *domain_begin, owner));
    chunks->chunks = (size_t)domain_begin[s->domains];
    STARFISH_TRY(starfish_coefficient_table_ints(&chunks->domain_begin, domain_begin, s->domains + 1));
    return starfish_coefficient_table_results_of(&chunks->sums, s->space->context,
                                                 chunks->chunks > 0 ? chunks->chunks : 1, owner);
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

/* Of couplings (struct term: domain, other, coupling) the sums of those between the same two domains, sorted. */
static void add_couplings(struct terms *pairs)
{
    size_t kept = 0;

    if (pairs->count > 0)
        qsort(pairs->term, pairs->count, sizeof *pairs->term, by_other);
    for (size_t i = 0; i < pairs->count; i++)
        if (kept > 0 && pairs->term[kept - 1].domain == pairs->term[i].domain &&
            pairs->term[kept - 1].cell == pairs->term[i].cell)
            pairs->term[kept - 1].factor += pairs->term[i].factor;
        else
            pairs->term[kept++] = pairs->term[i];
    pairs->count = kept;
}

/* Of the faces above this rank's own cells, two couplings for each. */
static starfish_status find_couplings(const struct starfish_deflation_spec *s, struct terms *pairs, double *diagonal)
{
    const struct starfish_cell_matrix *m = s->matrix;
    const struct starfish_run_of_planes own = starfish_halo_window_own(s->window);
    const size_t count = cells_of(m), plane = m->n[0] * m->n[1];

    *pairs = (struct terms){.count = 0};
    for (size_t cell = own.first * plane; cell < (own.first + own.count) * plane; cell++) {
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
    add_couplings(pairs);
    return pairs->status;
}

/* On several ranks of all their faces. */
static starfish_status find_all_couplings(const struct starfish_deflation_spec *s, struct terms *pairs,
                                          double *diagonal)
{
    STARFISH_TRY(starfish_halo_window_agree(s->window, find_couplings(s, pairs, diagonal)));
    if (!s->window->context)
        return STARFISH_SUCCESS;
    void *list = pairs->term;
    const starfish_status status = starfish_halo_window_join(s->window, sizeof *pairs->term, &pairs->count, &list);
    pairs->term = list;
    STARFISH_TRY(status);
    add_couplings(pairs);
    return starfish_ranks_sum(s->window->context, diagonal, s->domains);
}

static starfish_status create_graph(const struct starfish_deflation_spec *s, struct starfish_domain_graph *g)
{
    struct terms pairs = {.count = 0};

    *g = (struct starfish_domain_graph){.domains = s->domains, .diagonal = calloc(s->domains, sizeof(double))};
    starfish_status status =
        STARFISH_OR_FAIL(g->diagonal, STARFISH_ERROR_MEMORY, "out of memory for %zu domains", s->domains);
    status = starfish_halo_window_agree(s->window, status);
    if (status == STARFISH_SUCCESS && g->diagonal)
        status = find_all_couplings(s, &pairs, g->diagonal);
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

starfish_status starfish_deflation_count(const struct starfish_deflation_spec *spec, size_t *bytes)
{
    struct starfish_domain_graph graph = {.domains = 0};
    starfish_status status = create_graph(spec, &graph);

    STARFISH_THEN(status, starfish_coarse_matrix_count(spec, &graph, bytes));
    free_graph(&graph);
    return status;
}

/* ---- All of it --------------------------------------------------------------------------------------------------- */

static int is_here(const struct starfish_deflation_spec *s, size_t part)
{
    return !s->window->context || starfish_space_rank(s->space, part) == starfish_context_rank(s->window->context);
}

static starfish_status create_own(struct starfish_cells_deflation *deflation, const struct starfish_deflation_spec *s,
                                  int *domain_begin)
{
    struct terms terms = {.count = 0};
    starfish_status status = domain_begin
                                 ? find_terms(s, &terms)
                                 : starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for %zu domains", s->domains);

    for (size_t part = 0; part < s->space->parts[1] && status == STARFISH_SUCCESS; part++)
        if (is_here(s, part))
            status =
                create_chunks(s, &terms, (int)part, domain_begin + part * (s->domains + 1), &deflation->chunks[part]);
    free(terms.term);
    return status;
}

static starfish_status create_sums(struct starfish_cells_deflation *deflation, const struct starfish_deflation_spec *s)
{
    const size_t parts = s->space->parts[1];
    int *domain_begin = malloc(parts * (s->domains + 1) * sizeof *domain_begin);
    starfish_status status = starfish_halo_window_agree(s->window, create_own(deflation, s, domain_begin));

    for (size_t part = 0; part < parts && status == STARFISH_SUCCESS && domain_begin; part++)
        status = create_shared(s, part, domain_begin + part * (s->domains + 1), &deflation->chunks[part]);
    free(domain_begin);
    return status;
}

static starfish_status create_matrix(struct starfish_cells_deflation *deflation,
                                     const struct starfish_deflation_spec *s)
{
    const struct starfish_halo_window read = starfish_halo_window_with_depth(s->window, 0);
    const struct starfish_spans cells = starfish_halo_window_spans(&read, 1, s->matrix->n[0] * s->matrix->n[1]);
    struct starfish_domain_graph graph = {.domains = 0};
    starfish_status status = create_graph(s, &graph);

    STARFISH_THEN(status, starfish_coarse_matrix_create(s, &graph, &deflation->coarse));
    free_graph(&graph);
    return status == STARFISH_SUCCESS
               ? starfish_coefficient_table_ints_of(&deflation->domain, s->domain, cells_of(s->matrix), &cells)
               : status;
}

starfish_status starfish_deflation_create(struct starfish_cells_deflation *deflation,
                                          const struct starfish_deflation_spec *spec)
{
    memset(deflation, 0, sizeof *deflation);
    deflation->space = spec->space;
    deflation->op = spec->op;
    STARFISH_TRY(starfish_halo_window_agree(spec->window, create_matrix(deflation, spec)));
    STARFISH_TRY(create_sums(deflation, spec));
    deflation->coarse.one_each = spec->space->parts[1] == 1 && deflation->chunks[0].chunks == spec->domains;
    return STARFISH_SUCCESS;
}

void starfish_deflation_destroy(struct starfish_cells_deflation *deflation)
{
    struct starfish_coarse_matrix *c = &deflation->coarse;
    struct starfish_coefficient_table *const of_coarse[] = {&deflation->domain, &c->matrix, &c->place, &c->rhs,
                                                            &c->solution};

    for (size_t part = 0; deflation->space && part < deflation->space->parts[1]; part++) {
        struct starfish_chunks *p = &deflation->chunks[part];
        struct starfish_coefficient_table *const tables[] = {&p->cell_begin, &p->cell,         &p->term_begin, &p->term,
                                                             &p->factor,     &p->domain_begin, &p->sums};
        for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++)
            starfish_coefficient_table_destroy(tables[i]);
    }
    for (size_t i = 0; i < sizeof of_coarse / sizeof of_coarse[0]; i++)
        starfish_coefficient_table_destroy(of_coarse[i]);
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
                                           const struct starfish_algebra *algebra, const struct starfish_vector *u,
                                           const struct starfish_vector *f, const struct starfish_vector *q,
                                           const struct starfish_sums *sums)
{
    const struct starfish_cells_task task = {.op = d->op,
                                             .step = STARFISH_CELLS_PROLONG,
                                             .u = u,
                                             .f = f,
                                             .q = q,
                                             .domain = d->domain.handle,
                                             .coarse = d->coarse.solution.handle,
                                             .sums = sums};

    return starfish_submit_cells(algebra, &task);
}
