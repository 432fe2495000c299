/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Solves a problem of the campaign by every method and judges the results: which errors may be called solved. */
#ifndef STARFISH_TESTS_CAMPAIGN_JUDGE_H
#define STARFISH_TESTS_CAMPAIGN_JUDGE_H

#include "oracle.h"

enum campaign_verdict {
    CAMPAIGN_RIGHT,
    CAMPAIGN_REFUSED,    /* with an error, for which there may be reason */
    CAMPAIGN_MISREFUSED, /* called singular, although the condition leaves three digits */
    CAMPAIGN_CONDITION,  /* error above 100 eps times the componentwise condition */
    CAMPAIGN_BEST,       /* above 1000 times that of the best method, plus 1000 eps */
    CAMPAIGN_WORTHLESS,  /* above 0.1 */
    CAMPAIGN_VERDICTS
};
extern const char *const campaign_verdict_text[CAMPAIGN_VERDICTS];

enum { CAMPAIGN_METHODS = 4 }; /* auto, slab, blktri, blktri-product: enum starfish_method */

struct campaign_outcome {
    enum campaign_verdict verdict;
    starfish_status status;
    char method[24]; /* that solved, or what was said instead */
    char message[200];
    double error;    /* max |u - exact| / max |exact| */
    double residual; /* of what is solved, */
    int refinements; /* after as many steps */
};

struct campaign_judgement {
    int usable; /* there is an answer to compare with */
    double condition, best;
    struct campaign_outcome outcome[CAMPAIGN_METHODS];
};

/* EITHER: a result that keeps one of the two bounds is right; else it must keep both. ALONE: methods that are not
 * judged are not solved with, and the best one is the best of the others. */
enum { CAMPAIGN_EITHER = 1, CAMPAIGN_ALONE = 2 };
/* methods: a bit for each method that is to be judged; the others are still solved with, to know the best. */
void campaign_judge(starfish_context *context, const struct campaign_problem *problem, unsigned methods, unsigned how,
                    struct campaign_judgement *judgement);

#endif
