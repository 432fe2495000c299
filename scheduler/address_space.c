/* Room for the runtime. A reservation of the size that it will need is tried, and given back. */
#include "scheduler/address_space.h"

#include "scheduler/stacks.h"

#include <stddef.h>
#include <sys/mman.h>
#include <sys/resource.h>

/* The C library reserves twice an arena for each thread that allocates, and keeps the aligned half (glibc, 64-bit). */
#define ARENA ((size_t)64 << 20)
/* Tables of StarPU, of FFTW and OpenBLAS, and of a small problem. */
#define TABLES ((size_t)96 << 20)

starfish_status starfish_check_address_space(int threads)
{
    struct rlimit limit;
    const size_t bytes = TABLES + (size_t)threads * (starfish_stack_bytes() + ARENA);
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return STARFISH_SUCCESS;
    void *const room = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (room == MAP_FAILED)
        return starfish_fail(STARFISH_ERROR_MEMORY,
                             "the limit of address space (ulimit -v) leaves less than the %zu MB that %d threads of "
                             "the runtime need: raise it, or ask for fewer workers",
                             bytes >> 20, threads);
    munmap(room, bytes);
    return STARFISH_SUCCESS;
}
