/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Plans that sched and trace solve repeatedly: a problem file by any method, Q1 multigrid on a named mesh, a batch of
 * tridiagonal lines, many small cubes, or finite elements on a mesh file. Each is a row of a table of functions
 * (plan.c); the subcommands do not depend on the kind. */
#ifndef STARFISH_APPS_PLANS_PLAN_H
#define STARFISH_APPS_PLANS_PLAN_H

#include "apps/names.h"
#include "apps/options.h"
#include "apps/plans/elements.h"
#include "apps/plans/problem.h"
#include "fem/options.h"
#include "multigrid/options.h"
#include "solver/kinds.h"
#include "tridiag/options.h"

#include <starfish/starfish.h>

enum plan_kinds { PLAN_PROBLEM, PLAN_MESH, PLAN_BATCH, PLAN_MANY, PLAN_ELEMENTS, PLAN_KINDS };

/* What the command line says; NULL, or 0, where it says nothing. */
struct plan_options {
    /* A file, a mesh by name, a batch, cubes, a mesh file (which open takes from the first): one is what is solved. */
    const char *named[PLAN_KINDS];
    const char *only[PLAN_KINDS]; /* an option that is there and for that kind alone */
    struct option_words words;
    struct starfish_multigrid_options multigrid;
    struct starfish_tridiag_options tridiag;
    int precision; /* a starfish_precision, or STARFISH_PRECISION_MIXED */
    const char *rhs, *slabs;
    size_t level, steps, cycles;
    struct starfish_fem_options fem;
    struct elements_options elements;
    int spread; /* a problem file's arrays, over the memories of those who work on them */
};
#define PLAN_OPTIONS_DEFAULTS                                                                                          \
    {                                                                                                                  \
        .multigrid = STARFISH_MULTIGRID_OPTIONS_DEFAULTS, .tridiag = STARFISH_TRIDIAG_OPTIONS_DEFAULTS,                \
        .fem = STARFISH_FEM_OPTIONS_DEFAULTS, .elements = {.rhs = 1, .levels = 3}, .precision = STARFISH_F64,          \
        .level = 9, .steps = 2                                                                                         \
    }

/* The options that say what is solved; they go into a subcommand's table (options_expand). */
/* clang-format off */
#define PLAN_OF_MESH(o) .table = &starfish_multigrid_option_table, .given = &(o)->only[PLAN_MESH]
#define PLAN_OF_ELEMENTS(o) .table = &starfish_fem_option_table, .given = &(o)->only[PLAN_ELEMENTS]
#define PLAN_OPTIONS(o)                                                                                                \
    {"--mesh", OPTION_TEXT, &(o)->named[PLAN_MESH], "M",                                                               \
     .help = "Q1 multigrid on U1, U2, U3 or A1 .. A5 instead of a file"},                                              \
    {"--level", OPTION_COUNT, &(o)->level, "L", .help = "mesh: 2^L x 2^L elements, at most 13",                        \
     .given = &(o)->only[PLAN_MESH]},                                                                                  \
    {"--batch", OPTION_TEXT, &(o)->named[PLAN_BATCH], "NxL[,...]",                                                     \
     .help = "L tridiagonal lines of N instead of a file; then a layout, coefficients, periodic, factors"},            \
    {"--many", OPTION_TEXT, &(o)->named[PLAN_MANY], "NxC[,...]",                                                       \
     .help = "C cubes of N^3 cells as one solve, instead of a file; then ghosts, check-data"},                         \
    {"--levels", OPTION_NUMBER, &(o)->elements.levels, "L", .help = "mesh file: times that it is refined",             \
     .given = &(o)->only[PLAN_ELEMENTS]},                                                                              \
    {"--element", OPTION_MEMBER, &(o)->elements.element, "E", .help = "mesh file", .table = &elements_table,           \
     .given = &(o)->only[PLAN_ELEMENTS]},                                                                              \
    {"--dirichlet", OPTION_TEXTS, &(o)->elements.dirichlet, "G=U", .help = "mesh file: u on a physical group",         \
     .given = &(o)->only[PLAN_ELEMENTS]},                                                                              \
    {"--numbering", OPTION_MEMBER, &(o)->fem, "N", .help = "mesh file", PLAN_OF_ELEMENTS(o)},                          \
    {"--format", OPTION_MEMBER, &(o)->fem, "F", .help = "mesh file", PLAN_OF_ELEMENTS(o)},                             \
    {"", OPTION_WORDS, &(o)->words, .kinds = starfish_kinds, .given = &(o)->only[PLAN_PROBLEM]},                       \
    {"--precision", OPTION_MEMBER, &(o)->precision, "P", .table = &names_table},                                       \
    {"--rhs", OPTION_TEXT, &(o)->rhs, "F", .help = "file: right-hand side instead of the problem's",                   \
     .given = &(o)->only[PLAN_PROBLEM]},                                                                               \
    {"--smoother", OPTION_MEMBER, &(o)->multigrid, "S", .help = "mesh", PLAN_OF_MESH(o)},                              \
    {"--cycle", OPTION_MEMBER, &(o)->multigrid, "C", .help = "mesh", PLAN_OF_MESH(o)},                                 \
    {"--krylov", OPTION_MEMBER, &(o)->multigrid, "K", .help = "mesh", PLAN_OF_MESH(o)},                                \
    {"--matrix", OPTION_MEMBER, &(o)->multigrid, "F", .help = "mesh", PLAN_OF_MESH(o)},                                \
    {"--storage", OPTION_MEMBER, &(o)->multigrid, "F", .help = "mesh", PLAN_OF_MESH(o)},                               \
    {"--steps", OPTION_COUNT, &(o)->steps, "N",                                                                        \
     .help = "mesh: ADI steps before and after, of other smoothers twice as many", .given = &(o)->only[PLAN_MESH]},    \
    {"--tail", OPTION_POSITIVE, &(o)->multigrid, "N", .help = "mesh", PLAN_OF_MESH(o)},                                \
    {"--cycles", OPTION_COUNT, &(o)->cycles, "N",                                                                      \
     .help = "iterative: exactly so many steps; without, as the tolerance takes, in a simulation 10"},                 \
    {"--spread", OPTION_FLAG, &(o)->spread,                                                                            \
     .help = "file: right-hand side and solution live spread over the GPUs' memories",                                 \
     .given = &(o)->only[PLAN_PROBLEM]},                                                                               \
    {"--algorithm", OPTION_TEXT, options_word(&(o)->words, "--algorithm"), "A",                                        \
     .help = "batch: as for bench tridiag; file: as for solve"},                                                       \
    {"--slabs", OPTION_TEXT, &(o)->slabs, "N",                                                                         \
     .help = "parts: runs of z-planes, rows, lines; 0: as solve would cut; without, sched makes 16"}
/* clang-format on */

/* Scheduling policies that sched compares where none are named, and that machines are recorded under. */
#define PLAN_POLICIES "eager,lws,dmda,dmdas,dmdar,heteroprio,starfish-width"

struct plan;

struct plan_kind {
    const char *whose;                         /* its options, in words */
    const struct starfish_option_table *table; /* NULL: open sets that of the plan */
    size_t bytes;                              /* of plan->data, which is zero before open */
    /* Reads what the options name and makes the data; sets library, name, size, rows, flat, array and bytes. */
    starfish_status (*open)(struct plan *plan);
    /* The library's plan in plan->context, as plan->made; sets method. A plan that checks is for one solve and then
     * `check`. */
    starfish_status (*create)(struct plan *plan, int check);
    /* One solve; sets seconds. */
    starfish_status (*solve)(struct plan *plan);
    /* Is the solution right? Sets residual. Error: NUMERICAL. */
    starfish_status (*check)(struct plan *plan);
    /* Undo create, and open, but for what plan.c knows; also what was not done. NULL: there is nothing else. */
    void (*destroy)(struct plan *plan);
    void (*close)(struct plan *plan);
};

/* `solve` of kinds that set plan->made; sets result too. */
starfish_status plan_solve(struct plan *plan);
/* Right-hand side (0) or solution (1) of so many reals, all of them `value`; in a simulation without memory behind the
 * addresses. Errors: MEMORY. */
starfish_status plan_make_array(struct plan *plan, int which, starfish_precision precision, size_t count, double value);

struct plan {
    struct plan_options options;
    const struct plan_kind *kind;
    void *data;                                /* the kind's own */
    void *library;                             /* the library's option struct, */
    const struct starfish_option_table *table; /* and its table */
    char name[256], method[32];
    char size[192];                  /* the problem's kind, unknowns and precision, for titles */
    size_t rows;                     /* that can be cut into parts; 0: there is nothing to cut */
    int unchecked;                   /* plan_start makes no solve that is checked */
    int flat;                        /* one task after the other: without a GPU its cores share every task */
    void *array[2];                  /* right-hand side and solution, in host memory */
    size_t bytes[2];                 /* of each, gaps and ghosts included */
    int pinned;                      /* how many of them are, now */
    starfish_context *context;       /* of the caller that solves, between plan_start and plan_stop */
    starfish_plan *made;             /* or NULL: the kind keeps it */
    struct starfish_result result;   /* of its last solve */
    struct starfish_array memory[2]; /* of plan_make_array */
    double seconds, residual;        /* of the last solve; of the solve that was checked, NaN in a simulation */
};

/* Find the kind that the options ask for, and open it. `parts`: how many it is cut into where --slabs is not given, or
 * as many as it has rows. Close it also after a failure. Errors: ARGUMENT, UNSUPPORTED, FILE, MEMORY. */
starfish_status plan_open(struct plan *plan, size_t parts);
void plan_close(struct plan *plan);

/* In a context: pin the arrays, solve once and check (not in a simulation), then make the plan that does nothing but
 * solve. Undo that also after a failure, before the context is destroyed. */
starfish_status plan_start(struct plan *plan, starfish_context *context);
void plan_stop(struct plan *plan);

/* The kinds (problem_kind.c, mesh_kind.c, batch_kind.c, many_kind.c). */
extern const struct plan_kind plan_problem, plan_mesh, plan_batch, plan_many, plan_elements;

#endif
