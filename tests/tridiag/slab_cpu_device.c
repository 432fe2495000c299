/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The CPU as a device of the slab tests: its kernels by precision, behind the table of functions that GPUs fill too. */
#include "base/real.h"
#include "slab_cases.h"

static void ends(starfish_precision precision, const struct starfish_slab_ends *arguments)
{
    (precision == STARFISH_F32 ? starfish_slab_ends_cpu_f32 : starfish_slab_ends_cpu_f64)(arguments);
}

static void coefficients(starfish_precision precision, const struct starfish_slab_coefficients *arguments)
{
    (precision == STARFISH_F32 ? starfish_slab_coefficients_cpu_f32 : starfish_slab_coefficients_cpu_f64)(arguments);
}

static void reduced(starfish_precision precision, const struct starfish_slab_reduced *arguments)
{
    (precision == STARFISH_F32 ? starfish_slab_reduced_cpu_f32 : starfish_slab_reduced_cpu_f64)(arguments);
}

static void solve(starfish_precision precision, const struct starfish_slab_solve *arguments)
{
    (precision == STARFISH_F32 ? starfish_slab_solve_cpu_f32 : starfish_slab_solve_cpu_f64)(arguments);
}

const struct test_slab_device test_slab_cpu = {&test_host_memory,
                                               ends,
                                               coefficients,
                                               reduced,
                                               solve,
                                               starfish_slab_reduced_workspace_cpu,
                                               starfish_slab_solve_workspace_cpu};
