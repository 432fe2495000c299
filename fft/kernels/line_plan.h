/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How the CUDA version transforms one line of complex numbers within shared memory: which radices, where elements lie.
 *
 * Decimation in frequency, in place: pass i of radix r splits every block of r * span elements into r blocks of `span`,
 * so that element (s, j) of a block, j + s * span, is combined with those of equal j. Frequency f = s1 + r1 (s2 + r2
 * ...) ends at digits (s1, s2, ...), digit-reversed; who reads the result reads it through `position`. Elements with
 * digits (s1, s2, ...) lie at s1 step1 + s2 step2 + ..., every step odd, so that threads that differ by one in any
 * digit meet different banks. All of it is tables, so kernels divide nothing and any order and padding would do.
 *
 * Mirrored lines, line[length - j] = m line[j] with m = 1 or -1, have mirrored transforms. Butterfly span - j of the
 * first pass reads what butterfly j reads, in reverse: its output s is m times the conjugate factor times output
 * radix - s of butterfly j. Blocks s and radix - s so become mirror images of each other. Hence pairs of butterflies
 * are done at once, from inputs that are read once, and only the blocks s <= radix / 2 are kept, the first `kept`: of
 * radix 8, 5/8 of the numbers in all later passes. Two real lanes a, b as one line a + ib are told apart without more
 * work, since the transform of a mirrored real line is real (m = 1) or imaginary (m = -1).
 *
 * Source: Gentleman and Sande, "Fast Fourier transforms - for fun and profit", AFIPS 29 (1966). */
#ifndef STARFISH_FFT_KERNELS_LINE_PLAN_H
#define STARFISH_FFT_KERNELS_LINE_PLAN_H

#include "fft/kernels/transform_tables.h"

#include <stdbool.h>

enum {
    STARFISH_LINE_PASSES = 10,        /* enough for 3^9; longer lines do not fit */
    STARFISH_LINE_THREADS = 256,      /* of a block, at most; or half of them */
    STARFISH_LINE_BLOCKS = 2,         /* of so many threads of a multiprocessor: what registers must leave room for */
    STARFISH_LINE_SHARED = 96 * 1024, /* bytes of a block, which every device since compute capability 8.0 grants */
    STARFISH_LINE_RADIX = 10,         /* of the first and the last pass, at most; there is no 9 */
    STARFISH_LINE_WIDEST = 16,        /* and the only larger one, of those between */
    STARFISH_LINE_NUMBER = 16,        /* bytes of a place: a complex number of one f64 line or of two f32 lines */
};

struct starfish_line_pass {
    int radix;
    int butterflies;      /* numbers / radix; in the first pass of mirrored lines span / 2 + 1 pairs */
    int span;             /* elements from one input of a butterfly to the next */
    int step;             /* places from one to the next */
    size_t first_start;   /* where its butterflies begin in `start`, in pairs */
    size_t first_twiddle; /* and its factors in `twiddle`, in complex numbers */
};

struct starfish_line_plan {
    int length;
    int mirror;  /* as of struct starfish_transform_shape */
    int kept;    /* blocks that the first pass leaves: its radix, or radix / 2 + 1 */
    int numbers; /* in them */
    int places;  /* that a line takes with its padding */
    int passes;  /* at least 2 */
    struct starfish_line_pass pass[STARFISH_LINE_PASSES];
    size_t starts, twiddles;
    int *start;    /* two ints a butterfly: the place of its first input, and its j; in the last pass in the order of
                    * the first frequency, which stands for j; in the first pass of mirrored lines for all j < span */
    void *twiddle; /* (re, im) of exp(-2 pi i s j / (radix * span)), s = 1, 2, 4, 8, at 0, span, 2 span ... + j */
    int *position; /* length: the place of frequency f, if it is in a block that is kept */
};

/* The combination before, its two inputs and its two weights side by side. */
struct starfish_line_before {
    int terms;     /* as in transform_tables.h */
    bool weighted; /* whether any p is not 1 */
    size_t length;
    int *input;   /* first, second */
    void *weight; /* p, q */
};

/* After the transform, an output of a lane is re Re V + im Im V of one element V. Nearly all elements have two outputs,
 * the second with weights (im, -re) or (-im, re); they are made together. */
struct starfish_line_after {
    int *entry;   /* two an element: output k, and 2 k' + (0 or 1) for its second; -1: none */
    void *weight; /* (re, im) an element */
};

/* Two real lanes a, b that were transformed as one line a + ib are told apart by the elements C, D of frequencies f and
 * length - f. With S = C + D and T = -i (C - D), the outputs of both lanes are as one number
 *     first = re S + im T,    second = im S - re T or the negative of that,
 * weights halved. Butterflies of frequencies p + M k and M - p + M k, M = length / radix, hold such elements: C is
 * number i of the one, D number radix - 1 - i of the other. So the last pass of a transform and its combination after
 * are one, done for pairs of butterflies, and so are the combination before and the first pass of a transform that
 * undoes that of the other direction (`synthesis`): it makes C and D of the outputs, the inverse Fourier transform does
 * the rest.
 *
 * Pair 0 is of p = 0 and, where M is even, M / 2, each of which holds its own partners: its numbers are regrouped, so
 * that slot i < (radix + 1) / 2 has the frequency M i and the others M / 2 + M i. Slot 0 stands for the elements of
 * frequencies 0 and length / 2, both real for each lane: it has V(0) for S / 2 and `ratio` V(length / 2) for T / 2. */
struct starfish_line_pairs {
    int count, radix, stride; /* M */
    int *place;               /* two a pair: of the first input of each butterfly; -1: no such butterfly */
    int *entry;               /* two a slot, slot i of pair p at i * count + p: as of starfish_line_after */
    void *weight;             /* (re, im) a slot */
    bool weighted;            /* whether any of them is not (plain, 0) */
    bool complete;            /* whether every slot has both outputs */
    double plain, ratio;
};

/* Whether the lines of this shape are done in shared memory: no prime factor over 7, and short enough. */
bool starfish_line_fits(const struct starfish_transform_shape *shape);

/* For a length that fits; mirror: as of struct starfish_transform_shape. Fills *plan, also on failure, so that destroy
 * may always follow. STARFISH_ERROR_MEMORY. */
starfish_status starfish_line_plan_create(struct starfish_line_plan *plan, int length, int mirror,
                                          starfish_precision precision);
void starfish_line_plan_destroy(struct starfish_line_plan *plan);

/* Of mirrored lines: what frequency f of the line's transform gives, twice the output, and 1 more where that is the
 * negative; -1: nothing. `output` has room for `length`. */
void starfish_line_outputs(const struct starfish_line_plan *plan, int *output);

/* The caller frees both arrays, also on failure. STARFISH_ERROR_MEMORY. */
starfish_status starfish_line_before_create(struct starfish_line_before *before,
                                            const struct starfish_transform_combination *table,
                                            starfish_precision precision);

/* From a combination `after`, every one of which reads one element per output. The caller frees both arrays, also on
 * failure. STARFISH_ERROR_MEMORY. */
starfish_status starfish_line_after_create(struct starfish_line_after *after,
                                           const struct starfish_transform_tables *tables,
                                           enum starfish_transform_direction direction, starfish_precision precision);

/* Whether this direction is done by undoing the other: its combination before would read two elements of a real
 * lane. */
bool starfish_line_is_synthesis(const struct starfish_transform_tables *tables,
                                enum starfish_transform_direction direction);

/* For real lines. Of the last pass; or for a synthesis of the first, with `after` of the other direction, where forward
 * and backward together multiply by `gain` times the length. The caller frees the three arrays, also on failure.
 * STARFISH_ERROR_MEMORY. */
starfish_status starfish_line_pairs_create(struct starfish_line_pairs *pairs, const struct starfish_line_plan *plan,
                                           const struct starfish_line_after *after, bool synthesis, double gain,
                                           starfish_precision precision);

#endif
