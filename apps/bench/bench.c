/* starfish bench: the table of benchmarks, and the subcommand that lists or starts one of them. */
#include "apps/bench/bench.h"

#include "apps/command.h"
#include "apps/options.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *summary;
} benchmarks[] = {
    {"poisson3d", bench_poisson3d, "3D solves: sizes, boundary kinds, workers, where the data live"},
    {"tridiag", bench_tridiag, "batches of tridiagonal lines: sizes, layouts, algorithms"},
    {"blktri", bench_blktri, "block cyclic reduction: sizes, forms, levels, splits between GPUs and cores"},
    {"many", bench_many, "many small 3D problems: one by one, in flight, at once"},
    {"multigrid", bench_multigrid, "Q1 multigrid: meshes, precisions, smoothers, beside hypre"},
    {"spmv", bench_spmv, "matrices of finite elements: numberings, formats, beside cuSPARSE"},
    {"atmosphere", bench_atmosphere, "flat domains: multigrid and conjugate gradients with lines upwards"},
};
enum { BENCHMARKS = sizeof benchmarks / sizeof benchmarks[0] };

/* ---- which benchmark --------------------------------------------------------------------------------------------- */

static int list_benchmarks(void)
{
    printf("Usage: starfish bench NAME [OPTION ...]\n\n"
           "One benchmark, with its peers in the same run. `starfish bench NAME --help` lists its options.\n\n");
    for (int i = 0; i < BENCHMARKS; ++i)
        printf("  %-11s %s\n", benchmarks[i].name, benchmarks[i].summary);
    return 0;
}

int command_bench(int argc, char **argv)
{
    char known[256] = "";
    size_t length = 0;
    if (argc < 2 || (argv[1][0] == '-' && options_ask_help(argc, argv)))
        return list_benchmarks();
    for (int i = 0; i < BENCHMARKS; ++i) {
        if (strcmp(argv[1], benchmarks[i].name) == 0)
            return benchmarks[i].run(argc - 1, argv + 1);
        if (length < sizeof known)
            length +=
                (size_t)snprintf(known + length, sizeof known - length, "%s%s", i ? ", " : "", benchmarks[i].name);
    }
    return command_fail(starfish_fail(STARFISH_ERROR_ARGUMENT, "no benchmark '%s'; there is %s", argv[1], known), 0);
}
