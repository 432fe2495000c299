/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One row of an approximate inverse, one source for a core and for the lanes of a GPU that share a row. Before it the
 * includer defines
 *     LOCAL_FUNCTION   what functions are
 *     LANE, LANES      which of how many threads this is
 *     WAIT()           what all lanes have written is seen by all
 *     LOCAL_HAS_PRODUCTS   where it defines local_products itself, behind this file; else lanes multiply pair by pair
 * Of the dense matrix, and of its factor, there is what is on and below the diagonal, row after row. */

struct local_system {
    int m;
    double *matrix, *x; /* m (m + 1) / 2, and right-hand side and solution */
};

/* Row r of the matrix, so that [c] is its entry in column c <= r. */
LOCAL_FUNCTION double *local_matrix_row(const struct local_system *s, int r)
{
    return s->matrix + r * (r + 1) / 2;
}

LOCAL_FUNCTION double local_entry(const struct starfish_local_matrix *a, int i, int j)
{
    int low = a->start[i], high = a->start[i + 1];

    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (a->column[middle] < j)
            low = middle + 1;
        else
            high = middle;
    }
    return low < a->start[i + 1] && a->column[low] == j ? a->value[low] : 0;
}

/* The products of all pairs of rows of A, and A itself in these rows and columns. */
LOCAL_FUNCTION void local_products(const struct starfish_local_matrix *a, const int *row, const struct local_system *s);

#ifndef LOCAL_HAS_PRODUCTS
/* A row's product with another, both sorted. */
LOCAL_FUNCTION double local_product(const struct starfish_local_matrix *a, int p, int q)
{
    int e = a->start[p], f = a->start[q];
    const int p_end = a->start[p + 1], q_end = a->start[q + 1];
    double sum = 0;

    while (e < p_end && f < q_end) {
        const int left = a->column[e], right = a->column[f];
        if (left == right)
            sum += a->value[e] * a->value[f];
        e += left <= right;
        f += right <= left;
    }
    return sum;
}

LOCAL_FUNCTION void local_products(const struct starfish_local_matrix *a, const int *row, const struct local_system *s)
{
    for (int p = 0; p < s->m; p++)
        for (int q = LANE; q <= p; q += LANES)
            local_matrix_row(s, p)[q] = local_product(a, row[p], row[q]);
}
#endif

LOCAL_FUNCTION void local_entries(const struct starfish_local_matrix *a, const int *row, const struct local_system *s)
{
    for (int p = 0; p < s->m; p++)
        for (int q = LANE; q <= p; q += LANES)
            local_matrix_row(s, p)[q] = local_entry(a, row[p], row[q]);
}

LOCAL_FUNCTION void local_assemble(const struct starfish_local_inverse *a, int row, const struct local_system *s)
{
    const int *pattern = a->pattern_column + a->pattern_start[row];
    const int m = s->m;

    if (a->triangular)
        local_entries(&a->matrix, pattern, s);
    else
        local_products(&a->matrix, pattern, s);
    for (int p = LANE; p < m; p += LANES)
        s->x[p] = a->triangular ? (double)(p + 1 == m) : local_entry(&a->matrix, pattern[p], row);
    WAIT();
}

/* The factor's diagonal is stored inverted. A pivot that rounding errors have eaten counts as the diagonal entry that
 * it was made of: the entry of the inverse then is small, as that of an unknown which others determine should be. */
LOCAL_FUNCTION void local_factor(const struct local_system *s, double small)
{
    const int m = s->m;
    const double largest = m > 0 ? s->matrix[0] : 0;

    for (int c = 0; c < m; c++) {
        const double pivot = local_matrix_row(s, c)[c];
        const double inverse = 1 / sqrt(pivot > small * fabs(largest) ? pivot : fabs(largest) + (double)(largest == 0));
        WAIT();
        for (int r = c + LANE; r < m; r += LANES)
            local_matrix_row(s, r)[c] = r == c ? inverse : local_matrix_row(s, r)[c] * inverse;
        WAIT();
        for (int r = c + 1 + LANE; r < m; r += LANES) {
            double *row = local_matrix_row(s, r);
            const double factor = row[c];
            for (int q = c + 1; q <= r; q++)
                row[q] -= factor * local_matrix_row(s, q)[c];
        }
        WAIT();
    }
}

LOCAL_FUNCTION void local_substitute(const struct local_system *s)
{
    const int m = s->m;

    for (int c = 0; c < m; c++) {
        const double known = s->x[c] * local_matrix_row(s, c)[c];
        WAIT();
        for (int r = c + LANE; r < m; r += LANES)
            s->x[r] = r == c ? known : s->x[r] - local_matrix_row(s, r)[c] * known;
        WAIT();
    }
    for (int c = m; c-- > 0;) {
        const double *row = local_matrix_row(s, c), known = s->x[c] * row[c];
        WAIT();
        for (int r = LANE; r <= c; r += LANES)
            s->x[r] = r == c ? known : s->x[r] - row[r] * known;
        WAIT();
    }
}

LOCAL_FUNCTION void local_row(const struct starfish_local_inverse *a, size_t row, double *work)
{
    const int m = a->pattern_start[row + 1] - a->pattern_start[row];
    struct local_system s = {m, work, work};
    double *result = a->result + (a->pattern_start[row] - a->pattern_start[a->first]);

    s.x = work + m * (m + 1) / 2;
    local_assemble(a, (int)row, &s);
    local_factor(&s, a->triangular ? 1e-11 : 1e-14); /* of A, or of its square */
    local_substitute(&s);
    const double scale = a->triangular && m > 0 && s.x[m - 1] > 0 ? 1 / sqrt(s.x[m - 1]) : 1;
    for (int p = LANE; p < m; p += LANES)
        result[p] = scale * s.x[p];
    WAIT();
}
