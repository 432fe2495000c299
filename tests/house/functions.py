# SPDX-License-Identifier: LGPL-2.1-or-later
"""Finds the functions that a C or CUDA file defines and declares, without a compiler.

Comments, strings and preprocessor lines are taken away first. What is then outside of all function bodies is cut at
; { and }, and a piece with a list in parentheses is a function: its name is before the list. C++'s namespaces and
structs, and extern "C", are looked into. Functions that a macro writes are not seen."""
import re
from collections import namedtuple

from house import line_of, without_comments_and_strings

# pasted: the name stands inside a macro such as REAL_NAME(f), which adds the precision to it. body: lines between the
# braces, 0 where it is declared alone.
Function = namedtuple("Function", "name parameters line defined static pasted linked_as_c body")

DIRECTIVE = re.compile(r"^[ \t]*#(?:\\\n|[^\n])*", re.MULTILINE)
MARK = re.compile(r"[{};()]")
TEMPLATE = re.compile(r"\btemplate\s*<(?:[^<>]|<(?:[^<>]|<[^<>]*>)*>)*>")
SCOPE = re.compile(r"\b(namespace|struct|class|union)\b|\bextern\s*\"\"\s*$")
NAME_AT_END = re.compile(r"(~?\w+)\s*$")
# A list in parentheses after one of these is no parameter list.
ATTRIBUTES = {"__attribute__", "__launch_bounds__", "__align__", "alignas", "noexcept", "decltype", "_Alignas"}
NO_FUNCTIONS = {"if", "for", "while", "switch", "return", "sizeof", "_Static_assert", "static_assert", "defined"}


def structure(text):
    """The text in which functions are looked for, with as many lines."""
    blank = without_comments_and_strings(text)
    return DIRECTIVE.sub(lambda match: "\n" * match.group().count("\n"), blank)


def lists_of(head):
    """(first, last) positions of the lists in parentheses that stand in no other."""
    depth, first = 0, 0
    for i, c in enumerate(head):
        if c == "(":
            if depth == 0:
                first = i
            depth += 1
        elif c == ")":
            depth -= 1
            if depth == 0:
                yield first, i


def parameters_in(text):
    """How many parameters a list holds; commas inside of brackets, templates' included, part none."""
    if text.strip() in ("", "void"):
        return 0
    depth, count = 0, 1
    for c in text:
        if c in "([{<":
            depth += 1
        elif c in ")]}>":
            depth -= 1
        elif c == "," and depth == 0:
            count += 1
    return count


def signature(head):
    """(name, its position, parameters, pasted) of the function that a piece of text declares, or None."""
    # As many characters, so that positions stay what they are.
    head = TEMPLATE.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), head)
    found = None
    before = None
    for first, last in lists_of(head):
        name = NAME_AT_END.search(head, 0, first)
        if name and name.group(1) in ATTRIBUTES:
            continue
        if name:
            found = (name.group(1), name.start(1), parameters_in(head[first + 1:last]), False)
        elif before and head[:first].rstrip().endswith(")"):
            inside = head[before[0] + 1:before[1]].strip()
            if not re.fullmatch(r"\w+", inside) or not NAME_AT_END.search(head, 0, before[0]):
                return None  # a pointer to a function
            found = (inside, before[0], parameters_in(head[first + 1:last]), True)
        else:
            return None
        before = (first, last)
        if re.match(r"\s*(const\s*)?:(?!:)", head[last + 1:]):
            break  # what a constructor initialises
    if not found or found[0] in NO_FUNCTIONS or (re.fullmatch(r"[A-Z0-9_]+", found[0]) and not found[3]):
        return None
    return None if "=" in head[:found[1]] else found  # not a variable with its value


def functions(text):
    """Every function that a file defines or declares outside of function bodies."""
    text = structure(text)
    start = parentheses = closed = 0
    scopes = []  # whether each one that is open gives functions the linkage of C
    for mark in MARK.finditer(text):
        c = mark.group()
        if closed:
            closed += (c == "{") - (c == "}")
            if not closed and function:
                yield function._replace(body=text.count("\n", start_of_body, mark.start()) - 1)
            start = mark.end()
            continue
        if c in "()":
            parentheses += 1 if c == "(" else -1
            continue
        if parentheses > 0:
            continue
        head = text[start:mark.start()]
        begin, start = start, mark.end()
        if c == "}":
            del scopes[-1:]
            continue
        found = signature(head)
        if found and c == ";" and not re.match(r"\s*(?!typedef\b)[^\s(]+[\s*]", head):
            found = None  # a type, or a macro's use: nothing stands before the name
        if found:
            name, position, parameters, pasted = found
            as_c = 'extern ""' in head or any(scopes)
            found = Function(name, parameters, line_of(text, begin + position), c == "{",
                             bool(re.search(r"\bstatic\b", head[:position])), pasted, as_c, 0)
            if c == ";":
                yield found
        if c == "{":
            if not found and "=" not in TEMPLATE.sub("", head) and SCOPE.search(head):
                scopes.append(bool(re.search(r"\bextern\s*\"\"\s*$", head)))
            else:
                closed, function, start_of_body = 1, found, mark.end()
