/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The options of finite element plans as a table, and checks of their combinations. */
#include "fem/options.h"

#include "multigrid/options.h"

#include <float.h>
#include <math.h>

#define AT(member) STARFISH_OPTION_AT(starfish_fem_options, member)

enum { MOST_POWER = 4, CYCLES = STARFISH_CYCLE_W + 1 };

const char *const starfish_fem_element_names[] = {[STARFISH_FEM_Q1] = "q1", [STARFISH_FEM_Q2] = "q2"};
const char *const starfish_fem_smoother_names[] = {[STARFISH_FEM_JACOBI] = "jacobi",
                                                   [STARFISH_FEM_SPAI] = "spai",
                                                   [STARFISH_FEM_SAINV] = "sainv",
                                                   [STARFISH_FEM_FSAI] = "fsai"};
const char *const starfish_fem_numbering_names[] = {[STARFISH_FEM_TWO_LEVEL] = "two-level",
                                                    [STARFISH_FEM_CUTHILL_MCKEE] = "cuthill-mckee",
                                                    [STARFISH_FEM_XYZ] = "xyz",
                                                    [STARFISH_FEM_RANDOM] = "random",
                                                    [STARFISH_FEM_HIERARCHICAL] = "hierarchical"};
const char *const starfish_sparse_format_names[] = {[STARFISH_SPARSE_AUTO] = "auto",
                                                    [STARFISH_SPARSE_CSR] = "csr",
                                                    [STARFISH_SPARSE_ELLPACK_T] = "ellpack-t",
                                                    [STARFISH_SPARSE_SELL] = "sell"};
static const char *const krylovs[] = {[STARFISH_KRYLOV_AUTO] = "auto",
                                      [STARFISH_KRYLOV_NONE] = "none",
                                      [STARFISH_KRYLOV_CG] = "cg",
                                      [STARFISH_KRYLOV_BICGSTAB] = "bicgstab"};

static const struct starfish_option rows[] = {
    {AT(precision), STARFISH_OPTION_PRECISION, .text = "of solution and residual"},
    {AT(mixed), .type = STARFISH_OPTION_SWITCH, .text = "f64: cycles in f32, residuals in f64"},
    {AT(smoother), STARFISH_OPTION_CHOICES(starfish_fem_smoother_names), .default_value = STARFISH_FEM_SPAI,
     .flag = "--smoother", .text = "what smooths errors on every grid"},
    {AT(numbering), STARFISH_OPTION_CHOICES(starfish_fem_numbering_names), .default_value = STARFISH_FEM_TWO_LEVEL,
     .flag = "--numbering", .text = "order of the unknowns"},
    {AT(format), STARFISH_OPTION_CHOICES(starfish_sparse_format_names), .default_value = STARFISH_SPARSE_AUTO,
     .flag = "--format", .text = "how matrices are stored"},
    {AT(cycle), .synonym = "shape", .type = STARFISH_OPTION_CHOICE, .default_value = STARFISH_CYCLE_F,
     .values = starfish_cycle_names, .value_count = CYCLES, .flag = "--cycle", .text = "shape of a cycle"},
    {AT(smoothing_steps), .type = STARFISH_OPTION_INT, .most = HUGE_VAL, .flag = "--smoothing-steps",
     .text = "before, and as many after the coarse grid's correction; 0: 8 in 2D, 16 in 3D"},
    {AT(damping), .type = STARFISH_OPTION_REAL, .most = DBL_MAX, .text = "of the smoother; 0: by the smoother"},
    {AT(drop_tolerance), .type = STARFISH_OPTION_REAL, .most = 1, .below_most = 1,
     .text = "of SAINV: entries below are dropped; 0: 0.1 in 2D, 0.05 in 3D"},
    {AT(pattern_power), .type = STARFISH_OPTION_INT, .default_value = 1, .least = 1, .most = MOST_POWER,
     .text = "of SPAI and FSAI: the pattern is that of this power of A"},
    {AT(tolerance), STARFISH_OPTION_TOLERANCE,
     .text = "of the residual's norm over that of the right-hand side; 0: 1e-10, in f32 1e-6"},
    {AT(max_iterations), .synonym = "most_cycles", .type = STARFISH_OPTION_INT, .default_value = 10000, .least = 1,
     .most = HUGE_VAL, .flag = "--max-iterations", .text = "cycles at most"},
    {AT(fixed), .type = STARFISH_OPTION_SWITCH, .text = "exactly max_iterations cycles"},
    {AT(krylov), STARFISH_OPTION_CHOICES(krylovs), .default_value = STARFISH_KRYLOV_AUTO,
     .text = "what cycles precondition"},
    {AT(seed), .type = STARFISH_OPTION_SIZE, .default_value = 1, .most = HUGE_VAL, .text = "of the random numbering"},
    {AT(slabs), .synonym = "parts", .type = STARFISH_OPTION_INT, .most = STARFISH_FEM_MOST_PARTS, .flag = "--slabs",
     .text = "that the finer grids are cut into; 0: one per GPU of large problems"},
};

const struct starfish_option_table starfish_fem_option_table =
    STARFISH_OPTION_TABLE(starfish_fem_options, STARFISH_FEM_OPTIONS_DEFAULTS, rows);
