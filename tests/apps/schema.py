#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The JSON Schema of problem files: every example fits it, and what the program refuses by its keys does not.

    schema.py PROGRAM SOURCE_FOLDER"""
import copy
import glob
import json
import re
import subprocess
import sys

PROGRAM, SOURCE = sys.argv[1:3]
SCHEMA = json.loads(subprocess.run([PROGRAM, "info", "--schema"], capture_output=True, text=True, check=True).stdout)
TYPES = {"object": dict, "array": list, "string": str, "number": (int, float), "integer": int, "boolean": bool,
         "null": type(None)}


def has_type(value, name):
    return isinstance(value, TYPES[name]) and (name == "boolean" or not isinstance(value, bool))


def fits(value, schema):
    """The part of JSON Schema that ours uses; another word is an error."""
    for word, rule in schema.items():
        good = {
            "$ref": lambda: fits(value, SCHEMA["$defs"][rule.rpartition("/")[2]]),
            "type": lambda: any(has_type(value, name) for name in ([rule] if isinstance(rule, str) else rule)),
            "const": lambda: value == rule, "enum": lambda: value in rule,
            "anyOf": lambda: any(fits(value, s) for s in rule),
            "oneOf": lambda: sum(fits(value, s) for s in rule) == 1,
            "required": lambda: all(key in value for key in rule),
            "properties": lambda: all(key not in value or fits(value[key], s) for key, s in rule.items()),
            "additionalProperties": lambda: all(key in schema["properties"] for key in value),
            "items": lambda: all(fits(item, rule) for item in value),
            "minItems": lambda: len(value) >= rule, "maxItems": lambda: len(value) <= rule,
            "minProperties": lambda: len(value) >= rule, "maxProperties": lambda: len(value) <= rule,
            "minimum": lambda: not has_type(value, "number") or value >= rule,
            "exclusiveMinimum": lambda: not has_type(value, "number") or value > rule,
            "title": lambda: True, "description": lambda: True, "$schema": lambda: True, "$defs": lambda: True,
        }[word]
        if not good():
            return False
    return True


def check(condition, text):
    if not condition:
        sys.exit(text)


problems = [json.load(open(path, encoding="utf-8")) for path in glob.glob(f"{SOURCE}/apps/examples/**/*.json",
                                                                          recursive=True)]
for page in glob.glob(f"{SOURCE}/**/*.md", recursive=True):
    blocks = re.findall(r"^```json\n(.*?)^```$", open(page, encoding="utf-8").read(), re.MULTILINE | re.DOTALL)
    problems += [problem for problem in map(json.loads, blocks) if "kind" in problem]
check(len(problems) >= 8, f"only {len(problems)} problem files")
for problem in problems:
    check(fits(problem, SCHEMA), f"does not fit: {problem}")
    check(fits({"$schema": "problem.schema.json", **problem}, SCHEMA), f"does not fit with $schema: {problem}")
    for key, wrong in (("kind", "poisson4d"), ("colour", 1), ("n", [0, 4, 4]), ("rhs", [1]), ("lambda", "x"),
                       ("bc", {"w": "periodic"}), ("x", {"lower": 1})):
        bad = copy.deepcopy(problem)
        bad[key] = wrong
        check(not fits(bad, SCHEMA), f"fits all the same: {bad}")
kinds = {kind["title"] for kind in SCHEMA["oneOf"]}
with open(f"{SOURCE}/docs/problem.schema.json", encoding="utf-8") as stream:
    check(json.load(stream) == SCHEMA, "docs/problem.schema.json is not what starfish info --schema says")
print(f"{len(problems)} problem files, {len(kinds)} kinds")
