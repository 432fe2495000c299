/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Estimated durations of tasks that were not recorded (estimate.h): samples weighted by likeness, and a fit of log time
 * over log bytes. */
#include "scheduler/lab/estimate.h"

#include "scheduler/lab/sizes.h"
#include "scheduler/runtime/task.h"

#include <math.h>

double starfish_sample_distance(const struct starfish_sample *sample, double bytes)
{
    return fabs(log((sample->bytes + 1) / (bytes + 1)));
}

unsigned starfish_sample_team(const struct starfish_sample_set *entry, uint32_t footprint)
{
    return entry->on_cores ? starfish_footprint_cores(footprint) : 0;
}

const struct starfish_sample *starfish_closest_sample(const struct starfish_sample_set *entry, uint32_t footprint,
                                                      double bytes)
{
    const struct starfish_sample *best = NULL;
    for (size_t i = 0; i < entry->count; i++) {
        const struct starfish_sample *sample = &entry->sample[i];
        if (sample->is_estimate)
            continue;
        const int fits = starfish_sample_team(entry, sample->footprint) == starfish_sample_team(entry, footprint);
        const int best_fits =
            best && starfish_sample_team(entry, best->footprint) == starfish_sample_team(entry, footprint);
        if (!best || fits > best_fits ||
            (fits == best_fits && starfish_sample_distance(sample, bytes) < starfish_sample_distance(best, bytes)))
            best = sample;
    }
    return best;
}

enum { KINDS = 8 }; /* a number of a task that is less than this is a kind, or small */
enum { LONGEST_TRANSFORM = 8192 };

/* The largest prime factor of what may be the length of a transform, on which its time depends too; from 13 on all are
 * alike. */
static double hardness_of(size_t length)
{
    size_t most = 2;
    for (size_t factor = 2; factor < 13 && length > 1; factor++)
        for (; length % factor == 0; length /= factor)
            most = factor;
    return length > 1 ? 13 : (double)most;
}

/* Of two numbers of tasks: those that stand for a kind, such as a precision or a direction, are equal or far apart;
 * sizes by the square of their ratio's logarithm. */
static double unlike_numbers(size_t here, size_t there)
{
    const double ratio = log(((double)here + 1) / ((double)there + 1));
    if (here < KINDS && there < KINDS)
        return (here != there) * 3.0;
    if (here < KINDS || there < KINDS || here > LONGEST_TRANSFORM || there > LONGEST_TRANSFORM)
        return ratio * ratio;
    const double harder = log(hardness_of(here) / hardness_of(there));
    return ratio * ratio + harder * harder;
}

/* How unlike the task a sample is. Numbers that one of them has beyond the other's count as 0 there, since codelets
 * leave out the last ones where they are 0. Of a sample without numbers any may differ. */
static double unlikeness(const struct starfish_sample *sample, const struct starfish_sizes *sizes, double bytes)
{
    const struct starfish_sizes *there = sizes ? starfish_sizes_of(sample->footprint, sizes->count) : NULL;
    double sum = starfish_sample_distance(sample, bytes) * starfish_sample_distance(sample, bytes);
    if (sizes && !there)
        there = starfish_sizes_of(sample->footprint, 0);
    if (!there)
        return sum + (sizes ? 3.0 * (double)sizes->count : 0);
    for (size_t i = 0; i < sizes->count || i < there->count; i++)
        sum += unlike_numbers(i < sizes->count ? sizes->value[i] : 0, i < there->count ? there->value[i] : 0);
    return sum;
}

/* Sums of a fit of log(time) = a + b log(bytes / those of the task) by least squares with weights. */
struct fit {
    double weight, x, y, xx, xy, deviation;
};

static void add_to_fit(struct fit *fit, double weight, double x, double y, double deviation)
{
    fit->weight += weight;
    fit->x += weight * x;
    fit->y += weight * y;
    fit->xx += weight * x * x;
    fit->xy += weight * x * y;
    fit->deviation += weight * deviation;
}

/* exp(a). Times grow with the bytes but for what the sizes nearby show: b is drawn towards 1, and is not below 0. */
static double value_of_fit(const struct fit *fit)
{
    const double draw = 0.02, x = fit->x / fit->weight, y = fit->y / fit->weight;
    const double xx = fit->xx / fit->weight - x * x, xy = fit->xy / fit->weight - x * y;
    const double b = fmax(0, fmin((xy + draw) / (xx + draw), 1.5));
    return exp(y - b * x);
}

/* The bytes of the largest recorded task on as many cores. */
static double most_bytes(const struct starfish_sample_set *entry, uint32_t footprint)
{
    double most = 0;
    for (size_t i = 0; i < entry->count; i++)
        if (!entry->sample[i].is_estimate &&
            starfish_sample_team(entry, entry->sample[i].footprint) == starfish_sample_team(entry, footprint))
            most = fmax(most, entry->sample[i].bytes);
    return most;
}

/* Is every number that stands for a kind the same, and every size in `small` at most that in `large`? One of at least
 * four sizes may be larger, such as a number of entries. */
static int is_within(const struct starfish_sizes *small, const struct starfish_sizes *large)
{
    size_t sizes = 0, against = 0;
    for (size_t i = 0; i < small->count; i++) {
        const size_t a = small->value[i], b = large->value[i];
        if ((a < KINDS || b < KINDS) && a != b)
            return 0;
        sizes += a >= KINDS;
        against += a > b;
    }
    return 4 * against <= sizes;
}

/* The product of the sizes, but of those that shrink from one task to another. */
static double volume_of(const struct starfish_sizes *sizes, const struct starfish_sizes *from,
                        const struct starfish_sizes *to)
{
    double volume = 1;
    for (size_t i = 0; i < sizes->count; i++)
        if (sizes->value[i] >= KINDS && from->value[i] <= to->value[i])
            volume *= (double)sizes->value[i];
    return volume;
}

/* Recorded tasks next to a task, one that its sizes contain, and one that contains them; NULL: there is none. */
struct bounds {
    const struct starfish_sample *low, *high;
};

static int is_closer(const struct starfish_sizes *there, const struct starfish_sample *best, int above)
{
    const struct starfish_sizes *other = best ? starfish_sizes_of(best->footprint, there->count) : NULL;
    return !other || (volume_of(there, there, there) < volume_of(other, other, other)) == above;
}

static struct bounds bounds_of(const struct starfish_sample_set *entry, uint32_t footprint,
                               const struct starfish_sizes *sizes)
{
    struct bounds bounds = {NULL, NULL};
    for (size_t i = 0; i < entry->count; i++) {
        const struct starfish_sample *sample = &entry->sample[i];
        const struct starfish_sizes *there = starfish_sizes_of(sample->footprint, sizes->count);
        if (sample->is_estimate || !there ||
            starfish_sample_team(entry, sample->footprint) != starfish_sample_team(entry, footprint))
            continue;
        const double ratio = volume_of(there, there, there) / volume_of(sizes, sizes, sizes);
        if (ratio < 1 && is_within(there, sizes) && is_closer(there, bounds.low, 0))
            bounds.low = sample;
        if (ratio > 1 && is_within(sizes, there) && is_closer(there, bounds.high, 1))
            bounds.high = sample;
    }
    return bounds;
}

/* Bytes are no measure of a task that has fewer than a recorded one of smaller sizes, as small grids of finite elements
 * may, whose matrices of several steps are made up to some size. Its time is then between those of the tasks that are
 * smaller and larger by their sizes, by these. 0: bytes are a measure of it. */
static double by_sizes(const struct starfish_sample_set *entry, uint32_t footprint, double bytes)
{
    const struct starfish_sizes *sizes = starfish_sizes_of(footprint, 0);
    const struct bounds bounds = sizes ? bounds_of(entry, footprint, sizes) : (struct bounds){NULL, NULL};
    if (!bounds.low || bytes >= bounds.low->bytes)
        return 0;
    const struct starfish_sizes *low = starfish_sizes_of(bounds.low->footprint, sizes->count);
    const double growth = volume_of(sizes, low, sizes) / volume_of(low, low, sizes);
    if (!bounds.high)
        return bounds.low->microseconds;
    const struct starfish_sizes *high = starfish_sizes_of(bounds.high->footprint, sizes->count);
    const double whole = volume_of(high, low, sizes) / volume_of(low, low, sizes);
    const double ratio = bounds.high->microseconds / bounds.low->microseconds;
    return bounds.low->microseconds * (whole > growth ? pow(ratio, log(growth) / log(whole)) : 1);
}

static size_t number_at(const struct starfish_sizes *sizes, size_t i)
{
    return sizes && i < sizes->count ? sizes->value[i] : 0;
}

/* Of a codelet's tasks, which numbers stand for kinds: operations, levels, precisions. They are small in all tasks. */
static void find_kinds(const struct starfish_sample_set *entry, const struct starfish_sizes *sizes,
                       int is_kind[STARFISH_SIZES_MOST])
{
    enum { MOST_KIND = 20 };
    for (size_t i = 0; i < STARFISH_SIZES_MOST; i++)
        is_kind[i] = number_at(sizes, i) <= MOST_KIND;
    for (size_t s = 0; s < entry->count; s++)
        for (size_t i = 0; i < STARFISH_SIZES_MOST; i++)
            is_kind[i] &= number_at(starfish_sizes_of(entry->sample[s].footprint, 0), i) <= MOST_KIND;
}

static int is_of_kind(const struct starfish_sample *sample, const struct starfish_sizes *sizes,
                      const int is_kind[STARFISH_SIZES_MOST])
{
    const struct starfish_sizes *there = starfish_sizes_of(sample->footprint, 0);
    for (size_t i = 0; there && i < STARFISH_SIZES_MOST; i++)
        if (is_kind[i] && number_at(sizes, i) != number_at(there, i))
            return 0;
    return there != NULL;
}

/* On cores operations on the same bytes differ more than on GPUs. So only tasks of the same kinds count, if there are
 * two sizes of them. NULL: all tasks count. */
static const int *kinds_that_count(const struct starfish_sample_set *entry, uint32_t like,
                                   const struct starfish_sizes *sizes, int is_kind[STARFISH_SIZES_MOST])
{
    double least = HUGE_VAL, most = 0;
    if (!entry->on_cores || !sizes)
        return NULL;
    find_kinds(entry, sizes, is_kind);
    for (size_t i = 0; i < entry->count; i++) {
        const struct starfish_sample *sample = &entry->sample[i];
        if (!sample->is_estimate &&
            starfish_sample_team(entry, sample->footprint) == starfish_sample_team(entry, like) &&
            is_of_kind(sample, sizes, is_kind)) {
            least = fmin(least, sample->bytes);
            most = fmax(most, sample->bytes);
        }
    }
    return most > 1.1 * least ? is_kind : NULL;
}

/* ---- by a relation of the codelet ------------------------------------------------------------------------------ */

/* The time by the relation alone; 0 if it does not cover the sizes. */
static double time_by_growth(const struct starfish_growth_fit *fit, starfish_growth *growth, uint32_t footprint)
{
    const struct starfish_sizes *sizes = starfish_sizes_of(footprint, 0);
    double term[STARFISH_GROWTH_TERMS] = {0};
    return sizes && growth(sizes->value, sizes->count, term) ? starfish_growth_time(fit, term) : 0;
}

/* As many cores as `like`, and measured. */
static int counts_with(const struct starfish_sample_set *entry, const struct starfish_sample *sample,
                       const struct starfish_sample *like)
{
    return !sample->is_estimate &&
           starfish_sample_team(entry, sample->footprint) == starfish_sample_team(entry, like->footprint);
}

static void fit_growth(const struct starfish_sample_set *entry, const struct starfish_sample *like,
                       starfish_growth *growth, struct starfish_growth_fit *fit)
{
    for (size_t i = 0; i < entry->count; i++) {
        const struct starfish_sample *sample = &entry->sample[i];
        const struct starfish_sizes *sizes = starfish_sizes_of(sample->footprint, 0);
        double term[STARFISH_GROWTH_TERMS] = {0};
        if (counts_with(entry, sample, like) && sizes && growth(sizes->value, sizes->count, term))
            starfish_growth_add(fit, term, sample->microseconds);
    }
    starfish_growth_solve(fit);
}

/* 0 if the relation or the recording gives no time. */
static double by_growth(const struct starfish_sample_set *entry, const struct starfish_sample *like, uint32_t footprint,
                        double bytes, starfish_growth *growth)
{
    struct starfish_growth_fit fit = {.count = 0};
    double weight = 0, beside = 0;
    fit_growth(entry, like, growth, &fit);
    const double time = time_by_growth(&fit, growth, footprint);
    if (fit.count < STARFISH_GROWTH_TERMS || time <= 0)
        return 0;
    for (size_t i = 0; i < entry->count; i++) {
        const struct starfish_sample *sample = &entry->sample[i];
        const double there = counts_with(entry, sample, like) ? time_by_growth(&fit, growth, sample->footprint) : 0;
        if (there <= 0)
            continue;
        const double far = unlikeness(sample, starfish_sizes_of(footprint, 0), bytes) + 0.05;
        weight += 1 / (far * far);
        beside += log(sample->microseconds / there) / (far * far);
    }
    return time * exp(beside / weight);
}

/* ---- times rise with sizes --------------------------------------------------------------------------------------- */

/* Is `small` of the same kinds as `large`, no larger in any size, and no harder for transforms? */
static int is_inside(const struct starfish_sizes *small, const struct starfish_sizes *large,
                     const int is_kind[STARFISH_SIZES_MOST])
{
    for (size_t i = 0; i < STARFISH_SIZES_MOST; i++) {
        const size_t a = number_at(small, i), b = number_at(large, i);
        if (is_kind[i] ? a != b : a > b || (b <= LONGEST_TRANSFORM && hardness_of(a) > hardness_of(b)))
            return 0;
    }
    return 1;
}

static double within_recorded(const struct starfish_sample_set *entry, const struct starfish_sample *like,
                              uint32_t footprint, double microseconds)
{
    int is_kind[STARFISH_SIZES_MOST];
    double least = 0, most = HUGE_VAL;
    const struct starfish_sizes *sizes = starfish_sizes_of(footprint, 0);
    if (!sizes || starfish_sample_team(entry, footprint) != starfish_sample_team(entry, like->footprint))
        return microseconds;
    find_kinds(entry, sizes, is_kind);
    for (size_t i = 0; i < entry->count; i++) {
        const struct starfish_sample *sample = &entry->sample[i];
        const struct starfish_sizes *there = starfish_sizes_of(sample->footprint, 0);
        if (!there || !counts_with(entry, sample, like))
            continue;
        if (is_inside(there, sizes, is_kind))
            least = fmax(least, sample->microseconds);
        if (is_inside(sizes, there, is_kind))
            most = fmin(most, sample->microseconds);
    }
    return fmin(fmax(microseconds, least), most); /* where the recording contradicts itself, the lesser */
}

/* Is a size, or are the bytes, more than so many times those of all recorded tasks, or less than such a part? */
static int is_far(const struct starfish_sample_set *entry, const struct starfish_sample *like, uint32_t footprint,
                  double bytes)
{
    const struct starfish_sizes *sizes = starfish_sizes_of(footprint, 0);
    const double much = log(STARFISH_FAR_ESTIMATE) + 1e-3;
    int far = starfish_sample_distance(like, bytes) > much;
    for (size_t v = 0; sizes && v < sizes->count; v++) {
        double nearest = HUGE_VAL;
        for (size_t i = 0; i < entry->count; i++)
            if (!entry->sample[i].is_estimate) {
                const size_t there = number_at(starfish_sizes_of(entry->sample[i].footprint, 0), v);
                nearest = fmin(nearest, fabs(log(((double)sizes->value[v] + 1) / ((double)there + 1))));
            }
        far |= nearest > much;
    }
    return far;
}

/* ---- both -------------------------------------------------------------------------------------------------------- */

/* Of a task that was not recorded, from all that were of its codelet, those most that are most like it. Beyond the
 * largest of these, times grow as the bytes do. */
struct starfish_sample starfish_estimate(const struct starfish_sample_set *entry, uint32_t footprint, double bytes,
                                         starfish_growth *growth)
{
    int is_kind[STARFISH_SIZES_MOST];
    const struct starfish_sizes *sizes = starfish_sizes_of(footprint, 0);
    const struct starfish_sample *like = starfish_closest_sample(entry, footprint, bytes);
    const int *kinds = kinds_that_count(entry, like->footprint, sizes, is_kind);
    const double inside = fmin(bytes, most_bytes(entry, like->footprint)), beyond = bytes / fmax(inside, 1);
    struct fit fit = {.weight = 0};
    for (size_t i = 0; i < entry->count; i++) {
        const struct starfish_sample *sample = &entry->sample[i];
        const unsigned there = starfish_sample_team(entry, sample->footprint),
                       here = starfish_sample_team(entry, footprint);
        /* Other teams count where there are no others. */
        if (sample->is_estimate || there != starfish_sample_team(entry, like->footprint) ||
            (kinds && !is_of_kind(sample, sizes, kinds)))
            continue;
        const double teams = here > 0 ? (double)there / here : 1, far = unlikeness(sample, sizes, inside) + 0.01;
        const double x = log((sample->bytes + 1) / (inside + 1));
        /* Of a task of other than some ten times the bytes nothing can be learnt about how times grow here. */
        add_to_fit(&fit, exp(-x * x / 8) / (far * far), x, log(sample->microseconds * teams),
                   sample->deviation / sample->microseconds);
    }
    const double sized = by_sizes(entry, footprint, bytes);
    const double grown = growth ? by_growth(entry, like, footprint, bytes, growth) : 0;
    const double fitted = grown > 0 ? grown : sized > 0 ? sized : value_of_fit(&fit) * fmax(beyond, 1);
    const double microseconds = within_recorded(entry, like, footprint, fitted);
    return (struct starfish_sample){.footprint = footprint,
                                    .bytes = bytes,
                                    .microseconds = microseconds,
                                    .deviation = microseconds * fit.deviation / fit.weight,
                                    .is_estimate = 1,
                                    .is_far = is_far(entry, like, footprint, bytes)};
}
