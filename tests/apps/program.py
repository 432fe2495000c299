#!/usr/bin/env python3
"""The program as its users meet it: good problems are solved, bad ones end with the right exit status, one clear line
and no harm to files.

    program.py PROGRAM SOURCE_FOLDER [unittest arguments]"""
import array
import csv
import io
import json
import math
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

PROGRAM, SOURCE = sys.argv[1:3]
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


class Good(Case):
    def test_json_tells_everything(self):
        result = self.solve(poisson(solution="u.npy"), "--repeat", "3")
        for key in ("method", "reason", "seconds", "plan_seconds", "residual", "pertrb", "phases", "bytes", "error"):
            self.assertIn(key, result)
        self.assertEqual(result["refinements"], 0)
        self.assertGreater(result["repeat"]["stream"], 0)
        self.assertEqual(result["n"], [NX, NY, NZ])
        self.assertLess(result["residual"], 1e-12)
        self.assertEqual(len(result["repeat"]["seconds"]), 3)
        self.assertEqual(set(result["bytes"]), {"host_to_device", "device_to_host", "device_to_device"})
        tasks = sum(result["workers"][kind]["tasks"] for kind in ("cpu", "gpu"))
        self.assertGreater(tasks, 0)
        self.assertEqual(read_npy(self.path("u.npy"))[0], (NZ, NY, NX))

    def test_all_methods_agree(self):
        answers = []
        for method in ("auto", "slab", "blktri", "blktri-product"):
            result = self.solve(poisson(), "--method", method, "--out", self.path("u.npy"))
            self.assertEqual(result["method"], "slab" if method == "auto" else method)
            answers.append(read_npy(self.path("u.npy"))[1])
        for answer in answers[1:]:
            self.assertLess(max(abs(a - b) for a, b in zip(answer, answers[0])), 1e-12)

    def test_multigrid_agrees(self):
        """The same equations, to the tolerance, in both precisions of the cycles; also singular, and in 2D."""
        ends = {"x": "periodic", "y": "periodic", "z": ["neumann", "neumann"]}
        for problem in (poisson(), poisson(bc=ends, grid={"z": "cell"}), separable({"diag": -2.5})):
            self.solve(problem, "--out", self.path("u.npy"))
            direct = read_npy(self.path("u.npy"))[1]
            for precision in ("f64", "mixed"):
                result = self.solve(problem, "--method", "multigrid", "--precision", precision, "--out", self.path("v.npy"))
                self.assertEqual(result["method"], "multigrid")
                self.assertGreater(result["cycles"], 0)
                self.assertLess(result["tolerated"], 1e-10)
                self.assertIn("cycles", result["phases"])
                error = max(abs(a - b) for a, b in zip(read_npy(self.path("v.npy"))[1], direct))
                self.assertLess(error, 1e-8 * max(map(abs, direct)))
        # Nothing but its mean: no cycle can make what rounding leaves of it smaller.
        result = self.solve(poisson(bc=ends, grid={"z": "cell"}, rhs=2.3), "--method", "multigrid")
        self.assertAlmostEqual(result["pertrb"], 2.3, places=12)

    def test_files_of_every_kind(self):
        result = self.solve(poisson(), "--precision", "f32", "--out", "u.h5:/deep/u", "--vtk", "u.vti", "--plot",
                            "u.png", "--workers", "cpu:1,gpu:0", "--slabs", "2")
        self.assertEqual(result["workers"]["gpu"]["tasks"], 0)
        contents = self.contents()
        for name, magic in (("u.h5", b"\x89HDF"), ("u.vti", b"<?xml"), ("u.png", b"\x89PNG")):
            self.assertTrue(contents[self.path(name)].startswith(magic), name)
        # What was written serves as a right-hand side.
        self.solve(poisson(rhs="u.h5:/deep/u"))
        self.assertEqual(len(self.contents()), len(contents))

    def test_another_right_hand_side_and_relative_names(self):
        os.mkdir(self.path("sub"))
        self.write("sub/p.json", poisson(rhs="absent.npy", solution="u.npy"))
        status, out, said = self.run_program("solve", "sub/p.json", "--rhs", "f.npy", "--quiet")
        self.assertEqual((status, out, said), (0, "", []))
        self.assertTrue(os.path.exists(self.path("sub/u.npy")))

    def test_table(self):
        status, out, said = self.run_program("solve", self.write("p.json", poisson(exact=0)))
        self.assertEqual((status, said), (0, []))
        for word in ("method", "residual", "error", "phase", "cpu", "gpu", "host to device"):
            self.assertIn(word, out)

    def test_singular_problem(self):
        ends = {"x": "periodic", "y": "periodic", "z": ["neumann", "neumann"]}
        count = NX * NY * NZ
        result = self.solve(poisson(bc=ends, grid={"z": "cell"}, solution="u.npy"))
        self.assertTrue(result["singular"])
        self.assertAlmostEqual(result["pertrb"], sum(ramp(count)) / count, places=12)
        self.assertLess(abs(sum(read_npy(self.path("u.npy"))[1]) / count), 1e-12)
        # Nothing but its mean: the solution is zero, and the residual is rounding relative to rounding.
        result = self.solve(poisson(bc=ends, grid={"z": "cell"}, rhs=2.3, solution="u.npy"))
        self.assertAlmostEqual(result["pertrb"], 2.3, places=12)
        self.assertLess(max(map(abs, read_npy(self.path("u.npy"))[1])), 1e-12)

    def test_separable2d(self):
        for method in ("auto", "slab", "blktri", "blktri-product"):
            result = self.solve(separable({"diag": -2.5}), "--method", method)
            self.assertEqual(result["n"], [NX, NY])

    def test_slab_takes_what_is_symmetrisable(self):
        """A direction without a transform has a basis of eigenvectors: where it is short that is what auto takes."""
        write_npy(self.path("y.npy"), (NY,), [-3 - j for j in range(NY)])
        rows = {"lower": 1, "diag": -3, "upper": 1}
        problem = {"kind": "separable3d", "n": [NX, NY, NZ], "length": [1], "y": dict(rows, diag="y.npy"), "z": rows,
                   "rhs": "f.npy"}
        flat = {"kind": "separable2d", "n": [NY, NX], "x": problem["y"], "y": rows, "rhs": 1}
        for what, method, taken in ((problem, "auto", "slab"), (flat, "auto", "slab"), (flat, "blktri", "blktri")):
            with self.subTest(kind=what["kind"], method=method):
                result = self.solve(what, "--method", method)
                self.assertEqual((result["method"], result["refinements"]), (taken, 0))
                self.assertLess(result["residual"], 1e-12)

    def test_help_version_info(self):
        for arguments, word in ((["help"], "solve"), (["--help"], "info"), (["help", "solve"], "--workers"),
                                (["solve", "--help"], "--repeat"), (["--version"], "starfish 0."),
                                (["info"], "StarPU"), (["info", "--help"], "--json")):
            status, out, said = self.run_program(*arguments)
            self.assertEqual((status, said), (0, []))
            self.assertIn(word, out)
        info = json.loads(self.run_program("info", "--json")[1])
        self.assertGreaterEqual(len(info["workers"]), 1)
        self.assertTrue({"starpu", "policy", "cuda", "cores"} <= set(info))


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
            self.assertEqual(len(rows), 4)
            for row in rows:
                self.assertNotIn(None, row)
                self.assertGreater(float(row["seconds"]), 0)
            self.assertEqual([row["residual"] != "" for row in rows], [row["who"] == "starfish" for row in rows])

    def test_tridiag(self):
        quick = ["bench", "tridiag", "--repeat", "2", "--warmup", "0"]
        status, out, said = self.run_program(
            *quick, "--size", "512x512,33x70", "--precision", "f32,f64", "--coefficients", "general,shared,shifted",
            "--algorithm", "auto,cr,pivoted", "--json")
        self.assertEqual((status, said), (0, []), out)
        rows = json.loads(out)["rows"]
        mine = [row for row in rows if row["who"] == "starfish" and row["workers"] == "cpu"]
        self.assertEqual(len(mine), 2 * 2 * 2 * 3 * 3)
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
        self.assertEqual([(row["n"], row["precision"], row["method"], row["radix"]) for row in whole],
                         [(n, precision, method, radix) for n in ("7x7", "5x255", "3x6x10") for precision in ("f32", "f64")
                          for method, radix in (("blktri", 4), ("blktri", 2), ("blktri-product", None), ("slab", None))])
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
                                   ("--size: '2x3x4x5' is none of N", ["--size", "2x3x4x5"]),
                                   ("--split: 'all' is not", ["--split", "all"]),
                                   ("--split: at most 34 levels", ["--split", "35"]),
                                   ("--form: 'sum' is not one of fractions, product, slab", ["--form", "sum"]),
                                   ("nothing of what is asked for", ["--where", "device"])):
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
        status, out, said = self.run_program("bench", "blktri", "--size", "255", "--workers", "cpu:1", "--repeat", "1",
                                             "--warmup", "0")
        self.assertEqual((status, said), (0, []), out)
        self.assertIn("FISHPACK", out)

    def test_multigrid(self):
        quick = ["bench", "multigrid", "--repeat", "2", "--warmup", "0", "--json"]
        status, out, said = self.run_program(
            *quick, "--mesh", "U1,A3", "--level", "3,5", "--precision", "f64,mixed", "--smoother", "adi,jacobi,chebyshev",
            "--cycle", "v,fmg", "--workers", "cpu", "--steps", "3")
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
        status, out, said = self.run_program(*quick, "--problem", "seven", "--n", "7,15", "--precision", "f64,mixed,f32",
                                             "--smoother", "auto,line-z", "--workers", "cpu", "--krylov", "cg")
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
                                   ("no mesh 'U9'", ["--mesh", "U9"]), ("--level: is -1, must be 1 .. 13", ["--level", "14"]),
                                   ("--smoother: 'sor' is not one of auto, adi", ["--smoother", "sor"]),
                                   ("--cycle: 'x' is not one of v, f, w, fmg", ["--cycle", "x"]),
                                   ("options.shape: F and FMG", ["--cycle", "f", "--krylov", "cg", "--level", "3"]),
                                   ("nothing of what is asked for", ["--where", "device", "--peers", "none"])):
            with self.subTest(arguments=arguments):
                self.refuse(2, message, *quick[:-1], *arguments)

    def test_usage(self):
        for message, arguments in (
            ("no benchmark 'poison3d'; there is poisson3d, tridiag, blktri, multigrid", ["bench", "poison3d"]),
            ("no benchmark '--fast'", ["bench", "--fast"]),
            ("unknown option --fast", [*self.QUICK, "--fast"]),
            ("--n: '16x' is not N or NXxNYxNZ", [*self.QUICK, "--n", "16x"]),
            ("--n: '8x8' is not N", [*self.QUICK, "--n", "8x8"]),
            ("--n: '0' is not N", [*self.QUICK, "--n", "16,0"]),
            ("--n: '16,' has an empty entry", [*self.QUICK, "--n", "16,"]),
            ("--precision: 'f16' is not one of f32, f64", [*self.QUICK, "--precision", "f16"]),
            ("--bc: 'robin' is not one of periodic, dirichlet", [*self.QUICK, "--bc", "neumann/robin"]),
            ("--bc: 'mixed/mixed/mixed' is not KIND", [*self.QUICK, "--bc", "mixed/mixed/mixed"]),
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


class Reproduce(Case):
    def rows(self, *arguments):
        status, out, said = self.run_program("reproduce", *arguments, "--repeat", "2", "--warmup", "0", "--json")
        self.assertEqual((status, said), (0, []), out)
        return json.loads(out)["rows"]

    def test_list(self):
        for arguments in (["reproduce"], ["reproduce", "--help"], ["help", "reproduce"]):
            status, out, said = self.run_program(*arguments)
            self.assertEqual((status, said), (0, []))
            self.assertIn("valero-lara-3d", out)

    def test_valero_lara(self):
        """Without a GPU: steps of one size and whole solves of all, on one core and on all of them."""
        for name, steps, whole, sizes in (("valero-lara-2d", "7", "8", 4), ("valero-lara-3d", "11", "12", 3)):
            rows = self.rows(name, "--n", "16")
            variants = list(dict.fromkeys(row["variant"] for row in rows))
            self.assertIn(variants, (["Thomas, one core"], ["Thomas, one core", "Thomas, all cores"]))
            self.assertEqual(len({row["case"] for row in rows}), len(rows))
            self.assertEqual({row["figure"] for row in rows}, {steps, whole})
            for row in rows:
                self.assertIsNone(row["paper"])
                self.assertEqual(row["ours"], row["seconds"])
            for variant in variants:
                mine = [row for row in rows if row["variant"] == variant]
                self.assertEqual(sum(row["figure"] == whole for row in mine), sizes)
                # 15 rows: 8, 4, 2 and 1 separators.
                self.assertEqual([(row["phase"], row["step"], row["separators"]) for row in mine
                                  if row["figure"] == steps],
                                 [("reduction", 1, 8), ("reduction", 2, 4), ("reduction", 3, 2), ("substitution", 1, 1),
                                  ("substitution", 2, 2), ("substitution", 3, 4), ("substitution", 4, 8)])
            self.assertEqual({row["speedup"] for row in rows if row["variant"] == variants[0]}, {1.0})

    def test_goeddeke(self):
        """Errors and cycles are the paper's where it has the level, and the paper's numbers are beside them."""
        rows = self.rows("goeddeke-table1", "--level", "6")
        for single, sums, double in zip(rows[::3], rows[1::3], rows[2::3]):
            self.assertAlmostEqual(single["ours"] / single["paper"], 1, delta=0.02)
            self.assertAlmostEqual(double["ours"] / double["paper"], 1, delta=2e-5)
            self.assertEqual(sums["variant"], "single, row sums")
            self.assertAlmostEqual(sums["ours"] / double["ours"], 1, delta=5e-4)
        rows = self.rows("goeddeke-table2", "--level", "5")
        self.assertEqual(len(rows), 8 * 2 * 2)
        for double, mixed in zip(rows[::2], rows[1::2]):
            self.assertAlmostEqual(double["ours"] / mixed["ours"], 1, delta=1e-5)
            self.assertIsNone(double["paper"])
        for name in ("goeddeke-table3", "goeddeke-table4"):
            rows = self.rows(name, "--level", "4")
            self.assertEqual(len(rows), 8 * 2 * 4 * 2)
            for row in rows:
                self.assertLess(row["residual"], 1e-8)
                if row["variant"] == "2 inner cycles":
                    self.assertEqual(row["corrections"], (row["cycles"] + 1) // 2)
        for name, times in (("goeddeke-table5", 2), ("goeddeke-table6", 2)):
            rows = self.rows(name, "--level", "3")
            self.assertEqual(sum("seconds" in row for row in rows), 8 * 2 * times)
            self.assertTrue(all(row["ours"] is None for row in rows if "seconds" not in row))
        rows = self.rows("goeddeke-figure2", "--level", "4")
        timed = [row for row in rows if "seconds" in row and row["who"] == "starfish"]
        self.assertEqual({(row["level"], row["precision"], row["variant"]) for row in timed},
                         {(level, precision, f"{what}, all cores") for level in (3, 4) for precision in ("f32", "f64")
                          for what in ("AXPY", "DEFECT")})
        self.assertEqual(len(timed), 8)
        for row in timed:  # words of an AXPY, of a DEFECT with five bands
            self.assertEqual(row["bytes"], (2**row["level"] - 1)**2 * (3 if "AXPY" in row["variant"] else 8) *
                             (4 if row["precision"] == "f32" else 8))
            ours = {other["case"].split(": ")[1]: other["ours"] for other in rows
                    if other["case"].startswith(row["case"].split(": ")[0])}
            self.assertAlmostEqual(ours["GB/s"] / (1e-9 * row["bytes_per_second"]), 1)
            self.assertAlmostEqual(ours["GB/s over those of a copy"] / row["fraction"], 1)
            self.assertAlmostEqual(ours["GFLOP/s"] / ours["GB/s"] * row["bytes"] / (2**row["level"] - 1)**2,
                                   2 if "AXPY" in row["variant"] else 18)
        for name in ("goeddeke-figure5", "goeddeke-figure6"):
            rows = self.rows(name, "--level", "4")
            self.assertEqual({row["variant"] for row in rows if "seconds" in row}, {"Jacobi", "ADI-TRIDI"})
            self.assertEqual(sum("paper_says" in row for row in rows), 2)
        self.refuse(2, "--level: is 14, must be 3 .. 13", "reproduce", "goeddeke-table2", "--level", "14")

    def test_table_csv_and_picture(self):
        status, out, said = self.run_program("reproduce", "valero-lara-2d", "--n", "16", "--repeat", "1", "--csv",
                                             "rows.csv", "--plot", "bars.png")
        self.assertEqual((status, said), (0, []), out)
        for word in ("paper", "not stated", "substitution step 4, Thomas, one core", "16 x 16"):
            self.assertIn(word, out)
        with open(self.path("bars.png"), "rb") as stream:
            self.assertTrue(stream.read().startswith(b"\x89PNG"))
        with open(self.path("rows.csv"), newline="") as stream:
            rows = list(csv.DictReader(stream))
        self.assertTrue(all(row["paper"] == "" and float(row["ours"]) > 0 for row in rows))

    def test_usage(self):
        self.refuse(2, "no experiment 'nothing'; there is valero-lara-2d, valero-lara-3d, goeddeke-table1", "reproduce", "nothing")
        self.refuse(2, "--n: at least 16", "reproduce", "valero-lara-2d", "--n", "8")
        self.refuse(2, "unknown option --fast", "reproduce", "valero-lara-3d", "--fast")


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
        self.assertEqual(set(result), {"name", "machine", "rows", "problem", "calibration"})
        self.assertEqual([entry["workers"] for entry in result["calibration"]], ["cpu:1", "all"])
        for entry in result["calibration"]:
            self.assertTrue(entry["complete"])
            # Nothing is known, ten samples are wanted, and the one task per solve brings one, of which the first does not count.
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
        out = self.sched("--method", "blktri", "--csv", "rows.csv", "--plot", "bars.png")
        for word in ("calibrated cpu:1: ", "calibrated all: ", "policy", "idle", "gpu work", "area", *self.POLICIES):
            self.assertIn(word, out)
        with open(self.path("bars.png"), "rb") as stream:
            self.assertTrue(stream.read().startswith(b"\x89PNG"))
        with open(self.path("rows.csv"), newline="") as stream:
            rows = list(csv.DictReader(stream))
        self.assertEqual([row["who"] for row in rows], 2 * self.POLICIES)
        self.assertEqual({row["method"] for row in rows}, {"blktri"})

    def test_usage(self):
        problem = self.write("p.json", poisson())
        for message, arguments in (
            ("missing operand", ["sched"]),
            ('--policies: there is no policy named "fastest"; there are starfish-width, ',
             ["sched", problem, "--policies", "lws,fastest"]),
            ("--policies: 'lws,' has an empty entry", ["sched", problem, "--policies", "lws,"]),
            ("--workers: 'tpu' is not all, cpu, gpu, cpu:N, gpu:M or cpu:N,gpu:M; this machine has ",
             ["sched", problem, "--workers", "cpu;tpu"]),
            ("--workers: 'cpu:9999' is not there; this machine has ", ["sched", problem, "--workers", "cpu:9999"]),
            ("--workers: 'gpu:99' is not there; this machine has ", ["sched", problem, "--workers", "gpu:99"]),
            ("options.slabs is 64, but at most 5 are possible", ["sched", problem, "--slabs", "64"]),
            ("No such file", ["sched", self.path("none.json")]),
            ("a picture's name ends in .png", ["sched", problem, "--plot", "bars.gif"]),
            ("mixed mode", ["sched", problem, "--precision", "mixed"]),
        ):
            with self.subTest(arguments=arguments):
                self.refuse(2, message, *arguments)


class Trace(Case):
    def trace(self, *arguments, problem=None):
        """Trace into the folder `t`; returns what is printed and the JSON."""
        status, out, said = self.run_program("trace", self.write("p.json", problem or poisson()), "--out", "t",
                                             *arguments)
        self.assertEqual((status, said), (0, []), out)
        with open(self.path("t/trace.json")) as stream:
            return out, json.load(stream)

    def check_json(self, trace):
        """The format, and what must hold of every trace; returns the tasks."""
        self.assertEqual(set(trace), {"traceEvents", "displayTimeUnit", "otherData"})
        needed = {"M": {"name", "pid", "tid", "args"}, "X": {"name", "cat", "ts", "dur", "pid", "tid", "args"},
                  "i": {"name", "ts", "pid", "tid", "s"}, "s": {"name", "cat", "ts", "id", "pid", "tid"},
                  "f": {"name", "cat", "ts", "id", "bp", "pid", "tid"}, "C": {"name", "ts", "pid", "tid", "args"}}
        for event in trace["traceEvents"]:
            self.assertLessEqual(needed[event["ph"]], set(event), event)
            if event["ph"] != "M":
                self.assertGreaterEqual(event["ts"], 0)
        tasks = [event for event in trace["traceEvents"] if "task" in event.get("args", {})]
        self.assertEqual(sorted(task["args"]["task"] for task in tasks), list(range(trace["otherData"]["tasks"])))
        ran = sorted((task["pid"], task["tid"], task["ts"], task["dur"]) for task in tasks if task["ph"] == "X")
        for before, after in zip(ran, ran[1:]):
            if before[:2] == after[:2]:
                self.assertLessEqual(before[2] + before[3], after[2] + 1e-6)
        begins, ends = ({event["id"]: event["ts"] for event in trace["traceEvents"] if event["ph"] == phase}
                        for phase in "sf")
        self.assertEqual(begins.keys(), ends.keys())
        for number, begin in begins.items():
            self.assertLessEqual(begin, ends[number] + 1e-6)
        last = {}
        for event in trace["traceEvents"]:
            if event["ph"] == "C":
                self.assertGreaterEqual(event["args"]["value"], 0)
                last[event["name"]] = event["args"]["value"]
        self.assertIn("bytes got at main0", last)
        self.assertEqual({last[name] for name in last if not name.startswith("bytes got at")}, {0})
        return tasks

    def test_slab(self):
        out, trace = self.trace("--slabs", "4", "--policy", "starfish-width")
        tasks = self.check_json(trace)
        names = [task["name"] for task in tasks]
        for slab in range(4):
            for name in ("forward", "backward", "bring home"):
                self.assertEqual(names.count(f"{name}, slab {slab}"), 1)
        self.assertEqual(trace["otherData"]["policy"], "starfish-width")
        self.assertEqual(trace["otherData"]["method"], "slab")
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

    def test_blktri_and_a_singular_problem(self):
        ends = ["neumann", "neumann"]
        problem = poisson(bc={"x": "periodic", "y": ends, "z": ends})
        tasks = self.check_json(self.trace("--method", "blktri", "--warmup", "0", problem=problem)[1])
        levels = {task["args"]["level"] for task in tasks if "level" in task["args"]}
        self.assertEqual(levels, set(range(len(levels))))
        self.assertTrue(any(task["name"] == "constant mode" for task in tasks))

    def test_explanation(self):
        out, _ = self.trace("--explain", "--quiet", "--slabs", "3")
        for words in ("The solve took ", "The busiest worker was cpu ", "Workers were idle for ",
                      " before the reduced system, ", "forward (3 tasks of ", "What the end had to wait for",
                      "With no worker idle it would take "):
            self.assertIn(words, out)
        self.assertNotIn("written", out)

    def test_starpus_own(self):
        status, out, _ = self.run_program("info", "--json")
        self.assertEqual(status, 0)
        if not json.loads(out)["fxt"]:
            self.skipTest("StarPU without FxT")
        tasks = self.check_json(self.trace("--slabs", "2")[1])
        with open(self.path("t/tasks.rec")) as stream:
            names = [line[6:].strip() for line in stream if line.startswith("Name: ")]
        self.assertEqual(sorted(names), sorted(task["name"].partition(",")[0] for task in tasks))
        for name, start in (("dag.dot", "digraph"), ("paje.trace", "%EventDef")):
            with open(self.path(f"t/{name}")) as stream:
                self.assertTrue(stream.read().startswith(start))

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


class Examples(Case):
    def example(self, name, *arguments, make=()):
        made = self.path(name)
        subprocess.run([sys.executable, f"{SOURCE}/apps/examples/make-data", name, "--out", made, *make], check=True)
        status, out, said = self.run_program("solve", f"{made}/{name}.json", "--json", *arguments)
        self.assertEqual((status, said), (0, []), out)
        self.assertTrue(os.path.exists(f"{made}/solution.npy"))
        return json.loads(out)

    def test_fishpack_figures(self):
        for name, error in (("fishpack-hw3crt", 9.64802e-3), ("fishpack-pois3d", 2.93277e-2),
                            ("fishpack-blktri", 1.64778571e-5)):
            for method in ("auto", "blktri"):
                with self.subTest(name=name, method=method):
                    self.assertLess(abs(self.example(name, "--method", method)["error"] / error - 1), 1e-5)

    def test_demo_and_channel_converge(self):
        for name in ("demo", "channel"):
            errors = [self.example(name, make=("--n", n))["error"] for n in ("32", "64")]
            self.assertLess(errors[1], errors[0] / 3)


class Bad(Case):
    def test_usage(self):
        problem = self.write("p.json", poisson())
        for message, arguments in (
            ("no command", []),
            ("unknown command 'slove'", ["slove"]),
            ("unknown command", ["help", "slove"]),
            ("missing operand", ["solve"]),
            ("unexpected 'q.json'", ["solve", problem, "q.json"]),
            ("unknown option --fast", ["solve", problem, "--fast"]),
            ("unknown option -x", ["info", "-x"]),
            ("--method: 'magic' is not one of auto, slab", ["solve", problem, "--method", "magic"]),
            ("--method: needs", ["solve", problem, "--method"]),
            ("--precision: 'f16'", ["solve", problem, "--precision=f16"]),
            ("no mixed mode", ["solve", problem, "--precision", "mixed"]),
            ("--workers: 'tpu'", ["solve", problem, "--workers", "tpu"]),
            ("--workers: 'cpu:0'", ["solve", problem, "--workers", "cpu:0"]),
            ("--workers: 'cpu:0,gpu:0'", ["solve", problem, "--workers", "cpu:0,gpu:0"]),
            ("--workers: 'cpu:1,'", ["solve", problem, "--workers", "cpu:1,"]),
            ("--workers: 'cpu,cpu'", ["solve", problem, "--workers", "cpu,cpu"]),
            ("--slabs: must be", ["solve", problem, "--slabs", "0"]),
            ("--repeat: must be", ["solve", problem, "--repeat", "-1"]),
            ("--repeat: must be", ["solve", problem, "--repeat", "1e3"]),
            ("--json: takes no value", ["solve", problem, "--json=yes"]),
            ("--out: F is empty", ["solve", problem, "--out", ""]),
        ):
            with self.subTest(arguments=arguments):
                self.refuse(2, message, *arguments)

    def test_problem_files(self):
        count = NX * NY * NZ
        write_npy(self.path("nan.npy"), (NZ, NY, NX), [math.nan] + ramp(count - 1))
        write_npy(self.path("inf.npy"), (NZ, NY, NX), ramp(count - 1) + [math.inf])
        write_npy(self.path("short.npy"), (NZ, NY, NX), ramp(count - 1))
        write_npy(self.path("swapped.npy"), (NX, NY, NZ), ramp(count))
        os.mkdir(self.path("folder.npy"))
        with open(self.path("old.npy"), "wb") as stream:
            stream.write(b"an older solution")
        for message, problem in (
            ("p.json: not JSON", "{"),
            ("p.json: not JSON", json.dumps(poisson())[:-5]),
            ('p.json: "n": missing', poisson(n=None)),
            ('p.json: "rhs": missing', poisson(rhs=None)),
            ('p.json: "speed": unknown key', poisson(speed=1)),
            ('p.json: "n": entry 1 must be from 1', poisson(n=[0, NY, NZ])),
            ('p.json: "n": entry 3 must be from 1', poisson(n=[NX, NY, -4])),
            ('p.json: "n": entry 1 must be from 1', poisson(n=[2**40, NY, NZ])),
            ("p.json: not JSON", poisson(n=[2**70, NY, NZ])),
            ('p.json: "n": more than', poisson(n=[2**31 - 1] * 3, rhs=0)),
            ("no memory for an array", poisson(n=[10000, 10000, 10000], rhs=0)),
            ('p.json: "rhs": ', poisson(rhs="absent.npy")),
            ("truncated", poisson(rhs="short.npy")),
            ("element (0, 0, 0) is NaN", poisson(rhs="nan.npy")),
            ("element (4, 5, 7) is infinite", poisson(rhs="inf.npy")),
            ("swapped.npy has shape (8, 6, 5), must be (5, 6, 8)", poisson(rhs="swapped.npy")),
            ("folder.npy: is a directory", poisson(rhs="folder.npy")),
            ('"bc.y": one end cannot be periodic', poisson(bc={"x": "periodic", "y": ["periodic", "neumann"]})),
            ('"boundary.x1": a periodic direction', poisson(boundary={"x1": 0})),
        ):
            with self.subTest(message=message):
                if isinstance(problem, dict):
                    problem["solution"] = "old.npy"
                self.refuse(2, message, "solve", self.write("p.json", problem))
        self.refuse(2, "is a directory", "solve", self.folder)
        self.refuse(2, "No such file", "solve", "absent.json")

    def test_outputs_that_cannot_be(self):
        os.mkdir(self.path("taken.npy"))
        os.symlink("/dev/full", self.path("full.npy"))
        problem = self.write("p.json", poisson())
        stretched = self.write("s.json", poisson(grid={"z": {"faces": "faces.npy"}}, length=[1, 1, None]))
        write_npy(self.path("faces.npy"), (NZ + 1,), [k * k for k in range(NZ + 1)])
        for message, arguments in (
            ("taken.npy: is a directory", ["--out", "taken.npy"]),
            ("its folder cannot be written", ["--out", "no/folder/u.npy"]),
            ("its folder cannot be written", ["--out", "no/folder/u.h5:/u"]),
            ("its folder cannot be written", ["--vtk", "no/folder/u.vti"]),
            ("its folder cannot be written", ["--plot", "no/folder/u.png"]),
            ("an array's name is", ["--out", "u.txt"]),
            ("Not a directory", ["--out", "f.npy/u.npy"]),
            ("No space left", ["--out", "full.npy"]),
            ("ends in .png", ["--plot", "u.gif"]),
            ("ends in .vti or .vtr", ["--vtk", "u.vtk"]),
        ):
            with self.subTest(arguments=arguments):
                self.refuse(2, message, "solve", problem, *arguments)
        self.refuse(2, "z is stretched; name it .vtr", "solve", stretched, "--vtk", "u.vti")

    def test_lambda_on_an_eigenvalue(self):
        # Spacing 1 everywhere: eigenvalue 0 in x and y, -2 for a single unknown between two Dirichlet ends.
        ends = {"x": "periodic", "y": "periodic", "z": ["dirichlet", "dirichlet"]}
        problem = poisson(n=[4, 4, 1], length=[4, 4, 2], bc=ends, grid=None, rhs=1, **{"lambda": 2},
                          solution="u.npy")
        for method in ("slab", "blktri", "blktri-product"):
            with self.subTest(method=method):
                self.refuse(1, "mode", "solve", self.write("p.json", problem), "--method", method)

    def test_operators_that_are_not_symmetrisable(self):
        problem = self.write("p.json", separable({"lower": -1}))
        self.refuse(2, "lower[1] * upper[0]", "solve", problem, "--method", "blktri")

    def test_method_that_cannot(self):
        # In 2D, x is what is transformed or has a basis of eigenvectors: these have neither.
        write_npy(self.path("lower.npy"), (NX,), [(-1)**i for i in range(NX)])
        problem = separable({"diag": -2.5})
        problem["x"] = dict(problem["x"], lower="lower.npy")
        self.refuse(2, "axis x: lower[1] * upper[0] = -1 * 1 is negative", "solve", self.write("p.json", problem), "--method", "slab")
        result = self.solve(problem)
        self.assertEqual(result["method"], "blktri")
        self.assertLess(result["residual"], 1e-12)

    def test_json_carries_the_error(self):
        status, out, said = self.run_program("solve", self.write("p.json", poisson(n=None)), "--json")
        result = json.loads(out)
        self.assertEqual((status, len(said), result["status"]), (2, 1, "error"))
        self.assertIn(result["message"], said[0])
        self.assertEqual(result["code"], "STARFISH_ERROR_ARGUMENT")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
