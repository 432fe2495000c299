#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""starfish trace: the files that show a solve, as other programs read them, and the explanation in words."""
import json
import os
import unittest
import xml.etree.ElementTree

import program
from program import Case, NX, NY, NZ, poisson
import starvz_format
import trace_format


class Trace(Case):
    def trace(self, *arguments, problem=None):
        """Trace a problem file, or what the arguments name, into the folder `t`; returns the output and the JSON."""
        what = [] if {"--mesh", "--batch"} & set(arguments) else [self.write("p.json", problem or poisson())]
        status, out, said = self.run_program("trace", *what, "--out", "t", *arguments)
        self.assertEqual((status, said), (0, []), out)
        with open(self.path("t/trace.json")) as stream:
            return out, json.load(stream)

    def test_slab(self):
        out, trace = self.trace("--slabs", "4", "--policy", "starfish-width")
        tasks = self.check_trace(trace)
        names = [task["name"] for task in tasks]
        for slab in range(4):
            for name in ("forward", "backward", "bring home"):
                self.assertEqual(names.count(f"{name}, slab {slab}"), 1)
        self.assertEqual(trace["otherData"]["policy"], "starfish-width")
        self.assertEqual(trace["otherData"]["method"], "slab")
        self.assertEqual(trace["otherData"]["size"], f"poisson3d, {NX} x {NY} x {NZ}, f64")
        self.assertIs(trace["otherData"]["simulated"], False)
        self.assertRegex(trace["otherData"]["machine"], r"^\d+ cores?")
        forward = next(task for task in tasks if task["name"] == "forward, slab 2")
        self.assertEqual(forward["args"]["slab"], 2)
        self.assertEqual(forward["args"]["width"], NX * NY)
        self.assertEqual(forward["cat"], "slab_forward")
        self.assertTrue(any(task["args"]["waited_for"] for task in tasks))
        for name in ("trace.json", "gantt.svg", "gantt.png"):
            self.assertIn(f"t/{name}", out)
        with open(self.path("t/gantt.png"), "rb") as stream:
            self.assertTrue(stream.read().startswith(b"\x89PNG"))
        drawn = xml.etree.ElementTree.parse(self.path("t/gantt.svg")).getroot()
        titles = [title.text for title in drawn.iter("{http://www.w3.org/2000/svg}title")]
        self.assertEqual(len(titles), sum(task["ph"] == "X" for task in tasks))
        self.assertTrue(any(title.startswith("backward, slab 3: ") for title in titles))

    def solve_on_cores(self):
        """Of a solve that is one task of all cores: words, trace, the task, and its pieces."""
        out, trace = self.trace("--method", "slab", "--explain", "--quiet", problem=poisson(n=[64] * 3, rhs=1.0))
        whole = next(task for task in self.check_trace(trace) if task["name"] == "whole")
        return out, trace, whole, [event for event in trace["traceEvents"] if event.get("cat") == "piece"]

    def test_cores_share_a_task(self):
        """Each core has a row with what it did, and the rows together leave no gap. Other programs may keep cores: one
        of some solves shows it."""
        best, rows = 0, 0
        for _ in range(10):
            out, trace, whole, pieces = self.solve_on_cores()
            self.assertGreaterEqual(len(pieces), 20)
            self.assertLessEqual({"transform x", "transform y", "eliminate in z", "substitute in z"},
                                 {piece["name"] for piece in pieces})
            covered, end = 0, 0
            for begin, until in sorted((piece["ts"], piece["ts"] + piece["dur"]) for piece in pieces):
                covered += max(0, until - max(begin, end))
                end = max(end, until)
            best = max(best, covered / whole["dur"])
            rows = max(rows, len({piece["tid"] for piece in pieces}))
            if best >= 0.9 and rows >= min(2, len(os.sched_getaffinity(0))):
                break
        self.assertGreaterEqual(best, 0.9)
        self.assertGreaterEqual(rows, min(2, len(os.sched_getaffinity(0))))
        self.assertIn(f"reported {len(pieces)} pieces of work", " ".join(out.split()))

    @unittest.skipIf(len(os.sched_getaffinity(0)) < 2, "one core")
    def test_cores_of_a_team_have_rows(self):
        """Whatever the method: each step of a cycle, or each core's share of a task."""
        for arguments, names in ((["--method", "multigrid", "--cycles", "1"], {"smooth", "restrict"}),
                                 (["--method", "blktri"], {"reduce", "substitute"})):
            with self.subTest(arguments=arguments):
                _, trace = self.trace(*arguments, "--workers", "team", "--warmup", "1",
                                      problem=poisson(n=[64] * 3, rhs=1.0))
                self.check_trace(trace)
                pieces = [event for event in trace["traceEvents"] if event.get("cat") == "piece"]
                rows = {event["tid"]: event["args"]["name"] for event in trace["traceEvents"]
                        if event["ph"] == "M" and event["name"] == "thread_name" and event["pid"] == 0}
                self.assertLessEqual(names, {piece["name"] for piece in pieces})
                for name in names:
                    self.assertGreater(len({piece["tid"] for piece in pieces if piece["name"] == name}), 1)
                self.assertTrue(all(", core " in rows[piece["tid"]] for piece in pieces))

    def test_there_is_one_total(self):
        """Text and JSON name it, and what is drawn ends there."""
        out, trace, _, pieces = self.solve_on_cores()
        total = trace["otherData"]["seconds"]
        self.assertIn(f"The solve took {1e3 * total:.3f} ms", out)
        drawn = xml.etree.ElementTree.parse(self.path("t/gantt.svg")).getroot()
        ends = [event["ts"] + event.get("dur", 0) for event in trace["traceEvents"] if event["ph"] in "Xi"]
        self.assertAlmostEqual(max(ends), 1e6 * total, delta=0.01)
        titles = [title.text for title in drawn.iter("{http://www.w3.org/2000/svg}title")]
        alone = [event for event in trace["traceEvents"] if event["ph"] == "X" and "task" in event["args"]
                 and "pieces" not in event["args"]]
        self.assertEqual(len(titles), len(pieces) + len(alone))

    def test_drawn_again(self):
        """What `bench draw` draws of trace.json is the chart that `trace` has drawn, but for the rows' order."""
        self.trace("--slabs", "4", "--policy", "starfish-width")
        status, out, said = self.run_program("bench", "draw", "t/trace.json", "--gantt", "again.svg")
        self.assertEqual((status, out, said), (0, "", []))

        def spans(path):
            drawn = xml.etree.ElementTree.parse(self.path(path)).getroot()
            return sorted(title.text.split(":")[0] for title in drawn.iter("{http://www.w3.org/2000/svg}title"))
        self.assertEqual(spans("again.svg"), spans("t/gantt.svg"))
        for words, broken in (("there is no task", {"otherData": {}, "traceEvents": []}),
                              ("a span without a name", {"traceEvents": [{"ph": "X", "name": "forward", "ts": -1}]})):
            self.write("broken.json", broken)
            self.refuse(2, words, "bench", "draw", "broken.json", "--gantt", "broken.svg")
        self.refuse(2, "a picture's name ends in", "bench", "draw", "t/trace.json", "--gantt", "again.txt")

    def test_blktri_and_a_singular_problem(self):
        ends = ["neumann", "neumann"]
        problem = poisson(bc={"x": "periodic", "y": ends, "z": ends})
        tasks = self.check_trace(self.trace("--method", "blktri", "--warmup", "0", problem=problem)[1])
        levels = {task["args"]["level"] for task in tasks if "level" in task["args"]}
        self.assertEqual(levels, set(range(len(levels))))
        self.assertTrue(any(task["name"] == "constant mode" for task in tasks))

    def test_multigrid_and_batches(self):
        box = poisson(n=[40, 40, 40], rhs=1.0)
        air = {"kind": "atmosphere3d", "geometry": "panel", "n": [40, 40, 16], "height": 0.00785, "omega": 0.1,
               "lambda": 1, "rhs": 1.0}
        for arguments, wanted, problem in (
            (["--method", "multigrid", "--cycles", "2"], {"small grids", "residual", "update"}, box),
            (["--mesh", "A3", "--level", "5", "--precision", "mixed"], {"small grids"}, box),
            (["--batch", "16x64", "--slabs", "4"], {"tridiagonal_batch"}, box),
            (["--method", "multigrid"], {"small grids", "residual", "arrange"}, air),
            (["--method", "cg"], {"lines upwards", "residual", "scalars"}, air),
        ):
            with self.subTest(arguments=arguments):
                out, trace = self.trace(*arguments, "--warmup", "0", "--explain", problem=problem)
                tasks = self.check_trace(trace)
                self.assertLessEqual(wanted, {task["name"].partition(",")[0] for task in tasks})
                self.assertIn("With no worker idle the solve would take ", out)
                self.assertNotIn("between the transforms", out)  # phases of direct methods
                self.assertNotIn("nan", out)
                self.assertNotIn("inf", out)

    def test_explanation(self):
        out, trace = self.trace("--explain", "--quiet", "--slabs", "3")
        operations = [task["args"]["operations"] for task in self.check_trace(trace) if task["ph"] == "X"]
        self.assertGreater(min(operations), 0)
        for words in ("The solve took ", " was the busiest", "Workers were idle for ",
                      f"It took at least {1e-6 * sum(operations):.4g} million floating-point operations, ",
                      " before the reduced system that couples the slabs, ", "forward (3 times, ",
                      "The end had to wait for ", "With no worker idle the solve would take "):
            self.assertIn(words, out)
        self.assertNotIn("written", out)

    def has_fxt(self):
        status, out, _ = self.run_program("info", "--json")
        self.assertEqual(status, 0)
        return json.loads(out)["fxt"]

    def starvz(self, *arguments):
        """Of a solve of 32^3 unknowns: operations in 10^9, and iterations, as tasks.rec has them of its tasks."""
        self.trace("--slabs", "2", *arguments, problem=poisson(n=[32] * 3, rhs=1.0))
        with open(self.path("t/tasks.rec")) as stream:
            lines = [line.partition(":") for line in stream]
        return ([float(value) for key, _, value in lines if key == "GFlop"],
                [int(value.split()[0]) for key, _, value in lines if key == "Iteration"])

    def test_starpus_own(self):
        if not self.has_fxt():
            self.skipTest("StarPU without FxT")
        tasks = self.check_trace(self.trace("--slabs", "2")[1])
        with open(self.path("t/tasks.rec")) as stream:
            names = [line[6:].strip() for line in stream if line.startswith("Name: ")]
        self.assertEqual(sorted(names), sorted(task["name"].partition(",")[0].replace(" ", "_") for task in tasks))
        # What StarVZ's panels are of: operations, by the count of fast transforms and of eliminations, and iterations.
        flops, _ = self.starvz()
        slabs, reduced = 32**3 * (2 * 2.5 * 10 + 8), 32**2 * 2 * 8
        self.assertAlmostEqual(sum(flops), 1e-9 * (slabs + reduced), delta=5e-6)
        _, iterations = self.starvz("--method", "multigrid", "--cycles", "3", "--warmup", "0")
        self.assertLessEqual({1, 2, 3}, set(iterations))
        self.assertEqual(starvz_format.faults(self.path("t")), [])

    def test_what_starvz_cannot_read_is_noticed(self):
        if not self.has_fxt():
            self.skipTest("StarPU without FxT")
        self.trace("--slabs", "2")
        for file, words, old, new in (("paje.trace", "fields", "reduced", "reduced system"),
                                      ("paje.trace", "not begun", "\n13\t", "\n12\t9e9\tw0\tCtx1\n13\t"),
                                      ("tasks.rec", "no single word", "Name: reduced", "Name: reduced system"),
                                      ("tasks.rec", "lacks Priority", "Priority", "Priorities"),
                                      ("tasks.rec", "no task has operations", "GFlop", "GFlip"),
                                      ("data.rec", "lacks Size", "Size", "Bytes"),
                                      ("dag.dot", "no edge", "->", "--")):
            with self.subTest(file=file, words=words):
                with open(self.path(f"t/{file}")) as stream:
                    right = stream.read()
                with open(self.path(f"t/{file}"), "w") as stream:
                    stream.write(right.replace(old, new))
                found = starvz_format.faults(self.path("t"))
                with open(self.path(f"t/{file}"), "w") as stream:
                    stream.write(right)
                self.assertTrue(any(words in fault for fault in found), found[:5])

    def test_what_the_format_forbids_is_noticed(self):
        _, right = self.trace("--slabs", "2")

        def event(trace, phase):
            return next(event for event in trace["traceEvents"] if event["ph"] == phase)

        def cross(trace):
            span = event(trace, "X")
            trace["traceEvents"].append(dict(span, ts=span["ts"] + span["dur"] / 2))

        for words, spoil in (
            ("crosses", cross),
            ("has no name", lambda trace: event(trace, "X").update(tid=77)),
            ("is no time", lambda trace: event(trace, "X").update(dur=-1)),
            ("no number", lambda trace: event(trace, "C").update(args={"value": "much"})),
            ("has one end only", lambda trace: trace["traceEvents"].remove(event(trace, "f"))),
            ("backwards", lambda trace: event(trace, "f").update(ts=0)),
            ("lacks simulated", lambda trace: trace["otherData"].pop("simulated")),
        ):
            trace = json.loads(json.dumps(right))
            spoil(trace)
            with self.subTest(words):
                self.assertTrue(any(words in fault for fault in trace_format.faults(trace)),
                                trace_format.faults(trace))

    def test_usage(self):
        problem = self.write("p.json", poisson())
        self.write("file", "")
        for message, arguments in (
            ("missing operand", ["trace", "--out", "t"]),
            ("--out: name a folder", ["trace", problem]),
            ("cannot be made", ["trace", problem, "--out", "no/such/folder"]),
            ("its folder cannot be written", ["trace", problem, "--out", "file"]),
            ('--policy: there is no policy named "fastest"', ["trace", problem, "--out", "t", "--policy", "fastest"]),
            ("--workers: 'tpu' is not", ["trace", problem, "--out", "t", "--workers", "tpu"]),
            ("No such file", ["trace", self.path("none.json"), "--out", "t"]),
        ):
            with self.subTest(arguments=arguments):
                self.refuse(2, message, *arguments)


if __name__ == "__main__":
    program.main()
