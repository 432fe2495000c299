/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* starfish bench spmv: products with the matrices of finite elements, by numbering and format, on cores and on a GPU,
 * beside cuSPARSE (CSR and sliced ELLPACK) and copies of as many bytes as must be moved: per entry a value and a
 * column, per row x and y. And what comes before them: the mesh, the matrix, SPAI; and whole solves. */
#include "apps/bench/bench.h"
#include "apps/command.h"
#include "apps/frame/frame.h"
#include "apps/lists.h"
#include "apps/measured/repeat.h"
#include "apps/names.h"
#include "apps/plans/arrays.h"
#include "apps/plans/domain.h"
#include "apps/workers.h"
#include "base/place.h"
#include "base/precision.h"
#include "base/real.h"
#include "bench/clock.h"
#include "bench/peer_lines.h"
#include "bench/peer_spmv.h"
#include "bench/peers.h"
#include "fem/options.h"
#include "fem/plan.h"
#include "fem/space.h"
#include "scheduler/runtime/context.h"
#include "scheduler/runtime/host_loop.h"
#include "sparse/inverse.h"
#include "sparse/kernels/local_inverse.h"
#include "sparse/pack.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { AT_ONCE = 5 };

enum what { PRODUCTS, SPAI, SOLVES, WHATS };
static const char *const whats[] = {[PRODUCTS] = "products", [SPAI] = "spai", [SOLVES] = "solves"};

enum { NUMBERING, SMOOTHER, MEASURED, AXES };

struct spmv {
    struct bench bench; /* the first, so that bench_main's callback finds the rest */
    struct axis axis[AXES];
    struct bench_sets sets;
    size_t levels, dimensions, cuts;
    int measures[WHATS];
    int element, precision;
    double seconds[BENCH_MOST_REPEATS];
    /* What is measured now. */
    const struct starfish_fem_problem *problem;
    struct starfish_refined mesh;
    struct starfish_csr matrix;
    starfish_context *context;
    const char *set;
    int on_device, cores;
    double copy; /* seconds per byte of a copy there */
};

/* One matrix, in a format and at a place. */
struct subject {
    struct spmv *run;
    const struct starfish_csr *matrix;
    struct starfish_spmv product;
    const char *numbering;
    double bytes, *wanted; /* what must be moved; the product by the naive code */
    void *table, *x, *y;
};

/* ---- Arrays ------------------------------------------------------------------------------------------------------ */

static size_t real_size(const struct spmv *run)
{
    return starfish_real_size((starfish_precision)run->precision);
}

static enum solve_place place_of(const struct spmv *run)
{
    return run->on_device ? SOLVE_DEVICE : SOLVE_PAGEABLE;
}

static void *place_array(const struct subject *s, const void *values, size_t bytes)
{
    return solve_memory(NULL, place_of(s->run), bytes, values);
}

static void free_arrays(struct subject *s)
{
    void **const arrays[] = {&s->table, &s->x, &s->y};
    for (int i = 0; i < 3; ++i) {
        solve_memory_free(NULL, place_of(s->run), 0, *arrays[i]);
        *arrays[i] = NULL;
    }
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
        starfish_element_set(values, (starfish_precision)s->run->precision, i, x_of(i));
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
    STARFISH_FAIL_IF(status == STARFISH_SUCCESS && !s->table, STARFISH_ERROR_MEMORY, "no memory for a matrix");
    s->product = (struct starfish_spmv){.matrix = starfish_sparse_at(&layout, s->table),
                                        .last = s->matrix->rows,
                                        .factor = 1,
                                        .x = s->x,
                                        .result = s->y};
    return status;
}

/* ---- Products ---------------------------------------------------------------------------------------------------- */

STARFISH_PLACE_KERNEL(multiply, starfish_spmv)

static int launch(void *data, struct CUstream_st *stream)
{
    const struct subject *s = data;
    const struct starfish_place place = {
        .precision = (starfish_precision)s->run->precision, .gpu = 1, .stream = stream};
    return multiply(&place, &s->product);
}

static int time_on_device(struct subject *s)
{
    return peer_device_time(launch, s, AT_ONCE, (int)s->run->bench.repeat, s->run->seconds);
}

/* All cores share the rows. */
static void multiply_on_cores(const struct subject *s)
{
    const struct starfish_place place = {.precision = (starfish_precision)s->run->precision};
    const int parts = s->run->cores;
#pragma omp parallel for schedule(static, 1) num_threads(parts)
    for (int part = 0; part < parts; ++part) {
        struct starfish_spmv share = s->product;
        share.first = s->matrix->rows * (size_t)part / (size_t)parts;
        share.last = s->matrix->rows * (size_t)(part + 1) / (size_t)parts;
        multiply(&place, &share);
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
    if (s->run->on_device)
        peer_device_read(y, s->y, n, 1, size);
    else
        memcpy(y, s->y, n * size);
    for (size_t i = 0; i < n; ++i) {
        const double value = starfish_element(y, (starfish_precision)s->run->precision, i);
        worst = fmax(worst, fabs(value - s->wanted[i]));
        largest = fmax(largest, fabs(s->wanted[i]));
    }
    free(y);
    return worst / largest;
}

static void add_row(struct subject *s, const char *who, const char *format, int measured)
{
    json_t *row = bench_row(
        &s->run->bench, who,
        bench_name("%s, %s, %s, %s", starfish_fem_element_names[s->run->element], s->numbering, format, s->run->set),
        s->run->seconds, (size_t)measured, s->bytes);
    bench_limit(row, s->run->copy * s->bytes);
    command_keys(row, KEY("unknowns", s->matrix->rows), KEY("nonzeros", starfish_csr_entries(s->matrix)));
    if (s->y) { /* a product */
        bench_operations(row, 2.0 * (double)starfish_csr_entries(s->matrix));
        json_object_set_new(row, "difference", command_json_real(difference(s)));
    }
}

static starfish_status measure_format(struct subject *s, starfish_sparse_format format)
{
    bench_announce("%s, %s", s->numbering, starfish_sparse_format_names[format]);
    starfish_status status = place_vectors(s);
    STARFISH_THEN(status, place_matrix(s, format));
    const int measured = status != STARFISH_SUCCESS ? 0 : s->run->on_device ? time_on_device(s) : time_on_cores(s);
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
            starfish_element_set(slices->value, (starfish_precision)s->run->precision, at, a->value[e]);
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

/* ---- SPAI -------------------------------------------------------------------------------------------------------- */

STARFISH_PLACE_KERNEL_ALONE(invert, starfish_local_inverse)

static int launch_inverse(void *data, struct CUstream_st *stream)
{
    return invert(&(struct starfish_place){.gpu = 1, .stream = stream}, data);
}

/* The kernel alone, on matrices that are on the device. */
static void measure_inverse_kernel(struct subject *s)
{
    const struct starfish_csr *a = s->matrix;
    const size_t entries = starfish_csr_entries(a);
    size_t longest = 0;
    for (size_t i = 0; i < a->rows; ++i)
        longest = (size_t)(a->start[i + 1] - a->start[i]) > longest ? (size_t)(a->start[i + 1] - a->start[i]) : longest;
    int *start = place_array(s, a->start, (a->rows + 1) * sizeof *start);
    int *column = place_array(s, a->column, entries * sizeof *column);
    double *value = place_array(s, a->value, entries * sizeof *value);
    double *result = place_array(s, a->value, entries * sizeof *value);
    double *work =
        peer_device_alloc(starfish_local_inverse_work(longest) * sizeof(double) * STARFISH_LOCAL_INVERSE_WARPS);
    struct starfish_local_inverse inverse = {.matrix = {start, column, value},
                                             .pattern_start = start,
                                             .pattern_column = column,
                                             .last = a->rows,
                                             .longest = longest,
                                             .work = work,
                                             .result = result};
    const int measured = start && column && value && result && work
                             ? peer_device_time(launch_inverse, &inverse, 1, (int)s->run->bench.repeat, s->run->seconds)
                             : 0;
    s->bytes = (double)(entries * (2 * sizeof(double) + sizeof(int)));
    if (measured > 0)
        add_row(s, "starfish", "SPAI's kernel", measured);
    void *const arrays[] = {start, column, value, result, work};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; ++i)
        peer_device_free(arrays[i]);
}

/* By tasks, as a plan makes it: matrices come from the host and M goes there. Reads A, writes M. */
static starfish_status measure_inverse(struct subject *s)
{
    struct starfish_csr m = {.rows = 0};
    bench_announce("%s, SPAI", s->numbering);
    const double start = clock_now();
    const starfish_status status = starfish_spai(s->run->context, s->matrix, 1, NULL, &m);
    s->run->seconds[0] = clock_now() - start;
    s->bytes = (double)starfish_csr_entries(&m) * (2 * sizeof(double) + sizeof(int));
    starfish_csr_destroy(&m);
    STARFISH_TRY(status);
    add_row(s, "starfish", "SPAI", 1);
    if (s->run->on_device)
        measure_inverse_kernel(s);
    return STARFISH_SUCCESS;
}

/* ---- Matrices ---------------------------------------------------------------------------------------------------- */

static starfish_status measure_products(struct subject *s)
{
    const struct starfish_csr *a = s->matrix;
    double *x = malloc((a->rows + 1) * sizeof *x);
    starfish_status status = STARFISH_SUCCESS;
    s->wanted = malloc((a->rows + 1) * sizeof *s->wanted);
    if (!x || !s->wanted)
        status = starfish_fail(STARFISH_ERROR_MEMORY, "no memory for the vectors");
    for (size_t i = 0; i < a->rows && status == STARFISH_SUCCESS; ++i)
        x[i] = x_of(i);
    if (status == STARFISH_SUCCESS)
        starfish_csr_apply(a, x, s->wanted);
    for (int f = STARFISH_SPARSE_CSR; f < STARFISH_SPARSE_FORMATS && status == STARFISH_SUCCESS; ++f)
        status = measure_format(s, (starfish_sparse_format)f);
    if (status == STARFISH_SUCCESS && s->run->on_device) {
        measure_peer(s, 1, "csr");
        measure_peer(s, STARFISH_SELL_CHUNK, "sell");
    }
    free(x);
    free(s->wanted);
    return status;
}

static starfish_status measure_matrix(struct spmv *run, const struct starfish_csr *a, const char *numbering)
{
    const size_t size = real_size(run);
    struct subject s = {.run = run, .matrix = a, .numbering = numbering};
    s.bytes = (double)(starfish_csr_entries(a) * (size + sizeof(int)) + 2 * a->rows * size);
    if (run->measures[PRODUCTS])
        STARFISH_TRY(measure_products(&s));
    return run->measures[SPAI] ? measure_inverse(&s) : STARFISH_SUCCESS;
}

/* ---- Solves ------------------------------------------------------------------------------------------------------ */

static starfish_status add_solve(struct spmv *run, const struct starfish_fem_options *options,
                                 const starfish_plan *plan, struct repeated *times)
{
    const double bytes = times->result.iterations * starfish_fem_cycle_bytes(plan);
    struct starfish_fem_matrices matrices = STARFISH_FEM_MATRICES_DEFAULTS;
    STARFISH_TRY(starfish_fem_matrices(plan, &matrices));
    json_t *row = bench_row(&run->bench, "starfish",
                            bench_name("%s, %s, solve by %s, %s", starfish_fem_element_names[run->element],
                                       starfish_fem_numbering_names[options->numbering],
                                       starfish_fem_smoother_names[options->smoother], run->set),
                            times->seconds, times->repeat, bytes);
    bench_limit(row, run->copy * bytes);
    command_keys(row, KEY("unknowns", times->about.unknowns), KEY("nonzeros", matrices.nonzeros),
                 KEY("iterations", times->result.iterations), KEY("inside_seconds", times->result.seconds),
                 KEY("setup_seconds", times->about.seconds), KEY("smoother_seconds", matrices.smoother_seconds),
                 KEY("smoother_nonzeros", matrices.smoother_nonzeros));
    return STARFISH_SUCCESS;
}

/* The plan is made, and the problem solved again and again, by the public calls with their defaults (F cycles). Least
 * bytes are those of a solve's cycles: the entries of every product and its vectors once. */
static starfish_status measure_solve(struct spmv *run, const struct starfish_fem_options *options)
{
    struct repeats what = repeats_of(&run->bench, run->context, SOLVE_PAGEABLE);
    struct repeated times;
    starfish_plan *plan;
    bench_announce("%s, solve by %s", starfish_fem_numbering_names[options->numbering],
                   starfish_fem_smoother_names[options->smoother]);
    STARFISH_TRY(starfish_fem_plan_create(run->context, run->problem, options, &plan));
    what.by_clock = 1;
    starfish_status status = repeat_elements(&what, plan, &times);
    STARFISH_THEN(status, add_solve(run, options, plan, &times));
    starfish_plan_destroy(plan);
    return status;
}

static starfish_status measure_solves(struct spmv *run, starfish_fem_numbering numbering)
{
    struct starfish_fem_options options = STARFISH_FEM_OPTIONS_DEFAULTS;
    options.numbering = numbering;
    options.precision = (starfish_precision)run->precision;
    options.tolerance = options.precision == STARFISH_F32 ? 1e-5 : 1e-8;
    for (size_t i = 0; i < run->axis[SMOOTHER].count && run->measures[SOLVES]; ++i) {
        options.smoother = (starfish_fem_smoother)run->axis[SMOOTHER].value[i];
        STARFISH_TRY(measure_solve(run, &options));
    }
    return STARFISH_SUCCESS;
}

/* Seconds per byte: a copy of half as many bytes reads and writes as many in all. */
static void measure_copy(struct spmv *run)
{
    const size_t bytes = (size_t)1 << 28;
    const int repeat = (int)run->bench.repeat;
    run->copy = (double)NAN;
    if (run->on_device && peer_device_copy(bytes, repeat, run->seconds))
        run->copy = command_median(run->seconds, (size_t)repeat) / (2 * (double)bytes);
    if (!run->on_device && peer_stream_passes(bytes, repeat, run->seconds))
        run->copy = command_median(run->seconds, (size_t)repeat) / (10 * (double)bytes);
}

/* What the host made, once: of these bytes. */
static void add_setup(struct spmv *run, const char *what, const char *numbering, double start, double bytes)
{
    run->seconds[0] = clock_now() - start;
    bench_row(
        &run->bench, "starfish",
        bench_name("%s%s%s, %s", starfish_fem_element_names[run->element], numbering[0] ? ", " : "", numbering, what),
        run->seconds, 1, bytes);
}

static starfish_status assemble(struct spmv *run, struct starfish_fem_space *space, starfish_fem_numbering numbering)
{
    struct starfish_csr *a = &run->matrix;
    const char *name = starfish_fem_numbering_names[numbering];
    double start = clock_now();
    bench_announce("%s, assembly", name);
    STARFISH_TRY(starfish_fem_space_number(space, numbering, 1));
    add_setup(run, "numbering", name, start, (double)(space->nodes * sizeof(int)));
    start = clock_now();
    STARFISH_TRY(starfish_fem_assemble(run->problem, space, NULL, &(struct starfish_fem_sums){a, NULL, NULL}));
    add_setup(run, "assembly", name, start, (double)(starfish_csr_entries(a) * (sizeof(double) + sizeof(int))));
    return STARFISH_SUCCESS;
}

static starfish_status measure_set(struct spmv *run, const char *set, starfish_fem_numbering numbering)
{
    struct starfish_context_options options = STARFISH_CONTEXT_OPTIONS_DEFAULTS;
    STARFISH_TRY(workers_read(set, &options));
    if (options.gpu_workers != 0 && starfish_gpu_count() > 0)
        options.cpu_workers = 0;
    STARFISH_TRY(starfish_context_create(&run->context, &options));
    run->set = set;
    run->on_device = starfish_context_workers_of(run->context, STARFISH_GPU) > 0;
    run->cores = options.cpu_workers > 0 ? options.cpu_workers : (int)starfish_host_cores();
    measure_copy(run);
    starfish_status status = measure_matrix(run, &run->matrix, starfish_fem_numbering_names[numbering]);
    STARFISH_THEN(status, measure_solves(run, numbering));
    starfish_context_destroy(run->context);
    ++run->bench.done;
    return status;
}

static starfish_status measure_numbering(void *data)
{
    struct spmv *run = data;
    const starfish_fem_numbering numbering = (starfish_fem_numbering)run->axis[NUMBERING].now;
    struct starfish_fem_space space;
    run->matrix = (struct starfish_csr){.rows = 0};
    starfish_status status = starfish_fem_space_create(run->problem, &run->mesh, &space);
    STARFISH_THEN(status, assemble(run, &space, numbering));
    for (size_t w = 0; w < run->sets.list.count && status == STARFISH_SUCCESS; ++w)
        status = measure_set(run, run->sets.list.item[w], numbering);
    starfish_csr_destroy(&run->matrix);
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

static const struct starfish_option own_rows[] = {
    NAMES_FIRST("--element", starfish_fem_element_names, STARFISH_FEM_ELEMENTS, "whose matrix"),
    NAMES_FIRST("--precision", starfish_precision_names, STARFISH_PRECISIONS, "of the arithmetic"),
    NAMES_ROW("--measure", whats, "what is measured")};
static const struct starfish_option_table own_table = NAMES_TABLE(own_rows);

static starfish_status measure(struct bench *bench)
{
    struct spmv *run = (struct spmv *)bench;
    const struct axis *measured = &run->axis[MEASURED];
    struct fem_domain domain;
    STARFISH_FAIL_IF(run->dimensions != 2 && run->dimensions != 3, STARFISH_ERROR_ARGUMENT,
                     "--dimensions: must be 2 or 3");
    STARFISH_TRY(bench_worker_sets(bench, &run->sets, "gpu:1;cpu", "cpu"));
    STARFISH_TRY(axes_read(run->axis, AXES));
    for (size_t i = 0; i < measured->count; ++i)
        run->measures[measured->value[i]] = 1;
    STARFISH_TRY(fem_domain_create((int)run->dimensions, run->cuts, &domain));
    const struct starfish_fem_problem problem =
        fem_domain_problem(&domain, (starfish_fem_element)run->element, (int)run->levels);
    run->problem = &problem;
    bench->parts = run->axis[NUMBERING].count * run->sets.list.count;
    const double start = clock_now();
    starfish_status status = refine(&problem, &run->mesh);
    if (status == STARFISH_SUCCESS)
        add_setup(run, "refinement", "", start, (double)(3 * run->mesh.nodes * sizeof(double)));
    STARFISH_THEN(status, axes_each(run->axis, 1, measure_numbering, run));
    starfish_refined_destroy(&run->mesh);
    fem_domain_free(&domain);
    return status;
}

int bench_spmv(int argc, char **argv)
{
    static const struct spmv defaults = {
        .bench = BENCH_DEFAULTS("spmv"),
        .axis = {[NUMBERING] = {"--numbering", "two-level,cuthill-mckee,xyz,random,hierarchical",
                                &starfish_fem_option_table},
                 [SMOOTHER] = {"--smoother", "spai", &starfish_fem_option_table},
                 [MEASURED] = {"--measure", "products,spai,solves", &own_table}},
        .levels = 6,
        .dimensions = 2,
        .cuts = 1,
        .precision = STARFISH_F64};
    static struct spmv run;
    run = defaults;
    const struct option_entry options[] = {
        {"--element", OPTION_MEMBER, &run.element, "E", .table = &own_table},
        {"--levels", OPTION_NUMBER, &run.levels, "L", .help = "times that the mesh of 120 or 189 cells is refined"},
        {"--cuts", OPTION_COUNT, &run.cuts, "N", .help = "of each edge of that mesh, 1 to 4, before it is refined"},
        {"--dimensions", OPTION_COUNT, &run.dimensions, "D", .help = "2 or 3"},
        {"--precision", OPTION_MEMBER, &run.precision, "P", .table = &own_table},
        {"--numbering", OPTION_LIST, &run.axis[NUMBERING].given, "LIST", .table = &starfish_fem_option_table},
        {"--smoother", OPTION_LIST, &run.axis[SMOOTHER].given, "LIST", .table = &starfish_fem_option_table},
        {"--measure", OPTION_LIST, &run.axis[MEASURED].given, "LIST", .table = &own_table},
        {"--workers", OPTION_TEXT, &run.sets.given, "SETS", .help = WORKERS_SETS "; without, gpu:1;cpu, or cpu"},
        BENCH_ROOFLINE(&run.bench),
        BENCH_OPTIONS(&run.bench),
        {.name = NULL}};
    return bench_start(&run.bench, "bench", "Products with the matrices of finite elements, beside cuSPARSE's.",
                       options, argc, argv, measure);
}
