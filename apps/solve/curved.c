/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Slices in their true shape (curved.h): each pixel's coordinates are found, and its value interpolated between
 * unknowns; pixels outside of the domain are blank. */
#include "apps/solve/curved.h"

#include "apps/files/problem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PIXELS = 960, STEPS = 720 };

#define TURN 6.28318530717958647692

/* ---- Shapes: the coordinates q of a slice, and places x of the picture ------------------------------------------- */

/* The direction `radius`, and an angle that is measured from the right, or from above. Without a radius (2) a map in
 * degrees, of longitude and colatitude, north up. */
static const struct shape {
    const char *direction[2], *label[2];
    int radius, from_above;
} shapes[] = {{{"theta", "r"}, {"x", "y"}, 1, 0},
              {{"r", "theta"}, {"distance from the axis", "z"}, 0, 1},
              {{"phi", "theta"}, {"east", "north"}, 2, 0}};

static void place(const struct shape *shape, const double q[2], double x[2])
{
    if (shape->radius == 2) {
        x[0] = q[0] * 360 / TURN;
        x[1] = 90 - q[1] * 360 / TURN;
        return;
    }
    const double angle = q[1 - shape->radius], radius = q[shape->radius];
    x[shape->from_above] = radius * cos(angle);
    x[1 - shape->from_above] = radius * sin(angle);
}

static void find_coordinates(const struct shape *shape, const double x[2], double q[2])
{
    if (shape->radius == 2) {
        q[0] = x[0] * TURN / 360;
        q[1] = (90 - x[1]) * TURN / 360;
        return;
    }
    q[shape->radius] = hypot(x[0], x[1]);
    q[1 - shape->radius] = atan2(x[1 - shape->from_above], x[shape->from_above]);
}

/* Low and high ends of the picture, by points on the edges of the domain. */
static void find_box(const struct shape *shape, const struct starfish_axis axis[2], double low[2], double high[2])
{
    low[0] = low[1] = INFINITY;
    high[0] = high[1] = -INFINITY;
    for (int edge = 0; edge < 4; ++edge)
        for (int step = 0; step <= STEPS; ++step) {
            double q[2], x[2];
            for (int d = 0; d < 2; ++d)
                q[d] = axis[d].origin + axis[d].length * (edge / 2 == d ? edge % 2 : (double)step / STEPS);
            place(shape, q, x);
            for (int d = 0; d < 2; ++d) {
                low[d] = fmin(low[d], x[d]);
                high[d] = fmax(high[d], x[d]);
            }
        }
}

/* ---- Values ------------------------------------------------------------------------------------------------------ */

/* Two values, which may be the same, and their weights. */
struct sample {
    size_t index[2];
    double weight[2];
};

/* Returns 0 outside of the axis. */
static int locate(const struct starfish_axis *axis, const double *position, int is_angle, double q,
                  struct sample *sample)
{
    const int closed = is_angle && starfish_problem_is_closed(axis);
    size_t below = 0, end = axis->n; /* positions that do not exceed q */
    if (is_angle)
        q -= TURN * floor((q - axis->origin) / TURN);
    if (q < axis->origin || q > axis->origin + axis->length)
        return 0;
    while (below < end) {
        const size_t middle = below + (end - below) / 2;
        if (position[middle] <= q)
            below = middle + 1;
        else
            end = middle;
    }
    const size_t left = below > 0 ? below - 1 : closed ? axis->n - 1 : 0;
    const size_t right = below < axis->n ? below : closed ? 0 : axis->n - 1;
    const double width = position[right] - position[left] + (closed && right <= left ? TURN : 0);
    const double part = q - position[left] + (q < position[left] ? TURN : 0);
    const double weight = right != left ? part / width : 0;
    *sample = (struct sample){{left, right}, {1 - weight, weight}};
    return 1;
}

static double value_at(const struct shape *shape, const struct starfish_slice *slice,
                       const struct starfish_axis axis[2], const double x[2])
{
    struct sample sample[2];
    double q[2], sum = 0;
    find_coordinates(shape, x, q);
    for (int d = 0; d < 2; ++d)
        if (!locate(&axis[d], slice->position[d], d != shape->radius, q[d], &sample[d]))
            return NAN;
    for (int corner = 0; corner < 4; ++corner) {
        const size_t across = (size_t)corner % 2, up = (size_t)corner / 2;
        const double weight = sample[0].weight[across] * sample[1].weight[up];
        sum += weight * slice->values[sample[0].index[across] + slice->n[0] * sample[1].index[up]];
    }
    return sum;
}

/* ---- The picture ------------------------------------------------------------------------------------------------- */

starfish_status solve_write_curved(const char *path, const struct starfish_slice *slice,
                                   const struct starfish_axis axis[2])
{
    const struct shape *shape = shapes, *const end = shapes + sizeof shapes / sizeof shapes[0];
    double low[2], high[2];
    size_t n[2];
    while (shape < end &&
           (strcmp(shape->direction[0], slice->label[0]) != 0 || strcmp(shape->direction[1], slice->label[1]) != 0))
        ++shape;
    if (shape == end)
        return starfish_image_write(path, slice);
    find_box(shape, axis, low, high);
    const double most = fmax(high[0] - low[0], high[1] - low[1]);
    for (int d = 0; d < 2; ++d)
        n[d] = (size_t)fmax(1, round(PIXELS * (high[d] - low[d]) / most));
    double *const memory = malloc((n[0] + n[1] + n[0] * n[1]) * sizeof *memory);
    STARFISH_FAIL_IF(!memory, STARFISH_ERROR_MEMORY, "%s: no memory for a picture", path);
    double *const position[2] = {memory, memory + n[0]}, *const values = memory + n[0] + n[1];
    for (int d = 0; d < 2; ++d)
        for (size_t i = 0; i < n[d]; ++i)
            position[d][i] = low[d] + ((double)i + 0.5) * (high[d] - low[d]) / (double)n[d];
    for (size_t i = 0; i < n[0] * n[1]; ++i)
        values[i] = value_at(shape, slice, axis, (const double[]){position[0][i % n[0]], position[1][i / n[0]]});
    const struct starfish_slice picture = {{n[0], n[1]}, {position[0], position[1]},
                                           values,       {shape->label[0], shape->label[1]},
                                           slice->title, slice->subtitle};
    const starfish_status status = starfish_image_write(path, &picture);
    free(memory);
    return status;
}
