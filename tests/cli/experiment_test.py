#!/usr/bin/env python3
"""Runs `hyla experiment` as a user would: lists, tables, files, parts of a job array, journals, several processes."""

import json
import os
import shutil
import signal
import subprocess
import time
import unittest

import jsonschema

from case import ROOT, Case, hyla_path, run_tests

SCHEMA = json.loads((ROOT / "docs/schemas/experiment.schema.json").read_text())

TANK = """model Tank {
    parameter area = 1;
    parameter steps: Integer = 1;
    output h := 0, n := 0;
    der(h) = 1 / area - 0.1 * h;
    every 1 { for i in 1..steps { n := n + 1e-9; } }
}

experiment Sizes of Tank {
    stop_time = 5;
    vary area in 1..3 step 0.5;
    observe peak = max(h);
}

experiment Long of Tank {
    stop_time = 1000;
    steps = 10000;
    vary area in 1..4 step 0.05;
    observe peak = max(h);
}
"""


class Experiments(Case):
    def setUp(self):
        super().setUp()
        self.write("tank.hyla", TANK)

    def test_lists(self):
        result = self.expect(["experiment", "tank.hyla"], 0, error="")
        self.assertEqual(result.stdout.decode().split(),
                         ["Sizes", "of", "Tank", "tank.hyla:9", "Long", "of", "Tank", "tank.hyla:15"])

    def test_table_and_files(self):
        result = self.expect(["experiment", "tank.hyla", "Sizes", "--output", "t.csv"], 0, error="")
        self.assertIn("experiment Sizes of Tank\n  5 points, 5 runs\n", result.stdout.decode())
        self.assertIn("3.93469", result.stdout.decode())  # 10 (1 - exp(-0.5))
        lines = (self.folder / "t.csv").read_text().splitlines()
        self.assertEqual(lines[0], "run,area,replication,status,peak")
        self.assertEqual(len(lines), 6)
        self.expect(["experiment", "tank.hyla", "Sizes", "--output", "t.h5"], 0, error="")
        self.assertEqual((self.folder / "t.h5").read_bytes()[1:4], b"HDF")
        self.assertFalse((self.folder / "Sizes.journal").exists())

    @unittest.skipUnless(shutil.which("gnuplot"), "no gnuplot here")
    def test_plot(self):
        self.expect(["experiment", "tank.hyla", "Sizes", "--plot", "t.svg"], 0, error="")
        self.assertIn("peak", (self.folder / "t.svg").read_text())

    def test_json(self):
        result = self.expect(["experiment", "tank.hyla", "Sizes", "--json"], 0)
        report = json.loads(result.stdout)
        jsonschema.validate(report, SCHEMA)
        self.assertEqual([point["point"]["area"] for point in report["points"]], [1, 1.5, 2, 2.5, 3])

    def test_coverage(self):
        words = ["experiment", "tank.hyla", "Sizes", "--coverage"]
        self.assertIn(b"\ncoverage\n  states       0 of 0 entered\n  transitions  1 of 1 fired\n",
                      self.expect(words, 0, error="").stdout)
        report = json.loads(self.expect([*words, "--json"], 0).stdout)
        jsonschema.validate(report, SCHEMA)
        self.assertEqual([item["fired"] for item in report["coverage"]["transitions"]], [25])

    def test_ad_hoc(self):
        result = self.expect(["experiment", "tank.hyla", "--vary", "area in [1, 2]", "--observe", "peak = max(h)",
                              "--stop-time", "5"], 0, error="")
        self.assertIn("3.93469", result.stdout.decode())

    def test_refusals(self):
        for words, status, said in [
                (["tank.hyla", "Size"], 2, "did you mean `Sizes`?"),
                (["tank.hyla", "Sizes", "--vary", "area in [1]"], 2, "choose one"),
                (["tank.hyla", "Sizes", "--output", "t.txt"], 2, ".csv, .h5 or .mat"),
                (["tank.hyla", "Sizes", "--member", "4/3"], 2, "I from 1 to N"),
                (["tank.hyla", "Sizes", "--resume"], 2, "Sizes.journal"),
                (["tank.hyla", "Sizes", "--sampling", "sobool"], 1, "did you mean `sobol`?"),
                (["tank.hyla", "--observe", "peak = max(hh)"], 1, "hh"),
                (["tank.hyla", "--observe", "peak = max(h)", "--of", "Tnk"], 2, "did you mean `Tank`?"),
                (["tank.hyla", "Sizes", "--merge", "tank.hyla"], 2, "no journal"),
                (["good.hyla"], 2, "has no experiments")]:
            result = self.hyla("experiment", *words)
            self.assertEqual(result.returncode, status, result)
            self.assertIn(said, result.stderr.decode())

    def test_parts_of_a_job_array(self):
        whole = self.expect(["experiment", "tank.hyla", "Sizes"], 0).stdout.decode()
        for part in "123":
            result = self.expect(["experiment", "tank.hyla", "Sizes", "--member", part + "/3"], 0, error="")
            self.assertIn(f"Sizes.{part}of3.journal", result.stdout.decode())
        merge = ["experiment", "tank.hyla", "Sizes"]
        for part in "123":
            merge += ["--merge", f"Sizes.{part}of3.journal"]
        merged = self.expect(merge, 0, error="").stdout.decode()
        self.assertEqual(merged.replace(", 5 of them known before", ""), whole)
        result = self.hyla(*merge[:-2])
        self.assertEqual(result.returncode, 1)
        self.assertIn("incomplete", result.stdout.decode())

    def test_resume_after_interruption(self):
        journal = self.folder / "Long.journal"
        process = subprocess.Popen([hyla_path(), "experiment", "tank.hyla", "Long", "--threads", "1"], cwd=self.folder,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for _ in range(600):
            if journal.exists() and journal.read_bytes().count(b"\n") > 2:
                break
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        out, error = process.communicate(timeout=60)
        if process.returncode == 0:
            self.skipTest("the machine was too fast to interrupt the experiment")
        self.assertEqual(process.returncode, 1, (out, error))
        self.assertIn(b"`--resume` goes on", out)
        with journal.open("ab") as file:
            file.write(b"1.5\x1f0\tgood\t10")  # as if it had been killed while writing
        result = self.hyla("experiment", "tank.hyla", "Long", "--resume")
        self.assertEqual(result.returncode, 0, result)
        self.assertRegex(result.stdout.decode(), r"61 points, 61 runs, [1-9][0-9]* of them known before")
        self.assertFalse(journal.exists())

    def hyla(self, *arguments, **options):
        options.setdefault("capture_output", True)
        return subprocess.run([hyla_path(), *arguments], cwd=self.folder, timeout=120, check=False, **options)

    @unittest.skipUnless(shutil.which("mpirun"), "no mpirun here")
    def test_several_processes(self):
        alone = self.expect(["experiment", "tank.hyla", "Sizes", "--coverage"], 0).stdout
        # OpenMPI leaves memory behind in parts that it has unloaded: a leak sanitizer cannot tell it from ours.
        environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                           ASAN_OPTIONS="detect_leaks=0")
        result = subprocess.run(["mpirun", "--oversubscribe", "-n", "2", hyla_path(), "experiment", "tank.hyla", "Sizes",
                                 "--coverage", "--threads", "1"], cwd=self.folder, env=environment, capture_output=True, timeout=120,
                                check=False)
        self.assertEqual(result.returncode, 0, result)
        self.assertEqual(result.stdout, alone)


if __name__ == "__main__":
    run_tests()
