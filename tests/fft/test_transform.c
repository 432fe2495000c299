/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The CPU transforms against their definition, and the eigenvalues against the matrix they belong to. */
#include "cases.h"
#include "fft/kernels/columns_while.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static const size_t sizes[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 13, 16, 30, 31, 64, 74, 83};
enum { MOST = 83, SIZES = sizeof sizes / sizeof sizes[0] };

#define FOR_EACH_CASE(kind, n)                                                                                         \
    for (enum starfish_transform_kind kind = 0; kind < STARFISH_TRANSFORM_KINDS; kind++)                               \
        for (size_t index = 0, n = sizes[0]; index < SIZES; index++, n = sizes[index < SIZES ? index : 0])             \
            if (valid_size(kind, n))

struct fixture {
    struct starfish_transform_cpu *plan;
    enum starfish_transform_kind kind;
    size_t n;
    starfish_precision precision;
    void *workspace;
};

static struct fixture begin(enum starfish_transform_kind kind, size_t n, starfish_precision precision)
{
    struct fixture fixture = {.kind = kind, .n = n, .precision = precision};
    assert_int_equal(starfish_transform_cpu_create(&fixture.plan, kind, n, precision), STARFISH_SUCCESS);
    fixture.workspace = malloc(starfish_transform_cpu_workspace(fixture.plan));
    assert_non_null(fixture.workspace);
    return fixture;
}

static void end(struct fixture *fixture)
{
    free(fixture->workspace);
    starfish_transform_cpu_destroy(fixture->plan);
}

static void expect_close(const struct fixture *fixture, const double *got, const double *expected, const char *what)
{
    double error = relative_error(got, expected, fixture->n);
    if (error > transform_tolerance(fixture->n, fixture->precision))
        fail_msg("%s: %s n %zu f%d: error %g", what, starfish_transform_name(fixture->kind), fixture->n,
                 fixture->precision == STARFISH_F32 ? 32 : 64, error);
}

/* ---- Rows ------------------------------------------------------------------------------------------------------- */
enum { ROWS = 37 }; /* blocks of lines side by side, and a rest */

/* `tiles` ranges of n modes, the last ones of size 1. */
static void cut(struct starfish_transform_rows *rows, size_t n, int tiles)
{
    rows->tiles = tiles;
    rows->first_mode[0] = 0;
    for (int t = 1; t <= tiles; t++)
        rows->first_mode[t] = n - (size_t)(tiles - t);
}

/* Mode k of row r, where the tiles lie one behind the other in `modes`. */
static size_t mode_index(const struct starfish_transform_rows *rows, size_t r, size_t k)
{
    int t = 0;
    while (k >= rows->first_mode[t + 1])
        t++;
    size_t first = rows->first_mode[t], width = rows->first_mode[t + 1] - first;
    return ROWS * first + r * width + k - first;
}

static void check_rows(struct fixture *fixture, enum starfish_transform_direction direction, int tiles)
{
    size_t n = fixture->n, real_size = starfish_real_size(fixture->precision);
    char *space = malloc(3 * ROWS * n * real_size), *modes = space + ROWS * n * real_size;
    char *copy = modes + ROWS * n * real_size;
    struct starfish_transform_rows rows = {
        .count = ROWS, .rows = space, .scale = 0.75, .workspace = fixture->workspace};
    cut(&rows, n, tiles);
    for (int t = 0; t < tiles; t++)
        rows.tile[t] = modes + ROWS * rows.first_mode[t] * real_size;
    char *in = direction == STARFISH_FORWARD ? space : modes, *out = direction == STARFISH_FORWARD ? modes : space;
    fill_samples(in, ROWS * n, fixture->precision);
    memcpy(copy, in, ROWS * n * real_size);
    poison(out, ROWS * n, fixture->precision);

    starfish_transform_rows_cpu(fixture->plan, direction, &rows);

    assert_memory_equal(copy, in, ROWS * n * real_size);
    for (size_t r = 0; r < ROWS; r++) {
        long double source[MOST], result[MOST];
        double expected[MOST], got[MOST];
        for (size_t k = 0; k < n; k++)
            source[k] = (long double)real_at(in, direction == STARFISH_FORWARD ? r * n + k : mode_index(&rows, r, k),
                                             fixture->precision);
        starfish_transform_ref(fixture->kind, direction, n, source, result);
        for (size_t k = 0; k < n; k++) {
            expected[k] = (double)(result[k] * 0.75L);
            got[k] =
                real_at(out, direction == STARFISH_FORWARD ? mode_index(&rows, r, k) : r * n + k, fixture->precision);
        }
        expect_close(fixture, got, expected, direction == STARFISH_FORWARD ? "rows forward" : "rows backward");
    }
    free(space);
}

static void rows_follow_the_definition(void **state)
{
    (void)state;
    static const int tile_counts[] = {1, 2, 5};
    FOR_EACH_CASE(kind, n)
    for (int precision = 0; precision < 2; precision++) {
        struct fixture fixture = begin(kind, n, (starfish_precision)precision);
        for (int i = 0; i < 3; i++)
            if ((size_t)tile_counts[i] <= n) {
                check_rows(&fixture, STARFISH_FORWARD, tile_counts[i]);
                check_rows(&fixture, STARFISH_BACKWARD, tile_counts[i]);
            }
        end(&fixture);
    }
}

/* ---- Columns ---------------------------------------------------------------------------------------------------- */
static void check_columns(struct fixture *fixture, enum starfish_transform_direction direction, size_t inner,
                          size_t outer)
{
    size_t n = fixture->n, count = inner * n * outer;
    void *data = malloc(count * starfish_real_size(fixture->precision));
    fill_samples(data, count, fixture->precision);
    struct starfish_transform_columns columns = {inner, outer, data, 1.5, fixture->workspace, 0};

    starfish_transform_columns_cpu(fixture->plan, direction, &columns);

    for (size_t o = 0; o < outer; o++)
        /* Every 31st lane and the last: the oracle is what takes time. */
        for (size_t l = 0; l < inner; l = l + 31 < inner || l == inner - 1 ? l + 31 : inner - 1) {
            double expected[MOST], got[MOST];
            expected_line(fixture->kind, direction, n, l + inner * n * o, inner, 1.5, expected);
            for (size_t k = 0; k < n; k++)
                got[k] = real_at(data, l + inner * (k + n * o), fixture->precision);
            expect_close(fixture, got, expected, "columns");
        }
    free(data);
}

static void columns_follow_the_definition(void **state)
{
    (void)state;
    static const size_t inners[] = {1, 3, 17, 64, 100};
    FOR_EACH_CASE(kind, n)
    for (int precision = 0; precision < 2; precision++) {
        struct fixture fixture = begin(kind, n, (starfish_precision)precision);
        for (int i = 0; i < 5; i++)
            for (size_t outer = 1; outer <= (n <= 16 ? 3 : 1); outer += 2) {
                check_columns(&fixture, STARFISH_FORWARD, inners[i], outer);
                check_columns(&fixture, STARFISH_BACKWARD, inners[i], outer);
            }
        end(&fixture);
    }
}

/* What is fetched meanwhile changes nothing, and all of it has been asked for at the end. */
static void columns_fetch_what_comes_next(void **state)
{
    (void)state;
    enum { INNER = 100, OUTER = 3, PIECES = 5 };
    const void *piece[PIECES];
    FOR_EACH_CASE(kind, n)
    for (int precision = 0; precision < 2; precision++) {
        struct fixture fixture = begin(kind, n, (starfish_precision)precision);
        const size_t count = INNER * n * OUTER, size = starfish_real_size(fixture.precision);
        char *data = malloc(2 * count * size), *alone = data + count * size;
        fill_samples(data, count, fixture.precision);
        memcpy(alone, data, count * size);
        for (size_t p = 0; p < PIECES; p++)
            piece[p] = data + p;
        struct starfish_fetch fetch = {.piece = piece, .pieces = PIECES, .bytes = count * size};
        struct starfish_transform_columns columns = {INNER, OUTER, data, 1, fixture.workspace, 0};
        starfish_transform_columns_cpu_while(fixture.plan, STARFISH_FORWARD, &columns, &fetch);
        columns.data = alone;
        starfish_transform_columns_cpu(fixture.plan, STARFISH_FORWARD, &columns);
        assert_memory_equal(data, alone, count * size);
        if (n > 2 && kind != STARFISH_TRANSFORM_IDENTITY) /* else there are no passes */
            assert_int_equal(fetch.at_piece, PIECES);
        free(data);
        end(&fixture);
    }
}

static void backward_undoes_forward_up_to_the_scale(void **state)
{
    (void)state;
    FOR_EACH_CASE(kind, n)
    for (int precision = 0; precision < 2; precision++) {
        struct fixture fixture = begin(kind, n, (starfish_precision)precision);
        double data[MOST], got[MOST], expected[MOST];
        fill_samples(data, n, (starfish_precision)precision);
        struct starfish_transform_columns columns = {1, 1, data, 1, fixture.workspace, 0};
        starfish_transform_columns_cpu(fixture.plan, STARFISH_FORWARD, &columns);
        columns.scale = 1 / starfish_transform_scale(kind, n);
        starfish_transform_columns_cpu(fixture.plan, STARFISH_BACKWARD, &columns);
        for (size_t i = 0; i < n; i++) {
            got[i] = real_at(data, i, (starfish_precision)precision);
            expected[i] = transform_sample(i);
        }
        expect_close(&fixture, got, expected, "round trip");
        end(&fixture);
    }
}

/* ---- Eigenvalues ------------------------------------------------------------------------------------------------- */
/* What stands outside the grid at an end, by DESIGN's ghost rules with zero boundary data: `weight` times element
 * `from` counted from that end; the far end for the periodic kind. */
struct ghost {
    int weight, from;
};
static const struct ghost none = {0, 0}, mirror_node = {1, 1}, odd_cell = {-1, 0}, even_cell = {1, 0};

static const struct {
    const struct ghost *low, *high;
} ends[STARFISH_TRANSFORM_IDENTITY] = {
    [STARFISH_TRANSFORM_PERIODIC] = {NULL, NULL},
    [STARFISH_TRANSFORM_DD_NODE] = {&none, &none},
    [STARFISH_TRANSFORM_NN_NODE] = {&mirror_node, &mirror_node},
    [STARFISH_TRANSFORM_DN_NODE] = {&none, &mirror_node},
    [STARFISH_TRANSFORM_ND_NODE] = {&mirror_node, &none},
    [STARFISH_TRANSFORM_DD_CELL] = {&odd_cell, &odd_cell},
    [STARFISH_TRANSFORM_NN_CELL] = {&even_cell, &even_cell},
    [STARFISH_TRANSFORM_DN_CELL] = {&odd_cell, &even_cell},
    [STARFISH_TRANSFORM_ND_CELL] = {&even_cell, &odd_cell},
};

/* v[-1] and v[n]. */
static long double outside(enum starfish_transform_kind kind, const long double *v, size_t n, bool high)
{
    const struct ghost *ghost = high ? ends[kind].high : ends[kind].low;
    if (!ghost)
        return high ? v[0] : v[n - 1];
    size_t from = (size_t)ghost->from < n ? (size_t)ghost->from : 0;
    return ghost->weight * v[high ? n - 1 - from : from];
}

/* The columns of the backward transform are the eigenvectors. (A Neumann end of a node grid of one point has no
 * interior neighbour, so those kinds start at n = 2.) */
static void backward_columns_are_eigenvectors(void **state)
{
    (void)state;
    const double h = 0.125;
    for (enum starfish_transform_kind kind = 0; kind < STARFISH_TRANSFORM_IDENTITY; kind++)
        for (size_t n = 2; n <= 23; n++) {
            double eigenvalue[23];
            starfish_transform_eigenvalues(kind, n, h, eigenvalue);
            for (size_t m = 0; m < n; m++) {
                long double mode[23] = {0}, v[23];
                mode[m] = 1;
                starfish_transform_ref(kind, STARFISH_BACKWARD, n, mode, v);
                for (size_t i = 0; i < n; i++) {
                    long double before = i > 0 ? v[i - 1] : outside(kind, v, n, false);
                    long double after = i + 1 < n ? v[i + 1] : outside(kind, v, n, true);
                    long double image = (before - 2 * v[i] + after) / (h * h);
                    long double error = fabsl(image - (long double)eigenvalue[m] * v[i]);
                    if (error > 8 * 4 / (h * h) * 0x1p-52)
                        fail_msg("%s n %zu mode %zu row %zu: %Lg", starfish_transform_name(kind), n, m, i, error);
                }
            }
        }
}

/* Extreme modes of a fine grid, where -(2/h)^2 sin^2 must not be lost: compared with the series of sin in long
 * double. */
static void eigenvalues_are_accurate_to_the_last_digits(void **state)
{
    (void)state;
    const size_t n = 1 << 20;
    double *eigenvalue = malloc(n * sizeof *eigenvalue);
    const long double pi = 3.141592653589793238462643383279502884L;
    for (enum starfish_transform_kind kind = 0; kind < STARFISH_TRANSFORM_IDENTITY; kind++) {
        starfish_transform_eigenvalues(kind, n, 1.0, eigenvalue);
        bool constant = kind == STARFISH_TRANSFORM_PERIODIC || kind == STARFISH_TRANSFORM_NN_NODE ||
                        kind == STARFISH_TRANSFORM_NN_CELL;
        if (constant)
            assert_true(eigenvalue[0] == 0);
        else
            assert_true(eigenvalue[0] < 0);
        for (size_t i = 1; kind != STARFISH_TRANSFORM_PERIODIC && i < n; i++)
            assert_true(eigenvalue[i] < eigenvalue[i - 1]);
    }
    starfish_transform_eigenvalues(STARFISH_TRANSFORM_DD_CELL, n, 1.0, eigenvalue);
    long double half = pi / (2 * (long double)n), sine = half - half * half * half / 6;
    assert_true(fabsl((long double)eigenvalue[0] / (-4 * sine * sine) - 1) <= 1e-15L);
    assert_true(eigenvalue[n - 1] == -4);
    free(eigenvalue);
}

/* ---- Plans ------------------------------------------------------------------------------------------------------- */
struct thread_work {
    const struct starfish_transform_cpu *plan;
    size_t n;
    double *data;
};

static void *repeat_columns(void *argument)
{
    struct thread_work *work = argument;
    void *workspace = malloc(starfish_transform_cpu_workspace(work->plan));
    struct starfish_transform_columns columns = {20, 2, work->data, 1, workspace, 0};
    for (int repeat = 0; repeat < 50; repeat++) {
        fill_samples(work->data, 40 * work->n, STARFISH_F64);
        starfish_transform_columns_cpu(work->plan, STARFISH_FORWARD, &columns);
        struct starfish_transform_cpu *other;
        if (starfish_transform_cpu_create(&other, STARFISH_TRANSFORM_NN_CELL, work->n + (size_t)repeat % 3,
                                          STARFISH_F64) == STARFISH_SUCCESS)
            starfish_transform_cpu_destroy(other);
    }
    free(workspace);
    return NULL;
}

static void two_threads_may_share_a_plan(void **state)
{
    (void)state;
    enum { N = 60 };
    struct fixture fixture = begin(STARFISH_TRANSFORM_DN_NODE, N, STARFISH_F64);
    double *data = malloc(80 * N * sizeof *data);
    struct thread_work work[2] = {{fixture.plan, N, data}, {fixture.plan, N, data + 40 * N}};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, repeat_columns, &work[1]), 0);
    repeat_columns(&work[0]);
    pthread_join(thread, NULL);
    assert_memory_equal(work[0].data, work[1].data, 40 * N * sizeof *data);
    free(data);
    end(&fixture);
}

static void any_alignment_of_workspace_will_do(void **state)
{
    (void)state;
    enum { N = 32 };
    struct fixture fixture = begin(STARFISH_TRANSFORM_PERIODIC, N, STARFISH_F64);
    char *space = malloc(starfish_transform_cpu_workspace(fixture.plan) + 64);
    for (size_t offset = 0; offset < 64; offset += sizeof(double)) {
        double data[N], expected[N];
        fill_samples(data, N, STARFISH_F64);
        expected_line(STARFISH_TRANSFORM_PERIODIC, STARFISH_FORWARD, N, 0, 1, 1, expected);
        struct starfish_transform_columns columns = {1, 1, data, 1, space + offset, 0};
        starfish_transform_columns_cpu(fixture.plan, STARFISH_FORWARD, &columns);
        expect_close(&fixture, data, expected, "workspace offset");
    }
    free(space);
    end(&fixture);
}

static void invalid_sizes_are_refused(void **state)
{
    (void)state;
    struct starfish_transform_cpu *plan;
    assert_int_equal(starfish_transform_cpu_create(&plan, STARFISH_TRANSFORM_NN_NODE, 1, STARFISH_F64),
                     STARFISH_ERROR_ARGUMENT);
    assert_null(plan);
    assert_non_null(strstr(starfish_error_message(), "nn_node"));
    assert_int_equal(starfish_transform_cpu_create(&plan, STARFISH_TRANSFORM_PERIODIC, 0, STARFISH_F32),
                     STARFISH_ERROR_ARGUMENT);
    starfish_transform_cpu_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_follow_the_definition),
        cmocka_unit_test(columns_follow_the_definition),
        cmocka_unit_test(columns_fetch_what_comes_next),
        cmocka_unit_test(backward_undoes_forward_up_to_the_scale),
        cmocka_unit_test(backward_columns_are_eigenvectors),
        cmocka_unit_test(eigenvalues_are_accurate_to_the_last_digits),
        cmocka_unit_test(two_threads_may_share_a_plan),
        cmocka_unit_test(any_alignment_of_workspace_will_do),
        cmocka_unit_test(invalid_sizes_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
