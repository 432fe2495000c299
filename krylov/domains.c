/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Assigns cells to domains, each of which has one deflation vector: stripes, blocks, or the regions that the user
 * names. */
#include "krylov/deflation.h"

#include "base/sizes.h"

#include <stdlib.h>

size_t starfish_domains_stripes(const struct starfish_halo_window *window, const size_t n[3], size_t vectors,
                                int *domain)
{
    const size_t cells = n[0] * n[1] * n[2], length = starfish_ratio_up(cells, vectors < cells ? vectors : cells);
    const struct starfish_spans spans = starfish_halo_window_spans(window, 1, n[0] * n[1]);

    for (int s = 0; s < spans.count; s++)
        for (size_t i = spans.span[s].first; i < spans.span[s].first + spans.span[s].count; i++)
            domain[i] = (int)(i / length);
    return starfish_ratio_up(cells, length);
}

size_t starfish_domains_blocks(const struct starfish_halo_window *window, const size_t n[3], size_t vectors,
                               int *domain)
{
    const struct starfish_spans rows = starfish_halo_window_spans(window, 1, n[1]);
    size_t length[3], count[3];

    for (int d = 0; d < 3; d++) {
        length[d] = starfish_ratio_up(n[d], vectors < n[d] ? vectors : n[d]);
        count[d] = starfish_ratio_up(n[d], length[d]);
    }
    for (int s = 0; s < rows.count; s++)
        for (size_t row = rows.span[s].first; row < rows.span[s].first + rows.span[s].count; row++) {
            const size_t j = row % n[1], k = row / n[1],
                         first = count[0] * (j / length[1] + count[1] * (k / length[2]));
            for (size_t i = 0; i < n[0]; i++)
                domain[row * n[0] + i] = (int)(first + i / length[0]);
        }
    return count[0] * count[1] * count[2];
}

/* ---- Regions ----------------------------------------------------------------------------------------------------- */

/* Different regions, in increasing order. */
struct different {
    size_t count;
    long long *region;
};

static int compare(const void *a, const void *b)
{
    const long long x = *(const long long *)a, y = *(const long long *)b;

    return (x > y) - (x < y);
}

static void keep_different(struct different *d)
{
    size_t kept = 0;

    if (d->count > 0)
        qsort(d->region, d->count, sizeof *d->region, compare);
    for (size_t i = 0; i < d->count; i++)
        if (kept == 0 || d->region[kept - 1] != d->region[i])
            d->region[kept++] = d->region[i];
    d->count = kept;
}

/* Neighbours are mostly of one region. */
static starfish_status find_different(const long long *regions, size_t cells, struct different *d)
{
    *d = (struct different){0, malloc((cells + 1) * sizeof *d->region)};
    STARFISH_FAIL_IF(!d->region, STARFISH_ERROR_MEMORY, "out of memory for regions of %zu cells", cells);
    for (size_t i = 0; i < cells; i++)
        if (i == 0 || regions[i] != regions[i - 1])
            d->region[d->count++] = regions[i];
    keep_different(d);
    return STARFISH_SUCCESS;
}

/* Those of all ranks in place of this one's. */
static starfish_status join(const struct starfish_halo_window *window, struct different *d)
{
    void *list = d->region;
    const starfish_status status = starfish_halo_window_join(window, sizeof *d->region, &d->count, &list);

    d->region = list;
    if (window->context && status == STARFISH_SUCCESS)
        keep_different(d);
    return status;
}

/* The number of each cell's region among the different ones. */
static void number_cells(const struct different *d, const long long *regions, size_t cells, int *domain)
{
    for (size_t i = 0; i < cells; i++) {
        if (i > 0 && regions[i] == regions[i - 1]) {
            domain[i] = domain[i - 1];
            continue;
        }
        size_t first = 0, last = d->count;
        while (last - first > 1) {
            const size_t middle = (first + last) / 2;
            *(d->region[middle] <= regions[i] ? &first : &last) = middle;
        }
        domain[i] = (int)first;
    }
}

starfish_status starfish_domains_regions(const struct starfish_halo_window *window, size_t plane,
                                         const long long *regions, int *domain, size_t *domains)
{
    const struct starfish_run_of_planes own = starfish_halo_window_own(window);
    struct different different;
    starfish_status status = starfish_halo_window_agree(window, find_different(regions, own.count * plane, &different));

    STARFISH_THEN(status, join(window, &different));
    if (status == STARFISH_SUCCESS)
        number_cells(&different, regions, own.count * plane, domain + own.first * plane);
    *domains = different.count;
    free(different.region);
    return status == STARFISH_SUCCESS ? starfish_halo_window_exchange(window, status, domain, plane * sizeof *domain)
                                      : status;
}
