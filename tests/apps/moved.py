#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A build that has been moved: StarPU's folder of models is no longer where it was installed to, of which simulations
say nothing.

    moved.py PROGRAM SOURCE_FOLDER [unittest arguments]"""
import glob
import os
import re
import shutil
import subprocess

import program

FOLDER = b"/share/starpu/perfmodels/sampling\0"


class Moved(program.Case):
    def test_simulations_say_nothing_of_starpu_s_folders(self):
        simulated = f"{os.path.dirname(program.PROGRAM)}/starfish-simulated"
        if not os.path.exists(simulated):
            self.skipTest("built without simulations")
        there = re.search(r"libstarpu-1\.4\S* => (\S+)", subprocess.run(["ldd", simulated], capture_output=True,
                                                                        text=True).stdout).group(1)
        moved, library = self.path("build/bin"), self.path(f"build/lib/starfish/simgrid/{os.path.basename(there)}")
        os.makedirs(moved)
        os.makedirs(os.path.dirname(library))
        lib = f"{os.path.dirname(program.PROGRAM)}/../lib"
        for real in glob.glob(f"{lib}/*.so*") + glob.glob(f"{lib}/starfish/*.so*"):
            os.symlink(os.path.realpath(real), self.path(f"build/lib/{os.path.relpath(real, lib)}"))
        for name in (program.PROGRAM, simulated):
            shutil.copy(name, moved)
        with open(there, "rb") as source, open(library, "wb") as target:
            target.write(source.read().replace(FOLDER, FOLDER.replace(b"sampling", b"was/here")))
        found = subprocess.run(["ldd", f"{moved}/starfish-simulated"], capture_output=True, text=True).stdout
        if os.path.dirname(library) not in found.replace("/bin/..", ""):
            self.skipTest("finds its libraries elsewhere")
        done = subprocess.run([f"{moved}/starfish", "machine", "compare", "epyc-2c", "--case", "batch-512x65536-f64",
                               "--workers", "cpu"], capture_output=True, text=True, cwd=self.folder, timeout=300,
                              env=dict(os.environ, STARFISH_MACHINES=f"{program.SOURCE}/data/machines"))
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)


if __name__ == "__main__":
    program.main()
