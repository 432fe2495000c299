/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SAINV, right-looking: vector i, once final, is taken off all later vectors that are not A-conjugate to it, and
 * entries that are small are dropped at once. Pivots are z . A z, which no dropping makes negative. Vectors are short
 * lists; beside each row of Z stands which later vectors have an entry there, so that only those that A z_i touches are
 * looked at. Some microseconds per unknown of a core:
 *
 * A breadth-first walk through the graph of A puts unknowns on fronts, each of which has neighbours on its own and the
 * next ones alone. Runs of fronts are strips, and the last front of a strip separates it from the next one (Benzi,
 * Marin, Tuma, in: Parallel Algorithms for Sparse Linear Systems, 2001). Vectors of strips come first and in their
 * order, all strips at the same time, as they do not touch; then those of separators, which two strips touch: every
 * second one at the same time. A separator's vectors end within its two strips, so that separators are not made
 * conjugate to each other; entries that far away would be dropped. How many strips there are does not depend on the
 * cores, and so neither does the result. */
#include "codelets/host_work.h"
#include "sparse/build.h"
#include "sparse/inverse.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>

/* The entries of a vector, or the numbers of the vectors that have an entry in a row (no values). */
struct list {
    int count, room, *at;
    double *value;
};

/* Where unknowns are: on strip k in region 2 k, on the separator behind it in region 2 k + 1. The members of a region
 * are member[first[region] .. first[region + 1] - 1], in their order. */
struct regions {
    int count, *of, *member, *first;
};

struct biconjugation {
    struct starfish_context *context;
    const struct starfish_csr *a;
    double drop;
    struct list *vector, *user; /* by vector, by row */
    double *product;            /* A z_i, zero elsewhere */
    int *met, *seen;            /* the last i that touched a row, and that found a candidate, plus 1 */
    int *at;                    /* by row: where the vector that is changed now has its entry, plus 1; 0: nowhere */
    double *pivot;
    struct regions regions;
    int first_region; /* of those that are worked on at the same time: every second strip or separator, .. */
    int step;         /* .. the next one so many regions on */
    atomic_int failed;
};

/* What a thread works on: the vectors of a region, and the rows of that and, if it is a separator, of the strips beside
 * it. */
struct work {
    struct biconjugation *b;
    int region;
    struct list touched, candidate;
};

static starfish_status append(struct list *list, int at, double value, int has_values)
{
    if (list->count == list->room) {
        const int room = list->room > 0 ? 2 * list->room : 8;
        int *more = realloc(list->at, (size_t)room * sizeof *more);
        STARFISH_FAIL_IF(!more, STARFISH_ERROR_MEMORY, "out of memory for an approximate inverse");
        list->at = more;
        double *values = has_values ? realloc(list->value, (size_t)room * sizeof *values) : NULL;
        STARFISH_FAIL_IF(has_values && !values, STARFISH_ERROR_MEMORY, "out of memory for an approximate inverse");
        list->value = values;
        list->room = room;
    }
    list->at[list->count] = at;
    if (has_values)
        list->value[list->count] = value;
    list->count++;
    return STARFISH_SUCCESS;
}

/* ---- Regions ----------------------------------------------------------------------------------------------------- */

/* Fronts of a breadth-first walk, in all components one after the other: front[i], and how many there are. `queue` has
 * room for all unknowns. */
static int walk_fronts(const struct starfish_csr *a, int *front, int *queue)
{
    size_t taken = 0, put = 0;
    int fronts = 0;

    for (size_t i = 0; i < a->rows; i++)
        front[i] = -1;
    for (size_t seed = 0; seed < a->rows; seed++) {
        if (front[seed] >= 0)
            continue;
        front[seed] = fronts;
        queue[put++] = (int)seed;
        for (; taken < put; taken++) {
            const int i = queue[taken];
            fronts = front[i] + 1;
            for (int e = a->start[i]; e < a->start[i + 1]; e++)
                if (front[a->column[e]] < 0) {
                    front[a->column[e]] = front[i] + 1;
                    queue[put++] = a->column[e];
                }
        }
    }
    return fronts;
}

/* Strips are thick enough that what is left of a vector on their other side would be dropped, and large enough to be
 * worth a thread. */
static int count_strips(size_t rows, int fronts)
{
    enum { MOST = 64, THICK = 12, LARGE = 2048 };
    const int by_fronts = fronts / THICK, by_rows = (int)(rows / LARGE);
    const int strips = by_fronts < by_rows ? by_fronts : by_rows;

    return strips < 1 ? 1 : strips < MOST ? strips : MOST;
}

/* Regions by fronts, with equal numbers of fronts to a strip and its separator; the last strip has none. */
static void list_regions(struct regions *r, size_t rows, int fronts, int strips)
{
    for (size_t i = 0; i < rows; i++) {
        const int strip = (int)((long)r->of[i] * strips / fronts);
        const int last = (int)(((long)(r->of[i] + 1)) * strips / fronts) != strip;
        r->of[i] = 2 * strip + (last && strip + 1 < strips);
        r->first[r->of[i] + 1]++;
    }
    for (int k = 0; k < r->count; k++)
        r->first[k + 1] += r->first[k];
    for (size_t i = rows; i-- > 0;)
        r->member[--r->first[r->of[i] + 1]] = (int)i;
    for (int k = 0; k < r->count; k++) /* where a region began is where it is now; the next one's is one behind */
        r->first[k] = r->first[k + 1];
    r->first[r->count] = (int)rows;
}

static starfish_status make_regions(struct regions *r, const struct starfish_csr *a)
{
    r->of = malloc((a->rows + 1) * sizeof *r->of);
    r->member = malloc((a->rows + 1) * sizeof *r->member);
    STARFISH_FAIL_IF(!r->of || !r->member, STARFISH_ERROR_MEMORY, "out of memory for an approximate inverse");
    const int fronts = walk_fronts(a, r->of, r->member), strips = count_strips(a->rows, fronts);
    r->count = 2 * strips - 1;
    r->first = calloc((size_t)r->count + 2, sizeof *r->first);
    STARFISH_FAIL_IF(!r->first, STARFISH_ERROR_MEMORY, "out of memory for an approximate inverse");
    list_regions(r, a->rows, fronts, strips);
    return STARFISH_SUCCESS;
}

/* Is a row the thread's? */
static int is_own(const struct work *w, int row)
{
    return abs(w->b->regions.of[row] - w->region) <= w->region % 2;
}

/* ---- Vectors ----------------------------------------------------------------------------------------------------- */

static starfish_status begin(struct biconjugation *b, struct starfish_context *context, const struct starfish_csr *a,
                             double drop)
{
    const size_t n = a->rows + 1;

    *b = (struct biconjugation){.context = context,
                                .a = a,
                                .drop = drop,
                                .vector = calloc(n, sizeof *b->vector),
                                .user = calloc(n, sizeof *b->user),
                                .product = calloc(n, sizeof *b->product),
                                .met = calloc(n, sizeof *b->met),
                                .seen = calloc(n, sizeof *b->seen),
                                .at = calloc(n, sizeof *b->at),
                                .pivot = calloc(n, sizeof *b->pivot)};
    if (!b->vector || !b->user || !b->product || !b->met || !b->seen || !b->at || !b->pivot)
        return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for an approximate inverse");
    STARFISH_TRY(make_regions(&b->regions, a));
    for (size_t i = 0; i < a->rows; i++)
        STARFISH_TRY(append(&b->vector[i], (int)i, 1, 1));
    return STARFISH_SUCCESS;
}

static void end(struct biconjugation *b)
{
    for (size_t i = 0; i < b->a->rows; i++) {
        if (b->vector) {
            free(b->vector[i].at);
            free(b->vector[i].value);
        }
        if (b->user)
            free(b->user[i].at);
    }
    free(b->vector);
    free(b->user);
    free(b->product);
    free(b->met);
    free(b->seen);
    free(b->at);
    free(b->pivot);
    free(b->regions.of);
    free(b->regions.member);
    free(b->regions.first);
}

/* The later vectors of the region that have an entry in a row. Those of the region up to i are done. */
static starfish_status find_candidates(struct work *w, int i, int row)
{
    struct biconjugation *b = w->b;
    const int done = b->regions.of[i] == w->region ? i : -1;
    struct list *users = &b->user[row];
    int kept = 0;

    for (int u = 0; u < users->count; u++) {
        const int j = users->at[u];
        if (j <= done)
            continue;
        users->at[kept++] = j;
        if (b->seen[j] != i + 1)
            STARFISH_TRY(append(&w->candidate, j, 0, 0));
        b->seen[j] = i + 1;
    }
    users->count = kept;
    return STARFISH_SUCCESS;
}

/* product = A z_i, and the later vectors that it meets. */
static starfish_status multiply(struct work *w, int i)
{
    struct biconjugation *b = w->b;
    const struct list *z = &b->vector[i];

    w->touched.count = w->candidate.count = 0;
    for (int k = 0; k < z->count; k++)
        for (int e = b->a->start[z->at[k]]; e < b->a->start[z->at[k] + 1]; e++) {
            const int row = b->a->column[e];
            if (!is_own(w, row))
                continue;
            if (b->met[row] != i + 1)
                STARFISH_TRY(append(&w->touched, row, 0, 0));
            b->met[row] = i + 1;
            b->product[row] += z->value[k] * b->a->value[e];
        }
    for (int t = 0; t < w->touched.count; t++)
        STARFISH_TRY(find_candidates(w, i, w->touched.at[t]));
    return STARFISH_SUCCESS;
}

static double with_product(const struct biconjugation *b, int j)
{
    const struct list *z = &b->vector[j];
    double sum = 0;

    for (int k = 0; k < z->count; k++)
        sum += z->value[k] * b->product[z->at[k]];
    return sum;
}

/* One entry of z_j -= change; b->at knows where its entries are. */
static starfish_status change(struct biconjugation *b, int j, int row, double change)
{
    struct list *z = &b->vector[j];
    const int k = b->at[row] - 1;

    if (k < 0) {
        if (fabs(change) <= b->drop)
            return STARFISH_SUCCESS;
        STARFISH_TRY(append(&b->user[row], j, 0, 0));
        b->at[row] = z->count + 1;
        return append(z, row, -change, 1);
    }
    z->value[k] -= change;
    if (fabs(z->value[k]) > b->drop || row == j)
        return STARFISH_SUCCESS;
    z->count--;
    z->at[k] = z->at[z->count];
    z->value[k] = z->value[z->count];
    b->at[z->at[k]] = k + 1;
    b->at[row] = 0;
    return STARFISH_SUCCESS;
}

/* z_j -= factor z_i. */
static starfish_status subtract(struct biconjugation *b, int j, double factor, const struct list *z)
{
    struct list *to = &b->vector[j];
    starfish_status status = STARFISH_SUCCESS;

    for (int k = 0; k < to->count; k++)
        b->at[to->at[k]] = k + 1;
    for (int k = 0; k < z->count && status == STARFISH_SUCCESS; k++)
        status = change(b, j, z->at[k], factor * z->value[k]);
    for (int k = 0; k < to->count; k++)
        b->at[to->at[k]] = 0;
    return status;
}

/* The region's later vectors become conjugate to z_i. A factor below the threshold makes no entry that would stay. */
static starfish_status eliminate(struct work *w, int i)
{
    struct biconjugation *b = w->b;
    const struct list *z = &b->vector[i];

    STARFISH_TRY(multiply(w, i));
    if (b->regions.of[i] == w->region) {
        const double rounding = 1e-10, alone = b->a->value[starfish_csr_find(b->a, (size_t)i, (size_t)i)];
        b->pivot[i] = with_product(b, i);
        if (!(b->pivot[i] > rounding * alone)) /* A is singular: as if z_i were alone */
            b->pivot[i] = alone;
    }
    for (int c = 0; c < w->candidate.count; c++) {
        const int j = w->candidate.at[c];
        const double factor = with_product(b, j) / b->pivot[i];
        if (fabs(factor) > b->drop)
            STARFISH_TRY(subtract(b, j, factor, z));
    }
    for (int t = 0; t < w->touched.count; t++)
        b->product[w->touched.at[t]] = 0;
    return STARFISH_SUCCESS;
}

/* ---- A region ---------------------------------------------------------------------------------------------------- */

/* Two sorted runs of members as one, in their order. */
static starfish_status eliminate_both(struct work *w, int left, int right)
{
    const struct regions *r = &w->b->regions;
    int k = r->first[left], l = r->first[right];

    while (k < r->first[left + 1] || l < r->first[right + 1]) {
        const int from_left = l == r->first[right + 1] || (k < r->first[left + 1] && r->member[k] < r->member[l]);
        STARFISH_TRY(eliminate(w, r->member[from_left ? k++ : l++]));
    }
    return STARFISH_SUCCESS;
}

/* Rows know no vectors of regions that are done. */
static void forget_users(const struct biconjugation *b, int region)
{
    for (int k = b->regions.first[region]; k < b->regions.first[region + 1]; k++) {
        b->user[b->regions.member[k]].count = 0;
        b->met[b->regions.member[k]] = 0;
    }
}

static starfish_status do_region(struct work *w)
{
    struct biconjugation *b = w->b;
    const struct regions *r = &b->regions;
    const int separates = w->region % 2;

    for (int region = w->region - separates; region <= w->region + separates; region++)
        forget_users(b, region);
    for (int k = r->first[w->region]; k < r->first[w->region + 1]; k++)
        STARFISH_TRY(append(&b->user[r->member[k]], r->member[k], 0, 0));
    if (separates)
        STARFISH_TRY(eliminate_both(w, w->region - 1, w->region + 1));
    for (int k = r->first[w->region]; k < r->first[w->region + 1]; k++)
        STARFISH_TRY(eliminate(w, r->member[k]));
    return STARFISH_SUCCESS;
}

static void do_regions(void *data, size_t first, size_t last)
{
    struct biconjugation *b = data;

    for (size_t k = first; k < last; k++) {
        struct work w = {.b = b, .region = b->first_region + (int)k * b->step};
        if (do_region(&w) != STARFISH_SUCCESS)
            atomic_store(&b->failed, 1);
        free(w.touched.at);
        free(w.candidate.at);
    }
}

/* The regions first, first + step, .. at the same time. */
static starfish_status do_every(struct biconjugation *b, int first, int step)
{
    const struct starfish_host_work work = {.name = first % 2 ? "separators of SAINV" : "strips of SAINV",
                                            .body = do_regions,
                                            .data = b,
                                            .count = (size_t)((b->regions.count - first + step - 1) / step)};

    if (first >= b->regions.count)
        return STARFISH_SUCCESS;
    b->first_region = first;
    b->step = step;
    STARFISH_TRY(starfish_host_work_run(b->context, &work));
    return atomic_load(&b->failed) ? starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for an approximate inverse")
                                   : STARFISH_SUCCESS;
}

/* ---- The inverse ------------------------------------------------------------------------------------------------- */

static size_t most_of_vector(const void *data, size_t i)
{
    const struct biconjugation *b = data;

    return (size_t)b->vector[i].count;
}

static void take_vector(const void *data, size_t i, struct starfish_csr_row *row)
{
    const struct list *z = &((const struct biconjugation *)data)->vector[i];

    for (int k = 0; k < z->count; k++)
        starfish_csr_add(row, z->at[k], z->value[k]);
}

static starfish_status multiply_out(const struct biconjugation *b, struct starfish_csr *m)
{
    const struct starfish_csr_source vectors = {b->a->rows, b->a->rows, most_of_vector, take_vector, b};
    struct starfish_csr z = {.rows = 0}, transposed = {.rows = 0};
    double *inverse = b->product; /* not needed any more */

    for (size_t i = 0; i < b->a->rows; i++)
        inverse[i] = 1 / b->pivot[i];
    starfish_status status = starfish_csr_build(&vectors, &transposed);
    STARFISH_THEN(status, starfish_csr_transpose(&transposed, &z));
    STARFISH_THEN(status, starfish_csr_product(&z, inverse, &transposed, m));
    starfish_csr_destroy(&z);
    starfish_csr_destroy(&transposed);
    return status;
}

starfish_status starfish_sainv(struct starfish_context *context, const struct starfish_csr *a, double drop,
                               struct starfish_csr *m)
{
    struct biconjugation b;

    *m = (struct starfish_csr){.rows = 0};
    starfish_status status = begin(&b, context, a, drop);
    STARFISH_THEN(status, do_every(&b, 0, 2));
    for (int first = 1; first <= 3 && status == STARFISH_SUCCESS; first += 2)
        status = do_every(&b, first, 4);
    STARFISH_THEN(status, multiply_out(&b, m));
    end(&b);
    return status;
}
