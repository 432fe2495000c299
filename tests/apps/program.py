#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the tests of the program have in common: problems, array files, and a case that runs the program in a folder of
its own. Each test is started as

    NAME.py PROGRAM SOURCE_FOLDER [unittest arguments]"""
import array
import json
import math
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

import trace_format

PROGRAM, SOURCE = sys.argv[1:3]
os.environ.pop("COLUMNS", None)  # of the terminal in which tests are started: what is printed would be folded to it
NX, NY, NZ = 8, 6, 5


def write_npy(path, shape, values, kind="d"):
    header = "{'descr': '<f%d', 'fortran_order': False, 'shape': (%s,), }" % (
        struct.calcsize(kind), ", ".join(map(str, shape)))
    header += " " * (-(len(header) + 11) % 64) + "\n"
    with open(path, "wb") as stream:
        stream.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        array.array(kind, values).tofile(stream)


def read_npy(path):
    with open(path, "rb") as stream:
        data = stream.read()
    start = 10 + struct.unpack("<H", data[8:10])[0]
    header = eval(data[10:start])
    values = array.array("f" if header["descr"] == "<f4" else "d")
    values.frombytes(data[start:])
    return header["shape"], values


def ramp(count):
    return [math.sin(1.7 * i) for i in range(count)]


def poisson(**changes):
    """A good problem, with keys replaced; None takes a key away."""
    problem = {
        "kind": "poisson3d", "n": [NX, NY, NZ], "length": [1, 1, 1],
        "bc": {"x": "periodic", "y": ["neumann", "neumann"], "z": ["dirichlet", "dirichlet"]},
        "grid": {"y": "cell", "z": "node"}, "rhs": "f.npy",
    }
    problem.update(changes)
    return {key: value for key, value in problem.items() if value is not None}


def separable(y):
    rows = {"lower": 1, "diag": -3, "upper": 1}
    return {"kind": "separable2d", "n": [NX, NY], "x": rows, "y": dict(rows, **y), "rhs": 1.0}


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="starfish-program-")
        self.addCleanup(shutil.rmtree, self.folder)
        write_npy(self.path("f.npy"), (NZ, NY, NX), ramp(NX * NY * NZ))

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, content):
        with open(self.path(name), "w") as stream:
            stream.write(content if isinstance(content, str) else json.dumps(content))
        return self.path(name)

    def run_program(self, *arguments):
        done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, cwd=self.folder, timeout=300)
        # What StarPU says about its own installation is not ours.
        said = [line for line in done.stderr.splitlines() if line and not line.startswith("[starpu]")]
        return done.returncode, done.stdout, said

    def solve(self, problem, *arguments):
        """Solve with --json; returns the object."""
        status, out, said = self.run_program("solve", self.write("p.json", problem), "--json", *arguments)
        self.assertEqual((status, said), (0, []), out)
        result = json.loads(out)
        self.assertEqual(result["status"], "solved")
        return result

    def contents(self):
        found = {}
        for where, _, names in os.walk(self.folder):
            for name in names:
                path = os.path.join(where, name)
                if os.path.islink(path):
                    found[path] = os.readlink(path)
                else:
                    with open(path, "rb") as stream:
                        found[path] = stream.read()
        return found

    def refuse(self, status, message, *arguments):
        """The run fails with that status and one line, leaving the folder as it was."""
        before = self.contents()
        got, out, said = self.run_program(*arguments)
        self.assertEqual((got, out, len(said)), (status, "", 1), said)
        self.assertTrue(said[0].startswith("starfish: "), said)
        self.assertIn(message, said[0])
        self.assertEqual(self.contents(), before)

    def check_trace(self, trace):
        """The format of a trace.json, and what must hold of every one; returns the tasks."""
        self.assertEqual(trace_format.faults(trace), [])
        tasks = [event for event in trace["traceEvents"] if "task" in event.get("args", {})]
        self.assertEqual(sorted(task["args"]["task"] for task in tasks), list(range(trace["otherData"]["tasks"])))
        ran = sorted((task["pid"], task["tid"], task["ts"], task["dur"]) for task in tasks if task["ph"] == "X")
        for before, after in zip(ran, ran[1:]):
            if before[:2] == after[:2]:
                self.assertLessEqual(before[2] + before[3], after[2] + 1e-3)
        last = {}
        for event in trace["traceEvents"]:
            if event["ph"] == "C":
                last[event["name"]] = event["args"]["value"]
        self.assertIn("bytes got at main0", last)
        self.assertEqual({last[name] for name in last if not name.startswith("bytes got at")}, {0})
        return tasks


def has_gpu():
    told = subprocess.run([PROGRAM, "info", "--json"], capture_output=True, check=True).stdout
    return any(worker["kind"] == "gpu" for worker in json.loads(told)["workers"])


def main():
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
