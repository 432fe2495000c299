/* A solve by finite elements on a mesh file, of starfish fem and of what measures any plan. */
#ifndef STARFISH_APPS_PLANS_ELEMENTS_H
#define STARFISH_APPS_PLANS_ELEMENTS_H

#include "apps/files/array.h"
#include "apps/files/gmsh.h"
#include "apps/options.h"
#include "scheduler/transport.h"

#include <starfish/starfish.h>

struct fem_options {
    struct starfish_fem_options library;
    int element, precision; /* starfish_fem_element; names_table's --precision */
    double rhs;
    size_t levels;
    struct option_texts dirichlet, curved;
    const char *workers, *out, *points, *vtk, *plot;
    int json, mpi;
};

struct fem_run {
    struct fem_options options;
    const char *path;
    struct starfish_gmsh gmsh;
    int *group; /* of those that an option names, one after the other */
    struct starfish_fem_dirichlet *dirichlet;
    struct starfish_fem_curve *curve;
    struct starfish_fem_problem problem;
    const struct starfish_transport *transport; /* to other ranks; NULL: there are none */
    starfish_context *context;
    starfish_plan *plan;
    struct starfish_array u, points; /* u: on the first rank; points: (nodes, dimensions) */
    struct starfish_about about;
    struct starfish_fem_matrices matrices;
    struct starfish_result result;
    const char *status; /* the name of result.outcome; NULL before a solve has ended, or where it failed otherwise */
};

/* The library's precisions by one of names_table. */
void fem_set_precision(struct fem_options *options, int precision);
/* Reads the mesh, and the groups that the options name, where all groups of one name count; marks of other groups are
 * left out. The caller frees what was read by fem_forget, also after a failure. Errors: FILE, ARGUMENT (names the
 * option), MEMORY. */
starfish_status fem_read(struct fem_run *run);
void fem_forget(struct fem_run *run);

/* run->plan with what it says of itself, and u. Errors: those of the library; those of arguments name the mesh. */
starfish_status fem_make_plan(struct fem_run *run, starfish_context *context);
/* Sets result and status, also where the solve ends with NUMERICAL. */
starfish_status fem_solve(struct fem_run *run);
/* Undoes fem_make_plan, also after a failure. */
void fem_destroy_plan(struct fem_run *run);
/* Of all ranks, the one that has u and writes files. */
int fem_is_first(const struct fem_run *run);

#endif
