/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every transform of transform.h as a combination before and a combination after one FFT, with nothing but tables.
 *
 *     line[j] = p[j] x[first[j]] + q[j] x[second[j]]       `before`, from the n inputs
 *     LINE    = FFT of line                                real to complex, or complex to complex
 *     y[k]    = p[k] LINE[first[k]] + q[k] LINE[second[k]] `after`, LINE read as an array of reals (re, im, re, im ...)
 *
 * Where the tables say so, outputs are running sums at last (struct starfish_transform_sums).
 *
 * The FFT is the same in both directions, so a plan needs one. The CPU and the CUDA version read the same tables, which
 * are checked against the definition without a GPU. The formulas are at each builder in transform_tables.c. */
#ifndef STARFISH_FFT_KERNELS_TRANSFORM_TABLES_H
#define STARFISH_FFT_KERNELS_TRANSFORM_TABLES_H

#include "fft/kernels/transform.h"

enum starfish_transform_fft {
    STARFISH_FFT_NONE,   /* y = gain x: IDENTITY, and every kind at n = 1 */
    STARFISH_FFT_REAL,   /* `length` reals to length/2 + 1 complex numbers */
    STARFISH_FFT_COMPLEX /* `length` complex numbers to as many */
};

struct starfish_transform_shape {
    enum starfish_transform_fft fft;
    size_t length;
    size_t inputs; /* reals that `before` writes: length or 2 length */
    size_t line;   /* reals that hold the line before and after the FFT, in place; even; 0 for NONE */
    int mirror;    /* 1, -1: line[length - j] = mirror * line[j], of DCT-I and DST-I; else 0 */
};

struct starfish_transform_combination {
    size_t length;
    int terms;           /* 2; 1 when every q is 0; 0 when moreover it is a plain copy */
    int *first, *second; /* length each */
    void *p, *q;         /* length each, elements of the tables' precision */
};

/* DD_NODE and NN_NODE, which are their own inverses, have two forms. DOUBLED: the line's odd or even extension, of
 * twice the length. RUNNING: a line of the length n + 1 or n - 1, and then running sums, y[k] += y[k - 2] for k = first
 * + 2, first + 4, ..., where y[1] of NN_NODE is a sum over all inputs. The rounding errors of the sums grow with the
 * square root of n; the time is half. Source: Swarztrauber's FFTPACK, subroutines sint and cost. */
enum starfish_transform_form { STARFISH_TRANSFORM_DOUBLED, STARFISH_TRANSFORM_RUNNING };

struct starfish_transform_sums {
    int running;
    size_t first;
    void *weight; /* of the n inputs, for y[1]; NULL: it is no such sum. Elements of the tables' precision */
};

struct starfish_transform_tables {
    struct starfish_transform_shape shape;
    struct starfish_transform_sums sums;                       /* of both directions */
    double gain[2];                                            /* by direction; used by NONE only */
    struct starfish_transform_combination before[2], after[2]; /* by direction; empty for NONE */
};

/* Of the doubled form. kind and n must be valid (starfish_transform_tables_create checks). */
struct starfish_transform_shape starfish_transform_shape(enum starfish_transform_kind kind, size_t n);

/* Fills *tables, also on failure, so that destroy may always follow. STARFISH_ERROR_ARGUMENT for an unknown kind, n =
 * 0, NN_NODE with n < 2 or n over 2^28 (indices are int); STARFISH_ERROR_MEMORY. */
starfish_status starfish_transform_tables_create(struct starfish_transform_tables *tables,
                                                 enum starfish_transform_kind kind, size_t n,
                                                 starfish_precision precision, enum starfish_transform_form form);
void starfish_transform_tables_destroy(struct starfish_transform_tables *tables);

/* How many of at most `max_lines` lines the CUDA version through cuFFT takes at once: all, or as many as keep a group's
 * work space within 128 MB, preferring a divisor of max_lines. At least 1. */
size_t starfish_transform_group(const struct starfish_transform_shape *shape, size_t max_lines,
                                starfish_precision precision);

#endif
