#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""starfish bench: rows, limits, peers, CSV and pictures of every benchmark, and its usage."""
import csv
import io
import json
import os
import shutil
import statistics
import unittest.mock

import program
from program import Case


class Bench(Case):
    KEYS = ["who", "case", "seconds", "min", "max", "repeats", "bytes", "bytes_per_second"]
    QUICK = ["bench", "poisson3d", "--n", "16", "--workers", "cpu:1", "--repeat", "3", "--warmup", "1"]

    def bench(self, *arguments):
        """A quick run; returns what it prints."""
        status, out, said = self.run_program(*self.QUICK, *arguments)
        self.assertEqual((status, said), (0, []), out)
        return out

    def rows(self, *arguments):
        """The rows of the JSON, which must be as promised."""
        result = json.loads(self.bench("--json", *arguments))
        self.assertEqual(set(result), {"name", "machine", "rows"})
        self.assertEqual(result["name"], "poisson3d")
        self.assertIn("core", result["machine"])
        for row in result["rows"]:
            self.assertEqual(list(row)[:len(self.KEYS)], self.KEYS)
            self.assertTrue(0 < row["min"] <= row["seconds"] <= row["max"], row)
            self.assertAlmostEqual(row["bytes"] / row["seconds"] / row["bytes_per_second"], 1, places=9)
        return result["rows"]

    def ours(self, *arguments):
        return [row for row in self.rows(*arguments) if row["who"] == "starfish"]

    def test_rows_are_drawn_again(self):
        with open(self.path("rows.json"), "w") as stream:
            stream.write(self.bench("--method", "slab", "--json", "--roofline", "first.svg", "--plot", "bars.svg"))
        with unittest.mock.patch.dict(os.environ,  # no allocation is zero by chance
                                      GLIBC_TUNABLES="glibc.malloc.tcache_count=0:glibc.malloc.perturb=85"):
            status, out, said = self.run_program("bench", "draw", "rows.json", "--roofline", "again.svg", "--plot",
                                                 "same.svg")
        self.assertEqual((status, out, said), (0, "", []))
        for first, again in (("first.svg", "again.svg"), ("bars.svg", "same.svg")):
            with open(self.path(first)) as one, open(self.path(again)) as other:
                self.assertEqual(one.read(), other.read())
        for text, words in (("{}", '"name": not a text'), ('{"name": "x"}', '"rows": not a list of rows'),
                            ('{"name": "x", "rows": [{}]}', '"rows[0]": has no who or no case'),
                            ('{"name": "x", "rows": [{"who": "a", "case": "b", "seconds": -1}]}',
                             '"rows[0]": its seconds is no number from 0 on')):
            with open(self.path("rows.json"), "w") as stream:
                stream.write(text)
            self.refuse(2, words, "bench", "draw", "rows.json", "--plot", "bars.svg")
        self.refuse(2, "name a picture by --plot, --roofline or --gantt", "bench", "draw", "rows.json")

    def test_list_and_help(self):
        for arguments, word in ((["bench"], "poisson3d"), (["bench", "--help"], "poisson3d"),
                                (["help", "bench"], "poisson3d"), (["bench", "poisson3d", "--help"], "--stream"),
                                (["help", "bench", "poisson3d"], "--stream")):
            status, out, said = self.run_program(*arguments)
            self.assertEqual((status, said), (0, []))
            self.assertIn(word, out)

    def test_json(self):
        rows = self.rows("--method", "slab,blktri,blktri-product,auto")
        self.assertLessEqual({"starfish", "FFTW slab", "FFTW naive", "copy"}, {row["who"] for row in rows})
        self.assertEqual(len({row["case"] for row in rows}), len(rows))
        field = 16**3 * 8
        for row in rows:
            self.assertEqual((row["n"], row["precision"], row["bytes"]), ("16x16x16", "f64", 10 * field))
            if row["who"] != "copy":
                self.assertAlmostEqual(row["fraction"], row["limit_seconds"] / row["seconds"], places=9)
        mine = [row for row in rows if row["who"] == "starfish"]
        self.assertEqual([row["method"] for row in mine], ["slab", "blktri", "blktri-product", "slab"])
        for row in mine:
            self.assertEqual((row["workers"], row["where"], row["in_flight"]), ("cpu:1", "pageable", 1))
            self.assertEqual(row["repeats"], 3)
            self.assertLess(row["residual"], 1e-10)
            self.assertEqual(row["gpu_share"], 0)

    def test_all_combinations(self):
        rows = self.ours("--n", "6,8x5x7", "--precision", "both", "--bc", "periodic/mixed,dirichlet,neumann", "--grid",
                         "cell,node", "--y", "uniform,stretched", "--method", "slab,blktri", "--peers", "none")
        found = {(row["n"], row["precision"], row["bc"], row["grid"], row["y"], row["method"]) for row in rows}
        self.assertEqual(len(found), len(rows))
        # A periodic y cannot be stretched: 2, 4 and 4 combinations for the three ends.
        self.assertEqual(len(rows), 2 * 2 * 2 * (2 + 4 + 4))

    def test_workers_in_turn_and_places(self):
        rows = self.ours("--workers", "cpu:1;cpu:1,gpu:0;all", "--where", "pageable,pinned", "--method", "slab",
                         "--peers", "fast")
        self.assertEqual([(row["workers"], row["where"]) for row in rows],
                         [(workers, where) for workers in ("cpu:1", "cpu:1,gpu:0", "all")
                          for where in ("pinned", "pageable")])

    def test_several_in_flight(self):
        rows = self.ours("--stream", "1,3", "--slabs", "2", "--method", "slab")
        self.assertEqual([row["in_flight"] for row in rows], [1, 3])
        self.assertIn("3 in flight", rows[1]["case"])

    def test_table_csv_and_picture(self):
        out = self.bench("--method", "slab", "--csv", "rows.csv", "--plot", "bars.png")
        for word in ("case", "who", "ms", "of limit", "16^3 f64", "starfish", "FFTW slab", "%"):
            self.assertIn(word, out)
        with open(self.path("bars.png"), "rb") as stream:
            self.assertTrue(stream.read().startswith(b"\x89PNG"))
        with open(self.path("rows.csv"), newline="") as stream:
            written = stream.read()
        for text in (written, self.bench("--method", "slab", "--csv", "-")):
            rows = list(csv.DictReader(io.StringIO(text)))
            self.assertEqual(list(rows[0])[:len(self.KEYS)], self.KEYS)
            self.assertEqual(len(rows), 5)
            for row in rows:
                self.assertNotIn(None, row)
                self.assertGreater(float(row["seconds"]), 0)
            self.assertEqual([row["residual"] != "" for row in rows], [row["who"] == "starfish" for row in rows])

    def test_many(self):
        status, out, said = self.run_program("bench", "many", "--n", "6,9", "--count", "20", "--precision", "f64,f32",
                                             "--workers", "cpu:1", "--repeat", "3", "--warmup", "1", "--json")
        self.assertEqual((status, said), (0, []), out)
        rows = json.loads(out)["rows"]
        self.assertEqual([(row["n"], row["precision"], row["way"]) for row in rows],
                         [(n, p, w) for n in (6, 9) for p in ("f64", "f32")
                          for w in ("one by one", "in flight", "submit", "at once")])
        for row in rows:
            self.assertEqual((row["count"], row["where"], row["bytes"]),
                             (20, "host", 2 * 20 * row["n"]**3 * (8 if row["precision"] == "f64" else 4)))
            self.assertLess(row["residual"], 1e-10 if row["precision"] == "f64" else 1e-3)
            self.assertGreater(row["speedup"], 0)

    def test_tridiag(self):
        quick = ["bench", "tridiag", "--repeat", "2", "--warmup", "0"]
        status, out, said = self.run_program(
            *quick, "--size", "512x512,33x70", "--precision", "f32,f64", "--coefficients", "general,shared,shifted",
            "--algorithm", "auto,cr,pivoted", "--json")
        self.assertEqual((status, said), (0, []), out)
        rows = json.loads(out)["rows"]
        mine = [row for row in rows if row["who"] == "starfish" and row["workers"] == "cpu"]
        self.assertEqual(len(mine), 2 * 2 * 2 * 3 * 3 * 2)  # the public call, and kernels alone
        self.assertEqual(sum(", kernels, " in row["case"] for row in mine), len(mine) / 2)
        # LAPACK wants general contiguous lines; two figures of papers are for 512 lines of 512 in f32.
        self.assertEqual(sum(row["who"] == "LAPACK" for row in rows), 2 * 2)
        self.assertEqual(sum(row["workers"] == "GTX 280" for row in rows), 2)
        self.assertEqual(len({(row["who"], row["case"]) for row in rows}), len(rows))
        real = {"f32": 4, "f64": 8}
        for row in mine:
            unknowns = row["n"] * row["lines"]
            least = {"general": 5 * unknowns, "shared:": 2 * unknowns + 3 * row["n"],
                     "shifted": 2 * unknowns + 3 * row["n"] + row["lines"]}
            kind = next(kind for kind in least if kind in row["case"])
            self.assertEqual(row["bytes"], real[row["precision"]] * least[kind])
            self.assertLess(row["residual"], 1e-4 if row["precision"] == "f32" else 1e-12)
        for message, arguments in (("--size: '5' is not NxL", ["--size", "5"]),
                                   ("--size: '0' is not", ["--size", "0x5"]),
                                   ("--algorithm: 'magic' is not one of auto, thomas", ["--algorithm", "magic"]),
                                   ("--layout: 'round' is not one of contiguous", ["--layout", "round"])):
            with self.subTest(arguments=arguments):
                self.refuse(2, message, *quick, *arguments)

    def test_blktri(self):
        quick = ["bench", "blktri", "--workers", "cpu:1", "--repeat", "2", "--warmup", "0", "--json"]
        status, out, said = self.run_program(
            *quick, "--size", "7,5x255,3x6x10", "--form", "fractions,product,slab", "--precision", "f32,f64", "--split",
            "models,0,2", "--algorithm", "auto,cr", "--radix", "4,2", "--levels")
        self.assertEqual((status, said), (0, []), out)
        rows = json.loads(out)["rows"]
        self.assertEqual(len({row["case"] for row in rows}), len(rows))
        # Without a GPU there is nothing to split, and one way to solve tridiagonal systems.
        whole = [row for row in rows if "step" not in row]
        methods = (("blktri", 4), ("blktri", 2), ("blktri-product", None), ("slab", None))
        self.assertEqual([(row["n"], row["precision"], row["method"], row["radix"]) for row in whole],
                         [(n, precision, method, radix) for n in ("7x7", "5x255", "3x6x10")
                          for precision in ("f32", "f64") for method, radix in methods])
        modes = {"7x7": 7, "5x255": 5, "3x6x10": 18}
        for row in whole:
            self.assertLess(row["residual"], 1e-3 if row["precision"] == "f32" else 1e-10)
            n, size = int(row["n"].split("x")[-1]), {"f32": 4, "f64": 8}[row["precision"]]
            self.assertEqual(row["bytes"], 2 * size * modes[row["n"]] * n)
            steps = [step for step in rows if step["case"].startswith(row["case"] + ": ")]
            bits = n.bit_length()
            levels = 0 if row["method"] == "slab" else (bits + 1) // 2 if row["radix"] == 4 else bits
            self.assertEqual([(step["step"], step["level"]) for step in steps],
                             [("reduction", level) for level in range(levels - 1, 0, -1)] +
                             [("substitution", level) for level in range(levels)])
            # Every row is a separator once, and steps are not longer than the whole.
            down = [step for step in steps if step["step"] == "substitution"]
            self.assertEqual(sum(step["separators"] for step in down), n if levels else 0)
            self.assertTrue(all(0 < step["min"] and step["gpu_share"] == 0 for step in steps))
            self.assertLess(sum(step["min"] for step in steps), row["max"])
        for message, arguments in (("--size: '5x' has an empty entry", ["--size", "5x"]),
                                   ("--size: '2x3x4x5' must be N", ["--size", "2x3x4x5"]),
                                   ("--split: must be a whole number from 0 to 34, is 'all'", ["--split", "all"]),
                                   ("--split: must be a whole number from 0 to 34, is '35'", ["--split", "35"]),
                                   ("--form: 'sum' is not one of fractions, product, slab", ["--form", "sum"]),
                                   ("none of the requested cases", ["--where", "device"])):
            with self.subTest(arguments=arguments):
                self.refuse(2, message, *quick[:-1], *arguments)

    def test_blktri_in_complex_numbers(self):
        quick = ["bench", "blktri", "--workers", "cpu:1", "--repeat", "1", "--warmup", "0", "--json"]
        status, out, said = self.run_program(*quick, "--size", "9,2x7x8", "--form", "fractions,product,slab",
                                             "--precision", "f32,f64", "--data", "real,complex,complex-lines")
        self.assertEqual((status, said), (0, []), out)
        rows = json.loads(out)["rows"]
        self.assertEqual(len({row["case"] for row in rows}), len(rows))
        # Three dimensions are real, and a complex x has no basis.
        forms = {"real": ("blktri", "blktri-product", "slab"), "complex": ("blktri", "blktri-product", "slab"),
                 "complex-lines": ("blktri", "blktri-product")}
        self.assertEqual([(row["n"], row["precision"], row["data"], row["method"]) for row in rows],
                         [(n, precision, data, method) for n in ("9x9", "2x7x8") for precision in ("f32", "f64")
                          for data in forms if n == "9x9" or data == "real" for method in forms[data]])
        for row in rows:
            self.assertLess(row["residual"], 1e-3 if row["precision"] == "f32" else 1e-10)
            unknowns, parts = {"9x9": 81, "2x7x8": 112}[row["n"]], 1 if row["data"] == "real" else 2
            self.assertEqual(row["bytes"], 2 * parts * {"f32": 4, "f64": 8}[row["precision"]] * unknowns)
        self.refuse(2, "--data: 'imaginary' is not one of real, complex", *quick[:-1], "--data", "imaginary")

    def test_blktri_beside_fishpack(self):
        quick = ["bench", "blktri", "--size", "9x7", "--workers", "cpu:1", "--repeat", "1", "--warmup", "0", "--json"]
        status, out, said = self.run_program(*quick)
        self.assertEqual((status, said), (0, []), out)
        self.assertEqual({row["who"] for row in json.loads(out)["rows"]}, {"starfish"})
        self.refuse(2, "--fishpack: no BLKTRI that can be compiled", *quick[:-1], "--fishpack", "/nowhere")
        if not shutil.which(os.environ.get("FC", "gfortran")):
            return
        status, out, said = self.run_program(*quick, "--fishpack", f"{program.SOURCE}/tests/bench/fishpack")
        self.assertEqual((status, said), (0, []), out)
        row, = (row for row in json.loads(out)["rows"] if row["who"] == "FISHPACK")
        self.assertLess(row["residual"], 1e-12)

    def test_fishpack(self):
        quick = ["bench", "fishpack", "--repeat", "2", "--warmup", "1", "--json"]
        problems = {"hwscrt": (7 * 7, "HWSCRT 1/1 8x8"), "hstcrt": (8 * 8, "HSTCRT 1/1 8x8"),
                    "hwsssp": (7 * 16, "HWSSSP 9/0 8x16"), "hstcsp": (8 * 8, "HSTCSP 9/5 8x8"),
                    "blktri": (8 * 8, "BLKTRI 8x8"), "blktri-r": (8 * 8, "BLKTRI with r 8x8"),
                    "hw3crt": (7 * 7 * 7, "HW3CRT 1/1/1 8x8x8")}
        for least, workers in (("1000000", "none"), ("1", "cpu")):
            with unittest.mock.patch.dict(os.environ, STARFISH_FISHPACK_LEAST=least):
                status, out, said = self.run_program(*quick, "--n", "8", "--workers", workers)
            self.assertEqual((status, said), (0, []), out)
            result = json.loads(out)
            self.assertEqual((result["name"], "core" in result["machine"]), ("fishpack", True))
            self.assertEqual([(row["bytes"], row["case"]) for row in result["rows"]],
                             [(16 * unknowns, name) for unknowns, name in problems.values()])
            self.assertEqual([row["routine"] for row in result["rows"]], [name.split("-")[0] for name in problems])
            for row in result["rows"]:
                self.assertEqual(list(row)[:len(self.KEYS)], self.KEYS)
                planned = least == "1" and row["routine"] != "blktri"
                self.assertEqual((row["who"], row["workers"]),
                                 ("starfish, cpu", "cpu") if planned else ("starfish", "calling thread"))
        for message, arguments in (("--n: is 4, must be 5 .. 8192", ["--n", "4"]),
                                   ("--routine: 'genbun' is not one of hwscrt, hstcrt", ["--routine", "genbun"]),
                                   ("--workers: 'tpu' is not one of none, cpu, gpu, all", ["--workers", "tpu"]),
                                   ("--fishpack: no FORTRAN that can be compiled", ["--fishpack", "/nowhere"])):
            with self.subTest(arguments=arguments):
                self.refuse(2, message, *quick[:-1], *arguments)

    def test_fishpack_beside_fishpack(self):
        if not shutil.which(os.environ.get("FC", "gfortran")):
            return
        quick = ["bench", "fishpack", "--n", "8,11", "--repeat", "2", "--warmup", "1", "--fishpack",
                 f"{program.SOURCE}/tests/bench/fishpack"]
        status, out, said = self.run_program(*quick, "--json", "--routine", "hwscrt,blktri,blktri-r")
        self.assertEqual((status, said), (0, []), out)
        rows = json.loads(out)["rows"]
        self.assertEqual([row["who"] for row in rows], ["starfish", "FISHPACK"] * 6)
        solved = [row for row in rows[1::2] if "ierror" not in row]
        # BLKTRI's stand-in takes at most 100 unknowns.
        self.assertEqual([row["case"] for row in rows[1::2] if row.get("ierror") == 1],
                         ["BLKTRI 11x11", "BLKTRI with r 11x11"])
        self.assertEqual(len(solved), 4)
        for row in solved:
            self.assertLess(row["difference"], 1e-12)
        self.refuse(2, "--fishpack: no hstcrt in these sources", *quick, "--routine", "hstcrt")

    def test_multigrid(self):
        quick = ["bench", "multigrid", "--repeat", "2", "--warmup", "0", "--json"]
        status, out, said = self.run_program(
            *quick, "--mesh", "U1,A3", "--level", "3,5", "--precision", "f64,mixed", "--smoother",
            "adi,jacobi,chebyshev", "--cycle", "v,fmg", "--workers", "cpu", "--steps", "3")
        self.assertEqual((status, said), (0, []), out)
        rows = json.loads(out)["rows"]
        ours = [row for row in rows if row["who"] == "starfish"]
        self.assertEqual(len({row["case"] for row in ours}), 2 * 2 * 2 * 3 * 2)
        self.assertEqual({row["smoother"] for row in ours}, {"adi", "jacobi", "chebyshev"})
        for row in ours:
            self.assertEqual("not reached" in row["case"], not row["reached"])
            if row["smoother"] == "adi":
                self.assertTrue(row["reached"])
                self.assertLess(row["residual"], 1e-8)
                self.assertLess(row["error"], 0.11 if "level 3" in row["case"] else 0.004)
                self.assertLess(row["factor"], 0.1)
                self.assertGreater(row["cycles"], 1)
            self.assertGreater(row["limit_seconds"], 0)
        status, out, said = self.run_program(*quick, "--mesh", "A5", "--level", "6", "--precision", "f64,mixed",
                                             "--workers", "cpu", "--krylov", "cg", "--peers", "none")
        self.assertEqual((status, said), (0, []), out)
        gradients = [row for row in json.loads(out)["rows"] if row["who"] == "starfish"]
        self.assertEqual(len(gradients), 2)
        for row in gradients:
            self.assertTrue(row["reached"] and row["krylov"] == "cg" and "CG" in row["case"])
            self.assertLess(row["cycles"], 10)
        # Where hypre is there, all its solvers do what ours does on the easy mesh.
        peers = {row["who"] for row in rows if row["case"] == "U1 level 5 f64: one core"}
        self.assertIn(peers, (set(), {"hypre PFMG", "hypre SMG", "hypre CG+PFMG", "hypre CG+SMG"}))
        self.assertEqual(len([row for row in rows if row["who"] == "copy"]), 1)
        status, out, said = self.run_program(*quick, "--problem", "seven", "--n", "7,15", "--precision",
                                             "f64,mixed,f32", "--smoother", "auto,line-z", "--workers", "cpu",
                                             "--krylov", "cg")
        self.assertEqual((status, said), (0, []), out)
        rows = json.loads(out)["rows"]
        cubes = [row for row in rows if row["who"] == "starfish"]
        self.assertEqual(len({row["case"] for row in cubes}), 2 * 3 * 2)
        self.assertEqual({row["smoother"] for row in cubes}, {"gauss-seidel", "line-z"})
        for row in cubes:
            if row["precision"] != "f32":
                self.assertTrue(row["reached"])
                self.assertLess(row["cycles"], 20)
            self.assertGreater(row["cycle_seconds"], 0)
        self.assertIn({row["who"] for row in rows if row["case"].startswith("15^3: f64, one core")},
                      (set(), {"hypre PFMG", "hypre CG+PFMG"}))
        for message, arguments in (("--n: is 1024, must be 1 .. 1023", ["--problem", "seven", "--n", "1024"]),
                                   ("--problem: 'p9' is not one of q1, seven", ["--problem", "p9"]),
                                   ("no mesh 'U9'", ["--mesh", "U9"]),
                                   ("--level: is -1, must be 1 .. 13", ["--level", "14"]),
                                   ("--smoother: 'sor' is not one of auto, adi", ["--smoother", "sor"]),
                                   ("--cycle: 'x' is not one of v, f, w, fmg", ["--cycle", "x"]),
                                   ("--cycle: F and FMG", ["--cycle", "f", "--krylov", "cg", "--level", "3"]),
                                   ("--smoother: PLANE is for", ["--smoother", "plane", "--level", "3"]),
                                   ("none of the requested cases", ["--where", "device", "--peers", "none"])):
            with self.subTest(arguments=arguments):
                self.refuse(2, message, *quick[:-1], *arguments)

    @unittest.mock.patch.dict(os.environ, STARPU_NCUDA="0")  # cores alone, where there is a GPU too
    def test_node(self):
        quick = ["bench", "node", "--quick", "--repeat", "2", "--warmup", "0"]
        families = "slab,fractions,product,multigrid,q1,flat,flat-cg,deflated"
        status, out, said = self.run_program(*quick, "--json", "--csv", "rows.csv", "--plot", "curves.svg")
        self.assertEqual((status, said), (0, []), out)
        result = json.loads(out)
        rows = result["rows"]
        with open(self.path("rows.csv"), newline="") as stream:
            written = list(csv.DictReader(stream))
        self.assertEqual([row["case"] for row in written], [row["case"] for row in rows])
        self.assertEqual(len({(row["who"], row["case"]) for row in rows}), len(rows))
        seconds = {(row["case"], row["workers"]): float(row["seconds"]) for row in written}
        compared = [row for row in rows if "mode" not in row]
        self.assertEqual([row["workers"] for row in compared], ["cpu:1", "cpu"] * (len(compared) // 2))
        ratios = sorted(float(row["ratio"]) for row in written if row["ratio"])
        self.assertEqual((len(ratios), result["ratios"]), (14, 14))
        for row in compared:
            self.assertEqual("ratio" in row, row["workers"] == "cpu")
            if "ratio" in row:
                self.assertAlmostEqual(row["ratio"] * seconds[row["case"], "cpu:1"] / row["seconds"], 1, places=6)
        self.assertAlmostEqual(result["median_ratio"] / statistics.median(ratios), 1, places=6)
        self.assertAlmostEqual(result["largest_ratio"] / ratios[-1], 1, places=6)
        self.assertEqual(result["slower"], sum(ratio > 1.05 for ratio in ratios))
        scaled = [row for row in rows if "mode" in row]
        counts = [count for count in (1, 2, 4) if count <= int(result["machine"].split()[0])]
        self.assertEqual([(row["curve"], row["workers"]) for row in scaled],
                         [(f"{family}, {mode}", f"cpu:{count}") for family in ("slab", "multigrid", "flat", "flat-cg")
                          for mode in ("strong", "weak") for count in counts if mode == "strong" or count > 1])
        one = {row["curve"].split(",")[0]: row["seconds"] for row in scaled if row["count"] == 1}
        for row in scaled:
            ideal = one[row["curve"].split(",")[0]] / (row["count"] if row["mode"] == "strong" else 1)
            self.assertAlmostEqual(row["efficiency"] * row["seconds"] / ideal, 1, places=6)
        with open(self.path("curves.svg")) as stream:
            self.assertIn("</svg>", stream.read())
        status, out, said = self.run_program(*quick, "--family", "slab,product", "--measure", "ratio", "--plot",
                                             "bars.svg")
        self.assertEqual((status, said), (0, []), out)
        for word in ("31x31 f64: product, host", "cpu:1", "ratio", "3 cases", "median", "above 1.05"):
            self.assertIn(word, out)
        for message, arguments in (("--family: 'fast' is not one of " + families.replace(",", ", "),
                                    ["--family", "fast"]),
                                   ("--measure: 'all' is not one of ratio, scaling", ["--measure", "all"]),
                                   ("unknown option --samples", ["--samples", "samples.csv"]),
                                   ("--repeat: at most 1001", ["--repeat", "1002"]),
                                   ("none of the requested cases", ["--measure", "scaling", "--family", "product"])):
            with self.subTest(arguments=arguments):
                self.refuse(2, message, *quick, *arguments)

    def test_usage(self):
        for message, arguments in (
            ("no benchmark 'poison3d', did you mean poisson3d?; there is poisson3d, tridiag, blktri, many",
             ["bench", "poison3d"]),
            ("no benchmark '--fast'", ["bench", "--fast"]),
            ("unknown option --fast", [*self.QUICK, "--fast"]),
            ("--n: '16x' is not N or NXxNYxNZ", [*self.QUICK, "--n", "16x"]),
            ("--n: '8x8' is not N", [*self.QUICK, "--n", "8x8"]),
            ("--n: '0' is not N", [*self.QUICK, "--n", "16,0"]),
            ("--n: '16,' has an empty entry", [*self.QUICK, "--n", "16,"]),
            ("--precision: 'f16' is not one of f32, f64", [*self.QUICK, "--precision", "f16"]),
            ("--bc: 'robin' is not one of periodic, dirichlet", [*self.QUICK, "--bc", "neumann/robin"]),
            ("--bc: 'mixed/mixed/mixed/mixed' is not KIND", [*self.QUICK, "--bc", "mixed/mixed/mixed/mixed"]),
            ("none of these combinations", [*self.QUICK, "--bc", "periodic", "--y", "stretched"]),
            ("--method: 'magic' is not one of auto, slab, blktri, blktri-product", [*self.QUICK, "--method", "magic"]),
            ("--workers: 'tpu' is not", [*self.QUICK, "--workers", "cpu;tpu"]),
            ("--where: 'cloud' is not one of pageable, pinned, device", [*self.QUICK, "--where", "cloud"]),
            ("--stream: at most 64", [*self.QUICK, "--stream", "1,65"]),
            ("--repeat: at most 1001", [*self.QUICK, "--repeat", "1002"]),
            ("--warmup: must be a whole number from 0", [*self.QUICK, "--warmup", "-1"]),
            ("none of these combinations", [*self.QUICK, "--where", "device"]),
            ("a picture's name ends in .png", [*self.QUICK, "--plot", "bars.gif"]),
            ("its folder cannot be written", [*self.QUICK, "--csv", "no/folder/rows.csv"]),
        ):
            with self.subTest(arguments=arguments):
                self.refuse(2, message, *arguments)
        status, out, said = self.run_program(*self.QUICK, "--csv", "-", "--json")
        self.assertEqual((status, json.loads(out)["status"]), (2, "error"))
        self.assertIn("both want standard output", said[0])


if __name__ == "__main__":
    program.main()
