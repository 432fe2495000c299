# SPDX-License-Identifier: LGPL-2.1-or-later
"""Plans of the other families: tridiagonal batches, multigrid, diffusion, flat domains, finite elements."""
import ctypes
from typing import Any, Callable, Mapping, Optional, Sequence

import numpy

from . import _adjoint, _arrays
from ._checks import (AXES, argument_error, choice, field_shape, items, keys, number, shown, truth, whole)
from ._context import Context
from ._library import C, ask, call, library, make, struct
from ._plan import Job, Plan
from ._poisson import all_ends
from ._problems import fill


class TridiagonalPlan(Plan):
    """Batches of tridiagonal systems: lower[k] x(k-1) + (diag[k] + shift) x(k) + upper[k] x(k+1) = d(k) for each line.

    lower, diag, upper: of shape (lines, n), or of shape (n,) for all lines alike; in host or device memory, and in the
    plan's precision they are not copied: after they have changed call update(). shift: one number per line. Right-hand
    sides are of shape (lines, n), with interleaved=True (n, lines); so are coefficients then. Other keywords:
    pystarfish.options("tridiag").
    """
    family = "tridiag"

    def __init__(self, lower: Any, diag: Any, upper: Any, *, lines: Optional[int] = None, shift: Any = None,
                 periodic: bool = False, interleaved: bool = False, precision: str = "f64",
                 context: Optional[Context] = None, **options: Any):
        if isinstance(precision, str) and precision == "mixed":
            raise argument_error("precision", "'mixed' is not for tridiagonal systems")
        super().__init__(context, precision, options)
        self._again.update(lines=lines, shift=shift, periodic=periodic, interleaved=interleaved)
        for name, array in (("lower", lower), ("diag", diag), ("upper", upper)):
            if array is None:
                raise argument_error(name, "must be an array, is None")
        problem = make("starfish_tridiag_problem")
        problem.diag = self.pointer(diag, "diag")
        given = self._held[0].shape
        shared = len(given) == 1
        if len(given) not in (1, 2):
            raise argument_error("diag", f"must be of shape (n,) or (lines, n), is of shape {given}")
        interleaved = bool(truth(interleaved, "interleaved"))
        n, count = (given[0], 1) if shared else given if interleaved else given[::-1]
        if lines is not None:
            count = whole(lines, "lines", *((1,) if shared else (count, count)))
        problem.n, problem.lines, problem.rhs, problem.periodic = n, count, 1, truth(periodic, "periodic")
        problem.lower, problem.upper = self.pointer(lower, "lower", given), self.pointer(upper, "upper", given)
        layout = struct("starfish_layout")
        problem.vectors = layout(count, 1) if interleaved else layout(1, n)
        problem.coefficients = layout(1, 0) if shared else problem.vectors
        problem.shift = self.pointer(shift, "shift", (count,))
        self.shape, self._arrays = (n, count) if interleaved else (count, n), self._held
        self.create("starfish_tridiag_plan_create", ctypes.byref(problem))

    def update(self) -> None:
        """After coefficients or shifts have changed where they lie."""
        call("starfish_tridiag_plan_update", self.handle)
        self._adjoint = None

    def make_adjoint(self) -> tuple:
        diag, lower, upper = self._arrays[:3]
        if any(array.on_device for array in self._arrays):
            raise argument_error("plan", "has no adjoint: its coefficients are in device memory")
        along = 0 if self._again["interleaved"] else -1
        return TridiagonalPlan(numpy.roll(upper.owner, 1, along), diag.owner, numpy.roll(lower.owner, -1, along),
                               **self._again), None

    def growth(self) -> tuple:
        """With check=True: by how much rounding errors may grow, at worst over all lines, and the line."""
        line = ctypes.c_size_t()
        return library().starfish_tridiag_plan_growth(self.handle, ctypes.byref(line)), line.value


def _each(value: Any, name: str, dimensions: int) -> tuple:
    return items(value, name, f"one for each of {', '.join(AXES[:dimensions])}", (dimensions,))


class _MultigridPlan(Plan):
    """A plan of multigrid."""
    family = "multigrid"

    def create(self, function: str, *arguments: Any) -> None:
        super().create(function, *arguments)
        chosen = ask("starfish_multigrid_plan_options", "starfish_multigrid_options", self.handle)
        self._chosen = {"levels": self.about()["levels"], **{name: chosen[name] for name in ("smoother", "matrix")}}

    def told(self, info: Any) -> dict:
        return {**super().told(info), **self._chosen, "count": info.count, "cycles": info.iterations,
                "defects": info.corrections, "removed": info.pertrb}


class Q1Plan(_MultigridPlan):
    """Multigrid for bilinear finite elements in 2D: -d/dx (kx du/dx) - d/dy (ky du/dy) + reaction u = f.

    widths: of the elements in x and in y. bc: {"x": ("dirichlet", "neumann"), "y": "dirichlet"}. diffusion: kx and ky
    of the elements, each of shape (my, mx), or None. Right-hand sides are load vectors of shape (ny, nx) of the
    unknowns. Other keywords: pystarfish.options("multigrid").
    """

    def __init__(self, widths: Sequence, *, bc: Mapping, diffusion: Sequence = (None, None), reaction: float = 0.0,
                 precision: str = "f64", context: Optional[Context] = None, **options: Any):
        super().__init__(context, precision, options)
        problem, unknowns = make("starfish_q1_problem"), (ctypes.c_size_t * 2)()
        for d, (ends, given) in enumerate(zip(all_ends(bc, 2), _each(widths, "widths", 2))):
            if C["STARFISH_PERIODIC"] in ends:
                raise argument_error(f"bc['{AXES[d]}']", "must not be periodic")
            problem.width[d], problem.ends[d][:] = self.host(given, f"widths[{d}]"), ends
            if given is None or len(self._held[-1].shape) != 1:
                raise argument_error(f"widths[{d}]", "must be an array of one dimension")
            problem.elements[d] = self._held[-1].shape[0]
        for d, given in enumerate(_each(diffusion, "diffusion", 2)):
            problem.coefficient[d] = self.host(given, f"diffusion[{d}]", (problem.elements[1], problem.elements[0]))
        problem.reaction = number(reaction, "reaction")
        library().starfish_q1_unknowns(ctypes.byref(problem), unknowns)
        self.shape = (unknowns[1], unknowns[0])
        self.create("starfish_q1_plan_create", ctypes.byref(problem))


class StencilPlan(_MultigridPlan):
    """Multigrid for seven-point differences in 3D: -div(D grad u) + reaction u = f, integrated over control volumes.

    widths: in x, y and z, of the cells (grid "cell") or between nodes (grid "node"). diffusion: D of the cells in x, y
    and z, each of shape (nz, ny, nx), or None. rhs_factor: 0, right-hand sides are integrals over control volumes, else
    values that are multiplied by it. Boundary data are zero. Other keywords, among them the `cycle`:
    pystarfish.options("multigrid").
    """

    def __init__(self, shape: Sequence[int], /, widths: Sequence, *, bc: Mapping, grid: str = "cell",
                 diffusion: Sequence = (None, None, None), reaction: float = 0.0, rhs_factor: float = 0.0,
                 precision: str = "f64", context: Optional[Context] = None, **options: Any):
        super().__init__(context, precision, options)
        problem = make("starfish_stencil_problem")
        self._lines: list = []  # of each direction what volumes are made of
        self.shape = field_shape(shape)
        problem.grid = choice(grid, "grid", {"cell": C["STARFISH_CELL"], "node": C["STARFISH_NODE"]})
        per_axis = zip(reversed(self.shape), all_ends(bc, 3), _each(widths, "widths", 3),
                       _each(diffusion, "diffusion", 3))
        for d, (n, two, width, factor) in enumerate(per_axis):
            is_of_cells = grid == "cell" or C["STARFISH_PERIODIC"] in two
            count = n if is_of_cells else n - 1 + two.count(C["STARFISH_DIRICHLET"])  # else between nodes
            problem.n[d], problem.ends[d][:], problem.width[d] = n, two, self.host(width, f"widths[{d}]", (count,))
            self._lines.append(([1.0], two, False) if width is None else
                               (self._held[-1].owner.copy(), two, grid == "node"))
            problem.coefficient[d] = self.host(factor, f"diffusion[{d}]", self.shape)
        problem.reaction, problem.rhs_factor = number(reaction, "reaction"), number(rhs_factor, "rhs_factor")
        self._values_are_given = rhs_factor != 0  # right-hand sides are no integrals
        self.create("starfish_stencil_plan_create", ctypes.byref(problem))

    def make_adjoint(self) -> tuple:
        return None, (_adjoint.product([_adjoint.volumes(*line) for line in self._lines])
                      if self._values_are_given else None)


class DiffusionPlan(Plan):
    """div(k grad u) + lam u = f on cells of equal size in 2D, shape (ny, nx), or 3D, shape (nz, ny, nx).

    coefficient: k of the cells or a number; mean: "harmonic" or "arithmetic"; regions: an integer per cell, for
    deflation by regions. bc and boundary as in solve(). method: "auto", "multigrid" or "cg". Other keywords
    (preconditioner, deflation, vectors, tolerance, ...): pystarfish.options("diffusion").
    """
    family, is_dealt = "diffusion", True

    def __init__(self, shape: Sequence[int], coefficient: Any = 1.0, *, length: Any = (1.0, 1.0, 1.0),
                 bc: Optional[Mapping] = None, lam: float = 0.0, mean: str = "harmonic", regions: Any = None,
                 method: str = "auto", precision: str = "f64", context: Optional[Context] = None, **options: Any):
        super().__init__(context, precision, {"method": method, **options})
        self.shape = field_shape(shape, (2, 3))
        here, problem = self.local_shape(), make("starfish_diffusion_problem")
        problem.dimensions, problem.n[:] = len(self.shape), (1, 1, 1)
        self._ends = all_ends(bc, len(self.shape))
        for d, ends in enumerate(self._ends):
            problem.n[d], problem.ends[d][:] = self.shape[-1 - d], ends
        fill(self, problem, "diffusion3d", {"length": length, "lam": lam, "mean": mean})
        if isinstance(coefficient, (int, float)) or getattr(coefficient, "shape", None) == ():
            problem.constant_coefficient = number(coefficient, "coefficient")
        elif coefficient is None:
            raise argument_error("coefficient", "must be a number or an array, is None")
        else:
            problem.coefficient = self.host(coefficient, "coefficient", here)
        if regions is not None:
            numbers = _arrays.as_array(regions, "regions")
            if numbers.dtype.kind not in "iu" or numbers.shape != here:
                raise argument_error("regions", f"must be integers of shape {here}")
            self._held.append(numpy.ascontiguousarray(numbers, dtype=numpy.int64))
            problem.regions = self._held[-1].ctypes.data
        self.create("starfish_diffusion_plan_create", ctypes.byref(problem))


class AtmospherePlan(Plan):
    """Flat domains: -omega^2 (lap_h u + lam^2 d_z d_z u) + u = f, shape (nz, ny, nx), on a box ("flat"), on a panel
    of the sphere ("panel") or on all six ("sphere", with ny = 6 nx: u.reshape(nz, 6, nx, nx) has them apart).

    length: of a box in x and y; periodic: its sides, both or each; faces: nz + 1 heights from 0 to `height`. Other
    keywords (method, preconditioner, levels, tolerance, ...): pystarfish.options("atmosphere").
    """
    family, is_dealt = "atmosphere", True

    def __init__(self, shape: Sequence[int], *, height: float, omega: float, lam: float, geometry: str = "flat",
                 length: Any = (1.0, 1.0), periodic: Any = False, faces: Any = None, precision: str = "f64",
                 context: Optional[Context] = None, **options: Any):
        super().__init__(context, precision, options)
        self.shape = field_shape(shape)
        problem = make("starfish_atmosphere_problem")
        fill(self, problem, "atmosphere3d", {
            "geometry": geometry, "n": self.shape[::-1], "length": length, "periodic": periodic, "height": height,
            "omega": omega, "lam": lam, "faces": faces})
        self._faces = None if faces is None else self._held[-1].owner.copy()
        self._geometry, self._height = geometry, problem.height
        self.create("starfish_atmosphere_plan_create", ctypes.byref(problem))

    def make_adjoint(self) -> tuple:
        nz, ny, nx = self.shape
        faces = numpy.linspace(0, self._height, nz + 1) if self._faces is None else self._faces
        if self._geometry == "flat":
            return None, numpy.diff(faces).reshape(-1, 1, 1)
        panels = 6 if self._geometry == "sphere" else 1
        x, y = numpy.meshgrid(*(numpy.tan(numpy.pi / 4 * numpy.linspace(-1, 1, n + 1)) for n in (nx, ny // panels)))
        angle = numpy.arctan2(x * y, numpy.sqrt(1 + x * x + y * y))  # between the middle of a panel and a corner
        areas = numpy.tile(numpy.diff(numpy.diff(angle, axis=0), axis=1), (panels, 1))
        return None, _adjoint.product([areas, numpy.diff((1 + faces) ** 3)])


# ---- Finite elements

def _array(name: str, members: Any) -> Any:
    """An array of structs, one for each member."""
    return (struct(name) * max(len(members), 1))()


class Mesh:
    """A mesh of quadrilaterals or hexahedra.

    points: (count, 2) or (count, 3) coordinates. cells: (count, 3^d) points of each cell on the corners, middles and
    centre of the reference cell, x fastest, -1 where a middle is not given; or (count, 2^d) corners alone, x fastest.
    groups: {number: [(cell, place), ...]}, where place has 0 (low), 2 (high) or 1 (all of it) for each direction.
    """

    def __init__(self, points: Any, cells: Any, groups: Optional[Mapping] = None):
        given = _arrays.take(points, "points", "f64").owner
        if given.ndim != 2 or given.shape[1] not in (2, 3):
            raise argument_error("points", f"must be of shape (count, 2) or (count, 3), is {given.shape}")
        self.dimensions = given.shape[1]
        self.points = numpy.zeros((len(given), 3))
        self.points[:, :self.dimensions] = given
        self.cells = self._all_nodes(_arrays.as_array(cells, "cells"))
        entries = [(group, member) for group, members in keys(groups, "groups").items()
                   for member in items(members, f"groups[{group!r}]", "a list of (cell, place)")]
        self.marks, self.mark_count = _array("starfish_fem_mark", entries), len(entries)
        for mark, (group, member) in zip(self.marks, entries):
            name = f"groups[{group!r}]"
            cell, place = items(member, name, "a list of (cell, place)", (2,))
            mark.cell, mark.group = whole(cell, name), whole(group, name, -2 ** 31)
            what = f"a list of (cell, place), each place {self.dimensions} of 0, 1 and 2"
            for d, p in enumerate(items(place, name, what, (self.dimensions,))):
                mark.place[d] = whole(p, name, 0, 2)

    def _all_nodes(self, given: Any) -> Any:
        """3^d points of each cell, -1 for middles that are not given."""
        corners, nodes = 2 ** self.dimensions, 3 ** self.dimensions
        if given.dtype.kind not in "iu" or given.ndim != 2 or given.shape[1] not in (corners, nodes):
            raise argument_error("cells", f"must be whole numbers of shape (count, {corners}) or (count, {nodes}), is "
                                          f"{given.dtype} of shape {given.shape}")
        if given.size and not (-1 <= given.min() and given.max() < len(self.points)):
            raise argument_error("cells", f"has points that are not from 0 to {len(self.points) - 1}")
        if given.shape[1] == nodes:
            return numpy.ascontiguousarray(given, dtype=numpy.intc)
        full = numpy.full((len(given), nodes), -1, dtype=numpy.intc)
        full[:, [sum(2 * ((c >> d) & 1) * 3 ** d for d in range(self.dimensions)) for c in range(corners)]] = given
        return full

    def struct(self) -> Any:
        """struct starfish_fem_mesh."""
        return make("starfish_fem_mesh", dimensions=self.dimensions, points=len(self.points),
                    point=self.points.ctypes.data, cells=len(self.cells), cell=self.cells.ctypes.data,
                    marks=self.mark_count, mark=ctypes.addressof(self.marks))


_FUNCTION = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_void_p, ctypes.POINTER(ctypes.c_double))


def _as_c(function: Callable, dimensions: int, held: list, errors: list) -> Optional[int]:
    """A function of the coordinates as C calls it, kept in `held`. C knows no exceptions: the first one is kept in
    `errors`, and the value is then NaN."""
    def called(_: Any, point: Any) -> float:
        try:
            return float(function(*point[:dimensions]))
        except BaseException as error:  # pylint: disable=broad-exception-caught
            errors.extend([] if errors else [error])
            return float("nan")
    held.append(_FUNCTION(called))
    return ctypes.cast(held[-1], ctypes.c_void_p).value


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
        if not isinstance(mesh, Mesh):
            raise argument_error("mesh", f"must be a Mesh, is {shown(mesh)}")
        self.mesh, own, errors = mesh, mesh.struct(), []  # type: ignore[var-annotated]
        problem = make("starfish_fem_problem", mesh=ctypes.addressof(own),
                       refinements=whole(refinements, "refinements"),
                       element=choice(element, "element", {"q1": C["STARFISH_FEM_Q1"], "q2": C["STARFISH_FEM_Q2"]}))
        if callable(rhs):
            problem.source = _as_c(rhs, mesh.dimensions, self._held, errors)
        else:
            problem.rhs = number(rhs, "rhs")
        given, curves = keys(dirichlet, "dirichlet"), keys(curved, "curved")
        values, rings = _array("starfish_fem_dirichlet", given), _array("starfish_fem_curve", curves)
        for entry, (group, value) in zip(values, given.items()):
            entry.group = whole(group, "dirichlet", -2 ** 31)
            if callable(value):
                entry.function = _as_c(value, mesh.dimensions, self._held, errors)
            else:
                entry.value = number(value, f"dirichlet[{group!r}]")
        for entry, (group, ring) in zip(rings, curves.items()):
            name, what = f"curved[{group!r}]", "a centre's coordinates and a radius"
            *centre, entry.radius = (number(x, name) for x in items(ring, name, what, (mesh.dimensions + 1,)))
            entry.group, entry.centre[:mesh.dimensions] = whole(group, "curved", -2 ** 31), centre
        problem.dirichlets, problem.dirichlet = len(given), ctypes.addressof(values)
        problem.curves, problem.curve = len(curves), ctypes.addressof(rings)
        try:
            self.create("starfish_fem_plan_create", ctypes.byref(problem))
        finally:
            if errors:
                raise errors[0]
        self.shape = (library().starfish_fem_nodes(self.handle),)

    def told(self, info: Any) -> dict:
        """What a solve came to, and the sizes of what it solves."""
        about, matrices = self.about(), ask("starfish_fem_matrices", "starfish_fem_matrices", self.handle)
        return {**super().told(info), "unknowns": about["unknowns"], "levels": about["levels"], **matrices,
                "setup_seconds": about["seconds"]}

    def points(self) -> Any:
        """Coordinates of the finest space's nodes, (nodes, dimensions)."""
        numbers = (ctypes.c_double * (3 * self.shape[0])).from_address(library().starfish_fem_points(self.handle))
        return numpy.array(numbers).reshape(-1, 3)[:, :self.mesh.dimensions].copy()

    def submit(self, f: Any = None, boundary: Any = None, out: Any = None, stream: Any = None) -> Job:
        """Begin a solve and return at once. The right-hand side is a part of the plan; `out` must stay as it is until
        the job has been waited for."""
        for name, given in (("f", f), ("boundary", boundary), ("stream", stream)):
            if given is not None:
                raise argument_error(name, "must be None: right-hand side and boundary data are parts of the plan")
        like = _arrays.Array(0, self.shape, self.precision, False, None)
        solution = _arrays.target(out, "out", self.precision, self.shape, like)
        return self.begin("starfish_plan_submit", solution, [], None, None, solution.pointer)

    def solve(self, f: Any = None, boundary: Any = None, out: Any = None, return_info: bool = False) -> Any:
        """u at all nodes of the finest space, given ones included."""
        return super().solve(f, boundary, out, return_info)
