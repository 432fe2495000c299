/* One row of an approximate inverse, one source for a core and for the lanes of a warp. Before it the includer defines
 *     LOCAL_FUNCTION   what functions are
 *     LANE, LANES      which of how many threads this is
 *     WAIT()           what all lanes have written is seen by all
 * The dense matrix is stored by rows; of it and of its factor only what is on and below the diagonal is there. */

struct local_system {
    size_t m;
    double *matrix, *x; /* m * m, and right-hand side and solution */
};

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

LOCAL_FUNCTION double local_coefficient(const struct starfish_local_inverse *a, int p, int q)
{
    if (a->triangular)
        return local_entry(&a->matrix, p, q);
    return a->products.start ? local_entry(&a->products, p, q) : local_product(&a->matrix, p, q);
}

LOCAL_FUNCTION void local_assemble(const struct starfish_local_inverse *a, size_t row, const struct local_system *s)
{
    const int *pattern = a->pattern_column + a->pattern_start[row];
    const size_t m = s->m;

    for (size_t at = LANE; at < m * m; at += LANES) {
        const size_t p = at / m, q = at % m;
        if (q <= p)
            s->matrix[at] = local_coefficient(a, pattern[p], pattern[q]);
    }
    for (size_t p = LANE; p < m; p += LANES)
        s->x[p] = a->triangular ? (double)(p + 1 == m) : local_entry(&a->matrix, pattern[p], (int)row);
    WAIT();
}

/* A pivot that rounding errors have eaten counts as the diagonal entry that it was made of: the entry of the inverse
 * then is small, as that of an unknown which others determine should be. */
LOCAL_FUNCTION void local_factor(const struct local_system *s)
{
    const double small = 1e-14;
    const size_t m = s->m;

    for (size_t c = 0; c < m; c++) {
        double *column = s->matrix + c;
        const double pivot = column[c * m], largest = s->matrix[0];
        const double root = sqrt(pivot > small * fabs(largest) ? pivot : fabs(largest) + (double)(largest == 0));
        WAIT();
        for (size_t r = c + LANE; r < m; r += LANES)
            column[r * m] = r == c ? root : column[r * m] / root;
        WAIT();
        for (size_t r = c + 1 + LANE; r < m; r += LANES) {
            const double factor = column[r * m];
            for (size_t q = c + 1; q <= r; q++)
                s->matrix[r * m + q] -= factor * column[q * m];
        }
        WAIT();
    }
}

LOCAL_FUNCTION void local_substitute(const struct local_system *s)
{
    const size_t m = s->m;

    for (size_t c = 0; c < m; c++) {
        const double known = s->x[c] / s->matrix[c * m + c];
        WAIT();
        for (size_t r = c + LANE; r < m; r += LANES)
            s->x[r] = r == c ? known : s->x[r] - s->matrix[r * m + c] * known;
        WAIT();
    }
    for (size_t c = m; c-- > 0;) {
        const double known = s->x[c] / s->matrix[c * m + c];
        WAIT();
        for (size_t r = LANE; r <= c; r += LANES)
            s->x[r] = r == c ? known : s->x[r] - s->matrix[c * m + r] * known;
        WAIT();
    }
}

LOCAL_FUNCTION void local_row(const struct starfish_local_inverse *a, size_t row, double *work)
{
    const size_t m = (size_t)(a->pattern_start[row + 1] - a->pattern_start[row]);
    struct local_system s = {.m = m};
    double *result = a->result + (a->pattern_start[row] - a->pattern_start[a->first]);

    s.matrix = work;
    s.x = work + m * m;
    local_assemble(a, row, &s);
    local_factor(&s);
    local_substitute(&s);
    const double scale = a->triangular && m > 0 && s.x[m - 1] > 0 ? 1 / sqrt(s.x[m - 1]) : 1;
    for (size_t p = LANE; p < m; p += LANES)
        result[p] = scale * s.x[p];
    WAIT();
}
