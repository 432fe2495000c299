"""Options as keywords, from the tables by which the library itself checks them (starfish/options.h)."""
import ctypes
from functools import lru_cache
from types import SimpleNamespace

from ._library import ArgumentError, C, library, make

_KINDS = {C[f"STARFISH_OPTION_{name.upper()}"]: name for name in ("int", "size", "real", "choice", "switch", "text",
                                                                  "pointer")}
_TYPES = {"int": ctypes.c_int, "choice": ctypes.c_int, "switch": ctypes.c_int, "size": ctypes.c_size_t,
          "real": ctypes.c_double}


def _values(description):
    array = ctypes.cast(description.values, ctypes.POINTER(ctypes.c_char_p))
    names = [array[v] for v in range(description.value_count)] if description.values else []
    return {name.decode(): v for v, name in enumerate(names) if name}


@lru_cache(maxsize=None)
def table(family):
    """The options of a family ("poisson", "tridiag", ...): name -> kind, offset, text, values, default, range."""
    function, rows, index = getattr(library(), f"starfish_{family}_option"), {}, 0
    description = make("starfish_option_description")
    while function(index, ctypes.byref(description)) == C["STARFISH_SUCCESS"]:
        rows[description.name.decode()] = SimpleNamespace(
            kind=_KINDS[description.type], offset=description.offset, text=description.text.decode(),
            values=_values(description), default=description.default_value,
            least=description.least, most=description.most)
        index += 1
    return rows


def describe(family: str) -> str:
    """The keywords of a family as text, for documentation: one line each."""
    lines = []
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
        if value not in row.values:
            raise ArgumentError(f"{name}: {value!r} is not one of {', '.join(row.values)}", name)
        return row.values[value]
    if row.kind == "switch":
        return int(bool(value))
    if row.kind == "real":
        return float(value)
    if int(value) != value or (row.kind == "size" and value < 0):
        raise ArgumentError(f"{name}: must be a whole number{' from 0' if row.kind == 'size' else ''}, is {value!r}",
                            name)
    return int(value)


def fill(family, keywords):
    """The family's option struct with these keywords set: names, numbers or truth values; a dict for what has members
    of its own (rhs_layout={"row": 70})."""
    options, rows = make(f"starfish_{family}_options"), table(family)
    flat = {}
    for name, value in keywords.items():
        inner = {f"{name}.{key}": v for key, v in value.items()} if isinstance(value, dict) else {name: value}
        flat.update(inner)
    values = {name: row.default for name, row in rows.items() if row.kind in _TYPES}
    for name, value in flat.items():
        if name not in rows or rows[name].kind not in _TYPES:
            known = ", ".join(n for n, row in rows.items() if row.kind in _TYPES)
            raise ArgumentError(f"{name}: no option; there are {known}", name)
        try:
            values[name] = _value(name, rows[name], value)
        except (TypeError, ValueError) as error:
            if isinstance(error, ArgumentError):
                raise
            raise ArgumentError(f"{name}: must be a {rows[name].kind}, is {value!r}", name) from error
    for name, value in values.items():
        kind = _TYPES[rows[name].kind]
        kind.from_buffer(options, rows[name].offset).value = value if kind is ctypes.c_double else int(value)
    return options
