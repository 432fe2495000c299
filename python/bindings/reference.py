# SPDX-License-Identifier: LGPL-2.1-or-later
"""The reference's index: every header, what its first sentence says, and its functions, as links to the lines."""
import re


def first_sentence(text):
    found = re.search(r"/\*(?! SPDX)(.*?)\*/", text, re.DOTALL)
    comment = " ".join(line.strip(" *") for line in found.group(1).splitlines())
    return re.split(r"(?<=[.:])\s", comment.strip() + " ")[0].rstrip(":.")


def line_of(text, name):
    found = re.search(rf"\b{name}\(", text)
    return text.count("\n", 0, found.start()) + 1


def write(interface, folder):
    lines = ["# Reference", "",
             "The functions of each header. The comment of each declaration gives shapes, units, ownership, errors,",
             "thread-safety and sources. Python's names are in [python.md](python.md), Fortran's equal C's",
             "([fortran.md](fortran.md)). This page is written by `python/make-bindings` from the headers.", ""]
    headers = {}
    for function in interface.functions.values():
        headers.setdefault(function.header, []).append(function.name)
    for header, names in headers.items():
        path = f"../include/starfish/{header}.h"
        text = (folder / f"{header}.h").read_text(encoding="utf-8")
        lines += [f"## [starfish/{header}.h]({path})", "", f"{first_sentence(text)}.", ""]
        lines += [f"- [{name}]({path}#L{line_of(text, name)})" for name in names]
        lines.append("")
    return "\n".join(lines[:-1]) + "\n"
