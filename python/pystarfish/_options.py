# SPDX-License-Identifier: LGPL-2.1-or-later
"""Options as keywords, from the tables by which the library itself checks them (starfish/options.h)."""
import ctypes
from functools import lru_cache
from itertools import count
from types import SimpleNamespace

from ._checks import argument_error, choice, number, shown, truth
from ._library import C, library, make, plain

TYPES: dict = {"int": ctypes.c_int, "choice": ctypes.c_int, "switch": ctypes.c_int, "size": ctypes.c_size_t,
               "real": ctypes.c_double, "long": ctypes.c_longlong, "byte": ctypes.c_ubyte}
# Arrays of Python are packed; what says otherwise is for C alone.
_FOR_C = ("rhs_layout", "solution_layout", "ghosts")
# Switches of before `krylov`, and which it is with them.
_KRYLOVS = {"conjugate_gradients": "cg", "bicgstab": "bicgstab"}


def names(function):
    """The names that a function of the library has for 0, 1, ..."""
    return [name.decode() for name in iter(map(getattr(library(), function), count()).__next__, None)]


@lru_cache(maxsize=None)
def rows(function, of, what):
    """A table of the library: name -> description, with `kind` ("int", "real", ...) and `values` (name -> value)."""
    found, description, prefix = {}, make(f"starfish_{what}_description"), f"STARFISH_{what.upper()}_"
    kinds = {value: name[len(prefix):].lower() for name, value in C.items() if name.startswith(prefix)}
    for index in count():
        if getattr(library(), function)(of.encode(), index, ctypes.byref(description)) != C["STARFISH_SUCCESS"]:
            return found
        row = SimpleNamespace(**plain(description))
        texts = ctypes.cast(row.values, ctypes.POINTER(ctypes.c_char_p))
        row.kind, row.values = kinds[row.type], {texts[v].decode(): v for v in range(row.value_count) if texts[v]}
        found[row.name] = row


def table(family):
    """The options of a family ("poisson", "tridiag", ...)."""
    return {name: row for name, row in rows("starfish_option", family, "option").items()
            if name.split(".")[0] not in _FOR_C}


def describe(family: str) -> str:
    """The keywords of a family as text, for documentation: one line each."""
    lines = []
    choice(family, "family", dict.fromkeys(names("starfish_options_name")))
    for name, row in table(family).items():
        if row.kind == "pointer":
            continue
        choices = ", ".join(row.values)
        default = next((n for n, v in row.values.items() if v == row.default_value), f"{row.default_value:g}")
        lines.append(f"{name}: {row.text}{f' ({choices})' if choices else ''}; default {default}")
    return "\n".join(lines)


def element(value, name, row):
    """What is written into a member, or an element of it."""
    if row.values and (isinstance(value, str) or row.kind != "choice"):
        return choice(value, name, row.values)
    if row.kind == "switch":
        return truth(value, name)
    if row.kind == "real":
        return number(value, name)
    whole, bits = number(value, name), 8 * ctypes.sizeof(TYPES[row.kind])
    least, most = (0, 2 ** bits) if row.kind == "size" else (-2 ** (bits - 1), 2 ** (bits - 1))
    if whole % 1 != 0 or not least <= whole < most:
        raise argument_error(name, f"must be a whole number{' from 0' if row.kind == 'size' else ''}, is "
                                   f"{shown(value)}")
    return int(value)


def fill(family, keywords):
    """The family's option struct, as bytes, with these keywords set: names, numbers or truth values; and all values."""
    known = table(family)
    values = {name: row.default_value for name, row in known.items() if row.kind in TYPES}
    older = {row.synonym: name for name, row in known.items() if row.synonym}
    for given, value in keywords.items():
        name = older.get(given, given)
        if given in _KRYLOVS and family == "multigrid":
            name, value = "krylov", _KRYLOVS[given] if truth(value, given) else values["krylov"]
        if name not in values:
            raise argument_error(given, f"no option; there are {', '.join(values)}")
        values[name] = element(value, given, known[name])
    options = ctypes.create_string_buffer(next(iter(known.values())).struct_size)
    ctypes.c_size_t.from_buffer(options).value = len(options)
    for name, value in values.items():
        kind = TYPES[known[name].kind]
        kind.from_buffer(options, known[name].offset).value = value if kind is ctypes.c_double else int(value)
    return options, values
