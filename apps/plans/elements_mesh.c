/* The mesh of a run and what the options say of its groups. */
#include "apps/plans/elements.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* The groups with elements that stand before the '=' of a word, to run->group; *value is what follows. */
static starfish_status find_groups(struct fem_run *run, const char *option, const char *text, size_t *count,
                                   const char **value)
{
    const char *equals = strrchr(text, '=');
    char name[STARFISH_GMSH_NAME];
    if (!equals || equals == text)
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "%s: '%s' is not GROUP=...", option, text);
    snprintf(name, sizeof name, "%.*s",
             (int)(equals - text < STARFISH_GMSH_NAME ? equals - text : STARFISH_GMSH_NAME - 1), text);
    const size_t named = starfish_gmsh_find(&run->gmsh, name, run->group);
    *value = equals + 1;
    if (named == 0) {
        char list[256];
        list_groups(&run->gmsh, list, sizeof list);
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "%s: %s has no group '%s'; its groups: %s", option, run->path,
                             name, list);
    }
    *count = 0;
    for (size_t g = 0; g < named; ++g)
        if (is_marked(&run->gmsh, run->group[g]))
            run->group[(*count)++] = run->group[g];
    return *count > 0 ? STARFISH_SUCCESS
                      : starfish_fail(STARFISH_ERROR_ARGUMENT, "%s: group '%s' of %s has no elements on its cells",
                                      option, name, run->path);
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

static starfish_status read_dirichlet(struct fem_run *run, const char *text)
{
    const char *value;
    size_t count;
    double number;
    STARFISH_TRY(find_groups(run, "--dirichlet", text, &count, &value));
    if (!read_numbers(value, &number, 1))
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "--dirichlet: '%s' is not GROUP=NUMBER", text);
    for (size_t g = 0; g < count; ++g)
        run->dirichlet[run->problem.dirichlets++] =
            (struct starfish_fem_dirichlet){.group = run->group[g], .value = number};
    return STARFISH_SUCCESS;
}

static starfish_status read_curve(struct fem_run *run, const char *text)
{
    const int d = run->gmsh.mesh.dimensions;
    const char *kind = d == 2 ? "circle:" : "sphere:", *value;
    size_t count;
    double numbers[4];
    STARFISH_TRY(find_groups(run, "--curved", text, &count, &value));
    if (strncmp(value, kind, strlen(kind)) != 0 || !read_numbers(value + strlen(kind), numbers, d + 1) ||
        !(numbers[d] > 0))
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "--curved: '%s' is not GROUP=%s with a positive radius", text,
                             d == 2 ? "circle:x,y,r" : "sphere:x,y,z,r");
    for (size_t g = 0; g < count; ++g) {
        struct starfish_fem_curve *curve = &run->curve[run->problem.curves++];
        *curve = (struct starfish_fem_curve){.group = run->group[g], .radius = numbers[d]};
        memcpy(curve->centre, numbers, (size_t)d * sizeof *numbers);
    }
    return STARFISH_SUCCESS;
}

/* Marks of groups that no option names are refined for nothing. */
static void drop_marks(struct fem_run *run)
{
    struct starfish_fem_mark *mark = (struct starfish_fem_mark *)(uintptr_t)run->gmsh.mesh.mark;
    size_t kept = 0;
    for (size_t m = 0; m < run->gmsh.mesh.marks; ++m) {
        int named = 0;
        for (size_t i = 0; i < run->problem.dirichlets; ++i)
            named = named || run->dirichlet[i].group == mark[m].group;
        for (size_t i = 0; i < run->problem.curves; ++i)
            named = named || run->curve[i].group == mark[m].group;
        if (named)
            mark[kept++] = mark[m];
    }
    run->gmsh.mesh.marks = kept;
}

void fem_set_precision(struct fem_options *options, int precision)
{
    options->library.precision = precision == STARFISH_F32 ? STARFISH_F32 : STARFISH_F64;
    options->library.mixed = precision == STARFISH_PRECISION_MIXED;
}

/* Room for every group in every option. */
static starfish_status make_room(struct fem_run *run)
{
    const size_t groups = run->gmsh.groups;
    run->group = calloc(groups + 1, sizeof *run->group);
    run->dirichlet = calloc(run->options.dirichlet.count * groups + 1, sizeof *run->dirichlet);
    run->curve = calloc(run->options.curved.count * groups + 1, sizeof *run->curve);
    return run->group && run->dirichlet && run->curve
               ? STARFISH_SUCCESS
               : starfish_fail(STARFISH_ERROR_MEMORY, "%s: out of memory for its groups", run->path);
}

starfish_status fem_read(struct fem_run *run)
{
    STARFISH_TRY(starfish_gmsh_read(run->path, &run->gmsh));
    STARFISH_TRY(make_room(run));
    run->problem = (struct starfish_fem_problem){.mesh = &run->gmsh.mesh,
                                                 .refinements = (int)run->options.levels,
                                                 .element = (starfish_fem_element)run->options.element,
                                                 .rhs = run->options.rhs,
                                                 .dirichlet = run->dirichlet,
                                                 .curve = run->curve};
    for (size_t i = 0; i < run->options.dirichlet.count; ++i)
        STARFISH_TRY(read_dirichlet(run, run->options.dirichlet.text[i]));
    for (size_t i = 0; i < run->options.curved.count; ++i)
        STARFISH_TRY(read_curve(run, run->options.curved.text[i]));
    drop_marks(run);
    return STARFISH_SUCCESS;
}

void fem_forget(struct fem_run *run)
{
    starfish_gmsh_free(&run->gmsh);
    free(run->group);
    free(run->dirichlet);
    free(run->curve);
    run->group = NULL;
    run->dirichlet = NULL;
    run->curve = NULL;
}
