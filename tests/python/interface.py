# SPDX-License-Identifier: LGPL-2.1-or-later
"""Every public name has a docstring, every public function and method type hints for all of its parameters and its
result, and what the page on Python lists is there."""
import inspect
import pathlib
import re
import typing

import pystarfish as sf

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
missing = []


def check_function(name, function):
    if not inspect.getdoc(function):
        missing.append(f"{name}: no docstring")
    hints = typing.get_type_hints(function)
    for parameter in inspect.signature(function).parameters.values():
        if parameter.name not in ("self", "cls") and parameter.name not in hints:
            missing.append(f"{name}: no type of {parameter.name}")
    if "return" not in hints and not name.endswith("__init__"):
        missing.append(f"{name}: no type of its result")


def check_class(name, kind):
    if not kind.__doc__:
        missing.append(f"{name}: no docstring")
    for member, value in vars(kind).items():
        if isinstance(value, (classmethod, staticmethod)):
            value = value.__func__
        if isinstance(value, property):
            value = value.fget
        if inspect.isfunction(value) and (member == "__init__" or not member.startswith("_")):
            if member == "__init__":
                value.__doc__ = value.__doc__ or kind.__doc__
            check_function(f"{name}.{member}", value)


for name in sf.__all__:
    thing = getattr(sf, name)
    if inspect.ismodule(thing):
        for member in thing.__all__:
            check_function(f"{name}.{member}", getattr(thing, member))
    elif inspect.isclass(thing):
        for base in thing.__mro__:
            if base.__module__.startswith("pystarfish"):
                check_class(f"{name} ({base.__name__})", base)
    else:
        check_function(name, thing)
page = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
for name in set(re.findall(r"\bsf\.(\w+)", page)):
    if name not in sf.__all__:
        missing.append(f"docs/python.md: there is no sf.{name}")
assert not missing, "\n" + "\n".join(sorted(set(missing)))
print(f"{len(sf.__all__)} names")
