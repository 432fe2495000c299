/* Benchmark: 3D solves, periodic x, Neumann y, Dirichlet z (cells), by method and by where the field lives.
 *
 *   poisson3d [--n N] [--workers all|cpu|gpu] [--repeat R] [--precision f64|f32] [--method slab|blktri]
 *             [--slabs S] [--blocks B]
 *
 * One process measures one set of workers, since StarPU is started once. Every row is the median of R solves after
 * warm-up (performance models calibrate then), as CSV: who, case, n, precision, workers, where, seconds, bytes, GB/s,
 * gpu_share. bytes is what four passes over the field read and write: the floor of a separable solve on the device.
 * Peers in the same run: cuFFT's all-periodic spectral solve on the GPU, ten stream-like passes over the field on the CPU. */
#include "bench/peers.h"

#include <math.h>
#include <starfish/starfish.h>
#include <starpu.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef STARFISH_CUDA
#include <cuda_runtime_api.h>
#endif

enum { WARM_UP = 14, MOST_REPEATS = 101 };

struct settings {
    size_t n;
    size_t repeat;
    starfish_precision precision;
    const char *workers, *method;
    size_t slabs, blocks; /* 0: the plan's choice */
};

enum where { PAGEABLE, PINNED, DEVICE };
static const char *const where_names[] = {"pageable", "pinned", "device"};

static int by_value(const void *x, const void *y)
{
    const double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

static double median(double *values, size_t count)
{
    qsort(values, count, sizeof *values, by_value);
    return values[count / 2];
}

static size_t field_bytes(const struct settings *s)
{
    return s->n * s->n * s->n * (s->precision == STARFISH_F32 ? sizeof(float) : sizeof(double));
}

static void print_row(const struct settings *s, const char *who, const char *case_, const char *where, double seconds,
                      double passes, double gpu_share)
{
    const double bytes = passes * (double)field_bytes(s);
    printf("%s,%s,%zu,%s,%s,%s,%.6f,%.0f,%.1f,%.2f\n", who, case_, s->n, s->precision == STARFISH_F32 ? "f32" : "f64",
           s->workers, where, seconds, bytes, 1e-9 * bytes / seconds, gpu_share);
    fflush(stdout);
}

static void fill(const struct settings *s, void *memory)
{
    unsigned seed = 1;
    for (size_t i = 0; i < s->n * s->n * s->n; i++) {
        seed = seed * 1664525u + 1013904223u;
        const double value = (double)(seed >> 8) / (1 << 24) - 0.5;
        if (s->precision == STARFISH_F32)
            ((float *)memory)[i] = (float)value;
        else
            ((double *)memory)[i] = value;
    }
}

static void fail(const char *what)
{
    fprintf(stderr, "poisson3d: %s: %s\n", what, starfish_error_message());
    exit(1);
}

static void *allocate(starfish_context *context, const struct settings *s, enum where where)
{
    void *memory = NULL;
    if (where == PINNED) {
        if (starfish_alloc(context, field_bytes(s), &memory) != STARFISH_SUCCESS)
            fail("pinned memory");
    } else if (where == PAGEABLE) {
        memory = malloc(field_bytes(s));
    }
#ifdef STARFISH_CUDA
    else if (cudaMalloc(&memory, field_bytes(s)) != cudaSuccess)
        memory = NULL;
#endif
    if (!memory)
        fail("memory");
    if (where == DEVICE) {
#ifdef STARFISH_CUDA
        void *host = malloc(field_bytes(s));
        fill(s, host);
        cudaMemcpy(memory, host, field_bytes(s), cudaMemcpyHostToDevice);
        free(host);
#endif
    } else {
        fill(s, memory);
    }
    return memory;
}

static void release(starfish_context *context, const struct settings *s, enum where where, void *memory)
{
    if (where == PINNED)
        starfish_free(context, memory, field_bytes(s));
    else if (where == PAGEABLE)
        free(memory);
#ifdef STARFISH_CUDA
    else
        cudaFree(memory);
#endif
}

static void measure(starfish_context *context, const struct settings *s, starfish_method method, enum where where)
{
    const struct starfish_axis axis[3] = {
        {.n = s->n, .length = 1},
        {.n = s->n, .length = 1, .ends = {STARFISH_NEUMANN, STARFISH_NEUMANN}, .grid = STARFISH_CELL},
        {.n = s->n, .length = 1, .ends = {STARFISH_DIRICHLET, STARFISH_DIRICHLET}, .grid = STARFISH_CELL}};
    const struct starfish_poisson_problem problem = {{axis[0], axis[1], axis[2]}, 0};
    struct starfish_poisson_options options = STARFISH_POISSON_OPTIONS_DEFAULTS;
    starfish_poisson_plan *plan;
    options.method = method;
    options.precision = s->precision;
    options.slabs = s->slabs;
    options.mode_blocks = s->blocks;
    if (starfish_poisson_plan_create(context, &problem, &options, &plan) != STARFISH_SUCCESS)
        fail("plan");
    void *rhs = allocate(context, s, where), *solution = allocate(context, s, where);
    double seconds[MOST_REPEATS] = {0}, gpu = 0, busy = 0;
    for (int i = -WARM_UP; i < (int)s->repeat; i++) {
        struct starfish_info info;
        if (starfish_poisson_solve(plan, NULL, rhs, solution, &info) != STARFISH_SUCCESS)
            fail("solve");
        if (i < 0)
            continue;
        seconds[i] = info.seconds;
        gpu += (double)info.worker[STARFISH_GPU].tasks;
        busy += (double)(info.worker[STARFISH_GPU].tasks + info.worker[STARFISH_CPU].tasks);
    }
    char case_[64];
    snprintf(case_, sizeof case_, "%s %zux%zu (plan %.3f s)", starfish_poisson_plan_method(plan), s->slabs, s->blocks,
             starfish_poisson_plan_seconds(plan));
    print_row(s, "starfish", case_, where_names[where], median(seconds, s->repeat), 8, gpu / busy);
    release(context, s, where, rhs);
    release(context, s, where, solution);
    starfish_poisson_plan_destroy(plan);
}

static void measure_peers(const struct settings *s, int has_gpu)
{
    double seconds[MOST_REPEATS] = {0};
#ifdef STARFISH_CUDA
    if (has_gpu && peer_cufft_periodic(s->n, s->precision, (int)s->repeat, seconds))
        print_row(s, "cuFFT", "all periodic", "device", median(seconds, s->repeat), 8, 1);
#else
    (void)has_gpu;
#endif
    if (peer_stream_passes(field_bytes(s), (int)s->repeat, seconds))
        print_row(s, "memory", "ten passes over the field", "pageable", median(seconds, s->repeat), 10, 0);
}

static int read_setting(struct settings *s, const char *option, const char *value)
{
    const struct {
        const char *option;
        size_t *number;
        const char **text;
    } known[] = {{"--n", &s->n, NULL},           {"--slabs", &s->slabs, NULL},     {"--blocks", &s->blocks, NULL},
                 {"--repeat", &s->repeat, NULL}, {"--workers", NULL, &s->workers}, {"--method", NULL, &s->method}};
    if (strcmp(option, "--precision") == 0) {
        s->precision = strcmp(value, "f32") == 0 ? STARFISH_F32 : STARFISH_F64;
        return 1;
    }
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (strcmp(option, known[i].option) != 0)
            continue;
        if (known[i].number)
            *known[i].number = strtoul(value, NULL, 10);
        else
            *known[i].text = value;
        return 1;
    }
    return 0;
}

static int read_settings(struct settings *s, int argc, char **argv)
{
    for (int i = 1; i + 1 < argc; i += 2)
        if (!read_setting(s, argv[i], argv[i + 1]))
            return 0;
    return argc % 2 == 1 && s->n > 1 && s->repeat > 0 && s->repeat <= MOST_REPEATS;
}

int main(int argc, char **argv)
{
    struct settings s = {256, 11, STARFISH_F64, "all", NULL, 0, 0};
    if (!read_settings(&s, argc, argv)) {
        fprintf(stderr,
                "usage: poisson3d [--n N] [--workers all|cpu|gpu] [--repeat 1..%d] [--precision f64|f32] "
                "[--method slab|blktri] [--slabs S] [--blocks B]\n",
                MOST_REPEATS);
        return 2;
    }
    struct starfish_context_options options = STARFISH_CONTEXT_OPTIONS_DEFAULTS;
    if (strcmp(s.workers, "cpu") == 0)
        options.gpu_workers = 0;
    if (strcmp(s.workers, "gpu") == 0)
        options.cpu_workers = 0;
    starfish_context *context;
    if (starfish_context_create(&context, &options) != STARFISH_SUCCESS)
        fail("context");
    const int has_gpu = starfish_context_workers_of(context, STARFISH_GPU) > 0;
    static const char *const methods[] = {[STARFISH_METHOD_SLAB] = "slab", [STARFISH_METHOD_BLKTRI] = "blktri"};
    for (int method = STARFISH_METHOD_SLAB; method <= STARFISH_METHOD_BLKTRI; method++)
        for (int where = PAGEABLE; where <= (has_gpu ? DEVICE : PAGEABLE); where++)
            if (!s.method || strcmp(s.method, methods[method]) == 0)
                measure(context, &s, (starfish_method)method, (enum where)where);
    starfish_context_destroy(context);
    measure_peers(&s, has_gpu);
    return 0;
}
