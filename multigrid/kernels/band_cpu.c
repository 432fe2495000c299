/* Nine-band kernels on the CPU, row by row along x. Bound by memory: 5 bands, of which those of two rows are in the cache,
 * u and f. */
#include "multigrid/kernels/band_row.h"

/* Rows of a sum pass through a piece of the stack. */
enum { PIECE = 512 };

STARFISH_ALWAYS_INLINE double squares(const real *values, size_t count)
{
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (size_t i = 0; i < count; i++)
        sum += (double)values[i] * (double)values[i];
    return sum;
}

STARFISH_CLONES
static double defect_sum(const struct starfish_band_defect *a)
{
    const struct starfish_rectangle at = a->at;
    real piece[PIECE];
    double sum = 0;

    for (size_t j = at.y0; j < at.y1; j++) {
        const struct row row = row_of(&a->matrix, a->u, a->f, j);
        for (size_t x = at.x0; x < at.x1; x += PIECE) {
            const size_t end = at.x1 - x < PIECE ? at.x1 : x + PIECE;
            defect_row(&row, a->matrix.nx, x, end, piece, 0, NULL);
            sum += squares(piece, end - x);
        }
    }
    return sum;
}

STARFISH_CLONES
static double defect_stored(const struct starfish_band_defect *a)
{
    const struct starfish_rectangle at = a->at;
    double sum = 0;

    for (size_t j = at.y0; j < at.y1; j++) {
        const struct row row = row_of(&a->matrix, a->u, a->f, j);
        real *result = (real *)a->result + (j - at.y0) * a->pitch;
        if (a->diag)
            defect_row(&row, a->matrix.nx, at.x0, at.x1, result, 1, (real *)a->diag + (j - at.y0) * a->pitch);
        else
            defect_row(&row, a->matrix.nx, at.x0, at.x1, result, 0, NULL);
        if (a->sums)
            sum += squares(result, at.x1 - at.x0);
    }
    return sum;
}

void REAL_NAME(starfish_band_defect_cpu)(const struct starfish_band_defect *a)
{
    const double sum = (a->result ? defect_stored : defect_sum)(a);

    if (!a->sums)
        return;
    memset(a->sums, 0, STARFISH_BAND_SUMS * sizeof *a->sums);
    a->sums[0] = sum;
}

/* Unknowns of a row after a step, in one pass. */
STARFISH_ALWAYS_INLINE void jacobi_row(const struct row *row, size_t nx, size_t x0, size_t x1, real damping,
                                       real *restrict v)
{
    const struct row r = *row;
    const real *u = r.u[1];
    const size_t first = x0 > 0 ? x0 : 1, last = x1 < nx ? x1 : nx - 1;

    if (!u) {
#pragma omp simd
        for (size_t i = x0; i < x1; i++)
            v[i] = damping * r.f[i] / diagonal(&r, i);
        return;
    }
    if (x0 == 0)
        v[0] = u[0] + damping * defect_at_end(&r, 0, nx) / diagonal(&r, 0);
#pragma omp simd
    for (size_t i = first; i < last; i++)
        v[i] = u[i] + damping * (r.f[i] - product(&r, i, i - 1, i + 1)) / diagonal(&r, i);
    if (x1 == nx && nx > 1)
        v[nx - 1] = u[nx - 1] + damping * defect_at_end(&r, nx - 1, nx) / diagonal(&r, nx - 1);
}

STARFISH_CLONES
static void jacobi(const struct starfish_band_jacobi *a)
{
    for (size_t j = a->at.y0; j < a->at.y1; j++) {
        const struct row row = row_of(&a->matrix, a->u, a->f, j);
        jacobi_row(&row, a->matrix.nx, a->at.x0, a->at.x1, (real)a->damping, (real *)a->v + j * a->matrix.nx);
    }
}

void REAL_NAME(starfish_band_jacobi_cpu)(const struct starfish_band_jacobi *a)
{
    jacobi(a);
}

/* A row of v, which starts as u. Both colours are computed for all unknowns, which vectorises, and kept for their own. */
STARFISH_ALWAYS_INLINE void colour_row(const struct starfish_band_colours *a, size_t j, size_t odd, real *v)
{
    const size_t nx = a->matrix.nx;
    const real damping = (real)a->damping;
    struct row row = row_of(&a->matrix, a->u, a->f, j);
    real piece[PIECE], diag[PIECE];

    row.u[1] = v; /* the other colour is new already; the rows beside are of the other parity */
    for (size_t x = 0; x < nx; x += PIECE) {
        const size_t end = nx - x < PIECE ? nx : x + PIECE;
        defect_row(&row, nx, x, end, piece, 1, diag);
        for (size_t i = x + (x + odd) % 2; i < end; i += 2)
            v[i] += damping * piece[i - x] / diag[i - x];
    }
}

/* The same where u is zero, so that only the row itself couples. */
static void colour_first_row(const struct starfish_band_colours *a, size_t j, size_t odd, real *v)
{
    const size_t nx = a->matrix.nx;
    const real damping = (real)a->damping;
    const struct row row = row_of(&a->matrix, NULL, a->f, j);

    for (size_t i = odd; i < nx; i += 2) {
        const real west = i > 0 ? row.band[STARFISH_BAND_W][i] * v[i - 1] : 0;
        const real east = i + 1 < nx ? row.band[STARFISH_BAND_E][i] * v[i + 1] : 0;
        v[i] = damping * (row.f[i] - west - east) / diagonal(&row, i);
    }
}

STARFISH_CLONES
static void colours(const struct starfish_band_colours *a)
{
    const size_t nx = a->matrix.nx;

    for (size_t j = a->at.y0; j < a->at.y1; j++) {
        real *v = (real *)a->v + j * nx;
        if (a->u)
            memcpy(v, (const real *)a->u + j * nx, nx * sizeof(real));
        else
            memset(v, 0, nx * sizeof(real));
        for (size_t odd = 0; odd < 2 && j % 2 == a->parity; odd++)
            if (a->u)
                colour_row(a, j, odd, v);
            else
                colour_first_row(a, j, odd, v);
    }
}

void REAL_NAME(starfish_band_colours_cpu)(const struct starfish_band_colours *a)
{
    colours(a);
}

STARFISH_CLONES
static void update(const struct starfish_band_update *a)
{
    const size_t width = a->at.x1 - a->at.x0;
    const real damping = (real)a->damping;

    for (size_t j = a->at.y0; j < a->at.y1; j++) {
        const size_t start = a->at.x0 + j * a->nx;
        const real *c = a->correction ? (const real *)a->correction + (j - a->at.y0) * a->pitch : NULL;
        const real *u = a->u ? (const real *)a->u + start : NULL;
        real *v = (real *)a->v + start;
        if (u && !c) {
            memmove(v, u, width * sizeof(real));
        } else if (u && c) {
#pragma omp simd
            for (size_t i = 0; i < width; i++)
                v[i] = u[i] + damping * c[i];
        } else if (c) {
#pragma omp simd
            for (size_t i = 0; i < width; i++)
                v[i] = damping * c[i];
        }
    }
}

void REAL_NAME(starfish_band_update_cpu)(const struct starfish_band_update *a)
{
    update(a);
}

STARFISH_CLONES
static double product_sum(const struct starfish_band_product *a)
{
    const size_t width = a->at.x1 - a->at.x0;
    double sum = 0;

    for (size_t j = a->at.y0; j < a->at.y1; j++) {
        const real *u = (const real *)a->u + a->at.x0 + j * a->nx, *v = (const real *)a->v + a->at.x0 + j * a->nx;
#pragma omp simd reduction(+ : sum)
        for (size_t i = 0; i < width; i++)
            sum += (double)u[i] * (double)v[i];
    }
    return sum;
}

void REAL_NAME(starfish_band_product_cpu)(const struct starfish_band_product *a)
{
    memset(a->sums, 0, STARFISH_BAND_SUMS * sizeof *a->sums);
    a->sums[0] = product_sum(a);
}

void REAL_NAME(starfish_band_dense_cpu)(const struct starfish_band_dense *a)
{
    const real *inverse = a->inverse, *f = a->f;
    real *u = a->u;

    for (size_t i = 0; i < a->n; i++) {
        real sum = 0;
        for (size_t j = 0; j < a->n; j++)
            sum += inverse[i * a->n + j] * f[j];
        u[i] = sum;
    }
}
