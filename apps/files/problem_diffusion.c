/* Problem files: the keys of diffusion3d and diffusion2d. */
#include "apps/files/problem_keys.h"

#include "apps/files/json.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static starfish_status read_axis(const struct starfish_problem_reader *reader, size_t d)
{
    struct starfish_axis *axis = &reader->problem->axis[d];
    STARFISH_TRY(starfish_problem_ends(reader, d));
    axis->kind = STARFISH_UNIFORM;
    axis->grid = STARFISH_CELL;
    return starfish_problem_length(reader, d);
}

static starfish_status read_mean(const struct starfish_problem_reader *reader)
{
    static const char *const names[] = {
        [STARFISH_MEAN_HARMONIC] = "harmonic", [STARFISH_MEAN_ARITHMETIC] = "arithmetic"};
    const json_t *value = starfish_problem_get(reader, "mean");
    reader->problem->diffusion.mean = STARFISH_MEAN_HARMONIC;
    if (!value)
        return STARFISH_SUCCESS;
    for (int i = 0; json_is_string(value) && i < 2; ++i)
        if (strcmp(json_string_value(value), names[i]) == 0) {
            reader->problem->diffusion.mean = (starfish_mean)i;
            return STARFISH_SUCCESS;
        }
    return starfish_json_fail(reader->path, "mean", "must be \"harmonic\" or \"arithmetic\"");
}

/* The number of this process's first cell. */
static size_t first_cell(const struct starfish_problem *problem)
{
    return problem->first_plane * problem->axis[0].n * (problem->dimensions == 3 ? problem->axis[1].n : 1);
}

/* A cell as people count it: "cell (3, 1)" in x and y. */
static starfish_status fail_cell(const struct starfish_problem_reader *reader, size_t cell, double value)
{
    const struct starfish_axis *axis = reader->problem->axis;
    cell += first_cell(reader->problem);
    const size_t at[3] = {cell % axis[0].n, cell / axis[0].n % axis[1].n, cell / axis[0].n / axis[1].n};
    char place[80];
    if (reader->problem->dimensions == 2)
        snprintf(place, sizeof place, "(%zu, %zu)", at[0], at[1]);
    else
        snprintf(place, sizeof place, "(%zu, %zu, %zu)", at[0], at[1], at[2]);
    return starfish_json_fail(reader->path, "coefficient", "must be positive, is %g in cell %s", value, place);
}

/* A number for all cells, or one for each. */
static starfish_status read_coefficient(const struct starfish_problem_reader *reader)
{
    struct starfish_problem *problem = reader->problem;
    struct starfish_values *values = &problem->diffusion.coefficient;
    const json_t *value = starfish_problem_get(reader, "coefficient");
    const struct starfish_problem_extent extent = starfish_problem_field_extent(problem);
    if (!value)
        return starfish_json_fail(reader->path, "coefficient", "missing");
    STARFISH_TRY(starfish_problem_values(reader, "coefficient", value, &extent, values));
    if (values->array.rank == 0)
        return values->constant > 0 ? STARFISH_SUCCESS : fail_cell(reader, 0, values->constant);
    if (!values->array.data)
        return STARFISH_SUCCESS;
    for (size_t i = 0; i < starfish_array_count(&values->array); ++i)
        if (!(starfish_array_get(&values->array, i) > 0))
            return fail_cell(reader, i, starfish_array_get(&values->array, i));
    return STARFISH_SUCCESS;
}

/* Whole numbers of any type; files are read as doubles, which are exact up to 2^53. */
static starfish_status read_regions(const struct starfish_problem_reader *reader)
{
    struct starfish_problem *problem = reader->problem;
    struct starfish_array *regions = &problem->diffusion.regions;
    const json_t *value = starfish_problem_get(reader, "regions");
    struct starfish_values values = {.given = 0};
    const struct starfish_problem_extent extent = starfish_problem_field_extent(problem);
    if (!value)
        return STARFISH_SUCCESS;
    if (!json_is_string(value))
        return starfish_json_fail(reader->path, "regions", "must be the name of a file");
    const starfish_status status = starfish_problem_values_whole(reader, "regions", value, &extent, &values);
    *regions = values.array;
    STARFISH_TRY(status);
    for (size_t i = 0; regions->data && i < starfish_array_count(regions); ++i) {
        const double number = starfish_array_get(regions, i);
        if (!(fabs(number) <= 0x1p53) || number != floor(number))
            return starfish_json_fail(reader->path, "regions", "must be whole numbers of at most 2^53, cell %zu has %g",
                                      first_cell(problem) + i, number);
    }
    return STARFISH_SUCCESS;
}

static starfish_status read_diffusion(const struct starfish_problem_reader *reader)
{
    const size_t dimensions = reader->problem->dimensions;
    STARFISH_TRY(starfish_json_list(reader->path, "length", starfish_problem_get(reader, "length"), dimensions));
    STARFISH_TRY(starfish_problem_check_bc(reader));
    for (size_t d = 0; d < dimensions; ++d)
        STARFISH_TRY(read_axis(reader, d));
    STARFISH_TRY(starfish_problem_origin(reader));
    STARFISH_TRY(starfish_problem_boundary(reader));
    STARFISH_TRY(read_mean(reader));
    STARFISH_TRY(read_coefficient(reader));
    return read_regions(reader);
}

/* In a simulation values do not matter: fields are constants. */
static starfish_status fill(struct starfish_problem *problem)
{
    struct starfish_problem_diffusion *read = &problem->diffusion;
    struct starfish_diffusion_problem *data = problem->data;
    data->dimensions = problem->dimensions;
    data->lambda = problem->lambda;
    data->mean = read->mean;
    data->constant_coefficient = read->coefficient.array.rank > 0 ? 1 : read->coefficient.constant;
    if (read->coefficient.array.data)
        STARFISH_TRY(starfish_array_convert(&read->coefficient.array, STARFISH_F64));
    data->coefficient = read->coefficient.array.data;
    for (size_t d = 0; d < 3; ++d) {
        data->n[d] = problem->axis[d].n;
        data->length[d] = problem->axis[d].length;
        memcpy(data->ends[d], problem->axis[d].ends, sizeof data->ends[d]);
    }
    if (read->regions.rank == 0)
        return STARFISH_SUCCESS;
    const size_t count = starfish_array_count(&read->regions);
    data->regions = read->numbers = calloc(count + 1, sizeof *read->numbers);
    if (!read->numbers)
        return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for regions");
    for (size_t i = 0; i < count; ++i)
        read->numbers[i] = (long long)starfish_array_get(&read->regions, i);
    return STARFISH_SUCCESS;
}

#define KEYS                                                                                                           \
    {                                                                                                                  \
        "kind", "n", "length", "origin", "bc", "boundary", "lambda", "rhs", "solution", "exact", "coefficient",        \
            "mean", "regions"                                                                                          \
    }
const struct starfish_problem_keys starfish_diffusion3d_keys = {"diffusion3d", 3, read_diffusion, fill, KEYS};
const struct starfish_problem_keys starfish_diffusion2d_keys = {"diffusion2d", 2, read_diffusion, fill, KEYS};
