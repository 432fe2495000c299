# SPDX-License-Identifier: LGPL-2.1-or-later
"""The Python package's table of the C interface (pystarfish/_abi.py): names and types alone, as ctypes has them."""
from . import headers


def code(interface, kind):
    """A type as one word: P a pointer, S a text, a letter as in headers.TYPES, or the name of a struct."""
    if kind.pointers == 1 and kind.base == "char":
        return "S"
    if kind.pointers or kind.base in interface.callbacks:
        return "P"
    if kind.base in interface.enums or kind.base == "starfish_status":
        return "i"
    return headers.TYPES.get(kind.base, (kind.base,))[0]


def member_code(interface, member):
    return code(interface, member.type) + "".join(f"[{n}]" for n in member.type.dimensions)


def parameter_code(interface, parameter):
    return "P" if parameter.type.dimensions else code(interface, parameter.type)


def wrap(words, indent):
    """Words to lines of at most 116 columns."""
    lines, line = [], indent
    for word in words:
        if len(line) + len(word) + 1 > 116:
            lines.append(line.rstrip())
            line = indent
        line += word + " "
    return [*lines, line.rstrip()]


def write(interface):
    lines = ["# SPDX-License-Identifier: LGPL-2.1-or-later",
             '"""The C interface, for ctypes. Written by ../make-bindings from the headers, not by hand."""',
             "", f"VERSION = ({', '.join(str(n) for n in interface.versions.values())})", "", "ENUMS = {"]
    for name, values in interface.enums.items():
        lines.append(f'    "{name}": """')
        lines += wrap([f"{constant}={value}" for constant, value in values.items()], "        ")
        lines[-1] += '""",'
    lines += ["}", "", "# member:type, P for pointers, S for texts, struct names, [n] for arrays", "STRUCTS = {"]
    for struct in interface.structs.values():
        lines.append(f'    "{struct.name}": """')
        lines += wrap([f"{m.name}:{member_code(interface, m)}" for m in struct.members], "        ")
        lines[-1] += '""",'
    lines += ["}", "", "# result and parameters", "FUNCTIONS = {"]
    for function in interface.functions.values():
        if any(p.type.base == "MPI_Comm" for p in function.parameters):
            continue
        result = "v" if function.result == headers.Type("void") else code(interface, function.result)
        result = "s" if function.result.base == "starfish_status" else result
        parameters = " ".join(parameter_code(interface, p) for p in function.parameters)
        lines.append(f'    "{function.name}": "{result} {parameters}",'.replace(' "', ' "').replace(' ",', '",'))
    return "\n".join([*lines, "}", ""])
