# SPDX-License-Identifier: LGPL-2.1-or-later
"""Fails where units of one folder include each other in a circle.

A unit is a header with the sources of the same name: NAME.h, NAME.c, NAME.cuh and NAME.cu. It depends on the units
whose headers any of these files includes. Units that form a circle can only be read, tested and changed together."""
import os
import re

from house import C_SOURCE, c_sources, read
from includes import house_path, includes_of

EXTENSION = C_SOURCE.pattern


def unit_of(path):
    return re.sub(EXTENSION, "", path)


def dependencies(root):
    """{unit: {unit of the same folder that it includes: "file:line" of the first #include}}"""
    found = {}
    for path in c_sources(root):
        own = found.setdefault(unit_of(path), {})
        for line, included, quoted in includes_of(read(root, path)):
            target = house_path(path, included, quoted, lambda p: os.path.exists(os.path.join(root, p)))
            if target and os.path.dirname(target) == os.path.dirname(path) and unit_of(target) != unit_of(path):
                own.setdefault(unit_of(target), f"{path}:{line}")
    return found


def circle(found, start):
    """The shortest path of dependencies that leads from a unit back to it; or None."""
    paths = [[start]]
    seen = set()
    for path in paths:
        for unit in found.get(path[-1], ()):
            if unit == start:
                return path
            if unit not in seen:
                seen.add(unit)
                paths.append([*path, unit])
    return None


def violations(root):
    found = dependencies(root)
    told = set()
    for unit in found:
        path = circle(found, unit)
        if path and unit not in told:
            told.update(path)
            names = [os.path.basename(name) for name in (*path, unit)]
            yield f"{found[unit][path[1 % len(path)]]}: is in a circle of includes: {' > '.join(names)}"
