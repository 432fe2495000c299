# SPDX-License-Identifier: LGPL-2.1-or-later
"""What arguments must be: each function returns an argument as C needs it, or raises an ArgumentError that names it."""
import operator
from typing import Any, Mapping, NoReturn, Optional, Sequence, Tuple

import numpy

from ._library import ArgumentError

AXES = ("x", "y", "z")
_MOST_SHOWN = 60


class NotCopied:
    """Of objects that stand for what the library has in this process."""

    def __reduce_ex__(self, _: Any) -> NoReturn:
        raise TypeError(f"a {type(self).__name__} cannot be copied or pickled: it stands for what the library has in "
                        f"this process")


def argument_error(name: str, message: str) -> ArgumentError:
    """The error of an argument of a call in Python."""
    return ArgumentError(f"{name}: {message}", name)


def shown(value: Any) -> str:
    """A value in a message: one line, not a long one."""
    text = " ".join(repr(value).split())
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN - 3]}..."


def unmasked(value: Any, name: str) -> Any:
    """The value, of which no element may be masked, as in numpy.ma's arrays: what is below a mask means nothing."""
    if numpy.ma.is_masked(value):
        raise argument_error(name, "has masked elements: fill them (numpy.ma.filled)")
    for member in value if isinstance(value, (list, tuple)) else ():
        unmasked(member, name)
    return value


def number(value: Any, name: str) -> float:
    """A real number."""
    unmasked(value, name)
    try:
        if isinstance(value, (str, bytes, bytearray)) or getattr(value, "shape", ()) != ():
            raise TypeError
        return float(value)
    except (TypeError, ValueError, OverflowError):
        raise argument_error(name, f"must be a number, is {shown(value)}") from None


def whole(value: Any, name: str, least: int = 0, most: int = 2 ** 31 - 1) -> int:
    """A whole number in a range."""
    try:
        made = operator.index(value)
    except TypeError:
        made = most + 1
    if not least <= made <= most:
        raise argument_error(name, f"must be a whole number from {least} to {most}, is {shown(value)}")
    return made


def truth(value: Any, name: str) -> int:
    """A truth value: bool, of Python or NumPy, or 0 or 1."""
    try:
        return whole(int(value) if getattr(getattr(value, "dtype", None), "kind", "") == "b" else value, name, 0, 1)
    except ArgumentError:
        raise argument_error(name, f"must be True or False, is {shown(value)}") from None


def choice(value: Any, name: str, names: Mapping) -> Any:
    """What stands for one of some names."""
    if not isinstance(value, str) or value not in names:
        raise argument_error(name, f"{shown(value)} is not one of {', '.join(names)}")
    return names[value]


def items(value: Any, name: str, what: str, counts: Sequence = ()) -> tuple:
    """The members of a list, tuple or array, as many as `counts` allows; any number where that is empty."""
    try:
        made = None if isinstance(value, (str, bytes, bytearray, Mapping, set)) else tuple(value)
    except TypeError:
        made = None
    if made is None or (counts and len(made) not in counts):
        raise argument_error(name, f"must be {what}, is {shown(value)}")
    return made


def keys(value: Optional[Mapping], name: str, known: Sequence = ()) -> Mapping:
    """A dict, empty for None. Unknown keys are errors, as in problem files; without `known` all are allowed."""
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise argument_error(name, f"must be a dict, is {shown(value)}")
    for key in value:
        if known and key not in known:
            raise argument_error(f"{name}[{key!r}]", f"is unknown; there are {', '.join(known)}")
    return value


def field_shape(value: Any, dimensions: Sequence = (3,)) -> Tuple[int, ...]:
    """The shape of a field, x last; positive."""
    what = " or ".join(f"({', '.join(f'n{axis}' for axis in reversed(AXES[:d]))})" for d in dimensions)
    return tuple(whole(n, "shape", 1) for n in items(value, "shape", what, dimensions))


def of_direction(value: Any, name: str, d: int) -> float:
    """The number for direction d: of one for each, or one for all of them."""
    if not hasattr(value, "__len__") or isinstance(value, (str, bytes)):
        return number(value, name)
    values = items(value, name, "a number, or one for each of x, y, z", range(len(AXES) + 1))
    if len(values) <= d or values[d] is None:
        raise argument_error(name, f"has no number for {AXES[d]}")
    return number(values[d], name)
