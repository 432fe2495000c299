/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Boxes of flat domains: where they begin, their shapes, and their coefficients. Once per plan; bound by copying the
 * coefficients of columns, 4 to 6 numbers each. */
#include "multigrid/flat_boxes.h"

#include "multigrid/kernels/flat_sphere.h"

#include <stdlib.h>
#include <string.h>

/* How far operations read beyond a box. */
enum { DEPTH = 1 };

/* ---- How many grids are cut -------------------------------------------------------------------------------------- */

static int is_wide_enough(const struct starfish_flat_shape *shape, const struct starfish_flat_cut *cut)
{
    for (int d = 0; d < 2; d++)
        if (cut->parts[d] > 1 && shape->n[d] < STARFISH_FLAT_BOX_COLUMNS * cut->parts[d])
            return 0;
    return 1;
}

/* The last of an odd number of columns is a coarse one alone, so that those beyond a periodic end are no pairs. */
static int pairs_beyond(const struct starfish_flat_shape *shape, const struct starfish_flat_cut *cut)
{
    for (int d = 0; d < 2; d++)
        if (cut->parts[d] > 1 && shape->periodic[d] && shape->n[d] % 2 == 1 && shape->coarse[d] != shape->n[d])
            return 0;
    return 1;
}

static int choose_levels(const struct starfish_flat_cut *cut, const struct starfish_flat_whole *whole)
{
    int levels = 1;

    if (whole->shape[0].rim > 0)
        return whole->collected + 1;
    while (levels < whole->levels) {
        const struct starfish_flat_shape *last = &whole->shape[levels - 1];
        if (last->n[0] * last->n[1] * last->n[2] <= whole->tail || !pairs_beyond(last, cut) ||
            !is_wide_enough(&whole->shape[levels], cut))
            break;
        levels++;
    }
    return levels;
}

/* ---- Where they are ---------------------------------------------------------------------------------------------- */

/* The number of box p among those beside it in x, or in y. */
static size_t number_in(const struct starfish_flat_cut *cut, size_t p, int d)
{
    size_t y = 0;

    for (; p >= cut->parts[0] && cut->parts[0] > 0; p -= cut->parts[0])
        y++;
    return d == 0 ? p : y;
}

/* Boxes of the coarsest shared grid in one direction. */
static void cut_coarsest(const struct starfish_flat_boxes *boxes, const struct starfish_flat_cut *cut,
                         const struct starfish_flat_shape *shape, int d)
{
    const ptrdiff_t n = (ptrdiff_t)shape->n[d];
    struct starfish_box *box = &boxes->box[boxes->parts * (size_t)(boxes->levels - 1)];

    for (size_t p = 0; p < boxes->parts; p++, box++) {
        const size_t at = number_in(cut, p, d);
        box->own[d][0] = box->array[d][0] = (ptrdiff_t)starfish_divided(shape->n[d], cut->parts[d], at);
        box->own[d][1] = box->array[d][1] = (ptrdiff_t)starfish_divided(shape->n[d], cut->parts[d], at + 1);
        if (cut->parts[d] > 1 && (shape->periodic[d] || box->own[d][0] > 0))
            box->array[d][0] -= DEPTH;
        if (cut->parts[d] > 1 && (shape->periodic[d] || box->own[d][1] < n))
            box->array[d][1] += DEPTH;
    }
}

/* The same on the next finer grid: two columns for one, but for an odd one at the end. */
static void refine(const struct starfish_box *coarse, const struct starfish_flat_shape *shape, int d,
                   struct starfish_box *fine)
{
    const ptrdiff_t n = (ptrdiff_t)shape->n[d], factor = shape->coarse[d] != shape->n[d] ? 2 : 1;

    for (int end = 0; end < 2; end++) {
        fine->own[d][end] = factor * coarse->own[d][end] < n ? factor * coarse->own[d][end] : n;
        fine->array[d][end] = factor * coarse->array[d][end];
        if (!shape->periodic[d] || coarse->array[d][end] == coarse->own[d][end])
            fine->array[d][end] = fine->array[d][end] < n ? fine->array[d][end] : n;
    }
}

/* Columns of a panel of a sphere's grid. */
static ptrdiff_t panel_columns(const struct starfish_flat_shape *whole)
{
    return (ptrdiff_t)(whole->n[0] - 2 * whole->rim);
}

static void place_panels(const struct starfish_flat_boxes *boxes, const struct starfish_flat_whole *whole)
{
    for (int l = 0; l < boxes->levels; l++) {
        const ptrdiff_t n = panel_columns(&whole->shape[l]), rim = (ptrdiff_t)1 << (boxes->levels - 1 - l);
        for (size_t p = 0; p < boxes->parts; p++)
            for (int d = 0; d < 2; d++) {
                struct starfish_box *box = &boxes->box[p + boxes->parts * (size_t)l];
                box->own[d][0] = d == 0 ? 0 : n * (ptrdiff_t)p;
                box->own[d][1] = box->own[d][0] + n;
                box->array[d][0] = box->own[d][0] - rim;
                box->array[d][1] = box->own[d][1] + rim;
            }
    }
}

static void place_boxes(const struct starfish_flat_boxes *boxes, const struct starfish_flat_cut *cut,
                        const struct starfish_flat_whole *whole)
{
    if (whole->shape[0].rim > 0) {
        place_panels(boxes, whole);
        return;
    }
    for (int d = 0; d < 2; d++) {
        cut_coarsest(boxes, cut, &whole->shape[boxes->levels - 1], d);
        for (int l = boxes->levels - 2; l >= 0; l--)
            for (size_t p = 0; p < boxes->parts; p++) {
                struct starfish_box *fine = &boxes->box[p + boxes->parts * (size_t)l];
                refine(fine + boxes->parts, &whole->shape[l], d, fine);
            }
    }
}

/* ---- Grids of boxes ---------------------------------------------------------------------------------------------- */

static void describe_shape(const struct starfish_flat_boxes *boxes, const struct starfish_flat_cut *cut,
                           const struct starfish_flat_whole *grids, int l, size_t number)
{
    const struct starfish_flat_shape *whole = &grids->shape[l];
    const struct starfish_box *box = &boxes->box[number];
    struct starfish_flat_shape *shape = &boxes->shape[number];

    *shape = *whole;
    for (int d = 0; d < 2; d++) {
        shape->n[d] = starfish_box_memory(box, d);
        shape->coarse[d] = l + 1 == boxes->levels ? shape->n[d] : starfish_box_memory(box + boxes->parts, d);
        shape->periodic[d] = whole->periodic[d] && cut->parts[d] == 1;
    }
    shape->rim = 0;
    if (cut->parts[0] > 1 || whole->rim > 0) {
        shape->own[0] = (size_t)(box->own[0][0] - box->array[0][0]);
        shape->own[1] = shape->own[0] + starfish_box_own(box, 0);
    }
    shape->other_colours = (box->array[0][0] + box->array[1][0]) % 2 != 0;
}

/* Of a piece of a table: its size in the whole grid, where the box begins in it, and the columns after which it repeats
 * itself, 0: it does not. */
struct piece {
    size_t size[2], period[2];
    ptrdiff_t start[2];
};

static size_t whole_index(const struct piece *piece, int d, size_t i)
{
    const ptrdiff_t at = piece->start[d] + (ptrdiff_t)i, period = (ptrdiff_t)piece->period[d];

    return (size_t)(period > 0 ? (at % period + period) % period : at);
}

static void cut_out(const struct piece *piece, const size_t size[2], const double *whole, double *to)
{
    for (size_t j = 0; j < size[1]; j++)
        for (size_t i = 0; i < size[0]; i++)
            to[i + size[0] * j] = whole[whole_index(piece, 0, i) + piece->size[0] * whole_index(piece, 1, j)];
}

/* What an entry of the table has more than columns, in x and in y; -1: it has nothing in that direction. */
static const signed char more[STARFISH_FLAT_FACTORS][2] = {
    [STARFISH_FLAT_FACE_X] = {1, 0},   [STARFISH_FLAT_FACE_Y] = {0, 1},   [STARFISH_FLAT_A] = {-1, -1},
    [STARFISH_FLAT_B] = {-1, -1},      [STARFISH_FLAT_C] = {-1, -1},      [STARFISH_FLAT_D] = {-1, -1},
    [STARFISH_FLAT_CORNER] = {1, 1},   [STARFISH_FLAT_LOWER_X] = {0, -1}, [STARFISH_FLAT_UPPER_X] = {0, -1},
    [STARFISH_FLAT_LOWER_Y] = {-1, 0}, [STARFISH_FLAT_UPPER_Y] = {-1, 0}};

/* Where a box's array begins in the whole grid, in which panels of a sphere have ghosts around each of them. */
static ptrdiff_t start_of(const struct starfish_box *box, const struct starfish_flat_shape *whole, int d)
{
    const ptrdiff_t rim = (ptrdiff_t)whole->rim, panel = rim > 0 ? box->own[1][0] / panel_columns(whole) : 0;

    return box->array[d][0] + (d == 0 ? rim : rim * (2 * panel + 1));
}

static void fill_entry(const struct starfish_box *box, const struct starfish_flat_shape *whole,
                       const struct starfish_flat_shape *shape, enum starfish_flat_entry entry, struct piece *piece,
                       size_t size[2])
{
    *piece = (struct piece){{1, 1}, {0, 0}, {0, 0}};
    for (int d = 0; d < 2; d++) {
        size[d] = 1;
        if (more[entry][d] < 0)
            continue;
        size[d] = shape->n[d] + (size_t)more[entry][d];
        piece->size[d] = whole->n[d] + (size_t)more[entry][d];
        piece->start[d] = start_of(box, whole, d);
        piece->period[d] = whole->periodic[d] && !shape->periodic[d] ? whole->n[d] : 0;
    }
}

/* Layers and factors are copied as they are. */
static void fill_table(const struct starfish_box *box, const struct starfish_flat_shape *whole,
                       const struct starfish_flat_shape *shape, const double *from, double *to)
{
    for (int e = 0; e < STARFISH_FLAT_ENTRIES; e++) {
        const enum starfish_flat_entry entry = (enum starfish_flat_entry)e;
        const size_t start = starfish_flat_table_entry(shape, entry), first = starfish_flat_table_entry(whole, entry);
        const size_t count = starfish_flat_table_entry(shape, (enum starfish_flat_entry)(e + 1)) - start;
        struct piece piece;
        size_t size[2];
        if (count == 0)
            continue;
        if (entry == STARFISH_FLAT_FACTORS || (entry >= STARFISH_FLAT_A && entry <= STARFISH_FLAT_D)) {
            memcpy(to + start, from + first, count * sizeof *to);
            continue;
        }
        fill_entry(box, whole, shape, entry, &piece, size);
        cut_out(&piece, size, from + first, to + start);
    }
}

static starfish_status make_grid(const struct starfish_flat_boxes *boxes, const struct starfish_flat_cut *cut,
                                 const struct starfish_flat_whole *whole, int l, size_t number)
{
    describe_shape(boxes, cut, whole, l, number);
    const size_t size = starfish_flat_table_entry(&boxes->shape[number], STARFISH_FLAT_ENTRIES);
    double *const table = calloc(size, sizeof *table);
    STARFISH_FAIL_IF(!table, STARFISH_ERROR_MEMORY, "out of memory for the matrix of a box of grid %d", l);
    fill_table(&boxes->box[number], &whole->shape[l], &boxes->shape[number], whole->grid[l].table, table);
    boxes->grid[number] =
        (struct starfish_hierarchy_grid){.shape = &boxes->shape[number], .table = table, .table_size = size};
    return STARFISH_SUCCESS;
}

/* ---- All of them ------------------------------------------------------------------------------------------------- */

static starfish_status allocate(struct starfish_flat_boxes *boxes)
{
    const size_t count = boxes->parts * (size_t)boxes->levels;

    boxes->shape = calloc(count, sizeof *boxes->shape);
    boxes->grid = calloc(count, sizeof *boxes->grid);
    boxes->box = calloc(count, sizeof *boxes->box);
    boxes->cut = calloc((size_t)boxes->levels, sizeof *boxes->cut);
    boxes->neighbour = calloc((size_t)boxes->levels * STARFISH_SPHERE_NEIGHBOURS, sizeof *boxes->neighbour);
    return boxes->shape && boxes->grid && boxes->box && boxes->cut && boxes->neighbour
               ? STARFISH_SUCCESS
               : starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for %zu boxes", boxes->parts);
}

/* A row of the table of neighbours with columns that are counted through all panels. */
static void set_neighbour(struct starfish_box_neighbour *neighbour, ptrdiff_t n)
{
    const ptrdiff_t from = n * (ptrdiff_t)neighbour->from, to = n * (ptrdiff_t)neighbour->to;

    neighbour->ghost[1][0] += to;
    neighbour->ghost[1][1] += to;
    neighbour->origin[0] -= neighbour->step[0][1] * to;
    neighbour->origin[1] += from - neighbour->step[1][1] * to;
}

static void describe_panels(struct starfish_flat_boxes *boxes, const struct starfish_flat_shape *shape, int l)
{
    struct starfish_box_neighbour *const neighbour = boxes->neighbour + STARFISH_SPHERE_NEIGHBOURS * l;
    const ptrdiff_t n = panel_columns(shape);

    for (int i = 0; i < STARFISH_SPHERE_NEIGHBOURS; i++) {
        starfish_sphere_neighbour((size_t)n, i, DEPTH, &neighbour[i]);
        set_neighbour(&neighbour[i], n);
    }
    boxes->cut[l].cells[0] = (size_t)n;
    boxes->cut[l].cells[1] = (size_t)n * STARFISH_PANELS;
    boxes->cut[l].rim = shape->rim;
    boxes->cut[l].neighbours = STARFISH_SPHERE_NEIGHBOURS;
    boxes->cut[l].neighbour = neighbour;
}

static void describe_level(struct starfish_flat_boxes *boxes, const struct starfish_flat_cut *cut,
                           const struct starfish_flat_shape *shape, int l)
{
    boxes->cut[l] = (struct starfish_boxes){.cells = {shape->n[0], shape->n[1]},
                                            .layers = shape->n[2],
                                            .parts = boxes->parts,
                                            .depth = DEPTH,
                                            .periodic = {shape->periodic[0], shape->periodic[1]},
                                            .box = boxes->box + boxes->parts * (size_t)l,
                                            .owner = cut->owner};
    if (shape->rim > 0)
        describe_panels(boxes, shape, l);
    boxes->sets[l] = (struct starfish_hierarchy_index_sets){
        .parts = boxes->parts, .boxes = &boxes->cut[l], .grid = boxes->grid + boxes->parts * (size_t)l};
}

starfish_status starfish_flat_boxes_create(struct starfish_flat_boxes *boxes, const struct starfish_flat_cut *cut,
                                           const struct starfish_flat_whole *whole)
{
    memset(boxes, 0, sizeof *boxes);
    STARFISH_FAIL_IF(cut->parts[0] < 1 || cut->parts[1] < 1 ||
                         cut->parts[0] * cut->parts[1] > STARFISH_KRYLOV_MOST_PARTS ||
                         !is_wide_enough(&whole->shape[0], cut),
                     STARFISH_ERROR_ARGUMENT,
                     "options.boxes: %zu x %zu boxes of %zu x %zu columns: at most %d, each of %d columns or more",
                     cut->parts[0], cut->parts[1], whole->shape[0].n[0], whole->shape[0].n[1],
                     STARFISH_KRYLOV_MOST_PARTS, STARFISH_FLAT_BOX_COLUMNS);
    boxes->levels = choose_levels(cut, whole);
    boxes->parts = cut->parts[0] * cut->parts[1];
    STARFISH_TRY(allocate(boxes));
    place_boxes(boxes, cut, whole);
    for (int l = 0; l < boxes->levels; l++)
        for (size_t p = 0; p < boxes->parts; p++)
            STARFISH_TRY(make_grid(boxes, cut, whole, l, p + boxes->parts * (size_t)l));
    for (int l = 0; l < boxes->levels; l++)
        describe_level(boxes, cut, &whole->shape[l], l);
    return STARFISH_SUCCESS;
}

void starfish_flat_boxes_destroy(struct starfish_flat_boxes *boxes)
{
    for (size_t number = 0; boxes->grid && number < boxes->parts * (size_t)boxes->levels; number++)
        free(boxes->grid[number].table);
    free(boxes->grid);
    free(boxes->shape);
    free(boxes->box);
    free(boxes->cut);
    free(boxes->neighbour);
    memset(boxes, 0, sizeof *boxes);
}
