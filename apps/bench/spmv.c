/* starfish bench spmv: products with the matrices of finite elements, by numbering and format, on all cores and on a
 * GPU, beside cuSPARSE (CSR and sliced ELLPACK) and copies of as many bytes as must be moved: per entry a value and a
 * column, per row x and y. */
#include "apps/bench/bench.h"
#include "apps/command.h"
#include "apps/frame/frame.h"
#include "apps/names.h"
#include "apps/plans/domain.h"
#include "base/real.h"
#include "bench/clock.h"
#include "bench/peer_lines.h"
#include "bench/peer_spmv.h"
#include "bench/peers.h"
#include "fem/options.h"
#include "fem/space.h"
#include "sparse/pack.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { AT_ONCE = 5 };

struct spmv {
    struct bench bench; /* the first, so that bench_main's callback finds the rest */
    size_t levels, dimensions;
    int element, precision;
    double seconds[BENCH_MOST_REPEATS];
    double copy; /* seconds per byte of a copy, where the products are measured now */
};

/* One matrix, in a format and at a place. */
struct subject {
    struct spmv *run;
    const struct starfish_csr *matrix;
    struct starfish_spmv product;
    const char *numbering;
    double bytes, *wanted; /* what must be moved; the product by the naive code */
    void *table, *x, *y;
    int on_device;
};

/* ---- Arrays ------------------------------------------------------------------------------------------------------ */

static size_t real_size(const struct spmv *run)
{
    return starfish_real_size((starfish_precision)run->precision);
}

static void *place_array(const struct subject *s, const void *values, size_t bytes)
{
    void *there = s->on_device ? peer_device_alloc(bytes) : aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (there && s->on_device && !peer_device_write(there, values, bytes)) {
        peer_device_free(there);
        return NULL;
    }
    if (there && !s->on_device)
        memcpy(there, values, bytes);
    return there;
}

static void free_arrays(struct subject *s)
{
    void *const arrays[] = {s->table, s->x, s->y};
    for (int i = 0; i < 3; ++i)
        (s->on_device ? peer_device_free : free)(arrays[i]);
    s->table = s->x = s->y = NULL;
}

static double x_of(size_t i)
{
    return 1 + 0.25 * (double)(i % 7);
}

static starfish_status place_vectors(struct subject *s)
{
    const size_t n = s->matrix->rows, size = real_size(s->run);
    char *values = calloc(n + 1, size);
    for (size_t i = 0; values && i < n; ++i)
        if (size == sizeof(float))
            ((float *)(void *)values)[i] = (float)x_of(i);
        else
            ((double *)(void *)values)[i] = x_of(i);
    s->x = values ? place_array(s, values, n * size) : NULL;
    s->y = values ? place_array(s, values, n * size) : NULL;
    free(values);
    return s->x && s->y ? STARFISH_SUCCESS : starfish_fail(STARFISH_ERROR_MEMORY, "no memory for the vectors");
}

static starfish_status place_matrix(struct subject *s, starfish_sparse_format format)
{
    const starfish_precision precision = (starfish_precision)s->run->precision;
    struct starfish_sparse_layout layout;
    size_t words = 0;
    STARFISH_TRY(starfish_sparse_lay_out(s->matrix, format, precision, &layout, &words));
    int *table = malloc((words + 2) * sizeof *table);
    const starfish_status status = table ? starfish_sparse_pack(s->matrix, &layout, precision, table)
                                         : starfish_fail(STARFISH_ERROR_MEMORY, "no memory for a matrix");
    if (status == STARFISH_SUCCESS)
        s->table = place_array(s, table, words * sizeof *table);
    free(table);
    if (status == STARFISH_SUCCESS && !s->table)
        return starfish_fail(STARFISH_ERROR_MEMORY, "no memory for a matrix");
    s->product = (struct starfish_spmv){.matrix = starfish_sparse_at(&layout, s->table),
                                        .last = s->matrix->rows,
                                        .factor = 1,
                                        .x = s->x,
                                        .result = s->y};
    return status;
}

/* ---- Products ---------------------------------------------------------------------------------------------------- */

#ifdef STARFISH_CUDA
static int launch_f32(void *data, struct CUstream_st *stream)
{
    return starfish_spmv_cuda_f32(data, stream);
}

static int launch_f64(void *data, struct CUstream_st *stream)
{
    return starfish_spmv_cuda_f64(data, stream);
}

static int time_on_device(struct subject *s)
{
    return peer_device_time(s->run->precision == STARFISH_F32 ? launch_f32 : launch_f64, &s->product, AT_ONCE,
                            (int)s->run->bench.repeat, s->run->seconds);
}
#else
static int time_on_device(struct subject *s)
{
    (void)s;
    return 0;
}
#endif

/* All cores share the rows. */
static void multiply_on_cores(const struct subject *s)
{
    static void (*const kernels[])(const struct starfish_spmv *) = {starfish_spmv_cpu_f32, starfish_spmv_cpu_f64};
    const int parts = peer_cores();
#pragma omp parallel for schedule(static, 1) num_threads(parts)
    for (int part = 0; part < parts; ++part) {
        struct starfish_spmv share = s->product;
        share.first = s->matrix->rows * (size_t)part / (size_t)parts;
        share.last = s->matrix->rows * (size_t)(part + 1) / (size_t)parts;
        kernels[s->run->precision](&share);
    }
}

static int time_on_cores(struct subject *s)
{
    for (size_t i = 0; i < s->run->bench.warmup + s->run->bench.repeat; ++i) {
        const double start = clock_now();
        multiply_on_cores(s);
        if (i >= s->run->bench.warmup)
            s->run->seconds[i - s->run->bench.warmup] = clock_now() - start;
    }
    return (int)s->run->bench.repeat;
}

/* The largest difference from the naive product, over the largest value. */
static double difference(const struct subject *s)
{
    const size_t n = s->matrix->rows, size = real_size(s->run);
    char *y = malloc(n * size + 1);
    double worst = 0, largest = 0;
    if (!y)
        return (double)NAN;
    if (s->on_device)
        peer_device_read(y, s->y, n, 1, size);
    else
        memcpy(y, s->y, n * size);
    for (size_t i = 0; i < n; ++i) {
        const double value = size == sizeof(float) ? (double)((float *)(void *)y)[i] : ((double *)(void *)y)[i];
        worst = fmax(worst, fabs(value - s->wanted[i]));
        largest = fmax(largest, fabs(s->wanted[i]));
    }
    free(y);
    return worst / largest;
}

static void add_row(struct subject *s, const char *who, const char *format, int measured)
{
    char name[128];
    snprintf(name, sizeof name, "%s, %s, %s, %s", starfish_fem_element_names[s->run->element], s->numbering, format,
             s->on_device ? "GPU" : "cores");
    json_t *row = bench_row(&s->run->bench, who, name, s->run->seconds, (size_t)measured, s->bytes);
    bench_limit(row, s->run->copy * s->bytes);
    json_object_set_new(row, "unknowns", json_integer((json_int_t)s->matrix->rows));
    json_object_set_new(row, "nonzeros", json_integer((json_int_t)starfish_csr_entries(s->matrix)));
    json_object_set_new(row, "difference", command_json_real(difference(s)));
}

static starfish_status measure_format(struct subject *s, starfish_sparse_format format)
{
    bench_announce("%s, %s", s->numbering, starfish_sparse_format_names[format]);
    starfish_status status = place_vectors(s);
    if (status == STARFISH_SUCCESS)
        status = place_matrix(s, format);
    const int measured = status != STARFISH_SUCCESS ? 0 : s->on_device ? time_on_device(s) : time_on_cores(s);
    if (measured > 0)
        add_row(s, "starfish", starfish_sparse_format_names[format], measured);
    free_arrays(s);
    return status;
}

/* ---- cuSPARSE ---------------------------------------------------------------------------------------------------- */

/* Our layouts are theirs: CSR, and slices whose padding must lead to column -1; theirs are not sorted. */
struct slices {
    size_t stored;
    int *start, *column;
    char *value;
};

static void fill_slices(const struct subject *s, size_t slice, struct slices *slices)
{
    const struct starfish_csr *a = s->matrix;
    const size_t size = real_size(s->run);
    for (size_t at = 0; at < slices->stored; ++at)
        slices->column[at] = -1;
    memset(slices->value, 0, slices->stored * size);
    for (size_t i = 0; i < a->rows; ++i)
        for (int e = a->start[i]; e < a->start[i + 1]; ++e) {
            const size_t k = (size_t)(e - a->start[i]);
            const size_t at = (size_t)slices->start[i / slice] + k * slice + i % slice;
            slices->column[at] = a->column[e];
            if (size == sizeof(float))
                ((float *)(void *)slices->value)[at] = (float)a->value[e];
            else
                ((double *)(void *)slices->value)[at] = a->value[e];
        }
}

static int make_slices(const struct subject *s, size_t slice, struct slices *slices)
{
    const struct starfish_csr *a = s->matrix;
    const size_t count = (a->rows + slice - 1) / slice;
    slices->start = calloc(count + 1, sizeof *slices->start);
    for (size_t c = 0; slices->start && c < count; ++c) {
        int longest = 0;
        for (size_t i = c * slice; i < (c + 1) * slice && i < a->rows; ++i)
            longest = a->start[i + 1] - a->start[i] > longest ? a->start[i + 1] - a->start[i] : longest;
        slices->stored += slice * (size_t)longest;
        slices->start[c + 1] = (int)slices->stored;
    }
    slices->column = malloc((slices->stored + 1) * sizeof *slices->column);
    slices->value = malloc((slices->stored + 1) * real_size(s->run));
    if (slices->start && slices->column && slices->value)
        fill_slices(s, slice, slices);
    return slices->start && slices->column && slices->value;
}

/* slice 1: compressed rows. */
static void measure_peer(struct subject *s, size_t slice, const char *format)
{
    struct slices slices = {0};
    const size_t count = (s->matrix->rows + slice - 1) / slice;
    bench_announce("%s, %s, cuSPARSE", s->numbering, format);
    if (make_slices(s, slice, &slices) && place_vectors(s) == STARFISH_SUCCESS) {
        void *start = place_array(s, slices.start, (count + 1) * sizeof *slices.start);
        void *column = place_array(s, slices.column, slices.stored * sizeof *slices.column);
        void *value = place_array(s, slices.value, slices.stored * real_size(s->run));
        const struct peer_spmv peer = {.n = s->matrix->rows,
                                       .entries = starfish_csr_entries(s->matrix),
                                       .stored = slices.stored,
                                       .slice = slice > 1 ? slice : 0,
                                       .precision = (starfish_precision)s->run->precision,
                                       .start = start,
                                       .column = column,
                                       .value = value,
                                       .x = s->x,
                                       .y = s->y};
        const int measured = start && column && value
                                 ? peer_cusparse_spmv(&peer, AT_ONCE, (int)s->run->bench.repeat, s->run->seconds)
                                 : 0;
        if (measured > 0)
            add_row(s, "cuSPARSE", format, measured);
        peer_device_free(start);
        peer_device_free(column);
        peer_device_free(value);
    }
    free_arrays(s);
    free(slices.start);
    free(slices.column);
    free(slices.value);
}

/* ---- Matrices ---------------------------------------------------------------------------------------------------- */

static starfish_status measure_matrix(struct spmv *run, const struct starfish_csr *a, const char *numbering,
                                      int on_device)
{
    const size_t size = real_size(run);
    struct subject s = {.run = run, .matrix = a, .numbering = numbering, .on_device = on_device};
    double *x = malloc((a->rows + 1) * sizeof *x);
    starfish_status status = STARFISH_SUCCESS;
    s.wanted = malloc((a->rows + 1) * sizeof *s.wanted);
    s.bytes = (double)(starfish_csr_entries(a) * (size + sizeof(int)) + 2 * a->rows * size);
    if (!x || !s.wanted)
        status = starfish_fail(STARFISH_ERROR_MEMORY, "no memory for the vectors");
    for (size_t i = 0; i < a->rows && status == STARFISH_SUCCESS; ++i)
        x[i] = x_of(i);
    if (status == STARFISH_SUCCESS)
        starfish_csr_apply(a, x, s.wanted);
    for (int f = STARFISH_SPARSE_CSR; f < STARFISH_SPARSE_FORMATS && status == STARFISH_SUCCESS; ++f)
        status = measure_format(&s, (starfish_sparse_format)f);
    if (status == STARFISH_SUCCESS && on_device) {
        measure_peer(&s, 1, "csr");
        measure_peer(&s, STARFISH_SELL_CHUNK, "sell");
    }
    free(x);
    free(s.wanted);
    return status;
}

/* Seconds per byte: a copy of half as many bytes reads and writes as many in all. */
static void measure_copy(struct spmv *run, int on_device)
{
    const size_t bytes = (size_t)1 << 28;
    const int repeat = (int)run->bench.repeat;
    run->copy = (double)NAN;
    if (on_device && peer_device_copy(bytes, repeat, run->seconds))
        run->copy = command_median(run->seconds, (size_t)repeat) / (2 * (double)bytes);
    if (!on_device && peer_stream_passes(bytes, repeat, run->seconds))
        run->copy = command_median(run->seconds, (size_t)repeat) / (10 * (double)bytes);
}

static starfish_status measure_numbering(struct spmv *run, const struct starfish_fem_problem *problem,
                                         const struct starfish_refined *mesh, starfish_fem_numbering numbering)
{
    struct starfish_fem_space space;
    struct starfish_csr a = {.rows = 0};
    starfish_status status = starfish_fem_space_create(problem, mesh, &space);
    if (status == STARFISH_SUCCESS)
        status = starfish_fem_space_number(&space, numbering, 1);
    if (status == STARFISH_SUCCESS)
        status = starfish_fem_assemble(problem, &space, &a, NULL, NULL);
    for (int on_device = 0; on_device < (run->bench.gpus > 0 ? 2 : 1) && status == STARFISH_SUCCESS; ++on_device) {
        measure_copy(run, on_device);
        status = measure_matrix(run, &a, starfish_fem_numbering_names[numbering], on_device);
    }
    starfish_csr_destroy(&a);
    starfish_fem_space_destroy(&space);
    return status;
}

static starfish_status refine(const struct starfish_fem_problem *problem, struct starfish_refined *mesh)
{
    STARFISH_TRY(starfish_refined_begin(problem, mesh));
    for (int l = 0; l < problem->refinements; ++l) {
        struct starfish_refined finer;
        const starfish_status status = starfish_refined_next(problem, mesh, &finer);
        starfish_refined_destroy(mesh);
        *mesh = finer;
        STARFISH_TRY(status);
    }
    return STARFISH_SUCCESS;
}

static starfish_status measure(struct bench *bench)
{
    struct spmv *run = (struct spmv *)bench;
    static const struct starfish_fem_dirichlet dirichlet[] = {{.group = FEM_OUTSIDE}, {.group = FEM_HOLE}};
    struct starfish_refined mesh = {.d = 0};
    struct fem_domain domain;
    if (run->dimensions != 2 && run->dimensions != 3)
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "--dimensions: must be 2 or 3");
    STARFISH_TRY(bench_look_around(bench));
    STARFISH_TRY(fem_domain_create((int)run->dimensions, &domain));
    const struct starfish_fem_problem problem = {.mesh = &domain.mesh,
                                                 .refinements = (int)run->levels,
                                                 .element = (starfish_fem_element)run->element,
                                                 .dirichlets = 2,
                                                 .dirichlet = dirichlet,
                                                 .curves = 1,
                                                 .curve = &domain.curve};
    starfish_status status = refine(&problem, &mesh);
    for (int n = 0; n < STARFISH_FEM_NUMBERINGS && status == STARFISH_SUCCESS; ++n)
        status = measure_numbering(run, &problem, &mesh, (starfish_fem_numbering)n);
    starfish_refined_destroy(&mesh);
    fem_domain_free(&domain);
    return status;
}

int bench_spmv(int argc, char **argv)
{
    static const struct starfish_option rows[] = {
        NAMES_FIRST("--element", starfish_fem_element_names, STARFISH_FEM_ELEMENTS, "whose matrix"),
        NAMES_FIRST("--precision", starfish_precision_names, STARFISH_PRECISIONS, "of the arithmetic")};
    static const struct starfish_option_table table = NAMES_TABLE(rows);
    struct spmv run = {.bench = BENCH_DEFAULTS("spmv"), .levels = 6, .dimensions = 2, .precision = STARFISH_F64};
    const struct option_entry options[] = {
        {"--element", OPTION_MEMBER, &run.element, "E", .table = &table},
        {"--levels", OPTION_NUMBER, &run.levels, "L", .help = "times that the mesh of 120 or 189 cells is refined"},
        {"--dimensions", OPTION_COUNT, &run.dimensions, "D", .help = "2 or 3"},
        {"--precision", OPTION_MEMBER, &run.precision, "P", .table = &table},
        BENCH_OPTIONS(&run.bench),
        {.name = NULL}};
    const struct command_line line = {.usage = "bench spmv [OPTION ...]",
                                      .summary = "Products with the matrices of finite elements, beside cuSPARSE's.",
                                      .options = options};
    return bench_main(&run.bench, &line, argc, argv, measure);
}
