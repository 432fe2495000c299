#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""apps/ in its folders: a subcommand's folder includes no other subcommand's; what several use lies in a folder of its
own. And what holds of every file there and in tests/apps: how long files and lines are, and that a first comment says
what a file is.

    folders.py PROGRAM SOURCE_FOLDER [unittest arguments]"""
import glob
import os
import re
import subprocess
import sys
import unittest

PROGRAM, SOURCE = sys.argv[1:3]
os.environ.pop("COLUMNS", None)  # of the terminal in which tests are started: help would be folded to it
SUBCOMMANDS = {"info", "solve", "fem", "bench", "reproduce", "sched", "machine", "trace"}
SHARED = {"files", "pictures", "frame", "plans", "recorded", "measured"}
LICENSE = re.compile(r"^(#!.*\n)?(?:#|/\*) SPDX-License-Identifier: .*\n")
INCLUDE = re.compile(r'^#include "apps/(\w+)/', re.MULTILINE)
MOST_LINES, MOST_COLUMNS = 599, 120

COMMANDS = (["solve"], ["sched"], ["trace"], ["bench", "poisson3d"], ["bench", "tridiag"], ["bench", "blktri"],
            ["bench", "multigrid"])
# Where a name of the library's may be written all the same: benchmarks and their forms are called after methods, a pair
# of ends is called mixed, rows of papers say what they measured, lists of benchmarks have defaults of their own, and
# Perfetto has events "f".
WRITTEN = {
    "slab": {"apps/bench/blktri.c", "apps/bench/poisson3d_solves.c", "apps/bench/node.c",
             "apps/bench/scaling.c", "apps/sched/nodes.c"},
    "blktri": {"apps/bench/bench.c", "apps/bench/blktri.c", "apps/bench/fishpack.c", "apps/bench/fishpack_case.c"},
    "multigrid": {"apps/bench/bench.c", "apps/bench/dpcg.c", "apps/bench/multigrid.c", "apps/bench/node.c",
                  "apps/reproduce/gupta.c"},
    "mixed": {"apps/bench/poisson3d_cases.c", "apps/plans/problem.c", "apps/reproduce/gupta.c"},
    "cr": {"apps/bench/tridiag_case.c"},
    "cr-pcr": {"apps/bench/tridiag_case.c"},
    "f32": {"apps/bench/scaling.c", "apps/reproduce/gupta.c"},
    "f64": {"apps/bench/blktri.c", "apps/bench/many.c", "apps/bench/poisson3d.c", "apps/bench/scaling.c",
            "apps/bench/tridiag.c", "apps/reproduce/gupta.c"},
    "auto": {"apps/bench/blktri.c", "apps/bench/multigrid.c", "apps/bench/tridiag.c"},
    "f": {"apps/trace/json.c"},
    "v": {"apps/bench/multigrid.c"},
    "inner": {"apps/bench/multigrid.c"},
    "jacobi": {"apps/bench/dpcg.c"},
    "none": {"apps/bench/dpcg.c", "apps/bench/fishpack.c", "apps/bench/poisson3d_cases.c", "apps/names.c",
             "apps/plans/elements_mesh.c", "apps/recorded/simulate.c"},
}
# Options that only share their flag with a member: --slabs of what may be a file, a mesh or a batch, of which the
# program has the text; --levels of what may be a mesh; --split of a list that may also say models;
# --algorithm of a file or a batch.
OTHERWISE = {("--levels", "sched"), ("--levels", "trace"), ("--slabs", "sched"), ("--slabs", "trace"),
             ("--split", "bench"), ("--policy", "sched"), ("--algorithm", "sched"), ("--algorithm", "trace")}


def say(*arguments):
    """What the program says."""
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, check=True, timeout=60).stdout


def library_names():
    """The names that the library's options may have, from help."""
    names = set()
    for command in COMMANDS:
        for flag, listed in re.findall(r"^  (--[\w-]+) .*; of ((?:[\w-]+, )+[\w-]+)(?:; default .*)?$",
                                       say(*command, "--help"), re.MULTILINE):
            if flag in ("--method", "--precision", "--smoother", "--cycle", "--krylov", "--matrix", "--storage",
                        "--algorithm"):
                names.update(listed.split(", "))
    return names


def literals(text, names):
    """Which of the names a source has as literals outside comments."""
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    return {literal for literal in re.findall(r'"([^"\n]*)"', text) if literal in names}


def sources():
    """Path from the root, and contents, of what is written in C or Python in apps/ and tests/apps/."""
    for root in ("apps", "tests/apps"):
        for path in glob.glob(f"{SOURCE}/{root}/**/*.*", recursive=True):
            if path.endswith((".c", ".h", ".py")):
                with open(path, encoding="utf-8") as stream:
                    yield os.path.relpath(path, SOURCE), stream.read()


def wrong_includes(path, text):
    """The subcommands' folders that a file includes and may not."""
    home = path.split("/")[1] if path.startswith("apps/") and path.count("/") > 1 else None
    return [folder for folder in INCLUDE.findall(text) if folder in SUBCOMMANDS and folder != home]


class Folders(unittest.TestCase):
    maxDiff = None

    def test_every_folder_is_known(self):
        found = {name for name in os.listdir(f"{SOURCE}/apps") if os.path.isdir(f"{SOURCE}/apps/{name}")}
        self.assertEqual(found, SUBCOMMANDS | SHARED | {"examples"})

    def test_no_subcommand_includes_anothers_folder(self):
        for path, text in sources():
            with self.subTest(path=path):
                self.assertEqual(wrong_includes(path, text), [])

    def test_a_wrong_include_is_noticed(self):
        text = '#include "apps/bench/tridiag.h"\n#include "apps/plans/plan.h"\n'
        self.assertEqual(wrong_includes("apps/sched/sched.c", text), ["bench"])
        self.assertEqual(wrong_includes("apps/plans/plan.c", text), ["bench"])
        self.assertEqual(wrong_includes("apps/bench/bench.c", text), [])

    def test_files_and_lines(self):
        for path, text in sources():
            text = LICENSE.sub(r"\1", text)
            with self.subTest(path=path):
                lines = text.splitlines()
                self.assertLessEqual(len(lines), MOST_LINES)
                self.assertLessEqual(max(map(len, lines)), MOST_COLUMNS)
                begins = ('#!/usr/bin/env python3\n"""', '"""') if path.endswith(".py") else ("/* ",)
                self.assertTrue(text.startswith(begins), "no comment that says what the file is")

    def test_names_are_those_of_the_library(self):
        """A name of a method, precision, smoother, ... is written in apps/ where WRITTEN says so, and else taken from
        the library's tables."""
        names = library_names()
        self.assertLessEqual({"slab", "mixed", "gauss-seidel", "fmg", "bf16", "tensor", "pcr-thomas"}, names)
        found = {}
        for path, text in sources():
            if path.startswith("apps/") and path.endswith((".c", ".h")):
                for name in literals(text, names):
                    found.setdefault(name, set()).add(path)
        self.assertEqual(found, WRITTEN)

    def test_a_second_list_of_names_is_noticed(self):
        text = 'static const char *const smoothers[] = {[ADI] = "adi", "line-x" /* "jacobi" */};'
        self.assertEqual(literals(text, library_names()), {"adi", "line-x"})

    def test_options_of_the_library_have_the_librarys_texts(self):
        """Every option that is a member of a library's struct has its text from the struct's table."""
        texts = {}
        with open(f"{SOURCE}/base/options.h", encoding="utf-8") as stream:
            shared = dict(re.findall(r'#define (STARFISH_OPTION_\w+)\s[^#]*?(\.flag = "--[\w-]+")', stream.read()))
        for path in glob.glob(f"{SOURCE}/*/options.c"):
            with open(path, encoding="utf-8") as stream:
                for row in re.findall(r"\{AT\(.*?\},\n", stream.read(), re.DOTALL):
                    row = re.sub(r"STARFISH_OPTION_\w+", lambda name: shared.get(name[0], name[0]), row)
                    flag = re.search(r'\.flag = "(--[\w-]+)"', row)
                    text = re.search(r'\.text =\s+"(.*?)"', row, re.DOTALL)
                    if flag:
                        texts.setdefault(flag.group(1), set()).add(text.group(1).partition("; 0: ")[0])
        self.assertGreater(len(texts), 10)
        for command in COMMANDS:
            for flag, said in re.findall(r"^  (--[\w-]+) \S+ +(.*)$", say(*command, "--help"), re.MULTILINE):
                if flag in texts and (flag, command[0]) not in OTHERWISE:
                    with self.subTest(command=command, flag=flag):
                        self.assertTrue(any(text in said for text in texts[flag]), said)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
