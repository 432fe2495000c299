# SPDX-License-Identifier: LGPL-2.1-or-later
"""Problems on cylinders, spheres and shells: against the assembled matrix, the program to the last bit, and smooth
solutions."""
import tempfile
import unittest

import numpy as np
import pystarfish as sf
from support import run_program

RANDOM = np.random.default_rng(7)


def line(faces, at_faces, at_unknowns, ends):
    """A direction's matrix on cells, and what a datum at each end is multiplied with; ends: "d", "n", "-"."""
    width, middle = np.diff(faces), (faces[1:] + faces[:-1]) / 2
    n, matrix, data = len(width), np.zeros((len(width), len(width))), [0.0, 0.0]
    for k in range(n - 1):
        flux = at_faces[k + 1] / (middle[k + 1] - middle[k])
        for row, other in ((k, k + 1), (k + 1, k)):
            matrix[row, other] += flux / (width[row] * at_unknowns[row])
            matrix[row, row] -= flux / (width[row] * at_unknowns[row])
    for side, end in enumerate(ends):
        row, flux = -side, at_faces[-side] / (width[-side] * at_unknowns[-side])
        if end == "d":
            data[side] = 2 * flux / width[row]
            matrix[row, row] -= data[side]
        elif end == "n":
            data[side] = (1 if side else -1) * flux
    return matrix, data


def ring(n):
    h, matrix = 2 * np.pi / n, np.zeros((n, n))
    for k in range(n):
        for other in (k - 1, (k + 1) % n):
            matrix[k, other] += 1 / h**2
            matrix[k, k] -= 1 / h**2
    return matrix


class Coordinates(unittest.TestCase):
    def test_cylinder_is_the_matrix(self):
        faces = np.concatenate(([0.0], np.cumsum(0.5 + RANDOM.random(6))))
        heights = np.cumsum(0.5 + RANDOM.random(5))
        r, nt, nz, nr = (faces[1:] + faces[:-1]) / 2, 8, 4, 6
        radius, of_radius = line(faces, faces, r, "-n")
        height, of_height = line(heights, np.ones(5), np.ones(4), "dn")
        matrix = (np.kron(radius, np.eye(nz * nt)) + np.kron(np.eye(nr), np.kron(height, np.eye(nt)))
                  + np.kron(np.diag(1 / r**2), np.kron(np.eye(nz), ring(nt))) - 0.3 * np.eye(nr * nz * nt))
        f, wall, floor = RANDOM.random((nr, nz, nt)), RANDOM.random((nz, nt)), RANDOM.random((nr, nt))
        g = f.copy()
        g[-1] -= of_radius[1] * wall
        g[:, 0] -= of_height[0] * floor
        expected = np.linalg.solve(matrix, g.ravel()).reshape(f.shape)
        u, info = sf.solve(f, kind="cylinder3d", bc={"theta": "periodic", "z": ("dirichlet", "neumann"),
                                                     "r": ("axis", "neumann")},
                           grid={"r": {"faces": faces}, "z": {"faces": heights}}, lam=-0.3,
                           boundary={"r1": wall, "z0": floor}, return_info=True)
        np.testing.assert_allclose(u, expected, atol=1e-11 * np.abs(expected).max())
        self.assertEqual(info["method"], "slab")

    def test_shell_is_the_matrix(self):
        faces, n_phi, nr, nt = 0.6 + np.concatenate(([0.0], np.cumsum(0.1 + RANDOM.random(4) / 5))), 6, 4, 5
        angles = np.linspace(0, np.pi, nt + 1)
        r, t = (faces[1:] + faces[:-1]) / 2, (angles[1:] + angles[:-1]) / 2
        sine = np.sin(angles)
        sine[[0, -1]] = 0
        radius, of_radius = line(faces, faces**2, r**2, "dd")
        theta, _ = line(angles, sine, np.sin(t), "--")
        inverse = np.diag(1 / r**2)
        matrix = (np.kron(theta, np.kron(inverse, np.eye(n_phi))) + np.kron(np.eye(nt), np.kron(radius, np.eye(n_phi)))
                  + np.kron(np.diag(1 / np.sin(t)**2), np.kron(inverse, ring(n_phi))) - 0.7 * np.eye(nt * nr * n_phi))
        f, inner = RANDOM.random((nt, nr, n_phi)), RANDOM.random((nt, n_phi))
        g = f.copy()
        g[:, 0] -= of_radius[0] * inner
        expected = np.linalg.solve(matrix, g.ravel()).reshape(f.shape)
        for precision, bound in (("f64", 1e-11), ("f32", 1e-4)):
            u = sf.solve(f, kind="shell3d", bc={"phi": "periodic", "r": "dirichlet", "theta": "pole"}, lam=-0.7,
                         grid={"r": {"faces": faces}}, boundary={"r0": inner}, precision=precision)
            np.testing.assert_allclose(u, expected, atol=bound * np.abs(expected).max())

    def test_second_order_on_the_sphere(self):
        errors = []
        for n in (16, 32):
            t, p = (np.arange(n) + 0.5) * np.pi / n, (np.arange(2 * n) + 0.5) * np.pi / n
            exact = np.sin(t)[:, None]**2 * np.cos(2 * p) + np.cos(t)[:, None]
            f = -6 * np.sin(t)[:, None]**2 * np.cos(2 * p) - 2 * np.cos(t)[:, None] + np.zeros_like(p)
            u = sf.solve(f, kind="sphere2d", bc={"phi": "periodic", "theta": "pole"})
            errors.append(np.abs(u - exact).max())
        self.assertGreater(errors[0] / errors[1], 3.5)

    def test_bits_of_the_program(self):
        f, g = RANDOM.random((9, 14)), RANDOM.random(14)
        problem = {"kind": "polar2d", "n": [14, 9], "range": {"r": [0, 2]}, "bc": {"theta": "periodic",
                   "r": ["axis", "dirichlet"]}, "boundary": {"r1": "g.npy"}, "lambda": -0.5, "rhs": "f.npy"}
        with tempfile.TemporaryDirectory() as folder:
            _, expected = run_program(folder, problem, {"f": f, "g": g})
        u = sf.solve(f, kind="polar2d", range={"r": (0, 2)}, bc={"theta": "periodic", "r": ("axis", "dirichlet")},
                     boundary={"r1": g}, lam=-0.5, return_info=True)[0]
        self.assertEqual(u.tobytes(), expected.tobytes())

    def test_many_right_hand_sides(self):
        f = RANDOM.random((3, 8, 12))
        keywords = {"kind": "sphere2d", "bc": {"phi": "periodic", "theta": "pole"}, "lam": -1.0}
        with sf.CoordinatesPlan((8, 12), count=3, **keywords) as plan:
            u = plan.solve(f)
        for one, expected in zip(u, f):
            np.testing.assert_allclose(one, sf.solve(expected, **keywords), atol=1e-13)

    def test_refusals(self):
        f, ends = np.ones((4, 8)), {"theta": "periodic", "r": ("axis", "neumann")}
        for keywords, message in (({"range": {"r": (1, 0)}}, "range"), ({}, "range"), ({"length": 1}, "length"),
                                  ({"range": {"r": (0, 1)}, "boundary": {"r0": 1}}, "r has no such end"),
                                  ({"range": {"r": (0.5, 1)}}, "STARFISH_END_AXIS")):
            with self.subTest(keywords=keywords), self.assertRaisesRegex(sf.ArgumentError, message):
                sf.solve(f, kind="polar2d", bc=ends, **keywords)
        with self.assertRaisesRegex(sf.ArgumentError, "kind"):
            sf.solve(f, kind="torus")

    def test_spectral_shell_is_what_modes_give(self):
        n_phi, nr, nt, bc = 12, 6, 7, {"phi": "periodic", "r": "dirichlet", "theta": "pole"}
        f = RANDOM.random((nt, nr, n_phi))
        faces, angles = np.linspace(0.5, 1.5, nr + 1), np.linspace(0, np.pi, nt + 1)
        r, t, sine = (faces[1:] + faces[:-1]) / 2, (angles[1:] + angles[:-1]) / 2, np.sin(angles)
        sine[[0, -1]] = 0
        radius, theta = line(faces, faces**2, r**2, "dd")[0], line(angles, sine, np.sin(t), "--")[0]
        modes = np.fft.rfft(f)
        for m in range(modes.shape[-1]):
            matrix = (np.kron(np.eye(nt), radius)
                      + np.kron(theta - np.diag(m**2 / np.sin(t)**2), np.diag(1 / r**2)))
            modes[..., m] = np.linalg.solve(matrix, modes[..., m].ravel()).reshape(nt, nr)
        u, info = sf.solve(f, kind="shell3d", bc=bc, range={"r": (0.5, 1.5)}, eigenvalues="spectral",
                           return_info=True)
        expected = np.fft.irfft(modes, n_phi)
        np.testing.assert_allclose(u, expected, atol=1e-12 * np.abs(expected).max())
        self.assertLess(info["residual"], 1e-12)

    def test_spectral_box(self):
        n = (5, 6, 7)
        x, y = (np.arange(n[2]) + 0.5) / n[2], np.arange(n[1]) / n[1]
        basis = np.cos(np.pi * np.outer(x, np.arange(n[2])))
        of_x = basis @ np.diag(-(np.pi * np.arange(n[2]))**2) @ np.linalg.inv(basis)
        waves = np.exp(2j * np.pi * np.outer(y, np.fft.fftfreq(n[1], 1 / n[1])))
        of_y = np.real(waves @ np.diag(-(2 * np.pi * np.fft.fftfreq(n[1], 1 / n[1]))**2) @ np.linalg.inv(waves))
        of_z = line(np.linspace(0, 1, n[0] + 1), np.ones(n[0] + 1), np.ones(n[0]), "dd")[0]
        matrix = (np.kron(of_z, np.eye(n[1] * n[2])) + np.kron(np.eye(n[0]), np.kron(of_y, np.eye(n[2])))
                  + np.kron(np.eye(n[0] * n[1]), of_x))
        f = RANDOM.random(n)
        expected = np.linalg.solve(matrix, f.ravel()).reshape(n)
        keywords = {"bc": {"x": "neumann", "y": "periodic", "z": "dirichlet"}, "eigenvalues": "spectral"}
        u = sf.solve(f, grid={"x": "cell", "z": "cell"}, **keywords)
        np.testing.assert_allclose(u, expected, atol=1e-12 * np.abs(expected).max())
        for bad, words in (({"method": "blktri"}, "spectral"), ({"eigenvalues": "exact"}, "eigenvalues"),
                           ({"grid": {"y": {"faces": np.arange(7.0)}},
                             "bc": {**keywords["bc"], "y": "neumann"}}, "axis y.kind")):
            with self.assertRaisesRegex(sf.StarfishError, words):
                sf.solve(f, **{**keywords, **bad})


if __name__ == "__main__":
    unittest.main()
