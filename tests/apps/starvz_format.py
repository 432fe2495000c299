#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What StarVZ's first phase asks of StarPU's files in a folder: paje.trace, which it gives to pj_dump, tasks.rec and
data.rec, which it gives to rec2csv, and dag.dot.

    starvz_format.py FOLDER ...

prints what is broken, and fails where anything is. Where pj_dump is installed it is asked too."""
import os
import re
import shutil
import subprocess
import sys

FIELD = re.compile(r'"[^"]*"|\S+')
# Columns that StarVZ reads of tasks and of data, those aside that only ranks have, and GFlop, which tasks without
# operations lack.
TASK = {"Name", "Model", "JobId", "SubmitOrder", "Priority", "Tag", "WorkerId", "MemoryNode", "SubmitTime", "StartTime",
        "EndTime", "Footprint", "Iteration", "Parameters", "Handles", "Modes", "Sizes"}
DATUM = {"Handle", "HomeNode", "Size"}
# Of a task's state on a worker, by their names in the definition of its event.
STATE = {"Params", "Footprint", "Tag", "JobId", "SubmitOrder", "GFlop", "X", "Y", "Iteration", "Subiteration"}
PUSH, POP, SETS = 11, 12, (10, 20, 21)


def records(path):
    """Of a file of recutils, each record as a dictionary."""
    with open(path) as stream:
        for block in stream.read().split("\n\n"):
            pairs = [line.partition(":") for line in block.splitlines() if ":" in line and line[:1] not in "%#"]
            if pairs:
                yield {key: value.strip() for key, _, value in pairs}


def paje_faults(path):
    fields, number, last, nest = {}, None, 0.0, {}
    with open(path) as stream:
        for count, line in enumerate(stream, 1):
            words = FIELD.findall(line)
            if not words:
                continue
            if words[0] == "%EventDef":
                number = int(words[2])
                fields[number] = []
            elif words[0] == "%EndEventDef":
                number = None
            elif words[0] == "%":
                fields[number].append(words[1])
            elif len(words) - 1 != len(fields.get(int(words[0]), ())):
                yield f"line {count}: {len(words) - 1} fields, {len(fields.get(int(words[0]), ()))} are defined"
            elif int(words[0]) > 7:
                time, lane = float(words[1]), (words[2], words[3])
                if time < last:
                    yield f"line {count}: goes back in time"
                last = time
                if int(words[0]) in SETS:
                    nest[lane] = 1
                elif int(words[0]) in (PUSH, POP):
                    nest[lane] = nest.get(lane, 0) + (1 if int(words[0]) == PUSH else -1)
                if nest.get(lane, 0) < 0:
                    yield f"line {count}: the end of a state that has not begun"
    if not any(STATE <= set(names) for names in fields.values()):
        yield "no event has what a task's state has"


def task_faults(tasks):
    for task in tasks:
        where = f"task {task.get('JobId')}"
        if "StartTime" not in task:  # ran on no worker, or before tracing began
            continue
        if not TASK <= set(task):
            yield f"{where}: lacks {', '.join(sorted(TASK - set(task)))}"
            continue
        if re.search(r"[\s,\"]", task.get("Name", "")):
            yield f"{where}: '{task['Name']}' is no single word"
        if len({len(task[key].split()) for key in ("Handles", "Modes", "Sizes") if key in task}) > 1:
            yield f"{where}: not as many handles as modes or sizes"
    if not any(float(task.get("GFlop", 0)) > 0 for task in tasks):
        yield "no task has operations"


def faults(folder):
    """All that is broken, in words."""
    found = list(paje_faults(os.path.join(folder, "paje.trace")))
    tasks = list(records(os.path.join(folder, "tasks.rec")))
    found += task_faults(tasks)
    found += [f"data: lacks {', '.join(sorted(DATUM - set(datum)))}"
              for datum in records(os.path.join(folder, "data.rec")) if not DATUM <= set(datum)]
    jobs = {task["JobId"] for task in tasks if "JobId" in task}
    with open(os.path.join(folder, "dag.dot")) as stream:
        edges = re.findall(r'"task_(\w+)"->"task_(\w+)"', stream.read())
    if not any(set(edge) <= jobs for edge in edges):
        found.append("dag.dot: no edge is between tasks")
    if shutil.which("pj_dump"):
        done = subprocess.run(["pj_dump", "--user-defined", os.path.join(folder, "paje.trace")], capture_output=True,
                              text=True)
        if done.returncode != 0:
            found.append(f"pj_dump: {(done.stdout + done.stderr).splitlines()[:1]}")
    return found


if __name__ == "__main__":
    broken = [f"{folder}: {fault}" for folder in sys.argv[1:] for fault in faults(folder)]
    print("\n".join(broken))
    sys.exit(bool(broken))
