# SPDX-License-Identifier: LGPL-2.1-or-later
"""Problems in the plane, on cylinders and on spheres: plans by starfish_plan_create (../../docs/curvilinear.md)."""
import ctypes
import math
from typing import Any, Mapping, Optional, Sequence

from ._checks import argument_error, choice, field_shape, items, keys, number
from ._context import Context
from ._library import C, make
from ._poisson import EIGENVALUES, ENDS, SeparablePlan, kept, set_axis

# Directions, the fastest first; a full circle where an angle is not given, and a colatitude from pole to pole.
DIRECTIONS = {"poisson2d": ("x", "y"), "polar2d": ("theta", "r"), "cylinder3d": ("theta", "z", "r"),
              "sphere2d": ("phi", "theta"), "shell3d": ("phi", "r", "theta")}
_ALL_ENDS = {**ENDS, "axis": C["STARFISH_END_AXIS"], "pole": C["STARFISH_END_POLE"], "centre": C["STARFISH_END_CENTRE"]}


def _range_of(given: Mapping, name: str, d: int, is_stretched: bool) -> tuple:
    """Origin and length of a direction."""
    value = given.get(name)
    if value is None and is_stretched:
        return 0.0, 1.0  # the grid has its own
    if value is None and (d == 0 or name == "theta"):
        return 0.0, 2 * math.pi if d == 0 else math.pi
    low, high = (number(end, f"range['{name}']") for end in items(value, f"range['{name}']", "two numbers", (2,)))
    if not high > low:
        raise argument_error(f"range['{name}']", "must increase")
    return low, high - low


class CoordinatesPlan(SeparablePlan):
    """A problem of a kind with coordinates of its own. Fields have the last direction first: (nr, nz, ntheta) of
    cylinder3d. range: for each direction its two ends; poisson2d has length and origin instead. bc: for each
    "periodic", or two of "dirichlet", "neumann", and where the metric ends "axis", "pole", "centre". Other keywords are
    those of Plan."""

    def __init__(self, shape: Sequence[int], *, kind: str, range: Optional[Mapping] = None,
                 bc: Optional[Mapping] = None, grid: Optional[Mapping] = None, lam: float = 0.0,
                 length: Any = None, origin: Any = 0.0, method: str = "auto", precision: str = "f64",
                 context: Optional[Context] = None, eigenvalues: str = "difference", **options: Any):
        # pylint: disable=redefined-builtin,too-many-arguments
        names = choice(kind, "kind", DIRECTIONS)
        super().__init__(context, precision, {"method": method, **options})
        self.directions = names
        self.shape = field_shape(shape, (len(names),))
        problem, of_grid = make("starfish_problem"), keys(grid, "grid", names)
        if kind == "poisson2d" and range is not None or kind != "poisson2d" and length is not None:
            raise argument_error("range" if length is None else "length", f"is not for {kind}")
        problem.kind = C[f"STARFISH_{kind.upper()}"]
        default = "uniform" if kind == "poisson2d" else "cell"
        keywords = {"bc": keys(bc, "bc", names), "grid": {name: of_grid.get(name, default) for name in names}}
        places = [_range_of(keys(range, "range", names), name, d, isinstance(of_grid.get(name), Mapping))
                  for d, name in enumerate(names)] if kind != "poisson2d" else None
        keywords["length"] = [length for _, length in places] if places else (1.0 if length is None else length)
        keywords["origin"] = [low for low, _ in places] if places else origin
        for d, name in enumerate(names):
            problem.axis[d].n = self.shape[-1 - d]
            set_axis(problem.axis[d], d, keywords, self._held, name, _ALL_ENDS if kind != "poisson2d" else ENDS)
        setattr(problem, "lambda", number(lam, "lam"))
        problem.eigenvalues = choice(eigenvalues, "eigenvalues", EIGENVALUES)
        self._ends = [tuple(problem.axis[d].ends) for d, _ in enumerate(names)]
        self._again.update(kind=kind, range=range, bc=bc, grid={name: kept(spec) for name, spec in of_grid.items()},
                           shape=self.shape, lam=lam, length=length, origin=origin, eigenvalues=eigenvalues)
        self.create("starfish_plan_create", ctypes.byref(problem))

    def make_adjoint(self) -> tuple:
        raise argument_error("plan", "problems in these coordinates have no adjoint yet")
