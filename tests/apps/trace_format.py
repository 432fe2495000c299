#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The rules of the trace event format that Perfetto and Chrome keep to, for a trace.json of starfish trace.

    trace_format.py trace.json ...

prints what is broken, and fails where anything is."""
import json
import math
import sys

NEEDED = {"M": {"name", "pid", "tid", "args"}, "X": {"name", "cat", "ts", "dur", "pid", "tid", "args"},
          "i": {"name", "ts", "pid", "tid", "s"}, "s": {"name", "cat", "ts", "id", "pid", "tid"},
          "f": {"name", "cat", "ts", "id", "bp", "pid", "tid"}, "C": {"name", "ts", "pid", "tid", "args"}}
OTHER = {"starfish", "policy", "method", "tasks", "problem", "size", "machine", "simulated"}


def nanoseconds(event):
    """Beginning and end, as Perfetto keeps them."""
    return round(1e3 * event["ts"]), round(1e3 * (event["ts"] + event.get("dur", 0)))


def check_events(events):
    for event in events:
        lacks = NEEDED.get(event.get("ph"), {"a known phase"}) - set(event)
        if lacks:
            yield f"{event}: lacks {', '.join(sorted(lacks))}"
            continue
        for key in ("ts", "dur"):
            value = event.get(key, 0)
            if not isinstance(value, (int, float)) or not math.isfinite(value) or value < 0:
                yield f"{event}: {key} is no time"
        if event["ph"] == "C" and not all(isinstance(value, (int, float)) and value >= 0
                                          for value in event["args"].values()):
            yield f"{event}: a counter that is no number"


def lanes_of(events):
    lanes = {}
    for event in events:
        if event["ph"] == "X":
            lanes.setdefault((event["pid"], event["tid"]), []).append(event)
    return lanes


def check_lanes(events):
    """In a lane a span lies inside another or beside it: Perfetto drops those that cross."""
    for lane, spans in lanes_of(events).items():
        around = []
        for begin, end, name in sorted(((*nanoseconds(span), span["name"]) for span in spans),
                                       key=lambda span: (span[0], -span[1])):
            while around and around[-1][0] <= begin:
                around.pop()
            if around and around[-1][0] < end:
                yield f"lane {lane}: '{name}' crosses '{around[-1][1]}' at {1e-3 * begin:.3f} us"
            around.append((end, name))


def check_names(events):
    """Every process and every lane has one name."""
    names = {}
    for event in events:
        if event["ph"] == "M" and event["name"] in ("process_name", "thread_name"):
            at = event["pid"] if event["name"] == "process_name" else (event["pid"], event["tid"])
            if at in names:
                yield f"{at} has two names"
            names[at] = event["args"]["name"]
    for pid, tid in lanes_of(events):
        for at in (pid, (pid, tid)):
            if at not in names:
                yield f"{at} has no name"


def check_flows(events):
    """An arrow has one beginning and one end, in this order, each within a span of its lane."""
    ends = {}
    lanes = {lane: [nanoseconds(span) for span in spans] for lane, spans in lanes_of(events).items()}
    for event in events:
        if event["ph"] not in "sf":
            continue
        at, _ = nanoseconds(event)
        if (event["id"], event["ph"]) in ends:
            yield f"arrow {event['id']}: two ends of one kind"
        ends[event["id"], event["ph"]] = at
        if not any(begin <= at <= end for begin, end in lanes.get((event["pid"], event["tid"]), [])):
            yield f"arrow {event['id']}: an end outside of all spans"
    for number in {number for number, _ in ends}:
        if (number, "s") not in ends or (number, "f") not in ends:
            yield f"arrow {number}: has one end only"
        elif ends[number, "s"] > ends[number, "f"]:
            yield f"arrow {number}: backwards in time"


def faults(trace):
    """What is wrong with a trace, in words."""
    if set(trace) != {"traceEvents", "displayTimeUnit", "otherData"}:
        return [f"keys {sorted(trace)}"]
    found = [f"otherData: lacks {key}" for key in sorted(OTHER - set(trace["otherData"]))]
    found += check_events(trace["traceEvents"])
    if not found:
        for check in (check_lanes, check_names, check_flows):
            found += check(trace["traceEvents"])
    return found


def main():
    broken = 0
    for path in sys.argv[1:]:
        with open(path, encoding="utf-8") as stream:
            for fault in faults(json.load(stream)):
                print(f"{path}: {fault}")
                broken = 1
    return broken


if __name__ == "__main__":
    sys.exit(main())
