/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The CUDA transforms against the CPU's, which test_transform.c checks against the definition. Exit status 77 without a
 * device. Outputs are poisoned with NaN and everything the device may write lies between guard bytes.
 * STARFISH_TEST_SMALL leaves the large sizes out. */
#include "cases.h"
#include "fft/kernels/transform.h"

#include <cuda_runtime.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const size_t small_sizes[] = {1,  2,  3,  4,  5,  7,   8,   13,  16,  31,  32,
                                     33, 57, 64, 65, 97, 100, 124, 126, 131, 142, 250};
static const size_t large_sizes[] = {511, 512, 513, 1000, 1024};
enum { SMALL = sizeof small_sizes / sizeof small_sizes[0], LARGE = sizeof large_sizes / sizeof large_sizes[0] };

static size_t size_count(void)
{
    return getenv("STARFISH_TEST_SMALL") ? SMALL : SMALL + LARGE;
}

static size_t size_at(size_t i)
{
    return i < SMALL ? small_sizes[i] : large_sizes[i - SMALL];
}

static void check_cuda(int error)
{
    if (error != 0)
        fail_msg("CUDA: %s", cudaGetErrorString((cudaError_t)error));
}

/* ---- Device memory between guards ------------------------------------------------------------------------------ */
enum { GUARD = 256, GUARD_BYTE = 0xA5, NAN_BYTE = 0xFF };

struct buffer {
    unsigned char *whole, *data;
    size_t bytes;
};

static struct buffer buffer_create(size_t bytes)
{
    struct buffer buffer = {.bytes = bytes};
    check_cuda(cudaMalloc((void **)&buffer.whole, bytes + 2 * GUARD));
    buffer.data = buffer.whole + GUARD;
    check_cuda(cudaMemset(buffer.whole, GUARD_BYTE, bytes + 2 * GUARD));
    check_cuda(cudaMemset(buffer.data, NAN_BYTE, bytes));
    return buffer;
}

static void buffer_put(const struct buffer *buffer, const void *host)
{
    check_cuda(cudaMemcpy(buffer->data, host, buffer->bytes, cudaMemcpyHostToDevice));
}

/* Copies the contents to `host` when it is not NULL, checks the guards and frees. */
static void buffer_finish(struct buffer *buffer, void *host)
{
    unsigned char guards[2][GUARD];
    if (host)
        check_cuda(cudaMemcpy(host, buffer->data, buffer->bytes, cudaMemcpyDeviceToHost));
    check_cuda(cudaMemcpy(guards[0], buffer->whole, GUARD, cudaMemcpyDeviceToHost));
    check_cuda(cudaMemcpy(guards[1], buffer->data + buffer->bytes, GUARD, cudaMemcpyDeviceToHost));
    for (int i = 0; i < GUARD; i++)
        if (guards[0][i] != GUARD_BYTE || guards[1][i] != GUARD_BYTE)
            fail_msg("written outside the array, at guard byte %d", i);
    check_cuda(cudaFree(buffer->whole));
}

/* ---- One kind and size on both devices -------------------------------------------------------------------------- */
struct fixture {
    struct starfish_transform_cpu *cpu;
    struct starfish_transform_cuda *cuda;
    enum starfish_transform_kind kind;
    size_t n;
    starfish_precision precision;
    void *workspace;
    struct buffer device_workspace;
    cudaStream_t stream;
};

static struct fixture begin(enum starfish_transform_kind kind, size_t n, size_t max_lines, starfish_precision precision)
{
    struct fixture fixture = {.kind = kind, .n = n, .precision = precision};
    assert_int_equal(starfish_transform_cpu_create(&fixture.cpu, kind, n, precision), STARFISH_SUCCESS);
    if (starfish_transform_cuda_create(&fixture.cuda, kind, n, max_lines, precision) != STARFISH_SUCCESS)
        fail_msg("%s n %zu: %s", starfish_transform_name(kind), n, starfish_error_message());
    fixture.workspace = malloc(starfish_transform_cpu_workspace(fixture.cpu));
    fixture.device_workspace = buffer_create(starfish_transform_cuda_workspace(kind, n, max_lines, precision));
    check_cuda(cudaStreamCreate(&fixture.stream));
    return fixture;
}

static void end(struct fixture *fixture)
{
    buffer_finish(&fixture->device_workspace, NULL);
    check_cuda(cudaStreamDestroy(fixture->stream));
    free(fixture->workspace);
    starfish_transform_cuda_destroy(fixture->cuda);
    starfish_transform_cpu_destroy(fixture->cpu);
}

/* Both sides err by the tolerance. */
static void expect_equal(const struct fixture *fixture, const void *got, const void *expected, size_t count,
                         const char *what)
{
    double *values = malloc(2 * count * sizeof *values);
    for (size_t i = 0; i < count; i++) {
        values[i] = real_at(got, i, fixture->precision);
        values[count + i] = real_at(expected, i, fixture->precision);
    }
    double error = relative_error(values, values + count, count);
    free(values);
    if (error > 2 * transform_tolerance(fixture->n, fixture->precision))
        fail_msg("%s: %s n %zu f%d: error %g", what, starfish_transform_name(fixture->kind), fixture->n,
                 fixture->precision == STARFISH_F32 ? 32 : 64, error);
}

/* ---- Rows ------------------------------------------------------------------------------------------------------- */
static void cut(struct starfish_transform_rows *rows, size_t n, int tiles, unsigned char *modes, size_t real_size)
{
    rows->tiles = tiles;
    for (int t = 0; t <= tiles; t++)
        rows->first_mode[t] = t == 0 ? 0 : n - (size_t)(tiles - t);
    for (int t = 0; t < tiles; t++)
        rows->tile[t] = modes + rows->count * rows->first_mode[t] * real_size;
}

static void check_rows(struct fixture *fixture, enum starfish_transform_direction direction, size_t count, int tiles)
{
    size_t n = fixture->n, real_size = starfish_real_size(fixture->precision), bytes = count * n * real_size;
    unsigned char *in = malloc(3 * bytes), *expected = in + bytes, *got = in + 2 * bytes;
    struct buffer device_in = buffer_create(bytes), device_out = buffer_create(bytes);
    bool forward = direction == STARFISH_FORWARD;
    fill_samples(in, count * n, fixture->precision);
    buffer_put(&device_in, in);
    struct starfish_transform_rows cpu = {
        .count = count, .rows = forward ? in : expected, .scale = 0.75, .workspace = fixture->workspace};
    struct starfish_transform_rows cuda = {.count = count,
                                           .rows = forward ? device_in.data : device_out.data,
                                           .scale = 0.75,
                                           .workspace = fixture->device_workspace.data};
    cut(&cpu, n, tiles, forward ? expected : in, real_size);
    cut(&cuda, n, tiles, forward ? device_out.data : device_in.data, real_size);

    starfish_transform_rows_cpu(fixture->cpu, direction, &cpu);
    check_cuda(starfish_transform_rows_cuda(fixture->cuda, direction, &cuda, fixture->stream));

    check_cuda(cudaStreamSynchronize(fixture->stream));
    buffer_finish(&device_out, got);
    expect_equal(fixture, got, expected, count * n, forward ? "rows forward" : "rows backward");
    buffer_finish(&device_in, got);
    assert_memory_equal(got, in, bytes);
    free(in);
}

/* max_lines above, at and below the batch: one padded group, one full group, several with a remainder. */
static const size_t batches[][2] = {{64, 9}, {9, 9}, {4, 9}, {1, 3}, {7, 300}};
enum { BATCHES = sizeof batches / sizeof batches[0] };

static void rows_agree_with_the_cpu(void **state)
{
    (void)state;
    static const int tile_counts[] = {1, 2, 5};
    for (enum starfish_transform_kind kind = 0; kind < STARFISH_TRANSFORM_KINDS; kind++)
        for (size_t i = 0; i < size_count(); i++)
            for (int precision = 0; valid_size(kind, size_at(i)) && precision < 2; precision++)
                for (int b = 0; b < BATCHES; b++) {
                    struct fixture fixture = begin(kind, size_at(i), batches[b][0], (starfish_precision)precision);
                    for (int t = 0; t < 3 && (size_t)tile_counts[t] <= fixture.n; t++) {
                        check_rows(&fixture, STARFISH_FORWARD, batches[b][1], tile_counts[t]);
                        check_rows(&fixture, STARFISH_BACKWARD, batches[b][1], tile_counts[t]);
                    }
                    end(&fixture);
                }
}

/* ---- Columns ---------------------------------------------------------------------------------------------------- */
static void check_columns(struct fixture *fixture, enum starfish_transform_direction direction, size_t inner,
                          size_t outer)
{
    size_t count = inner * fixture->n * outer, bytes = count * starfish_real_size(fixture->precision);
    unsigned char *expected = malloc(2 * bytes), *got = expected + bytes;
    struct buffer device = buffer_create(bytes);
    fill_samples(expected, count, fixture->precision);
    buffer_put(&device, expected);
    struct starfish_transform_columns cpu = {inner, outer, expected, 1.5, fixture->workspace, 0};
    struct starfish_transform_columns cuda = {inner, outer, device.data, 1.5, fixture->device_workspace.data, 0};

    starfish_transform_columns_cpu(fixture->cpu, direction, &cpu);
    check_cuda(starfish_transform_columns_cuda(fixture->cuda, direction, &cuda, fixture->stream));

    check_cuda(cudaStreamSynchronize(fixture->stream));
    buffer_finish(&device, got);
    expect_equal(fixture, got, expected, count, direction == STARFISH_FORWARD ? "columns forward" : "columns backward");
    free(expected);
}

static void columns_agree_with_the_cpu(void **state)
{
    (void)state;
    static const size_t inners[] = {1, 3, 17, 64, 100};
    static const size_t max_lines[] = {1000, 100, 33};
    for (enum starfish_transform_kind kind = 0; kind < STARFISH_TRANSFORM_KINDS; kind++)
        for (size_t i = 0; i < size_count(); i++)
            for (int precision = 0; valid_size(kind, size_at(i)) && precision < 2; precision++)
                for (int m = 0; m < 3; m++) {
                    struct fixture fixture = begin(kind, size_at(i), max_lines[m], (starfish_precision)precision);
                    for (int k = 0; k < 5; k++)
                        for (size_t outer = 1; outer <= 3; outer += 2) {
                            check_columns(&fixture, STARFISH_FORWARD, inners[k], outer);
                            check_columns(&fixture, STARFISH_BACKWARD, inners[k], outer);
                        }
                    end(&fixture);
                }
}

/* More lines than a group may take, of a prime length, by products and through cuFFT. */
static void a_large_batch_is_done_in_groups(void **state)
{
    (void)state;
    if (getenv("STARFISH_TEST_SMALL"))
        skip();
    static const struct {
        enum starfish_transform_kind kind;
        size_t n;
    } cases[] = {
        {STARFISH_TRANSFORM_PERIODIC, 521}, {STARFISH_TRANSFORM_NN_CELL, 521}, {STARFISH_TRANSFORM_DN_CELL, 727}};
    for (int i = 0; i < 3; i++) {
        struct fixture fixture = begin(cases[i].kind, cases[i].n, 40000, STARFISH_F64);
        check_rows(&fixture, STARFISH_FORWARD, 40000, 2);
        check_rows(&fixture, STARFISH_BACKWARD, 39999, 1);
        check_columns(&fixture, STARFISH_FORWARD, 1000, 40);
        end(&fixture);
    }
}

static void nothing_is_done_for_an_empty_batch(void **state)
{
    (void)state;
    for (enum starfish_transform_kind kind = 0; kind < STARFISH_TRANSFORM_KINDS; kind++) {
        struct fixture fixture = begin(kind, 8, 4, STARFISH_F64);
        struct starfish_transform_rows rows = {.count = 0, .tiles = 1, .first_mode = {0, 8}, .scale = 1};
        struct starfish_transform_columns columns = {0, 5, NULL, 2, NULL, 0};
        check_cuda(starfish_transform_rows_cuda(fixture.cuda, STARFISH_FORWARD, &rows, fixture.stream));
        check_cuda(starfish_transform_columns_cuda(fixture.cuda, STARFISH_FORWARD, &columns, fixture.stream));
        check_cuda(cudaStreamSynchronize(fixture.stream));
        end(&fixture);
    }
}

static void invalid_sizes_are_refused(void **state)
{
    (void)state;
    struct starfish_transform_cuda *plan;
    assert_int_equal(starfish_transform_cuda_create(&plan, STARFISH_TRANSFORM_NN_NODE, 1, 4, STARFISH_F64),
                     STARFISH_ERROR_ARGUMENT);
    assert_null(plan);
    starfish_transform_cuda_destroy(NULL);
}

int main(void)
{
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
        puts("no CUDA device");
        return 77;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_agree_with_the_cpu),         cmocka_unit_test(columns_agree_with_the_cpu),
        cmocka_unit_test(a_large_batch_is_done_in_groups), cmocka_unit_test(nothing_is_done_for_an_empty_batch),
        cmocka_unit_test(invalid_sizes_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
