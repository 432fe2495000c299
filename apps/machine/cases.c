/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Cases recorded on a machine. First, small cases that together run every codelet: without a recording of a codelet
 * nothing that uses it can be simulated. Then sizes, precisions and cuts for the models and for the comparison. Last,
 * cases that the models never see. Within a stage, cases are ordered by importance, since a pass that runs out of time
 * skips the last ones. */
#include "apps/machine/machine.h"

#define EVERY_SET "gpu;all;cpu"
#define GPU_SETS "gpu;all"
/* Of what `starfish solve` gives to all cores at once: chains of tasks, each of which waits for the one before. */
#define TEAM_TOO EVERY_SET ";team"
/* The teams that two NUMA nodes would have. */
#define HALF_TEAM "cpu:8,gpu"

#define SLAB "--method slab"
#define FRACTIONS "--method blktri"
#define PRODUCT "--method blktri-product"
#define MULTIGRID "--method multigrid --cycles 10"
#define FEW_CYCLES "--method multigrid --cycles 4"
#define CG "--method cg --cycles 10"
#define F32 " --precision f32"
#define MIXED " --precision mixed"
#define CUT_16 " --slabs 16"
#define CUT_8 " --slabs 8"
#define CUT_AS_SOLVE " --slabs 0"
#define SPREAD " --spread" CUT_AS_SOLVE
#define PANEL(n)                                                                                                       \
    {                                                                                                                  \
        n, n, (n) / 4                                                                                                  \
    }
/* Lines and lanes of a problem in 2D, whose steps have one lane each. */
#define SQUARE(n)                                                                                                      \
    {                                                                                                                  \
        n, n, 1                                                                                                        \
    }
#define LEVELS_ON_CORES " --split 5"
#define PARTS_OF_GPUS FEW_CYCLES CUT_AS_SOLVE " --parts 2 --sharing gpus"
/* Where there are more: what a GPU does that has all of a field. */
#define ONE_OF_GPUS "gpu:1"
#define IP_BLOCKS " --preconditioner ip --deflation blocks"
#define BY_CYCLES " --preconditioner multigrid --deflation none"
#define BLOCK_IC " --preconditioner block-ic --deflation none"
#define TWO_CYCLES "--method multigrid --cycles 2"
#define BY_CG " --krylov cg --tail "
/* Stages, under one policy. */
#define FIRST MACHINE_CODELETS, 0
#define SIZES MACHINE_SIZES, 0
#define HELD_OUT MACHINE_HELD_OUT, 0
#define ELEMENTS "--dirichlet 1=0 --cycles 4 --levels 4"

static const struct machine_case whole[] = {
    {"slab-128-f64-singular", {128}, "cells singular", SLAB CUT_16, EVERY_SET, FIRST},
    {"slab-128-f64-singular-cut", {128}, "cells singular", SLAB CUT_AS_SOLVE, "cpu", FIRST},
    {"slab-96-f64-stretched", {96}, "stretched", SLAB CUT_16, TEAM_TOO, FIRST},
    {"slab-128-f64-boundary", {128}, "cells boundary", SLAB CUT_AS_SOLVE, TEAM_TOO, FIRST},
    {"shell-48-f64-singular", {48}, "shell", SLAB CUT_16, TEAM_TOO, FIRST},
    {"blktri-96-f64-singular", {96}, "cells singular", FRACTIONS CUT_16, TEAM_TOO, FIRST},
    {"product-96-f64", {96}, "cells", PRODUCT CUT_16, TEAM_TOO, FIRST},
    {"multigrid-96-f64-boundary", {96}, "cells boundary", FEW_CYCLES CUT_AS_SOLVE, TEAM_TOO, FIRST},
    {"multigrid-96-mixed-singular", {96}, "cells singular", FEW_CYCLES MIXED CUT_AS_SOLVE, TEAM_TOO, FIRST},
    {"multigrid-96-f64-stretched", {96}, "stretched", FEW_CYCLES CUT_AS_SOLVE, EVERY_SET, FIRST},
    {"batch-256x32768-factors", {0}, NULL, "--batch 256x32768,interleaved,factors" CUT_16, TEAM_TOO, FIRST},
    {"many-32x64-ghosts", {0}, NULL, "--many 32x64,ghosts,check-data" CUT_16, "all;cpu", FIRST},
    {"many-32x256-f64", {0}, NULL, "--many 32x256,check-data" CUT_16, TEAM_TOO, FIRST},
    {"diffusion-48-f64-ip", {48}, "diffusion", CG IP_BLOCKS CUT_AS_SOLVE, TEAM_TOO, FIRST},
    {"diffusion-48-f64-ic", {48}, "diffusion", CG BLOCK_IC CUT_AS_SOLVE, TEAM_TOO, FIRST},
    {"diffusion-48-f64-mg", {48}, "diffusion", CG BY_CYCLES CUT_AS_SOLVE, TEAM_TOO, FIRST},
    {"atmosphere-128-f64", PANEL(128), "atmosphere", FEW_CYCLES CUT_AS_SOLVE, TEAM_TOO, FIRST},
    {"atmosphere-128-f64-cg", PANEL(128), "atmosphere", CG CUT_AS_SOLVE, TEAM_TOO, FIRST},
    {"fem-8-f64", {8}, "elements", ELEMENTS, TEAM_TOO, FIRST},
    {"fem-16-f64-parts", {16}, "elements", ELEMENTS " --slabs 2", GPU_SETS, FIRST},
    {"slab-256-f64-alone", {256}, "cells", SLAB SPREAD, ONE_OF_GPUS, FIRST},
    {"multigrid-192-f64-parts", {192}, "cells", PARTS_OF_GPUS, GPU_SETS, FIRST},
    {"multigrid-256-f64-shared", {256}, "cells", FEW_CYCLES CUT_AS_SOLVE " --sharing all", "all", FIRST},
    {"q1-A3-8-f64", {0}, NULL, "--mesh A3 --level 8 --cycles 4 --smoother adi" CUT_AS_SOLVE, TEAM_TOO, FIRST},
    {"q1-U1-9-mixed-cg", {0}, NULL, "--mesh U1 --level 9 --cycles 4" BY_CG "20000" MIXED CUT_AS_SOLVE, TEAM_TOO, FIRST},
    /* Sizes. */
    {"slab-256-f64", {256}, "cells", SLAB CUT_16, EVERY_SET, MACHINE_SIZES, 1},
    {"slab-256-f64-cut", {256}, "cells", SLAB CUT_AS_SOLVE, TEAM_TOO, SIZES},
    {"blktri-256-f64", {256}, "cells", FRACTIONS CUT_16, TEAM_TOO, SIZES},
    {"slab-512-f64", {512}, "cells", SLAB CUT_16, GPU_SETS, SIZES},
    {"slab-192-f64-cut", {192}, "cells", SLAB CUT_AS_SOLVE, EVERY_SET, SIZES},
    {"slab-384-f64-cut", {384}, "cells", SLAB CUT_AS_SOLVE, EVERY_SET, SIZES},
    /* Lengths with the factor 5, of which transforms take longer. */
    {"slab-240-f64-cut", {240}, "cells", SLAB CUT_AS_SOLVE, EVERY_SET, SIZES},
    {"slab-240-f64", {240}, "cells", SLAB CUT_16, EVERY_SET, SIZES},
    {"slab-500-f64-cut", {500}, "cells", SLAB CUT_AS_SOLVE, EVERY_SET, SIZES},
    {"blktri-240-f64", {240}, "cells", FRACTIONS CUT_16, EVERY_SET, SIZES},
    {"slab-512-f64-cut", {512}, "cells", SLAB CUT_AS_SOLVE, EVERY_SET, SIZES},
    {"multigrid-256-f64", {256}, "cells boundary", MULTIGRID CUT_AS_SOLVE, GPU_SETS, SIZES},
    {"multigrid-192-f64", {192}, "cells", FEW_CYCLES CUT_AS_SOLVE, TEAM_TOO, SIZES},
    {"slab-512-f64-spread", {512}, "cells", SLAB SPREAD, "gpu", SIZES},
    {"slab-256-f64-spread", {256}, "cells", SLAB SPREAD, "gpu", SIZES},
    {"slab-384-f64-spread", {384}, "cells", SLAB SPREAD, "gpu", SIZES},
    {"slab-640-f64-spread", {640}, "cells", SLAB SPREAD, "gpu", SIZES},
    {"atmosphere-256-f64", PANEL(256), "atmosphere", FEW_CYCLES CUT_AS_SOLVE, TEAM_TOO, SIZES},
    {"diffusion-96-f64-ip", {96}, "diffusion", CG IP_BLOCKS CUT_AS_SOLVE, TEAM_TOO, SIZES},
    {"diffusion-96-f64-mg", {96}, "diffusion", CG BY_CYCLES CUT_AS_SOLVE, TEAM_TOO, SIZES},
    {"blktri-128-f64", {128}, "cells", FRACTIONS CUT_16, EVERY_SET, SIZES},
    {"slab-192-f64", {192}, "cells", SLAB CUT_16, EVERY_SET, SIZES},
    {"slab-384-f64", {384}, "cells", SLAB CUT_16, EVERY_SET, SIZES},
    {"batch-512x65536-f64", {0}, NULL, "--batch 512x65536" CUT_16, EVERY_SET, SIZES},
    {"blktri-384-f64", {384}, "cells", FRACTIONS CUT_16, EVERY_SET, SIZES},
    {"fem-16-f64", {16}, "elements", ELEMENTS, TEAM_TOO, SIZES},
    {"q1-U1-10-f64", {0}, NULL, "--mesh U1 --level 10 --cycles 4" CUT_AS_SOLVE, TEAM_TOO, SIZES},
    {"q1-U1-8-f64", {0}, NULL, "--mesh U1 --level 8 --cycles 4" CUT_AS_SOLVE, TEAM_TOO, SIZES},
    {"fem-32-f64", {32}, "elements", ELEMENTS, GPU_SETS, SIZES},
    {"diffusion-160-f64-ip", {160}, "diffusion", CG IP_BLOCKS CUT_AS_SOLVE, GPU_SETS, SIZES},
    {"slab-256-f32", {256}, "cells", SLAB F32 CUT_16, EVERY_SET, SIZES},
    {"slab-128-f64", {128}, "cells", SLAB CUT_16, EVERY_SET, SIZES},
    {"slab-256-f64-half", {256}, "cells", SLAB CUT_16, HALF_TEAM, SIZES},
    {"blktri-256-f64-half", {256}, "cells", FRACTIONS CUT_16, HALF_TEAM, SIZES},
    {"product-256-f64", {256}, "cells", PRODUCT CUT_16, GPU_SETS, SIZES},
    {"multigrid-384-f64", {384}, "cells", MULTIGRID CUT_AS_SOLVE, GPU_SETS, SIZES},
    {"slab-640-f64-cut", {640}, "cells", SLAB CUT_AS_SOLVE, GPU_SETS, SIZES},
    {"blktri-512-f64", {512}, "cells", FRACTIONS CUT_16, GPU_SETS, SIZES},
    {"multigrid-256-f64-half", {256}, "cells", MULTIGRID CUT_AS_SOLVE, HALF_TEAM, SIZES},
    {"multigrid-512-f64-parts", {512}, "cells", PARTS_OF_GPUS, "gpu", SIZES},
    {"many-128x16-f64", {0}, NULL, "--many 128x16" CUT_16, GPU_SETS, SIZES},
    {"slab-512-f64-alone", {512}, "cells", SLAB SPREAD, ONE_OF_GPUS, SIZES},
    {"atmosphere-512-f64", PANEL(512), "atmosphere", FEW_CYCLES CUT_AS_SOLVE, GPU_SETS, SIZES},
    {"q1-U1-11-f64", {0}, NULL, "--mesh U1 --level 11 --cycles 4" CUT_AS_SOLVE, EVERY_SET, SIZES},
    {"batch-512x65536-f32", {0}, NULL, "--batch 512x65536,interleaved" F32 CUT_16, EVERY_SET, SIZES},
    {"blktri-256-f32", {256}, "cells", FRACTIONS F32 CUT_16, GPU_SETS, SIZES},
    {"slab-256-f64-singular", {256}, "cells singular", SLAB CUT_16, GPU_SETS, SIZES},
    /* Chains of solves in product form, which grow by steps, rows and lanes: in 2D with one lane. */
    {"product-2d-1024-f64", SQUARE(1024), "square", PRODUCT CUT_16, TEAM_TOO, SIZES},
    {"product-512-f64", {512}, "cells", PRODUCT CUT_16, GPU_SETS, SIZES},
    {"product-2d-512-f64", SQUARE(512), "square", PRODUCT CUT_16, TEAM_TOO, SIZES},
    {"product-2d-256-f64", SQUARE(256), "square", PRODUCT CUT_16, TEAM_TOO, SIZES},
    {"product-2d-2048-f64", SQUARE(2048), "square", PRODUCT CUT_16, GPU_SETS ";team", SIZES},
    {"product-2d-1024-f64-split", SQUARE(1024), "square", PRODUCT CUT_16 LEVELS_ON_CORES, "all", SIZES},
    {"product-384-f64", {384}, "cells", PRODUCT CUT_16, GPU_SETS, SIZES},
    {"product-128-f64", {128}, "cells", PRODUCT CUT_16, EVERY_SET, SIZES},
    {"product-256-f64-cores", {256}, "cells", PRODUCT CUT_16, "cpu", SIZES},
    {"product-2d-128-f64", SQUARE(128), "square", PRODUCT CUT_16, TEAM_TOO, SIZES},
    {"blktri-2d-1024-f64", SQUARE(1024), "square", FRACTIONS CUT_16, TEAM_TOO, SIZES},
    {"blktri-2d-256-f64", SQUARE(256), "square", FRACTIONS CUT_16, TEAM_TOO, SIZES},
    /* Small grids, of which the launch of a kernel or the wait for a task is most of the time. */
    {"slab-64-f64-boundary", {64}, "cells boundary", SLAB CUT_16, TEAM_TOO, SIZES},
    {"slab-32-f64-boundary", {32}, "cells boundary", SLAB CUT_16, EVERY_SET, SIZES},
    {"slab-128-f64-boundary-16", {128}, "cells boundary", SLAB CUT_16, EVERY_SET, SIZES},
    {"slab-256-f64-boundary", {256}, "cells boundary", SLAB CUT_16, EVERY_SET, SIZES},
    {"slab-512-f64-boundary", {512}, "cells boundary", SLAB CUT_16, EVERY_SET, SIZES},
    {"blktri-32-f64", {32}, "cells", FRACTIONS CUT_16, EVERY_SET, SIZES},
    {"blktri-64-f64", {64}, "cells", FRACTIONS CUT_16, EVERY_SET, SIZES},
    {"product-32-f64", {32}, "cells", PRODUCT CUT_16, EVERY_SET, SIZES},
    {"product-64-f64", {64}, "cells", PRODUCT CUT_16, EVERY_SET, SIZES},
    {"multigrid-32-f64-16", {32}, "cells", FEW_CYCLES CUT_16, EVERY_SET, SIZES},
    {"multigrid-64-f64-16", {64}, "cells", FEW_CYCLES CUT_16, EVERY_SET, SIZES},
    {"multigrid-128-f64-16", {128}, "cells", FEW_CYCLES CUT_16, EVERY_SET, SIZES},
    {"multigrid-256-f64-16", {256}, "cells", FEW_CYCLES CUT_16, EVERY_SET, SIZES},
    {"multigrid-512-f64-16", {512}, "cells", FEW_CYCLES CUT_16, GPU_SETS, SIZES},
    {"diffusion-32-f64-ip", {32}, "diffusion", CG IP_BLOCKS CUT_AS_SOLVE, TEAM_TOO, SIZES},
    {"atmosphere-32-f64", PANEL(32), "atmosphere", FEW_CYCLES CUT_AS_SOLVE, TEAM_TOO, SIZES},
    {"atmosphere-64-f64", PANEL(64), "atmosphere", FEW_CYCLES CUT_AS_SOLVE, TEAM_TOO, SIZES},
    {"q1-U1-6-f64", {0}, NULL, "--mesh U1 --level 6 --cycles 4" CUT_AS_SOLVE, TEAM_TOO, SIZES},
    {"fem-4-f64", {4}, "elements", ELEMENTS, TEAM_TOO, SIZES},
    {"batch-64x4096-f64", {0}, NULL, "--batch 64x4096" CUT_16, EVERY_SET, SIZES},
    /* Held out. */
    {"held-product-2d-1023", SQUARE(1023), "square", PRODUCT CUT_16, TEAM_TOO, HELD_OUT},
    {"held-product-450", {450}, "cells", PRODUCT CUT_16, GPU_SETS, HELD_OUT},
    {"held-product-2d-1023-split", SQUARE(1023), "square", PRODUCT CUT_16 LEVELS_ON_CORES, "all", HELD_OUT},
    {"held-product-2d-700", SQUARE(700), "square", PRODUCT CUT_16, TEAM_TOO, HELD_OUT},
    {"held-blktri-2d-700", SQUARE(700), "square", FRACTIONS CUT_16, TEAM_TOO, HELD_OUT},
    {"held-slab-48-boundary", {48}, "cells boundary", SLAB CUT_16, EVERY_SET, HELD_OUT},
    {"held-blktri-48", {48}, "cells", FRACTIONS CUT_16, EVERY_SET, HELD_OUT},
    {"held-multigrid-160-16", {160}, "cells", FEW_CYCLES CUT_16, EVERY_SET, HELD_OUT},
    {"held-slab-384x320x448-cut", {384, 320, 448}, "cells", SLAB CUT_AS_SOLVE, EVERY_SET, MACHINE_HELD_OUT, 1},
    {"held-blktri-300", {300}, "cells", FRACTIONS CUT_16, EVERY_SET, MACHINE_HELD_OUT, 1},
    {"held-slab-200", {200}, "cells", SLAB CUT_16, EVERY_SET, MACHINE_HELD_OUT, 1},
    {"held-slab-320x240x200-cut", {320, 240, 200}, "cells", SLAB CUT_AS_SOLVE, EVERY_SET, HELD_OUT},
    {"held-multigrid-224", {224}, "cells", FEW_CYCLES CUT_AS_SOLVE, TEAM_TOO, HELD_OUT},
    {"held-slab-450-cut", {450}, "cells", SLAB CUT_AS_SOLVE, EVERY_SET, HELD_OUT},
    {"held-slab-400-spread", {400}, "cells", SLAB SPREAD, "gpu", HELD_OUT},
    {"held-atmosphere-200", {200, 200, 64}, "atmosphere", FEW_CYCLES CUT_AS_SOLVE, TEAM_TOO, HELD_OUT},
    {"held-blktri-400x200x256", {400, 200, 256}, "cells", FRACTIONS CUT_16, EVERY_SET, HELD_OUT},
    {"held-batch-400x100000", {0}, NULL, "--batch 400x100000" CUT_16, EVERY_SET, HELD_OUT},
    {"held-diffusion-72", {72}, "diffusion", CG IP_BLOCKS CUT_AS_SOLVE, TEAM_TOO, HELD_OUT},
    {"held-diffusion-72-mg", {72}, "diffusion", CG BY_CYCLES CUT_AS_SOLVE, TEAM_TOO, HELD_OUT},
    {"held-slab-600", {600}, "cells", SLAB CUT_16, GPU_SETS, HELD_OUT},
    {"held-diffusion-200", {200}, "diffusion", CG IP_BLOCKS CUT_AS_SOLVE, GPU_SETS, HELD_OUT},
    {"held-fem-24", {24}, "elements", ELEMENTS, GPU_SETS, HELD_OUT},
    {"held-fem-12", {12}, "elements", ELEMENTS, TEAM_TOO, HELD_OUT},
    {"held-multigrid-320", {320}, "cells", FEW_CYCLES CUT_AS_SOLVE, GPU_SETS, HELD_OUT},
    {"held-atmosphere-400", {400, 400, 96}, "atmosphere", FEW_CYCLES CUT_AS_SOLVE, GPU_SETS, HELD_OUT},
    {"held-product-200", {200}, "cells", PRODUCT CUT_16, GPU_SETS, HELD_OUT},
    {"held-q1-U1-9", {0}, NULL, "--mesh U1 --level 9 --cycles 4" CUT_AS_SOLVE, TEAM_TOO, HELD_OUT},
    {"held-many-96x24", {0}, NULL, "--many 96x24" CUT_16, GPU_SETS, HELD_OUT},
    {"held-slab-700x640x500-cut", {700, 640, 500}, "cells", SLAB CUT_AS_SOLVE, EVERY_SET, HELD_OUT},
    {.name = NULL},
};

/* Every codelet too, on small grids: how the tests know that nothing is missing above. */
static const struct machine_case quick[] = {
    {"slab-32-f64", {32}, "cells", SLAB CUT_8, "cpu", MACHINE_CODELETS, 1},
    {"slab-32-f64-boundary", {32}, "cells boundary", SLAB CUT_AS_SOLVE, "cpu", FIRST},
    {"slab-32-f64-singular", {32}, "cells singular", SLAB CUT_8, "cpu", FIRST},
    {"slab-32-f64-stretched", {32}, "stretched", SLAB CUT_8, "cpu", FIRST},
    {"blktri-32-f64", {32}, "cells", FRACTIONS CUT_8, "cpu", FIRST},
    {"shell-24-f64-singular", {24}, "shell", SLAB CUT_8, "cpu", FIRST},
    {"blktri-32-f64-singular", {32}, "cells singular", FRACTIONS CUT_8, "cpu", FIRST},
    {"product-32-f64", {32}, "cells", PRODUCT CUT_8, "cpu", FIRST},
    {"product-2d-48-f64", SQUARE(48), "square", PRODUCT CUT_8, "cpu;team", FIRST},
    {"multigrid-48-f64-boundary", {48}, "cells boundary", TWO_CYCLES " --slabs 3", "cpu", FIRST},
    {"multigrid-48-mixed-singular", {48}, "cells singular", TWO_CYCLES " --slabs 3" MIXED, "cpu", FIRST},
    {"multigrid-48-f64-stretched", {48}, "stretched", TWO_CYCLES " --slabs 2", "cpu", FIRST},
    {"q1-A3-7-f64", {0}, NULL, "--mesh A3 --level 7 --cycles 2 --smoother adi --tail 4000 --slabs 2", "cpu", FIRST},
    {"q1-U1-7-mixed-cg", {0}, NULL, "--mesh U1 --level 7 --cycles 2" BY_CG "4000 --slabs 2" MIXED, "cpu", FIRST},
    {"atmosphere-48-f64", PANEL(48), "atmosphere", TWO_CYCLES " --slabs 2", "cpu", FIRST},
    {"diffusion-24-f64-ip", {24}, "diffusion", "--method cg --cycles 4" IP_BLOCKS, "cpu;team", FIRST},
    {"diffusion-24-f64-ic", {24}, "diffusion", "--method cg" BLOCK_IC " --cycles 4", "cpu", FIRST},
    {"diffusion-20-f64-mg", {20}, "diffusion", "--method cg --cycles 4" BY_CYCLES CUT_AS_SOLVE, "cpu;team", FIRST},
    {"batch-64x1000-factors", {0}, NULL, "--batch 64x1000,interleaved,factors" CUT_8, "cpu", FIRST},
    {"many-12x20-f64", {0}, NULL, "--many 12x20,ghosts,check-data", "cpu", FIRST},
    {"fem-4-f64", {4}, "elements", "--dirichlet 1=0 --cycles 2 --levels 2", "cpu;team", FIRST},
    {"held-slab-24", {24}, "cells", SLAB CUT_8, "cpu", HELD_OUT},
    {.name = NULL},
};

const struct machine_case *machine_cases(void)
{
    return whole;
}

const struct machine_case *machine_quick_cases(void)
{
    return quick;
}
