/* Which cells share a deflation vector. */
#include "krylov/deflation.h"

#include "base/status.h"

#include <stdlib.h>
#include <string.h>

static size_t ceiling(size_t a, size_t b)
{
    return (a + b - 1) / b;
}

size_t starfish_domains_stripes(size_t cells, size_t vectors, int *domain)
{
    const size_t length = ceiling(cells, vectors < cells ? vectors : cells);

    for (size_t i = 0; i < cells; i++)
        domain[i] = (int)(i / length);
    return ceiling(cells, length);
}

size_t starfish_domains_blocks(const size_t n[3], size_t vectors, int *domain)
{
    size_t length[3], count[3], e = 0;

    for (int d = 0; d < 3; d++) {
        length[d] = ceiling(n[d], vectors < n[d] ? vectors : n[d]);
        count[d] = ceiling(n[d], length[d]);
    }
    for (size_t k = 0; k < n[2]; k++)
        for (size_t j = 0; j < n[1]; j++)
            for (size_t i = 0; i < n[0]; i++)
                domain[e++] = (int)(i / length[0] + count[0] * (j / length[1] + count[1] * (k / length[2])));
    return count[0] * count[1] * count[2];
}

struct numbered {
    long long region;
    size_t cell;
};

static int by_region(const void *a, const void *b)
{
    const struct numbered *x = a, *y = b;

    return x->region != y->region ? (x->region > y->region) - (x->region < y->region)
                                  : (x->cell > y->cell) - (x->cell < y->cell);
}

starfish_status starfish_domains_regions(size_t cells, const long long *regions, int *domain, size_t *domains)
{
    struct numbered *sorted = malloc(cells * sizeof *sorted);

    if (!sorted)
        return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for regions of %zu cells", cells);
    for (size_t i = 0; i < cells; i++)
        sorted[i] = (struct numbered){regions[i], i};
    qsort(sorted, cells, sizeof *sorted, by_region);
    *domains = 0;
    for (size_t i = 0; i < cells; i++) {
        *domains += i == 0 || sorted[i].region != sorted[i - 1].region;
        domain[sorted[i].cell] = (int)*domains - 1;
    }
    free(sorted);
    return STARFISH_SUCCESS;
}
