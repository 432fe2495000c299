/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The campaign over kinds of solves: a table, of which each row is tried as often as asked for.
 *
 *     campaign_kinds [--kind NAME] [--seed S] [--count N] [--first K | --only K] [--workers cpu:N[,gpu:M]] [--verbose]
 *
 * Exit status 0 when all held, 1 when not, 2 for bad usage, 77 without the GPU that is asked for. */
#include "arguments.h"
#include "kind.h"
#include "tests/common/context.h"

#include <string.h>

static const struct campaign_kind kinds[] = {
    {.name = "complex", .run = campaign_run_dressed, .complex_numbers = 1},
    {.name = "boundary", .run = campaign_run_dressed, .boundary = 1},
    {.name = "strides", .run = campaign_run_dressed, .strides = 1},
    {.name = "ghosts", .run = campaign_run_dressed, .strides = 1, .ghosts = 1},
    {.name = "many", .run = campaign_run_dressed, .many = 1},
    {.name = "many-strides", .run = campaign_run_dressed, .many = 1, .strides = 1, .boundary = 1},
    {.name = "multigrid", .run = campaign_run_dressed, .multigrid = 1},
    {.name = "batches", .run = campaign_run_batch},
    {.name = "checked-batches", .run = campaign_run_batch, .any_matrix = 1},
    {.name = "q1", .run = campaign_run_q1},
    {.name = "complex-lines", .run = campaign_run_complex_lines},
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

static const char *const held_text[CAMPAIGN_HELDS] = {"right", "refused", "without an answer", "error beyond the bound",
                                                      "wrote beside the unknowns"};

struct arguments {
    struct campaign_arguments common;
    const char *kind;
};

static int is_kind(const char *name)
{
    for (size_t k = 0; k < KINDS; k++)
        if (strcmp(name, kinds[k].name) == 0)
            return 1;
    return 0;
}

static int read_arguments(int argc, char **argv, struct arguments *a)
{
    *a = (struct arguments){.common = CAMPAIGN_ARGUMENTS_DEFAULTS};
    for (int i = 1, taken; i < argc; i += taken) {
        const char *name = argv[i], *value = i + 1 < argc ? argv[i + 1] : "";
        if (strcmp(name, "--kind") == 0)
            taken = is_kind(a->kind = value) ? 2 : 0;
        else
            taken = campaign_argument(&a->common, name, value);
        if (taken == 0)
            return 0;
    }
    return 1;
}

/* How many did not hold. */
static uint64_t run_kind(starfish_context *context, const struct campaign_kind *kind, const struct arguments *a)
{
    uint64_t tally[CAMPAIGN_HELDS] = {0};
    double worst[2] = {0, 0};
    for (uint64_t k = a->common.first; k < a->common.first + a->common.count; k++) {
        struct campaign_trial t = {.seed = a->common.seed, .index = k};
        kind->run(context, kind, &t);
        tally[t.held]++;
        if (t.held == CAMPAIGN_HELD && t.error > worst[t.precision])
            worst[t.precision] = t.error;
        if (a->common.verbose || t.held >= CAMPAIGN_BEYOND)
            printf("%s --seed %llu --only %llu: %s, %s, error %.3g, bound %.3g, bits %016llx; %s\n", kind->name,
                   (unsigned long long)a->common.seed, (unsigned long long)k,
                   t.precision == STARFISH_F32 ? "f32" : "f64", held_text[t.held], t.error, t.bound,
                   (unsigned long long)t.bits, t.what);
    }
    printf("%-14s", kind->name);
    for (int h = 0; h < CAMPAIGN_HELDS; h++)
        printf(" %s: %llu;", held_text[h], (unsigned long long)tally[h]);
    printf(" largest error of right ones: %.2g (f64), %.2g (f32)\n", worst[STARFISH_F64], worst[STARFISH_F32]);
    fflush(stdout);
    return tally[CAMPAIGN_BEYOND] + tally[CAMPAIGN_TOUCHED];
}

int main(int argc, char **argv)
{
    struct arguments a;
    uint64_t wrong = 0;
    if (!read_arguments(argc, argv, &a)) {
        fprintf(stderr, "usage: campaign_kinds [--kind NAME] [--seed S] [--count N] [--first K | --only K] "
                        "[--workers cpu:N[,gpu:M]] [--verbose]\n");
        return 2;
    }
    starfish_context *context = test_context(a.common.gpus, a.common.cpus, 0);
    if (!context)
        return a.common.gpus > 0 ? 77 : 2; /* skipped where there is no GPU */
    printf("seed %llu, trials %llu .. %llu of each kind\n", (unsigned long long)a.common.seed,
           (unsigned long long)a.common.first, (unsigned long long)(a.common.first + a.common.count - 1));
    for (size_t k = 0; k < KINDS; k++)
        if (!a.kind || strcmp(a.kind, kinds[k].name) == 0)
            wrong += run_kind(context, &kinds[k], &a);
    starfish_context_destroy(context);
    return wrong > 0;
}
