/* What is recorded of a machine: first cases that between them run every codelet, then those of the comparison, then
 * sizes, precisions and cuts of which only the times of tasks are wanted.
 *
 * The seconds are of a node with one H200 and 16 cores, of 4 cores without a GPU, and of 2 cores (quick). They follow
 * from what a solve takes there: each set of workers and policy is a context, whose start takes up to 2 s with a GPU
 * and 0.4 s without, and has a checked solve, two to warm up, those that are measured and two with a record; each set
 * of workers has some ten more to calibrate. */
#include "apps/machine/machine.h"
#include "apps/plans/plan.h"

#define EVERY_SET "gpu;all;cpu"
#define GPU_SETS "gpu;all"
/* The teams that two NUMA nodes would have. */
#define HALF_TEAM "cpu:8,gpu"

#define SLAB "--method slab"
#define FRACTIONS "--method blktri"
#define PRODUCT "--method blktri-product"
#define MULTIGRID "--method multigrid --cycles 10"
#define F32 " --precision f32"
#define MIXED " --precision mixed"
#define CUT_16 " --slabs 16"
#define CUT_8 " --slabs 8"
#define CUT_AS_SOLVE " --slabs 0"

static const struct machine_case with_gpus[] = {
    /* Every codelet. */
    {"slab-128-f64-stretched", 128, "stretched", SLAB CUT_16, EVERY_SET, "dmdas", 3, 8},
    {"slab-128-f64-singular", 128, "cells singular", SLAB CUT_16, EVERY_SET, "dmdas", 3, 5},
    {"blktri-128-f64-singular", 128, "cells singular", FRACTIONS CUT_16, EVERY_SET, "dmdas", 3, 6},
    {"product-128-f64", 128, "cells", PRODUCT CUT_16, EVERY_SET, "dmdas", 3, 6},
    {"slab-256-f64-boundary", 256, "cells boundary", SLAB CUT_AS_SOLVE, EVERY_SET, "dmdas", 3, 7},
    {"multigrid-128-f64-boundary", 128, "cells boundary", MULTIGRID CUT_AS_SOLVE, EVERY_SET, "dmdas", 3, 12},
    {"multigrid-128-mixed-singular", 128, "cells singular", MULTIGRID MIXED CUT_AS_SOLVE, EVERY_SET, "dmdas", 3, 12},
    {"multigrid-128-f64-stretched", 128, "stretched", MULTIGRID CUT_AS_SOLVE, EVERY_SET, "dmdas", 3, 15},
    {"q1-A3-10-f64", 0, NULL, "--mesh A3 --level 10 --smoother adi" CUT_AS_SOLVE, EVERY_SET, "dmdas", 3, 8},
    {"q1-U1-10-mixed-cg", 0, NULL, "--mesh U1 --level 10 --krylov cg --tail 20000" MIXED CUT_AS_SOLVE, EVERY_SET,
     "dmdas", 3, 8},
    {"batch-512x65536-factors", 0, NULL, "--batch 512x65536,interleaved,factors" CUT_16, EVERY_SET, "dmdas", 3, 7},
    {"atmosphere-256-f64", 256, "atmosphere", MULTIGRID CUT_AS_SOLVE, EVERY_SET, "dmdas", 3, 12},
    {"atmosphere-256-f64-cg", 256, "atmosphere", "--method cg --cycles 10" CUT_AS_SOLVE, EVERY_SET, "dmdas", 3, 12},
    {"diffusion-128-f64-cg", 128, "diffusion",
     "--method cg --preconditioner ip --deflation blocks --cycles 10" CUT_AS_SOLVE, EVERY_SET, "dmdas", 3, 12},
    /* The comparison. */
    {"slab-256-f64", 256, "cells", SLAB CUT_16, EVERY_SET, PLAN_POLICIES, 7, 35},
    {"blktri-256-f64", 256, "cells", FRACTIONS CUT_16, EVERY_SET, PLAN_POLICIES, 7, 35},
    {"slab-512-f64", 512, "cells", SLAB CUT_16, GPU_SETS, PLAN_POLICIES, 5, 45},
    {"multigrid-256-f64", 256, "cells boundary", MULTIGRID CUT_AS_SOLVE, GPU_SETS, "dmdas,lws", 3, 20},
    {"q1-U1-11-f64", 0, NULL, "--mesh U1 --level 11 --cycles 10" CUT_AS_SOLVE, EVERY_SET, "dmdas,lws", 3, 15},
    {"batch-512x262144-f64", 0, NULL, "--batch 512x262144" CUT_16, GPU_SETS, "dmdas,lws", 3, 20},
    {"blktri-512-f64", 512, "cells", FRACTIONS CUT_16, GPU_SETS, "dmdas,lws,starfish-width", 5, 24},
    {"slab-512-f64-cut", 512, "cells", SLAB CUT_AS_SOLVE, GPU_SETS, "dmdas,lws", 5, 15},
    {"slab-256-f64-cut", 256, "cells", SLAB CUT_AS_SOLVE, EVERY_SET, "dmdas,lws", 5, 11},
    {"slab-512-f64-cpu", 512, "cells", SLAB CUT_16, "cpu", "lws,dmdas", 3, 18},
    {"slab-512-f64-boundary", 512, "cells boundary", SLAB CUT_AS_SOLVE, GPU_SETS, "dmdas", 3, 9},
    /* Times of tasks alone: begun while there is time. */
    {"slab-512-f32", 512, "cells", SLAB F32 CUT_16, GPU_SETS, "dmdas,lws", 3, 10},
    {"slab-256-f32", 256, "cells", SLAB F32 CUT_16, EVERY_SET, "dmdas", 3, 6},
    {"blktri-256-f32", 256, "cells", FRACTIONS F32 CUT_16, EVERY_SET, "dmdas", 3, 6},
    {"slab-512-f64-half", 512, "cells", SLAB CUT_16, HALF_TEAM, "dmdas", 5, 6},
    {"blktri-512-f64-half", 512, "cells", FRACTIONS CUT_16, HALF_TEAM, "dmdas", 5, 7},
    {"slab-256-f64-half", 256, "cells", SLAB CUT_16, HALF_TEAM, "dmdas", 5, 4},
    {"multigrid-256-f64-half", 256, "cells", MULTIGRID CUT_AS_SOLVE, HALF_TEAM, "dmdas", 3, 9},
    {"multigrid-512-f64-parts", 512, "cells", MULTIGRID CUT_AS_SOLVE " --parts 2 --sharing gpus", "gpu", "dmdas", 3, 9},
    {"multigrid-256-f64-shared", 256, "cells", MULTIGRID CUT_AS_SOLVE " --sharing all", "all", "dmdas", 3, 9},
    {"batch-512x65536-f32", 0, NULL, "--batch 512x65536,interleaved" F32 CUT_16, EVERY_SET, "dmdas", 3, 6},
    {"product-256-f64", 256, "cells", PRODUCT CUT_16, GPU_SETS, "dmdas", 3, 6},
    {"blktri-512-f64-cpu", 512, "cells", FRACTIONS CUT_16, "cpu", "lws,dmdas", 3, 14},
    {"blktri-512-f64-cut", 512, "cells", FRACTIONS CUT_AS_SOLVE, GPU_SETS, "dmdas", 3, 9},
    {"blktri-256-f64-cut", 256, "cells", FRACTIONS CUT_AS_SOLVE, EVERY_SET, "dmdas", 3, 6},
    {"blktri-256-f64-boundary", 256, "cells boundary", FRACTIONS CUT_16, EVERY_SET, "dmdas", 3, 6},
    {"slab-256-f64-singular", 256, "cells singular", SLAB CUT_16, EVERY_SET, "dmdas", 3, 6},
    {"slab-128-f64", 128, "cells", SLAB CUT_16, EVERY_SET, "dmdas", 3, 4},
    {"blktri-128-f64", 128, "cells", FRACTIONS CUT_16, EVERY_SET, "dmdas", 3, 5},
    {"slab-512-f32-cut", 512, "cells", SLAB F32 CUT_AS_SOLVE, GPU_SETS, "dmdas", 3, 7},
    {"slab-256-f32-cut", 256, "cells", SLAB F32 CUT_AS_SOLVE, EVERY_SET, "dmdas", 3, 5},
    {"slab-128-f32", 128, "cells", SLAB F32 CUT_16, EVERY_SET, "dmdas", 3, 4},
    {"blktri-512-f32", 512, "cells", FRACTIONS F32 CUT_16, GPU_SETS, "dmdas", 3, 7},
    {"product-256-f32", 256, "cells", PRODUCT F32 CUT_16, GPU_SETS, "dmdas", 3, 6},
    {"product-512-f64", 512, "cells", PRODUCT CUT_16, GPU_SETS, "dmdas", 3, 20},
    {.name = NULL},
};

static const struct machine_case cores_alone[] = {
    /* Every codelet. */
    {"slab-128-f64-stretched", 128, "stretched", SLAB CUT_16, "cpu", "lws", 3, 5},
    {"slab-128-f64-singular", 128, "cells singular", SLAB CUT_16, "cpu", "lws", 3, 4},
    {"blktri-128-f64-singular", 128, "cells singular", FRACTIONS CUT_16, "cpu", "lws", 3, 6},
    {"product-128-f64", 128, "cells", PRODUCT CUT_16, "cpu", "lws,dmdas", 3, 8},
    {"slab-128-f64-boundary", 128, "cells boundary", SLAB CUT_AS_SOLVE, "cpu", "lws", 3, 4},
    {"multigrid-128-f64-boundary", 128, "cells boundary", MULTIGRID CUT_AS_SOLVE, "cpu", "lws,dmdas", 3, 20},
    {"multigrid-128-mixed-singular", 128, "cells singular", MULTIGRID MIXED CUT_AS_SOLVE, "cpu", "lws", 3, 12},
    {"multigrid-128-f64-stretched", 128, "stretched", MULTIGRID CUT_AS_SOLVE, "cpu", "lws", 3, 15},
    {"q1-A3-10-f64", 0, NULL, "--mesh A3 --level 10 --smoother adi" CUT_AS_SOLVE, "cpu", "lws,dmdas", 3, 12},
    {"q1-U1-10-mixed-cg", 0, NULL, "--mesh U1 --level 10 --krylov cg" MIXED CUT_AS_SOLVE, "cpu", "lws", 3, 8},
    {"batch-512x16384-factors", 0, NULL, "--batch 512x16384,interleaved,factors" CUT_16, "cpu", "lws,dmdas", 3, 4},
    {"atmosphere-256-f64", 256, "atmosphere", MULTIGRID CUT_AS_SOLVE, "cpu", "lws,dmdas", 3, 30},
    {"atmosphere-256-f64-cg", 256, "atmosphere", "--method cg --cycles 10" CUT_AS_SOLVE, "cpu", "lws", 3, 30},
    /* The comparison. */
    {"slab-256-f64", 256, "cells", SLAB CUT_16, "cpu", PLAN_POLICIES, 7, 50},
    {"blktri-256-f64", 256, "cells", FRACTIONS CUT_16, "cpu", PLAN_POLICIES, 7, 60},
    {"slab-256-f64-cut", 256, "cells", SLAB CUT_AS_SOLVE, "cpu", "lws,dmdas", 5, 12},
    /* Times of tasks alone. */
    {"slab-256-f32", 256, "cells", SLAB F32 CUT_16, "cpu", "lws,dmdas", 3, 8},
    {"slab-128-f64", 128, "cells", SLAB CUT_16, "cpu", "lws,dmdas", 3, 4},
    {"blktri-128-f64", 128, "cells", FRACTIONS CUT_16, "cpu", "lws,dmdas", 3, 6},
    {"blktri-256-f32", 256, "cells", FRACTIONS F32 CUT_16, "cpu", "lws,dmdas", 3, 14},
    {"slab-512-f64", 512, "cells", SLAB CUT_16, "cpu", "lws,dmdas", 3, 60},
    {"blktri-512-f64", 512, "cells", FRACTIONS CUT_16, "cpu", "lws,dmdas", 3, 80},
    {.name = NULL},
};

/* Every codelet too, on small grids: how the tests know that nothing is missing above. */
static const struct machine_case quick[] = {
    {"slab-32-f64", 32, "cells", SLAB CUT_8, "cpu", PLAN_POLICIES, 3, 3},
    {"slab-32-f64-boundary", 32, "cells boundary", SLAB CUT_AS_SOLVE, "cpu", "lws", 3, 1},
    {"slab-32-f64-singular", 32, "cells singular", SLAB CUT_8, "cpu", "lws", 3, 1},
    {"slab-32-f64-stretched", 32, "stretched", SLAB CUT_8, "cpu", "lws", 3, 1},
    {"blktri-32-f64", 32, "cells", FRACTIONS CUT_8, "cpu", "lws,dmdas", 3, 2},
    {"blktri-32-f64-singular", 32, "cells singular", FRACTIONS CUT_8, "cpu", "lws", 3, 1},
    {"product-32-f64", 32, "cells", PRODUCT CUT_8, "cpu", "lws", 3, 1},
    {"multigrid-48-f64-boundary", 48, "cells boundary", "--method multigrid --cycles 2 --slabs 3", "cpu", "lws,dmdas",
     3, 3},
    {"multigrid-48-mixed-singular", 48, "cells singular", "--method multigrid --cycles 2 --slabs 3" MIXED, "cpu", "lws",
     3, 2},
    {"multigrid-48-f64-stretched", 48, "stretched", "--method multigrid --cycles 2 --slabs 2", "cpu", "lws", 3, 3},
    {"q1-A3-7-f64", 0, NULL, "--mesh A3 --level 7 --cycles 2 --smoother adi --tail 4000 --slabs 2", "cpu", "lws,dmdas",
     3, 2},
    {"q1-U1-7-mixed-cg", 0, NULL, "--mesh U1 --level 7 --cycles 2 --krylov cg --tail 4000 --slabs 2" MIXED, "cpu",
     "lws", 3, 2},
    {"atmosphere-48-f64", 48, "atmosphere", "--method multigrid --cycles 2 --slabs 2", "cpu", "lws", 3, 2},
    {"diffusion-48-f64-cg", 48, "diffusion", "--method cg --preconditioner ip --deflation blocks --cycles 4", "cpu",
     "lws", 3, 2},
    {"batch-64x1000-factors", 0, NULL, "--batch 64x1000,interleaved,factors" CUT_8, "cpu", "lws,dmdas", 3, 1},
    {.name = NULL},
};

const struct machine_case *machine_cases(int gpus)
{
    return gpus > 0 ? with_gpus : cores_alone;
}

const struct machine_case *machine_quick_cases(void)
{
    return quick;
}
