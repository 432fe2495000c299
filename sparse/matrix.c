/* Sparse matrices on the host. Products go row by row with an accumulator as long as a row (Gustavson, ACM Trans. Math.
 * Softw. 4 (1978), 250-269); bound by the entries that they multiply. */
#include "sparse/matrix.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

starfish_status starfish_csr_create(struct starfish_csr *a, size_t rows, size_t columns, size_t entries)
{
    *a = (struct starfish_csr){.rows = rows, .columns = columns};
    if (entries > INT_MAX || rows >= INT_MAX || columns >= INT_MAX)
        return starfish_fail(STARFISH_ERROR_UNSUPPORTED, "a matrix would have %zu entries, more than 2^31 - 1",
                             entries);
    a->start = calloc(rows + 1, sizeof *a->start);
    a->column = malloc((entries + 1) * sizeof *a->column);
    a->value = malloc((entries + 1) * sizeof *a->value);
    if (!a->start || !a->column || !a->value) {
        starfish_csr_destroy(a);
        return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for a matrix of %zu entries", entries);
    }
    a->start[rows] = (int)entries;
    return STARFISH_SUCCESS;
}

void starfish_csr_destroy(struct starfish_csr *a)
{
    free(a->start);
    free(a->column);
    free(a->value);
    memset(a, 0, sizeof *a);
}

starfish_status starfish_csr_transpose(const struct starfish_csr *a, struct starfish_csr *t)
{
    const size_t entries = starfish_csr_entries(a);

    STARFISH_TRY(starfish_csr_create(t, a->columns, a->rows, entries));
    t->start[t->rows] = 0;
    for (size_t e = 0; e < entries; e++)
        t->start[a->column[e] + 1]++;
    for (size_t j = 0; j < t->rows; j++)
        t->start[j + 1] += t->start[j];
    for (size_t i = 0; i < a->rows; i++)
        for (int e = a->start[i]; e < a->start[i + 1]; e++) {
            const int to = t->start[a->column[e]]++;
            t->column[to] = (int)i;
            t->value[to] = a->value[e];
        }
    for (size_t j = t->rows; j > 0; j--)
        t->start[j] = t->start[j - 1];
    t->start[0] = 0;
    return STARFISH_SUCCESS;
}

/* ---- Products ---------------------------------------------------------------------------------------------------- */

/* A row of a product under way: which columns have an entry, and what it is. */
struct accumulator {
    int *seen, *column; /* seen: the last row that had this column, plus 1 */
    double *value;
    int count;
};

static starfish_status accumulator_create(struct accumulator *row, size_t columns)
{
    *row = (struct accumulator){calloc(columns + 1, sizeof(int)), malloc((columns + 1) * sizeof(int)),
                                malloc((columns + 1) * sizeof(double)), 0};
    return row->seen && row->column && row->value
               ? STARFISH_SUCCESS
               : starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for a product of matrices");
}

static void accumulator_destroy(struct accumulator *row)
{
    free(row->seen);
    free(row->column);
    free(row->value);
}

static void add_entry(struct accumulator *row, size_t i, int j, double value)
{
    if (row->seen[j] != (int)i + 1) {
        row->seen[j] = (int)i + 1;
        row->value[j] = 0;
        row->column[row->count++] = j;
    }
    row->value[j] += value;
}

static void multiply_row(const struct starfish_csr *a, const double *middle, const struct starfish_csr *b, size_t i,
                         struct accumulator *row)
{
    row->count = 0;
    for (int e = a->start[i]; e < a->start[i + 1]; e++) {
        const int k = a->column[e];
        const double factor = middle ? a->value[e] * middle[k] : a->value[e];
        for (int f = b->start[k]; f < b->start[k + 1]; f++)
            add_entry(row, i, b->column[f], factor * b->value[f]);
    }
}

static int by_number(const void *a, const void *b)
{
    const int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

/* Rows are short: insertion, and for long ones the library's sort. */
static void sort_columns(int *column, int count)
{
    enum { SHORT = 64 };

    if (count > SHORT) {
        qsort(column, (size_t)count, sizeof *column, by_number);
        return;
    }
    for (int i = 1; i < count; i++) {
        const int moved = column[i];
        int at = i;
        for (; at > 0 && column[at - 1] > moved; at--)
            column[at] = column[at - 1];
        column[at] = moved;
    }
}

static size_t count_product(const struct starfish_csr *a, const struct starfish_csr *b, struct accumulator *row)
{
    size_t entries = 0;

    for (size_t i = 0; i < a->rows; i++) {
        multiply_row(a, NULL, b, i, row);
        entries += (size_t)row->count;
    }
    memset(row->seen, 0, b->columns * sizeof *row->seen);
    return entries;
}

starfish_status starfish_csr_product(const struct starfish_csr *a, const double *middle, const struct starfish_csr *b,
                                     struct starfish_csr *c)
{
    struct accumulator row;
    starfish_status status = accumulator_create(&row, b->columns);

    *c = (struct starfish_csr){.rows = 0};
    if (status == STARFISH_SUCCESS)
        status = starfish_csr_create(c, a->rows, b->columns, count_product(a, b, &row));
    for (size_t i = 0; status == STARFISH_SUCCESS && i < a->rows; i++) {
        multiply_row(a, middle, b, i, &row);
        sort_columns(row.column, row.count);
        for (int e = 0; e < row.count; e++) {
            c->column[c->start[i] + e] = row.column[e];
            c->value[c->start[i] + e] = row.value[row.column[e]];
        }
        c->start[i + 1] = c->start[i] + row.count;
    }
    accumulator_destroy(&row);
    return status;
}

/* ---- Parts and numberings ---------------------------------------------------------------------------------------- */

struct entry {
    int column;
    double value;
};

static int by_column(const void *a, const void *b)
{
    return by_number(&((const struct entry *)a)->column, &((const struct entry *)b)->column);
}

/* The row's entries that stay, sorted by their new columns; how many. */
static int renumber_row(const struct starfish_csr *a, size_t i, const int *columns, struct entry *row)
{
    int count = 0;

    for (int e = a->start[i]; e < a->start[i + 1]; e++)
        if (columns[a->column[e]] >= 0) {
            const struct entry moved = {columns[a->column[e]], a->value[e]};
            row[count++] = moved;
        }
    qsort(row, (size_t)count, sizeof *row, by_column);
    return count;
}

static starfish_status begin_renumbered(const struct starfish_csr *a, const struct starfish_renumbering *new,
                                        struct starfish_csr *b)
{
    size_t entries = 0;

    for (size_t i = 0; i < a->rows; i++)
        for (int e = a->start[i]; new->rows[i] >= 0 && e < a->start[i + 1]; e++)
            entries += new->columns[a->column[e]] >= 0;
    STARFISH_TRY(starfish_csr_create(b, new->row_count, new->column_count, entries));
    b->start[b->rows] = 0;
    for (size_t i = 0; i < a->rows; i++)
        for (int e = a->start[i]; new->rows[i] >= 0 && e < a->start[i + 1]; e++)
            b->start[new->rows[i] + 1] += new->columns[a->column[e]] >= 0;
    for (size_t i = 0; i < b->rows; i++)
        b->start[i + 1] += b->start[i];
    return STARFISH_SUCCESS;
}

starfish_status starfish_csr_renumber(const struct starfish_csr *a, const struct starfish_renumbering *new,
                                      struct starfish_csr *b)
{
    int longest = 0;

    STARFISH_TRY(begin_renumbered(a, new, b));
    for (size_t i = 0; i < a->rows; i++)
        longest = a->start[i + 1] - a->start[i] > longest ? a->start[i + 1] - a->start[i] : longest;
    struct entry *row = malloc(((size_t)longest + 1) * sizeof *row);
    if (!row)
        return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for a row of %d entries", longest);
    for (size_t i = 0; i < a->rows; i++) {
        if (new->rows[i] < 0)
            continue;
        const int first = b->start[new->rows[i]], count = renumber_row(a, i, new->columns, row);
        for (int e = 0; e < count; e++) {
            b->column[first + e] = row[e].column;
            b->value[first + e] = row[e].value;
        }
    }
    free(row);
    return STARFISH_SUCCESS;
}

starfish_status starfish_csr_rows(const struct starfish_csr *a, size_t first, size_t last, struct starfish_csr *b)
{
    const int begin = a->start[first], end = a->start[last];

    STARFISH_TRY(starfish_csr_create(b, last - first, a->columns, (size_t)(end - begin)));
    for (size_t i = first; i <= last; i++)
        b->start[i - first] = a->start[i] - begin;
    memcpy(b->column, a->column + begin, (size_t)(end - begin) * sizeof *b->column);
    memcpy(b->value, a->value + begin, (size_t)(end - begin) * sizeof *b->value);
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

void starfish_csr_apply(const struct starfish_csr *a, const double *x, double *y)
{
    for (size_t i = 0; i < a->rows; i++) {
        double sum = 0;
        for (int e = a->start[i]; e < a->start[i + 1]; e++)
            sum += a->value[e] * x[a->column[e]];
        y[i] = sum;
    }
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

    if (!x)
        return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for two vectors of %zu", a->rows);
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
