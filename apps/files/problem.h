/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Problem files: the problem to solve, as JSON. docs/ describes the keys; `struct starfish_read_problem` lists them.
 * Every error message is one line `FILE: "key": reason`. Names inside the file are relative to its folder. */
#ifndef STARFISH_APPS_FILES_PROBLEM_H
#define STARFISH_APPS_FILES_PROBLEM_H

#include "apps/files/array.h"
#include "apps/files/vtk.h"
#include "solver/members.h"

#include <starfish/poisson.h>

/* A right-hand side, boundary data or a known solution: one number everywhere, or an array. */
struct starfish_values {
    int given;
    double constant;
    struct starfish_array array; /* empty: the constant */
};

enum { STARFISH_PROBLEM_INPUTS = 24, STARFISH_PROBLEM_MOST_KINDS = 32 };

struct starfish_read_problem {
    char *path, *folder;
    const struct starfish_kind *plans; /* the kind of plans, which has the options (solver/solver.h), */
    const struct starfish_problem_row *row;
    void *data;       /* and the problem's own struct, row->members->size bytes */
    size_t n[3];      /* unknowns by direction, 1 where there is no direction */
    double origin[3]; /* of directions whose grid is uniform */
    struct starfish_values rhs, exact;
    struct starfish_values boundary[3][2]; /* [direction][low, high end] */
    char *solution;                        /* where the solution goes, or NULL */
    char *input[STARFISH_PROBLEM_INPUTS];  /* names of the array files that were read */
    size_t inputs;
    /* Of the slowest direction, this process's planes, which are all that is read of fields and of faces across it; all
     * where there is one process. A face at an end that others have is given, and neither an array nor a constant. */
    size_t first_plane, planes;
    void **kept; /* arrays that `data` points to */
    size_t kept_count;
    void (*forget)(void *data);             /* frees what else `data` points to; NULL: nothing */
    size_t (*reals)(const starfish_plan *); /* of a solution, where the plan says how many; NULL: the sizes say it */
};

/* Read and check the file and the arrays it names. `rhs`, where not NULL, is read instead of what the key "rhs" names.
 * The caller ends with starfish_problem_free, also after a failure. Errors: ARGUMENT, FILE, MEMORY. */
starfish_status starfish_problem_read(const char *path, const char *rhs, struct starfish_read_problem *problem);
/* The same for simulations: the arrays of fields and boundary data are not read and need not exist; each has its shape
 * and no data. */
starfish_status starfish_problem_read_shapes(const char *path, const char *rhs, struct starfish_read_problem *problem);
/* The same of one process among several, to which planes are dealt (base/deal.h). */
starfish_status starfish_problem_read_part(const char *path, const char *rhs, int rank, int ranks,
                                           struct starfish_read_problem *problem);
void starfish_problem_free(struct starfish_read_problem *problem);

/* The name of direction d: "x", "y" or "z" but of problems with names of their own. */
const char *starfish_problem_direction(const struct starfish_problem_row *row, size_t d);
/* NumPy shape of a field, (nz, ny, nx) or (ny, nx), into `shape`; returns the rank. */
size_t starfish_problem_shape(const struct starfish_read_problem *problem, size_t shape[3]);
/* The same of this process's planes. */
size_t starfish_problem_shape_here(const struct starfish_read_problem *problem, size_t shape[3]);

/* Where the unknowns of direction d lie: a grid, or TRIDIAGONAL where that is not known. */
struct starfish_axis starfish_problem_axis(const struct starfish_read_problem *problem, size_t d);

/* Positions of the n unknowns of direction d, for pictures and VTK: equal spacing (returns 0, *origin and *spacing are
 * set) or coordinates (returns 1, position[0..n-1] is set). A TRIDIAGONAL axis has indices for positions. */
int starfish_problem_positions(const struct starfish_read_problem *problem, size_t d, double *origin, double *spacing,
                               double *position);

/* How the coordinates of a kind are round, and whether an angle is periodic and goes all the way round. NULL: they are
 * Cartesian. */
const struct starfish_vtk_round *starfish_problem_round(const struct starfish_problem_row *row);
int starfish_problem_is_closed(const struct starfish_axis *angle);

#endif
