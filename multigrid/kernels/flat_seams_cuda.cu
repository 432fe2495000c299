/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Ghosts across the edges of a sphere's panels, on the GPU: a block has 32 columns of one seam, a thread some of their
 * layers. */
#include "multigrid/kernels/flat_patch.cuh"
extern "C" {
#include "multigrid/kernels/flat_sphere.h"
}

#include "base/cuda_entries.h"

namespace
{

using namespace flat;

constexpr int WARPS = 8; /* of a block */

template <typename real> struct Seams {
    starfish_flat_seam seam[STARFISH_SPHERE_NEIGHBOURS];
    int layers;
    size_t layer;
    real *u;
};

template <typename real>
__global__ void __launch_bounds__(LANES *WARPS) seams_kernel(const __grid_constant__ Seams<real> a)
{
    const starfish_flat_seam &s = a.seam[blockIdx.y];
    const ptrdiff_t t = ptrdiff_t(blockIdx.x) * LANES + threadIdx.x;
    if (t >= ptrdiff_t(s.count))
        return;
    real *const to = a.u + s.to + s.to_step * t;
    const real *const from = a.u + s.from + s.from_step * t;
    for (int k = threadIdx.y; k < a.layers; k += WARPS)
        to[a.layer * k] = from[a.layer * k];
}

template <typename real> int seams(const starfish_flat_seams *from, cudaStream_t stream)
{
    Seams<real> a;
    starfish_flat_seams_list(from, a.seam);
    a.layers = int(from->layers);
    a.layer = from->n + 2 * from->rim;
    a.u = static_cast<real *>(from->u);
    const dim3 blocks(unsigned(blocks_of(from->n, LANES)), STARFISH_SPHERE_NEIGHBOURS);
    seams_kernel<real><<<blocks, dim3(LANES, WARPS), 0, stream>>>(a);
    return cudaGetLastError();
}

} // namespace

STARFISH_CUDA_ENTRIES(starfish_flat_seams, seams)
