/* Problem files: the keys of separable3d and separable2d. */
#include "apps/files/problem_keys.h"

#include "apps/files/json.h"
#include "poisson/options.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static starfish_status read_coefficient(const struct starfish_problem_reader *reader, const char *key,
                                        const json_t *value, const struct starfish_problem_extent *extent,
                                        const double **data)
{
    struct starfish_values values = {.given = 0};
    STARFISH_TRY(starfish_problem_values_whole(reader, key, value, extent, &values));
    if (!values.array.data) {
        STARFISH_TRY(starfish_array_create(&values.array, STARFISH_F64, 1, extent->n));
        starfish_array_fill(&values.array, values.constant);
    }
    return starfish_problem_keep(reader->problem, &values.array, data);
}

static starfish_status read_operator(const struct starfish_problem_reader *reader, size_t d)
{
    static const char *const known[] = {"lower", "diag", "upper", "periodic", NULL};
    struct starfish_axis *axis = &reader->problem->axis[d];
    const double **const targets[] = {&axis->lower, &axis->diag, &axis->upper};
    const json_t *rows = starfish_problem_get(reader, starfish_axis_names[d]);
    const json_t *periodic = json_object_get(rows, "periodic");
    char prefix[] = {starfish_axis_names[d][0], '.', '\0'}, key[16];
    if (!rows)
        return starfish_json_fail(reader->path, starfish_axis_names[d], "missing");
    if (!json_is_object(rows))
        return starfish_json_fail(reader->path, starfish_axis_names[d], "must be an object with lower, diag and upper");
    STARFISH_TRY(starfish_json_known(reader->path, rows, prefix, known));
    if (periodic && !json_is_boolean(periodic)) {
        snprintf(key, sizeof key, "%speriodic", prefix);
        return starfish_json_fail(reader->path, key, "must be true or false");
    }
    axis->kind = STARFISH_TRIDIAGONAL;
    axis->periodic = json_is_true(periodic);
    const size_t ignored[] = {1, 0, axis->n}; /* the ends of lower and upper, which couple what is periodic */
    for (size_t i = 0; i < 3; ++i) {
        const struct starfish_problem_extent extent = {
            .rank = 1, .n = {axis->n}, .of = STARFISH_PROBLEM_WHOLE, .ignored = axis->periodic ? 0 : ignored[i]};
        snprintf(key, sizeof key, "%s%s", prefix, known[i]);
        STARFISH_TRY(read_coefficient(reader, key, json_object_get(rows, known[i]), &extent, targets[i]));
    }
    return STARFISH_SUCCESS;
}

static starfish_status read_separable3d(const struct starfish_problem_reader *reader)
{
    struct starfish_axis *x = &reader->problem->axis[0];
    x->kind = STARFISH_UNIFORM;
    x->grid = STARFISH_NODE;
    x->periodic = 1;
    x->ends[0] = x->ends[1] = STARFISH_PERIODIC;
    STARFISH_TRY(starfish_json_list(reader->path, "length", starfish_problem_get(reader, "length"), 1));
    STARFISH_TRY(starfish_problem_length(reader, 0));
    STARFISH_TRY(read_operator(reader, 1));
    return read_operator(reader, 2);
}

static starfish_status read_separable2d(const struct starfish_problem_reader *reader)
{
    STARFISH_TRY(read_operator(reader, 0));
    return read_operator(reader, 1);
}

static starfish_status fill(struct starfish_problem *problem)
{
    struct starfish_separable2d_problem *data = problem->data;
    memcpy(data->axis, problem->axis, sizeof data->axis);
    data->lambda = problem->lambda;
    return STARFISH_SUCCESS;
}

const struct starfish_problem_keys starfish_separable3d_keys = {
    "separable3d",
    3,
    read_separable3d,
    starfish_problem_fill_poisson,
    {"kind", "n", "length", "y", "z", "lambda", "rhs", "solution", "exact"}};
const struct starfish_problem_keys starfish_separable2d_keys = {
    "separable2d", 2, read_separable2d, fill, {"kind", "n", "x", "y", "lambda", "rhs", "solution", "exact"}};
