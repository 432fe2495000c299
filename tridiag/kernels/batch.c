/* What algorithm a batch is solved by, and the memory that takes.
 *
 * Measured on an H200, microseconds, f32, general coefficients, each algorithm at the same data (TILED once more
 * later): n    lines  layout        tiled  cr_pcr      cr     pcr  pcr_thomas  thomas 16  4194304  interleaved     350
 * 6251    6836    5759        4930     735 128  1048576  interleaved     731   12594   12440   13677       13577 1653
 *     256     1024  contiguous      5.5     9.3    12.7    16.9        13.9     175
 *     512      512  contiguous      5.3    10.0    13.0    19.5        16.4     341
 *     512      512  interleaved     5.7    16.8    20.2    25.9        22.5     428
 *     512   262144  contiguous      645    3384    5152    8058        6390   22837
 *     512   262144  interleaved     778    6736    7373   10352        8773    1818
 *    1024    16384  contiguous       94     508     734    1334        1089     922
 *    2048    65536  contiguous      671    4960    6891    7346        6089    8782
 *    2048    65536  interleaved    1546    8305   10182   10398        9185    3026
 * so there is no crossover. */
#include "tridiag/kernels/batch.h"

#include "tridiag/kernels/batch_border.h"

enum { SHARED_BYTES = 227 * 1024, MOST_ROWS = 8192 };

int starfish_batch_choose_cpu(const struct starfish_batch *batch)
{
    return batch->algorithm == STARFISH_ALGORITHM_AUTO || batch->algorithm == STARFISH_ALGORITHM_TILED
               ? STARFISH_ALGORITHM_THOMAS
               : batch->algorithm;
}

int starfish_batch_choose_cuda(const struct starfish_batch *batch)
{
    return batch->algorithm == STARFISH_ALGORITHM_AUTO ? STARFISH_ALGORITHM_TILED : batch->algorithm;
}

size_t starfish_batch_longest_cuda(int algorithm, size_t real_size)
{
    /* Rows of 3 reals; CR stored apart pads each level by a round of banks at most. */
    const size_t levels = 16, banks = 128 / real_size, rows = SHARED_BYTES / (3 * real_size) - levels * banks;

    switch (algorithm) {
    case STARFISH_ALGORITHM_CR:
    case STARFISH_ALGORITHM_CR_PCR:
    case STARFISH_ALGORITHM_PCR:
    case STARFISH_ALGORITHM_PCR_THOMAS:
    case STARFISH_BATCH_CR_IN_PLACE:
        return rows < MOST_ROWS ? rows : MOST_ROWS;
    default:
        return SIZE_MAX;
    }
}

size_t starfish_batch_first_line(size_t lines, size_t runs, size_t run)
{
    const size_t each = lines / runs, together = each >= 32 ? 32 : each >= 8 ? 8 : 1, groups = lines / together;
    const size_t longer = groups % runs; /* the first runs have a group more */

    return run == runs ? lines : (groups / runs * run + (run < longer ? run : longer)) * together;
}

static void *moved(const void *array, size_t bytes)
{
    return array ? (char *)(uintptr_t)array + bytes : NULL;
}

struct starfish_batch starfish_batch_run(const struct starfish_batch *batch, size_t first, size_t lines,
                                         size_t real_size)
{
    const size_t coefficients = first * batch->coefficients.line * real_size;
    const size_t vectors = first * batch->vectors.line * real_size;
    const size_t kept = starfish_batch_matrices(batch) > 1 ? first : 0;
    struct starfish_batch run = *batch;

    run.lines = lines;
    run.whole_lines = batch->whole_lines ? batch->whole_lines : batch->lines;
    run.lower = moved(batch->lower, coefficients);
    run.diag = moved(batch->diag, coefficients);
    run.upper = moved(batch->upper, coefficients);
    run.shift = moved(batch->shift, first * real_size);
    run.factors = moved(batch->factors, kept * real_size);
    run.border = moved(batch->border, kept * real_size);
    run.growth = moved(batch->growth, kept * sizeof *batch->growth);
    run.input = moved(batch->input, vectors);
    run.output = moved(batch->output, vectors);
    return run;
}

size_t starfish_batch_workspace_cpu(const struct starfish_batch *batch, size_t real_size)
{
    size_t (*const open)(const struct starfish_batch *) =
        real_size == sizeof(float) ? starfish_batch_open_workspace_cpu_f32 : starfish_batch_open_workspace_cpu_f64;
    const struct starfish_batch border = starfish_batch_border(batch);
    const size_t own = open(batch), of_border = batch->periodic ? open(&border) : 0;

    return own > of_border ? own : of_border;
}

size_t starfish_batch_workspace_cuda(const struct starfish_batch *batch, size_t real_size)
{
#ifdef STARFISH_CUDA
    size_t (*const open)(const struct starfish_batch *) =
        real_size == sizeof(float) ? starfish_batch_open_workspace_cuda_f32 : starfish_batch_open_workspace_cuda_f64;
    const struct starfish_batch border = starfish_batch_border(batch);
    const size_t own = open(batch), of_border = batch->periodic ? open(&border) : 0;
    const size_t factors = batch->periodic ? batch->lines * batch->columns * real_size : 0;
    const size_t solve = own > factors ? own : factors;

    return solve > of_border ? solve : of_border;
#else
    (void)batch;
    (void)real_size;
    return 0;
#endif
}
