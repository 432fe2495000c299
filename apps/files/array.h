/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Arrays as stored in files: reals of either precision, up to four dimensions, the last varying fastest (C order). */
#ifndef STARFISH_APPS_FILES_ARRAY_H
#define STARFISH_APPS_FILES_ARRAY_H

#include "base/status.h"

#include <starfish/types.h>
#include <stddef.h>

enum { STARFISH_MAX_RANK = 4, STARFISH_SHAPE_TEXT = 96 };

/* Where an array's elements are, for files that hold that too (HDF5): by dimension of the array, the name of the
 * direction and a position for each index, of which `spacing` says whether they are equally far apart. */
struct starfish_array_axes {
    const char *name[STARFISH_MAX_RANK];
    const double *position[STARFISH_MAX_RANK];
    double spacing[STARFISH_MAX_RANK]; /* 0: they are not */
};

struct starfish_array {
    starfish_precision precision;
    size_t rank; /* 0: one number */
    size_t shape[STARFISH_MAX_RANK];
    void *data;                             /* NULL: no array */
    size_t reserved;                        /* bytes, when there is no memory behind the addresses */
    const struct starfish_array_axes *axes; /* NULL: unknown; the caller's, of an array that is written */
};

/* What an array that is read must be, known before there is memory for it. */
struct starfish_wanted {
    const char *name; /* of the array, in messages */
    size_t rank, shape[STARFISH_MAX_RANK];
    const char *reason; /* ends the message; "" where nothing is to be added */
    /* Only `count` planes from `first` on are read, of the first dimension, and shape[0] of what is read is `count`. */
    int part;
    size_t first, count;
    size_t ignored; /* 1 + index of an element that need not be finite; 0: all must be */
};
/* The extents that are read of an array with that shape. */
void starfish_wanted_part(const struct starfish_wanted *wanted, size_t rank, const size_t *shape, size_t *part);
/* ARGUMENT, "NAME has shape S, must be W", where the shape is another. `wanted` NULL: any shape will do. */
starfish_status starfish_wanted_check(const struct starfish_wanted *wanted, size_t rank, const size_t *shape);

/* Bytes of an array of `rank` extents; ARGUMENT when they do not fit into a size. */
starfish_status starfish_array_bytes(starfish_precision precision, size_t rank, const size_t *shape, size_t *bytes);

/* Memory of this machine. */
size_t starfish_machine_bytes(void);

/* Room for the elements, uninitialised, aligned to 64 bytes. The caller frees *array, which is empty on failure.
 * Errors: ARGUMENT (rank, size overflows), MEMORY (more than the machine has). */
starfish_status starfish_array_create(struct starfish_array *array, starfish_precision precision, size_t rank,
                                      const size_t *shape);
/* The same without memory behind it, for simulations: its addresses may not be used. */
starfish_status starfish_array_reserve(struct starfish_array *array, starfish_precision precision, size_t rank,
                                       const size_t *shape);
/* An empty array is allowed; afterwards it is empty. */
void starfish_array_free(struct starfish_array *array);

size_t starfish_array_count(const struct starfish_array *array);
/* Element `index` in storage order. */
double starfish_array_get(const struct starfish_array *array, size_t index);
void starfish_array_fill(struct starfish_array *array, double value);

/* Convert the elements; nothing happens when they already have that precision. Errors: MEMORY; ARGUMENT where a finite
 * value has no counterpart in f32: it would become infinite, or lose digits at the lower end of the range while it is
 * not negligible beside the largest one (less than a unit of its rounding). Names the first such element; the array is
 * then as it was. */
starfish_status starfish_array_convert(struct starfish_array *array, starfish_precision precision);

/* The same of a single number. Error: ARGUMENT. */
starfish_status starfish_array_check_number(starfish_precision precision, double value);

/* Index in storage order of the first NaN or infinite element; the count when there is none. And from index `i` on. */
size_t starfish_array_first_nonfinite(const struct starfish_array *array);
size_t starfish_array_next_nonfinite(const struct starfish_array *array, size_t i);

/* The shape as NumPy writes it, e.g. "(3, 4)"; returns `text`. */
const char *starfish_shape_text(size_t rank, const size_t *shape, char text[STARFISH_SHAPE_TEXT]);

#endif
