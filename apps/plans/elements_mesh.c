/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The mesh of a problem and what the options say of its groups. */
#include "apps/plans/elements.h"

#include "apps/names.h"
#include "fem/options.h"
#include "solver/solver.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct starfish_option rows[] = {
    NAMES_FIRST("--element", starfish_fem_element_names, STARFISH_FEM_ELEMENTS,
                "bilinear or biquadratic, in 3D trilinear or triquadratic"),
};
const struct starfish_option_table elements_table = NAMES_TABLE(rows);

/* The groups of the mesh, by their names, or numbers where they have none; "..." where there are more than fit. */
static void list_groups(const struct starfish_gmsh *gmsh, char *list, size_t size)
{
    size_t at = (size_t)snprintf(list, size, "%s", gmsh->groups > 0 ? "" : "none");
    for (size_t i = 0; i < gmsh->groups; ++i) {
        const struct starfish_gmsh_group *group = &gmsh->group[i];
        char name[STARFISH_GMSH_NAME];
        if (group->name[0])
            snprintf(name, sizeof name, "%s", group->name);
        else
            snprintf(name, sizeof name, "%d", group->number);
        const int fits = at + strlen(name) + sizeof ", ..." < size;
        at += (size_t)snprintf(list + at, size - at, "%s%s", i > 0 ? ", " : "", fits ? name : "...");
        if (!fits)
            return;
    }
}

static int is_marked(const struct starfish_gmsh *gmsh, int group)
{
    for (size_t m = 0; m < gmsh->mesh.marks; ++m)
        if (gmsh->mesh.mark[m].group == group)
            return 1;
    return 0;
}

/* The groups with elements that stand before the '=' of a word, to e->group; *value is what follows. */
static starfish_status find_groups(struct elements *e, const char *option, const char *text, size_t *count,
                                   const char **value)
{
    const char *equals = strrchr(text, '=');
    char name[STARFISH_GMSH_NAME];
    STARFISH_FAIL_IF(!equals || equals == text, STARFISH_ERROR_ARGUMENT, "%s: '%s' is not GROUP=...", option, text);
    snprintf(name, sizeof name, "%.*s",
             (int)(equals - text < STARFISH_GMSH_NAME ? equals - text : STARFISH_GMSH_NAME - 1), text);
    const size_t named = starfish_gmsh_find(&e->gmsh, name, e->group);
    *value = equals + 1;
    if (named == 0) {
        char list[256];
        list_groups(&e->gmsh, list, sizeof list);
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "%s: %s has no group '%s'; its groups: %s", option, e->path, name,
                             list);
    }
    *count = 0;
    for (size_t g = 0; g < named; ++g)
        if (is_marked(&e->gmsh, e->group[g]))
            e->group[(*count)++] = e->group[g];
    return *count > 0 ? STARFISH_SUCCESS
                      : starfish_fail(STARFISH_ERROR_ARGUMENT, "%s: group '%s' of %s has no elements on its cells",
                                      option, name, e->path);
}

/* `count` finite numbers with commas between. */
static int read_numbers(const char *text, double *numbers, int count)
{
    for (int i = 0; i < count; ++i) {
        char *end;
        numbers[i] = strtod(text, &end);
        if (end == text || !isfinite(numbers[i]) || *end != (i + 1 < count ? ',' : 0))
            return 0;
        text = end + 1;
    }
    return 1;
}

static starfish_status read_dirichlet(struct elements *e, const char *text)
{
    const char *value;
    size_t count;
    double number;
    STARFISH_TRY(find_groups(e, "--dirichlet", text, &count, &value));
    STARFISH_FAIL_IF(!read_numbers(value, &number, 1), STARFISH_ERROR_ARGUMENT, "--dirichlet: '%s' is not GROUP=NUMBER",
                     text);
    for (size_t g = 0; g < count; ++g)
        e->dirichlet[e->problem.dirichlets++] = (struct starfish_fem_dirichlet){.group = e->group[g], .value = number};
    return STARFISH_SUCCESS;
}

static starfish_status read_curve(struct elements *e, const char *text)
{
    const int d = e->gmsh.mesh.dimensions;
    const char *kind = d == 2 ? "circle:" : "sphere:", *value;
    size_t count;
    double numbers[4];
    STARFISH_TRY(find_groups(e, "--curved", text, &count, &value));
    STARFISH_FAIL_IF(strncmp(value, kind, strlen(kind)) != 0 || !read_numbers(value + strlen(kind), numbers, d + 1) ||
                         !(numbers[d] > 0),
                     STARFISH_ERROR_ARGUMENT, "--curved: '%s' is not GROUP=%s with a positive radius", text,
                     d == 2 ? "circle:x,y,r" : "sphere:x,y,z,r");
    for (size_t g = 0; g < count; ++g) {
        struct starfish_fem_curve *curve = &e->curve[e->problem.curves++];
        *curve = (struct starfish_fem_curve){.group = e->group[g], .radius = numbers[d]};
        memcpy(curve->centre, numbers, (size_t)d * sizeof *numbers);
    }
    return STARFISH_SUCCESS;
}

/* Marks of groups that no option names are refined for nothing. */
static void drop_marks(struct elements *e)
{
    struct starfish_fem_mark *mark = (struct starfish_fem_mark *)(uintptr_t)e->gmsh.mesh.mark;
    size_t kept = 0;
    for (size_t m = 0; m < e->gmsh.mesh.marks; ++m) {
        int named = 0;
        for (size_t i = 0; i < e->problem.dirichlets; ++i)
            named = named || e->dirichlet[i].group == mark[m].group;
        for (size_t i = 0; i < e->problem.curves; ++i)
            named = named || e->curve[i].group == mark[m].group;
        if (named)
            mark[kept++] = mark[m];
    }
    e->gmsh.mesh.marks = kept;
}

/* Room for every group in every option. */
static starfish_status make_room(struct elements *e, const struct elements_options *options)
{
    const size_t groups = e->gmsh.groups;
    e->group = calloc(groups + 1, sizeof *e->group);
    e->dirichlet = calloc(options->dirichlet.count * groups + 1, sizeof *e->dirichlet);
    e->curve = calloc(options->curved.count * groups + 1, sizeof *e->curve);
    return e->group && e->dirichlet && e->curve
               ? STARFISH_SUCCESS
               : starfish_fail(STARFISH_ERROR_MEMORY, "%s: out of memory for its groups", e->path);
}

static void forget(void *data)
{
    struct elements *e = data;
    starfish_gmsh_free(&e->gmsh);
    free(e->group);
    free(e->dirichlet);
    free(e->curve);
}

starfish_status elements_read(const char *path, const struct elements_options *options,
                              struct starfish_read_problem *problem)
{
    static const struct starfish_problem_row row = {
        .name = "fem", .dimensions = 1, .members = &starfish_fem_problem_table};
    struct elements *e = calloc(1, sizeof *e);
    *problem = (struct starfish_read_problem){.path = strdup(path),
                                              .plans = &starfish_kind_fem,
                                              .row = &row,
                                              .data = e,
                                              .forget = forget,
                                              .reals = starfish_fem_nodes};
    STARFISH_FAIL_IF(!e || !problem->path, STARFISH_ERROR_MEMORY, "%s: out of memory for a mesh", path);
    e->path = problem->path;
    STARFISH_TRY(starfish_gmsh_read(path, &e->gmsh));
    STARFISH_TRY(make_room(e, options));
    e->problem = (struct starfish_fem_problem){.mesh = &e->gmsh.mesh,
                                               .refinements = (int)options->levels,
                                               .element = (starfish_fem_element)options->element,
                                               .rhs = options->rhs,
                                               .dirichlet = e->dirichlet,
                                               .curve = e->curve};
    for (size_t i = 0; i < options->dirichlet.count; ++i)
        STARFISH_TRY(read_dirichlet(e, options->dirichlet.text[i]));
    for (size_t i = 0; i < options->curved.count; ++i)
        STARFISH_TRY(read_curve(e, options->curved.text[i]));
    drop_marks(e);
    return STARFISH_SUCCESS;
}
