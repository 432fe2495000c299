# SPDX-License-Identifier: LGPL-2.1-or-later
"""The examples in apps/examples that compare with exact solutions: errors of second order, exit statuses, pictures."""
import importlib.util
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

EXAMPLES = pathlib.Path(__file__).resolve().parent.parent.parent / "apps" / "examples"
SCRIPTS = ("sphere-streamfunction/streamfunction.py", "pipe/pipe.py", "shell-field/field.py")


class Examples(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)

    def run_script(self, script, *arguments, **variables):
        return subprocess.run([sys.executable, "-B", EXAMPLES / script, *map(str, arguments)], capture_output=True,
                              text=True, check=False, env={**os.environ, **variables})

    def errors_of(self, script, *arguments):
        """The errors that a script prints, after it has succeeded."""
        done = self.run_script(script, *arguments)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        found = re.search(r"largest error (?:of u )?(\S+), (?:of B_r (\S+), )?at most", done.stdout)
        return [float(error) for error in found.groups() if error]

    def test_second_order(self):
        for script, n, options in ((SCRIPTS[0], 16, ()), (SCRIPTS[1], 12, ()), (SCRIPTS[2], 16, ()),
                                   (SCRIPTS[2], 16, ("--eigenvalues", "spectral"))):
            with self.subTest(script=script, options=options):
                coarse, fine = (self.errors_of(script, "--n", size, *options) for size in (n, 2 * n))
                for error, smaller in zip(coarse, fine):
                    self.assertGreater(error / smaller, 3.2)

    def test_status_above_the_bound(self):
        done = self.run_script(SCRIPTS[0], "--n", 4)
        self.assertEqual((done.returncode, done.stderr), (1, ""))

    def test_without_matplotlib(self):
        (self.folder / "matplotlib.py").write_text("raise ImportError\n", encoding="utf-8")
        path = f"{self.folder}:{os.environ['PYTHONPATH']}"
        for script in SCRIPTS:
            with self.subTest(script=script):
                done = self.run_script(script, "--n", 8, "--plot", self.folder / "none.png", PYTHONPATH=path)
                self.assertEqual((done.returncode, done.stderr), (1, "--plot needs matplotlib\n"))

    @unittest.skipUnless(importlib.util.find_spec("matplotlib"), "no matplotlib")
    def test_pictures(self):
        for script in SCRIPTS:
            with self.subTest(script=script):
                self.errors_of(script, "--n", 12, "--plot", picture := self.folder / "picture.png")
                self.assertEqual(picture.read_bytes()[:4], b"\x89PNG")
                picture.unlink()


if __name__ == "__main__":
    unittest.main()
