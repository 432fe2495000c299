/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Little memory for what a target tests: allocations of many bytes fail, as on a machine whose memory is used up, and
 * small ones do not, since OpenMP's runtime ends the process in which it gets no memory. (The linker puts the functions
 * named __wrap_... in the place of others in all that is linked statically.) */
#include "tests/fuzz/fuzz.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

/* The sanitizer's own memory is data too, and it has limits of its own; clang says in another way than gcc that it is
 * there. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__ 1
#endif
#endif

/* An allocation of MANY bytes fails where there would be MOST bytes more than when the limit began, which differs with
 * the cores: each has stacks. LEAVE bytes remain for small ones, and for libraries that are not linked statically. */
enum { MANY = 1 << 20, MOST = 1 << 29, LEAVE = 1 << 29 };
static size_t begun; /* bytes of data when the limit began; 0: there is none */

/* Bytes of this process's data, as setrlimit counts them: the sixth number of Linux's /proc/self/statm, in pages. */
static size_t data_bytes(void)
{
    char text[256];
    unsigned long pages = 0;
    const int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    const ssize_t length = file < 0 ? 0 : read(file, text, sizeof text - 1);
    if (file >= 0)
        close(file);
    text[length > 0 ? length : 0] = '\0';
    if (sscanf(text, "%*u %*u %*u %*u %*u %lu", &pages) != 1)
        return 0;
    return pages * (size_t)sysconf(_SC_PAGESIZE);
}

static int refused(size_t bytes)
{
    if (!begun || bytes < MANY)
        return 0;
    if (bytes <= MOST && data_bytes() <= begun + MOST - bytes)
        return 0;
    errno = ENOMEM;
    return 1;
}

void *__real_malloc(size_t bytes);
void *__wrap_malloc(size_t bytes);
void *__wrap_malloc(size_t bytes)
{
    return refused(bytes) ? NULL : __real_malloc(bytes);
}

void *__real_calloc(size_t count, size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes)
{
    size_t all;
    if (__builtin_mul_overflow(count, bytes, &all))
        all = SIZE_MAX;
    return refused(all) ? NULL : __real_calloc(count, bytes);
}

void *__real_realloc(void *memory, size_t bytes);
void *__wrap_realloc(void *memory, size_t bytes);
void *__wrap_realloc(void *memory, size_t bytes)
{
    return refused(bytes) ? NULL : __real_realloc(memory, bytes);
}

void *__real_aligned_alloc(size_t alignment, size_t bytes);
void *__wrap_aligned_alloc(size_t alignment, size_t bytes);
void *__wrap_aligned_alloc(size_t alignment, size_t bytes)
{
    return refused(bytes) ? NULL : __real_aligned_alloc(alignment, bytes);
}

/* Room of addresses that may not be used is no memory. */
void *__real_mmap(void *address, size_t bytes, int protection, int flags, int file, off_t offset);
void *__wrap_mmap(void *address, size_t bytes, int protection, int flags, int file, off_t offset);
void *__wrap_mmap(void *address, size_t bytes, int protection, int flags, int file, off_t offset)
{
    if ((protection & PROT_WRITE) && refused(bytes))
        return MAP_FAILED;
    return __real_mmap(address, bytes, protection, flags, file, offset);
}

/* OpenMP ends a process in which it cannot start a thread, so its threads start while there is memory. */
static int start_threads(void)
{
    int threads = 0;

#pragma omp parallel reduction(+ : threads)
    threads++;
    return threads;
}

void fuzz_limit_memory(void)
{
    if (begun)
        return;
    if (start_threads() == 0)
        abort();
#ifndef __SANITIZE_ADDRESS__
    begun = data_bytes();
    const struct rlimit most = {(rlim_t)begun + MOST + LEAVE, RLIM_INFINITY};
    if (!begun || setrlimit(RLIMIT_DATA, &most) != 0)
        abort();
#endif
}
