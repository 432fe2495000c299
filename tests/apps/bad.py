#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Bad problems end with the right exit status, one clear line and no harm to files."""
import json
import math
import os
import subprocess

import program
from program import Case, NX, NY, NZ, poisson, ramp, separable, write_npy


class Bad(Case):
    def test_usage(self):
        problem = self.write("p.json", poisson())
        for message, arguments in (
            ("no command", []),
            ("unknown command 'slove', did you mean solve?", ["slove"]),
            ("unknown option --percision, did you mean --precision?", ["solve", problem, "--percision", "f32"]),
            ("unknown option --metod=slab, did you mean --method?", ["solve", problem, "--metod=slab"]),
            ("unknown option --policy, did you mean --policies?", ["sched", problem, "--policy", "lws"]),
            ("no experiment 'goedeke-table1', did you mean goeddeke-table1?", ["reproduce", "goedeke-table1"]),
            ("unknown command", ["help", "slove"]),
            ("missing operand", ["solve"]),
            ("unexpected 'q.json'", ["solve", problem, "q.json"]),
            ("unknown option --fast", ["solve", problem, "--fast"]),
            ("unknown option -x", ["info", "-x"]),
            ("--method: 'magic' is not one of auto, slab", ["solve", problem, "--method", "magic"]),
            ("multigrid; did you mean slab?", ["solve", problem, "--method", "slib"]),
            ("there is no policy named \"dmdda\", did you mean dmda?; there are", ["solve", problem, "--policy",
                                                                                  "dmdda"]),
            ("no machine named 'h200-16', did you mean h200-16c?; there is", ["sched", problem, "--simulate",
                                                                              "h200-16"]),
            ("--plane: goes with --plot", ["solve", problem, "--plane", "z=0.5"]),
            ("--plane: 'w=0.5' is not like z=0.3 or y=max", ["solve", problem, "--plot", "u.png", "--plane", "w=0.5"]),
            ("--plane: 'z=' is not like", ["solve", problem, "--plot", "u.png", "--plane", "z="]),
            ("--plane: 'z=nan' is not like", ["solve", problem, "--plot", "u.png", "--plane", "z=nan"]),
            ("--method: needs", ["solve", problem, "--method"]),
            ("--precision: 'f16'", ["solve", problem, "--precision=f16"]),
            ("no mixed mode", ["solve", problem, "--precision", "mixed"]),
            ("--workers: 'tpu'", ["solve", problem, "--workers", "tpu"]),
            ("--workers: 'cpu:0'", ["solve", problem, "--workers", "cpu:0"]),
            ("--workers: 'cpu:0,gpu:0'", ["solve", problem, "--workers", "cpu:0,gpu:0"]),
            ("--workers: 'cpu:1,'", ["solve", problem, "--workers", "cpu:1,"]),
            ("--workers: 'cpu,cpu'", ["solve", problem, "--workers", "cpu,cpu"]),
            ("--slabs: must be", ["solve", problem, "--slabs", "0"]),
            ("--slabs: must be a whole number from 1 to 64, is '65'", ["solve", problem, "--slabs", "65"]),
            ("--repeat: must be", ["solve", problem, "--repeat", "-1"]),
            ("--repeat: must be", ["solve", problem, "--repeat", "1e3"]),
            ("--repeat: must be", ["solve", problem, "--repeat", " 3"]),
            ("--tolerance: must be", ["solve", problem, "--tolerance", "2"]),
            ("--tolerance: must be", ["solve", problem, "--tolerance", "1e-400"]),
            ("--slabs is 64, but at most 5 are possible", ["solve", problem, "--slabs", "64"]),
            ("--parts is 2, but needs 9 rows or planes for each part, and there are 5",
             ["solve", problem, "--method", "multigrid", "--parts", "2"]),
            ("--json: takes no value", ["solve", problem, "--json=yes"]),
            ("--out: F is empty", ["solve", problem, "--out", ""]),
        ):
            with self.subTest(arguments=arguments):
                self.refuse(2, message, *arguments)

    def test_no_machine_to_simulate(self):
        simulated = f"{os.path.dirname(program.PROGRAM)}/starfish-simulated"
        if not os.path.exists(simulated):
            self.skipTest("there is no program for simulated machines")
        done = subprocess.run([simulated, "sched", self.write("p.json", poisson())], capture_output=True, text=True,
                              cwd=self.folder, timeout=60)
        self.assertEqual(done.returncode, 2)
        self.assertIn("starfish: STARFISH_MACHINE names no machine: use `starfish sched --simulate NAME`", done.stderr)

    def test_problem_files(self):
        count = NX * NY * NZ
        machine = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        edge = math.ceil((1.1 * machine / 8) ** (1 / 3))  # of a cube of doubles larger than main memory
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
            ("no memory for an array", poisson(n=[edge] * 3, rhs=0)),
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

    def test_coordinates(self):
        """What problems on cylinders and spheres may not say."""
        ends = {"theta": "periodic", "r": ["axis", "neumann"]}
        polar = {"kind": "polar2d", "n": [8, 4], "range": {"r": [0, 1]}, "bc": ends, "rhs": 1}
        ends_of_shell = {"phi": "periodic", "r": "dirichlet", "theta": "pole"}
        shell = {"kind": "shell3d", "n": [8, 4, 6], "bc": ends_of_shell, "rhs": 1}
        for message, problem in (
            ('"range.r": missing', {**polar, "range": {}}),
            ('"range.r": must increase', {**polar, "range": {"r": [1, 0]}}),
            ('"range.z": unknown key', {**polar, "range": {"r": [0, 1], "z": [0, 1]}}),
            ('"length": unknown key', {**polar, "length": [1, 1]}),
            ('"bc.r": must be', {**polar, "bc": {"theta": "periodic", "r": ["axis", "robin"]}}),
            ('"bc": must be an object with theta and r', {**polar, "bc": "periodic"}),
            ('"boundary.r0": nothing is given', {**polar, "boundary": {"r0": 1}}),
            ('"boundary.theta1": a periodic direction', {**polar, "boundary": {"theta1": 1}}),
            ('"grid.theta.nodes": theta must be uniform', {**polar, "grid": {"theta": {"nodes": "t.npy"}}}),
            ("axis r.ends[0] must be STARFISH_END_AXIS", {**polar, "bc": {"theta": "periodic", "r": "neumann"}}),
            ("axis r: its range is -1 to 1", {**polar, "range": {"r": [-1, 1]}}),
            ("axis theta.length is 7", {**polar, "range": {"theta": [0, 7], "r": [0, 1]}}),
            ("axis theta.ends[1]", {**shell, "range": {"r": [1, 2], "theta": [0, 1]}}),
        ):
            with self.subTest(message=message):
                self.refuse(2, message, "solve", self.write("p.json", problem))

    def test_what_f32_cannot_hold(self):
        """A value that would become infinite or zero is named; one that is nothing beside the largest may go."""
        tiny = {"x": "periodic", "y": ["dirichlet", "dirichlet"], "z": ["dirichlet", "dirichlet"]}
        write_npy(self.path("large.npy"), (NZ, NY, NX), [1.0] * (NX * NY * NZ - 1) + [-1e39])
        write_npy(self.path("small.npy"), (NZ, NY, NX), [0.0, 1e-44] + [1e-40] * (NX * NY * NZ - 2))
        write_npy(self.path("tail.npy"), (NZ, NY, NX), [1.0] + [1e-50] * (NX * NY * NZ - 1))
        for message, problem in (
            ('"rhs": 1e-50 is too small for f32', poisson(bc=tiny, rhs=1e-50)),
            ('"rhs": 1e+40 is too large for f32', poisson(bc=tiny, rhs=1e40)),
            ('"rhs": element (4, 5, 7) = -1e+39 is too large', poisson(bc=tiny, rhs="large.npy")),
            ('"rhs": element (0, 0, 1) = 1e-44 is too small', poisson(bc=tiny, rhs="small.npy")),
            ('"boundary.z1": 1e-60 is too small', poisson(bc=tiny, boundary={"z1": 1e-60})),
            ("axis y: lower[1] of its matrix is 1e-60", separable({"lower": 1e-60})),
            ("lambda is -1e-60", poisson(bc=tiny, **{"lambda": -1e-60})),
        ):
            with self.subTest(message=message):
                self.refuse(2, message, "solve", self.write("p.json", problem), "--precision", "f32")
                if "element (0" not in message:
                    self.solve(problem)
        self.solve(poisson(bc=tiny, rhs="tail.npy"), "--precision", "f32")

    def test_norms_out_of_range(self):
        """Iterations look at sums of squares: where these are 0 or infinite for numbers that are not, they say so."""
        ends = {"x": "periodic", "y": ["neumann", "dirichlet"]}
        cells = {"kind": "diffusion2d", "n": [6, 5], "length": [1, 1], "bc": ends, "coefficient": 2}
        air = {"kind": "atmosphere3d", "n": [6, 5, 4], "geometry": "flat", "length": [1, 1], "height": 1,
               "omega": 0.1, "lambda": 1}
        for problem in (cells, air):
            self.solve(dict(problem, rhs=1e-100))
            for rhs, status, message in ((1e-200, 2, "multiply it by a constant"),
                                         (1e200, 1, "too large to be squared")):
                with self.subTest(kind=problem["kind"], rhs=rhs):
                    path = self.write("p.json", dict(problem, rhs=rhs, solution="u.npy"))
                    self.refuse(status, message, "solve", path)
                    _, out, _ = self.run_program("solve", path, "--json")
                    self.assertIn(json.loads(out)["status"], ("error", "diverged"))

    def test_boundary_data_that_vanish(self):
        """What boundary data add to a right-hand side is lost where the precision has no such numbers: 0 would be
        solved for, with a residual of 0. Where they cancel it, 0 is the right-hand side."""
        bc = {"x": "periodic", "y": ["neumann", "neumann"], "z": ["dirichlet", "dirichlet"]}
        write_npy(self.path("face.npy"), (NY, NX), [1e-30] * (NX * NY))
        ends = [2 * (k in (0, NZ - 1)) for k in range(NZ) for _ in range(NX * NY)]
        write_npy(self.path("ends.npy"), (NZ, NY, NX), ends)
        box = poisson(bc=bc, grid={"z": "cell"}, rhs=0, solution="u.npy")
        cells = {"kind": "diffusion3d", "n": box["n"], "bc": bc, "coefficient": 1, "rhs": 0, "solution": "u.npy"}
        for problem, method in ((box, "slab"), (box, "blktri"), (box, "multigrid"), (cells, "cg")):
            f32 = ["--precision", "f32", "--method", method]
            for length, datum, message in ((1e12, 1e-30, "to rhs, which is beyond" if problem is box else "multiply"),
                                           (1e12, "face.npy", "multiply"), (1e7, "face.npy", "multiply")):
                with self.subTest(kind=problem["kind"], method=method, length=length, datum=datum):
                    small = dict(problem, length=[length] * 3, boundary={"z0": datum})
                    self.refuse(2, message, "solve", self.write("p.json", small), *f32)
            self.solve(dict(problem, length=[1e3] * 3, boundary={"z0": "face.npy"}), *f32)
            self.solve(dict(problem, length=[1, 1, NZ], boundary={"z0": 1, "z1": 1}, rhs="ends.npy"), *f32)

    def test_residuals_above_their_bound(self):
        """A layer in f32 whose solution changes across it: f32 has no digits for it, and nothing is written."""
        ends = {"x": ["dirichlet", "dirichlet"], "y": ["dirichlet", "dirichlet"], "z": ["neumann", "neumann"]}
        problem = poisson(bc=ends, grid={"z": "cell"}, length=[1, 1, 1e-4], solution="u.npy")
        for method in ("slab", "blktri", "multigrid"):
            with self.subTest(method=method):
                self.refuse(1, "", "solve", self.write("p.json", problem), "--precision", "f32", "--method", method)

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
        os.symlink("f.npy", self.path("link.npy"))
        for name in ("f.npy", "./f.npy", "link.npy"):
            self.refuse(2, "the problem reads this array", "solve", problem, "--out", name)
        self.refuse(2, "the problem reads this array", "solve", self.write("p.json", poisson(solution="f.npy")))

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
        self.refuse(2, "axis x: lower[1] * upper[0] = -1 * 1 is negative", "solve", self.write("p.json", problem),
                    "--method", "slab")
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
    program.main()
