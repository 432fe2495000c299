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

static starfish_status read_given(struct poisson3d *run)
{
    const struct poisson3d_given *given = &run->given;
    STARFISH_TRY(poisson3d_read_cases(run));
    STARFISH_TRY(list_choices("--method", given->method, &starfish_poisson_option_table, run->method, &run->methods));
    STARFISH_TRY(list_counts("--stream", given->stream, run->stream, &run->streams));
    for (size_t i = 0; i < run->streams; ++i)
        if (run->stream[i] > POISSON3D_MOST_IN_FLIGHT)
            return starfish_fail(STARFISH_ERROR_ARGUMENT, "--stream: at most %d in flight, is %zu",
                                 POISSON3D_MOST_IN_FLIGHT, run->stream[i]);
    if (given->where)
        STARFISH_TRY(list_choices("--where", given->where, &poisson3d_table, run->place, &run->places));
    return STARFISH_SUCCESS;
}

static starfish_status measure(struct bench *bench)
{
    struct poisson3d *run = (struct poisson3d *)bench;
    STARFISH_TRY(read_given(run));
    STARFISH_TRY(bench_worker_sets(bench, run->given.workers, "gpu;all;cpu", "cpu", &run->workers));
    bench->parts = run->cases * (run->workers.count * run->methods + (run->peers != POISSON3D_NO_PEERS));
    poisson3d_measure_limits(run);
    for (size_t i = 0; i < run->workers.count; ++i)
        STARFISH_TRY(poisson3d_measure_solves(run, run->workers.item[i]));
    if (run->solves == 0)
        return starfish_fail(STARFISH_ERROR_UNSUPPORTED,
                             "none of these combinations can be solved here: device needs a GPU, and a stretched y "
                             "has no periodic ends");
    return poisson3d_measure_peers(run);
}

int bench_poisson3d(int argc, char **argv)
{
    struct poisson3d run = {.bench = BENCH_DEFAULTS("poisson3d"), .library = STARFISH_POISSON_OPTIONS_DEFAULTS};
    struct poisson3d_given *given = &run.given;
    *given = (struct poisson3d_given){.n = "256",
                                      .precision = "f64",
                                      .bc = "neumann/dirichlet",
                                      .grid = "cell",
                                      .y = "uniform",
                                      .method = "slab,blktri",
                                      .stream = "1"};
    const struct option_entry options[] = {
        {"--n", OPTION_TEXT, &given->n, "LIST", .help = "sizes, N for a cube or NXxNYxNZ"},
        {"--precision", OPTION_LIST, &given->precision, "LIST", .help = "or both",
         .table = &starfish_poisson_option_table},
        {"--bc", OPTION_LIST, &given->bc, "LIST", .table = &poisson3d_table},
        {"--grid", OPTION_LIST, &given->grid, "LIST", .table = &poisson3d_table},
        {"--y", OPTION_LIST, &given->y, "LIST", .table = &poisson3d_table},
        {"--method", OPTION_LIST, &given->method, "LIST", .table = &starfish_poisson_option_table},
        {"--workers", OPTION_TEXT, &given->workers, "SETS",
         .help = WORKERS_SETS "; without, gpu;all;cpu, or cpu without a GPU"},
        {"--where", OPTION_LIST, &given->where, "LIST", .table = &poisson3d_table},
        {"--stream", OPTION_TEXT, &given->stream, "LIST", .help = "right-hand sides in flight at once, without end"},
        {"--slabs", OPTION_POSITIVE, &run.library, "N", .table = &starfish_poisson_option_table},
        {"--peers", OPTION_MEMBER, &run.peers, "P", .table = &poisson3d_table},
        BENCH_ROOFLINE(&run.bench),
        BENCH_OPTIONS(&run.bench),
        {.name = NULL},
    };
    const struct command_line line = {
        .usage = "bench poisson3d [OPTION ...]",
        .summary = "3D Poisson solves, periodic in x, beside others' solvers and the limits of plain copies.\n"
                   "A LIST has commas between its entries; all combinations that can be are measured.\n\n"
                   "of limit: time that the least bytes take at the bandwidth that copies reach in the same run, over\n"
                   "the measured time. Bytes, in fields: 8 in device memory (four passes, read and written); 2 over\n"
                   "the link with the data in host memory (up, then down; both at once with --stream); 10 for cores.",
        .options = options};
    int exit_status = bench_main(&run.bench, &line, argc, argv, measure);
    poisson3d_free_cases(&run);
    return exit_status;
}
