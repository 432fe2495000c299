/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The options of plans for flat domains, as a table (base/options.h): names, ranges and lines of help, for programs and
 * wrappers alike. */
#include "atmosphere/options.h"

#include <limits.h>

#define AT(member) STARFISH_OPTION_AT(starfish_atmosphere_options, member)

enum { MOST_LEVELS = 48, MOST_SWEEPS = 100000, MOST_STEPS = 1000, MOST_PARTS = 16 };

const char *const starfish_atmosphere_method_names[STARFISH_ATMOSPHERE_METHODS] = {[STARFISH_ATMOSPHERE_AUTO] = "auto",
                                                                                   [STARFISH_ATMOSPHERE_MULTIGRID] =
                                                                                       "multigrid",
                                                                                   [STARFISH_ATMOSPHERE_CG] = "cg"};
static const char *const preconditioner_names[STARFISH_ATMOSPHERE_PRECONDITIONERS] = {
    [STARFISH_ATMOSPHERE_PRECONDITIONER_AUTO] = "auto",
    [STARFISH_ATMOSPHERE_PRECONDITIONER_NONE] = "none",
    [STARFISH_ATMOSPHERE_PRECONDITIONER_LINES] = "line-z",
    [STARFISH_ATMOSPHERE_PRECONDITIONER_MULTIGRID] = "multigrid"};

static const struct starfish_option rows[] = {
    {AT(method), STARFISH_OPTION_CHOICES(starfish_atmosphere_method_names), .flag = "--method",
     .text = "how the problem is solved"},
    {AT(preconditioner), STARFISH_OPTION_CHOICES(preconditioner_names), .flag = "--preconditioner",
     .text = "cg: what approximates the inverse"},
    {AT(precision), STARFISH_OPTION_PRECISION, .flag = "--precision", .text = "of right-hand side and solution"},
    {AT(mixed), .type = STARFISH_OPTION_SWITCH, .text = "f64: cycles in f32, residuals in f64"},
    {AT(levels), .type = STARFISH_OPTION_INT, .most = MOST_LEVELS, .flag = "--levels",
     .text = "flat domains: grids at most; 0: 5, or more"},
    {AT(coarse_sweeps), .type = STARFISH_OPTION_INT, .most = MOST_SWEEPS, .flag = "--coarse-sweeps",
     .text = "flat domains: smoothing sweeps on the coarsest grid; 0: 2, or more"},
    {AT(smoothing_steps), .type = STARFISH_OPTION_INT, .default_value = 1, .least = 1, .most = MOST_STEPS,
     .flag = "--smoothing-steps",
     .text = "flat domains: sweeps before the coarse grid's correction, and as many after"},
    {AT(red_black), .type = STARFISH_OPTION_SWITCH, .text = "lines in two colours"},
    {AT(damping), .type = STARFISH_OPTION_REAL, .most = 2, .below_most = 1,
     .text = "of lines; 0: 2/3, in two colours 1"},
    {AT(tolerance), STARFISH_OPTION_TOLERANCE,
     .text = "the residual's norm over that of the right-hand side; 0: 1e-10, in f32 1e-6"},
    {AT(max_iterations), STARFISH_OPTION_STEPS, .text = "steps at most"},
    {AT(fixed), .type = STARFISH_OPTION_SWITCH, .text = "exactly max_iterations iterations"},
    {AT(slabs), .synonym = "parts", .type = STARFISH_OPTION_SIZE, .most = MOST_PARTS, .flag = "--slabs",
     .text = "runs of rows of columns, or boxes; 0: chosen from the workers"},
    {AT(boxes), .type = STARFISH_OPTION_SIZE, .most = MOST_PARTS, .flag = "--boxes",
     .text =
         "flat domains: parts beside one another in x, each a box of columns; 0: runs of rows, or what suits ranks"},
};

const struct starfish_option_table starfish_atmosphere_option_table =
    STARFISH_OPTION_TABLE(starfish_atmosphere_options, STARFISH_ATMOSPHERE_OPTIONS_DEFAULTS, rows);
