/* SAINV, right-looking: vector i, once final, is taken off all later vectors that are not A-conjugate to it, and
 * entries that are small are dropped at once. Pivots are z . A z, which no dropping makes negative. Vectors are short
 * lists; beside each row of Z stands which later vectors have an entry there, so that only those that A z_i touches are
 * looked at. Sequential: some microseconds per unknown. */
#include "sparse/inverse.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The entries of a vector, or the numbers of the vectors that have an entry in a row (no values). */
struct list {
    int count, room, *at;
    double *value;
};

struct biconjugation {
    const struct starfish_csr *a;
    double drop;
    struct list *vector, *user; /* by vector, by row */
    double *product;            /* A z_i, zero elsewhere */
    int *touched, touched_count, *candidate, candidates;
    int *met, *seen; /* the last i that touched a row, and that found a candidate, plus 1 */
    int *at;         /* by row: where the vector that is changed now has its entry, plus 1; 0: nowhere */
    double *pivot;
};

static starfish_status append(struct list *list, int at, double value, int has_values)
{
    if (list->count == list->room) {
        const int room = list->room > 0 ? 2 * list->room : 8;
        int *more = realloc(list->at, (size_t)room * sizeof *more);
        if (!more)
            return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for an approximate inverse");
        list->at = more;
        double *values = has_values ? realloc(list->value, (size_t)room * sizeof *values) : NULL;
        if (has_values && !values)
            return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for an approximate inverse");
        list->value = values;
        list->room = room;
    }
    list->at[list->count] = at;
    if (has_values)
        list->value[list->count] = value;
    list->count++;
    return STARFISH_SUCCESS;
}

static starfish_status begin(struct biconjugation *b, const struct starfish_csr *a, double drop)
{
    const size_t n = a->rows + 1;

    *b = (struct biconjugation){.a = a,
                                .drop = drop,
                                .vector = calloc(n, sizeof *b->vector),
                                .user = calloc(n, sizeof *b->user),
                                .product = calloc(n, sizeof *b->product),
                                .touched = calloc(n, sizeof *b->touched),
                                .candidate = calloc(n, sizeof *b->candidate),
                                .met = calloc(n, sizeof *b->met),
                                .seen = calloc(n, sizeof *b->seen),
                                .at = calloc(n, sizeof *b->at),
                                .pivot = calloc(n, sizeof *b->pivot)};
    if (!b->vector || !b->user || !b->product || !b->touched || !b->candidate || !b->met || !b->seen || !b->at ||
        !b->pivot)
        return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for an approximate inverse");
    for (size_t i = 0; i < a->rows; i++) {
        STARFISH_TRY(append(&b->vector[i], (int)i, 1, 1));
        STARFISH_TRY(append(&b->user[i], (int)i, 0, 0));
    }
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
    free(b->touched);
    free(b->candidate);
    free(b->met);
    free(b->seen);
    free(b->at);
    free(b->pivot);
}

/* product = A z_i, and the later vectors that it meets. */
static void multiply(struct biconjugation *b, int i)
{
    const struct list *z = &b->vector[i];

    b->touched_count = b->candidates = 0;
    for (int k = 0; k < z->count; k++)
        for (int e = b->a->start[z->at[k]]; e < b->a->start[z->at[k] + 1]; e++) {
            const int row = b->a->column[e];
            if (b->met[row] != i + 1)
                b->touched[b->touched_count++] = row;
            b->met[row] = i + 1;
            b->product[row] += z->value[k] * b->a->value[e];
        }
    for (int t = 0; t < b->touched_count; t++) {
        struct list *users = &b->user[b->touched[t]];
        int kept = 0;
        for (int u = 0; u < users->count; u++) {
            const int j = users->at[u];
            if (j <= i) /* done */
                continue;
            users->at[kept++] = j;
            if (b->seen[j] != i + 1)
                b->candidate[b->candidates++] = j;
            b->seen[j] = i + 1;
        }
        users->count = kept;
    }
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

/* All later vectors become conjugate to z_i. A factor below the threshold makes no entry that would stay. */
static starfish_status eliminate(struct biconjugation *b, int i)
{
    const struct list *z = &b->vector[i];

    multiply(b, i);
    b->pivot[i] = with_product(b, i);
    if (!(b->pivot[i] > 0)) /* singular, or rounding errors: as if z_i were alone */
        b->pivot[i] = b->a->value[starfish_csr_find(b->a, (size_t)i, (size_t)i)];
    for (int c = 0; c < b->candidates; c++) {
        const int j = b->candidate[c];
        const double factor = with_product(b, j) / b->pivot[i];
        if (fabs(factor) > b->drop)
            STARFISH_TRY(subtract(b, j, factor, z));
    }
    for (int t = 0; t < b->touched_count; t++)
        b->product[b->touched[t]] = 0;
    return STARFISH_SUCCESS;
}

/* Z^T as a matrix, whose rows are the vectors, sorted. */
static starfish_status gather(const struct biconjugation *b, struct starfish_csr *rows)
{
    struct starfish_csr columns;
    size_t entries = 0;

    for (size_t i = 0; i < b->a->rows; i++)
        entries += (size_t)b->vector[i].count;
    STARFISH_TRY(starfish_csr_create(&columns, b->a->rows, b->a->rows, entries));
    for (size_t i = 0; i < b->a->rows; i++) {
        const struct list *z = &b->vector[i];
        for (int k = 0; k < z->count; k++) {
            columns.column[columns.start[i] + k] = z->at[k];
            columns.value[columns.start[i] + k] = z->value[k];
        }
        columns.start[i + 1] = columns.start[i] + z->count;
    }
    const starfish_status status = starfish_csr_transpose(&columns, rows);
    starfish_csr_destroy(&columns);
    return status;
}

static starfish_status multiply_out(const struct biconjugation *b, struct starfish_csr *m)
{
    struct starfish_csr z = {.rows = 0}, transposed = {.rows = 0};
    double *inverse = b->product; /* not needed any more */

    for (size_t i = 0; i < b->a->rows; i++)
        inverse[i] = 1 / b->pivot[i];
    starfish_status status = gather(b, &z);
    if (status == STARFISH_SUCCESS)
        status = starfish_csr_transpose(&z, &transposed);
    if (status == STARFISH_SUCCESS)
        status = starfish_csr_product(&z, inverse, &transposed, m);
    starfish_csr_destroy(&z);
    starfish_csr_destroy(&transposed);
    return status;
}

starfish_status starfish_sainv(const struct starfish_csr *a, double drop, struct starfish_csr *m)
{
    struct biconjugation b;

    *m = (struct starfish_csr){.rows = 0};
    starfish_status status = begin(&b, a, drop);
    for (size_t i = 0; status == STARFISH_SUCCESS && i < a->rows; i++)
        status = eliminate(&b, (int)i);
    if (status == STARFISH_SUCCESS)
        status = multiply_out(&b, m);
    end(&b);
    return status;
}
