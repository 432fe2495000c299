/* What we compare with, measured in the same run. Each fills seconds[repeat] and returns whether it could be run. */
#ifndef STARFISH_BENCH_PEERS_H
#define STARFISH_BENCH_PEERS_H

#include <starfish/types.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Spectral solve of an n^3 all-periodic Poisson problem on the GPU: cuFFT real-to-complex in 3D, division by the
 * eigenvalues, complex-to-real; in place on padded rows, device-resident. Only in builds with CUDA. */
int peer_cufft_periodic(size_t n, starfish_precision precision, int repeat, double *seconds);

/* Ten passes over a field in host memory by all cores: five copies, each a read and a write. */
int peer_stream_passes(size_t bytes, int repeat, double *seconds);

#ifdef __cplusplus
}
#endif

#endif
