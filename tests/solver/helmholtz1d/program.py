#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The toy in the program, which has no line for it: problem files, options, results, ranks, sched, trace.

    program.py PROGRAM [MPIEXEC]"""
import json
import os
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM, MPIEXEC = os.path.abspath(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else None
PROBLEM = {"kind": "helmholtz1d", "n": [16, 6], "length": 1.5, "ends": ["neumann", "neumann"], "lambda": -2.0,
           "rhs": 1.0, "exact": -0.5}
CHANGED = {"n": [16, 7], "length": 1.25, "ends": ["dirichlet", "neumann"], "lambda": -3.0}


class Program(unittest.TestCase):
    """One file, changed from test to test."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def file(self, name="problem", **changes):
        path = os.path.join(self.folder.name, f"{name}.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump({**PROBLEM, **changes}, file)
        return path

    def run_program(self, *arguments, expected=0):
        done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=120, check=False,
                              cwd=self.folder.name)
        self.assertEqual(done.returncode, expected, done.stderr)
        return done.stdout if expected == 0 else done.stderr

    def solve(self, *options, **changes):
        return json.loads(self.run_program("solve", self.file(**changes), "--json", *options))

    def test_solves(self):
        for options, iterates in (((), False), (("--method", "jacobi"), True), (("--algorithm", "pivoted"), False),
                                  (("--slabs", "2", "--precision", "f32"), False)):
            told = self.solve(*options)
            self.assertEqual((told["status"], told["kind"], told["n"]), ("solved", "helmholtz1d", [16, 6]))
            self.assertEqual("iterations" in told, iterates)
            self.assertLess(told["error"], 1e-4)
            self.assertLess(told["residual"], 1e-4)
            self.assertGreater(told["memory"]["main"] + told["workers"]["cpu"]["tasks"], 0)
        self.assertIn("jacobi (damped steps)", self.run_program("solve", self.file(), "--method", "jacobi"))

    def test_does_not_converge(self):
        short = self.run_program("solve", self.file(ends=["dirichlet"] * 2), "--method", "jacobi", "--max-iterations",
                                 "3", expected=1)
        self.assertIn("not converged: the residual is", short)

    def test_refuses(self):
        for message, changes in ((r'"width": unknown key (known: kind, n, length, ends, lambda, rhs,', {"width": 1}),
                                 (r'"ends": must be "periodic", "dirichlet" or "neumann"', {"ends": ["open"] * 2}),
                                 ("problem.lambda is 1, must be 0 or less", {"lambda": 1})):
            self.assertIn(message, self.run_program("solve", self.file(**changes), expected=2))
        self.assertIn("--levels: is not for problems of kind helmholtz1d",
                      self.run_program("solve", self.file(), "--levels", "2", expected=2))

    def test_is_described(self):
        self.assertIn("cg, thomas, jacobi", self.run_program("solve", "--help"))
        schema = json.loads(self.run_program("info", "--schema"))
        toy = [kind for kind in schema["oneOf"] if kind["properties"]["kind"] == {"const": "helmholtz1d"}]
        self.assertEqual(set(toy[0]["properties"]) - {"$schema", "solution"}, set(PROBLEM))

    def test_sched_and_trace(self):
        told = self.run_program("sched", self.file(), "--policies", "eager,lws")
        self.assertIn("eager", told)
        self.run_program("trace", self.file(), "--method", "jacobi", "--cycles", "3", "--out", "traces")
        self.assertTrue(os.listdir(os.path.join(self.folder.name, "traces")))

    @unittest.skipUnless(MPIEXEC, "no MPI")
    def test_ranks(self):
        def on_ranks(*paths):
            command = [MPIEXEC]
            for path in paths:
                command += ["-n", "1", PROGRAM, "solve", path, "--mpi", "--json", ":"]
            return subprocess.run(command[:-1], capture_output=True, text=True, timeout=60, check=False)
        alike = on_ranks(self.file(), self.file())
        self.assertEqual(json.loads(alike.stdout)["status"], "solved", alike.stderr)
        self.assertLess(json.loads(alike.stdout)["error"], 1e-9)
        for member, value in CHANGED.items():
            start = time.monotonic()
            told = on_ranks(self.file(), self.file("other", **{member: value}))
            self.assertNotEqual(told.returncode, 0, member)
            self.assertEqual(told.stderr.count(f"problem.{member} differs between ranks"), 1, told.stderr)
            self.assertLess(time.monotonic() - start, 10, member)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
