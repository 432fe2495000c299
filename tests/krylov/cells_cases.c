/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Steps of an iteration on cells against dense matrices that are written down from the definition of a face. */
#include "tests/krylov/cells_cases.h"

#include "tests/common/reals.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct test_cells_device *tested;

enum { MOST = 128 };

/* A problem: its stored matrix, the coefficients it is made of, and the dense matrix. */
struct problem {
    size_t n[3], count;
    int periodic[3], arithmetic;
    double k[MOST], stored[4 * MOST], dense[MOST * MOST], u[MOST], f[MOST];
};

static double random_number(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / (1 << 24);
}

static double mean(const struct problem *p, double a, double b)
{
    return p->arithmetic ? 0.5 * (a + b) : 2 * a * b / (a + b);
}

static size_t cell(const struct problem *p, size_t i, size_t j, size_t k)
{
    return i + p->n[0] * (j + p->n[1] * k);
}

static void add_face(struct problem *p, int d, size_t e, size_t other)
{
    const double c = mean(p, p->k[e], p->k[other]) * (d + 1);

    p->stored[(size_t)d * p->count + e] = c;
    p->dense[e * MOST + e] += c;
    p->dense[other * MOST + other] += c;
    p->dense[e * MOST + other] -= c;
    p->dense[other * MOST + e] -= c;
}

/* Weights are 1, 2, 3; the first cells in x have a Dirichlet face, all have 0.25 more on the diagonal. */
static void make(struct problem *p, const size_t n[3], int periodic, int arithmetic)
{
    unsigned seed = (unsigned)(n[0] + 10 * n[1] + 100 * n[2]) + (unsigned)periodic;

    memset(p, 0, sizeof *p);
    p->arithmetic = arithmetic;
    for (int d = 0; d < 3; d++) {
        p->n[d] = n[d];
        p->periodic[d] = periodic >> d & 1;
    }
    p->count = n[0] * n[1] * n[2];
    assert_true(p->count <= MOST);
    for (size_t e = 0; e < p->count; e++) {
        p->k[e] = pow(100, random_number(&seed));
        p->u[e] = 2 * random_number(&seed) - 1;
        p->f[e] = 2 * random_number(&seed) - 1;
    }
    for (size_t k = 0; k < n[2]; k++)
        for (size_t j = 0; j < n[1]; j++)
            for (size_t i = 0; i < n[0]; i++) {
                const size_t e = cell(p, i, j, k), at[3] = {i, j, k};
                const double extra = 0.25 + (i == 0 && !p->periodic[0] ? 2 * p->k[e] : 0);
                for (int d = 0; d < 3; d++) {
                    size_t next[3] = {i, j, k};
                    next[d] = (at[d] + 1) % n[d];
                    if (n[d] > 1 && (next[d] > 0 || p->periodic[d]))
                        add_face(p, d, e, cell(p, next[0], next[1], next[2]));
                }
                p->stored[3 * p->count + e] = extra;
                p->dense[e * MOST + e] += extra;
            }
}

/* ---- Data on the device ------------------------------------------------------------------------------------------ */

static const void *put(starfish_precision precision, const double *values, size_t count)
{
    void *reals = malloc(count * sizeof(double));

    for (size_t i = 0; i < count; i++)
        test_real_put(reals, precision, i, values[i]);
    const void *there = tested->memory->upload(reals, count * starfish_real_size(precision));
    free(reals);
    return there;
}

static void *room(starfish_precision precision, size_t count)
{
    return tested->memory->upload(NULL, count * starfish_real_size(precision));
}

static void get(starfish_precision precision, const void *from, size_t count, double *values)
{
    void *reals = malloc(count * sizeof(double));

    tested->memory->download(reals, from, count * starfish_real_size(precision));
    for (size_t i = 0; i < count; i++)
        values[i] = test_real_get(reals, precision, i);
    free(reals);
}

static struct starfish_cells arguments_of(const struct problem *p, starfish_precision precision, int stored)
{
    struct starfish_cells a = {.matrix = {.arithmetic = p->arithmetic, .shift = 0.25},
                               .last = p->n[2],
                               .below = (ptrdiff_t)p->n[2] - 1,
                               .slots = 1};

    for (int d = 0; d < 3; d++) {
        a.matrix.n[d] = p->n[d];
        a.matrix.periodic[d] = p->periodic[d];
        a.matrix.weight[d] = p->n[d] > 1 ? d + 1 : 0;
    }
    a.matrix.end[0][0] = p->periodic[0] ? 0 : 2;
    a.matrix.stored = stored ? put(precision, p->stored, 4 * p->count) : NULL;
    a.matrix.k = stored ? NULL : put(precision, p->k, p->count);
    a.u = put(precision, p->u, p->count);
    a.f = put(precision, p->f, p->count);
    a.q = room(precision, p->count);
    a.sums = tested->memory->upload(NULL, STARFISH_SUMS * sizeof(double));
    return a;
}

static double total(const double *sums)
{
    static double values[STARFISH_SUMS];
    double sum = 0;

    get(STARFISH_F64, sums, STARFISH_SUMS, values);
    for (int i = 0; i < STARFISH_SUMS; i++)
        sum += values[i];
    return sum;
}

static const char *doing = "";

static void assert_near(starfish_precision precision, double value, double expected, double scale)
{
    if (!(fabs(value - expected) <= 200 * test_real_epsilon(precision) * scale))
        fail_msg("%s: %.17g instead of %.17g", doing, value, expected);
}

static void assert_vector(starfish_precision precision, const void *got, const double *expected, size_t count)
{
    double values[MOST], scale = 1;

    get(precision, got, count, values);
    for (size_t e = 0; e < count; e++)
        scale = fmax(scale, fabs(expected[e]));
    for (size_t e = 0; e < count; e++)
        assert_near(precision, values[e], expected[e], scale);
}

static void multiply(const struct problem *p, const double *matrix, const double *u, double *result)
{
    for (size_t e = 0; e < p->count; e++) {
        result[e] = 0;
        for (size_t o = 0; o < p->count; o++)
            result[e] += matrix[e * MOST + o] * u[o];
    }
}

static double product(size_t count, const double *u, const double *v)
{
    double sum = 0;

    for (size_t e = 0; e < count; e++)
        sum += u[e] * v[e];
    return sum;
}

/* ---- Cases ------------------------------------------------------------------------------------------------------- */

static void check_products(const struct problem *p, starfish_precision precision, int stored)
{
    doing = "products";
    struct starfish_cells a = arguments_of(p, precision, stored);
    static double expected[MOST], absolute[MOST], magnitude[MOST];
    double squares = 0;
    double scale = 1000 * (double)p->count;

    multiply(p, p->dense, p->u, expected);
    tested->cells[precision](STARFISH_CELLS_APPLY, &a);
    assert_vector(precision, a.q, expected, p->count);
    assert_near(precision, total(a.sums), product(p->count, p->u, expected), scale);
    for (size_t e = 0; e < p->count; e++) {
        absolute[e] = 0;
        magnitude[e] = fabs(p->u[e]);
        expected[e] = p->f[e] - expected[e];
    }
    tested->cells[precision](STARFISH_CELLS_RESIDUAL, &a);
    assert_vector(precision, a.q, expected, p->count);
    for (size_t e = 0; e < p->count; e++) {
        for (size_t o = 0; o < p->count; o++)
            absolute[e] += fabs(p->dense[e * MOST + o]) * magnitude[o];
        squares += absolute[e] * absolute[e];
    }
    tested->cells[precision](STARFISH_CELLS_ABSOLUTE, &a);
    assert_near(precision, total(a.sums), squares, squares);
}

/* s (I + S) (I + S)' s u with S = - s strictly lower A s; where `dropped`, of the products of two entries of S only
 * those on the diagonal. */
static void check_incomplete_poisson(const struct problem *p, starfish_precision precision, int dropped)
{
    doing = "incomplete Poisson";
    struct starfish_cells a = arguments_of(p, precision, 1);
    static double factor[MOST * MOST], inverse[MOST * MOST];
    static double s[MOST], expected[MOST];

    memset(factor, 0, sizeof factor);
    memset(inverse, 0, sizeof inverse);
    for (size_t e = 0; e < p->count; e++)
        s[e] = 1 / sqrt(p->dense[e * MOST + e]);
    for (size_t e = 0; e < p->count; e++)
        for (size_t o = 0; o <= e; o++)
            factor[e * MOST + o] = o == e ? 1 : -s[e] * p->dense[e * MOST + o] * s[o];
    for (size_t e = 0; e < p->count; e++)
        for (size_t o = 0; o < p->count; o++)
            inverse[e * MOST + o] = s[e] * s[o] *
                                    (dropped && e != o ? factor[e * MOST + o] + factor[o * MOST + e]
                                                       : product(p->count, factor + e * MOST, factor + o * MOST));
    multiply(p, inverse, p->u, expected);
    a.table = put(precision, s, p->count);
    if (dropped) {
        tested->cells[precision](STARFISH_CELLS_IP_DROPPED, &a);
    } else {
        const void *const u = a.u;
        void *const second = room(precision, p->count);
        tested->cells[precision](STARFISH_CELLS_IP_FIRST, &a);
        a.u = a.q;
        a.f = u;
        a.q = second;
        tested->cells[precision](STARFISH_CELLS_IP_SECOND, &a);
    }
    assert_vector(precision, a.q, expected, p->count);
    assert_near(precision, total(a.sums), product(p->count, p->u, expected), (double)p->count);
}

/* r = u + beta f, q = A r; with beta 0 whatever f is. */
static void check_turn(const struct problem *p, starfish_precision precision, double beta)
{
    for (int zero = 0; zero < 2; zero++) {
        struct starfish_cells a = arguments_of(p, precision, 1);
        static double direction[MOST], expected[MOST], none[MOST];
        const double factor = zero ? 0 : beta;
        for (size_t e = 0; e < p->count; e++) {
            direction[e] = p->u[e] + factor * p->f[e];
            none[e] = (double)NAN;
        }
        multiply(p, p->dense, direction, expected);
        a.f = zero ? put(precision, none, p->count) : a.f;
        a.r = room(precision, p->count);
        a.scalar = put(STARFISH_F64, &factor, 1);
        tested->cells[precision](STARFISH_CELLS_TURN, &a);
        assert_vector(precision, a.r, direction, p->count);
        assert_vector(precision, a.q, expected, p->count);
        assert_near(precision, total(a.sums), product(p->count, direction, expected), 1000 * (double)p->count);
    }
}

static void check_updates(const struct problem *p, starfish_precision precision)
{
    doing = "updates";
    struct starfish_cells a = arguments_of(p, precision, 1);
    static double x[MOST], r[MOST];
    const double alpha = 0.75;

    a.scalar = put(STARFISH_F64, &alpha, 1);
    a.factor = 2;
    a.r = (void *)(uintptr_t)put(precision, p->k, p->count);
    for (int wide = 0; wide < 2; wide++) {
        a.v = (void *)(uintptr_t)put(wide ? STARFISH_F64 : precision, p->k, p->count);
        tested->cells[precision](wide ? STARFISH_CELLS_ADVANCE_WIDE : STARFISH_CELLS_ADVANCE, &a);
        for (size_t e = 0; e < p->count; e++) {
            x[e] = p->k[e] + 2 * alpha * p->u[e];
            r[e] = p->k[e] - (wide + 1) * alpha * p->f[e];
        }
        assert_vector(precision, a.r, r, p->count);
        get(wide ? STARFISH_F64 : precision, a.v, p->count, r);
        for (size_t e = 0; e < p->count; e++)
            assert_near(precision, r[e], x[e], 100);
    }
    check_turn(p, precision, alpha);
    tested->cells[precision](STARFISH_CELLS_SUM, &a);
    for (size_t e = 0; e < p->count; e++)
        x[e] = 1;
    assert_near(precision, total(a.sums), product(p->count, p->u, x), (double)p->count);
}

/* M of blocks, (D + L) D^-1 (D + L') of each, or of lines, the matrix's part along z: M times what the kernel gives. */
static void check_runs(const struct problem *p, starfish_precision precision, size_t block)
{
    doing = "runs";
    struct starfish_blocks a = {.cells = arguments_of(p, precision, 1), .block = block};
    struct starfish_blocks host = {.cells = {.matrix = a.cells.matrix, .last = p->n[2]}, .block = block};
    static double matrix[MOST * MOST], inverse[MOST], got[MOST], back[MOST];
    const size_t plane = p->n[0] * p->n[1];

    host.cells.matrix.stored = p->stored;
    starfish_blocks_factor(&host, inverse);
    a.run1 = starfish_blocks_count(&host);
    a.cells.table = put(precision, inverse, p->count);
    tested->blocks[precision](&a);
    get(precision, a.cells.q, p->count, got);
    for (size_t e = 0; e < p->count; e++)
        for (size_t o = 0; o < p->count; o++) {
            const size_t low = e < o ? e : o;
            double sum = 0;
            /* (D + L)_em / D_m (D + L')_mo over m up to both */
            for (size_t m = 0; m <= low; m++) {
                const int joined = block > 0 ? e / block == m / block && o / block == m / block
                                             : e % plane == m % plane && o % plane == m % plane &&
                                                   (e == m || e == m + plane) && (o == m || o == m + plane);
                const double em = e == m ? 1 / inverse[e] : p->dense[e * MOST + m];
                const double mo = o == m ? 1 / inverse[o] : p->dense[m * MOST + o];
                sum += joined ? em * inverse[m] * mo : 0;
            }
            matrix[e * MOST + o] = sum;
        }
    multiply(p, matrix, got, back);
    for (size_t e = 0; e < p->count; e++)
        assert_near(precision, back[e], p->u[e], 100);
    assert_near(precision, total(a.cells.sums), product(p->count, p->u, got), (double)p->count);
}

static void kernels_are_what_they_say(void **state)
{
    static const struct {
        size_t n[3];
        int periodic;
    } cases[] = {{{1, 1, 1}, 0}, {{1, 1, 7}, 4}, {{5, 1, 7}, 0}, {{6, 1, 4}, 5},
                 {{3, 4, 5}, 0}, {{4, 3, 3}, 7}, {{5, 5, 5}, 2}, {{7, 1, 1}, 1}};
    static struct problem problem;
    (void)state;

    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++)
        for (int variant = 0; variant < 4; variant++) {
            const starfish_precision precision = variant & 1 ? STARFISH_F64 : STARFISH_F32;
            make(&problem, cases[c].n, cases[c].periodic, variant >> 1);
            check_products(&problem, precision, 0);
            check_products(&problem, precision, 1);
            check_incomplete_poisson(&problem, precision, 0);
            check_incomplete_poisson(&problem, precision, 1);
            check_updates(&problem, precision);
            for (size_t block = 1; block < 40; block += 9)
                check_runs(&problem, precision, block);
            check_runs(&problem, precision, 0);
            tested->memory->release();
        }
}

/* ---- The coarse space -------------------------------------------------------------------------------------------- */

enum { DOMAINS = 3, CHUNKS = 5 };

static const void *put_ints(const int *values, size_t count)
{
    return tested->memory->upload(values, count * sizeof *values);
}

/* Domains of 40, 0 + 30 (two chunks) and 10 cells; terms in two of the chunks. */
static void domains_are_summed(void **state)
{
    static const int cell_begin[] = {0, 40, 40, 60, 70, 80}, term_begin[] = {0, 2, 2, 3, 3, 3}, term[] = {7, 1, 5};
    static const double factor[] = {2, -1, 0.5};
    static struct problem p;
    int cells[80];
    (void)state;

    make(&p, (const size_t[]){10, 2, 4}, 0, 0);
    for (int i = 0; i < 80; i++)
        cells[i] = (i * 7) % 80;
    for (int precision = 0; precision < 2; precision++) {
        double expected[CHUNKS] = {0}, got[CHUNKS];
        struct starfish_chunk_sums a = {.chunks = CHUNKS,
                                        .cell_begin = put_ints(cell_begin, CHUNKS + 1),
                                        .cell = put_ints(cells, 80),
                                        .term_begin = put_ints(term_begin, CHUNKS + 1),
                                        .term = put_ints(term, 3),
                                        .factor = put((starfish_precision)precision, factor, 3),
                                        .r = put((starfish_precision)precision, p.u, 80),
                                        .y = put((starfish_precision)precision, p.f, 80),
                                        .sum = room(STARFISH_F64, CHUNKS),
                                        .chunk1 = CHUNKS};
        for (int c = 0; c < CHUNKS; c++) {
            for (int i = cell_begin[c]; i < cell_begin[c + 1]; i++)
                expected[c] += p.u[cells[i]];
            for (int i = term_begin[c]; i < term_begin[c + 1]; i++)
                expected[c] -= factor[i] * p.f[term[i]];
        }
        tested->chunk_sums[precision](&a);
        get(STARFISH_F64, a.sum, CHUNKS, got);
        for (int c = 0; c < CHUNKS; c++)
            assert_near((starfish_precision)precision, got[c], expected[c], 40);
    }
    tested->memory->release();
}

/* E = {{4, -1, 0}, {-1, 3, -1}, {0, -1, 5}}, and with its last domain left out. */
static void coarse_systems_are_solved(void **state)
{
    static const double dense[] = {4, -1, 0, -1, 3, -1, 0, -1, 5}, band[] = {4, -1, 3, -1, 5, 0};
    static const int chunk_begin[] = {0, 1, 3, 5}, place[] = {0, 1, 2}, left_out[] = {0, 1, -1};
    static const double sums[] = {1, 2, 0.5, -3, 1};
    static const double rhs[] = {1, 2.5, -2};
    (void)state;

    for (int variant = 0; variant < (tested->has_bands ? 4 : 2); variant++) {
        const int is_dense = variant < 2, lacks = variant & 1;
        const size_t unknowns = lacks ? 2 : 3;
        double matrix[9] = {0}, inverse[9] = {0}, got[DOMAINS];
        if (is_dense) {
            for (size_t i = 0; i < unknowns; i++)
                memcpy(inverse + i * unknowns, dense + 3 * i, unknowns * sizeof(double));
            assert_int_equal(starfish_coarse_invert(unknowns, inverse), 0);
            for (size_t i = 0; i < unknowns; i++)
                memcpy(matrix + 3 * i, inverse + i * unknowns, unknowns * sizeof(double));
        } else {
            memcpy(matrix, band, sizeof band);
            assert_int_equal(starfish_coarse_factor(unknowns, 1, matrix), 0);
        }
        struct starfish_coarse_solve a = {.domains = DOMAINS,
                                          .unknowns = unknowns,
                                          .band = 1,
                                          .form = is_dense ? STARFISH_COARSE_BY_INVERSE : STARFISH_COARSE_BY_BAND,
                                          .matrix = put(STARFISH_F64, matrix, 9),
                                          .place = put_ints(lacks ? left_out : place, DOMAINS),
                                          .parts = 1,
                                          .chunk_begin = {put_ints(chunk_begin, DOMAINS + 1)},
                                          .sum = {put(STARFISH_F64, sums, CHUNKS)},
                                          .rhs = room(STARFISH_F64, DOMAINS),
                                          .solution = room(STARFISH_F64, DOMAINS)};
        tested->coarse_solve(&a);
        get(STARFISH_F64, a.solution, DOMAINS, got);
        for (size_t i = 0; i < unknowns; i++) {
            double back = 0;
            for (size_t j = 0; j < unknowns; j++)
                back += dense[3 * i + j] * got[j];
            assert_near(STARFISH_F64, back, rhs[i], 1);
        }
        assert_true(!lacks || got[2] == 0);
    }
    tested->memory->release();
}

int test_cells_kernels(const struct test_cells_device *device)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(kernels_are_what_they_say),
                                       cmocka_unit_test(domains_are_summed),
                                       cmocka_unit_test(coarse_systems_are_solved)};

    tested = device;
    return cmocka_run_group_tests_name(device->memory->name, tests, NULL, NULL);
}
