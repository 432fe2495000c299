#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Problems of kind diffusion2d and diffusion3d: from files of every kind, by every preconditioner and deflation, and
what is wrong with bad ones."""
import array
import math
import os
import struct

import program
from program import Case, read_npy, write_npy

CIRCLES = ((.3, .3, .15), (.7, .35, .1), (.4, .72, .12), (.75, .75, .08))


def write_regions(path, shape, values, descr="<i2"):
    """Whole numbers of a type, which program.write_npy does not have."""
    header = "{'descr': '%s', 'fortran_order': False, 'shape': %r, }" % (descr, tuple(shape))
    header += " " * (-(len(header) + 11) % 64) + "\n"
    code = {"<i2": "h", "|u1": "B", "<i8": "q"}[descr]
    with open(path, "wb") as stream:
        stream.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        stream.write(array.array(code, values).tobytes())


class Diffusion(Case):
    def two_phase(self, n, contrast=1000.0, **more):
        """The reference's problem: four bubbles in the unit square."""
        cells = [((i + .5) / n, (j + .5) / n) for j in range(n) for i in range(n)]
        region = [next((m + 1 for m, (a, b, r) in enumerate(CIRCLES) if (x - a)**2 + (y - b)**2 < r * r), 0)
                  for x, y in cells]
        write_npy(self.path("k.npy"), (n, n), [contrast if r else 1.0 for r in region])
        write_npy(self.path("f.npy"), (n, n), [math.cos(math.pi * x) * math.cos(math.pi * y) for x, y in cells])
        write_regions(self.path("r.npy"), (n, n), [-7 + 100 * r for r in region])
        ends = ["neumann", "neumann"]
        return dict({"kind": "diffusion2d", "n": [n, n], "length": [1, 1], "bc": {"x": ends, "y": ends},
                     "coefficient": "k.npy", "regions": "r.npy", "rhs": "f.npy"}, **more)

    def test_counts_of_the_reference(self):
        problem = self.two_phase(64)
        for by, deflation, vectors, count in (("jacobi", "none", "1", 455), ("ip", "stripes", "64", 196),
                                              ("block-ic", "blocks", "8", 63), ("jacobi", "regions", "9", 291)):
            with self.subTest(by=by, deflation=deflation):
                result = self.solve(problem, "--method", "cg", "--preconditioner", by, "--deflation", deflation,
                                    "--vectors", vectors, "--tolerance", "1e-8")
                self.assertLessEqual(abs(result["iterations"] - count), 0.05 * count)
                self.assertEqual((result["method"], result["converged"]), ("cg", True))
                self.assertLessEqual(result["reached"], 1e-8)
                self.assertLessEqual(result["residual"], result["residual_bound"])
                self.assertNotIn("tolerated", result)

    def test_known_solution(self):
        """u = x^2 + y in 3D with k = 2: boundary data of both kinds; periodic in z."""
        n = (8, 6, 3)
        h = [1 / n[0], 1 / n[1]]
        exact = [((i + .5) * h[0])**2 + (j + .5) * h[1] for k in range(n[2]) for j in range(n[1]) for i in range(n[0])]
        write_npy(self.path("u.npy"), n[::-1], exact)
        face = [((j + .5) * h[1]) for k in range(n[2]) for j in range(n[1])]
        write_npy(self.path("x0.npy"), (n[2], n[1]), [y + h[0]**2 / 4 for y in face])
        problem = {"kind": "diffusion3d", "n": n, "length": [1, 1, 2], "coefficient": 2, "rhs": 4, "exact": "u.npy",
                   "bc": {"x": ["dirichlet", "neumann"], "y": ["neumann", "neumann"], "z": "periodic"},
                   "boundary": {"x0": "x0.npy", "x1": 2, "y0": 1, "y1": 1}, "solution": "v.npy"}
        for options in ((), ("--method", "cg"), ("--method", "multigrid", "--precision", "mixed")):
            with self.subTest(options=options):
                result = self.solve(problem, *options)
                self.assertLess(result["error"], 1e-8)
                self.assertEqual(read_npy(self.path("v.npy"))[0], n[::-1])

    def test_constants_give_zero(self):
        problem = {"kind": "diffusion2d", "n": [5, 4], "length": [1, 1], "coefficient": 3, "rhs": 2.3,
                   "bc": {"x": "periodic", "y": ["neumann", "neumann"]}, "solution": "u.npy"}
        result = self.solve(problem)
        self.assertAlmostEqual(result["pertrb"], 2.3)
        self.assertEqual(set(read_npy(self.path("u.npy"))[1]), {0.0})

    def test_what_is_not_solved_is_not_called_so(self):
        problem = self.two_phase(96, solution="u.npy")
        for options, status in ((("--precision", "f32"), "stagnated"),
                                (("--method", "cg", "--max-iterations", "5"), "not-converged")):
            with self.subTest(status=status):
                code, out, said = self.run_program("solve", self.write("p.json", problem), "--json", *options)
                result = program.json.loads(out)
                self.assertEqual((code, result["status"], result["converged"]), (1, status, False))
                self.assertEqual(len(said), 1)
                self.assertFalse(os.path.exists(self.path("u.npy")))
        self.assertLess(self.solve(problem, "--precision", "mixed")["reached"], 1e-10)

    def test_iterations_may_be_limited_for_every_kind(self):
        """Where there are not enough of them the status says so; the default is enough."""
        write_npy(self.path("l.npy"), (16,), [0] + [1.0] * 15)
        write_npy(self.path("d.npy"), (16,), [-2.0] * 16)
        write_npy(self.path("u.npy"), (16,), [1.0] * 15 + [0])
        line = {"lower": "l.npy", "diag": "d.npy", "upper": "u.npy", "periodic": False}
        ends = ["neumann", "dirichlet"]
        for problem in ({"kind": "poisson3d", "n": [16] * 3, "length": [1] * 3, "rhs": 1,
                         "bc": {"x": "periodic", "y": ends, "z": ends}},
                        {"kind": "separable3d", "n": [16] * 3, "length": [1], "y": line, "z": line, "rhs": 1},
                        {"kind": "separable2d", "n": [16] * 2, "x": line, "y": line, "rhs": 1},
                        {"kind": "diffusion2d", "n": [16] * 2, "length": [1] * 2, "rhs": 1, "coefficient": 1,
                         "bc": {"x": ends, "y": ends}}):
            with self.subTest(kind=problem["kind"]):
                path = self.write("p.json", problem)
                code, out, said = self.run_program("solve", path, "--method", "multigrid", "--max-iterations", "2",
                                                   "--json")
                result = program.json.loads(out)
                self.assertEqual((code, result["status"], result["converged"]), (1, "not-converged", False))
                self.assertEqual((result["iterations"], len(said)), (2, 1))
                self.assertEqual(self.solve(problem, "--method", "multigrid")["status"], "solved")
                self.refuse(2, "--max-iterations", "solve", path, "--max-iterations", "0")

    def test_types_of_regions(self):
        problem = self.two_phase(8)
        for descr in ("|u1", "<i2", "<i8"):
            write_regions(self.path("r.npy"), (8, 8), [3 * (i % 5) for i in range(64)], descr)
            result = self.solve(problem, "--method", "cg", "--deflation", "regions")
            self.assertIn("5 regions", result["reason"])

    def test_bad_files(self):
        good = self.two_phase(4)
        write_npy(self.path("bad.npy"), (4, 4), [1.0] * 6 + [0.0] + [1.0] * 9)
        write_regions(self.path("shape.npy"), (4, 3), [0] * 12)
        write_npy(self.path("half.npy"), (4, 4), [0.5] * 16)
        for message, change in (('"coefficient": must be positive, is 0 in cell (2, 1)', {"coefficient": "bad.npy"}),
                                ('"coefficient": must be positive', {"coefficient": -1}),
                                ('"coefficient": missing', {"coefficient": None}),
                                ('"regions": ', {"regions": "shape.npy"}),
                                ('"regions": must be whole numbers of at most 2^53, cell 0 has 0.5',
                                 {"regions": "half.npy"}),
                                ('"mean": must be', {"mean": "geometric"}),
                                ('"grid": unknown key', {"grid": {"x": "cell"}}),
                                ('"boundary.z0": unknown key', {"boundary": {"z0": 1}})):
            with self.subTest(change=change):
                problem = {key: value for key, value in dict(good, **change).items() if value is not None}
                self.refuse(2, message, "solve", self.write("p.json", problem))
        cube = {"kind": "diffusion3d", "n": [40] * 3, "length": [1] * 3, "coefficient": 1, "rhs": 1,
                "bc": {axis: ["dirichlet"] * 2 for axis in "xyz"}}
        self.refuse(2, "--vectors: the factor of the 64000 deflation vectors' matrix takes ", "solve",
                    self.write("p.json", cube), "--method", "cg", "--deflation", "blocks", "--vectors", "40")
        without = {key: value for key, value in good.items() if key != "regions"}
        self.refuse(2, '"regions": missing', "solve", self.write("p.json", without), "--deflation", "regions")
        self.refuse(2, "--slabs", "solve", self.write("p.json", good), "--slabs", "0")


if __name__ == "__main__":
    program.main()
