/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Grids of flat domains: coarsening of columns, and tables. Nothing here is timed but by the making of a plan: some
 * additions per column. */
#include "multigrid/flat.h"

#include "multigrid/kernels/flat_sphere.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Memory ------------------------------------------------------------------------------------------------------ */

/* Rows of columns that are apart from each other. */
static size_t sheets(const struct starfish_flat_grid *grid)
{
    return grid->sphere ? STARFISH_PANELS : 1;
}

static size_t faces(const struct starfish_flat_grid *grid, int d)
{
    return (grid->n[0] + (d == 0)) * (grid->n[1] + (d == 1 ? sheets(grid) : 0));
}

static size_t corners(const struct starfish_flat_grid *grid)
{
    return (grid->n[0] + 1) * (grid->n[1] + sheets(grid));
}

static starfish_status allocate(struct starfish_flat_grid *grid, int skew)
{
    const size_t columns = grid->n[0] * grid->n[1];
    const size_t count = 2 * columns + faces(grid, 0) + faces(grid, 1) + (skew ? corners(grid) : 0);

    grid->mass = calloc(count > 0 ? count : 1, sizeof *grid->mass);
    STARFISH_FAIL_IF(!grid->mass, STARFISH_ERROR_MEMORY, "out of memory for a grid of %zu x %zu columns", grid->n[0],
                     grid->n[1]);
    grid->lift = grid->mass + columns;
    grid->face[0] = grid->lift + columns;
    grid->face[1] = grid->face[0] + faces(grid, 0);
    grid->corner = skew ? grid->face[1] + faces(grid, 1) : NULL;
    return STARFISH_SUCCESS;
}

starfish_status starfish_flat_grid_allocate(struct starfish_flat_grid *grid, const struct starfish_flat_grid *like,
                                            const size_t n[2], int sphere)
{
    *grid = (struct starfish_flat_grid){
        .n = {n[0], n[1]}, .periodic = {like->periodic[0], like->periodic[1]}, .sphere = sphere};
    return allocate(grid, like->corner != NULL);
}

void starfish_flat_grid_destroy(struct starfish_flat_grid *grid)
{
    free(grid->mass);
    *grid = (struct starfish_flat_grid){.mass = NULL};
}

starfish_status starfish_flat_grid_create(struct starfish_flat_grid *grid, const struct starfish_flat_problem *problem)
{
    const double *const face[2] = {problem->face_x, problem->face_y};
    const size_t columns = problem->n[0] * problem->n[1];

    *grid = (struct starfish_flat_grid){.n = {problem->n[0], problem->n[1]},
                                        .periodic = {problem->periodic[0], problem->periodic[1]},
                                        .sphere = problem->sphere};
    STARFISH_TRY(allocate(grid, problem->corner != NULL));
    memcpy(grid->mass, problem->mass, columns * sizeof(double));
    memcpy(grid->lift, problem->lift, columns * sizeof(double));
    if (grid->corner)
        memcpy(grid->corner, problem->corner, corners(grid) * sizeof(double));
    for (int d = 0; d < 2; d++)
        if (!(grid->periodic[d] && grid->n[d] == 1))
            memcpy(grid->face[d], face[d], faces(grid, d) * sizeof(double));
    return STARFISH_SUCCESS;
}

/* ---- Coarsening -------------------------------------------------------------------------------------------------- */

static double mean_coupling(const struct starfish_flat_grid *grid, int d)
{
    const size_t count = faces(grid, d);
    double sum = 0;

    for (size_t f = 0; f < count; f++)
        sum += grid->face[d][f];
    return sum / (double)count;
}

int starfish_flat_grid_directions(const struct starfish_flat_grid *grid, int coarsened[2])
{
    double strength[2], strongest = 0;

    coarsened[0] = coarsened[1] = grid->n[0] % 2 == 0;
    if (grid->sphere)
        return coarsened[0];
    for (int d = 0; d < 2; d++) {
        strength[d] = grid->n[d] > 1 ? mean_coupling(grid, d) : 0;
        strongest = fmax(strongest, strength[d]);
    }
    for (int d = 0; d < 2; d++)
        coarsened[d] = strength[d] > 0 && strength[d] >= 0.5 * strongest;
    return coarsened[0] || coarsened[1];
}

/* A line of n cells in direction d: its faces are `stride` apart. */
struct line {
    const double *face;
    size_t n, stride;
    int periodic;
};

/* The resistance of face i; none beyond the ends but the faces there. */
static double resistance(const struct line *line, size_t i)
{
    return 1 / line->face[i * line->stride];
}

/* From the centre of coarse cell I to that of its fine cell at either end: half of the inner face, if there is one. */
static double to_centre(const struct line *line, size_t I)
{
    return 2 * I + 1 < line->n ? 0.5 * resistance(line, 2 * I + 1) : 0;
}

/* The coupling of coarse face I of 0 .. coarse. */
static double couple(const struct line *line, size_t coarse, size_t I)
{
    double sum = resistance(line, I < coarse ? 2 * I : line->n);

    if (line->periodic && coarse == 1)
        return 0;
    if (I > 0 || line->periodic)
        sum += to_centre(line, I > 0 ? I - 1 : coarse - 1);
    if (I < coarse || line->periodic)
        sum += to_centre(line, I < coarse ? I : 0);
    return 1 / sum;
}

/* Pairs in direction d: scalars of columns and faces of the other direction add up, those of this one are in series. */
static void pair_up(const struct starfish_flat_grid *fine, int d, struct starfish_flat_grid *coarse)
{
    const size_t across = fine->n[1 - d], n[2] = {fine->n[0], fine->n[1]};
    const size_t step[2] = {d == 0 ? 1 : n[0], d == 0 ? n[0] : 1};
    const size_t coarse_step[2] = {d == 0 ? 1 : coarse->n[0], d == 0 ? coarse->n[0] : 1};
    const size_t face_across = d == 0 ? n[0] + 1 : 1, coarse_across = d == 0 ? coarse->n[0] + 1 : 1;
    /* faces of the other direction: rows in x have one more where d is y */
    const size_t other = d == 0 ? n[0] : n[0] + 1, coarse_other = d == 0 ? coarse->n[0] : coarse->n[0] + 1;

    for (size_t o = 0; o < across; o++) {
        for (size_t i = 0; i < n[d]; i++) {
            const size_t from = i * step[0] + o * step[1], to = i / 2 * coarse_step[0] + o * coarse_step[1];
            coarse->mass[to] += fine->mass[from];
            coarse->lift[to] += fine->lift[from];
        }
        const struct line line = {fine->face[d] + o * face_across, n[d], step[0], fine->periodic[d]};
        for (size_t I = 0; I <= coarse->n[d]; I++)
            coarse->face[d][o * coarse_across + I * coarse_step[0]] = couple(&line, coarse->n[d], I);
    }
    for (size_t o = 0; o <= across; o++)
        for (size_t i = 0; i < n[d]; i++) {
            const size_t from = d == 0 ? i + o * other : i * other + o;
            const size_t to = d == 0 ? i / 2 + o * coarse_other : i / 2 * coarse_other + o;
            coarse->face[1 - d][to] += fine->face[1 - d][from];
        }
}

static void keep_corners(const struct starfish_flat_grid *fine, int d, struct starfish_flat_grid *coarse)
{
    for (size_t j = 0; j <= coarse->n[1]; j++)
        for (size_t i = 0; i <= coarse->n[0]; i++) {
            const size_t x = d == 0 && i < coarse->n[0] ? 2 * i : d == 0 ? fine->n[0] : i;
            const size_t y = d == 1 && j < coarse->n[1] ? 2 * j : d == 1 ? fine->n[1] : j;
            coarse->corner[i + (coarse->n[0] + 1) * j] = fine->corner[x + (fine->n[0] + 1) * y];
        }
}

static starfish_status coarsen_direction(const struct starfish_flat_grid *fine, int d,
                                         struct starfish_flat_grid *coarse)
{
    size_t n[2] = {fine->n[0], fine->n[1]};

    n[d] = (n[d] + 1) / 2;
    STARFISH_TRY(starfish_flat_grid_allocate(coarse, fine, n, 0));
    pair_up(fine, d, coarse);
    if (fine->corner)
        keep_corners(fine, d, coarse);
    return STARFISH_SUCCESS;
}

/* With two ghosts around each panel, which are one of the coarse grid. */
static starfish_status coarsen_panels(const struct starfish_flat_grid *fine, struct starfish_flat_grid *coarse)
{
    static const int both[2] = {1, 1};
    struct starfish_flat_grid padded, pairs = {.mass = NULL};

    starfish_status status = starfish_flat_panels_pad(fine, 2, &padded);
    STARFISH_THEN(status, starfish_flat_grid_coarsen(&padded, both, &pairs));
    STARFISH_THEN(status, starfish_flat_panels_strip(&pairs, 1, coarse));
    starfish_flat_grid_destroy(&padded);
    starfish_flat_grid_destroy(&pairs);
    return status;
}

starfish_status starfish_flat_grid_coarsen(const struct starfish_flat_grid *fine, const int coarsened[2],
                                           struct starfish_flat_grid *coarse)
{
    struct starfish_flat_grid between;

    if (fine->sphere)
        return coarsen_panels(fine, coarse);
    if (!coarsened[0] || !coarsened[1])
        return coarsen_direction(fine, coarsened[1], coarse);
    STARFISH_TRY(coarsen_direction(fine, 0, &between));
    const starfish_status status = coarsen_direction(&between, 1, coarse);
    starfish_flat_grid_destroy(&between);
    return status;
}

/* ---- Eigenvalues ------------------------------------------------------------------------------------------------- */

static double largest(const double *values, const double *over, size_t count)
{
    double most = 0;

    for (size_t i = 0; i < count; i++)
        most = fmax(most, over[i] > 0 ? values[i] / over[i] : HUGE_VAL);
    return most;
}

/* Of the error that is smoothest in x and y, and constant upwards: mass and what the sides take, over the diagonal. */
double starfish_flat_grid_lowest(const struct starfish_flat_grid *grid, const struct starfish_flat_problem *problem)
{
    const double pi = 3.14159265358979323846, ratio = largest(problem->d, problem->a, problem->n[2]);
    const size_t columns = grid->n[0] * grid->n[1];
    double mass = 0, coupled = 0, sides = 0;

    for (size_t c = 0; c < columns; c++)
        mass += grid->mass[c] / (double)columns;
    for (int d = 0; d < 2; d++) {
        const double coupling = mean_coupling(grid, d), wave = sin(0.5 * pi / (double)grid->n[d]);
        coupled += 2 * coupling;
        sides += grid->periodic[d] || grid->sphere ? 0 : 4 * coupling * wave * wave;
    }
    if (!isfinite(ratio))
        return coupled > 0 ? sides / coupled : 1;
    return fmin(1, (mass + ratio * sides) / (mass + ratio * coupled));
}

/* ---- Types of columns -------------------------------------------------------------------------------------------- */

struct types {
    size_t count;
    struct starfish_flat_column line[STARFISH_FLAT_MOST_TYPES]; /* mass, lift and faces */
};

static struct starfish_flat_column line_of(const struct starfish_flat_grid *grid, size_t i, size_t j)
{
    const size_t at = i + grid->n[0] * j, x = i + (grid->n[0] + 1) * j;

    return (struct starfish_flat_column){.mass = grid->mass[at],
                                         .lift = grid->lift[at],
                                         .faces = grid->face[0][x] + grid->face[0][x + 1] + grid->face[1][at] +
                                                  grid->face[1][at + grid->n[0]]};
}

/* Columns that are equal by construction may differ by rounding errors. */
static int is_near(double a, double b)
{
    return fabs(a - b) <= 16 * DBL_EPSILON * fabs(a);
}

/* The type of a column, which becomes a new one; STARFISH_FLAT_MOST_TYPES where there is no room. */
static size_t type_of(struct types *types, const struct starfish_flat_column *line)
{
    size_t t = 0;

    while (t < types->count && !(is_near(types->line[t].mass, line->mass) && is_near(types->line[t].lift, line->lift) &&
                                 is_near(types->line[t].faces, line->faces)))
        t++;
    if (t == types->count && t < STARFISH_FLAT_MOST_TYPES)
        types->line[types->count++] = *line;
    return t;
}

size_t starfish_flat_grid_types(const struct starfish_flat_grid *grid, size_t nz)
{
    struct types types = {.count = 0};

    if (grid->corner || starfish_flat_runs(nz) > STARFISH_FLAT_MOST_RUNS)
        return 0;
    for (size_t j = 0; j < grid->n[1]; j++)
        for (size_t i = 0; i < grid->n[0]; i++) {
            const struct starfish_flat_column line = line_of(grid, i, j);
            if (type_of(&types, &line) == STARFISH_FLAT_MOST_TYPES)
                return 0;
        }
    return types.count;
}

static void fill_types(const struct starfish_flat_grid *grid, const struct starfish_flat_problem *problem, double *type,
                       double *factors)
{
    struct types types = {.count = 0};

    for (size_t j = 0; j < grid->n[1]; j++)
        for (size_t i = 0; i < grid->n[0]; i++) {
            const struct starfish_flat_column line = line_of(grid, i, j);
            type[i + grid->n[0] * j] = (double)type_of(&types, &line);
        }
    for (size_t t = 0; t < types.count; t++) {
        struct starfish_flat_column line = types.line[t];
        line.nz = problem->n[2];
        line.a = problem->a;
        line.b = problem->b;
        line.c = problem->c;
        line.d = problem->d;
        starfish_flat_factors(&line, factors + t * starfish_flat_factors_size(line.nz));
    }
}

/* ---- Tables ------------------------------------------------------------------------------------------------------ */

/* The centre of the coarse cell that fine cell i lies towards, but is not in: counted from the lower end, in widths of
 * fine cells. At an end that is not periodic it is the side itself, where u is zero. The last coarse cell is half as
 * wide as others where n is odd. */
static double centre_beside(size_t n, int periodic, size_t i)
{
    const size_t cell = i / 2;
    const double own = 2 * (double)cell + 1, odd = n % 2 == 1;
    const int lies_lower = i % 2 == 0, last_is_next = cell + 2 == (n + 1) / 2;

    if (lies_lower && i > 0)
        return own - 2;
    if (lies_lower)
        return periodic ? 0.5 * odd - 1 : 0;
    if (i + 1 == n)
        return periodic ? (double)n + 1 : (double)n;
    return last_is_next ? own + 2 - 0.5 * odd : own + 2;
}

/* Where fine i lies between the centres of two coarse cells: the weights of the lower and the upper one. */
static void weigh(size_t n, int periodic, size_t i, double *lower, double *upper)
{
    const size_t cell = i / 2;
    const int lies_lower = i % 2 == 0, is_at_end = i == 0 || (i + 1 == n && !lies_lower);
    const double place = (double)i + 0.5, own = 2 * (double)cell + 1;
    double share = 1;

    if (2 * cell + 1 < n) { /* else it is a coarse cell by itself */
        const double beside = centre_beside(n, periodic, i);
        share = (place - beside) / (own - beside);
    }
    *(lies_lower ? upper : lower) = share;
    *(lies_lower ? lower : upper) = is_at_end && !periodic ? 0 : 1 - share;
}

static void fill_transfer(const struct starfish_flat_shape *shape, int d, double *lower, double *upper)
{
    for (size_t i = 0; i < shape->n[d]; i++)
        weigh(shape->n[d], shape->periodic[d], i, &lower[i], &upper[i]);
}

void starfish_flat_grid_fill(const struct starfish_flat_grid *grid, const struct starfish_flat_problem *problem,
                             const struct starfish_flat_shape *shape, double *table)
{
    const double *const from[STARFISH_FLAT_LOWER_X] = {grid->mass, grid->lift, grid->face[0], grid->face[1], problem->a,
                                                       problem->b, problem->c, problem->d,    grid->corner};

    for (int e = 0; e < STARFISH_FLAT_LOWER_X; e++) {
        const size_t start = starfish_flat_table_entry(shape, (enum starfish_flat_entry)e);
        const size_t end = starfish_flat_table_entry(shape, (enum starfish_flat_entry)(e + 1));
        if (end > start)
            memcpy(table + start, from[e], (end - start) * sizeof *table);
    }
    fill_transfer(shape, 0, table + starfish_flat_table_entry(shape, STARFISH_FLAT_LOWER_X),
                  table + starfish_flat_table_entry(shape, STARFISH_FLAT_UPPER_X));
    fill_transfer(shape, 1, table + starfish_flat_table_entry(shape, STARFISH_FLAT_LOWER_Y),
                  table + starfish_flat_table_entry(shape, STARFISH_FLAT_UPPER_Y));
    if (shape->types > 0)
        fill_types(grid, problem, table + starfish_flat_table_entry(shape, STARFISH_FLAT_TYPE),
                   table + starfish_flat_table_entry(shape, STARFISH_FLAT_FACTORS));
}
