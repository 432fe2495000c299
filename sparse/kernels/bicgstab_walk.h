/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The iteration of BiCGStab, one source for the CPU and the GPU: included by bicgstab_cpu.c and bicgstab_cuda.cu, which
 * define before it
 *     real                          the type
 *     WALK(i)                       a loop over the rows of this thread
 *     MULTIPLY(result, x)           result = A x, on these rows
 *     PRECONDITION(result, x)       result = M x
 *     SUM(value)                    the sum of the threads' values, for all of them, behind which all writes are seen
 *     WAIT()                        all writes are seen
 * Scalars are doubles. A breakdown (rho or an inner product of no direction is 0, or no number) ends the iteration. */

struct bicgstab_vectors {
    real *r, *shadow, *p, *v, *s, *t, *z;
};

/* What is left of f after u, its norm squared; the first direction. */
BICGSTAB_FUNCTION double bicgstab_begin(const struct bicgstab_data *a, const struct bicgstab_vectors *w)
{
    double norm = 0;

    if (!a->zero)
        MULTIPLY(w->t, a->u);
    WAIT();
    WALK(i)
    {
        const real left = a->zero ? a->f[i] : a->f[i] - w->t[i];
        if (a->zero)
            a->u[i] = 0;
        w->r[i] = w->shadow[i] = left;
        w->p[i] = w->v[i] = 0;
        norm += (double)left * (double)left;
    }
    return SUM(norm);
}

BICGSTAB_FUNCTION double bicgstab_product(const struct bicgstab_data *a, const real *x, const real *y)
{
    double sum = 0;

    WALK(i)
    sum += (double)x[i] * (double)y[i];
    return SUM(sum);
}

/* s = r - alpha v, and u += alpha z; its norm squared. */
BICGSTAB_FUNCTION double bicgstab_half(const struct bicgstab_data *a, const struct bicgstab_vectors *w, double alpha)
{
    double norm = 0;

    WALK(i)
    {
        const real left = w->r[i] - (real)alpha * w->v[i];
        w->s[i] = left;
        a->u[i] += (real)alpha * w->z[i];
        norm += (double)left * (double)left;
    }
    return SUM(norm);
}

BICGSTAB_FUNCTION double bicgstab_whole(const struct bicgstab_data *a, const struct bicgstab_vectors *w, double omega)
{
    double norm = 0;

    WALK(i)
    {
        const real left = w->s[i] - (real)omega * w->t[i];
        w->r[i] = left;
        a->u[i] += (real)omega * w->z[i];
        norm += (double)left * (double)left;
    }
    return SUM(norm);
}

BICGSTAB_FUNCTION int bicgstab_good(double number)
{
    return isfinite(number) && number != 0;
}

BICGSTAB_FUNCTION void bicgstab_run(const struct bicgstab_data *a)
{
    real *m = a->work;
    const size_t pitch = a->pitch;
    const struct bicgstab_vectors w = {
        m, m + pitch, m + 2 * pitch, m + 3 * pitch, m + 4 * pitch, m + 5 * pitch, m + 6 * pitch};
    double norm = bicgstab_begin(a, &w), last = 1, alpha = 1, omega = 1;
    const double wanted = a->tolerance * a->tolerance * norm;

    for (int k = 0; k < a->iterations && norm > wanted && norm > 0; k++) {
        const double rho = bicgstab_product(a, w.shadow, w.r), beta = rho / last * (alpha / omega);
        if (!bicgstab_good(rho) || !bicgstab_good(beta))
            return;
        last = rho;
        WALK(i)
        w.p[i] = k == 0 ? w.r[i] : w.r[i] + (real)beta * (w.p[i] - (real)omega * w.v[i]);
        WAIT();
        PRECONDITION(w.z, w.p);
        WAIT();
        MULTIPLY(w.v, w.z);
        WAIT();
        alpha = rho / bicgstab_product(a, w.shadow, w.v);
        if (!bicgstab_good(alpha))
            return;
        norm = bicgstab_half(a, &w, alpha);
        if (!(norm > wanted))
            return;
        PRECONDITION(w.z, w.s);
        WAIT();
        MULTIPLY(w.t, w.z);
        WAIT();
        omega = bicgstab_product(a, w.t, w.s) / bicgstab_product(a, w.t, w.t);
        if (!bicgstab_good(omega))
            return;
        norm = bicgstab_whole(a, &w, omega);
    }
}
