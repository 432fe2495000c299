/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Host memory and fields: what is allocated, pinned and refused, and that tasks work on the user's own arrays. */
#include "scheduler/runtime/field.h"

#include "tests/common/check.h"
#include "tests/common/group.h"

#include <starfish/starfish.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static starfish_context *context;

/* ---- Memory ------------------------------------------------------------------------------------------------------ */

static void allocates_aligned_memory(void **state)
{
    (void)state;
    static const size_t sizes[] = {1, 63, 64, 65, 1000, 1 << 20};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        void *memory = NULL;
        ASSERT_OK(starfish_alloc(context, sizes[i], &memory));
        assert_non_null(memory);
        assert_int_equal((uintptr_t)memory % 64, 0);
        memset(memory, 0xff, sizes[i]);
        starfish_free(context, memory, sizes[i]);
    }
}

static void refuses_memory_it_cannot_get(void **state)
{
    (void)state;
    static const size_t sizes[] = {SIZE_MAX, SIZE_MAX - 63, SIZE_MAX - 64, SIZE_MAX / 2};
    void *memory = context;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        ASSERT_FAILS(starfish_alloc(context, sizes[i], &memory), STARFISH_ERROR_MEMORY, "out of memory");
        assert_null(memory);
    }
    ASSERT_FAILS(starfish_alloc(context, 0, &memory), STARFISH_ERROR_ARGUMENT, "bytes is 0");
    assert_null(memory);
    ASSERT_FAILS(starfish_alloc(NULL, 8, &memory), STARFISH_ERROR_ARGUMENT, "context is NULL");
    ASSERT_FAILS(starfish_alloc(context, 8, NULL), STARFISH_ERROR_ARGUMENT, "memory is NULL");
    starfish_free(context, NULL, 8);
    starfish_free(NULL, NULL, 8);
}

static void pins_and_unpins(void **state)
{
    (void)state;
    double memory[100];
    ASSERT_OK(starfish_pin(context, memory, sizeof memory));
    ASSERT_OK(starfish_unpin(context, memory, sizeof memory));
    ASSERT_FAILS(starfish_pin(NULL, memory, 8), STARFISH_ERROR_ARGUMENT, "context is NULL");
    ASSERT_FAILS(starfish_pin(context, NULL, 8), STARFISH_ERROR_ARGUMENT, "memory is NULL");
    ASSERT_FAILS(starfish_unpin(NULL, memory, 8), STARFISH_ERROR_ARGUMENT, "context is NULL");
    ASSERT_FAILS(starfish_unpin(context, NULL, 8), STARFISH_ERROR_ARGUMENT, "memory is NULL");
}

static void host_memory_is_in_main_memory(void **state)
{
    (void)state;
    int node = -1;
    enum starfish_residence residence = STARFISH_RESIDENCES;
    double here;
    ASSERT_OK(starfish_memory_place(context, "here", &here, &node, &residence));
    assert_int_equal(node, STARPU_MAIN_RAM);
    assert_int_equal(residence, STARFISH_PAGEABLE);
}

/* ---- Fields ------------------------------------------------------------------------------------------------------ */

static void cuts_evenly(void **state)
{
    (void)state;
    enum { MOST = 64 };
    size_t first[MOST + 1];
    for (size_t n = 1; n < 100; n++)
        for (size_t parts = 1; parts <= MOST && parts <= n; parts++) {
            starfish_divide(n, parts, first);
            assert_int_equal(first[0], 0);
            assert_int_equal(first[parts], n);
            for (size_t p = 0; p < parts; p++) {
                const size_t length = first[p + 1] - first[p];
                assert_true(length == n / parts || length == n / parts + 1);
            }
        }
    starfish_divide(SIZE_MAX, 7, first); /* no overflow on the way */
    assert_true(first[7] == SIZE_MAX && first[6] < first[7]);
}

static void refuses_bad_fields(void **state)
{
    (void)state;
    const struct {
        size_t n[3], slabs;
        int precision;
        const char *part;
    } cases[] = {
        {{0, 4, 4}, 1, STARFISH_F64, "n[0] is 0"},
        {{4, 0, 4}, 1, STARFISH_F64, "n[1] is 0"},
        {{4, 4, 0}, 1, STARFISH_F64, "n[2] is 0"},
        {{4, 4, 4}, 0, STARFISH_F64, "slabs is 0, not in 1..4"},
        {{4, 4, 4}, 5, STARFISH_F64, "slabs is 5, not in 1..4"},
        {{4, 4, 400}, 65, STARFISH_F64, "slabs is 65, not in 1..64"},
        {{4, 4, 400}, SIZE_MAX, STARFISH_F64, "slabs"},
        {{4, 4, 4}, 1, 2, "precision"},
        {{4, 4, 4}, 1, -1, "precision"},
        {{SIZE_MAX, 1, 1}, 1, STARFISH_F32, "n[0]"},
        {{1, 1, SIZE_MAX}, 1, STARFISH_F32, "n[2]"},
        {{1u << 31, 1u << 31, 1u << 31}, 1, STARFISH_F32, "overflows"},
        {{1u << 20, 1u << 20, 1u << 21}, 1, STARFISH_F64, "overflows"},
        {{1u << 16, 1u << 16, 1}, 1, STARFISH_F64, "overflows"},
    };
    double memory;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (int own = 0; own < 2; own++) {
            starfish_field *field = (starfish_field *)&memory;
            ASSERT_FAILS(starfish_field_create(context, (starfish_precision)cases[i].precision, cases[i].n,
                                               cases[i].slabs, own ? NULL : &memory, &field),
                         STARFISH_ERROR_ARGUMENT, cases[i].part);
        }
    const size_t n[3] = {1, 1, 1}, huge[3] = {1u << 15, 1u << 15, 1u << 30};
    starfish_field *field;
    void *pointer;
    ASSERT_FAILS(starfish_field_create(NULL, STARFISH_F64, n, 1, &memory, &field), STARFISH_ERROR_ARGUMENT, "NULL");
    ASSERT_FAILS(starfish_field_create(context, STARFISH_F64, NULL, 1, &memory, &field), STARFISH_ERROR_ARGUMENT,
                 "NULL");
    ASSERT_FAILS(starfish_field_create(context, STARFISH_F64, n, 1, &memory, NULL), STARFISH_ERROR_ARGUMENT, "NULL");
    ASSERT_FAILS(starfish_field_create(context, STARFISH_F64, huge, 1, NULL, &field), STARFISH_ERROR_MEMORY,
                 "out of memory");
    assert_null(field);
    ASSERT_FAILS(starfish_field_acquire(NULL, &pointer), STARFISH_ERROR_ARGUMENT, "NULL");
    ASSERT_FAILS(starfish_field_release(NULL), STARFISH_ERROR_ARGUMENT, "NULL");
    starfish_field_destroy(NULL);
    ASSERT_OK(starfish_field_create(context, STARFISH_F64, n, 1, &memory, &field));
    ASSERT_FAILS(starfish_field_acquire(field, NULL), STARFISH_ERROR_ARGUMENT, "NULL");
    starfish_field_destroy(field);
}

static void multiply(void *buffers[], void *argument)
{
    const unsigned nx = STARPU_BLOCK_GET_NX(buffers[0]), ny = STARPU_BLOCK_GET_NY(buffers[0]),
                   nz = STARPU_BLOCK_GET_NZ(buffers[0]);
    float *slab = (float *)STARPU_BLOCK_GET_PTR(buffers[0]);
    (void)argument;
    for (size_t e = 0; e < (size_t)nx * ny * nz; e++)
        slab[e] *= 10;
}

static struct starpu_codelet multiply_codelet = {
    .cpu_funcs = {multiply}, .nbuffers = 1, .modes = {STARPU_RW}, .name = "multiply"};

/* The memory is the user's: what tasks do to it is seen there, and what the user writes, the tasks see. */
static void fields_lie_on_the_users_memory(void **state)
{
    (void)state;
    enum { NX = 3, NY = 5, NZ = 7, COUNT = NX * NY * NZ };
    const size_t n[3] = {NX, NY, NZ};
    for (size_t slabs = 1; slabs <= NZ; slabs++) {
        float memory[COUNT + 1];
        void *seen;
        starfish_field *field;
        for (int e = 0; e < COUNT + 1; e++)
            memory[e] = (float)e;
        ASSERT_OK(starfish_field_create(context, STARFISH_F32, n, slabs, memory, &field));
        for (int round = 0; round < 2; round++) {
            for (size_t s = 0; s < slabs; s++)
                assert_int_equal(starpu_task_insert(&multiply_codelet, STARPU_RW, field->handle[s], 0), 0);
            ASSERT_OK(starfish_field_acquire(field, &seen));
            assert_ptr_equal(seen, memory);
            memory[2] += 1;
            ASSERT_OK(starfish_field_release(field));
        }
        starfish_field_destroy(field);
        for (int e = 0; e < COUNT; e++)
            assert_true(memory[e] == (float)(100 * e + (e == 2 ? 11 : 0)));
        assert_true(memory[COUNT] == COUNT);
    }
}

static void fields_without_memory_have_their_own(void **state)
{
    (void)state;
    const size_t n[3] = {2, 3, 4};
    starfish_field *field;
    void *memory = NULL;
    ASSERT_OK(starfish_field_create(context, STARFISH_F64, n, 2, NULL, &field));
    ASSERT_OK(starfish_field_acquire(field, &memory));
    assert_non_null(memory);
    assert_int_equal((uintptr_t)memory % 64, 0);
    memset(memory, 0, 24 * sizeof(double));
    ASSERT_OK(starfish_field_release(field));
    starfish_field_destroy(field);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(allocates_aligned_memory),
        cmocka_unit_test(refuses_memory_it_cannot_get),
        cmocka_unit_test(pins_and_unpins),
        cmocka_unit_test(host_memory_is_in_main_memory),
        cmocka_unit_test(cuts_evenly),
        cmocka_unit_test(refuses_bad_fields),
        cmocka_unit_test(fields_lie_on_the_users_memory),
        cmocka_unit_test(fields_without_memory_have_their_own),
    };
    return TEST_GROUP("memory", tests, &context, 0, -1, 0);
}
