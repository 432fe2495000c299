/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The choices of the program. Where a list of the library's goes on, the row counts further. */
#include "apps/names.h"

#include "apps/plans/batch_case.h"
#include "tridiag/kernels/batch.h"
#include "tridiag/options.h"

#include <starfish/atmosphere.h>
#include <starfish/context.h>

const char *const names_workers[] = {[STARFISH_CPU] = "cpu", [STARFISH_GPU] = "gpu"};
const char *const names_layouts[] = {"contiguous", "interleaved"};
const char *const names_coefficients[] = {
    [BATCH_GENERAL] = "general", [BATCH_SHARED] = "shared", [BATCH_SHIFTED] = "shifted"};
const char *const names_geometries[] = {
    [STARFISH_FLAT_BOX] = "flat", [STARFISH_PANEL] = "panel", [STARFISH_SPHERE] = "sphere"};
const char *const names_places[] = {"host", "device"};
static const char *const peers[] = {[NAMES_ALL] = "all", [NAMES_NONE] = "none"};

static const struct starfish_option rows[] = {
    NAMES_FIRST("--precision", starfish_precision_names, STARFISH_PRECISION_MIXED + 1,
                "of the arithmetic; mixed, for iterative methods: iterations in f32, residuals in f64"),
    NAMES_FIRST("--algorithm", starfish_algorithm_names, STARFISH_BATCH_CR_IN_PLACE + 1,
                "how the lines are solved; cr-in-place on GPUs alone"),
    NAMES_ROW("--layout", names_layouts, "of the lines"),
    NAMES_ROW("--coefficients", names_coefficients, "of the lines; shifted: shared, and a shift per line"),
    NAMES_ROW("--geometry", names_geometries, "a box, a panel of the cubed sphere, or all six"),
    NAMES_ROW("--where", names_places, "memory of the data, on the host pinned"),
    NAMES_ROW("--peers", peers, "others' solvers in the same run"),
};
const struct starfish_option_table names_table = NAMES_TABLE(rows);
