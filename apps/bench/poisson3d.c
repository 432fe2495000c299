/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* starfish bench poisson3d: 3D solves by size, precision, boundary kinds, method, workers and place of the data, beside
 * the limits that plain copies set and what others' solvers take.
 *
 * The limits are bytes over measured bandwidths:
 *   device memory      four passes over the field, each read and written (transform x, transform y and eliminate,
 *                      substitute and transform y back, transform x back): 8 fields over the copy in device memory
 *   host memory, GPU   the right-hand side goes up before the solution can come down: 2 fields over the link, one way
 *                      at a time; both ways at once when several are in flight
 *   cores              ten passes over the field: 10 fields over what all cores copy
 *   cores and GPU      as if each took its share at its own limit */
#include "apps/bench/poisson3d.h"
#include "apps/bench/bench.h"

#include "apps/workers.h"
#include "poisson/options.h"

static starfish_status measure(struct bench *bench)
{
    struct poisson3d *run = (struct poisson3d *)bench;
    const struct axis *method = &run->axis[POISSON3D_METHOD], *stream = &run->axis[POISSON3D_STREAM];
    STARFISH_TRY(poisson3d_read_cases(run));
    for (size_t i = 0; i < stream->count; ++i)
        STARFISH_FAIL_IF(stream->value[i] > POISSON3D_MOST_IN_FLIGHT, STARFISH_ERROR_ARGUMENT,
                         "--stream: at most %d in flight, is %zu", POISSON3D_MOST_IN_FLIGHT, stream->value[i]);
    if (run->where)
        STARFISH_TRY(list_choices("--where", run->where, &poisson3d_table, run->place, &run->places));
    STARFISH_TRY(bench_worker_sets(bench, &run->sets, "gpu;all;cpu", "cpu"));
    bench->parts = run->cases * (run->sets.list.count * method->count + (run->peers != POISSON3D_NO_PEERS));
    poisson3d_measure_limits(run);
    STARFISH_TRY(bench_each_set(&run->sets, poisson3d_measure_solves, run));
    STARFISH_FAIL_IF(run->solves == 0, STARFISH_ERROR_UNSUPPORTED,
                     "none of these combinations can be solved here: device needs a GPU, and a stretched y "
                     "has no periodic ends");
    return poisson3d_measure_peers(run);
}

int bench_poisson3d(int argc, char **argv)
{
    static struct poisson3d run = {
        .bench = BENCH_DEFAULTS("poisson3d"),
        .axis = {[POISSON3D_N] = {"--n", "256", .texts = 1},
                 [POISSON3D_PRECISION] = {"--precision", "f64", &starfish_poisson_option_table},
                 [POISSON3D_BC] = {"--bc", "neumann/dirichlet", .texts = 1},
                 [POISSON3D_GRID] = {"--grid", "cell", &poisson3d_table},
                 [POISSON3D_Y] = {"--y", "uniform", &poisson3d_table},
                 [POISSON3D_KIND] = {"--kind", "box", &poisson3d_table},
                 [POISSON3D_METHOD] = {"--method", "slab,blktri", &starfish_poisson_option_table},
                 [POISSON3D_STREAM] = {"--stream", "1"}},
        .library = STARFISH_POISSON_OPTIONS_DEFAULTS};
    struct axis *axis = run.axis;
    const struct option_entry options[] = {
        {"--n", OPTION_TEXT, &axis[POISSON3D_N].given, "LIST", .help = "sizes, N for a cube or NXxNYxNZ"},
        {"--precision", OPTION_LIST, &axis[POISSON3D_PRECISION].given, "LIST", .help = "or both",
         .table = &starfish_poisson_option_table},
        {"--bc", OPTION_LIST, &axis[POISSON3D_BC].given, "LIST", .table = &poisson3d_table},
        {"--grid", OPTION_LIST, &axis[POISSON3D_GRID].given, "LIST", .table = &poisson3d_table},
        {"--y", OPTION_LIST, &axis[POISSON3D_Y].given, "LIST", .table = &poisson3d_table},
        {"--kind", OPTION_LIST, &axis[POISSON3D_KIND].given, "LIST", .table = &poisson3d_table},
        {"--method", OPTION_LIST, &axis[POISSON3D_METHOD].given, "LIST", .table = &starfish_poisson_option_table},
        {"--workers", OPTION_TEXT, &run.sets.given, "SETS",
         .help = WORKERS_SETS "; without, gpu;all;cpu, or cpu without a GPU"},
        {"--where", OPTION_LIST, &run.where, "LIST", .table = &poisson3d_table},
        {"--stream", OPTION_TEXT, &axis[POISSON3D_STREAM].given, "LIST",
         .help = "right-hand sides in flight at once, without end"},
        {"--slabs", OPTION_POSITIVE, &run.library, "N", .table = &starfish_poisson_option_table},
        {"--peers", OPTION_MEMBER, &run.peers, "P", .table = &poisson3d_table},
        BENCH_ROOFLINE(&run.bench),
        BENCH_OPTIONS(&run.bench),
        {.name = NULL},
    };
    int exit_status = bench_start(
        &run.bench, "bench",
        "3D Poisson solves, periodic in x, beside others' solvers and the limits of plain copies.\n"
        "A LIST has commas between its entries; all combinations that can be are measured.\n\n"
        "of limit: time that the least bytes take at the bandwidth that copies reach in the same run, over\n"
        "the measured time. Bytes, in fields: 8 in device memory (four passes, read and written); 2 over\n"
        "the link with the data in host memory (up, then down; both at once with --stream); 10 for cores.",
        options, argc, argv, measure);
    poisson3d_free_cases(&run);
    return exit_status;
}
