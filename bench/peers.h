/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What we compare with, measured in the same run: other solvers, and plain copies as limits. A static library of its
 * own (starfish_peers), linked into the program and never into the library; it prints nothing.
 *
 * Every peer_ function that measures fills seconds[repeat] and returns 1, or returns 0 when it cannot be run here (no
 * memory, no GPU, a problem it cannot do) with seconds undefined. */
#ifndef STARFISH_BENCH_PEERS_H
#define STARFISH_BENCH_PEERS_H

#include <starfish/poisson.h>
#include <starfish/types.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* u_xx + u_yy + u_zz = f on the unit box with homogeneous boundary data: x periodic, y and z uniform, on the grid that
 * include/starfish/poisson.h describes. f and u are n[0] * n[1] * n[2] reals, x fastest, aligned to 64 bytes. */
struct peer_problem {
    size_t n[3];
    starfish_end y[2], z[2]; /* z not periodic */
    starfish_grid grid;
};

/* ---- on the cores ---- */

/* What one would write with FFTW on a good day: real transforms of x and y plane by plane (fftw_plan_r2r_2d, measured
 * plans), Thomas along z over blocks of neighbouring lines so that it vectorises, all cores. Six passes over the field
 * (three times read and write), and the solution is left in `u`; where it is unique up to a constant, that is any. */
int peer_fftw_slab_f32(const struct peer_problem *problem, const void *f, void *u, int repeat, double *seconds);
int peer_fftw_slab_f64(const struct peer_problem *problem, const void *f, void *u, int repeat, double *seconds);
/* What one would write first: one line after the other, FFTW's 1D transforms and scalar Thomas, one core. */
int peer_fftw_naive_f32(const struct peer_problem *problem, const void *f, void *u, int repeat, double *seconds);
int peer_fftw_naive_f64(const struct peer_problem *problem, const void *f, void *u, int repeat, double *seconds);

/* Spectral solve of the all-periodic problem of the same differences on all cores: FFTW's real transform in 3D with its
 * own threads, division by the eigenvalues (the mean becomes 0), and back. The solution of f is left in u; both may be
 * NULL, when only the time is of interest. 0 also where FFTW has no threads. */
int peer_fftw_periodic_f32(const size_t n[3], const void *f, void *u, int repeat, double *seconds);
int peer_fftw_periodic_f64(const size_t n[3], const void *f, void *u, int repeat, double *seconds);

/* Ten passes over a field in host memory by all cores: five copies, each a read and a write. */
int peer_stream_passes(size_t bytes, int repeat, double *seconds);

/* Cores of this machine that may be used, at least 1. */
int peer_cores(void);

/* ---- on the current GPU; builds without CUDA have none ---- */

/* Spectral solve of the all-periodic problem of the same differences: cuFFT real-to-complex in 3D, division by the
 * eigenvalues (the mean becomes 0), complex-to-real; device-resident. In place on padded rows, or out of place from and
 * to packed ones, by an array of modes beside them. f and u are host arrays: f's solution is left in u; both may be
 * NULL, when only the time is of interest. */
typedef enum peer_cufft_way { PEER_CUFFT_IN_PLACE, PEER_CUFFT_OUT_OF_PLACE, PEER_CUFFT_WAYS } peer_cufft_way;
int peer_cufft_periodic(const size_t n[3], starfish_precision precision, peer_cufft_way way, const void *f, void *u,
                        int repeat, double *seconds);

/* A copy of `bytes` within device memory: as many are read and as many written. */
int peer_device_copy(size_t bytes, int repeat, double *seconds);
/* Copies of `bytes` between pinned host memory and the device: up, down, or both ways at once, `bytes` each. */
typedef enum peer_link { PEER_UP, PEER_DOWN, PEER_BOTH } peer_link;
int peer_link_copy(size_t bytes, peer_link way, int repeat, double *seconds);

/* Device memory for device-resident measurements of ours; NULL when there is none. _write returns 0 on failure. */
void *peer_device_alloc(size_t bytes);
void peer_device_free(void *memory);
int peer_device_write(void *device, const void *host, size_t bytes);

#ifdef __cplusplus
}
#endif

#endif
