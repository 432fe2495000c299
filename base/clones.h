/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* STARFISH_CLONES before a CPU kernel compiles it for several instruction sets: SSE2, the x86-64 baseline, has two f64
 * lanes where AVX-512 has eight. The loader selects a version once, before sanitizers are initialised. No version
 * contracts to fused multiply-adds (ISO mode), so all give identical results. Functions called by such a kernel must be
 * inlined into it. */
#ifndef STARFISH_BASE_CLONES_H
#define STARFISH_BASE_CLONES_H

#if defined(__x86_64__) && defined(__gnu_linux__) && defined(__GNUC__) && !defined(__clang__) &&                       \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define STARFISH_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define STARFISH_CLONES
#endif
#define STARFISH_ALWAYS_INLINE static inline __attribute__((always_inline))

#endif
