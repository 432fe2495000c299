/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Cases of the row movements of block cyclic reduction, run on a device and compared with plain loops. */
#ifndef STARFISH_TESTS_ROWS_CASES_H
#define STARFISH_TESTS_ROWS_CASES_H

#include "blktri/kernels/rows.h"
#include "tests/common/memory.h"

#include <starfish/types.h>

struct test_rows_device {
    const struct test_memory *memory;
    void (*rows)(starfish_precision precision, const struct starfish_rows *arguments,
                 enum starfish_rows_operation operation);
};

void test_rows_table(const struct test_rows_device *device);
/* `count` rows of the buffer, spread over `arrays` arrays; every precision and operation. */
void test_rows_size(const struct test_rows_device *device, size_t width, size_t count, int arrays);

#endif
