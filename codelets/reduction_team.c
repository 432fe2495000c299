/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Chains, sums and rows on the cores of a team: every core gets a separate batch, over a part of the tables and
 * arrays. */
#include "codelets/reduction_team.h"

#include "codelets/kernel_pair.h"
#include "scheduler/runtime/team.h"
#include "tridiag/kernels/blocking.h"

#include <stdint.h>
#include <string.h>

/* A few groups may be divided by roots: each core then has separate sums, up to this many bytes. */
enum { MOST_BY_ROOTS = 32, MOST_OWN_BYTES = 8 << 20, OUTPUTS = STARFISH_SHIFTED_SUMS_OUTPUTS };
enum { SIDE_BY_SIDE = STARFISH_TRIDIAG_SIDE_BY_SIDE };

/* Where part `part` of `count` things begins; in multiples of what runs side by side, where there is enough of it. */
static size_t boundary(size_t count, size_t part, size_t parts)
{
    const size_t unit = count >= parts * SIDE_BY_SIDE ? SIDE_BY_SIDE : 1;
    return part == parts ? count : count * part / parts / unit * unit;
}

static size_t vector_reals(const struct starfish_tridiag_operator *line, size_t lanes)
{
    return line->n * lanes * starfish_tridiag_parts(line->numbers);
}

static size_t element_size(const struct starfish_tridiag_operator *line, starfish_precision precision)
{
    return starfish_tridiag_element_size(line->numbers, starfish_real_size(precision));
}

/* ---- Chains ------------------------------------------------------------------------------------------------------ */

struct shared_chain {
    const struct starfish_tridiag_chain *whole;
    starfish_precision precision;
    size_t workspace_bytes; /* of a core */
};

/* Slices of lanes that each vector is cut into, so that the core with most slices takes least time. Fewer lanes than
 * run side by side take as long as these. */
static size_t slices_of(const struct starfish_tridiag_chain *chain, size_t parts)
{
    const size_t lanes = chain->lanes,
                 most = parts > 1 ? starfish_tridiag_round_up(lanes, SIDE_BY_SIDE) / SIDE_BY_SIDE : 1;
    size_t best = 1, least = SIZE_MAX;
    for (size_t slices = 1; slices <= most; slices++) {
        const size_t widest = (lanes + slices - 1) / slices, share = (chain->vectors * slices + parts - 1) / parts;
        const size_t time = share * (widest > SIDE_BY_SIDE ? widest : SIDE_BY_SIDE);
        if (time < least) {
            least = time;
            best = slices;
        }
    }
    return best;
}

/* `count` vectors from `first` on. */
static struct starfish_tridiag_chain some_vectors(const struct shared_chain *shared, size_t first, size_t count)
{
    struct starfish_tridiag_chain c = *shared->whole;
    c.vectors = count;
    c.input_row += first;
    c.first_step += first;
    c.steps += first;
    c.scale = c.scale ? starfish_real_at((void *)(uintptr_t)c.scale, shared->precision, first) : NULL;
    c.output = starfish_real_at(c.output, shared->precision, first * vector_reals(&c.line, c.lanes));
    return c;
}

static void chain_share(void *data, size_t part, size_t parts)
{
    static void (*const kernels[])(const struct starfish_tridiag_chain *) = {starfish_tridiag_chain_cpu_f32,
                                                                             starfish_tridiag_chain_cpu_f64};
    const struct shared_chain *shared = data;
    const size_t slices = slices_of(shared->whole, parts), units = slices * shared->whole->vectors;
    const int single = shared->whole->lanes == 1;
    const size_t first = single ? boundary(units, part, parts) : units * part / parts;
    const size_t end = single ? boundary(units, part + 1, parts) : units * (part + 1) / parts;
    for (size_t unit = first, next; unit < end; unit = next) {
        next = slices > 1 ? unit + 1 : end;
        struct starfish_tridiag_chain c = some_vectors(shared, unit / slices, (next - unit + slices - 1) / slices);
        c.workspace = (char *)c.workspace + part * shared->workspace_bytes;
        if (slices > 1) {
            c.first_lane = boundary(c.lanes, unit % slices, slices);
            c.lane_count = boundary(c.lanes, unit % slices + 1, slices) - c.first_lane;
        }
        kernels[shared->precision](&c);
    }
}

size_t starfish_team_chain_workspace(size_t n, size_t lanes, size_t vectors, int periodic, size_t element_size)
{
    return starfish_tridiag_chain_workspace_cpu(n, lanes, vectors, periodic, element_size);
}

void starfish_team_chain(const struct starfish_context *context, starfish_precision precision,
                         const struct starfish_tridiag_chain *chain)
{
    struct shared_chain shared = {chain, precision,
                                  starfish_team_chain_workspace(chain->line.n, chain->lanes, chain->vectors,
                                                                chain->line.periodic,
                                                                element_size(&chain->line, precision))};
    starfish_team_run(context, chain_share, &shared);
}

/* ---- Sums -------------------------------------------------------------------------------------------------------- */

struct shared_sums {
    const struct starfish_shifted_sums *whole;
    starfish_precision precision;
    size_t workspace_bytes, kernel_bytes; /* of a core; its own sums are behind the kernel's */
};

/* Whole groups come first. Every root passes over its rows: narrower pieces waste the cache lines at both ends. */
static int sums_by_lanes(const struct starfish_shifted_sums *sums, size_t size, size_t parts)
{
    return parts > 1 && sums->groups < parts && sums->lanes >= parts * (STARFISH_TRIDIAG_NARROWEST_BYTES / size);
}

static void run_kernel(const struct shared_sums *shared, const struct starfish_shifted_sums *sums)
{
    static void (*const kernels[])(const struct starfish_shifted_sums *) = {starfish_shifted_sums_cpu_f32,
                                                                            starfish_shifted_sums_cpu_f64};
    kernels[shared->precision](sums);
}

/* Groups `first` .. `first + count - 1`. */
static struct starfish_shifted_sums some_groups(const struct starfish_shifted_sums *whole, size_t first, size_t count)
{
    struct starfish_shifted_sums s = *whole;
    s.groups = count;
    s.first_root += first;
    s.input_row += first * (size_t)s.inputs;
    s.output_row += first * (size_t)s.outputs;
    return s;
}

static void sums_share(void *data, size_t part, size_t parts)
{
    const struct shared_sums *shared = data;
    const struct starfish_shifted_sums *whole = shared->whole;
    struct starfish_shifted_sums s = *whole;
    if (sums_by_lanes(&s, element_size(&s.line, shared->precision), parts)) {
        s.first_lane = boundary(s.lanes, part, parts);
        s.lane_count = boundary(s.lanes, part + 1, parts) - s.first_lane;
    } else {
        const size_t first = boundary(s.groups, part, parts);
        s = some_groups(whole, first, boundary(s.groups, part + 1, parts) - first);
    }
    s.workspace = (char *)s.workspace + part * shared->workspace_bytes;
    if (s.groups > 0)
        run_kernel(shared, &s);
}

/* ---- Sums by roots ----------------------------------------------------------------------------------------------- */

/* Bytes of a core's own sums; 0 where roots are not shared. */
static size_t own_bytes(size_t n, size_t lanes, size_t groups, size_t size)
{
    const size_t bytes = OUTPUTS * groups * n * lanes * size;
    return groups <= MOST_BY_ROOTS && bytes <= MOST_OWN_BYTES ? bytes : 0;
}

static int by_roots(const struct starfish_shifted_sums *sums, size_t size, size_t parts)
{
    return parts > 1 && sums->groups < parts && !sums_by_lanes(sums, size, parts) &&
           own_bytes(sums->line.n, sums->lanes, sums->groups, size) > 0;
}

/* A core's roots, of all groups. */
static void roots_of(const struct starfish_shifted_sums *whole, size_t part, size_t parts, size_t *first, size_t *last)
{
    const size_t begin = (size_t)whole->first_root[0], count = (size_t)whole->first_root[whole->groups] - begin;
    *first = begin + boundary(count, part, parts);
    *last = begin + boundary(count, part + 1, parts);
}

/* The core's sum of output `output` of group `group`. */
static void *own_sum(const struct shared_sums *shared, size_t part, size_t group, int output)
{
    void *const sums = (char *)shared->whole->workspace + part * shared->workspace_bytes + shared->kernel_bytes;
    return starfish_real_at(sums, shared->precision,
                            (group * (size_t)shared->whole->outputs + (size_t)output) *
                                vector_reals(&shared->whole->line, shared->whole->lanes));
}

static void sums_of_roots(void *data, size_t part, size_t parts)
{
    const struct shared_sums *shared = data;
    const struct starfish_shifted_sums *whole = shared->whole;
    int first_root[MOST_BY_ROOTS + 1], output_row[MOST_BY_ROOTS * OUTPUTS];
    size_t first, last, group = 0, count = 0;
    roots_of(whole, part, parts, &first, &last);
    if (first == last)
        return;
    while ((size_t)whole->first_root[group + 1] <= first)
        group++;
    struct starfish_shifted_sums s = some_groups(whole, group, 0);
    for (; group + count < whole->groups && (size_t)whole->first_root[group + count] < last; count++) {
        const size_t begin = (size_t)whole->first_root[group + count];
        first_root[count] = (int)(begin > first ? begin : first);
        for (int o = 0; o < s.outputs; o++) {
            const size_t at = count * (size_t)s.outputs + (size_t)o;
            output_row[at] = s.output_row[at] < 0 ? -1 : (int)at;
        }
    }
    first_root[count] = (int)last;
    s.groups = count;
    s.first_root = first_root;
    s.output_row = output_row;
    s.output = own_sum(shared, part, group, 0);
    s.workspace = (char *)s.workspace + part * shared->workspace_bytes;
    run_kernel(shared, &s);
}

static int has_roots(const struct starfish_shifted_sums *whole, size_t core, size_t parts, size_t group)
{
    size_t first, last;
    roots_of(whole, core, parts, &first, &last);
    return first < last && first < (size_t)whole->first_root[group + 1] && last > (size_t)whole->first_root[group];
}

/* A part of the elements of every output, from all cores. */
static void add_sums(void *data, size_t part, size_t parts)
{
    static void (*const kernels[])(size_t, const void *, void *) = {starfish_shifted_sums_add_cpu_f32,
                                                                    starfish_shifted_sums_add_cpu_f64};
    const struct shared_sums *shared = data;
    const starfish_precision precision = shared->precision;
    const struct starfish_shifted_sums *whole = shared->whole;
    const size_t reals = vector_reals(&whole->line, whole->lanes), start = boundary(reals, part, parts);
    const size_t count = boundary(reals, part + 1, parts) - start;
    for (size_t g = 0; g < whole->groups; g++)
        for (int o = 0; o < whole->outputs; o++) {
            const int row = whole->output_row[g * (size_t)whole->outputs + (size_t)o];
            if (row < 0)
                continue;
            void *const out = starfish_real_at(whole->output, precision, (size_t)row * reals + start);
            memset(out, 0, count * starfish_real_size(precision));
            for (size_t core = 0; core < parts; core++)
                if (has_roots(whole, core, parts, g))
                    kernels[precision](count, starfish_real_at(own_sum(shared, core, g, o), precision, start), out);
        }
}

size_t starfish_team_sums_workspace(size_t n, size_t lanes, size_t groups, int periodic, size_t element_size)
{
    return starfish_shifted_sums_workspace_cpu(n, lanes, periodic, element_size) +
           own_bytes(n, lanes, groups, element_size);
}

void starfish_team_sums(const struct starfish_context *context, starfish_precision precision,
                        const struct starfish_shifted_sums *sums)
{
    const size_t size = element_size(&sums->line, precision);
    struct shared_sums shared = {
        sums, precision,
        starfish_team_sums_workspace(sums->line.n, sums->lanes, sums->groups, sums->line.periodic, size),
        starfish_shifted_sums_workspace_cpu(sums->line.n, sums->lanes, sums->line.periodic, size)};
    if (!by_roots(sums, size, starfish_team_size(context))) {
        starfish_team_run(context, sums_share, &shared);
        return;
    }
    starfish_team_run(context, sums_of_roots, &shared);
    starfish_team_run(context, add_sums, &shared);
}

/* ---- Rows -------------------------------------------------------------------------------------------------------- */

/* Fewer reals than these are moved before a team has gathered. */
enum { FEW_REALS = 8192 };

struct shared_rows {
    const struct starfish_rows *whole;
    starfish_precision precision;
    enum starfish_rows_operation operation;
};

static void rows_share(void *data, size_t part, size_t parts)
{
    static void (*const kernels[])(const struct starfish_rows *,
                                   enum starfish_rows_operation) = {starfish_rows_cpu_f32, starfish_rows_cpu_f64};
    const struct shared_rows *shared = data;
    struct starfish_rows rows = *shared->whole;
    const size_t first = boundary(rows.count, part, parts);
    rows.count = boundary(rows.count, part + 1, parts) - first;
    rows.which += first;
    rows.position += first;
    rows.factor = rows.factor ? starfish_real_at((void *)(uintptr_t)rows.factor, shared->precision, first) : NULL;
    rows.buffer = starfish_real_at(rows.buffer, shared->precision, first * rows.width);
    kernels[shared->precision](&rows, shared->operation);
}

void starfish_team_rows(const struct starfish_context *context, starfish_precision precision,
                        const struct starfish_rows *rows, enum starfish_rows_operation operation)
{
    struct shared_rows shared = {rows, precision, operation};
    if (rows->count * rows->width < FEW_REALS)
        rows_share(&shared, 0, 1);
    else
        starfish_team_run(context, rows_share, &shared);
}

int starfish_rows_at(const struct starfish_place *place, const struct starfish_context *context,
                     const struct starfish_rows *rows, enum starfish_rows_operation operation)
{
#ifdef STARFISH_HAVE_GPU
    if (place->gpu)
        return (place->precision == STARFISH_F64 ? starfish_rows_cuda_f64 : starfish_rows_cuda_f32)(rows, operation,
                                                                                                    place->stream);
#endif
    starfish_team_rows(context, place->precision, rows, operation);
    return 0;
}
