/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Weighted sums of shifted solves: a rational function of T by its partial fractions (block cyclic reduction in
 * partial-fraction form, blktri/kernels/fractions.h). T, lanes and shifts as in tridiag.h.
 *
 * `groups` sums; group g has the roots first_root[g] .. first_root[g+1] - 1, `inputs` vectors that its right-hand sides
 * are made of and `outputs` vectors that its solutions are added up to: for every root q of the group
 *     z_q = (T + (mu[q] + shift of the lane) I)^-1 sum over i of input_weight[q * inputs + i] x_i,
 *     y_o = sum over q of output_weight[q * outputs + o] z_q.
 * A vector is n x lanes elements, element (k, l) at k * lanes + l. x_i is vector input_row[g * inputs + i] of `input`
 * and is zero when that is -1; y_o becomes vector output_row[g * outputs + o] of `output`, or is not stored when -1.
 * Outputs may not overlap inputs or each other. Every group has at least one root. Tables (first_root: groups + 1,
 * input_row, output_row: int32; mu and weights: reals) are where the kernel runs. `pinned_root`: that root's matrix is
 * singular in lane 0, with a consistent right-hand side, and the last unknown of its solution is set to 0; -1 when
 * there is none.
 *
 * The solutions z_q are not kept: work space does not grow with the number of roots beyond what runs at once. Sums are
 * added up in an order that depends on the sizes alone. */
#ifndef STARFISH_TRIDIAG_KERNELS_SHIFTED_SUMS_H
#define STARFISH_TRIDIAG_KERNELS_SHIFTED_SUMS_H

#include "tridiag/kernels/tridiag.h"

enum { STARFISH_SHIFTED_SUMS_INPUTS = 5, STARFISH_SHIFTED_SUMS_OUTPUTS = 3 };

struct starfish_shifted_sums {
    struct starfish_tridiag_operator line;
    size_t lanes;
    const void *shift_lane; /* lanes reals, or NULL (zero) */
    double shift;
    size_t groups;
    size_t most_roots;   /* of a group */
    int inputs, outputs; /* at most STARFISH_SHIFTED_SUMS_INPUTS and ..._OUTPUTS, at least 1 */
    const int *first_root, *input_row, *output_row;
    const void *mu, *input_weight, *output_weight;
    int pinned_root;
    const void *input;
    void *output;
    void *workspace; /* starfish_shifted_sums_workspace_...(...) bytes */
    /* CPU only: lanes first_lane .. first_lane + lane_count - 1 alone; 0: all lanes. */
    size_t first_lane, lane_count;
};

size_t starfish_shifted_sums_workspace_cpu(size_t n, size_t lanes, int periodic, size_t element_size);
size_t starfish_shifted_sums_workspace_cuda(size_t n, size_t lanes, size_t groups, size_t most_roots, int outputs,
                                            int periodic, size_t element_size);

/* out[i] += in[i] for `count` reals: to join what cores have summed apart. */
void starfish_shifted_sums_add_cpu_f32(size_t count, const void *in, void *out);
void starfish_shifted_sums_add_cpu_f64(size_t count, const void *in, void *out);

void starfish_shifted_sums_cpu_f32(const struct starfish_shifted_sums *arguments);
void starfish_shifted_sums_cpu_f64(const struct starfish_shifted_sums *arguments);
/* Launches on `stream`; returns a cudaError_t, 0 when the launches were accepted. */
int starfish_shifted_sums_cuda_f32(const struct starfish_shifted_sums *arguments, struct CUstream_st *stream);
int starfish_shifted_sums_cuda_f64(const struct starfish_shifted_sums *arguments, struct CUstream_st *stream);

#endif
