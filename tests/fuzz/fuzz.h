/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What fuzz targets share. A target is one function over bytes; it is linked either with driver.c, which mutates a
 * corpus, or, by clang, with libfuzzer.c. It calls the code that reads such bytes, and then looks whether what must
 * hold of any bytes does hold. */
#ifndef STARFISH_TESTS_FUZZ_FUZZ_H
#define STARFISH_TESTS_FUZZ_FUZZ_H

#include <starfish/status.h>
#include <stddef.h>
#include <stdint.h>

/* The target: 0 when all holds, -1 when it does not, which has then been said. Not called by several threads. */
int target(const uint8_t *data, size_t size);
/* What a mutation may insert, ended by NULL: keys, names, numbers. */
extern const char *const target_words[];

/* A folder of this process, made at the first call and removed at its end. */
const char *fuzz_folder(void);
/* The path of a file in it, in one of 8 buffers. */
const char *fuzz_path(const char *name);
/* Write a file into it. */
const char *fuzz_write(const char *name, const void *data, size_t size);

/* Say on standard error, in printf format, what does not hold. Returns -1. */
int fuzz_broken(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* A failure has a message, of one line. 0, or -1. */
int fuzz_check_message(starfish_status status);

/* Keep memory small: what asks for more than some hundred megabytes shall be refused, as on a machine that has no
 * more. */
void fuzz_limit_memory(void);

#endif
