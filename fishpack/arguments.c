/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The memory of a call is a list of blocks that its end frees; what a call does not fill, it does not read. */
#include "fishpack/arguments.h"

#include <stdlib.h>

struct starfish_call_block {
    struct starfish_call_block *next;
    double numbers[];
};

int starfish_call_integer(const struct starfish_call *call, int k)
{
    return *(const int *)call->at[k];
}

double starfish_call_real(const struct starfish_call *call, int k)
{
    return call->single ? (double)*(const float *)call->at[k] : *(const double *)call->at[k];
}

void starfish_call_set_integer(const struct starfish_call *call, int k, int value)
{
    *(int *)call->at[k] = value;
}

void starfish_call_set_real(const struct starfish_call *call, int k, double value)
{
    if (call->single)
        *(float *)call->at[k] = (float)value;
    else
        *(double *)call->at[k] = value;
}

double *starfish_call_room(struct starfish_call *call, size_t count)
{
    struct starfish_call_block *block = malloc(sizeof *block + (count + 1) * sizeof *block->numbers);
    if (!block) {
        call->out_of_memory = 1;
        return NULL;
    }
    block->next = call->blocks;
    call->blocks = block;
    return block->numbers;
}

const double *starfish_call_reals(struct starfish_call *call, int k, size_t count)
{
    const float *from = call->at[k];
    if (!call->single || !from)
        return call->at[k];
    double *copy = starfish_call_room(call, count);
    for (size_t i = 0; copy && i < count; i++)
        copy[i] = (double)from[i];
    return copy;
}

struct starfish_call_array starfish_call_array(struct starfish_call *call, int k,
                                               const struct starfish_call_array *shape)
{
    struct starfish_call_array grid = *shape;
    const float *from = call->at[k];
    grid.at = call->at[k];
    if (!call->single)
        return grid;
    grid.row = grid.rows;
    grid.at = starfish_call_room(call, grid.parts * grid.rows * grid.columns);
    for (size_t j = 0; grid.at && j < grid.columns; j++)
        for (size_t i = 0; i < grid.parts * grid.rows; i++)
            grid.at[i + grid.parts * grid.row * j] = (double)from[i + grid.parts * shape->row * j];
    return grid;
}

void starfish_call_give(const struct starfish_call *call, int k, const struct starfish_call_array *grid, size_t row)
{
    float *to = call->at[k];
    for (size_t j = 0; call->single && j < grid->columns; j++)
        for (size_t i = 0; i < grid->parts * grid->rows; i++)
            to[i + grid->parts * row * j] = (float)grid->at[i + grid->parts * grid->row * j];
}

void starfish_call_end(struct starfish_call *call)
{
    while (call->blocks) {
        struct starfish_call_block *next = call->blocks->next;
        free(call->blocks);
        call->blocks = next;
    }
}
