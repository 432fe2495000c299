# SPDX-License-Identifier: LGPL-2.1-or-later
"""FISHPACK's routines by name against the dense matrices of tests/fishpack/model.py, of a few boundary codes for each
(tests/fishpack/names.py has all of them): many right-hand sides, precisions, strides, errors, threads."""
import inspect
import itertools
import os
import sys
import unittest
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pystarfish as sf
from pystarfish import fishpack

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "fishpack"))
import model  # noqa: E402  pylint: disable=wrong-import-position

RANDOM = np.random.default_rng(5)
M, N = 6, 7


def data_of(codes, shape, letters="N"):
    """Two arrays for each direction, None where an end has no data."""
    return [[RANDOM.random(shape[:d] + shape[d + 1:]) if end in letters else None for end in model.ENDS[code]]
            for d, code in enumerate(codes)]


def drivers():
    codes = {"crt": ((0, 0), (1, 3)), "plr": ((6, 3), (5, 0), (2, 4)), "cyl": ((6, 3), (3, 1)),
             "ssp": ((9, 0), (6, 3), (4, 2)), "csp": ((9, 6), (3, 5), (2, 1))}
    for grid, system in itertools.product(("hws", "hst"), codes):
        for k, j in codes[system]:
            nodes = grid == "hws"
            shape = (M + nodes, N + nodes)
            data = data_of((k, j), shape, "N" if nodes else "DN")
            low, high = 0.0 if k in (5, 6, 9) else 0.4, np.pi if k in (7, 8, 9) else 1.9
            f = RANDOM.random(shape)
            f[-1] = f[0] if nodes and k == 0 else f[-1]
            f[:, -1] = f[:, 0] if nodes and j == 0 else f[:, -1]
            place = 0.0 if system == "csp" and j >= 5 else 0.3
            arguments = [low, high, M, k, *data[0], place, 1.7, N, j, *data[1], 0.0, f]
            yield grid + system, [0] * (system == "csp") + arguments, model.helmholtz(grid + system, *arguments)


def systems():
    r = RANDOM.random((4, N))
    rows = [(1 + r[0]) * (np.arange(N) > 0), -7 - r[1], (1 + r[2]) * (np.arange(N) < N - 1)]
    of_m = [np.append(0.0, 1 + r[3, 1:M]), np.full(M, -3.0), np.append(1 + r[3, :M - 1], 0.0)]
    of_n, first = [1, N, *rows], [1, M, *of_m]
    second, cyclic = model.second_difference, model.cyclic
    for factor, names in ((1.0, ("genbun", "poistg", "blktri")), (1 + 0.2j, ("cmgnbn", None, "cblktri"))):
        matrix, y = cyclic(*of_m, False) * factor, RANDOM.random((M, N)) * factor
        scaled = [1, M, *(row * factor for row in of_m)]
        yield names[0], [2, N, *scaled, y], (model.system(matrix, second(N, 2), y), 0, False)
        if names[1]:
            yield names[1], [3, N, *first, y], (model.system(matrix, second(N, 3, True), y), 0, False)
        yield names[2], [1, *of_n, *scaled, y], (model.system(matrix, cyclic(*rows, False), y), 0, False)
    f = RANDOM.random((5, M, N))
    whole, b = model.box([1.5 * second(5, 0), 0.7 * second(M, 4), cyclic(*rows, False)], f)
    yield "pois3d", [0, 5, 1.5, 4, M, 0.7, *of_n, f], (np.linalg.solve(whole, b).reshape(f.shape), 0, False)


def others():
    for codes in ((0, 1, 2), (0, 3, 3)):
        sides = [*zip((0.1, 0.0, -1.0), (1.0, 1.5, 3.0), (6, 5, 7), codes)]
        data, f = data_of(codes, (7, 6, 8)), RANDOM.random((7, 6, 8))
        f[-1] = f[0]
        yield ("hw3crt", [*itertools.chain(*(side + tuple(g) for side, g in zip(sides, data))), 0.0, f],
               model.hw3crt(sides, 0.0, data, f))
    for order, name in itertools.product((2, 4), ("sepeli", "sepx4")):
        codes = (3, 1)
        (bda, bdb), (bdc, bdd) = data = data_of(codes, (M + 1, N + 1))
        x, y, (grhs, usol) = (0.0, 1.0, M, codes[0]), (0.2, 2.0, N, codes[1]), RANDOM.random((2, M + 1, N + 1))
        cofx, cofy = lambda x: (1 + x, x, x - x - 2.0), lambda y: (1 + y - y, y - y, y - y)
        call = [order, *x, bda, -0.3, bdb, 0.4, *y, bdc, bdd, cofx, grhs, usol]
        if name == "sepeli":
            cofy = lambda y: (2 + y, y / 4, -y)  # noqa: E731
            call = [0, *call[:-5], bdc, 0.0, bdd, 0.0, cofx, cofy, grhs, usol]
        yield name, call, model.sepeli(order, ((*x, -0.3, 0.4), (*y, 0.0, 0.0)), (cofx, cofy), data, grhs, usol)


CASES = [*drivers(), *systems(), *others()]  # name, arguments, and u and pertrb of the dense matrix
LAST = {name: arguments for name, arguments, _ in CASES}  # one of each routine


def named(name):
    """One routine's arguments by their names."""
    return dict(zip(inspect.signature(getattr(fishpack, name)).parameters, LAST[name]))


class Fishpack(unittest.TestCase):
    """Calls by name."""

    def test_dense(self):
        self.assertEqual({name for name, _, _ in CASES} | {"cblktr"}, set(fishpack.__all__))
        with ThreadPoolExecutor(8) as pool:  # calls at once
            jobs = [pool.submit(getattr(fishpack, name), *arguments) for name, arguments, _ in CASES]
        for (name, arguments, (expected, pertrb, singular)), job in zip(CASES, jobs):
            with self.subTest(name=name, arguments=[value for value in arguments if np.isscalar(value)]):
                u, found = job.result()
                shift = u.flat[0] - expected.flat[0] if singular else 0
                np.testing.assert_allclose(u - shift, expected, rtol=0, atol=1e-9 * (1 + np.abs(expected).max()))
                np.testing.assert_allclose(found, 0 if name == "sepx4" else pertrb, atol=1e-10)

    def test_many_precisions_and_strides(self):
        """Leading dimensions, in arrays of any order; the same in f32; nothing is changed."""
        for name, arguments in LAST.items():
            function, names, many = getattr(fishpack, name), list(named(name)), list(arguments)
            for k, value in enumerate(arguments):
                if names[k] in ("f", "y", "grhs", "usol") or (names[k][:2] == "bd" and value is not None):
                    many[k] = RANDOM.random((*value.shape[::-1], 3, 2)).T * value
            before = [np.copy(value) for value in many]
            u, pertrb = function(*many)
            for at in np.ndindex(2, 3):
                single = function(*(v[at] if v is not w else v for v, w in zip(many, arguments)))
                np.testing.assert_array_equal(u[at], single[0])
                self.assertEqual((pertrb[at], pertrb.shape), (single[1], (2, 3)))
            self.assertTrue(all(np.array_equal(old, new) for old, new in zip(before, many)))
            k = names.index("grhs") if "grhs" in names else -1
            many[k] = many[k].astype(np.complex64 if name[0] == "c" else np.float32)
            short = function(*many)
            self.assertEqual((short[0].dtype, short[1].dtype), (many[k].dtype, np.float32), name)
            np.testing.assert_allclose(short[0], u, rtol=0, atol=1e-4 * np.abs(u).max())

    def test_errors(self):
        for name, number, changed in (
                ("hwscrt", 1, {"a": 9.0}), ("hstcrt", 2, {"mbdcnd": 5}), ("hwsssp", 1, {"ts": -1.0}),
                ("genbun", 4, {"nperod": 5}), ("hw3crt", 9, {"nbdcnd": 5}), ("pois3d", 1, {"lperod": 5}),
                ("blktri", 5, {"cn": -1.0}), ("sepeli", 10, {"cofx": lambda x: (-1, 0, 0)}),
                ("sepx4", 6, {"m": 5, "grhs": np.ones((6, 8)), "usol": 0, "bdc": 0, "bdd": 0})):
            given = {**named(name), **changed}
            field = next(key for key in ("grhs", "f", "y") if key in given)
            for lead in ((), (3,)):
                given[field] = np.broadcast_to(given[field], lead + given[field].shape)
                with self.subTest(name), self.assertRaisesRegex(sf.StarfishError, f"ierror {number}") as caught:
                    getattr(fishpack, name)(**given)
                self.assertEqual(caught.exception.ierror, number)
        for name, key in ((n, k) for n in LAST for k, v in named(n).items() if k[:2] == "bd" and v is not None):
            with self.assertRaisesRegex(sf.ArgumentError, f"^{key}: must not be None"):
                getattr(fishpack, name)(**{**named(name), key: None})
        box = {**named("hwscrt"), "mbdcnd": 1, "elmbda": 2.0}
        self.assertEqual(fishpack.hwscrt(**box)[1], 0.0)  # elmbda > 0
        for name, changed in (("f", {"f": box["f"][1:]}), ("f", {"f": box["f"][0]}), ("f", {"f": 1j * box["f"]}),
                              ("m", {"m": 4.5}), ("a", {"a": "x"}), ("bdb", {"bdb": [1, 2]})):
            with self.subTest(changed=changed), self.assertRaisesRegex((ValueError, TypeError), f"^{name}: "):
                fishpack.hwscrt(**{**box, **changed})

    def test_callbacks(self):
        given, points = named("sepeli"), []

        def recorded(at):
            points.append(at)
            return given["cofx"](at) if at < 1.0 or len(points) <= M + 1 else {}["of the function"]
        fishpack.sepeli(**{**given, "cofx": recorded})
        np.testing.assert_allclose(points, np.linspace(0, 1, M + 1), rtol=1e-15)
        for grhs in (given["grhs"], np.broadcast_to(given["grhs"], (5, M + 1, N + 1))):
            with self.assertRaisesRegex(KeyError, "of the function"):
                fishpack.sepeli(**{**given, "cofx": recorded, "grhs": grhs})
        for name, value in (("cofx", lambda x: 1.0), ("cofy", lambda x: (1.0, 0.0, "x")), ("cofy", 1.0)):
            with self.assertRaisesRegex(sf.ArgumentError, f"^{name}: must be"):
                fishpack.sepeli(**{**given, name: value})


if __name__ == "__main__":
    unittest.main()
