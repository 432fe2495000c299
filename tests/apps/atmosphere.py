#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Problems of kind atmosphere3d: solved by both methods, checked here row by row, and refused where they are wrong."""
import json
import math

import program
from program import Case, read_npy, write_npy

NX, NY, NZ = 12, 9, 5
FACES = [0, 0.01, 0.025, 0.045, 0.07, 0.1]


def flat(**changes):
    problem = {"kind": "atmosphere3d", "geometry": "flat", "n": [NX, NY, NZ], "length": [1, 0.75], "height": 0.1,
               "omega": 0.3, "lambda": 1, "rhs": "f.npy", "solution": "u.npy"}
    problem.update(changes)
    return {key: value for key, value in problem.items() if value is not None}


def panel(**changes):
    return flat(geometry="panel", length=None, **changes)


PANEL = 6


def sphere(**changes):
    return flat(geometry="sphere", n=[PANEL, 6 * PANEL, NZ], length=None, rhs=1) | changes


def product(u, periodic, faces, omega=0.3):
    """A u of a flat box, by the definition."""
    def at(i, j, k):
        if periodic:
            return u[(k * NY + j % NY) * NX + i % NX]
        sign = 1
        for value, count in ((i, NX), (j, NY)):
            sign = -sign if value in (-1, count) else sign
        return sign * u[(k * NY + min(max(j, 0), NY - 1)) * NX + min(max(i, 0), NX - 1)]

    centre = [(faces[k] + faces[k + 1]) / 2 for k in range(NZ)]
    hx, hy, result = 1 / NX, 0.75 / NY, []
    for k in range(NZ):
        for j in range(NY):
            for i in range(NX):
                here = at(i, j, k)
                across = (at(i + 1, j, k) - 2 * here + at(i - 1, j, k)) / hx**2 + \
                    (at(i, j + 1, k) - 2 * here + at(i, j - 1, k)) / hy**2
                flux = sum((at(i, j, n) - here) / abs(centre[n] - centre[k]) for n in (k - 1, k + 1) if 0 <= n < NZ)
                result.append(here - omega**2 * (across + flux / (faces[k + 1] - faces[k])))
    return result


class Atmosphere(Case):
    def setUp(self):
        super().setUp()
        self.f = [math.sin(1.3 * e) for e in range(NX * NY * NZ)]
        write_npy(self.path("f.npy"), (NZ, NY, NX), self.f)
        write_npy(self.path("z.npy"), (NZ + 1,), FACES)

    def test_boxes_are_solved(self):
        """Both methods, sides, heights of layers and precisions; the answer by its definition."""
        equal = [0.02 * k for k in range(NZ + 1)]
        for sides, levels, faces, *arguments in (
            ("dirichlet", None, equal, "--method", "multigrid"),
            ("periodic", {"faces": "z.npy"}, FACES, "--method", "cg"),
            ("dirichlet", {"faces": "z.npy"}, FACES, "--precision", "mixed"),
            ("periodic", None, equal, "--method", "cg", "--preconditioner", "none"),
            ("dirichlet", {"faces": "z.npy"}, FACES, "--levels", "2", "--coarse-sweeps", "4", "--smoothing-steps",
             "2"),
        ):
            result = self.solve(flat(sides=sides, levels=levels), *arguments)
            u = read_npy(self.path("u.npy"))[1]
            wrong = max(abs(a - b) for a, b in zip(product(u, sides == "periodic", faces), self.f))
            self.assertLess(wrong, 1e-7)
            self.assertEqual((result["status"], result["converged"]), ("solved", True))
            self.assertLess(result["reached"], 1e-10)
            self.assertLessEqual(result["residual"], result["residual_bound"])

    def test_the_json_tells_everything(self):
        result = self.solve(panel(levels={"faces": "z.npy"}, exact=0), "--plot", self.path("u.png"))
        for key in ("method", "reason", "n", "seconds", "residual", "pertrb", "workers", "bytes", "iterations",
                    "error"):
            self.assertIn(key, result)
        self.assertEqual((result["method"], result["n"]), ("multigrid", [NX, NY, NZ]))
        self.assertGreater(result["error"], 0)

    def test_spheres_are_solved(self):
        """What is the same everywhere stays so; both methods have one solution of anything else; a map is drawn."""
        self.solve(sphere(levels={"faces": "z.npy"}))
        self.assertLess(max(abs(u - 1) for u in read_npy(self.path("u.npy"))[1]), 1e-9)
        write_npy(self.path("g.npy"), (NZ, 6 * PANEL, PANEL), [math.sin(1.3 * e) for e in range(6 * PANEL**2 * NZ)])
        solutions = []
        for arguments in (["--plot", self.path("map.png")], ["--method", "cg"], ["--precision", "mixed"]):
            result = self.solve(sphere(rhs="g.npy"), *arguments)
            self.assertEqual((result["status"], result["n"]), ("solved", [PANEL, 6 * PANEL, NZ]))
            shape, u = read_npy(self.path("u.npy"))[:2]
            self.assertEqual(tuple(shape), (NZ, 6 * PANEL, PANEL))
            solutions.append(u)
        for u in solutions[1:]:
            self.assertLess(max(abs(a - b) for a, b in zip(u, solutions[0])), 1e-8)
        with open(self.path("map.png"), "rb") as picture:
            self.assertEqual(picture.read(4), b"\x89PNG")

    def test_too_few_iterations(self):
        path = self.write("p.json", flat(solution=None))
        status, out, said = self.run_program("solve", path, "--max-iterations", "2", "--json")
        self.assertEqual((status, json.loads(out)["status"], len(said)), (1, "not-converged", 1))

    def test_rounding_errors_stagnate(self):
        """f32 cannot hold a solution whose residual is small, however large the residual is that it has."""
        path = self.write("p.json", flat(solution=None, omega=500, height=0.00785, sides="periodic"))
        for method in ("multigrid", "cg"):
            status, out, said = self.run_program("solve", path, "--precision", "f32", "--method", method, "--json")
            self.assertEqual((status, json.loads(out)["status"], len(said)), (1, "stagnated", 1))

    def test_bad_problems(self):
        write_npy(self.path("fall.npy"), (NZ + 1,), FACES[::-1])
        write_npy(self.path("short.npy"), (NZ,), FACES[1:])
        for message, problem in (
            ('"geometry": must be', flat(geometry="cube")),
            ('"geometry": must be', flat(geometry=None)),
            ('"length"', flat(length=None)),
            ('"length": is for', panel(height=1) | {"length": [1, 1]}),
            ('"sides": is for', panel(sides="periodic")),
            ('"sides": must be', flat(sides="open")),
            ('"height": missing', flat(height=None)),
            ('"height": must be positive', flat(height=0)),
            ('"omega": must be 0 or more', flat(omega=-1)),
            ('"lambda"', flat() | {"lambda": "l"}),
            ('"levels.faces": must begin with 0', flat(levels={"faces": "fall.npy"})),
            ('"levels.faces"', flat(levels={"faces": "short.npy"})),
            ('"levels.tops": unknown', flat(levels={"tops": "z.npy"})),
            ('"levels.faces": must end with', flat(levels={"faces": "z.npy"}, height=0.2)),
            ('"bc": unknown', flat(bc="periodic")),
            ('"n": of a sphere', sphere(n=[PANEL, PANEL, NZ])),
            ('"sides": is for', sphere(sides="periodic")),
        ):
            with self.subTest(message=message):
                self.refuse(2, message, "solve", self.write("p.json", problem))

    def test_geometries_are_benchmarked(self):
        quick = ("bench", "atmosphere", "--n", "4", "--layers", "3", "--iterations", "2", "--workers", "cpu:1",
                 "--precision", "f64", "--repeat", "1", "--warmup", "0")
        status, out, said = self.run_program(*quick, "--geometry", "flat,panel,sphere", "--json")
        self.assertEqual((status, said), (0, []), out)
        rows = [row for row in json.loads(out)["rows"] if row["who"] == "starfish"]
        self.assertEqual([(row["geometry"], row["method"]) for row in rows],
                         [(geometry, method) for geometry in ("flat", "panel", "sphere")
                          for method in ("multigrid", "cg")])
        for row in rows:
            words = {"multigrid": 11, "cg": 10}[row["method"]]
            self.assertEqual(row["bytes"], words * 8 * 2 * 4 * 4 * 3 * (6 if row["geometry"] == "sphere" else 1))
        self.refuse(2, "--rows", *quick, "--geometry", "sphere", "--rows", "4")
        self.refuse(2, "--geometry", *quick, "--geometry", "cube")

    def test_bad_options(self):
        path = self.write("p.json", flat(solution=None))
        for message, arguments in (("--method: 'slab'", ["--method", "slab"]),
                                   ("--preconditioner: 'ip'", ["--method", "cg", "--preconditioner", "ip"]),
                                   ("--levels", ["--levels", "-1"]),
                                   ("--smoothing-steps", ["--smoothing-steps", "0"])):
            with self.subTest(message=message):
                self.refuse(2, message, "solve", path, *arguments)
        problem = sphere()
        del problem["solution"]
        path = self.write("p.json", problem)
        self.refuse(2, "--slabs is 4, but the parts of a sphere", "solve", path, "--slabs", "4")


if __name__ == "__main__":
    program.main()
