/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Arrays as stored in files (array.h): checks of shapes, memory, elements, and conversion to the precision of a
 * solve. */
#include "apps/files/array.h"

#include "base/precision.h"
#include "base/real.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

starfish_status starfish_wanted_check(const struct starfish_wanted *wanted, size_t rank, const size_t *shape)
{
    char there[STARFISH_SHAPE_TEXT], must[STARFISH_SHAPE_TEXT];
    if (!wanted || (rank == wanted->rank && memcmp(shape, wanted->shape, rank * sizeof *shape) == 0))
        return STARFISH_SUCCESS;
    return starfish_fail(STARFISH_ERROR_ARGUMENT, "%s has shape %s, must be %s%s", wanted->name,
                         starfish_shape_text(rank, shape, there),
                         starfish_shape_text(wanted->rank, wanted->shape, must), wanted->reason);
}

void starfish_wanted_part(const struct starfish_wanted *wanted, size_t rank, const size_t *shape, size_t *part)
{
    for (size_t d = 0; d < rank; ++d)
        part[d] = d == 0 && wanted && wanted->part ? wanted->count : shape[d];
}

starfish_status starfish_array_bytes(starfish_precision precision, size_t rank, const size_t *shape, size_t *bytes)
{
    size_t product = starfish_real_size(precision);
    int empty = 0, overflow = 0;
    for (size_t d = 0; d < rank; ++d) {
        empty |= shape[d] == 0;
        overflow |= !overflow && __builtin_mul_overflow(product, shape[d], &product);
    }
    if (!empty && (overflow || product > PTRDIFF_MAX)) {
        char text[STARFISH_SHAPE_TEXT];
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "an array of shape %s has more bytes than can be addressed",
                             starfish_shape_text(rank, shape, text));
    }
    *bytes = empty ? 0 : product;
    return STARFISH_SUCCESS;
}

size_t starfish_machine_bytes(void)
{
    return (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE);
}

/* Systems promise memory they do not have; what exceeds the whole machine is better refused here. */
static starfish_status allocate(size_t bytes, void **memory)
{
    const size_t alignment = 64, machine = starfish_machine_bytes();
    *memory = NULL;
    if (bytes <= machine)
        *memory = aligned_alloc(alignment, (bytes / alignment + 1) * alignment);
    STARFISH_FAIL_IF(!*memory, STARFISH_ERROR_MEMORY, "no memory for an array of %.3g GB (this machine has %.3g GB)",
                     (double)bytes / 1e9, (double)machine / 1e9);
    return STARFISH_SUCCESS;
}

/* An array that has all but its memory. */
static starfish_status describe(struct starfish_array *array, starfish_precision precision, size_t rank,
                                const size_t *shape, size_t *bytes)
{
    *array = (struct starfish_array){.data = NULL};
    STARFISH_FAIL_IF(rank > STARFISH_MAX_RANK, STARFISH_ERROR_ARGUMENT, "an array of %zu dimensions has more than %d",
                     rank, STARFISH_MAX_RANK);
    STARFISH_TRY(starfish_array_bytes(precision, rank, shape, bytes));
    array->precision = precision;
    array->rank = rank;
    for (size_t d = 0; d < rank; ++d)
        array->shape[d] = shape[d];
    return STARFISH_SUCCESS;
}

static starfish_status empty_unless(starfish_status status, struct starfish_array *array)
{
    if (status != STARFISH_SUCCESS)
        *array = (struct starfish_array){.data = NULL};
    return status;
}

starfish_status starfish_array_create(struct starfish_array *array, starfish_precision precision, size_t rank,
                                      const size_t *shape)
{
    size_t bytes = 0;
    STARFISH_TRY(describe(array, precision, rank, shape, &bytes));
    return empty_unless(allocate(bytes, &array->data), array);
}

starfish_status starfish_array_reserve(struct starfish_array *array, starfish_precision precision, size_t rank,
                                       const size_t *shape)
{
    size_t bytes = 0;
    STARFISH_TRY(describe(array, precision, rank, shape, &bytes));
    array->reserved = bytes + 1;
    array->data = mmap(NULL, array->reserved, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (array->data != MAP_FAILED)
        return STARFISH_SUCCESS;
    return empty_unless(
        starfish_fail(STARFISH_ERROR_MEMORY, "no addresses for an array of %.3g GB", (double)bytes / 1e9), array);
}

void starfish_array_free(struct starfish_array *array)
{
    if (array->reserved > 0)
        munmap(array->data, array->reserved);
    else
        free(array->data);
    *array = (struct starfish_array){.data = NULL};
}

size_t starfish_array_count(const struct starfish_array *array)
{
    size_t count = array->data != NULL;
    for (size_t d = 0; d < array->rank; ++d)
        count *= array->shape[d];
    return count;
}

double starfish_array_get(const struct starfish_array *array, size_t index)
{
    return starfish_element(array->data, array->precision, index);
}

void starfish_array_fill(struct starfish_array *array, double value)
{
    const size_t count = starfish_array_count(array);
    for (size_t i = 0; i < count; ++i)
        starfish_element_set(array->data, array->precision, i, value);
}

/* ---- Conversion -------------------------------------------------------------------------------------------------- */

/* Is a value lost in f32, beside values of magnitude `largest`? What is not finite stays so. */
static int is_lost(double value, double largest)
{
    const double size = fabs(value);
    if (!isfinite(value) || value == 0)
        return 0;
    return isinf((float)value) || (size < (double)FLT_MIN && size > largest * (double)FLT_EPSILON);
}

static starfish_status fail_lost(const char *what, double value)
{
    return starfish_fail(STARFISH_ERROR_ARGUMENT, "%s%g is %s for f32", what, value,
                         fabs(value) > 1 ? "too large" : "too small");
}

starfish_status starfish_array_check_number(starfish_precision precision, double value)
{
    return precision == STARFISH_F32 && is_lost(value, fabs(value)) ? fail_lost("", value) : STARFISH_SUCCESS;
}

static starfish_status check_narrowing(const struct starfish_array *array)
{
    const double *values = array->data;
    const size_t count = starfish_array_count(array);
    double largest = 0;
    for (size_t i = 0; i < count; ++i)
        largest = isfinite(values[i]) && fabs(values[i]) > largest ? fabs(values[i]) : largest;
    for (size_t i = 0; i < count; ++i)
        if (is_lost(values[i], largest)) {
            size_t index[STARFISH_MAX_RANK], rest = i;
            char text[STARFISH_SHAPE_TEXT], what[STARFISH_SHAPE_TEXT + 16];
            for (size_t d = array->rank; d-- > 0; rest /= array->shape[d])
                index[d] = rest % array->shape[d];
            snprintf(what, sizeof what, "element %s = ", starfish_shape_text(array->rank, index, text));
            return fail_lost(what, values[i]);
        }
    return STARFISH_SUCCESS;
}

starfish_status starfish_array_convert(struct starfish_array *array, starfish_precision precision)
{
    struct starfish_array converted;
    size_t count = starfish_array_count(array);
    if (array->precision == precision)
        return STARFISH_SUCCESS;
    if (precision == STARFISH_F32)
        STARFISH_TRY(check_narrowing(array));
    STARFISH_TRY(starfish_array_create(&converted, precision, array->rank, array->shape));
    for (size_t i = 0; i < count; ++i)
        starfish_element_set(converted.data, precision, i, starfish_element(array->data, array->precision, i));
    starfish_array_free(array);
    *array = converted;
    return STARFISH_SUCCESS;
}

size_t starfish_array_next_nonfinite(const struct starfish_array *array, size_t i)
{
    const size_t count = starfish_array_count(array);
    while (i < count && isfinite(starfish_element(array->data, array->precision, i)))
        ++i;
    return i;
}

size_t starfish_array_first_nonfinite(const struct starfish_array *array)
{
    return starfish_array_next_nonfinite(array, 0);
}

const char *starfish_shape_text(size_t rank, const size_t *shape, char text[STARFISH_SHAPE_TEXT])
{
    int length = snprintf(text, STARFISH_SHAPE_TEXT, "(");
    for (size_t d = 0; d < rank && length < STARFISH_SHAPE_TEXT; ++d)
        length += snprintf(text + length, (size_t)(STARFISH_SHAPE_TEXT - length), d ? ", %zu" : "%zu", shape[d]);
    if (length < STARFISH_SHAPE_TEXT)
        snprintf(text + length, (size_t)(STARFISH_SHAPE_TEXT - length), rank == 1 ? ",)" : ")");
    return text;
}
