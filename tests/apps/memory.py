#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Solves of a recorded machine whose GPUs have less memory than the field: each comes to an end, or is refused with the
bytes. SimGrid ends a simulation in which nothing can move any more, so that a hang is a failure here.

    memory.py PROGRAM SOURCE_FOLDER [unittest arguments]"""
import json
import os
import re
import subprocess
import tempfile
import unittest

import program

N = 256
FIELD = 8e-6 * N**3  # MB
ENOUGH = 4000  # MB


def simulate(method, workers, limit, n=N, slabs=0):
    """The row of the solve, or the error; limit in MB."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "p.json")
        with open(path, "w") as file:
            json.dump(program.poisson(n=[n, n, n], grid={"y": "cell", "z": "cell"}, rhs="nowhere.npy"), file)
        command = [program.PROGRAM, "sched", path, "--simulate", "h200-16c", "--policies", "dmdas", "--workers",
                   workers, "--method", method, "--slabs", str(slabs), "--json"]
        environment = dict(os.environ, STARPU_LIMIT_CUDA_MEM=str(limit))
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=False)
        return done


class Memory(unittest.TestCase):
    def row(self, *arguments, **named):
        done = simulate(*arguments, **named)
        self.assertEqual(done.returncode, 0, (arguments, done.stderr[-600:]))
        return json.loads(done.stdout)["rows"][0]

    def test_slab_streams(self):
        """Down to an eighth of the field: twice the field each way, what slabs hand on, and, of a GPU alone, what the
        reduced systems are made of, which is most where slabs are thin."""
        for workers in ("all", "gpu"):
            for limit in (250, 100, 60, 40, 25, 17):
                row = self.row("slab", workers, limit)
                most = 3.2 if workers == "all" or limit > 25 else 4
                self.assertLess(row["host_to_device"], most * FIELD * 1e6, (workers, limit))
                self.assertGreater(row["host_to_device"], 0.9 * FIELD * 1e6, (workers, limit))

    def test_streams_take_at_most_twice_four_transfers(self):
        """At 512^3 with an eighth of the field. The recorded link has 54.8 GB/s for both ways together."""
        field = 8 * 512**3
        for workers in ("all", "gpu"):
            row = self.row("slab", workers, 128, n=512)
            self.assertLess(row["seconds"], 2 * 4 * field / 54.8e9, workers)

    def test_blktri_ends(self):
        for method in ("blktri", "blktri-product"):
            for workers, limits in (("all", (450, 250, 100)), ("gpu", (450, 250))):
                for limit in limits:
                    self.row(method, workers, limit)

    def test_refusals_name_the_bytes(self):
        for method, workers, limit in (("slab", "gpu", 5), ("blktri", "gpu", 17), ("multigrid", "gpu", 250),
                                       ("multigrid", "all", 100)):
            done = simulate(method, workers, limit)
            self.assertNotEqual(done.returncode, 0, (method, limit))
            text = done.stdout + done.stderr
            found = re.search(r"needs (\d+) bytes of a GPU's memory.* there are (\d+)", text)
            self.assertTrue(found, text[-400:])
            self.assertGreater(int(found[1]), int(found[2]))
            self.assertEqual(int(found[2]) // 2**20, limit)

    def test_slab_leaves_it_to_cores(self):
        self.assertEqual(self.row("slab", "all", 5)["host_to_device"], 0)

    def test_enough_memory_changes_nothing(self):
        """The whole field goes there and back once."""
        row = self.row("slab", "gpu", ENOUGH)
        self.assertAlmostEqual(row["host_to_device"] / (FIELD * 1e6), 1, delta=0.01)


if __name__ == "__main__":
    program.main()
