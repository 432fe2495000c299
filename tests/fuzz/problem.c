/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzz target: problem files, beside arrays that they may name. What is read is a problem that the library can be
 * given: sizes that fit, arrays of the right shapes, finite numbers. */
#include "tests/fuzz/fuzz.h"

#include "apps/files/file.h"
#include "apps/files/problem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const target_words[] = {"\"kind\":",
                                    "\"poisson3d\"",
                                    "\"separable3d\"",
                                    "\"separable2d\"",
                                    "\"n\":",
                                    "\"length\":",
                                    "\"origin\":",
                                    "\"bc\":",
                                    "\"grid\":",
                                    "\"boundary\":",
                                    "\"lambda\":",
                                    "\"rhs\":",
                                    "\"solution\":",
                                    "\"exact\":",
                                    "\"x\":",
                                    "\"y\":",
                                    "\"z\":",
                                    "\"z0\":",
                                    "\"x1\":",
                                    "\"nodes\":",
                                    "\"faces\":",
                                    "\"lower\":",
                                    "\"diag\":",
                                    "\"upper\":",
                                    "\"periodic\"",
                                    "\"neumann\"",
                                    "\"dirichlet\"",
                                    "\"cell\"",
                                    "\"node\"",
                                    "\"uniform\"",
                                    "\"f.npy\"",
                                    "\"f.h5:/u\"",
                                    "\"z4.npy\"",
                                    "\"z5.npy\"",
                                    "\"face.npy\"",
                                    "\"line.npy\"",
                                    "null",
                                    "true",
                                    "false",
                                    "[",
                                    "]",
                                    "{",
                                    "}",
                                    ",",
                                    "[4, 3, 2]",
                                    "[2147483647, 2147483647, 2147483647]",
                                    "\\u0000",
                                    "\\n",
                                    "\xff",
                                    NULL};

/* ---- the arrays -------------------------------------------------------------------------------------------------- */

static void make_array(const char *name, size_t rank, const size_t *shape)
{
    struct starfish_array array;
    if (starfish_array_create(&array, STARFISH_F64, rank, shape) != STARFISH_SUCCESS)
        exit(2);
    double *data = array.data;
    for (size_t i = 0; i < starfish_array_count(&array); ++i)
        data[i] = (double)i;
    if (starfish_file_write(fuzz_path(name), &array) != STARFISH_SUCCESS)
        exit(2);
    starfish_array_free(&array);
}

static void make_arrays(void)
{
    static const struct {
        const char *name;
        size_t rank, shape[3];
    } arrays[] = {{"f.npy", 3, {2, 3, 4}}, {"f.h5:/u", 3, {2, 3, 4}}, {"flat.npy", 2, {3, 4}}, {"z4.npy", 1, {4}},
                  {"z5.npy", 1, {5}},      {"face.npy", 2, {3, 4}},   {"line.npy", 1, {3}},    {"none.npy", 1, {0}}};
    static int made;
    for (size_t i = 0; !made && i < sizeof arrays / sizeof arrays[0]; ++i)
        make_array(arrays[i].name, arrays[i].rank, arrays[i].shape);
    made = 1;
    fuzz_limit_memory();
}

/* ---- what must hold ---------------------------------------------------------------------------------------------- */

static int is_field(const struct starfish_values *values, size_t rank, const size_t *shape)
{
    const struct starfish_array *array = &values->array;
    if (!array->data)
        return isfinite(values->constant);
    return array->rank == rank && memcmp(array->shape, shape, rank * sizeof *shape) == 0 &&
           starfish_array_first_nonfinite(array) == starfish_array_count(array);
}

static int check_fields(const struct starfish_read_problem *problem)
{
    size_t shape[3];
    const size_t rank = starfish_problem_shape(problem, shape);
    const size_t *n = problem->n, faces[3][2] = {{n[2], n[1]}, {n[2], n[0]}, {n[1], n[0]}};
    const struct starfish_problem_row *row = problem->row;
    if (!is_field(&problem->rhs, rank, shape) || !is_field(&problem->exact, rank, shape))
        return fuzz_broken("a field of another shape, or that is not finite");
    for (size_t face = 0; face < 6; ++face)
        if (!is_field(&problem->boundary[face / 2][face % 2], rank - 1,
                      rank == 2 ? &problem->n[face < 2] : faces[face / 2]))
            return fuzz_broken("boundary data of another shape, or that are not finite");
    for (size_t m = 0; m < row->members->count; ++m)
        if (strcmp(row->members->member[m].name, "lambda") == 0 &&
            !isfinite(*(const double *)starfish_member_data(&row->members->member[m], problem->data)))
            return fuzz_broken("lambda is not finite");
    return 0;
}

static int are_finite(const double *values, size_t count)
{
    size_t i = 0;
    while (values && i < count && isfinite(values[i]))
        ++i;
    return i == count;
}

static int check_axis(const struct starfish_read_problem *problem, size_t d)
{
    const struct starfish_axis here = starfish_problem_axis(problem, d), *axis = &here;
    double origin, spacing, position[64];
    if (axis->n < 1 || axis->n > INT32_MAX)
        return fuzz_broken("axis %zu has %zu unknowns", d, axis->n);
    if (axis->kind == STARFISH_TRIDIAGONAL)
        return are_finite(axis->lower, axis->n) && are_finite(axis->diag, axis->n) && are_finite(axis->upper, axis->n)
                   ? 0
                   : fuzz_broken("axis %zu has no rows", d);
    if (!(axis->length > 0) || !isfinite(axis->length) || !isfinite(axis->origin))
        return fuzz_broken("axis %zu is %g long from %g on", d, axis->length, axis->origin);
    if (axis->kind == STARFISH_STRETCHED && !are_finite(axis->coordinates, axis->coordinate_count))
        return fuzz_broken("axis %zu has no coordinates", d);
    if (axis->n <= 64 && starfish_problem_positions(problem, d, &origin, &spacing, position) &&
        !are_finite(position, axis->n))
        return fuzz_broken("axis %zu has positions that are not finite", d);
    return 0;
}

static int check_problem(const struct starfish_read_problem *problem)
{
    int result = check_fields(problem);
    for (size_t d = 0; result == 0 && d < problem->row->dimensions; ++d)
        result = check_axis(problem, d);
    return result;
}

static int check_shapes(const char *path, starfish_status status)
{
    struct starfish_read_problem problem;
    const starfish_status other = starfish_problem_read_shapes(path, NULL, &problem);
    starfish_problem_free(&problem);
    return other == STARFISH_SUCCESS || status != STARFISH_SUCCESS
               ? 0
               : fuzz_broken("a problem whose shapes alone are refused: %s", starfish_error_message());
}

/* An axis of a hundred million unknowns, given by numbers, is valid and takes gigabytes: nothing is learnt from it.
 * Sizes that are too large in all directions are refused before. */
static int takes_gigabytes(const uint8_t *data, size_t size)
{
    static const char refused[] = "[2147483647, 2147483647, 2147483647]";
    size_t digits = 0;
    if (memmem(data, size, refused, sizeof refused - 1))
        return 0;
    for (size_t i = 0; i < size && digits < 9; ++i)
        digits = data[i] >= '0' && data[i] <= '9' ? digits + 1 : 0;
    return digits >= 9;
}

int target(const uint8_t *data, size_t size)
{
    struct starfish_read_problem problem;
    if (takes_gigabytes(data, size))
        return 0;
    make_arrays();
    const char *path = fuzz_write("p.json", data, size);
    const starfish_status status = starfish_problem_read(path, NULL, &problem);
    int result = status == STARFISH_SUCCESS ? check_problem(&problem) : fuzz_check_message(status);
    if (status != STARFISH_SUCCESS && !strstr(starfish_error_message(), "p.json"))
        result = fuzz_broken("the file is not named: %s", starfish_error_message());
    starfish_problem_free(&problem);
    return result == 0 ? check_shapes(path, status) : result;
}
