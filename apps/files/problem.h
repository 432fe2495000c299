/* Problem files: what to solve, as JSON. The keys are described in docs/ and, in short, at `struct starfish_problem`.
 *
 * Every complaint is one line `FILE: "key": reason`; names inside the file are relative to its folder. */
#ifndef STARFISH_APPS_FILES_PROBLEM_H
#define STARFISH_APPS_FILES_PROBLEM_H

#include "apps/files/array.h"
#include "solver/members.h"

#include <starfish/diffusion.h>
#include <starfish/poisson.h>

typedef enum starfish_problem_kind {
    STARFISH_POISSON3D,
    STARFISH_SEPARABLE3D,
    STARFISH_SEPARABLE2D,
    STARFISH_DIFFUSION3D,
    STARFISH_DIFFUSION2D,
    STARFISH_ATMOSPHERE3D
} starfish_problem_kind;

/* A right-hand side, boundary data or a known solution: one number everywhere, or an array. */
struct starfish_values {
    int given;
    double constant;
    struct starfish_array array; /* empty: the constant */
};

enum { STARFISH_PROBLEM_ARRAYS = 8, STARFISH_PROBLEM_INPUTS = 24 };

/* What diffusion3d and diffusion2d have beside a box. */
struct starfish_problem_diffusion {
    struct starfish_values coefficient;
    starfish_mean mean;
    struct starfish_array regions; /* rank 0: none */
    long long *numbers;            /* the same */
};

struct starfish_problem {
    char *path, *folder;
    starfish_problem_kind kind;
    const struct starfish_kind *plans; /* the kind of plans, which has the options (solver/solver.h), */
    const struct starfish_problem_row *row;
    void
        *data; /* and the problem's own struct, row->members->size bytes, for row->create; its arrays are in this one */
    size_t dimensions;            /* 3, or 2 */
    struct starfish_axis axis[3]; /* x, y, z; axis[2] of a 2D problem has n = 1 */
    double lambda;                /* 0 when absent */
    struct starfish_values rhs, exact;
    struct starfish_values boundary[3][2]; /* [direction][low, high end] */
    int geometry;                          /* atmosphere3d: 0 flat, 1 panel, 2 sphere */
    double height, omega;                  /* atmosphere3d */
    char *solution;                        /* where the solution goes, or NULL */
    char *input[STARFISH_PROBLEM_INPUTS];  /* names of the array files that were read */
    size_t inputs;
    /* Of the slowest direction, this process's planes, which are all that is read of fields and of faces across it; all
     * where there is one process. A face at an end that others have is given, and neither an array nor a constant. */
    size_t first_plane, planes;

    struct starfish_array coefficients[STARFISH_PROBLEM_ARRAYS]; /* what the axes point to */
    size_t coefficient_count;

    struct starfish_problem_diffusion diffusion;
};

/* Read and check the file and the arrays it names. `rhs`, where not NULL, is read instead of what the key "rhs" names.
 * The caller ends with starfish_problem_free, also after a failure. Errors: ARGUMENT, FILE, MEMORY. */
starfish_status starfish_problem_read(const char *path, const char *rhs, struct starfish_problem *problem);
/* The same for simulations: the arrays of fields and boundary data are not read and need not exist; each has its shape
 * and no data. */
starfish_status starfish_problem_read_shapes(const char *path, const char *rhs, struct starfish_problem *problem);
/* The same of one process among several, to which planes are dealt (base/deal.h). */
starfish_status starfish_problem_read_part(const char *path, const char *rhs, int rank, int ranks,
                                           struct starfish_problem *problem);
void starfish_problem_free(struct starfish_problem *problem);

/* "poisson3d", ... */
const char *starfish_problem_kind_name(starfish_problem_kind kind);

/* NumPy shape of a field, (nz, ny, nx) or (ny, nx), into `shape`; returns the rank. */
size_t starfish_problem_shape(const struct starfish_problem *problem, size_t shape[3]);
/* The same of this process's planes. */
size_t starfish_problem_shape_here(const struct starfish_problem *problem, size_t shape[3]);

/* Positions of the n unknowns of direction d, for pictures and VTK: equal spacing (returns 0, *origin and *spacing are
 * set) or coordinates (returns 1, position[0..n-1] is set). A TRIDIAGONAL axis has indices for positions. */
int starfish_problem_positions(const struct starfish_problem *problem, size_t d, double *origin, double *spacing,
                               double *position);

#endif
