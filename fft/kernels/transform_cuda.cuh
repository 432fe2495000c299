/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Between the files of the CUDA version: the plan, and the three ways to carry it out.
 *
 *   transform_cuda.cu          creation, and which way a plan goes
 *   transform_lines_cuda.cu    lines that fit in shared memory: one kernel, no work space
 *   transform_rows*_cuda.cu, transform_columns*_cuda.cu  their kernels
 *   transform_products_cuda.cu some of the others: one kernel of matrix products (products_tensor.cuh)
 *   transform_cufft.cu         the rest: kernels around cuFFT, through work space
 *   planes_cuda.cu             x and y of whole planes
 *   planes_persistent_cuda.cu  the same in one launch */
#ifndef STARFISH_FFT_KERNELS_TRANSFORM_CUDA_CUH
#define STARFISH_FFT_KERNELS_TRANSFORM_CUDA_CUH

extern "C" {
#include "base/real.h"
#include "fft/kernels/planes.h"
#include "fft/kernels/transform_products.h"
#include "fft/kernels/transform_tables.h"
}
#include "fft/kernels/line_tile.cuh"

#include <cuda_runtime.h>
#include <cufft.h>

#define STARFISH_TRY_CUDA(expression)                                                                                  \
    do {                                                                                                               \
        int try_error = (expression);                                                                                  \
        if (try_error != cudaSuccess)                                                                                  \
            return try_error;                                                                                          \
    } while (0)

/* A combination whose tables lie in device memory. */
struct starfish_device_tables {
    unsigned length;
    int terms;
    const int *first, *second;
    const void *p, *q;
};

/* A line plan whose tables lie in device memory. */
struct starfish_device_line {
    struct starfish_line_plan plan; /* its pointers are not kept */
    const void *start, *twiddle;
    int terms[2];     /* of the combination before, by direction */
    bool weighted[2]; /* whether any p is not 1 */
    const void *input[2], *input_weight[2];
    bool synthesis[2];
    struct starfish_line_pairs pairs[2]; /* without its pointers */
    const void *output;                  /* of mirrored lines */
    const void *place[2];
    const void *entry[2], *weight[2]; /* of pairs, where a line is two lanes, else of elements */
};

enum starfish_transform_way { STARFISH_IN_SHARED_MEMORY, STARFISH_BY_PRODUCTS, STARFISH_BY_CUFFT };

struct starfish_transform_cuda {
    size_t n;
    starfish_precision precision;
    struct starfish_transform_shape shape;
    double gain[2];
    void *tables; /* device memory that all tables lie in */
    enum starfish_transform_way way;
    struct starfish_device_line line;                  /* in shared memory */
    struct starfish_transform_products products;       /* by products, its matrices on the device */
    struct starfish_device_tables before[2], after[2]; /* cuFFT's way */
    size_t group;                                      /* lines that are in the work space at once */
    cufftHandle fft;                                   /* in place on `group` lines of the work space, or no_fft */
    cufftHandle from_rows; /* from `group` rows to the work space where before[FORWARD] only copies, else no_fft */
};

namespace starfish
{

constexpr cufftHandle no_fft = -1;

/* The part of a plan that one direction's kernels read. */
template <typename real>
line_transform<real> line_transform_of(const starfish_transform_cuda *plan, starfish_transform_direction direction,
                                       double scale)
{
    line_transform<real> transform = {};
    const starfish_line_plan &host = plan->line.plan;
    transform.fft.passes = host.passes;
    for (int i = 0; i < host.passes; i++) {
        const starfish_line_pass &pass = host.pass[i];
        transform.fft.pass[i] = {pass.radix,
                                 pass.butterflies,
                                 pass.span,
                                 pass.step,
                                 static_cast<const int2 *>(plan->line.start) + pass.first_start,
                                 static_cast<const complex<real> *>(plan->line.twiddle) + pass.first_twiddle};
    }
    const starfish_device_line &line = plan->line;
    const starfish_line_pairs &pairs = line.pairs[direction];
    const int before = line.synthesis[direction] ? 1 - direction : direction;
    transform.n = static_cast<int>(plan->n);
    transform.length = host.length;
    transform.mirror = host.mirror;
    transform.output = static_cast<const int *>(line.output);
    transform.synthesis = line.synthesis[direction];
    transform.terms = line.terms[before];
    transform.weighted = line.weighted[before];
    transform.input = static_cast<const int2 *>(line.input[before]);
    transform.input_weight = static_cast<const complex<real> *>(line.input_weight[before]);
    transform.entry = static_cast<const int2 *>(line.entry[direction]);
    transform.weight = static_cast<const complex<real> *>(line.weight[direction]);
    transform.pairs = {pairs.count,
                       pairs.weighted,
                       pairs.complete,
                       static_cast<const int2 *>(line.place[direction]),
                       transform.entry,
                       transform.weight,
                       static_cast<real>(pairs.plain),
                       static_cast<real>(pairs.ratio)};
    transform.scale = static_cast<real>(scale);
    return transform;
}

/* Tiles of a plan that fits in shared memory, and the threads that a block does best with. */
int row_threads(const starfish_transform_cuda *plan);
int column_threads(const starfish_transform_cuda *plan);
tile_shape rows_tile_shape(const starfish_transform_cuda *plan, int threads);
tile_shape columns_tile_shape(const starfish_transform_cuda *plan, int threads);

/* Whether the lanes of a packed line can be read as one number, in every plane. */
bool lanes_are_aligned(const void *data, size_t inner, starfish_precision precision);

/* The kernels in shared memory, which take long to compile: rows whose modes are in one piece or in tiles, columns
 * whose lines are two real lanes or one. */
int whole_rows_f32(const starfish_transform_cuda *plan, starfish_transform_direction direction,
                   const starfish_transform_rows &rows, cudaStream_t stream);
int rows_to_tiles_f32(const starfish_transform_cuda *plan, const starfish_transform_rows &rows, cudaStream_t stream);
int rows_from_tiles_f32(const starfish_transform_cuda *plan, const starfish_transform_rows &rows, cudaStream_t stream);
int columns_of_pairs_f32(const starfish_transform_cuda *plan, starfish_transform_direction direction,
                         const starfish_transform_columns &columns, const void *in, cudaStream_t stream);
int columns_of_lanes_f32(const starfish_transform_cuda *plan, starfish_transform_direction direction,
                         const starfish_transform_columns &columns, const void *in, cudaStream_t stream);
int whole_rows_f64(const starfish_transform_cuda *plan, starfish_transform_direction direction,
                   const starfish_transform_rows &rows, cudaStream_t stream);
int rows_to_tiles_f64(const starfish_transform_cuda *plan, const starfish_transform_rows &rows, cudaStream_t stream);
int rows_from_tiles_f64(const starfish_transform_cuda *plan, const starfish_transform_rows &rows, cudaStream_t stream);
int columns_of_pairs_f64(const starfish_transform_cuda *plan, starfish_transform_direction direction,
                         const starfish_transform_columns &columns, const void *in, cudaStream_t stream);
int columns_of_lanes_f64(const starfish_transform_cuda *plan, starfish_transform_direction direction,
                         const starfish_transform_columns &columns, const void *in, cudaStream_t stream);

int rows_by_lines(const starfish_transform_cuda *plan, starfish_transform_direction direction,
                  const starfish_transform_rows *arguments, cudaStream_t stream);
/* As columns of struct starfish_transform_columns, but from `in`, which may be data. */
int columns_from(const starfish_transform_cuda *plan, starfish_transform_direction direction,
                 const starfish_transform_columns *arguments, const void *in, cudaStream_t stream);
int columns_by_lines(const starfish_transform_cuda *plan, starfish_transform_direction direction,
                     const starfish_transform_columns *arguments, const void *in, cudaStream_t stream);

/* x and y of planes in one launch (planes_persistent_cuda.cu), where lengths and addresses let it. The work space
 * holds a counter of tiles to hand out and one of finished tiles for each plane. */
constexpr size_t planes_counter_bytes = sizeof(unsigned);
int planes_in_one_launch_f32(const starfish_transform_cuda *x, const starfish_transform_cuda *y,
                             starfish_transform_direction direction, const starfish_transform_planes &planes,
                             cudaStream_t stream);
int planes_in_one_launch_f64(const starfish_transform_cuda *x, const starfish_transform_cuda *y,
                             starfish_transform_direction direction, const starfish_transform_planes &planes,
                             cudaStream_t stream);

/* Whether the current device can; the most lines, up to so many, that keep all of it busy to the end. */
bool products_can_be();
starfish_status products_create(starfish_transform_cuda *plan, const starfish_transform_products &host);
int products_whole_waves(const starfish_transform_cuda *plan, size_t *lines);
int rows_by_products(const starfish_transform_cuda *plan, starfish_transform_direction direction,
                     const starfish_transform_rows *arguments, cudaStream_t stream);
int columns_by_products(const starfish_transform_cuda *plan, starfish_transform_direction direction,
                        const starfish_transform_columns *arguments, const void *in, cudaStream_t stream);

starfish_status cufft_create(starfish_transform_cuda *plan);
void cufft_destroy(starfish_transform_cuda *plan);
int rows_by_cufft(const starfish_transform_cuda *plan, starfish_transform_direction direction,
                  const starfish_transform_rows *arguments, cudaStream_t stream);
int columns_by_cufft(const starfish_transform_cuda *plan, starfish_transform_direction direction,
                     const starfish_transform_columns *arguments, cudaStream_t stream);

/* The spectral side, from row `begin` on. */
template <typename real> ranges<real> ranges_of(const starfish_transform_rows &arguments, size_t begin)
{
    ranges<real> ranges = {};
    ranges.count = arguments.tiles;
    ranges.stride = arguments.first_mode[1];
    for (int t = 0; t < arguments.tiles; t++) {
        size_t width = arguments.first_mode[t + 1] - arguments.first_mode[t];
        ranges.base[t] = static_cast<real *>(arguments.tile[t]) + begin * width;
        ranges.first[t + 1] = arguments.first_mode[t + 1];
    }
    return ranges;
}

} // namespace starfish

#endif
