/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sets and restores the default floating-point environment. Calls are counted per thread; only the outermost one
 * changes the environment. */
#include "base/arithmetic.h"

#include <fenv.h>
#ifdef __SSE__
#include <xmmintrin.h>
#endif

static _Thread_local struct {
    int depth;
    fenv_t caller;
} held;

int starfish_arithmetic_begin(void)
{
    if (held.depth++ == 0) {
        fegetenv(&held.caller);
        fesetenv(FE_DFL_ENV);
    }
    return held.depth;
}

void starfish_arithmetic_end(const int *begun)
{
    (void)begun;
    if (--held.depth == 0)
        fesetenv(&held.caller);
}

int starfish_arithmetic_is_own(void)
{
#ifdef __SSE__
    /* MXCSR: the lowest six bits are flags, the others modes and masks. */
    enum { FLAGS = 0x3f, DEFAULT = 0x1f80 };
    return (_mm_getcsr() & ~(unsigned)FLAGS) == DEFAULT;
#else
    return 0;
#endif
}

int starfish_arithmetic_suspend(void)
{
    const int depth = held.depth;
    if (depth > 0)
        fesetenv(&held.caller);
    held.depth = 0;
    return depth;
}

void starfish_arithmetic_resume(int suspended)
{
    held.depth = suspended;
    if (suspended > 0)
        fesetenv(FE_DFL_ENV);
}
