/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The passes of transforms of lines side by side. A butterfly is one loop over lanes, which the compiler makes vectors
 * of; about 2 operations per number and binary digit of the length, bound by arithmetic. */
#include "fft/kernels/lane_fft.h"

#include "base/clones.h"

#include <math.h>
#include <stdlib.h>

enum {
    LANES = STARFISH_LANE_BYTES / (int)sizeof(real),
    ELEMENT = 2 * LANES,
    LARGEST_RADIX = STARFISH_LANE_LARGEST_RADIX
};

/* ---- Plans ------------------------------------------------------------------------------------------------------- */

/* Radix of the next pass. Large ones come first, and those that are cheapest per digit last, where there is nothing to
 * multiply by. `left`: what is no radix is the last pass. */
static size_t radix_of(size_t length, size_t left)
{
    const size_t small = length / left;
    if (small == 1)
        return left;
    for (size_t p = LARGEST_RADIX; p >= 3; p -= 2)
        if (small % p == 0) {
            size_t smallest = 3;
            while (p % smallest != 0)
                smallest += 2;
            if (smallest == p)
                return p;
        }
    if (small == 8 || small == 2)
        return left == 1 ? small : small == 8 ? 4 : 2;
    return small % 4 == 0 ? 4 : 2;
}

static int make_factors(struct starfish_lane_level *level, size_t length)
{
    const long double turn = -6.283185307179586476925286766559005768L / (long double)length;
    const size_t others = level->radix - 1;
    real *factor = level->factor = malloc(level->rest * others * 2 * sizeof *factor);
    for (size_t j = 0; factor && j < level->rest; j++)
        for (size_t s = 1; s <= others; s++) {
            *factor++ = (real)cosl(turn * (long double)(s * j % length));
            *factor++ = (real)sinl(turn * (long double)(s * j % length));
        }
    return level->factor != NULL;
}

static int make_roots(struct starfish_lane_level *level)
{
    const long double turn = 6.283185307179586476925286766559005768L / (long double)level->radix;
    real *root = level->root = malloc(2 * level->radix * sizeof *root);
    for (size_t i = 0; root && i < level->radix; i++) {
        root[2 * i] = (real)cosl(turn * (long double)i);
        root[2 * i + 1] = (real)sinl(turn * (long double)i);
    }
    return root != NULL;
}

static int position_of(const struct starfish_lane_fft *fft, size_t mode)
{
    size_t position = 0;
    for (size_t l = 0; l < fft->levels; l++) {
        const size_t radix = fft->level[l].radix;
        position += mode % radix * fft->level[l].rest;
        mode /= radix;
    }
    return (int)position;
}

static int make_level(struct starfish_lane_fft *fft, size_t length, size_t left)
{
    struct starfish_lane_level *level = &fft->level[fft->levels++];
    level->radix = radix_of(length, left);
    level->rest = length / level->radix;
    if (level->rest > 1 && !make_factors(level, length))
        return 0;
    if (level->radix > 5 && level->radix % 2 == 1 && level->radix <= LARGEST_RADIX)
        return make_roots(level);
    if (level->radix <= LARGEST_RADIX)
        return 1;
    fft->convolution = REAL_NAME(starfish_lane_convolution_create)(level->radix);
    return fft->convolution != NULL;
}

/* How often transform() below is called for the transforms of a level. */
static size_t pauses_from(const struct starfish_lane_fft *fft, size_t at)
{
    return at >= fft->levels ? 0 : at + 2 >= fft->levels ? 1 : 1 + fft->level[at].radix * pauses_from(fft, at + 1);
}

int REAL_NAME(starfish_lane_fft_create)(struct starfish_lane_fft *fft, size_t length)
{
    const size_t left = starfish_lane_fft_left(length);
    *fft = (struct starfish_lane_fft){.length = length, .position = malloc(length * sizeof *fft->position)};
    if (!fft->position)
        return 0;
    for (size_t to_do = length; to_do > 1; to_do = fft->level[fft->levels - 1].rest)
        if (!make_level(fft, to_do, left))
            return 0;
    fft->pauses = pauses_from(fft, 0);
    for (size_t f = 0; f < length; f++)
        fft->position[f] = position_of(fft, f);
    return 1;
}

/* ---- Butterflies ------------------------------------------------------------------------------------------------- */

struct number {
    real re, im;
};

STARFISH_ALWAYS_INLINE struct number sum(struct number a, struct number b)
{
    return (struct number){a.re + b.re, a.im + b.im};
}

STARFISH_ALWAYS_INLINE struct number difference(struct number a, struct number b)
{
    return (struct number){a.re - b.re, a.im - b.im};
}

/* -i a */
STARFISH_ALWAYS_INLINE struct number turned(struct number a)
{
    return (struct number){a.im, -a.re};
}

STARFISH_ALWAYS_INLINE struct number scaled(struct number a, real by)
{
    return (struct number){a.re * by, a.im * by};
}

/* What the outputs of a butterfly are multiplied by, but for the first. */
struct factors {
    int all_one;
    struct number of[5];
};

STARFISH_ALWAYS_INLINE struct factors factors_of(int radix, const real *factor)
{
    struct factors factors = {.all_one = 0};
    for (int s = 1; s < radix; s++)
        factors.of[s] = (struct number){factor[2 * (s - 1)], factor[2 * (s - 1) + 1]};
    return factors;
}

STARFISH_ALWAYS_INLINE struct number times(struct number a, struct factors factors, int s)
{
    const struct number by = factors.of[s];
    return factors.all_one ? a : (struct number){a.re * by.re - a.im * by.im, a.re * by.im + a.im * by.re};
}

STARFISH_ALWAYS_INLINE struct number load(const real *z, size_t l)
{
    return (struct number){z[l], z[l + LANES]};
}

STARFISH_ALWAYS_INLINE void store(real *z, size_t l, struct number a)
{
    z[l] = a.re;
    z[l + LANES] = a.im;
}

/* `rest`: reals between inputs. */
STARFISH_ALWAYS_INLINE void butterfly_2(real *z, size_t rest, struct factors factor)
{
#pragma omp simd
    for (size_t l = 0; l < LANES; l++) {
        const struct number a = load(z, l), b = load(z + rest, l);
        store(z, l, sum(a, b));
        store(z + rest, l, times(difference(a, b), factor, 1));
    }
}

STARFISH_ALWAYS_INLINE void butterfly_3(real *z, size_t rest, struct factors factor)
{
    const real half = REAL(0.5), sine = REAL(0.86602540378443864676372317075293618);
#pragma omp simd
    for (size_t l = 0; l < LANES; l++) {
        const struct number a = load(z, l), b = load(z + rest, l), c = load(z + 2 * rest, l);
        const struct number both = sum(b, c), apart = turned(scaled(difference(b, c), sine));
        const struct number middle = difference(a, scaled(both, half));
        store(z, l, sum(a, both));
        store(z + rest, l, times(sum(middle, apart), factor, 1));
        store(z + 2 * rest, l, times(difference(middle, apart), factor, 2));
    }
}

STARFISH_ALWAYS_INLINE void butterfly_4(real *z, size_t rest, struct factors factor)
{
#pragma omp simd
    for (size_t l = 0; l < LANES; l++) {
        const struct number a = load(z, l), b = load(z + rest, l), c = load(z + 2 * rest, l), d = load(z + 3 * rest, l);
        const struct number ac = sum(a, c), bd = sum(b, d), a_c = difference(a, c), b_d = turned(difference(b, d));
        store(z, l, sum(ac, bd));
        store(z + rest, l, times(sum(a_c, b_d), factor, 1));
        store(z + 2 * rest, l, times(difference(ac, bd), factor, 2));
        store(z + 3 * rest, l, times(difference(a_c, b_d), factor, 3));
    }
}

STARFISH_ALWAYS_INLINE void butterfly_5(real *z, size_t rest, struct factors factor)
{
    const real cos_1 = REAL(0.30901699437494742410229341718281906),
               cos_2 = REAL(-0.80901699437494742410229341718281906);
    const real sin_1 = REAL(0.95105651629515357211643933337938214), sin_2 = REAL(0.58778525229247312916870595463907277);
#pragma omp simd
    for (size_t l = 0; l < LANES; l++) {
        const struct number a = load(z, l), b = load(z + rest, l), c = load(z + 2 * rest, l), d = load(z + 3 * rest, l),
                            e = load(z + 4 * rest, l);
        const struct number be = sum(b, e), cd = sum(c, d), b_e = difference(b, e), c_d = difference(c, d);
        const struct number real_1 = sum(a, sum(scaled(be, cos_1), scaled(cd, cos_2)));
        const struct number real_2 = sum(a, sum(scaled(be, cos_2), scaled(cd, cos_1)));
        const struct number turn_1 = turned(sum(scaled(b_e, sin_1), scaled(c_d, sin_2)));
        const struct number turn_2 = turned(difference(scaled(b_e, sin_2), scaled(c_d, sin_1)));
        store(z, l, sum(a, sum(be, cd)));
        store(z + rest, l, times(sum(real_1, turn_1), factor, 1));
        store(z + 2 * rest, l, times(sum(real_2, turn_2), factor, 2));
        store(z + 3 * rest, l, times(difference(real_2, turn_2), factor, 3));
        store(z + 4 * rest, l, times(difference(real_1, turn_1), factor, 4));
    }
}

/* The last pass alone has this one: its elements lie together. */
STARFISH_ALWAYS_INLINE void butterfly_8(real *z)
{
    const real root = REAL(0.70710678118654752440084436210484904);
#pragma omp simd
    for (size_t l = 0; l < LANES; l++) {
        const struct number a = load(z, l), b = load(z + ELEMENT, l), c = load(z + 2 * ELEMENT, l),
                            d = load(z + 3 * ELEMENT, l), e = load(z + 4 * ELEMENT, l), f = load(z + 5 * ELEMENT, l),
                            g = load(z + 6 * ELEMENT, l), h = load(z + 7 * ELEMENT, l);
        const struct number ae = sum(a, e), cg = sum(c, g), bf = sum(b, f), dh = sum(d, h);
        const struct number even = sum(ae, cg), odd = sum(bf, dh);
        store(z, l, sum(even, odd));
        store(z + 4 * ELEMENT, l, difference(even, odd));
        const struct number quarter = difference(ae, cg), other = turned(difference(bf, dh));
        store(z + 2 * ELEMENT, l, sum(quarter, other));
        store(z + 6 * ELEMENT, l, difference(quarter, other));
        const struct number a_e = difference(a, e), c_g = turned(difference(c, g));
        const struct number b_f = difference(b, f), d_h = turned(difference(d, h));
        const struct number p = sum(a_e, c_g), q = difference(a_e, c_g), r = sum(b_f, d_h), s = difference(b_f, d_h);
        const struct number r_turned = {root * (r.re + r.im), root * (r.im - r.re)};  /* by exp(-i pi/4) */
        const struct number s_turned = {root * (s.im - s.re), -root * (s.re + s.im)}; /* by exp(-3 i pi/4) */
        store(z + ELEMENT, l, sum(p, r_turned));
        store(z + 5 * ELEMENT, l, difference(p, r_turned));
        store(z + 3 * ELEMENT, l, sum(q, s_turned));
        store(z + 7 * ELEMENT, l, difference(q, s_turned));
    }
}

/* ---- Odd primes -------------------------------------------------------------------------------------------------- */

typedef real lanes __attribute__((vector_size(STARFISH_LANE_BYTES), may_alias));

/* Sums and differences of the elements s and radix - s, of which modes k and radix - k are combinations: the same
 * cosines of the sums, the sines of the differences with either sign. */
struct prime {
    size_t radix;
    const real *root;
    lanes first[2], sum[LARGEST_RADIX / 2][2], difference[LARGEST_RADIX / 2][2];
};

STARFISH_ALWAYS_INLINE void load_prime(struct prime *prime, const real *z, size_t rest)
{
    const size_t half = prime->radix / 2;
    for (int part = 0; part < 2; part++)
        prime->first[part] = ((const lanes *)z)[part];
    for (size_t s = 1; s <= half; s++) {
        const lanes *a = (const lanes *)(z + s * rest), *b = (const lanes *)(z + (prime->radix - s) * rest);
        for (int part = 0; part < 2; part++) {
            prime->sum[s - 1][part] = a[part] + b[part];
            prime->difference[s - 1][part] = a[part] - b[part];
        }
    }
}

/* The number re + i im by that at `factor`; NULL: as it is. */
STARFISH_ALWAYS_INLINE void store_mode(real *z, const lanes *re, const lanes *im, const real *factor)
{
    lanes *to = (lanes *)z;
    if (factor) {
        to[0] = *re * factor[0] - *im * factor[1];
        to[1] = *re * factor[1] + *im * factor[0];
    } else {
        to[0] = *re;
        to[1] = *im;
    }
}

/* factor: of the modes from 1 on; NULL: all are 1. */
STARFISH_ALWAYS_INLINE void butterfly_prime(struct prime *prime, real *z, size_t rest, const real *factor)
{
    const size_t radix = prime->radix, half = radix / 2;
    load_prime(prime, z, rest);
    lanes all[2] = {prime->first[0], prime->first[1]};
    for (size_t s = 0; s < half; s++)
        for (int part = 0; part < 2; part++)
            all[part] += prime->sum[s][part];
    store_mode(z, &all[0], &all[1], NULL);
    for (size_t k = 1; k <= half; k++) {
        lanes even_re = prime->first[0], even_im = prime->first[1], odd_re = even_re - even_re, odd_im = odd_re;
        for (size_t s = 0, at = k; s < half; s++, at = at + k < radix ? at + k : at + k - radix) {
            const real cosine = prime->root[2 * at], sine = prime->root[2 * at + 1];
            even_re += cosine * prime->sum[s][0];
            even_im += cosine * prime->sum[s][1];
            odd_re += sine * prime->difference[s][0];
            odd_im += sine * prime->difference[s][1];
        }
        const lanes near_re = even_re + odd_im, near_im = even_im - odd_re;
        const lanes far_re = even_re - odd_im, far_im = even_im + odd_re;
        store_mode(z + k * rest, &near_re, &near_im, factor ? factor + 2 * (k - 1) : NULL);
        store_mode(z + (radix - k) * rest, &far_re, &far_im, factor ? factor + 2 * (radix - k - 1) : NULL);
    }
}

STARFISH_CLONES
static void pass_of_prime(const struct starfish_lane_level *level, real *z)
{
    struct prime prime = {.radix = level->radix, .root = level->root};
    const real *factor = level->factor;
    for (size_t j = 0; j < level->rest; j++)
        butterfly_prime(&prime, z + j * ELEMENT, level->rest * ELEMENT, factor + j * (level->radix - 1) * 2);
}

STARFISH_CLONES
static void last_of_prime(const struct starfish_lane_level *level, size_t count, real *z)
{
    struct prime prime = {.radix = level->radix, .root = level->root};
    for (size_t i = 0; i < count; i++)
        butterfly_prime(&prime, z + i * level->radix * ELEMENT, ELEMENT, NULL);
}

/* ---- Passes ------------------------------------------------------------------------------------------------------ */

STARFISH_ALWAYS_INLINE void butterfly(int radix, real *z, size_t rest, struct factors factor)
{
    if (radix == 4)
        butterfly_4(z, rest, factor);
    else if (radix == 8)
        butterfly_8(z);
    else if (radix == 2)
        butterfly_2(z, rest, factor);
    else if (radix == 3)
        butterfly_3(z, rest, factor);
    else
        butterfly_5(z, rest, factor);
}

STARFISH_ALWAYS_INLINE void pass_of(int radix, const struct starfish_lane_level *level, real *z)
{
    const size_t others = (size_t)radix - 1;
    const real *factor = level->factor;
    for (size_t j = 0; j < level->rest; j++)
        butterfly(radix, z + j * ELEMENT, level->rest * ELEMENT, factors_of(radix, factor + j * others * 2));
}

/* The transforms of the last level, one behind the other. */
STARFISH_ALWAYS_INLINE void last_of(int radix, size_t count, real *z)
{
    const struct factors one = {.all_one = 1};
    for (size_t i = 0; i < count; i++)
        butterfly(radix, z + i * (size_t)radix * ELEMENT, ELEMENT, one);
}

STARFISH_CLONES
static void pass_of_few(const struct starfish_lane_level *level, real *z)
{
    if (level->radix == 4)
        pass_of(4, level, z);
    else if (level->radix == 2)
        pass_of(2, level, z);
    else if (level->radix == 3)
        pass_of(3, level, z);
    else
        pass_of(5, level, z);
}

STARFISH_CLONES
static void last_of_few(size_t radix, size_t count, real *z)
{
    if (radix == 8)
        last_of(8, count, z);
    else if (radix == 4)
        last_of(4, count, z);
    else if (radix == 2)
        last_of(2, count, z);
    else if (radix == 3)
        last_of(3, count, z);
    else
        last_of(5, count, z);
}

static void pass(const struct starfish_lane_level *level, real *z)
{
    (level->root ? pass_of_prime : pass_of_few)(level, z);
}

static void last_pass(const struct starfish_lane_fft *fft, size_t count, real *z, real *room)
{
    const struct starfish_lane_level *level = &fft->level[fft->levels - 1];
    if (fft->convolution)
        for (size_t i = 0; i < count; i++)
            REAL_NAME(starfish_lane_convolution)(fft->convolution, z + i * level->radix * ELEMENT, room);
    else if (level->root)
        last_of_prime(level, count, z);
    else
        last_of_few(level->radix, count, z);
}

static void transform(const struct starfish_lane_fft *fft, size_t at, real *z, real *room,
                      struct starfish_fetch *meanwhile)
{
    const struct starfish_lane_level *level = &fft->level[at];
    starfish_fetch_some(meanwhile);
    if (at + 1 == fft->levels) {
        last_pass(fft, 1, z, room);
        return;
    }
    pass(level, z);
    if (at + 2 == fft->levels) {
        last_pass(fft, level->radix, z, room);
        return;
    }
    for (size_t s = 0; s < level->radix; s++)
        transform(fft, at + 1, z + s * level->rest * ELEMENT, room, meanwhile);
}

void REAL_NAME(starfish_lane_fft)(const struct starfish_lane_fft *fft, void *z, void *room,
                                  struct starfish_fetch *meanwhile)
{
    if (fft->levels > 0)
        transform(fft, 0, z, room, meanwhile);
}
