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

const char *const poisson3d_places[] = {
    [POISSON3D_PAGEABLE] = "pageable", [POISSON3D_PINNED] = "pinned", [POISSON3D_DEVICE] = "device", NULL};

static starfish_status read_given(struct poisson3d *run)
{
    const struct poisson3d_given *given = &run->given;
    STARFISH_TRY(poisson3d_read_cases(run));
    STARFISH_TRY(list_choices("--method", given->method, names_methods, run->method, &run->methods));
    STARFISH_TRY(list_counts("--stream", given->stream, run->stream, &run->streams));
    for (size_t i = 0; i < run->streams; ++i)
        if (run->stream[i] > POISSON3D_MOST_IN_FLIGHT)
            return starfish_fail(STARFISH_ERROR_ARGUMENT, "--stream: at most %d in flight, is %zu",
                                 POISSON3D_MOST_IN_FLIGHT, run->stream[i]);
    if (given->where)
        STARFISH_TRY(list_choices("--where", given->where, poisson3d_places, run->place, &run->places));
    if (given->workers)
        STARFISH_TRY(list_read("--workers", given->workers, ';', &run->workers));
    for (size_t i = 0; i < run->workers.count; ++i) {
        struct starfish_context_options options = STARFISH_CONTEXT_OPTIONS_DEFAULTS;
        STARFISH_TRY(workers_read(run->workers.item[i], &options));
    }
    return STARFISH_SUCCESS;
}

static starfish_status measure(struct bench *bench)
{
    struct poisson3d *run = (struct poisson3d *)bench;
    STARFISH_TRY(read_given(run));
    STARFISH_TRY(bench_look_around(bench));
    if (run->workers.count == 0) /* all sets that the machine has */
        STARFISH_TRY(list_read("--workers", bench->gpus > 0 ? "gpu;all;cpu" : "cpu", ';', &run->workers));
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
    struct poisson3d run = {.bench = BENCH_DEFAULTS("poisson3d"), .peers = "all"};
    struct poisson3d_given *given = &run.given;
    *given = (struct poisson3d_given){.n = "256",
                                      .precision = "f64",
                                      .bc = "neumann/dirichlet",
                                      .grid = "cell",
                                      .y = "uniform",
                                      .method = "slab,blktri",
                                      .stream = "1"};
    const struct option_entry options[] = {
        {"--n", OPTION_TEXT, &given->n, "LIST", "sizes, N for a cube or NXxNYxNZ; default 256", NULL},
        {"--precision", OPTION_TEXT, &given->precision, "LIST", "f64, f32, both; default f64", NULL},
        {"--bc", OPTION_TEXT, &given->bc, "LIST",
         "ends of y/z, or of both: periodic, dirichlet, neumann, mixed; default neumann/dirichlet", NULL},
        {"--grid", OPTION_TEXT, &given->grid, "LIST", "cell, node; default cell", NULL},
        {"--y", OPTION_TEXT, &given->y, "LIST", "uniform, stretched (not periodic); default uniform", NULL},
        {"--method", OPTION_TEXT, &given->method, "LIST", "default slab,blktri; of", names_methods},
        {"--workers", OPTION_TEXT, &given->workers, "SETS",
         "sets with ; between, each as for solve; default gpu;all;cpu, or cpu without a GPU", NULL},
        {"--where", OPTION_TEXT, &given->where, "LIST",
         "memory of the data: device, pinned, pageable; default: all with a GPU, pageable without", NULL},
        {"--stream", OPTION_TEXT, &given->stream, "LIST", "right-hand sides in flight at once, without end; default 1",
         NULL},
        {"--slabs", OPTION_COUNT, &run.slabs, "N", "runs of z-planes; default: chosen from the workers", NULL},
        {"--peers", OPTION_CHOICE, &run.peers, "P", "others' solvers in the same run",
         OPTION_CHOICES("all", "fast", "none")},
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
