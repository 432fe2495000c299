/* Problem files: the keys of atmosphere3d. */
#include "apps/files/problem_keys.h"

#include "apps/files/json.h"

#include <math.h>
#include <starfish/atmosphere.h>
#include <string.h>

/* "flat" or "panel", ...: the index of a word in `words`, which NULL ends. */
static starfish_status read_word(const struct starfish_problem_reader *reader, const char *key,
                                 const char *const words[], int *index)
{
    const json_t *value = starfish_problem_get(reader, key);

    for (*index = 0; json_is_string(value) && words[*index]; ++*index)
        if (strcmp(json_string_value(value), words[*index]) == 0)
            return STARFISH_SUCCESS;
    return words[2]
               ? starfish_json_fail(reader->path, key, "must be \"%s\", \"%s\" or \"%s\"", words[0], words[1], words[2])
               : starfish_json_fail(reader->path, key, "must be \"%s\" or \"%s\"", words[0], words[1]);
}

static starfish_status read_positive(const struct starfish_problem_reader *reader, const char *key, int zero,
                                     double *number)
{
    const json_t *value = starfish_problem_get(reader, key);

    if (!value)
        return starfish_json_fail(reader->path, key, "missing");
    STARFISH_TRY(starfish_json_number(reader->path, key, value, number));
    if (*number < 0 || (!zero && *number == 0))
        return starfish_json_fail(reader->path, key, "must be %s, is %g", zero ? "0 or more" : "positive", *number);
    return STARFISH_SUCCESS;
}

/* Cells, with sides of one kind; the axes serve pictures and files of points too. */
static void set_axis(struct starfish_axis *axis, double length, starfish_end end)
{
    axis->kind = STARFISH_UNIFORM;
    axis->grid = STARFISH_CELL;
    axis->length = length;
    axis->periodic = end == STARFISH_PERIODIC;
    axis->ends[0] = axis->ends[1] = end;
}

static starfish_status read_box(const struct starfish_problem_reader *reader)
{
    static const char *const sides[] = {"dirichlet", "periodic", NULL};
    struct starfish_axis *axis = reader->problem->axis;
    int periodic = 0;

    if (starfish_problem_get(reader, "sides"))
        STARFISH_TRY(read_word(reader, "sides", sides, &periodic));
    STARFISH_TRY(starfish_json_list(reader->path, "length", starfish_problem_get(reader, "length"), 2));
    for (size_t d = 0; d < 2; ++d) {
        set_axis(&axis[d], 1, periodic ? STARFISH_PERIODIC : STARFISH_DIRICHLET);
        STARFISH_TRY(starfish_problem_length(reader, d));
    }
    return STARFISH_SUCCESS;
}

static starfish_status read_panel(const struct starfish_problem_reader *reader)
{
    static const char *const of_boxes[] = {"length", "sides"};

    for (size_t i = 0; i < sizeof of_boxes / sizeof of_boxes[0]; ++i)
        if (starfish_problem_get(reader, of_boxes[i]))
            return starfish_json_fail(reader->path, of_boxes[i], "is for \"geometry\": \"flat\"");
    for (size_t d = 0; d < 2; ++d) {
        set_axis(&reader->problem->axis[d], 1.57079632679489661923, STARFISH_DIRICHLET);
        reader->problem->axis[d].origin = -0.78539816339744830962;
    }
    return STARFISH_SUCCESS;
}

/* Panels one behind the other in y. */
static starfish_status read_sphere(const struct starfish_problem_reader *reader)
{
    const struct starfish_axis *axis = reader->problem->axis;

    if (axis[1].n % 6 != 0 || axis[1].n / 6 != axis[0].n)
        return starfish_json_fail(reader->path, "n",
                                  "of a sphere the second number is 6 times the first, the rows of six panels; "
                                  "%zu is not 6 times %zu",
                                  axis[1].n, axis[0].n);
    STARFISH_TRY(read_panel(reader));
    reader->problem->axis[1].length *= 6;
    return STARFISH_SUCCESS;
}

static starfish_status check_faces(const struct starfish_problem_reader *reader, const double *faces, size_t n,
                                   double height)
{
    if (faces[0] != 0)
        return starfish_json_fail(reader->path, "levels.faces", "must begin with 0, not %g", faces[0]);
    for (size_t k = 0; k < n; ++k)
        if (!(faces[k + 1] > faces[k]))
            return starfish_json_fail(reader->path, "levels.faces", "must increase, but entry %zu is %g after %g",
                                      k + 2, faces[k + 1], faces[k]);
    if (!(fabs(faces[n] - height) <= 1e-12 * height))
        return starfish_json_fail(reader->path, "levels.faces", "must end with \"height\" = %g, not %g", height,
                                  faces[n]);
    return STARFISH_SUCCESS;
}

static starfish_status read_levels(const struct starfish_problem_reader *reader)
{
    static const char *const known[] = {"faces", NULL};
    const json_t *levels = starfish_problem_get(reader, "levels"), *name = json_object_get(levels, "faces");
    struct starfish_axis *axis = &reader->problem->axis[2];
    struct starfish_array array = {.data = NULL};

    set_axis(axis, reader->problem->height, STARFISH_NEUMANN);
    if (!levels)
        return STARFISH_SUCCESS;
    if (!json_is_object(levels))
        return starfish_json_fail(reader->path, "levels", "must be an object with \"faces\"");
    STARFISH_TRY(starfish_json_known(reader->path, levels, "levels.", known));
    if (!json_is_string(name))
        return starfish_json_fail(reader->path, "levels.faces", "must be the name of a file");
    const struct starfish_wanted wanted = {
        .name = json_string_value(name), .rank = 1, .shape = {axis->n + 1}, .reason = ""};
    STARFISH_TRY(starfish_problem_array(reader, "levels.faces", reader->problem->folder, &wanted, &array));
    STARFISH_TRY(starfish_problem_keep(reader->problem, &array, &axis->coordinates));
    axis->kind = STARFISH_STRETCHED;
    return check_faces(reader, axis->coordinates, axis->n, reader->problem->height);
}

static starfish_status read_atmosphere(const struct starfish_problem_reader *reader)
{
    static const char *const geometries[] = {"flat", "panel", "sphere", NULL};
    struct starfish_problem *problem = reader->problem;
    double lambda;

    STARFISH_TRY(read_word(reader, "geometry", geometries, &problem->geometry));
    STARFISH_TRY(problem->geometry == STARFISH_FLAT_BOX ? read_box(reader)
                 : problem->geometry == STARFISH_PANEL  ? read_panel(reader)
                                                        : read_sphere(reader));
    STARFISH_TRY(read_positive(reader, "height", 0, &problem->height));
    STARFISH_TRY(read_positive(reader, "omega", 1, &problem->omega));
    STARFISH_TRY(read_positive(reader, "lambda", 1, &lambda)); /* read again for all kinds */
    return read_levels(reader);
}

static starfish_status fill(struct starfish_problem *problem)
{
    struct starfish_atmosphere_problem *data = problem->data;
    *data = (struct starfish_atmosphere_problem){.geometry = (starfish_flat_geometry)problem->geometry,
                                                 .height = problem->height,
                                                 .faces = problem->axis[2].coordinates,
                                                 .omega = problem->omega,
                                                 .lambda = problem->lambda};
    for (size_t d = 0; d < 3; ++d)
        data->n[d] = problem->axis[d].n;
    for (size_t d = 0; d < 2; ++d) {
        data->length[d] = problem->axis[d].length;
        data->periodic[d] = problem->axis[d].periodic;
    }
    return STARFISH_SUCCESS;
}

const struct starfish_problem_keys starfish_atmosphere3d_keys = {
    "atmosphere3d",
    3,
    read_atmosphere,
    fill,
    {"kind", "geometry", "n", "length", "sides", "height", "levels", "omega", "lambda", "rhs", "solution", "exact"}};
