/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tasks: conversion of flat domains' arrays between the user's order and that of grids (multigrid/kernels/flat.h). */
#ifndef STARFISH_CODELETS_ARRANGE_H
#define STARFISH_CODELETS_ARRANGE_H

#include "codelets/vectors.h"

/* An arrangement of n[0] x n[1] columns of n[2] cells. */
struct starfish_arrangement {
    size_t n[3];
    int back;                           /* from the grid's order to the users' */
    starpu_data_handle_t column, layer; /* tables of doubles: values become integrals; NULL: values stay as they are */
};

/* Rows of part `part` of the grid's space, on the rank that owns it. The users' array is on a space of n[0] * n[1]
 * columns and n[2] rows, whose runs of columns are those rows, and whose runs of rows belong to ranks. */
starfish_status starfish_submit_arrange(const struct starfish_algebra *algebra,
                                        const struct starfish_arrangement *arrangement, size_t part,
                                        const struct starfish_vector *from, const struct starfish_vector *to);

#endif
