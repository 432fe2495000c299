/* What sched and trace solve again and again: a problem file by any method, Q1 multigrid on a named mesh, or a batch of
 * tridiagonal lines. Each is a row of a table of functions (plan.c); the subcommands know no kind by name. */
#ifndef STARFISH_APPS_PLANS_PLAN_H
#define STARFISH_APPS_PLANS_PLAN_H

#include "apps/names.h"
#include "apps/options.h"

#include <starfish/starfish.h>
#include <stdint.h>

/* What the command line says; NULL, or 0, where it says nothing. */
struct plan_options {
    const char *problem, *mesh, *batch; /* one of them: what is solved */
    const char *method, *precision, *rhs;
    const char *smoother, *cycle, *krylov, *matrix, *storage, *algorithm;
    size_t level, steps, cycles, tail;
    size_t slabs; /* SIZE_MAX: not given; 0: chosen from the workers */
};

/* The options that say what is solved; they go into a subcommand's table. */
#define PLAN_OPTIONS(given)                                                                                            \
    {"--mesh", OPTION_TEXT, &(given)->mesh, "M", "Q1 multigrid on U1, U2, U3 or A1 .. A5 instead of a file", NULL},    \
        {"--level", OPTION_COUNT, &(given)->level, "L", "mesh: 2^L x 2^L elements, at most 13; default 9", NULL},      \
        {"--batch",                                                                                                    \
         OPTION_TEXT,                                                                                                  \
         &(given)->batch,                                                                                              \
         "NxL[,...]",                                                                                                  \
         "L tridiagonal lines of N instead of a file; then a layout, coefficients, periodic, factors",                 \
         NULL},                                                                                                        \
        {"--method", OPTION_CHOICE, &(given)->method, "M", "file: how; default auto", names_methods},                  \
        {"--precision",    OPTION_CHOICE, &(given)->precision, "P", "mixed: multigrid; default f64; of",               \
         names_arithmetics},                                                                                           \
        {"--rhs", OPTION_TEXT, &(given)->rhs, "F", "file: right-hand side instead of the problem's", NULL},            \
        {"--smoother", OPTION_CHOICE, &(given)->smoother, "S", "mesh: default auto", names_smoothers},                 \
        {"--cycle", OPTION_CHOICE, &(given)->cycle, "C", "mesh: default v", names_cycles},                             \
        {"--krylov",      OPTION_CHOICE, &(given)->krylov, "K", "mesh: cg: conjugate gradients; default none",         \
         names_iterations},                                                                                            \
        {"--matrix", OPTION_CHOICE, &(given)->matrix, "F", "mesh: default auto", names_matrices},                      \
        {"--storage", OPTION_CHOICE, &(given)->storage, "F", "mesh: of cycles in f32; default inner", names_storages}, \
        {"--steps", OPTION_COUNT, &(given)->steps, "N", "mesh: ADI steps before and after; default 2", NULL},          \
        {"--tail",                                                                                                     \
         OPTION_COUNT,                                                                                                 \
         &(given)->tail,                                                                                               \
         "N",                                                                                                          \
         "mesh: unknowns of the first grid that is one task with all smaller ones",                                    \
         NULL},                                                                                                        \
        {"--cycles",                                                                                                   \
         OPTION_COUNT,                                                                                                 \
         &(given)->cycles,                                                                                             \
         "N",                                                                                                          \
         "multigrid: exactly so many; default as the tolerance takes, in a simulation 10",                             \
         NULL},                                                                                                        \
    {                                                                                                                  \
        "--algorithm", OPTION_CHOICE, &(given)->algorithm, "A", "batch: default auto", names_algorithms                \
    }

struct plan;

struct plan_kind {
    /* Reads what the options name and makes the data; sets name, rows, flat, array and bytes. */
    starfish_status (*open)(struct plan *plan);
    /* The library's plan in plan->context; sets method. A plan that checks is for one solve and then `check`. */
    starfish_status (*create)(struct plan *plan, int check);
    /* One solve; sets seconds. */
    starfish_status (*solve)(struct plan *plan);
    /* Is the solution right? Sets residual. Error: NUMERICAL. */
    starfish_status (*check)(struct plan *plan);
    /* Undo create, and open; also what was not done. */
    void (*destroy)(struct plan *plan);
    void (*close)(struct plan *plan);
};

struct plan {
    struct plan_options options;
    const struct plan_kind *kind;
    void *data; /* the kind's own */
    char name[256], method[32];
    size_t rows;               /* that can be cut into parts; 0: there is nothing to cut */
    int flat;                  /* one task after the other: without a GPU its cores share every task */
    void *array[2];            /* right-hand side and solution, in host memory */
    size_t bytes;              /* of each */
    int pinned;                /* how many of them are, now */
    starfish_context *context; /* of whoever solves, between plan_start and plan_stop */
    double seconds, residual;  /* of the last solve; of the solve that was checked, NaN in a simulation */
};

/* Find the kind that the options ask for, and open it. `parts`: how many it is cut into where --slabs is not given, or
 * as many as it has rows. Close it also after a failure. Errors: ARGUMENT, UNSUPPORTED, FILE, MEMORY. */
starfish_status plan_open(struct plan *plan, size_t parts);
void plan_close(struct plan *plan);

/* In a context: pin the arrays, solve once and check (not in a simulation), then make the plan that does nothing but
 * solve. Undo that also after a failure, before the context is destroyed. */
starfish_status plan_start(struct plan *plan, starfish_context *context);
void plan_stop(struct plan *plan);

/* The kinds (problem_kind.c, mesh_kind.c, batch_kind.c). */
extern const struct plan_kind plan_problem, plan_mesh, plan_batch;
/* Cycles in a simulation, where no residual tells when to stop. */
enum { PLAN_SIMULATED_CYCLES = 10 };

#endif
