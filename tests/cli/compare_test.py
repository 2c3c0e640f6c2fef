#!/usr/bin/env python3
"""Runs `hyla compare` as a user would: runs of examples with different solvers, statuses, wording, JSON, bad input."""

import json

import jsonschema

from case import ROOT, Case, run_tests

SCHEMA = json.loads((ROOT / "docs/schemas/compare.schema.json").read_text())
LAMP = """model Lamp {
    parameter delay = 3;
    discrete lit := false;
    var heat := 20;
    der(heat) = if lit then 1.5 else -0.5;
    chart {
        initial -> Off;
        state Off { after 2 -> On { lit := true; } }
        state On { after delay -> Off { lit := false; } }
    }
    section Simulation { stop_time = 10; }
}
"""


class Compare(Case):
    def run_model(self, name, model, *options):
        self.expect(["run", str(model), "--output-file", name + ".csv", "--events-file", name + ".jsonl", *options], 0)

    def compare(self, status, *arguments):
        result = self.hyla("compare", *arguments)
        self.assertEqual(result.returncode, status, result.stdout.decode() + result.stderr.decode())
        return result.stdout.decode(), result.stderr.decode()

    def document(self, status, *arguments):
        document = json.loads(self.compare(status, "--json", *arguments)[0])
        jsonschema.validate(document, SCHEMA)
        return document


class Examples(Compare):
    """Different methods are different runs of the same model."""

    def test_solvers_lead_to_the_same(self):
        for example, solvers in [("two_tanks", ["rk8", "rosenbrock", "cvode-bdf", "ida"]), ("bouncing_ball", ["rk8", "cvode-adams"]),
                                 ("pwm_servo", ["cvode-bdf", "rk8"]), ("wheelchair", ["rosenbrock", "ida"]),
                                 ("buck_converter", ["rk8", "cvode-bdf"]), ("relay", ["rosenbrock", "rk8"])]:
            model = ROOT / "examples" / (example + ".hyla")
            self.run_model("a", model, "--tolerance", "1e-8")
            for solver in solvers:
                with self.subTest(example=example, solver=solver):
                    self.run_model("b", model, "--solver", solver, "--tolerance", "1e-8")
                    document = self.document(0, "a.csv", "b.csv")
                    self.assertTrue(document["alike"])
                    self.assertEqual(document["events"]["paired"], document["events"]["a"])
                    self.assertEqual(document["values"]["apart"], 0)

    def test_a_poor_method_is_found_out(self):
        model = ROOT / "examples/bouncing_ball.hyla"
        self.run_model("a", model)
        self.run_model("b", model, "--solver", "euler", "--step-size", "0.01")
        text, _ = self.compare(1, "a.csv", "b.csv")
        self.assertRegex(text, r"(?m)^a.csv and b.csv differ$")
        self.assertRegex(text, r"(?m)^the values part at t = ")
        self.assertRegex(text, r"(?m)^largest deviations ")

    def test_the_order_of_simultaneous_events_does_not_count(self):
        model = ROOT / "examples/dining_philosophers.hyla"
        self.run_model("a", model, "--stop-time", "50")
        self.run_model("b", model, "--stop-time", "50", "--threads", "2")
        self.assertEqual(self.document(0, "a.jsonl", "b.jsonl")["events"]["reordered"], 0)


class Differences(Compare):
    def setUp(self):
        super().setUp()
        self.write("lamp.hyla", LAMP)
        self.run_model("a", "lamp.hyla")
        self.run_model("b", "lamp.hyla", "--set", "delay=4")

    def test_the_first_one_is_told(self):
        text, error = self.compare(1, "a.csv", "b.csv")
        self.assertEqual(error, "")
        self.assertIn("the events part at t = 5\n"
                      "  A  event 3 at t = 5, Lamp: On -> Off (after, line 9)\n"
                      "  B  event 3 at t = 6, Lamp: On -> Off (after, line 9)\n"
                      "     the same, 1 later; the time tolerance is 0.001\n", text)
        document = self.document(1, "a.csv", "b.csv")
        self.assertEqual(document["first"], {"what": "event", "time": 5})
        self.assertEqual(document["events"]["differences"][0]["a"]["seq"], 3)

    def test_tolerances(self):
        self.compare(0, "a.jsonl", "b.jsonl", "--time-tolerance", "1", "--until", "8")
        self.compare(0, "a.csv", "b.csv", "--until", "4.9")
        self.compare(1, "a.csv", "b.csv", "--no-events")
        self.compare(0, "a.csv", "b.csv", "--no-events", "--tube", "heat=10", "--tube", "lit=inf")
        self.compare(0, "a.csv", "b.csv", "--no-events", "--tube", "*=0,1")
        self.compare(0, "a.csv", "b.csv", "--no-events", "--tolerance", "0.5", "--variable", "heat")

    def test_events_may_stand_anywhere(self):
        (self.folder / "a.jsonl").rename(self.folder / "first.jsonl")
        (self.folder / "b.jsonl").rename(self.folder / "second.jsonl")
        text, _ = self.compare(1, "a.csv", "b.csv")
        self.assertNotIn("events", text)
        text, _ = self.compare(1, "a.csv", "b.csv", "--events", "first.jsonl", "second.jsonl")
        self.assertIn("the events part at t = 5\n", text)

    def test_an_event_that_is_missing(self):
        lines = (self.folder / "a.jsonl").read_text().splitlines(keepends=True)
        self.write("fewer.jsonl", "".join(lines[:3] + lines[4:]))
        text, _ = self.compare(1, "a.jsonl", "fewer.jsonl")
        self.assertIn("  A  event 3 at t = 5, Lamp: On -> Off (after, line 9)\n  B  not; what Lamp does next is\n", text)
        self.write("none.jsonl", "".join(lines[:2]))
        text, _ = self.compare(1, "a.jsonl", "none.jsonl")
        self.assertIn("the runs end at different times\n", text)
        self.assertIn("note: none.jsonl: the run has not come to its end", text)


class BadInput(Compare):
    def setUp(self):
        super().setUp()
        self.run_model("a", "good.hyla", "--stop-time", "1")
        (self.folder / "a.jsonl").unlink()

    def complaint(self, *arguments):
        text, error = self.compare(2, *arguments)
        self.assertEqual(text, "")
        return error

    def test_files(self):
        self.assertEqual(self.complaint("a.csv"), "hyla: `hyla compare` needs two files: results or events of runs\n")
        self.assertEqual(self.complaint("a.csv", "b.csv"),
                         "hyla: cannot read `b.csv`: no such file\n")
        self.write("empty.csv", "")
        self.write("text.csv", "time,x\n0,hello\n")
        self.write("bytes.csv", bytes(range(256)))
        self.write("bad.jsonl", "{}\n")
        for name in ["empty.csv", "text.csv", "bytes.csv", "bad.jsonl", "good.hyla"]:
            self.assertIn(name, self.complaint("a.csv", name), name)

    def test_nothing_in_common(self):
        self.write("other.csv", "time,speed\n0,1\n1,2\n")
        self.assertEqual(self.complaint("a.csv", "other.csv"),
                         "hyla: cannot compare `a.csv` and `other.csv`: the runs have no variable in common, and no "
                         "events of both are known\n")
        document = self.document(2, "a.csv", "other.csv")
        self.assertIsNone(document["alike"])
        self.assertEqual(len(document["failures"]), 1)

    def test_options(self):
        self.assertEqual(self.complaint("a.csv", "a.csv", "--tube", "y=1"),
                         "hyla: cannot compare `a.csv` and `a.csv`: no variable `y` was recorded; there are `x`\n")
        self.assertIn("is no tube", self.complaint("a.csv", "a.csv", "--tube", "x"))
        self.assertIn("is no tube", self.complaint("a.csv", "a.csv", "--tube", "x=-1"))
        self.assertIn("--tolerance takes", self.complaint("a.csv", "a.csv", "--tolerance", "much"))
        self.assertIn("did you mean `--time-tolerance`", self.complaint("a.csv", "a.csv", "--time-tolerence", "1"))
        self.assertIn("no variable `speed`", self.complaint("a.csv", "a.csv", "--variable", "speed"))


if __name__ == "__main__":
    run_tests()
