#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Recorded machines predict what their models have not seen: cases that were held out of the recording are simulated,
and compared with what they took there. The aim is that 90 of 100 rows with a GPU and 75 with cores alone are within
15 %: all machines together must reach it, and each what it has reached.

    held_out.py PROGRAM SOURCE_FOLDER [unittest arguments]"""
import concurrent.futures
import csv
import glob
import os
import unittest

import program
from program import Case, SOURCE

WITHIN = 0.15
AIM = {"with a GPU": 0.90, "cores alone": 0.75}
# Of a machine, the shares that have been reached, a row less; of one that is not named here, less is asked.
REACHED = {"epyc-2c": {"cores alone": 0.81},
           "h200-16c": {"with a GPU": 0.89, "cores alone": 0.78},
           "h200x2-32c": {"with a GPU": 0.9, "cores alone": 0.8}}
LEAST = {"with a GPU": 0.6, "cores alone": 0.3}


def held_out(path):
    """Names of a machine's cases that were held out."""
    with open(path, newline="") as stream:
        return sorted({row["case"] for row in csv.DictReader(stream) if row["held_out"] == "1"})


class HeldOut(Case):
    def rows_of(self, machine, case):
        """Rows of a case, simulated and measured."""
        name = f"{machine}-{case}.csv"
        status, out, said = self.run_program("machine", "compare", machine, "--case", case, "--csv", name)
        self.assertEqual((status, said), (0, []), out)
        with open(self.path(name), newline="") as stream:
            return [row for row in csv.DictReader(stream) if row["case"] == case]

    def near(self, rows):
        """Of each row with and without a GPU, whether it is near enough."""
        near = {kind: [] for kind in AIM}
        for row in rows:
            kind = "cores alone" if row["workers"] in ("cpu", "team") else "with a GPU"
            off = float(row["simulated_seconds"]) / float(row["measured_seconds"]) - 1
            near[kind].append(abs(off) <= WITHIN)
        return near

    def check(self, near, least, **where):
        for kind, rows in near.items():
            with self.subTest(kind=kind, aim=AIM[kind], **where):
                self.assertGreaterEqual(sum(rows), least[kind] * len(rows))

    def test_machines_of_the_sources(self):
        """One case at a time on each core."""
        cases = {os.path.basename(os.path.dirname(path)): held_out(path)
                 for path in glob.glob(f"{SOURCE}/data/machines/*/measured.csv")}
        with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
            rows = {machine: pool.map(self.rows_of, [machine] * len(names), names)
                    for machine, names in cases.items() if names}
            rows = {machine: [row for case in some for row in case] for machine, some in rows.items()}
        for machine, some in rows.items():
            near = {kind: found for kind, found in self.near(some).items() if found}
            self.check(near, REACHED.get(machine, LEAST), machine=machine)
        self.check(self.near(row for some in rows.values() for row in some), AIM)

    def test_product_form_on_a_gpu(self):
        """The sizes between those that were recorded, in 2D and 3D, and the largest in 3D."""
        for case in ("held-product-2d-1023", "held-product-2d-700", "product-512-f64"):
            rows = [row for row in self.rows_of("h200-16c", case) if row["workers"] == "gpu"]
            with self.subTest(case=case):
                self.assertEqual(self.near(rows)["with a GPU"], [True])

    def test_what_is_reached_is_no_less_than_asked(self):
        for machine, reached in REACHED.items():
            self.assertTrue(os.path.exists(f"{SOURCE}/data/machines/{machine}/machine.json"))
            for kind, share in reached.items():
                self.assertGreaterEqual(share, LEAST[kind])


if __name__ == "__main__":
    program.main()
