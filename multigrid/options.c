/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The options of multigrid plans as a table, and checks of their combinations. */
#include "multigrid/options.h"

#include "krylov/kernels/krylov.h"
#include "multigrid/kernels/grid_kind.h"
#include "solver/accept.h"

#include <float.h>
#include <math.h>

#define AT(member) STARFISH_OPTION_AT(starfish_multigrid_options, member)

enum { MOST_COARSE_ITERATIONS = 10000 };

const char *const starfish_smoother_names[] = {
    [STARFISH_SMOOTHER_AUTO] = "auto",           [STARFISH_SMOOTHER_ADI] = "adi",
    [STARFISH_SMOOTHER_LINE_X] = "line-x",       [STARFISH_SMOOTHER_LINE_Y] = "line-y",
    [STARFISH_SMOOTHER_JACOBI] = "jacobi",       [STARFISH_SMOOTHER_GAUSS_SEIDEL] = "gauss-seidel",
    [STARFISH_SMOOTHER_CHEBYSHEV] = "chebyshev", [STARFISH_SMOOTHER_LINE_Z] = "line-z",
    [STARFISH_SMOOTHER_PLANE] = "plane",         [STARFISH_SMOOTHER_ZEBRA] = "zebra",
};
const char *const starfish_cycle_names[] = {
    [STARFISH_CYCLE_V] = "v", [STARFISH_CYCLE_F] = "f", [STARFISH_CYCLE_W] = "w", [STARFISH_CYCLE_FMG] = "fmg"};
const char *const starfish_storage_names[] = {
    [STARFISH_STORAGE_INNER] = "inner", [STARFISH_STORAGE_F16] = "f16", [STARFISH_STORAGE_BF16] = "bf16"};
const char *const starfish_matrix_names[] = {
    [STARFISH_MATRIX_AUTO] = "auto", [STARFISH_MATRIX_STORED] = "stored", [STARFISH_MATRIX_TENSOR] = "tensor"};
const char *const starfish_sharing_names[STARFISH_SHARINGS] = {[STARFISH_SHARING_AUTO] = "auto",
                                                               [STARFISH_SHARING_ALONE] = "alone",
                                                               [STARFISH_SHARING_GPUS] = "gpus",
                                                               [STARFISH_SHARING_ALL] = "all"};
const char *const starfish_krylov_names[] = {
    [STARFISH_KRYLOV_NONE] = "none", [STARFISH_KRYLOV_CG] = "cg", [STARFISH_KRYLOV_BICGSTAB] = "bicgstab"};
static const char *const coarse_solvers[] = {[STARFISH_COARSE_DIRECT] = "direct",
                                             [STARFISH_COARSE_CG_JACOBI] = "cg-jacobi",
                                             [STARFISH_COARSE_CG_ADI] = "cg-adi"};

static const struct starfish_option rows[] = {
    {AT(precision), STARFISH_OPTION_PRECISION, .flag = "--precision",
     .text = "of right-hand side, solution and residual"},
    {AT(mixed), .type = STARFISH_OPTION_SWITCH, .text = "f64: cycles in f32, residuals in f64"},
    {AT(smoother), STARFISH_OPTION_CHOICES(starfish_smoother_names), .default_value = STARFISH_SMOOTHER_AUTO,
     .flag = "--smoother", .text = "what smooths errors on every grid"},
    {AT(damping), .type = STARFISH_OPTION_REAL, .most = DBL_MAX, .text = "of the smoother; 0: by the smoother"},
    {AT(cycle), .synonym = "shape", STARFISH_OPTION_CHOICES(starfish_cycle_names), .default_value = STARFISH_CYCLE_V,
     .flag = "--cycle", .text = "shape of a cycle"},
    {AT(before), .type = STARFISH_OPTION_INT, .default_value = 2, .most = HUGE_VAL,
     .text = "smoothing steps before the coarse grid's correction"},
    {AT(after), .type = STARFISH_OPTION_INT, .default_value = 2, .most = HUGE_VAL,
     .text = "smoothing steps after the coarse grid's correction"},
    {AT(smoothing_steps), .type = STARFISH_OPTION_INT, .most = HUGE_VAL, .flag = "--smoothing-steps",
     .text = "before, and as many after the coarse grid's correction; 0: as before and after say"},
    {AT(tolerance), .type = STARFISH_OPTION_REAL, .default_value = 1e-8, .most = HUGE_VAL, .flag = "--tolerance",
     .text = "of the residual's norm over that of the right-hand side"},
    {AT(absolute), .type = STARFISH_OPTION_REAL, .most = HUGE_VAL, .text = "of the residual's norm"},
    {AT(max_iterations), .synonym = "most_cycles", .type = STARFISH_OPTION_INT, .default_value = 100, .least = 1,
     .most = HUGE_VAL, .flag = "--max-iterations", .text = "cycles at most"},
    {AT(fixed), .type = STARFISH_OPTION_SWITCH, .text = "exactly max_iterations cycles"},
    {AT(inner_cycles), .type = STARFISH_OPTION_INT, .default_value = 2, .least = 1, .most = HUGE_VAL,
     .text = "mixed precision: cycles between two residuals in f64"},
    {AT(inner_digits), .type = STARFISH_OPTION_REAL, .most = HUGE_VAL,
     .text = "mixed precision: digits to gain between two residuals in f64; 0: inner_cycles count"},
    {AT(initial_guess), .type = STARFISH_OPTION_SWITCH, .text = "the solution array holds an initial guess"},
    {AT(levels), .type = STARFISH_OPTION_INT, .most = STARFISH_GRID_MOST_LEVELS, .flag = "--levels",
     .text = "grids at most; 0: down to few unknowns"},
    {AT(slabs), .synonym = "blocks", .type = STARFISH_OPTION_SIZE, .most = STARFISH_KRYLOV_MOST_PARTS,
     .flag = "--slabs", .text = "runs of lines that a grid is cut into; 0: chosen from the workers"},
    {AT(tail), .type = STARFISH_OPTION_SIZE, .most = HUGE_VAL, .flag = "--tail",
     .text = "grids of so many unknowns and fewer are one task; 0: chosen from the workers"},
    {AT(krylov), STARFISH_OPTION_CHOICES(starfish_krylov_names), .default_value = STARFISH_KRYLOV_NONE,
     .flag = "--krylov", .text = "what cycles precondition"},
    {AT(stored_diagonal), .type = STARFISH_OPTION_SWITCH,
     .text = "matrices are stored with diagonals, not with row sums"},
    {AT(storage), STARFISH_OPTION_CHOICES(starfish_storage_names), .default_value = STARFISH_STORAGE_INNER,
     .flag = "--storage", .text = "of the entries of the cycles' matrices"},
    {AT(matrix), STARFISH_OPTION_CHOICES(starfish_matrix_names), .default_value = STARFISH_MATRIX_AUTO,
     .flag = "--matrix", .text = "how the matrices of Q1 grids are kept"},
    {AT(coarse), STARFISH_OPTION_CHOICES(coarse_solvers), .default_value = STARFISH_COARSE_DIRECT,
     .text = "how the coarsest of Q1 grids is solved"},
    {AT(coarse_tolerance), .type = STARFISH_OPTION_REAL, .most = 1, .below_most = 1,
     .text = "of conjugate gradients on the coarsest grid; 0: 1e-2"},
    {AT(coarse_iterations), .type = STARFISH_OPTION_INT, .most = MOST_COARSE_ITERATIONS,
     .text = "of conjugate gradients on the coarsest grid; 0: 100"},
    {AT(parts), .type = STARFISH_OPTION_SIZE, .most = STARFISH_KRYLOV_MOST_PARTS, .flag = "--parts",
     .text = "runs of rows with memory of their own; 0: chosen from the workers"},
    {AT(sharing), STARFISH_OPTION_CHOICES(starfish_sharing_names), .default_value = STARFISH_SHARING_AUTO,
     .flag = "--sharing", .text = "who shares the fine grids"},
};

const struct starfish_option_table starfish_multigrid_option_table =
    STARFISH_OPTION_TABLE(starfish_multigrid_options, STARFISH_MULTIGRID_OPTIONS_DEFAULTS, rows);

/* What makes a cycle symmetric, as a preconditioner of conjugate gradients must be. */
static starfish_status check_symmetry(const struct starfish_multigrid_options *o)
{
    if (o->krylov != STARFISH_KRYLOV_CG)
        return STARFISH_SUCCESS;
    STARFISH_REFUSE_IF(o->before != o->after,
                       "options.before and after are %d and %d: must be the same for conjugate gradients", o->before,
                       o->after);
    STARFISH_REFUSE_IF(o->cycle != STARFISH_CYCLE_V && o->cycle != STARFISH_CYCLE_W,
                       "options.cycle: F and FMG are not symmetric, which conjugate gradients need");
    return STARFISH_SUCCESS;
}

static starfish_status check_together(const struct starfish_multigrid_options *o)
{
    STARFISH_TRY(starfish_complete_options(o->precision, o->mixed, NULL));
    STARFISH_REFUSE_IF(o->storage && !o->mixed,
                       "options.storage is %s: it needs `mixed`, where residuals in f64 are by the "
                       "matrix that is given",
                       starfish_storage_names[o->storage]);
    STARFISH_REFUSE_IF(o->smoother == STARFISH_SMOOTHER_CHEBYSHEV && o->damping >= 1,
                       "options.damping is %g: for Chebyshev a part of the interval, must be below 1", o->damping);
    STARFISH_REFUSE_IF(o->before == 0 && o->after == 0,
                       "options.before and after are both 0: one at least must be more");
    return check_symmetry(o);
}

starfish_status starfish_multigrid_read_options(const struct starfish_multigrid_options *user,
                                                struct starfish_multigrid_options *options)
{
    STARFISH_TRY(starfish_options_read(&starfish_multigrid_option_table, user, options));
    if (options->smoothing_steps > 0)
        options->before = options->after = options->smoothing_steps;
    options->smoothing_steps = 0;
    if (options->fixed)
        options->tolerance = options->absolute = 0;
    return check_together(options);
}
