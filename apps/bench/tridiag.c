/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* starfish bench tridiag: batches of tridiagonal lines beside LAPACK on the cores and cuSPARSE on a GPU, on the same
 * data in the same run, and beside what copies of the least bytes take. */
#include "apps/bench/tridiag.h"
#include "apps/bench/bench.h"

#include "base/real.h"
#include "tridiag/options.h"

#include <stdlib.h>

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
    STARFISH_FAIL_IF(!memory->host || (on_gpu && !memory->device), STARFISH_ERROR_MEMORY,
                     "no memory for arrays of %zu bytes", bytes);
    return STARFISH_SUCCESS;
}

static starfish_status make_case(struct tridiag_bench *run, struct batch_case *c)
{
    const size_t size = starfish_real_size(c->precision);
    for (int i = 0; i < BATCH_ARRAYS; ++i) {
        if (c->count[i] == 0)
            continue;
        STARFISH_TRY(make_room(&run->memory[i], c->count[i] * size, run->bench.gpus > 0));
        c->host[i] = run->memory[i].host;
        c->device[i] = run->memory[i].device;
    }
    for (int i = 0; i < BATCH_SOLUTION; ++i) {
        batch_case_fill(c, i);
        STARFISH_FAIL_IF(c->count[i] > 0 && run->bench.gpus > 0 &&
                             !peer_device_write(c->device[i], c->host[i], c->count[i] * size),
                         STARFISH_ERROR_RUNTIME, "%s: cannot copy to the GPU", c->name);
    }
    return STARFISH_SUCCESS;
}

static starfish_status measure_case(struct tridiag_bench *run, struct batch_case *c)
{
    batch_case_describe(c);
    bench_announce("%s", c->name);
    STARFISH_TRY(make_case(run, c));
    return tridiag_measure_case(run, c);
}

/* ---- the run ----------------------------------------------------------------------------------------------------- */

static starfish_status measure_combination(void *data)
{
    struct tridiag_bench *run = data;
    struct batch_case c = {.precision = (starfish_precision)run->axis[TRIDIAG_PRECISION].now,
                           .interleaved = (int)run->axis[TRIDIAG_LAYOUT].now,
                           .coefficients = (enum batch_coefficients)run->axis[TRIDIAG_COEFFICIENTS].now};
    STARFISH_TRY(batch_case_read_size("--size", axis_text(&run->axis[TRIDIAG_SIZE]), &c));
    /* The layout of a single line makes no difference. */
    if (c.lines > 1 || run->axis[TRIDIAG_LAYOUT].now == run->axis[TRIDIAG_LAYOUT].value[0])
        STARFISH_TRY(measure_case(run, &c));
    ++run->bench.done;
    return STARFISH_SUCCESS;
}

static starfish_status measure(struct bench *bench)
{
    struct tridiag_bench *run = (struct tridiag_bench *)bench;
    const char **sizes = &run->axis[TRIDIAG_SIZE].given;
    STARFISH_TRY(bench_look_around(bench));
    if (!*sizes)
        *sizes = bench->gpus > 0 ? "512x512,513x513,512x262144" : "512x512,513x513,512x16384";
    STARFISH_TRY(axes_read(run->axis, TRIDIAG_AXES));
    bench->parts = 1;
    for (int a = 0; a < TRIDIAG_ALGORITHM; ++a)
        bench->parts *= run->axis[a].count;
    const starfish_status status = axes_each(run->axis, TRIDIAG_ALGORITHM, measure_combination, run);
    for (int i = 0; i < BATCH_ARRAYS; ++i) {
        free(run->memory[i].host);
        peer_device_free(run->memory[i].device);
    }
    return status;
}

int bench_tridiag(int argc, char **argv)
{
    static struct tridiag_bench run = {.bench = BENCH_DEFAULTS("tridiag"),
                                       .axis = {
                                           [TRIDIAG_SIZE] = {"--size", .texts = 1},
                                           [TRIDIAG_PRECISION] = {"--precision", "f64", &starfish_tridiag_option_table},
                                           [TRIDIAG_LAYOUT] = {"--layout", "contiguous,interleaved", &names_table},
                                           [TRIDIAG_COEFFICIENTS] = {"--coefficients", "general", &names_table},
                                           [TRIDIAG_ALGORITHM] = {"--algorithm", "auto", &names_table},
                                       }};
    const struct option_entry options[] = {
        {"--size", OPTION_TEXT, &run.axis[TRIDIAG_SIZE].given, "LIST",
         .help = "NxL: lines of N unknowns, L of them; without, 512x512,513x513 and one that fills the machine"},
        {"--precision", OPTION_LIST, &run.axis[TRIDIAG_PRECISION].given, "LIST",
         .table = &starfish_tridiag_option_table},
        {"--layout", OPTION_LIST, &run.axis[TRIDIAG_LAYOUT].given, "LIST", .table = &names_table},
        {"--coefficients", OPTION_LIST, &run.axis[TRIDIAG_COEFFICIENTS].given, "LIST", .table = &names_table},
        {"--algorithm", OPTION_LIST, &run.axis[TRIDIAG_ALGORITHM].given, "LIST", .table = &names_table},
        {"--peers", OPTION_MEMBER, &run.peers, "P", .table = &names_table},
        BENCH_ROOFLINE(&run.bench),
        BENCH_OPTIONS(&run.bench),
        {.name = NULL},
    };
    return bench_start(
        &run.bench, "bench",
        "Batches of tridiagonal lines, beside LAPACK's gtsv and cuSPARSE's solvers.\n"
        "A LIST has commas between its entries; all combinations are measured.\n\n"
        "of limit: time that the least bytes take at the bandwidth that copies reach in the same run, over\n"
        "the measured time. The kernels are timed by themselves, and the public call with the data in the\n"
        "GPU's memory, or in the host's by the cores, the GPU, and both.\n"
        "What takes long is repeated for 0.3 seconds and three times at least; the row then says how often.",
        options, argc, argv, measure);
}
