# SPDX-License-Identifier: LGPL-2.1-or-later
"""python/make-bindings writes what is not current, and nothing else; several at once; and says why it cannot."""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SOURCES = ("include/starfish", "python/bindings", "python/make-bindings", "scheduler/runtime/ranks.h",
           "mpi/transport.h")


class Bindings(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.tree = pathlib.Path(folder.name)
        for name in SOURCES:
            to = self.tree / name
            to.parent.mkdir(parents=True, exist_ok=True)
            copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
            copy(ROOT / name, to)
        shutil.rmtree(self.tree / "include/starfish/fortran", ignore_errors=True)

    def start(self, *options):
        return subprocess.Popen([sys.executable, "-B", self.tree / "python/make-bindings", *options], text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def run_it(self, *options):
        process = self.start(*options)
        said, error = process.communicate()
        return process.returncode, said.split("\n")[:-1], error

    def files(self):
        names = [pathlib.Path(name) for name in self.run_it("--list")[1]]
        return {str(path.relative_to(self.tree)): (path.read_text(encoding="utf-8"), path.stat().st_mtime_ns,
                                                   path.stat().st_ino) for path in names}

    def test_writes_what_this_tree_has(self):
        self.assertEqual(self.run_it()[0], 0)
        for name, (text, _, _) in self.files().items():
            self.assertEqual(text, (ROOT / name).read_text(encoding="utf-8"), name)
        self.assertEqual({path.name for path in (self.tree / "base/symbols").iterdir()},
                         {"starfish.map", "starfish_mpi.map"})

    def test_git_has_none_of_it(self):
        names = self.run_it("--list")[1]
        done = subprocess.run(["git", "-c", "safe.directory=*", "ls-files", "--",
                               *(name.replace(f"{self.tree}/", "") for name in names)],
                              cwd=ROOT, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            self.skipTest("no repository")
        self.assertEqual(done.stdout, "")

    def test_leaves_what_is_current(self):
        self.run_it()
        before = self.files()
        self.assertEqual(self.run_it(), (0, ["up to date"], ""))
        self.assertEqual(self.files(), before)
        self.assertEqual(self.run_it("--check")[0], 0)

    def test_replaces_what_is_not(self):
        self.run_it()
        before, header = self.files(), self.tree / "include/starfish/status.h"
        header.write_text(header.read_text(encoding="utf-8").replace(
            "STARFISH_API", "STARFISH_API void starfish_new(int n);\nSTARFISH_API", 1), encoding="utf-8")
        old = self.tree / "include/starfish/fortran/old.inc"
        old.touch()
        status, _, error = self.run_it("--check")
        self.assertEqual((status, old.exists()), (1, True))
        self.assertIn("python/pystarfish/_abi.py\n", error)
        self.assertEqual(self.run_it()[0], 0)
        changed = {name for name, file in self.files().items() if file != before[name]}
        self.assertEqual(changed, {"python/pystarfish/_abi.py", "include/starfish/fortran/status.inc",
                                   "base/symbols/starfish.map", "docs/reference.md"})
        self.assertFalse(old.exists())

    def test_several_at_once(self):
        processes = [self.start() for _ in range(6)]
        self.assertEqual([(process.communicate()[1], process.returncode) for process in processes], [("", 0)] * 6)
        self.assertEqual(self.run_it("--check")[0], 0)
        self.assertEqual(list(self.tree.rglob(".*")), [])

    def test_says_what_cannot_be_written(self):
        (self.tree / "base").mkdir()
        (self.tree / "base/symbols").touch()  # a file in place of the folder
        status, _, error = self.run_it()
        self.assertEqual(status, 1)
        self.assertIn(f"cannot write {self.tree}/base/symbols/starfish.map", error)
        self.assertEqual(error.count("\n"), 1)


if __name__ == "__main__":
    unittest.main()
