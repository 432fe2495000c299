/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Memory in large pages (pages.h): from 4 MiB on, it is aligned to 2 MiB and the kernel is advised to use large
 * pages. */
#include "base/pages.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { ALIGNMENT = 64, LARGE_PAGE = 2 << 20 };

void *starfish_pages_alloc(size_t bytes)
{
    const size_t page = bytes >= (size_t)2 * LARGE_PAGE ? LARGE_PAGE : ALIGNMENT;

    if (bytes > SIZE_MAX - page)
        return NULL;
    const size_t rounded = (bytes / page + 1) * page;
    void *memory = aligned_alloc(page, rounded);
#ifdef MADV_HUGEPAGE
    if (memory && page == LARGE_PAGE)
        (void)madvise(memory, rounded, MADV_HUGEPAGE); /* a wish: ordinary pages will do */
#endif
    return memory;
}
