/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Engines for flat domains (multigrid/kernels/flat.h): tensor-product multigrid, coarser in x and y alone and smoothed
 * by lines upwards, and conjugate gradients preconditioned by such lines (Mueller, Scheichl, Vainikko, Parallel Comput.
 * 50 (2015), 53-69; Boerm, Hiptmair, Numer. Algorithms 26 (2001), 219-234). Everything is coarsened in f64.
 *
 * Coarse columns are pairs of fine ones in the directions whose couplings are at least half of the strongest's. The
 * volumes of a pair add up. Faces are resistors: those between the centres of two coarse columns are in series, where a
 * centre is in the middle of its inner face, and those of a pair side by side are parallel. On equal cells of a flat
 * box this is the discretisation of the coarse grid. Residuals are added up, corrections are linear between centres and
 * zero on the sides. The coarsest grid is solved by smoothing sweeps. */
#ifndef STARFISH_MULTIGRID_FLAT_H
#define STARFISH_MULTIGRID_FLAT_H

#include "multigrid/engine.h"
#include "multigrid/kernels/flat_kind.h"

/* What preconditions conjugate gradients. */
enum starfish_flat_preconditioner { STARFISH_FLAT_BY_CYCLES, STARFISH_FLAT_BY_LINES, STARFISH_FLAT_BY_NOTHING };

/* Boxes of columns, parts[0] of them in x and parts[1] in y, number p + parts[0] * q with its owner. */
struct starfish_flat_cut {
    size_t parts[2];
    const struct starfish_owner *owner; /* NULL: STARFISH_ANY */
};

/* The matrix as in multigrid/kernels/flat.h, in f64. Arrays are read when the engine is made. Of a sphere all arrays of
 * columns, faces and corners are those of the six panels, one behind the other, each as if it was alone; n[1] is 6
 * n[0]. */
struct starfish_flat_problem {
    size_t n[3];
    int periodic[2];
    int sphere;
    const double *mass, *lift, *face_x, *face_y, *a, *b, *c, *d;
    const double *corner; /* NULL: none */
    /* Right-hand sides are values, which are multiplied by column[i + n[0] * j] * layer[k], the volumes of cells. */
    const double *column, *layer;
    int coarse_sweeps; /* 0: chosen; 2 where columns of the coarsest grid are hardly coupled */
    enum starfish_flat_preconditioner preconditioner;
    const struct starfish_flat_cut *cut; /* how grids are cut into boxes (flat_boxes.h), a sphere into its panels; NULL:
                                            chosen, into runs */
};

/* In mixed precision, cycles in f32 for a residual in f64, at most: those of the last correction are as many as the
 * tolerance needs. In bytes per unknown a residual and its correction take 56, a cycle 44, and a cycle in f64 88: two
 * cycles are 1.2 times as fast as in f64, four 1.5 times, ten 1.76 times. On boxes ten cycles in f32 gain as much as
 * ten in f64; on panels, where the right-hand side is smooth, those after the sixth gain nothing. */
static inline int starfish_flat_inner_cycles(const struct starfish_flat_problem *problem)
{
    return problem->corner ? 6 : 10;
}

/* Arrays of users are x fastest, then y, then z; the engine's own are not (flat.h). The options' smoother is AUTO or
 * LINE_Z (all lines at once, damping 0: 2/3) or GAUSS_SEIDEL (lines in two colours, damping 0: 1; above 1: SOR). levels
 * 0: 5, or more where the coarsest grid would be hard to solve. Otherwise as starfish_stencil_plan_create. */
starfish_status starfish_flat_plan_create(starfish_context *context, const struct starfish_flat_problem *problem,
                                          const struct starfish_multigrid_options *options, starfish_plan **plan);
/* For starfish_multigrid_engine_create of such a problem; runs are of rows of columns. */
const struct starfish_multigrid_hooks *starfish_flat_hooks(const struct starfish_flat_problem *problem);

/* ---- Grids (flat_grid.c) ----------------------------------------------------------------------------------------- */

/* The columns of a grid, owned. */
struct starfish_flat_grid {
    size_t n[2];
    int periodic[2];
    int sphere;                    /* arrays are of six panels, each as if it was alone */
    double *corner;                /* (n[0] + 1) * (n[1] + 1), or NULL */
    double *mass, *lift, *face[2]; /* face[0]: (n[0] + 1) * n[1], face[1]: n[0] * (n[1] + 1) */
};

starfish_status starfish_flat_grid_create(struct starfish_flat_grid *grid, const struct starfish_flat_problem *problem);
void starfish_flat_grid_destroy(struct starfish_flat_grid *grid);
/* Which directions are to be coarsened; 0 where none can be. Panels of a sphere remain squares, and pairs within a
 * panel, so that n[0] must be even. */
int starfish_flat_grid_directions(const struct starfish_flat_grid *grid, int coarsened[2]);
starfish_status starfish_flat_grid_coarsen(const struct starfish_flat_grid *fine, const int coarsened[2],
                                           struct starfish_flat_grid *coarse);
/* An estimate of the smallest eigenvalue of M^-1 A. */
double starfish_flat_grid_lowest(const struct starfish_flat_grid *grid, const struct starfish_flat_problem *problem);
/* How many types of columns a grid has (flat_factors.h); 0: too many, or columns are too long for factors. */
size_t starfish_flat_grid_types(const struct starfish_flat_grid *grid, size_t nz);
/* The table of a grid (flat_kind.h), starfish_flat_table_entry(shape, STARFISH_FLAT_ENTRIES) doubles. */
void starfish_flat_grid_fill(const struct starfish_flat_grid *grid, const struct starfish_flat_problem *problem,
                             const struct starfish_flat_shape *shape, double *table);

/* ---- Panels (flat_panels.c) -------------------------------------------------------------------------------------- */

/* The six panels of a sphere in one grid, each with `rim` ghosts around it, at most n[0], whose scalars and couplings
 * are those of the neighbours beyond the edge. Nothing is coupled at the outer sides of the ghosts. Error: MEMORY. */
starfish_status starfish_flat_panels_pad(const struct starfish_flat_grid *grid, size_t rim,
                                         struct starfish_flat_grid *padded);
/* And back. */
starfish_status starfish_flat_panels_strip(const struct starfish_flat_grid *padded, size_t rim,
                                           struct starfish_flat_grid *grid);
/* An empty grid. Error: MEMORY. */
starfish_status starfish_flat_grid_allocate(struct starfish_flat_grid *grid, const struct starfish_flat_grid *like,
                                            const size_t n[2], int sphere);

#endif
