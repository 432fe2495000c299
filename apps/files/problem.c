/* Problem files: what all kinds have in common; the keys of each are in problem_*.c. */
#include "apps/files/problem_keys.h"

#include "apps/files/file.h"
#include "apps/files/json.h"
#include "base/deal.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Sizes are ints in the libraries below; more unknowns than this no machine holds. */
static const size_t max_extent = INT32_MAX, max_unknowns = (size_t)1 << 40;
const char *const starfish_axis_names[] = {"x", "y", "z"};

const json_t *starfish_problem_get(const struct starfish_problem_reader *reader, const char *key)
{
    return json_object_get(reader->root, key);
}

/* ---- values and arrays ------------------------------------------------------------------------------------------- */

/* Read the array `name`, relative to `folder`, of the shape that `wanted` says. */
starfish_status starfish_problem_array(const struct starfish_problem_reader *reader, const char *key,
                                       const char *folder, const struct starfish_wanted *wanted,
                                       struct starfish_array *array)
{
    char *path;
    STARFISH_TRY(starfish_file_join(folder, wanted->name, &path));
    const starfish_status status = starfish_file_read(path, wanted, array);
    if (status == STARFISH_SUCCESS && reader->problem->inputs < STARFISH_PROBLEM_INPUTS)
        reader->problem->input[reader->problem->inputs++] = path;
    else
        free(path);
    return status == STARFISH_SUCCESS ? status : starfish_json_wrap(reader->path, key, status);
}

static starfish_status read_field(const struct starfish_problem_reader *reader, const char *key, const char *folder,
                                  const char *name, const struct starfish_problem_extent *extent,
                                  struct starfish_array *array)
{
    const struct starfish_problem *problem = reader->problem;
    struct starfish_wanted wanted = {.name = name,
                                     .rank = extent->rank,
                                     .reason = "",
                                     .part = extent->of == STARFISH_PROBLEM_PLANES,
                                     .first = problem->first_plane,
                                     .count = problem->planes,
                                     .ignored = extent->ignored};
    memcpy(wanted.shape, extent->n, extent->rank * sizeof *extent->n);
    if (!reader->only_shapes)
        return starfish_problem_array(reader, key, folder, &wanted, array);
    *array = (struct starfish_array){.rank = extent->rank};
    memcpy(array->shape, extent->n, extent->rank * sizeof *extent->n);
    return STARFISH_SUCCESS;
}

starfish_status starfish_problem_values(const struct starfish_problem_reader *reader, const char *key,
                                        const json_t *value, const struct starfish_problem_extent *extent,
                                        struct starfish_values *values)
{
    values->given = 1;
    if (json_is_string(value))
        return read_field(reader, key, reader->problem->folder, json_string_value(value), extent, &values->array);
    if (value && !json_is_number(value))
        return starfish_json_fail(reader->path, key, "must be a number or the name of a file");
    return starfish_json_number(reader->path, key, value, &values->constant);
}

starfish_status starfish_problem_values_whole(const struct starfish_problem_reader *reader, const char *key,
                                              const json_t *value, const struct starfish_problem_extent *extent,
                                              struct starfish_values *values)
{
    struct starfish_problem_reader whole = *reader;
    whole.only_shapes = 0;
    return starfish_problem_values(&whole, key, value, extent, values);
}

struct starfish_problem_extent starfish_problem_field_extent(const struct starfish_problem *problem)
{
    struct starfish_problem_extent extent = {.of = STARFISH_PROBLEM_PLANES};
    extent.rank = starfish_problem_shape(problem, extent.n);
    return extent;
}

/* Give an array to the problem, as doubles, and say where they are. */
starfish_status starfish_problem_keep(struct starfish_problem *problem, struct starfish_array *array,
                                      const double **data)
{
    struct starfish_array *kept = &problem->coefficients[problem->coefficient_count++];
    *kept = *array;
    STARFISH_TRY(starfish_array_convert(kept, STARFISH_F64));
    *data = kept->data;
    return STARFISH_SUCCESS;
}

/* ---- sizes ------------------------------------------------------------------------------------------------------- */

static starfish_status read_sizes(const struct starfish_problem_reader *reader)
{
    const json_t *list = starfish_problem_get(reader, "n");
    size_t dimensions = reader->problem->dimensions, unknowns = 1;
    reader->problem->axis[2].n = 1;
    STARFISH_TRY(starfish_json_list(reader->path, "n", list, dimensions));
    for (size_t d = 0; d < dimensions; ++d) {
        const json_t *entry = json_array_get(list, d);
        if (!json_is_integer(entry))
            return starfish_json_fail(reader->path, "n", "entry %zu must be a whole number", d + 1);
        if (json_integer_value(entry) < 1 || (size_t)json_integer_value(entry) > max_extent)
            return starfish_json_fail(reader->path, "n", "entry %zu must be from 1 to %zu, is %lld", d + 1, max_extent,
                                      (long long)json_integer_value(entry));
        reader->problem->axis[d].n = (size_t)json_integer_value(entry);
        if (__builtin_mul_overflow(unknowns, reader->problem->axis[d].n, &unknowns) || unknowns > max_unknowns)
            return starfish_json_fail(reader->path, "n", "more than %zu unknowns", max_unknowns);
    }
    return STARFISH_SUCCESS;
}

/* ---- the file ---------------------------------------------------------------------------------------------------- */

static const struct starfish_problem_keys *const kinds[] = {
    [STARFISH_POISSON3D] = &starfish_poisson3d_keys,     [STARFISH_SEPARABLE3D] = &starfish_separable3d_keys,
    [STARFISH_SEPARABLE2D] = &starfish_separable2d_keys, [STARFISH_DIFFUSION3D] = &starfish_diffusion3d_keys,
    [STARFISH_DIFFUSION2D] = &starfish_diffusion2d_keys, [STARFISH_ATMOSPHERE3D] = &starfish_atmosphere3d_keys,
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

const struct starfish_problem_keys *starfish_problem_keys_of(size_t kind)
{
    return kind < KINDS ? kinds[kind] : NULL;
}

/* "a", "b" or "c". */
static starfish_status fail_kind(const struct starfish_problem_reader *reader)
{
    char names[256];
    size_t used = 0;
    for (size_t i = 0; i < KINDS && used < sizeof names; ++i)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s\"%s\"",
                                 i == 0          ? ""
                                 : i + 1 < KINDS ? ", "
                                                 : " or ",
                                 kinds[i]->name);
    return starfish_json_fail(reader->path, "kind", "must be %s", names);
}

static starfish_status find_row(struct starfish_problem *problem, const char *name)
{
    const struct starfish_problem_row *row;
    for (size_t i = 0; (row = starfish_problem_row(i, &problem->plans)) && strcmp(row->name, name) != 0; ++i)
        ;
    problem->row = row;
    problem->data = calloc(1, problem->row->members->size);
    return problem->data ? STARFISH_SUCCESS : starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for a problem");
}

static starfish_status read_kind(const struct starfish_problem_reader *reader)
{
    const json_t *value = starfish_problem_get(reader, "kind");
    if (!value)
        return starfish_json_fail(reader->path, "kind", "missing");
    for (size_t i = 0; json_is_string(value) && i < KINDS; ++i)
        if (strcmp(json_string_value(value), kinds[i]->name) == 0) {
            reader->problem->kind = (starfish_problem_kind)i;
            reader->problem->dimensions = kinds[i]->dimensions;
            STARFISH_TRY(find_row(reader->problem, kinds[i]->name));
            return starfish_json_known(reader->path, reader->root, "", kinds[i]->known);
        }
    return fail_kind(reader);
}

static starfish_status read_fields(const struct starfish_problem_reader *reader, const char *rhs)
{
    struct starfish_problem *problem = reader->problem;
    const struct starfish_problem_extent extent = starfish_problem_field_extent(problem);
    const json_t *exact = starfish_problem_get(reader, "exact");
    if (rhs) {
        problem->rhs.given = 1;
        STARFISH_TRY(read_field(reader, "rhs", NULL, rhs, &extent, &problem->rhs.array));
    } else {
        STARFISH_TRY(
            starfish_problem_values(reader, "rhs", starfish_problem_get(reader, "rhs"), &extent, &problem->rhs));
    }
    return exact ? starfish_problem_values(reader, "exact", exact, &extent, &problem->exact) : STARFISH_SUCCESS;
}

static starfish_status read_solution(const struct starfish_problem_reader *reader)
{
    const json_t *solution = starfish_problem_get(reader, "solution");
    if (!solution)
        return STARFISH_SUCCESS;
    if (!json_is_string(solution))
        return starfish_json_fail(reader->path, "solution", "must be the name of a file");
    return starfish_file_join(reader->problem->folder, json_string_value(solution), &reader->problem->solution);
}

static void deal_planes(const struct starfish_problem_reader *reader)
{
    struct starfish_problem *problem = reader->problem;
    const struct starfish_run_of_planes run =
        starfish_deal(problem->axis[problem->dimensions - 1].n, reader->rank, reader->ranks);
    problem->first_plane = run.first;
    problem->planes = run.count;
}

static starfish_status read_problem(const struct starfish_problem_reader *reader, const char *rhs)
{
    const json_t *lambda = starfish_problem_get(reader, "lambda");
    STARFISH_TRY(read_kind(reader));
    STARFISH_TRY(read_sizes(reader));
    deal_planes(reader);
    STARFISH_TRY(kinds[reader->problem->kind]->read(reader));
    if (lambda)
        STARFISH_TRY(starfish_json_number(reader->path, "lambda", lambda, &reader->problem->lambda));
    STARFISH_TRY(read_solution(reader));
    STARFISH_TRY(read_fields(reader, rhs));
    return kinds[reader->problem->kind]->fill(reader->problem);
}

/* `reader` says what is read of it. */
static starfish_status read_file(const char *path, const char *rhs, struct starfish_problem_reader reader,
                                 struct starfish_problem *problem)
{
    json_t *root;
    *problem = (struct starfish_problem){.path = strdup(path)};
    if (!problem->path)
        return starfish_fail(STARFISH_ERROR_MEMORY, "%s: no memory for its name", path);
    STARFISH_TRY(starfish_file_folder(path, &problem->folder));
    STARFISH_TRY(starfish_json_load(path, &root));
    reader.path = problem->path;
    reader.root = root;
    reader.problem = problem;
    starfish_status status = read_problem(&reader, rhs);
    json_decref(root);
    return status;
}

starfish_status starfish_problem_read(const char *path, const char *rhs, struct starfish_problem *problem)
{
    return read_file(path, rhs, (struct starfish_problem_reader){.ranks = 1}, problem);
}

starfish_status starfish_problem_read_shapes(const char *path, const char *rhs, struct starfish_problem *problem)
{
    return read_file(path, rhs, (struct starfish_problem_reader){.only_shapes = 1, .ranks = 1}, problem);
}

starfish_status starfish_problem_read_part(const char *path, const char *rhs, int rank, int ranks,
                                           struct starfish_problem *problem)
{
    return read_file(path, rhs, (struct starfish_problem_reader){.rank = rank, .ranks = ranks}, problem);
}

void starfish_problem_free(struct starfish_problem *problem)
{
    free(problem->path);
    free(problem->folder);
    free(problem->solution);
    starfish_array_free(&problem->rhs.array);
    starfish_array_free(&problem->exact.array);
    for (size_t face = 0; face < 6; ++face)
        starfish_array_free(&problem->boundary[face / 2][face % 2].array);
    starfish_array_free(&problem->diffusion.coefficient.array);
    starfish_array_free(&problem->diffusion.regions);
    free(problem->diffusion.numbers);
    free(problem->data);
    for (size_t i = 0; i < problem->inputs; ++i)
        free(problem->input[i]);
    for (size_t i = 0; i < problem->coefficient_count; ++i)
        starfish_array_free(&problem->coefficients[i]);
    *problem = (struct starfish_problem){.path = NULL};
}

/* ---- questions --------------------------------------------------------------------------------------------------- */

const char *starfish_problem_kind_name(starfish_problem_kind kind)
{
    return kinds[kind]->name;
}

size_t starfish_problem_shape(const struct starfish_problem *problem, size_t shape[3])
{
    for (size_t d = 0; d < problem->dimensions; ++d)
        shape[problem->dimensions - 1 - d] = problem->axis[d].n;
    return problem->dimensions;
}

size_t starfish_problem_shape_here(const struct starfish_problem *problem, size_t shape[3])
{
    const size_t rank = starfish_problem_shape(problem, shape);
    shape[0] = problem->planes;
    return rank;
}

/* Unknowns of a stretched axis: nodes without the Dirichlet end, or midpoints between faces. */
static void stretched_positions(const struct starfish_axis *axis, double *position)
{
    const double *x = axis->coordinates + (axis->grid == STARFISH_NODE && axis->ends[0] == STARFISH_DIRICHLET);
    for (size_t i = 0; i < axis->n; ++i)
        position[i] = axis->grid == STARFISH_NODE ? x[i] : x[i] + 0.5 * (x[i + 1] - x[i]);
}

int starfish_problem_positions(const struct starfish_problem *problem, size_t d, double *origin, double *spacing,
                               double *position)
{
    const struct starfish_axis *axis = &problem->axis[d];
    *origin = 0;
    *spacing = 1;
    if (d >= problem->dimensions || axis->kind == STARFISH_TRIDIAGONAL)
        return 0;
    if (axis->kind == STARFISH_STRETCHED) {
        stretched_positions(axis, position);
        return 1;
    }
    int cells = axis->periodic || axis->grid == STARFISH_CELL;
    double first = axis->periodic ? 0 : axis->grid == STARFISH_CELL ? 0.5 : axis->ends[0] == STARFISH_DIRICHLET;
    size_t intervals = cells ? axis->n : axis->n + 1 - starfish_problem_count_ends(axis, STARFISH_NEUMANN);
    *spacing = axis->length / (double)intervals;
    *origin = axis->origin + first * *spacing;
    return 0;
}
