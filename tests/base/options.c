/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Option structs: tables that agree with the public initialisers, structs of other versions, ranges, command lines. */
#include "base/options.h"

#include "atmosphere/options.h"
#include "diffusion/options.h"
#include "fem/options.h"
#include "multigrid/options.h"
#include "poisson/options.h"
#include "scheduler/runtime/options.h"
#include "solver/accept.h"
#include "tests/common/about.h"
#include "tests/common/check.h"
#include "tridiag/options.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>
#include <ctype.h>
#include <float.h>
#include <math.h>
#include <starfish/starfish.h>
#include <sys/mman.h>

static const struct starfish_context_options context_defaults = STARFISH_CONTEXT_OPTIONS_DEFAULTS;
static const struct starfish_poisson_options poisson_defaults = STARFISH_POISSON_OPTIONS_DEFAULTS;
static const struct starfish_tridiag_options tridiag_defaults = STARFISH_TRIDIAG_OPTIONS_DEFAULTS;
static const struct starfish_multigrid_options multigrid_defaults = STARFISH_MULTIGRID_OPTIONS_DEFAULTS;
static const struct starfish_diffusion_options diffusion_defaults = STARFISH_DIFFUSION_OPTIONS_DEFAULTS;
static const struct starfish_atmosphere_options atmosphere_defaults = STARFISH_ATMOSPHERE_OPTIONS_DEFAULTS;
static const struct starfish_fem_options fem_defaults = STARFISH_FEM_OPTIONS_DEFAULTS;

static const struct {
    const struct starfish_option_table *table;
    const void *initialiser;
    size_t size;
} structs[] = {
    {&starfish_context_option_table, &context_defaults, sizeof context_defaults},
    {&starfish_poisson_option_table, &poisson_defaults, sizeof poisson_defaults},
    {&starfish_tridiag_option_table, &tridiag_defaults, sizeof tridiag_defaults},
    {&starfish_multigrid_option_table, &multigrid_defaults, sizeof multigrid_defaults},
    {&starfish_diffusion_option_table, &diffusion_defaults, sizeof diffusion_defaults},
    {&starfish_atmosphere_option_table, &atmosphere_defaults, sizeof atmosphere_defaults},
    {&starfish_fem_option_table, &fem_defaults, sizeof fem_defaults},
};
enum { STRUCTS = sizeof structs / sizeof structs[0], ROOM = 512 };

/* Any struct, aligned for all members. */
union any {
    max_align_t alignment;
    unsigned char bytes[ROOM];
    size_t size;
};

static size_t bytes_of(const struct starfish_option *option)
{
    static const size_t bytes[] = {[STARFISH_OPTION_INT] = sizeof(int),       [STARFISH_OPTION_SIZE] = sizeof(size_t),
                                   [STARFISH_OPTION_REAL] = sizeof(double),   [STARFISH_OPTION_CHOICE] = sizeof(int),
                                   [STARFISH_OPTION_SWITCH] = sizeof(int),    [STARFISH_OPTION_TEXT] = sizeof(char *),
                                   [STARFISH_OPTION_POINTER] = sizeof(void *)};
    return bytes[option->type];
}

/* ---- Tables ------------------------------------------------------------------------------------------------------ */

/* Every member has a row: between two there is no room for one that was forgotten. */
static void tables_have_every_member(void **state)
{
    (void)state;
    for (size_t s = 0; s < STRUCTS; s++) {
        const struct starfish_option_table *table = structs[s].table;
        size_t end = sizeof(size_t);
        assert_int_equal(table->size, structs[s].size);
        for (size_t i = 0; i < table->count; i++) {
            const size_t bytes = bytes_of(&table->option[i]), offset = table->option[i].offset;
            assert_int_equal(offset, (end + bytes - 1) / bytes * bytes);
            end = offset + bytes;
        }
        assert_int_equal((end + table->alignment - 1) / table->alignment * table->alignment, table->size);
    }
}

/* The struct of that name: that is in its initialiser's. */
static const struct starfish_option_table *table_named(const char *name)
{
    char defaults[64];
    size_t letters = (size_t)snprintf(defaults, sizeof defaults, "STARFISH_%s_OPTIONS_DEFAULTS", name);

    for (size_t i = 0; i < letters; i++)
        defaults[i] = (char)toupper((unsigned char)defaults[i]);
    for (size_t s = 0; s < STRUCTS; s++)
        if (strcmp(structs[s].table->defaults, defaults) == 0)
            return structs[s].table;
    fail_msg("no struct is named %s", name);
    return NULL;
}

/* What wrappers in other languages are told: each row of each struct. */
static void descriptions_are_the_tables_rows(void **state)
{
    struct starfish_option_description description;
    const char *name;
    size_t count = 0;
    (void)state;
    for (; (name = starfish_options_name(count)) != NULL; count++) {
        const struct starfish_option_table *table = table_named(name);
        for (size_t i = 0; i < table->count; i++) {
            ASSERT_OK(starfish_option(name, i, &description));
            assert_string_equal(description.name, table->option[i].name);
            assert_int_equal(description.offset, table->option[i].offset);
            assert_ptr_equal(description.synonym, table->option[i].synonym);
            assert_int_equal(description.type, table->option[i].type);
            assert_int_equal(description.struct_size, table->size);
        }
        assert_int_equal(starfish_option(name, table->count, &description), STARFISH_ERROR_ARGUMENT);
        assert_non_null(strstr(starfish_error_message(), "index is "));
        assert_int_equal(starfish_option(name, 0, NULL), STARFISH_ERROR_ARGUMENT);
    }
    assert_int_equal(count, STRUCTS);
    assert_int_equal(starfish_option("cylinder", 0, &description), STARFISH_ERROR_ARGUMENT);
    assert_non_null(strstr(starfish_error_message(), "name is 'cylinder', "));
    assert_int_equal(starfish_option(NULL, 0, &description), STARFISH_ERROR_ARGUMENT);
}

static void initialisers_agree_with_the_tables(void **state)
{
    (void)state;
    for (size_t s = 0; s < STRUCTS; s++) {
        const struct starfish_option_table *table = structs[s].table;
        union any ours;
        starfish_options_set_defaults(table, &ours);
        assert_int_equal(ours.size, *(const size_t *)structs[s].initialiser);
        for (size_t i = 0; i < table->count; i++) {
            const struct starfish_option *option = &table->option[i];
            if (memcmp(ours.bytes + option->offset, (const char *)structs[s].initialiser + option->offset,
                       bytes_of(option)) != 0)
                fail_msg("%s: %s", table->defaults, option->name);
        }
        ASSERT_OK(starfish_options_check(table, &ours));
    }
}

/* ---- Structs of other versions ----------------------------------------------------------------------------------- */

/* Memory of `bytes`, behind which nothing may be read: the next page is locked. */
static void *at_the_end_of_a_page(size_t bytes)
{
    enum { PAGE = 1 << 16 };
    char *pages = mmap(NULL, (size_t)2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(pages, MAP_FAILED);
    assert_int_equal(mprotect(pages + PAGE, PAGE, PROT_NONE), 0);
    return pages + PAGE - bytes;
}

/* Every size that an older version may have had. */
static void smaller_structs_leave_defaults(void **state)
{
    (void)state;
    for (size_t s = 0; s < STRUCTS; s++) {
        const struct starfish_option_table *table = structs[s].table;
        for (size_t size = 2 * table->alignment; size <= table->size; size += table->alignment) {
            unsigned char *user = at_the_end_of_a_page(size);
            union any ours, expected;
            memset(&ours, 0xa5, sizeof ours);
            starfish_options_set_defaults(table, &expected);
            memset(user, 0, size);
            memset(expected.bytes + sizeof size, 0, size - sizeof size);
            memcpy(user, &size, sizeof size);
            ASSERT_OK(starfish_options_take(table, user, &ours));
            assert_memory_equal(ours.bytes, expected.bytes, table->size);
            for (size_t byte = table->size; byte < ROOM; byte++)
                assert_int_equal(ours.bytes[byte], 0xa5);
        }
    }
}

static void larger_structs_must_end_in_zeros(void **state)
{
    (void)state;
    for (size_t s = 0; s < STRUCTS; s++) {
        const struct starfish_option_table *table = structs[s].table;
        union any user = {.bytes = {0}}, ours;
        memcpy(&user, structs[s].initialiser, table->size);
        user.size = table->size + 24;
        ASSERT_OK(starfish_options_read(table, &user, &ours));
        assert_int_equal(ours.size, table->size);
        user.bytes[table->size + 23] = 1;
        ASSERT_FAILS(starfish_options_read(table, &user, &ours), STARFISH_ERROR_ARGUMENT, "options.size is ");
        user.size = table->size;
        ASSERT_OK(starfish_options_read(table, &user, &ours));
    }
}

static void other_sizes_are_refused(void **state)
{
    (void)state;
    static const size_t sizes[] = {0, 1, 8, 17, SIZE_MAX, SIZE_MAX - 7, 1 << 20};
    for (size_t s = 0; s < STRUCTS; s++)
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
            union any user = {.size = sizes[i]}, ours;
            ASSERT_FAILS(starfish_options_take(structs[s].table, &user, &ours), STARFISH_ERROR_ARGUMENT,
                         "options.size is ");
            assert_non_null(strstr(starfish_error_message(), structs[s].table->defaults));
        }
}

/* The first three members alone, as a program of an older version has them, through the public interface; and a struct
 * of results, which is as large as ever, between bytes that stay. */
static void an_older_program_runs(void **state)
{
    (void)state;
    struct older {
        size_t size;
        starfish_method method;
        starfish_precision precision;
        size_t slabs;
    } *options = at_the_end_of_a_page(sizeof *options);
    enum { N = 8, GUARD = 64 };
    struct {
        unsigned char before[GUARD];
        struct starfish_result info;
        unsigned char after[GUARD];
    } results;
    struct older_context {
        size_t size;
        int cpu_workers, gpu_workers;
    } *workers = at_the_end_of_a_page(sizeof *workers);
    double field[N * N * N] = {1};
    const struct starfish_axis axis = {.n = N, .length = 1, .ends = {STARFISH_DIRICHLET, STARFISH_DIRICHLET}};
    const struct starfish_poisson_problem problem = {.axis = {axis, axis, axis}, .lambda = 0};
    starfish_context *context;
    starfish_plan *plan;

    *workers = (struct older_context){sizeof *workers, -1, 0};
    *options = (struct older){sizeof *options, STARFISH_METHOD_BLKTRI, STARFISH_F64, 2};
    memset(&results, 0x5a, sizeof results);
    results.info.size = sizeof results.info;
    ASSERT_OK(starfish_context_create(&context, (const struct starfish_context_options *)(const void *)workers));
    ASSERT_OK(starfish_poisson_plan_create(context, &problem,
                                           (const struct starfish_poisson_options *)(const void *)options, &plan));
    assert_string_equal(test_about(plan).method, "blktri");
    ASSERT_OK(starfish_plan_solve(plan, NULL, field, field, &results.info));
    starfish_plan_destroy(plan);
    starfish_context_destroy(context);
    assert_true(results.info.seconds > 0);
    for (int i = 0; i < GUARD; i++)
        assert_true(results.before[i] == 0x5a && results.after[i] == 0x5a);
}

/* ---- Ranges ------------------------------------------------------------------------------------------------------ */

static void put(const struct starfish_option *option, union any *options, double value)
{
    void *at = options->bytes + option->offset;
    if (option->type == STARFISH_OPTION_SIZE)
        *(size_t *)at = (size_t)value;
    else if (option->type == STARFISH_OPTION_REAL)
        *(double *)at = value;
    else
        *(int *)at = (int)value;
}

static void expect(const struct starfish_option_table *table, const char *name, double value, const char *message)
{
    union any options;
    starfish_options_set_defaults(table, &options);
    put(starfish_option_named(table, name), &options, value);
    if (message)
        ASSERT_FAILS(starfish_options_check(table, &options), STARFISH_ERROR_ARGUMENT, message);
    else
        ASSERT_OK(starfish_options_check(table, &options));
}

static void messages_tell_value_and_range(void **state)
{
    (void)state;
    const struct starfish_option_table *const context = &starfish_context_option_table,
                                              *const poisson = &starfish_poisson_option_table,
                                              *const tridiag = &starfish_tridiag_option_table,
                                              *const multigrid = &starfish_multigrid_option_table;
    expect(context, "cpu_workers", -2, "options.cpu_workers is -2, less than -1");
    expect(context, "cores_per_worker", -1, "options.cores_per_worker is -1, must not be negative");
    expect(poisson, "method", 5, "options.method is 5, none of auto, slab, blktri, blktri-product and multigrid");
    expect(poisson, "precision", -1, "options.precision is -1, none of f32 and f64");
    expect(poisson, "slabs", 65, "options.slabs is 65, not in 0..64");
    expect(poisson, "mode_blocks", 33, "options.mode_blocks is 33, not in 0..32");
    expect(poisson, "refinements", 11, "options.refinements is 11, not in -1..10");
    expect(poisson, "refinements", -2, "options.refinements is -2, not in -1..10");
    expect(poisson, "algorithm", STARFISH_ALGORITHM_TILED,
           "options.algorithm is 2, none of auto, thomas, cr, pcr and cr-pcr");
    expect(poisson, "split", 35, "options.split is 35, not in -1..34");
    expect(poisson, "radix", 3, "options.radix is 3, none of auto, 2 and 4");
    expect(poisson, "tolerance", -1, "options.tolerance is -1, not in 0 or more and below 1");
    expect(poisson, "tolerance", NAN, "options.tolerance is ");
    expect(poisson, "tolerance", INFINITY, "options.tolerance is inf, must be finite");
    expect(tridiag, "precision", 7, "options.precision is 7, none of f32 and f64");
    expect(tridiag, "algorithm", STARFISH_ALGORITHMS, "options.algorithm is 8, none of auto, thomas, tiled, cr, ");
    expect(tridiag, "slabs", 257, "options.slabs is 257, not in 0..256");
    expect(multigrid, "smoother", STARFISH_SMOOTHERS, "options.smoother is 10, none of auto, adi, line-x, ");
    expect(multigrid, "damping", -1, "options.damping is -1, must not be negative");
    expect(multigrid, "cycle", 4, "options.cycle is 4, none of v, f, w and fmg");
    expect(multigrid, "max_iterations", 0, "options.max_iterations is 0, less than 1");
    expect(multigrid, "levels", 49, "options.levels is 49, not in 0..48");
    expect(multigrid, "slabs", 17, "options.slabs is 17, not in 0..16");
    expect(multigrid, "coarse_tolerance", 1, "options.coarse_tolerance is 1, not in 0 or more and below 1");
    expect(multigrid, "coarse_iterations", 10001, "options.coarse_iterations is 10001, not in 0..10000");
}

/* The ends of every range are in it, and what is just beyond is not. */
static void ranges_have_ends(void **state)
{
    (void)state;
    for (size_t s = 0; s < STRUCTS; s++)
        for (size_t i = 0; i < structs[s].table->count; i++) {
            const struct starfish_option *option = &structs[s].table->option[i];
            char part[64];
            snprintf(part, sizeof part, "options.%s is ", option->name);
            if (option->type > STARFISH_OPTION_REAL)
                continue;
            expect(structs[s].table, option->name, option->least, NULL);
            if (option->type != STARFISH_OPTION_SIZE)
                expect(structs[s].table, option->name, option->least - 1, part);
            if (option->most < DBL_MAX) {
                expect(structs[s].table, option->name, option->most, option->below_most ? part : NULL);
                expect(structs[s].table, option->name, option->most + 1, part);
            }
        }
}

/* ---- Command lines ----------------------------------------------------------------------------------------------- */

static void words_of_a_command_line_are_read(void **state)
{
    (void)state;
    const struct starfish_option_table *table = &starfish_poisson_option_table;
    struct starfish_poisson_options o;
    starfish_options_set_defaults(table, &o);
    ASSERT_OK(starfish_option_set(starfish_option_of_flag(table, "--method"), &o, "blktri-product"));
    ASSERT_OK(starfish_option_set(starfish_option_of_flag(table, "--slabs"), &o, "12"));
    ASSERT_OK(starfish_option_set(starfish_option_of_flag(table, "--tolerance"), &o, "1e-7"));
    ASSERT_OK(starfish_option_set(starfish_option_named(table, "check_residual"), &o, NULL));
    ASSERT_OK(starfish_option_set(starfish_option_named(table, "refinements"), &o, "-1"));
    assert_int_equal(o.method, STARFISH_METHOD_BLKTRI_PRODUCT);
    assert_int_equal(o.slabs, 12);
    assert_true(o.tolerance == 1e-7);
    assert_int_equal(o.check_residual, 1);
    assert_int_equal(o.refinements, -1);
    assert_null(starfish_option_of_flag(table, "--slab"));
    assert_null(starfish_option_named(table, "slab"));
}

/* Those of one paper have no members; others may be set so, too. */
static void options_are_set_by_name(void **state)
{
    (void)state;
    static const char *const switches[] = {"dropped_fill",   "matrix_free",     "product_with_az",
                                           "separate_tasks", "dirichlet_nodes", "fixed"};
    static const char *const coarse[] = {"auto", "band", "dense", "halves"};
    static const struct {
        const char *name, *value, *message;
    } wrong[] = {
        {"dropped", "on", "options have no 'dropped'"},
        {"dropped_fill", "2", "dropped_fill: '2' is not one of off, on"},
        {"coarse", "exact", "coarse: 'exact' is not one of auto, band, dense, halves"},
        {"coarse", NULL, "coarse is NULL"},
        {NULL, "on", "name is NULL"},
        {"tolerance", "1", "tolerance: must be a number from 0, below 1, is '1'"},
    };
    const struct starfish_option_table *table = &starfish_diffusion_option_table;
    struct starfish_diffusion_options o = diffusion_defaults, expected = diffusion_defaults;
    for (size_t s = 0; s < sizeof switches / sizeof switches[0]; s++)
        for (int on = 1; on >= 0; on--) {
            ASSERT_OK(starfish_diffusion_option_set(&o, switches[s], on ? "on" : "off"));
            put(starfish_option_named(table, switches[s]), (union any *)(void *)&expected, on);
            assert_memory_equal(&o, &expected, sizeof o);
        }
    for (int value = 3; value >= 0; value--) {
        ASSERT_OK(starfish_diffusion_option_set(&o, "coarse", coarse[value]));
        assert_int_equal(o.reserved[STARFISH_DIFFUSION_COARSE], value);
    }
    ASSERT_OK(starfish_diffusion_option_set(&o, "tolerance", "1e-3"));
    assert_true(o.tolerance == 1e-3);
    expected.tolerance = 1e-3;
    for (size_t w = 0; w < sizeof wrong / sizeof wrong[0]; w++)
        ASSERT_FAILS(starfish_diffusion_option_set(&o, wrong[w].name, wrong[w].value), STARFISH_ERROR_ARGUMENT,
                     wrong[w].message);
    assert_memory_equal(&o, &expected, sizeof o);
    ASSERT_FAILS(starfish_diffusion_option_set(NULL, "coarse", "dense"), STARFISH_ERROR_ARGUMENT, "options is NULL");
    o.size = 0;
    ASSERT_FAILS(starfish_diffusion_option_set(&o, "coarse", "dense"), STARFISH_ERROR_ARGUMENT,
                 "start from STARFISH_DIFFUSION_OPTIONS_DEFAULTS");
    o.size = offsetof(struct starfish_diffusion_options, reserved);
    ASSERT_FAILS(starfish_diffusion_option_set(&o, "coarse", "dense"), STARFISH_ERROR_ARGUMENT,
                 "options have no 'coarse'");
    expect(table, "coarse", STARFISH_COARSE_FORMS, "options.coarse is 4, none of auto, band, dense and halves");
}

/* An older name is another name of the row, which keeps one name of a member. */
static void options_have_older_names(void **state)
{
    (void)state;
    static const struct {
        const struct starfish_option_table *table;
        const char *older, *name;
    } cases[] = {
        {&starfish_tridiag_option_table, "pieces", "slabs"},
        {&starfish_multigrid_option_table, "blocks", "slabs"},
        {&starfish_diffusion_option_table, "parts", "slabs"},
        {&starfish_atmosphere_option_table, "parts", "slabs"},
        {&starfish_fem_option_table, "parts", "slabs"},
        {&starfish_fem_option_table, "most_cycles", "max_iterations"},
        {&starfish_multigrid_option_table, "most_cycles", "max_iterations"},
        {&starfish_fem_option_table, "shape", "cycle"},
        {&starfish_multigrid_option_table, "shape", "cycle"},
    };
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        const struct starfish_option *option = starfish_option_named(cases[c].table, cases[c].name);
        assert_ptr_equal(starfish_option_named(cases[c].table, cases[c].older), option);
        assert_string_equal(option->name, cases[c].name);
    }
    for (size_t s = 0; s < STRUCTS; s++)
        for (size_t i = 0; i < structs[s].table->count; i++) {
            const struct starfish_option *option = &structs[s].table->option[i];
            assert_ptr_equal(starfish_option_named(structs[s].table, option->name), option);
            if (option->synonym)
                assert_ptr_equal(starfish_option_named(structs[s].table, option->synonym), option);
        }
    struct starfish_diffusion_options o = diffusion_defaults;
    ASSERT_OK(starfish_diffusion_option_set(&o, "parts", "3"));
    assert_int_equal(o.slabs, 3);
    ASSERT_FAILS(starfish_diffusion_option_set(&o, "parts", "17"), STARFISH_ERROR_ARGUMENT,
                 "slabs: must be a whole number from 0 to 16, is '17'");
}

/* A value without a name in one table may have one in another. */
static void choices_may_leave_values_out(void **state)
{
    (void)state;
    const struct starfish_option *option = starfish_option_of_flag(&starfish_multigrid_option_table, "--krylov");
    struct starfish_multigrid_options o = STARFISH_MULTIGRID_OPTIONS_DEFAULTS;
    char text[100];
    assert_string_equal(option->name, "krylov");
    assert_string_equal(starfish_option_range(option, text, sizeof text), "none, cg, bicgstab");
    assert_string_equal(starfish_option_default(option, text, sizeof text), "none");
    ASSERT_OK(starfish_option_set(option, &o, "cg"));
    assert_int_equal(o.krylov, STARFISH_KRYLOV_CG);
    ASSERT_OK(starfish_option_set(option, &o, "none"));
    assert_int_equal(o.krylov, STARFISH_KRYLOV_NONE);
    ASSERT_FAILS(starfish_option_set(option, &o, "gmres"), STARFISH_ERROR_ARGUMENT,
                 "--krylov: 'gmres' is not one of none, cg, bicgstab");
    ASSERT_FAILS(starfish_option_set(option, &o, NULL), STARFISH_ERROR_ARGUMENT, "--krylov: a value is missing");
    expect(&starfish_multigrid_option_table, "krylov", STARFISH_KRYLOV_AUTO,
           "options.krylov is 0, none of none, cg and bicgstab");
    expect(&starfish_fem_option_table, "krylov", STARFISH_KRYLOV_AUTO, NULL);
}

/* No two rows of a table have one flag, and every flag has a text. */
static void flags_are_told_once(void **state)
{
    (void)state;
    for (size_t s = 0; s < STRUCTS; s++)
        for (size_t i = 0; i < structs[s].table->count; i++) {
            const struct starfish_option *option = &structs[s].table->option[i];
            if (option->flag)
                assert_ptr_equal(starfish_option_of_flag(structs[s].table, option->flag), option);
            assert_true(option->text && option->text[0] && option->text[strlen(option->text) - 1] != '.');
        }
}

static void wrong_words_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *flag, *word, *message;
    } cases[] = {
        {"--method", "slap", "--method: 'slap' is not one of auto, slab, blktri, blktri-product, multigrid"},
        {"--slabs", "", "--slabs: must be a whole number from 0 to 64, is ''"},
        {"--slabs", "3x", "--slabs: must be a whole number from 0 to 64, is '3x'"},
        {"--slabs", "2.5", "is '2.5'"},
        {"--slabs", "1e1", "is '1e1'"},
        {"--slabs", "99999999999999999999", "is '99999999999999999999'"},
        {"--slabs", "65", "is '65'"},
        {"--slabs", "-1", "is '-1'"},
        {"--tolerance", "-1", "--tolerance: must be a number from 0, below 1, is '-1'"},
        {"--tolerance", "nan", "is 'nan'"},
        {"--tolerance", NULL, "--tolerance: a value is missing"},
    };
    const struct starfish_option_table *table = &starfish_poisson_option_table;
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        struct starfish_poisson_options o = STARFISH_POISSON_OPTIONS_DEFAULTS;
        ASSERT_FAILS(starfish_option_set(starfish_option_of_flag(table, cases[c].flag), &o, cases[c].word),
                     STARFISH_ERROR_ARGUMENT, cases[c].message);
        assert_true(o.method == STARFISH_METHOD_AUTO && o.slabs == 0 && o.tolerance == 0);
    }
    /* Whole, in the table's range, but not an int. */
    struct starfish_context_options workers = STARFISH_CONTEXT_OPTIONS_DEFAULTS;
    ASSERT_FAILS(starfish_option_set(starfish_option_named(&starfish_context_option_table, "cpu_workers"), &workers,
                                     "99999999999"),
                 STARFISH_ERROR_ARGUMENT, "cpu_workers: must be a whole number from -1, is '99999999999'");
    const struct starfish_option any = {
        .flag = "--rhs", .type = STARFISH_OPTION_REAL, .least = -DBL_MAX, .most = DBL_MAX};
    double value;
    ASSERT_FAILS(starfish_option_set(&any, &value, "nan"), STARFISH_ERROR_ARGUMENT,
                 "--rhs: must be a finite number, is 'nan'");
}

/* A tolerance of 0 in a struct. */
static void tolerances_are_by_the_precision(void **state)
{
    (void)state;
    static const double wanted[] = {[STARFISH_F32] = 1e-6, [STARFISH_F64] = 1e-10};
    for (int precision = STARFISH_F32; precision <= STARFISH_F64; precision++) {
        struct starfish_fem_options fem = fem_defaults;
        struct starfish_atmosphere_options atmosphere = atmosphere_defaults;
        fem.precision = atmosphere.precision = (starfish_precision)precision;
        ASSERT_OK(starfish_complete_options(fem.precision, fem.mixed, &fem.tolerance));
        ASSERT_OK(starfish_complete_options(atmosphere.precision, atmosphere.mixed, &atmosphere.tolerance));
        assert_true(fem.tolerance == wanted[precision] && atmosphere.tolerance == wanted[precision]);
    }
}

static void help_tells_ranges_and_defaults(void **state)
{
    (void)state;
    static const struct {
        const char *name, *range, *value;
    } cases[] = {
        {"method", "auto, slab, blktri, blktri-product, multigrid", "auto"},
        {"slabs", "0..64", "0"},
        {"refinements", "-1..10", "-1"},
        {"check_residual", "", "off"},
        {"tolerance", "0 or more and below 1", "0"},
        {"radix", "auto, 2, 4", "auto"},
    };
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        const struct starfish_option *option = starfish_option_named(&starfish_poisson_option_table, cases[c].name);
        char text[100];
        assert_string_equal(starfish_option_range(option, text, sizeof text), cases[c].range);
        assert_string_equal(starfish_option_default(option, text, sizeof text), cases[c].value);
        assert_non_null(option->text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_have_every_member),
        cmocka_unit_test(descriptions_are_the_tables_rows),
        cmocka_unit_test(initialisers_agree_with_the_tables),
        cmocka_unit_test(smaller_structs_leave_defaults),
        cmocka_unit_test(larger_structs_must_end_in_zeros),
        cmocka_unit_test(other_sizes_are_refused),
        cmocka_unit_test(an_older_program_runs),
        cmocka_unit_test(messages_tell_value_and_range),
        cmocka_unit_test(ranges_have_ends),
        cmocka_unit_test(words_of_a_command_line_are_read),
        cmocka_unit_test(options_are_set_by_name),
        cmocka_unit_test(options_have_older_names),
        cmocka_unit_test(wrong_words_are_refused),
        cmocka_unit_test(tolerances_are_by_the_precision),
        cmocka_unit_test(help_tells_ranges_and_defaults),
        cmocka_unit_test(choices_may_leave_values_out),
        cmocka_unit_test(flags_are_told_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
