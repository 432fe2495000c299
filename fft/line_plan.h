/* How the CUDA version transforms one line of complex numbers within shared memory: which radices, where elements lie.
 *
 * Decimation in frequency, in place: pass i of radix r splits every block of r * span elements into r blocks of `span`,
 * so that element (s, j) of a block, j + s * span, is combined with those of equal j. Frequency f = s1 + r1 (s2 + r2
 * ...) ends at digits (s1, s2, ...), digit-reversed; who reads the result reads it through `position`. Elements with
 * digits (s1, s2, ...) lie at s1 step1 + s2 step2 + ..., every step odd, so that threads that differ by one in any
 * digit meet different banks. All of it is tables, so kernels divide nothing and any order and padding would do.
 *
 * Source: Gentleman and Sande, "Fast Fourier transforms - for fun and profit", AFIPS 29 (1966). */
#ifndef STARFISH_FFT_LINE_PLAN_H
#define STARFISH_FFT_LINE_PLAN_H

#include "fft/transform_tables.h"

#include <stdbool.h>

enum {
    STARFISH_LINE_PASSES = 10,        /* enough for 3^9; longer lines do not fit */
    STARFISH_LINE_THREADS = 256,      /* of a block, at most */
    STARFISH_LINE_SHARED = 96 * 1024, /* bytes of a block, which every device since compute capability 8.0 grants */
    STARFISH_LINE_NUMBER = 16,        /* bytes of a place: a complex number of one f64 line or of two f32 lines */
};

struct starfish_line_pass {
    int radix;
    int butterflies;      /* length / radix */
    int span;             /* elements from one input of a butterfly to the next */
    int step;             /* places from one to the next */
    size_t first_start;   /* where its butterflies begin in `start`, in pairs */
    size_t first_twiddle; /* and its factors in `twiddle`, in complex numbers */
};

struct starfish_line_plan {
    int length;
    int places; /* that a line takes with its padding */
    int passes; /* at least 1 */
    struct starfish_line_pass pass[STARFISH_LINE_PASSES];
    size_t starts, twiddles;
    int *start;    /* two ints a butterfly: the place of its first input, and its j */
    void *twiddle; /* (re, im) of exp(-2 pi i s j / (radix * span)), s = 1, 2, 4, at 0, span, 2 span + j */
    int *position; /* length: the place of frequency f */
};

/* The combination before, its two inputs and its two weights side by side. */
struct starfish_line_before {
    int terms;     /* as in transform_tables.h */
    bool weighted; /* whether any p is not 1 */
    size_t length;
    int *input;   /* first, second */
    void *weight; /* p, q */
};

/* After the transform, an output of a lane is re Re V + im Im V of one element V. Two real lanes a, b that were
 * transformed as one line a + ib are told apart by the elements C, D of frequencies m and length - m:
 *     y_a = re (Re C + Re D) + im (Im C - Im D),    y_b = re (Im C + Im D) + im (Re D - Re C).
 * Weights are halved for that. Where a line is one lane (STARFISH_FFT_COMPLEX), C alone counts.
 *
 * Nearly all elements have two outputs, the second with weights (im, -re) or (-im, re); they are made together. */
struct starfish_line_after {
    int entries;
    int *entry;   /* four per entry: the places of C and D, output k, and 2 k' + (0 or 1) for its second, or -1 */
    void *weight; /* (re, im) per entry */
};

/* Whether the lines of this shape are done in shared memory: no prime factor over 7, and short enough. */
bool starfish_line_fits(const struct starfish_transform_shape *shape);

/* For a length that fits. Fills *plan, also on failure, so that destroy may always follow. STARFISH_ERROR_MEMORY. */
starfish_status starfish_line_plan_create(struct starfish_line_plan *plan, int length, starfish_precision precision);
void starfish_line_plan_destroy(struct starfish_line_plan *plan);

/* The caller frees both arrays, also on failure. STARFISH_ERROR_MEMORY. */
starfish_status starfish_line_before_create(struct starfish_line_before *before,
                                            const struct starfish_transform_combination *table,
                                            starfish_precision precision);

/* From a combination `after`, every one of which reads one element per output. The caller frees both arrays, also on
 * failure. STARFISH_ERROR_MEMORY. */
starfish_status starfish_line_after_create(struct starfish_line_after *after, const struct starfish_line_plan *plan,
                                           const struct starfish_transform_tables *tables,
                                           enum starfish_transform_direction direction, starfish_precision precision);

#endif
