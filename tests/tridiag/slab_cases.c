/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Slabs of lines against dense elimination.
 *
 * The oracle is the definition: the matrix of a lane, inverted in long double by Gauss-Jordan with pivoting. Slabs are
 * tried one kernel at a time (what a slab says of its ends is a Schur complement) and joined. Bounds are a multiple of
 * eps cond(A) with the condition number that the inverse tells, of unknowns given row sums a multiple of n eps. Arrays
 * that are cut into parts have a gap of one real
 * after every part, which must stay as it was: NaN. */
#include "slab_cases.h"

#include "dense_inverse.h"
#include "tests/common/reals.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define STABILITY 4.0
enum { MOST_SLABS = 12 };
enum { RHS, HEAD, LOWER, DIAG, HEAD_OWN, HEAD_BEFORE, ARRAYS };

static double worst_error;
static unsigned seed = 20240611;

double test_slab_worst_error(void)
{
    return worst_error;
}

/* One case on one device. */
struct problem {
    const struct test_slab_case *c;
    size_t lanes, first_outer[STARFISH_SLAB_MAX_PARTS + 1];
    int slabs;
    size_t first_row[MOST_SLABS + 1];
    ptrdiff_t pinned_lane;
    double *lower, *diag, *upper, *shift_inner, *shift_outer, *weight, *f, shift; /* as kernels see them, rounded */
    double *x;                                                                    /* the result */
    double *array[ARRAYS]; /* of slab s and lane l at s * lanes + l; RHS before the reduced solve, */
    double *separators;    /* and after it */
};

/* diag[] are row sums. */
static int row_sums(const struct problem *p)
{
    return p->c->operator>= TEST_SLAB_THIN;
}

static int is_singular(const struct test_slab_case *c)
{
    return c->operator== TEST_SLAB_SINGULAR || c->operator== TEST_SLAB_THIN_SINGULAR;
}

static long double diagonal(const struct problem *p, size_t k)
{
    return (long double)p->diag[k] - (row_sums(p) ? (long double)p->lower[k] + (long double)p->upper[k] : 0);
}

/* ---- Arrange ----------------------------------------------------------------------------------------------------- */

static double rounded(starfish_precision precision, double value)
{
    return precision == STARFISH_F32 ? (double)(float)value : value;
}

static double *new_array(size_t count)
{
    double *array = calloc(count + 1, sizeof *array);

    assert_non_null(array);
    return array;
}

static double *random_array(starfish_precision precision, size_t count, double low, double high)
{
    double *array = new_array(count);

    for (size_t i = 0; i < count; i++)
        array[i] = rounded(precision, low + (high - low) * 0.5 * (test_real_random(&seed) + 1));
    return array;
}

static double coupling(const struct problem *p, int outside)
{
    return outside && !p->c->periodic ? 0 : rounded(p->c->precision, 0.55 + 0.45 * test_real_random(&seed));
}

static void set_row_sums(struct problem *p)
{
    for (size_t k = 0; k < p->c->n; k++) {
        p->lower[k] = coupling(p, k == 0);
        p->upper[k] = coupling(p, k + 1 == p->c->n);
        p->diag[k] = k % 3 == 1 && !is_singular(p->c) ? rounded(p->c->precision, -1e-3) : 0;
    }
}

static void set_operator(struct problem *p)
{
    const struct test_slab_case *c = p->c;

    if (row_sums(p)) {
        set_row_sums(p);
        return;
    }
    for (size_t k = 0; k < c->n; k++) {
        double open = !c->periodic && c->operator== TEST_SLAB_SINGULAR; /* Neumann ends */
        double diag = -2 + (open && k == 0) + (open && k + 1 == c->n);
        p->lower[k] = p->upper[k] = 1;
        p->diag[k] = diag;
        if (c->operator== TEST_SLAB_RANDOM) {
            p->lower[k] = rounded(c->precision, test_real_random(&seed));
            p->upper[k] = rounded(c->precision, test_real_random(&seed));
            p->diag[k] =
                rounded(c->precision, -(fabs(p->lower[k]) + fabs(p->upper[k]) + 0.6 + 0.4 * test_real_random(&seed)));
        }
    }
}

/* Cut 0 .. n at random into `pieces` pieces of at least `least`. */
static void cut(size_t n, int pieces, size_t least, size_t *first)
{
    size_t left = n - (size_t)pieces * least;

    first[0] = 0;
    for (int i = 0; i < pieces; i++) {
        size_t more = i + 1 == pieces ? left : (size_t)((double)(left + 1) * 0.5 * (test_real_random(&seed) + 1));
        more = more < left ? more : left;
        first[i + 1] = first[i] + least + more;
        left -= more;
    }
}

static struct problem new_problem(const struct test_slab_case *c)
{
    struct problem p = {.c = c, .lanes = c->inner * c->outer, .slabs = c->slabs > 0 ? c->slabs : 1, .pinned_lane = -1};
    double least = c->operator== TEST_SLAB_POISSON ? 1e-3 : c->operator== TEST_SLAB_THIN ? 1e-4 : 0;

    p.lower = new_array(c->n);
    p.diag = new_array(c->n);
    p.upper = new_array(c->n);
    set_operator(&p);
    p.shift = rounded(c->precision, -least);
    p.shift_inner = random_array(c->precision, c->inner, -1.5, 0);
    p.shift_outer = random_array(c->precision, c->outer, -1.5, 0);
    p.weight = c->weighted ? random_array(c->precision, c->n, 0.1, 2) : NULL;
    p.shift_inner[0] = 0;
    p.shift_outer[0] = 0;
    if (is_singular(c))
        p.pinned_lane = 0;
    p.f = random_array(c->precision, c->n * p.lanes, -1, 1);
    p.x = new_array(c->n * p.lanes);
    for (int a = 0; a < ARRAYS; a++)
        p.array[a] = new_array(MOST_SLABS * p.lanes);
    p.separators = new_array(MOST_SLABS * p.lanes);
    cut(c->n, p.slabs, 1, p.first_row);
    cut(c->outer, c->parts, 0, p.first_outer);
    return p;
}

static void delete_problem(struct problem *p)
{
    double *all[] = {p->lower, p->diag, p->upper, p->shift_inner, p->shift_outer, p->weight, p->f, p->x, p->separators};

    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    for (int a = 0; a < ARRAYS; a++)
        free(p->array[a]);
}

/* ---- Act: on a device -------------------------------------------------------------------------------------------- */

/* A problem in a device's memory. */
struct uploaded {
    const struct test_slab_device *device;
    struct problem *p;
    void *lower, *diag, *upper, *shift_inner, *shift_outer, *weight;
    void *data[MOST_SLABS], *out[MOST_SLABS], *array[ARRAYS][MOST_SLABS];
};

static void *at(void *array, const struct problem *p, size_t index)
{
    return (char *)array + index * starfish_real_size(p->c->precision);
}

static void *upload(const struct uploaded *u, const double *values, size_t count)
{
    void *reals = malloc(count * sizeof(double) + 1), *there;

    assert_non_null(reals);
    for (size_t i = 0; i < count; i++)
        test_real_put(reals, u->p->c->precision, i, values[i]);
    there = u->device->memory->upload(reals, count * starfish_real_size(u->p->c->precision));
    free(reals);
    return there;
}

static void download(const struct uploaded *u, double *values, const void *from, size_t count)
{
    void *reals = malloc(count * sizeof(double) + 1);

    assert_non_null(reals);
    u->device->memory->download(reals, from, count * starfish_real_size(u->p->c->precision));
    for (size_t i = 0; i < count; i++)
        values[i] = test_real_get(reals, u->p->c->precision, i);
    free(reals);
}

/* With a gap after every part. */
static size_t part_offset(const struct problem *p, int part)
{
    return p->c->inner * p->first_outer[part] + (size_t)part;
}

static void download_parts(const struct uploaded *u, double *values, const void *from)
{
    const struct problem *p = u->p;
    double *gapped = new_array(p->lanes + (size_t)p->c->parts);

    download(u, gapped, from, p->lanes + (size_t)p->c->parts);
    for (int part = 0; part < p->c->parts; part++) {
        size_t first = p->c->inner * p->first_outer[part], end = p->c->inner * p->first_outer[part + 1];
        for (size_t l = first; l < end; l++)
            values[l] = gapped[l + (size_t)part];
        assert_true(isnan(gapped[end + (size_t)part]));
    }
    free(gapped);
}

/* Reals between planes: with a gap after every plane in two cases of three. */
static size_t plane_of(const struct problem *p)
{
    return p->lanes + (p->c->n + (size_t)p->c->parts) % 3;
}

static void *upload_planes(const struct uploaded *u, const double *values, size_t planes)
{
    const size_t lanes = u->p->lanes, plane = plane_of(u->p);
    double *gapped = new_array(planes * plane);

    for (size_t i = 0; i < planes * plane; i++)
        gapped[i] = i % plane < lanes ? values[i / plane * lanes + i % plane] : (double)NAN;
    void *there = upload(u, gapped, planes * plane);
    free(gapped);
    return there;
}

static void download_planes(const struct uploaded *u, double *values, const void *from, size_t planes)
{
    const size_t lanes = u->p->lanes, plane = plane_of(u->p);
    double *gapped = new_array(planes * plane);

    download(u, gapped, from, planes * plane);
    for (size_t i = 0; i < planes * plane; i++) {
        if (i % plane < lanes)
            values[i / plane * lanes + i % plane] = gapped[i];
        else
            assert_true(isnan(gapped[i]));
    }
    free(gapped);
}

static struct uploaded upload_problem(const struct test_slab_device *device, struct problem *p)
{
    struct uploaded u = {.device = device, .p = p};
    size_t size = starfish_real_size(p->c->precision), gapped = p->lanes + (size_t)p->c->parts;

    u.lower = upload(&u, p->lower, p->c->n);
    u.diag = upload(&u, p->diag, p->c->n);
    u.upper = upload(&u, p->upper, p->c->n);
    /* A single shift is zero, which may be said by NULL. */
    u.shift_inner = p->c->inner > 1 ? upload(&u, p->shift_inner, p->c->inner) : NULL;
    u.shift_outer = p->c->outer > 1 ? upload(&u, p->shift_outer, p->c->outer) : NULL;
    u.weight = p->weight ? upload(&u, p->weight, p->c->n) : NULL;
    for (int s = 0; s < p->slabs; s++) {
        size_t rows = p->first_row[s + 1] - p->first_row[s];
        u.data[s] = upload_planes(&u, p->f + p->first_row[s] * p->lanes, rows);
        u.out[s] = p->c->in_place ? u.data[s] : device->memory->upload(NULL, rows * plane_of(p) * size);
        for (int a = 0; a < ARRAYS && p->c->slabs > 0; a++)
            u.array[a][s] = device->memory->upload(NULL, gapped * size);
    }
    return u;
}

static struct starfish_slab_lines lines_of(const struct uploaded *u, int s)
{
    const struct problem *p = u->p;
    struct starfish_slab_lines lines = {.rows = p->first_row[s + 1] - p->first_row[s],
                                        .lower = at(u->lower, p, p->first_row[s]),
                                        .diag = at(u->diag, p, p->first_row[s]),
                                        .upper = at(u->upper, p, p->first_row[s]),
                                        .inner = p->c->inner,
                                        .outer = p->c->outer,
                                        .plane = plane_of(p),
                                        .shift_inner = u->shift_inner,
                                        .shift_outer = u->shift_outer,
                                        .weight = u->weight ? at(u->weight, p, p->first_row[s]) : NULL,
                                        .shift = p->shift,
                                        .row_sums = row_sums(p),
                                        .parts = p->c->parts};

    memcpy(lines.first_outer, p->first_outer, sizeof lines.first_outer);
    return lines;
}

static void run_ends(const struct uploaded *u)
{
    const struct problem *p = u->p;

    for (int s = 0; s < p->slabs; s++) {
        struct starfish_slab_ends ends = {.lines = lines_of(u, s), .data = u->data[s]};
        struct starfish_slab_coefficients coefficients = {.lines = ends.lines};
        for (int part = 0; part < p->c->parts; part++) {
            size_t offset = part_offset(p, part);
            ends.rhs[part] = at(u->array[RHS][s], p, offset);
            ends.head[part] = at(u->array[HEAD][s], p, offset);
            coefficients.lower[part] = at(u->array[LOWER][s], p, offset);
            coefficients.diag[part] = at(u->array[DIAG][s], p, offset);
            coefficients.head_own[part] = at(u->array[HEAD_OWN][s], p, offset);
            coefficients.head_before[part] = at(u->array[HEAD_BEFORE][s], p, offset);
        }
        u->device->ends(p->c->precision, &ends);
        u->device->coefficients(p->c->precision, &coefficients);
        for (int a = 0; a < ARRAYS; a++)
            download_parts(u, p->array[a] + (size_t)s * p->lanes, u->array[a][s]);
    }
}

static void run_reduced(const struct uploaded *u)
{
    const struct problem *p = u->p;
    double uppers[MOST_SLABS];

    for (int s = 0; s < p->slabs; s++)
        uppers[s] = p->upper[p->first_row[s + 1] - 1];
    void *upper = upload(u, uppers, (size_t)p->slabs);
    for (int part = 0; part < p->c->parts; part++) {
        size_t offset = part_offset(p, part), first = p->c->inner * p->first_outer[part];
        size_t lanes = p->c->inner * p->first_outer[part + 1] - first;
        struct starfish_slab_reduced reduced = {.lanes = lanes,
                                                .slabs = p->slabs,
                                                .periodic = p->c->periodic,
                                                .row_sums = row_sums(p),
                                                .pinned_lane = -1,
                                                .upper = upper};
        if (lanes == 0)
            continue;
        if (p->pinned_lane >= 0 && (size_t)p->pinned_lane >= first && (size_t)p->pinned_lane < first + lanes)
            reduced.pinned_lane = p->pinned_lane - (ptrdiff_t)first;
        for (int s = 0; s < p->slabs; s++) {
            reduced.rhs[s] = at(u->array[RHS][s], p, offset);
            reduced.head[s] = at(u->array[HEAD][s], p, offset);
            reduced.lower[s] = at(u->array[LOWER][s], p, offset);
            reduced.diag[s] = at(u->array[DIAG][s], p, offset);
            reduced.head_own[s] = at(u->array[HEAD_OWN][s], p, offset);
            reduced.head_before[s] = at(u->array[HEAD_BEFORE][s], p, offset);
        }
        reduced.workspace = u->device->memory->upload(
            NULL, u->device->reduced_workspace(p->slabs, lanes, p->c->periodic, starfish_real_size(p->c->precision)));
        u->device->reduced(p->c->precision, &reduced);
    }
    for (int s = 0; s < p->slabs; s++)
        download_parts(u, p->separators + (size_t)s * p->lanes, u->array[RHS][s]);
}

static void run_solve(const struct uploaded *u)
{
    const struct problem *p = u->p;
    int whole = p->c->slabs == 0;
    size_t size = starfish_real_size(p->c->precision);

    for (int s = 0; s < p->slabs; s++) {
        struct starfish_slab_solve solve = {.lines = lines_of(u, s),
                                            .data = u->data[s],
                                            .out = u->out[s],
                                            .periodic = whole && p->c->periodic,
                                            .pinned_lane = whole ? p->pinned_lane : -1};
        int before = s > 0 ? s - 1 : p->slabs - 1, has_before = !whole && (s > 0 || p->c->periodic);
        for (int part = 0; part < p->c->parts; part++) {
            size_t offset = part_offset(p, part);
            solve.own[part] = whole ? NULL : at(u->array[RHS][s], p, offset);
            solve.before[part] = has_before ? at(u->array[RHS][before], p, offset) : NULL;
        }
        size_t bytes = u->device->solve_workspace(solve.lines.rows, p->lanes, solve.periodic, size);
        solve.workspace = bytes > 0 ? u->device->memory->upload(NULL, bytes) : NULL;
        u->device->solve(p->c->precision, &solve);
        download_planes(u, p->x + p->first_row[s] * p->lanes, u->out[s], solve.lines.rows);
    }
}

/* `p` gets the results; workspaces and arrays are released, their guards checked. */
static void run(const struct test_slab_device *device, struct problem *p)
{
    struct uploaded u = upload_problem(device, p);

    if (p->c->slabs > 0) {
        run_ends(&u);
        run_reduced(&u);
    }
    run_solve(&u);
    device->memory->release();
}

/* ---- The oracle -------------------------------------------------------------------------------------------------- */

static double lane_shift(const struct problem *p, size_t lane, size_t k)
{
    const starfish_precision precision = p->c->precision;
    const double inner = p->shift_inner[lane % p->c->inner], outer = p->shift_outer[lane / p->c->inner];

    if (p->weight)
        return p->weight[k] * inner + rounded(precision, outer + p->shift);
    return rounded(precision, rounded(precision, inner + outer) + p->shift);
}

/* Rows first .. first + rows - 1 of a lane's matrix without their outer neighbours; periodic: with both corners. */
static long double *matrix(const struct problem *p, size_t lane, size_t first, size_t rows, int periodic)
{
    long double *a = calloc(rows * rows + 1, sizeof *a);

    assert_non_null(a);
    for (size_t k = 0; k < rows; k++) {
        a[k * rows + k] += diagonal(p, first + k) + lane_shift(p, lane, first + k);
        if (k > 0 || periodic)
            a[k * rows + (k + rows - 1) % rows] += p->lower[first + k];
        if (k + 1 < rows || periodic)
            a[k * rows + (k + 1) % rows] += p->upper[first + k];
    }
    return a;
}

/* Largest sum over a row before entries of short periodic lines fall together and cancel. */
static long double row_sum(const struct problem *p, size_t lane)
{
    double largest = 0;

    for (size_t k = 0; k < p->c->n; k++)
        largest = fmax(largest,
                       fabs(p->lower[k]) + fabs((double)diagonal(p, k) + lane_shift(p, lane, k)) + fabs(p->upper[k]));
    return largest;
}

/* |value - expected| within a multiple of eps times the condition number. */
static void expect(const struct problem *p, const char *what, size_t lane, double value, long double expected,
                   long double scale, long double condition)
{
    long double bound = STABILITY * test_real_epsilon(p->c->precision) * condition * scale;
    long double error = fabsl(value - expected) / bound;

    if (!(error <= 1))
        fail_msg("%s of lane %zu is %.17g instead of %.17g, %g bounds off (n %zu, slabs %d, periodic %d, operator %d)",
                 what, lane, value, (double)expected, (double)error, p->c->n, p->c->slabs, p->c->periodic,
                 (int)p->c->operator);
    worst_error = (double)error > worst_error ? (double)error : worst_error;
}

static void check_ends(const struct problem *p, int s, size_t lane)
{
    size_t first = p->first_row[s], last = p->first_row[s + 1] - 1, inside = last - first;
    long double diag = diagonal(p, last) + lane_shift(p, lane, last), condition = 1, top = 0, bottom = 0;
    long double ends[ARRAYS] = {p->f[last * p->lanes + lane], 0, p->lower[last], diag, -1, 0};

    if (inside > 0) {
        long double *a = matrix(p, lane, first, inside, 0);
        long double size = dense_norm(a, inside), *b = dense_inverse(a, inside);
        condition = size * dense_norm(b, inside);
        for (size_t k = 0; k < inside; k++) {
            top += b[k] * p->f[(first + k) * p->lanes + lane];
            bottom += b[(inside - 1) * inside + k] * p->f[(first + k) * p->lanes + lane];
        }
        ends[RHS] -= p->lower[last] * bottom;
        ends[HEAD] = top;
        ends[LOWER] = -p->lower[last] * b[(inside - 1) * inside] * p->lower[first];
        ends[DIAG] -= p->lower[last] * b[inside * inside - 1] * p->upper[last - 1];
        ends[HEAD_OWN] = b[inside - 1] * p->upper[last - 1];
        ends[HEAD_BEFORE] = b[0] * p->lower[first];
        free(b);
        free(a);
    }
    if (row_sums(p)) {
        ends[DIAG] += ends[LOWER] + p->upper[last];
        ends[HEAD_BEFORE] += 1 + ends[HEAD_OWN];
    }
    static const char *const names[ARRAYS] = {"rhs", "head", "lower", "diag", "head_own", "head_before"};
    for (int array = 0; array < ARRAYS; array++)
        expect(p, names[array], lane, p->array[array][(size_t)s * p->lanes + lane], ends[array], 1 + fabsl(ends[array]),
               condition);
}

static void check_unknowns(const struct problem *p, size_t lane)
{
    size_t n = p->c->n;
    int pinned = p->pinned_lane >= 0 && (size_t)p->pinned_lane == lane;
    long double *a = matrix(p, lane, 0, n, p->c->periodic), scale = 0;

    for (size_t j = 0; j < n && pinned; j++)
        a[(n - 1) * n + j] = j + 1 == n;
    long double size = row_sum(p, lane), *b = dense_inverse(a, n), *x = calloc(n, sizeof *x);
    assert_non_null(x);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++)
            x[i] += b[i * n + j] * (pinned && j + 1 == n ? 0 : p->f[j * p->lanes + lane]);
        scale = fabsl(x[i]) > scale ? fabsl(x[i]) : scale;
    }
    long double condition = row_sums(p) ? 10 + (long double)n : size * dense_norm(b, n);
    for (size_t i = 0; i < n; i++)
        expect(p, "an unknown", lane, p->x[i * p->lanes + lane], x[i], scale > 0 ? scale : 1, condition);
    for (int s = 0; s < p->c->slabs; s++)
        expect(p, "a separator", lane, p->separators[(size_t)s * p->lanes + lane], x[p->first_row[s + 1] - 1],
               scale > 0 ? scale : 1, condition);
    free(x);
    free(b);
    free(a);
}

/* ---- Assert ------------------------------------------------------------------------------------------------------ */

void test_slab_check(const struct test_slab_device *device, const struct test_slab_case *c)
{
    struct problem p = new_problem(c);

    run(device, &p);
    for (size_t lane = 0; lane < p.lanes; lane++) {
        for (int s = 0; s < c->slabs; s++)
            check_ends(&p, s, lane);
        check_unknowns(&p, lane);
    }
    delete_problem(&p);
}

void test_slab_against_cpu(const struct test_slab_device *device, const struct test_slab_case *c)
{
    struct problem p = new_problem(c);
    double *x = new_array(c->n * p.lanes);

    run(device, &p);
    memcpy(x, p.x, c->n * p.lanes * sizeof *x);
    run(&test_slab_cpu, &p);
    for (size_t i = 0; i < c->n * p.lanes; i++)
        expect(&p, "an unknown beside the CPU's", i % p.lanes, x[i], p.x[i], 1 + fabs(p.x[i]), 30);
    free(x);
    delete_problem(&p);
}

void test_slab_table(const struct test_slab_device *device)
{
    static const struct {
        size_t n;
        int slabs;
    } cuts[] = {{1, 0}, {1, 1},  {2, 0},  {2, 1},  {2, 2},  {3, 3},   {3, 2},  {5, 0},  {7, 7},
                {9, 1}, {17, 0}, {16, 3}, {33, 2}, {37, 5}, {40, 11}, {48, 3}, {65, 0}, {64, 0}};
    static const struct {
        size_t inner, outer;
        int parts;
    } shapes[] = {{1, 1, 1}, {5, 3, 2}, {4, 3, 3}, {2, 7, 5}};
    int i = 0;

    for (size_t t = 0; t < sizeof cuts / sizeof *cuts; t++)
        for (int kind = 0; kind < 6 * TEST_SLAB_OPERATORS; kind++, i++) {
            struct test_slab_case c = {.precision = (starfish_precision)(kind % 2),
                                       .operator=(enum test_slab_operator)(kind / 6),
                                       .periodic = kind / 2 % 3 == 1,
                                       .weighted = kind / 2 % 3 == 2,
                                       .in_place = i % 3 == 0,
                                       .n = cuts[t].n,
                                       .slabs = cuts[t].slabs};
            size_t shape = (size_t)(i / 2 + i) % (sizeof shapes / sizeof *shapes);
            c.inner = shapes[shape].inner;
            c.outer = shapes[shape].outer;
            c.parts = shapes[shape].parts;
            test_slab_check(device, &c);
        }
}
