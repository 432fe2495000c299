/* The constant mode along z: its tables, and the sum over slabs. */
#include "tridiag/kernels/constant_line.h"

void starfish_constant_sum_cpu(const struct starfish_constant_sum *a)
{
    for (int m = 0; m < STARFISH_CONSTANT_MOMENTS; m++) {
        double sum = 0;
        for (int s = 0; s < a->slabs; s++)
            sum += a->moments[s][m];
        a->total[m] = sum;
    }
}

/* Thomas on the leading n-1 rows of the matrix with these couplings, whose rows sum to zero, or of its transpose, which
 * has the same pivots, found without a subtraction (slab_lines.h); the last unknown is 0. `work` and `x` hold n
 * doubles; x is the right-hand side on entry. */
static void solve_pinned(size_t n, const double *lower, const double *upper, int transposed, double *work, double *x)
{
    double left = 1; /* of the sum of the row above */
    x[n - 1] = 0;
    for (size_t k = 0; k + 1 < n; k++) {
        const double below = k == 0 ? 0 : transposed ? upper[k - 1] : lower[k];
        const double above = k + 2 == n ? 0 : transposed ? lower[k + 1] : upper[k];
        const double sum = -lower[k] * left, pivot = sum - upper[k];
        left = sum / pivot;
        x[k] = (x[k] - (k == 0 ? 0 : below * x[k - 1])) / pivot;
        work[k] = above / pivot;
    }
    for (size_t k = n > 1 ? n - 1 : 0; k-- > 0;)
        x[k] -= work[k] * x[k + 1];
}

void starfish_constant_tables(size_t n, const double *lower, const double *upper, const double *weight, double scale,
                              double *scaled_weight, double *influence, double *response)
{
    for (size_t k = 0; k < n; k++) {
        influence[k] = weight[k];
        response[k] = 1;
    }
    /* scaled_weight serves as work space until it is filled. */
    solve_pinned(n, lower, upper, 1, scaled_weight, influence);
    solve_pinned(n, lower, upper, 0, scaled_weight, response);
    double mean = 0;
    for (size_t k = 0; k < n; k++)
        mean += weight[k] * response[k];
    for (size_t k = 0; k < n; k++) {
        response[k] = (mean - response[k]) / scale;
        scaled_weight[k] = weight[k] * scale;
    }
}
