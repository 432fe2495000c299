/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Maps of solutions on the whole sphere (globe.h): each pixel's direction is found on a panel, and its value
 * interpolated between columns. */
#include "apps/solve/globe.h"

#include "apps/pictures/image.h"
#include "multigrid/kernels/flat_sphere.h"

#include <math.h>
#include <stdlib.h>

enum { ACROSS = 720, UP = 360, DEGREES_ACROSS = 360, DEGREES_UP = 180 };

static const double quarter = 0.78539816339744830962; /* pi / 4 */

static double product(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* The panel that a direction is on, and where, in columns from the middle of its first column. */
static int find_panel(const double direction[3], size_t n, double place[2])
{
    const double nearest = fmax(fmax(fabs(direction[0]), fabs(direction[1])), fabs(direction[2]));
    double centre[3], along[2][3];
    int panel = 0;

    for (; panel < STARFISH_PANELS; panel++) {
        starfish_sphere_frame(panel, centre, along[0], along[1]);
        if (product(centre, direction) == nearest)
            break;
    }
    for (int d = 0; d < 2; d++) {
        const double angle = atan(product(along[d], direction) / product(centre, direction));
        place[d] = fmin(fmax((angle + quarter) / (2 * quarter) * (double)n - 0.5, 0), (double)(n - 1));
    }
    return panel;
}

static double value_at(const struct starfish_array *field, size_t n, size_t k, const double direction[3])
{
    double place[2], sum = 0;
    const size_t panel = (size_t)find_panel(direction, n, place), i = (size_t)place[0], j = (size_t)place[1];

    for (int corner = 0; corner < 4; corner++) {
        const size_t x = i + (size_t)(corner % 2), y = j + (size_t)(corner / 2);
        const double weight = (1 - fabs(place[0] - (double)x)) * (1 - fabs(place[1] - (double)y));
        if (x < n && y < n)
            sum += weight * starfish_array_get(field, x + n * (y + n * (panel + STARFISH_PANELS * k)));
    }
    return sum;
}

/* The middle of pixel i of `count`, in degrees around zero. */
static double degrees(size_t i, size_t count, double all)
{
    return all * (((double)i + 0.5) / (double)count - 0.5);
}

static void fill(const struct starfish_array *field, size_t n, size_t k, double *position, double *values)
{
    const double radian = quarter / 45;

    for (size_t i = 0; i < ACROSS; i++)
        position[i] = degrees(i, ACROSS, DEGREES_ACROSS);
    for (size_t j = 0; j < UP; j++) {
        const double latitude = degrees(j, UP, DEGREES_UP);
        position[ACROSS + j] = latitude;
        for (size_t i = 0; i < ACROSS; i++) {
            const double longitude = radian * position[i], radius = cos(radian * latitude);
            const double direction[3] = {radius * cos(longitude), radius * sin(longitude), sin(radian * latitude)};
            values[i + ACROSS * j] = value_at(field, n, k, direction);
        }
    }
}

starfish_status solve_write_globe(const char *path, const struct starfish_array *field, size_t n, size_t k,
                                  const char *title)
{
    double *const memory = malloc((ACROSS + UP + ACROSS * UP) * sizeof *memory);

    STARFISH_FAIL_IF(!memory, STARFISH_ERROR_MEMORY, "%s: no memory for a picture", path);
    double *const values = memory + ACROSS + UP;
    fill(field, n, k, memory, values);
    const struct starfish_slice slice = {{ACROSS, UP}, {memory, memory + ACROSS}, values, {"east", "north"}, title,
                                         NULL};
    const starfish_status status = starfish_image_write(path, &slice);
    free(memory);
    return status;
}
