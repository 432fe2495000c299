# SPDX-License-Identifier: LGPL-2.1-or-later
"""bench/paired, on programs that only pretend to measure, where every ratio is known; and on this tree against itself.

    paired.py bench/paired BUILD
"""
import os
import re
import subprocess
import sys
import tempfile
import unittest

PAIRED, BUILD = sys.argv[1:3]
# Times come from a file beside the program, one for each run, the last for all that follow; "fail" is a failure.
PRETENDER = """#!/bin/sh
[ "$1" = info ] && echo '{"workers": [{"kind": "cpu"}]}' && exit 0
cd "$(dirname "$0")"
time=$(head -n 1 times)
[ "$(wc -l <times)" = 1 ] || sed -i 1d times
[ "$time" != fail ] || { echo "cannot do it" >&2; exit 1; }
echo '{"rows": [{"who": "copy", "case": "a", "seconds": 9}, {"who": "starfish", "case": "a", "seconds": '$time'}]}'
"""


class Paired(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.write("list", "quick : bench a\n")

    def write(self, name, text):
        path = os.path.join(self.folder.name, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def tree(self, name, times):
        os.chmod(self.write(f"{name}/build/bin/starfish", PRETENDER), 0o755)
        self.write(f"{name}/build/bin/times", "".join(f"{time}\n" for time in times))
        return os.path.join(self.folder.name, name)

    def run_on(self, old, new, *options):
        done = subprocess.run([sys.executable, PAIRED, old, new, "--list", os.path.join(self.folder.name, "list"),
                               *options], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr, (done.stdout.strip().split("\n") or [""])[-1]

    def test_equal_times_pass(self):
        status, said, last = self.run_on(self.tree("old", [1]), self.tree("new", [1]))
        self.assertEqual(status, 0, said)
        self.assertIn("1000.0000   1000.0000     1.000     1.000  a", said)
        self.assertIn("no ratio exceeds", last)

    def test_a_slower_tree_is_told(self):
        status, said, last = self.run_on(self.tree("old", [1]), self.tree("new", [1.05]))
        self.assertEqual((status, last), (1, "slower: a: 1.050 > 1.030"), said)

    def test_the_first_run_does_not_count(self):
        status, said, _ = self.run_on(self.tree("old", [1]), self.tree("new", [9, 1]), "--runs", "2")
        self.assertEqual(status, 0, said)

    def test_one_bad_run_is_not_enough(self):
        status, said, _ = self.run_on(self.tree("old", [1]), self.tree("new", [1, 1, 9, 1]), "--runs", "3")
        self.assertEqual(status, 0, said)

    def test_the_spread_of_the_old_tree_is_allowed(self):
        noisy = [1, 1, 1.2] * 5
        status, said, _ = self.run_on(self.tree("old", noisy), self.tree("new", [1.1 * t for t in noisy]))
        self.assertEqual(status, 0, said)
        status, said, last = self.run_on(self.tree("old", noisy), self.tree("new", [1.3 * t for t in noisy]))
        self.assertEqual((status, last), (1, "slower: a: 1.300 > 1.200"), said)

    def test_failures_are_told(self):
        status, said, last = self.run_on(self.tree("old", [1]), self.tree("new", [1, "fail"]))
        self.assertEqual((status, last), (1, "slower: bench a: new fails"), said)
        self.assertIn("new fails: cannot do it", said)

    def test_what_the_machine_cannot_is_left_out(self):
        self.write("list", "gpu : bench b\nmemory=1000000 : bench c\n: bench a\n")
        status, said, _ = self.run_on(self.tree("old", [1]), self.tree("new", [1]))
        self.assertEqual(status, 0, said)
        self.assertIn("left out: bench b: no GPU", said)
        self.assertIn("left out: bench c: needs 1000000 GB of memory", said)

    def test_usage(self):
        old = self.tree("old", [1])
        for arguments in ((old, os.path.join(self.folder.name, "nowhere")), (old, old, "--only", "nothing"),
                          (old, old, "--runs", "1")):
            self.assertEqual(self.run_on(*arguments)[0], 2, arguments)
        self.write("list", "sometimes : bench a\n")
        self.assertEqual(self.run_on(old, old)[0], 2)

    def test_this_tree_against_itself(self):
        self.write("list", "quick : bench poisson3d --method slab --workers cpu:1 --where pageable --n 16 --peers none "
                           "--precision f64,f32 --repeat 3 --warmup 1\n"
                           "quick : solve {dirichlet-16} --method slab --workers cpu:1 --repeat 3\n")
        status, said, last = self.run_on(BUILD, BUILD, "--runs", "2", "--quick")
        figures = [line for line in said.split("\n") if re.match(r"( +\d+\.\d+){4} ", line)]
        self.assertEqual(len(figures), 3, said)
        for figure in figures:
            self.assertGreater(min(map(float, figure.split()[:4])), 0, said)
        self.assertEqual(status, 1 if last.startswith("slower: ") else 0, said)
        self.assertNotIn("fails", said)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
