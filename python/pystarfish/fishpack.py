# SPDX-License-Identifier: LGPL-2.1-or-later
"""FISHPACK's 19 routines by name, on NumPy arrays: hwscrt(a, b, m, ..., f) returns (u, pertrb).

    from pystarfish import fishpack
    u, pertrb = fishpack.hwscrt(0, 1, 64, 1, None, None, 0, 1, 64, 1, None, None, 0.0, f)

Arguments keep FISHPACK's names and order; idimf (idimy, ldimf, mdimf, idmn), pertrb, ierror and w are left out. The
lines below with all names are the table of the routines: the Fortran rule gives their types, and `am/m` is an array of
m coefficients. A call describes every argument of every right-hand side by its address, in one table with a row for
each of them, so that a thread's work on a right-hand side is one call of starfish_fishpack_call.
"""
import ctypes
import inspect
import math
import os
import textwrap
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Callable, Tuple

import numpy

from . import _arrays
from ._checks import argument_error, items, number, shown, whole
from ._library import C, StarfishError, check, library

__all__ = ["hwscrt", "hwsplr", "hwscyl", "hwsssp", "hwscsp", "hstcrt", "hstplr", "hstcyl", "hstssp", "hstcsp",
           "hw3crt", "pois3d", "genbun", "cmgnbn", "poistg", "blktri", "cblktri", "cblktr", "sepx4", "sepeli"]

# What the low and the high end of a direction have, by boundary code: P periodic, D a value, N a derivative, - nothing.
_ENDS = ("PP", "DD", "DN", "NN", "ND", "-D", "-N", "D-", "N-", "--")
_LEFT_OUT = {"idimf", "idimy", "ldimf", "mdimf", "idmn", "pertrb", "ierror", "w"}
_FIELDS = {"f", "y", "grhs", "usol"}
_SINGLE = (numpy.float32, numpy.complex64)


@dataclass
class _Routine:
    """A routine: the names of all arguments, and the lengths of its arrays of coefficients."""
    name: str
    arguments: list
    lengths: dict

    def __post_init__(self) -> None:
        self.given = [name for name in self.arguments if name not in _LEFT_OUT]
        self.field = next(name for name in self.arguments if name in _FIELDS)  # the right-hand side
        self.sizes = [name for name in ("l", "m", "n") if name in self.arguments]
        self.on_nodes = self.name[:2] == "hw" or self.name[:3] == "sep"
        self.shape = ", ".join(f"{size}+1" if self.on_nodes else size for size in self.sizes)
        self.is_complex = self.name in ("cmgnbn", "cblktri")
        self.reads = "N" if self.on_nodes else "DN"  # ends whose data are in arrays of their own


# ---- Arguments as addresses

def _checked(array, name, shape, lead):
    """The array, which is one number, of this shape, or one such array for each right-hand side."""
    if array.shape not in ((), shape, lead + shape):
        other = f" or {lead + shape}" if lead else ""
        raise argument_error(name, f"must be a number or of shape {shape}{other}, is of shape {array.shape}")
    return array


def _coefficients(function, name, real, errors):
    """cofx or cofy as C calls it. C knows no exceptions: they are kept in `errors`."""
    if not callable(function):
        raise argument_error(name, f"must be a function of one number, is {shown(function)}")
    pointer, known = ctypes.POINTER(real), {}

    def called(at, *results):
        try:
            x = at[0]
            if x not in known and not errors:
                known[x] = [number(value, name) for value in items(function(x), name, "three numbers", (3,))]
            for result, value in zip(results, known.get(x, ())):
                result[0] = value
        except BaseException as error:  # pylint: disable=broad-exception-caught
            errors.append(error)
    return ctypes.CFUNCTYPE(None, pointer, pointer, pointer, pointer)(called)


class _Call:
    """The arguments of a call for all right-hand sides."""

    def __init__(self, routine: _Routine, given: dict):
        right, self.like = _arrays.to_host(given[routine.field], routine.field, routine.is_complex)
        self.routine, self.given = routine, {**given, routine.field: right}
        self.sizes = {size: whole(given[size], size, -2 ** 31) for size in routine.sizes}
        self.shape = tuple(size + routine.on_nodes for size in self.sizes.values())
        self.lead = right.shape[:max(right.ndim - len(self.shape), 0)]
        if right.shape != self.lead + self.shape:
            raise argument_error(routine.field, f"must be of shape (..., {routine.shape}), here (..., "
                                                f"{str(self.shape)[1:]}, is of shape {right.shape}")
        self.count, single = math.prod(self.lead), right.dtype.newbyteorder("=") in _SINGLE
        self.flags = C["STARFISH_FISHPACK_NO_WORK"] | (C["STARFISH_FISHPACK_F32"] if single else 0)
        self.real, self.c_real = (numpy.float32, ctypes.c_float) if single else (numpy.float64, ctypes.c_double)
        self.number = (numpy.complex64 if single else numpy.complex128) if routine.is_complex else self.real
        self.pertrb, self.ierror = numpy.zeros(self.count, self.real), numpy.zeros(self.count, numpy.intc)
        self.fields, self.held, self.errors = [], [], []  # type: ignore[var-annotated]
        self.direction, self.ends = -1, iter("")  # of the last boundary code
        columns = numpy.array([self.address(name, self.given.get(name)) for name in routine.arguments], numpy.int64)
        self.table = columns[:, 0] + columns[:, 1] * numpy.arange(self.count)[:, None]

    def address(self, name: str, value: Any) -> tuple:
        """Where an argument of the first right-hand side is, and the bytes to the next one's."""
        if name == "w":
            return 0, 0
        if name in ("pertrb", "ierror"):
            return getattr(self, name).ctypes.data, getattr(self, name).itemsize
        if name in _FIELDS:
            return self.address_of_field(name, value)
        if name[:2] == "bd":
            return self.address_of_data(name, value, next(self.ends))
        if name in self.routine.lengths:
            length = self.routine.lengths[name]  # in CBLKTRI those along n are real
            shape = (max(self.sizes[length], 0),)
            return self.address_of_array(name, value, shape, self.number if length == "m" else self.real)
        if name[:3] == "cof":
            made = _coefficients(value, name, self.c_real, self.errors)
            self.held.append(made)
            return ctypes.cast(made, ctypes.c_void_p).value, 0
        if name in _LEFT_OUT:  # a leading dimension; SEPELI and SEPX4 need 7, and refuse m < 6
            self.held.append(ctypes.c_int(max(self.shape[name == "mdimf"], 7 if name == "idmn" else 0)))
        elif name[0] in "ijklmn":
            self.held.append(ctypes.c_int(whole(value, name, -2 ** 31)))
        else:
            self.held.append(self.c_real(number(value, name)))
        if name[1:] == "bdcnd":
            code = self.held[-1].value
            self.direction, self.ends = self.direction + 1, iter(_ENDS[code] if 0 <= code < len(_ENDS) else "--")
        return ctypes.addressof(self.held[-1]), 0

    def address_of_array(self, name: str, value: Any, shape: tuple, kind: Any) -> tuple:
        """An array that is read: as it is stored in Fortran, for one or for all right-hand sides."""
        array = _checked(_arrays.to_host(value, name, kind().dtype.kind == "c")[0], name, shape, self.lead)
        first = max(array.ndim - len(shape), 0)  # 0: all right-hand sides share it
        array = numpy.broadcast_to(array, array.shape[:first] + shape)
        axes = (*range(first), *reversed(range(first, array.ndim)))
        self.held.append(numpy.require(array.transpose(axes), kind, ["C", "A"]))
        return self.held[-1].ctypes.data, math.prod(shape) * self.held[-1].itemsize if first else 0

    def address_of_data(self, name: str, value: Any, end: str) -> tuple:
        """Data of a side: they have a field's other directions."""
        if value is None and end in self.routine.reads:
            raise argument_error(name, "must not be None: by the boundary code this side has data")
        others = self.shape[:self.direction] + self.shape[self.direction + 1:]
        return (0, 0) if value is None else self.address_of_array(name, value, others, self.real)

    def address_of_field(self, name: str, value: Any) -> tuple:
        """Memory that the call may write to. The threads copy the argument to it."""
        array = _checked(_arrays.to_host(value, name, self.routine.is_complex)[0], name, self.shape, self.lead)
        store = numpy.empty((self.count, *reversed(self.shape)), self.number)
        source = numpy.broadcast_to(array, self.lead + self.shape).reshape((self.count, *self.shape))
        self.fields.append((store.transpose(0, *range(len(self.shape), 0, -1)), source))
        return store.ctypes.data, store.nbytes // max(self.count, 1)

    def run(self, part: slice) -> None:
        """Solve for some of the right-hand sides."""
        for inside, given in self.fields:
            inside[part] = given[part]
        call, routine = library().starfish_fishpack_call, C[f"STARFISH_FISHPACK_{self.routine.name[:6].upper()}"]
        for k in range(part.start, part.stop):
            status = call(routine, self.flags, self.table[k].ctypes.data)
            if self.errors:
                raise self.errors[0]
            try:
                check(status)
            except StarfishError as error:
                error.ierror = int(self.ierror[k])
                raise

    def solve(self) -> Tuple[Any, Any]:
        """u and pertrb."""
        threads = max(min(self.count, len(os.sched_getaffinity(0))), 1)
        bounds = [self.count * k // threads for k in range(threads + 1)]
        parts = [slice(*pair) for pair in zip(bounds, bounds[1:])]
        if threads == 1:
            self.run(parts[0])
        else:
            with ThreadPoolExecutor(threads) as pool:
                list(pool.map(self.run, parts))
        u = self.fields[-1][0].reshape(self.lead + self.shape)  # the last one is usol, if there are two
        pertrb = self.pertrb.reshape(self.lead) if self.lead else float(self.pertrb[0])
        return _arrays.to_device(u, self.like) if self.like else u, pertrb


# ---- Routines

_NODES = "{} and u are of shape (..., {}), on nodes; {} has the values of sides that have one."
_CELLS = "{} and u are of shape (..., {})."
_DRIVER = """Codes, low and high end: 0 periodic, 1 DD, 2 DN, 3 NN, 4 ND, 5 -D, 6 -N, 7 D-, 8 N-, 9 --. D has a value,
N a derivative along the axis{}, - nothing: axis, pole or centre. bd..: the {} of a side, a number or an array
over the other directions; None if it has none."""
_SYSTEM = "{}. Coefficients are arrays, or numbers where all are equal."
_COMMON = """Leading dimensions are many right-hand sides, which threads solve at once; other arrays may have them, too.
float32 gives float32. Arguments are not changed. Returns (u, pertrb); pertrb is 0 where the system has a unique
solution. Raises StarfishError, whose ierror is FISHPACK's number; elmbda > 0, FISHPACK's warning, raises nothing."""


def _routine(name: str, arguments: str, equation: str, codes: str = "") -> Callable[..., Tuple[Any, Any]]:
    """The function of a routine. `arguments`: all of FISHPACK's."""
    pairs = [word.partition("/") for word in arguments.split()]
    routine = _Routine(name, [pair[0] for pair in pairs], {pair[0]: pair[2] for pair in pairs if pair[2]})
    signature = inspect.Signature([inspect.Parameter(given, inspect.Parameter.POSITIONAL_OR_KEYWORD)
                                   for given in routine.given])

    def function(*args: Any, **keywords: Any) -> Tuple[Any, Any]:
        return _Call(routine, signature.bind(*args, **keywords).arguments).solve()
    has_values = routine.given[-1]  # f or usol
    robin = " plus alpha, beta, gama or xnu times u" if has_values == "usol" else ""
    paragraphs = (equation, (_NODES if routine.on_nodes else _CELLS).format(routine.field, routine.shape, has_values),
                  _SYSTEM.format(codes) if codes else
                  _DRIVER.format(robin, "derivatives" if routine.on_nodes else "values or derivatives"), _COMMON)
    function.__name__ = function.__qualname__ = name
    function.__signature__ = signature  # type: ignore[attr-defined]
    function.__annotations__.update({given: Any for given in routine.given})
    function.__doc__ = "\n\n".join(textwrap.fill(" ".join(text.split()), 100) for text in paragraphs)
    return function


_BOX = "a b m mbdcnd bda bdb c d n nbdcnd bdc bdd elmbda f idimf pertrb ierror w"
_SPHERE = "ts tf m mbdcnd bdts bdtf {0}s {0}f n nbdcnd bd{0}s bd{0}f elmbda f idimf pertrb ierror w"
_BUN = "nperod n mperod m a/m b/m c/m idimy y ierror w"
_TRI = "iflg np n an/n bn/n cn/n mp m am/m bm/m cm/m idimy y ierror w"
_CRT = "u_xx + u_yy + elmbda u = f, x from a to b and y from c to d. mbdcnd, nbdcnd: 0 to 4."
_PLR = ("(r u_r)_r / r + u_tt / r^2 + elmbda u = f, r from a to b and the angle t from c to d. mbdcnd: 1 to 6, "
        "nbdcnd: 0 to 4; 5 and 6 with a = 0 and nbdcnd 0 or 3.")
_CYL = ("(r u_r)_r / r + u_zz + (elmbda / r^2) u = f, r from a to b and z from c to d. mbdcnd: 1 to 6, nbdcnd: 0 to 4; "
        "5 and 6 with a = 0 and elmbda = 0.")
_SSP = ("(sin t u_t)_t / sin t + u_pp / sin^2 t + elmbda u = f, with colatitude t and longitude p. mbdcnd: 1 to 9, "
        "nbdcnd: 0 to 4; 5 to 9 with nbdcnd 0 or 3.")
_CSP = ("(r^2 u_r)_r / r^2 + (sin t u_t)_t / (r^2 sin t) + elmbda / (r sin t)^2 u = f, with colatitude t. mbdcnd: 1 to "
        "9, nbdcnd: 1 to 6; 5 and 6 from r = 0 with elmbda = 0. intl has no effect.")
_BUN_TEXT = "a(i) u(i-1,j) + b(i) u(i,j) + c(i) u(i+1,j) + u(i,j-1) - 2 u(i,j) + u(i,j+1) = y(i,j)."
_TRI_TEXT = "an(j) u(i,j-1) + cn(j) u(i,j+1) + am(i) u(i-1,j) + cm(i) u(i+1,j) + (bn(j) + bm(i)) u(i,j) = y(i,j). "
_IFLG = "iflg: 0 tests the arguments and returns y, 1 solves. np and mp: 0 periodic, else not"
_MIRROR = "{}: 0 periodic; else u(0) and u(n+1) are 1: 0 and 0; 2: 0 and u(n-1); 3: u(2) and u(n-1); 4: u(2) and 0"
_STAGGERED = "nperod: u(0) and u(n+1) are 1: -u(1) and -u(n); 2: -u(1) and u(n); 3: u(1) and u(n); 4: u(1) and -u(n)"
_FIRST = ". mperod: 0 periodic, with constant coefficients; 1 not, with a(1) = c(m) = 0"
_ORDER = " iorder: the order, 2 or 4. Codes: 0 to 4."

hwscrt = _routine("hwscrt", _BOX, _CRT)
hwsplr = _routine("hwsplr", _BOX, _PLR)
hwscyl = _routine("hwscyl", _BOX, _CYL)
hwsssp = _routine("hwsssp", _SPHERE.format("p"), _SSP)
hwscsp = _routine("hwscsp", "intl " + _SPHERE.format("r"), _CSP)
hstcrt = _routine("hstcrt", _BOX, _CRT)
hstplr = _routine("hstplr", _BOX, _PLR)
hstcyl = _routine("hstcyl", _BOX, _CYL)
hstssp = _routine("hstssp", _BOX, _SSP)
hstcsp = _routine("hstcsp", "intl " + _BOX, _CSP)
hw3crt = _routine("hw3crt", "xs xf l lbdcnd bdxs bdxf ys yf m mbdcnd bdys bdyf zs zf n nbdcnd bdzs bdzf elmbda "
                  "ldimf mdimf f pertrb ierror w", "u_xx + u_yy + u_zz + elmbda u = f. Codes: 0 to 4.")
pois3d = _routine("pois3d", "lperod l c1 mperod m c2 nperod n a/n b/n c/n ldimf mdimf f ierror w",
                  "c1 (u(i-1,j,k) - 2 u(i,j,k) + u(i+1,j,k)) + c2 (u(i,j-1,k) - 2 u(i,j,k) + u(i,j+1,k)) "
                  "+ a(k) u(i,j,k-1) + b(k) u(i,j,k) + c(k) u(i,j,k+1) = f(i,j,k).",
                  _MIRROR.format("lperod, mperod") + ". nperod: as genbun's mperod")
genbun = _routine("genbun", _BUN, _BUN_TEXT, _MIRROR.format("nperod") + _FIRST)
cmgnbn = _routine("cmgnbn", _BUN, _BUN_TEXT + " a, b, c, y and u are complex.", _MIRROR.format("nperod") + _FIRST)
poistg = _routine("poistg", _BUN, _BUN_TEXT, _STAGGERED + _FIRST)
blktri = _routine("blktri", _TRI, _TRI_TEXT, _IFLG)
cblktri = _routine("cblktri", _TRI, _TRI_TEXT + "am, bm, cm, y and u are complex.", _IFLG)
cblktr = cblktri
sepx4 = _routine("sepx4", "iorder a b m mbdcnd bda alpha bdb beta c d n nbdcnd bdc bdd cofx grhs usol idmn w pertrb "
                 "ierror", "af u_xx + bf u_x + cf u + u_yy = grhs, af, bf, cf = cofx(x)." + _ORDER)
sepeli = _routine("sepeli", "intl iorder a b m mbdcnd bda alpha bdb beta c d n nbdcnd bdc gama bdd xnu cofx cofy grhs "
                  "usol idmn w pertrb ierror", "af u_xx + bf u_x + cf u + df u_yy + ef u_y + ff u = grhs, "
                  "af, bf, cf = cofx(x) and df, ef, ff = cofy(y). intl has no effect." + _ORDER)
