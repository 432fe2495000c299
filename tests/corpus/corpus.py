#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The corpus: what solves of all kinds come to, recorded and compared.

    corpus.py BUILD                        compare with recorded.txt, as far as all machines must agree (ctest)
    corpus.py BUILD --exact                compare everything, to the bit, on the machine that recorded
    corpus.py BUILD --exact --against OLD  compare everything with the build folder OLD, on any machine
    corpus.py BUILD --record               write recorded.txt

The cases are those of cases.py. commands.c runs them in one process with one worker; without --exact the program itself
also runs every 16th of them. --exact and --record add trials of campaign_kinds. The exit status is 1 where something
differs and 2 where something cannot be run.

A line of recorded.txt has the case and then, between bars: exit status; status or error code; method; iterations; the
residual reached; the tolerance where rounding errors set it; pertrb; the residual's order of magnitude; a hash of the
solution's file; steps of fallbacks and of refinement; the message on standard error, or the reason for the method.

All machines must agree in exit status, status, method, the message but for its numbers, and iterations within 10 % and
2. This does not hold for cases that rounding decides, which --record marks with ~ by this rule: the solve stagnated; or
rounding errors set the tolerance; or the outcome changes with noise of a few units of rounding in the right-hand side
and 5 % more or fewer steps allowed, both of which --record tries."""
import argparse
import array
import concurrent.futures
import hashlib
import json
import os
import re
import struct
import subprocess
import sys
import tempfile

import cases

HERE = os.path.dirname(os.path.abspath(__file__))
RECORDED = os.path.join(HERE, "recorded.txt")
FIELDS = ("exit", "status", "method", "iterations", "reached", "tolerated", "pertrb", "residual", "bits", "extra",
          "message")
EXTRA = ("rescued", "preconditioned", "refinements")
ONE_WORKER = ("--workers", "cpu:1,gpu:0")
UNITS = {"f32": 5e-7, "f64": 1e-15}  # a few units of rounding
NUMBER = re.compile(r"-?\b\d+(\.\d+)?(e[-+]?\d+)?|\b(inf|nan)\b")


class Unrunnable(Exception):
    pass


# ---- files ----------------------------------------------------------------------------------------------------------

def write_npy(path, shape, values, whole=False):
    header = "{'descr': '%s', 'fortran_order': False, 'shape': %r, }" % ("<i4" if whole else "<f8", shape)
    header += " " * (-(len(header) + 11) % 64) + "\n"
    with open(path, "wb") as stream:
        stream.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        stream.write(array.array("i" if whole else "d", values).tobytes())


def shaken(value, size, seed):
    """A number or an array with noise of a size relative to its elements."""
    if isinstance(value, cases.Array):
        noisy = [v * (1 + size * cases.noise(977 * seed + i)) for i, v in enumerate(value.values)]
        return cases.Array(value.shape, noisy, value.whole)
    return value * (1 + size * cases.noise(seed)) if isinstance(value, float) and seed else value


def write_problem(folder, name, problem):
    def put(value, where):
        if isinstance(value, dict):
            return {key: put(one, f"{where}-{key}") for key, one in value.items()}
        if not isinstance(value, cases.Array):
            return value
        write_npy(os.path.join(folder, f"{where}.npy"), value.shape, value.values, value.whole)
        return f"{where}.npy"

    with open(os.path.join(folder, f"{name}.json"), "w", encoding="utf-8") as stream:
        json.dump(put(problem, name), stream)


def write_files(folder, seed):
    """Problem files, the right-hand sides with the noise of a seed, 0: none; those for f32 in a folder of their own."""
    for precision, unit in UNITS.items():
        inside = os.path.join(folder, precision)
        os.mkdir(inside)
        for name, problem in cases.PROBLEMS.items():
            noisy = {"rhs": shaken(problem["rhs"], unit if seed else 0, seed)} if "rhs" in problem else {}
            write_problem(inside, name, problem | noisy)
    for name, text in cases.meshes().items():
        with open(os.path.join(folder, f"{name}.msh"), "w", encoding="utf-8") as stream:
            stream.write(text)


def other_limit(options, seed):
    """--max-iterations changed by 5 %, up by one seed and down by another."""
    if not seed or "--max-iterations" not in options:
        return options
    at = options.index("--max-iterations") + 1
    limit = int(options[at])
    return options[:at] + (str(limit + (-1)**seed * round(limit / 20)),) + options[at + 1:]


def words_of(case, index, seed):
    command, name, options = case
    options = other_limit(options, seed)
    if command == "fem":
        shake = ("--rhs", repr(1 + UNITS["f32"] * cases.noise(seed))) if seed and "--rhs" not in options else ()
        return command, f"{name}.msh", *options, *shake, *ONE_WORKER, "--json", "--out", f"{index}.npy"
    folder = "f32" if "f32" in options else "f64"
    return command, f"{folder}/{name}.json", *options, *ONE_WORKER, "--json", "--out", f"{index}.npy"


# ---- outcomes -------------------------------------------------------------------------------------------------------

def digits(value, many=3):
    return f"{value:.{many}g}" if isinstance(value, (int, float)) else "-"


def bits_of(path):
    if not os.path.exists(path):
        return "-"
    with open(path, "rb") as stream:
        return hashlib.sha256(stream.read()).hexdigest()[:12]


def read(path):
    with open(path, encoding="utf-8", errors="replace") as stream:
        return stream.read()


def outcome_of(exit_status, out, err, path):
    """Fields of what a command came to."""
    said = " / ".join(line for line in err.splitlines() if line and not line.startswith("[starpu]"))
    try:
        told = json.loads(out)
    except ValueError:
        told = {}
    return dict(zip(FIELDS, map(str, (
        exit_status, told.get("code") or told.get("status", "-"), told.get("method", "-"), told.get("iterations", "-"),
        digits(told.get("reached")), digits(told.get("tolerated")), digits(told.get("pertrb"), 9),
        digits(told.get("residual"), 1), bits_of(path),
        " ".join(f"{key} {told[key]}" for key in EXTRA if told.get(key)) or "-", said or told.get("reason", "")))))


def program_of(build, *names):
    return os.path.join(os.path.abspath(build), "bin", *names)


def run(words, folder=None, lines=None):
    return subprocess.run(words, input=lines, capture_output=True, text=True, cwd=folder, check=False, timeout=580)


def run_many(build, seed):
    """The outcome of each case by its name."""
    found, every = {}, cases.cases()
    with tempfile.TemporaryDirectory() as folder:
        write_files(folder, seed)
        lines = "".join("\t".join((str(i), *words_of(case, i, seed))) + "\n" for i, case in enumerate(every))
        done = run([program_of(build, "tests", "corpus_commands")], folder, lines)
        statuses = [line.split("\t")[1] for line in done.stdout.splitlines()]
        if done.returncode != 0 or len(statuses) != len(every):
            at = every[min(len(statuses), len(every) - 1)]
            raise Unrunnable(f"corpus_commands ended with {done.returncode} at {name_of(at)}: {done.stderr.strip()}")
        for i, (case, status) in enumerate(zip(every, statuses)):
            path = os.path.join(folder, str(i))
            found[name_of(case)] = outcome_of(status, read(f"{path}.out"), read(f"{path}.err"), f"{path}.npy")
    return found


def run_program(build, step):
    """The outcome of every step-th case by the program itself."""
    def outcome(job):
        i, case = job
        done = run([program_of(build, "starfish"), *words_of(case, i, 0)], folder)
        return name_of(case), outcome_of(done.returncode, done.stdout, done.stderr, os.path.join(folder, f"{i}.npy"))

    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(2) as pool:
        write_files(folder, 0)
        return dict(pool.map(outcome, list(enumerate(cases.cases()))[::step]))


def run_campaign(build):
    """Trials of campaign_kinds by their names, as lines."""
    arguments = "--seed 35 --count 25 --verbose --workers cpu:1"
    done = run([program_of(build, "tests", "campaign_kinds"), *arguments.split()])
    pairs = [line.split(": ", 1) for line in done.stdout.splitlines()
             if " --only " in line and "without an answer" not in line]
    if not pairs:
        raise Unrunnable(f"campaign_kinds ended with {done.returncode}: {done.stderr.strip()}")
    return {f"campaign_kinds --kind {name}": text for name, text in pairs}


def name_of(case):
    return " ".join((*case[:2], *case[2]))


# ---- comparison -----------------------------------------------------------------------------------------------------

def portable(outcome):
    """What any machine must come to, but for the number of iterations."""
    return (*(outcome[field] for field in ("exit", "status", "method")), NUMBER.sub("#", outcome["message"]))


def are_near(one, other):
    if one["iterations"] == "-" or other["iterations"] == "-":
        return one["iterations"] == other["iterations"]
    a, b = int(one["iterations"]), int(other["iterations"])
    return abs(a - b) <= 0.1 * max(a, b) + 2


def is_same(one, other):
    return portable(one) == portable(other) and are_near(one, other)


def rounding_decides(outcome, shaken_outcomes):
    return outcome["status"] == "stagnated" or outcome["tolerated"] != "-" or \
        not all(is_same(outcome, other) for other in shaken_outcomes)


def line_of(name, outcome, mark=" "):
    return f"{mark} {name} | " + " | ".join(outcome[field] for field in FIELDS)


def parse(line):
    name, *fields = line[2:].split(" | ", len(FIELDS))
    return name, line[0], dict(zip(FIELDS, fields))


def exact_lines(build):
    lines = {name: line_of(name, outcome) for name, outcome in run_many(build, 0).items()}
    return lines | {name: f"  {name} | {text}" for name, text in run_campaign(build).items()}


def recorded_lines():
    return {line[2:].split(" | ")[0]: line for line in read(RECORDED).splitlines()}


def record(build):
    lines = exact_lines(build)
    found, noisy = run_many(build, 0), [run_many(build, seed) for seed in (1, 2)]
    for name, outcome in found.items():
        mark = "~" if rounding_decides(outcome, [other[name] for other in noisy]) else " "
        if lines[name] != line_of(name, outcome):
            raise Unrunnable(f"two runs differ:\n{lines[name]}\n{line_of(name, outcome)}")
        lines[name] = line_of(name, outcome, mark)
    with open(RECORDED, "w", encoding="utf-8") as stream:
        stream.writelines(lines[name] + "\n" for name in sorted(lines))
    return []


def compare_exactly(build, before):
    after = exact_lines(build)
    for name in sorted(before.keys() | after.keys()):
        old, new = before.get(name, "  nothing"), after.get(name, "  nothing")
        if old[2:] != new[2:]:
            yield f"- {old[2:]}\n+ {new[2:]}"


def compare(build):
    before = {name: (mark, outcome) for name, mark, outcome in map(parse, recorded_lines().values())}
    found = run_many(build, 0)
    alone = {name: outcome for name, outcome in before.items() if not name.startswith("campaign_kinds")}
    for name in sorted(alone.keys() ^ found.keys()):
        yield f"{'-' if name in alone else '+'} {name}"
    for where, outcomes in (("", found), ("by the program: ", run_program(build, 16))):
        for name, new in outcomes.items():
            mark, old = before.get(name, ("~", None))
            if mark != "~" and not is_same(old, new):
                yield f"- {line_of(name, old)}\n+ {where}{line_of(name, new)}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", metavar="BUILD")
    parser.add_argument("--exact", action="store_true")
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--against", metavar="OLD")
    options = parser.parse_args()
    if options.record:
        differences = record(options.build)
    elif options.exact:
        differences = compare_exactly(options.build, exact_lines(options.against) if options.against else
                                      recorded_lines())
    else:
        differences = compare(options.build)
    count = 0
    for difference in differences:
        count += 1
        print(difference)
    print(f"{count} differences")
    return count > 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (Unrunnable, OSError, subprocess.SubprocessError) as failure:
        print(f"corpus: {failure}", file=sys.stderr)
        sys.exit(2)
