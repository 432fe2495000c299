/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Mutations: a table of small changes, as other fuzzers have them: bits, bytes, numbers of all widths at the ends of
 * their ranges, numbers in decimal, words of the format, parts taken out, doubled, or taken from another input. */
#include "tests/fuzz/mutate.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* Steele, Lea, Flood 2014: SplitMix64. */
static uint64_t next(struct fuzz_random *random)
{
    uint64_t z = random->state += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

size_t fuzz_below(struct fuzz_random *random, size_t bound)
{
    return bound ? next(random) % bound : 0;
}

struct mutation {
    struct fuzz_random *random;
    struct fuzz_input *input;
    const struct fuzz_input *other;
    const char *const *words;
};

/* ---- parts ------------------------------------------------------------------------------------------------------- */

static void take_out(struct fuzz_input *input, size_t at, size_t length)
{
    length = length < input->size - at ? length : input->size - at;
    memmove(input->data + at, input->data + at + length, input->size - at - length);
    input->size -= length;
}

static void put_in(struct fuzz_input *input, size_t at, const void *part, size_t length)
{
    const size_t room = FUZZ_LONGEST - input->size;
    length = length < room ? length : room;
    memmove(input->data + at + length, input->data + at, input->size - at);
    memcpy(input->data + at, part, length);
    input->size += length;
}

/* Short ones are the most frequent. */
static size_t some_length(struct fuzz_random *random, size_t most)
{
    const size_t bound = (size_t)1 << fuzz_below(random, 12);
    return fuzz_below(random, bound < most ? bound : most) + (most > 0);
}

/* ---- changes ----------------------------------------------------------------------------------------------------- */

static void flip_bit(const struct mutation *m)
{
    if (m->input->size > 0)
        m->input->data[fuzz_below(m->random, m->input->size)] ^= (uint8_t)(1u << fuzz_below(m->random, 8));
}

static void set_byte(const struct mutation *m)
{
    if (m->input->size > 0)
        m->input->data[fuzz_below(m->random, m->input->size)] = (uint8_t)next(m->random);
}

static void set_number(const struct mutation *m)
{
    static const uint64_t numbers[] = {0,          1,          2,         0x7f,       0x80,       0xff,
                                       0x7fff,     0x8000,     0xffff,    0x7fffffff, 0x80000000, 0xffffffff,
                                       1ull << 40, 1ull << 62, INT64_MAX, 1ull << 63, UINT64_MAX};
    static const size_t widths[] = {1, 2, 4, 8};
    const uint64_t number = numbers[fuzz_below(m->random, sizeof numbers / sizeof numbers[0])];
    const size_t width = widths[fuzz_below(m->random, 4)];
    if (m->input->size >= width)
        memcpy(m->input->data + fuzz_below(m->random, m->input->size - width + 1), &number, width);
}

static void remove_part(const struct mutation *m)
{
    const size_t at = fuzz_below(m->random, m->input->size);
    take_out(m->input, at, some_length(m->random, m->input->size - at));
}

static void double_part(const struct mutation *m)
{
    uint8_t part[4096];
    const size_t at = fuzz_below(m->random, m->input->size), rest = m->input->size - at;
    const size_t length = some_length(m->random, rest < sizeof part ? rest : sizeof part);
    memcpy(part, m->input->data + at, length);
    put_in(m->input, fuzz_below(m->random, m->input->size + 1), part, length);
}

static void take_from_other(const struct mutation *m)
{
    const size_t at = fuzz_below(m->random, m->other->size), length = some_length(m->random, m->other->size - at);
    put_in(m->input, fuzz_below(m->random, m->input->size + 1), m->other->data + at, length);
}

static void insert_word(const struct mutation *m)
{
    size_t count = 0;
    while (m->words[count])
        ++count;
    if (count == 0)
        return;
    const char *word = m->words[fuzz_below(m->random, count)];
    const size_t at = fuzz_below(m->random, m->input->size + 1);
    if (fuzz_below(m->random, 2))
        take_out(m->input, at, strlen(word));
    put_in(m->input, at, word, strlen(word));
}

/* The decimal number at or behind a random place becomes another. */
static void change_decimal(const struct mutation *m)
{
    static const char *const numbers[] = {
        "0",     "1",      "-1",   "2147483647", "2147483648",           "4294967296", "1e308",
        "1e999", "1e-320", "-0.0", "0.1",        "99999999999999999999", "3",          ""};
    struct fuzz_input *input = m->input;
    size_t at = fuzz_below(m->random, input->size), end;
    while (at < input->size && !isdigit(input->data[at]))
        ++at;
    for (end = at; end < input->size && isdigit(input->data[end]);)
        ++end;
    const char *number = numbers[fuzz_below(m->random, sizeof numbers / sizeof numbers[0])];
    if (at == end)
        return;
    take_out(input, at, end - at);
    put_in(input, at, number, strlen(number));
}

void fuzz_mutate(struct fuzz_random *random, struct fuzz_input *input, const struct fuzz_input *other,
                 const char *const *words)
{
    static void (*const changes[])(const struct mutation *) = {
        flip_bit, set_byte, set_number, remove_part, double_part, take_from_other, insert_word, change_decimal};
    const struct mutation mutation = {random, input, other, words};
    for (size_t left = 1 + fuzz_below(random, 8); left > 0; --left)
        changes[fuzz_below(random, sizeof changes / sizeof changes[0])](&mutation);
}
