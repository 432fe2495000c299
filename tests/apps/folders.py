#!/usr/bin/env python3
"""apps/ in its folders: a subcommand's folder includes no other subcommand's; what several use lies in a folder of its
own. And what holds of every file there and in tests/apps: how long files and lines are, and that a first comment says
what a file is.

    folders.py PROGRAM SOURCE_FOLDER [unittest arguments]"""
import glob
import os
import re
import sys
import unittest

SOURCE = sys.argv[2]
SUBCOMMANDS = {"info", "solve", "bench", "reproduce", "sched", "machine", "trace"}
SHARED = {"files", "pictures", "frame", "plans", "recorded"}
INCLUDE = re.compile(r'^#include "apps/(\w+)/', re.MULTILINE)
MOST_LINES, MOST_COLUMNS = 599, 120


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
            with self.subTest(path=path):
                lines = text.splitlines()
                self.assertLessEqual(len(lines), MOST_LINES)
                self.assertLessEqual(max(map(len, lines)), MOST_COLUMNS)
                begins = ('#!/usr/bin/env python3\n"""',) if path.endswith(".py") else ("/* ",)
                self.assertTrue(text.startswith(begins), "no comment that says what the file is")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
