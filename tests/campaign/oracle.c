/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The dense oracle. In quadruple precision a condition of 1e24, as that of a layer of relative thickness 1e-12, leaves
 * ten digits. At most 120 unknowns: some milliseconds. */
#include "oracle.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

__extension__ typedef __float128 wide;

static wide size_of(wide x)
{
    return x < 0 ? -x : x;
}

/* ---- Directions -------------------------------------------------------------------------------------------------- */

struct line {
    size_t n;
    wide a[CAMPAIGN_LONGEST][CAMPAIGN_LONGEST];
    wide size[CAMPAIGN_LONGEST][CAMPAIGN_LONGEST]; /* of all that `a` is a sum of */
    wide weight[CAMPAIGN_LONGEST];                 /* the left null vector, where rows sum to zero */
};

static void couple(struct line *line, size_t row, long column, wide value)
{
    const size_t to = (size_t)(column + (long)line->n) % line->n;
    line->a[row][to] += value;
    line->size[row][to] += size_of(value);
}

static void fill_tridiagonal(struct line *line, const struct starfish_axis *axis)
{
    const size_t n = line->n;
    for (size_t k = 0; k < n; k++) {
        couple(line, k, (long)k, (wide)axis->diag[k]);
        if (k > 0 || axis->periodic)
            couple(line, k, (long)k - 1, (wide)axis->lower[k]);
        if (k + 1 < n || axis->periodic)
            couple(line, k, (long)k + 1, (wide)axis->upper[k]);
    }
}

/* Row k with distances to both sides and the width of its volume, and what lies beyond an end eliminated. */
static void add_row(struct line *line, const struct starfish_axis *axis, size_t k, const wide distance[2], wide width)
{
    for (int side = 0; side < 2; side++) {
        const wide off = 1 / (distance[side] * width);
        const int at_end = side == 0 ? k == 0 : k + 1 == line->n;
        const starfish_end end = axis->ends[side];
        const long beyond = side == 0 ? (long)k - 1 : (long)k + 1, opposite = side == 0 ? (long)k + 1 : (long)k - 1;
        couple(line, k, (long)k, -off);
        if (!at_end || end == STARFISH_PERIODIC)
            couple(line, k, beyond, off);
        else if (axis->grid == STARFISH_CELL)
            couple(line, k, (long)k, end == STARFISH_DIRICHLET ? -off : off);
        else if (end == STARFISH_NEUMANN && opposite >= 0 && opposite < (long)line->n)
            couple(line, k, opposite, off);
    }
}

/* One unknown on a node with one Neumann end: both ghosts are the Dirichlet end's value. */
static void fill_uniform(struct line *line, const struct starfish_axis *axis)
{
    const int dirichlet = (axis->ends[0] == STARFISH_DIRICHLET) + (axis->ends[1] == STARFISH_DIRICHLET);
    wide intervals = (wide)(double)line->n;
    if (axis->grid == STARFISH_NODE && axis->ends[0] != STARFISH_PERIODIC)
        intervals += dirichlet - 1;
    const wide h = (wide)axis->length / intervals, distance[2] = {h, h};
    for (size_t k = 0; k < line->n; k++)
        add_row(line, axis, k, distance, h);
}

static void fill_stretched(struct line *line, const struct starfish_axis *axis)
{
    const double *x = axis->coordinates;
    const size_t n = line->n;
    for (size_t k = 0; k < n; k++) {
        wide distance[2], width;
        if (axis->grid == STARFISH_CELL) {
            width = (wide)x[k + 1] - (wide)x[k];
            distance[0] = k > 0 ? ((wide)x[k + 1] - (wide)x[k - 1]) / 2 : width;
            distance[1] = k + 1 < n ? ((wide)x[k + 2] - (wide)x[k]) / 2 : width;
        } else {
            const size_t at = k + (axis->ends[0] == STARFISH_DIRICHLET);
            const int first = at == 0, last = at + 1 == axis->coordinate_count;
            distance[0] = first ? (wide)x[1] - (wide)x[0] : (wide)x[at] - (wide)x[at - 1];
            distance[1] = last ? distance[0] : (wide)x[at + 1] - (wide)x[at];
            width = (distance[0] + distance[1]) / 2;
        }
        add_row(line, axis, k, distance, width);
    }
}

/* Rounding errors in the sums of rows that count as zero. */
static void make_sums_zero(struct line *line)
{
    for (size_t k = 0; k < line->n; k++) {
        wide sum = 0;
        for (size_t j = 0; j < line->n; j++)
            sum += line->a[k][j];
        line->a[k][k] -= sum;
    }
}

/* The stationary distribution of a chain, by elimination without subtraction of diagonals (Grassmann, Taksar and
 * Heyman 1985): pivots are the sums of what is left of a row. */
static void find_weight(struct line *line)
{
    const size_t n = line->n;
    wide a[CAMPAIGN_LONGEST][CAMPAIGN_LONGEST], sum = 0;
    memcpy(a, line->a, sizeof a);
    for (size_t k = n; k-- > 1;) {
        wide pivot = 0;
        for (size_t j = 0; j < k; j++)
            pivot += a[k][j];
        for (size_t i = 0; i < k; i++) {
            a[i][k] /= pivot;
            for (size_t j = 0; j < k; j++)
                if (j != i)
                    a[i][j] += a[i][k] * a[k][j];
        }
    }
    for (size_t k = 0; k < n; k++) {
        line->weight[k] = k == 0;
        for (size_t i = 0; i < k; i++)
            line->weight[k] += line->weight[i] * a[i][k];
        sum += line->weight[k];
    }
    for (size_t k = 0; k < n; k++)
        line->weight[k] /= sum;
}

static void line_of(struct line *line, const struct starfish_axis *axis, int singular)
{
    static void (*const fill[])(struct line *, const struct starfish_axis *) = {
        [STARFISH_UNIFORM] = fill_uniform,
        [STARFISH_STRETCHED] = fill_stretched,
        [STARFISH_TRIDIAGONAL] = fill_tridiagonal,
    };
    memset(line, 0, sizeof *line);
    line->n = axis->n;
    fill[axis->kind](line, axis);
    if (!singular)
        return;
    make_sums_zero(line);
    find_weight(line);
}

/* ---- Dense systems ----------------------------------------------------------------------------------------------- */

struct system {
    size_t unknowns, rows; /* one more than unknowns where the problem is singular: the mean, and pertrb */
    wide *matrix, *lu, *size;
    size_t *order;
};

static void fill_matrix(struct system *s, const struct line line[3], wide lambda)
{
    const size_t nx = line[0].n, ny = line[1].n, n = s->unknowns;
    for (size_t r = 0; r < n; r++) {
        const size_t at[3] = {r % nx, r / nx % ny, r / nx / ny}, stride[3] = {1, nx, nx * ny};
        wide *row = s->matrix + r * s->rows;
        wide *size = s->size + r * n;
        row[r] += lambda;
        size[r] += size_of(lambda);
        for (int d = 0; d < 3; d++)
            for (size_t k = 0; k < line[d].n; k++) {
                row[r + k * stride[d] - at[d] * stride[d]] += line[d].a[at[d]][k];
                size[r + k * stride[d] - at[d] * stride[d]] += line[d].size[at[d]][k];
            }
        if (s->rows > n) {
            row[n] = 1;
            s->matrix[n * s->rows + r] = line[0].weight[at[0]] * line[1].weight[at[1]] * line[2].weight[at[2]];
        }
    }
}

/* LU with pivots chosen relative to their rows' largest entries; 0 where it is singular. */
static int factorise(struct system *s)
{
    const size_t n = s->rows;
    wide *lu = s->lu, *scale = calloc(n, sizeof *scale);
    int regular = scale != NULL;
    memcpy(lu, s->matrix, n * n * sizeof *lu);
    for (size_t i = 0; i < n && regular; i++) {
        s->order[i] = i;
        for (size_t j = 0; j < n; j++)
            scale[i] = size_of(lu[i * n + j]) > scale[i] ? size_of(lu[i * n + j]) : scale[i];
        regular = scale[i] > 0;
    }
    for (size_t k = 0; k < n && regular; k++) {
        size_t best = k;
        for (size_t i = k + 1; i < n; i++)
            if (size_of(lu[s->order[i] * n + k]) * scale[s->order[best]] >
                size_of(lu[s->order[best] * n + k]) * scale[s->order[i]])
                best = i;
        const size_t swapped = s->order[k];
        s->order[k] = s->order[best];
        s->order[best] = swapped;
        const wide *pivot = lu + s->order[k] * n;
        regular = size_of(pivot[k]) > scale[s->order[k]] * 1e-30;
        for (size_t i = k + 1; i < n && regular; i++) {
            wide *row = lu + s->order[i] * n;
            if (row[k] == 0)
                continue;
            row[k] /= pivot[k];
            for (size_t j = k + 1; j < n; j++)
                if (pivot[j] != 0)
                    row[j] -= row[k] * pivot[j];
        }
    }
    free(scale);
    return regular;
}

/* x = inverse times f, both of s->rows. */
static void solve(const struct system *s, const wide *f, wide *x)
{
    const size_t n = s->rows;
    for (size_t i = 0; i < n; i++) {
        const wide *row = s->lu + s->order[i] * n;
        x[i] = f[s->order[i]];
        for (size_t j = 0; j < i; j++)
            if (row[j] != 0)
                x[i] -= row[j] * x[j];
    }
    for (size_t i = n; i-- > 0;) {
        const wide *row = s->lu + s->order[i] * n;
        for (size_t j = i + 1; j < n; j++)
            if (row[j] != 0)
                x[i] -= row[j] * x[j];
        x[i] /= row[i];
    }
}

/* max |inverse| (|A| |x| + |f|) / max |x|, in long double, whose range and precision are enough for a bound. */
static double condition_of(const struct system *s, const double *rhs, const double *x, double largest)
{
    const size_t n = s->rows, unknowns = s->unknowns;
    long double *lu = malloc((n * n + 2 * n) * sizeof *lu), most = 0;
    if (!lu)
        return INFINITY;
    long double *const column = lu + n * n, *const sum = column + n;
    for (size_t i = 0; i < n * n; i++)
        lu[i] = (long double)s->lu[i];
    memset(sum, 0, n * sizeof *sum);
    for (size_t c = 0; c < unknowns; c++) {
        long double size = fabsl((long double)rhs[c]);
        for (size_t j = 0; j < unknowns; j++)
            size += (long double)s->size[c * unknowns + j] * fabsl((long double)x[j]);
        for (size_t i = 0; i < n; i++) {
            const long double *row = lu + s->order[i] * n;
            column[i] = s->order[i] == c;
            for (size_t j = 0; j < i; j++)
                column[i] -= row[j] * column[j];
        }
        for (size_t i = n; i-- > 0;) {
            const long double *row = lu + s->order[i] * n;
            for (size_t j = i + 1; j < n; j++)
                column[i] -= row[j] * column[j];
            column[i] /= row[i];
        }
        for (size_t i = 0; i < unknowns; i++)
            sum[i] += fabsl(column[i]) * size;
    }
    for (size_t i = 0; i < unknowns; i++)
        most = fmaxl(most, sum[i]);
    free(lu);
    return (double)(most / (long double)largest);
}

/* ---- Answers ----------------------------------------------------------------------------------------------------- */

static double rounded(starfish_precision precision, wide value)
{
    return precision == STARFISH_F32 ? (double)(float)(double)value : (double)value;
}

/* A random right-hand side, scaled until its solution is about one. */
static int fill_answer(struct campaign_answer *a, const struct system *s, const struct campaign_problem *p, wide *f,
                       wide *x)
{
    struct campaign_random random = p->rest;
    for (size_t i = 0; i < s->unknowns; i++)
        f[i] = (wide)campaign_uniform(&random, -1, 1);
    for (int turn = 0; turn < 2; turn++) {
        solve(s, f, x);
        wide largest = 0;
        for (size_t i = 0; i < s->unknowns; i++)
            largest = size_of(x[i]) > largest ? size_of(x[i]) : largest;
        if (turn == 1) {
            a->largest = (double)largest;
            break;
        }
        if (largest == 0 && s->unknowns > 1)
            return 0;
        for (size_t i = 0; i < s->unknowns; i++) {
            f[i] = (wide)rounded(p->precision, largest > 0 ? f[i] / largest : f[i]);
            a->rhs[i] = (double)f[i];
            if (!isfinite(a->rhs[i]) || (p->precision == STARFISH_F32 && fabs(a->rhs[i]) < 1e-30))
                return 0;
        }
    }
    for (size_t i = 0; i < s->unknowns; i++)
        a->solution[i] = (double)x[i];
    a->pertrb = s->rows > s->unknowns ? (double)x[s->unknowns] : 0;
    a->condition = a->largest > 0 ? condition_of(s, a->rhs, a->solution, a->largest) : 1;
    return 1;
}

int campaign_answer_create(struct campaign_answer *a, const struct campaign_problem *p, int singular)
{
    static struct line line[3];
    struct system s = {.unknowns = campaign_unknowns(p)};
    s.rows = s.unknowns + (singular ? 1 : 0);
    for (int d = 0; d < 3; d++)
        line_of(&line[d], &p->axis[d], singular);
    s.matrix = calloc(3 * s.rows * s.rows + 2 * s.rows, sizeof *s.matrix);
    s.order = calloc(s.rows, sizeof *s.order);
    *a = (struct campaign_answer){
        .count = s.unknowns, .rhs = calloc(s.unknowns, sizeof(double)), .solution = calloc(s.unknowns, sizeof(double))};
    int right = s.matrix && s.order && a->rhs && a->solution;
    if (right) {
        s.lu = s.matrix + s.rows * s.rows;
        s.size = s.lu + s.rows * s.rows;
        fill_matrix(&s, line, (wide)p->lambda);
        wide *vectors = s.size + s.rows * s.rows;
        right = factorise(&s) && fill_answer(a, &s, p, vectors, vectors + s.rows);
    }
    free(s.matrix);
    free(s.order);
    if (!right)
        campaign_answer_destroy(a);
    return right;
}

void campaign_answer_destroy(struct campaign_answer *a)
{
    free(a->rhs);
    free(a->solution);
    *a = (struct campaign_answer){.count = 0};
}
