#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Outputs under attack: a standard output that is full or closed, signals while files are written, disks that are full,
HDF5 files that are corrupt, in the way, or written by several programs at once."""
import contextlib
import glob
import os
import signal
import stat
import subprocess
import time

import program
from program import Case, PROGRAM, SOURCE, poisson

TRIES = 40  # of a run that must be seen while it writes; a busy machine may show it too late each second time
CORRUPT = f"{SOURCE}/tests/fuzz/corpus/hdf5/link-crash.h5"

QUADRILATERAL = """$MeshFormat
2.2 0 8
$EndMeshFormat
$Nodes
4
1 0 0 0
2 1 0 0
3 1 1 0
4 0 1 0
$EndNodes
$Elements
2
1 1 2 1 1 1 2
2 3 2 2 2 1 2 3 4
$EndElements
"""


def state_and_parent(process):
    """State and parent of a process; ("Z", 0) where it has ended."""
    try:
        with open(f"/proc/{process}/stat", encoding="utf-8", errors="replace") as stream:
            state, parent = stream.read().rpartition(")")[2].split()[:2]
    except OSError:
        return "Z", 0
    return state, int(parent)


def is_running(process):
    return state_and_parent(process)[0] not in "ZX"


def children(parent):
    return [name for name in os.listdir("/proc") if name.isdigit() and state_and_parent(name)[1] == parent]


class Outputs(Case):
    def start(self, *arguments, **streams):
        return subprocess.Popen([PROGRAM, *arguments], cwd=self.folder, stderr=subprocess.PIPE, text=True, **streams)

    def temporaries(self):
        return [name for name in os.listdir(self.folder) if name.startswith(".starfish")]

    def limited(self, kilobytes, *arguments):
        """A run in which no file may be larger than that."""
        done = subprocess.run(["bash", "-c", f'ulimit -f {kilobytes}; exec "$@"', "-", PROGRAM, *arguments],
                              capture_output=True, text=True, cwd=self.folder, timeout=300)
        return done.returncode, done.stderr

    # ---- standard output -------------------------------------------------------------------------------------------

    def test_full_standard_output(self):
        problem = self.write("p.json", poisson())
        for arguments in (
            ["help"], ["version"], ["info"], ["info", "--json"],
            ["solve", "--help"], ["solve", problem], ["solve", problem, "--json"],
            ["bench"], ["bench", "poisson3d", "--help"],
            ["bench", "tridiag", "--size", "64x64", "--repeat", "1", "--warmup", "0", "--csv", "-"],
            ["reproduce"], ["sched", "--help"],
            ["sched", problem, "--workers", "cpu:1", "--policies", "eager", "--repeat", "1", "--warmup", "0", "--json"],
            ["trace", problem, "--workers", "cpu:1", "--out", "t"],
            ["trace", "--help"], ["machine", "list"], ["machine", "record", "--help"],
        ):
            for full in (True, False):
                with self.subTest(arguments=arguments, full=full), contextlib.ExitStack() as stack:
                    if full:
                        streams = {"stdout": stack.enter_context(open("/dev/full", "w"))}
                    else:
                        streams = {"preexec_fn": lambda: os.close(1)}
                    done = self.start(*arguments, **streams)
                    said = done.communicate(timeout=300)[1]
                    self.assertEqual(done.returncode, 1, said)
                    self.assertIn("starfish: standard output: " + ("No space left" if full else "Bad file"), said)

    def test_a_refusal_stays_a_refusal(self):
        with open("/dev/full", "w") as full:
            done = self.start("solve", "absent.json", "--json", stdout=full)
            said = done.communicate(timeout=60)[1]
        self.assertEqual(done.returncode, 2)
        self.assertIn("absent.json: No such file", said)

    def test_closed_streams_are_no_files(self):
        """What is printed must not land in a file that was opened under the number of a closed stream."""
        problem = self.write("p.json", poisson())
        closing = ["bash", "-c", 'exec "$@" <&- >&- 2>&-', "-"]
        done = subprocess.run([*closing, PROGRAM, "solve", problem, "--out", "u.npy"], cwd=self.folder, timeout=300)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(program.read_npy(self.path("u.npy"))[0], (program.NZ, program.NY, program.NX))

    # ---- signals ---------------------------------------------------------------------------------------------------

    def test_signals_while_writing(self):
        """A solve large enough that its writing is seen. When it was too fast for us, so that it ended or its file got
        its name before the signal came, it is tried again."""
        problem = self.write("p.json", poisson(n=[128, 128, 128], rhs=1))
        names = {"npy": ["--out", "u.npy"], "h5": ["--out", "u.h5:/u"], "vtk": ["--vtk", "u.vti"]}
        for number in (signal.SIGINT, signal.SIGTERM):
            for name, options in names.items():
                with self.subTest(signal=number, name=name):
                    before = sorted(os.listdir(self.folder))
                    for _ in range(TRIES):
                        done = self.start("solve", problem, "--quiet", *options)
                        while done.poll() is None and not self.temporaries():
                            pass
                        done.send_signal(number)
                        done.communicate(timeout=60)
                        self.assertEqual(self.temporaries(), [])
                        landed = sorted(set(os.listdir(self.folder)) - set(before))
                        if done.returncode == -number and not landed:
                            break
                        self.assertIn(done.returncode, (0, -number))
                        self.assertEqual(landed, ["u." + name.replace("vtk", "vti")])
                        self.assertGreaterEqual(os.path.getsize(self.path(landed[0])), 8 * 128**3)
                        os.unlink(self.path(landed[0]))
                    self.assertEqual(done.returncode, -number)
                    self.assertEqual(sorted(os.listdir(self.folder)), before)

    def test_what_a_program_runs_ends_with_it(self):
        """A recording runs passes as processes of their own, which go on for minutes."""
        done = self.start("machine", "record", "here", stdout=subprocess.DEVNULL)
        passes = []
        while done.poll() is None and not passes:
            passes = children(done.pid)
        done.terminate()
        done.communicate(timeout=60)
        self.assertEqual(done.returncode, -signal.SIGTERM)
        end = time.monotonic() + 30
        while any(is_running(process) for process in passes):
            self.assertLess(time.monotonic(), end)
            time.sleep(0.02)

    def interrupt(self, arguments, is_time):
        """Starts the program and ends it when it is time; what is left then."""
        done = self.start(*arguments, stdout=subprocess.DEVNULL)
        while done.poll() is None and not is_time(done):
            time.sleep(0.001)
        done.terminate()
        done.communicate(timeout=60)
        self.assertEqual(done.returncode, -signal.SIGTERM)
        return sorted(os.listdir(self.folder))

    def test_interrupted_traces_leave_nothing(self):
        """Neither where the folder is new, whatever StarPU has written by then, nor where it has been there."""
        problem = self.write("p.json", poisson(n=[64, 64, 64], rhs=1))
        before = sorted(os.listdir(self.folder))
        trace = ["trace", problem, "--out", self.path("t"), "--warmup", "1000", "--quiet"]
        self.assertEqual(self.interrupt(trace, lambda _: os.path.exists(self.path("t"))), before)
        self.assertEqual(self.interrupt(trace, lambda _: glob.glob(self.path("t/.starpu-*"))), before)
        os.mkdir(self.path("t"))
        self.write("t/mine", {})
        self.interrupt(trace, lambda _: glob.glob(self.path("t/.starpu-*")) or len(os.listdir(self.path("t"))) > 1)
        self.assertEqual(os.listdir(self.path("t")), ["mine"])

    def test_interrupted_recordings_keep_what_is_done_alone(self):
        """Of cases that are held out the models' folder goes."""
        record = ["machine", "record", "here", "--quick", "--out", self.path("m")]
        self.interrupt(record, lambda _: glob.glob(self.path("m/held-out-*")))
        self.assertLessEqual({"machine.json", "measured.csv", "sampling"}, set(os.listdir(self.path("m"))))
        self.assertEqual(glob.glob(self.path("m/held-out*")), [])
        with open(self.path("m/measured.csv")) as stream:
            self.assertGreater(len(stream.readlines()), 1)

    # ---- full disks ------------------------------------------------------------------------------------------------

    def test_limit_of_sizes(self):
        problem = self.write("p.json", poisson(n=[32, 32, 32], rhs=1))
        for arguments in (["solve", problem, "--out", "u.npy"], ["solve", problem, "--out", "u.h5:/u"],
                          ["solve", problem, "--vtk", "u.vti"]):
            with self.subTest(arguments=arguments):
                before = self.contents()
                status, said = self.limited(64, *arguments)
                self.assertEqual(status, 2, said)
                self.assertIn("starfish: ", said)
                self.assertEqual(self.contents(), before)

    def test_outputs_appear_together(self):
        """The last output cannot be written to its end, and what was finished before it must not appear."""
        problem = self.write("p.json", poisson())
        mesh = self.write("m.msh", QUADRILATERAL)
        self.write("old.npy", "old")
        self.solve(poisson(), "--out", "old.h5:/before")
        for name in ("full.vti", "full.vtu"):
            os.symlink("/dev/full", self.path(name))
        before = self.contents()
        for arguments in (["solve", problem, "--out", "old.h5:/u", "--vtk", "full.vti"],
                          ["fem", mesh, "--out", "new.npy", "--points", "old.npy", "--vtk", "full.vtu"],
                          ["fem", mesh, "--out", "old.h5:/u", "--points", "./old.h5:/x", "--vtk", "full.vtu"]):
            with self.subTest(arguments=arguments):
                status, out, said = self.run_program(*arguments)
                self.assertEqual((status, out), (2, ""), said)
                self.assertRegex("\n".join(said), "/dev/full: cannot be written")
                self.assertEqual(self.contents(), before)

    def test_two_arrays_of_one_file(self):
        """Of one command, by two names of the file: what was there before stays, too."""
        self.solve(poisson(), "--out", "both.h5:/before")
        mesh = self.write("m.msh", QUADRILATERAL)
        status, out, said = self.run_program("fem", mesh, "--out", "both.h5:/u", "--points", "./both.h5:/x")
        self.assertEqual(status, 0, said)
        for name in ("before", "u", "x"):
            self.refuse(2, f"both.h5:/{name} has shape", "solve",
                        self.write("read.json", poisson(rhs=f"both.h5:/{name}", n=[1, 1, 7])))

    def test_trace_that_is_cut_off(self):
        problem = self.write("p.json", poisson())
        status, said = self.limited(2, "trace", problem, "--workers", "cpu:1", "--out", "t")
        self.assertNotEqual(status, 0, said)
        self.assertRegex(said, "(?i)file too large|cut off|no trace|cannot be written")

    def test_trace_on_a_full_disk(self):
        problem = self.write("p.json", poisson())
        disk = self.path("disk")
        os.mkdir(disk)
        if os.geteuid() != 0 or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4k", "none", disk],
                                               capture_output=True).returncode != 0:
            self.skipTest("only root may mount a small disk")
        self.addCleanup(subprocess.run, ["umount", disk], check=True)
        for kilobytes in (4, 12, 32, 64, 80):
            with self.subTest(kilobytes=kilobytes):
                subprocess.run(["mount", "-o", f"remount,size={kilobytes}k", disk], check=True)
                status, out, said = self.run_program("trace", problem, "--workers", "cpu:1", "--out", "disk/t")
                self.assertNotEqual(status, 0, out)
                self.assertRegex("\n".join(said), "No space left|disk is full")
                subprocess.run(["rm", "-rf", f"{disk}/t"], check=True)

    # ---- HDF5 ------------------------------------------------------------------------------------------------------

    def test_corrupt_hdf5(self):
        with open(CORRUPT, "rb") as source, open(self.path("c.h5"), "wb") as copy:
            copy.write(source.read())
        problem = self.write("p.json", poisson(rhs="c.h5:/u"))
        good = self.write("good.json", poisson())
        for arguments in (["solve", problem], ["sched", problem], ["trace", problem, "--out", "t"]):
            with self.subTest(arguments=arguments):
                self.refuse(2, 'p.json: "rhs": ', *arguments)
        self.refuse(2, "c.h5:/v: ", "solve", good, "--out", "c.h5:/v")

    def test_targets_are_checked_before(self):
        """Before the solve: a problem that no machine could solve is not what is complained about."""
        self.solve(poisson(), "--out", "u.h5:/g/u")
        problem = self.write("p.json", poisson(n=[9000, 9000, 9000], rhs=0))
        for target, message in (("u.h5:/g", "is not a dataset"), ("u.h5:/g/u/v", "is not a group"),
                                ("p.json", "an array's name is"), ("f.npy:/u", "an array's name is")):
            with self.subTest(target=target):
                self.refuse(2, message, "solve", problem, "--out", target)

    def test_writers_of_one_file(self):
        problem = self.write("p.json", poisson())
        # A StarPU without our patch has no whole files of models while another program writes them.
        runs = [self.start("solve", problem, "--workers", "cpu:1", "--quiet", "--out", f"shared.h5:/run{i}",
                           env=dict(os.environ, STARPU_HOME=self.path(f"home{i}"))) for i in range(4)]
        for run in runs:
            said = run.communicate(timeout=300)[1]
            self.assertEqual(run.returncode, 0, said)
        for i in range(4):
            result = self.solve(poisson(rhs=f"shared.h5:/run{i}"))
            self.assertEqual(result["status"], "solved")
        self.assertEqual(self.temporaries(), [])

    def test_modes_and_links(self):
        problem = self.write("p.json", poisson())
        os.symlink("real.npy", self.path("link.npy"))
        for mode in (0o644, 0o600, 0o664):
            with self.subTest(mode=oct(mode)):
                status, out, said = self.run_program("solve", problem, "--quiet", "--out", "link.npy")
                self.assertEqual((status, out, said), (0, "", []))
                self.assertTrue(os.path.islink(self.path("link.npy")))
                os.chmod(self.path("real.npy"), mode)
                self.run_program("solve", problem, "--quiet", "--out", "link.npy")
                self.assertEqual(stat.S_IMODE(os.stat(self.path("real.npy")).st_mode), mode)


if __name__ == "__main__":
    program.main()
