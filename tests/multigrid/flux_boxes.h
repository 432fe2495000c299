/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Boxes for tests of 3D multigrid: problems, the finite-volume operator written down face by face from widths and
 * coefficients, and solutions on a context. Failures fail the test. */
#ifndef STARFISH_TESTS_MULTIGRID_FLUX_BOXES_H
#define STARFISH_TESTS_MULTIGRID_FLUX_BOXES_H

#include "tests/common/memory.h"

#include <starfish/starfish.h>

/* Where solves run, and where right-hand sides and solutions lie: for the tests to set. */
extern starfish_context *test_box_context;
extern const struct test_memory *test_box_memory;
/* Of the last plan that solved. */
extern struct starfish_multigrid_options test_box_chosen;
extern struct starfish_about test_box_about;

struct test_box {
    struct starfish_stencil_problem problem;
    double *width[3], *diffusion[3];
    size_t count;
};

enum test_ends { DD, DN, ND, NN, PERIODIC, ENDS };
/* Equal widths, of 1 / n; stretch: the largest over the smallest, in a geometric row. */
void test_box_make(struct test_box *box, starfish_grid grid, const size_t n[3], const enum test_ends ends[3],
                   const double stretch[3]);
void test_box_make_cube(struct test_box *box, size_t n, enum test_ends ends);
void test_box_free(struct test_box *box);
/* Widths times a factor for each direction. */
void test_box_scale(struct test_box *box, const double scale[3]);

/* (A u) of unknown e, integrated over its volume; that volume. */
double test_box_apply(const struct starfish_stencil_problem *p, const double *u, size_t e);
double test_box_volume(const struct starfish_stencil_problem *p, size_t e);

double *test_box_random(size_t count, unsigned seed);

starfish_status test_box_solve_with(starfish_plan *plan, size_t count, const struct starfish_multigrid_options *options,
                                    const double *f, double *u, struct starfish_result *info);
starfish_status test_box_solve(const struct test_box *box, const struct starfish_multigrid_options *options,
                               const double *f, double *u, struct starfish_result *info);
/* Random u, f = A u, solved back: the error over the largest u, which is 1. */
double test_box_recover(const struct test_box *box, const struct starfish_multigrid_options *options,
                        struct starfish_result *info);

enum { TEST_BOX_SMOOTHERS = 9 };
extern const starfish_smoother test_box_smoothers[TEST_BOX_SMOOTHERS];
struct starfish_multigrid_options test_box_options(starfish_smoother smoother, int steps, double tolerance);

#endif
