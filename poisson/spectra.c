/* The eigenvalues of all directions. Those of a matrix take as long as LAPACK takes, and are found once for a plan. */
#include "poisson/spectra.h"

#include "poisson/direction.h"

#include <stdlib.h>
#include <string.h>

starfish_status starfish_spectra_find(struct starfish_spectra *spectra, const struct starfish_direction *direction,
                                      int one_layer)
{
    memset(spectra, 0, sizeof *spectra);
    spectra->value[0] = malloc((direction[0].n + direction[1].n + direction[2].n) * sizeof *spectra->value[0]);
    if (!spectra->value[0])
        return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for eigenvalues");
    spectra->known = 1;
    for (int d = 0; d < 3 && spectra->known; d++) {
        double error = 0;
        if (d > 0)
            spectra->value[d] = spectra->value[d - 1] + direction[d - 1].n;
        spectra->n[d] = direction[d].n;
        STARFISH_TRY(starfish_direction_spectrum(&direction[d], spectra->value[d], &error, &spectra->known));
        spectra->error += error;
    }
    if (one_layer)
        spectra->n[0] = 1;
    return STARFISH_SUCCESS;
}

void starfish_spectra_destroy(struct starfish_spectra *spectra)
{
    free(spectra->value[0]);
    memset(spectra, 0, sizeof *spectra);
}

size_t starfish_first_not_below(const double *ascending, size_t n, double least)
{
    size_t low = 0, high = n;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (ascending[middle] < least)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
