/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Builders of the combinations around one FFT; V = FFT of the line, M its length, e(t) = exp(-i pi t).
 *
 *   R2HC, HC2R   M = n. HC2R through the discrete Hartley transform Re V - Im V (Bracewell, J. Opt. Soc. Am. 73, 1983).
 *   DCT-II/III   M = n, Makhoul's reordering (IEEE Trans. ASSP 28, 1980); III is its transpose through Hartley.
 *   DCT-I, DST-I M = 2(n-1), 2(n+1): even and odd extension; the CUDA version leaves out what the mirror image repeats
 *                (line_plan.h). Or M = n-1, n+1 and running sums, whose error is O(sqrt(n) eps) (said in FFTW's
 *                reodft00e-r2hc.c): cores in f64.
 *   DCT-IV       n even: one complex FFT of n/2 points between two twiddles; n odd: M = n (Chan and Ho, 1990).
 *   DST-II, III, IV  the cosine transform with inputs or outputs reversed and alternating in sign.
 *
 * Weights are computed in long double from integer-reduced angles, then rounded once. */
#include "fft/kernels/transform_tables.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

/* One combination while it is being built. */
struct draft {
    size_t length;
    int *first, *second;
    long double *p, *q;
};

static void set(struct draft *draft, size_t i, long double p, size_t first, long double q, size_t second)
{
    draft->first[i] = (int)first;
    draft->second[i] = (int)second;
    draft->p[i] = p;
    draft->q[i] = q;
}

/* cos and sin of pi numerator / denominator */
static long double cos_pi(size_t numerator, size_t denominator)
{
    const long double pi = 3.141592653589793238462643383279502884L;
    return cosl(pi * (long double)(numerator % (2 * denominator)) / (long double)denominator);
}
static long double sin_pi(size_t numerator, size_t denominator)
{
    const long double pi = 3.141592653589793238462643383279502884L;
    return sinl(pi * (long double)(numerator % (2 * denominator)) / (long double)denominator);
}

/* after[i] = re Re V[f] + im Im V[f] for 0 <= f < M of a real line: V[M - f] is the conjugate of V[f], and V[0] and
 * V[M/2] are real. */
static void set_spectrum(struct draft *after, size_t i, size_t length, long double re, long double im, size_t f)
{
    if (2 * f > length) {
        f = length - f;
        im = -im;
    }
    if (f == 0 || 2 * f == length)
        im = 0;
    set(after, i, re, 2 * f, im, 2 * f + 1);
}

/* ---- One builder per transform -------------------------------------------------------------------------------- */
static void build_r2hc(size_t n, struct draft *before, struct draft *after)
{
    for (size_t j = 0; j < n; j++)
        set(before, j, 1, j, 0, j);
    for (size_t k = 0; k < n; k++) {
        if (2 * k <= n)
            set(after, k, 1, 2 * k, 0, 2 * k);
        else
            set(after, k, 1, 2 * (n - k) + 1, 0, 2 * (n - k) + 1);
    }
}

/* c[k] = r[k] - i[k], c[n-k] = r[k] + i[k]; out = Hartley(c) */
static void build_hc2r(size_t n, struct draft *before, struct draft *after)
{
    for (size_t k = 0; k < n; k++) {
        if (k == 0 || 2 * k == n)
            set(before, k, 1, k, 0, k);
        else if (2 * k < n)
            set(before, k, 1, k, -1, n - k);
        else
            set(before, k, 1, n - k, 1, k);
    }
    for (size_t j = 0; j < n; j++)
        set_spectrum(after, j, n, 1, -1, j);
}

/* line = x[0] x[1] ... x[n-1] x[n-2] ... x[1] */
static void build_dct1(size_t n, struct draft *before, struct draft *after)
{
    size_t length = 2 * (n - 1);
    for (size_t j = 0; j < length; j++)
        set(before, j, 1, j < n ? j : length - j, 0, 0);
    for (size_t k = 0; k < n; k++)
        set(after, k, 1, 2 * k, 0, 2 * k);
}

/* line = 0 x[0] ... x[n-1] 0 -x[n-1] ... -x[0]; out[k] = -Im V[k+1] */
static void build_dst1(size_t n, struct draft *before, struct draft *after)
{
    size_t length = 2 * (n + 1);
    for (size_t j = 0; j < length; j++)
        set(before, j, 0, 0, 0, 0);
    for (size_t j = 0; j < n; j++) {
        set(before, j + 1, 1, j, 0, j);
        set(before, length - 1 - j, -1, j, 0, j);
    }
    for (size_t k = 0; k < n; k++)
        set(after, k, -1, 2 * (k + 1) + 1, 0, 2 * (k + 1) + 1);
}

/* With N = n - 1: line[j] = (x[j] + x[N-j]) / 2 - sin(pi j/N) (x[j] - x[N-j]); out[2k] = 2 Re V[k],
 * out[2k+1] - out[2k-1] = -2 Im V[k] */
static void build_running_dct1(size_t n, struct draft *before, struct draft *after)
{
    const size_t length = n - 1;
    for (size_t j = 0; j < length; j++) {
        const long double sine = sin_pi(j, length);
        set(before, j, 0.5L - sine, j, 0.5L + sine, length - j);
    }
    for (size_t k = 0; k < n; k++)
        set_spectrum(after, k, length, k % 2 == 0 ? 2 : 0, k % 2 == 0 ? 0 : -2, k / 2);
}

/* With N = n + 1 and x[-1] = 0: line[j] = sin(pi j/N) (x[j-1] + x[n-j]) + (x[j-1] - x[n-j]) / 2, line[0] = 0; out[2k-1]
 * = -2 Im V[k], out[2k] - out[2k-2] = 2 Re V[k], out[0] = Re V[0] */
static void build_running_dst1(size_t n, struct draft *before, struct draft *after)
{
    const size_t length = n + 1;
    set(before, 0, 0, 0, 0, 0);
    for (size_t j = 1; j < length; j++) {
        const long double sine = sin_pi(j, length);
        set(before, j, sine + 0.5L, j - 1, sine - 0.5L, n - j);
    }
    for (size_t k = 0; k < n; k++)
        set_spectrum(after, k, length, k == 0 ? 1 : k % 2 == 0 ? 2 : 0, k % 2 == 0 ? 0 : -2, (k + 1) / 2);
}

/* Makhoul: even elements upwards, then odd elements downwards. Position in the line of element i. */
static size_t makhoul(size_t n, size_t i)
{
    return i % 2 == 0 ? i / 2 : n - 1 - i / 2;
}

/* out[k] = 2 Re(e(k/2n) V[k]) */
static void build_dct2(size_t n, struct draft *before, struct draft *after)
{
    for (size_t i = 0; i < n; i++)
        set(before, makhoul(n, i), 1, i, 0, i);
    for (size_t k = 0; k < n; k++)
        set_spectrum(after, k, n, 2 * cos_pi(k, 2 * n), 2 * sin_pi(k, 2 * n), k);
}

/* line[k] = (cos - sin)(pi k/2n) x[k] + (cos + sin)(pi k/2n) x[n-k], then Hartley, then Makhoul's order undone */
static void build_dct3(size_t n, struct draft *before, struct draft *after)
{
    set(before, 0, 1, 0, 0, 0);
    for (size_t k = 1; k < n; k++) {
        long double c = cos_pi(k, 2 * n), s = sin_pi(k, 2 * n);
        set(before, k, c - s, k, c + s, n - k);
    }
    for (size_t j = 0; j < n; j++)
        set_spectrum(after, j, n, 1, -1, makhoul(n, j));
}

/* z[j] = (x[2j] + i x[n-1-2j]) e((8j+1)/8n), out[2k] - i out[n-1-2k] = 2 e((8k+1)/8n) Z[k] */
static void build_dct4_even(size_t n, struct draft *before, struct draft *after)
{
    for (size_t j = 0; j < n / 2; j++) {
        long double c = cos_pi(8 * j + 1, 8 * n), s = sin_pi(8 * j + 1, 8 * n);
        set(before, 2 * j, c, 2 * j, s, n - 1 - 2 * j);
        set(before, 2 * j + 1, -s, 2 * j, c, n - 1 - 2 * j);
        set(after, 2 * j, 2 * c, 2 * j, 2 * s, 2 * j + 1);
        set(after, n - 1 - 2 * j, 2 * s, 2 * j, -2 * c, 2 * j + 1);
    }
}

/* The cosines of DCT-IV make x a sequence of period 4n (x, -reversed x, -x, reversed x). For odd n its every fourth
 * element, from (n-1)/2 on, meets each x once up to sign, and there the cosine is that of pi (2k+1)/4 + 2 pi i
 * (2k+1)/n: out[k] = 2 Re(e((2k+1)/4) V[(2k+1) mod n]). */
static void build_dct4_odd(size_t n, struct draft *before, struct draft *after)
{
    for (size_t i = 0; i < n; i++) {
        size_t m = ((n - 1) / 2 + 4 * i) % (4 * n), quarter = m / n, r = m % n;
        set(before, i, quarter == 0 || quarter == 3 ? 1 : -1, quarter % 2 == 0 ? r : n - 1 - r, 0, 0);
    }
    for (size_t k = 0; k < n; k++)
        set_spectrum(after, k, n, 2 * cos_pi(2 * k + 1, 4), 2 * sin_pi(2 * k + 1, 4), (2 * k + 1) % n);
}

static void build_dct4(size_t n, struct draft *before, struct draft *after)
{
    if (n % 2 == 0)
        build_dct4_even(n, before, after);
    else
        build_dct4_odd(n, before, after);
}

/* ---- From cosine to sine transforms --------------------------------------------------------------------------- */
static void reverse_input(size_t n, struct draft *before)
{
    for (size_t j = 0; j < before->length; j++) {
        before->first[j] = (int)(n - 1) - before->first[j];
        before->second[j] = (int)(n - 1) - before->second[j];
    }
}

static void alternate_input(struct draft *before)
{
    for (size_t j = 0; j < before->length; j++) {
        before->p[j] = before->first[j] % 2 == 0 ? before->p[j] : -before->p[j];
        before->q[j] = before->second[j] % 2 == 0 ? before->q[j] : -before->q[j];
    }
}

static void reverse_output(struct draft *after)
{
    for (size_t k = 0; 2 * k + 1 < after->length; k++) {
        size_t other = after->length - 1 - k;
        int first = after->first[k], second = after->second[k];
        long double p = after->p[k], q = after->q[k];
        set(after, k, after->p[other], (size_t)after->first[other], after->q[other], (size_t)after->second[other]);
        set(after, other, p, (size_t)first, q, (size_t)second);
    }
}

static void alternate_output(struct draft *after)
{
    for (size_t k = 1; k < after->length; k += 2) {
        after->p[k] = -after->p[k];
        after->q[k] = -after->q[k];
    }
}

/* sin(pi (j+1/2)(k+1)/n) = (-1)^j cos(pi (j+1/2)(n-1-k)/n) */
static void build_dst2(size_t n, struct draft *before, struct draft *after)
{
    build_dct2(n, before, after);
    alternate_input(before);
    reverse_output(after);
}

/* sin(pi (j+1)(k+1/2)/n) = (-1)^k cos(pi (n-1-j)(k+1/2)/n) */
static void build_dst3(size_t n, struct draft *before, struct draft *after)
{
    build_dct3(n, before, after);
    reverse_input(n, before);
    alternate_output(after);
}

/* sin(pi (j+1/2)(k+1/2)/n) = (-1)^k cos(pi (n-1-j+1/2)(k+1/2)/n) */
static void build_dst4(size_t n, struct draft *before, struct draft *after)
{
    build_dct4(n, before, after);
    reverse_input(n, before);
    alternate_output(after);
}

/* ---- Which builder serves which kind --------------------------------------------------------------------------- */
struct recipe {
    void (*build)(size_t n, struct draft *before, struct draft *after);
    double gain; /* the whole transform at n = 1 */
};

static const struct recipe r2hc = {build_r2hc, 1}, hc2r = {build_hc2r, 1}, copy = {NULL, 1};
static const struct recipe dct1 = {build_dct1, 1}, dct2 = {build_dct2, 2}, dct3 = {build_dct3, 1},
                           dct4 = {build_dct4, 1.4142135623730950488};
static const struct recipe running_dct1 = {build_running_dct1, 1}, running_dst1 = {build_running_dst1, 2};
static const struct recipe dst1 = {build_dst1, 2}, dst2 = {build_dst2, 2}, dst3 = {build_dst3, 1},
                           dst4 = {build_dst4, 1.4142135623730950488};

static const struct recipe *const recipes[STARFISH_TRANSFORM_KINDS][2] = {
    [STARFISH_TRANSFORM_PERIODIC] = {&r2hc, &hc2r}, [STARFISH_TRANSFORM_DD_NODE] = {&dst1, &dst1},
    [STARFISH_TRANSFORM_NN_NODE] = {&dct1, &dct1},  [STARFISH_TRANSFORM_DN_NODE] = {&dst3, &dst2},
    [STARFISH_TRANSFORM_ND_NODE] = {&dct3, &dct2},  [STARFISH_TRANSFORM_DD_CELL] = {&dst2, &dst3},
    [STARFISH_TRANSFORM_NN_CELL] = {&dct2, &dct3},  [STARFISH_TRANSFORM_DN_CELL] = {&dst4, &dst4},
    [STARFISH_TRANSFORM_ND_CELL] = {&dct4, &dct4},  [STARFISH_TRANSFORM_IDENTITY] = {&copy, &copy},
};

/* Of a form that tables of this kind and size have. */
static const struct recipe *recipe_of(const struct starfish_transform_tables *tables, enum starfish_transform_kind kind,
                                      int direction)
{
    if (tables->sums.running)
        return kind == STARFISH_TRANSFORM_DD_NODE ? &running_dst1 : &running_dct1;
    return recipes[kind][direction];
}

struct starfish_transform_shape starfish_transform_shape(enum starfish_transform_kind kind, size_t n)
{
    bool fourth = kind == STARFISH_TRANSFORM_DN_CELL || kind == STARFISH_TRANSFORM_ND_CELL;
    if (n <= 1 || kind == STARFISH_TRANSFORM_IDENTITY)
        return (struct starfish_transform_shape){STARFISH_FFT_NONE, 0, 0, 0, 0};
    if (fourth && n % 2 == 0)
        return (struct starfish_transform_shape){STARFISH_FFT_COMPLEX, n / 2, n, n, 0};
    size_t length = n;
    int mirror = 0;
    if (kind == STARFISH_TRANSFORM_DD_NODE) {
        length = 2 * (n + 1);
        mirror = -1;
    } else if (kind == STARFISH_TRANSFORM_NN_NODE) {
        length = 2 * (n - 1);
        mirror = 1;
    }
    return (struct starfish_transform_shape){STARFISH_FFT_REAL, length, length, 2 * (length / 2 + 1), mirror};
}

/* ---- From drafts to tables ------------------------------------------------------------------------------------- */
static bool allocate_draft(struct draft *draft, size_t length)
{
    draft->length = length;
    draft->first = malloc(length * sizeof *draft->first);
    draft->second = malloc(length * sizeof *draft->second);
    draft->p = malloc(length * sizeof *draft->p);
    draft->q = malloc(length * sizeof *draft->q);
    return draft->first && draft->second && draft->p && draft->q;
}

static void free_draft(struct draft *draft)
{
    free(draft->first);
    free(draft->second);
    free(draft->p);
    free(draft->q);
}

static int count_terms(const struct draft *draft)
{
    int terms = 0;
    for (size_t i = 0; i < draft->length; i++) {
        if (draft->q[i] != 0)
            return 2;
        if (draft->p[i] != 1 || draft->first[i] != (int)i)
            terms = 1;
    }
    return terms;
}

static void *round_weights(const long double *weight, size_t length, starfish_precision precision)
{
    float *f32 = precision == STARFISH_F32 ? malloc(length * sizeof *f32) : NULL;
    double *f64 = precision == STARFISH_F64 ? malloc(length * sizeof *f64) : NULL;
    for (size_t i = 0; f32 && i < length; i++)
        f32[i] = (float)weight[i];
    for (size_t i = 0; f64 && i < length; i++)
        f64[i] = (double)weight[i];
    return f32 ? (void *)f32 : (void *)f64;
}

/* Takes the draft's index arrays over. */
static bool finish(struct starfish_transform_combination *combination, struct draft *draft,
                   starfish_precision precision)
{
    combination->length = draft->length;
    combination->terms = count_terms(draft);
    combination->p = round_weights(draft->p, draft->length, precision);
    combination->q = round_weights(draft->q, draft->length, precision);
    combination->first = draft->first;
    combination->second = draft->second;
    draft->first = draft->second = NULL;
    return combination->p && combination->q;
}

static bool create_direction(struct starfish_transform_tables *tables, const struct recipe *recipe, int direction,
                             size_t n, starfish_precision precision)
{
    struct draft before = {0}, after = {0};
    bool done = allocate_draft(&before, tables->shape.inputs) && allocate_draft(&after, n);
    if (done) {
        recipe->build(n, &before, &after);
        bool first = finish(&tables->before[direction], &before, precision);
        bool second = finish(&tables->after[direction], &after, precision);
        done = first && second;
    }
    free_draft(&before);
    free_draft(&after);
    return done;
}

/* out[1] of DCT-I: x[0] - x[n-1] + 2 sum of x[j] cos(pi j/(n-1)). */
static bool set_sums(struct starfish_transform_tables *tables, enum starfish_transform_kind kind, size_t n,
                     starfish_precision precision)
{
    const size_t half = tables->shape.length / 2;
    tables->shape = (struct starfish_transform_shape){STARFISH_FFT_REAL, half, half, 2 * (half / 2 + 1), 0};
    tables->sums.running = 1;
    if (kind == STARFISH_TRANSFORM_DD_NODE)
        return true;
    tables->sums.first = 1;
    long double *weight = malloc(n * sizeof *weight);
    for (size_t j = 0; weight && j < n; j++)
        weight[j] = (j == 0 || j + 1 == n ? 1 : 2) * cos_pi(j, n - 1);
    tables->sums.weight = weight ? round_weights(weight, n, precision) : NULL;
    free(weight);
    return tables->sums.weight != NULL;
}

enum { LEAST_RUNNING = 8 };

static int has_running_form(enum starfish_transform_kind kind, size_t n)
{
    return (kind == STARFISH_TRANSFORM_DD_NODE || kind == STARFISH_TRANSFORM_NN_NODE) && n >= LEAST_RUNNING;
}

starfish_status starfish_transform_tables_create(struct starfish_transform_tables *tables,
                                                 enum starfish_transform_kind kind, size_t n,
                                                 starfish_precision precision, enum starfish_transform_form form)
{
    *tables = (struct starfish_transform_tables){0};
    if ((unsigned)kind >= STARFISH_TRANSFORM_KINDS)
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "kind %d is not a transform", (int)kind);
    if (precision != STARFISH_F32 && precision != STARFISH_F64)
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "precision %d is neither f32 nor f64", (int)precision);
    size_t least = kind == STARFISH_TRANSFORM_NN_NODE ? 2 : 1, most = (size_t)1 << 28;
    if (n < least || n > most)
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "n = %zu is outside %zu .. %zu for transform %s", n, least, most,
                             starfish_transform_name(kind));
    tables->shape = starfish_transform_shape(kind, n);
    if (form == STARFISH_TRANSFORM_RUNNING && has_running_form(kind, n) && !set_sums(tables, kind, n, precision))
        return starfish_fail(STARFISH_ERROR_MEMORY, "no memory for the sums of transform %s with n = %zu",
                             starfish_transform_name(kind), n);
    for (int direction = 0; direction < 2; direction++) {
        tables->gain[direction] = n == 1 ? recipes[kind][direction]->gain : 1;
        if (tables->shape.fft != STARFISH_FFT_NONE &&
            !create_direction(tables, recipe_of(tables, kind, direction), direction, n, precision))
            return starfish_fail(STARFISH_ERROR_MEMORY, "no memory for the tables of transform %s with n = %zu",
                                 starfish_transform_name(kind), n);
    }
    return STARFISH_SUCCESS;
}

void starfish_transform_tables_destroy(struct starfish_transform_tables *tables)
{
    for (int i = 0; i < 4; i++) {
        struct starfish_transform_combination *combination = i < 2 ? &tables->before[i] : &tables->after[i - 2];
        free(combination->first);
        free(combination->second);
        free(combination->p);
        free(combination->q);
    }
    free(tables->sums.weight);
    *tables = (struct starfish_transform_tables){0};
}

/* ---- Groups of lines on a GPU ---------------------------------------------------------------------------------- */
/* Bytes of one group's work space. Measured on an H200 for the slab method at 512^3, device-resident: 8 MB 21.9 ms,
 * 16 MB 14.0, 32 MB 10.9, 64 MB 10.2, 128 MB 9.9, 512 MB and more 9.6. Staying in the L2 cache (50 MB) does not pay for
 * the shorter kernels. */
static const size_t group_bytes = (size_t)128 << 20;

size_t starfish_transform_group(const struct starfish_transform_shape *shape, size_t max_lines,
                                starfish_precision precision)
{
    size_t line_bytes = shape->line * (precision == STARFISH_F32 ? sizeof(float) : sizeof(double));
    size_t most = line_bytes ? group_bytes / line_bytes : max_lines;
    most = most ? most : 1;
    if (max_lines <= most)
        return max_lines ? max_lines : 1;
    /* Equal groups leave no lines of padding to transform in the last one; up to twice as many groups pay for that. */
    size_t fewest = (max_lines + most - 1) / most;
    for (size_t groups = fewest; groups <= 2 * fewest; groups++)
        if (max_lines % groups == 0)
            return max_lines / groups;
    return (max_lines + fewest - 1) / fewest;
}
