"""Separable elliptic problems: the calls of starfish/poisson.h."""
import ctypes
from typing import Any, Mapping, Optional, Sequence

from . import _arrays
from ._context import Context
from ._library import C, call, library, make, plain
from ._plan import Plan as _Plan
from ._plan import argument_error

AXES = ("x", "y", "z")
_ENDS = {"periodic": C["STARFISH_PERIODIC"], "dirichlet": C["STARFISH_DIRICHLET"], "neumann": C["STARFISH_NEUMANN"]}
_GRIDS = {"uniform": C["STARFISH_NODE"], "node": C["STARFISH_NODE"], "cell": C["STARFISH_CELL"]}
_STRETCHED = {"nodes": C["STARFISH_NODE"], "faces": C["STARFISH_CELL"]}


def _numbers(value: Any, name: str, count: Optional[int] = None, complex_numbers: bool = False) -> _arrays.Array:
    """One-dimensional coefficients in f64, which a plan reads while it is made."""
    taken = _arrays.take(value, name, "f64", None, complex_numbers)
    if taken.on_device or len(taken.shape) != 1 or (count is not None and taken.shape[0] != count):
        raise argument_error(name, f"must be {count if count is not None else 'some'} numbers in host memory, is of "
                                   f"shape {taken.shape}")
    return taken


def ends_of(bc: Mapping, axis: str) -> tuple:
    """The two ends of a direction as C has them."""
    if axis not in bc:
        raise argument_error(f"bc['{axis}']", "is missing: 'periodic', or the low and the high end, each 'dirichlet' "
                                              "or 'neumann'")
    given = bc[axis]
    pair = (given, given) if isinstance(given, str) else tuple(given)
    good = len(pair) == 2 and all(end in _ENDS for end in pair) and (pair.count("periodic") in (0, 2))
    if not good:
        raise argument_error(f"bc['{axis}']", f"must be 'periodic', or two of 'dirichlet' and 'neumann', is {given!r}")
    return tuple(_ENDS[end] for end in pair)


def check_keys(given: Mapping, name: str, known: Sequence) -> None:
    """Unknown keys are errors, as in problem files."""
    for key in given:
        if key not in known:
            raise argument_error(f"{name}[{key!r}]", f"is unknown; there are {', '.join(known)}")


def _tridiagonal(spec: Mapping, name: str, axis: Any, held: list) -> None:
    check_keys(spec, name, ("lower", "diag", "upper", "periodic"))
    axis.kind, axis.periodic = C["STARFISH_TRIDIAGONAL"], int(bool(spec.get("periodic", False)))
    for member in ("lower", "diag", "upper"):
        if member not in spec:
            raise argument_error(f"{name}['{member}']", "is missing")
        row = _numbers(spec[member], f"{name}['{member}']", axis.n, bool(axis.complex_line))
        held.append(row)
        setattr(axis, member, row.pointer)


def _stretched(spec: Mapping, name: str, axis: Any, held: list) -> None:
    check_keys(spec, name, tuple(_STRETCHED))
    if len(spec) != 1:
        raise argument_error(name, "a stretched grid is an array of 'nodes' or of 'faces'")
    kind, values = next(iter(spec.items()))
    row = _numbers(values, f"{name}['{kind}']")
    held.append(row)
    axis.kind, axis.grid = C["STARFISH_STRETCHED"], _STRETCHED[kind]
    axis.coordinates, axis.coordinate_count = row.pointer, row.shape[0]


def make_axis(d: int, n: int, problem: Mapping, held: list) -> Any:
    """struct starfish_axis of direction d from the keywords of solve()."""
    axis, name = make("starfish_axis"), AXES[d]
    spec = (problem["grid"] or {}).get(name, "uniform")
    axis.n = n
    if isinstance(spec, Mapping) and "diag" in spec:
        _tridiagonal(spec, f"grid['{name}']", axis, held)
        return axis
    axis.ends[:] = ends_of(problem["bc"] or {}, name)
    if isinstance(spec, Mapping):
        _stretched(spec, f"grid['{name}']", axis, held)
        return axis
    if spec not in _GRIDS:
        raise argument_error(f"grid['{name}']", f"must be one of {', '.join(_GRIDS)}, a dict of 'nodes' or 'faces', or "
                                                f"of 'lower', 'diag' and 'upper', is {spec!r}")
    axis.kind, axis.grid = C["STARFISH_UNIFORM"], _GRIDS[spec]
    axis.length, axis.origin = _of_direction(problem, "length", d), _of_direction(problem, "origin", d)
    return axis


def _of_direction(problem: Mapping, name: str, d: int) -> float:
    values = problem[name]
    values = [values] * 3 if isinstance(values, (int, float)) else list(values)
    if len(values) <= d or not isinstance(values[d], (int, float)) and not hasattr(values[d], "__float__"):
        raise argument_error(name, f"has no number for {AXES[d]}")
    return float(values[d])


def face_shape(shape: Sequence, d: int) -> tuple:
    """Of a face across direction d of a field of that shape (nz, ny, nx)."""
    return tuple(n for a, n in zip((2, 1, 0)[-len(shape):], shape) if a != d)


def make_boundary(given: Optional[Mapping], shape: Sequence, precision: str, ends: Sequence) -> tuple:
    """struct starfish_boundary from {"z0": 300.0, "x1": array}, and the arrays."""
    if not given:
        return None, []
    dimensions = len(shape)
    check_keys(given, "boundary", [f"{a}{side}" for a in AXES[:dimensions] for side in (0, 1)])
    boundary, held = make("starfish_boundary"), []
    for key, value in given.items():
        d, side, name = AXES.index(key[0]), int(key[1]), f"boundary['{key}']"
        if ends[d] is None or ends[d][side] == C["STARFISH_PERIODIC"]:
            raise argument_error(name, f"{key[0]} has no such end")
        if isinstance(value, (int, float)) or getattr(value, "shape", None) == ():
            boundary.constant[d][side] = float(value)
            continue
        face = _arrays.take(value, name, precision, face_shape(shape, d))
        held.append(face)
        boundary.array[d][side] = face.pointer
    return ctypes.byref(boundary), [boundary, *held]


class _SeparablePlan(_Plan):
    """A plan of a separable problem."""
    family, info_struct, wait_function, has_boundary = "poisson", "starfish_info", "", True

    def finish(self, job: ctypes.c_void_p) -> tuple:
        info, accuracy = make(self.info_struct), make("starfish_accuracy")
        status = library().starfish_job_wait_accuracy(job, ctypes.byref(info), ctypes.byref(accuracy))
        return self.judged(status, info, accuracy)

    def told(self, info: Any, accuracy: Any) -> dict:  # type: ignore[override]
        told = {"method": self.method, "n": list(reversed(self.shape)), "iterations": info.cycles,
                "residual_bound": accuracy.residual_bound,
                "phases": {info.phase[i].name.decode(): info.phase[i].seconds for i in range(info.phases)}}
        inside = ("phase", "level", "phases", "levels", "cycles")  # which are told otherwise, or of one method alone
        return {**told, **{name: plain(getattr(info, name)) for name, _ in info._fields_ if name not in inside}}

    @property
    def singular(self) -> bool:
        """Whether the solution is determined up to a constant: it then has mean zero."""
        return bool(library().starfish_poisson_plan_singular(self.handle))

    def memory(self) -> dict:
        """Bytes that the plan and its solves take (struct starfish_memory)."""
        filled = make("starfish_memory")
        call("starfish_poisson_plan_memory", self.handle, ctypes.byref(filled))
        return plain(filled)


class Plan(_SeparablePlan):
    """u_xx + u_yy + u_zz + lam u = f on a box, for fields of shape (nz, ny, nx).

    length, origin: of the box in x, y, z. bc: for each of "x", "y", "z" "periodic", or the low and the high end, each
    "dirichlet" or "neumann" (one word: both ends). grid: for each "uniform" (default, the same as "node"), "cell",
    {"nodes": array} or {"faces": array} of increasing coordinates (y and z), or {"lower": a, "diag": b, "upper": c,
    "periodic": False}, any tridiagonal operator (y and z). method: "auto", "slab", "blktri", "blktri-product" or
    "multigrid". precision: "f64", "f32", or "mixed" (multigrid). Other keywords are the options of the library:
    pystarfish.options("poisson") lists them.
    """

    def __init__(self, shape: Sequence[int], *, length: Any = (1.0, 1.0, 1.0), bc: Optional[Mapping] = None,
                 grid: Optional[Mapping] = None, lam: float = 0.0, origin: Any = (0.0, 0.0, 0.0), method: str = "auto",
                 precision: str = "f64", context: Optional[Context] = None, **options: Any):
        super().__init__(context, precision, {"method": method, **options})
        self.shape = tuple(int(n) for n in shape)
        if len(self.shape) != 3 or min(self.shape) < 1:
            raise argument_error("shape", f"must be (nz, ny, nx), is {tuple(shape)}")
        for name, given in (("bc", bc), ("grid", grid)):
            check_keys(given or {}, name, AXES)
        held: list = []
        problem = make("starfish_poisson_problem")
        keywords = {"length": length, "origin": origin, "bc": bc, "grid": grid}
        for d in range(3):
            problem.axis[d] = make_axis(d, self.shape[2 - d], keywords, held)
        setattr(problem, "lambda", float(lam))
        self._ends = [None if a.kind == C["STARFISH_TRIDIAGONAL"] else tuple(a.ends) for a in problem.axis]
        self.create("starfish_poisson_plan_create", ctypes.byref(problem))
        del held

    def local_shape(self) -> tuple:
        return (self.context.planes(self.shape[0])[1], *self.shape[1:])

    def boundary(self, given: Optional[Mapping]) -> tuple:
        return make_boundary(given, self.local_shape(), self.precision, self._ends)


class Plan2D(_SeparablePlan):
    """FISHPACK's BLKTRI problem for fields of shape (ny, nx): x and y are {"lower": a, "diag": b, "upper": c,
    "periodic": False}. With complex_rhs=True right-hand sides are complex; complex coefficients of x make them so."""

    def __init__(self, x: Mapping, y: Mapping, *, lam: float = 0.0, method: str = "auto", precision: str = "f64",
                 context: Optional[Context] = None, **options: Any):
        super().__init__(context, precision, {"method": method, **options})
        held: list = []
        axes = []
        for name, spec in (("x", x), ("y", y)):
            axis = make("starfish_axis")
            if "diag" not in spec:
                raise argument_error(f"{name}['diag']", "is missing")
            axis.n = len(spec["diag"])
            axis.complex_line = int(name == "x" and getattr(spec["diag"], "dtype", None) is not None
                                    and spec["diag"].dtype.kind == "c")
            _tridiagonal(spec, name, axis, held)
            axes.append(axis)
        self.complex_numbers = bool(axes[0].complex_line or options.get("complex_rhs"))
        self.shape = (axes[1].n, axes[0].n)
        self.create("starfish_separable2d_plan_create", ctypes.byref(axes[0]), ctypes.byref(axes[1]), float(lam))
        del held


def solve(f: Any, length: Any = (1.0, 1.0, 1.0), bc: Optional[Mapping] = None, grid: Optional[Mapping] = None,
          boundary: Optional[Mapping] = None, lam: float = 0.0, method: str = "auto", precision: str = "f64",
          return_info: bool = False, *, origin: Any = (0.0, 0.0, 0.0), out: Any = None,
          context: Optional[Context] = None, **options: Any) -> Any:
    """Solve u_xx + u_yy + u_zz + lam u = f on a box once; f is of shape (nz, ny, nx).

    boundary: data of the ends, "x0", "x1", ... "z1": a number or an array of the face's shape, (nz, ny), (nz, nx) or
    (ny, nx); of Neumann ends the derivative along the axis. f is a NumPy array (converted to `precision` where it is
    of another type or order), or one in device memory of that precision, of CuPy, torch or anything with
    __cuda_array_interface__ or __dlpack__, which is not copied. The other keywords are those of Plan.

    Returns u, in memory of f's kind; with return_info also a dict, whose residual is max |A u - f| / max |f|.
    Raises StarfishError's subclasses: ArgumentError, UnsupportedError, SingularError, ...
    """
    if return_info:
        options.setdefault("check_residual", True)
    shape = tuple(getattr(f, "shape", None) or _arrays.take(f, "f", "f64").shape)
    if len(shape) != 3:
        raise argument_error("f", f"must be of shape (nz, ny, nx), is of shape {shape}")
    options.setdefault("right_hand_sides", 1)
    with Plan(shape, length=length, bc=bc, grid=grid, lam=lam, origin=origin, method=method, precision=precision,
              context=context, **options) as plan:
        return plan.solve(f, boundary, out, return_info)


def LinearOperator(plan: _Plan) -> Any:  # pylint: disable=invalid-name
    """A plan as scipy.sparse.linalg.LinearOperator: its product with a vector solves the plan's problem. It is what
    SciPy's solvers take as preconditioner M of operators that are close to the plan's."""
    from scipy.sparse import linalg  # pylint: disable=import-outside-toplevel

    size = 1
    for n in plan.shape:
        size *= n

    def product(vector: Any) -> Any:
        return plan.solve(vector.reshape(plan.shape)).reshape(-1)
    return linalg.LinearOperator((size, size), matvec=product, rmatvec=product,
                                 dtype="float64" if plan.precision == "f64" else "float32")
