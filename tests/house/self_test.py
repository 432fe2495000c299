# SPDX-License-Identifier: LGPL-2.1-or-later
"""Plants violations of every rule in houses of a few files, and right code too, and compares what the checks say."""
import os
import tempfile

from allowed import Allowed

# file, what it includes, whether that is right
INCLUDES = [
    ("apps/solve/solve.c", '"poisson/plan.h"', True),
    ("apps/examples/first.c", "<starfish/starfish.h>", True),
    ("apps/main.c", "<starpu.h>", True),
    ("apps/bench/poisson3d.c", '"bench/peers.h"', True),
    ("apps/bench/poisson3d.c", '"bench/peer_axis.h"', False),
    ("poisson/plan.c", '"bench/peers.h"', False),
    ("poisson/slab.c", '"tasks/slab.h"', True),
    ("poisson/plan.c", '"solver/agree.h"', True),
    ("tridiag/plan.c", '"solver/agree.h"', True),
    ("solver/agree.c", '"tasks/algebra.h"', True),
    ("solver/agree.c", '"tridiag/plan.h"', False),
    ("solver/agree.c", "<starpu.h>", False),
    ("poisson/slab.c", '"apps/solve/solve.h"', False),
    ("poisson/slab.c", '"blktri/plan.h"', True),
    ("poisson/slab.c", "<starpu.h>", False),
    ("krylov/cg.c", "<fftw3.h>", False),
    ("krylov/cg.c", "<cblas.h>", False),
    ("fem/plan.c", "<cuda_runtime.h>", False),
    ("blktri/plan.c", '"blktri/kernels/reduce.h"', True),
    ("blktri/kernels/reduce_cpu.c", '"blktri/plan.h"', False),
    ("blktri/kernels/reduce_cpu.c", '"reduce.h"', True),
    ("blktri/kernels/reduce_cpu.c", '"tridiag/kernels/tridiag.h"', True),
    ("tridiag/kernels/chain_cpu.c", '"blktri/kernels/reduce.h"', False),
    ("tasks/slab.c", '"codelets/transform.h"', True),
    ("tasks/slab.c", '"poisson/plan.h"', False),
    ("tasks/slab.c", "<starpu.h>", False),
    ("tasks/slab.c", "<starpu_data.h>", False),
    ("codelets/transform.c", "<starpu.h>", True),
    ("codelets/transform.c", '"fft/kernels/transform.h"', True),
    ("codelets/transform.c", '"tasks/slab.h"', False),
    ("fft/kernels/transform_cuda.cu", "<cufft.h>", True),
    ("fft/kernels/basis_cpu.c", "<cblas.h>", True),
    ("fft/kernels/transform_cuda.cu", "<starpu.h>", False),
    ("fft/kernels/transform_cpu.c", '"../../codelets/transform.h"', False),
    ("scheduler/runtime/context.c", '"base/status.h"', True),
    ("scheduler/runtime/context.c", '"fft/kernels/transform.h"', False),
    ("scheduler/runtime/task.c", '"scheduler/lab/lab.h"', False),
    ("scheduler/lab/lab.c", '"scheduler/runtime/hooks.h"', True),
    ("scheduler/lab/lab.c", '"scheduler/context.h"', False),
    ("scheduler/context.c", '"scheduler/lab/lab.h"', True),
    ("base/status.c", '"scheduler/runtime/context.h"', False),
    ("base/status.c", "<starfish/status.h>", True),
    ("include/starfish/field.h", "<starfish/types.h>", True),
    ("include/starfish/field.h", '"base/status.h"', False),
    ("include/starfish/field.h", "<starpu.h>", False),
    ("tests/fft/test.c", '"poisson/plan.h"', True),
    ("elsewhere/thing.c", "<stdio.h>", False),
]

# Headers that #includes in quotes may lead to.
BESIDE = ("codelets/transform.h", "blktri/kernels/reduce.h", "bench/peers.h", "bench/peer_axis.h")

# Files of a house, and the circle that is caught among them (or None).
CIRCLES = [
    ({"fem/a.h": '#include "fem/b.h"', "fem/b.h": "", "fem/b.c": '#include "fem/b.h"'}, None),
    ({"fem/a.h": '#include "fem/b.h"', "fem/b.h": "", "fem/b.c": '#include "fem/a.h"'}, "a > b > a"),
    ({"fem/a.h": '#include "b.h"', "fem/b.h": '#include "c.h"', "fem/c.h": "", "fem/c.c": '#include "fem/a.h"'},
     "a > b > c > a"),
    ({"fem/a.h": "", "fem/a.cu": '#include "fem/b.cuh"', "fem/b.cuh": '#include "fem/a.h"'}, "a > b > a"),
    ({"fem/a.h": '// #include "fem/b.h"', "fem/b.h": '#include "fem/a.h"'}, None),
    ({"tasks/a.h": '#include "codelets/a.h"', "codelets/a.h": '#include "tasks/a.h"'}, None),
]

# What a house with planted calls holds beside the file in question: functions on some floors, and
# tags, which are no calls.
FURNITURE = {
    "include/starfish/poisson.h": "struct starfish_plan;\nint starfish_plan_solve(struct starfish_plan *plan);\n",
    "poisson/solve.c": "int starfish_plan_solve(struct starfish_plan *plan)\n{\n    return 0;\n}\n",
    "multigrid/cycle.c": "int starfish_cycle(void) { return 0; }\nstatic int own(void) { return 1; }\n",
    "krylov/cg.c": "int starfish_cg(void)\n{\n    return 0;\n}\n",
    "tasks/slab.c": "int starfish_graph_slab(void) { return 0; }\nstruct starfish_slab { int n; };\n",
    "fft/kernels/line.c": "void REAL_NAME(starfish_line)(int n)\n{\n}\n",
    "tridiag/kernels/chain.h": "int starfish_chain_cuda_f32(const struct starfish_chain *chain);\n",
    "tridiag/kernels/chain.cu": "namespace\n{\nint launch(int n) { return n; }\n}\nSTARFISH_ENTRIES(chain, launch)\n",
    "base/status.c": "int starfish_fail(const char *text, ...)\n{\n    return 1;\n}\n",
    "bench/peers.h": "int peer_solve(int n);\n",
    "bench/peer_axis.h": "int peer_axis(int n);\n",
}

# file, a body of a function there, what is caught in it (or None)
CALLS = [
    ("apps/main.c", "return starfish_plan_solve(0);", None),
    ("apps/main.c", "starpu_shutdown();", "starpu_shutdown"),
    ("apps/main.c", "if (info.starpu_version[0] || of->starpu_version) return STARPU_MAXNODES;", None),
    ("apps/examples/policy.c", "starpu_worker_get_count();", None),
    ("apps/examples/policy.c", "fftw_execute(plan);", "fftw_execute"),
    ("apps/main.c", "fftw_execute(plan);", "fftw_execute"),
    ("apps/bench/solve.c", "peer_solve(3);", None),
    ("apps/bench/solve.c", "peer_axis(3);", "peer_axis"),
    ("poisson/plan.c", "starfish_graph_slab();", None),
    ("poisson/plan.c", "peer_solve(3);", "peer_solve"),
    ("poisson/plan.c", "starpu_data_acquire(handle, mode);", "starpu_data_acquire"),
    ("poisson/plan.c", "/* starpu_data_acquire(handle) */ starfish_fail(\"starpu_init() of %s\");", None),
    ("poisson/plan.c", "STARPU_PTHREAD_MUTEX_LOCK(&lock);", "STARPU_PTHREAD_MUTEX_LOCK"),
    ("multigrid/plan.c", "starfish_cg();", None),
    ("multigrid/plan.c", "cudaMalloc(&p, 3);", "cudaMalloc"),
    ("multigrid/plan.c", "MPI_Barrier(world);", "MPI_Barrier"),
    ("multigrid/plan.c", "starfish_plan_solve(0);", "starfish_plan_solve"),
    ("krylov/solve.c", "starfish_cycle();", "starfish_cycle"),
    ("krylov/solve.c", "cublasDdot(a);", "cublasDdot"),
    ("fft/plan.c", "cufftExecC2C(plan);", "cufftExecC2C"),
    ("sparse/plan.c", "starfish_cg();", "starfish_cg"),
    ("fem/plan.c", "fftwf_malloc(3);", "fftwf_malloc"),
    ("tasks/q1.c", "starfish_cycle();", "starfish_cycle"),
    ("tasks/q1.c", "static int (*table[])(void) = {starfish_cycle};", "starfish_cycle"),
    ("tasks/q1.c", "table->starfish_cycle();", None),
    ("tasks/q1.c", "int own = 3; own(own);", None),
    ("tasks/q1.c", "if (where & STARPU_CUDA) return;", "STARPU_CUDA"),
    ("codelets/q1.c", "struct starfish_slab slab;", None),
    ("codelets/q1.c", "starfish_graph_slab();", "starfish_graph_slab"),
    ("codelets/q1.c", "starpu_task_submit(task);", None),
    ("codelets/q1.c", "starfish_line_f64(3); starfish_chain_cuda_f32(0);", None),
    ("fft/kernels/rows.c", "REAL_NAME(starfish_line)(3);", None),
    ("fft/kernels/rows.c", "starfish_chain_cuda_f32(0);", "starfish_chain_cuda_f32"),
    ("blktri/kernels/rows.c", "starfish_chain_cuda_f32(0); REAL_NAME(starfish_line)(3);", None),
    ("blktri/kernels/rows.c", "starpu_worker_get_id();", "starpu_worker_get_id"),
    ("fft/kernels/rows_cuda.cu", "launch(3); cufftExecC2C(plan);", None),
    ("scheduler/runtime/task.c", "REAL_NAME(starfish_line)(3);", "starfish_line"),
    ("scheduler/runtime/task.c", "starfish_fail(0);", None),
    ("base/real.c", "starpu_malloc(3);", "starpu_malloc"),
]

# Public functions: file, the function's name, its first statement, whether that is right.
ARITHMETIC = [
    ("poisson/a.c", "starfish_a_solve", "STARFISH_OWN_ARITHMETIC;", True),
    ("poisson/a.c", "starfish_a_solve", "return 0;", False),
    ("poisson/a.c", "starfish_a_solve", "/* STARFISH_OWN_ARITHMETIC; */", False),
    ("poisson/a.c", "starfish_a_option", "return 0;", True),
    ("tests/a.c", "starfish_a_solve", "return 0;", True),
]

# A walk of three files, most files and calls, the text of the first, and what is caught (or None).
WALKED = {
    "poisson/solve.c": "static int submit(int n)\n{\n    return starpu_task_submit(n);\n}\n"
                       "const struct row row = {.submit = submit};\nSTARFISH_CODELET(submit, \"\", 0);\n",
    "fft/kernels/line_cpu.c": "void starfish_line_cpu(int n)\n{\n}\n",
    "codelets/line.c": "static void line_cpu(void)\n{\n    starfish_line_cpu(1);\n}\n"
                       "STARFISH_CODELET(line, \"\", 0);\n",
}
WALK = ("| walk | files | in order |\n|---|---|---|\n| a | at most {} | `solver/job.c` > `poisson/solve.c` > "
        "`codelets/line.c` > `fft/kernels/line_cpu.c` |\n\nThe calls of a, at most {}:\n\n`starfish_plan_submit` > "
        "`submit` >\n`starpu_task_submit` > `line_cpu` > `starfish_line_cpu`\n")
BY_ROW = "row->submit(1);"
WALKS = [(6, 5, BY_ROW, None), (5, 5, BY_ROW, "6 files, but at most 5"), (6, 4, BY_ROW, "5 calls, but at most 4"),
         (6, 5, "/* row->submit(1); */ row->submit;", "does not call poisson/solve.c")]

# file, its text, what it says of it (or None)
ONCE = [
    ("solver/accept.c", "double a = 100 * starfish_epsilon(p) * b;\nconst char *c = \"not-converged\";\n", None),
    ("solver/other.c", "double a = 100 * starfish_epsilon(p) * b;\n", "solver/accept.c"),
    ("fem/solve.c", "\ndouble a = 100. * epsilon;\n", "fem/solve.c:2: has how large"),
    ("fem/solve.c", "/* 100 * eps, not \"stagnated\" */\ndouble a = 1000 * epsilon, b = 64 * eps;\n", None),
    ("apps/solve/a.c", "const char *a = \"not-converged\";\n", "a word"),
    ("apps/solve/a.c", "int a = strcmp(b, \"solved\");\n", "a word"),
    ("apps/solve/a.c", "const char *a = \"cancelled before its turn\";\n", None),
    ("include/starfish/solve.h", "typedef enum a { STARFISH_SOLVED, STARFISH_NOT_CONVERGED } a;\n", None),
    ("include/starfish/fem.h", "typedef enum a { FEM_SOLVED,\n    FEM_NOT_CONVERGED\n} a;\n", "an enum"),
    ("fem/plan.h", "enum { DONE, NOT_CONVERGED };\n", "an enum"),
    ("tests/fem/a.c", "const char *a = \"solved\"; double b = 100 * eps;\n", None),
]

EIGHT = "int a, int b, int c, int d, int e, int f, int g, int h"
# file, its text, whether it is right
PARAMETERS = [
    ("base/a.c", f"static int f({EIGHT})\n{{\n    return a;\n}}\n", False),
    ("base/a.h", f"int f({EIGHT});\n", False),
    ("base/a.h", "int f(int a, int b, int c, int d, int e, int f, int (*g)(int, int));\n", True),
    ("base/a.c", "int f(void)\n{\n    return g(1, 2, 3, 4, 5, 6, 7, 8);\n}\n", True),
    ("base/a.c", f"void REAL_NAME(f)({EIGHT})\n{{\n}}\n", False),
    ("fft/kernels/a.cu", f"namespace a\n{{\n__global__ void __launch_bounds__(1, 2) f({EIGHT})\n{{\n}}\n}}", False),
    ("fft/kernels/a.cu", "template <int A, int B = 2> void f(p<1, 2, 3> a, p<4, 5, 6> b, p<7, 8, 9> c)\n{\n}\n", True),
    ("fft/kernels/a.cu", f"struct s {{\n    s({EIGHT}) : t(a), u(b) {{}}\n}};\n", False),
    ("tests/a.c", f"static int f({EIGHT})\n{{\n    return a;\n}}\n", False),
]
BODY = "{\n" + "    g();\n" * 70 + "}\n"
# file, its text, whether it is right
BODIES = [
    ("base/a.c", "void f(void)\n" + BODY, True),
    ("base/a.c", "void f(void)\n" + BODY.replace("g();\n", "g();\n\n", 1), False),
    ("tests/a.c", "static void REAL_NAME(f)(void)\n" + BODY.replace("{\n", "{\n    {\n    }\n"), False),
    ("fft/kernels/a.cu", "namespace a\n{\nint f(int a)\n" + BODY + "int g(int a)\n" + BODY + "}\n", True),
    ("base/a.c", "static const int table[] = " + BODY.replace("g();", "1,\n").replace("}\n", "};\n"), True),
]
COLUMNS = [
    ("base/a.c", "int a; /* " + "x" * 107 + " */\n", True),
    ("base/a.c", "int a; /* " + "x" * 108 + " */\n", False),
    ("fft/kernels/a.cuh", "x" * 121 + "\n", False),
    ("tests/a.py", "#" * 121 + "\n", False),
    ("apps/run", "#!/bin/sh\n" + "#" * 121 + "\n", False),
    ("apps/data", "#" * 121 + "\n", True),
    ("base/CMakeLists.txt", "#" * 121 + "\n", False),
    ("docs/a.md", "x " * 61 + "\n", False),
    ("docs/a.md", "| " + "x" * 121 + " |\n```\n" + "x" * 121 + "\n```\n", True),
    ("docs/a.md", "```\n```\n" + "x" * 121 + "\n", False),
]
LINES = [
    ("base/a.c", "\n" * 600, True),
    ("base/a.c", "\n" * 601, False),
    ("tests/a.py", "\n" * 601, False),
    ("docs/a.md", "\n" * 601, True),
]

LICENSE = "SPDX-License-Identifier: LGPL-2.1-or-later"
LICENSES = [
    ("base/a.c", f"/* {LICENSE} */\n", True),
    ("base/a.c", "int a;\n", False),
    ("apps/run", f"#!/bin/sh\n# {LICENSE}\n", True),
    ("apps/run", "#!/bin/sh\n", False),
    ("apps/data", "1 2 3\n", True),
]

PAGE = {"base/README.md": "# Base\n"}
# files of a house, what the one complaint holds (or None)
READMES = [
    (PAGE | {"base/a.c": ""}, None),
    ({"base/a.c": ""}, "base/README.md:1: is missing"),
    ({"base/README.md": "Base\n", "base/a.h": ""}, "does not begin with a heading"),
    (PAGE | {"base/README.md": "# Base\n[a](a.c), [docs](../docs/a.md#here), [far](https://a.org), `a.c`, `docs/a.md`, "
                               "`*_b.c`\n", "base/a.c": "", "docs/a.md": ""}, None),
    (PAGE | {"base/README.md": "# Base\n\nsee [b](b.c)\n", "base/a.c": ""}, "base/README.md:3: names b.c"),
    (PAGE | {"base/README.md": "# Base\n`a.c` and `kernels/b.cuh`\n", "base/a.c": ""}, "names kernels/b.cuh"),
    (PAGE | {"base/a.c": "", "base/kernels/a.cu": ""}, "base/kernels/README.md:1: is missing"),
    ({"tests/README.md": "# Tests\n", "tests/base/a.c": "", "tests/base/b.py": ""}, None),
    ({"apps/examples/first/first.c": ""}, "apps/examples/README.md:1: is missing"),
    ({"data/a.csv": "", "docs/a.md": ""}, None),
]
TWELVE = "Adds two vectors on a core; bound by memory, three words each."
FIRST = [
    ("base/a.c", f"/* {LICENSE} */\n/* {TWELVE} */\nint a;\n", True),
    ("base/a.c", f"// {LICENSE}\n/* {TWELVE.replace(' on', chr(10) + ' * on')} */\n", True),
    ("base/a.c", f"/* {LICENSE} */\n/* {TWELVE[:-6]} */\n", False),
    ("base/a.h", f"/* {LICENSE} */\n/* Adds. - - - - - - - - - - - */\n/* {TWELVE} */\n", False),
    ("fft/kernels/a.cu", f"/* {LICENSE} */\nint a;\n/* {TWELVE} */\n", False),
    ("tests/a.c", f"/* {LICENSE} and no other words than these, which are more than twelve of them */\n", False),
    ("tests/a.py", f'#!/usr/bin/env python3\n# {LICENSE}\n"""{TWELVE}"""\n', True),
    ("tests/a.py", f"# {LICENSE}\nimport os\n", False),
    ("apps/run", "#!/bin/sh\n", True),
]

LONG = {"base/a.c": "x" * 121 + "\n" + "x" * 121 + "\n"}
CALL = {"tasks/q1.c": "void f(void)\n{\n    starpu_init(0);\n}\n"}
# rule, the table of what is allowed, files, what the one complaint holds (or None)
ALLOWED = [
    ("calls", "calls tasks/q1.c starpu_init", CALL, None),
    ("calls", "calls tasks/q1.c starpu_init starpu_shutdown # both", CALL, "starpu_shutdown is not needed"),
    ("calls", "calls tasks/slab.c starpu_init", {}, "starpu_init is not needed"),
    ("calls", "calls tasks/slab.c starpu_init", CALL | {"tasks/slab.c": CALL["tasks/q1.c"]}, "tasks/q1.c:3: names"),
    ("columns", "columns base/a.c 2", LONG, None),
    ("columns", "columns base/a.c 1", LONG, "2 lines are longer"),
    ("columns", "columns base/a.c 2", {"base/a.c": "\n"}, "2 is not needed"),
    ("lines", "lines base/a.c 700", {"base/a.c": "\n" * 650}, None),
    ("lines", "lines base/a.c 640", {"base/a.c": "\n" * 650}, "650 lines"),
    ("lines", "lines base/a.c 700", {"base/a.c": "\n" * 600}, "700 is not needed"),
    ("parameters", "parameters base/a.c f", {"base/a.c": PARAMETERS[0][1]}, None),
    ("parameters", "parameters base/a.c g", {"base/a.c": "\n"}, "g is not needed"),
]


def cases():
    """(what is planted, rule, files, table of what is allowed, what the only complaint must hold or None)"""
    for path, include, right in INCLUDES:
        beside = dict.fromkeys(BESIDE, "")
        text = f"/* a comment,\n#include \"apps/no.h\"\n*/\n  #  include {include}\n"
        caught = f"{path}:{1 if path.startswith('elsewhere') else 4}:"
        yield f"{path} including {include}", "includes", beside | {path: text}, "", None if right else caught
    for files, caught in CIRCLES:
        yield f"circles in {files}", "circles", files, "", caught
    for path, body, caught in CALLS:
        text = f"static void f(void)\n{{\n    {body}\n}}\n"
        yield f"{path} with {body}", "calls", FURNITURE | {path: text}, "", caught and f"{path}:3: names {caught}:"
    for path, name, statement, right in ARITHMETIC:
        files = {"include/starfish/a.h": f"int {name}(int a);\n",
                 path: f"static int own(void)\n{{\n    return 0;\n}}\n\nint {name}(int a)\n{{\n    {statement}\n}}\n"}
        yield f"{path}: {name} with {statement}", "arithmetic", files, "", None if right else f"{path}:6: {name}"
    for path, text, caught in ONCE:
        yield f"{path} with {text!r}", "once", {path: text}, "", caught
    for files, calls, text, caught in WALKS:
        job = f"int starfish_plan_submit(int n)\n{{\n    {text}\n}}\n"
        page = WALK.format(files, calls)
        yield f"{files} files, {calls} calls, {text}", "walks", \
            {**WALKED, "solver/job.c": job, "docs/developers-solvers.md": page}, "", caught
    for rule, planted in (("parameters", PARAMETERS), ("bodies", BODIES), ("columns", COLUMNS), ("lines", LINES),
                          ("license", LICENSES), ("first", FIRST)):
        for path, text, right in planted:
            yield f"{path} with {text[:60]!r}", rule, {path: text}, "", None if right else f"{path}:"
    for files, caught in READMES:
        yield f"{files}", "readmes", files, "", caught
    for rule, table, files, caught in ALLOWED:
        yield f"'{table}'", rule, files, table, caught
    text = "int starfish_nowhere(int a);\n"
    yield text, "calls", {"include/starfish/a.h": text}, "", "no folder of the house defines"


def said_of(files, rule, table, violations):
    """The complaints about a house of these files."""
    with tempfile.TemporaryDirectory() as root:
        for path, text in files.items():
            os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
            with open(os.path.join(root, path), "w", encoding="utf-8") as file:
                file.write(text)
        return list(violations(root, [rule], Allowed(table)))


def shrinks():
    """Whether a table loses what is not needed, and nothing else."""
    table = "# heads stay\ncalls a.c one two\ncalls b.c three\ncolumns c.md 9\nlines d.c 700\n"
    allowed = Allowed(table)
    allowed.name("calls", "a.c", "two")
    allowed.number("columns", "c.md", 4)
    return allowed.shrunk(table) == "# heads stay\ncalls a.c two\ncolumns c.md 4\n"


def run(violations, rules):
    wrong = count = 0
    tried = set()
    for name, rule, files, table, caught in cases():
        said = said_of(files, rule, table, violations)
        tried.add(rule)
        count += 1
        if not (len(said) == 1 and caught in said[0] if caught else not said):
            wrong += 1
            print(f"{name}: should be {'caught by ' + repr(caught) if caught else 'right'}; said: {said}")
    for rule in set(rules) - tried:
        wrong += 1
        print(f"nothing is planted for the rule '{rule}'")
    if not shrinks():
        wrong += 1
        print("the table of what is allowed does not shrink as it should")
    print(f"{count} planted houses, {wrong} judged wrongly")
    return 1 if wrong else 0
