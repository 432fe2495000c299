/* What is recorded of a machine: the cases of the comparison first, then sizes, precisions and cuts of which only the
 * times of tasks are wanted. */
#include "apps/machine/machine.h"

#define EVERY_POLICY "eager,lws,dmda,dmdas,dmdar,heteroprio,starfish-width"
#define EVERY_SET "gpu;all;cpu"
#define GPU_SETS "gpu;all"
/* The teams that two NUMA nodes would have. */
#define HALF_TEAM "cpu:8,gpu"

static const struct machine_case with_gpus[] = {
    {"slab-256-f64", 256, "cells", "slab", "f64", EVERY_SET, EVERY_POLICY, "16", "7"},
    {"blktri-256-f64", 256, "cells", "blktri", "f64", EVERY_SET, EVERY_POLICY, "16", "7"},
    {"slab-512-f64", 512, "cells", "slab", "f64", EVERY_SET, EVERY_POLICY, "16", "7"},
    {"blktri-512-f64", 512, "cells", "blktri", "f64", GPU_SETS, EVERY_POLICY, "16", "7"},
    /* As `starfish solve` cuts. */
    {"slab-256-f64-cut", 256, "cells", "slab", "f64", EVERY_SET, "dmdas,lws", "0", "5"},
    {"slab-512-f64-cut", 512, "cells", "slab", "f64", EVERY_SET, "dmdas,lws", "0", "5"},
    {"blktri-512-f64-cpu", 512, "cells", "blktri", "f64", "cpu", "lws,dmdas", "16", "3"},
    {"slab-512-f64-half", 512, "cells", "slab", "f64", HALF_TEAM, "dmdas", "16", "5"},
    {"blktri-512-f64-half", 512, "cells", "blktri", "f64", HALF_TEAM, "dmdas", "16", "5"},
    {"slab-256-f64-half", 256, "cells", "slab", "f64", HALF_TEAM, "dmdas", "16", "5"},
    {"slab-512-f64-boundary", 512, "cells boundary", "slab", "f64", EVERY_SET, "dmdas", "0", "3"},
    {"slab-256-f64-singular", 256, "cells singular", "slab", "f64", EVERY_SET, "dmdas", "16", "3"},
    {"blktri-256-f64-boundary", 256, "cells boundary", "blktri", "f64", EVERY_SET, "dmdas", "16", "3"},
    {"blktri-256-f64-cut", 256, "cells", "blktri", "f64", EVERY_SET, "dmdas", "0", "3"},
    {"blktri-512-f64-cut", 512, "cells", "blktri", "f64", GPU_SETS, "dmdas", "0", "3"},
    {"slab-512-f32", 512, "cells", "slab", "f32", EVERY_SET, "dmdas,lws", "16", "5"},
    {"slab-512-f32-cut", 512, "cells", "slab", "f32", EVERY_SET, "dmdas", "0", "3"},
    {"slab-256-f32", 256, "cells", "slab", "f32", EVERY_SET, "dmdas", "16", "3"},
    {"blktri-512-f32", 512, "cells", "blktri", "f32", GPU_SETS, "dmdas", "16", "3"},
    {"blktri-256-f32", 256, "cells", "blktri", "f32", EVERY_SET, "dmdas", "16", "3"},
    {"product-256-f64", 256, "cells", "blktri-product", "f64", EVERY_SET, "dmdas", "16", "3"},
    {"product-512-f64", 512, "cells", "blktri-product", "f64", GPU_SETS, "dmdas", "16", "3"},
    {"slab-128-f64", 128, "cells", "slab", "f64", EVERY_SET, "dmdas", "16", "3"},
    {"blktri-128-f64", 128, "cells", "blktri", "f64", EVERY_SET, "dmdas", "16", "3"},
    {"slab-128-f32", 128, "cells", "slab", "f32", EVERY_SET, "dmdas", "16", "3"},
    {"slab-256-f32-cut", 256, "cells", "slab", "f32", EVERY_SET, "dmdas", "0", "3"},
    {"product-256-f32", 256, "cells", "blktri-product", "f32", GPU_SETS, "dmdas", "16", "3"},
    {.name = NULL},
};

static const struct machine_case cores_alone[] = {
    {"slab-256-f64", 256, "cells", "slab", "f64", "cpu", EVERY_POLICY, "16", "7"},
    {"blktri-256-f64", 256, "cells", "blktri", "f64", "cpu", EVERY_POLICY, "16", "7"},
    {"slab-256-f64-cut", 256, "cells", "slab", "f64", "cpu", "lws,dmdas", "0", "5"},
    {"slab-512-f64", 512, "cells", "slab", "f64", "cpu", EVERY_POLICY, "16", "5"},
    {"slab-512-f64-cut", 512, "cells", "slab", "f64", "cpu", "lws,dmdas", "0", "5"},
    {"slab-256-f64-boundary", 256, "cells boundary", "slab", "f64", "cpu", "lws", "0", "3"},
    {"slab-256-f64-singular", 256, "cells singular", "slab", "f64", "cpu", "lws", "16", "3"},
    {"slab-256-f32", 256, "cells", "slab", "f32", "cpu", "lws,dmdas", "16", "3"},
    {"slab-128-f64", 128, "cells", "slab", "f64", "cpu", "lws,dmdas", "16", "3"},
    {"blktri-128-f64", 128, "cells", "blktri", "f64", "cpu", "lws,dmdas", "16", "3"},
    {"blktri-256-f32", 256, "cells", "blktri", "f32", "cpu", "lws,dmdas", "16", "3"},
    {"product-128-f64", 128, "cells", "blktri-product", "f64", "cpu", "lws,dmdas", "16", "3"},
    {"blktri-512-f64", 512, "cells", "blktri", "f64", "cpu", "lws,dmdas", "16", "3"},
    {.name = NULL},
};

static const struct machine_case quick[] = {
    {"slab-32-f64", 32, "cells", "slab", "f64", "cpu", EVERY_POLICY, "8", "3"},
    {"slab-32-f64-boundary", 32, "cells boundary", "slab", "f64", "cpu", "lws", "0", "3"},
    {"blktri-32-f64", 32, "cells", "blktri", "f64", "cpu", "lws,dmdas", "8", "3"},
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
