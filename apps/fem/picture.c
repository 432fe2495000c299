/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The picture of a finite element solution: every cell is sampled as finely as the picture's points are apart, and each
 * sample colours the point that it is nearest to. Outside the domain the picture is blank. */
#include "apps/fem/fem.h"
#include "apps/pictures/image.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS = 400, MOST_SAMPLES = 1000 }; /* of the longer side; per direction of a cell */

struct picture {
    const struct solve_run *run;
    int d, corners, last;    /* last: place of a cell's last node in a direction */
    int across, up, through; /* directions of the picture, and the one that its plane lies across */
    double low[3], high[3], step, plane;
    size_t n[2];
    double *value; /* NaN: no sample */
};

static void find_box(struct picture *p)
{
    const double *point = starfish_fem_points(p->run->solver.plan);
    for (int i = 0; i < 3; ++i) {
        p->low[i] = p->high[i] = point[i];
        for (size_t n = 1; n < starfish_fem_nodes(p->run->solver.plan); ++n) {
            p->low[i] = fmin(p->low[i], point[3 * n + (size_t)i]);
            p->high[i] = fmax(p->high[i], point[3 * n + (size_t)i]);
        }
    }
    p->step = fmax(p->high[p->across] - p->low[p->across], p->high[p->up] - p->low[p->up]) / (POINTS - 1);
    for (int i = 0; i < 2; ++i) {
        const int d = i ? p->up : p->across;
        p->n[i] = (size_t)floor((p->high[d] - p->low[d]) / p->step + 0.5) + 1;
    }
}

/* Beyond the mesh the plane is the nearest one of the mesh. */
static double find_plane(const struct picture *p)
{
    const struct starfish_array *u = &p->run->solver.solution;
    const double given = p->run->plane.coordinate, low = p->low[p->through], high = p->high[p->through];
    size_t largest = 0;
    if (!p->run->options.plane)
        return (low + high) / 2;
    if (!isnan(given))
        return fmin(fmax(given, low), high);
    for (size_t n = 1; n < starfish_fem_nodes(p->run->solver.plan); ++n)
        if (fabs(starfish_array_get(u, n)) > fabs(starfish_array_get(u, largest)))
            largest = n;
    return starfish_fem_points(p->run->solver.plan)[3 * largest + (size_t)p->through];
}

/* Corners of a cell: points and values. */
struct corners {
    double at[8][4];
};

static struct corners corners_of(const struct picture *p, const int *cell)
{
    const double *point = starfish_fem_points(p->run->solver.plan);
    const int side = p->last + 1;
    struct corners corners = {{{0}}};
    for (int c = 0; c < p->corners; ++c) {
        const int node = cell[p->last * ((c & 1) + side * ((c >> 1 & 1) + side * (c >> 2)))];
        memcpy(corners.at[c], point + 3 * (size_t)node, 3 * sizeof(double));
        corners.at[c][3] = starfish_array_get(&p->run->solver.solution, (size_t)node);
    }
    return corners;
}

static void add_sample(const struct picture *p, const double at[4])
{
    const double x = (at[p->across] - p->low[p->across]) / p->step, y = (at[p->up] - p->low[p->up]) / p->step;
    if (p->d == 3 && fabs(at[p->through] - p->plane) > p->step)
        return;
    const size_t i = (size_t)fmax(0, floor(x + 0.5)), j = (size_t)fmax(0, floor(y + 0.5));
    if (i < p->n[0] && j < p->n[1])
        p->value[i + p->n[0] * j] = at[3];
}

/* The value at t of [0,1]^d, and its place before it. */
static void interpolate(const struct corners *corners, int count, const double t[3], double at[4])
{
    memset(at, 0, 4 * sizeof *at);
    for (int c = 0; c < count; ++c) {
        const double weight = (c & 1 ? t[0] : 1 - t[0]) * (c & 2 ? t[1] : 1 - t[1]) * (c & 4 ? t[2] : 1 - t[2]);
        for (int v = 0; v < 4; ++v)
            at[v] += weight * corners->at[c][v];
    }
}

/* The cell's box, and its largest side. */
static double find_cell_box(const struct picture *p, const struct corners *corners, double low[3], double high[3])
{
    double size = 0;
    for (int i = 0; i < p->d; ++i) {
        low[i] = high[i] = corners->at[0][i];
        for (int c = 1; c < p->corners; ++c) {
            low[i] = fmin(low[i], corners->at[c][i]);
            high[i] = fmax(high[i], corners->at[c][i]);
        }
        size = fmax(size, high[i] - low[i]);
    }
    return size;
}

/* Which of the samples k = 0 .. deep of a line, from `first` to `last`, can lie beside the plane: from *begin on, below
 * *end. Coordinates along the line are linear. */
static void find_depths(const struct picture *p, const double first[4], const double last[4], int deep, int *begin,
                        int *end)
{
    const double low = p->plane - p->step - first[p->through], high = p->plane + p->step - first[p->through];
    const double rise = (last[p->through] - first[p->through]) / deep;
    *begin = 0;
    *end = low <= 0 && high >= 0 ? deep + 1 : 0;
    if (fabs(rise) * deep > 0) {
        *begin = (int)fmin(fmax(floor(fmin(low / rise, high / rise)), 0), deep + 1);
        *end = (int)fmin(fmax(ceil(fmax(low / rise, high / rise)) + 1, 0), deep + 1);
    }
}

static void sample_cell(const struct picture *p, const struct corners *corners)
{
    double low[3], high[3];
    const double size = find_cell_box(p, corners, low, high);
    if (p->d == 3 && (low[p->through] > p->plane + p->step || high[p->through] < p->plane - p->step))
        return;
    const int samples = (int)fmin(2 * ceil(size / p->step) + 1, MOST_SAMPLES);
    for (int j = 0; j <= samples; ++j)
        for (int i = 0; i <= samples; ++i) {
            double t[3] = {(double)i / samples, (double)j / samples, 0}, first[4], last[4];
            interpolate(corners, p->corners, t, first);
            if (p->d == 2) {
                add_sample(p, first);
                continue;
            }
            t[2] = 1;
            interpolate(corners, p->corners, t, last);
            int begin, end;
            find_depths(p, first, last, samples, &begin, &end);
            for (int k = begin; k < end; ++k) {
                double at[4];
                for (int v = 0; v < 4; ++v)
                    at[v] = first[v] + (last[v] - first[v]) * k / samples;
                add_sample(p, at);
            }
        }
}

static starfish_status draw(const struct picture *p, double *position)
{
    static const char *const names[] = {"x", "y", "z"};
    char title[160];
    const char *slash = strrchr(p->run->solver.problem.path, '/');
    for (size_t i = 0; i < p->n[0]; ++i)
        position[i] = p->low[p->across] + (double)i * p->step;
    for (size_t j = 0; j < p->n[1]; ++j)
        position[p->n[0] + j] = p->low[p->up] + (double)j * p->step;
    const int length = snprintf(title, sizeof title, "%.60s: u", slash ? slash + 1 : p->run->solver.problem.path);
    if (p->d == 3)
        snprintf(title + length, sizeof title - (size_t)length, " at %s = %.4g", names[p->through], p->plane);
    const struct starfish_slice slice = {
        {p->n[0], p->n[1]}, {position, position + p->n[0]}, p->value, {names[p->across], names[p->up]}, title, NULL};
    return starfish_image_write(p->run->options.plot, &slice);
}

starfish_status fem_write_plot(const struct solve_run *run)
{
    const struct starfish_fem_problem *problem = run->solver.problem.data;
    struct picture p = {.run = run, .d = problem->mesh->dimensions};
    const int *cell;
    const size_t cells = starfish_fem_cells(run->solver.plan, &cell);
    p.corners = 1 << p.d;
    p.last = problem->element == STARFISH_FEM_Q1 ? 1 : 2;
    p.through = run->options.plane ? run->plane.d : 2;
    p.across = p.through == 0 ? 1 : 0;
    p.up = p.through == 2 ? 1 : 2;
    find_box(&p);
    p.plane = find_plane(&p);
    const size_t per_cell = problem->element == STARFISH_FEM_Q1 ? (size_t)p.corners : p.d == 2 ? 9 : 27;
    p.value = malloc(p.n[0] * p.n[1] * sizeof *p.value);
    double *position = malloc((p.n[0] + p.n[1]) * sizeof *position);
    starfish_status status = STARFISH_ERROR_MEMORY;
    if (p.value && position) {
        for (size_t i = 0; i < p.n[0] * p.n[1]; ++i)
            p.value[i] = (double)NAN;
        for (size_t c = 0; c < cells; ++c) {
            const struct corners corners = corners_of(&p, cell + c * per_cell);
            sample_cell(&p, &corners);
        }
        status = draw(&p, position);
    } else {
        starfish_fail(status, "%s: no memory for the picture", run->options.plot);
    }
    free(p.value);
    free(position);
    return status;
}
