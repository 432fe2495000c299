#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Good problems are solved: by every method, from and into files of every kind, and the JSON says everything."""
import json
import math
import os
import re
import subprocess

import program
from program import Case, NX, NY, NZ, PROGRAM, poisson, ramp, read_npy, separable, write_npy


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

    def test_shares_of_workers(self):
        """Of every family: fractions of workers that info names, and all of it where there is one worker."""
        workers = json.loads(self.run_program("info", "--json")[1])["workers"]
        names = {kind: {f"{w['kind']} {w['device']}" for w in workers if w["kind"] == kind} for kind in ("cpu", "gpu")}
        ends = {"x": "periodic", "y": "neumann"}
        air = {"kind": "atmosphere3d", "geometry": "panel", "n": [12, 12, 8], "height": 0.1, "omega": 0.1, "lambda": 1,
               "rhs": 1}
        for problem, method in ((poisson(), "slab"), (poisson(), "blktri"), (poisson(), "blktri-product"),
                                (poisson(), "multigrid"), (separable({"diag": -2.5}), "blktri"), (air, "multigrid"),
                                (air, "cg"), ({"kind": "diffusion2d", "n": [8, 8], "length": [1, 1], "coefficient": 1,
                                               "rhs": 1, "bc": ends}, "cg")):
            with self.subTest(kind=problem["kind"], method=method):
                shares = self.solve(problem, "--method", method, "--workers", "cpu", "--repeat", "2")["shares"]
                self.assertLessEqual(set(shares), names["cpu"])
                self.assertGreater(min(shares.values()), 0)
                self.assertAlmostEqual(sum(shares.values()), 1, delta=1e-9)
                alone = self.solve(problem, "--method", method, "--workers", "cpu:1")["shares"]
                self.assertEqual(list(alone.values()), [1])
                self.assertLessEqual(set(alone), names["cpu"])
        shares = self.solve(poisson(n=[64] * 3, rhs=1))["shares"]  # all workers
        self.assertLessEqual(set(shares), names["cpu"] | names["gpu"])
        self.assertAlmostEqual(sum(shares.values()), 1, delta=1e-9)

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
                result = self.solve(problem, "--method", "multigrid", "--precision", precision, "--out",
                                    self.path("v.npy"))
                self.assertEqual(result["method"], "multigrid")
                self.assertGreater(result["iterations"], 0)
                self.assertTrue(result["converged"])
                self.assertLess(result["reached"], 1e-10)
                self.assertIn("cycles", result["phases"])
                error = max(abs(a - b) for a, b in zip(read_npy(self.path("v.npy"))[1], direct))
                self.assertLess(error, 1e-8 * max(map(abs, direct)))
        # One part is the whole, however few planes there are.
        self.solve(poisson(), "--method", "multigrid", "--parts", "1", "--out", self.path("w.npy"))
        self.solve(poisson(), "--method", "multigrid", "--out", self.path("v.npy"))
        self.assertEqual(read_npy(self.path("w.npy")), read_npy(self.path("v.npy")))
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

    def test_pictures_without_a_configuration_of_fonts(self):
        nothing = {"HOME": self.path("home"), "FONTCONFIG_PATH": "/nonexistent", "FONTCONFIG_FILE": "/nonexistent"}
        os.mkdir(nothing["HOME"])
        for name in ("u.png", "u.svg", "u.pdf"):
            done = subprocess.run([PROGRAM, "solve", self.write("p.json", poisson()), "--quiet", "--plot", name],
                                  env={**os.environ, **nothing}, cwd=self.folder, capture_output=True, check=False)
            self.assertEqual((done.returncode, done.stderr), (0, b""))

    def test_planes_of_pictures(self):
        def picture(*arguments):
            self.solve(poisson(), "--plot", "u.svg", *arguments)
            with open(self.path("u.svg"), "rb") as stream:
                return stream.read()
        self.assertEqual(picture(), picture("--plane", "y=max"))
        self.assertEqual(picture("--plane", "z=0.3"), picture("--plane", "z=0.31"))  # the nearest unknowns
        self.assertEqual(len({picture("--plane", plane) for plane in ("x=max", "y=0.1", "z=0.3", "z=0.9")}), 4)

    def test_reals_have_no_needless_digits(self):
        status, out, _ = self.run_program("bench", "tridiag", "--size", "16x8", "--peers", "none", "--repeat", "3",
                                             "--json")
        self.assertEqual(status, 0)
        words = re.findall(r"^ *(?:\"[^\"]*\": )?(-?[0-9][-+.0-9e]*),?$", out, re.M)
        reals = [word for word in words if "." in word or "e" in word]
        self.assertGreater(len(reals), 20)
        for word in reals:
            short = float("%.15g" % float(word))
            self.assertTrue(short != float(word) or sum(map(str.isdigit, word.split("e")[0].strip("-0."))) <= 15, word)

    def test_one_word_for_both_ends(self):
        words = {"x": "periodic", "y": "neumann", "z": "dirichlet"}
        pairs = {"x": "periodic", "y": ["neumann"] * 2, "z": ["dirichlet"] * 2}
        for bc, name in ((words, "u.npy"), (pairs, "v.npy")):
            self.solve(poisson(bc=bc), "--out", self.path(name))
        self.assertEqual(read_npy(self.path("u.npy")), read_npy(self.path("v.npy")))

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

    def test_ends_that_couple_nothing_are_ignored(self):
        """lower[0] and upper[n-1] of a direction that is not periodic may be anything."""
        write_npy(self.path("lower.npy"), (NY,), [math.nan] + [1] * (NY - 1))
        write_npy(self.path("upper.npy"), (NY,), [1] * (NY - 1) + [math.inf])
        rows = {"lower": "lower.npy", "diag": -3, "upper": "upper.npy"}
        self.assertEqual(self.solve(separable(rows))["n"], [NX, NY])
        three = {"kind": "separable3d", "n": [NX, NY, NY], "length": [1], "y": rows, "z": rows, "rhs": 1}
        self.assertLess(self.solve(three)["residual"], 1e-12)
        self.write("p.json", separable(dict(rows, periodic=True)))
        self.refuse(2, "lower.npy: element (0,) is NaN", "solve", self.path("p.json"))

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

    def test_thin_layers_keep_their_digits(self):
        """What does not change across a layer is solved in f32 too, by refinement where the method needs it."""
        ends = {"x": ["dirichlet", "dirichlet"], "y": ["dirichlet", "dirichlet"], "z": ["neumann", "neumann"]}
        problem = poisson(bc=ends, grid={"z": "cell"}, length=[1, 1, 1e-3], rhs=1)
        exact = self.solve(problem, "--method", "blktri", "--out", self.path("exact.npy"))
        self.assertLessEqual(exact["residual"], exact["residual_bound"])
        for method in ("blktri", "blktri-product", "multigrid"):
            with self.subTest(method=method):
                result = self.solve(dict(problem, exact="exact.npy"), "--precision", "f32", "--method", method)
                self.assertLess(result["error"], 1e-7)
                self.assertLessEqual(result["residual"], result["residual_bound"])
                self.assertLessEqual(result["residual_bound"], 1e-2)
                self.assertEqual(result["correction"] is None, method == "multigrid")

    def test_help_version_info(self):
        for arguments, word in ((["help"], "solve"), (["--help"], "info"), (["help", "solve"], "--workers"),
                                (["solve", "--help"], "--repeat"), (["--version"], "starfish 0."),
                                (["info"], "StarPU"), (["info", "--help"], "--json")):
            status, out, said = self.run_program(*arguments)
            self.assertEqual((status, said), (0, []))
            self.assertIn(word, out)
        info = json.loads(self.run_program("info", "--json")[1])
        self.assertGreaterEqual(len(info["workers"]), 1)
        self.assertTrue({"starpu", "policy", "cuda", "cores", "sharing", "fishpack_least"} <= set(info))


if __name__ == "__main__":
    program.main()
