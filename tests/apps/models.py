#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Every codelet of the library has a model on every recorded machine, since without one nothing that uses the codelet
can be simulated there. The codelets are read from the sources.

    models.py PROGRAM SOURCE_FOLDER [unittest arguments]"""
import glob
import json
import os
import re
import sys
import unittest

SOURCE = sys.argv[2]
MACHINES = f"{SOURCE}/data/machines"
CODELET = re.compile(r"\b[A-Z_]+_CODELET\((?!operation\b)[^\";]*(\"(\w+)\")?")

# Codelets without a model, by the machine that lacks them: since it was recorded they have been added or renamed, or
# its cases did not run them. The next recording must empty this table: an entry that has a model, or is no codelet,
# fails.
VOLUME_MEAN = {"volume_mean", "volume_mean_numbers", "volume_mean_sum"}
MISSING = {"epyc-2c": VOLUME_MEAN, "h200-16c": VOLUME_MEAN, "h200x4-64c": VOLUME_MEAN,
           "h200x2-32c": {"grid_sweeps", *VOLUME_MEAN}}
# Codelets of GPUs, on a machine that has none.
NEVER = {"epyc-2c": {"grid_sweeps", "grid_visit", "slab_alone"}}
# Work of plans, which simulations do while simulated time stands still: it needs no model.
OF_PLANS = {"host_work"}
# The last choice of `auto`, which cannot be asked for: no recording has it.
LAST_CHOICE = {"band"}


def codelets():
    """The names of the library's codelets; AssertionError where a name is not written out."""
    found = set()
    for path in glob.glob(f"{SOURCE}/codelets/**/*.[ch]*", recursive=True):
        with open(path, encoding="utf-8") as stream:
            text = stream.read()
        for quoted, name in CODELET.findall(text):
            assert quoted, f"{path}: a codelet whose name is not written out"
            found.add(name)
    return found - OF_PLANS - LAST_CHOICE


def symbol_of(path):
    """The codelet of a model's file, starfish_NAME.HOST."""
    return os.path.basename(path).split(".")[0].removeprefix("starfish_")


def check(case, models, missing, where):
    """All codelets have models but for those that are known to be missing, and these have none."""
    known = codelets()
    case.assertGreater(len(known), 20)
    case.assertEqual(sorted(known - models - missing), [], f"codelets without a model in {where}")
    case.assertEqual(sorted(missing & models), [], f"no longer missing in {where}: take them off the list")
    case.assertEqual(sorted(missing - known), [], f"listed as missing in {where}, but no codelets")


class Models(unittest.TestCase):
    def test_every_machine(self):
        recorded = 0
        for folder in glob.glob(f"{MACHINES}/*/"):
            with open(f"{folder}/machine.json", encoding="utf-8") as stream:
                machine = json.load(stream)
            name = machine.get("models", machine["name"])
            recorded += name == machine["name"]
            with self.subTest(machine=machine["name"]):
                files = glob.glob(f"{MACHINES}/{name}/sampling/codelets/*/*.{name}")
                missing = MISSING.get(name, set()) | NEVER.get(name, set())
                check(self, {symbol_of(path) for path in files}, missing, name)
        self.assertGreaterEqual(recorded, 1)
        self.assertLessEqual(set(MISSING) | set(NEVER), set(os.listdir(MACHINES)))

    def test_machines_that_others_have_the_models_of(self):
        for name, models in (("epyc-2c", None), ("h200-16c", None), ("h200x2-32c", None),
                             ("h200x4-64c", "h200x2-32c")):
            with open(f"{MACHINES}/{name}/machine.json", encoding="utf-8") as stream:
                self.assertEqual(json.load(stream).get("models"), models)

    def test_names_that_are_not_written_out_are_noticed(self):
        self.assertEqual(CODELET.findall('STARFISH_CODELET(a,\n    "b_c", 1); STARFISH_CODELET(d, NAME, 2);'),
                         [('"b_c"', "b_c"), ("", "")])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
