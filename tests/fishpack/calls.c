/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Legal calls of all routines, with random data; no routine is called with sizes that another one would not take. */
#include "tests/fishpack/calls.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

static double next(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / (1 << 24);
}

static void coefficients_x(const double *x, double *a, double *b, double *c)
{
    *a = 1 + *x / 4;
    *b = 0.25;
    *c = -*x - 0.5;
}

static void coefficients_y(const double *y, double *d, double *e, double *f)
{
    *d = 1.5 - *y / 8;
    *e = 0;
    *f = -0.5;
}

static void *pointer_of(void (*function)(const double *, double *, double *, double *))
{
    void *pointer;
    memcpy(&pointer, &function, sizeof pointer);
    return pointer;
}

/* ---- Lists of arguments ------------------------------------------------------------------------------------------ */

struct list {
    struct call *call;
    int count;
};

static void add(struct list *list, void *argument)
{
    list->call->arguments[list->count++] = argument;
}

static void add_all(struct list *list, void *const *arguments, size_t count)
{
    for (size_t i = 0; i < count; i++)
        add(list, arguments[i]);
}
#define ADD(list, ...)                                                                                                 \
    add_all(list, (void *const[]){__VA_ARGS__}, sizeof((void *const[]){__VA_ARGS__}) / sizeof(void *))

static void add_interval(struct list *list, int d)
{
    struct call *c = list->call;
    ADD(list, &c->low[d], &c->high[d], &c->panels[d], &c->code[d]);
}

static void add_rows(struct list *list, int d)
{
    double *rows = list->call->rows[d];
    ADD(list, rows, rows + 2 * 64, rows + 4 * 64);
}

static void add_driver(struct list *list, int dimensions)
{
    struct call *c = list->call;
    for (int d = 0; d < dimensions; d++) {
        add_interval(list, d);
        ADD(list, c->data + 400 * d, c->data + 400 * d + 1200);
    }
    add(list, &c->lambda);
    if (dimensions == 3)
        ADD(list, &c->idimf, &c->idimf2, c->f);
    else
        ADD(list, c->f, &c->idimf);
    ADD(list, &c->pertrb, &c->ierror, c->w);
}

static void add_separable(struct list *list, int constant_y)
{
    struct call *c = list->call;
    if (!constant_y)
        add(list, &c->intl);
    add(list, &c->order);
    for (int d = 0; d < 2; d++) {
        const int robin = d == 0 || !constant_y;
        add_interval(list, d);
        for (int end = 0; end < 2; end++) {
            add(list, c->data + 400 * d + 1200 * end);
            if (robin)
                add(list, &c->robin);
        }
    }
    add(list, pointer_of(coefficients_x));
    if (!constant_y)
        add(list, pointer_of(coefficients_y));
    ADD(list, c->g, c->f, &c->idimf, c->w, &c->pertrb, &c->ierror);
}

static void fill_arguments(struct call *c)
{
    struct list list = {c, 0};
    switch (c->routine) {
    case STARFISH_FISHPACK_HW3CRT:
        add_driver(&list, 3);
        break;
    case STARFISH_FISHPACK_POIS3D:
        ADD(&list, &c->code[0], &c->panels[0], &c->factor, &c->code[1], &c->panels[1], &c->factor, &c->code[2],
            &c->panels[2]);
        add_rows(&list, 0);
        ADD(&list, &c->idimf, &c->idimf2, c->f, &c->ierror, c->w);
        break;
    case STARFISH_FISHPACK_GENBUN:
    case STARFISH_FISHPACK_CMGNBN:
    case STARFISH_FISHPACK_POISTG:
        ADD(&list, &c->code[1], &c->panels[1], &c->code[0], &c->panels[0]);
        add_rows(&list, 0);
        ADD(&list, &c->idimf, c->f, &c->ierror, c->w);
        break;
    case STARFISH_FISHPACK_BLKTRI:
    case STARFISH_FISHPACK_CBLKTR:
        ADD(&list, &c->intl, &c->code[1], &c->panels[1]);
        add_rows(&list, 1);
        ADD(&list, &c->code[0], &c->panels[0]);
        add_rows(&list, 0);
        ADD(&list, &c->idimf, c->f, &c->ierror, c->w);
        break;
    case STARFISH_FISHPACK_SEPELI:
    case STARFISH_FISHPACK_SEPX4:
        add_separable(&list, c->routine == STARFISH_FISHPACK_SEPX4);
        break;
    default:
        if (c->routine == STARFISH_FISHPACK_HWSCSP || c->routine == STARFISH_FISHPACK_HSTCSP)
            add(&list, &c->intl);
        add_driver(&list, 2);
    }
}

/* ---- Numbers ----------------------------------------------------------------------------------------------------- */

/* Of a direction that is not periodic; complex ones as pairs. */
static void fill_rows(double *rows, int n, size_t parts, unsigned *seed)
{
    double *const lower = rows, *const diag = rows + 2 * 64, *const upper = rows + 4 * 64;
    for (size_t k = 0; k < parts * (size_t)n; k++) {
        const int real = k % parts == 0;
        lower[k] = real ? 0.5 + next(seed) : 0.2 * next(seed);
        upper[k] = real ? 0.5 + next(seed) : 0.2 * next(seed);
        diag[k] = -(lower[k] + upper[k]) - (real ? 0.5 * next(seed) + 0.1 : 0);
    }
    for (size_t p = 0; p < parts; p++)
        lower[p] = upper[parts * (size_t)(n - 1) + p] = 0;
}

void call_make(struct call *c, starfish_fishpack_routine routine, unsigned seed)
{
    const int is_box = routine == STARFISH_FISHPACK_HW3CRT || routine == STARFISH_FISHPACK_POIS3D;
    const int is_complex = routine == STARFISH_FISHPACK_CMGNBN || routine == STARFISH_FISHPACK_CBLKTR;
    memset(c, 0, sizeof *c);
    c->routine = routine;
    c->factor = 0.75;
    c->lambda = routine == STARFISH_FISHPACK_HWSCSP || routine == STARFISH_FISHPACK_HSTCSP ? 0 : -0.5;
    c->order = 2;
    c->intl = routine == STARFISH_FISHPACK_BLKTRI || routine == STARFISH_FISHPACK_CBLKTR;
    c->idimf = 16;
    c->idimf2 = 14;
    c->ierror = -1;
    c->robin = 0.25;
    c->w[0] = CALLS_WORK;
    for (int d = 0; d < 3; d++) {
        c->low[d] = 0.25 + 0.125 * d;
        c->high[d] = 1.5;
        c->panels[d] = is_box ? 6 + d : 12 - 2 * d;
        c->code[d] = 1;
    }
    for (size_t i = 0; i < sizeof c->data / sizeof c->data[0]; i++)
        c->data[i] = next(&seed) - 0.5;
    for (size_t i = 0; i < sizeof c->f / sizeof c->f[0]; i++)
        c->f[i] = next(&seed) - 0.5;
    for (size_t i = 0; i < sizeof c->g / sizeof c->g[0]; i++)
        c->g[i] = next(&seed) - 0.5;
    fill_rows(c->rows[0], c->panels[is_box ? 2 : 0], is_complex ? 2 : 1, &seed);
    fill_rows(c->rows[1], c->panels[1], 1, &seed);
    fill_arguments(c);
}

void call_set_codes(struct call *c, int first, int second)
{
    const int spherical = c->routine == STARFISH_FISHPACK_HWSSSP || c->routine == STARFISH_FISHPACK_HSTSSP ||
                          c->routine == STARFISH_FISHPACK_HWSCSP || c->routine == STARFISH_FISHPACK_HSTCSP;
    const int radial = c->routine == STARFISH_FISHPACK_HWSCSP || c->routine == STARFISH_FISHPACK_HSTCSP;
    c->code[0] = first;
    c->code[1] = second;
    if (first == 5 || first == 6 || first == 9)
        c->low[0] = 0;
    if (spherical && first >= 7)
        c->high[0] = pi;
    if (radial && second >= 5)
        c->low[1] = 0;
    if (c->routine == STARFISH_FISHPACK_HWSCYL || c->routine == STARFISH_FISHPACK_HSTCYL)
        c->lambda = first >= 5 ? 0 : c->lambda;
}

/* ---- Plans ------------------------------------------------------------------------------------------------------- */

/* Solves twice, and compares. */
static int differs(struct call *first, struct call *second, const char *what)
{
    double largest = 0, error = 0;
    starfish_fishpack_call(first->routine, 0, first->arguments);
    starfish_fishpack_call(second->routine, 0, second->arguments);
    for (size_t i = 0; i < sizeof first->f / sizeof first->f[0]; i++) {
        largest = fmax(largest, fabs(first->f[i]));
        error = fmax(error, fabs(first->f[i] - second->f[i]));
    }
    const int bad = first->ierror != 0 || second->ierror != 0 || !(error <= 1e-10 * largest) ||
                    !(fabs(first->pertrb - second->pertrb) <= 1e-12);
    if (bad)
        printf("%s, codes %d and %d: ierror %d and %d, error %g of %g: %s\n", what, first->code[0], first->code[1],
               first->ierror, second->ierror, error, largest, starfish_error_message());
    return bad;
}

int test_fishpack_plans(void)
{
    static const struct {
        starfish_fishpack_routine routine;
        const char *name;
        int codes[8][2];
    } cases[] = {{STARFISH_FISHPACK_HWSCRT, "HWSCRT", {{1, 1}, {2, 0}, {3, 4}, {4, 3}, {1, 2}}},
                 {STARFISH_FISHPACK_HSTCRT, "HSTCRT", {{1, 1}, {2, 0}, {3, 4}, {4, 3}}},
                 {STARFISH_FISHPACK_HWSPLR, "HWSPLR", {{1, 1}, {5, 0}, {6, 3}, {4, 2}}},
                 {STARFISH_FISHPACK_HSTPLR, "HSTPLR", {{1, 1}, {5, 0}, {6, 3}, {4, 2}}},
                 {STARFISH_FISHPACK_HWSCYL, "HWSCYL", {{1, 1}, {5, 0}, {6, 3}, {4, 2}}},
                 {STARFISH_FISHPACK_HSTCYL, "HSTCYL", {{1, 1}, {5, 0}, {6, 3}, {4, 2}}},
                 {STARFISH_FISHPACK_HWSSSP, "HWSSSP", {{1, 1}, {5, 0}, {8, 3}, {9, 0}}},
                 {STARFISH_FISHPACK_HSTSSP, "HSTSSP", {{1, 1}, {5, 0}, {8, 3}, {9, 0}}},
                 {STARFISH_FISHPACK_HWSCSP, "HWSCSP", {{1, 1}, {5, 2}, {8, 3}, {9, 5}, {9, 6}}},
                 {STARFISH_FISHPACK_HSTCSP, "HSTCSP", {{1, 1}, {5, 2}, {8, 3}, {9, 5}}},
                 {STARFISH_FISHPACK_HW3CRT, "HW3CRT", {{1, 1}, {2, 3}, {4, 1}}},
                 {STARFISH_FISHPACK_POIS3D, "POIS3D", {{1, 1}, {2, 3}, {4, 0}}},
                 {STARFISH_FISHPACK_GENBUN, "GENBUN", {{1, 1}, {1, 2}, {1, 3}, {1, 4}}},
                 {STARFISH_FISHPACK_CMGNBN, "CMGNBN", {{1, 1}, {1, 2}}},
                 {STARFISH_FISHPACK_POISTG, "POISTG", {{1, 1}, {1, 2}, {1, 3}, {1, 4}}},
                 {STARFISH_FISHPACK_BLKTRI, "BLKTRI", {{1, 1}}},
                 {STARFISH_FISHPACK_CBLKTR, "CBLKTR", {{1, 1}}},
                 {STARFISH_FISHPACK_SEPELI, "SEPELI", {{1, 1}, {3, 1}, {2, 4}}},
                 {STARFISH_FISHPACK_SEPX4, "SEPX4", {{1, 1}, {3, 1}, {2, 3}}}};
    struct call *calls = malloc(2 * sizeof *calls);
    int bad = 0;
    for (size_t i = 0; calls && i < sizeof cases / sizeof cases[0]; i++)
        for (int k = 0; k < 8 && cases[i].codes[k][0] > 0; k++) {
            for (int twice = 0; twice < 2; twice++) {
                call_make(&calls[twice], cases[i].routine, 3);
                call_set_codes(&calls[twice], cases[i].codes[k][0], cases[i].codes[k][1]);
            }
            bad += differs(&calls[0], &calls[1], cases[i].name);
        }
    free(calls);
    return calls ? bad : 1;
}
