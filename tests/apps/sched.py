#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""starfish sched: problem files, meshes and batches under several policies and sets of workers."""
import csv
import json
import os

import program
from program import Case, NZ, poisson


class Sched(Case):
    POLICIES = ["eager", "dmda", "starfish-width"]

    def sched(self, *arguments):
        status, out, said = self.run_program(
            "sched", self.write("p.json", poisson()), "--policies", ",".join(self.POLICIES), "--workers",
            "cpu:1;all", "--repeat", "3", "--warmup", "1", *arguments)
        self.assertEqual((status, said), (0, []), out)
        return out

    def test_json(self):
        result = json.loads(self.sched("--json", "--recalibrate"))
        self.assertEqual(set(result), {"name", "machine", "rows", "subject", "problem", "calibration"})
        self.assertEqual([entry["workers"] for entry in result["calibration"]], ["cpu:1", "all"])
        for entry in result["calibration"]:
            self.assertTrue(entry["complete"])
            # Nothing is known, ten samples are wanted, and the one task per solve brings one; the first does not count.
            self.assertGreaterEqual(entry["solves"], 10 if entry["workers"] == "cpu:1" else 1)
        rows = result["rows"]
        self.assertEqual([(row["workers"], row["policy"]) for row in rows],
                         [(workers, policy) for workers in ("cpu:1", "all") for policy in self.POLICIES])
        for row in rows:
            self.assertTrue(0 < row["min"] <= row["seconds"] <= row["max"])
            self.assertTrue(0 <= row["spread"] <= row["max"] - row["min"])
            self.assertLess(row["residual"], 1e-12)
            self.assertAlmostEqual(row["cpu_tasks"] + row["gpu_tasks"], 1)
            self.assertAlmostEqual(row["cpu_work"] + row["gpu_work"], 1)
            self.assertTrue(0 <= row["idle"] < 1)
            self.assertTrue(row["bounds_by_models"])
            self.assertAlmostEqual(row["limit_seconds"],
                                   max(row["area_bound_seconds"], row["critical_path_seconds"]), places=12)
            self.assertAlmostEqual(row["of_area_bound"], row["area_bound_seconds"] / row["seconds"])
            # One worker has no better than all the work, and that is no less than the longest chain.
            if row["workers"] == "cpu:1":
                self.assertGreaterEqual(row["area_bound_seconds"], row["critical_path_seconds"])
        # Five slabs: forward, backward and bringing home; one reduced system per core.
        self.assertEqual(rows[0]["tasks"], 2 * NZ + 1)
        self.assertEqual(rows[0]["critical_path_tasks"], 3)

    def test_table_csv_and_picture(self):
        out = self.sched("--method", "blktri", "--csv", "rows.csv", "--plot", "bars.png", "--roofline", "roof.svg")
        for word in ("calibrated cpu:1: ", "calibrated all: ", "policy", "idle", "gpu work", "area", *self.POLICIES):
            self.assertIn(word, out)
        with open(self.path("bars.png"), "rb") as stream:
            self.assertTrue(stream.read().startswith(b"\x89PNG"))
        with open(self.path("rows.csv"), newline="") as stream:
            rows = list(csv.DictReader(stream))
        self.assertEqual([row["who"] for row in rows], 2 * self.POLICIES)
        self.assertEqual({row["method"] for row in rows}, {"blktri"})
        self.assertGreater(float(rows[0]["operations"]), 0)
        self.assertEqual({row["operations"] for row in rows if row["workers"] == "all"}, {rows[-1]["operations"]})
        with open(self.path("roof.svg")) as stream:
            self.assertEqual(stream.read().count("stroke-dasharray"), 2)  # a bound for each set of workers

    def test_operations(self):
        """Lines by elimination: eight operations an unknown, three coefficients read and two vectors passed."""
        row = self.quickly("--batch", "64x500")["rows"][0]
        self.assertEqual(row["operations"], 8 * 64 * 500)
        self.assertEqual(row["memory_bytes"], 5 * 8 * 64 * 500)
        self.assertAlmostEqual(row["operations_per_second"], row["operations"] / row["seconds"], delta=1)

    def operations(self, *arguments):
        """Operations and bytes of all tasks, with the roofline's dots for two sets of workers."""
        status, out, said = self.run_program("sched", *arguments, "--policies", "eager", "--workers", "cpu:1;cpu",
                                             "--repeat", "1", "--rounds", "1", "--warmup", "0", "--json",
                                             "--roofline", "roof.svg")
        self.assertEqual((status, said), (0, []), out)
        with open(self.path("roof.svg")) as stream:
            self.assertEqual(stream.read().count("stroke-dasharray"), 2)  # a bound for each set of workers
        row = json.loads(out)["rows"][0]
        self.assertAlmostEqual(row["operations_per_second"] * row["seconds"] / row["operations"], 1, delta=1e-6)
        return row["operations"], row["memory_bytes"]

    def test_operations_of_every_family(self):
        """Each has some operations an unknown, and more cycles have as many more."""
        box = self.write("p.json", poisson(n=[16] * 3, rhs=1.0))
        flow = self.write("d.json", {"kind": "diffusion3d", "n": [8] * 3, "length": [1] * 3, "coefficient": 1.0,
                                     "rhs": 1.0, "bc": {axis: ["dirichlet"] * 2 for axis in "xyz"}})
        air = self.write("a.json", {"kind": "atmosphere3d", "geometry": "flat", "n": [8, 8, 4], "length": [1, 1],
                                    "sides": "dirichlet", "height": 0.1, "omega": 1.0, "lambda": 1.0, "rhs": 1.0})
        for unknowns, arguments in ((16**3, [box, "--method", "blktri-product"]),
                                    (8**3, [flow, "--method", "cg", "--preconditioner", "ip", "--deflation", "none"])):
            operations, moved = self.operations(*arguments)
            self.assertGreater(operations, 20 * unknowns)
            self.assertGreater(moved, 8 * 2 * unknowns)
        for unknowns, arguments in ((16**3, [box, "--method", "multigrid"]),
                                    (8 * 8 * 4, [air, "--method", "multigrid"]),
                                    (31**2, ["--mesh", "U1", "--level", "5"])):
            first, _ = self.operations(*arguments, "--cycles", "1")
            third, _ = self.operations(*arguments, "--cycles", "3")
            self.assertGreater(third - first, 2 * 40 * unknowns)
            fifth, _ = self.operations(*arguments, "--cycles", "5")
            self.assertEqual(fifth - third, third - first)

    def test_usage(self):
        problem = self.write("p.json", poisson())
        for message, arguments in (
            ("missing operand", ["sched"]),
            ('--policies: there is no policy named "fastest"; there are starfish-width, ',
             ["sched", problem, "--policies", "lws,fastest"]),
            ("--policies: 'lws,' has an empty entry", ["sched", problem, "--policies", "lws,"]),
            ("--workers: 'tpu' is not all, cpu, gpu, team, cpu:N, gpu:M or cpu:N,gpu:M; this machine has ",
             ["sched", problem, "--workers", "cpu;tpu"]),
            ("--workers: 'cpu:9999' is not there; this machine has ", ["sched", problem, "--workers", "cpu:9999"]),
            ("--workers: 'gpu:99' is not there; this machine has ", ["sched", problem, "--workers", "gpu:99"]),
            ("--slabs is 64, but at most 5 are possible", ["sched", problem, "--slabs", "64"]),
            ("--slabs is 16, but at most 8 are possible", ["sched", "--batch", "80x8", "--slabs", "16"]),
            ("--storage is f16: it needs", ["sched", "--mesh", "U1", "--level", "3", "--precision", "f64", "--storage",
                                            "f16"]),
            ("No such file", ["sched", self.path("none.json")]),
            ("a picture's name ends in .png", ["sched", problem, "--plot", "bars.gif"]),
            ("mixed mode", ["sched", problem, "--precision", "mixed"]),
            ("mixed mode", ["sched", "--batch", "4x5", "--precision", "mixed"]),
            ("only one of them", ["sched", problem, "--mesh", "U1"]),
            ("--level: is for --mesh", ["sched", problem, "--level", "3"]),
            ("--slabs: must be a whole number from 0 to 16, is '17'", ["sched", "--mesh", "U1", "--slabs", "17"]),
            ("--slabs: must be a whole number from 0 to 256, is '257'", ["sched", "--batch", "4x5", "--slabs", "257"]),
            ("--cycles: is for --mesh and --method multigrid", ["sched", "--batch", "4x5", "--cycles", "3"]),
            ("--method: is for a problem file", ["sched", "--mesh", "U1", "--method", "slab"]),
            ("--cycles: is for iterative methods, as --method multigrid", ["sched", problem, "--cycles", "3"]),
            ("--level: is 14, must be 1 .. 13", ["sched", "--mesh", "U1", "--level", "14"]),
            ("no mesh 'U9'", ["sched", "--mesh", "U9"]),
            ("--batch: '5' is not NxL", ["sched", "--batch", "5"]),
            ("--batch: 'x' is not NxL", ["sched", "--batch", "x"]),
            ("--batch: 'odd' is no layout", ["sched", "--batch", "4x5,odd"]),
            ("--algorithm: 'cr-in-place' is not", ["sched", "--batch", "4x5", "--algorithm", "cr-in-place"]),
        ):
            with self.subTest(arguments=arguments):
                self.refuse(2, message, *arguments)

    def quickly(self, *what):
        """The JSON of a short run of what is no problem file, or of another one."""
        status, out, said = self.run_program("sched", *what, "--policies", "eager,dmda", "--workers", "cpu", "--repeat",
                                             "2", "--warmup", "0", "--rounds", "1", "--json")
        self.assertEqual((status, said), (0, []), out)
        result = json.loads(out)
        self.assertEqual([row["policy"] for row in result["rows"]], ["eager", "dmda"])
        for row in result["rows"]:
            self.assertTrue(0 <= row["idle"] < 1, row)
            self.assertGreater(row["tasks"], 0)
        return result

    def test_every_method(self):
        path = self.write("p.json", poisson(n=[16, 16, 16], rhs=1.0))
        for method in ("slab", "blktri", "blktri-product", "multigrid"):
            for row in self.quickly(path, "--method", method)["rows"]:
                self.assertEqual(row["method"], method)
                self.assertLess(row["residual"], 1e-9)
        mixed = self.quickly(path, "--method", "multigrid", "--precision", "mixed")["rows"][0]
        self.assertLess(mixed["residual"], 1e-9)
        # With a given number of cycles no residual says when to stop.
        once, thrice = (self.quickly(path, "--method", "multigrid", "--cycles", n)["rows"][0] for n in "13")
        self.assertLess(thrice["residual"], 0.2 * once["residual"])
        self.assertGreater(thrice["tasks"], 2 * once["tasks"] - 5)

    def test_meshes(self):
        for arguments in (["--smoother", "adi"], ["--precision", "mixed", "--krylov", "cg"], ["--matrix", "stored"],
                          ["--precision", "mixed", "--storage", "f16", "--cycles", "4", "--cycle", "w"]):
            with self.subTest(arguments=arguments):
                result = self.quickly("--mesh", "A3", "--level", "5", *arguments)
                self.assertEqual(result["problem"], "A3 level 5")
                for row in result["rows"]:
                    self.assertEqual(row["method"], "multigrid")
                    if "--cycles" in arguments:
                        self.assertIsNone(row["residual"])
                    else:
                        self.assertLess(row["residual"], 1e-8)

    def test_batches(self):
        for batch, name in (("33x40", "33x40 f64 contiguous general"),
                            ("33x40,interleaved,shifted,periodic", "33x40 f64 interleaved shifted periodic"),
                            ("33x40,shared,factors", "33x40 f64 contiguous shared")):
            result = self.quickly("--batch", batch)
            self.assertEqual(result["problem"], name)
            for row in result["rows"]:
                self.assertEqual(row["method"], "thomas" if "factors" in batch else "auto")
                self.assertLess(row["residual"], 1e-12)
        result = self.quickly("--batch", "33x40", "--precision", "f32", "--algorithm", "pivoted", "--slabs", "3")
        self.assertEqual([(row["method"], row["tasks"]) for row in result["rows"]], 2 * [("pivoted", 3)])


if __name__ == "__main__":
    program.main()
