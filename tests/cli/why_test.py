#!/usr/bin/env python3
"""Runs `hyla why` as a user would: chains of causes, transitions that have not fired, JSON, bad input."""

import json

import jsonschema

from case import ROOT, Case, run_tests

SCHEMA = json.loads((ROOT / "docs/schemas/why.schema.json").read_text())
ROOM = """message Press;
model Lamp {
    port button receives Press;
    discrete bright := 0;
    chart {
        initial -> Off;
        state Off {
            on button.Press -> Lit;
        }
        state Lit {
            var heat := 20;
            der(heat) = 30 - heat;
            after 5 -> Off;
            when heat > 29.5 and bright > 2 -> Broken;
            when heat > 31 -> Burnt;
        }
        state Broken {
            after 1 -> Repaired;
        }
        state Repaired {}
        state Burnt {}
    }
}
model Room {
    port wall sends Press;
    object lamp: Lamp;
    connect wall -- lamp.button;
    every 8 { send wall.Press; }
    section Simulation { stop_time = 30; }
}
"""


class Why(Case):
    def setUp(self):
        super().setUp()
        self.write("room.hyla", ROOM)
        self.expect(["run", "room.hyla", "--events-file", "room.jsonl", "--output-file", "room.csv"], 0)

    def why(self, status, *arguments):
        result = self.hyla("why", *arguments)
        self.assertEqual(result.returncode, status, result.stdout.decode() + result.stderr.decode())
        return result.stdout.decode(), result.stderr.decode()

    def document(self, status, *arguments):
        document = json.loads(self.why(status, "--json", *arguments)[0])
        jsonschema.validate(document, SCHEMA)
        return document

    def event(self, **members):
        """The number of the first event with these members."""
        for line in (self.folder / "room.jsonl").read_text().splitlines()[1:]:
            entry = json.loads(line)
            if members.items() <= entry.items():
                return entry["seq"]
        self.fail(f"no event {members}")


class Causes(Why):
    def test_the_chain_of_an_event(self):
        lit, off = self.event(to="Lit"), self.event(to="Off", kind="transition")
        text, _ = self.why(0, "room.jsonl", "--event", str(off))
        self.assertIn(f"event {off} at t = 13, Room.lamp: Lit -> Off\n"
                      f"    because 5 had passed since event {lit} (room.hyla:13)\n"
                      f"event {lit} at t = 8, Room.lamp: Off -> Lit\n"
                      f"    because `button.Press` arrived, sent by Room in event ", text)
        chain = self.document(0, "room.jsonl", "--event", str(off))["chain"]
        self.assertEqual([link["object"] for link in chain], ["Room.lamp", "Room.lamp", "Room"])
        self.assertEqual(chain[0]["cause"], lit)

    def test_transitions_by_their_paths(self):
        for path in ["Room.lamp.Off->Lit", "lamp.Off->Lit", "Off -> Lit"]:
            document = self.document(0, "room.csv", "--transition", path)
            self.assertEqual(len(document["matches"]), 3, path)
            self.assertEqual(document["chain"][0]["seq"], document["matches"][-1])
        text, _ = self.why(0, "room.jsonl", "--transition", "Off->Lit")
        self.assertTrue(text.startswith("it happened 3 times, in events "), text)

    def test_long_chains_are_cut(self):
        off = self.event(to="Off", kind="transition")
        document = self.document(0, "room.jsonl", "--event", str(off), "--depth", "2")
        self.assertEqual((len(document["chain"]), document["cut"]), (2, True))

    def test_conditions_name_themselves(self):
        self.expect(["run", str(ROOT / "examples/two_tanks.hyla"), "--events-file", "tanks.jsonl"], 0)
        text, _ = self.why(0, "tanks.jsonl", "--transition", "task.Running.Filling->Draining")
        self.assertRegex(text, r"because `.*` came to hold, .* after event \d+ changed what it reads \(two_tanks.hyla:128\)")
        self.assertRegex(text, r"because `command.Close` arrived, sent by TwoTanks.controller in event \d+ ")

    def test_what_there_is_not(self):
        _, error = self.why(2, "room.jsonl", "--event", "10000")
        self.assertRegex(error, r"`room.jsonl` has no event 10000; its events have numbers from \d+ to \d+, with gaps")
        _, error = self.why(2, "room.jsonl", "--transition", "lamp.Of->Lit")
        self.assertIn("did you mean `lamp.Off->Lit`?", error)
        self.assertIn("--not PATH", error)
        self.assertEqual(len(self.document(2, "room.jsonl", "--event", "10000")["failures"]), 1)


class NotFired(Why):
    def reaction(self, path, *options):
        return self.document(0, "room.hyla", "--not", path, *options)["reactions"][0]

    def test_the_conjunct_in_the_way(self):
        # heat goes from 20 to 30 - 10 exp(-5)
        reaction = self.reaction("Lit->Broken")
        warm, bright = reaction["conjuncts"]
        self.assertEqual((warm["text"], warm["in_the_way"]), ("heat > 29.5", False))
        self.assertEqual((bright["text"], bright["in_the_way"]), ("bright > 2", True))
        self.assertEqual((bright["left"], bright["right"], bright["distance"]), (0, 2, 2))
        self.assertAlmostEqual(warm["held"], (5 - 2.995732) / 5, delta=0.01)
        self.assertEqual(reaction["stays"], 3)
        self.assertAlmostEqual(reaction["time_active"], 15)

    def test_how_near_it_came(self):
        (heat,) = self.reaction("Lit->Burnt")["conjuncts"]
        self.assertAlmostEqual(heat["left"], 30 - 10 * 0.006737947, places=4)
        self.assertAlmostEqual(heat["distance"], 1 + 10 * 0.006737947, places=4)
        text, _ = self.why(0, "room.hyla", "--not", "Lit->Burnt")
        self.assertIn("`heat > 31` never held while `Lit` was active\n", text)
        self.assertRegex(text, r"→ `heat > 31` never held; nearest at t = \d+ s: 29.9326 against 31, 1.06738 short\n")

    def test_a_state_that_was_never_active(self):
        document = self.document(0, "room.hyla", "--not", "Broken->Repaired")
        self.assertEqual(document["reactions"][0]["verdict"], "its state `Broken` was never active")
        self.assertEqual(document["reactions"][1]["path"], "Room.lamp.Lit->Broken")
        text, _ = self.why(0, "room.hyla", "--not", "Broken->Repaired")
        self.assertIn("what leads there:\n\nRoom.lamp.Lit->Broken (room.hyla:14)\n", text)

    def test_messages_and_delays(self):
        verdict = self.reaction("Off->Lit", "--stop-time", "7")["verdict"]
        self.assertEqual(verdict, "no `button.Press` has reached Room.lamp")
        verdict = self.reaction("Lit->Off", "--stop-time", "10")["verdict"]
        self.assertEqual(verdict, "the longest stay in `Lit` was 2 s, from t = 8 s to t = 10 s; it needs 5 s")

    def test_a_run_is_made_again(self):
        self.expect(["run", "room.hyla", "--stop-time", "10", "--events-file", "short.jsonl"], 0)
        verdict = self.document(0, "short.jsonl", "--not", "Lit->Off")["reactions"][0]["verdict"]
        self.assertEqual(verdict, "the longest stay in `Lit` was 2 s, from t = 8 s to t = 10 s; it needs 5 s")
        lines = (self.folder / "short.jsonl").read_text().splitlines(keepends=True)
        self.write("old.jsonl", '{"hyla":"events","version":1,"model":"Room","seed":1}\n' + "".join(lines[1:]))
        _, error = self.why(2, "old.jsonl", "--not", "Lit->Off")
        self.assertIn("does not tell how its run was made: give the model instead", error)

    def test_it_has_fired(self):
        document = self.document(1, "room.hyla", "--not", "Off->Lit")
        self.assertEqual(document["reactions"][0]["verdict"], "it has fired 3 times, first at t = 8 s")

    def test_what_there_is_not(self):
        _, error = self.why(2, "room.hyla", "--not", "lamp.Lit->Brocken")
        self.assertIn("did you mean `lamp.Lit->Broken`?", error)
        result = self.hyla("why", "bad.hyla", "--not", "A->B")
        self.assertEqual(result.returncode, 1)
        self.assertIn(b"bad.hyla:2:14: error", result.stderr)


class Words(Why):
    def test_questions(self):
        for arguments in [[], ["room.jsonl"], ["room.jsonl", "--event", "1", "--transition", "A->B"],
                          ["room.jsonl", "--event", "x"], ["room.hyla", "--event", "1"], ["none.jsonl", "--event", "1"]]:
            text, error = self.why(2, *arguments)
            self.assertEqual(text, "")
            self.assertTrue(error.startswith("hyla: "), error)
        (self.folder / "room.jsonl").unlink()
        _, error = self.why(2, "room.csv", "--event", "1")
        self.assertIn("there is no `room.jsonl`: run the model again with --events-file", error)


if __name__ == "__main__":
    run_tests()
