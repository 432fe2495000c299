/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* starfish bench: the entry points of the benchmarks. Each is one file; bench.c has the table of them. */
#ifndef STARFISH_APPS_BENCH_BENCH_H
#define STARFISH_APPS_BENCH_BENCH_H

/* The benchmarks: argv[0] is the benchmark's name. Each returns the program's exit status. */
int bench_poisson3d(int argc, char **argv);
int bench_tridiag(int argc, char **argv);
int bench_blktri(int argc, char **argv);
int bench_many(int argc, char **argv);
int bench_fishpack(int argc, char **argv);
int bench_multigrid(int argc, char **argv);
int bench_scaling(int argc, char **argv);
int bench_node(int argc, char **argv);
int bench_spmv(int argc, char **argv);
int bench_atmosphere(int argc, char **argv);
int bench_dpcg(int argc, char **argv);
/* No benchmark: pictures of their rows. */
int bench_draw_rows(int argc, char **argv);

#endif
