/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The options of plans of the separable solvers, as a table (base/options.h), and the defaults and checks that involve
 * several of them. */
#include "poisson/options.h"

#include "multigrid/options.h"
#include "poisson/methods.h"
#include "tridiag/kernels/slab_lines.h"

#include <limits.h>
#include <math.h>

#define AT(member) STARFISH_OPTION_AT(starfish_poisson_options, member)

enum { MOST_MODE_BLOCKS = 32 };
#define MOST_ELEMENTS 4294967295.0

/* Those that chains of tridiagonal systems have. */
static const char *const algorithms[] = {[STARFISH_ALGORITHM_AUTO] = "auto",
                                         [STARFISH_ALGORITHM_THOMAS] = "thomas",
                                         [STARFISH_ALGORITHM_CR] = "cr",
                                         [STARFISH_ALGORITHM_PCR] = "pcr",
                                         [STARFISH_ALGORITHM_CR_PCR] = "cr-pcr"};
static const char *const radices[] = {[0] = "auto", [2] = "2", [4] = "4"};

/* Strides are 32 bits to the runtime. */
#define LAYOUT_ROWS(member, whose)                                                                                     \
    {AT(member.offset), .type = STARFISH_OPTION_SIZE, .agree = STARFISH_AGREE_LOCAL, .most = HUGE_VAL,                 \
     .text = whose ": from the pointer to the first unknown"},                                                         \
        {AT(member.row), .type = STARFISH_OPTION_SIZE, .agree = STARFISH_AGREE_LOCAL, .most = MOST_ELEMENTS,           \
         .text = whose ": from row to row; 0: packed"},                                                                \
        {AT(member.plane), .type = STARFISH_OPTION_SIZE, .agree = STARFISH_AGREE_LOCAL, .most = MOST_ELEMENTS,         \
         .text = whose ": from plane to plane; 0: packed"},                                                            \
    {                                                                                                                  \
        AT(member.problem), .type = STARFISH_OPTION_SIZE, .agree = STARFISH_AGREE_LOCAL, .most = MOST_ELEMENTS,        \
                            .text = whose ": from problem to problem; 0: packed"                                       \
    }

static const struct starfish_option rows[] = {
    {AT(method), .type = STARFISH_OPTION_CHOICE, .default_value = STARFISH_METHOD_AUTO, .values = starfish_method_list,
     .value_count = STARFISH_METHODS, .flag = "--method", .text = "how the problem is solved"},
    {AT(precision), STARFISH_OPTION_PRECISION, .flag = "--precision", .text = "of the arithmetic"},
    {AT(slabs), .type = STARFISH_OPTION_SIZE, .most = STARFISH_SLAB_MAX_SLABS, .flag = "--slabs",
     .text = "runs of z-planes; 0: chosen from the workers"},
    {AT(mode_blocks), .type = STARFISH_OPTION_SIZE, .most = MOST_MODE_BLOCKS,
     .text = "blktri: runs of x modes; slab: runs of y modes; 0: chosen from the workers"},
    {AT(check_residual), .type = STARFISH_OPTION_SWITCH, .text = "also compute the residual"},
    {AT(refinements), .type = STARFISH_OPTION_INT, .default_value = -1, .least = -1, .most = STARFISH_MOST_REFINEMENTS,
     .text = "steps of iterative refinement at most; -1: where digits may be lost"},
    {AT(right_hand_sides), .type = STARFISH_OPTION_SIZE, .most = HUGE_VAL,
     .text = "how many the plan will be used for, which auto takes into account; 0: many"},
    {AT(algorithm), STARFISH_OPTION_CHOICES(algorithms), .default_value = STARFISH_ALGORITHM_AUTO,
     .flag = "--algorithm", .text = "blktri-product: how GPUs solve tridiagonal systems"},
    {AT(split), .type = STARFISH_OPTION_INT, .default_value = -1, .least = -1, .most = STARFISH_MAX_REDUCTION_LEVELS,
     .flag = "--split",
     .text = "blktri on both kinds of workers: levels next to the root for the cores; -1: chosen by times of levels"},
    {AT(radix), STARFISH_OPTION_CHOICES(radices), .flag = "--radix",
     .text = "blktri by partial fractions: parts that a block of rows is cut into"},
    {AT(complex_rhs), .type = STARFISH_OPTION_SWITCH, .text = "right-hand sides and solutions are complex"},
    {AT(tolerance), STARFISH_OPTION_TOLERANCE,
     .text = "iterative methods: the residual's norm over that of the right-hand side; 0: 1e-10, in f32 1e-6"},
    {AT(mixed), .type = STARFISH_OPTION_SWITCH, .text = "multigrid in f64: cycles in f32"},
    {AT(count), .type = STARFISH_OPTION_SIZE, .default_value = 1, .most = MOST_ELEMENTS,
     .text = "slab: problems that a solve is of; 0: one"},
    LAYOUT_ROWS(rhs_layout, "of right-hand sides"),
    LAYOUT_ROWS(solution_layout, "of solutions"),
    {AT(ghosts), .type = STARFISH_OPTION_SWITCH, .text = "also fill the layer of ghosts around the solution"},
    {AT(check_data), .type = STARFISH_OPTION_SWITCH,
     .text = "look for values of right-hand side and boundary data that are not finite"},
    {AT(sharing), .type = STARFISH_OPTION_CHOICE, .default_value = STARFISH_SHARING_AUTO,
     .values = starfish_sharing_names, .value_count = STARFISH_SHARINGS, .flag = "--sharing",
     .text = "multigrid: who shares the fine grids"},
    {AT(parts), .type = STARFISH_OPTION_SIZE, .most = STARFISH_KRYLOV_MOST_PARTS, .flag = "--parts",
     .text = "multigrid: runs of planes with memory of their own; 0: chosen from the workers"},
    {AT(planes), .type = STARFISH_OPTION_POINTER, .agree = STARFISH_AGREE_RANKS,
     .text = "of each rank; NULL: dealt evenly"},
    {AT(max_iterations), .type = STARFISH_OPTION_INT, .default_value = 10000, .most = INT_MAX,
     .flag = "--max-iterations", .text = "iterative methods: steps at most"},
    {AT(fixed), .type = STARFISH_OPTION_SWITCH, .text = "multigrid: exactly max_iterations steps"},
};

const struct starfish_option_table starfish_poisson_option_table =
    STARFISH_OPTION_TABLE(starfish_poisson_options, STARFISH_POISSON_OPTIONS_DEFAULTS, rows);

starfish_status starfish_poisson_complete_options(struct starfish_poisson_options *options)
{
    static const struct starfish_poisson_options defaults = STARFISH_POISSON_OPTIONS_DEFAULTS;

    if (options->max_iterations == 0)
        options->max_iterations = defaults.max_iterations;
    STARFISH_REFUSE_IF(options->mixed &&
                           (options->method != STARFISH_METHOD_MULTIGRID || options->precision != STARFISH_F64),
                       "options.mixed is for STARFISH_METHOD_MULTIGRID in STARFISH_F64");
    return STARFISH_SUCCESS;
}
