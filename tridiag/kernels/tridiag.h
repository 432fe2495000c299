/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Chains of tridiagonal solves that share one operator: their contract, and the operator.
 *
 * The operator T along a line of n unknowns has rows
 *     lower[k] x(k-1) + (diag[k] + shift) x(k) + upper[k] x(k+1) = d(k),
 * and the shift (an eigenvalue of the directions already transformed) is what differs between lines.
 * A periodic line also has lower[0] (column n-1) and upper[n-1] (column 0); otherwise those two are ignored.
 *
 * No pivoting: stable when every line's matrix is diagonally dominant or definite, which all elliptic problems with
 * lambda <= 0 are. */
#ifndef STARFISH_TRIDIAG_KERNELS_TRIDIAG_H
#define STARFISH_TRIDIAG_KERNELS_TRIDIAG_H

#include <stddef.h>

struct CUstream_st; /* what a cudaStream_t points to */

/* What vectors and lines are made of. Complex numbers are pairs (real part, imaginary part), and then lanes are counted
 * in pairs; shifts, weights and factors always are reals. On CUDA, pairs and work space for them are aligned to pairs.
 * With STARFISH_TRIDIAG_COMPLEX_VECTORS both parts share one elimination. Only chains and sums of solves do complex
 * numbers. */
enum starfish_tridiag_numbers {
    STARFISH_TRIDIAG_REAL,
    STARFISH_TRIDIAG_COMPLEX_VECTORS, /* of a real line */
    STARFISH_TRIDIAG_COMPLEX_LINES,   /* and of vectors */
    STARFISH_TRIDIAG_NUMBERS
};

static inline size_t starfish_tridiag_parts(enum starfish_tridiag_numbers numbers)
{
    return numbers == STARFISH_TRIDIAG_REAL ? 1 : 2;
}

/* Bytes of an element of a vector; what workspace functions take for `element_size`. */
static inline size_t starfish_tridiag_element_size(enum starfish_tridiag_numbers numbers, size_t real_size)
{
    return starfish_tridiag_parts(numbers) * real_size;
}

struct starfish_tridiag_operator {
    size_t n;
    int periodic;
    const void *lower, *diag, *upper; /* n reals or pairs each */
    enum starfish_tridiag_numbers numbers;
    /* n reals, which multiply the lanes' shifts in each row; `diag` then are sums of rows (slab_lines.h). NULL: ones.
     * For sums of solves of real lines, on CUDA of those that are not periodic. */
    const void *weight;
};

/* ---- Chains of shifted solves ----------------------------------------------------------------------------------
 * A rational function of T applied to vectors, as a product of first-order factors (the product form of block cyclic
 * reduction, Swarztrauber 1974): for every step q in turn
 *     w = (T + (mu[q] + shift of the lane) I)^-1 x,     x <- keep[q] x + gain[q] w.
 * A batch holds `vectors` independent vectors; vector v is n x lanes elements, element (k, l) at
 *     in[v][k * lanes + l]  with  in[v] = input + input_row[v] * n * lanes   (so rows can be picked from an array),
 * runs steps first_step[v] .. first_step[v] + steps[v] - 1, and its result goes to output + v * n * lanes
 * (output may not overlap input). With steps[v] == 0 it is scale[v] times its input.
 * Tables (input_row, first_step, steps: int32; scale, mu, keep, gain: reals) are where the kernel runs: for CUDA, on
 * the device.
 * `pinned_step`: that step's solve is singular for lane 0, with a consistent right-hand side (the constant mode of an
 * all-Neumann or periodic problem), and sets the last unknown of w to 0; -1 when there is none.
 * A plain batch of solves is the chain with one step per vector, keep 0 and gain 1. */
enum starfish_tridiag_method {
    STARFISH_TRIDIAG_AUTO = 0,
    STARFISH_TRIDIAG_THOMAS,
    STARFISH_TRIDIAG_PCR,
    STARFISH_TRIDIAG_CR,    /* cyclic reduction */
    STARFISH_TRIDIAG_CR_PCR /* until few rows are left, those by PCR */
};

struct starfish_tridiag_chain {
    struct starfish_tridiag_operator line;
    size_t lanes;
    const void *shift_lane; /* lanes reals, or NULL (zero) */
    double shift;
    size_t vectors;
    int max_steps; /* largest steps[v] */
    const int *input_row, *first_step, *steps;
    const void *scale; /* vectors reals: vector v starts as scale[v] times its input; NULL: 1 */
    const void *mu, *keep, *gain;
    int pinned_step;
    const void *input;
    void *output;
    void *workspace; /* starfish_tridiag_chain_workspace_...(...) bytes */
    /* Results differ by rounding errors. On CPUs THOMAS is one row after the other; with all others few real vectors of
     * one lane are cut into chunks (chunked_line.h). */
    enum starfish_tridiag_method method;
    /* CPU only: lanes first_lane .. first_lane + lane_count - 1 alone, so that cores can share a batch; 0: all
     * lanes. */
    size_t first_lane, lane_count;
};

size_t starfish_tridiag_chain_workspace_cpu(size_t n, size_t lanes, size_t vectors, int periodic, size_t element_size);
size_t starfish_tridiag_chain_workspace_cuda(size_t n, size_t lanes, size_t vectors, int periodic, size_t element_size);

/* The longest line whose chain stays in shared memory on a GPU of compute capability 9.0. */
size_t starfish_tridiag_chain_longest_cuda(int periodic, size_t element_size);

void starfish_tridiag_chain_cpu_f32(const struct starfish_tridiag_chain *arguments);
void starfish_tridiag_chain_cpu_f64(const struct starfish_tridiag_chain *arguments);
/* AUTO: many lines (lanes times vectors): Thomas, one thread per line. Few, or a single lane: PCR, one block per line,
 * whole chain in shared memory where n fits, else Thomas. PCR, CR and CR_PCR with an n beyond
 * starfish_tridiag_chain_longest_cuda return cudaErrorInvalidConfiguration. */
int starfish_tridiag_chain_cuda_f32(const struct starfish_tridiag_chain *arguments, struct CUstream_st *stream);
int starfish_tridiag_chain_cuda_f64(const struct starfish_tridiag_chain *arguments, struct CUstream_st *stream);

#endif
