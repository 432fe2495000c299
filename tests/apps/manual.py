#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Pages of the manual and completion of command lines, which come from the tables of options."""
import re
import shutil
import subprocess

import program
from program import Case, PROGRAM

COMMANDS = [["solve"], ["sched"], ["trace"], ["fem"], ["info"], ["bench", "tridiag"], ["bench", "poisson3d"],
            ["machine", "record"], ["machine", "compare"], ["reproduce", "mueller-table1"]]


class Manual(Case):
    def say(self, *arguments):
        status, out, said = self.run_program(*arguments)
        self.assertEqual((status, said), (0, []))
        return out

    def test_pages_have_every_option_of_the_help(self):
        for command in COMMANDS:
            with self.subTest(command=command):
                page = self.say("man", *command)
                self.assertTrue(page.startswith('.TH "STARFISH-' + "-".join(command).upper().replace("_", "-")))
                self.assertIn(".SH SYNOPSIS", page)
                helped = re.findall(r"^  (--[a-z0-9-]+) ", self.say(*command, "--help"), re.MULTILINE)
                names = re.findall(r"(?m)^\.TP\n\\fB(\\-\\-[^\\ ]*(?:\\-[^\\ ]*)*)", page)
                told = [name.replace("\\-", "-") for name in names]
                self.assertEqual(told, helped)
                for line in page.splitlines():
                    self.assertRegex(line, r"^(\.(TH|SH|TP|PP|B|BR)\b.*|[^.'].*)$")

    def test_page_of_all_commands(self):
        page = self.say("man")
        for name in ("solve", "sched", "completion", "man"):
            self.assertIn(f"\n\\fB{name}\\fR\n", page)
        bench = self.say("man", "bench")
        self.assertIn("\n\\fBtridiag\\fR\n", bench)
        self.refuse(2, "there is no page of 'slove'", "man", "slove")
        self.assertIn("Usage: starfish man [COMMAND [NAME]]", self.say("man", "-h"))
        self.assertEqual(self.say("help", "man"), self.say("man", "--help"))
        self.refuse(2, "there is no page of 'nothing'", "man", "bench", "nothing")

    def words(self, *before):
        return self.say("completion", "words", *before).split()

    def test_completion_offers_what_may_follow(self):
        self.assertLessEqual({"solve", "bench", "trace", "man"}, set(self.words()))
        self.assertLessEqual({"tridiag", "poisson3d"}, set(self.words("bench")))
        self.assertLessEqual({"--method", "--plot", "--dark", "--help"}, set(self.words("solve", "p.json")))
        self.assertLessEqual({"auto", "slab", "blktri", "multigrid", "cg"}, set(self.words("solve", "--method")))
        self.assertEqual(self.words("bench", "tridiag", "--layout"), ["contiguous", "interleaved"])
        self.assertLessEqual({"lws", "dmda", "starfish-width"}, set(self.words("solve", "--policy")))
        self.assertIn("h200-16c", self.words("sched", "p.json", "--simulate"))
        self.assertEqual(self.words("solve", "--rhs"), [])  # a file
        self.assertIn("--json", self.words("solve", "--rhs", "f.npy"))
        self.assertEqual(self.words("slove"), [])

    def test_scripts_are_read_by_their_shells(self):
        for shell in ("bash", "zsh", "fish"):
            script = self.say("completion", shell)
            self.assertIn("starfish completion words", script)
            if shutil.which(shell):
                subprocess.run([shell, "-n"], input=script, text=True, check=True, timeout=20)
        self.refuse(2, "'tcsh' is not one of bash, zsh, fish", "completion", "tcsh")

    def test_bash_completes(self):
        script = self.say("completion", "bash") + """
starfish() { "$PROGRAM" "$@"; }
COMP_WORDS=(starfish solve --meth); COMP_CWORD=2; _starfish; echo "${COMPREPLY[*]}"
COMP_WORDS=(starfish solve --method mul); COMP_CWORD=3; _starfish; echo "${COMPREPLY[*]}"
"""
        done = subprocess.run(["bash"], input=script, text=True, capture_output=True, check=True, timeout=20,
                              env={"PROGRAM": PROGRAM, "PATH": "/usr/bin:/bin"})
        self.assertEqual(done.stdout.splitlines(), ["--method", "multigrid"])


if __name__ == "__main__":
    program.main()
