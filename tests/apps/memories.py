#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Several memories on recorded machines, simulated: which GPU does what, and what goes over which link.

    memories.py PROGRAM SOURCE_FOLDER [unittest arguments]"""
import json
import unittest

import program

N = 512
GPUS = {"h200-16c": 1, "h200x2-32c": 2, "h200x4-64c": 4}


def problem(n=N, **changes):
    """No array that it names exists."""
    return program.poisson(n=[n, n, n], grid={"y": "cell", "z": "cell"}, rhs="nowhere.npy", **changes)


class Memories(program.Case):
    def run_well(self, *arguments):
        status, out, said = self.run_program(*arguments)
        self.assertEqual((status, said), (0, []), out)
        return out

    def row(self, machine, problem_, *arguments):
        out = self.run_well("sched", self.write("p.json", problem_), "--simulate", machine, "--workers", "gpu",
                            "--policies", "dmdas", "--slabs", "0", "--repeat", "3", "--warmup", "1", "--json",
                            *arguments)
        return json.loads(out)["rows"][0]

    def tasks(self, machine, problem_, *arguments):
        self.run_well("trace", self.write("p.json", problem_), "--simulate", machine, "--workers", "gpu", "--policy",
                      "dmdas", "--quiet", "--out", "t", *arguments)
        with open(self.path("t/trace.json")) as stream:
            trace = json.load(stream)
        workers = {(event["pid"], event["tid"]): event["args"]["name"] for event in trace["traceEvents"]
                   if event["ph"] == "M" and event["name"] == "thread_name"}
        return [(event["name"], workers[event["pid"], event["tid"]], event["ts"], event["ts"] + event["dur"])
                for event in trace["traceEvents"] if event["ph"] == "X" and "task" in event.get("args", {})]

    def test_only_ends_of_slabs_travel(self):
        """Of the slab method between spread fields: a slab's two ends to each other owner of modes, and of the
        separators its own and those before it back. Two GPUs send each other the ends for all modes, and nothing
        back."""
        seconds = {}
        for machine, gpus in GPUS.items():
            with self.subTest(machine=machine):
                row = self.row(machine, problem(), "--spread")
                seconds[gpus] = row["seconds"]
                ends = (gpus - 1) * (4 * gpus - 1) if gpus != 2 else 2 * 2 * gpus
                self.assertEqual(row["tasks"], 2 if gpus == 1 else 3 * gpus)
                self.assertEqual(row["device_to_device"], ends * N * N // gpus * 8)
                self.assertEqual((row["host_to_device"], row["device_to_host"]), (0, 0))
                links = {key: row[key] for key in row if key.startswith("link_")}
                self.assertEqual(len(links), gpus * (gpus - 1))
                self.assertLessEqual(max(links.values(), default=0), 4 * N * N // gpus * 8)
        self.assertLess(seconds[2], 0.7 * seconds[1])  # 0.64 on two H200
        self.assertLess(seconds[4], 0.55 * seconds[1])

    def test_slabs_and_modes_are_their_owners(self):
        tasks = self.tasks("h200x4-64c", problem(), "--spread")
        placed = {name: worker for name, worker, _, _ in tasks}
        for gpu in range(4):
            for name in ("forward, slab", "reduced, part", "backward, slab"):
                self.assertTrue(placed[f"{name} {gpu}"].startswith(f"gpu {gpu}"), placed)

    def test_data_of_one_gpu_are_solved_there(self):
        """Without --spread the data are in main memory: both GPUs have slabs, and the reduced systems in two parts."""
        row = self.row("h200x2-32c", problem())
        self.assertEqual(row["host_to_device"], N**3 * 8)
        self.assertEqual(row["tasks"] % 2, 0)

    def test_multigrid_on_two_gpus(self):
        """Both share the fine grids in every cycle, what travels is halos and the small grids' share, and these are
        one task on one GPU."""
        box = problem()
        arguments = ("--method", "multigrid", "--spread")
        few, many = (self.row("h200x2-32c", box, *arguments, "--cycles", cycles) for cycles in ("5", "10"))
        halos = (many["device_to_device"] - few["device_to_device"]) / 5
        # Where the finest grid alone is shared, half of the second one, an eighth of the field, goes there and back.
        self.assertTrue(0 < halos < 0.2 * N**3 * 8, halos / N**3 / 8)
        self.assertEqual((many["host_to_device"], many["device_to_host"]), (0, 0))
        self.assertEqual(self.row("h200x2-32c", box, *arguments, "--sharing", "alone", "--cycles", "5")["tasks"],
                         self.row("h200-16c", box, *arguments, "--cycles", "5")["tasks"])
        tasks = self.tasks("h200x2-32c", box, *arguments, "--cycles", "3")
        visits = [(worker, begin, end) for name, worker, begin, end in tasks
                  if name.startswith(("smooth and restrict", "correct and smooth"))]
        both = [sorted((begin, end) for worker, begin, end in visits if worker.startswith(f"gpu {gpu}"))
                for gpu in range(2)]
        self.assertEqual(len(both[0]), len(both[1]))
        self.assertGreaterEqual(len(both[0]), 6)
        for one, other in zip(*both):  # at the same time
            self.assertLess(max(one[0], other[0]), min(one[1], other[1]))
        self.assertEqual(sum(name.startswith("small grids") for name, *_ in tasks), 3)

    def test_what_fits_one_gpu_stays_one_task(self):
        for n in (64, 255):
            one, two = (self.row(machine, problem(n), "--method", "multigrid", "--cycles", "4")["tasks"]
                        for machine in ("h200-16c", "h200x2-32c"))
            self.assertEqual(one, two)


if __name__ == "__main__":
    program.main()
