# SPDX-License-Identifier: LGPL-2.1-or-later
"""Reads the public C headers: enums, structs, functions and the defaults of option structs.

Not a C parser: it knows what these headers consist of and stops at anything else, so that a declaration that the
bindings would miss is an error. What it reads is what make-bindings writes for Python, Fortran and the linker.
"""
import ctypes
import re
from dataclasses import dataclass, field

# C's types: a letter for Python's table, Python's and Fortran's.
TYPES = {"int": ("i", ctypes.c_int, "integer(c_int)"),
         "unsigned": ("I", ctypes.c_uint, "integer(c_int)"),
         "unsigned char": ("B", ctypes.c_ubyte, "integer(c_signed_char)"),
         "size_t": ("N", ctypes.c_size_t, "integer(c_size_t)"),
         "double": ("d", ctypes.c_double, "real(c_double)"),
         "float": ("f", ctypes.c_float, "real(c_float)"),
         "char": ("c", ctypes.c_char, "character(kind=c_char)"),
         "long long": ("q", ctypes.c_longlong, "integer(c_long_long)")}
FOREIGN = {"void", "CUstream_st", "MPI_Comm"}


@dataclass
class Type:
    """A declared thing: `pointers` of `pointers_const` (the innermost const or not), dimensions of an array."""
    base: str
    pointers: int = 0
    const: bool = False
    dimensions: tuple = ()


@dataclass
class Member:
    name: str
    type: Type


@dataclass
class Struct:
    name: str
    members: list
    header: str
    defaults: dict = field(default_factory=dict)


@dataclass
class Function:
    name: str
    result: Type
    parameters: list
    header: str


@dataclass
class Interface:
    enums: dict = field(default_factory=dict)  # name (or "" for the anonymous ones) -> {constant: value}
    constants: dict = field(default_factory=dict)
    structs: dict = field(default_factory=dict)
    handles: dict = field(default_factory=dict)  # opaque structs -> the header that declares them
    callbacks: dict = field(default_factory=dict)
    functions: dict = field(default_factory=dict)
    versions: dict = field(default_factory=dict)  # STARFISH_VERSION_MAJOR ...


class HeaderError(Exception):
    """A declaration that this reader does not know."""


def without_comments(text):
    return re.sub(r"/\*.*?\*/", " ", text, flags=re.DOTALL)


def statements(text):
    """Declarations at the outermost level, each as one line without its semicolon."""
    depth, current = 0, ""
    for character in text:
        depth += {"{": 1, "}": -1}.get(character, 0)
        if character == ";" and depth == 0:
            yield re.sub(r"\s+", " ", current).strip()
            current = ""
        else:
            current += character
    if current.strip():
        raise HeaderError(f"not understood at the end: {current.strip()[:80]}")


def split_outside(text, separator):
    """Split where no bracket is open."""
    depth, parts, current = 0, [], ""
    for character in text:
        depth += {"(": 1, "{": 1, "[": 1, ")": -1, "}": -1, "]": -1}.get(character, 0)
        if character == separator and depth == 0:
            parts.append(current)
            current = ""
        else:
            current += character
    return [part.strip() for part in [*parts, current] if part.strip()]


class Reader:
    """One Interface from all headers, which are given so that what one includes comes before it."""

    def __init__(self):
        self.interface = Interface()

    def number(self, expression):
        try:
            return int(eval(expression, {"__builtins__": {}}, self.interface.constants))  # pylint: disable=eval-used
        except (NameError, SyntaxError) as error:
            raise HeaderError(f"no constant: {expression}") from error

    def read_enum(self, name, body):
        values, following = {}, 0
        for entry in split_outside(body, ","):
            constant, _, expression = (part.strip() for part in entry.partition("="))
            following = self.number(expression) if expression else following
            values[constant] = self.interface.constants[constant] = following
            following += 1
        self.interface.enums.setdefault(name, {}).update(values)

    def read_type(self, text):
        """The type before a declarator, without its stars."""
        words = [word for word in text.split() if word != "struct"]
        const = "const" in words
        base = " ".join(word for word in words if word != "const")
        if base not in TYPES and base not in FOREIGN and not base.startswith("starfish_"):
            raise HeaderError(f"unknown type: {text}")
        return Type(base, 0, const)

    def read_declarators(self, text):
        """Members of `double a, *b, c[3]`, or one parameter."""
        found = re.match(r"((?:const |struct |unsigned |long )*\w+)\s*(.*)", text)
        base, members = self.read_type(found.group(1)), []
        for declarator in split_outside(found.group(2), ","):
            shape = re.fullmatch(r"((?:\*|\bconst\b| )*)(\w*)((?:\[[^\]]*\])*)", declarator)
            if not shape:
                raise HeaderError(f"unknown declarator: {text}")
            dimensions = tuple(self.number(n) for n in re.findall(r"\[([^\]]+)\]", shape.group(3)))
            members.append(Member(shape.group(2), Type(base.base, shape.group(1).count("*"), base.const, dimensions)))
        return members

    def read_struct(self, name, body, header):
        members = []
        for part in split_outside(body, ";"):
            nested = re.fullmatch(r"struct \{(.*)\} (\w+)((?:\[[^\]]*\])*)", part)
            if nested:
                inner = f"{name}_{nested.group(2)}"
                self.read_struct(inner, nested.group(1), header)
                dimensions = tuple(self.number(n) for n in re.findall(r"\[([^\]]*)\]", nested.group(3)))
                members.append(Member(nested.group(2), Type(inner, dimensions=dimensions)))
            else:
                members += self.read_declarators(part)
        self.interface.structs[name] = Struct(name, members, header)

    def read_parameters(self, text):
        parameters = []
        for part in split_outside(text, ","):
            if part == "void":
                continue
            parameters += self.read_declarators(part)
        return parameters

    def read_statement(self, text, header):
        interface = self.interface
        for pattern, action in (
                (r"typedef enum \w+ \{(.*)\} (\w+)", lambda f: self.read_enum(f[2], f[1])),
                (r"enum \{(.*)\}", lambda f: self.read_enum("", f[1])),
                (r"typedef struct (\w+) \{(.*)\} \w+", lambda f: self.read_struct(f[1], f[2], header)),
                (r"typedef struct (\w+) \w+", lambda f: interface.handles.setdefault(f[1], header)),
                (r"struct (\w+) \{(.*)\}", lambda f: self.read_struct(f[1], f[2], header)),
                (r"struct \w+", lambda f: None)):
            found = re.fullmatch(pattern, text)
            if found:
                action(found)
                return
        found = re.fullmatch(r"(typedef|STARFISH_API) ((?:const )?\w+ \**)\s*(\w+)\((.*)\)", text)
        if not found:
            raise HeaderError(f"{header}: not understood: {text[:100]}")
        parameters = self.read_parameters(found.group(4))
        result = self.read_type(found.group(2).replace("*", ""))
        result.pointers = found.group(2).count("*")
        kind = interface.callbacks if found.group(1) == "typedef" else interface.functions
        kind[found.group(3)] = Function(found.group(3), result, parameters, header)

    def read_defaults(self, macro, body):
        """`.member = value` of an initialiser, for the struct whose size it sets."""
        struct = re.search(r"sizeof\(struct (\w+)\)", body)
        if not struct:
            return
        inside = body.strip()[1:-1]
        self.interface.structs[struct.group(1)].defaults = dict(
            tuple(part.strip() for part in entry[1:].split("=", 1)) for entry in split_outside(inside, ","))

    def read(self, text, header):
        text = without_comments(text)
        joined = re.sub(r"\\\n", " ", text)
        macros = re.findall(r"^#define (\w+) +(.*)$", joined, flags=re.MULTILINE)
        body = re.sub(r"^#.*$", "", joined, flags=re.MULTILINE)
        body = body.replace('extern "C" {', "")
        body = re.sub(r"\}\s*$", "", body) if "__cplusplus" in text else body
        for statement in statements(body):
            self.read_statement(statement, header)
        for macro, value in macros:
            if macro.startswith("STARFISH_VERSION_"):
                self.interface.versions[macro] = int(value)
            elif value.lstrip().startswith("{"):
                self.read_defaults(macro, value)


ORDER = ("export", "status", "types", "options", "context", "solve", "field", "tridiag", "poisson", "problems",
         "multigrid", "diffusion", "atmosphere", "memory", "fem", "fishpack", "starfish", "mpi")


def check_types(interface):
    """Every type that is used is declared: a struct may be used before, so this comes last."""
    declared = {*TYPES, *FOREIGN, "starfish_blktri_state", *interface.enums, *interface.structs,
                *interface.handles, *interface.callbacks}
    used = [member for struct in interface.structs.values() for member in struct.members]
    used += [parameter for function in interface.functions.values() for parameter in function.parameters]
    for member in used:
        if member.type.base not in declared:
            raise HeaderError(f"unknown type: {member.type.base} {member.name}")


def read_headers(folder):
    """The interface that include/starfish declares; every header there must be known here."""
    missing = {path.stem for path in folder.glob("*.h")} ^ set(ORDER)
    if missing:
        raise HeaderError(f"ORDER and {folder} differ by {sorted(missing)}")
    reader = Reader()
    for name in ORDER:
        reader.read((folder / f"{name}.h").read_text(encoding="utf-8"), name)
    check_types(reader.interface)
    return reader.interface
