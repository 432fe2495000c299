/* The lists of names. A list that the library has itself is taken from there instead. */
#include "apps/names.h"

#include "apps/plans/batch_case.h"
#include "tridiag/kernels/batch.h"

#include <starfish/starfish.h>
#include <string.h>

const char *const names_methods[] = {
    [STARFISH_METHOD_AUTO] = "auto",           [STARFISH_METHOD_SLAB] = "slab",
    [STARFISH_METHOD_BLKTRI] = "blktri",       [STARFISH_METHOD_BLKTRI_PRODUCT] = "blktri-product",
    [STARFISH_METHOD_MULTIGRID] = "multigrid", NULL};

const char *const names_precisions[] = {[STARFISH_F32] = "f32", [STARFISH_F64] = "f64", NULL};

const char *const names_arithmetics[] = {[STARFISH_F32] = "f32", [STARFISH_F64] = "f64", [NAMES_MIXED] = "mixed", NULL};

const char *const names_smoothers[] = {
    [STARFISH_SMOOTHER_AUTO] = "auto",           [STARFISH_SMOOTHER_ADI] = "adi",
    [STARFISH_SMOOTHER_LINE_X] = "line-x",       [STARFISH_SMOOTHER_LINE_Y] = "line-y",
    [STARFISH_SMOOTHER_JACOBI] = "jacobi",       [STARFISH_SMOOTHER_GAUSS_SEIDEL] = "gauss-seidel",
    [STARFISH_SMOOTHER_CHEBYSHEV] = "chebyshev", [STARFISH_SMOOTHER_LINE_Z] = "line-z",
    [STARFISH_SMOOTHER_PLANE] = "plane",         NULL};

const char *const names_cycles[] = {
    [STARFISH_CYCLE_V] = "v", [STARFISH_CYCLE_F] = "f", [STARFISH_CYCLE_W] = "w", [STARFISH_CYCLE_FMG] = "fmg", NULL};

const char *const names_matrices[] = {
    [STARFISH_MATRIX_AUTO] = "auto", [STARFISH_MATRIX_STORED] = "stored", [STARFISH_MATRIX_TENSOR] = "tensor", NULL};

const char *const names_storages[] = {
    [STARFISH_STORAGE_INNER] = "inner", [STARFISH_STORAGE_F16] = "f16", [STARFISH_STORAGE_BF16] = "bf16", NULL};

const char *const names_iterations[] = {"none", "cg", NULL};

const char *const names_algorithms[] = {[STARFISH_ALGORITHM_AUTO] = "auto",
                                        [STARFISH_ALGORITHM_THOMAS] = "thomas",
                                        [STARFISH_ALGORITHM_TILED] = "tiled",
                                        [STARFISH_ALGORITHM_CR] = "cr",
                                        [STARFISH_ALGORITHM_PCR] = "pcr",
                                        [STARFISH_ALGORITHM_CR_PCR] = "cr-pcr",
                                        [STARFISH_ALGORITHM_PCR_THOMAS] = "pcr-thomas",
                                        [STARFISH_ALGORITHM_PIVOTED] = "pivoted",
                                        [STARFISH_BATCH_CR_IN_PLACE] = "cr-in-place",
                                        NULL};

const char *const names_layouts[] = {"contiguous", "interleaved", NULL};

const char *const names_coefficients[] = {
    [BATCH_GENERAL] = "general", [BATCH_SHARED] = "shared", [BATCH_SHIFTED] = "shifted", NULL};

const char *const names_workers[] = {[STARFISH_CPU] = "cpu", [STARFISH_GPU] = "gpu", NULL};

size_t names_index(const char *const *names, const char *name)
{
    size_t index = 0;
    while (names[index] && strcmp(names[index], name) != 0)
        ++index;
    return index;
}
