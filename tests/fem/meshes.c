/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Small meshes for the tests of finite elements (meshes.h): rings, shells and boxes, distorted, thinned or bent; and an
 * exact solution. */
#include "tests/fem/meshes.h"

#include "tests/common/reals.h"

#include <math.h>
#include <string.h>

static void create(struct test_mesh *m, int d, size_t points, size_t cells, size_t marks)
{
    const size_t lattice = d == 2 ? 9 : 27;

    *m = (struct test_mesh){.point = calloc(3 * points, sizeof(double)),
                            .cell = malloc(cells * lattice * sizeof(int)),
                            .mark = calloc(marks, sizeof *m->mark)};
    memset(m->cell, 0xff, cells * lattice * sizeof(int));
    m->mesh = (struct starfish_fem_mesh){
        .dimensions = d, .points = points, .point = m->point, .cells = cells, .cell = m->cell, .mark = m->mark};
}

void test_mesh_free(struct test_mesh *m)
{
    free(m->point);
    free(m->cell);
    free(m->mark);
}

static void set_corner(struct test_mesh *m, size_t cell, int i, int j, int k, size_t point)
{
    const size_t lattice = m->mesh.dimensions == 2 ? 9 : 27;

    m->cell[cell * lattice + (size_t)(2 * i + 6 * j + 18 * k)] = (int)point;
}

/* A face of a cell: `direction` is at its low or high end. */
static void add_mark(struct test_mesh *m, size_t cell, int direction, int high, int group)
{
    struct starfish_fem_mark *mark = &m->mark[m->mesh.marks++];

    *mark = (struct starfish_fem_mark){cell, group, {1, 1, 1}};
    mark->place[direction] = (unsigned char)(2 * high);
}

/* From the hole to the square along a ray, layer of layers. */
static void on_ray(const double way[3], double layer, double *point)
{
    const double hole = 0.2, length = sqrt(way[0] * way[0] + way[1] * way[1] + way[2] * way[2]);
    const double most = fmax(fmax(fabs(way[0]), fabs(way[1])), fabs(way[2]));
    const double inside = hole / length, outside = 0.5 / most;

    for (int i = 0; i < 3; i++)
        point[i] = 0.5 + way[i] * (inside + (outside - inside) * layer);
}

void test_ring(struct test_mesh *m)
{
    enum { AROUND = 24, LAYERS = 5 };

    create(m, 2, AROUND * (LAYERS + 1), AROUND * LAYERS, 2 * AROUND);
    for (int a = 0; a < AROUND; a++)
        for (int l = 0; l <= LAYERS; l++) {
            const double angle = 2 * acos(-1) * a / AROUND, way[3] = {cos(angle), sin(angle), 0};
            on_ray(way, (double)l / LAYERS, m->point + 3 * (a * (LAYERS + 1) + l));
        }
    for (int a = 0; a < AROUND; a++)
        for (int l = 0; l < LAYERS; l++)
            for (int j = 0; j < 2; j++)
                for (int i = 0; i < 2; i++)
                    set_corner(m, (size_t)a * LAYERS + (size_t)l, i, j, 0,
                               (size_t)((a + j) % AROUND) * (LAYERS + 1) + (size_t)l + (size_t)i);
    for (int a = 0; a < AROUND; a++) {
        add_mark(m, (size_t)a * LAYERS, 0, 0, TEST_HOLE);
        add_mark(m, (size_t)a * LAYERS + LAYERS - 1, 0, 1, TEST_OUTSIDE);
    }
}

/* Points of a cube's surface that is cut into 2 per edge: 26 of the 27 of a lattice, each a ray. */
void test_shell(struct test_mesh *m)
{
    enum { SIDE = 3, RAYS = SIDE * SIDE * SIDE, LAYERS = 3, FACES = 6, CELLS = FACES * 4 * LAYERS };
    size_t number[RAYS], rays = 0, cell = 0;

    create(m, 3, 26 * (LAYERS + 1), CELLS, 2 * FACES * 4);
    for (int r = 0; r < RAYS; r++) {
        const int towards[3] = {r % 3 - 1, r / 3 % 3 - 1, r / 9 - 1};
        const double way[3] = {towards[0], towards[1], towards[2]};
        number[r] = r == RAYS / 2 ? 0 : rays++;
        for (int l = 0; l <= LAYERS && r != RAYS / 2; l++)
            on_ray(way, (double)l / LAYERS, m->point + 3 * (number[r] * (LAYERS + 1) + (size_t)l));
    }
    for (int face = 0; face < FACES; face++)
        for (int quarter = 0; quarter < 4; quarter++, cell += LAYERS) {
            const int direction = face / 2, high = face % 2;
            const int stride[3] = {1, 3, 9}, u = stride[(direction + 1) % 3], v = stride[(direction + 2) % 3];
            const int first = 2 * high * stride[direction] + quarter % 2 * u + quarter / 2 * v;
            for (int l = 0; l < LAYERS; l++)
                for (int c = 0; c < 8; c++) {
                    const int i = c & 1, j = c >> 1 & 1, k = c >> 2; /* inwards to outwards is direction k */
                    const int ray = high ? first + i * u + j * v : first + j * u + i * v;
                    set_corner(m, cell + (size_t)l, i, j, k, number[ray] * (LAYERS + 1) + (size_t)(l + k));
                }
            add_mark(m, cell, 2, 0, TEST_HOLE);
            add_mark(m, cell + LAYERS - 1, 2, 1, TEST_OUTSIDE);
        }
}

void test_box(struct test_mesh *m, int d, int n, double distortion)
{
    const int side = n + 1, layers = d == 3 ? n : 1;
    const size_t points = (size_t)side * (size_t)side * (size_t)(d == 3 ? side : 1);
    unsigned seed = 11;
    size_t cell = 0;

    const size_t cells = (size_t)n * (size_t)n * (size_t)layers;
    create(m, d, points, cells, cells * 2 * (size_t)d);
    for (size_t p = 0; p < points; p++) {
        const int at[3] = {(int)p % side, (int)p / side % side, (int)p / side / side};
        for (int i = 0; i < d; i++) {
            int inside = 1;
            for (int j = 0; j < d; j++)
                inside = inside && at[j] > 0 && at[j] < n;
            m->point[3 * p + (size_t)i] = (at[i] + (inside ? distortion * test_real_random(&seed) : 0)) / n;
        }
    }
    for (int k = 0; k < layers; k++)
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n; i++, cell++) {
                const int at[3] = {i, j, k};
                for (int c = 0; c < (d == 3 ? 8 : 4); c++) {
                    const int node = i + (c & 1) + side * (j + (c >> 1 & 1) + side * (k + (c >> 2)));
                    set_corner(m, cell, c & 1, c >> 1 & 1, c >> 2, (size_t)node);
                }
                for (int direction = 0; direction < d; direction++)
                    for (int high = 0; high < 2; high++)
                        if (at[direction] == (high ? n - 1 : 0))
                            add_mark(m, cell, direction, high, TEST_OUTSIDE);
            }
}

static void drop_unused_points(struct test_mesh *m)
{
    const size_t places = m->mesh.cells * (m->mesh.dimensions == 2 ? 9 : 27), points = m->mesh.points;
    int *new = calloc(points + 1, sizeof *new);

    for (size_t i = 0; i < places; i++)
        if (m->cell[i] >= 0)
            new[m->cell[i]] = 1;
    m->mesh.points = 0;
    for (size_t p = 0; p < points; p++)
        if (new[p]) {
            memmove(m->point + 3 * m->mesh.points, m->point + 3 * p, 3 * sizeof *m->point);
            new[p] = (int)m->mesh.points++;
        }
    for (size_t i = 0; i < places; i++)
        if (m->cell[i] >= 0)
            m->cell[i] = new[m->cell[i]];
    free(new);
}

void test_mesh_keep(struct test_mesh *m, const unsigned char *stays)
{
    const size_t lattice = m->mesh.dimensions == 2 ? 9 : 27, cells = m->mesh.cells, marks = m->mesh.marks;
    size_t *new = malloc((cells + 1) * sizeof *new);

    m->mesh.cells = m->mesh.marks = 0;
    for (size_t c = 0; c < cells; c++) {
        new[c] = m->mesh.cells;
        if (stays[c])
            memmove(m->cell + lattice * m->mesh.cells++, m->cell + lattice * c, lattice * sizeof *m->cell);
    }
    for (size_t k = 0; k < marks; k++)
        if (stays[m->mark[k].cell]) {
            m->mark[m->mesh.marks] = m->mark[k];
            m->mark[m->mesh.marks++].cell = new[m->mark[k].cell];
        }
    drop_unused_points(m);
    free(new);
}

void test_mesh_thin(struct test_mesh *m, double share, unsigned *seed)
{
    unsigned char *stays = calloc(m->mesh.cells + 1, 1);
    size_t left = 0;

    for (size_t c = 0; c < m->mesh.cells; c++) {
        stays[c] = (test_real_random(seed) + 1) / 2 >= share || (left == 0 && c + 1 == m->mesh.cells);
        left += stays[c];
    }
    test_mesh_keep(m, stays);
    free(stays);
}

/* The middle of an edge between two points, of those that are there already or a new one. */
static int middle_of(struct test_mesh *m, int a, int b, int (*edge)[2], size_t corners, double by)
{
    const int low = a < b ? a : b, high = a < b ? b : a;
    size_t at = corners;

    while (at < m->mesh.points && (edge[at][0] != low || edge[at][1] != high))
        at++;
    if (at == m->mesh.points) {
        const double *p = m->point + 3 * (size_t)low, *q = m->point + 3 * (size_t)high;
        const double off = by * sin(12.9898 * (low + 1) + 78.233 * (high + 1));
        m->point[3 * at] = (p[0] + q[0]) / 2 + off * (q[1] - p[1]);
        m->point[3 * at + 1] = (p[1] + q[1]) / 2 - off * (q[0] - p[0]);
        edge[at][0] = low;
        edge[at][1] = high;
        m->mesh.points++;
    }
    return (int)at;
}

void test_mesh_bend(struct test_mesh *m, double by)
{
    static const int ends[4][3] = {{1, 0, 2}, {3, 0, 6}, {5, 2, 8}, {7, 6, 8}}; /* middle, and its corners */
    const size_t corners = m->mesh.points, most = corners + 4 * m->mesh.cells;
    int(*edge)[2] = calloc(most, sizeof *edge);

    m->point = realloc(m->point, 3 * most * sizeof *m->point);
    memset(m->point + 3 * corners, 0, 3 * (most - corners) * sizeof *m->point);
    for (size_t c = 0; c < m->mesh.cells; c++)
        for (int k = 0; k < 4; k++) {
            int *cell = m->cell + 9 * c;
            cell[ends[k][0]] = middle_of(m, cell[ends[k][1]], cell[ends[k][2]], edge, corners, by);
        }
    m->mesh.point = m->point;
    free(edge);
}

double test_exact(void *data, const double p[3])
{
    return sin(2.1 * p[0] + 0.3) * cosh(1.3 * p[1]) * (*(const int *)data == 3 ? exp(0.5 * p[2]) : 1);
}

double test_source(void *data, const double p[3])
{
    const int d = *(const int *)data;

    return (2.1 * 2.1 - 1.3 * 1.3 - (d == 3 ? 0.25 : 0)) * test_exact(data, p);
}
