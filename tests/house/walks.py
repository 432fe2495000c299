# SPDX-License-Identifier: LGPL-2.1-or-later
"""Fails where a walk of a right-hand side, as docs/developers-solvers.md tells it, is not what the sources do, or is
longer than it may be.

A file calls the next one where it names one of its functions, where it calls a member that somewhere is set to one, or
where it hands a task to StarPU and the next one has a codelet."""
import re

from functions import functions
from house import c_sources, read, without_comments_and_strings

PAGE = "docs/developers-solvers.md"
ROW = re.compile(r"^\| ([^|]+) \| at most (\d+) \| ([^|]+) \|$", re.MULTILINE)
CALLS = re.compile(r"^The calls of (.+?), at most (\d+):\n\n((?:.+\n)+)", re.MULTILINE)
SET = re.compile(r"\.(\w+)\s*=\s*(\{[^{}]*\}|\w+)")
MEMBER = re.compile(r"(?:->|\.)(\w+)(?:\[[^\]]*\])*\s*\(")
SUFFIX = re.compile(r"_(?:cpu|cuda)$")
BEFORE = ["apps/main.c", "apps/solve/solve.c"]  # of every walk


class Sources:
    def __init__(self, root):
        self.text = {path: without_comments_and_strings(read(root, path)) for path in c_sources(root)
                     if not path.startswith(("tests/", "bench/"))}
        self.found = {}
        self.setters = {}  # member: {(path, function)}
        for path, text in self.text.items():
            for member, value in SET.findall(text):
                self.setters.setdefault(member, set()).update((path, name) for name in re.findall(r"\w+", value))

    def functions(self, path):
        """Names of the functions that a file defines: {name: static}."""
        if path not in self.found:
            defined = [f for f in functions(self.text[path]) if f.defined]
            self.found[path] = {}
            for f in defined:
                names = [f.name, SUFFIX.sub("", f.name)] + [f"{f.name}_{p}" for p in ("f32", "f64") if f.pasted]
                self.found[path].update(dict.fromkeys(names, f.static))
        return self.found[path]

    def body(self, path, name):
        match = re.search(rf"^[^\s#].*\b{name}\([^;]*?\n\{{\n.*?^\}}", self.text[path], re.MULTILINE | re.DOTALL)
        return match.group() if match else None

    def reaches(self, text, path, wanted=None):
        """Whether `text` calls a function of the file, that one where it is wanted."""
        own = {name: static for name, static in self.functions(path).items() if wanted in (None, name)}
        names = set(re.findall(r"\w+", text))
        if any(name in names and (not static or wanted) for name, static in own.items()):
            return True
        for member in MEMBER.findall(text):
            for setter, name in self.setters.get(member, ()):
                if name in own and (setter == path or not own[name]):
                    return True
        return "starpu_task_submit" in names and re.search(r"\bSTARFISH_\w*CODELET\(", self.text[path]) is not None


def walk_violations(sources, kind, most, files):
    for path in files:
        if path not in sources.text:
            yield f"{PAGE}: the walk of {kind} names {path}, which is not there"
            return
    count = len({*BEFORE, *files})
    if count > most:
        yield f"{PAGE}: the walk of {kind} passes {count} files, but at most {most} are allowed"
    for path, following in zip(files, files[1:]):
        if not sources.reaches(sources.text[path], following):
            yield f"{PAGE}: the walk of {kind}: {path} does not call {following}"


def calls_violations(sources, kind, most, files, names):
    if len(names) > most:
        yield f"{PAGE}: the walk of {kind} has {len(names)} calls, but at most {most} are allowed"
    at, text = 0, None
    for name in names:
        if name == "starpu_task_submit":
            here = name if text and name in text else None
        else:
            here = None
            for i in range(at, len(files)):
                body = sources.body(files[i], name)
                if body and (text is None or sources.reaches(text, files[i], name)):
                    at, here = i, body
                    break
        if here is None:
            yield f"{PAGE}: the calls of {kind}: nothing calls {name}"
            return
        text = here


def violations(root, _allowed):
    try:
        page = read(root, PAGE)
    except OSError:
        return
    sources = Sources(root)
    walks = {kind: (int(most), re.findall(r"`([^`]+)`", files)) for kind, most, files in ROW.findall(page)}
    broken = [text for kind, (most, files) in walks.items() for text in walk_violations(sources, kind, most, files)]
    yield from broken
    for kind, most, calls in CALLS.findall(page) if not broken else ():
        yield from calls_violations(sources, kind, int(most), walks[kind][1], re.findall(r"`([^`]+)`", calls))
