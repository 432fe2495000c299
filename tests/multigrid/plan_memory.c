/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What plans of all kinds say of memory: the same before they are made and after; and of a GPU alone that no more is
 * taken for good than was said, that a solve runs with as little memory as was said to be enough, and that a plan that
 * is given half of it is refused with the bytes. 77 where there is no GPU.
 *
 *     plan_memory          a core's plans
 *     plan_memory gpu      each limit in a process of its own, since StarPU reads it once */
#include "tests/common/check.h"
#include "tests/common/context.h"

#include <starfish/starfish.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N = 48, PLANE = 257, LINES = 16384, ROWS = 64, MEGABYTE = 1 << 20, PATIENCE = 20, SKIPPED = 77 };
enum { MOST = LINES * ROWS };

/* Arrays that are the same for all: ones, and unit widths. */
static double *ones, *rhs, *solution;

struct kind {
    const char *name;
    starfish_status (*memory)(starfish_context *context, struct starfish_memory *memory);
    /* Makes a plan and looks at it; with `solves` solves once. */
    starfish_status (*use)(starfish_context *context, int solves, struct starfish_memory *memory);
};

/* ---- Q1 ---------------------------------------------------------------------------------------------------------- */

static struct starfish_q1_problem q1_problem(void)
{
    return (struct starfish_q1_problem){
        .elements = {PLANE - 1, PLANE - 1},
        .width = {ones, ones},
        .ends = {{STARFISH_DIRICHLET, STARFISH_DIRICHLET}, {STARFISH_DIRICHLET, STARFISH_DIRICHLET}}};
}

static struct starfish_multigrid_options q1_options(void)
{
    struct starfish_multigrid_options options = STARFISH_MULTIGRID_OPTIONS_DEFAULTS;
    options.matrix = STARFISH_MATRIX_STORED;
    return options;
}

static starfish_status q1_memory(starfish_context *context, struct starfish_memory *memory)
{
    const struct starfish_q1_problem problem = q1_problem();
    const struct starfish_multigrid_options options = q1_options();
    return starfish_q1_memory(context, &problem, &options, memory);
}

static starfish_status use_multigrid(starfish_plan *plan, int solves, struct starfish_memory *memory)
{
    starfish_status status = starfish_plan_memory(plan, memory);
    if (status == STARFISH_SUCCESS && solves)
        status = starfish_plan_solve(plan, NULL, rhs, solution, NULL);
    starfish_plan_destroy(plan);
    return status;
}

static starfish_status use_q1(starfish_context *context, int solves, struct starfish_memory *memory)
{
    const struct starfish_q1_problem problem = q1_problem();
    const struct starfish_multigrid_options options = q1_options();
    starfish_plan *plan;
    const starfish_status status = starfish_q1_plan_create(context, &problem, &options, &plan);
    return status == STARFISH_SUCCESS ? use_multigrid(plan, solves, memory) : status;
}

/* ---- Seven-point differences ------------------------------------------------------------------------------------- */

static struct starfish_stencil_problem stencil_problem(void)
{
    struct starfish_stencil_problem problem = {.grid = STARFISH_CELL};
    for (int d = 0; d < 3; d++) {
        problem.n[d] = N;
        problem.width[d] = ones;
        problem.ends[d][0] = problem.ends[d][1] = STARFISH_DIRICHLET;
    }
    return problem;
}

static struct starfish_multigrid_options stencil_options(void)
{
    struct starfish_multigrid_options options = STARFISH_MULTIGRID_OPTIONS_DEFAULTS;
    options.krylov = STARFISH_KRYLOV_CG;
    options.mixed = 1;
    return options;
}

static starfish_status stencil_memory(starfish_context *context, struct starfish_memory *memory)
{
    const struct starfish_stencil_problem problem = stencil_problem();
    const struct starfish_multigrid_options options = stencil_options();
    return starfish_stencil_memory(context, &problem, &options, memory);
}

static starfish_status use_stencil(starfish_context *context, int solves, struct starfish_memory *memory)
{
    const struct starfish_stencil_problem problem = stencil_problem();
    const struct starfish_multigrid_options options = stencil_options();
    starfish_plan *plan;
    const starfish_status status = starfish_stencil_plan_create(context, &problem, &options, &plan);
    return status == STARFISH_SUCCESS ? use_multigrid(plan, solves, memory) : status;
}

/* ---- Diffusion --------------------------------------------------------------------------------------------------- */

static struct starfish_diffusion_problem diffusion_problem(void)
{
    struct starfish_diffusion_problem problem = {.dimensions = 3, .constant_coefficient = 1};
    for (int d = 0; d < 3; d++) {
        problem.n[d] = N;
        problem.length[d] = 1;
        problem.ends[d][0] = problem.ends[d][1] = STARFISH_DIRICHLET;
    }
    return problem;
}

static starfish_status diffusion_memory(starfish_context *context, const struct starfish_diffusion_options *options,
                                        struct starfish_memory *memory)
{
    const struct starfish_diffusion_problem problem = diffusion_problem();
    return starfish_diffusion_memory(context, &problem, options, memory);
}

static starfish_status use_diffusion(starfish_context *context, const struct starfish_diffusion_options *options,
                                     int solves, struct starfish_memory *memory)
{
    const struct starfish_diffusion_problem problem = diffusion_problem();
    starfish_plan *plan;
    starfish_status status = starfish_diffusion_plan_create(context, &problem, options, &plan);
    if (status != STARFISH_SUCCESS)
        return status;
    status = starfish_plan_memory(plan, memory);
    if (status == STARFISH_SUCCESS && solves)
        status = starfish_plan_solve(plan, NULL, rhs, solution, NULL);
    starfish_plan_destroy(plan);
    return status;
}

static struct starfish_diffusion_options deflated(void)
{
    struct starfish_diffusion_options options = STARFISH_DIFFUSION_OPTIONS_DEFAULTS;
    options.preconditioner = STARFISH_PRECONDITIONER_IP;
    options.deflation = STARFISH_DEFLATION_BLOCKS;
    options.vectors = 4;
    return options;
}

static starfish_status deflated_memory(starfish_context *context, struct starfish_memory *memory)
{
    const struct starfish_diffusion_options options = deflated();
    return diffusion_memory(context, &options, memory);
}

static starfish_status use_deflated(starfish_context *context, int solves, struct starfish_memory *memory)
{
    const struct starfish_diffusion_options options = deflated();
    return use_diffusion(context, &options, solves, memory);
}

static starfish_status cycles_memory(starfish_context *context, struct starfish_memory *memory)
{
    return diffusion_memory(context, NULL, memory);
}

static starfish_status use_cycles(starfish_context *context, int solves, struct starfish_memory *memory)
{
    return use_diffusion(context, NULL, solves, memory);
}

/* ---- Flat domains ------------------------------------------------------------------------------------------------ */

static struct starfish_atmosphere_problem atmosphere_problem(void)
{
    return (struct starfish_atmosphere_problem){
        .n = {N, N, N}, .length = {1, 1}, .height = 0.1, .omega = 0.1, .lambda = 1};
}

static starfish_status atmosphere_memory(starfish_context *context, struct starfish_memory *memory)
{
    const struct starfish_atmosphere_problem problem = atmosphere_problem();
    return starfish_atmosphere_memory(context, &problem, NULL, memory);
}

static starfish_status use_atmosphere(starfish_context *context, int solves, struct starfish_memory *memory)
{
    const struct starfish_atmosphere_problem problem = atmosphere_problem();
    starfish_plan *plan;
    starfish_status status = starfish_atmosphere_plan_create(context, &problem, NULL, &plan);
    if (status != STARFISH_SUCCESS)
        return status;
    status = starfish_plan_memory(plan, memory);
    if (status == STARFISH_SUCCESS && solves)
        status = starfish_plan_solve(plan, NULL, rhs, solution, NULL);
    starfish_plan_destroy(plan);
    return status;
}

/* ---- Batches ----------------------------------------------------------------------------------------------------- */

static struct starfish_tridiag_problem batch_problem(void)
{
    static double coefficient[3][ROWS];
    for (int k = 0; k < ROWS; k++) {
        coefficient[0][k] = coefficient[2][k] = 1;
        coefficient[1][k] = -3;
    }
    return (struct starfish_tridiag_problem){.n = ROWS,
                                             .lines = LINES,
                                             .rhs = 1,
                                             .periodic = 1,
                                             .lower = coefficient[0],
                                             .diag = coefficient[1],
                                             .upper = coefficient[2],
                                             .coefficients = {1, 0},
                                             .vectors = {1, ROWS}};
}

static starfish_status batch_memory(starfish_context *context, struct starfish_memory *memory)
{
    const struct starfish_tridiag_problem problem = batch_problem();
    return starfish_tridiag_memory(context, &problem, NULL, memory);
}

static starfish_status use_batch(starfish_context *context, int solves, struct starfish_memory *memory)
{
    const struct starfish_tridiag_problem problem = batch_problem();
    starfish_plan *plan;
    starfish_status status = starfish_tridiag_plan_create(context, &problem, NULL, &plan);
    if (status != STARFISH_SUCCESS)
        return status;
    status = starfish_plan_memory(plan, memory);
    if (status == STARFISH_SUCCESS && solves)
        status = starfish_plan_solve(plan, NULL, rhs, solution, NULL);
    starfish_plan_destroy(plan);
    return status;
}

/* ---- All of them ------------------------------------------------------------------------------------------------- */

static const struct kind kinds[] = {
    {"Q1 grids", q1_memory, use_q1},
    {"seven-point differences, mixed", stencil_memory, use_stencil},
    {"diffusion, deflated", deflated_memory, use_deflated},
    {"diffusion, multigrid", cycles_memory, use_cycles},
    {"flat domains", atmosphere_memory, use_atmosphere},
    {"batches of lines", batch_memory, use_batch},
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

static int fails(const struct kind *kind, const char *what)
{
    printf("%s: %s: %s\n", kind->name, what, starfish_error_message());
    fflush(stdout);
    return 1;
}

static int on_a_core(const struct kind *kind, starfish_context *context)
{
    struct starfish_memory before, after;
    if (kind->memory(context, &before) != STARFISH_SUCCESS || kind->use(context, 1, &after) != STARFISH_SUCCESS)
        return fails(kind, "on a core");
    if (before.main_bytes != after.main_bytes || before.main_bytes == 0 || before.gpu_least != 0 ||
        before.gpu_there != 0)
        return fails(kind, "before and after differ");
    return kind->memory(context, NULL) == STARFISH_ERROR_ARGUMENT ? 0 : fails(kind, "no struct");
}

/* Of 1024 vectors a dense inverse takes 8 MiB, and a band or halves of it a fraction: each counts what it has. */
static int deflation_counts_its_form(starfish_context *context)
{
    static const char *const forms[] = {"dense", "band", "halves"};
    const struct kind kind = {"forms of deflation", NULL, NULL};
    const struct starfish_diffusion_problem problem = {
        .dimensions = 2,
        .n = {128, 128},
        .length = {1, 1},
        .ends = {{STARFISH_DIRICHLET, STARFISH_DIRICHLET}, {STARFISH_DIRICHLET, STARFISH_DIRICHLET}},
        .constant_coefficient = 1};
    size_t bytes[3];
    for (int f = 0; f < 3; f++) {
        struct starfish_memory memory;
        struct starfish_diffusion_options options = deflated();
        options.vectors = 32;
        if (starfish_diffusion_option_set(&options, "coarse", forms[f]) != STARFISH_SUCCESS ||
            starfish_diffusion_memory(context, &problem, &options, &memory) != STARFISH_SUCCESS)
            return fails(&kind, "memory");
        bytes[f] = memory.main_bytes;
    }
    if (bytes[0] < bytes[1] + 7 * MEGABYTE || bytes[0] < bytes[2] + 5 * MEGABYTE || bytes[2] <= bytes[1])
        return fails(&kind, "bytes");
    return 0;
}

static int all_on_a_core(void)
{
    int failed = 0;
    starfish_context *context = test_context(0, 1, 0);
    if (!context)
        return 1;
    failed += deflation_counts_its_form(context);
    for (int k = 0; k < KINDS; k++)
        failed += on_a_core(&kinds[k], context);
    starfish_context_destroy(context);
    return failed > 0;
}

/* ---- With little memory of a GPU --------------------------------------------------------------------------------- */

static size_t room_of(starfish_context *context)
{
    size_t bytes = 0;
    starfish_context_worker_memory(context, starfish_context_workers(context) - 1, &bytes);
    return bytes;
}

enum wanted { TELLS, SOLVES, IS_REFUSED };

/* In a process of its own. *least: what it said, where it TELLS. */
static int run(const struct kind *kind, enum wanted wanted, size_t *least)
{
    struct starfish_memory before, after;
    struct starfish_context_options options = STARFISH_CONTEXT_OPTIONS_DEFAULTS;
    starfish_context *context;
    options.cpu_workers = 0;
    options.gpu_workers = 1;
    options.patience_seconds = PATIENCE;
    if (starfish_context_create(&context, &options) != STARFISH_SUCCESS)
        return fails(kind, "context");
    const size_t room = room_of(context);
    if (kind->memory(context, &before) != STARFISH_SUCCESS)
        return fails(kind, "memory");
    *least = before.gpu_least;
    const starfish_status status = kind->use(context, wanted != IS_REFUSED, &after);
    printf("%s: %zu bytes of %zu, work space %zu: %s\n", kind->name, before.gpu_least, room, before.gpu_work,
           status == STARFISH_SUCCESS ? "solved" : starfish_error_message());
    if (wanted == IS_REFUSED && (status != STARFISH_ERROR_MEMORY || !strstr(starfish_error_message(), "bytes")))
        return fails(kind, "not refused");
    if (wanted != IS_REFUSED && status != STARFISH_SUCCESS)
        return fails(kind, "not solved");
    if (wanted != IS_REFUSED && (after.gpu_least != before.gpu_least || after.gpu_work != before.gpu_work))
        return fails(kind, "before and after differ");
    starfish_context_destroy(context);
    return 0;
}

static int in_a_process(const struct kind *kind, enum wanted wanted, size_t megabytes, size_t *least)
{
    int status = 1, pipes[2];
    char text[32];
    if (pipe(pipes) != 0)
        return 1;
    const pid_t child = fork();
    if (child == 0) {
        alarm(4 * PATIENCE);
        snprintf(text, sizeof text, "%zu", megabytes);
        if (megabytes > 0)
            setenv("STARPU_LIMIT_CUDA_MEM", text, 1);
        const int failed = run(kind, wanted, least);
        fflush(stdout);
        _exit(failed || write(pipes[1], least, sizeof *least) != sizeof *least);
    }
    close(pipes[1]);
    const ssize_t got = read(pipes[0], least, sizeof *least);
    close(pipes[0]);
    waitpid(child, &status, 0);
    return got != sizeof *least || !WIFEXITED(status) || WEXITSTATUS(status) != 0;
}

static int has_device(void)
{
    int status = 1;
    const pid_t child = fork(); /* CUDA does not survive a fork */
    if (child == 0) {
        starfish_context *context = test_context(1, 0, 0);
        _exit(context ? 0 : 1);
    }
    waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* The limit also counts what StarPU itself keeps there. */
static int all_on_a_gpu(void)
{
    enum { SPARE = 2 };
    int failed = 0;
    if (!has_device())
        return SKIPPED;
    for (int k = 0; k < KINDS; k++) {
        size_t least = 0, again = 0;
        failed += in_a_process(&kinds[k], TELLS, 1000, &least);
        failed += in_a_process(&kinds[k], SOLVES, least / MEGABYTE + SPARE, &again);
        failed += in_a_process(&kinds[k], IS_REFUSED, least / MEGABYTE / 2, &again);
    }
    return failed > 0;
}

int main(int argc, char **argv)
{
    ones = malloc(MOST * sizeof *ones);
    rhs = malloc(MOST * sizeof *rhs);
    solution = malloc(MOST * sizeof *solution);
    if (!ones || !rhs || !solution)
        return 1;
    for (size_t i = 0; i < MOST; i++)
        ones[i] = rhs[i] = 1;
    const int failed = argc > 1 && strcmp(argv[1], "gpu") == 0 ? all_on_a_gpu() : all_on_a_core();
    free(ones), free(rhs), free(solution);
    return failed;
}
