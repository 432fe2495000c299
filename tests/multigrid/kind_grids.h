/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Small hierarchies of all grid kinds on the host, for tests of what all kinds have in common. */
#ifndef STARFISH_TESTS_MULTIGRID_KIND_GRIDS_H
#define STARFISH_TESTS_MULTIGRID_KIND_GRIDS_H

#include "multigrid/kernels/flat_kind.h"
#include "multigrid/kernels/flux_kind.h"
#include "multigrid/kernels/q1_kind.h"
#include "multigrid/kernels/tail.h"

enum test_form { TEST_TENSOR, TEST_STORED, TEST_JUMPS, TEST_DIAGONALS, TEST_F16, TEST_FLAT, TEST_SKEW };

/* What a hierarchy is made for. n[2] == 0: Q1 elements, n[0] x n[1] of them; else unknowns of the flux form, or with
 * FLAT and SKEW of flat domains, without and with corners. */
struct test_kind_case {
    size_t n[3];
    enum test_form form; /* the flux form has TENSOR, STORED, and JUMPS: couplings of each face, coarse pairs */
    int periodic[3];     /* of the flux form; of Q1, where periodic[0]: Neumann ends */
    int only_plane;      /* grids are not coarser in z */
};

struct test_kind_grids {
    struct starfish_tail tail; /* all but its smoothing */
    struct starfish_q1_shape q1[STARFISH_GRID_MOST_LEVELS];
    struct starfish_flux_shape flux[STARFISH_GRID_MOST_LEVELS];
    struct starfish_flat_shape flat[STARFISH_GRID_MOST_LEVELS];
    struct starfish_flux_plane *plane; /* three of each grid */
    void *table[STARFISH_GRID_MOST_LEVELS];
};

/* Fails the test where it cannot; F16 is f32 in any case. */
void test_kind_grids_make(struct test_kind_grids *grids, const struct test_kind_case *what,
                          starfish_precision precision);
void test_kind_grids_free(struct test_kind_grids *grids);
size_t test_kind_unknowns(const struct test_kind_grids *grids, int level);

/* Is there such a smoother of a kind's? Gauss-Seidel is not for entries in 16 bits. */
int test_kind_smooths(const struct test_kind_grids *grids, starfish_smoother smoother);
/* The smoother with a usual damping, one step before and two after, the coarsest grid solved by its inverse. */
struct starfish_smoothing test_kind_smoothing(starfish_smoother smoother);

/* Work space of NaN, aligned, and a zone behind it that release checks is still as it was. */
void *test_kind_work(size_t bytes);
void test_kind_release(void *work, size_t bytes);

#endif
