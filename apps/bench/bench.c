/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* starfish bench: the table of benchmarks, and the subcommand that lists or starts one of them. */
#include "apps/bench/bench.h"

#include "apps/command.h"

#include "apps/options.h"

static const struct option_command benchmarks[] = {
    {"poisson3d", bench_poisson3d, "3D solves: sizes, boundary kinds, workers, where the data live"},
    {"tridiag", bench_tridiag, "batches of tridiagonal lines: sizes, layouts, algorithms"},
    {"blktri", bench_blktri, "block cyclic reduction: sizes, forms, levels, splits between GPUs and cores"},
    {"many", bench_many, "many small 3D problems: one by one, in flight, at once"},
    {"fishpack", bench_fishpack, "FISHPACK's routines by their arguments, beside FISHPACK"},
    {"multigrid", bench_multigrid, "Q1 multigrid: meshes, precisions, smoothers, beside hypre"},
    {"spmv", bench_spmv, "matrices of finite elements: numberings, formats, beside cuSPARSE"},
    {"scaling", bench_scaling, "one solve by more and more ranks, cores or GPUs"},
    {"node", bench_node, "all families by a GPU, cores and both, and on 1, 2 and 4 GPUs"},
    {"atmosphere", bench_atmosphere, "flat domains: multigrid and conjugate gradients with lines upwards"},
    {"dpcg", bench_dpcg, "two phases: deflated conjugate gradients and multigrid, beside hypre and cuSPARSE"},
    {"draw", bench_draw_rows, "pictures of rows that a benchmark has printed by --json"},
};

int command_bench(int argc, char **argv)
{
    static const struct option_commands commands = {
        .name = "bench",
        .noun = "benchmark",
        .argument = "NAME",
        .text = "One benchmark, with its peers in the same run. `starfish bench NAME --help` lists its options.\n",
        .list = benchmarks,
        .count = sizeof benchmarks / sizeof benchmarks[0],
    };
    return options_choose(&commands, argc, argv);
}
