/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sparse matrices on the host. Products go row by row (Gustavson, ACM Trans. Math. Softw. 4 (1978), 250-269); bound by
 * the entries that they multiply. */
#include "sparse/matrix.h"

#include "scheduler/runtime/host_loop.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 16384 }; /* of a run */

void starfish_csr_keep_rows(struct starfish_csr *a, const unsigned char *keep)
{
    int next = 0;

    for (size_t i = 0; keep && i < a->rows; i++) {
        const int first = a->start[i], count = keep[i] ? a->start[i + 1] - first : 0;
        a->start[i] = next;
        memmove(a->column + next, a->column + first, (size_t)count * sizeof *a->column);
        memmove(a->value + next, a->value + first, (size_t)count * sizeof *a->value);
        next += count;
    }
    if (!keep)
        return;
    a->start[a->rows] = next;
    int *column = realloc(a->column, ((size_t)next + 1) * sizeof *column);
    a->column = column ? column : a->column;
    double *value = realloc(a->value, ((size_t)next + 1) * sizeof *value);
    a->value = value ? value : a->value;
}

/* ---- Transposes -------------------------------------------------------------------------------------------------- */

struct transposing {
    const struct starfish_csr *a;
    struct starfish_csr *t;
};

/* Where the entries of row i with columns from `column` on begin. */
static int entries_from(const struct starfish_csr *a, size_t i, size_t column)
{
    int low = a->start[i], high = a->start[i + 1];

    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (a->column[middle] < (int)column)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Rows first .. last-1 of the transpose, which are columns of a. */
static void count_columns(void *data, size_t first, size_t last)
{
    const struct transposing *t = data;

    for (size_t i = 0; i < t->a->rows; i++)
        for (int e = entries_from(t->a, i, first); e < t->a->start[i + 1] && t->a->column[e] < (int)last; e++)
            t->t->start[t->a->column[e] + 1]++;
}

static void fill_columns(void *data, size_t first, size_t last)
{
    const struct transposing *t = data;
    int *next = t->t->start; /* of a row, and at last where it ends */

    for (size_t i = 0; i < t->a->rows; i++)
        for (int e = entries_from(t->a, i, first); e < t->a->start[i + 1] && t->a->column[e] < (int)last; e++) {
            const int to = next[t->a->column[e]]++;
            t->t->column[to] = (int)i;
            t->t->value[to] = t->a->value[e];
        }
}

/* Each core reads all rows, and takes what is in its columns. */
starfish_status starfish_csr_transpose(const struct starfish_csr *a, struct starfish_csr *t)
{
    const size_t few = 65536, run = a->columns / starfish_host_cores() + 1;
    struct transposing transposing = {a, t};

    STARFISH_TRY(starfish_csr_create(t, a->columns, a->rows, starfish_csr_entries(a)));
    t->start[t->rows] = 0;
    starfish_host_loop(a->columns, a->columns < few ? few : run, count_columns, &transposing);
    for (size_t j = 0; j < t->rows; j++)
        t->start[j + 1] += t->start[j];
    starfish_host_loop(a->columns, a->columns < few ? few : run, fill_columns, &transposing);
    for (size_t j = t->rows; j > 0; j--)
        t->start[j] = t->start[j - 1];
    t->start[0] = 0;
    return STARFISH_SUCCESS;
}

/* ---- Products ---------------------------------------------------------------------------------------------------- */

struct product {
    const struct starfish_csr *a, *b;
    const double *middle;
};

static size_t most_of_product(const void *data, size_t i)
{
    const struct product *p = data;
    size_t most = 0;

    for (int e = p->a->start[i]; e < p->a->start[i + 1]; e++)
        most += (size_t)(p->b->start[p->a->column[e] + 1] - p->b->start[p->a->column[e]]);
    return most;
}

static void multiply_row(const void *data, size_t i, struct starfish_csr_row *row)
{
    const struct product *p = data;

    for (int e = p->a->start[i]; e < p->a->start[i + 1]; e++) {
        const int k = p->a->column[e];
        const double factor = p->middle ? p->a->value[e] * p->middle[k] : p->a->value[e];
        for (int f = p->b->start[k]; f < p->b->start[k + 1]; f++)
            starfish_csr_add(row, p->b->column[f], factor * p->b->value[f]);
    }
}

starfish_status starfish_csr_product(const struct starfish_csr *a, const double *middle, const struct starfish_csr *b,
                                     struct starfish_csr *c)
{
    const struct product product = {a, b, middle};
    const struct starfish_csr_source source = {a->rows, b->columns, most_of_product, multiply_row, &product};

    return starfish_csr_build(&source, c);
}

/* ---- Parts and numberings ---------------------------------------------------------------------------------------- */

/* A matrix in other numbers: `from` is the old row of a new one, -1: there is none. */
struct renumbered {
    const struct starfish_csr *a;
    const int *columns;
    int *from;
};

static size_t most_of_old_row(const void *data, size_t i)
{
    const struct renumbered *r = data;

    return r->from[i] < 0 ? 0 : (size_t)(r->a->start[r->from[i] + 1] - r->a->start[r->from[i]]);
}

static void renumber_row(const void *data, size_t i, struct starfish_csr_row *row)
{
    const struct renumbered *r = data;

    if (r->from[i] < 0)
        return;
    for (int e = r->a->start[r->from[i]]; e < r->a->start[r->from[i] + 1]; e++)
        if (r->columns[r->a->column[e]] >= 0)
            starfish_csr_add(row, r->columns[r->a->column[e]], r->a->value[e]);
}

starfish_status starfish_csr_renumber(const struct starfish_csr *a, const struct starfish_renumbering *new,
                                      struct starfish_csr *b)
{
    struct renumbered r = {a, new->columns, malloc((new->row_count + 1) * sizeof(int))};
    const struct starfish_csr_source source = {new->row_count, new->column_count, most_of_old_row, renumber_row, &r};

    *b = (struct starfish_csr){.rows = 0};
    STARFISH_FAIL_IF(!r.from, STARFISH_ERROR_MEMORY, "out of memory for %zu rows", new->row_count);
    for (size_t i = 0; i < new->row_count; i++)
        r.from[i] = -1;
    for (size_t i = 0; i < a->rows; i++)
        if (new->rows[i] >= 0)
            r.from[new->rows[i]] = (int)i;
    const starfish_status status = starfish_csr_build(&source, b);
    free(r.from);
    return status;
}

starfish_status starfish_csr_rows(const struct starfish_csr *a, size_t first, size_t last, struct starfish_csr *b)
{
    const int begin = a->start[first], end = a->start[last];

    STARFISH_TRY(starfish_csr_create(b, last - first, a->columns, (size_t)(end - begin)));
    for (size_t i = first; i <= last; i++)
        b->start[i - first] = a->start[i] - begin;
    starfish_host_copy(b->column, a->column + begin, (size_t)(end - begin) * sizeof *b->column);
    starfish_host_copy(b->value, a->value + begin, (size_t)(end - begin) * sizeof *b->value);
    return STARFISH_SUCCESS;
}

starfish_status starfish_csr_lower(const struct starfish_csr *a, struct starfish_csr *lower)
{
    size_t entries = 0;

    for (size_t i = 0; i < a->rows; i++)
        for (int e = a->start[i]; e < a->start[i + 1] && a->column[e] <= (int)i; e++)
            entries++;
    STARFISH_TRY(starfish_csr_create(lower, a->rows, a->columns, entries));
    for (size_t i = 0; i < a->rows; i++) {
        int to = lower->start[i];
        for (int e = a->start[i]; e < a->start[i + 1] && a->column[e] <= (int)i; e++, to++) {
            lower->column[to] = a->column[e];
            lower->value[to] = a->value[e];
        }
        lower->start[i + 1] = to;
    }
    return STARFISH_SUCCESS;
}

/* ---- Vectors ----------------------------------------------------------------------------------------------------- */

struct application {
    const struct starfish_csr *a;
    const double *x;
    double *y;
};

static void apply_rows(void *data, size_t first, size_t last)
{
    const struct application *p = data;

    for (size_t i = first; i < last; i++) {
        double sum = 0;
        for (int e = p->a->start[i]; e < p->a->start[i + 1]; e++)
            sum += p->a->value[e] * p->x[p->a->column[e]];
        p->y[i] = sum;
    }
}

void starfish_csr_apply(const struct starfish_csr *a, const double *x, double *y)
{
    struct application application = {.a = a, .x = x};

    application.y = y;
    starfish_host_loop(a->rows, ROWS, apply_rows, &application);
}

int starfish_csr_find(const struct starfish_csr *a, size_t i, size_t j)
{
    int low = a->start[i], high = a->start[i + 1];

    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (a->column[middle] < (int)j)
            low = middle + 1;
        else
            high = middle;
    }
    return low < a->start[i + 1] && a->column[low] == (int)j ? low : -1;
}

static void apply_inverse_diagonal(const struct starfish_csr *a, const double *x, double *y)
{
    for (size_t i = 0; i < a->rows; i++) {
        const int diagonal = starfish_csr_find(a, i, i);
        y[i] = diagonal < 0 || a->value[diagonal] == 0 ? 0 : x[i] / a->value[diagonal];
    }
}

/* Starts are the same for all numberings but for the order of additions: a pattern of signs would not be. */
starfish_status starfish_csr_spectral_radius(const struct starfish_csr *m, const struct starfish_csr *a, double *radius)
{
    enum { STEPS = 20 };
    double *x = malloc((2 * a->rows + 1) * sizeof *x);

    STARFISH_FAIL_IF(!x, STARFISH_ERROR_MEMORY, "out of memory for two vectors of %zu", a->rows);
    double *y = x + a->rows;
    *radius = 0;
    for (size_t i = 0; i < a->rows; i++)
        x[i] = 1 + 0.5 * sin(1.7 * (double)i * (double)i);
    for (int step = 0; step < STEPS && a->rows > 0; step++) {
        double norm = 0;
        for (size_t i = 0; i < a->rows; i++)
            norm += x[i] * x[i];
        norm = sqrt(norm);
        for (size_t i = 0; i < a->rows && norm > 0; i++)
            x[i] /= norm;
        *radius = step > 0 ? norm : 0;
        starfish_csr_apply(a, x, y);
        if (m)
            starfish_csr_apply(m, y, x);
        else
            apply_inverse_diagonal(a, y, x);
    }
    free(x);
    return STARFISH_SUCCESS;
}
