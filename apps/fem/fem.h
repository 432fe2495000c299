/* starfish fem: what its files share. */
#ifndef STARFISH_APPS_FEM_FEM_H
#define STARFISH_APPS_FEM_FEM_H

#include "apps/files/array.h"
#include "apps/files/gmsh.h"
#include "apps/options.h"

#include <starfish/starfish.h>

struct fem_options {
    struct starfish_fem_options library;
    int element, precision; /* starfish_fem_element; names_table's --precision */
    double rhs;
    size_t levels;
    struct option_texts dirichlet, curved;
    const char *workers, *out, *points, *vtk, *plot, *tolerance_given;
    int json;
};

struct fem_run {
    struct fem_options options;
    const char *path;
    struct starfish_gmsh gmsh;
    struct starfish_fem_dirichlet dirichlet[OPTION_MOST_TEXTS];
    struct starfish_fem_curve curve[OPTION_MOST_TEXTS];
    struct starfish_fem_problem problem;
    starfish_context *context;
    starfish_fem_plan *plan;
    struct starfish_array u, points; /* points: (nodes, dimensions) */
    struct starfish_fem_info info;
    const char *status;
};

/* mesh.c: reads the mesh, and the groups that the options name; marks of other groups are left out. Errors: FILE,
 * ARGUMENT (names the option), MEMORY. */
starfish_status fem_read(struct fem_run *run);

/* files.c */
starfish_status fem_check_outputs(const struct fem_run *run);
starfish_status fem_write_outputs(struct fem_run *run);
/* picture.c: the solution on the plane, or of a solid on the plane through the middle across z. */
starfish_status fem_write_plot(const struct fem_run *run);

/* report.c */
void fem_print_table(const struct fem_run *run);
void fem_print_json(const struct fem_run *run);

#endif
