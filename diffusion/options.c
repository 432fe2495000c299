/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The options of plans for diffusion, as a table (base/options.h), and those of papers' variants, which have no public
 * member. */
#include "diffusion/options.h"

#include "base/arithmetic.h"

#include <limits.h>
#include <math.h>

#define AT(member) STARFISH_OPTION_AT(starfish_diffusion_options, member)
/* An option without a member. */
#define PAPER(name_, index, text_)                                                                                     \
    .name = #name_, .offset = offsetof(struct starfish_diffusion_options, reserved[STARFISH_DIFFUSION_##index]),       \
    .text = text_ "; not stable"

enum { MOST_PARTS = 16 };

const char *const starfish_diffusion_method_names[STARFISH_DIFFUSION_METHODS] = {
    [STARFISH_DIFFUSION_AUTO] = "auto", [STARFISH_DIFFUSION_MULTIGRID] = "multigrid", [STARFISH_DIFFUSION_CG] = "cg"};
const char *const starfish_preconditioner_names[STARFISH_PRECONDITIONERS] = {
    [STARFISH_PRECONDITIONER_AUTO] = "auto",          [STARFISH_PRECONDITIONER_NONE] = "none",
    [STARFISH_PRECONDITIONER_JACOBI] = "jacobi",      [STARFISH_PRECONDITIONER_IP] = "ip",
    [STARFISH_PRECONDITIONER_BLOCK_IC] = "block-ic",  [STARFISH_PRECONDITIONER_LINE_Z] = "line-z",
    [STARFISH_PRECONDITIONER_MULTIGRID] = "multigrid"};
const char *const starfish_deflation_names[STARFISH_DEFLATIONS] = {[STARFISH_DEFLATION_AUTO] = "auto",
                                                                   [STARFISH_DEFLATION_NONE] = "none",
                                                                   [STARFISH_DEFLATION_STRIPES] = "stripes",
                                                                   [STARFISH_DEFLATION_BLOCKS] = "blocks",
                                                                   [STARFISH_DEFLATION_REGIONS] = "regions"};
static const char *const coarse_names[STARFISH_COARSE_FORMS] = {[STARFISH_COARSE_AUTO] = "auto",
                                                                [STARFISH_COARSE_BAND] = "band",
                                                                [STARFISH_COARSE_DENSE] = "dense",
                                                                [STARFISH_COARSE_HALVES] = "halves"};

static const struct starfish_option rows[] = {
    {AT(method), STARFISH_OPTION_CHOICES(starfish_diffusion_method_names), .flag = "--method",
     .text = "how the problem is solved"},
    {AT(preconditioner), STARFISH_OPTION_CHOICES(starfish_preconditioner_names), .flag = "--preconditioner",
     .text = "cg: what approximates the inverse"},
    {AT(deflation), STARFISH_OPTION_CHOICES(starfish_deflation_names), .flag = "--deflation",
     .text = "cg: the sets of cells on which deflation vectors are constant"},
    {AT(precision), STARFISH_OPTION_PRECISION, .flag = "--precision", .text = "of right-hand side and solution"},
    {AT(mixed), .type = STARFISH_OPTION_SWITCH, .text = "f64: iterations in f32, residuals in f64"},
    {AT(vectors), .type = STARFISH_OPTION_SIZE, .most = HUGE_VAL, .flag = "--vectors",
     .text = "deflation: stripes, or blocks per direction; 0: 64 stripes, 8 blocks"},
    {AT(tolerance), STARFISH_OPTION_TOLERANCE,
     .text = "the residual's norm over that of the right-hand side; 0: 1e-10, in f32 1e-6"},
    {AT(max_iterations), STARFISH_OPTION_STEPS, .text = "steps at most"},
    {AT(fixed), .type = STARFISH_OPTION_SWITCH, .text = "exactly max_iterations iterations"},
    {AT(block), .type = STARFISH_OPTION_SIZE, .most = HUGE_VAL,
     .text = "block-ic: unknowns of a block; 0: four rows, in 3D four planes"},
    {AT(slabs), .synonym = "parts", .type = STARFISH_OPTION_SIZE, .most = MOST_PARTS, .flag = "--slabs",
     .text = "runs of z-planes; 0: chosen from the workers"},
    {PAPER(dropped_fill, DROPPED_FILL, "ip: only the entries that the matrix has"), .type = STARFISH_OPTION_SWITCH},
    {PAPER(matrix_free, MATRIX_FREE, "couplings are computed wherever they are needed"),
     .type = STARFISH_OPTION_SWITCH},
    {PAPER(coarse, COARSE, "deflation: how the small matrix is inverted"), STARFISH_OPTION_CHOICES(coarse_names)},
    {PAPER(product_with_az, PRODUCT_WITH_AZ, "deflation: a product with A in place of A Z"),
     .type = STARFISH_OPTION_SWITCH},
    {PAPER(separate_tasks, SEPARATE_TASKS, "every operation of a step is a task of its own"),
     .type = STARFISH_OPTION_SWITCH},
    {PAPER(dirichlet_nodes, DIRICHLET_NODES, "Dirichlet data are a whole width beyond the last unknowns, not half"),
     .type = STARFISH_OPTION_SWITCH},
};

const struct starfish_option_table starfish_diffusion_option_table =
    STARFISH_OPTION_TABLE(starfish_diffusion_options, STARFISH_DIFFUSION_OPTIONS_DEFAULTS, rows);

starfish_status starfish_diffusion_option_set(struct starfish_diffusion_options *options, const char *name,
                                              const char *value)
{
    STARFISH_OWN_ARITHMETIC;
    return starfish_option_set_named(&starfish_diffusion_option_table, options, name, value);
}
