/* The campaign over kinds of solves: a table, of which each row is tried as often as asked for.
 *
 *     campaign_kinds [--kind NAME] [--seed S] [--count N] [--first K | --only K] [--workers cpu:N[,gpu:M]] [--verbose]
 *
 * Exit status 0 when all held, 1 when not, 2 for bad usage, 77 without the GPU that is asked for. */
#include "kind.h"

#include <stdlib.h>
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
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

static const char *const held_text[CAMPAIGN_HELDS] = {"right", "refused", "without an answer", "error beyond the bound",
                                                      "wrote beside the unknowns"};

struct arguments {
    const char *kind;
    uint64_t seed, first, count;
    int cpus, gpus, verbose;
};

static int read_number(const char *text, uint64_t *value)
{
    char *end;
    *value = strtoull(text, &end, 10);
    return *text != 0 && *end == 0;
}

static int read_workers(const char *text, struct arguments *a)
{
    a->gpus = 0;
    if (sscanf(text, "cpu:%d,gpu:%d", &a->cpus, &a->gpus) >= 1)
        return 1;
    a->cpus = 0;
    return sscanf(text, "gpu:%d", &a->gpus) == 1;
}

static int is_kind(const char *name)
{
    for (size_t k = 0; k < KINDS; k++)
        if (strcmp(name, kinds[k].name) == 0)
            return 1;
    return 0;
}

static int read_arguments(int argc, char **argv, struct arguments *a)
{
    *a = (struct arguments){.seed = 1, .count = 400, .cpus = 1};
    for (int i = 1; i < argc; i++) {
        const char *name = argv[i], *value = i + 1 < argc ? argv[i + 1] : "";
        int known;
        if (strcmp(name, "--verbose") == 0) {
            a->verbose = 1;
            continue;
        }
        if (strcmp(name, "--seed") == 0)
            known = read_number(value, &a->seed);
        else if (strcmp(name, "--count") == 0)
            known = read_number(value, &a->count);
        else if (strcmp(name, "--first") == 0)
            known = read_number(value, &a->first);
        else if (strcmp(name, "--only") == 0)
            known = read_number(value, &a->first) && (a->count = 1);
        else if (strcmp(name, "--kind") == 0)
            known = is_kind(a->kind = value);
        else
            known = strcmp(name, "--workers") == 0 && read_workers(value, a);
        if (!known)
            return 0;
        i++;
    }
    return 1;
}

/* How many did not hold. */
static uint64_t run_kind(starfish_context *context, const struct campaign_kind *kind, const struct arguments *a)
{
    uint64_t tally[CAMPAIGN_HELDS] = {0};
    double worst[2] = {0, 0};
    for (uint64_t k = a->first; k < a->first + a->count; k++) {
        struct campaign_trial t = {.seed = a->seed, .index = k};
        kind->run(context, kind, &t);
        tally[t.held]++;
        if (t.held == CAMPAIGN_HELD && t.error > worst[t.precision])
            worst[t.precision] = t.error;
        if (a->verbose || t.held >= CAMPAIGN_BEYOND)
            printf("%s --seed %llu --only %llu: %s, %s, error %.3g, bound %.3g; %s\n", kind->name,
                   (unsigned long long)a->seed, (unsigned long long)k, t.precision == STARFISH_F32 ? "f32" : "f64",
                   held_text[t.held], t.error, t.bound, t.what);
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
    starfish_context *context;
    uint64_t wrong = 0;
    if (!read_arguments(argc, argv, &a)) {
        fprintf(stderr, "usage: campaign_kinds [--kind NAME] [--seed S] [--count N] [--first K | --only K] "
                        "[--workers cpu:N[,gpu:M]] [--verbose]\n");
        return 2;
    }
    struct starfish_context_options options = STARFISH_CONTEXT_OPTIONS_DEFAULTS;
    options.cpu_workers = a.cpus;
    options.gpu_workers = a.gpus;
    if (starfish_context_create(&context, &options) != STARFISH_SUCCESS) {
        fprintf(stderr, "%s\n", starfish_error_message());
        return a.gpus > 0 ? 77 : 2; /* skipped where there is no GPU */
    }
    printf("seed %llu, trials %llu .. %llu of each kind\n", (unsigned long long)a.seed, (unsigned long long)a.first,
           (unsigned long long)(a.first + a.count - 1));
    for (size_t k = 0; k < KINDS; k++)
        if (!a.kind || strcmp(a.kind, kinds[k].name) == 0)
            wrong += run_kind(context, &kinds[k], &a);
    starfish_context_destroy(context);
    return wrong > 0;
}
