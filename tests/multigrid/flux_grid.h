/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Grids of 3D multigrid with random matrices of both forms and random transfers, on a device and, in f64 with the same
 * values, for the naive references (flux_ref.h). Arrays lie between guard zones, and results are NaN before: what a
 * kernel must not write stays NaN, and what it must not read would spread. */
#ifndef STARFISH_TESTS_MULTIGRID_FLUX_GRID_H
#define STARFISH_TESTS_MULTIGRID_FLUX_GRID_H

#include "multigrid/kernels/flux_ref.h"
#include "tests/common/memory.h"

#include <starfish/types.h>

/* Kernels by precision. */
struct test_flux_device {
    const struct test_memory *memory;
    void (*smooth[2])(const struct starfish_flux_smooth *arguments);
    void (*residual[2])(const struct starfish_flux_residual *arguments);
    void (*restrict_residual[2])(const struct starfish_flux_restrict *arguments);
    void (*prolong[2])(const struct starfish_flux_prolong *arguments);
    void (*lines[2])(const struct starfish_flux_lines *arguments);
    size_t (*lines_work)(const struct starfish_flux_lines *arguments, size_t real_size);
};

/* By direction, a letter each: 'o' open, 'p' periodic; capital: decoupled. Coarsened: '-' not, 'd' to half of the size
 * rounded down, 'u' rounded up, 'b' to pairs. Matrices with stored couplings have no rest where n[0] is odd and
 * 60 at least, and none in y or z where there is one unknown. */
struct test_flux_shape {
    size_t n[3];
    const char *ends, *coarsened;
};

struct test_flux_grid {
    const struct test_flux_device *device;
    starfish_precision precision;
    size_t n[3], count, coarse_n[3], coarse_count;
    int stored;
    double damping;
    struct starfish_flux_part at;
    struct starfish_flux_ref ref;
    double *u, *f, *coarse;
    struct starfish_flux_transfer host_transfer[3];
    /* of the device */
    struct starfish_flux_matrix matrix;
    struct starfish_flux_transfer transfer[3];
    const void *device_u, *device_f, *device_coarse;
};

/* The check of every form and precision of a shape, on the whole grid and (thirds) on the middle of it. */
void test_flux_shape(const struct test_flux_device *device, const struct test_flux_shape *shape,
                     void (*check)(struct test_flux_grid *grid, int thirds));

/* A part of a grid of n[1] * n[2] rows; thirds: its middle, where it has one. */
struct starfish_flux_part test_flux_part(const size_t n[3], int thirds);
int test_flux_in_part(const struct starfish_flux_part *at, const size_t n[3], size_t e);

/* Arrays of the device: of doubles rounded to the grid's precision, and of NaN. */
void *test_flux_upload(const struct test_flux_grid *grid, const double *values, size_t count);
void *test_flux_result(const struct test_flux_grid *grid);
void *test_flux_work(const struct test_flux_grid *grid);

/* Arrays of doubles, which the caller frees: a copy (zeros of NULL), and what the device has. */
double *test_flux_copy(const double *values, size_t count);
double *test_flux_download(const struct test_flux_grid *grid, const void *device, size_t count);

/* Expected on the part, and elsewhere what was there: NaN, or `before`. */
void test_flux_compare(const struct test_flux_grid *grid, const size_t n[3], const void *device, const double *expected,
                       const double *before, double tolerance);

/* flux_point_cases.c: residual, point smoothers, transfers. flux_line_cases.c: lines. */
void test_flux_points(struct test_flux_grid *grid, int thirds);
void test_flux_lines(struct test_flux_grid *grid, int thirds);

#endif
