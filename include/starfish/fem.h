/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finite elements on unstructured meshes: -Laplace u = f in a domain of quadrilaterals or hexahedra, u given on parts
 * of the boundary (or of the inside), du/dn = 0 elsewhere on it; conforming Q1 and Q2 elements, solved by geometric
 * multigrid that is made of sparse matrices alone (Geveler, Ribbrock, Goeddeke, Zajac, Turek, Computers & Fluids 80
 * (2013), 327-332).
 *
 * The mesh is refined uniformly `refinements` times: every cell is cut into 4 or 8. A cell's geometry is the
 * biquadratic (triquadratic) map through its 9 (27) nodes, whatever the element; a cell that is given by its corners is
 * straight. New nodes are where that map says, and on groups that are declared curved are moved to the circle or
 * sphere. Nodes of the finest space are numbered by vertices, of which those of the coarser mesh come first, then for
 * Q2 elements middles of edges, of faces, of cells; the numbering option changes the order of unknowns inside the
 * solver alone.
 *
 * In a context on several ranks (starfish/mpi.h) all of them make the same plan, of the whole mesh, and solve together:
 * ranks have parts of the unknowns of large grids, and their rows of the matrices.
 *
 * Thread-safety: a plan may be used from several threads; its solves then follow one another. On several ranks one
 * thread of each uses it, in the same order. */
#ifndef STARFISH_FEM_PUBLIC_H
#define STARFISH_FEM_PUBLIC_H

#include <starfish/context.h>
#include <starfish/multigrid.h>
#include <starfish/solve.h>
#include <starfish/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- The problem ------------------------------------------------------------------------------------------------- */

/* Arrays of the caller, which are read while the plan is made. Node n of a cell is at the corner of the reference cell
 * [0,2]^d, or on the middle of an edge, face or cell, with coordinate 0 (low), 1 or 2 (high) in each direction: x
 * fastest, so that node n of a quadrilateral is at (n % 3, n / 3), and of a hexahedron at (n % 3, n / 3 % 3, n / 9). */
struct starfish_fem_mesh {
    int dimensions;      /* 2 or 3 */
    size_t points;       /* number of points */
    const double *point; /* of the points: 3 coordinates each; in 2D the third is not looked at */
    size_t cells;        /* number of cells */
    /* 3^d points per cell, x fastest: -1 where a middle is not given, which then is interpolated from the corners
     * and the middles around it. Corners are always given. */
    const int *cell;
    size_t marks; /* number of marks */
    /* Which corners, edges, faces or cells are in groups. Anything in several groups is there several times. */
    const struct starfish_fem_mark *mark;
    const size_t *number; /* of cells in messages; NULL: 0, 1, 2, ... */
};
/* A corner, edge or face of a cell, or the cell, in a group. */
struct starfish_fem_mark {
    size_t cell;            /* its index in the mesh, from 0 */
    int group;              /* any number */
    unsigned char place[3]; /* in each direction: 0 low, 2 high, 1 all of it; in 2D the third is not looked at */
};

/* A function of the place, 3 coordinates (the third 0 in 2D); `data` is the user's. */
typedef double starfish_fem_function(void *data, const double point[3]);

/* u on a group: a number, or where `function` is not NULL its values at the nodes. */
struct starfish_fem_dirichlet {
    int group;                       /* as in marks */
    double value;                    /* u, where `function` is NULL */
    starfish_fem_function *function; /* u by place, or NULL */
    void *data;                      /* first argument of `function` */
};

/* A group that lies on a circle (2D) or sphere (3D). */
struct starfish_fem_curve {
    int group;        /* as in marks */
    double centre[3]; /* finite; in 2D the third number has no effect */
    double radius;    /* positive */
};

/* Conforming elements. */
typedef enum starfish_fem_element {
    STARFISH_FEM_Q1,      /* bilinear, in 3D trilinear */
    STARFISH_FEM_Q2,      /* biquadratic, in 3D triquadratic */
    STARFISH_FEM_ELEMENTS /* how many there are */
} starfish_fem_element;

/* -Laplace u = f, u given on groups. Arrays are read while the plan is made. */
struct starfish_fem_problem {
    size_t size;                          /* sizeof(struct starfish_fem_problem), or 0: that of the first release */
    const struct starfish_fem_mesh *mesh; /* before refinement */
    int refinements; /* of the mesh, 0 .. 16; the finest one has less than 2^31 nodes, and fits into memory */
    starfish_fem_element element;  /* of the finest space */
    double rhs;                    /* f where `source` is NULL */
    starfish_fem_function *source; /* f by its values at Gauss points, 2 per direction for Q1 and 3 for Q2 */
    void *source_data;             /* first argument of `source` */
    size_t dirichlets;             /* number of groups with given u */
    /* u on groups. Where a node is in two of them, the later one counts. On each component of the mesh without
     * given nodes, which is all of it where there are no groups, the problem is singular: the mean of f is taken off
     * there, and u has mean zero. */
    const struct starfish_fem_dirichlet *dirichlet;
    size_t curves;                          /* number of curved groups */
    const struct starfish_fem_curve *curve; /* circles or spheres of the curved groups */
};

/* ---- The solver -------------------------------------------------------------------------------------------------- */

/* A step of the smoother is u + damping M (f - A u); its value says what M is, and the damping that 0 stands for. */
typedef enum starfish_fem_smoother {
    STARFISH_FEM_JACOBI, /* the inverse of A's diagonal; damping 0.5 */
    /* SPAI(1): of all matrices with the pattern of A the one for which |I - M A| is smallest (Grote, Huckle, SIAM J.
     * Sci. Comput. 18 (1997), 838-853); damping 1 */
    STARFISH_FEM_SPAI,
    /* Z D^-1 Z^T by stabilised A-biconjugation, of which entries below drop_tolerance are dropped (Benzi, Cullum, Tuma,
     * SIAM J. Sci. Comput. 22 (2000), 1318-1332); damping 0.5 */
    STARFISH_FEM_SAINV,
    /* G^T G, of all triangular G with the pattern of A the one for which |I - G L| is smallest, L the Cholesky factor
     * of A (Kolotilina, Yeremin, SIAM J. Matrix Anal. Appl. 14 (1993), 45-58); damping 1 */
    STARFISH_FEM_FSAI,
    STARFISH_FEM_SMOOTHERS /* how many there are */
} starfish_fem_smoother;

/* Order of the unknowns. It changes what SAINV and FSAI are, and how fast memory is. */
typedef enum starfish_fem_numbering {
    STARFISH_FEM_TWO_LEVEL,     /* unknowns of the coarser mesh's nodes first, then those of its edges, faces, cells */
    STARFISH_FEM_CUTHILL_MCKEE, /* level by level of the matrix's graph */
    STARFISH_FEM_XYZ,           /* by coordinates, the first counting most */
    STARFISH_FEM_RANDOM,        /* by options.seed */
    STARFISH_FEM_HIERARCHICAL,  /* cell by cell, where the cells that one was refined into come one after the other */
    STARFISH_FEM_NUMBERINGS     /* how many there are */
} starfish_fem_numbering;

/* How matrices are stored. */
typedef enum starfish_sparse_format {
    STARFISH_SPARSE_AUTO,      /* SELL; small grids of a GPU ELLPACK-T */
    STARFISH_SPARSE_CSR,       /* compressed rows */
    STARFISH_SPARSE_ELLPACK_T, /* rows of equal length, for T threads of a GPU each; T by the rows' lengths */
    STARFISH_SPARSE_SELL,      /* sliced ELLPACK, rows sorted by length in windows (SELL-C-sigma) */
    STARFISH_SPARSE_FORMATS    /* how many there are */
} starfish_sparse_format;

/* How a plan is made and solves. */
struct starfish_fem_options {
    size_t size;                      /* sizeof(struct starfish_fem_options); the initialiser sets it */
    starfish_precision precision;     /* of the solution and the residual */
    int mixed;                        /* F64: cycles in F32, residuals in F64 */
    starfish_fem_smoother smoother;   /* M of a smoothing step */
    starfish_fem_numbering numbering; /* of the unknowns inside the solver */
    starfish_sparse_format format;    /* how matrices are stored */
    starfish_cycle_shape cycle;       /* V, F or W */
    int smoothing_steps;   /* steps before, and as many after the coarse grid's correction; 0: 8 in 2D, 16 in 3D */
    double damping;        /* 0: by the smoother, and less where steps would not converge */
    double drop_tolerance; /* of SAINV; 0: 0.1 in 2D, 0.05 in 3D, where M has up to twice the entries of A */
    int pattern_power;     /* of SPAI and FSAI: M has the pattern of this power of A */
    /* Of the residual's norm over that of the right-hand side with its boundary data; 0: 1e-10 (F64), 1e-6 (F32). */
    double tolerance;
    int max_iterations; /* cycles at most; 1 or more */
    /* Exactly max_iterations cycles, without residuals: for measurements. AUTO is then cycles alone. */
    int fixed;
    starfish_krylov krylov; /* the iteration that cycles precondition */
    size_t seed;            /* of the numbering RANDOM */
    /* Parts that the finer grids are cut into by the mesh, each with a GPU or the cores as its owner, in turn; 1: none.
     * 0: one per GPU where there are several, the problem is large and precision not mixed; on several ranks one per
     * GPU or worker of cores of each. SAINV and FSAI depend on the order of unknowns and keep it, so that their parts
     * are runs of unknowns, which have small halos with numberings by neighbourhood alone. At most
     * STARFISH_FEM_MOST_PARTS. */
    int slabs;
};
enum { STARFISH_FEM_MOST_PARTS = 8 /* largest number of `slabs` */ };
/* Initialiser: every option's default. */
#define STARFISH_FEM_OPTIONS_DEFAULTS                                                                                  \
    {                                                                                                                  \
        .size = sizeof(struct starfish_fem_options), .precision = STARFISH_F64, .mixed = 0,                            \
        .smoother = STARFISH_FEM_SPAI, .numbering = STARFISH_FEM_TWO_LEVEL, .format = STARFISH_SPARSE_AUTO,            \
        .cycle = STARFISH_CYCLE_F, .smoothing_steps = 0, .damping = 0, .drop_tolerance = 0, .pattern_power = 1,        \
        .tolerance = 0, .max_iterations = 10000, .fixed = 0, .krylov = STARFISH_KRYLOV_AUTO, .seed = 1, .slabs = 0     \
    }

/* Refine, number, assemble and set up the smoother on all levels. `options` may be NULL. The caller owns *plan; destroy
 * it before its context. Collective; `source` is called for a rank's own cells, and those around them.
 *
 * Solves (starfish/solve.h) have rhs = NULL. The solution is u at all nodes of the finest space, starfish_fem_nodes
 * reals of options.precision in host memory; on another rank than the first it may be NULL: it is not wanted there. On
 * several ranks a job is solved when it has been submitted, and times are the rank's own. Of results, iterations are
 * cycles, norms include boundary data, and pertrb is of several means that were taken off f the largest in size.
 *
 * Errors: ARGUMENT (names the member, and cells by their numbers; ranks have different problems or options),
 * UNSUPPORTED (2^31 nodes or entries of a matrix, or more), MEMORY, RUNTIME. */
STARFISH_API starfish_status starfish_fem_plan_create(starfish_context *context,
                                                      const struct starfish_fem_problem *problem,
                                                      const struct starfish_fem_options *options, starfish_plan **plan);

/* Nodes of the finest space, given ones included; 0 of a plan of another kind, or NULL. Thread-safe. */
STARFISH_API size_t starfish_fem_nodes(const starfish_plan *plan);
/* Coordinates of the nodes, 3 each, in the plan's memory; NULL of a plan of another kind, or NULL. Thread-safe. */
STARFISH_API const double *starfish_fem_points(const starfish_plan *plan);
/* Cells of the finest space; 0 of a plan of another kind, or NULL. *cell, where `cell` is not NULL, becomes the
 * cells' nodes, 2^d or 3^d each, x fastest, in the plan's memory. Thread-safe. */
STARFISH_API size_t starfish_fem_cells(const starfish_plan *plan, const int **cell);

/* Entries of matrices on the finest grid, and what making the smoother took. */
struct starfish_fem_matrices {
    size_t size;              /* sizeof(struct starfish_fem_matrices); the initialiser sets it */
    size_t nonzeros;          /* of A */
    size_t smoother_nonzeros; /* of the smoother's matrices */
    double smoother_seconds;  /* of creating the plan: for the smoothers of all grids */
};
/* Initialiser: sets the size. */
#define STARFISH_FEM_MATRICES_DEFAULTS                                                                                 \
    {                                                                                                                  \
        .size = sizeof(struct starfish_fem_matrices)                                                                   \
    }
/* Counts the entries of the plan's matrices. Thread-safe. Errors: ARGUMENT. */
STARFISH_API starfish_status starfish_fem_matrices(const starfish_plan *plan, struct starfish_fem_matrices *matrices);

/* ||u - exact|| in L2, by 4 Gauss points per direction, for a solution in f64, starfish_fem_nodes reals. Errors:
 * ARGUMENT, MEMORY. */
STARFISH_API starfish_status starfish_fem_error(const starfish_plan *plan, const double *u,
                                                starfish_fem_function *exact, void *data, double *error);

#ifdef __cplusplus
}
#endif

#endif
