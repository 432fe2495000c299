# SPDX-License-Identifier: LGPL-2.1-or-later
"""Fails where a code folder has no README.md, or one without a heading or with the name of a file that does not exist;
and where the first comment of a source is too short to say what the file is."""
import os
import re

from house import C_SOURCE, files, read

CODE = re.compile(r"\.(c|h|cu|cuh|py)$")
TOGETHER = ("tests", "apps/examples")  # one README for all folders below
WORDS = 12

# What a page names: the target of a link, or a source or page in backquotes. Patterns such as `*_cpu.c` are no names.
NAMED = re.compile(r"\]\((?!\w+:)([^)#\s]+)|`([\w./-]+\.(?:c|h|cu|cuh|py|md))`")
COMMENT = re.compile(r"\s*(?:/\*(.*?)\*/|//([^\n]*)\n)", re.DOTALL)
DOCSTRING = re.compile(r'(?:#[^\n]*\n|\s)*r?"""(.*?)"""', re.DOTALL)


def page_of(path):
    folder = os.path.dirname(path)
    above = next((f for f in TOGETHER if f"{folder}/".startswith(f"{f}/")), folder)
    return os.path.join(above, "README.md")


def readmes(root, _allowed):
    def exists(*path):
        return os.path.exists(os.path.join(root, *path))

    for page in sorted({page_of(path) for path in files(root) if CODE.search(path)}):
        if not exists(page):
            yield f"{page}:1: is missing, although the folder holds code"
            continue
        text = read(root, page)
        if not text.startswith("# "):
            yield f"{page}:1: does not begin with a heading"
        for number, line in enumerate(text.split("\n"), 1):
            for link, name in NAMED.findall(line):
                if not exists(os.path.dirname(page), link or name) and not (name and exists(name)):
                    yield f"{page}:{number}: names {link or name}, which does not exist"


def first_comment(path, text):
    """What stands at the beginning of a file, behind the line of its license."""
    if not C_SOURCE.search(path):
        found = DOCSTRING.match(text)
        return found.group(1) if found else ""
    for found in iter(lambda: COMMENT.match(text), None):
        if "SPDX" not in found.group():
            return found.group()
        text = text[found.end():]
    return ""


def first(root, _allowed):
    for path in files(root):
        if CODE.search(path):
            words = sum(any(map(str.isalpha, word)) for word in first_comment(path, read(root, path)).split())
            if words < WORDS:
                yield f"{path}:1: the first comment has {words} words, at least {WORDS}"
