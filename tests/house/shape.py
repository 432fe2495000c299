# SPDX-License-Identifier: LGPL-2.1-or-later
"""Fails where a function has too many parameters or lines, a line too many columns, or a file too many lines or no
license."""
import re

from functions import functions
from house import c_sources, files, is_source, read

PARAMETERS = 7
COLUMNS = 120
LINES = 600
BODY = 70


def parameters(root, allowed):
    for path in c_sources(root):
        for f in functions(read(root, path)):
            if f.parameters > PARAMETERS and not allowed.name("parameters", path, f.name):
                yield f"{path}:{f.line}: {f.name} has {f.parameters} parameters, {PARAMETERS} at most"


def bodies(root, allowed):
    for path in c_sources(root):
        for f in functions(read(root, path)):
            if f.body > BODY and not allowed.name("bodies", path, f.name):
                yield f"{path}:{f.line}: {f.name} has {f.body} lines, {BODY} at most"


def prose(text):
    """(line number, line) of a page, without tables and what is fenced as code."""
    fenced = False
    for number, line in enumerate(text.split("\n"), 1):
        if re.match(r"\s*(```|~~~)", line):
            fenced = not fenced
        elif not fenced and not line.lstrip().startswith("|"):
            yield number, line


def columns(root, allowed):
    for path in files(root):
        page = path.endswith(".md")
        if not page and not is_source(root, path):
            continue
        text = read(root, path)
        long = [number for number, line in (prose(text) if page else enumerate(text.split("\n"), 1))
                if len(line) > COLUMNS]
        if long and not allowed.number("columns", path, len(long)):
            yield f"{path}:{long[0]}: {len(long)} lines are longer than {COLUMNS} columns"


def lines(root, allowed):
    for path in files(root):
        if is_source(root, path):
            count = read(root, path).count("\n")
            if count > LINES and not allowed.number("lines", path, count):
                yield f"{path}:{LINES + 1}: {count} lines, {LINES} at most"


def license(root, allowed):
    """Scripts begin with #!, recipes that were not run with a line that says so."""
    for path in files(root):
        if is_source(root, path) and "SPDX-License-Identifier: LGPL-2.1-or-later" not in read(root, path)[:300]:
            yield f"{path}:1: no line SPDX-License-Identifier"
