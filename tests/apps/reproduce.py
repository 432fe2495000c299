#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""starfish reproduce: every experiment runs at a small size, and its rows have the papers' numbers beside ours."""
import csv
import io
import json
import math
import os
import pty
import signal
import subprocess
import time

import program
from program import Case


class Reproduce(Case):
    def rows(self, *arguments):
        status, out, said = self.run_program("reproduce", *arguments, "--repeat", "2", "--warmup", "0", "--json")
        self.assertEqual((status, said), (0, []), out)
        rows = json.loads(out)["rows"]
        for row in rows:  # the paper's number, or why there is none
            self.assertIn("ours", row)
            self.assertEqual(row["paper"] is None, len(row.get("not_stated", "")) > 0, row)
        return rows

    def test_list(self):
        for arguments in (["reproduce"], ["reproduce", "--help"], ["help", "reproduce"]):
            status, out, said = self.run_program(*arguments)
            self.assertEqual((status, said), (0, []))
            self.assertIn("valero-lara-3d", out)

    def test_valero_lara(self):
        """Without a GPU: steps of one size and whole solves of all, on one core and on all of them."""
        for name, steps, whole, sizes in (("valero-lara-2d", "7", "8", 4), ("valero-lara-3d", "11", "12", 3)):
            rows = self.rows(name, "--n", "16")
            variants = list(dict.fromkeys(row["variant"] for row in rows))
            kinds = ["Thomas", "chunks"] if name == "valero-lara-2d" else ["Thomas"]
            self.assertIn(variants, [[f"{kind}, {who}" for kind in kinds for who in whose]
                                     for whose in (["one core"], ["one core", "all cores"])])
            self.assertEqual(len({row["case"] for row in rows}), len(rows))
            self.assertEqual({row["figure"] for row in rows}, {steps, whole})
            for row in rows:
                self.assertIsNone(row["paper"])
                self.assertEqual(row["ours"], row["seconds"])
            for variant in variants:
                mine = [row for row in rows if row["variant"] == variant]
                self.assertEqual(sum(row["figure"] == whole for row in mine), sizes)
                # 15 rows: 8, 4, 2 and 1 separators.
                self.assertEqual([(row["phase"], row["step"], row["separators"]) for row in mine
                                  if row["figure"] == steps],
                                 [("reduction", 1, 8), ("reduction", 2, 4), ("reduction", 3, 2), ("substitution", 1, 1),
                                  ("substitution", 2, 2), ("substitution", 3, 4), ("substitution", 4, 8)])
            self.assertEqual({row["speedup"] for row in rows if row["variant"] == variants[0]}, {1.0})
            clock = "busy" if name == "valero-lara-3d" else "wall"
            self.assertEqual({row["clock"] for row in rows if row["figure"] == steps}, {clock})

    def test_mueller(self):
        """Every table and figure at a small size: as many rows as it has, each with a number."""
        for name, rows in (("table1", 30), ("table2", 12), ("table3", 29), ("table4", 8), ("table5", 5), ("table6", 42),
                           ("table7", 2), ("figure2", 48), ("figure3", 5), ("figure4", 32), ("figure5", 4),
                           ("figure6", 13)):
            with self.subTest(name):
                found = self.rows("mueller-" + name, "--n", "16", "--layers", "4")
                self.assertEqual(len(found), rows)
                for row in found:
                    self.assertEqual(row["ours"] is not None,
                                     row["how"] in ("counted", "by hand", "measured", "modelled"), row)
                    self.assertTrue(row["ours"] is None or abs(row["ours"]) < 1e13, row)

    def test_mueller_counts(self):
        """Words are those of the kernels' contracts: arrays read and written, a quarter of one for the coarse grid."""
        ours = {row["case"]: row["ours"] for row in self.rows("mueller-table1")}
        words = [ours[case] for case in ours if case.endswith(": words")]
        coarse = 2 + 2.25 + 3.25
        self.assertEqual(words, [3 + 5, 2, 3, 2, 2.25, 3.25, 2, 3 + 5 + 2, 3 + 2.25 + 3.25 + 2,
                                 10.5 + coarse * (1 / 4 + 1 / 16 + 1 / 64) + (2 + 3) / 256])
        operations = [ours[case] for case in ours if case.endswith(": operations")]
        self.assertEqual(operations[7], operations[0] + operations[1])
        self.assertEqual(operations[8], sum(operations[2:7]) - operations[3])

    def test_goeddeke(self):
        """Errors and cycles are the paper's where it has the level, and the paper's numbers are beside them."""
        rows = self.rows("goeddeke-table1", "--level", "6")
        reductions = [row for row in rows if row["case"].endswith("reduction of the error")]
        self.assertEqual(len(reductions), 2 * 4)
        for row in reductions:
            self.assertAlmostEqual(row["ours"] / row["paper"], 1, delta=0.02)
        rows = [row for row in rows if row not in reductions]
        for single, sums, double in zip(rows[::3], rows[1::3], rows[2::3]):
            self.assertAlmostEqual(single["ours"] / single["paper"], 1, delta=0.02)
            self.assertAlmostEqual(double["ours"] / double["paper"], 1, delta=2e-5)
            self.assertEqual(sums["variant"], "single, row sums")
            self.assertAlmostEqual(sums["ours"] / double["ours"], 1, delta=5e-4)
        rows = self.rows("goeddeke-table2", "--level", "5")
        self.assertEqual(len(rows), 8 * 2 * 2 * 2)
        self.assertEqual([row["matrix"] for row in rows], 16 * (2 * ["stored"] + 2 * ["matrix-free"]))
        for double, mixed in zip(rows[::2], rows[1::2]):
            self.assertAlmostEqual(double["ours"] / mixed["ours"], 1, delta=1e-5)
            self.assertIsNone(double["paper"])
        for name in ("goeddeke-table3", "goeddeke-table4"):
            rows = self.rows(name, "--level", "4")
            zebra = [row for row in rows if row["variant"] == "double, zebra lines"]
            self.assertEqual(len(zebra), 8 * 2 * 2 * 2 if name == "goeddeke-table3" else 0)
            self.assertEqual(len(rows) - len(zebra), 8 * 2 * 4 * 2 * 2)
            for row in rows:
                self.assertLess(row["residual"], 1e-8)
                if row["variant"] == "2 inner cycles":
                    self.assertEqual(row["corrections"], (row["cycles"] + 1) // 2)
        # Both tables are of the same times, and without a GPU there is nothing to compare.
        for name in ("goeddeke-table5", "goeddeke-table6"):
            rows = self.rows(name, "--level", "3")
            self.assertEqual(sum("seconds" in row for row in rows), 8 * 2 * 2 * 2)
            for what in ("times", "times per digit"):
                ratios = [row["ours"] for row in rows if row["case"].endswith(": " + what)]
                self.assertEqual(ratios, 8 * 2 * 2 * 4 * [None])
        rows = self.rows("goeddeke-figure2", "--level", "4")
        timed = [row for row in rows if "seconds" in row and row["who"] == "starfish"]
        self.assertEqual({(row["level"], row["precision"], row["variant"]) for row in timed},
                         {(level, precision, f"{what}, all cores") for level in (3, 4) for precision in ("f32", "f64")
                          for what in ("AXPY", "DEFECT")})
        self.assertEqual(len(timed), 8)
        for row in timed:  # words of an AXPY, of a DEFECT with five bands
            self.assertEqual(row["bytes"], (2**row["level"] - 1)**2 * (3 if "AXPY" in row["variant"] else 8) *
                             (4 if row["precision"] == "f32" else 8))
            ours = {other["case"].split(": ")[1]: other["ours"] for other in rows
                    if other["case"].startswith(row["case"].split(": ")[0])}
            self.assertAlmostEqual(ours["GB/s"] / (1e-9 * row["bytes_per_second"]), 1)
            self.assertAlmostEqual(ours["GB/s over those of a copy"] / row["fraction"], 1)
            self.assertAlmostEqual(ours["GFLOP/s"] / ours["GB/s"] * row["bytes"] / (2**row["level"] - 1)**2,
                                   2 if "AXPY" in row["variant"] else 18)
        rows = self.rows("goeddeke-meshes", "--level", "5")
        self.assertEqual(len(rows), 8 * (2 + 3))
        square = {row["level"]: row["ours"] for row in rows if row["mesh"] == "U1" and "condition" in row["case"]}
        for level, condition in square.items():  # eigenvalues of bilinear elements on squares: 2 pi^2 h^2, 4 at most
            self.assertAlmostEqual(condition * math.pi**2 / 2 / 4**level, 1, delta=0.05)
        for name in ("goeddeke-figure5", "goeddeke-figure6"):
            rows = self.rows(name, "--level", "4")
            self.assertEqual({row["variant"] for row in rows if "seconds" in row},
                             {f"{smoother}, one core" for smoother in ("Jacobi", "Gauss-Seidel", "ADI-TRIDI")})
            self.assertEqual(sum("paper_says" in row for row in rows), 2 * (2 + 1))
            ours = {row["variant"]: row["ours"] for row in rows if row["level"] == 4 and row["matrix"] == "stored" and
                    "per unknown" in row["case"]}
            times = {row["variant"]: row["ours"] for row in rows if row["level"] == 4 and row["matrix"] == "stored" and
                     "paper_says" in row}
            self.assertAlmostEqual(times["Gauss-Seidel over Jacobi"],
                                   ours["Gauss-Seidel, one core"] / ours["Jacobi, one core"])
        self.refuse(2, "--level: is 14, must be 3 .. 13", "reproduce", "goeddeke-table2", "--level", "14")

    def test_gupta(self):
        """Seven versions of one solver; two phases, where f32 alone is never called solved."""
        rows = self.rows("gupta-table1", "--n", "32")
        counts = [row for row in rows if row["case"].endswith("iterations")]
        self.assertEqual([row["version"] for row in counts],
                         ["CGVV", "CGBIC", "DPCG", "DPCG1", "DIPCG1", "DPCG2", "DIPCG2"])
        self.assertEqual({row["status"] for row in counts}, {"solved"})
        self.assertEqual([row["ours"] for row in counts[3:5]], [row["ours"] for row in counts[5:]])
        self.assertEqual(sum("note" in row for row in counts), 5)
        # The rate counts what is done: the two products of the paper's dense inverse, 2 d d, would be more than all.
        rate = next(row["ours"] for row in rows if row["case"].endswith("GFLOP/s"))
        solve = next(row["seconds"] for row in rows if "(DIPCG2)" in row["case"] and "seconds" in row)
        operations = 1e9 * rate * solve / counts[6]["ours"]
        self.assertLess(20 * 32**2, operations)
        self.assertLess(operations, 2 * (8 * 32)**2)
        self.assertAlmostEqual(counts[0]["ours"] / counts[1]["ours"], 2, delta=0.5)
        for name, least in (("gupta-table2", 80), ("gupta-table3", 11), ("gupta-table4", 28), ("gupta-table5", 14)):
            rows = self.rows(name, "--n", "32")
            self.assertEqual(len(rows), least)
            self.assertTrue(all("paper" in row and "ours" in row for row in rows))
            if name == "gupta-table2":  # (p, A p): 2 for each of 4 faces and a sum of those, 1 for extra, 2 for the sum
                counted = {row["case"]: row["ours"] for row in rows if row["how"] == "counted"}
                self.assertAlmostEqual(counted["SpMV, ours with (p, A p): operations, over N"], 4 * 3 + 1 + 2)
                self.assertAlmostEqual(counted["SpMV, ours with (p, A p): words read and written, over N"], 2 + 3)
                self.assertEqual(counted["IP preconditioning, ours in two passes: calls, of every step"], 2)
                self.assertAlmostEqual(counted["E^-1 b (gemv): operations, over d d"], 2)
        rows = self.rows("gupta-figure5", "--n", "32")
        self.assertEqual(len({row["case"] for row in rows}), len(rows))
        self.assertEqual(sum("vectors" in row["case"] for row in rows), 3 * (9 + 3))
        rows = self.rows("gupta-two-phase", "--n", "32")
        for row in rows:
            if row["precision"] != "f32" and row["version"] != "CGVV":
                self.assertEqual(row["status"], "solved", row)
            if row["status"] == "solved":
                self.assertLess(row["residual"], 1e-3)
        self.refuse(2, "--precision: is 'f16', must be f32, f64 or mixed", "reproduce", "gupta-table1", "--precision",
                    "f16")

    def test_geveler_in_pieces(self):
        """What an earlier run has is in the rows as it was, only the rest is measured, and speed-ups are of both."""
        piece = self.rows("geveler-figure4", "--less", "6", "--only", "q1, jacobi")
        self.assertEqual({row.get("not_stated") for row in piece}, {"the paper has other sizes"})
        for row in piece:
            row["where"], row["case"] = "GPU", row["case"].replace("cores", "GPU")
        self.write("gpu.json", json.dumps({"name": "geveler-figure4", "rows": piece}))
        rows = self.rows("geveler-figure4", "--less", "6", "--only", "q1, jacobi", "--known", "gpu.json")
        self.assertEqual([row for row in rows if row.get("where") == "GPU"], piece[:10])
        self.assertEqual(sum(row.get("where") == "cores" for row in rows), 10)
        ours = {row["case"]: row["ours"] for row in rows}
        faster = [ours[f"q1, jacobi, {name}, cores: time"] / ours[f"q1, jacobi, {name}, GPU: time"]
                  for name in ("two-level", "cuthill-mckee", "xyz", "random", "hierarchical")]
        self.assertAlmostEqual(ours["a GPU over the cores, mean"] / math.prod(faster) ** 0.2, 1)
        self.refuse(2, 'gpu.json: "name": must be geveler-figure5', "reproduce", "geveler-figure5",
                    "--known", "gpu.json")

    def test_table_csv_and_picture(self):
        status, out, said = self.run_program("reproduce", "valero-lara-2d", "--n", "16", "--repeat", "1", "--csv",
                                             "rows.csv", "--plot", "bars.png")
        self.assertEqual((status, said), (0, []), out)
        for word in ("paper", "not stated: a picture of the paper", "substitution step 4, Thomas, one core", "16 x 16"):
            self.assertIn(word, out)
        with open(self.path("bars.png"), "rb") as stream:
            self.assertTrue(stream.read().startswith(b"\x89PNG"))
        with open(self.path("rows.csv"), newline="") as stream:
            rows = list(csv.DictReader(stream))
        self.assertTrue(all(row["paper"] == "" and row["not_stated"] and float(row["ours"]) > 0 for row in rows))

    def stop(self, number, *arguments):
        """Start a run that takes long, and stop it when its CSV file has rows; what it printed, and the file's rows."""
        path = self.path("rows.csv")
        with subprocess.Popen([program.PROGRAM, "reproduce", "goeddeke-table4", "--level", "9", *arguments, "--samples",
                               path], stdout=subprocess.PIPE, text=True, cwd=self.folder) as run:
            while not os.path.exists(path) and run.poll() is None:
                time.sleep(0.01)
            run.send_signal(number)
            out = run.communicate(timeout=60)[0]
        self.assertEqual(run.returncode, -number)
        with open(path, newline="") as stream:
            return out, list(csv.DictReader(stream))

    def test_a_run_that_is_stopped(self):
        """Its rows until then are there, in every form; nothing else is left in the folder. A signal may come between
        two files, of which the last one then lacks what has been measured last."""
        def check(cases, samples):
            sampled = list(dict.fromkeys(sample["case"] for sample in samples))
            self.assertTrue(sampled)
            self.assertEqual(cases[:len(sampled)], sampled)
            self.assertLessEqual(len(cases) - len(sampled), 1)

        out, samples = self.stop(signal.SIGINT, "--json", "--csv", "all.csv")
        self.assertTrue(json.loads(out)["stopped"])
        check([row["case"] for row in json.loads(out)["rows"] if "seconds" in row], samples)
        with open(self.path("all.csv"), newline="") as stream:
            check([row["case"] for row in csv.DictReader(stream) if row["seconds"]], samples)
        self.assertEqual(sorted(os.listdir(self.folder)), ["all.csv", "f.npy", "rows.csv"])
        os.unlink(self.path("rows.csv"))
        out, samples = self.stop(signal.SIGTERM, "--csv", "-")
        check([row["case"] for row in csv.DictReader(io.StringIO(out)) if row["seconds"]], samples)
        os.unlink(self.path("rows.csv"))
        lines = self.stop(signal.SIGTERM)[0].splitlines()
        self.assertTrue(lines[0].startswith("goeddeke-table4 on "), lines)
        self.assertEqual(lines[2].split(), ["case", "ours", "paper"])
        self.assertTrue(lines[3].startswith("U1, level 8, double: cycles"), lines)

    def test_progress(self):
        """On a terminal, standard error says how far the run is and how long it will take."""
        terminal, other = pty.openpty()
        with subprocess.Popen([program.PROGRAM, "reproduce", "goeddeke-table1", "--level", "5"], stderr=other,
                              stdout=subprocess.DEVNULL, cwd=self.folder) as run:
            os.close(other)
            said = b""
            try:
                while chunk := os.read(terminal, 4096):
                    said += chunk
            except OSError:
                pass  # the end of a terminal whose other side is closed
            os.close(terminal)
        self.assertEqual(run.returncode, 0)
        for part in range(1, 12):
            self.assertRegex(said.decode(), f"{part} of 12, [0-9]+ s, about [0-9]+ s are left: U1, level ")

    def test_usage(self):
        self.refuse(2, "no experiment 'nothing'; there is valero-lara-2d, valero-lara-3d, goeddeke-table1", "reproduce",
                    "nothing")
        self.refuse(2, "--n: at least 16", "reproduce", "valero-lara-2d", "--n", "8")
        self.refuse(2, "unknown option --fast", "reproduce", "valero-lara-3d", "--fast")


if __name__ == "__main__":
    program.main()
