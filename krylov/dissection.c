/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Nested dissection, and the inverse of a Cholesky factor in its order. A set of domains is walked breadth first from
 * one of its ends; a level near the middle with few domains is the separator, which comes last, and its two sides are
 * dissected in turn. Ordering takes operations of order n log n, the inverse for a grid of n domains in two dimensions
 * about 20 n^1.5. */
#include "krylov/dissection.h"

#include "base/status.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Nested dissection ------------------------------------------------------------------------------------------- */

/* So few domains are not dissected further. */
enum { LEAF = 12 };

struct dissecting {
    const struct starfish_domain_graph *graph;
    struct starfish_dissection *result;
    int *set;            /* the domains, of which a run is dissected */
    int *walked, *level; /* the domains of a walk in its order; the level of each domain, -1: not found yet */
    int *run;            /* of each domain: which run it is in */
    int *node_of, *node_begin, *node_parent;
    int runs, nodes;
    size_t placed;
};

/* Breadth first through the run of `root`, from walked[at] on. Returns one past the last. */
static size_t walk(struct dissecting *s, int root, size_t at)
{
    const struct starfish_domain_graph *g = s->graph;
    size_t end = at;

    s->walked[end++] = root;
    s->level[root] = 0;
    for (; at < end; at++)
        for (size_t i = g->begin[s->walked[at]]; i < g->begin[s->walked[at] + 1]; i++) {
            const int other = g->other[i];
            if (s->run[other] == s->run[root] && s->level[other] < 0) {
                s->level[other] = s->level[s->walked[at]] + 1;
                s->walked[end++] = other;
            }
        }
    return end;
}

static void forget_levels(struct dissecting *s, size_t begin, size_t end)
{
    for (size_t i = begin; i < end; i++)
        s->level[s->walked[i]] = -1;
}

/* Of the walk begin .. end-1, where the separator's level begins and ends: among levels with at least 3 tenths on
 * either side the smallest one, else the one in the middle. */
static void choose_separator(const struct dissecting *s, size_t begin, size_t end, size_t level[2])
{
    const size_t count = end - begin, side = 3 * count / 10;
    size_t best = count + 1, low = begin;

    while (low < end) {
        size_t high = low;
        while (high < end && s->level[s->walked[high]] == s->level[s->walked[low]])
            high++;
        const int even = low - begin >= side && end - high >= side;
        const int middle = low - begin <= count / 2 && high - begin > count / 2;
        if ((even && high - low < best) || (middle && best > count)) {
            best = even ? high - low : count;
            level[0] = low;
            level[1] = high;
        }
        low = high;
    }
}

static void dissect(struct dissecting *s, size_t begin, size_t end, int parent);

/* The domains begin .. end-1 of the set get the next positions. */
static void place(struct dissecting *s, int node, size_t begin, size_t end, int first)
{
    s->node_begin[node] = (int)s->placed;
    for (size_t i = begin; i < end; i++, s->placed++) {
        s->result->order[s->placed] = s->set[i];
        s->result->place[s->set[i]] = (int)s->placed;
        s->result->first[s->placed] = first;
        s->node_of[s->placed] = node;
    }
}

/* A run that is connected. */
static void separate(struct dissecting *s, size_t begin, size_t end, int parent)
{
    const int node = s->nodes++, first = (int)s->placed;
    size_t level[2] = {begin, end};

    s->node_parent[node] = parent;
    if (end - begin > LEAF) {
        /* The last domain of a walk is far from the first: a good end to begin with. */
        forget_levels(s, begin, end);
        const int far = s->walked[walk(s, s->walked[begin], begin) - 1];
        forget_levels(s, begin, end);
        walk(s, far, begin);
        choose_separator(s, begin, end, level);
    }
    const size_t below = level[0] - begin, above = end - level[1], separator = begin + below + above;
    memcpy(s->set + begin, s->walked + begin, below * sizeof(int));
    memcpy(s->set + begin + below, s->walked + level[1], above * sizeof(int));
    memcpy(s->set + separator, s->walked + level[0], (level[1] - level[0]) * sizeof(int));
    dissect(s, begin, begin + below, node);
    dissect(s, begin + below, separator, node);
    place(s, node, separator, end, first);
}

/* Each connected run of begin .. end-1. */
static void dissect(struct dissecting *s, size_t begin, size_t end, int parent)
{
    const int run = s->runs++;
    size_t found = begin;

    for (size_t i = begin; i < end; i++) {
        s->run[s->set[i]] = run;
        s->level[s->set[i]] = -1;
    }
    for (size_t i = begin; i < end && found < end; i++)
        if (s->level[s->set[i]] < 0)
            found = walk(s, s->set[i], found);
    memcpy(s->set + begin, s->walked + begin, (end - begin) * sizeof(int));
    for (size_t low = begin, high; low < end; low = high) {
        for (high = low + 1; high < end && s->level[s->set[high]] > 0;)
            high++;
        memcpy(s->walked + low, s->set + low, (high - low) * sizeof(int));
        separate(s, low, high, parent);
        /* What was walked within it has changed levels only of domains that are behind. */
    }
}

/* The position above each: the next one of its separator, or the first one of the separator above. */
static void find_above(const struct dissecting *s)
{
    struct starfish_dissection *d = s->result;

    for (size_t i = 0; i < d->domains; i++) {
        const int node = s->node_of[i], parent = s->node_parent[node];
        const int more = i + 1 < d->domains && s->node_of[i + 1] == node;
        d->up[i] = more ? (int)i + 1 : parent >= 0 ? s->node_begin[parent] : -1;
        if (d->up[i] >= (int)d->unknowns)
            d->up[i] = -1;
    }
}

static starfish_status out_of_memory(size_t domains)
{
    return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for the order of %zu domains", domains);
}

static starfish_status allocate(size_t domains, size_t unknowns, struct starfish_dissection *d)
{
    *d = (struct starfish_dissection){.domains = domains, .unknowns = unknowns};
    d->order = malloc((4 * domains + 1) * sizeof(int));
    if (!d->order)
        return out_of_memory(domains);
    d->place = d->order + domains;
    d->first = d->place + domains;
    d->up = d->first + domains;
    return STARFISH_SUCCESS;
}

starfish_status starfish_dissection_create(const struct starfish_domain_graph *graph, size_t unknowns,
                                           struct starfish_dissection *d)
{
    const size_t n = graph->domains;
    struct dissecting s = {.graph = graph, .result = d};

    STARFISH_TRY(allocate(n, unknowns, d));
    int *const memory = malloc((7 * n + 1) * sizeof *memory);
    if (!memory)
        return out_of_memory(n);
    int **const temporary[] = {&s.set, &s.walked, &s.level, &s.run, &s.node_of, &s.node_begin, &s.node_parent};
    for (size_t i = 0; i < sizeof temporary / sizeof temporary[0]; i++)
        *temporary[i] = memory + i * n;
    for (size_t i = 0; i < n; i++) {
        s.set[i] = (int)i;
        s.run[i] = -1;
    }
    dissect(&s, 0, n, -1);
    find_above(&s);
    for (size_t i = 0; i < unknowns; i++)
        d->entries += i - (size_t)d->first[i] + 1;
    free(memory);
    return STARFISH_SUCCESS;
}

void starfish_dissection_destroy(struct starfish_dissection *d)
{
    free(d->order);
    *d = (struct starfish_dissection){.domains = 0};
}

/* ---- W ----------------------------------------------------------------------------------------------------------- */

/* Where the row of a position begins, less its first column. */
static void find_rows(const struct starfish_dissection *d, size_t *row)
{
    size_t begin = 0;

    for (size_t i = 0; i < d->unknowns; i++) {
        row[i] = begin - (size_t)d->first[i];
        begin += i - (size_t)d->first[i] + 1;
    }
}

/* A row of L, from those of W before: L_i = W e, e the column of E; returns the sum of squares. */
static double factor_row(const struct starfish_dissection *d, const struct starfish_domain_graph *g, const size_t *row,
                         const double *w, size_t i, double *l)
{
    const size_t domain = (size_t)d->order[i];
    double sum = 0;

    memset(l + d->first[i], 0, (i - (size_t)d->first[i]) * sizeof *l);
    for (size_t e = g->begin[domain]; e < g->begin[domain + 1]; e++) {
        const int column = d->place[g->other[e]];
        for (int k = column; k >= 0 && k < (int)i; k = d->up[k])
            l[k] -= g->coupling[e] * w[row[k] + (size_t)column];
    }
    for (size_t k = (size_t)d->first[i]; k < i; k++)
        sum += l[k] * l[k];
    return sum;
}

/* The row of W that belongs to it: (0 .. 0 1) / p - l' W / p. */
static void invert_row(const struct starfish_dissection *d, const size_t *row, const double *l, double pivot, size_t i,
                       double *w)
{
    double *own = w + row[i];

    memset(own + d->first[i], 0, (i - (size_t)d->first[i]) * sizeof *w);
    own[i] = 1 / pivot;
    for (size_t k = (size_t)d->first[i]; k < i; k++) {
        const double factor = l[k] / pivot;
        const double *const other = w + row[k];
        if (factor != 0)
            for (size_t c = (size_t)d->first[k]; c <= k; c++)
                own[c] -= factor * other[c];
    }
}

/* The same by columns: a column's entries are those of the positions above it. */
static void fill_columns(const struct starfish_dissection *d, const size_t *row, const double *w, double *columns)
{
    size_t at = 0;

    for (size_t j = 0; j < d->unknowns; j++)
        for (int k = (int)j; k >= 0; k = d->up[k])
            columns[at++] = w[row[k] + j];
}

int starfish_dissection_invert(const struct starfish_dissection *d, const struct starfish_domain_graph *graph,
                               double raised, double *matrix)
{
    size_t *row = malloc((d->unknowns + 1) * sizeof *row);
    double *l = malloc((d->unknowns + 1) * sizeof *l);
    int failed = row && l ? 0 : -1;

    if (!failed)
        find_rows(d, row);
    for (size_t i = 0; i < d->unknowns && !failed; i++) {
        const double sum = factor_row(d, graph, row, matrix, i, l);
        const double pivot = graph->diagonal[d->order[i]] * (1 + raised) - sum;
        failed = !(pivot > 0);
        if (!failed)
            invert_row(d, row, l, sqrt(pivot), i, matrix);
    }
    if (!failed)
        fill_columns(d, row, matrix, matrix + d->entries);
    free(row);
    free(l);
    return failed;
}

/* ---- Cuthill and McKee ------------------------------------------------------------------------------------------- */

/* Breadth first from `root`, domains that have no place yet: place, and the order in which they were found. Returns how
 * many have places then. */
static size_t number_from(const struct starfish_domain_graph *g, size_t root, int *place, int *order, size_t count)
{
    size_t at = count;

    place[root] = (int)count;
    order[count++] = (int)root;
    for (; at < count; at++)
        for (size_t i = g->begin[order[at]]; i < g->begin[order[at] + 1]; i++)
            if (place[g->other[i]] < 0) {
                place[g->other[i]] = (int)count;
                order[count++] = g->other[i];
            }
    return count;
}

/* The last domain that a walk from `root` finds is far from it: a good end to begin with. `place` is as before. */
static size_t far_from(const struct starfish_domain_graph *g, size_t root, int *place, int *order, size_t count)
{
    const size_t found = number_from(g, root, place, order, count), last = (size_t)order[found - 1];

    for (size_t i = count; i < found; i++)
        place[order[i]] = -1;
    return last;
}

starfish_status starfish_dissection_create_band(const struct starfish_domain_graph *graph, size_t unknowns,
                                                struct starfish_dissection *dissection)
{
    size_t count = 0;

    STARFISH_TRY(allocate(graph->domains, unknowns, dissection));
    int *const place = dissection->place, *const order = dissection->order;
    for (size_t d = 0; d < graph->domains; d++)
        place[d] = -1;
    for (size_t d = 0; d < graph->domains; d++)
        if (place[d] < 0)
            count = number_from(graph, far_from(graph, d, place, order, count), place, order, count);
    return STARFISH_SUCCESS;
}

size_t starfish_dissection_band(const struct starfish_domain_graph *graph, const struct starfish_dissection *dissection)
{
    const int *const place = dissection->place;
    size_t band = 0;

    for (size_t d = 0; d < graph->domains; d++)
        for (size_t i = graph->begin[d]; i < graph->begin[d + 1]; i++) {
            const int distance = place[d] - place[graph->other[i]];
            if (distance > 0 && (size_t)distance > band)
                band = (size_t)distance;
        }
    return band;
}

/* ---- Tables ------------------------------------------------------------------------------------------------------ */

size_t starfish_dissection_indices(const struct starfish_dissection *d)
{
    return d->domains + 3 * d->unknowns + 2 + d->entries;
}

void starfish_dissection_index(const struct starfish_dissection *d, int *index)
{
    int *const row = index + d->domains, *const first = row + d->unknowns + 1, *const column = first + d->unknowns,
               *const above = column + d->unknowns + 1;

    memcpy(index, d->order, d->domains * sizeof(int));
    row[0] = column[0] = 0;
    for (size_t i = 0; i < d->unknowns; i++) {
        int at = column[i];
        row[i + 1] = row[i] + (int)i - d->first[i] + 1;
        first[i] = d->first[i];
        for (int k = (int)i; k >= 0; k = d->up[k])
            above[at++] = k;
        column[i + 1] = at;
    }
}
