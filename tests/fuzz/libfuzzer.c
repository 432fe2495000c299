/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A target for libFuzzer (clang -fsanitize=fuzzer): passes each input to the function that the other drivers call. */
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (target(data, size) != 0)
        abort();
    return 0;
}
