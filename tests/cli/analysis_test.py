#!/usr/bin/env python3
"""Runs `hyla linearize` and `hyla steady` as a user would: options, statuses, tables, JSON, files."""

import json
import math
import struct

from case import Case, run_tests

TANK = """model Tank {
    parameter area = 2.0, k = 0.5;
    input inflow := 1.0;
    output level := 1.0;
    der(level) = (inflow - k * sqrt(level)) / area;
}
"""
RISING = "model Rising {\n    var x := 0.0;\n    der(x) = 1;\n}\n"


def matrices(data):
    """The numeric matrices of a MAT file of level 4, as lists of rows."""
    found = {}
    at = 0
    while at < len(data):
        kind, rows, columns, _, length = struct.unpack_from("<5i", data, at)
        at += 20
        name = data[at : at + length - 1].decode()
        at += length
        size = 8 if kind == 0 else 1
        if kind == 0:
            numbers = struct.unpack_from(f"<{rows * columns}d", data, at)
            found[name] = [[numbers[j * rows + i] for j in range(columns)] for i in range(rows)]
        else:
            text = data[at : at + rows * columns].decode()
            found[name] = ["".join(text[i::rows]).rstrip() for i in range(rows)]
        at += size * rows * columns
    return found


class Analysis(Case):
    def setUp(self):
        super().setUp()
        self.write("tank.hyla", TANK)
        self.write("rising.hyla", RISING)

    def run_hyla(self, status, *arguments):
        result = self.hyla(*arguments)
        self.assertEqual(result.returncode, status, result.stderr.decode())
        return result.stdout.decode(), result.stderr.decode()

    def test_linearizes(self):
        out, err = self.run_hyla(0, "linearize", "tank.hyla")
        self.assertIn("Tank linearised at t = 0 s", out)
        self.assertIn("der(level)  -0.125", out)
        self.assertIn("stable: all eigenvalues have negative real parts", out)
        self.assertEqual(err, "")

    def test_gives_json(self):
        out, _ = self.run_hyla(0, "linearize", "tank.hyla", "--json", "--input", "k", "--output", "level")
        data = json.loads(out)
        self.assertEqual(data["A"], [[-0.125]])
        self.assertEqual(data["B"], [[-0.5]])
        self.assertEqual(data["C"], [[1]])
        self.assertEqual(data["D"], [[0]])
        self.assertEqual(data["states"][0]["name"], "level")
        self.assertEqual(data["eigenvalues"][0]["damping"], 1)
        self.assertEqual(data["stability"], "stable")

    def test_writes_files(self):
        self.run_hyla(0, "linearize", "tank.hyla", "-o", "tank.json")
        self.assertEqual(json.loads((self.folder / "tank.json").read_text())["B"], [[0.5]])
        self.run_hyla(0, "linearize", "tank.hyla", "-o", "tank.mat")
        data = matrices((self.folder / "tank.mat").read_bytes())
        self.assertEqual(data["A"], [[-0.125]])
        self.assertEqual(data["B"], [[0.5]])
        self.assertEqual(data["states"], ["level"])
        self.assertEqual(data["inputs"], ["inflow"])
        self.assertEqual(data["model"], ["Tank"])

    def test_linearizes_later(self):
        out, _ = self.run_hyla(0, "linearize", "tank.hyla", "--at", "1000", "--json")
        data = json.loads(out)
        self.assertAlmostEqual(data["states"][0]["value"], 4, 4)
        self.assertAlmostEqual(data["A"][0][0], -0.0625, 5)

    def test_finds_rest(self):
        out, _ = self.run_hyla(0, "steady", "tank.hyla", "--save", "rest", "--json")
        self.assertTrue(math.isclose(json.loads(out)["states"][0]["value"], 4, rel_tol=1e-12))
        out, _ = self.run_hyla(0, "linearize", "tank.hyla", "--start-values", "rest", "--json")
        self.assertAlmostEqual(json.loads(out)["states"][0]["derivative"], 0, 12)

    def test_says_what_is_wrong(self):
        _, err = self.run_hyla(1, "steady", "rising.hyla")
        self.assertIn("there is no steady state from the values at t = 0: der(x) comes no nearer to zero than 1;", err)
        out, _ = self.run_hyla(1, "steady", "rising.hyla", "--json")
        self.assertFalse(json.loads(out)["found"])
        self.run_hyla(1, "linearize", "bad.hyla")
        self.run_hyla(2, "linearize", "gone.hyla")
        _, err = self.run_hyla(2, "linearize", "tank.hyla", "--input", "inflw")
        self.assertIn("did you mean `inflow`?", err)
        _, err = self.run_hyla(2, "linearize", "tank.hyla", "-o", "tank.csv")
        self.assertIn("`.json` or `.mat`", err)
        self.run_hyla(2, "linearize")
        self.run_hyla(2, "steady")
        self.run_hyla(2, "steady", "tank.hyla", "--at", "soon")


if __name__ == "__main__":
    run_tests()
