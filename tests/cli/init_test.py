#!/usr/bin/env python3
"""Runs `hyla init` as a user would: options, statuses, the table, JSON, files of start values."""

import json

from case import Case, run_tests

TANK = """model Tank {
    parameter inflow = 3;
    var level := 1;
    var outflow = 2 * sqrt(level);
    der(level) = inflow - outflow;
}
"""


class Init(Case):
    def setUp(self):
        super().setUp()
        self.write("tank.hyla", TANK)

    def init(self, status, *arguments):
        result = self.hyla("init", *arguments)
        self.assertEqual(result.returncode, status, result.stderr.decode())
        return result.stdout.decode(), result.stderr.decode()

    def test_shows_a_table(self):
        out, err = self.init(0, "tank.hyla")
        self.assertIn("Tank: 2 unknowns in 2 blocks, 0 iterated", out)
        self.assertIn("der(level)", out)
        self.assertEqual(err, "")

    def test_gives_json(self):
        out, _ = self.init(0, "tank.hyla", "--json", "--fix", "der(level)=0", "--free", "level")
        rows = {row["path"]: row for row in json.loads(out)["rows"]}
        self.assertAlmostEqual(rows["level"]["value"], 2.25, 12)
        self.assertEqual(rows["level"]["status"], "free")
        self.assertEqual(rows["level"]["instead"], ["inflow", "der(level)"])

    def test_refuses_with_a_status(self):
        _, err = self.init(1, "tank.hyla", "--fix", "outflow=3")
        self.assertIn("start-overdetermined", err)
        _, err = self.init(2, "tank.hyla", "--fix", "levle=3")
        self.assertIn("did you mean `level`?", err)
        _, err = self.init(2, "tank.hyla", "--show", "reducd")
        self.assertIn("did you mean `reduced`?", err)
        _, err = self.init(2, "tank.hyla", "--show", "selected")
        self.assertIn("--select", err)
        _, err = self.init(2, "tank.hyla", "--load", "none.start")
        self.assertIn("none.start", err)
        self.init(2)

    def test_saves_and_runs(self):
        self.init(0, "tank.hyla", "--fix", "der(level)=0", "--free", "level", "--save", "rest.start")
        out, _ = self.init(0, "tank.hyla", "--load", "rest.start", "--select", "level")
        self.assertIn("2.25", out)
        result = self.hyla("run", "tank.hyla", "--start-values", "rest.start", "--output-file", "-",
                           "--stop-time", "5", "--output-variable", "level")
        self.assertEqual(result.returncode, 0, result.stderr)
        last = result.stdout.decode().strip().splitlines()[-1]
        self.assertAlmostEqual(float(last.split(",")[-1]), 2.25, 9)
        self.write("odd.start", b"\xff\x00")
        result = self.hyla("run", "tank.hyla", "--start-values", "odd.start")
        self.assertEqual(result.returncode, 2)


if __name__ == "__main__":
    run_tests()
