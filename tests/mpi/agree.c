/* What ranks must have alike: one of them has another value of one option, of every row of every family's table, or of
 * one member of the problem. Every plan is refused on all ranks, by a message that names what differs. */
#include <mpi.h>
#include <starfish/mpi.h>
#include <starfish/options.h>
#include <starfish/starfish.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "tests/mpi/check.h"

static starfish_context *together;

static void expect(starfish_status status, const char *family, const char *name, const char *what)
{
    const char *message = status == STARFISH_SUCCESS ? "accepted" : starfish_error_message();
    CHECK(status != STARFISH_SUCCESS && strstr(message, name) && strstr(message, what), "%s, %s: %s", family, name,
          message);
}

/* ---- families ---------------------------------------------------------------------------------------------------- */

union options {
    size_t size;
    struct starfish_poisson_options poisson;
    struct starfish_diffusion_options diffusion;
    struct starfish_atmosphere_options atmosphere;
    struct starfish_fem_options fem;
};

static struct starfish_poisson_problem poisson = {
    .axis = {{.n = 4, .length = 1, .periodic = 1}, {.n = 4, .length = 1, .periodic = 1}, {.n = 4, .length = 1}},
    .lambda = -1};
static struct starfish_diffusion_problem diffusion = {
    .dimensions = 3, .n = {4, 4, 4}, .length = {1, 1, 1}, .constant_coefficient = 1};
static double faces[] = {0, 0.01, 0.02, 0.03, 0.05};
static struct starfish_atmosphere_problem atmosphere = {
    .n = {4, 4, 4}, .length = {1, 1}, .height = 0.05, .faces = faces, .omega = 0.2, .lambda = 1};
static double points[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}};
static const int cell[9] = {0, -1, 1, -1, -1, -1, 2, -1, 3};
static const struct starfish_fem_mesh mesh = {
    .dimensions = 2, .points = 4, .point = points[0], .cells = 1, .cell = cell};
static struct starfish_fem_problem elements = {.mesh = &mesh, .refinements = 1, .rhs = 1};

static starfish_status create_poisson(const union options *options)
{
    starfish_poisson_plan *plan;
    const starfish_status status = starfish_poisson_plan_create(together, &poisson, &options->poisson, &plan);
    starfish_poisson_plan_destroy(plan);
    return status;
}

static starfish_status create_diffusion(const union options *options)
{
    starfish_diffusion_plan *plan;
    const starfish_status status = starfish_diffusion_plan_create(together, &diffusion, &options->diffusion, &plan);
    starfish_diffusion_plan_destroy(plan);
    return status;
}

static starfish_status create_atmosphere(const union options *options)
{
    starfish_atmosphere_plan *plan;
    const starfish_status status = starfish_atmosphere_plan_create(together, &atmosphere, &options->atmosphere, &plan);
    starfish_atmosphere_plan_destroy(plan);
    return status;
}

static starfish_status create_fem(const union options *options)
{
    starfish_fem_plan *plan;
    const starfish_status status = starfish_fem_plan_create(together, &elements, &options->fem, &plan);
    starfish_fem_plan_destroy(plan);
    return status;
}

static const struct family {
    const char *name;
    starfish_status (*describe)(size_t index, struct starfish_option_description *description);
    starfish_status (*create)(const union options *options);
    union options defaults;
} families[] = {
    {"poisson", starfish_poisson_option, create_poisson, {.poisson = STARFISH_POISSON_OPTIONS_DEFAULTS}},
    {"diffusion", starfish_diffusion_option, create_diffusion, {.diffusion = STARFISH_DIFFUSION_OPTIONS_DEFAULTS}},
    {"atmosphere", starfish_atmosphere_option, create_atmosphere, {.atmosphere = STARFISH_ATMOSPHERE_OPTIONS_DEFAULTS}},
    {"fem", starfish_fem_option, create_fem, {.fem = STARFISH_FEM_OPTIONS_DEFAULTS}},
};
enum { FAMILIES = sizeof families / sizeof families[0] };

/* ---- options ----------------------------------------------------------------------------------------------------- */

enum { FAR = 4096 };

/* Another value that the member may have; of strides one that fits. */
static void change(const struct starfish_option_description *d, void *options)
{
    static size_t four[] = {4, 0};
    void *at = (char *)options + d->offset;
    const double next = d->default_value < d->most ? d->default_value + 1 : d->default_value - 1;
    int name = 0;

    switch (d->type) {
    case STARFISH_OPTION_INT:
        *(int *)at = (int)next;
        break;
    case STARFISH_OPTION_SIZE:
        *(size_t *)at = d->most >= FAR ? FAR : (size_t)next;
        break;
    case STARFISH_OPTION_REAL:
        *(double *)at = d->default_value + 0.5 * (1 - d->default_value);
        break;
    case STARFISH_OPTION_CHOICE:
        while (!d->values[name] || name == (int)d->default_value)
            name++;
        *(int *)at = name;
        break;
    case STARFISH_OPTION_SWITCH:
        *(int *)at = d->default_value == 0;
        break;
    case STARFISH_OPTION_TEXT:
    case STARFISH_OPTION_POINTER:
        *(const void **)at = four; /* options.planes */
        break;
    }
}

/* Those whose other value that rank's plan may not have, by itself. */
static int is_refused(const char *name)
{
    static const char *const names[] = {"complex_rhs", "mixed", "count", "ghosts"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(names[i], name) == 0)
            return 1;
    return 0;
}

static void check_options(const struct family *family)
{
    struct starfish_option_description d;
    size_t count = 0;

    for (; family->describe(count, &d) == STARFISH_SUCCESS; count++) {
        union options options = family->defaults;
        char name[64];
        snprintf(name, sizeof name, "options.%s", d.name);
        if (rank == ranks - 1)
            change(&d, &options);
        const starfish_status status = family->create(&options);
        if (family->create == create_poisson && is_refused(d.name))
            expect(status, family->name, "rank 1: ", "");
        else if (family->create == create_fem && d.offset == offsetof(struct starfish_fem_options, precision))
            expect(status, family->name, "rank 1: ", "inner is the wider");
        else
            expect(status, family->name, name, " differs between ranks");
    }
    CHECK(count >= 10, "%s has %zu options", family->name, count);
}

/* ---- problems ---------------------------------------------------------------------------------------------------- */

static void check_problems(void)
{
    const struct {
        int family;
        double *member;
        const char *name;
    } cases[] = {
        {0, &poisson.lambda, "the problem"},
        {0, &poisson.axis[1].length, "the problem"},
        {1, &diffusion.lambda, "the problem"},
        {1, &diffusion.length[2], "the problem"},
        {1, &diffusion.constant_coefficient, "constant_coefficient"},
        {2, &atmosphere.omega, "the problem"},
        {2, &atmosphere.length[1], "the problem"},
        {2, &faces[2], "the problem"},
        {3, &elements.rhs, "the problem"},
        {3, &points[3][0], "the problem"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const double before = *cases[i].member;
        const struct family *family = &families[cases[i].family];
        *cases[i].member *= rank == ranks - 1 ? 1.25 : 1;
        *cases[i].member -= rank == ranks - 1 && before == 0 ? 1 : 0;
        expect(family->create(&family->defaults), family->name, cases[i].name, " differs between ranks");
        *cases[i].member = before;
    }
    const starfish_end before = diffusion.ends[1][0];
    diffusion.ends[1][0] = diffusion.ends[1][1] = rank == ranks - 1 ? STARFISH_NEUMANN : STARFISH_DIRICHLET;
    expect(create_diffusion(&families[1].defaults), "diffusion", "the problem", " differs between ranks");
    diffusion.ends[1][0] = diffusion.ends[1][1] = before;
}

/* Plans of two families at a time. */
static void check_kinds(void)
{
    for (int f = 1; f < 3; f++) {
        const struct family *family = &families[rank == ranks - 1 ? f : 0];
        expect(family->create(&family->defaults), family->name, "the kind of plan", " differs between ranks");
    }
}

int main(int argc, char **argv)
{
    int level;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    CHECK_OK(starfish_mpi_context_create(&together, MPI_COMM_WORLD, NULL));
    CHECK_OK(starfish_mpi_rank(together, &rank, &ranks));
    for (int f = 0; f < FAMILIES; f++)
        check_options(&families[f]);
    check_problems();
    check_kinds();
    for (int f = 0; f < FAMILIES; f++) /* alike they are made: nothing is left of what was refused */
        CHECK(families[f].create(&families[f].defaults) == STARFISH_SUCCESS, "%s: %s", families[f].name,
              starfish_error_message());
    starfish_context_destroy(together);
    MPI_Finalize();
    return 0;
}
