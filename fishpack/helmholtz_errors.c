/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Error numbers of the two-dimensional drivers. FISHPACK makes all tests, and the last one that fails gives the
 * number. */
#include "fishpack/helmholtz.h"

#include <stddef.h>

static const double pi = 3.14159265358979323846;

/* A set of codes as bits. */
static int is_in(int code, unsigned codes)
{
    return code >= 0 && code < 16 && (codes >> code & 1u) != 0;
}

enum {
    WITH_FLUX_LOW = 1 << 3 | 1 << 4 | 1 << 8,
    WITH_FLUX_HIGH = 1 << 2 | 1 << 3 | 1 << 6,
    WITHOUT_LOW = 1 << 5 | 1 << 6 | 1 << 9
};
enum { PERIODIC_OR_FLUX = 1 << 0 | 1 << 3, TO_FOUR = 1 << 1 | 1 << 2 | 1 << 3 | 1 << 4 };

/* Tests; [0] is of the first direction, [1] of the second one. */
enum test {
    INTERVAL_0,   /* its length is not positive */
    INTERVAL_1,   /* the same */
    RANGE_0,      /* r < 0, theta not in 0 .. pi */
    RANGE_1,      /* r < 0, phi not in 0 .. 2 pi */
    CODE_0,       /* there is no such code */
    CODE_1,       /* the same */
    PANELS_0,     /* too few */
    PANELS_1,     /* the same */
    IDIMF,        /* too small */
    LAMBDA,       /* positive: solves all the same */
    FLUX_LOW,     /* something is given at r = 0 or theta = 0 */
    NONE_LOW,     /* nothing is given elsewhere */
    FLUX_HIGH,    /* something is given at theta = pi */
    NONE_HIGH,    /* nothing is given elsewhere */
    SIDES,        /* an axis or a pole, and values at sides of the angle */
    LAMBDA_THERE, /* not zero with an axis or a pole */
    LAMBDA_CENTRE,
    CENTRE,      /* nothing is given at r > 0 */
    CENTRE_CODE, /* a centre, with that code of theta */
    LEAST,       /* no test, but the least number of panels */
    TESTS
};

/* By system and grid, nodes first; 0: no such test. */
static const unsigned char numbers[][2][TESTS] = {
    [STARFISH_CRT] = {{1, 3, 0, 0, 2, 5, 8, 4, 7, 6, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4},
                      {1, 3, 0, 0, 2, 5, 8, 4, 7, 6, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3}},
    [STARFISH_PLR] = {{2, 4, 1, 0, 3, 6, 12, 5, 10, 11, 7, 8, 0, 0, 9, 0, 0, 0, 0, 4},
                      {2, 4, 1, 0, 3, 6, 12, 5, 10, 11, 7, 8, 0, 0, 9, 0, 0, 0, 0, 3}},
    [STARFISH_CYL] = {{2, 4, 1, 0, 3, 6, 12, 5, 10, 11, 7, 8, 0, 0, 0, 9, 0, 0, 0, 4},
                      {2, 4, 1, 0, 3, 6, 9, 5, 10, 11, 7, 8, 0, 0, 0, 12, 0, 0, 0, 3}},
    [STARFISH_SSP] = {{2, 5, 1, 4, 3, 8, 7, 6, 10, 9, 12, 14, 13, 15, 11, 0, 0, 0, 0, 5},
                      {2, 4, 1, 0, 3, 6, 13, 5, 12, 14, 8, 7, 10, 9, 11, 0, 0, 0, 0, 3}},
    [STARFISH_CSP] = {{2, 6, 1, 5, 4, 8, 3, 7, 10, 9, 15, 13, 16, 14, 0, 11, 12, 17, 18, 5},
                      {2, 5, 1, 4, 3, 6, 12, 7, 11, 0, 13, 15, 14, 16, 0, 0, 17, 9, 8, 5}}};

/* Tests of the ends at r = 0, theta = 0 and theta = pi, and of the centre. */
static void test_ends(const struct starfish_helmholtz *p, unsigned char fails[TESTS])
{
    const int code = p->code[0], spherical = p->system >= STARFISH_SSP, at_pi = p->high[0] == pi;
    const int no_flux = p->system == STARFISH_CSP && p->cells, centre = p->system == STARFISH_CSP && p->code[1] >= 5;
    const unsigned flux = no_flux                                 ? ~(unsigned)WITHOUT_LOW
                          : p->system == STARFISH_CYL && p->cells ? (unsigned)TO_FOUR
                                                                  : (unsigned)WITH_FLUX_LOW;
    fails[FLUX_LOW] = p->low[0] == 0 && is_in(code, flux);
    fails[NONE_LOW] = p->low[0] > 0 && (spherical ? is_in(code, WITHOUT_LOW) : code >= 5);
    fails[FLUX_HIGH] = spherical && at_pi && (no_flux ? code <= 6 : is_in(code, WITH_FLUX_HIGH));
    fails[NONE_HIGH] = spherical && !at_pi && code >= 7;
    fails[SIDES] = code >= 5 && !is_in(p->code[1], PERIODIC_OR_FLUX);
    fails[LAMBDA_THERE] = p->lambda != 0 && code >= 5;
    fails[LAMBDA_CENTRE] = centre && p->lambda != 0;
    fails[CENTRE] = centre && p->low[1] != 0;
    fails[CENTRE_CODE] = centre && is_in(code, 1 << 1 | 1 << 2 | 1 << 5 | 1 << 7 | (p->cells ? 1 << 4 : 0));
}

int starfish_helmholtz_error(const struct starfish_helmholtz *p, int *solves)
{
    static const int least_code[] = {0, 1, 1, 1, 1}, most_code[] = {4, 6, 6, 9, 9};
    const unsigned char *number = numbers[p->system][p->cells != 0];
    const int of_radius = p->system == STARFISH_CSP, least = number[LEAST];
    unsigned char fails[TESTS] = {0};
    int last = 0;
    for (int d = 0; d < 2; d++) {
        fails[INTERVAL_0 + d] = p->low[d] >= p->high[d];
        fails[PANELS_0 + d] = p->panels[d] < least;
    }
    fails[RANGE_0] = p->low[0] < 0 || (p->system >= STARFISH_SSP && p->high[0] > pi);
    fails[RANGE_1] = p->low[1] < 0 || (!of_radius && p->high[1] > pi + pi);
    fails[CODE_0] = p->code[0] < least_code[p->system] || p->code[0] > most_code[p->system];
    fails[CODE_1] = p->code[1] < of_radius || p->code[1] > (of_radius ? 6 : 4);
    fails[IDIMF] = p->idimf < p->panels[0] + !p->cells;
    test_ends(p, fails);
    for (int test = 0; test < LEAST; test++)
        last = fails[test] && number[test] > last ? number[test] : last;
    *solves = last == 0;
    const int warns_always = number[LAMBDA] == 9; /* also where another test fails */
    return p->lambda > 0 && (last == 0 || (warns_always && last < number[LAMBDA])) ? number[LAMBDA] : last;
}
