/* SPDX-License-Identifier: LGPL-2.1-or-later */
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

typedef size_t open_workspace(const struct starfish_batch *);

/* One system for each matrix, of the border or of a trial; a border adds a factor for each. */
static size_t workspace_of_matrices(const struct starfish_batch *batch, size_t real_size, open_workspace *open)
{
    enum { CACHE_LINE = 64 };
    const struct starfish_batch border = starfish_batch_border(batch);
    const size_t own = open(&border), factors = border.lines * real_size, most = own > factors ? own : factors;

    return (most + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
}

/* So many matrices are tried at a time. */
static size_t workspace(const struct starfish_batch *batch, size_t real_size, open_workspace *open, size_t tried)
{
    const size_t of_matrices = workspace_of_matrices(batch, real_size, open);
    const size_t prepare = batch->growth                      ? of_matrices + tried * batch->n * real_size
                           : starfish_batch_has_border(batch) ? of_matrices
                                                              : 0;
    const size_t own = open(batch), factors = starfish_batch_has_border(batch) ? batch->lines * batch->columns : 0;
    const size_t solve = own > factors * real_size ? own : factors * real_size;

    return solve > prepare ? solve : prepare;
}

static struct starfish_batch trial(const struct starfish_batch *batch, size_t real_size, open_workspace *open)
{
    struct starfish_batch trial = starfish_batch_border(batch);

    trial.vectors.row = trial.lines;
    trial.growth = NULL;
    trial.input = trial.output = (char *)batch->workspace + workspace_of_matrices(batch, real_size, open);
    return trial;
}

static open_workspace *open_cpu(size_t real_size)
{
    return real_size == sizeof(float) ? starfish_batch_open_workspace_cpu_f32 : starfish_batch_open_workspace_cpu_f64;
}

size_t starfish_batch_workspace_cpu(const struct starfish_batch *batch, size_t real_size)
{
    return workspace(batch, real_size, open_cpu(real_size), 1);
}

struct starfish_batch starfish_batch_trial_cpu(const struct starfish_batch *batch, size_t real_size)
{
    return trial(batch, real_size, open_cpu(real_size));
}

#ifdef STARFISH_CUDA
static open_workspace *open_cuda(size_t real_size)
{
    return real_size == sizeof(float) ? starfish_batch_open_workspace_cuda_f32 : starfish_batch_open_workspace_cuda_f64;
}

size_t starfish_batch_workspace_cuda(const struct starfish_batch *batch, size_t real_size)
{
    return workspace(batch, real_size, open_cuda(real_size), starfish_batch_matrices(batch));
}

struct starfish_batch starfish_batch_trial_cuda(const struct starfish_batch *batch, size_t real_size)
{
    return trial(batch, real_size, open_cuda(real_size));
}
#else
size_t starfish_batch_workspace_cuda(const struct starfish_batch *batch, size_t real_size)
{
    (void)batch;
    (void)real_size;
    return 0;
}
#endif
