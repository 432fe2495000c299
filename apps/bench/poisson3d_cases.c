/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* starfish bench poisson3d: the problems selected on the command line, as all combinations of its lists, with their
 * axes and right-hand sides. */
#include "apps/bench/poisson3d.h"

#include "apps/plans/arrays.h"
#include "base/real.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct poisson3d_ends all_ends[] = {
    {"periodic", {STARFISH_PERIODIC, STARFISH_PERIODIC}},
    {"dirichlet", {STARFISH_DIRICHLET, STARFISH_DIRICHLET}},
    {"neumann", {STARFISH_NEUMANN, STARFISH_NEUMANN}},
    {"mixed", {STARFISH_DIRICHLET, STARFISH_NEUMANN}},
};
static const char *const end_names[] = {"periodic", "dirichlet", "neumann", "mixed"};
static const char *const grid_names[] = {[STARFISH_NODE] = "node", [STARFISH_CELL] = "cell"};
enum { ONE_SIDED = 2 };
static const char *const y_names[] = {"uniform", "stretched", "one-sided"};
static const char *const y_words[] = {"", ", y stretched", ", y one-sided"};
enum { BOX, CYLINDER, SHELL };
static const char *const kind_names[] = {[BOX] = "box", [CYLINDER] = "cylinder3d", [SHELL] = "shell3d"};
const char *const poisson3d_places[] = {[POISSON3D_PAGEABLE] = "pageable",
                                        [POISSON3D_PINNED] = "pinned",
                                        [POISSON3D_DEVICE] = "device",
                                        [POISSON3D_SPREAD] = "spread"};
static const char *const peers[] = {
    [POISSON3D_ALL_PEERS] = "all", [POISSON3D_FAST_PEERS] = "fast", [POISSON3D_NO_PEERS] = "none"};

static const struct starfish_option rows[] = {
    NAMES_ROW("--bc", end_names, "ends as Y/Z, of both, or X/Y/Z; x is periodic else"),
    NAMES_ROW("--grid", grid_names, "of y and z"),
    NAMES_ROW("--y", y_names, "spacing; stretched crowds at both ends, where y is not periodic"),
    NAMES_ROW("--kind", kind_names, "coordinates; a cylinder has an axis, a shell poles, in place of an end of z"),
    NAMES_ROW("--where", poisson3d_places,
              "memory of the data; spread: over several GPUs; without, all that there are"),
    NAMES_ROW("--peers", peers, "others' solvers in the same run"),
};
const struct starfish_option_table poisson3d_table = NAMES_TABLE(rows);

/* ---- one case ---------------------------------------------------------------------------------------------------- */

size_t poisson3d_bytes(const struct poisson3d_case *c)
{
    return c->n[0] * c->n[1] * c->n[2] * starfish_real_size(c->precision);
}

void poisson3d_describe_size(json_t *row, const struct poisson3d_case *c)
{
    command_keys(row, KEY("n", bench_name("%zux%zux%zu", c->n[0], c->n[1], c->n[2])),
                 KEY("precision", starfish_precision_names[c->precision]));
}

static void name_ends(const struct poisson3d_case *c, char *text, size_t size)
{
    const int periodic = c->x->ends[0] == STARFISH_PERIODIC;
    snprintf(text, size, "%s%s%s/%s", periodic ? "" : c->x->name, periodic ? "" : "/", c->y->name, c->z->name);
}

void poisson3d_describe(json_t *row, const struct poisson3d_case *c)
{
    char text[64];
    name_ends(c, text, sizeof text);
    command_keys(row, KEY("bc", text), KEY("grid", grid_names[c->grid]), KEY("y", y_names[c->stretched]),
                 KEY("kind", kind_names[c->kind]));
}

/* A prime number of random values, which then are repeated: of a billion unknowns, numbers one by one would take longer
 * than all solves. */
enum { RANDOM_VALUES = 1048573 };

starfish_status poisson3d_random_field(const struct poisson3d_case *c, void **field)
{
    const size_t bytes = poisson3d_bytes(c), size = starfish_real_size(c->precision);
    const size_t first = bytes < RANDOM_VALUES * size ? bytes : RANDOM_VALUES * size;
    *field = aligned_alloc(64, (bytes + 63) / 64 * 64);
    STARFISH_FAIL_IF(!*field, STARFISH_ERROR_MEMORY, "%s: no memory for a field", c->name);
    solve_array_random(*field, c->precision, first / size);
    for (size_t at = first; at < bytes; at += first)
        memcpy((char *)*field + at, *field, bytes - at < first ? bytes - at : first);
    return STARFISH_SUCCESS;
}

/* Faces or nodes that crowd at both ends, or at the first: there the grid is not its own mirror image, and its basis
 * has no symmetry that would halve the products. The widest spacing is about four times the least. */
static starfish_status stretch(struct poisson3d_case *c, struct starfish_axis *y)
{
    const double strength = 1.3;
    size_t count = y->n + 1;
    if (c->grid == STARFISH_NODE)
        count = y->n + (y->ends[0] == STARFISH_DIRICHLET) + (y->ends[1] == STARFISH_DIRICHLET);
    c->coordinates = malloc(count * sizeof *c->coordinates);
    STARFISH_FAIL_IF(!c->coordinates, STARFISH_ERROR_MEMORY, "--y: no memory for %zu coordinates", count);
    for (size_t j = 0; j < count; ++j) {
        const double t = count > 1 ? 2 * (double)j / (double)(count - 1) - 1 : 0;
        c->coordinates[j] = c->stretched == ONE_SIDED ? 1 + tanh(strength * (t - 1) / 2) / tanh(strength)
                                                      : 0.5 + 0.5 * tanh(strength * t) / tanh(strength);
        if (c->kind == SHELL)
            c->coordinates[j] = 0.5 + 0.5 * c->coordinates[j];
    }
    y->kind = STARFISH_STRETCHED;
    y->coordinates = c->coordinates;
    y->coordinate_count = count;
    return STARFISH_SUCCESS;
}

static starfish_status make_case(struct poisson3d_case *c)
{
    const struct poisson3d_ends *ends[3] = {c->x, c->y, c->z};
    char names[32];
    for (int d = 0; d < 3; ++d)
        c->problem.axis[d] = (struct starfish_axis){
            .n = c->n[d], .length = 1, .ends = {ends[d]->ends[0], ends[d]->ends[1]}, .grid = c->grid};
    const int cube = c->n[0] == c->n[1] && c->n[1] == c->n[2];
    if (cube)
        snprintf(c->size, sizeof c->size, "%zu^3 %s", c->n[0], starfish_precision_names[c->precision]);
    else
        snprintf(c->size, sizeof c->size, "%zux%zux%zu %s", c->n[0], c->n[1], c->n[2],
                 starfish_precision_names[c->precision]);
    name_ends(c, names, sizeof names);
    snprintf(c->name, sizeof c->name, "%s %s %s%s%s%s", c->size, names, grid_names[c->grid], y_words[c->stretched],
             c->kind == BOX ? "" : ", ", c->kind == BOX ? "" : kind_names[c->kind]);
    return c->stretched ? stretch(c, &c->problem.axis[1]) : STARFISH_SUCCESS;
}

/* r of a cylinder and a shell ends at 1. */
starfish_status poisson3d_plan(starfish_context *context, const struct poisson3d_case *c,
                               const struct starfish_poisson_options *options, starfish_plan **plan)
{
    const double pi = acos(-1);
    struct starfish_problem problem = {.size = sizeof problem, .kind = STARFISH_CYLINDER3D};
    struct starfish_axis *const axis = problem.axis;
    if (c->kind == BOX)
        return starfish_poisson_plan_create(context, &c->problem, options, plan);
    memcpy(axis, c->problem.axis, sizeof problem.axis);
    axis[0].length = 2 * pi;
    axis[2].ends[0] = STARFISH_END_AXIS;
    if (c->kind == SHELL) {
        problem.kind = STARFISH_SHELL3D;
        axis[1].origin = axis[1].length = 0.5;
        axis[2].length = pi;
        axis[2].ends[0] = axis[2].ends[1] = STARFISH_END_POLE;
    }
    return starfish_plan_create(context, &problem, options, plan);
}

/* ---- the command line -------------------------------------------------------------------------------------------- */

/* "Y/Z", or one name for both, with a periodic x; or "X/Y/Z". */
static starfish_status read_ends(const char *item, const struct poisson3d_ends *ends[3])
{
    struct list names;
    STARFISH_TRY(list_read("--bc", item, '/', &names));
    STARFISH_FAIL_IF(names.count > 3, STARFISH_ERROR_ARGUMENT,
                     "--bc: '%s' is not KIND or KIND/KIND, of y and z, or KIND/KIND/KIND", item);
    ends[0] = &all_ends[0];
    for (size_t i = names.count > 2 ? 0 : 1; i < 3; ++i) {
        const size_t own = names.count > 2 ? i : names.count > 1 ? i - 1 : 0;
        size_t index;
        STARFISH_TRY(list_choice(&rows[0], names.item[own], &index));
        ends[i] = &all_ends[index];
    }
    return STARFISH_SUCCESS;
}

/* The case of this combination; a periodic y cannot be stretched: left out. */
static starfish_status add_case(void *data)
{
    struct poisson3d *run = data;
    struct poisson3d_case *c = &run->each[run->cases];
    const struct poisson3d_ends *ends[3];
    STARFISH_TRY(read_ends(axis_text(&run->axis[POISSON3D_BC]), ends));
    *c = (struct poisson3d_case){.precision = (starfish_precision)run->axis[POISSON3D_PRECISION].now,
                                 .x = ends[0],
                                 .y = ends[1],
                                 .z = ends[2],
                                 .grid = (starfish_grid)run->axis[POISSON3D_GRID].now,
                                 .stretched = (int)run->axis[POISSON3D_Y].now,
                                 .kind = (int)run->axis[POISSON3D_KIND].now};
    STARFISH_TRY(list_size("--n", axis_text(&run->axis[POISSON3D_N]), c->n));
    if (c->stretched && c->y->ends[0] == STARFISH_PERIODIC)
        return STARFISH_SUCCESS;
    run->cases++;
    return make_case(c);
}

starfish_status poisson3d_read_cases(struct poisson3d *run)
{
    const char **precision = &run->axis[POISSON3D_PRECISION].given;
    size_t most = 1;
    if (strcmp(*precision, "both") == 0)
        *precision = "f64,f32";
    STARFISH_TRY(axes_read(run->axis, POISSON3D_AXES));
    for (int a = 0; a < POISSON3D_METHOD; ++a)
        most *= run->axis[a].count;
    run->each = calloc(most, sizeof *run->each);
    run->limits = calloc(most, sizeof *run->limits);
    STARFISH_FAIL_IF(!run->each || !run->limits, STARFISH_ERROR_MEMORY, "no memory for %zu cases", most);
    return axes_each(run->axis, POISSON3D_METHOD, add_case, run);
}

void poisson3d_free_cases(struct poisson3d *run)
{
    for (size_t i = 0; i < run->cases; ++i)
        free(run->each[i].coordinates);
    free(run->each);
    free(run->limits);
    run->each = NULL; /* `run` is static, and the command may be called again */
    run->limits = NULL;
    run->cases = 0;
}
