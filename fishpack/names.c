/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* FISHPACK's names, as Fortran compilers spell them: all arguments are pointers. Compiled for each library by itself
 * (CMakeLists.txt): FLAGS, the type `real`, and NO_WORK for the callers of FISHPACK 90, whose routines have no W. */
#include <starfish/fishpack.h>

#include <float.h>

#ifdef FISHPACK_SINGLE
typedef float real;
#define PRECISION STARFISH_FISHPACK_F32
#define EPSILON FLT_EPSILON
#else
typedef double real;
#define PRECISION 0
#define EPSILON DBL_EPSILON
#endif
#ifdef FISHPACK_NO_WORK
#define FLAGS (PRECISION | STARFISH_FISHPACK_NO_WORK)
#else
#define FLAGS PRECISION
#endif

#define P5(x) void *x##0, void *x##1, void *x##2, void *x##3, void *x##4
#define V5(x) x##0, x##1, x##2, x##3, x##4
#define P10(x, y) P5(x), P5(y)
#define V10(x, y) V5(x), V5(y)
#define P15 P10(a, b), P5(c)
#define V15 V10(a, b), V5(c)
#define P20 P10(a, b), P10(c, d)
#define V20 V10(a, b), V10(c, d)

#define ROUTINE(name, routine, parameters, values)                                                                     \
    STARFISH_API void name(parameters);                                                                                \
    void name(parameters)                                                                                              \
    {                                                                                                                  \
        void *const arguments[] = {values};                                                                            \
        (void)starfish_fishpack_call(routine, FLAGS, arguments);                                                       \
    }
#define LIST(...) __VA_ARGS__

/* With W, the last argument: by name, or of FISHPACK 90 the inner routines. */
#ifdef FISHPACK_NO_WORK
#define WITH(name, last) name##last##last##_
#define CBLKTR cblktri_
#else
#define WITH(name, last) name##last##_
#define CBLKTR cblktr_
#endif
#define DRIVER(name, last, routine)                                                                                    \
    ROUTINE(WITH(name, last), routine, LIST(P15, void *d0, void *d1, void *d2), LIST(V15, d0, d1, d2))                 \
    WITHOUT(ROUTINE(name##last##_, routine, LIST(P15, void *d0, void *d1), LIST(V15, d0, d1)))
#define SYSTEM(name, last, routine)                                                                                    \
    ROUTINE(WITH(name, last), routine, LIST(P10(a, b), void *c0), LIST(V10(a, b), c0))                                 \
    WITHOUT(ROUTINE(name##last##_, routine, LIST(P10(a, b)), LIST(V10(a, b))))
#ifdef FISHPACK_NO_WORK
#define WITHOUT(definition) definition
#else
#define WITHOUT(definition)
#endif

DRIVER(hwscr, t, STARFISH_FISHPACK_HWSCRT)
DRIVER(hwspl, r, STARFISH_FISHPACK_HWSPLR)
DRIVER(hwscy, l, STARFISH_FISHPACK_HWSCYL)
DRIVER(hwsss, p, STARFISH_FISHPACK_HWSSSP)
DRIVER(hstcr, t, STARFISH_FISHPACK_HSTCRT)
DRIVER(hstpl, r, STARFISH_FISHPACK_HSTPLR)
DRIVER(hstcy, l, STARFISH_FISHPACK_HSTCYL)
DRIVER(hstss, p, STARFISH_FISHPACK_HSTSSP)
SYSTEM(genbu, n, STARFISH_FISHPACK_GENBUN)
SYSTEM(cmgnb, n, STARFISH_FISHPACK_CMGNBN)
SYSTEM(poist, g, STARFISH_FISHPACK_POISTG)
ROUTINE(WITH(hw3cr, t), STARFISH_FISHPACK_HW3CRT, LIST(P20, P5(e)), LIST(V20, V5(e)))
WITHOUT(ROUTINE(hw3crt_, STARFISH_FISHPACK_HW3CRT, LIST(P20, void *e0, void *e1, void *e2, void *e3),
                LIST(V20, e0, e1, e2, e3)))
ROUTINE(WITH(pois3, d), STARFISH_FISHPACK_POIS3D, LIST(P15, void *d0), LIST(V15, d0))
WITHOUT(ROUTINE(pois3d_, STARFISH_FISHPACK_POIS3D, P15, V15))
ROUTINE(WITH(sepx, 4), STARFISH_FISHPACK_SEPX4, LIST(P20, void *e0, void *e1), LIST(V20, e0, e1))
WITHOUT(ROUTINE(sepx4_, STARFISH_FISHPACK_SEPX4, LIST(P20, void *e0),
                LIST(V15, d0, d1, d2, d3, (void *)0, d4, e0))) /* its W is not the last argument */

/* These have W in all versions; of FISHPACK 90 it is a structure, and is left alone. */
ROUTINE(hwscsp_, STARFISH_FISHPACK_HWSCSP, LIST(P15, void *d0, void *d1, void *d2, void *d3), LIST(V15, d0, d1, d2, d3))
ROUTINE(hstcsp_, STARFISH_FISHPACK_HSTCSP, LIST(P15, void *d0, void *d1, void *d2, void *d3), LIST(V15, d0, d1, d2, d3))
ROUTINE(blktri_, STARFISH_FISHPACK_BLKTRI, P15, V15)
ROUTINE(CBLKTR, STARFISH_FISHPACK_CBLKTR, P15, V15)
ROUTINE(sepeli_, STARFISH_FISHPACK_SEPELI, LIST(P20, P5(e), void *f0), LIST(V20, V5(e), f0))

STARFISH_API real pimach_(const real *dummy);
real pimach_(const real *dummy)
{
    (void)dummy;
    return (real)3.14159265358979323846;
}

STARFISH_API real epmach_(const real *dummy);
real epmach_(const real *dummy)
{
    (void)dummy;
    return (real)EPSILON;
}
