#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What people read fits a terminal of 60, 80 and 120 columns: help, lists, tables and explanations, on a terminal and
where the variable COLUMNS says its width. A word that is longer than the line, such as a path, stays whole.

    width.py PROGRAM SOURCE_FOLDER [unittest arguments]"""
import fcntl
import os
import pty
import re
import struct
import subprocess
import termios

import program
from program import Case, poisson

PROGRAM = os.path.abspath(program.PROGRAM)
WIDTHS = (60, 80, 120)
HELP = (["--help"], ["sched", "--help"], ["bench"])
CONTROL = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


class Width(Case):
    def check(self, text, width, command):
        for line in text.splitlines():
            shown = CONTROL.sub("", line.split("\r")[-1])
            if len(shown) > width:
                self.assertLessEqual(len(shown.split()), 2, f"{command} on {width} columns: {shown}")

    def read_on_terminal(self, width, command):
        """All that the program writes on a terminal of that width."""
        ours, its = pty.openpty()
        fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))
        environment = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
        with subprocess.Popen([PROGRAM, *command], stdout=its, stderr=its, cwd=self.folder, env=environment) as running:
            os.close(its)
            text = b""
            while True:
                try:
                    part = os.read(ours, 65536)
                except OSError:  # its end is closed
                    break
                if not part:
                    break
                text += part
            self.assertEqual(running.wait(60), 0, text)
        os.close(ours)
        return text.decode().replace("\r\n", "\n")

    def test_help_fits(self):
        for width in WIDTHS:
            for command in HELP:
                done = subprocess.run([PROGRAM, *command], capture_output=True, text=True, check=True, timeout=60,
                                      env=dict(os.environ, COLUMNS=str(width)))
                self.check(done.stdout, width, command)

    def test_progress_says_what_is_left(self):
        for width in WIDTHS:
            text = self.read_on_terminal(width, ["bench", "tridiag", "--size", "64x100,32x100", "--repeat", "1",
                                                 "--warmup", "0"])
            self.assertRegex(text, r"1 of \d+, \d+ s, about \d+ s are left: ")
            for line in re.findall(r"\d+ of \d+, [^\r\n\x1b]*", text):
                self.assertLess(len(line), width)

    def test_iterations_end_the_progress(self):
        self.write("p.json", poisson())
        self.assertIn("multigrid", self.read_on_terminal(80, ["solve", "p.json", "--method", "multigrid"]))

    def test_tables_fit_a_terminal(self):
        self.write("p.json", poisson())
        commands = (["bench", "tridiag", "--size", "64x100", "--repeat", "1", "--warmup", "0"],
                    ["sched", "p.json", "--policies", "lws,eager", "--workers", "cpu:1", "--repeat", "1", "--rounds",
                     "1"], ["trace", "p.json", "--out", "t", "--explain", "--quiet", "--warmup", "1"])
        for command in commands:
            wide = self.read_on_terminal(120, command)
            self.check(wide, 120, command)
            narrow = self.read_on_terminal(60, command)
            self.check(narrow, 60, command)
            if "--explain" in command:
                continue  # which sentences it has depends on what was measured
            words = re.compile(r"[a-z]{4,}")  # numbers differ from run to run
            self.assertLessEqual(set(words.findall(wide)), set(words.findall(narrow)), command)


if __name__ == "__main__":
    program.main()
