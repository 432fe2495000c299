#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Figures of pages are those of the rows that they name (docs/developers-tests.md, Figures of pages).

    rows.py SOURCE_FOLDER"""
import csv
import fnmatch
import glob
import json
import os
import re
import sys
import tempfile
import unittest

SOURCE = sys.argv[1]
PAGES = ["README.md", "bench/RESULTS.md",
         *sorted(os.path.relpath(page, SOURCE) for folder in ("bench/results", "docs")
                 for page in glob.glob(f"{SOURCE}/{folder}/*.md"))]

COMMENT = re.compile(r'<!-- row (\S+) "([^"]+)"(?: / "([^"]+)")? (\S+)(?: \* (\S+))? -->')
MEASURED = re.compile(r"<!-- measured (\S+) -->\n+((?:\|.*\n)+)")
TABLE = re.compile(r"<!-- table (\S+) -->\n+((?:\|.*\n)+)")
NUMBER = r"(?<![\w^./-])-?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:e-?\d+)?(?![\w^/]|\.\d)"
FIGURES = re.compile(NUMBER)
RANGE = re.compile(rf"({NUMBER})\s+to\s+({NUMBER})(?!.*{NUMBER})", re.DOTALL)
# No figures: code, links, comments, and the numbers of tables, levels and the like.
NAMES = re.compile(r"`[^`]*`|\]\([^)]*\)|<!--.*?-->|\b(?:[Tt]able|[Ff]igure|[Ss]ection|[Ll]evel|[Ee]quation)"
                   r"(?: \d+(?:\.\d+)*|s \d+(?:(?:, | and )\d+)*)", re.DOTALL)


def rows_of(path):
    """The rows of a CSV file, or of a JSON file that has a list of them; a bare name is one of bench/papers."""
    path = os.path.join(SOURCE, path if "/" in path else f"bench/papers/{path}")
    with open(path, encoding="utf-8", newline="") as stream:
        if path.endswith(".csv"):
            return list(csv.DictReader(stream))
        return json.load(stream)["rows"]


def values(path, key, column):
    """The column of all rows whose case is like that; a column over another one is their ratio."""
    found = [row for row in rows_of(path) if fnmatch.fnmatchcase(row["case"], key)]
    assert found, f'{path} has no row "{key}"'
    top, _, bottom = column.partition("/")
    found = [row for row in found if row[top] not in ("", None) and (not bottom or row[bottom] not in ("", None))]
    return [float(row[top]) / (float(row[bottom]) if bottom else 1) for row in found]


def agrees(quoted, value):
    """Is it the value, rounded to as many digits as are quoted?"""
    digits, _, exponent = quoted.replace(",", "").partition("e")
    unit = 10.0 ** (int(exponent or 0) - len(digits.partition(".")[2]))
    return abs(float(quoted.replace(",", "")) - value) <= 0.5 * unit * (1 + 1e-6)


def compare(text, comment):
    """What is wrong with the figures at the end of the text, whose rows the comment names; and how many they are: a
    range from the least to the greatest, one for each row in their order, or one that all rows agree with."""
    path, key, over, column, factor = comment
    expected = values(path, key, column)
    if over:
        divisors = values(path, over, column)
        assert len(divisors) == len(expected), f'"{key}" and "{over}" are not as many rows'
        expected = [a / b for a, b in zip(expected, divisors)]
    expected = [value * float(factor or 1) for value in expected]
    quoted = FIGURES.findall(text)
    if len(expected) > 1 and RANGE.search(text):
        expected = [min(expected), max(expected)]
    alone = len(quoted) < len(expected)
    quoted = quoted[-1:] if alone else quoted[-len(expected):]
    wrong = not quoted or not all(map(agrees, quoted * len(expected) if alone else quoted, expected))
    return f"{quoted} where {path} \"{key}\" has {[f'{value:.4g}' for value in expected]}" if wrong else "", len(quoted)


def blank(match):
    return re.sub(r"[^\n]", " ", match.group())


def check_text(text, must_have_rows):
    """Faults of a cell or a paragraph; must_have_rows: a figure without a comment behind it is one."""
    faults, begin = [], 0
    for comment in [*COMMENT.finditer(text), None]:
        end = comment.start() if comment else len(text)
        plain = NAMES.sub(blank, text[begin:end])
        fault, count = "", 0
        if comment:
            try:
                fault, count = compare(plain, comment.groups())
            except (AssertionError, KeyError, OSError) as error:
                fault = f"{comment.group()}: {error!r}"
            begin = comment.end()
        left = FIGURES.findall(plain)
        left = left[:len(left) - count]
        if left and must_have_rows and not fault:
            fault = f"no row is named for {left}"
        if fault:
            faults.append(f"{fault}: {' '.join(text[max(0, end - 60):end].split())}")
    return faults


def cells_of(line):
    return [cell.strip() for cell in line.strip()[1:-1].split("|")]


def check_table(table):
    """A table has rows in the columns whose heads begin with "here", and in lines that link to a CSV file."""
    faults = []
    for line in table[2:]:
        for head, cell in zip(cells_of(table[0]), cells_of(line)):
            faults += check_text(cell, head.startswith("here") or ".csv)" in line)
    return faults


def check_measured(machine, table):
    """Cells of a machine's table begin with the milliseconds that were measured: case, workers, then policies."""
    faults = []
    lines = [cells_of(line) for line in table.splitlines()]
    for case, workers, *cells in lines[2:]:
        path = f"data/machines/{machine}/measured.csv"
        seconds = {row["policy"]: float(row["seconds"]) for row in rows_of(path)
                   if (row["case"], row["workers"]) == (f"held-{case}", workers)}
        for policy, cell in zip(lines[0][2:], cells):
            if cell and not f"{1e3 * seconds[policy]:.3g}" == cell.split(",")[0]:
                faults.append(f"{case}, {workers}, {policy}: {cell} where {path} has {1e3 * seconds[policy]:.3g}")
    return faults


def check_copy(path, table):
    """A table that is a CSV file, cell by cell."""
    lines = [cells_of(line) for line in table.splitlines()]
    with open(os.path.join(SOURCE, path), encoding="utf-8", newline="") as stream:
        expected = list(csv.reader(stream))
    differing = [line for line in lines[:1] + lines[2:] if line not in expected]
    return [f"{path} has no such row: {line}" for line in differing] or \
        ([] if len(lines) == len(expected) + 1 else [f"{path} has other rows"])


def check_page(page):
    text = re.sub(r"^```.*?^```$|`<!--[^`]*`", "", page, flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"<!--.*?-->", lambda comment: " ".join(comment.group().split()), text, flags=re.DOTALL)
    faults = [fault for machine, table in MEASURED.findall(text) for fault in check_measured(machine, table)]
    faults += [fault for path, table in TABLE.findall(text) for fault in check_copy(path, table)]
    known = len(COMMENT.findall(text)) + len(MEASURED.findall(text)) + len(TABLE.findall(text))
    if known != len(re.findall("<!-- (?:row|measured|table)", text)):
        faults.append("a comment that is neither a row, a table nor measured")
    for block in re.split(r"\n\s*\n", text):
        lines = [line for line in block.splitlines() if line.startswith("|")]
        faults += check_table(lines) if lines else check_text(block, ".csv)" in block)
    return faults


class Rows(unittest.TestCase):
    def test_figures_are_those_of_their_rows(self):
        for page in PAGES:
            with open(os.path.join(SOURCE, page), encoding="utf-8") as stream:
                faults = check_page(stream.read())
            with self.subTest(page=page):
                self.assertEqual(faults, [], "\n" + "\n".join(faults))

    def test_pages_name_rows(self):
        """So that the comments have not gone."""
        for page, comment, least in (("docs/papers.md", "row", 100), ("bench/RESULTS.md", "table", 1),
                                     ("docs/simulation.md", "measured", 3), ("README.md", "table", 1),
                                     ("bench/results/poisson3d.md", "table", 3)):
            with open(os.path.join(SOURCE, page), encoding="utf-8") as stream:
                self.assertGreaterEqual(stream.read().count(f"<!-- {comment} "), least, page)

    def test_planted_differences_are_found(self):
        with tempfile.NamedTemporaryFile("w", suffix=".csv", delete=False) as stream:
            stream.write("case,ours,paper\na 1: time,0.0123,2\na 2: time,0.0246,8\n")
        self.addCleanup(os.unlink, stream.name)
        head = "| claim | here |\n|---|---|\n| 7 times | "
        for good in ('12.3 ms <!-- row F "a 1: time" ours * 1e3 -->',
                     '12 to 25 ms <!-- row F "a *: time" ours * 1e3 -->',
                     '2 and 8 <!-- row F "a *" paper -->, `512^3`, U1, figure 7',
                     '2.0 times <!-- row F "a 2*" / "a 1*" ours -->', '0.00615 <!-- row F "a 1*" ours/paper -->'):
            self.assertEqual(check_page(head + good.replace(" F ", f" {stream.name} ") + " |\n"), [])
        for bad in ('12.4 ms <!-- row F "a 1: time" ours * 1e3 -->',
                    '12 to 24 ms <!-- row F "a *: time" ours * 1e3 -->',
                    '2 <!-- row F "a *" paper -->', '2.1 times <!-- row F "a 2*" / "a 1*" ours -->',
                    '12.3 <!-- row F "a 3: time" ours -->', '12.3 <!-- row F "a 1: time" theirs -->',
                    '12.3 <!-- row G "a 1: time" ours -->', '12.3 ms', '12.3 <!-- row F a 1 ours -->',
                    '3 of 12.3 ms <!-- row F "a 1: time" ours * 1e3 -->'):
            self.assertEqual(len(check_page(head + bad.replace(" F ", f" {stream.name} ") + " |\n")) > 0, True, bad)
        measured = ("<!-- measured epyc-2c -->\n| case | workers | dmdas |\n|---|---|---|\n"
                    "| slab-200 | cpu | %s, 23: +0 % |\n")
        self.assertEqual(check_page(measured.replace("%s", "23.1")), [])
        self.assertNotEqual(check_page(measured.replace("%s", "23.2")), [])
        with open(stream.name, encoding="utf-8") as written:
            copied = "".join(f"| {' | '.join(row)} |\n" for row in csv.reader(written)).replace("\n", "\n|---|\n", 1)
        copied = f"<!-- table {stream.name} -->\n\n{copied}"
        self.assertEqual(check_page(copied), [])
        for bad in (copied.replace("0.0246", "0.0247"), copied[:copied.rindex("| a 2")]):
            self.assertNotEqual(check_page(bad), [])
        self.assertNotEqual(check_page("See 12.3 ms in [rows](bench/papers/a.csv).\n"), [])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
