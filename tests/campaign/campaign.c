/* The campaign of random solves as a program: what was tried, what held, and every case that did not, as a problem that
 * can be repeated alone. Exit status 0 when all held, 1 when not, 2 for bad usage. */
#include "judge.h"

#include <stdlib.h>
#include <string.h>

struct arguments {
    uint64_t seed, first, count;
    unsigned methods;
    int cpus, gpus, verbose, either;
};

struct tally {
    uint64_t of[CAMPAIGN_METHODS][CAMPAIGN_VERDICTS], unusable;
    double worst[CAMPAIGN_METHODS][2]; /* error in f32 and in f64, of those that are right */
};

static const char *const method_names[CAMPAIGN_METHODS] = {"auto", "slab", "blktri", "blktri-product"};

static int usage(void)
{
    fprintf(stderr, "usage: campaign [--seed S] [--count N] [--first K | --only K] [--method M] "
                    "[--workers cpu:N[,gpu:M]] [--either] [--verbose]\n"
                    "--either: a result that keeps one of the two bounds counts as right\n");
    return 2;
}

static int read_number(const char *text, uint64_t *value)
{
    char *end;
    *value = strtoull(text, &end, 10);
    return *text != 0 && *end == 0;
}

static int read_method(const char *text, unsigned *methods)
{
    for (unsigned m = 0; m < CAMPAIGN_METHODS; m++)
        if (strcmp(text, method_names[m]) == 0) {
            *methods = 1u << m;
            return 1;
        }
    return 0;
}

static int read_workers(const char *text, struct arguments *a)
{
    a->gpus = 0;
    if (sscanf(text, "cpu:%d,gpu:%d", &a->cpus, &a->gpus) >= 1)
        return 1;
    a->cpus = 0;
    return sscanf(text, "gpu:%d", &a->gpus) == 1;
}

static int read_arguments(int argc, char **argv, struct arguments *a)
{
    *a = (struct arguments){.seed = 1, .count = 400, .methods = (1u << CAMPAIGN_METHODS) - 1, .cpus = 1};
    for (int i = 1; i < argc; i++) {
        const char *name = argv[i], *value = i + 1 < argc ? argv[i + 1] : "";
        int known = 1;
        if (strcmp(name, "--verbose") == 0) {
            a->verbose = 1;
            continue;
        }
        if (strcmp(name, "--either") == 0) {
            a->either = 1;
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
        else if (strcmp(name, "--method") == 0)
            known = read_method(value, &a->methods);
        else
            known = strcmp(name, "--workers") == 0 && read_workers(value, a);
        if (!known)
            return 0;
        i++;
    }
    return 1;
}

static int holds(enum campaign_verdict verdict)
{
    return verdict == CAMPAIGN_RIGHT || verdict == CAMPAIGN_REFUSED;
}

static void print_outcome(const struct campaign_judgement *j, int m)
{
    const struct campaign_outcome *o = &j->outcome[m];
    printf("  %s (%s): %s, error %.3g, best %.3g, condition %.3g%s%s\n", method_names[m], o->method,
           campaign_verdict_text[o->verdict], o->error, j->best, j->condition, o->message[0] ? "; " : "", o->message);
}

static void count(const struct arguments *a, const struct campaign_problem *p, const struct campaign_judgement *j,
                  struct tally *tally)
{
    int printed = 0;
    if (!j->usable) {
        tally->unusable++;
        return;
    }
    for (int m = 0; m < CAMPAIGN_METHODS; m++) {
        const struct campaign_outcome *o = &j->outcome[m];
        if (!(a->methods >> m & 1))
            continue;
        tally->of[m][o->verdict]++;
        if (o->verdict == CAMPAIGN_RIGHT && o->error > tally->worst[m][p->precision])
            tally->worst[m][p->precision] = o->error;
        if (holds(o->verdict) && !a->verbose)
            continue;
        if (!printed++)
            printf("case --seed %llu --only %llu\n", (unsigned long long)p->seed, (unsigned long long)p->index);
        print_outcome(j, m);
    }
    if (printed)
        campaign_problem_print(stdout, p);
}

/* What was tried and what held; returns the number of cases that did not. */
static uint64_t report(const struct arguments *a, const struct tally *tally)
{
    uint64_t wrong = 0;
    printf("seed %llu, problems %llu .. %llu, %llu of them without an answer to compare with\n",
           (unsigned long long)a->seed, (unsigned long long)a->first, (unsigned long long)(a->first + a->count - 1),
           (unsigned long long)tally->unusable);
    for (int m = 0; m < CAMPAIGN_METHODS; m++) {
        if (!(a->methods >> m & 1))
            continue;
        printf("%-14s", method_names[m]);
        for (int v = 0; v < CAMPAIGN_VERDICTS; v++) {
            printf(" %s: %llu;", campaign_verdict_text[v], (unsigned long long)tally->of[m][v]);
            wrong += holds((enum campaign_verdict)v) ? 0 : tally->of[m][v];
        }
        printf(" largest error of right ones: %.2g (f64), %.2g (f32)\n", tally->worst[m][STARFISH_F64],
               tally->worst[m][STARFISH_F32]);
    }
    return wrong;
}

int main(int argc, char **argv)
{
    struct arguments a;
    struct tally tally;
    starfish_context *context;
    memset(&tally, 0, sizeof tally);
    if (!read_arguments(argc, argv, &a))
        return usage();
    struct starfish_context_options options = STARFISH_CONTEXT_OPTIONS_DEFAULTS;
    options.cpu_workers = a.cpus;
    options.gpu_workers = a.gpus;
    if (starfish_context_create(&context, &options) != STARFISH_SUCCESS) {
        fprintf(stderr, "%s\n", starfish_error_message());
        return a.gpus > 0 ? 77 : 2; /* skipped where there is no GPU */
    }
    for (uint64_t k = a.first; k < a.first + a.count; k++) {
        struct campaign_problem problem;
        struct campaign_judgement judgement;
        campaign_problem_create(&problem, a.seed, k);
        campaign_judge(context, &problem, a.methods, a.either, &judgement);
        count(&a, &problem, &judgement, &tally);
    }
    starfish_context_destroy(context);
    return report(&a, &tally) > 0;
}
