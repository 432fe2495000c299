/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The campaign of random solves as a program: what was tried, what held, and every case that did not, as a problem that
 * can be repeated alone. Exit status 0 when all held, 1 when not, 2 for bad usage. With --refused-at-most it is 1, too,
 * where a method refuses more of the problems whose condition is below 1e8. */
#include "arguments.h"
#include "judge.h"
#include "tests/common/context.h"

#include <stdlib.h>
#include <string.h>

#define LOW_CONDITION 1e8

struct arguments {
    struct campaign_arguments common;
    unsigned methods;
    int either, alone;
    double refused_at_most; /* per cent */
};

struct tally {
    uint64_t of[CAMPAIGN_METHODS][CAMPAIGN_VERDICTS], unusable;
    uint64_t low, low_refused[CAMPAIGN_METHODS]; /* problems of a low condition */
    double worst[CAMPAIGN_METHODS][2];           /* error in f32 and in f64, of those that are right */
};

static const char *const method_names[CAMPAIGN_METHODS] = {"auto", "slab", "blktri", "blktri-product"};

static int usage(void)
{
    fprintf(stderr, "usage: campaign [--seed S] [--count N] [--first K | --only K] [--method M] "
                    "[--workers cpu:N[,gpu:M]] [--either] [--alone] [--refused-at-most PERCENT] "
                    "[--verbose]\n"
                    "--either: a result that keeps one of the two bounds counts as right\n"
                    "--alone: no other method is tried, so that the best one is not known\n"
                    "--refused-at-most: of problems whose condition is below 1e8\n");
    return 2;
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

static int read_percentage(const char *text, double *value)
{
    char *end;
    *value = strtod(text, &end);
    return *text != 0 && *end == 0 && *value >= 0;
}

static int read_arguments(int argc, char **argv, struct arguments *a)
{
    *a = (struct arguments){
        .common = CAMPAIGN_ARGUMENTS_DEFAULTS, .methods = (1u << CAMPAIGN_METHODS) - 1, .refused_at_most = 100};
    for (int i = 1, taken; i < argc; i += taken) {
        const char *name = argv[i], *value = i + 1 < argc ? argv[i + 1] : "";
        if (strcmp(name, "--either") == 0)
            taken = a->either = 1;
        else if (strcmp(name, "--alone") == 0)
            taken = a->alone = 1;
        else if (strcmp(name, "--refused-at-most") == 0)
            taken = read_percentage(value, &a->refused_at_most) ? 2 : 0;
        else if (strcmp(name, "--method") == 0)
            taken = read_method(value, &a->methods) ? 2 : 0;
        else
            taken = campaign_argument(&a->common, name, value);
        if (taken == 0)
            return 0;
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
    printf("  %s (%s): %s, error %.3g, best %.3g, condition %.3g, residual %.3g, refinements %d%s%s\n", method_names[m],
           o->method, campaign_verdict_text[o->verdict], o->error, j->best, j->condition, o->residual, o->refinements,
           o->message[0] ? "; " : "", o->message);
}

static void count(const struct arguments *a, const struct campaign_problem *p, const struct campaign_judgement *j,
                  struct tally *tally)
{
    int printed = 0;
    if (!j->usable) {
        tally->unusable++;
        return;
    }
    tally->low += j->condition < LOW_CONDITION;
    for (int m = 0; m < CAMPAIGN_METHODS; m++) {
        const struct campaign_outcome *o = &j->outcome[m];
        if (!(a->methods >> m & 1))
            continue;
        tally->of[m][o->verdict]++;
        tally->low_refused[m] += j->condition < LOW_CONDITION && o->verdict == CAMPAIGN_REFUSED;
        if (o->verdict == CAMPAIGN_RIGHT && o->error > tally->worst[m][p->precision])
            tally->worst[m][p->precision] = o->error;
        if (holds(o->verdict) && !a->common.verbose)
            continue;
        if (!printed++)
            printf("case --seed %llu --only %llu\n", (unsigned long long)p->seed, (unsigned long long)p->index);
        print_outcome(j, m);
    }
    if (printed)
        campaign_problem_print(stdout, p);
}

/* 1 where there are more than may be. */
static uint64_t report_refusals(const struct arguments *a, const struct tally *tally, int m)
{
    const double percent = tally->low > 0 ? 100 * (double)tally->low_refused[m] / (double)tally->low : 0;
    printf("%s refuses %llu of %llu problems whose condition is below 1e8, %.3g %%\n", method_names[m],
           (unsigned long long)tally->low_refused[m], (unsigned long long)tally->low, percent);
    return percent > a->refused_at_most;
}

/* What was tried and what held; returns the number of cases that did not. */
static uint64_t report(const struct arguments *a, const struct tally *tally)
{
    uint64_t wrong = 0;
    printf("seed %llu, problems %llu .. %llu, %llu of them without an answer to compare with\n",
           (unsigned long long)a->common.seed, (unsigned long long)a->common.first,
           (unsigned long long)(a->common.first + a->common.count - 1), (unsigned long long)tally->unusable);
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
        if (a->refused_at_most < 100)
            wrong += report_refusals(a, tally, m);
    }
    return wrong;
}

int main(int argc, char **argv)
{
    struct arguments a;
    struct tally tally;
    memset(&tally, 0, sizeof tally);
    if (!read_arguments(argc, argv, &a))
        return usage();
    starfish_context *context = test_context(a.common.gpus, a.common.cpus, 0);
    if (!context)
        return a.common.gpus > 0 ? 77 : 2; /* skipped where there is no GPU */
    for (uint64_t k = a.common.first; k < a.common.first + a.common.count; k++) {
        struct campaign_problem problem;
        struct campaign_judgement judgement;
        campaign_problem_create(&problem, a.common.seed, k);
        campaign_judge(context, &problem, a.methods, (a.either ? CAMPAIGN_EITHER : 0) | (a.alone ? CAMPAIGN_ALONE : 0),
                       &judgement);
        count(&a, &problem, &judgement, &tally);
    }
    starfish_context_destroy(context);
    return report(&a, &tally) > 0;
}
