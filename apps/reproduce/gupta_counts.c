/* starfish reproduce gupta-table2, -table3, -table4: what the kernels of Gupta, Vuik, Lemmens 2010 move and compute,
 * how often they run and what they are like, counted, beside ours. The paper prints that dot products and norms write
 * N words, which write one, and counts a multiplication with its addition once in E^-1 b, twice elsewhere; both stand
 * here as printed. Its equation 24 has Sscal, which its table 3 has not, and leaves out (A Z)' x, which that has. */
#include "apps/reproduce/gupta.h"

#include <math.h>
#include <stdio.h>

/* Of a call; the last two in calls of m steps: m times so many, and so many besides. */
enum { READ, COUNTED, WRITTEN, AT_ONCE, PER_STEP, BESIDES, COUNTS };
static const char *const counts[COUNTS] = {"words read",   "operations",           "words written",
                                           "done at once", "calls, of every step", "calls besides"};

/* What the paper prints, in its units: N unknowns, d vectors. Ours have the couplings of faces in 2D, three words per
 * unknown; NaN: there is no such kernel, since its work is in others. */
static const struct {
    const char *name, *unit[PER_STEP];
    double paper[COUNTS], ours[COUNTS];
} kernels[] = {
    {"SpMV, ours with (p, A p)", {"N", "N", "N", "N"}, {6, 9, 1, 1, 1, 1}, {4, 13, 1, 1, 1, NAN}},
    {"IP preconditioning, ours in two passes", {"N", "N", "N", "N"}, {6, 9, 1, 1, 1, 1}, {9, 18, 2, 1, 2, NAN}},
    {"Z' x, ours with (A Z)' y", {"N", "N", "d", "d"}, {1, 1, 1, 1, 1, 2}, {1.5, 1, 1, NAN, 1, NAN}},
    {"E^-1 b (gemv)", {"d (d + 1)", "d d", "d", "d"}, {1, 1, 1, 1, 1, 3}, {1, 2, 1, NAN, 1, NAN}},
    {"A Z E^-1 b, ours y + Z times it with (r, z)", {"N", "N", "N", "N"}, {5, 9, 1, 1, 1, 1}, {2.5, 3, 1, 1, 1, NAN}},
    {"forward and back substitution, ours with the scaling",
     {"N", "N", "N", "sqrt(N) / 2"},
     {4, 3, 1, 1, 1, 1},
     {7, 16, 2, 2, 1, NAN}},
    {"diagonal scaling", {"N", "N", "N", "N"}, {2, 1, 1, 1, 1, 1}, {NAN, NAN, NAN, NAN, NAN, NAN}},
    {"(A Z)' x", {"N", "N", "d", "d"}, {6, 5, 1, 1, 0, 1}, {NAN, NAN, NAN, NAN, NAN, NAN}},
    {"Sdot", {"N", "N", "N", "N"}, {1, 2, 1, NAN, 4, 0}, {NAN, NAN, NAN, NAN, NAN, NAN}},
    {"Saxpy, ours x and r at once with (r, r)", {"N", "N", "N", "N"}, {2, 2, 1, NAN, 3, 0}, {4, 6, 2, 1, 1, NAN}},
    {"Sscal", {"N", "N", "N", "N"}, {1, 1, 1, NAN, 1, 0}, {NAN, NAN, NAN, NAN, NAN, NAN}},
    {"Snrm", {"N", "N", "N", "N"}, {1, 2, 1, NAN, 1, 0}, {NAN, NAN, NAN, NAN, NAN, NAN}},
};

double gupta_operations(double unknowns, double vectors, double steps)
{
    return (45 * unknowns + vectors * vectors) * steps + 29 * unknowns + 3 * vectors * vectors;
}

static void add_count(struct gupta *g, const char *name, double paper, double ours)
{
    json_object_set_new(reproduce_number(&g->bench, name, paper, REPRODUCE_LEFT_OUT, ours), "how",
                        json_string(isnan(ours) ? "no such kernel, or not counted" : "counted"));
}

starfish_status gupta_count_kernels(struct gupta *g)
{
    char name[128];

    for (size_t k = 0; k < sizeof kernels / sizeof kernels[0]; k++)
        for (int c = 0; c < COUNTS; c++) {
            snprintf(name, sizeof name, "%s: %s%s%s", kernels[k].name, counts[c], c < PER_STEP ? ", over " : "",
                     c < PER_STEP ? kernels[k].unit[c] : "");
            add_count(g, name, kernels[k].paper[c], kernels[k].ours[c]);
        }
    add_count(g, "operations of 49 steps of DIPCG2 by equation 25", 1.46e9,
              gupta_operations((double)PAPER_N * PAPER_N, 8.0 * PAPER_N, 49));
    return STARFISH_SUCCESS;
}

/* How often a step of DIPCG2 launches each, after equation 24; ours fused. */
starfish_status gupta_count_launches(struct gupta *g)
{
    static const struct {
        const char *name;
        double paper, ours;
    } rows[] = {{"SpMV", 1, 1},
                {"Z' x", 1, 1},
                {"E^-1 b (gemv)", 1, 2},
                {"A Z E^-1 b", 1, 1},
                {"Sdot", 4, 0},
                {"Saxpy", 3, 1},
                {"IP preconditioning", 1, 2},
                {"Snrm", 1, 0},
                {"(A Z)' x, ours in Z' x", 0, 0},
                {"Sscal", 1, 0},
                {"scalars", (double)NAN, 0}};
    char name[96];

    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        snprintf(name, sizeof name, "%s: launches per step of DIPCG2", rows[r].name);
        json_object_set_new(reproduce_number(&g->bench, name, rows[r].paper, REPRODUCE_LEFT_OUT, rows[r].ours), "how",
                            json_string("counted"));
    }
    return STARFISH_SUCCESS;
}

/* 1: yes, 0: no, the paper's "minimal" with yes. */
starfish_status gupta_list_characteristics(struct gupta *g)
{
    static const char *const what[4] = {"shared memory", "divergence", "bank conflicts", "warp serialisation"};
    static const struct {
        const char *name;
        int paper[4], ours[4];
    } rows[] = {{"Magma_Sgemv", {1, 0, 0, 0}, {1, 0, 0, 0}}, {"IP preconditioning", {1, 1, 1, 0}, {0, 1, 0, 0}},
                {"SpMV", {1, 1, 1, 0}, {0, 1, 0, 0}},        {"A Z E^-1 b", {1, 1, 1, 0}, {0, 0, 0, 0}},
                {"Z' x", {1, 1, 1, 1}, {0, 0, 0, 0}},        {"saxpy_alpha", {1, 0, 0, 0}, {0, 0, 0, 0}},
                {"saxpy_beta", {0, 0, 0, 0}, {0, 0, 0, 0}}};
    char name[96];

    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++)
        for (int w = 0; w < 4; w++) {
            snprintf(name, sizeof name, "%s: %s", rows[r].name, what[w]);
            json_object_set_new(reproduce_number(&g->bench, name, rows[r].paper[w], NULL, rows[r].ours[w]), "how",
                                json_string("by design"));
        }
    return STARFISH_SUCCESS;
}
