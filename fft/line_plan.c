/* Tables for transforming a line in shared memory; line_plan.h says what they mean. Made once per plan. */
#include "fft/line_plan.h"
#include "base/real.h"

#include <math.h>
#include <stdlib.h>

/* Fewest passes first, then the smallest sum of radices. Descending, so that the first pass, which reads device memory,
 * has the most loads in flight. */
struct factors {
    int count, sum;
    int radix[STARFISH_LINE_PASSES + 1];
};

static void search(int rest, int largest, struct factors *tried, struct factors *best)
{
    if (rest == 1) {
        if (tried->count < best->count || (tried->count == best->count && tried->sum < best->sum))
            *best = *tried;
        return;
    }
    if (tried->count >= best->count || tried->count == STARFISH_LINE_PASSES)
        return;
    for (int radix = largest; radix >= 2; radix--)
        if (rest % radix == 0) {
            tried->radix[tried->count++] = radix;
            tried->sum += radix;
            search(rest / radix, radix, tried, best);
            tried->sum -= radix;
            tried->count--;
        }
}

/* count is over STARFISH_LINE_PASSES when there are none. Length 1 is one pass of radix 1. */
static struct factors factorise(int length)
{
    enum { LARGEST = 8 };
    struct factors tried = {0}, best = {.count = STARFISH_LINE_PASSES + 1};
    if (length == 1)
        return (struct factors){.count = 1, .radix = {1}};
    search(length, LARGEST, &tried, &best);
    return best;
}

/* Of w, in the table: 1, 2 and 4. */
static int powers(int radix)
{
    return radix > 4 ? 3 : radix > 2 ? 2 : radix > 1 ? 1 : 0;
}

/* The steps of all passes, and how many places they need. */
static int set_passes(struct starfish_line_plan *plan, const struct factors *factors)
{
    int span = 1, step = 1, places = 1;
    plan->passes = factors->count;
    for (int i = factors->count - 1; i >= 0; i--) {
        int radix = factors->radix[i];
        plan->pass[i].radix = radix;
        plan->pass[i].butterflies = plan->length / radix;
        plan->pass[i].span = span;
        plan->pass[i].step = step;
        places += (radix - 1) * step;
        span *= radix;
        step = step * radix | 1;
    }
    plan->starts = plan->twiddles = 0;
    for (int i = 0; i < plan->passes; i++) {
        struct starfish_line_pass *pass = &plan->pass[i];
        pass->first_start = plan->starts;
        pass->first_twiddle = plan->twiddles;
        plan->starts += (size_t)pass->butterflies;
        plan->twiddles += (size_t)powers(pass->radix) * (size_t)pass->span;
    }
    return places;
}

bool starfish_line_fits(const struct starfish_transform_shape *shape)
{
    const size_t most = STARFISH_LINE_SHARED / STARFISH_LINE_NUMBER;
    if (shape->fft == STARFISH_FFT_NONE || shape->length > most)
        return false;
    struct starfish_line_plan plan = {.length = (int)shape->length};
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

static void fill_pass(const struct starfish_line_plan *plan, const struct starfish_line_pass *pass,
                      starfish_precision precision)
{
    const long double two_pi = 6.283185307179586476925286766559005768L;
    int block = pass->radix * pass->span;
    for (int b = 0; b < pass->butterflies; b++) {
        int *start = plan->start + 2 * (pass->first_start + (size_t)b), j = b % pass->span;
        start[0] = place_of(plan, b / pass->span * block + j);
        start[1] = j;
    }
    for (int power = 0; power < powers(pass->radix); power++)
        for (int j = 0; j < pass->span; j++) {
            long double angle = two_pi * (long double)(j << power) / (long double)block;
            size_t i = pass->first_twiddle + (size_t)(power * pass->span + j);
            set_complex(plan->twiddle, i, cosl(angle), -sinl(angle), precision);
        }
}

starfish_status starfish_line_plan_create(struct starfish_line_plan *plan, int length, starfish_precision precision)
{
    *plan = (struct starfish_line_plan){.length = length};
    struct factors factors = factorise(length);
    plan->places = set_passes(plan, &factors);
    plan->start = malloc((plan->starts ? plan->starts : 1) * 2 * sizeof *plan->start);
    plan->twiddle = malloc((plan->twiddles ? plan->twiddles : 1) * 2 * starfish_real_size(precision));
    plan->position = malloc((size_t)length * sizeof *plan->position);
    if (!plan->start || !plan->twiddle || !plan->position)
        return starfish_fail(STARFISH_ERROR_MEMORY, "no memory for the tables of a line of length %d", length);
    for (int i = 0; i < plan->passes; i++)
        fill_pass(plan, &plan->pass[i], precision);
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

/* ---- The combinations around the transform ---------------------------------------------------------------------- */
static double real_at(const void *array, size_t i, starfish_precision precision)
{
    return precision == STARFISH_F32 ? (double)((const float *)array)[i] : ((const double *)array)[i];
}

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
        const double p = real_at(table->p, i, precision), q = real_at(table->q, i, precision);
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
    output.weight[table->first[k] % 2] += share * real_at(table->p, k, precision);
    output.weight[table->second[k] % 2] += share * real_at(table->q, k, precision);
    return output;
}

/* 1 or -1 when the weights of `second` are (im, -re) of `first` times that, else 0. */
static int quarter_turn(const struct output *first, const struct output *second)
{
    const double size = fabs(first->weight[0]) + fabs(first->weight[1]);
    for (int sign = 1; sign >= -1; sign -= 2)
        if (fabs(second->weight[0] - sign * first->weight[1]) <= 1e-6 * size &&
            fabs(second->weight[1] + sign * first->weight[0]) <= 1e-6 * size)
            return sign;
    return 0;
}

/* `entry_of` finds the entry of an element that waits for its second output, or -1. */
static void fill_after(struct starfish_line_after *after, const struct starfish_line_plan *plan,
                       const struct starfish_transform_tables *tables,
                       const struct starfish_transform_combination *table, starfish_precision precision, int *entry_of)
{
    for (int m = 0; m < plan->length; m++)
        entry_of[m] = -1;
    for (size_t k = 0; k < table->length; k++) {
        const struct output output = output_of(tables, table, k, precision);
        const int m = output.element, waiting = entry_of[m];
        if (waiting >= 0) {
            int *entry = after->entry + 4 * waiting;
            const struct output first = output_of(tables, table, (size_t)entry[2], precision);
            const int sign = quarter_turn(&first, &output);
            entry_of[m] = -1;
            if (sign != 0) {
                entry[3] = 2 * (int)k + (sign < 0);
                continue;
            }
        }
        int *entry = after->entry + 4 * after->entries;
        entry[0] = plan->position[m];
        entry[1] = plan->position[(plan->length - m) % plan->length];
        entry[2] = (int)k;
        entry[3] = -1;
        set_complex(after->weight, (size_t)after->entries, (long double)output.weight[0], (long double)output.weight[1],
                    precision);
        entry_of[m] = after->entries++;
    }
}

starfish_status starfish_line_after_create(struct starfish_line_after *after, const struct starfish_line_plan *plan,
                                           const struct starfish_transform_tables *tables,
                                           enum starfish_transform_direction direction, starfish_precision precision)
{
    const struct starfish_transform_combination *table = &tables->after[direction];
    int *entry_of = malloc((size_t)plan->length * sizeof *entry_of);
    after->entries = 0;
    after->entry = malloc(4 * table->length * sizeof *after->entry);
    after->weight = malloc(2 * table->length * starfish_real_size(precision));
    const bool have = entry_of && after->entry && after->weight;
    if (have)
        fill_after(after, plan, tables, table, precision, entry_of);
    free(entry_of);
    if (!have)
        return starfish_fail(STARFISH_ERROR_MEMORY, "no memory for the tables of a line of length %d", plan->length);
    return STARFISH_SUCCESS;
}
