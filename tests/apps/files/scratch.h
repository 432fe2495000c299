/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A folder for a test's files, made by scratch_setup and removed by scratch_teardown (cmocka group fixtures). */
#ifndef STARFISH_TESTS_APPS_FILES_SCRATCH_H
#define STARFISH_TESTS_APPS_FILES_SCRATCH_H

/* cmocka.h needs these before it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

int scratch_setup(void **state);
int scratch_teardown(void **state);

/* Name of `file` in the folder; one of 8 static buffers. */
const char *scratch(const char *file);
/* Write a file of `length` bytes. */
const char *scratch_file(const char *file, const void *bytes, size_t length);
/* How many files the folder holds. */
int scratch_count(void);

/* The last message contains `part`, and is one line. */
void assert_message(const char *part);

#endif
