#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Policies from outside: the example is built and run as its page says, ours is used by a program that knows only
StarPU, and what is not there is refused.

    policy.py PROGRAM SOURCE_FOLDER BUILD_FOLDER STARPU_PROGRAM [unittest arguments]"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAM, SOURCE, BUILD, STARPU_PROGRAM = map(os.path.abspath, sys.argv[1:5])
PLUGIN = f"{BUILD}/lib/starfish-policies.so"


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="starfish-policy-")
        self.addCleanup(shutil.rmtree, self.folder)

    def run_here(self, command, **variables):
        return subprocess.run(command, shell=isinstance(command, str), capture_output=True, text=True, check=False,
                              cwd=self.folder, timeout=300, env=dict(os.environ, **variables))

    def problem(self):
        path = f"{self.folder}/p.json"
        axis = ["dirichlet", "dirichlet"]
        with open(path, "w", encoding="utf-8") as stream:
            json.dump({"kind": "poisson3d", "n": [24, 20, 22], "length": [1, 1, 1], "rhs": 1,
                       "bc": {"x": axis, "y": axis, "z": axis}}, stream)
        return path


class Example(Case):
    def setUp(self):
        super().setUp()
        for name in ("apps", ".deps"):
            os.symlink(f"{SOURCE}/{name}", f"{self.folder}/{name}")
        os.makedirs(f"{self.folder}/build/bin")
        os.symlink(PROGRAM, f"{self.folder}/build/bin/starfish")

    def test_as_the_page_says(self):
        with open(f"{SOURCE}/apps/examples/policy/README.md", encoding="utf-8") as stream:
            block = re.search(r"```sh\n(.*?)```", stream.read(), re.DOTALL).group(1)
        done = self.run_here("set -e\n" + block)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("by-width", done.stdout)
        solved = self.run_here([PROGRAM, "solve", self.problem(), "--slabs", "4"], STARPU_SCHED_LIB="./mine.so",
                               STARPU_SCHED="by-width")
        self.assertEqual(solved.returncode, 0, solved.stderr)
        self.assertIn("policy by-width", solved.stdout)
        compared = self.run_here([PROGRAM, "sched", self.problem(), "--policies", "by-width,lws", "--workers", "cpu:1",
                                  "--repeat", "2", "--json"], STARPU_SCHED_LIB="./mine.so")
        self.assertEqual(compared.returncode, 0, compared.stderr)
        self.assertEqual([row["policy"] for row in json.loads(compared.stdout)["rows"]], ["by-width", "lws"])
        wrong = self.run_here([PROGRAM, "info"], STARPU_SCHED_LIB="./mine.so", STARPU_SCHED="by-height")
        self.assertEqual(wrong.returncode, 2)
        self.assertIn('no policy named "by-height" (nor has ./mine.so of STARPU_SCHED_LIB)', wrong.stderr)

    def test_it_is_short(self):
        with open(f"{SOURCE}/apps/examples/policy/policy.c", encoding="utf-8") as stream:
            code = [line for line in stream if line.strip() and not line.lstrip().startswith(("/*", "*"))]
        self.assertLessEqual(len(code), 60)


class Plugin(Case):
    def test_a_program_that_knows_only_starpu(self):
        for name, variables in (("starfish-width", {"STARPU_SCHED_LIB": PLUGIN, "STARPU_SCHED": "starfish-width"}),
                                ("lws", {"STARPU_SCHED": "lws"})):
            done = self.run_here([STARPU_PROGRAM], STARPU_SILENT="1", **variables)
            self.assertEqual((done.returncode, done.stdout), (0, f"{name}: 400 tasks\n"), done.stderr)

    def test_unknown(self):
        done = self.run_here([PROGRAM, "info"], STARPU_SCHED="fastest")
        self.assertEqual(done.returncode, 2)
        for name in ('"fastest"', "starfish-width", "dmdas", "lws"):
            self.assertIn(name, done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[5:])
