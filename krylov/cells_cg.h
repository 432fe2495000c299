/* Conjugate gradients on cells, with a preconditioner M^-1 and deflation, by the recurrence of the residual (Gupta,
 * Vuik, Lemmens 2010; A-DEF2: krylov/deflation.h). The solution may be of a higher precision than the iteration: then
 * its rounding does not enter the recurrence, and f32 carries an iteration that f64 has begun. Besides matrix and
 * preconditioner a step moves 12 words per unknown, with deflation 16; as a task on cores 10 and 14. */
#ifndef STARFISH_KRYLOV_CELLS_CG_H
#define STARFISH_KRYLOV_CELLS_CG_H

#include "codelets/gradients.h"
#include "krylov/deflation.h"
#include "krylov/iteration.h"
#include "krylov/operator.h"
#include "scheduler/window.h"

struct starfish_cells_cg {
    const struct starfish_algebra *algebra;
    struct starfish_scalars *scalars; /* not here */
    const struct starfish_cell_operator *op;
    enum starfish_cell_preconditioner by;
    size_t block;                                     /* of blocks */
    const struct starfish_table *table;               /* of what has one */
    struct starfish_preconditioner other;             /* of STARFISH_CELLS_BY_ANOTHER */
    const struct starfish_cells_deflation *deflation; /* or NULL */
    int product_with_az;                              /* deflation: a product with A instead of the entries of A Z */
    const struct starfish_vector *r, *z, *p, *q;      /* r: the residual, at first of what is solved for */
    const struct starfish_vector *x; /* to which the solution times `unscale` is added: the iteration's `outer` too */
    double unscale;
    const struct starfish_sums *norm, *product, *rz;
    /* Not NULL: where the space has one part, some steps are one task (codelets/gradients.h), in which directions take
     * turns in p and this vector, which is p itself where no GPU computes. */
    const struct starfish_vector *other_p;
    struct starfish_replays *replays;
    const struct starfish_gradients_cycle *cycle; /* of such tasks, by ANOTHER */
};
/* May steps be one task? On a GPU E may not be a band, on cores there must be one core or one team that does them all,
 * with ANOTHER preconditioner no GPU. */
int starfish_cells_cg_fuses(const struct starfish_space *space, enum starfish_cell_preconditioner by,
                            enum starfish_coarse_form form);
/* Steps of it. Of the iteration's residuals the first is r's norm. */
struct starfish_iteration starfish_cells_cg_iteration(struct starfish_cells_cg *cg);

/* The table of a preconditioner that has one, of all cells, from a matrix stored in f64, of which a rank has the planes
 * of the window: MEMORY. Blocks begin anew at every part of the space. */
struct starfish_cells_table_spec {
    enum starfish_cell_preconditioner by;
    const struct starfish_cell_matrix *matrix;
    const struct starfish_space *space;
    const struct starfish_window *window;
    size_t block;
    starfish_precision precision;
};
starfish_status starfish_cells_table(const struct starfish_cells_table_spec *spec, struct starfish_table *table);

#endif
