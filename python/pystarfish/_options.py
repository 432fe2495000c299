"""Options as keywords, from the tables by which the library itself checks them (starfish/options.h)."""
import ctypes
from functools import lru_cache
from itertools import count
from types import SimpleNamespace

from ._checks import argument_error, choice, number, shown, truth
from ._library import C, call, declared, define, library, make

_KINDS = {C[f"STARFISH_OPTION_{name.upper()}"]: name for name in ("int", "size", "real", "choice", "switch", "text",
                                                                  "pointer")}
_TYPES = {"int": ctypes.c_int, "choice": ctypes.c_int, "switch": ctypes.c_int, "size": ctypes.c_size_t,
          "real": ctypes.c_double}


# Arrays of Python are packed; what says otherwise is for C alone.
_FOR_C = ("rhs_layout", "solution_layout", "ghosts")
# Switches of before `krylov`, and which it is with them.
_KRYLOVS = {"conjugate_gradients": "cg", "bicgstab": "bicgstab"}


def names_of(description):
    """The names of a choice's values: name -> value."""
    array = ctypes.cast(description.values, ctypes.POINTER(ctypes.c_char_p))
    names = [array[v] for v in range(description.value_count)] if description.values else []
    return {name.decode(): v for v, name in enumerate(names) if name}


@lru_cache(maxsize=None)
def table(family):
    """The options of a family ("poisson", "tridiag", ...): name -> kind, offset, text, values, default, range."""
    rows, index, description = {}, 0, make("starfish_option_description")
    while library().starfish_option(family.encode(), index, ctypes.byref(description)) == C["STARFISH_SUCCESS"]:
        index += 1
        name = description.name.decode()
        if name.split(".")[0] not in _FOR_C:
            rows[name] = SimpleNamespace(
                kind=_KINDS[description.type], offset=description.offset, text=description.text.decode(),
                values=names_of(description), default=description.default_value,
                least=description.least, most=description.most,
                synonym=description.synonym.decode() if description.synonym else None)
    return rows


def describe(family: str) -> str:
    """The keywords of a family as text, for documentation: one line each."""
    lines, families = [], iter(map(library().starfish_options_name, count()).__next__, None)
    choice(family, "family", {name.decode(): name for name in families})
    for name, row in table(family).items():
        if row.kind == "pointer":
            continue
        choices = ", ".join(row.values)
        default = next((n for n, v in row.values.items() if v == row.default), f"{row.default:g}")
        lines.append(f"{name}: {row.text}{f' ({choices})' if choices else ''}; default {default}")
    return "\n".join(lines)


def _value(name, row, value):
    """What is written into the member."""
    if row.kind == "choice" and isinstance(value, str):
        return choice(value, name, row.values)
    if row.kind == "switch":
        return truth(value, name)
    if row.kind == "real":
        return number(value, name)
    whole, bits = number(value, name), 8 * ctypes.sizeof(_TYPES[row.kind])
    least, most = (0, 2 ** bits) if row.kind == "size" else (-2 ** (bits - 1), 2 ** (bits - 1))
    if whole % 1 != 0 or not least <= whole < most:
        raise argument_error(name, f"must be a whole number{' from 0' if row.kind == 'size' else ''}, is "
                                   f"{shown(value)}")
    return int(value)


def _struct(family):
    """The option struct, also of a family that the headers do not have: its size, and bytes."""
    name, description = f"starfish_{family}_options", make("starfish_option_description")
    if not declared(name):
        call("starfish_option", family.encode(), 0, ctypes.byref(description))
        rest = description.struct_size - ctypes.sizeof(ctypes.c_size_t)
        define(name, [("size", ctypes.c_size_t), ("rest", ctypes.c_ubyte * rest)])
    return make(name)


def fill(family, keywords):
    """The family's option struct with these keywords set: names, numbers or truth values."""
    options, rows = _struct(family), table(family)
    values = {name: row.default for name, row in rows.items() if row.kind in _TYPES}
    older = {row.synonym: name for name, row in rows.items() if row.synonym}
    for given, value in keywords.items():
        name = older.get(given, given)
        if given in _KRYLOVS and family == "multigrid":
            name, value = "krylov", _KRYLOVS[given] if truth(value, given) else values["krylov"]
        if name not in values:
            raise argument_error(given, f"no option; there are {', '.join(values)}")
        values[name] = _value(given, rows[name], value)
    for name, value in values.items():
        kind = _TYPES[rows[name].kind]
        kind.from_buffer(options, rows[name].offset).value = value if kind is ctypes.c_double else int(value)
    return options
