"""Plans of the other families: tridiagonal batches, multigrid, diffusion, flat domains, finite elements."""
import ctypes
from typing import Any, Callable, Mapping, Optional, Sequence

from . import _arrays
from ._context import Context
from ._library import C, call, check, library, make, plain, struct
from ._plan import Plan, argument_error
from ._poisson import AXES, check_keys, ends_of, make_boundary


def _pointer(value: Any, name: str, precision: str, shape: Optional[tuple], held: list) -> Optional[int]:
    """The memory of an array that is kept in `held`; None for None."""
    if value is None:
        return None
    taken = _arrays.take(value, name, precision, shape)
    held.append(taken)
    return taken.pointer


def _host(value: Any, name: str, shape: Optional[tuple], held: list) -> Optional[int]:
    """The same of an array in f64 that the library reads while the plan is made."""
    pointer = _pointer(value, name, "f64", shape, held)
    if pointer is not None and held[-1].on_device:
        raise argument_error(name, "must be in host memory")
    return pointer


class TridiagonalPlan(Plan):
    """Batches of tridiagonal systems: lower[k] x(k-1) + (diag[k] + shift) x(k) + upper[k] x(k+1) = d(k) for each line.

    lower, diag, upper: of shape (lines, n), or of shape (n,) for all lines alike; in host or device memory, and in the
    plan's precision they are not copied: after they have changed call update(). shift: one number per line. Right-hand
    sides are of shape (lines, n), with interleaved=True (n, lines); so are coefficients then. Other keywords:
    pystarfish.options("tridiag").
    """
    family, info_struct, wait_function = "tridiag", "starfish_tridiag_info", "starfish_tridiag_wait"

    def __init__(self, lower: Any, diag: Any, upper: Any, *, lines: Optional[int] = None, shift: Any = None,
                 periodic: bool = False, interleaved: bool = False, precision: str = "f64",
                 context: Optional[Context] = None, **options: Any):
        super().__init__(context, precision, options)
        self._held: list = []
        pointer = _pointer(diag, "diag", self.precision, None, self._held)
        given = self._held[0].shape
        shared = len(given) == 1
        if len(given) not in (1, 2):
            raise argument_error("diag", f"must be of shape (n,) or (lines, n), is of shape {given}")
        n, count = (given[0], lines or 1) if shared else (given[0], given[1]) if interleaved else (given[1], given[0])
        problem = make("starfish_tridiag_problem")
        problem.n, problem.lines, problem.rhs, problem.periodic = n, count, 1, int(periodic)
        problem.diag = pointer
        problem.lower = _pointer(lower, "lower", self.precision, given, self._held)
        problem.upper = _pointer(upper, "upper", self.precision, given, self._held)
        layout = struct("starfish_layout")
        problem.vectors = layout(count, 1) if interleaved else layout(1, n)
        problem.coefficients = layout(1, 0) if shared else problem.vectors
        problem.shift = _pointer(shift, "shift", self.precision, (count,), self._held)
        self.shape = (n, count) if interleaved else (count, n)
        self.create("starfish_tridiag_plan_create", ctypes.byref(problem))

    def mixed_keywords(self) -> dict:
        if self._mixed:
            raise argument_error("precision", "'mixed' is not for tridiagonal systems")
        return {}

    def update(self) -> None:
        """After coefficients or shifts have changed where they lie."""
        call("starfish_tridiag_plan_update", self.handle)

    def growth(self) -> tuple:
        """With check=True: the largest growth of an entry in elimination, and its line."""
        line = ctypes.c_size_t()
        return library().starfish_tridiag_plan_growth(self.handle, ctypes.byref(line)), line.value


class _MultigridPlan(Plan):
    """A plan of multigrid."""
    family, info_struct, wait_function = "multigrid", "starfish_multigrid_info", "starfish_multigrid_wait"

    def mixed_keywords(self) -> dict:
        return {"inner": "f32" if self._mixed or self.precision == "f32" else "f64"}

    def told(self, info: Any) -> dict:
        told = plain(info)
        return {**told, "history": told["history"][:min(info.count, len(info.history))], "iterations": info.cycles}


def _two_ends(bc: Mapping, d: int) -> tuple:
    ends = ends_of(bc, AXES[d])
    if C["STARFISH_PERIODIC"] in ends:
        raise argument_error(f"bc['{AXES[d]}']", "must not be periodic")
    return ends


class Q1Plan(_MultigridPlan):
    """Multigrid for bilinear finite elements in 2D: -d/dx (kx du/dx) - d/dy (ky du/dy) + reaction u = f.

    widths: of the elements in x and in y. bc: {"x": ("dirichlet", "neumann"), "y": "dirichlet"}. diffusion: kx and ky
    of the elements, each of shape (my, mx), or None. Right-hand sides are load vectors of shape (ny, nx) of the
    unknowns. Other keywords: pystarfish.options("multigrid").
    """

    def __init__(self, widths: Sequence, *, bc: Mapping, diffusion: Sequence = (None, None), reaction: float = 0.0,
                 precision: str = "f64", context: Optional[Context] = None, **options: Any):
        super().__init__(context, precision, options)
        check_keys(bc, "bc", AXES[:2])
        held: list = []
        problem, unknowns = make("starfish_q1_problem"), (ctypes.c_size_t * 2)()
        for d in range(2):
            problem.width[d] = _host(widths[d], f"widths[{d}]", None, held)
            problem.elements[d] = held[-1].shape[0]
            problem.ends[d][:] = _two_ends(bc, d)
        elements = (problem.elements[1], problem.elements[0])
        for d in range(2):
            problem.diffusion[d] = _host(diffusion[d], f"diffusion[{d}]", elements, held)
        problem.reaction = reaction
        library().starfish_q1_unknowns(ctypes.byref(problem), unknowns)
        self.shape = (unknowns[1], unknowns[0])
        self.create("starfish_q1_plan_create", ctypes.byref(problem))
        del held


class StencilPlan(_MultigridPlan):
    """Multigrid for seven-point differences in 3D: -div(D grad u) + reaction u = f, integrated over control volumes.

    widths: in x, y and z, of the cells (grid "cell") or between nodes (grid "node"). diffusion: D of the cells in x, y
    and z, each of shape (nz, ny, nx), or None. rhs_factor: 0, right-hand sides are integrals over control volumes, else
    values that are multiplied by it. Boundary data are zero. Other keywords: pystarfish.options("multigrid").
    """

    def __init__(self, shape: Sequence[int], widths: Sequence, *, bc: Mapping, grid: str = "cell",
                 diffusion: Sequence = (None, None, None), reaction: float = 0.0, rhs_factor: float = 0.0,
                 precision: str = "f64", context: Optional[Context] = None, **options: Any):
        super().__init__(context, precision, options)
        check_keys(bc, "bc", AXES)
        held: list = []
        problem = make("starfish_stencil_problem")
        self.shape = tuple(int(n) for n in shape)
        problem.grid = {"cell": C["STARFISH_CELL"], "node": C["STARFISH_NODE"]}[grid]
        for d in range(3):
            problem.n[d] = self.shape[2 - d]
            problem.ends[d][:] = ends_of(bc, AXES[d])
            problem.width[d] = _host(widths[d], f"widths[{d}]", None, held)
            problem.diffusion[d] = _host(diffusion[d], f"diffusion[{d}]", self.shape, held)
        problem.reaction, problem.rhs_factor = reaction, rhs_factor
        self.create("starfish_stencil_plan_create", ctypes.byref(problem))
        del held


class DiffusionPlan(Plan):
    """div(k grad u) + lam u = f on cells of equal size in 2D, shape (ny, nx), or 3D, shape (nz, ny, nx).

    coefficient: k of the cells or a number; mean: "harmonic" or "arithmetic"; regions: an integer per cell, for
    deflation by regions. bc and boundary as in solve(). method: "auto", "multigrid" or "cg". Other keywords
    (preconditioner, deflation, vectors, tolerance, ...): pystarfish.options("diffusion").
    """
    family, info_struct, wait_function, has_boundary = ("diffusion", "starfish_diffusion_info",
                                                        "starfish_diffusion_wait", True)

    def __init__(self, shape: Sequence[int], coefficient: Any = 1.0, *, length: Any = (1.0, 1.0, 1.0),
                 bc: Optional[Mapping] = None, lam: float = 0.0, mean: str = "harmonic", regions: Any = None,
                 method: str = "auto", precision: str = "f64", context: Optional[Context] = None, **options: Any):
        super().__init__(context, precision, {"method": method, **options})
        self.shape = tuple(int(n) for n in shape)
        if len(self.shape) not in (2, 3):
            raise argument_error("shape", f"must be (ny, nx) or (nz, ny, nx), is {self.shape}")
        means = {"harmonic": C["STARFISH_MEAN_HARMONIC"], "arithmetic": C["STARFISH_MEAN_ARITHMETIC"]}
        if mean not in means:
            raise argument_error("mean", f"{mean!r} is not one of {', '.join(means)}")
        held: list = []
        problem = make("starfish_diffusion_problem")
        problem.dimensions, problem.n[:] = len(self.shape), (1, 1, 1)
        check_keys(bc or {}, "bc", AXES[:len(self.shape)])
        for d, n in enumerate(reversed(self.shape)):
            problem.n[d], problem.length[d] = n, float(length[d])
            problem.ends[d][:] = ends_of(bc or {}, AXES[d])
        setattr(problem, "lambda", float(lam))
        problem.mean = means[mean]
        if isinstance(coefficient, (int, float)):
            problem.constant_coefficient = float(coefficient)
        else:
            problem.coefficient = _host(coefficient, "coefficient", self.shape, held)
        if regions is not None:
            numbers = _arrays.numpy.ascontiguousarray(regions)
            if numbers.dtype.kind not in "iu" or numbers.shape != self.shape:
                raise argument_error("regions", f"must be integers of shape {self.shape}")
            held.append(numbers.astype(_arrays.numpy.int64))
            problem.regions = held[-1].ctypes.data
        self._ends = [tuple(problem.ends[d]) for d in range(3)]
        self.create("starfish_diffusion_plan_create", ctypes.byref(problem))
        del held

    def boundary(self, given: Optional[Mapping]) -> tuple:
        return make_boundary(given, self.shape, self.precision, self._ends)


class AtmospherePlan(Plan):
    """Flat domains: -omega^2 (lap_h u + lam^2 d_z d_z u) + u = f, shape (nz, ny, nx), on a box ("flat"), on a panel
    of the sphere ("panel") or on all six ("sphere", with ny = 6 nx: u.reshape(nz, 6, nx, nx) has them apart).

    length: of a box in x and y; periodic: its sides, both or each; faces: nz + 1 heights from 0 to `height`. Other
    keywords (method, preconditioner, levels, tolerance, ...): pystarfish.options("atmosphere").
    """
    family, info_struct, wait_function = "atmosphere", "starfish_atmosphere_info", "starfish_atmosphere_wait"

    def __init__(self, shape: Sequence[int], *, height: float, omega: float, lam: float, geometry: str = "flat",
                 length: Any = (1.0, 1.0), periodic: Any = False, faces: Any = None, precision: str = "f64",
                 context: Optional[Context] = None, **options: Any):
        super().__init__(context, precision, options)
        geometries = {"flat": C["STARFISH_FLAT_BOX"], "panel": C["STARFISH_PANEL"],
                      "sphere": C["STARFISH_SPHERE"]}
        if geometry not in geometries:
            raise argument_error("geometry", f"{geometry!r} is not one of {', '.join(geometries)}")
        self.shape = tuple(int(n) for n in shape)
        held: list = []
        problem = make("starfish_atmosphere_problem")
        problem.geometry, problem.n[:] = geometries[geometry], tuple(reversed(self.shape))
        problem.length[:] = tuple(float(x) for x in length)
        problem.periodic[:] = (int(periodic),) * 2 if isinstance(periodic, (bool, int)) else tuple(map(int, periodic))
        problem.height, problem.omega = float(height), float(omega)
        setattr(problem, "lambda", float(lam))
        problem.faces = _host(faces, "faces", (self.shape[0] + 1,), held)
        self.create("starfish_atmosphere_plan_create", ctypes.byref(problem))
        del held

    def told(self, info: Any) -> dict:
        told = plain(info)
        return {**told, "history": told["history"][:min(info.count, len(info.history))]}


# ---- Finite elements

class Mesh:
    """A mesh of quadrilaterals or hexahedra.

    points: (count, 2) or (count, 3) coordinates. cells: (count, 3^d) points of each cell on the corners, middles and
    centre of the reference cell, x fastest, -1 where a middle is not given; or (count, 2^d) corners alone, x fastest.
    groups: {number: [(cell, place), ...]}, where place has 0 (low), 2 (high) or 1 (all of it) for each direction.
    """

    def __init__(self, points: Any, cells: Any, groups: Optional[Mapping] = None):
        numpy = _arrays.numpy
        points = numpy.asarray(points, dtype=numpy.float64)
        self.dimensions = points.shape[1]
        self.points = numpy.zeros((len(points), 3))
        self.points[:, :self.dimensions] = points
        given = numpy.asarray(cells, dtype=numpy.intc)
        if given.shape[1] == 2 ** self.dimensions:
            corners = [sum(2 * ((c >> d) & 1) * 3 ** d for d in range(self.dimensions)) for c in range(given.shape[1])]
            full = numpy.full((len(given), 3 ** self.dimensions), -1, dtype=numpy.intc)
            full[:, corners] = given
            given = full
        if given.shape[1] != 3 ** self.dimensions:
            raise argument_error("cells", f"must have {2 ** self.dimensions} or {3 ** self.dimensions} points each")
        self.cells = numpy.ascontiguousarray(given)
        entries = [(group, cell, place) for group, members in (groups or {}).items() for cell, place in members]
        self.marks = (struct("starfish_fem_mark") * max(len(entries), 1))()
        for mark, (group, cell, place) in zip(self.marks, entries):
            mark.cell, mark.group = cell, group
            for d, p in enumerate(place):
                mark.place[d] = p
        self.mark_count = len(entries)

    def struct(self) -> Any:
        """struct starfish_fem_mesh."""
        mesh = make("starfish_fem_mesh")
        mesh.dimensions, mesh.points, mesh.point = self.dimensions, len(self.points), self.points.ctypes.data
        mesh.cells, mesh.cell = len(self.cells), self.cells.ctypes.data
        mesh.marks, mesh.mark = self.mark_count, ctypes.addressof(self.marks)
        return mesh


_FUNCTION = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_void_p, ctypes.POINTER(ctypes.c_double))


def _function(value: Callable, dimensions: int, held: list) -> int:
    """A Python function of the coordinates as C calls it."""
    made = _FUNCTION(lambda _, point: float(value(*point[:dimensions])))
    held.append(made)
    return ctypes.cast(made, ctypes.c_void_p).value or 0


class FemPlan(Plan):
    """-Laplace u = rhs on an unstructured mesh, refined `refinements` times.

    rhs: a number or a function of the coordinates. dirichlet: {group: number or function}; a later group counts where
    a node is in two. curved: {group: (x, y, radius)} or (x, y, z, radius). Other keywords (smoother, numbering, format,
    shape, tolerance, ...): pystarfish.options("fem").
    """
    family = "fem"

    def __init__(self, mesh: Mesh, *, refinements: int = 0, element: str = "q1", rhs: Any = 0.0,
                 dirichlet: Optional[Mapping] = None, curved: Optional[Mapping] = None, precision: str = "f64",
                 context: Optional[Context] = None, **options: Any):
        super().__init__(context, precision, options)
        elements = {"q1": C["STARFISH_FEM_Q1"], "q2": C["STARFISH_FEM_Q2"]}
        if element not in elements:
            raise argument_error("element", f"{element!r} is not one of {', '.join(elements)}")
        problem, held, self.mesh = make("starfish_fem_problem"), [mesh.struct()], mesh
        problem.mesh, problem.refinements, problem.element = ctypes.addressof(held[0]), refinements, elements[element]
        if callable(rhs):
            problem.source = _function(rhs, mesh.dimensions, held)
        else:
            problem.rhs = float(rhs)
        given, curves = dirichlet or {}, curved or {}
        values = (struct("starfish_fem_dirichlet") * max(len(given), 1))()
        for entry, (group, value) in zip(values, given.items()):
            entry.group = group
            if callable(value):
                entry.function = _function(value, mesh.dimensions, held)
            else:
                entry.value = float(value)
        rings = (struct("starfish_fem_curve") * max(len(curves), 1))()
        for entry, (group, (*centre, radius)) in zip(rings, curves.items()):
            entry.group, entry.radius = group, radius
            for d, x in enumerate(centre):
                entry.centre[d] = x
        problem.dirichlets, problem.dirichlet = len(given), ctypes.addressof(values)
        problem.curves, problem.curve = len(curves), ctypes.addressof(rings)
        self.create("starfish_fem_plan_create", ctypes.byref(problem))
        self._held = held
        self.shape = (library().starfish_fem_nodes(self.handle),)

    def mixed_keywords(self) -> dict:
        return {"inner": "f32" if self._mixed or self.precision == "f32" else "f64"}

    def points(self) -> Any:
        """Coordinates of the finest space's nodes, (nodes, dimensions)."""
        numbers = (ctypes.c_double * (3 * self.shape[0])).from_address(library().starfish_fem_points(self.handle))
        return _arrays.numpy.array(numbers).reshape(-1, 3)[:, :self.mesh.dimensions].copy()

    def submit(self, f: Any = None, boundary: Any = None, out: Any = None, stream: Any = None) -> Any:
        """Not there: fem solves in the thread that calls."""
        raise NotImplementedError("finite elements are solved by solve()")

    def solve(self, f: Any = None, boundary: Any = None, out: Any = None,  # type: ignore[override]
              return_info: bool = False) -> Any:
        """u at all nodes of the finest space, given ones included."""
        if f is not None or boundary is not None:
            raise argument_error("f", "the right-hand side is a part of the plan")
        like = _arrays.Array(0, self.shape, self.precision, False, None)
        solution, info = _arrays.target(out, "out", self.precision, self.shape, like), make("starfish_fem_info")
        status = library().starfish_fem_solve(self.handle, solution.pointer, ctypes.byref(info))
        told = plain(info)
        check(status, info=told)
        return (solution.owner, told) if return_info else solution.owner
