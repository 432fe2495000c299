#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A GPU and cores that must share the fine grid of a multigrid solve both have a part in every cycle. That parts have
the solution of one memory is gpu_multigrid_parts' subject. Without a GPU the exit status is 77.

    shared.py PROGRAM SOURCE_FOLDER [unittest arguments]"""
import json
import sys

import program


class Shared(program.Case):
    def test_both_in_every_cycle(self):
        box = self.write("p.json", program.poisson(n=[127, 127, 127], rhs=1.0, grid={"y": "cell", "z": "cell"}))
        status, out, said = self.run_program("trace", box, "--method", "multigrid", "--sharing", "all", "--workers",
                                             "cpu:2,gpu:1", "--out", "t", "--quiet")
        self.assertEqual((status, said), (0, []), out)
        with open(self.path("t/trace.json")) as stream:
            events = json.load(stream)["traceEvents"]
        workers = {(event["pid"], event["tid"]): event["args"]["name"].split()[0] for event in events
                   if event["ph"] == "M" and event["name"] == "thread_name"}
        tasks = sorted((event["ts"], event["cat"], workers[event["pid"], event["tid"]]) for event in events
                       if event["ph"] == "X" and "task" in event.get("args", {}))
        coarse = [time for time, codelet, _ in tasks if codelet == "grid_tail"]
        self.assertGreater(len(coarse), 3)
        for begin, end in zip(coarse, coarse[1:]):
            smooth = {worker for time, codelet, worker in tasks
                      if begin < time < end and codelet in ("grid_smooth", "grid_visit")}
            self.assertEqual(smooth, {"cpu", "gpu"})


if __name__ == "__main__":
    if not program.has_gpu():
        sys.exit(77)
    program.main()
