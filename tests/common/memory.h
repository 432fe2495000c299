/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where a kernel under test runs: memory of the host or of a CUDA device, every piece between guard zones. */
#ifndef STARFISH_TESTS_MEMORY_H
#define STARFISH_TESTS_MEMORY_H

#include <stddef.h>

struct test_memory {
    const char *name;
    /* A piece with these contents, or of NaN when contents is NULL; aligned to reals and to nothing more. */
    void *(*upload)(const void *contents, size_t bytes);
    void (*download)(void *to, const void *from, size_t bytes);
    /* Check the guard zones of all pieces and free them. */
    void (*release)(void);
    int on_device;
};

extern const struct test_memory test_host_memory;
extern const struct test_memory test_cuda_memory;   /* cuda_memory.c */
extern const struct test_memory test_pinned_memory; /* of the host, known to CUDA; there too */
/* Fails the test when a CUDA call or kernel launch did, or the kernel itself. */
void test_cuda_check(int status);
/* CUDA devices, 0 for none. */
int test_cuda_devices(void);

#endif
