# SPDX-License-Identifier: LGPL-2.1-or-later
"""Fortran's declarations (include/starfish/fortran/*.inc): constants, types and interfaces by ISO_C_BINDING.

A handle is a type of its own that holds the pointer, and is passed by value as the pointer would be. Arrays of any
kind and rank are passed as they are. What may be NULL in C is optional. Members have the defaults of C's initialisers,
all others are zero.
"""
import ctypes

from . import headers

ENUM = headers.TYPES["int"]
# What is not const and still an array: others are one number.
ARRAYS = {("starfish_q1_unknowns", "n"), ("starfish_q1_refine", "width_x"), ("starfish_q1_refine", "width_y"),
          ("starfish_q1_load", "load"), ("starfish_poisson_field_spread", "shares"), ("starfish_blktri", "y"),
          ("starfish_cblktri", "y")}
# Arrays that are written after the call has returned.
LATER = {("starfish_poisson_tell_pertrb", "pertrb"), ("starfish_poisson_tell_phases", "phases")}


class Writer:
    """The text for all headers of an interface."""

    def __init__(self, interface):
        self.interface = interface
        self.sizes = {}

    # ---- types

    def type_name(self, struct):
        """Functions and types share one name space."""
        return f"{struct}_t" if struct in self.interface.functions else struct

    def ctype(self, kind):
        if kind.pointers or kind.base in self.interface.callbacks:
            base = ctypes.c_void_p
        elif kind.base in self.interface.structs:
            base = self.layout(kind.base)
        else:
            base = headers.TYPES.get(kind.base, ENUM)[1]
        for n in reversed(kind.dimensions):
            base = base * n
        return base

    def layout(self, name):
        """The struct as C lays it out, for its size."""
        if name not in self.sizes:
            members = [(m.name, self.ctype(m.type)) for m in self.interface.structs[name].members]
            self.sizes[name] = type(name, (ctypes.Structure,), {"_fields_": members})
        return self.sizes[name]

    def scalar(self, base):
        return headers.TYPES.get(base, ENUM)[2]

    def default(self, member, text, size):
        kind = member.type
        if kind.pointers or kind.base in self.interface.callbacks:
            is_function = kind.base in self.interface.callbacks
            return "c_null_funptr" if is_function else "c_null_ptr"
        if text and text.startswith("sizeof"):
            return f"{size}_c_size_t"
        if kind.base == "char":
            return "c_null_char"
        number = text if text and not text.startswith("{") else "0"
        if kind.base in ("double", "float"):
            digits = number if any(c in number for c in ".e") else f"{number}.0"
            return digits.replace("e", "d") if "e" in digits else f"{digits}d0"
        return number if not number.lstrip("-").isdigit() or kind.base != "size_t" else f"{number}_c_size_t"

    def member(self, struct, member):
        kind, base = member.type, None
        shape = f"({', '.join(str(n) for n in reversed(kind.dimensions))})" if kind.dimensions else ""
        if kind.base in self.interface.callbacks:
            base = "type(c_funptr)"
        elif kind.pointers:
            base = "type(c_ptr)"
        elif kind.base in self.interface.structs:
            return f"        type({self.type_name(kind.base)}) :: {member.name}{shape}"
        else:
            base = self.scalar(kind.base)
        size = ctypes.sizeof(self.layout(struct.name))
        value = self.default(member, struct.defaults.get(member.name), size)
        return f"        {base} :: {member.name}{shape} = {value}"

    def structure(self, struct):
        yield f"    type, bind(c) :: {self.type_name(struct.name)}"
        for member in struct.members:
            yield self.member(struct, member)
        yield "    end type"

    # ---- functions

    def pointer(self, function, parameter):
        """A parameter that is a pointer, not to a handle."""
        kind, intent = parameter.type, "intent(in)" if parameter.type.const else "intent(inout)"
        if kind.base in self.interface.callbacks:
            return "type(c_funptr), value", ""
        if kind.pointers == 2:
            return "type(c_ptr), intent(out)", ""
        if kind.base == "CUstream_st" or parameter.name == "data" or (function.name, parameter.name) in LATER:
            return "type(c_ptr), value", ""
        if kind.base == "void":
            return f"type(*), {'intent(in), ' if kind.const else ''}optional, asynchronous", "(*)"
        if kind.base == "char":
            return "character(kind=c_char), intent(in)", "(*)"
        array = (function.name, parameter.name) in ARRAYS
        if kind.base in self.interface.structs:
            return f"type({self.type_name(kind.base)}), {intent}, optional", "(*)" if array else ""
        return f"{self.scalar(kind.base)}, {intent}, optional", "(*)" if array or kind.const else ""

    def parameter(self, function, parameter):
        kind = parameter.type
        if kind.base in self.interface.handles:
            declared = "intent(out)" if kind.pointers == 2 else "value"
            declared, shape = f"type({kind.base}), {declared}", ""
        elif kind.dimensions:
            intent = "in" if kind.const else "out"
            declared, shape = f"{self.scalar(kind.base)}, intent({intent})", f"({kind.dimensions[0]})"
        elif kind.pointers:
            declared, shape = self.pointer(function, parameter)
        else:
            declared, shape = f"{self.scalar(kind.base)}, value", ""
        return f"            {declared} :: {parameter.name}{shape}"

    def function(self, function):
        names = ", ".join(p.name for p in function.parameters)
        kind = "subroutine" if function.result == headers.Type("void") else "function"
        head = f"        {kind} {function.name}({names})"
        tail = f' bind(c, name="{function.name}")'
        if kind == "function":
            tail += " result(returned)"
        yield from [head + tail] if len(head + tail) <= 116 else [head + " &", "                " + tail.strip()]
        yield "            import"
        for parameter in function.parameters:
            yield self.parameter(function, parameter)
        if kind == "function":
            result = "type(c_ptr)" if function.result.pointers else self.scalar(function.result.base)
            yield f"            {result} :: returned"
        yield f"        end {kind}"

    # ---- all of a header

    def constants(self, names):
        for enum, values in self.interface.enums.items():
            if enum in names:
                for constant, value in values.items():
                    yield f"    integer(c_int), parameter :: {constant} = {value}"

    def header(self, name):
        interface = self.interface
        yield f"    ! Written by python/make-bindings from starfish/{name}.h, whose comments say what is meant."
        functions = [f for f in interface.functions.values()
                     if f.header == name and all(p.type.base != "MPI_Comm" for p in f.parameters)]
        for handle in (h for h, home in interface.handles.items() if home == name):
            yield from (f"    type, bind(c) :: {handle}", "        type(c_ptr) :: pointer = c_null_ptr", "    end type")
        for struct in (s for s in interface.structs.values() if s.header == name):
            yield from self.structure(struct)
        if functions:
            yield "    interface"
            for function in functions:
                yield from self.function(function)
            yield "    end interface"


def check_names(interface):
    """Fortran does not tell capitals from small letters."""
    names = [c for values in interface.enums.values() for c in values]
    names += [*interface.functions, *interface.handles]
    lowered = [name.lower() for name in names]
    twice = {name for name in lowered if lowered.count(name) > 1}
    if twice:
        raise headers.HeaderError(f"names that differ in capitals alone: {sorted(twice)}")


def write(interface):
    check_names(interface)
    writer = Writer(interface)
    names = list(dict.fromkeys([*[f.header for f in interface.functions.values()], "types"]))
    texts = {name: "\n".join([*writer.header(name), ""]) for name in names if name != "types"}
    texts["constants"] = "\n".join(["    ! Written by python/make-bindings from the headers.",
                                    *writer.constants(set(interface.enums)), ""])
    return texts
