/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Arguments by FISHPACK's convention: all by reference, reals of one precision, arrays with the first index fastest.
 * Numbers are counted from 0 in a routine's list. Everything is computed in doubles: of floats there are copies. */
#ifndef STARFISH_FISHPACK_ARGUMENTS_H
#define STARFISH_FISHPACK_ARGUMENTS_H

#include "base/status.h"

#include <stddef.h>

struct starfish_call_block;

struct starfish_call {
    void *const *at;                    /* the arguments */
    int single;                         /* reals are floats */
    int keeps_work;                     /* W is neither read nor written */
    struct starfish_call_block *blocks; /* memory that the call has taken */
    int out_of_memory;
};

int starfish_call_integer(const struct starfish_call *call, int k);
double starfish_call_real(const struct starfish_call *call, int k);
void starfish_call_set_integer(const struct starfish_call *call, int k, int value);
void starfish_call_set_real(const struct starfish_call *call, int k, double value);

/* Room for `count` numbers until the call ends; NULL, and out_of_memory, where memory has run out. */
double *starfish_call_room(struct starfish_call *call, size_t count);
/* An array that is only read; NULL where the argument is. */
const double *starfish_call_reals(struct starfish_call *call, int k, size_t count);

/* rows x columns numbers of `parts` reals; element (i,j) at at[parts * (i + row * j)]. */
struct starfish_call_array {
    double *at;
    size_t rows, columns, row, parts;
};
/* Of that shape; `at` is not looked at. */
struct starfish_call_array starfish_call_array(struct starfish_call *call, int k,
                                               const struct starfish_call_array *shape);
/* What was written to it becomes the argument's, which has `row` numbers from one column to the next. */
void starfish_call_give(const struct starfish_call *call, int k, const struct starfish_call_array *grid, size_t row);

void starfish_call_end(struct starfish_call *call);

#endif
