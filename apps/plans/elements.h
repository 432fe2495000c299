/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Problems of finite elements on a mesh file, of starfish fem and of what measures any plan. */
#ifndef STARFISH_APPS_PLANS_ELEMENTS_H
#define STARFISH_APPS_PLANS_ELEMENTS_H

#include "apps/files/gmsh.h"
#include "apps/files/problem.h"
#include "apps/options.h"

#include <starfish/fem.h>

/* What the command line says of the problem. */
struct elements_options {
    int element; /* a starfish_fem_element */
    double rhs;
    size_t levels;
    struct option_texts dirichlet, curved;
};

extern const struct starfish_option_table elements_table; /* --element */

/* `data` of a struct starfish_read_problem. */
struct elements {
    struct starfish_fem_problem problem; /* the first member */
    const char *path;
    struct starfish_gmsh gmsh;
    int *group; /* of those that an option names, one after the other */
    struct starfish_fem_dirichlet *dirichlet;
    struct starfish_fem_curve *curve;
};

/* Reads the mesh, and the groups that the options name, where all groups of one name count; marks of other groups are
 * left out. The caller ends with starfish_problem_free, also after a failure. Errors: FILE, ARGUMENT (names the
 * option), MEMORY. */
starfish_status elements_read(const char *path, const struct elements_options *options,
                              struct starfish_read_problem *problem);

#endif
