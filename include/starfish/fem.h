/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finite elements on unstructured meshes of quadrilaterals or hexahedra: -Laplace u = f, with u given on parts of the
 * boundary or of the interior, and du/dn = 0 on the rest of the boundary. Elements are conforming Q1 or Q2. The solver
 * is geometric multigrid built from sparse matrices only (Geveler, Ribbrock, Goeddeke, Zajac, Turek, Computers & Fluids
 * 80 (2013), 327-332).
 *
 * The mesh is refined uniformly `refinements` times: every cell is cut into 4 or 8. For both elements, the geometry of
 * a cell is the biquadratic (triquadratic) map through its 9 (27) nodes; a cell given only by its corners is straight.
 * New nodes are placed by that map; nodes of curved groups are moved to the circle or sphere. Nodes of the finest space
 * are numbered by vertices, those of the coarser mesh first. For Q2 elements, midpoints of edges, of faces and of cells
 * follow. The numbering option changes only the order of unknowns inside the solver.
 *
 * In a context on several ranks (starfish/mpi.h) all ranks create the same plan from the whole mesh, and solve
 * together. Each rank owns parts of the unknowns of large grids, and their matrix rows.
 *
 * Thread-safety: a plan may be used from several threads; its solves run one after another. On several ranks, one
 * thread per rank uses it, in the same order on all ranks. */
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

/* A mesh in arrays of the caller, which are read during plan creation only. The nodes of a cell are the corners of the
 * reference cell [0,2]^d and the midpoints of its edges, faces and interior. Their coordinates are 0 (low), 1 or 2
 * (high) in each direction, x fastest: node n of a quadrilateral is at (n % 3, n / 3), of a hexahedron at (n % 3, n / 3
 * % 3, n / 9). */
struct starfish_fem_mesh {
    int dimensions;      /* 2 or 3 */
    size_t points;       /* number of points */
    const double *point; /* coordinates, 3 per point; the third is ignored in 2D */
    size_t cells;        /* number of cells */
    /* 3^d point indices per cell, x fastest. -1: the midpoint is interpolated from the corners and midpoints around it.
     * Corners must be given. */
    const int *cell;
    size_t marks; /* number of marks */
    /* Corners, edges, faces or cells that belong to groups; one entry per group they belong to. */
    const struct starfish_fem_mark *mark;
    const size_t *number; /* numbers of cells for messages; NULL: 0, 1, 2, ... */
};
/* Assigns a corner, edge or face of a cell, or the whole cell, to a group. */
struct starfish_fem_mark {
    size_t cell;            /* index of the cell in the mesh, from 0 */
    int group;              /* any number */
    unsigned char place[3]; /* in each direction: 0 low, 2 high, 1 all of it; the third is ignored in 2D */
};

/* A function of position, 3 coordinates (the third is 0 in 2D); `data` is the user's pointer. */
typedef double starfish_fem_function(void *data, const double point[3]);

/* u on a group: a constant, or a function evaluated at the nodes. */
struct starfish_fem_dirichlet {
    int group;                       /* as in marks */
    double value;                    /* u, if `function` is NULL */
    starfish_fem_function *function; /* u as a function of position, or NULL */
    void *data;                      /* first argument of `function` */
};

/* A group on a circle (2D) or sphere (3D). */
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
    const struct starfish_fem_mesh *mesh; /* the mesh before refinement */
    int refinements; /* number of uniform refinements, 0 .. 16; the finest mesh must have fewer than 2^31 nodes and fit
                        into memory */
    starfish_fem_element element;  /* element of the finest space */
    double rhs;                    /* f, if `source` is NULL */
    starfish_fem_function *source; /* f, evaluated at Gauss points (2 per direction for Q1, 3 for Q2), or NULL */
    void *source_data;             /* first argument of `source` */
    size_t dirichlets;             /* number of groups with given u */
    /* Values of u on groups. If a node belongs to two groups, the later entry applies. On mesh components without given
     * nodes (on all if there are no groups) the problem is singular: the mean of f over the component is subtracted,
     * and u has mean zero there. */
    const struct starfish_fem_dirichlet *dirichlet;
    size_t curves;                          /* number of curved groups */
    const struct starfish_fem_curve *curve; /* circles or spheres of the curved groups */
};

/* ---- The solver -------------------------------------------------------------------------------------------------- */

/* Smoother: a step is u + damping M (f - A u). Each value lists its M, and the damping used for 0. */
typedef enum starfish_fem_smoother {
    STARFISH_FEM_JACOBI, /* M is the inverse of A's diagonal; damping 0.5 */
    /* SPAI(1): M minimises |I - M A| over all matrices with the pattern of A (Grote, Huckle, SIAM J. Sci. Comput. 18
     * (1997), 838-853); damping 1 */
    STARFISH_FEM_SPAI,
    /* M = Z D^-1 Z^T by stabilised A-biconjugation; entries below drop_tolerance are dropped (Benzi, Cullum, Tuma, SIAM
     * J. Sci. Comput. 22 (2000), 1318-1332); damping 0.5 */
    STARFISH_FEM_SAINV,
    /* M = G^T G: G minimises |I - G L| over all triangular matrices with the pattern of A, where L is the Cholesky
     * factor of A (Kolotilina, Yeremin, SIAM J. Matrix Anal. Appl. 14 (1993), 45-58); damping 1 */
    STARFISH_FEM_FSAI,
    STARFISH_FEM_SMOOTHERS /* how many there are */
} starfish_fem_smoother;

/* Order of the unknowns. It affects SAINV and FSAI, and the locality of memory access. */
typedef enum starfish_fem_numbering {
    STARFISH_FEM_TWO_LEVEL,     /* nodes of the coarser mesh first, then midpoints of its edges, faces and cells */
    STARFISH_FEM_CUTHILL_MCKEE, /* by levels of the matrix graph */
    STARFISH_FEM_XYZ,           /* sorted by coordinates, the first one most significant */
    STARFISH_FEM_RANDOM,        /* random, by options.seed */
    STARFISH_FEM_HIERARCHICAL,  /* cell by cell; the children of a cell follow one another */
    STARFISH_FEM_NUMBERINGS     /* how many there are */
} starfish_fem_numbering;

/* Storage format of matrices. */
typedef enum starfish_sparse_format {
    STARFISH_SPARSE_AUTO,      /* SELL; ELLPACK-T for small grids on a GPU */
    STARFISH_SPARSE_CSR,       /* compressed rows */
    STARFISH_SPARSE_ELLPACK_T, /* rows of equal length, T GPU threads per row; T depends on the row lengths */
    STARFISH_SPARSE_SELL,      /* sliced ELLPACK, rows sorted by length in windows (SELL-C-sigma) */
    STARFISH_SPARSE_FORMATS    /* how many there are */
} starfish_sparse_format;

/* Options of a plan. */
struct starfish_fem_options {
    size_t size;                      /* sizeof(struct starfish_fem_options); the initialiser sets it */
    starfish_precision precision;     /* precision of the solution and the residual */
    int mixed;                        /* F64: cycles in F32, residuals in F64 */
    starfish_fem_smoother smoother;   /* M of a smoothing step */
    starfish_fem_numbering numbering; /* order of the unknowns inside the solver */
    starfish_sparse_format format;    /* storage format of matrices */
    starfish_cycle_shape cycle;       /* V, F or W */
    int smoothing_steps;   /* steps before, and the same number after, the coarse grid correction; 0: 8 in 2D, 16 in
                              3D */
    double damping;        /* 0: the smoother's default, reduced if steps would not converge */
    double drop_tolerance; /* SAINV: relative size below which entries are dropped; 0: 0.1 in 2D, 0.05 in 3D (M then has
                              up to twice the entries of A) */
    int pattern_power;     /* SPAI and FSAI: M has the pattern of this power of A */
    /* Bound of the residual's norm over the norm of the right-hand side, boundary data included; 0: 1e-10 (F64), 1e-6
     * (F32). */
    double tolerance;
    int max_iterations; /* maximum number of cycles; 1 or more */
    /* Run exactly max_iterations cycles without residuals, for measurements; krylov AUTO then means cycles alone. */
    int fixed;
    starfish_krylov krylov; /* Krylov method preconditioned by cycles */
    size_t seed;            /* seed of the numbering RANDOM */
    /* Number of parts into which the mesh divides the finer grids, at most STARFISH_FEM_MOST_PARTS; 1: not divided.
     * GPUs, or else the cores, own the parts in turn. 0: one part per GPU if there are several, the problem is large
     * and precision is not mixed; on several ranks one per GPU or CPU worker of each. SAINV and FSAI depend on the
     * order of the unknowns, so their parts are runs of unknowns; only numberings by neighbourhood give them small
     * halos. */
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

/* Creates a plan: refines the mesh, numbers the unknowns, assembles the matrices and sets up the smoothers of all
 * levels. `options` may be NULL. The caller owns *plan; destroy it before its context. Collective; each rank calls
 * `source` for its own cells and those around them.
 *
 * Solves (starfish/solve.h) take rhs = NULL. The solution is u at all nodes of the finest space: starfish_fem_nodes
 * reals of options.precision in host memory. All ranks but the first may pass NULL. On several ranks a submission
 * returns when the job is solved, and times are per rank. In results, iterations are cycles, and norms include boundary
 * data. pertrb is the subtracted mean of f; of several means the largest in magnitude.
 *
 * Errors: ARGUMENT (names the member, and cells by their numbers; or problems or options differ between ranks),
 * UNSUPPORTED (2^31 or more nodes or matrix entries), MEMORY, RUNTIME. */
STARFISH_API starfish_status starfish_fem_plan_create(starfish_context *context,
                                                      const struct starfish_fem_problem *problem,
                                                      const struct starfish_fem_options *options, starfish_plan **plan);

/* Number of nodes of the finest space, including those with given u; 0 for NULL or a plan of another kind.
 * Thread-safe. */
STARFISH_API size_t starfish_fem_nodes(const starfish_plan *plan);
/* Coordinates of the nodes, 3 per node, owned by the plan; NULL for NULL or a plan of another kind. Thread-safe. */
STARFISH_API const double *starfish_fem_points(const starfish_plan *plan);
/* Number of cells of the finest space; 0 for NULL or a plan of another kind. If `cell` is not NULL, *cell is set to the
 * nodes of the cells, 2^d or 3^d per cell, x fastest, owned by the plan. Thread-safe. */
STARFISH_API size_t starfish_fem_cells(const starfish_plan *plan, const int **cell);

/* Numbers of matrix entries on the finest grid, and the set-up time of the smoothers. */
struct starfish_fem_matrices {
    size_t size;              /* sizeof(struct starfish_fem_matrices); the initialiser sets it */
    size_t nonzeros;          /* entries of A */
    size_t smoother_nonzeros; /* entries of the smoother's matrices */
    double smoother_seconds;  /* part of the plan's creation spent on the smoothers of all grids */
};
/* Initialiser: sets the size. */
#define STARFISH_FEM_MATRICES_DEFAULTS                                                                                 \
    {                                                                                                                  \
        .size = sizeof(struct starfish_fem_matrices)                                                                   \
    }
/* Reports the entries of the plan's matrices. Thread-safe. Errors: ARGUMENT. */
STARFISH_API starfish_status starfish_fem_matrices(const starfish_plan *plan, struct starfish_fem_matrices *matrices);

/* Computes *error = ||u - exact|| in L2, by 4 Gauss points per direction; u is a solution in f64, starfish_fem_nodes
 * reals. Errors: ARGUMENT, MEMORY. */
STARFISH_API starfish_status starfish_fem_error(const starfish_plan *plan, const double *u,
                                                starfish_fem_function *exact, void *data, double *error);

#ifdef __cplusplus
}
#endif

#endif
