/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Problems of FISHPACK's routines (fishpack_case.h): their lists of arguments, and the loop that is timed. */
#include "apps/bench/fishpack_case.h"

#include "base/status.h"
#include "bench/clock.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

const struct fishpack_row fishpack_rows[FISHPACK_PROBLEMS] = {
    [FISHPACK_HWSCRT] = {STARFISH_FISHPACK_HWSCRT, {1, 1}, "hwscrt", "HWSCRT 1/1", "8,32,64,128,256,512,1024", {1, 1}},
    [FISHPACK_HSTCRT] = {STARFISH_FISHPACK_HSTCRT, {1, 1}, "hstcrt", "HSTCRT 1/1", "8,32,64,128,256,512,1024", {1, 1}},
    [FISHPACK_HWSSSP] = {STARFISH_FISHPACK_HWSSSP, {9, 0}, "hwsssp", "HWSSSP 9/0", "360", {PI, 2 * PI}, -1},
    [FISHPACK_HSTCSP] = {STARFISH_FISHPACK_HSTCSP, {9, 5}, "hstcsp", "HSTCSP 9/5", "512", {PI, 1}},
    [FISHPACK_BLKTRI] = {STARFISH_FISHPACK_BLKTRI, {1, 1}, "blktri", "BLKTRI", "64,256,512,1024"},
    [FISHPACK_BLKTRI_R] = {STARFISH_FISHPACK_BLKTRI, {1, 1}, "blktri", "BLKTRI with r", "64,256,512,1024"},
    [FISHPACK_HW3CRT] = {STARFISH_FISHPACK_HW3CRT, {1, 1, 1}, "hw3crt", "HW3CRT 1/1/1", "16,32,64,128", {1, 1, 1}},
};

/* ---- Arguments --------------------------------------------------------------------------------------------------- */

static int is_blktri(const struct fishpack_case *c)
{
    return c->row->routine == STARFISH_FISHPACK_BLKTRI;
}

/* BLKTRI's entries of n unknowns on (0, 1), or of r on (1, 2), with Dirichlet ends. */
static void set_line(double *lower, int n, int is_radius, double scale)
{
    const double h = 1 / ((double)n + 1);
    for (int k = 0; k < n; k++) {
        const double slope = is_radius ? h / (2 * (1 + h * (k + 1))) : 0;
        lower[k] = k > 0 ? scale * (1 - slope) / (h * h) : 0;
        lower[n + k] = -2 * scale / (h * h);
        lower[2 * n + k] = k + 1 < n ? scale * (1 + slope) / (h * h) : 0;
    }
}

static void list_blktri(struct fishpack_case *c)
{
    double *const x = c->line[0], *const y = c->line[1];
    const int m = c->n[0], n = c->n[1];
    void *const list[] = {&c->prepared, &c->code[1], &c->n[1], y,         y + n,
                          y + 2 * n,    &c->code[0], &c->n[0], x,         x + m,
                          x + 2 * m,    &c->step[0], c->field, &c->error, c->work};
    set_line(y, n, c->row == &fishpack_rows[FISHPACK_BLKTRI_R], 1);
    memcpy(c->argument, list, sizeof list);
}

static void list_driver(struct fishpack_case *c)
{
    const int directions = c->code[2] ? 3 : 2;
    void **next = c->argument;
    if (c->row->routine == STARFISH_FISHPACK_HSTCSP)
        *next++ = &c->prepared;
    for (int d = 0; d < directions; d++) {
        void *const list[] = {&c->from, &c->to[d], &c->n[d], &c->code[d], c->zeros, c->zeros};
        memcpy(next, list, sizeof list);
        next += sizeof list / sizeof list[0];
    }
    void *const plane[] = {&c->lambda, c->field, &c->step[0], &c->perturbation, &c->error, c->work};
    void *const space[] = {&c->lambda, &c->step[0], &c->step[1], c->field, &c->perturbation, &c->error, c->work};
    memcpy(next, directions == 2 ? plane : space, directions == 2 ? sizeof plane : sizeof space);
}

/* Extent of arrays, and number of unknowns. */
static void count_direction(struct fishpack_case *c, int d)
{
    const int has_nodes = c->row->routine == STARFISH_FISHPACK_HWSCRT || c->row->routine == STARFISH_FISHPACK_HWSSSP ||
                          c->row->routine == STARFISH_FISHPACK_HW3CRT;
    const int is_there = d != 2 || c->code[2];
    c->step[d] = c->n[d] + (has_nodes && is_there);
    c->count *= (size_t)c->step[d];
    c->unknowns *= (size_t)(c->n[d] - (has_nodes && c->code[d] != 0)); /* without given values and poles */
}

/* Upper bound for W of all these routines: BLKTRI's roots, and 64 numbers per point of each direction. */
static size_t work_size(size_t longest, size_t lines)
{
    size_t k = 1;
    while ((size_t)1 << k <= longest)
        k++;
    return k * ((size_t)2 << k) + 64 * lines + 4096;
}

starfish_status fishpack_case_make(struct fishpack_case *c, enum fishpack_problem problem, const size_t n[3])
{
    const struct fishpack_row *row = &fishpack_rows[problem];
    size_t longest = 1;
    *c = (struct fishpack_case){.row = row, .count = 1, .unknowns = 1, .lambda = row->lambda};
    for (int d = 0; d < 3; d++) {
        c->n[d] = (int)n[d];
        c->code[d] = row->code[d];
        c->to[d] = row->to[d];
        longest = n[d] > longest ? n[d] : longest;
        count_direction(c, d);
    }
    const size_t face = (longest + 1) * (c->code[2] ? longest + 1 : 1), lines = 3 * (n[0] + n[1]);
    const size_t work = work_size(longest, n[0] + n[1] + n[2]);
    c->work = calloc(work + face + lines + 3 * c->count, sizeof *c->work);
    STARFISH_FAIL_IF(!c->work, STARFISH_ERROR_MEMORY, "out of memory for the arrays of %s", row->title);
    c->zeros = c->work + work;
    c->line[0] = c->zeros + face;
    c->line[1] = c->line[0] + 3 * n[0];
    c->field = c->zeros + face + lines;
    c->rhs = c->field + c->count;
    c->solution = c->rhs + c->count;
    for (size_t e = 0; e < c->count; e++)
        c->rhs[e] = (double)(e * 2654435761U % 1000003U) / 1000003.0 - 0.5;
    (is_blktri(c) ? list_blktri : list_driver)(c);
    return STARFISH_SUCCESS;
}

void fishpack_case_free(struct fishpack_case *c)
{
    free(c->work);
    c->work = NULL;
}

double fishpack_case_difference(const struct fishpack_case *c)
{
    double worst = 0, largest = 0;
    for (size_t e = 0; e < c->count; ++e) {
        worst = fmax(worst, fabs(c->field[e] - c->solution[e]));
        largest = fmax(largest, fabs(c->solution[e]));
    }
    return worst / largest;
}

/* ---- Times ------------------------------------------------------------------------------------------------------- */

static starfish_status solve(struct fishpack_case *c, void *peer)
{
    if (!peer)
        STARFISH_TRY(starfish_fishpack_call(c->row->routine, 0, c->argument));
    else
        STARFISH_REFUSE_IF(!peer_fishpack_call(peer, c->row->name, c->argument), "--fishpack: no %s in these sources",
                           c->row->name);
    STARFISH_REFUSE_IF(c->error != 0, "%s: ierror is %d", c->row->title, c->error);
    return STARFISH_SUCCESS;
}

starfish_status fishpack_case_measure(struct fishpack_case *c, void *peer, size_t warmup, size_t repeat,
                                      double *seconds)
{
    c->error = 0;
    memset(c->work, 0, (size_t)(c->zeros - c->work) * sizeof *c->work);
    for (size_t r = 0; r < 1 + warmup + repeat; r++) {
        c->prepared = r > 0;
        if (is_blktri(c))
            set_line(c->line[0], c->n[0], 0, 1 + (double)r * c->change);
        memcpy(c->field, c->rhs, c->count * sizeof *c->rhs);
        const double start = clock_now();
        STARFISH_TRY(solve(c, peer));
        if (r > warmup)
            seconds[r - warmup - 1] = clock_now() - start;
    }
    return STARFISH_SUCCESS;
}
