/* The passes of transforms of lines side by side. A butterfly is one loop over lanes, which the compiler makes vectors
 * of; about 2 operations per number and binary digit of the length, bound by arithmetic. */
#include "fft/kernels/lane_fft.h"

#include "base/clones.h"

#include <math.h>
#include <stdlib.h>

enum { LANES = STARFISH_LANE_BYTES / (int)sizeof(real), ELEMENT = 2 * LANES };

/* ---- Plans ------------------------------------------------------------------------------------------------------- */

/* Radix of the next pass. Those that are cheapest per digit come last, where there is nothing to multiply by. */
static int radix_of(size_t length)
{
    if (length % 5 == 0)
        return 5;
    if (length % 3 == 0)
        return 3;
    if (length == 8 || length == 2)
        return (int)length;
    return length % 4 == 0 && length != 8 ? 4 : 2;
}

static int make_factors(struct starfish_lane_level *level, size_t length)
{
    const long double turn = -6.283185307179586476925286766559005768L / (long double)length;
    const size_t others = (size_t)level->radix - 1;
    real *factor = level->factor = malloc(level->rest * others * 2 * sizeof *factor);
    for (size_t j = 0; factor && j < level->rest; j++)
        for (size_t s = 1; s <= others; s++) {
            *factor++ = (real)cosl(turn * (long double)(s * j % length));
            *factor++ = (real)sinl(turn * (long double)(s * j % length));
        }
    return level->factor != NULL;
}

static int position_of(const struct starfish_lane_fft *fft, size_t mode)
{
    size_t position = 0;
    for (size_t l = 0; l < fft->levels; l++) {
        const size_t radix = (size_t)fft->level[l].radix;
        position += mode % radix * fft->level[l].rest;
        mode /= radix;
    }
    return (int)position;
}

int REAL_NAME(starfish_lane_fft_create)(struct starfish_lane_fft *fft, size_t length)
{
    *fft = (struct starfish_lane_fft){.length = length, .position = malloc(length * sizeof *fft->position)};
    for (size_t left = length; left > 1 && fft->position; fft->levels++) {
        struct starfish_lane_level *level = &fft->level[fft->levels];
        level->radix = radix_of(left);
        level->rest = left / (size_t)level->radix;
        if (level->rest > 1 && !make_factors(level, left))
            return 0;
        left = level->rest;
    }
    for (size_t f = 0; f < length && fft->position; f++)
        fft->position[f] = position_of(fft, f);
    return fft->position != NULL;
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
static void pass(const struct starfish_lane_level *level, real *z)
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
static void last_pass(int radix, size_t count, real *z)
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

static void transform(const struct starfish_lane_fft *fft, size_t at, real *z)
{
    const struct starfish_lane_level *level = &fft->level[at];
    if (at + 1 == fft->levels) {
        last_pass(level->radix, 1, z);
        return;
    }
    pass(level, z);
    if (at + 2 == fft->levels) {
        last_pass(fft->level[at + 1].radix, (size_t)level->radix, z);
        return;
    }
    for (int s = 0; s < level->radix; s++)
        transform(fft, at + 1, z + (size_t)s * level->rest * ELEMENT);
}

void REAL_NAME(starfish_lane_fft)(const struct starfish_lane_fft *fft, void *z)
{
    if (fft->levels > 0)
        transform(fft, 0, z);
}
