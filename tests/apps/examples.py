#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The examples of apps/examples are solved, with the errors that are known of them."""
import json
import os
import subprocess
import sys

import program
from program import Case, SOURCE


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

    def test_bubble(self):
        for options in ((), ("--method", "cg", "--deflation", "regions")):
            self.assertLess(self.example("bubble", *options, make=("--n", "32"))["error"], 1e-7)

    def test_demo_and_channel_converge(self):
        for name in ("demo", "channel"):
            errors = [self.example(name, make=("--n", n))["error"] for n in ("32", "64")]
            self.assertLess(errors[1], errors[0] / 3)


if __name__ == "__main__":
    program.main()
