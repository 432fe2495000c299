/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Between the files of the CUDA version of planes: planes_cuda.cu chooses, planes_persistent_cuda.cu does planes of any
 * size in one launch, planes_shared_cuda.cu those that fit into shared memory. */
#ifndef STARFISH_FFT_KERNELS_PLANES_CUDA_CUH
#define STARFISH_FFT_KERNELS_PLANES_CUDA_CUH

#include "fft/kernels/transform_cuda.cuh"

namespace starfish
{

enum {
    STARFISH_PLANE_THREADS = 512,      /* of a block that holds a whole plane, at most */
    STARFISH_PLANE_SHARED = 227 * 1024 /* bytes of such a block, for devices that grant them: compute capability 9.0 */
};

/* A plane in the shared memory of one block: `pitch` reals from row to row, behind them the numbers of a tile. shared:
 * bytes in all; 0: it does not fit. */
struct plane_shape {
    tile_shape rows, columns;
    unsigned pitch;
    size_t shared;
};
plane_shape plane_in_shared_memory(const starfish_transform_cuda *x, const starfish_transform_cuda *y);

/* Where the values of planes are: as struct starfish_strides. */
struct plane_places {
    unsigned row, depth;
    size_t plane, box;
    __device__ __forceinline__ size_t operator()(unsigned k) const
    {
        const unsigned boxes = k / depth;
        return boxes * box + (k - boxes * depth) * plane;
    }
};
inline plane_places places_of_values(const starfish_transform_planes &planes, size_t nx, size_t ny)
{
    const starfish_strides values = starfish_strides_or_packed(planes.strides, nx, ny, planes.planes);
    return {static_cast<unsigned>(values.row), static_cast<unsigned>(values.depth), values.plane, values.box};
}

int planes_in_shared_memory_f32(const starfish_transform_cuda *x, const starfish_transform_cuda *y,
                                starfish_transform_direction direction, const starfish_transform_planes &planes,
                                cudaStream_t stream);
int planes_in_shared_memory_f64(const starfish_transform_cuda *x, const starfish_transform_cuda *y,
                                starfish_transform_direction direction, const starfish_transform_planes &planes,
                                cudaStream_t stream);

} // namespace starfish

#endif
