# SPDX-License-Identifier: LGPL-2.1-or-later
"""Problems by their names, from the tables that problem files are read by (starfish/problems.h)."""
import ctypes
from typing import Any, Mapping, Optional

from ._checks import AXES, argument_error, choice, items, of_direction, whole
from ._context import Context
from ._library import ask
from ._options import TYPES, element, names, rows
from ._plan import Plan


def table(kind: str) -> Mapping:
    """The members of a problem's struct by their keywords."""
    members = rows("starfish_problem_member", kind, "member")
    return {"lam" if name == "lambda" else name: row for name, row in members.items()}


def _elements(value: Any, name: str, row: Any, dimensions: int) -> list:
    """All elements: one for each, or one for all of them; of lengths and the like those of the directions there are."""
    count = row.bytes // ctypes.sizeof(TYPES[row.kind])
    if row.kind == "real" and count > 1:
        return [of_direction(value, name, d) for d in range(min(count, dimensions))]
    given = [value] * count if isinstance(value, str) or not hasattr(value, "__len__") else items(
        value, name, f"one for each of {', '.join(AXES[:count])}", (count,))
    return [element(one, name, row) for one in given]


def _shape(row: Any, plan: Plan) -> Optional[tuple]:
    """The shape of an array: a field is this rank's part; others are whole. None: not known."""
    directions = row.shape.split()
    if directions == list(reversed(AXES[:len(plan.shape)])):
        return plan.local_shape()
    extents = {f"{axis}{more}": n + len(more) // 2 for axis, n in zip(AXES, reversed(plan.shape))
               for more in ("", "+1")}
    return tuple(extents[extent] for extent in directions) if extents.keys() >= set(directions) else None


def fill(plan: Plan, problem: Any, kind: str, given: Mapping) -> None:
    """Set members of a plan's problem by keywords."""
    known = table(kind)
    for name, value in given.items():
        row = known.get(name)
        if row is None or row.kind in ("struct", "pointer") or (row.shape and row.kind != "real"):
            raise argument_error(name, f"is no member of problem {kind} that can be set")
        if row.shape is None:
            values = _elements(value, name, row, len(plan.shape))
            (TYPES[row.kind] * len(values)).from_buffer(problem, row.offset)[:] = values
        else:
            ctypes.c_void_p.from_buffer(problem, row.offset).value = plan.host(value, name, _shape(row, plan))


class KindPlan(Plan):
    """A plan of any kind of problem whose members are numbers, words and arrays."""
    is_dealt = True

    def __init__(self, kind: str, n: Any, precision: str, context: Optional[Context], given: dict):
        choice(kind, "kind", dict.fromkeys(sorted(names("starfish_problem_name"))))
        about, known = ask("starfish_problem", "starfish_problem_description", kind.encode()), table(kind)
        if any(row.kind in ("struct", "pointer") for row in known.values()):
            raise argument_error("kind", f"{kind} has a class of its own")
        self.family = about["options"]
        members = {name: given.pop(name) for name in known if name in given}
        super().__init__(context, precision, given)
        sizes = tuple(whole(size, "n", 1, 2 ** 63) for size in items(
            n, "n", f"{about['dimensions']} numbers", (about["dimensions"],)))
        self.shape = sizes[::-1]
        problem = ctypes.create_string_buffer(about["struct_size"])
        fill(self, problem, kind, {"n": sizes, **members})
        self.create("starfish_problem_plan_create", kind.encode(), problem)


def plan(kind: str, *, n: Any, precision: str = "f64", context: Optional[Context] = None, **keywords: Any) -> Plan:
    """A plan of a kind of problem by its name in problem files, for kinds without a class of their own.

    n: unknowns of each direction, x first; fields have the shape (..., nx). Other keywords are the members of the
    problem, `lam` for lambda, and the options of the kind: pystarfish.options lists these.
    """
    return KindPlan(kind, n, precision, context, keywords)
