#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""starfish-width on machines that are not here: on nodes that StarPU brings, simulated, it is no slower than dmdas, and
a run is what it was before.

    simulated.py SIMULATED PLUGIN STARPU_PREFIX [unittest arguments]"""
import os
import subprocess
import sys
import unittest

SIMULATED, PLUGIN, PREFIX = map(os.path.abspath, sys.argv[1:4])
# Microseconds of wide and narrow steps, each on a GPU and on a core.
LENGTHS = ((300, 6000, 250, 150), (300, 1500, 250, 150), (300, 6000, 5000, 500), (2000, 40000, 250, 150),
           (100, 400, 3000, 3000))


def run(policy, host, gpus, lengths):
    """Milliseconds and megabytes."""
    variables = {"STARPU_SCHED_LIB": PLUGIN, "STARPU_SCHED": policy, "STARPU_HOSTNAME": host, "STARPU_NCUDA": str(gpus),
                 "STARPU_NCPU": "8", "STARPU_PERF_MODEL_DIR": f"{PREFIX}/share/starpu/perfmodels/sampling",
                 "LD_LIBRARY_PATH": f"{PREFIX}/lib", "STARPU_SILENT": "1", "STARPU_MINIMUM_CLEAN_BUFFERS": "0",
                 "STARPU_TARGET_CLEAN_BUFFERS": "0"}
    done = subprocess.run([SIMULATED, "12", *map(str, lengths)], capture_output=True, text=True, check=True,
                          timeout=300, env=dict(os.environ, **variables))
    name, milliseconds, megabytes = done.stdout.split()[-3:]
    if name != policy:
        raise AssertionError(f"{name} instead of {policy}")
    return float(milliseconds), float(megabytes)


class Simulated(unittest.TestCase):
    def test_no_slower_than_dmdas(self):
        for host in ("attila", "sirocco"):
            for gpus in (1, 3):
                for lengths in LENGTHS:
                    with self.subTest(host=host, gpus=gpus, lengths=lengths):
                        self.assertLessEqual(run("starfish-width", host, gpus, lengths)[0],
                                             1.01 * run("dmdas", host, gpus, lengths)[0])

    def test_runs_are_the_same(self):
        self.assertEqual(run("starfish-width", "attila", 3, LENGTHS[0]), run("starfish-width", "attila", 3, LENGTHS[0]))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])
