#!/usr/bin/env python3
"""Requirements as scripts meet them: statuses, verdicts and margins in the summary and as JSON, coverage."""

import json

import jsonschema

from case import ROOT, Case, run_tests

RUN = jsonschema.Draft7Validator(json.loads((ROOT / "docs/schemas/run.schema.json").read_text()))

TANK = """model Tank {
    parameter inflow = 0.1;
    var level := 0.0;
    discrete alarm := false;
    der(level) = inflow;
    when level > 0.5 { alarm := true; }
    require level < 1.5 "the tank overflows";
    require eventually level > 0.8 within 20 "the tank does not fill";
    require when alarm: eventually level > 0.9 within 5;
    chart valve {
        initial -> Shut;
        state Shut {
            when level > 5 -> Open;
        }
        state Open {
            require level > 1;
        }
    }
    section Simulation { stop_time = 12; }
}
"""


class Requirements(Case):
    def setUp(self):
        super().setUp()
        self.write("tank.hyla", TANK)

    def json_of(self, *arguments, status):
        result = self.expect(["run", "tank.hyla", "--json", *arguments], status)
        report = json.loads(result.stdout)
        self.assertEqual([error.message for error in RUN.iter_errors(report)], [])
        return report

    def verdicts(self, report):
        return [one["verdict"] for one in report["run"]["runs"][0]["requirements"]]

    def test_held(self):
        report = self.json_of(status=0)
        self.assertEqual(self.verdicts(report), ["held", "held", "held", "never-tested"])
        first, second, third, _ = report["run"]["runs"][0]["requirements"]
        self.assertAlmostEqual(first["margin"], 0.3, places=9)
        self.assertAlmostEqual(first["margin_at"], 12, places=9)
        self.assertAlmostEqual(second["spare"], 12, places=6)
        self.assertIsNone(second["margin"])
        self.assertAlmostEqual(third["spare"], 1, places=6)
        self.assertEqual(first["place"], "tank.hyla:7")
        self.assertEqual(third["requirement"], "require when alarm: eventually level > 0.9 within 5")

    def test_violated(self):
        report = self.json_of("--stop-time", "30", status=1)
        self.assertEqual(self.verdicts(report)[0], "violated")
        self.assertAlmostEqual(report["run"]["runs"][0]["requirements"][0]["violated_at"], 15, places=9)
        self.assertEqual(report["run"]["runs"][0]["ending"], "requirement")
        result = self.expect(["run", "tank.hyla", "--stop-time", "30"], 1)
        self.assertIn(b"error[requirement-violated]: the tank overflows", result.stderr)
        self.assertRegex(result.stderr, rb"in `Tank` at t = 15(\.0+\d+)?, in state valve.Shut")
        self.assertIn(b"violated at 15 s", result.stdout)

    def test_keep_going(self):
        report = self.json_of("--stop-time", "30", "--keep-going", status=1)
        self.assertEqual(report["run"]["runs"][0]["ending"], "stop-time")
        self.assertAlmostEqual(report["run"]["runs"][0]["requirements"][0]["margin"], -1.5, places=9)

    def test_a_limit(self):
        report = self.json_of("--set", "inflow=0.03", "--stop-time", "30", status=1)
        self.assertEqual(self.verdicts(report), ["held", "violated", "undecided", "never-tested"])
        second = report["run"]["runs"][0]["requirements"][1]
        self.assertEqual(second["violated_at"], 20)
        self.assertAlmostEqual(second["margin"], -0.2, places=9)

    def test_undecided(self):
        self.expect(["run", "tank.hyla", "--stop-time", "3"], 0)
        result = self.expect(["run", "tank.hyla", "--stop-time", "3", "--require-decided"], 1)
        self.assertIn(b"that fails by --require-decided", result.stdout)
        self.json_of("--stop-time", "3", "--require-decided", status=1)

    def test_replications(self):
        result = self.expect(["run", "tank.hyla", "--replications", "3", "--coverage"], 0)
        self.assertIn(b"the tank overflows", result.stdout)
        self.assertIn(b"1 of 2 entered", result.stdout)

    def test_coverage(self):
        result = self.expect(["run", "tank.hyla", "--coverage"], 0)
        text = result.stdout.decode()
        for line in ["states       1 of 2 entered", "transitions  1 of 2 fired", "conditions   1 of 2 true and false",
                     "Tank.valve.Open  tank.hyla:15"]:
            self.assertIn(line, text)
        coverage = self.json_of("--coverage", status=0)["run"]["coverage"]
        self.assertEqual([state["entered"] for state in coverage["states"]], [1, 0])
        self.assertEqual([item["fired"] for item in coverage["transitions"]], [1, 0])
        self.assertNotIn("coverage", self.json_of(status=0)["run"])

    def test_mistakes(self):
        self.write("bad.hyla", "model A {\n    var x := 0.0;\n    der(x) = 1;\n    require eventually x > 1 for 5;\n}\n")
        self.assertIn(b"error[bad-requirement]", self.expect(["check", "bad.hyla"], 1).stderr)
        self.write("bad.hyla", "model A {\n    var x := 0.0;\n    der(x) = 1;\n    require x < 1 within 3 [m];\n}\n")
        self.expect(["check", "bad.hyla"], 1)


if __name__ == "__main__":
    run_tests()
