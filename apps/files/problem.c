/* Problem files: a table of kinds, each with its keys and the function that reads its axes. */
#include "apps/files/problem.h"

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
static const char *const axis_names[] = {"x", "y", "z"};

struct reader {
    const char *path;
    const json_t *root;
    struct starfish_problem *problem;
    int only_shapes;
    int rank, ranks;
};

static const json_t *get(const struct reader *reader, const char *key)
{
    return json_object_get(reader->root, key);
}

/* ---- values and arrays ------------------------------------------------------------------------------------------- */

/* Read the array `name`, relative to `folder`, of the shape that `wanted` says. */
static starfish_status read_array(const struct reader *reader, const char *key, const char *folder,
                                  const struct starfish_wanted *wanted, struct starfish_array *array)
{
    char *path;
    STARFISH_TRY(starfish_file_join(folder, wanted->name, &path));
    const starfish_status status = starfish_file_read(path, wanted, array);
    free(path);
    return status == STARFISH_SUCCESS ? status : starfish_json_wrap(reader->path, key, status);
}

/* An array's shape, and what is read of it: all, or this process's planes. */
struct shape {
    size_t rank, extent[3];
    enum { WHOLE, PLANES } of;
};

static starfish_status read_field(const struct reader *reader, const char *key, const char *folder, const char *name,
                                  const struct shape *wanted_shape, struct starfish_array *array)
{
    const struct starfish_problem *problem = reader->problem;
    const size_t rank = wanted_shape->rank, *shape = wanted_shape->extent;
    struct starfish_wanted wanted = {.name = name,
                                     .rank = rank,
                                     .reason = "",
                                     .part = wanted_shape->of == PLANES,
                                     .first = problem->first_plane,
                                     .count = problem->planes};
    memcpy(wanted.shape, shape, rank * sizeof *shape);
    if (!reader->only_shapes)
        return read_array(reader, key, folder, &wanted, array);
    *array = (struct starfish_array){.rank = rank};
    memcpy(array->shape, shape, rank * sizeof *shape);
    return STARFISH_SUCCESS;
}

/* A number, or the name of an array of that shape. */
static starfish_status read_values(const struct reader *reader, const char *key, const json_t *value,
                                   const struct shape *shape, struct starfish_values *values)
{
    values->given = 1;
    if (json_is_string(value))
        return read_field(reader, key, reader->problem->folder, json_string_value(value), shape, &values->array);
    if (value && !json_is_number(value))
        return starfish_json_fail(reader->path, key, "must be a number or the name of a file");
    return starfish_json_number(reader->path, key, value, &values->constant);
}

/* Give an array to the problem, as doubles, and say where they are. */
static starfish_status keep(struct starfish_problem *problem, struct starfish_array *array, const double **data)
{
    struct starfish_array *kept = &problem->coefficients[problem->coefficient_count++];
    *kept = *array;
    STARFISH_TRY(starfish_array_convert(kept, STARFISH_F64));
    *data = kept->data;
    return STARFISH_SUCCESS;
}

/* ---- sizes, lengths ---------------------------------------------------------------------------------------------- */

static starfish_status read_sizes(const struct reader *reader)
{
    const json_t *list = get(reader, "n");
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

/* Entry d of a list that has been checked by starfish_json_list. */
static starfish_status read_length(const struct reader *reader, size_t d)
{
    struct starfish_axis *axis = &reader->problem->axis[d];
    STARFISH_TRY(starfish_json_number(reader->path, "length", json_array_get(get(reader, "length"), d), &axis->length));
    if (axis->length <= 0)
        return starfish_json_fail(reader->path, "length", "entry %zu must be positive", d + 1);
    return STARFISH_SUCCESS;
}

/* ---- poisson3d --------------------------------------------------------------------------------------------------- */

static starfish_status read_end(const struct reader *reader, const char *key, const json_t *value, starfish_end *end)
{
    static const struct {
        const char *name;
        starfish_end end;
    } ends[] = {{"dirichlet", STARFISH_DIRICHLET}, {"neumann", STARFISH_NEUMANN}, {"periodic", STARFISH_PERIODIC}};
    for (size_t i = 0; json_is_string(value) && i < sizeof ends / sizeof ends[0]; ++i)
        if (strcmp(json_string_value(value), ends[i].name) == 0) {
            *end = ends[i].end;
            return STARFISH_SUCCESS;
        }
    return starfish_json_fail(reader->path, key,
                              "must be \"periodic\" or a pair of \"dirichlet\" and \"neumann\" ends");
}

static starfish_status read_ends(const struct reader *reader, size_t d)
{
    struct starfish_axis *axis = &reader->problem->axis[d];
    const json_t *value = json_object_get(get(reader, "bc"), axis_names[d]);
    char key[] = {'b', 'c', '.', axis_names[d][0], '\0'};
    if (!value)
        return starfish_json_fail(reader->path, key, "missing");
    if (json_is_string(value) && strcmp(json_string_value(value), "periodic") == 0) {
        axis->ends[0] = axis->ends[1] = STARFISH_PERIODIC;
        axis->periodic = 1;
        return STARFISH_SUCCESS;
    }
    if (!json_is_array(value) || json_array_size(value) != 2)
        return read_end(reader, key, NULL, &axis->ends[0]);
    for (size_t side = 0; side < 2; ++side)
        STARFISH_TRY(read_end(reader, key, json_array_get(value, side), &axis->ends[side]));
    axis->periodic = axis->ends[0] == STARFISH_PERIODIC;
    if (axis->periodic != (axis->ends[1] == STARFISH_PERIODIC))
        return starfish_json_fail(reader->path, key, "one end cannot be periodic without the other");
    return STARFISH_SUCCESS;
}

static size_t count_ends(const struct starfish_axis *axis, starfish_end end)
{
    return (size_t)(axis->ends[0] == end) + (size_t)(axis->ends[1] == end);
}

/* How many coordinates the axis needs. */
static struct starfish_wanted wanted_coordinates(const struct starfish_axis *axis, const char *name)
{
    const int faces = axis->grid == STARFISH_CELL;
    return (struct starfish_wanted){
        .name = name,
        .rank = 1,
        .shape = {axis->n + (faces ? 1 : count_ends(axis, STARFISH_DIRICHLET))},
        .reason = faces ? ": n + 1 faces" : ": n unknowns and the Dirichlet ends",
    };
}

/* Coordinates must increase, and span the length if that is given too. */
static starfish_status check_coordinates(const struct reader *reader, const char *key, struct starfish_axis *axis,
                                         const json_t *length)
{
    const double *x = axis->coordinates;
    size_t count = axis->coordinate_count;
    for (size_t i = 1; i < count; ++i)
        if (x[i] <= x[i - 1])
            return starfish_json_fail(reader->path, key, "position %zu does not exceed the one before it", i);
    double span = x[count - 1] - x[0];
    axis->origin = x[0];
    axis->length = span;
    if (!length || json_is_null(length))
        return STARFISH_SUCCESS;
    if (!json_is_number(length) || !(fabs(json_number_value(length) - span) <= 1e-12 * span))
        return starfish_json_fail(reader->path, "length", "must be null or %.17g, which \"%s\" spans", span, key);
    return STARFISH_SUCCESS;
}

/* {"nodes": file} or {"faces": file}. */
static starfish_status read_stretched(const struct reader *reader, size_t d, const json_t *value)
{
    static const char *const known[] = {"nodes", "faces", NULL};
    struct starfish_axis *axis = &reader->problem->axis[d];
    struct starfish_array array;
    char prefix[] = {'g', 'r', 'i', 'd', '.', axis_names[d][0], '.', '\0'}, key[16];
    STARFISH_TRY(starfish_json_known(reader->path, value, prefix, known));
    const json_t *nodes = json_object_get(value, "nodes"), *faces = json_object_get(value, "faces");
    const json_t *file = nodes ? nodes : faces;
    snprintf(key, sizeof key, "%s%s", prefix, nodes ? "nodes" : "faces");
    if ((nodes != NULL) == (faces != NULL) || !json_is_string(file))
        return starfish_json_fail(reader->path, key, "a stretched grid is one file of \"nodes\" or \"faces\"");
    if (d == 0)
        return starfish_json_fail(reader->path, key, "x must be uniform: it is Fourier transformed");
    if (axis->periodic)
        return starfish_json_fail(reader->path, key, "a periodic direction cannot be stretched");
    axis->kind = STARFISH_STRETCHED;
    axis->grid = nodes ? STARFISH_NODE : STARFISH_CELL;
    const struct starfish_wanted wanted = wanted_coordinates(axis, json_string_value(file));
    STARFISH_TRY(read_array(reader, key, reader->problem->folder, &wanted, &array));
    axis->coordinate_count = starfish_array_count(&array);
    STARFISH_TRY(keep(reader->problem, &array, &axis->coordinates));
    return check_coordinates(reader, key, axis, json_array_get(get(reader, "length"), d));
}

static starfish_status read_uniform(const struct reader *reader, size_t d, const json_t *value)
{
    static const struct {
        const char *name;
        starfish_grid grid;
    } grids[] = {{"uniform", STARFISH_NODE}, {"node", STARFISH_NODE}, {"cell", STARFISH_CELL}};
    struct starfish_axis *axis = &reader->problem->axis[d];
    const char *name = value ? json_string_value(value) : "uniform";
    char key[] = {'g', 'r', 'i', 'd', '.', axis_names[d][0], '\0'};
    size_t i = 0;
    while (name && i < sizeof grids / sizeof grids[0] && strcmp(name, grids[i].name) != 0)
        ++i;
    if (!name || i == sizeof grids / sizeof grids[0])
        return starfish_json_fail(reader->path, key,
                                  "must be \"uniform\", \"node\", \"cell\", {\"nodes\": FILE} or {\"faces\": FILE}");
    axis->kind = STARFISH_UNIFORM;
    axis->grid = grids[i].grid;
    return read_length(reader, d);
}

/* Nodes at both ends need to be two. */
static starfish_status check_nodes(const struct reader *reader, size_t d)
{
    const struct starfish_axis *axis = &reader->problem->axis[d];
    if (axis->grid == STARFISH_NODE && axis->n < 2 && count_ends(axis, STARFISH_NEUMANN) == 2)
        return starfish_json_fail(reader->path, "n", "entry %zu must be at least 2 between two Neumann ends", d + 1);
    return STARFISH_SUCCESS;
}

static starfish_status read_origin(const struct reader *reader)
{
    const json_t *origin = get(reader, "origin");
    if (!origin)
        return STARFISH_SUCCESS;
    STARFISH_TRY(starfish_json_list(reader->path, "origin", origin, 3));
    for (size_t d = 0; d < 3; ++d) {
        const json_t *entry = json_array_get(origin, d);
        double number = 0;
        if (!json_is_null(entry))
            STARFISH_TRY(starfish_json_number(reader->path, "origin", entry, &number));
        /* Coordinates say themselves where they begin. */
        if (reader->problem->axis[d].kind == STARFISH_UNIFORM)
            reader->problem->axis[d].origin = number;
    }
    return STARFISH_SUCCESS;
}

/* Whether this process has unknowns at an end. */
static int has_end(const struct starfish_problem *problem, size_t d, size_t end)
{
    const size_t last = problem->first_plane + problem->planes;
    return d < 2 || (problem->planes > 0 && (end ? last == problem->axis[2].n : problem->first_plane == 0));
}

static starfish_status read_boundary(const struct reader *reader)
{
    static const char *const known[] = {"x0", "x1", "y0", "y1", "z0", "z1", NULL};
    const struct starfish_axis *axis = reader->problem->axis;
    const struct shape shapes[3] = {
        {2, {axis[2].n, axis[1].n}, PLANES}, {2, {axis[2].n, axis[0].n}, PLANES}, {2, {axis[1].n, axis[0].n}, WHOLE}};
    const json_t *boundary = get(reader, "boundary");
    if (!boundary)
        return STARFISH_SUCCESS;
    if (!json_is_object(boundary))
        return starfish_json_fail(reader->path, "boundary", "must be an object");
    STARFISH_TRY(starfish_json_known(reader->path, boundary, "boundary.", known));
    for (size_t face = 0; face < 6; ++face) {
        const json_t *value = json_object_get(boundary, known[face]);
        size_t d = face / 2;
        char key[16];
        if (!value)
            continue;
        snprintf(key, sizeof key, "boundary.%s", known[face]);
        if (axis[d].periodic)
            return starfish_json_fail(reader->path, key, "a periodic direction has no boundary");
        if (json_is_string(value) && !has_end(reader->problem, d, face % 2))
            reader->problem->boundary[d][face % 2].given = 1;
        else
            STARFISH_TRY(read_values(reader, key, value, &shapes[d], &reader->problem->boundary[d][face % 2]));
    }
    return STARFISH_SUCCESS;
}

static starfish_status read_poisson3d(const struct reader *reader)
{
    static const char *const known[] = {"x", "y", "z", NULL};
    const json_t *bc = get(reader, "bc"), *grid = get(reader, "grid");
    STARFISH_TRY(starfish_json_list(reader->path, "length", get(reader, "length"), 3));
    if (!bc)
        return starfish_json_fail(reader->path, "bc", "missing");
    if (!json_is_object(bc))
        return starfish_json_fail(reader->path, "bc", "must be an object with x, y and z");
    if (grid && !json_is_object(grid))
        return starfish_json_fail(reader->path, "grid", "must be an object with x, y and z");
    STARFISH_TRY(starfish_json_known(reader->path, bc, "bc.", known));
    if (grid)
        STARFISH_TRY(starfish_json_known(reader->path, grid, "grid.", known));
    for (size_t d = 0; d < 3; ++d) {
        const json_t *value = json_object_get(grid, axis_names[d]);
        STARFISH_TRY(read_ends(reader, d));
        STARFISH_TRY(json_is_object(value) ? read_stretched(reader, d, value) : read_uniform(reader, d, value));
        STARFISH_TRY(check_nodes(reader, d));
    }
    STARFISH_TRY(read_origin(reader));
    return read_boundary(reader);
}

/* ---- separable3d, separable2d ------------------------------------------------------------------------------------ */

static starfish_status read_coefficient(const struct reader *reader, const char *key, const json_t *value, size_t n,
                                        const double **data)
{
    struct starfish_values values = {.given = 0};
    const struct shape shape = {1, {n}, WHOLE};
    STARFISH_TRY(read_values(reader, key, value, &shape, &values));
    if (!values.array.data) {
        STARFISH_TRY(starfish_array_create(&values.array, STARFISH_F64, 1, &n));
        starfish_array_fill(&values.array, values.constant);
    }
    return keep(reader->problem, &values.array, data);
}

static starfish_status read_operator(const struct reader *reader, size_t d)
{
    static const char *const known[] = {"lower", "diag", "upper", "periodic", NULL};
    struct starfish_axis *axis = &reader->problem->axis[d];
    const double **const targets[] = {&axis->lower, &axis->diag, &axis->upper};
    const json_t *rows = get(reader, axis_names[d]);
    const json_t *periodic = json_object_get(rows, "periodic");
    char prefix[] = {axis_names[d][0], '.', '\0'}, key[16];
    if (!rows)
        return starfish_json_fail(reader->path, axis_names[d], "missing");
    if (!json_is_object(rows))
        return starfish_json_fail(reader->path, axis_names[d], "must be an object with lower, diag and upper");
    STARFISH_TRY(starfish_json_known(reader->path, rows, prefix, known));
    if (periodic && !json_is_boolean(periodic)) {
        snprintf(key, sizeof key, "%speriodic", prefix);
        return starfish_json_fail(reader->path, key, "must be true or false");
    }
    axis->kind = STARFISH_TRIDIAGONAL;
    axis->periodic = json_is_true(periodic);
    for (size_t i = 0; i < 3; ++i) {
        snprintf(key, sizeof key, "%s%s", prefix, known[i]);
        STARFISH_TRY(read_coefficient(reader, key, json_object_get(rows, known[i]), axis->n, targets[i]));
    }
    return STARFISH_SUCCESS;
}

static starfish_status read_separable3d(const struct reader *reader)
{
    struct starfish_axis *x = &reader->problem->axis[0];
    x->kind = STARFISH_UNIFORM;
    x->grid = STARFISH_NODE;
    x->periodic = 1;
    x->ends[0] = x->ends[1] = STARFISH_PERIODIC;
    STARFISH_TRY(starfish_json_list(reader->path, "length", get(reader, "length"), 1));
    STARFISH_TRY(read_length(reader, 0));
    STARFISH_TRY(read_operator(reader, 1));
    return read_operator(reader, 2);
}

static starfish_status read_separable2d(const struct reader *reader)
{
    STARFISH_TRY(read_operator(reader, 0));
    return read_operator(reader, 1);
}

/* ---- the file ---------------------------------------------------------------------------------------------------- */

static const struct kind {
    const char *name;
    size_t dimensions;
    starfish_status (*read_axes)(const struct reader *reader);
    const char *known[13];
} kinds[] = {
    [STARFISH_POISSON3D] = {"poisson3d",
                            3,
                            read_poisson3d,
                            {"kind", "n", "length", "origin", "bc", "grid", "boundary", "lambda", "rhs", "solution",
                             "exact"}},
    [STARFISH_SEPARABLE3D] = {"separable3d",
                              3,
                              read_separable3d,
                              {"kind", "n", "length", "y", "z", "lambda", "rhs", "solution", "exact"}},
    [STARFISH_SEPARABLE2D] = {"separable2d",
                              2,
                              read_separable2d,
                              {"kind", "n", "x", "y", "lambda", "rhs", "solution", "exact"}},
};

static starfish_status read_kind(const struct reader *reader)
{
    const json_t *value = get(reader, "kind");
    if (!value)
        return starfish_json_fail(reader->path, "kind", "missing");
    for (size_t i = 0; json_is_string(value) && i < sizeof kinds / sizeof kinds[0]; ++i)
        if (strcmp(json_string_value(value), kinds[i].name) == 0) {
            reader->problem->kind = (starfish_problem_kind)i;
            reader->problem->dimensions = kinds[i].dimensions;
            return starfish_json_known(reader->path, reader->root, "", kinds[i].known);
        }
    return starfish_json_fail(reader->path, "kind", "must be \"%s\", \"%s\" or \"%s\"", kinds[0].name, kinds[1].name,
                              kinds[2].name);
}

static starfish_status read_fields(const struct reader *reader, const char *rhs)
{
    struct starfish_problem *problem = reader->problem;
    struct shape shape = {.of = PLANES};
    const json_t *exact = get(reader, "exact");
    shape.rank = starfish_problem_shape(problem, shape.extent);
    if (rhs) {
        problem->rhs.given = 1;
        STARFISH_TRY(read_field(reader, "rhs", NULL, rhs, &shape, &problem->rhs.array));
    } else {
        STARFISH_TRY(read_values(reader, "rhs", get(reader, "rhs"), &shape, &problem->rhs));
    }
    return exact ? read_values(reader, "exact", exact, &shape, &problem->exact) : STARFISH_SUCCESS;
}

static starfish_status read_solution(const struct reader *reader)
{
    const json_t *solution = get(reader, "solution");
    if (!solution)
        return STARFISH_SUCCESS;
    if (!json_is_string(solution))
        return starfish_json_fail(reader->path, "solution", "must be the name of a file");
    return starfish_file_join(reader->problem->folder, json_string_value(solution), &reader->problem->solution);
}

static void deal_planes(const struct reader *reader)
{
    struct starfish_problem *problem = reader->problem;
    const struct starfish_run_of_planes run =
        starfish_deal(problem->axis[problem->dimensions - 1].n, reader->rank, reader->ranks);
    problem->first_plane = run.first;
    problem->planes = run.count;
}

static starfish_status read_problem(const struct reader *reader, const char *rhs)
{
    const json_t *lambda = get(reader, "lambda");
    STARFISH_TRY(read_kind(reader));
    STARFISH_TRY(read_sizes(reader));
    deal_planes(reader);
    STARFISH_TRY(kinds[reader->problem->kind].read_axes(reader));
    if (lambda)
        STARFISH_TRY(starfish_json_number(reader->path, "lambda", lambda, &reader->problem->lambda));
    STARFISH_TRY(read_solution(reader));
    return read_fields(reader, rhs);
}

/* `reader` says what is read of it. */
static starfish_status read_file(const char *path, const char *rhs, struct reader reader,
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
    return read_file(path, rhs, (struct reader){.ranks = 1}, problem);
}

starfish_status starfish_problem_read_shapes(const char *path, const char *rhs, struct starfish_problem *problem)
{
    return read_file(path, rhs, (struct reader){.only_shapes = 1, .ranks = 1}, problem);
}

starfish_status starfish_problem_read_part(const char *path, const char *rhs, int rank, int ranks,
                                           struct starfish_problem *problem)
{
    return read_file(path, rhs, (struct reader){.rank = rank, .ranks = ranks}, problem);
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
    for (size_t i = 0; i < problem->coefficient_count; ++i)
        starfish_array_free(&problem->coefficients[i]);
    *problem = (struct starfish_problem){.path = NULL};
}

/* ---- questions --------------------------------------------------------------------------------------------------- */

const char *starfish_problem_kind_name(starfish_problem_kind kind)
{
    return kinds[kind].name;
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
    size_t intervals = cells ? axis->n : axis->n + 1 - count_ends(axis, STARFISH_NEUMANN);
    *spacing = axis->length / (double)intervals;
    *origin = axis->origin + first * *spacing;
    return 0;
}
