# SPDX-License-Identifier: LGPL-2.1-or-later
"""Separable problems solved once: a plan on a box, or in other coordinates, that solves and is closed."""
from typing import Any, Mapping, Optional

from . import _arrays
from ._checks import AXES, argument_error, shown
from ._context import Context
from ._coordinates import DIRECTIONS, CoordinatesPlan
from ._poisson import Plan


def solve(f: Any, length: Any = None, bc: Optional[Mapping] = None, grid: Optional[Mapping] = None,
          boundary: Optional[Mapping] = None, lam: float = 0.0, method: str = "auto", precision: str = "f64",
          return_info: bool = False, *, origin: Any = (0.0, 0.0, 0.0), out: Any = None,
          kind: str = "poisson3d", range: Optional[Mapping] = None, context: Optional[Context] = None,
          **options: Any) -> Any:
    """Solve u_xx + u_yy + u_zz + lam u = f on a box once; f is of shape (nz, ny, nx). Or, with kind "poisson2d",
    "polar2d", "cylinder3d", "sphere2d" or "shell3d", the equation of these coordinates, whose directions have names of
    their own (CoordinatesPlan).

    boundary: data of the ends, "x0", "x1", ... "z1": a number or an array of the face's shape, (nz, ny), (nz, nx) or
    (ny, nx); of Neumann ends the derivative along the axis. f is a NumPy array (converted to `precision` where it is
    of another type or order), or one in device memory of that precision, of CuPy, torch or anything with
    __cuda_array_interface__ or __dlpack__, which is not copied. The other keywords are those of Plan.

    Returns u, in memory of f's kind; with return_info also a dict, whose residual is max |A u - f| / max |f|.
    Raises StarfishError's subclasses: ArgumentError, UnsupportedError, SingularError, ...
    """
    if return_info:
        options.setdefault("check_residual", True)
    shape = tuple(getattr(f, "shape", None) or _arrays.take(f, "f", precision).shape)
    names = {"poisson3d": AXES, **DIRECTIONS}.get(kind)
    if names is None:
        raise argument_error("kind", f"{shown(kind)} is not one of poisson3d, {', '.join(DIRECTIONS)}")
    many = len(shape) == len(names) + 1 and options.get("count", 1) == shape[0]
    if len(shape) != len(names) and not many:
        wanted = ", ".join(f"n{name}" for name in reversed(names))
        raise argument_error("f", f"must be of shape ({wanted}), is of shape {shape}")
    if kind == "poisson3d" and range is not None:
        raise argument_error("range", "is not for poisson3d")
    options.setdefault("right_hand_sides", 1)
    if kind == "poisson3d":
        length = (1.0, 1.0, 1.0) if length is None else length
    else:
        options.update(kind=kind, range=range)
    with (Plan if kind == "poisson3d" else CoordinatesPlan)(
            shape[-len(names):], length=length, bc=bc, grid=grid, lam=lam, origin=origin, method=method,
            precision=precision, context=context, **options) as plan:
        return plan.solve(f, boundary, out, return_info)
