/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* hypre's PFMG and SMG, alone and as preconditioners of CG, and its CG scaled by the diagonal, through its structured
 * grids' interface.
 *
 * A module that peer_hypre_load.c loads on demand, so that programs run without hypre and MPI.
 *
 * One process, hence one core: Debian's hypre is built for MPI and without threads. PFMG smooths by
 * weighted Jacobi, its default, or where asked for by red-black Gauss-Seidel (which is for stencils without diagonals),
 * and coarsens one direction at a time; SMG solves whole lines by multigrid. The matrix is stored as symmetric, or,
 * where asked for, as one number a band. */
#include "bench/peer_hypre.h"

#include "bench/clock.h"

#include <HYPRE_struct_ls.h>
#include <mpi.h>
#include <stdlib.h>

enum { MOST_ITERATIONS = 200 };

struct hypre {
    HYPRE_StructGrid grid;
    HYPRE_StructStencil stencil;
    HYPRE_StructMatrix matrix;
    HYPRE_StructVector rhs, solution;
    int entries;
    HYPRE_Int low[3], high[3];
};

/* MPI may be begun once in a process; its end comes with that of the process. */
static void finish(void)
{
    HYPRE_Finalize();
    MPI_Finalize();
}

static int begin(void)
{
    int begun = 0;

    MPI_Initialized(&begun);
    if (begun)
        return 1;
    if (MPI_Init(NULL, NULL) != MPI_SUCCESS)
        return 0;
    HYPRE_Init();
    atexit(finish);
    return 1;
}

static void make_grid(struct hypre *h, const struct peer_hypre_problem *p)
{
    static HYPRE_Int nine[][3] = {{0, 0, 0}, {1, 0, 0}, {-1, 1, 0}, {0, 1, 0}, {1, 1, 0}};
    static HYPRE_Int seven[][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const int dimensions = p->n[2] > 0 ? 3 : 2;

    h->entries = dimensions == 3 ? 4 : 5;
    for (int d = 0; d < 3; d++) {
        h->low[d] = 0;
        h->high[d] = (HYPRE_Int)p->n[d] - 1;
    }
    HYPRE_StructGridCreate(MPI_COMM_SELF, dimensions, &h->grid);
    HYPRE_StructGridSetExtents(h->grid, h->low, h->high);
    HYPRE_StructGridAssemble(h->grid);
    HYPRE_StructStencilCreate(dimensions, h->entries, &h->stencil);
    for (HYPRE_Int entry = 0; entry < h->entries; entry++)
        HYPRE_StructStencilSetElement(h->stencil, entry, dimensions == 3 ? seven[entry] : nine[entry]);
}

/* An unknown that has all its neighbours, if any has. */
static size_t middle(const struct peer_hypre_problem *p)
{
    return p->n[0] / 2 + p->n[0] * (p->n[1] / 2 + p->n[1] * (p->n[2] / 2));
}

/* To be said before the matrix gets its memory. */
static void set_constants(struct hypre *h)
{
    HYPRE_Int entries[PEER_HYPRE_BANDS];

    for (HYPRE_Int entry = 0; entry < h->entries; entry++)
        entries[entry] = entry;
    HYPRE_StructMatrixSetConstantEntries(h->matrix, h->entries, entries);
}

static void make_matrix(struct hypre *h, const struct peer_hypre_problem *p)
{
    HYPRE_StructMatrixCreate(MPI_COMM_SELF, h->grid, h->stencil, &h->matrix);
    HYPRE_StructMatrixSetSymmetric(h->matrix, 1);
    if (p->constant)
        set_constants(h);
    HYPRE_StructMatrixInitialize(h->matrix);
    for (HYPRE_Int entry = 0; entry < h->entries; entry++)
        if (p->constant)
            HYPRE_StructMatrixSetConstantValues(h->matrix, 1, &entry, (HYPRE_Complex *)&p->band[entry][middle(p)]);
        else
            HYPRE_StructMatrixSetBoxValues(h->matrix, h->low, h->high, 1, &entry, (HYPRE_Complex *)p->band[entry]);
    HYPRE_StructMatrixAssemble(h->matrix);
    HYPRE_StructVectorCreate(MPI_COMM_SELF, h->grid, &h->rhs);
    HYPRE_StructVectorInitialize(h->rhs);
    HYPRE_StructVectorSetBoxValues(h->rhs, h->low, h->high, (HYPRE_Complex *)p->rhs);
    HYPRE_StructVectorAssemble(h->rhs);
    HYPRE_StructVectorCreate(MPI_COMM_SELF, h->grid, &h->solution);
    HYPRE_StructVectorInitialize(h->solution);
    HYPRE_StructVectorAssemble(h->solution);
}

static void destroy(struct hypre *h)
{
    HYPRE_StructVectorDestroy(h->solution);
    HYPRE_StructVectorDestroy(h->rhs);
    HYPRE_StructMatrixDestroy(h->matrix);
    HYPRE_StructStencilDestroy(h->stencil);
    HYPRE_StructGridDestroy(h->grid);
}

/* ---- Multigrid, as solver or as preconditioner ------------------------------------------------------------------- */

struct multigrid {
    HYPRE_Int (*create)(MPI_Comm, HYPRE_StructSolver *);
    HYPRE_PtrToStructSolverFcn setup, solve;
    HYPRE_Int (*destroy)(HYPRE_StructSolver);
    HYPRE_Int (*tolerance)(HYPRE_StructSolver, HYPRE_Real);
    HYPRE_Int (*most)(HYPRE_StructSolver, HYPRE_Int);
    HYPRE_Int (*zero)(HYPRE_StructSolver), (*nonzero)(HYPRE_StructSolver);
    HYPRE_Int (*iterations)(HYPRE_StructSolver, HYPRE_Int *);
    HYPRE_Int (*residual)(HYPRE_StructSolver, HYPRE_Real *);
    HYPRE_Int (*logging)(HYPRE_StructSolver, HYPRE_Int);
};

/* A kind by its name in hypre. */
#define MULTIGRID(name)                                                                                                \
    {                                                                                                                  \
        HYPRE_Struct##name##Create, HYPRE_Struct##name##Setup, HYPRE_Struct##name##Solve, HYPRE_Struct##name##Destroy, \
            HYPRE_Struct##name##SetTol, HYPRE_Struct##name##SetMaxIter, HYPRE_Struct##name##SetZeroGuess,              \
            HYPRE_Struct##name##SetNonZeroGuess, HYPRE_Struct##name##GetNumIterations,                                 \
            HYPRE_Struct##name##GetFinalRelativeResidualNorm, HYPRE_Struct##name##SetLogging                           \
    }
static const struct multigrid pfmg = MULTIGRID(PFMG), smg = MULTIGRID(SMG);

static const struct {
    const struct multigrid *kind; /* NULL: scaling by the diagonal, which has no state */
    int by_cg;
} solvers[PEER_HYPRE_SOLVERS] = {[PEER_HYPRE_PFMG] = {&pfmg, 0},
                                 [PEER_HYPRE_SMG] = {&smg, 0},
                                 [PEER_HYPRE_CG_PFMG] = {&pfmg, 1},
                                 [PEER_HYPRE_CG_SMG] = {&smg, 1},
                                 [PEER_HYPRE_CG_DIAGONAL] = {NULL, 1}};

struct solver {
    const struct multigrid *kind;
    int by_cg, most;
    HYPRE_StructSolver multigrid, cg;
};

static void create(struct solver *s, const struct peer_hypre_problem *p)
{
    if (s->kind) {
        s->kind->create(MPI_COMM_SELF, &s->multigrid);
        s->kind->tolerance(s->multigrid, s->by_cg ? 0 : p->tolerance);
        s->kind->most(s->multigrid, s->by_cg ? 1 : s->most);
        s->kind->zero(s->multigrid);
        s->kind->logging(s->multigrid, 1); /* without it there is no residual */
    }
    if (p->red_black && s->kind == &pfmg) {
        HYPRE_StructPFMGSetRelaxType(s->multigrid, 2); /* the symmetric one */
        HYPRE_StructPFMGSetRAPType(s->multigrid, 1);
    }
    if (!s->by_cg)
        return;
    HYPRE_StructPCGCreate(MPI_COMM_SELF, &s->cg);
    HYPRE_StructPCGSetTol(s->cg, p->tolerance);
    HYPRE_StructPCGSetTwoNorm(s->cg, 1);
    HYPRE_StructPCGSetMaxIter(s->cg, s->most);
    HYPRE_StructPCGSetPrecond(s->cg, s->kind ? s->kind->solve : HYPRE_StructDiagScale,
                              s->kind ? s->kind->setup : HYPRE_StructDiagScaleSetup, s->multigrid);
}

static double set_up(const struct solver *s, const struct hypre *h)
{
    const double start = clock_now();

    if (s->by_cg)
        HYPRE_StructPCGSetup(s->cg, h->matrix, h->rhs, h->solution);
    else
        s->kind->setup(s->multigrid, h->matrix, h->rhs, h->solution);
    return clock_now() - start;
}

static double run(const struct solver *s, const struct hypre *h, HYPRE_Int *iterations, HYPRE_Real *residual)
{
    HYPRE_StructVectorSetConstantValues(h->solution, 0);
    const double start = clock_now();
    if (s->by_cg) {
        HYPRE_StructPCGSolve(s->cg, h->matrix, h->rhs, h->solution);
        HYPRE_StructPCGGetNumIterations(s->cg, iterations);
        HYPRE_StructPCGGetFinalRelativeResidualNorm(s->cg, residual);
    } else {
        s->kind->solve(s->multigrid, h->matrix, h->rhs, h->solution);
        s->kind->iterations(s->multigrid, iterations);
        s->kind->residual(s->multigrid, residual);
    }
    return clock_now() - start;
}

__attribute__((visibility("default"))) int peer_hypre_here(enum peer_hypre_solver which,
                                                           const struct peer_hypre_problem *p, double *solution,
                                                           int repeat, double *seconds, double *setup, int *iterations)
{
    struct solver s = {
        .kind = solvers[which].kind, .by_cg = solvers[which].by_cg, .most = p->most > 0 ? p->most : MOST_ITERATIONS};
    struct hypre h;
    HYPRE_Int count = 0;
    HYPRE_Real residual = 1;

    if (!begin())
        return 0;
    make_grid(&h, p);
    make_matrix(&h, p);
    create(&s, p);
    *setup = set_up(&s, &h);
    for (int i = 0; i < repeat && (i == 0 || residual <= p->tolerance); i++)
        seconds[i] = run(&s, &h, &count, &residual);
    *iterations = (int)count;
    if (solution)
        HYPRE_StructVectorGetBoxValues(h.solution, h.low, h.high, solution);
    if (s.by_cg)
        HYPRE_StructPCGDestroy(s.cg);
    if (s.kind)
        s.kind->destroy(s.multigrid);
    destroy(&h);
    HYPRE_ClearAllErrors(); /* one is left by a solver that did not converge */
    return residual <= p->tolerance;
}
