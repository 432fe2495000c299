/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How the kernels on a slab of a 3D field are cut into blocks and threads. A block covers a tile of (x, y), a thread
 * one column of it, and the block marches through a run of consecutive planes. The neighbours in z of an unknown are
 * thus those that the same thread has just read or reads next, the rows of a tile are read as whole lines of memory,
 * and no index is divided but once per thread. Each run reads two planes beside its own, so runs are as long as they
 * may be while every multiprocessor still has BLOCKS_PER_PROCESSOR blocks. */
#ifndef STARFISH_STENCIL_KERNELS_COLUMNS_CUH
#define STARFISH_STENCIL_KERNELS_COLUMNS_CUH

#include "krylov/kernels/multiprocessors.cuh"

namespace
{

constexpr unsigned WARP = 32, MOST_THREADS = 256;
constexpr size_t BLOCKS_PER_PROCESSOR = 16; /* 2 to 4 times as many as are resident, which evens out the last of them */

struct Columns {
    size_t nx, ny, nz;
    unsigned width, height;  /* threads of a block in x and y: powers of two, whole warps together */
    unsigned across, blocks; /* tiles in x; blocks altogether, tiles in x first, then in y, then runs in z */
    unsigned down;           /* tiles in y */
    size_t run;              /* planes that a block marches through; the last run may be shorter */
};

/* What falls to a thread: planes first .. last - 1 of column (i,j), none where the tile reaches beyond the plane. */
struct Column {
    size_t i, j, first, last;
};

/* Rows of 32 threads, narrower where the field is; wider only where there are too few rows to fill a block. */
inline void shape_tile(Columns &c)
{
    c.width = c.height = 1;
    while (c.width < WARP && c.width < c.nx)
        c.width *= 2;
    while (c.width * c.height < MOST_THREADS && c.height < c.ny)
        c.height *= 2;
    while (c.width * c.height < MOST_THREADS && c.width < c.nx)
        c.width *= 2;
    while (c.width * c.height < WARP)
        c.height *= 2;
}

inline cudaError_t cut_columns(const size_t n[3], Columns &c)
{
    int processors = 0;
    const cudaError_t error = starfish_multiprocessors(&processors);
    if (error != cudaSuccess)
        return error;
    c.nx = n[0];
    c.ny = n[1];
    c.nz = n[2];
    shape_tile(c);
    const size_t across = (c.nx + c.width - 1) / c.width, down = (c.ny + c.height - 1) / c.height;
    const size_t tiles = across * down, wanted = (size_t(processors) * BLOCKS_PER_PROCESSOR + tiles - 1) / tiles;
    const size_t runs = wanted < c.nz ? wanted : c.nz;
    c.run = (c.nz + runs - 1) / runs;
    c.across = unsigned(across);
    c.down = unsigned(down);
    c.blocks = unsigned(tiles * ((c.nz + c.run - 1) / c.run));
    return cudaSuccess;
}

inline dim3 threads_of(const Columns &c)
{
    return dim3(c.width, c.height);
}

__device__ inline Column column_of_thread(const Columns &c)
{
    const unsigned row = blockIdx.x / c.across;
    const size_t first = row / c.down * c.run, last = first + c.run;
    Column column = {blockIdx.x % c.across * size_t(c.width) + threadIdx.x,
                     row % c.down * size_t(c.height) + threadIdx.y, first, last < c.nz ? last : c.nz};
    if (column.i >= c.nx || column.j >= c.ny)
        column.last = column.first;
    return column;
}

} // namespace

#endif
