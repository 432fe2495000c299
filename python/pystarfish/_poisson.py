# SPDX-License-Identifier: LGPL-2.1-or-later
"""Separable elliptic problems: plans and solves by starfish/poisson.h, on boxes in three dimensions or two."""
import ctypes
import math
from typing import Any, Mapping, Optional, Sequence

import numpy

from . import _adjoint, _arrays
from ._checks import AXES, argument_error, choice, field_shape, items, keys, number, of_direction, shown, truth
from ._context import Context
from ._library import C, call, make
from ._plan import Plan as _Plan

ENDS = {"periodic": C["STARFISH_PERIODIC"], "dirichlet": C["STARFISH_DIRICHLET"], "neumann": C["STARFISH_NEUMANN"]}
EIGENVALUES = {"difference": C["STARFISH_DIFFERENCE"], "spectral": C["STARFISH_SPECTRAL"]}
_GRIDS = {"uniform": C["STARFISH_NODE"], "node": C["STARFISH_NODE"], "cell": C["STARFISH_CELL"]}
_STRETCHED = {"nodes": C["STARFISH_NODE"], "faces": C["STARFISH_CELL"]}


def _numbers(value: Any, name: str, count: Optional[int] = None, complex_numbers: bool = False) -> _arrays.Array:
    """One-dimensional coefficients in f64, which a plan reads while it is made."""
    taken = _arrays.take(value, name, "f64", None, complex_numbers)
    if taken.on_device or len(taken.shape) != 1 or (count is not None and taken.shape[0] != count):
        raise argument_error(name, f"must be {count if count is not None else 'some'} numbers in host memory, is of "
                                   f"shape {taken.shape}")
    return taken


def ends_of(bc: Mapping, axis: str, words: Mapping = ENDS) -> tuple:
    """The two ends of a direction as C has them."""
    name = f"bc['{axis}']"
    if axis not in bc:
        raise argument_error(name, "is missing: 'periodic', or the low and the high end, each 'dirichlet' or 'neumann'")
    others = [repr(word) for word in words if word != "periodic"]
    given, what = bc[axis], f"'periodic', or two of {', '.join(others[:-1])} and {others[-1]}"
    pair = (given, given) if isinstance(given, str) else items(given, name, what, (2,))
    if not all(isinstance(end, str) and end in words for end in pair) or pair.count("periodic") == 1:
        raise argument_error(name, f"must be {what}, is {shown(given)}")
    return tuple(words[end] for end in pair)


def all_ends(bc: Optional[Mapping], dimensions: int) -> list:
    """Those of every direction."""
    given = keys(bc, "bc", AXES[:dimensions])
    return [ends_of(given, axis) for axis in AXES[:dimensions]]


def _set_rows(axis: Any, spec: Mapping, name: str, held: list) -> None:
    keys(spec, name, ("lower", "diag", "upper", "periodic"))
    axis.kind = C["STARFISH_TRIDIAGONAL"]
    axis.periodic = truth(spec.get("periodic", False), f"{name}['periodic']")
    for member in ("lower", "diag", "upper"):
        if member not in spec:
            raise argument_error(f"{name}['{member}']", "is missing")
        held.append(_numbers(spec[member], f"{name}['{member}']", axis.n, bool(axis.complex_line)))
        setattr(axis, member, held[-1].pointer)


def set_axis(axis: Any, d: int, problem: Mapping, held: list, direction: str, words: Mapping = ENDS) -> None:
    """struct starfish_axis of direction d, which has that name, from the keywords of solve()."""
    # pylint: disable=too-many-arguments,too-many-positional-arguments
    spec, name = problem["grid"].get(direction, "uniform"), f"grid['{direction}']"
    if isinstance(spec, Mapping) and "diag" in spec:
        _set_rows(axis, spec, name, held)
        return
    axis.ends[:] = ends_of(problem["bc"], direction, words)
    if isinstance(spec, Mapping):
        if len(keys(spec, name, tuple(_STRETCHED))) != 1:
            raise argument_error(name, "a stretched grid is an array of 'nodes' or of 'faces'")
        (kind, values), = spec.items()
        held.append(_numbers(values, f"{name}['{kind}']"))
        axis.kind, axis.grid = C["STARFISH_STRETCHED"], _STRETCHED[kind]
        axis.coordinates, axis.coordinate_count = held[-1].pointer, held[-1].shape[0]
        return
    if not isinstance(spec, str) or spec not in _GRIDS:
        raise argument_error(name, f"must be one of {', '.join(_GRIDS)}, a dict of 'nodes' or 'faces', or of 'lower', "
                                   f"'diag' and 'upper', is {shown(spec)}")
    axis.kind, axis.grid = C["STARFISH_UNIFORM"], _GRIDS[spec]
    axis.length, axis.origin = (of_direction(problem[what], what, d) for what in ("length", "origin"))


def kept(spec: Any) -> Any:
    """What a direction was given as, with copies of its arrays: these are the caller's."""
    if not isinstance(spec, Mapping):
        return spec
    return {name: value if name == "periodic" else _arrays.as_array(value, name).copy()
            for name, value in spec.items()}


def _axis_adjoint(axis: Any, spec: Any, singular: bool) -> tuple:
    """Weights of a direction's unknowns and the rows of its adjoint (_adjoint.py), None for its own. `spec` is that of
    the caller, if it has arrays."""
    ends, nodes = list(axis.ends), axis.grid == C["STARFISH_NODE"]
    if axis.kind == C["STARFISH_TRIDIAGONAL"]:
        return _adjoint.of_rows(spec, singular)
    if axis.kind == C["STARFISH_STRETCHED"]:
        widths = numpy.diff(*spec.values())
    else:
        is_of_cells = not nodes or C["STARFISH_PERIODIC"] in ends
        widths = numpy.ones(axis.n if is_of_cells else axis.n - 1 + ends.count(C["STARFISH_DIRICHLET"]))
    return _adjoint.volumes(widths, ends, nodes), None


class SeparablePlan(_Plan):
    """A plan of a separable problem."""
    family, is_dealt = "poisson", True
    _axes: tuple = ()  # directions as C has them, without their arrays, and as they were given

    def like(self, rows: Sequence) -> "SeparablePlan":
        """The same plan with other rows of some directions, or None for those of this plan."""
        given = {name: row for name, row in zip(AXES, rows) if row}
        grid = self._again.get("grid")
        return type(self)(**{**self._again, **(given if grid is None else {"grid": {**grid, **given}})})

    def make_adjoint(self) -> tuple:
        weights, rows = zip(*(_axis_adjoint(axis, spec, self.singular) for axis, spec in self._axes))
        return self.like(rows) if any(rows) else None, _adjoint.product(weights)

    def create(self, function: str, *arguments: Any) -> None:
        super().create(function, *arguments)
        if self._values["count"] > 1:  # many problems, one behind the other
            self.shape = (int(self._values["count"]), *self.shape)

    def results(self, job: ctypes.c_void_p) -> tuple:
        phases = make("starfish_poisson_phases")
        call("starfish_poisson_tell_phases", job, ctypes.byref(phases))
        return *super().results(job), phases

    def told(self, info: Any, phases: Any) -> dict:  # type: ignore[override]
        n = self.shape[1:] if self._values["count"] > 1 else self.shape
        # The residual in the maximum norm has that name alone here; an iteration's own is another one.
        return {**super().told(info), "method": self.method, "n": list(reversed(n)), "residual": info.residual_max,
                "tolerated": info.residual,
                "phases": {phases.phase[i].name.decode(): phases.phase[i].seconds for i in range(phases.phases)}}


class Plan(SeparablePlan):
    """u_xx + u_yy + u_zz + lam u = f on a box, for fields of shape (nz, ny, nx).

    length, origin: of the box in x, y, z. bc: for each of "x", "y", "z" "periodic", or the low and the high end, each
    "dirichlet" or "neumann" (one word: both ends). grid: for each "uniform" (default, the same as "node"), "cell",
    {"nodes": array} or {"faces": array} of increasing coordinates (y and z), or {"lower": a, "diag": b, "upper": c,
    "periodic": False}, any tridiagonal operator (y and z). method: "auto", "slab", "blktri", "blktri-product" or
    "multigrid". precision: "f64", "f32", or "mixed" (multigrid). eigenvalues: "difference", or "spectral" for the
    second derivative of the modes of x and y. Other keywords are the options of the library:
    pystarfish.options("poisson") lists them. With count above 1 a solve is of as many problems, and fields are of shape
    (count, nz, ny, nx).
    """

    def __init__(self, shape: Sequence[int], *, length: Any = (1.0, 1.0, 1.0), bc: Optional[Mapping] = None,
                 grid: Optional[Mapping] = None, lam: float = 0.0, origin: Any = (0.0, 0.0, 0.0), method: str = "auto",
                 precision: str = "f64", context: Optional[Context] = None, eigenvalues: str = "difference",
                 **options: Any):
        super().__init__(context, precision, {"method": method, **options})
        self.shape = field_shape(shape)
        problem = make("starfish_poisson_problem")
        keywords = {"length": length, "origin": origin, "bc": keys(bc, "bc", AXES), "grid": keys(grid, "grid", AXES)}
        for d, axis in enumerate(problem.axis):
            axis.n = self.shape[2 - d]
            set_axis(axis, d, keywords, self._held, AXES[d])
        setattr(problem, "lambda", number(lam, "lam"))
        problem.eigenvalues = choice(eigenvalues, "eigenvalues", EIGENVALUES)
        self._ends = [None if a.kind == C["STARFISH_TRIDIAGONAL"] else tuple(a.ends) for a in problem.axis]
        copies = {name: kept(spec) for name, spec in keywords["grid"].items()}
        self._again.update({**keywords, "grid": copies}, shape=self.shape, lam=lam, eigenvalues=eigenvalues)
        self._axes = tuple((axis, copies.get(name)) for axis, name in zip(problem.axis, AXES))
        self.create("starfish_poisson_plan_create", ctypes.byref(problem))


class Plan2D(SeparablePlan):
    """FISHPACK's BLKTRI problem for fields of shape (ny, nx): x and y are {"lower": a, "diag": b, "upper": c,
    "periodic": False}. With complex_rhs=True right-hand sides are complex; complex coefficients of x make them so."""

    def __init__(self, x: Mapping, y: Mapping, *, lam: float = 0.0, method: str = "auto", precision: str = "f64",
                 context: Optional[Context] = None, **options: Any):
        super().__init__(context, precision, {"method": method, **options})
        axes = [make("starfish_axis"), make("starfish_axis")]
        for axis, name, spec in zip(axes, AXES, (x, y)):
            if spec is None or "diag" not in keys(spec, name):
                raise argument_error(f"{name}['diag']", "is missing")
            diag = spec["diag"]
            axis.n = len(items(diag, f"{name}['diag']", "an array of one dimension"))
            axis.complex_line = int(name == "x" and getattr(getattr(diag, "dtype", None), "kind", "") == "c")
            _set_rows(axis, spec, name, self._held)
        self.complex_numbers = bool(axes[0].complex_line or options.get("complex_rhs"))
        self.shape = (axes[1].n, axes[0].n)
        self._again.update(x=kept(x), y=kept(y), lam=lam)
        self._axes = tuple(zip(axes, (self._again["x"], self._again["y"])))
        self.create("starfish_separable2d_plan_create", ctypes.byref(axes[0]), ctypes.byref(axes[1]),
                    number(lam, "lam"))


def LinearOperator(plan: _Plan) -> Any:  # pylint: disable=invalid-name
    """A plan as scipy.sparse.linalg.LinearOperator M: its product with a vector solves the plan's problem, and that of
    its adjoint the adjoint problem. It is what SciPy's solvers take as preconditioner M of operators that are close to
    the plan's.

    M is symmetric where all unknowns have the same volume (periodic and Dirichlet ends, equal cells), of load vectors
    (Q1Plan) and integrals (StencilPlan), and has the sign of the operator: `cg` and `minres` need both, and a positive
    M. `gmres`, `lgmres`, `bicgstab`, `tfqmr` take any M, and `bicg` and `qmr` the adjoint, too. An iterative plan is
    linear only to its tolerance.
    """
    from scipy.sparse import linalg  # pylint: disable=import-outside-toplevel

    if not isinstance(plan, _Plan) or plan.family == "fem":
        raise argument_error("plan", f"must be a plan with right-hand sides, is {shown(plan)}")
    size, names = math.prod(plan.shape), ("complex128", "complex64") if plan.complex_numbers else ("float64", "float32")
    kind = numpy.dtype(names[plan.precision == "f32"])

    def product(vector: Any) -> Any:
        return plan.solve(vector.reshape(plan.shape)).reshape(-1)

    def adjoint_product(vector: Any) -> Any:
        return _adjoint.solve(plan, vector.reshape(plan.shape).astype(kind)).reshape(-1)
    return linalg.LinearOperator((size, size), matvec=product, rmatvec=adjoint_product, dtype=kind)
