/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What ranks must have alike: on one of two ranks every option of every family has another value in turn, and every
 * number of its problem, along the library's tables. Every plan is refused on both ranks, by one message, within two
 * seconds; what is LOCAL, and what the problem does not need, may differ. Run by mpiexec on two ranks, with the path of
 * libstarfish_mpi, which is loaded beside the library of this program, as the program starfish does. */
#include "base/activity.h"
#include "fem/options.h"
#include "poisson/options.h"
#include "scheduler/runtime/ranks.h"
#include "solver/kinds.h"
#include "tests/solver/helmholtz1d/helmholtz1d.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct starfish_transport *transport;
static starfish_context *together;
static int trials;

/* One line, of the first rank that comes, and the end of all. */
#define CHECK(condition, ...)                                                                                          \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "rank %d, line %d: ", transport ? transport->rank : -1, __LINE__);                         \
            fprintf(stderr, __VA_ARGS__);                                                                              \
            fprintf(stderr, "\n");                                                                                     \
            _Exit(1);                                                                                                  \
        }                                                                                                              \
    } while (0)

/* ---- Plans ------------------------------------------------------------------------------------------------------- */

union options { /* of any family */
    size_t size;
    unsigned char bytes[1024];
};

/* ---- Problems ---------------------------------------------------------------------------------------------------- */

/* Arrays have room for one more than is needed: `n` is changed, too. */
static double coordinates[] = {0, 0.2, 0.5, 0.7, 1, 2}, lower[] = {9, 1, 1.5, 1, 1}, diag[] = {-3, -4, -4, -3, -3},
              upper[] = {1, 1.5, 1, 9, 9};
static double pairs_off[] = {1, 0.25, 1, 0.25, 1, 0.25, 1, 0.25, 1, 0}, pairs[] = {-4, 1, -4, 1, -4, 1, -4, 1, -4, 1};
static struct starfish_poisson_problem box = {.axis = {{.n = 4, .length = 1, .periodic = 1},
                                                       {.kind = STARFISH_STRETCHED,
                                                        .n = 4,
                                                        .ends = {STARFISH_DIRICHLET, STARFISH_NEUMANN},
                                                        .grid = STARFISH_CELL,
                                                        .coordinates = coordinates,
                                                        .coordinate_count = 5},
                                                       {.kind = STARFISH_TRIDIAGONAL,
                                                        .n = 4,
                                                        .ends = {STARFISH_DIRICHLET, STARFISH_NEUMANN},
                                                        .grid = STARFISH_CELL,
                                                        .coordinates = coordinates,
                                                        .coordinate_count = 5,
                                                        .lower = lower,
                                                        .diag = diag,
                                                        .upper = upper}},
                                              .lambda = -1};
static struct starfish_separable2d_problem plane = {
    .axis = {{.kind = STARFISH_TRIDIAGONAL,
              .n = 4,
              .lower = pairs_off,
              .diag = pairs,
              .upper = pairs_off,
              .periodic = 1,
              .complex_line = 1},
             {.kind = STARFISH_TRIDIAGONAL, .n = 4, .lower = lower, .diag = diag, .upper = upper}},
    .lambda = -1};

static double coefficient[32] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
                                 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
static long long regions[32];
static struct starfish_diffusion_problem even = {
    .dimensions = 3, .n = {4, 4, 4}, .length = {1, 1, 1}, .lambda = -1, .constant_coefficient = 1};
static struct starfish_diffusion_problem jumps = {.dimensions = 2,
                                                  .n = {4, 4},
                                                  .length = {1, 1},
                                                  .ends = {{STARFISH_NEUMANN, STARFISH_DIRICHLET}},
                                                  .coefficient = coefficient,
                                                  .regions = regions};

static double faces[] = {0, 0.01, 0.02, 0.03, 0.05, 1};
static double across[2][25] = {{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1},
                               {2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2}};
static double up[3][5] = {{1, 1, 1, 1, 1}, {1, 2, 1, 2, 1}, {0, 0.1, 0, 0.1, 0}};
static struct starfish_atmosphere_problem air = {.n = {4, 4, 4},
                                                 .length = {1, 1},
                                                 .height = 0.05,
                                                 .faces = faces,
                                                 .omega = 0.2,
                                                 .lambda = 1,
                                                 .alpha_across = across[0],
                                                 .alpha_up = up[0],
                                                 .beta_across = across[1],
                                                 .beta_up = up[1],
                                                 .xi_up = up[2]};
static struct starfish_atmosphere_problem panel = {
    .geometry = STARFISH_PANEL, .n = {4, 4, 4}, .height = 0.05, .omega = 0.2, .lambda = 1};

static double points[5][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {2, 2, 0}};
static int cell[18] = {0, -1, 1, -1, -1, -1, 2, -1, 3};
static struct starfish_fem_mark mark[3] = {{.group = 7, .place = {0, 1, 0}}, {.group = 8, .place = {2, 1, 0}}};
static size_t number[2] = {1, 2};
static struct starfish_fem_mesh mesh = {.dimensions = 2,
                                        .points = 4,
                                        .point = points[0],
                                        .cells = 1,
                                        .cell = cell,
                                        .marks = 2,
                                        .mark = mark,
                                        .number = number};
static double one(void *data, const double point[3])
{
    (void)point;
    return *(double *)data;
}
static double datum = 1;
static struct starfish_fem_dirichlet dirichlet[3] = {{.group = 7, .value = 1},
                                                     {.group = 8, .function = one, .data = &datum}};
static struct starfish_fem_curve curve[2] = {{.group = 8, .centre = {0, 0.5}, .radius = 1.25}};
static struct starfish_fem_problem elements = {
    .mesh = &mesh, .refinements = 1, .rhs = 1, .dirichlets = 2, .dirichlet = dirichlet, .curves = 1, .curve = curve};
static struct starfish_fem_problem source = {
    .mesh = &mesh, .refinements = 1, .source = one, .source_data = &datum, .dirichlets = 1, .dirichlet = dirichlet};

static struct starfish_helmholtz1d_problem each_line = {
    .n = {4, 4}, .length = 1, .ends = {STARFISH_DIRICHLET, STARFISH_DIRICHLET}, .lambda = -1};

static const struct family {
    const char *name, *kind; /* kind: of problem files; NULL: fem */
    void *problem;
    int has_options; /* which are changed, too */
} families[] = {
    {"poisson", "poisson3d", &box, 1},
    {"separable2d", "separable2d", &plane, 0},
    {"diffusion", "diffusion3d", &even, 1},
    {"diffusion by cells", "diffusion2d", &jumps, 0},
    {"atmosphere", "atmosphere3d", &air, 1},
    {"panel", "atmosphere3d", &panel, 0},
    {"fem", NULL, &elements, 1},
    {"fem with a source", NULL, &source, 0},
    {"helmholtz1d", "helmholtz1d", &each_line, 1},
};
enum { FAMILIES = sizeof families / sizeof families[0] };

/* The tables of a family. */
static const struct starfish_member_table *tables_of(const struct family *family,
                                                     const struct starfish_option_table **options)
{
    const struct starfish_problem_row *row = NULL;
    const struct starfish_kind *kind;

    for (size_t i = 0; family->kind && (row = starfish_problem_row(i, &kind)) && strcmp(row->name, family->kind) != 0;)
        i++;
    CHECK(row || !family->kind, "there is no kind %s", family->kind);
    *options = row ? kind->options : &starfish_fem_option_table;
    return row ? row->members : &starfish_fem_problem_table;
}

static starfish_status create(const struct family *family, const union options *options)
{
    starfish_plan *plan;
    const starfish_status status =
        family->kind ? starfish_problem_plan_create(together, family->kind, family->problem, options, &plan)
                     : starfish_fem_plan_create(together, family->problem, (const void *)options, &plan);
    starfish_plan_destroy(plan);
    return status;
}

static union options defaults_of(const struct family *family)
{
    const struct starfish_option_table *table;
    union options options;

    (void)tables_of(family, &table);
    starfish_options_set_defaults(table, &options);
    return options;
}

/* ---- Trials ------------------------------------------------------------------------------------------------------ */

/* A plan of which this rank may have changed something. */
static starfish_status try(const struct family *family, const union options *options, const char *what)
{
    const double most = 2, start = starfish_now();
    const starfish_status status = create(family, options);
    const double seconds = starfish_now() - start;

    trials++;
    CHECK(status == STARFISH_SUCCESS || seconds < most, "%s, %s: refused after %g s", family->name, what, seconds);
    return status;
}

static void expect_accepted(const struct family *family, const union options *options, const char *what)
{
    CHECK(try(family, options, what) == STARFISH_SUCCESS, "%s, %s may differ: %s", family->name, what,
          starfish_error_message());
}

/* Whether the message says what differs; else rank 1 cannot have that by itself. */
static int is_named(const struct family *family, const union options *options, const char *what)
{
    char expected[256];
    const starfish_status status = try(family, options, what);
    const char *message = status == STARFISH_SUCCESS ? "accepted" : starfish_error_message();

    snprintf(expected, sizeof expected, "%s differs between ranks", what);
    CHECK(status != STARFISH_SUCCESS && (strstr(message, " differs between ranks") || strstr(message, "rank 1: ")),
          "%s, %s: %s", family->name, what, message);
    return strcmp(message, expected) == 0;
}

/* Does it stand in a list of names, each between blanks? */
static int is_among(const char *list, const char *name)
{
    char word[80];

    snprintf(word, sizeof word, " %s ", name);
    return strstr(list, word) != NULL;
}

/* ---- Options ----------------------------------------------------------------------------------------------------- */

enum { FAR = 4096 }; /* of strides one that fits */

/* Another value that the member may have. */
static void change_option(const struct starfish_option *option, void *options)
{
    static size_t four[] = {4, 0};
    void *at = (char *)options + option->offset;
    const double value = option->default_value, next = value < option->most ? value + 1 : value - 1;
    int name = 0;

    switch (option->type) {
    case STARFISH_OPTION_INT:
        *(int *)at = (int)next;
        break;
    case STARFISH_OPTION_SIZE:
        *(size_t *)at = option->most >= FAR ? FAR : (size_t)next;
        break;
    case STARFISH_OPTION_REAL:
        *(double *)at = value + 0.5 * (1 - value);
        break;
    case STARFISH_OPTION_CHOICE:
        while (!option->values[name] || name == (int)value)
            name++;
        *(int *)at = name;
        break;
    case STARFISH_OPTION_SWITCH:
        *(int *)at = value == 0;
        break;
    case STARFISH_OPTION_TEXT:
    case STARFISH_OPTION_POINTER:
        *(const void **)at = four; /* options.planes */
        break;
    }
}

static void check_options(const struct family *family)
{
    /* Another value is refused on the rank that has it. */
    static const char alone[] = " options.complex_rhs options.mixed options.count options.ghosts options.precision ";

    const struct starfish_option_table *table;

    tables_of(family, &table);
    for (size_t i = 0; family->has_options && i < table->count; i++) {
        const struct starfish_option *option = &table->option[i];
        union options options = defaults_of(family);
        char name[64];
        snprintf(name, sizeof name, "options.%s", option->name);
        if (transport->rank == 1)
            change_option(option, &options);
        if (option->agree == STARFISH_AGREE_LOCAL)
            expect_accepted(family, &options, name);
        else
            CHECK(is_named(family, &options, name) || is_among(alone, name), "%s, %s: %s", family->name, name,
                  starfish_error_message());
    }
}

/* ---- Problems ---------------------------------------------------------------------------------------------------- */

enum { MORE, LESS, CHANGES };

static void change_element(const struct starfish_member *member, void *at, int change)
{
    const int step = change == MORE ? 1 : -1;

    switch (member->type) {
    case STARFISH_MEMBER_INT:
        *(int *)at += step;
        break;
    case STARFISH_MEMBER_SWITCH:
        *(int *)at = *(int *)at == 0;
        break;
    case STARFISH_MEMBER_SIZE:
        *(size_t *)at += (size_t)step;
        break;
    case STARFISH_MEMBER_REAL:
        *(double *)at += change == MORE ? 1e-3 : -1e-3;
        break;
    case STARFISH_MEMBER_LONG:
        *(long long *)at += step;
        break;
    case STARFISH_MEMBER_BYTE:
        *(unsigned char *)at ^= 1;
        break;
    default:
        break;
    }
}

/* A struct of a family's problem. */
struct within {
    const struct family *family;
    const struct starfish_member_table *table;
    void *in, *around;
    const char *name;
};

static int is_counted(const struct starfish_elements *counted, size_t i)
{
    return counted->width > 0 && i >= counted->first && (i - counted->first) / counted->width < counted->rows &&
           (i - counted->first) % counted->width < counted->used;
}

/* The pointer is another one on rank 1 during a trial: NULL, or one to nothing. */
static int is_pointer_named(const struct within *within, const struct starfish_member *member, const char *name,
                            int is_compared)
{
    void **at = (void **)(void *)((char *)within->in + member->offset), *before = *at;
    const union options options = defaults_of(within->family);
    char presence[160];
    int named = 0;

    snprintf(presence, sizeof presence, "%.120s (given or NULL)", name);
    if (transport->rank == 1)
        *at = is_compared ? NULL : (char *)before + 1;
    if (is_compared)
        named = is_named(within->family, &options, presence);
    else
        expect_accepted(within->family, &options, name);
    *at = before;
    return named;
}

/* Changes every element of the member in turn. Returns whether a message has named it. */
static int are_elements_named(const struct within *within, const struct starfish_member *member, const char *name)
{
    const struct starfish_elements counted = starfish_member_elements(member, within->in, within->around);
    const size_t size = starfish_member_size(member);
    const size_t count = member->shape ? counted.first + counted.rows * counted.width : member->bytes / size;
    char *data = (char *)(uintptr_t)starfish_member_data(member, within->in);
    const union options options = defaults_of(within->family);
    int named = 0;

    for (size_t i = 0; i < count; i++)
        for (int change = 0; change < CHANGES; change++) {
            unsigned char before[sizeof(double)];
            const int is_compared = member->agree == STARFISH_AGREE_SAME && is_counted(&counted, i);
            memcpy(before, data + i * size, size);
            if (transport->rank == 1)
                change_element(member, data + i * size, change);
            if (is_compared)
                named |= is_named(within->family, &options, name);
            else if (change == MORE)
                expect_accepted(within->family, &options, name);
            memcpy(data + i * size, before, size);
        }
    return named;
}

/* Rows of which a message has named a member; of some problems every other value is refused on the rank that has it. */
static struct {
    const struct starfish_member *member;
    int is_named;
} noted[128];
static size_t notes;

static void note(const struct starfish_member *member, int is_named)
{
    size_t i = 0;

    while (i < notes && noted[i].member != member)
        i++;
    CHECK(i < sizeof noted / sizeof noted[0], "more than %zu rows", i);
    noted[i].member = member;
    noted[i].is_named |= is_named;
    notes = i == notes ? notes + 1 : notes;
}

static void check_members(const struct within *within);

static void check_structs(const struct within *within, const struct starfish_member *member, const char *name)
{
    const struct starfish_elements counted = starfish_member_elements(member, within->in, within->around);
    char *data = (char *)(uintptr_t)starfish_member_data(member, within->in);

    for (size_t i = 0; data && i < counted.used; i++) {
        char own[160];
        snprintf(own, sizeof own, counted.used > 1 ? "%.120s[%zu]" : "%.120s", name, i);
        check_members(&(struct within){within->family, member->table, data + i * member->table->size, within->in, own});
    }
}

static void check_members(const struct within *within)
{
    for (size_t m = 0; m < within->table->count; m++) {
        const struct starfish_member *member = &within->table->member[m];
        const struct starfish_elements counted = starfish_member_elements(member, within->in, within->around);
        const int is_pointer = member->shape || member->type == STARFISH_MEMBER_POINTER;
        const int is_compared = member->agree != STARFISH_AGREE_LOCAL && counted.rows * counted.used > 0;
        char name[160];
        int named = 0;
        snprintf(name, sizeof name, "%.120s.%.30s", within->name, member->name);
        if (is_pointer && *(void **)(void *)((char *)within->in + member->offset))
            named |= is_pointer_named(within, member, name, is_compared);
        if (member->type == STARFISH_MEMBER_STRUCT)
            check_structs(within, member, name);
        else if (member->type != STARFISH_MEMBER_POINTER && starfish_member_data(member, within->in))
            named |= are_elements_named(within, member, name);
        if (is_compared)
            note(member, named);
    }
}

/* The highest bits of two numbers: products of fingerprints carry nothing down from there. */
static void check_signs(void)
{
    const union options options = defaults_of(&families[0]);

    for (int i = 1; i < 3; i++)
        upper[i] *= transport->rank == 1 ? -1 : 1;
    CHECK(is_named(&families[0], &options, "problem.axis[2].upper"), "two signs: %s", starfish_error_message());
    for (int i = 1; i < 3; i++)
        upper[i] *= transport->rank == 1 ? -1 : 1;
}

/* Plans of two families at a time. */
static void check_kinds(void)
{
    for (int f = 1; f < FAMILIES; f++) {
        const struct family *family = &families[transport->rank == 1 ? f : 0];
        const union options options = defaults_of(family);
        CHECK(is_named(family, &options, "the kind of plan"), "%s: %s", families[f].name, starfish_error_message());
    }
}

enum { NX = 12, NY = 10, NZ = 40, WIDER = NX + 3 };

/* A solve of which rank 1 may have rows that are not packed; returns the rank's solution, packed. */
static double *solve_with_row(starfish_method method, size_t row)
{
    const struct starfish_axis cells = {
        .length = 1, .ends = {STARFISH_DIRICHLET, STARFISH_NEUMANN}, .grid = STARFISH_CELL};
    struct starfish_poisson_problem problem = {.axis = {cells, cells, cells}, .lambda = -1};
    struct starfish_poisson_options options = STARFISH_POISSON_OPTIONS_DEFAULTS;
    const size_t planes = NZ / 2, rows = NY * planes;
    double *f = calloc(rows * WIDER, sizeof *f), *u = calloc(rows * WIDER, sizeof *u);
    starfish_plan *plan;

    problem.axis[0].n = NX;
    problem.axis[1].n = NY;
    problem.axis[2].n = NZ;
    options.method = method;
    options.check_residual = 1;
    options.rhs_layout.row = options.solution_layout.row = row;
    row = row > 0 ? row : NX;
    for (size_t r = 0; f && r < rows; r++)
        for (size_t x = 0; x < NX; x++)
            f[r * row + x] = 1 + (double)((3 * r + 7 * x) % 11);
    CHECK(f && u && starfish_poisson_plan_create(together, &problem, &options, &plan) == STARFISH_SUCCESS &&
              starfish_plan_solve(plan, NULL, f, u, NULL) == STARFISH_SUCCESS,
          "method %d: %s", (int)method, starfish_error_message());
    starfish_plan_destroy(plan);
    for (size_t r = 0; r < rows; r++)
        memmove(u + r * NX, u + r * row, NX * sizeof *u);
    free(f);
    return u;
}

/* What is LOCAL of options changes nothing but where that rank's numbers lie. */
static void check_layouts(void)
{
    static const starfish_method methods[] = {STARFISH_METHOD_SLAB, STARFISH_METHOD_BLKTRI, STARFISH_METHOD_MULTIGRID};

    for (size_t m = 0; m < sizeof methods / sizeof methods[0]; m++) {
        double *packed = solve_with_row(methods[m], 0);
        double *wider = solve_with_row(methods[m], transport->rank == 1 ? WIDER : 0);
        for (size_t i = 0; i < NX * NY * NZ / 2; i++)
            CHECK(packed[i] != 0 && packed[i] == wider[i], "method %d, wider rows on rank 1: %g becomes %g",
                  (int)methods[m], packed[i], wider[i]);
        free(packed);
        free(wider);
    }
}

/* Plans of batches and of multigrid are each rank's own. */
static void check_own(void)
{
    const size_t n = transport->rank == 0 ? 4 : 6;
    const double width[6] = {1, 1, 1, 1, 1, 1}, zero[6] = {0}, two[6] = {2, 2, 2, 2, 2, 2};
    const struct starfish_tridiag_problem batch = {.n = n,
                                                   .lines = 1,
                                                   .rhs = 1,
                                                   .lower = zero,
                                                   .diag = two,
                                                   .upper = zero,
                                                   .coefficients = {.row = 1},
                                                   .vectors = {.row = 1}};
    const struct starfish_q1_problem q1 = {
        .elements = {n, n},
        .width = {width, width},
        .ends = {{STARFISH_DIRICHLET, STARFISH_DIRICHLET}, {STARFISH_DIRICHLET, STARFISH_DIRICHLET}}};
    double f[25], u[25];
    starfish_plan *lines, *grids;

    for (size_t i = 0; i < 25; i++)
        f[i] = 1;
    CHECK(starfish_tridiag_plan_create(together, &batch, NULL, &lines) == STARFISH_SUCCESS &&
              starfish_plan_solve(lines, NULL, f, u, NULL) == STARFISH_SUCCESS && u[n - 1] == 0.5,
          "batches: %s", starfish_error_message());
    CHECK(starfish_q1_plan_create(together, &q1, NULL, &grids) == STARFISH_SUCCESS &&
              starfish_plan_solve(grids, NULL, f, u, NULL) == STARFISH_SUCCESS && u[(n - 1) * (n - 1) - 1] > 0,
          "multigrid: %s", starfish_error_message());
    starfish_plan_destroy(lines);
    starfish_plan_destroy(grids);
}

/* The first rank solves the lines of both, which have a constant solution. */
static void check_gathered(void)
{
    const struct starfish_helmholtz1d_problem problem = {
        .n = {4, 4}, .length = 1, .lambda = -2, .ends = {STARFISH_NEUMANN, STARFISH_NEUMANN}};

    for (int method = 0; method < STARFISH_HELMHOLTZ1D_METHODS; method++) {
        struct starfish_helmholtz1d_options options = STARFISH_HELMHOLTZ1D_OPTIONS_DEFAULTS;
        double f[8] = {1, 1, 1, 1, 1, 1, 1, 1}, u[8] = {0};
        starfish_plan *plan;
        options.method = (starfish_helmholtz1d_method)method;
        CHECK(starfish_helmholtz1d_plan_create(together, &problem, &options, &plan) == STARFISH_SUCCESS &&
                  starfish_plan_solve(plan, NULL, f, u, NULL) == STARFISH_SUCCESS,
              "method %d: %s", method, starfish_error_message());
        for (size_t i = 0; i < 8; i++)
            CHECK(u[i] > -0.5 - 1e-9 && u[i] < -0.5 + 1e-9, "method %d: u is %g", method, u[i]);
        starfish_plan_destroy(plan);
    }
}

static void run(void)
{
    for (int f = 0; f < FAMILIES; f++) {
        const struct family *family = &families[f];
        const struct starfish_option_table *table;
        const struct within whole = {family, tables_of(family, &table), family->problem, NULL, "problem"};
        const union options options = defaults_of(family);
        const int before = trials;
        const double start = starfish_now();
        expect_accepted(family, &options, "nothing");
        check_options(family);
        check_members(&whole);
        expect_accepted(family, &options, "nothing that was refused before");
        if (transport->rank == 0)
            printf("%s: %d plans in %.2f s\n", family->name, trials - before, starfish_now() - start);
    }
    for (size_t i = 0; i < notes; i++) /* n says what coordinate_count must be, and others here may only be 0 */
        CHECK(noted[i].is_named || noted[i].member->type == STARFISH_MEMBER_STRUCT ||
                  is_among(" coordinate_count robin eigenvalues ", noted[i].member->name),
              "no message has named %s", noted[i].member->name);
    check_signs();
    check_kinds();
    check_layouts();
    check_own();
    check_gathered();
}

int main(int argc, char **argv)
{
    const struct starfish_transport *(*open_mpi)(char *text, size_t size) = NULL;
    void (*close_mpi)(const struct starfish_transport *transport) = NULL;
    void *library = dlopen(argc > 1 ? argv[1] : "", RTLD_NOW | RTLD_GLOBAL);
    char text[256] = "";

    CHECK(library, "%s", dlerror());
    *(void **)&open_mpi = dlsym(library, "starfish_mpi_open");
    *(void **)&close_mpi = dlsym(library, "starfish_mpi_close");
    transport = open_mpi(text, sizeof text);
    CHECK(transport && transport->ranks == 2, "two ranks are needed: %s", text);
    CHECK(starfish_context_create_ranked(&together, NULL, transport, "") == STARFISH_SUCCESS, "%s",
          starfish_error_message());
    run();
    starfish_context_destroy(together);
    close_mpi(transport);
    return 0;
}
