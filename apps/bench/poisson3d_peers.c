/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* starfish bench poisson3d: the limits that plain copies set, and others' solvers. */
#include "apps/bench/poisson3d.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The slow peer need not be measured often. */
enum { NAIVE_REPEATS = 3 };

/* What a row says of work that is not ours. */
struct entry {
    const struct poisson3d_case *c;
    int solves; /* the case's problem; else only its size matters */
    const char *who, *what, *workers, *where;
    double bytes;
    size_t repeat;
};

/* Measured times are in run->seconds. */
static json_t *add_row(struct poisson3d *run, const struct entry *entry)
{
    json_t *row = bench_row(&run->bench, entry->who,
                            bench_name("%s: %s", entry->solves ? entry->c->name : entry->c->size, entry->what),
                            run->seconds, entry->repeat, entry->bytes);
    poisson3d_describe_size(row, entry->c);
    if (entry->solves)
        poisson3d_describe(row, entry->c);
    command_keys(row, KEY("workers", entry->workers), KEY("where", entry->where));
    return row;
}

/* ---- limits ------------------------------------------------------------------------------------------------------ */

/* Bytes per second of the fastest copy, which is what bounds others, with its row; NaN of a copy that did not run. */
static double rate_of(struct poisson3d *run, int ran, const struct entry *entry)
{
    if (!ran)
        return NAN;
    return entry->bytes / json_number_value(json_object_get(add_row(run, entry), "min"));
}

/* Are data only where GPUs have them? Then neither the link nor main memory bounds anything, and pinning fields of
 * gigabytes would take longer than all solves. */
static int all_on_devices(const struct poisson3d *run)
{
    for (size_t i = 0; i < run->places; ++i)
        if (run->place[i] < POISSON3D_DEVICE)
            return 0;
    return run->places > 0 && run->bench.gpus > 0;
}

static void measure_copies(struct poisson3d *run, const struct poisson3d_case *c, struct poisson3d_limits *limits)
{
    const size_t bytes = poisson3d_bytes(c), repeat = run->bench.repeat;
    const double field = (double)bytes;
    const int times = (int)repeat;
    double *seconds = run->seconds;
    *limits = (struct poisson3d_limits){NAN, NAN, NAN, NAN, NAN};
    bench_announce("%s: copies", c->name);
    if (!all_on_devices(run))
        limits->cores = rate_of(run, peer_stream_passes(bytes, times, seconds),
                                &(struct entry){c, 0, "copy", "ten passes", "cpu", "pageable", 10 * field, repeat});
    if (run->bench.gpus == 0)
        return;
    limits->device = rate_of(run, peer_device_copy(bytes, times, seconds),
                             &(struct entry){c, 0, "copy", "in device memory", "gpu", "device", 2 * field, repeat});
    if (all_on_devices(run))
        return;
    limits->up = rate_of(run, peer_link_copy(bytes, PEER_UP, times, seconds),
                         &(struct entry){c, 0, "copy", "link, up", "gpu", "pinned", field, repeat});
    limits->down = rate_of(run, peer_link_copy(bytes, PEER_DOWN, times, seconds),
                           &(struct entry){c, 0, "copy", "link, down", "gpu", "pinned", field, repeat});
    limits->both = rate_of(run, peer_link_copy(bytes, PEER_BOTH, times, seconds),
                           &(struct entry){c, 0, "copy", "link, both ways", "gpu", "pinned", 2 * field, repeat});
}

/* Cases whose fields are equally large have the same limits. */
void poisson3d_measure_limits(struct poisson3d *run)
{
    for (size_t i = 0; i < run->cases; ++i) {
        size_t same = 0;
        while (poisson3d_bytes(&run->each[same]) != poisson3d_bytes(&run->each[i]))
            ++same;
        if (same < i)
            run->limits[i] = run->limits[same];
        else
            measure_copies(run, &run->each[i], &run->limits[i]);
    }
}

/* ---- solvers ----------------------------------------------------------------------------------------------------- */

static void measure_cufft(struct poisson3d *run, const struct poisson3d_case *c, double rate)
{
    static const char *const what[] = {[PEER_CUFFT_IN_PLACE] = "all periodic, in place, gpu, device",
                                       [PEER_CUFFT_OUT_OF_PLACE] = "all periodic, out of place, gpu, device"};
    const double bytes = 8 * (double)poisson3d_bytes(c);
    const size_t repeat = run->bench.repeat;
    bench_announce("%s: cuFFT", c->name);
    for (peer_cufft_way way = PEER_CUFFT_IN_PLACE; way < PEER_CUFFT_WAYS; ++way)
        if (peer_cufft_periodic(c->n, c->precision, way, NULL, NULL, (int)repeat, run->seconds))
            bench_limit(add_row(run, &(struct entry){c, 0, "cuFFT", what[way], "gpu", "device", bytes, repeat}),
                        bytes / rate);
}

static void measure_fftw_periodic(struct poisson3d *run, const struct poisson3d_case *c, double rate)
{
    static int (*const solve[])(const size_t n[3], const void *f, void *u, int repeat,
                                double *seconds) = {peer_fftw_periodic_f32, peer_fftw_periodic_f64};
    const double bytes = 10 * (double)poisson3d_bytes(c);
    const size_t repeat = run->bench.repeat;
    bench_announce("%s: FFTW 3D", c->name);
    if (solve[c->precision](c->n, NULL, NULL, (int)repeat, run->seconds))
        bench_limit(
            add_row(run, &(struct entry){c, 0, "FFTW 3D", "all periodic, all cores", "cpu", "pageable", bytes, repeat}),
            bytes / rate);
}

static void measure_fftw(struct poisson3d *run, const struct poisson3d_case *c, double rate, const void *f, void *u)
{
    if (c->x->ends[0] != STARFISH_PERIODIC)
        return;
    static const struct {
        const char *who, *what;
        int (*solve[2])(const struct peer_problem *problem, const void *f, void *u, int repeat, double *seconds);
        int slow;
    } solvers[] = {
        {"FFTW slab", "planes and blocks of lines, all cores", {peer_fftw_slab_f32, peer_fftw_slab_f64}, 0},
        {"FFTW naive", "line by line, one core", {peer_fftw_naive_f32, peer_fftw_naive_f64}, 1},
    };
    const struct peer_problem problem = {
        {c->n[0], c->n[1], c->n[2]}, {c->y->ends[0], c->y->ends[1]}, {c->z->ends[0], c->z->ends[1]}, c->grid};
    const double bytes = 10 * (double)poisson3d_bytes(c);
    for (size_t i = 0; i < sizeof solvers / sizeof solvers[0]; ++i) {
        size_t repeat = run->bench.repeat;
        if (solvers[i].slow && run->peers == POISSON3D_FAST_PEERS)
            continue;
        if (solvers[i].slow && repeat > NAIVE_REPEATS)
            repeat = NAIVE_REPEATS;
        bench_announce("%s: %s", c->name, solvers[i].who);
        if (solvers[i].solve[c->precision](&problem, f, u, (int)repeat, run->seconds))
            bench_limit(
                add_row(run, &(struct entry){c, 1, solvers[i].who, solvers[i].what, "cpu", "pageable", bytes, repeat}),
                bytes / rate);
    }
}

/* The all-periodic problem is the same for all ends: it is measured where size and precision are new. */
static int is_first_of_size(const struct poisson3d *run, size_t i)
{
    for (size_t before = 0; before < i; ++before)
        if (run->each[before].precision == run->each[i].precision &&
            memcmp(run->each[before].n, run->each[i].n, sizeof run->each[i].n) == 0)
            return 0;
    return 1;
}

starfish_status poisson3d_measure_peers(struct poisson3d *run)
{
    for (size_t i = 0; i < run->cases && run->peers != POISSON3D_NO_PEERS; ++i, ++run->bench.done) {
        const struct poisson3d_case *c = &run->each[i];
        void *f = NULL, *u = NULL;
        if (run->bench.gpus > 0 && is_first_of_size(run, i))
            measure_cufft(run, c, run->limits[i].device);
        if (is_first_of_size(run, i))
            measure_fftw_periodic(run, c, run->limits[i].cores);
        if (c->stretched || c->kind)
            continue;
        starfish_status status = poisson3d_random_field(c, &f);
        STARFISH_THEN(status, poisson3d_random_field(c, &u));
        if (status == STARFISH_SUCCESS)
            measure_fftw(run, c, run->limits[i].cores, f, u);
        free(f);
        free(u);
        STARFISH_TRY(status);
    }
    return STARFISH_SUCCESS;
}
