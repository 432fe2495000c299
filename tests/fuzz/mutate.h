/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Random changes to an input, from a seed: the same seed and corpus give the same inputs. */
#ifndef STARFISH_TESTS_FUZZ_MUTATE_H
#define STARFISH_TESTS_FUZZ_MUTATE_H

#include <stddef.h>
#include <stdint.h>

enum { FUZZ_LONGEST = 1 << 16 };

struct fuzz_input {
    size_t size;
    uint8_t data[FUZZ_LONGEST];
};

struct fuzz_random {
    uint64_t state;
};
/* A number below `bound`; 0 where that is 0. */
size_t fuzz_below(struct fuzz_random *random, size_t bound);

/* Change `input` at one to eight places. `other` is another input, parts of which may go into it; `words` may too. */
void fuzz_mutate(struct fuzz_random *random, struct fuzz_input *input, const struct fuzz_input *other,
                 const char *const *words);

#endif
