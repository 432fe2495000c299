/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The entry of all routines: FISHPACK's floating-point environment is the library's own, and what fails without an
 * error number of FISHPACK has one all the same. */
#include "fishpack/helmholtz.h"
#include "fishpack/separable.h"
#include "fishpack/systems.h"
#include "fishpack/work.h"

#include "base/arithmetic.h"

/* Where IERROR stands. */
static const int error_at[STARFISH_FISHPACK_ROUTINES] = {
    [STARFISH_FISHPACK_HWSCRT] = 16, [STARFISH_FISHPACK_HWSPLR] = 16, [STARFISH_FISHPACK_HWSCYL] = 16,
    [STARFISH_FISHPACK_HWSSSP] = 16, [STARFISH_FISHPACK_HSTCRT] = 16, [STARFISH_FISHPACK_HSTPLR] = 16,
    [STARFISH_FISHPACK_HSTCYL] = 16, [STARFISH_FISHPACK_HSTSSP] = 16, [STARFISH_FISHPACK_HWSCSP] = 17,
    [STARFISH_FISHPACK_HSTCSP] = 17, [STARFISH_FISHPACK_HW3CRT] = 23, [STARFISH_FISHPACK_POIS3D] = 14,
    [STARFISH_FISHPACK_GENBUN] = 9,  [STARFISH_FISHPACK_CMGNBN] = 9,  [STARFISH_FISHPACK_POISTG] = 9,
    [STARFISH_FISHPACK_BLKTRI] = 13, [STARFISH_FISHPACK_CBLKTR] = 13, [STARFISH_FISHPACK_SEPELI] = 25,
    [STARFISH_FISHPACK_SEPX4] = 21};

static starfish_status run(struct starfish_call *call, starfish_fishpack_routine routine)
{
    switch (routine) {
    case STARFISH_FISHPACK_HWSCRT:
    case STARFISH_FISHPACK_HSTCRT:
        return starfish_helmholtz_call(call, STARFISH_CRT, routine == STARFISH_FISHPACK_HSTCRT);
    case STARFISH_FISHPACK_HWSPLR:
    case STARFISH_FISHPACK_HSTPLR:
        return starfish_helmholtz_call(call, STARFISH_PLR, routine == STARFISH_FISHPACK_HSTPLR);
    case STARFISH_FISHPACK_HWSCYL:
    case STARFISH_FISHPACK_HSTCYL:
        return starfish_helmholtz_call(call, STARFISH_CYL, routine == STARFISH_FISHPACK_HSTCYL);
    case STARFISH_FISHPACK_HWSSSP:
    case STARFISH_FISHPACK_HSTSSP:
        return starfish_helmholtz_call(call, STARFISH_SSP, routine == STARFISH_FISHPACK_HSTSSP);
    case STARFISH_FISHPACK_HWSCSP:
    case STARFISH_FISHPACK_HSTCSP:
        return starfish_helmholtz_call(call, STARFISH_CSP, routine == STARFISH_FISHPACK_HSTCSP);
    case STARFISH_FISHPACK_HW3CRT:
        return starfish_hw3crt_call(call);
    case STARFISH_FISHPACK_POIS3D:
        return starfish_pois3d_call(call);
    case STARFISH_FISHPACK_GENBUN:
        return starfish_genbun_call(call, STARFISH_SYSTEM_GENBUN);
    case STARFISH_FISHPACK_CMGNBN:
        return starfish_genbun_call(call, STARFISH_SYSTEM_CMGNBN);
    case STARFISH_FISHPACK_POISTG:
        return starfish_genbun_call(call, STARFISH_SYSTEM_POISTG);
    case STARFISH_FISHPACK_BLKTRI:
    case STARFISH_FISHPACK_CBLKTR:
        return starfish_blktri_call(call, routine == STARFISH_FISHPACK_CBLKTR);
    default:
        return starfish_sepeli_call(call, routine == STARFISH_FISHPACK_SEPX4);
    }
}

starfish_status starfish_fishpack_call(starfish_fishpack_routine routine, int flags, void *const *arguments)
{
    STARFISH_OWN_ARITHMETIC;
    struct starfish_call call = {.at = arguments,
                                 .single = (flags & STARFISH_FISHPACK_F32) != 0,
                                 .keeps_work = (flags & STARFISH_FISHPACK_NO_WORK) != 0};
    STARFISH_REFUSE_IF((unsigned)routine >= STARFISH_FISHPACK_ROUTINES, "there is no routine %d", (int)routine);
    STARFISH_NEED(arguments, "arguments");
    const int error = error_at[routine];
    const starfish_status status = run(&call, routine);
    starfish_call_end(&call);
    if (status == STARFISH_SUCCESS)
        starfish_work_set(&call, routine);
    else if (starfish_call_integer(&call, error) == 0) /* what FISHPACK has no test for */
        starfish_call_set_integer(&call, error, STARFISH_BLKTRI_MEMORY);
    return status;
}
