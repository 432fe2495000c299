/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What memory the kernels need; see blocking.h for how they cut their work. */
#include "tridiag/kernels/blocking.h"
#include "tridiag/kernels/shifted_sums.h"
#include "tridiag/kernels/slab_lines.h"
#include "tridiag/kernels/tridiag.h"
#include "tridiag/kernels/tridiag_chain_line.h"

/* Reals kept per unknown: c' and d', the separator's column when periodic, and in a chain the vector itself. */
static size_t thomas_arrays(int periodic)
{
    return 2 + (periodic != 0);
}

static size_t chain_arrays(int periodic)
{
    return thomas_arrays(periodic) + 1;
}

/* CUDA: c', d' and the separator's column where each chunk of rows starts. A tile can end in a broken chunk. */
static size_t checkpoint_bytes(size_t n, size_t lines, size_t tiles, int periodic, size_t real_size)
{
    size_t chunks = starfish_tridiag_smaller(n, n * real_size / STARFISH_TRIDIAG_CHUNK_BYTES + tiles);

    return chunks * thomas_arrays(periodic) * lines * real_size;
}

size_t starfish_tridiag_chain_workspace_cpu(size_t n, size_t lanes, size_t vectors, int periodic, size_t element_size)
{
    size_t arrays = chain_arrays(periodic);
    size_t width = lanes > 1 ? starfish_tridiag_block_lanes(n, lanes, arrays, element_size)
                             : starfish_tridiag_smaller(vectors, STARFISH_TRIDIAG_SIDE_BY_SIDE);
    const size_t block = starfish_tridiag_block_bytes(n, width, arrays, element_size);
    const size_t line = lanes > 1 ? 0 : starfish_chain_of_a_line_workspace_f64(n); /* of f32 less */

    return line > block ? line : block;
}

size_t starfish_tridiag_chain_workspace_cuda(size_t n, size_t lanes, size_t vectors, int periodic, size_t element_size)
{
    return checkpoint_bytes(n, lanes * vectors, 1, periodic, element_size);
}

/* 8 unknowns of each of 1024 threads, 3 or 4 elements each in 227 KB; of complex vectors of a real line a third of that
 * stays empty. */
size_t starfish_tridiag_chain_longest_cuda(int periodic, size_t element_size)
{
    enum { MOST = 8192, SHARED_BYTES = 227 * 1024 };

    return starfish_tridiag_smaller(MOST, SHARED_BYTES / ((periodic ? 4 : 3) * element_size));
}

size_t starfish_shifted_sums_workspace_cpu(size_t n, size_t lanes, int periodic, size_t element_size)
{
    size_t width = STARFISH_TRIDIAG_SUMMED_LINES * STARFISH_TRIDIAG_CACHE_LINE / element_size;
    size_t arrays = lanes < STARFISH_TRIDIAG_FEW_LANES
                        ? chain_arrays(periodic) + STARFISH_SHIFTED_SUMS_OUTPUTS
                        : thomas_arrays(periodic) + STARFISH_SHIFTED_SUMS_INPUTS + STARFISH_SHIFTED_SUMS_OUTPUTS;

    return starfish_tridiag_block_bytes(n, width, arrays, element_size);
}

/* Partial sums of all runs, and of long lines checkpoints too. No less for more lanes: of blocks of lanes the largest
 * decides. */
size_t starfish_shifted_sums_workspace_cuda(size_t n, size_t lanes, size_t groups, size_t most_roots, int outputs,
                                            int periodic, size_t element_size)
{
    size_t sums = lanes * groups, runs = sums * most_roots, vector = n * element_size;

    if (vector <= STARFISH_TRIDIAG_LONGEST_SLAB_LANE_BYTES) {
        size_t most = STARFISH_TRIDIAG_SUMMED_BYTES / vector;
        return most_roots > 1 ? (size_t)outputs * starfish_tridiag_smaller(runs, most) * vector : 0;
    }
    size_t most = sums > STARFISH_TRIDIAG_LINES_AT_ONCE ? sums : STARFISH_TRIDIAG_LINES_AT_ONCE;
    size_t lines = starfish_tridiag_smaller(runs, most);
    return checkpoint_bytes(n, lines, 1, periodic, element_size) + (size_t)outputs * lines * vector;
}

size_t starfish_slab_solve_workspace_cpu(size_t rows, size_t lanes, int periodic, size_t real_size)
{
    size_t arrays = thomas_arrays(periodic);

    return starfish_tridiag_block_bytes(rows, starfish_tridiag_block_lanes(rows, lanes, arrays, real_size), arrays,
                                        real_size);
}

size_t starfish_slab_solve_workspace_cuda(size_t rows, size_t lanes, int periodic, size_t real_size)
{
    return rows * real_size <= STARFISH_TRIDIAG_LONGEST_SLAB_LANE_BYTES
               ? 0
               : checkpoint_bytes(rows, lanes, 1, periodic, real_size);
}

/* CPU: coefficients of a block of lanes; CUDA: of all of them. */
size_t starfish_slab_reduced_workspace_cpu(int slabs, size_t lanes, int periodic, size_t real_size)
{
    size_t width = starfish_tridiag_smaller(lanes, STARFISH_TRIDIAG_REDUCED_LANES);

    return (periodic ? 2 : 1) * (size_t)slabs * width * real_size;
}

size_t starfish_slab_reduced_workspace_cuda(int slabs, size_t lanes, int periodic, size_t real_size)
{
    return (periodic ? 2 : 1) * (size_t)slabs * lanes * real_size;
}
