#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Simulated times rise with the size of the problem, in every kind, on every set of workers, whether the sizes were
recorded or not; rows far from what was recorded are marked; spreads stand beside the middle of runs that differ; and
block cyclic reduction is shared by the speed of the GPU.

    sizes.py PROGRAM SOURCE_FOLDER [unittest arguments]"""
import concurrent.futures
import csv
import json
import os
import shutil
import unittest

import program
from program import Case

MACHINE = "h200-16c"
SIZES = [32, 64, 128, 256, 512]
SMALL = {"diffusion": [32, 64, 128]}
SQUARE = {"lower": 1, "diag": -2, "upper": 1}


def poisson(n):
    """The example of docs/problem-files.md, larger and smaller."""
    return program.poisson(n=[n, n, n], length=[1, 1, 0.5], grid={"y": "cell", "z": "node"}, rhs=0,
                           bc={"x": "periodic", "y": ["neumann", "neumann"], "z": ["dirichlet", "neumann"]},
                           boundary={"z0": 300, "z1": -20})


def square(n):
    return {"kind": "separable2d", "n": [n, n], "x": SQUARE, "y": SQUARE, "rhs": 1}


def diffusion(n):
    sides = {axis: ["dirichlet", "dirichlet"] for axis in "xyz"}
    return {"kind": "diffusion3d", "n": [n, n, n], "length": [1, 1, 1], "bc": sides, "coefficient": 1, "rhs": 1}


def atmosphere(n):
    return {"kind": "atmosphere3d", "geometry": "panel", "n": [n, n, n // 4], "height": 0.00785, "omega": 6.6 / n,
            "lambda": 1, "rhs": 1}


# What is solved, its options, and the sets of workers. A policy that chooses between a GPU and cores for a task of
# microseconds may choose worse on the larger problem, so that the small tasks of NAMED have GPUs alone. Sets that take
# a second or more of a size are left out, and sizes of which the making of a plan does.
KINDS = {
    "slab": (poisson, ["--method", "slab"], "gpu;all;cpu"),
    "blktri": (poisson, ["--method", "blktri"], "gpu;all;cpu"),
    "blktri-product": (poisson, ["--method", "blktri-product"], "gpu;all;cpu"),
    "multigrid": (poisson, ["--method", "multigrid", "--cycles", "1"], "gpu;all"),
    "square, blktri": (square, ["--method", "blktri"], "gpu;all;team"),
    "square, blktri-product": (square, ["--method", "blktri-product"], "gpu;all;team"),
    "diffusion": (diffusion, ["--method", "cg", "--cycles", "4", "--slabs", "0"], "gpu;all;team"),
    "atmosphere": (atmosphere, ["--method", "multigrid", "--cycles", "2", "--slabs", "0"], "gpu;all;team"),
}
NAMED = {
    "mesh": (lambda n: ["--mesh", "U1", "--level", str(n.bit_length() - 1), "--cycles", "2", "--slabs", "0"]),
    "batch": (lambda n: ["--batch", f"{n}x{n * n}"]),
    "many": (lambda n: ["--many", f"{n // 4}x64"]),
}


class Sizes(Case):
    def sched(self, *arguments):
        status, out, said = self.run_program("sched", *arguments, "--simulate", MACHINE, "--policies", "dmdas",
                                             "--warmup", "1", "--repeat", "3", "--json")
        self.assertEqual((status, said), (0, []), out)
        return json.loads(out)["rows"]

    def rows_of(self, kind, n):
        if kind in NAMED:
            return self.sched(*NAMED[kind](n), "--workers", "gpu")
        make, options, workers = KINDS[kind]
        return self.sched(self.write(f"{kind}-{n}.json", make(n)), *options, "--workers", workers)

    def test_times_rise_with_size(self):
        asked = [(kind, n) for kind in [*KINDS, *NAMED] for n in SMALL.get(kind, SIZES)]
        with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
            found = dict(zip(asked, pool.map(self.rows_of, *zip(*asked))))
        for kind in [*KINDS, *NAMED]:
            sizes = SMALL.get(kind, SIZES)
            for w, row in enumerate(found[kind, sizes[0]]):
                times = [found[kind, n][w]["seconds"] for n in sizes]
                with self.subTest(kind=kind, workers=row["workers"]):
                    self.assertEqual(times, sorted(times))
                    self.assertLess(times[0], times[-1])

    def test_rows_far_from_what_was_recorded_are_marked(self):
        for n, marked in ((8, True), (256, False)):
            path = self.write("p.json", program.poisson(n=[n, n, n], grid={"y": "cell", "z": "cell"}, rhs=1))
            row = self.sched(path, "--method", "slab", "--workers", "gpu")[0]
            self.assertEqual(row["far_estimates"] > 0.5, marked, n)
            _, out, _ = self.run_program("sched", path, "--method", "slab", "--simulate", MACHINE, "--workers", "gpu",
                                         "--policies", "dmdas", "--repeat", "1")
            self.assertEqual("?~" in out, marked, out)
            self.assertEqual("?: most tasks are estimates" in out, marked, out)
            self.assertEqual("more than 4 times larger or smaller" in out, marked, out)

    def test_spreads_stand_beside_simulated_times(self):
        case = ["machine", "compare", MACHINE, "--case", "held-slab-200", "--workers", "cpu"]
        status, out, _ = self.run_program(*case, "--csv", "rows.csv")
        self.assertEqual(status, 0)
        self.assertRegex(out, r"simulated ms +spread +off")
        with open(self.path("rows.csv"), newline="") as stream:
            rows = list(csv.DictReader(stream))
        self.assertTrue(any(float(row["simulated_spread_seconds"]) > 0 for row in rows))
        status, out, _ = self.run_program(*case, "--markdown")
        self.assertRegex(out, r"\| [\d.]+, [\d.]+ \([\d.]+\): [+-]\d+ % \|")
        command = ["--simulate", "h200x2-32c", "--json"]
        status, out, _ = self.run_program("bench", "scaling", "--over", "gpus", "--count", "1", "--mode", "strong",
                                          "--n", "200", "--repeat", "3", *command)
        row = json.loads(out)["rows"][0]
        self.assertEqual(row["repeats"], 3)
        self.assertTrue(row["min"] < row["seconds"] < row["max"], row)
        status, out, _ = self.run_program("sched", "--nodes", "2", *command)
        self.assertTrue(all(row["node_spread_seconds"] > 0 for row in json.loads(out)["rows"]), out)

    def test_blktri_is_shared_by_the_speed_of_the_gpu(self):
        """By width, where there are several modes of x, and by levels, where there is one: a fast GPU solves alone, a
        slower one shares the work with the cores, and of the slowest hardly anything is wanted."""
        machines = self.path("machines")
        shutil.copytree(f"{program.SOURCE}/data/machines/{MACHINE}", f"{machines}/{MACHINE}")
        os.environ["STARFISH_MACHINES"] = machines
        self.addCleanup(os.environ.pop, "STARFISH_MACHINES")
        for speed in (400, 50, 12, 5, 1):
            self.assertEqual(self.run_program("machine", "derive", f"at{speed}", "--from", MACHINE, "--gpu-speed",
                                              str(speed), "--out", f"{machines}/at{speed}")[0], 0)
        cube = program.poisson(n=[96, 128, 128], grid={"y": "cell", "z": "cell"}, rhs=1)
        for name, problem, speeds in (("cube", cube, (400, 12, 1)), ("square", square(512), (400, 50, 5))):
            of_cores = []
            for speed in speeds:
                status, out, _ = self.run_program("sched", self.write(f"{name}.json", problem), "--method",
                                                  "blktri-product", "--simulate", f"at{speed}", "--policies", "dmdas",
                                                  "--repeat", "1", "--workers", "all", "--json")
                self.assertEqual(status, 0, out)
                of_cores.append(json.loads(out)["rows"][0]["cpu_tasks"])
            with self.subTest(problem=name, of_cores=of_cores):
                self.assertLess(of_cores[0], 0.1)  # a task on the right-hand side is for any worker
                self.assertTrue(0.1 < of_cores[1] < 1)
                self.assertGreater(of_cores[2], 0.9)


if __name__ == "__main__":
    program.main()
