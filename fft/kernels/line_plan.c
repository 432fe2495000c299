/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tables for transforming a line in shared memory; line_plan.h says what they mean. Made once per plan. */
#include "fft/kernels/line_plan.h"

#include "base/precision.h"
#include "base/real.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Fewest passes first, then the smallest sum of radices. Descending, so that the first pass, which reads device memory,
 * has the most loads in flight; but the widest ones stand behind the first. */
struct factors {
    int count, sum, widest; /* how many of the widest there are */
    int radix[STARFISH_LINE_PASSES + 1];
};

static const int few_radices[] = {STARFISH_LINE_WIDEST, 8, 7, 6, 5, 4, 3, 2, 0};
static const int all_radices[] = {STARFISH_LINE_WIDEST, STARFISH_LINE_RADIX, 8, 7, 6, 5, 4, 3, 2, 0};

/* largest: in a list that ends with 0. */
static void search(int rest, const int *largest, struct factors *tried, struct factors *best)
{
    if (rest == 1) {
        if (tried->widest > 0 && tried->widest + 2 > tried->count)
            return;
        if (tried->count < best->count || (tried->count == best->count && tried->sum < best->sum))
            *best = *tried;
        return;
    }
    if (tried->count >= best->count || tried->count == STARFISH_LINE_PASSES)
        return;
    for (const int *radix = largest; *radix > 0; radix++)
        if (rest % *radix == 0) {
            const int wide = *radix == STARFISH_LINE_WIDEST;
            tried->radix[tried->count++] = *radix;
            tried->sum += *radix;
            tried->widest += wide;
            search(rest / *radix, radix, tried, best);
            tried->widest -= wide;
            tried->sum -= *radix;
            tried->count--;
        }
}

static struct factors factors_of(int length, const int *radices)
{
    struct factors tried = {0}, best = {.count = STARFISH_LINE_PASSES + 1};
    search(length, radices, &tried, &best);
    if (best.widest > 0) {
        best.radix[0] = best.radix[best.widest];
        best.radix[best.widest] = STARFISH_LINE_WIDEST;
    }
    return best;
}

/* Radix 10, whose butterflies take the most registers in the first and the last pass, where it saves one of more than
 * three passes: 1000 = 10 10 10. With fewer passes it is slower (60), or no faster (80, 100, 200, 400, 640). */
static struct factors with_radix_10(int length, struct factors without)
{
    if (without.count <= 3)
        return without;
    struct factors with = factors_of(length, all_radices);
    if (with.count >= without.count)
        return without;
    for (int i = 1; i < with.count && with.radix[0] == STARFISH_LINE_RADIX; i++)
        if (with.radix[i] < STARFISH_LINE_RADIX) {
            with.radix[0] = with.radix[i];
            with.radix[i] = STARFISH_LINE_RADIX;
        }
    return with;
}

/* count is over STARFISH_LINE_PASSES when there are none. The first pass and the last one differ in what they read and
 * write, so one of radix 1 follows where one would do. */
static struct factors factorise(int length)
{
    struct factors best = with_radix_10(length, factors_of(length, few_radices));
    while (best.count < 2)
        best.radix[best.count++] = 1;
    return best;
}

/* Of w, in the table: 1, 2, 4 and 8. */
static int powers(int radix)
{
    return radix > 8 ? 4 : radix > 4 ? 3 : radix > 2 ? 2 : radix > 1 ? 1 : 0;
}

/* Butterflies of a pass that the table `start` has. */
static int starts_of(const struct starfish_line_plan *plan, int pass)
{
    return pass == 0 ? plan->pass[0].span : plan->pass[pass].butterflies;
}

/* The steps of all passes, and how many places they need. */
static int set_passes(struct starfish_line_plan *plan, const struct factors *factors)
{
    int span = 1, step = 1, places = 1;
    plan->passes = factors->count;
    plan->kept = plan->mirror ? factors->radix[0] / 2 + 1 : factors->radix[0];
    plan->numbers = plan->length / factors->radix[0] * plan->kept;
    for (int i = factors->count - 1; i >= 0; i--) {
        int radix = factors->radix[i];
        plan->pass[i].radix = radix;
        plan->pass[i].butterflies = plan->numbers / radix;
        plan->pass[i].span = span;
        plan->pass[i].step = step;
        places += ((i == 0 ? plan->kept : radix) - 1) * step;
        span *= radix;
        step = step * radix | 1;
    }
    if (plan->mirror)
        plan->pass[0].butterflies = plan->pass[0].span / 2 + 1;
    plan->starts = plan->twiddles = 0;
    for (int i = 0; i < plan->passes; i++) {
        struct starfish_line_pass *pass = &plan->pass[i];
        pass->first_start = plan->starts;
        pass->first_twiddle = plan->twiddles;
        plan->starts += (size_t)starts_of(plan, i);
        plan->twiddles += (size_t)powers(pass->radix) * (size_t)pass->span;
    }
    return places;
}

bool starfish_line_fits(const struct starfish_transform_shape *shape)
{
    const size_t most = STARFISH_LINE_SHARED / STARFISH_LINE_NUMBER;
    if (shape->fft == STARFISH_FFT_NONE || shape->length > 2 * most)
        return false;
    struct starfish_line_plan plan = {.length = (int)shape->length, .mirror = shape->mirror};
    const struct factors factors = factorise(plan.length);
    return factors.count <= STARFISH_LINE_PASSES && (size_t)set_passes(&plan, &factors) <= most;
}

/* ---- Tables ----------------------------------------------------------------------------------------------------- */
/* The place of element i in natural order before the passes: its digits from the first pass on. */
static int place_of(const struct starfish_line_plan *plan, int i)
{
    int place = 0;
    for (int p = 0; p < plan->passes; p++) {
        place += i / plan->pass[p].span * plan->pass[p].step;
        i %= plan->pass[p].span;
    }
    return place;
}

/* The place of frequency f after them: the lowest digit of f is that of the first pass. */
static int position_of(const struct starfish_line_plan *plan, int f)
{
    int place = 0;
    for (int p = 0; p < plan->passes; p++) {
        place += f % plan->pass[p].radix * plan->pass[p].step;
        f /= plan->pass[p].radix;
    }
    return place;
}

static void set_complex(void *array, size_t i, long double re, long double im, starfish_precision precision)
{
    if (precision == STARFISH_F32) {
        ((float *)array)[2 * i] = (float)re;
        ((float *)array)[2 * i + 1] = (float)im;
    } else {
        ((double *)array)[2 * i] = (double)re;
        ((double *)array)[2 * i + 1] = (double)im;
    }
}

/* Whether frequency f is in a block that the first pass leaves. */
static bool is_kept(const struct starfish_line_plan *plan, int f)
{
    return f % plan->pass[0].radix < plan->kept;
}

static void fill_starts(const struct starfish_line_plan *plan, int number)
{
    const struct starfish_line_pass *pass = &plan->pass[number];
    const int block = pass->radix * pass->span, starts = starts_of(plan, number);
    int *start = plan->start + 2 * pass->first_start;
    for (int b = 0; b < starts && number + 1 < plan->passes; b++, start += 2) {
        start[0] = place_of(plan, b / pass->span * block + b % pass->span);
        start[1] = b % pass->span;
    }
    for (int f = 0; f < plan->length / pass->radix && number + 1 == plan->passes; f++)
        if (is_kept(plan, f)) {
            start[0] = position_of(plan, f);
            start[1] = f;
            start += 2;
        }
}

static void fill_twiddles(const struct starfish_line_plan *plan, const struct starfish_line_pass *pass,
                          starfish_precision precision)
{
    const long double two_pi = 6.283185307179586476925286766559005768L;
    const int block = pass->radix * pass->span;
    for (int power = 0; power < powers(pass->radix); power++)
        for (int j = 0; j < pass->span; j++) {
            long double angle = two_pi * (long double)(j << power) / (long double)block;
            size_t i = pass->first_twiddle + (size_t)(power * pass->span + j);
            set_complex(plan->twiddle, i, cosl(angle), -sinl(angle), precision);
        }
}

starfish_status starfish_line_plan_create(struct starfish_line_plan *plan, int length, int mirror,
                                          starfish_precision precision)
{
    *plan = (struct starfish_line_plan){.length = length, .mirror = mirror};
    struct factors factors = factorise(length);
    plan->places = set_passes(plan, &factors);
    plan->start = malloc((plan->starts ? plan->starts : 1) * 2 * sizeof *plan->start);
    plan->twiddle = malloc((plan->twiddles ? plan->twiddles : 1) * 2 * starfish_real_size(precision));
    plan->position = malloc((size_t)length * sizeof *plan->position);
    if (!plan->start || !plan->twiddle || !plan->position)
        return starfish_fail(STARFISH_ERROR_MEMORY, "no memory for the tables of a line of length %d", length);
    for (int i = 0; i < plan->passes; i++) {
        fill_starts(plan, i);
        fill_twiddles(plan, &plan->pass[i], precision);
    }
    for (int f = 0; f < length; f++)
        plan->position[f] = position_of(plan, f);
    return STARFISH_SUCCESS;
}

void starfish_line_plan_destroy(struct starfish_line_plan *plan)
{
    free(plan->start);
    free(plan->twiddle);
    free(plan->position);
    *plan = (struct starfish_line_plan){0};
}

/* Outputs are of frequencies 0 .. length / 2, without the ends where these are zero. Those of a block that is not kept
 * are of the mirror image. */
void starfish_line_outputs(const struct starfish_line_plan *plan, int *output)
{
    const int half = plan->length / 2, ends = plan->mirror < 0;
    for (int f = 0; f < plan->length; f++)
        output[f] = -1;
    for (int f = ends; f <= half - ends; f++) {
        if (is_kept(plan, f))
            output[f] = 2 * (f - ends) + (plan->mirror < 0);
        else
            output[plan->length - f] = 2 * (f - ends);
    }
}

/* ---- The combinations around the transform ---------------------------------------------------------------------- */
starfish_status starfish_line_before_create(struct starfish_line_before *before,
                                            const struct starfish_transform_combination *table,
                                            starfish_precision precision)
{
    before->terms = table->terms;
    before->weighted = false;
    before->length = table->length;
    before->input = malloc(2 * table->length * sizeof *before->input);
    before->weight = malloc(2 * table->length * starfish_real_size(precision));
    if (!before->input || !before->weight)
        return starfish_fail(STARFISH_ERROR_MEMORY, "no memory for the tables of %zu inputs", table->length);
    for (size_t i = 0; i < table->length; i++) {
        const double p = starfish_element(table->p, precision, i), q = starfish_element(table->q, precision, i);
        before->input[2 * i] = table->first[i];
        before->input[2 * i + 1] = table->second[i];
        before->weighted |= p != 1;
        set_complex(before->weight, i, (long double)p, (long double)q, precision);
    }
    return STARFISH_SUCCESS;
}

struct output {
    int element; /* of the line's transform */
    double weight[2];
};

/* Even indices of a table are real parts; the second term, if it counts, is of the same element. */
static struct output output_of(const struct starfish_transform_tables *tables,
                               const struct starfish_transform_combination *table, size_t k,
                               starfish_precision precision)
{
    const double share = tables->shape.fft == STARFISH_FFT_REAL ? 0.5 : 1;
    struct output output = {.element = table->first[k] / 2};
    output.weight[table->first[k] % 2] += share * starfish_element(table->p, precision, k);
    output.weight[table->second[k] % 2] += share * starfish_element(table->q, precision, k);
    return output;
}

/* 1 or -1 when the weights `second` are (im, -re) of `first` times that, else 0. */
static int quarter_turn(const double first[2], const double second[2])
{
    const double size = fabs(first[0]) + fabs(first[1]);
    for (int sign = 1; sign >= -1; sign -= 2)
        if (fabs(second[0] - sign * first[1]) <= 1e-6 * size && fabs(second[1] + sign * first[0]) <= 1e-6 * size)
            return sign;
    return 0;
}

static struct output first_output(const struct starfish_line_after *after, int element, starfish_precision precision)
{
    const size_t at = 2 * (size_t)element;
    return (struct output){
        element, {starfish_element(after->weight, precision, at), starfish_element(after->weight, precision, at + 1)}};
}

/* No element has more than two outputs, and the second is a quarter turn from the first: all kinds are made so. */
static bool fill_after(struct starfish_line_after *after, const struct starfish_transform_tables *tables,
                       const struct starfish_transform_combination *table, starfish_precision precision)
{
    for (size_t i = 0; i < 2 * tables->shape.length; i++)
        after->entry[i] = -1;
    for (size_t k = 0; k < table->length; k++) {
        const struct output output = output_of(tables, table, k, precision);
        int *entry = after->entry + 2 * output.element;
        if (entry[0] < 0) {
            entry[0] = (int)k;
            set_complex(after->weight, (size_t)output.element, (long double)output.weight[0],
                        (long double)output.weight[1], precision);
            continue;
        }
        const struct output first = first_output(after, output.element, precision);
        const int sign = quarter_turn(first.weight, output.weight);
        if (sign == 0 || entry[1] >= 0)
            return false;
        entry[1] = 2 * (int)k + (sign < 0);
    }
    return true;
}

starfish_status starfish_line_after_create(struct starfish_line_after *after,
                                           const struct starfish_transform_tables *tables,
                                           enum starfish_transform_direction direction, starfish_precision precision)
{
    const size_t length = tables->shape.length;
    after->entry = malloc(2 * length * sizeof *after->entry);
    after->weight = calloc(2 * length, starfish_real_size(precision));
    if (!after->entry || !after->weight)
        return starfish_fail(STARFISH_ERROR_MEMORY, "no memory for the outputs of a line of length %zu", length);
    if (!fill_after(after, tables, &tables->after[direction], precision))
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "outputs of a line of length %zu are not pairs", length);
    return STARFISH_SUCCESS;
}

/* ---- Pairs of butterflies ---------------------------------------------------------------------------------------- */
bool starfish_line_is_synthesis(const struct starfish_transform_tables *tables,
                                enum starfish_transform_direction direction)
{
    return tables->shape.fft == STARFISH_FFT_REAL && tables->before[direction].terms == 2;
}

/* One slot before its weights are turned for a synthesis. */
struct slot {
    int entry[2];
    double weight[2];
};

/* Of frequency f, whose element is that of length - f where f is over the half: S is the same then, T the negative. */
static struct slot slot_of(const struct starfish_line_after *after, int length, int f, starfish_precision precision)
{
    const bool mirrored = 2 * f > length;
    const int element = mirrored ? length - f : f;
    const struct output first = first_output(after, element, precision);
    struct slot slot = {{after->entry[2 * element], after->entry[2 * element + 1]}, {first.weight[0], first.weight[1]}};
    if (mirrored) {
        slot.weight[1] = -slot.weight[1];
        slot.entry[1] ^= slot.entry[1] >= 0;
    }
    return slot;
}

/* Slot 0 of pair 0: its second output, re S - im T with weights (re, 0) and sign -1, is that of length / 2. */
static struct slot real_slot(const struct starfish_line_after *after, int length, starfish_precision precision,
                             double *ratio)
{
    const int half = length % 2 == 0 ? length / 2 : 0;
    struct slot slot = {{after->entry[0], -1}, {starfish_element(after->weight, precision, 0), 0}};
    *ratio = 0;
    if (half > 0 && after->entry[2 * half] >= 0) {
        const double weight = starfish_element(after->weight, precision, 2 * (size_t)half);
        slot.entry[1] = 2 * after->entry[2 * half] + 1;
        slot.weight[0] = slot.entry[0] >= 0 ? slot.weight[0] : weight;
        *ratio = weight / slot.weight[0];
    }
    return slot;
}

static struct slot find_slot(struct starfish_line_pairs *pairs, const struct starfish_line_after *after, int p, int i,
                             starfish_precision precision)
{
    const int stride = pairs->stride, length = stride * pairs->radix;
    const bool second = p == 0 && i >= (pairs->radix + 1) / 2;
    if (p == 0 && i == 0)
        return real_slot(after, length, precision, &pairs->ratio);
    if (second && stride % 2 == 1)
        return (struct slot){{-1, -1}, {0, 0}};
    return slot_of(after, length, (second ? stride / 2 : p) + stride * i, precision);
}

/* first = re S + im T and second = sign (im S - re T) solved for S and T are the same with weights over their squares'
 * sum; C and D are (S + iT) / 2 and (S - iT) / 2. */
static void turn_slot(struct slot *slot, double gain)
{
    const double square = slot->weight[0] * slot->weight[0] + slot->weight[1] * slot->weight[1];
    for (int part = 0; part < 2 && square > 0; part++)
        slot->weight[part] *= gain / (2 * square);
}

static void fill_pairs(struct starfish_line_pairs *pairs, const struct starfish_line_plan *plan,
                       const struct starfish_line_after *after, bool synthesis, double gain,
                       starfish_precision precision)
{
    for (int p = 0; p < pairs->count; p++) {
        const int second = p > 0 ? pairs->stride - p : pairs->stride / 2;
        pairs->place[2 * p] = synthesis ? place_of(plan, p) : position_of(plan, p);
        pairs->place[2 * p + 1] = synthesis ? place_of(plan, second) : position_of(plan, second);
        if (p == 0 && pairs->stride % 2 == 1)
            pairs->place[1] = -1;
        for (int i = 0; i < pairs->radix; i++) {
            const size_t at = (size_t)i * (size_t)pairs->count + (size_t)p;
            struct slot slot = find_slot(pairs, after, p, i, precision);
            if (synthesis)
                turn_slot(&slot, gain);
            memcpy(pairs->entry + 2 * at, slot.entry, sizeof slot.entry);
            set_complex(pairs->weight, at, (long double)slot.weight[0], (long double)slot.weight[1], precision);
            pairs->complete &= slot.entry[0] >= 0 && slot.entry[1] >= 0;
            if (slot.entry[0] < 0 && slot.entry[1] < 0)
                continue;
            pairs->plain = pairs->plain == 0 ? slot.weight[0] : pairs->plain;
            pairs->weighted |= slot.weight[0] != pairs->plain || slot.weight[1] != 0;
        }
    }
    if (synthesis && pairs->ratio != 0)
        pairs->ratio = 1 / pairs->ratio;
}

starfish_status starfish_line_pairs_create(struct starfish_line_pairs *pairs, const struct starfish_line_plan *plan,
                                           const struct starfish_line_after *after, bool synthesis, double gain,
                                           starfish_precision precision)
{
    *pairs =
        (struct starfish_line_pairs){.radix = plan->pass[synthesis ? 0 : plan->passes - 1].radix, .complete = true};
    pairs->stride = plan->length / pairs->radix;
    pairs->count = (pairs->stride + 1) / 2;
    const size_t slots = (size_t)pairs->count * (size_t)pairs->radix;
    pairs->place = malloc(2 * (size_t)pairs->count * sizeof *pairs->place);
    pairs->entry = malloc(2 * slots * sizeof *pairs->entry);
    pairs->weight = malloc(2 * slots * starfish_real_size(precision));
    if (!pairs->place || !pairs->entry || !pairs->weight)
        return starfish_fail(STARFISH_ERROR_MEMORY, "no memory for the tables of a line of length %d", plan->length);
    fill_pairs(pairs, plan, after, synthesis, gain, precision);
    return STARFISH_SUCCESS;
}
