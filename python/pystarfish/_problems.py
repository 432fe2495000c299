"""Problems by their names, from the tables that problem files are read by (starfish/problems.h)."""
import ctypes
from functools import lru_cache
from itertools import count
from types import SimpleNamespace
from typing import Any, Dict, Mapping, Optional

from . import _arrays
from ._checks import AXES, argument_error, choice, items, number, of_direction, truth, whole
from ._context import Context
from ._library import C, call, library, make
from ._options import names_of
from ._plan import Plan

_KINDS = {C[f"STARFISH_MEMBER_{name.upper()}"]: name for name in ("int", "switch", "size", "real", "long", "byte",
                                                                 "pointer", "struct")}
_TYPES = {"int": ctypes.c_int, "switch": ctypes.c_int, "size": ctypes.c_size_t, "real": ctypes.c_double,
          "long": ctypes.c_longlong, "byte": ctypes.c_ubyte}
_KEYWORDS = {"lambda": "lam"}


@lru_cache(maxsize=None)
def table(kind: str) -> Mapping:
    """The members of a problem's struct by their keywords: name, kind, offset, count, shape, values."""
    rows: Dict[str, Any] = {}
    description = make("starfish_member_description")
    for index in count():
        if library().starfish_problem_member(kind.encode(), index, ctypes.byref(description)) != C["STARFISH_SUCCESS"]:
            return rows
        name, member_kind = description.name.decode(), _KINDS[description.type]
        size = ctypes.sizeof(_TYPES[member_kind]) if member_kind in _TYPES else description.bytes
        rows[_KEYWORDS.get(name, name)] = SimpleNamespace(
            kind=member_kind, offset=description.offset, count=description.bytes // size,
            shape=description.shape.decode().split() if description.shape else None, values=names_of(description))


def _plain(value: Any, name: str, row: Any) -> Any:
    """One element as C has it."""
    if row.values:
        return choice(value, name, row.values)
    if row.kind == "switch":
        return truth(value, name)
    return number(value, name) if row.kind == "real" else whole(value, name)


def _elements(value: Any, name: str, row: Any, dimensions: int) -> list:
    """All elements: one for each, or one for all of them; of lengths and the like those of the directions there are."""
    used = min(row.count, dimensions)
    if row.kind == "real" and row.count > 1:
        return [of_direction(value, name, d) for d in range(used)]
    given = [value] * row.count if isinstance(value, str) or not hasattr(value, "__len__") else items(
        value, name, f"one for each of {', '.join(AXES[:row.count])}", (row.count,))
    return [_plain(one, name, row) for one in given]


def pointer(value: Any, name: str, precision: str, shape: Optional[tuple], held: list) -> Optional[int]:
    """The memory of an array that is kept in `held`; None for None."""
    if value is None:
        return None
    taken = _arrays.take(value, name, precision, shape)
    held.append(taken)
    return taken.pointer


def host(value: Any, name: str, shape: Optional[tuple], held: list) -> Optional[int]:
    """The same of an array in f64 that the library reads while the plan is made."""
    memory = pointer(value, name, "f64", shape, held)
    if memory is not None and held[-1].on_device:
        raise argument_error(name, "must be in host memory")
    return memory


def _shape(row: Any, shape: tuple, here: tuple) -> Optional[tuple]:
    """The shape of an array: a field is this rank's part; others are whole. None: not known."""
    if row.shape == list(reversed(AXES[:len(shape)])):
        return here
    extents = {f"{axis}{more}": n + len(more) // 2 for axis, n in zip(AXES, reversed(shape)) for more in ("", "+1")}
    return tuple(extents[extent] for extent in row.shape) if extents.keys() >= set(row.shape) else None


def fill(problem: Any, kind: str, shapes: tuple, given: Mapping, held: list) -> None:
    """Set members of a struct by keywords. shapes: of a field, and of this rank's part; arrays are kept in `held`."""
    rows = table(kind)
    for name, value in given.items():
        row = rows.get(name)
        if row is None or row.kind in ("struct", "pointer") or (row.shape and row.kind != "real"):
            raise argument_error(name, f"is no member of problem {kind} that can be set")
        if row.shape is None:
            values = _elements(value, name, row, len(shapes[0]))
            (_TYPES[row.kind] * len(values)).from_buffer(problem, row.offset)[:] = values
        else:
            memory = host(value, name, _shape(row, *shapes), held)
            ctypes.c_void_p.from_buffer(problem, row.offset).value = memory


class KindPlan(Plan):
    """A plan of any kind of problem whose members are numbers, words and arrays."""
    is_dealt = True

    def __init__(self, kind: str, n: Any, precision: str, context: Optional[Context], given: dict):
        names = {name.decode() for name in iter(map(library().starfish_problem_name, count()).__next__, None)}
        choice(kind, "kind", {name: name for name in sorted(names)})
        about, rows, held = make("starfish_problem_description"), table(kind), []  # type: ignore[var-annotated]
        call("starfish_problem", kind.encode(), ctypes.byref(about))
        if any(row.kind in ("struct", "pointer") for row in rows.values()):
            raise argument_error("kind", f"{kind} has a class of its own")
        self.family = about.options.decode()
        members = {name: given.pop(name) for name in rows if name in given}
        super().__init__(context, precision, given)
        sizes = tuple(whole(size, "n", 1, 2 ** 63) for size in items(n, "n", f"{about.dimensions} numbers",
                                                                     (about.dimensions,)))
        self.shape = tuple(reversed(sizes))
        problem = ctypes.create_string_buffer(about.struct_size)
        fill(problem, kind, (self.shape, self.local_shape()), {"n": sizes, **members}, held)
        self.create("starfish_problem_plan_create", kind.encode(), problem)
        del held


def plan(kind: str, *, n: Any, precision: str = "f64", context: Optional[Context] = None, **keywords: Any) -> Plan:
    """A plan of a kind of problem by its name in problem files, for kinds without a class of their own.

    n: unknowns of each direction, x first; fields have the shape (..., nx). Other keywords are the members of the
    problem, `lam` for lambda, and the options of the kind: pystarfish.options lists these.
    """
    return KindPlan(kind, n, precision, context, keywords)
