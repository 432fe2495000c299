/* starfish bench tridiag: batches of tridiagonal lines beside LAPACK on the cores and cuSPARSE on a GPU, on the same
 * data in the same run, and beside what copies of the least bytes take. */
#include "apps/bench/tridiag.h"

#include "base/real.h"
#include "tridiag/kernels/batch.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const tridiag_algorithms[] = {[STARFISH_ALGORITHM_AUTO] = "auto",
                                          [STARFISH_ALGORITHM_THOMAS] = "thomas",
                                          [STARFISH_ALGORITHM_TILED] = "tiled",
                                          [STARFISH_ALGORITHM_CR] = "cr",
                                          [STARFISH_ALGORITHM_PCR] = "pcr",
                                          [STARFISH_ALGORITHM_CR_PCR] = "cr-pcr",
                                          [STARFISH_ALGORITHM_PCR_THOMAS] = "pcr-thomas",
                                          [STARFISH_ALGORITHM_PIVOTED] = "pivoted",
                                          [STARFISH_BATCH_CR_IN_PLACE] = "cr-in-place",
                                          NULL};
static const char *const precisions[] = {"f32", "f64", NULL};
static const char *const layouts[] = {"contiguous", "interleaved", NULL};
static const char *const coefficients[] = {
    [TRIDIAG_GENERAL] = "general", [TRIDIAG_SHARED] = "shared", [TRIDIAG_SHIFTED] = "shifted", NULL};

/* ---- cases ------------------------------------------------------------------------------------------------------ */

double tridiag_bytes(const struct tridiag_case *c)
{
    size_t reals = 0;
    for (int i = 0; i < TRIDIAG_ARRAYS; ++i)
        reals += c->count[i];
    return (double)reals * (double)starfish_real_size(c->precision);
}

struct starfish_tridiag_problem tridiag_problem(const struct tridiag_case *c)
{
    const struct starfish_layout layout =
        c->interleaved ? (struct starfish_layout){c->lines, 1} : (struct starfish_layout){1, c->n};
    return (struct starfish_tridiag_problem){
        .n = c->n,
        .lines = c->lines,
        .rhs = 1,
        .lower = c->host[TRIDIAG_LOWER],
        .diag = c->host[TRIDIAG_DIAG],
        .upper = c->host[TRIDIAG_UPPER],
        .coefficients = c->coefficients == TRIDIAG_GENERAL ? layout : (struct starfish_layout){1, 0},
        .shift = c->host[TRIDIAG_SHIFT],
        .vectors = layout};
}

/* -1 .. 1, from a number: so that an array's parts can be filled side by side. */
static double random_real(size_t i, unsigned seed)
{
    uint64_t mixed = (i + 1) * UINT64_C(0x9e3779b97f4a7c15) ^ (uint64_t)seed << 40;
    mixed = (mixed ^ mixed >> 31) * UINT64_C(0xbf58476d1ce4e5b9);
    return (double)(mixed >> 11) * 0x1p-52 - 1;
}

static void set_real(const struct tridiag_case *c, int array, size_t i, double value)
{
    if (c->precision == STARFISH_F32)
        ((float *)c->host[array])[i] = (float)value;
    else
        ((double *)c->host[array])[i] = value;
}

/* Diagonally dominant rows; what leads out of a line is zero, as cuSPARSE wants it. */
static void fill(const struct tridiag_case *c, int array)
{
    const struct starfish_tridiag_problem p = tridiag_problem(c);
    const size_t lines = c->count[array] == c->n ? 1 : c->lines, row = p.coefficients.row, line = p.coefficients.line;
    const double middle = array == TRIDIAG_DIAG ? 2.6 : array == TRIDIAG_SHIFT ? 1 : 0;
    const double half = array == TRIDIAG_DIAG ? 0.5 : 1;

#pragma omp parallel for if (c->count[array] > TRIDIAG_FEW)
    for (size_t i = 0; i < c->count[array]; ++i)
        set_real(c, array, i, middle + half * random_real(i, (unsigned)array));
    for (size_t l = 0; l < lines && array == TRIDIAG_LOWER; ++l)
        set_real(c, array, l * line, 0);
    for (size_t l = 0; l < lines && array == TRIDIAG_UPPER; ++l)
        set_real(c, array, (c->n - 1) * row + l * line, 0);
}

/* Room for an array of the next case; what an earlier case had is used again where it is enough. */
static starfish_status make_room(struct tridiag_memory *memory, size_t bytes, int on_gpu)
{
    if (memory->bytes >= bytes)
        return STARFISH_SUCCESS;
    free(memory->host);
    peer_device_free(memory->device);
    memory->bytes = (bytes + 63) / 64 * 64;
    memory->host = aligned_alloc(64, memory->bytes);
    memory->device = on_gpu ? peer_device_alloc(memory->bytes) : NULL;
    if (memory->host && (!on_gpu || memory->device))
        return STARFISH_SUCCESS;
    return starfish_fail(STARFISH_ERROR_MEMORY, "no memory for arrays of %zu bytes", bytes);
}

static void free_memory(struct tridiag_bench *run)
{
    for (int i = 0; i < TRIDIAG_ARRAYS; ++i) {
        free(run->memory[i].host);
        peer_device_free(run->memory[i].device);
    }
}

static starfish_status make_case(struct tridiag_bench *run, struct tridiag_case *c)
{
    const size_t size = starfish_real_size(c->precision), all = c->n * c->lines;
    const size_t own = c->coefficients == TRIDIAG_GENERAL ? all : c->n;
    const size_t count[TRIDIAG_ARRAYS] = {own, own, own, c->coefficients == TRIDIAG_SHIFTED ? c->lines : 0, all, all};
    memcpy(c->count, count, sizeof count);
    for (int i = 0; i < TRIDIAG_ARRAYS; ++i) {
        if (count[i] == 0)
            continue;
        STARFISH_TRY(make_room(&run->memory[i], count[i] * size, run->bench.gpus > 0));
        c->host[i] = run->memory[i].host;
        c->device[i] = run->memory[i].device;
    }
    for (int i = 0; i < TRIDIAG_SOLUTION; ++i) {
        fill(c, i);
        if (count[i] > 0 && run->bench.gpus > 0 && !peer_device_write(c->device[i], c->host[i], count[i] * size))
            return starfish_fail(STARFISH_ERROR_RUNTIME, "%s: cannot copy to the GPU", c->name);
    }
    return STARFISH_SUCCESS;
}

/* "NxL" */
static starfish_status read_size(const char *item, struct tridiag_case *c)
{
    char first[LIST_ITEM];
    const char *x = strchr(item, 'x');
    if (!x)
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "--size: '%s' is not NxL, unknowns by lines", item);
    snprintf(first, sizeof first, "%.*s", (int)(x - item), item);
    STARFISH_TRY(list_count("--size", first, &c->n));
    return list_count("--size", x + 1, &c->lines);
}

static starfish_status measure_case(struct tridiag_bench *run, struct tridiag_case *c)
{
    snprintf(c->name, sizeof c->name, "%zux%zu %s %s %s", c->n, c->lines, precisions[c->precision],
             layouts[c->interleaved], coefficients[c->coefficients]);
    bench_announce("%s", c->name);
    STARFISH_TRY(make_case(run, c));
    return tridiag_measure_case(run, c);
}

/* ---- the run ---------------------------------------------------------------------------------------------------- */

struct axes {
    struct list size;
    size_t precision[LIST_MOST], precisions, layout[LIST_MOST], layouts, coefficient[LIST_MOST], coefficients;
};

static starfish_status measure_all(struct tridiag_bench *run, const struct axes *axes)
{
    for (size_t s = 0; s < axes->size.count; ++s)
        for (size_t p = 0; p < axes->precisions; ++p)
            for (size_t l = 0; l < axes->layouts; ++l)
                for (size_t k = 0; k < axes->coefficients; ++k) {
                    struct tridiag_case c = {.precision = (starfish_precision)axes->precision[p],
                                             .interleaved = (int)axes->layout[l],
                                             .coefficients = (enum tridiag_coefficients)axes->coefficient[k]};
                    STARFISH_TRY(read_size(axes->size.item[s], &c));
                    if (c.lines == 1 && l > 0) /* the layout of a single line makes no difference */
                        continue;
                    STARFISH_TRY(measure_case(run, &c));
                }
    return STARFISH_SUCCESS;
}

static starfish_status measure(struct bench *bench)
{
    struct tridiag_bench *run = (struct tridiag_bench *)bench;
    struct axes axes;
    STARFISH_TRY(bench_look_around(bench));
    if (!run->sizes)
        run->sizes = run->bench.gpus > 0 ? "512x512,513x513,512x262144" : "512x512,513x513,512x16384";
    STARFISH_TRY(list_read("--size", run->sizes, ',', &axes.size));
    STARFISH_TRY(list_choices("--precision", run->precisions, precisions, axes.precision, &axes.precisions));
    STARFISH_TRY(list_choices("--layout", run->layouts, layouts, axes.layout, &axes.layouts));
    STARFISH_TRY(list_choices("--coefficients", run->coefficients, coefficients, axes.coefficient, &axes.coefficients));
    STARFISH_TRY(
        list_choices("--algorithm", run->algorithms, tridiag_algorithms, run->algorithm, &run->algorithm_count));
    const starfish_status status = measure_all(run, &axes);
    free_memory(run);
    return status;
}

int bench_tridiag(int argc, char **argv)
{
    static struct tridiag_bench run = {.bench = BENCH_DEFAULTS("tridiag"),
                                       .precisions = "f64",
                                       .layouts = "contiguous,interleaved",
                                       .coefficients = "general",
                                       .algorithms = "auto",
                                       .peers = "all"};
    const struct option_entry options[] = {
        {"--size",
         OPTION_TEXT,
         &run.sizes,
         "LIST",
         "NxL: lines of N unknowns, L of them; default 512x512,513x513 and one that fills the machine",
         {NULL}},
        {"--precision", OPTION_TEXT, &run.precisions, "LIST", "f64, f32; default f64", {NULL}},
        {"--layout", OPTION_TEXT, &run.layouts, "LIST", "contiguous, interleaved; default both", {NULL}},
        {"--coefficients",
         OPTION_TEXT,
         &run.coefficients,
         "LIST",
         "general, shared, shifted (shared, and a shift per line); default general",
         {NULL}},
        {"--algorithm",
         OPTION_TEXT,
         &run.algorithms,
         "LIST",
         "auto, thomas, tiled, cr, pcr, cr-pcr, pcr-thomas, pivoted, cr-in-place; default auto",
         {NULL}},
        {"--peers", OPTION_CHOICE, &run.peers, "P", "LAPACK and cuSPARSE in the same run", {"all", "none"}},
        BENCH_OPTIONS(&run.bench),
        {.name = NULL},
    };
    const struct command_line line = {
        .usage = "bench tridiag [OPTION ...]",
        .summary = "Batches of tridiagonal lines, beside LAPACK's gtsv and cuSPARSE's solvers.\n"
                   "A LIST has commas between its entries; all combinations are measured.\n\n"
                   "of limit: time that the least bytes take at the bandwidth that copies reach in the same run, over\n"
                   "the measured time. On a GPU the kernels are timed, with the data in its memory; on cores, solves.\n"
                   "What takes long is repeated for 0.3 seconds and three times at least; the row then says how often.",
        .options = options};
    return bench_main(&run.bench, &line, argc, argv, measure);
}
