#!/usr/bin/env python3
"""Runs `hyla run` as a user would: options, statuses, results, the events file against its schema, Ctrl-C."""

import json
import os
import pty
import signal
import subprocess
import time

import jsonschema

from case import ROOT, Case, hyla_path, run_tests

EVENTS = jsonschema.Draft7Validator(json.loads((ROOT / "docs/schemas/events.schema.json").read_text()))
RUN = jsonschema.Draft7Validator(json.loads((ROOT / "docs/schemas/run.schema.json").read_text()))
DIAGNOSTICS = json.loads((ROOT / "docs/schemas/diagnostics.schema.json").read_text())
DIAGNOSTIC = jsonschema.Draft7Validator({**DIAGNOSTICS["definitions"]["diagnostic"],
                                         "definitions": DIAGNOSTICS["definitions"]})

SHOP = """message Job { id: Integer; size: Real; name: String; urgent: Boolean; }

model Source {
    port out sends Job;
    parameter interval = 1.0;
    var count: Integer := 0;
    every exponential(interval) {
        count := count + 1;
        send out.Job(id = count, size = uniform(0, 1), name = "a \\"b\\"", urgent = count > 3);
    }
}

model Server {
    mailbox queue: Job;
    parameter pace = 0.5;
    tally served;
    accumulate length = queue.size;
    discrete size := 0.0;
    chart work {
        initial -> Idle;
        state Idle {
            when queue.size > 0 -> Busy { let j = queue.take(); size := j.size; }
        }
        state Busy {
            finish: after pace * size -> Idle { served.add(size); }
        }
    }
}

model Shop {
    object source: Source;
    object server: Server;
    connect source.out -- server.queue;
    section Simulation { stop_time = 100; seed = 7; }
}
"""
ENDLESS = "model Clock {\n    var n: Integer := 0;\n    every 1e-6 { n := n + 1; }\n    section Simulation { stop_time = 1e9; }\n}\n"


class RunCase(Case):
    def setUp(self):
        super().setUp()
        self.write("shop.hyla", SHOP)
        self.write("endless.hyla", ENDLESS)

    def lines(self, name="e.jsonl"):
        return [json.loads(line) for line in (self.folder / name).read_text().splitlines()]


class Options(RunCase):
    def complaint(self, arguments, error):
        self.expect(["run", *arguments], 2, "", "hyla: " + error + "\n")

    def test_files_and_models(self):
        self.complaint([], "`hyla run` needs a file")
        self.complaint(["shp.hyla"], "cannot read `shp.hyla`: no such file; did you mean `shop.hyla`?")
        self.complaint(["shop.hyla", "Shap"], "`shop` has no model `Shap` that can be run; did you mean `Shop`?")
        self.complaint(["shop.hyla", "Shop", "Source"], "unexpected argument `Source`")
        self.write("two.hyla", "model A { every 1 { } }\nmodel B { every 1 { } }\n")
        self.complaint(["two.hyla"], "`two` has several models: `A` and `B`; name the one to run")
        self.expect(["run", "two.hyla", "B"], 0, error="")

    def test_numbers(self):
        number = "--stop-time takes a number, not "
        for bad in ["nan", "inf", "ten", "1s", "1e999"]:
            self.complaint(["shop.hyla", "--stop-time=" + bad], number + f"`{bad}`")
        self.complaint(["shop.hyla", "--threads", "0"], "--threads takes a whole number from 1 to 1024, not `0`")
        for bad in ["-3", "1.5", "x", "99999999999999999999"]:
            self.complaint(["shop.hyla", "--seed=" + bad],
                           f"--seed takes a whole number from 0 to 9223372036854775807, not `{bad}`")
        self.complaint(["shop.hyla", "--replications", "0"],
                       "--replications takes a whole number from 1 to 1000000, not `0`")
        self.complaint(["shop.hyla", "--queue-limit", "0"],
                       "--queue-limit takes a whole number from 1 to 9223372036854775807, not `0`")
        self.complaint(["shop.hyla", "--seed"], "`--seed` needs a value")

    def test_stop_before_start(self):
        self.write("late.hyla", "model A { every 1 { } section Simulation { start_time = 5; stop_time = 9; } }\n")
        self.expect(["run", "late.hyla"], 0, error="")
        self.complaint(["late.hyla", "--stop-time", "3"], "the stop time 3 lies before the start time 5")
        self.complaint(["late.hyla", "--stop-time", "-1"], "the stop time -1 lies before the start time 5")

    def test_negative_times(self):
        self.write("early.hyla", "model A { output x := 0; der(x) = 1; "
                                 "section Simulation { start_time = -2; stop_time = 2; } }\n")
        self.expect(["run", "early.hyla", "--stop-time", "-1", "--checkpoint-at", "-1.5", "kept",
                     "--output-file", "whole.csv", "--output-interval", "0.25"], 0, error="")
        self.expect(["run", "early.hyla", "--stop-time", "-1", "--resume", "kept", "--output-file", "rest.csv",
                     "--output-interval", "0.25"], 0, error="")
        whole, rest = ((self.folder / name).read_text().splitlines() for name in ("whole.csv", "rest.csv"))
        self.assertEqual([row.split(",")[0] for row in rest], ["time", "-1.25", "-1"])
        self.assertEqual(rest[1:], whole[-2:])
        self.complaint(["early.hyla", "--checkpoint-at", "-3", "kept"],
                       "--checkpoint-at: the time must lie in the run, from -2 to before 2")
        self.complaint(["early.hyla", "--checkpoint-at", "0", "a", "--checkpoint-at", "1", "b"],
                       "--checkpoint-at may be given once: a run is kept at one time")
        self.complaint(["early.hyla", "--checkpoint-at", "0"], "`--checkpoint-at` needs a value")

    def test_words(self):
        self.complaint(["shop.hyla", "--order", "fixd"],
                       "--order takes one of `fixed` and `random`, not `fixd`; did you mean `fixed`?")
        self.complaint(["shop.hyla", "--progress", "sometimes"],
                       "--progress takes one of `auto`, `always` and `never`, not `sometimes`")
        self.complaint(["shop.hyla", "--sed", "3"], "unknown option `--sed`; did you mean `--seed`?")

    def test_solvers(self):
        self.complaint(["shop.hyla", "--solver", "rk54"],
                       "--solver takes one of `auto`, `rk45`, `rk8`, `rosenbrock`, `euler`, `rk4`, `cvode-adams`, "
                       "`cvode-bdf`, `arkode-erk`, `arkode-dirk` and `ida`, not `rk54`; did you mean `rk45`?")
        self.complaint(["shop.hyla", "--tolerance", "0"], "--tolerance takes a positive number, not `0`")
        self.complaint(["shop.hyla", "--tolerance", "small"],
                       "--tolerance takes a number that is not negative, not `small`")
        self.complaint(["shop.hyla", "--step-size", "0"], "--step-size takes a positive number, not `0`")
        self.complaint(["shop.hyla", "--events", "one_sided:2"],
                       "--events takes `one_sided:GAMMA` with a number between 0 and 1, not `one_sided:2`")
        self.complaint(["shop.hyla", "--zeno", "stpo"],
                       "--zeno takes one of `stop`, `slide` and `continue`, not `stpo`; did you mean `stop`?")
        self.complaint(["shop.hyla", "--jit", "maybe"], "--jit takes one of `auto`, `on` and `off`, not `maybe`")
        self.expect(["run", "shop.hyla", "--solver", "rk8", "--tolerance", "1e-8", "--events", "one_sided:0.2",
                     "--zeno", "slide", "--step-size", "0.1", "--jit", "off"], 0, error="")
        self.write("odd.hyla", 'model A { every 1 { } section Simulation { solver = "rk5"; } }\n')
        self.assertIn(b"section Simulation: solver takes one of", self.expect(["run", "odd.hyla"], 2, "").stderr)

    def test_options_that_exclude_each_other(self):
        self.complaint(["shop.hyla", "--json", "--trace"],
                       "--json and --trace both write to standard output: choose one")
        for option in ["--json", "--trace"]:
            self.complaint(["shop.hyla", "--output-file", "-", option],
                           f"--output-file - and {option} both write to standard output: choose one")
        for option in [["--trace"], ["--events-file", "e.jsonl"], ["--output-file", "o.csv"], ["--plot", "p.svg"],
                       ["--checkpoint-at", "1", "c"], ["--resume", "c"]]:
            self.complaint(["shop.hyla", "--replications", "2", *option],
                           f"{option[0]} shows one run, and --replications makes several: choose one")


class Record(RunCase):
    def setUp(self):
        super().setUp()
        self.write("stairs.hyla", """model Stairs {
    output height: Real(unit = "m") := 0.1;
    discrete count: Integer := 0;
    every 1 { height := height + 0.1; count := count + 1; print("up"); }
    section Simulation { stop_time = 2; output_interval = 0.5; }
}
""")

    ROWS = ("time,height,count\n0,0.1,0\n0.5,0.1,0\n1,0.1,0\n1,0.2,1\n1.5,0.2,1\n"
            "2,0.2,1\n2,0.30000000000000004,2\n")

    def test_file(self):
        result = self.expect(["run", "stairs.hyla", "--output-file", "o.csv"], 0, error="")
        self.assertEqual((self.folder / "o.csv").read_text(), self.ROWS)
        self.assertIn(b"up\n", result.stdout)

    def test_standard_output(self):
        result = self.expect(["run", "stairs.hyla", "--output-file", "-"], 0, self.ROWS)
        self.assertIn(b"up\n", result.stderr)
        self.assertIn(b"Stairs, seed 1: reached the stop time 2 s\n", result.stderr)

    def test_variables_and_interval(self):
        self.expect(["run", "stairs.hyla", "--output-file", "-", "--output-variable", "cou*", "--output-interval", "2"],
                    0, "time,count\n0,0\n1,0\n1,1\n2,1\n2,2\n")
        self.expect(["run", "stairs.hyla", "--output-file", "-", "--output-variable", "hieght"], 2, "",
                    "hyla: --output-variable: no variable matches `hieght`; did you mean `height`?\n")
        self.expect(["run", "stairs.hyla", "--output-interval", "0"], 2, "",
                    "hyla: --output-interval takes a positive number, not `0`\n")
        self.expect(["run", "stairs.hyla", "--output-variable", "height"], 2, "",
                    "hyla: --output-variable chooses what --output-file writes: name a file too\n")
        self.expect(["run", "stairs.hyla", "--output-interval", "2"], 2, "",
                    "hyla: --output-interval is for --output-file and --plot: use one of them too\n")

    def test_what_cannot_be_written(self):
        self.expect(["run", "stairs.hyla", "--output-file", "no/o.csv"], 2, "",
                    "hyla: cannot write `no/o.csv`: no such file or folder\n")
        result = self.expect(["run", "stairs.hyla", "--output-file", "/dev/full"], 2)
        self.assertIn(b"hyla: cannot write `/dev/full`: the disk is full\n", result.stderr)
        self.expect(["run", "stairs.hyla", "--plot", "no/p.svg"], 2, "",
                    "hyla: cannot draw `no/p.svg`: no such file or folder\n")
        self.expect(["run", "stairs.hyla", "--plot", "p.gif"], 2, "",
                    "hyla: --plot takes a name that ends with `.svg`, `.png` or `.pdf`, not `p.gif`\n")

    def test_the_file_can_be_watched(self):
        run = subprocess.Popen([hyla_path(), "run", "endless.hyla", "--output-file", "o.csv", "--output-variable", "n",
                                "--output-interval", "10", "--progress", "never"], cwd=self.folder,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            begin = time.monotonic()
            while not (self.folder / "o.csv").exists() or (self.folder / "o.csv").stat().st_size < 100:
                self.assertLess(time.monotonic() - begin, 15)
                time.sleep(0.05)
        finally:
            run.send_signal(signal.SIGINT)
            self.assertEqual(run.wait(timeout=60), 1)
        text = (self.folder / "o.csv").read_text()
        self.assertTrue(text.startswith("time,n\n0,0\n"))
        self.assertTrue(text.endswith("\n"))

    def test_plot(self):
        self.expect(["run", "stairs.hyla", "--plot", "p.svg"], 0, error="")
        picture = (self.folder / "p.svg").read_text()
        self.assertIn("height [m]", picture)
        self.assertIn("time [s]", picture)
        result = self.hyla("run", "stairs.hyla", "--plot", "q.svg", env={"PATH": "/nowhere"})
        self.assertEqual(result.returncode, 2)
        self.assertIn(b"Stairs, seed 1: reached", result.stdout)
        self.assertIn(b"the program `gnuplot` is missing; the package `gnuplot-nox` has it", result.stderr)
        self.assertFalse((self.folder / "q.svg").exists())


class Parameters(RunCase):
    def test_settings(self):
        result = self.expect(["run", "shop.hyla", "--set", "source.interval=50", "--set", "server.pace = 2"], 0, error="")
        self.assertIn(b"reached the stop time 100 s", result.stdout)
        self.expect(["run", "shop.hyla", "--set", "source"], 2, "",
                    "hyla: --set: `source` is not of the form PATH=VALUE\n")
        result = self.expect(["run", "shop.hyla", "--set", "source.intervall=3"], 2, "")
        self.assertIn(b"`source.intervall`", result.stderr)
        self.assertIn(b"did you mean `interval`?", result.stderr)
        self.expect(["run", "shop.hyla", "--set", "source.interval=fast"], 2, "")

    def test_file(self):
        self.write("p.txt", "# slow\nsource.interval = 50 # seconds\n\nserver.pace = 2\n")
        with_file = self.expect(["run", "shop.hyla", "--json", "--parameters", "p.txt"], 0, error="").stdout
        with_options = self.hyla("run", "shop.hyla", "--json", "--set", "source.interval=50", "--set",
                                 "server.pace=2").stdout
        self.assertEqual(json.loads(with_file)["run"], json.loads(with_options)["run"])
        overridden = self.hyla("run", "shop.hyla", "--json", "--parameters", "p.txt", "--set", "source.interval=1").stdout
        self.assertGreater(json.loads(overridden)["run"]["runs"][0]["events"],
                           2 * json.loads(with_file)["run"]["runs"][0]["events"])

    def test_mistakes_in_the_file(self):
        self.write("p.txt", "\nsource.interval\n")
        self.expect(["run", "shop.hyla", "--parameters", "p.txt"], 2, "",
                    "hyla: p.txt:2: `source.interval` is not of the form PATH=VALUE\n")
        self.write("p.txt", "server.pace = 2\nsource.intervall = 3\n")
        result = self.expect(["run", "shop.hyla", "--parameters", "p.txt"], 2, "")
        self.assertTrue(result.stderr.startswith(b"hyla: p.txt:2: "), result.stderr)
        self.expect(["run", "shop.hyla", "--parameters", "none.txt"], 2, "")


class Results(RunCase):
    def document(self, arguments, status=0):
        result = self.expect(["run", "--json", *arguments], status)
        document = json.loads(result.stdout)
        RUN.validate(document)
        for diagnostic in document["diagnostics"]:
            DIAGNOSTIC.validate(diagnostic)
        return document

    def test_schemas(self):
        jsonschema.Draft7Validator.check_schema(RUN.schema)
        jsonschema.Draft7Validator.check_schema(EVENTS.schema)

    def test_summary(self):
        text = self.expect(["run", "shop.hyla"], 0, error="").stdout.decode()
        self.assertTrue(text.startswith("Shop, seed 7: reached the stop time 100 s\n  events "), text)
        self.assertRegex(text, r"(?m)^  Server\.work\.Busy: finish +shop\.hyla:25 +\d+$")
        self.assertRegex(text, r"(?m)^statistic +kind +count +mean +± 95 % +min +max +stddev +final$")
        self.assertRegex(text, r"(?m)^Shop\.server\.served +tally +\d+ ")
        self.assertNotIn("#", text)
        self.assertIn("####", self.hyla("run", "shop.hyla", "--histograms").stdout.decode())

    def test_json_is_the_same_in_every_run(self):
        first = self.document(["shop.hyla"])
        second = self.document(["shop.hyla", "--threads", "3"])
        self.assertEqual({**first, "timing": None}, {**second, "timing": None})
        self.assertEqual(first["run"]["runs"][0]["ending"], "stop-time")
        self.assertNotEqual(first["run"]["runs"], self.document(["shop.hyla", "--seed", "8"])["run"]["runs"])

    def test_replications_do_not_depend_on_threads(self):
        one = self.document(["shop.hyla", "--replications", "6", "--threads", "1"])
        many = self.document(["shop.hyla", "--replications", "6", "--threads", "4"])
        self.assertEqual({**one, "timing": None}, {**many, "timing": None})
        runs = one["run"]["runs"]
        self.assertEqual([run["number"] for run in runs], [1, 2, 3, 4, 5, 6])
        means = [run["statistics"][0]["mean"] for run in runs]
        self.assertEqual(len(set(means)), 6)
        joint = one["run"]["statistics"][0]
        self.assertEqual((joint["kind"], joint["count"], joint["min"], joint["max"]),
                         ("replications", 6, min(means), max(means)))
        self.assertAlmostEqual(joint["mean"], sum(means) / 6)
        single = self.document(["shop.hyla"])["run"]["runs"][0]
        for statistic in single["statistics"]:
            statistic.pop("histogram", None)  # replications keep none
        self.assertEqual(runs[0], single)

    def test_one_replication_may_fail(self):
        self.write("dice.hyla", """model Dice {
    discrete faces: Integer[5] := [1, 2, 3, 4, 5];
    tally seen;
    at 1 { seen.add(faces[round(uniform(0.5, 6.5))]); }
    section Simulation { stop_time = 2; }
}
""")
        document = self.document(["dice.hyla", "--replications", "40"], 1)
        endings = [run["ending"] for run in document["run"]["runs"]]
        self.assertEqual(set(endings), {"failed", "exhausted"})
        self.assertEqual(document["errors"], 1, "one mistake is told once")
        self.assertEqual(document["run"]["statistics"][0]["count"], endings.count("exhausted"))
        text = self.expect(["run", "dice.hyla", "--replications", "40"], 1).stdout.decode()
        self.assertRegex(text, r"(?m)^  replication \d+ failed at t = 1 s$")

    def test_statuses(self):
        self.assertEqual(self.document(["bad.hyla"], 1)["run"], None)
        self.write("delayed.hyla", "model A { var x := 0; var y = delay(x, 1); der(x) = 1; }\n")
        self.expect(["run", "delayed.hyla"], 1, "")  # not part of this version yet
        self.write("warned.hyla", "model A {\n    chart {\n        initial -> S;\n        state S;\n"
                   "        state T;\n    }\n}\n")
        self.assertIn(b"warning[unreachable-state]", self.expect(["run", "warned.hyla"], 0).stderr)
        self.write("strict.hyla", "model A {\n    var n: Integer := 0;\n    every 1 { n := n + 1; }\n"
                   "    require n < 3 \"too many\";\n}\n")
        result = self.expect(["run", "strict.hyla"], 1)
        self.assertIn(b"error[requirement-violated]: too many", result.stderr)
        self.assertIn(b"A, seed 1: ended at t = 3 s: a requirement is violated\n", result.stdout)
        result = self.expect(["run", "strict.hyla", "--keep-going"], 1)
        self.assertIn(b"A, seed 1: reached the stop time 10 s\n", result.stdout)
        self.write("short.hyla", "model A {\n    every 1 { if time > 2.5 { terminate(\"enough\"); } }\n}\n")
        result = self.expect(["run", "short.hyla"], 0, error="")
        self.assertIn(b"A, seed 1: terminated at t = 3 s: enough\n", result.stdout)

    def test_trace_and_print(self):
        self.write("hello.hyla", "model A {\n    at 2 { print(\"hello\"); }\n    section Simulation { stop_time = 3; }\n}\n")
        self.assertTrue(self.expect(["run", "hello.hyla"], 0, error="").stdout.startswith(b"hello\nA, seed 1: "))
        traced = self.expect(["run", "hello.hyla", "--trace"], 0, error="").stdout
        self.assertTrue(traced.startswith(b"2/1 A : at :: print \"hello\"\nA, seed 1: "), traced)
        result = self.expect(["run", "hello.hyla", "--json"], 0, error="hello\n")
        json.loads(result.stdout)

    def test_random_order(self):
        self.write("race.hyla", "model P {\n    every 1 { }\n}\n"
                   "model A {\n    object p[5]: P;\n    section Simulation { stop_time = 20; }\n}\n")

        def trace(*options):
            return self.hyla("run", "race.hyla", "--trace", *options).stdout.decode().partition("A, seed")[0]

        fixed = trace()
        drawn = trace("--order", "random")
        self.assertEqual(fixed, trace("--order", "fixed"))
        self.assertNotEqual(fixed, drawn)
        self.assertEqual(sorted(fixed.splitlines()), sorted(drawn.splitlines()))
        self.assertEqual(drawn, trace("--order", "random"), "the order follows from the seed")
        self.assertNotEqual(drawn, trace("--order", "random", "--seed", "2"))

    def test_reader_that_goes_away(self):
        process = subprocess.Popen([hyla_path(), "run", "--trace", "endless.hyla"], cwd=self.folder,
                                   stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        process.stdout.read(10)
        process.stdout.close()
        self.assertEqual(process.wait(timeout=60), 1)


class Events(RunCase):
    def test_schema_and_content(self):
        self.expect(["run", "shop.hyla", "--events-file", "e.jsonl"], 0, error="")
        lines = self.lines()
        for line in lines:
            EVENTS.validate(line)
        self.assertEqual(lines[0], {"hyla": "events", "version": 1, "model": "Shop", "seed": 7,
                                    "run": {"file": "shop.hyla"}})
        self.assertEqual((lines[-1]["kind"], lines[-1]["t"], lines[-1]["text"]), ("stop", 100, "stop-time"))
        numbers = [line["seq"] for line in lines[1:]]
        self.assertEqual(numbers, sorted(set(numbers)))
        self.assertEqual({line["kind"] for line in lines[1:]}, {"start", "timeout", "message", "transition", "stop"})

        start, = [line for line in lines if line.get("kind") == "start"]
        self.assertEqual((start["object"], start["chart"], start["to"]), ("Shop.server", "work", "work.Idle"))
        message = next(line for line in lines if line.get("kind") == "message")
        self.assertEqual((message["object"], message["message"]), ("Shop.server", "queue.Job"))
        self.assertEqual(list(message["data"]), ["id", "size", "name", "urgent"])
        self.assertEqual((message["data"]["id"], message["data"]["name"], message["data"]["urgent"]), (1, 'a "b"', False))
        cause = next(line for line in lines if line.get("seq") == message["cause"])
        self.assertEqual((cause["kind"], cause["object"], cause["reaction"]), ("timeout", "Shop.source", "every@7"))
        finish = next(line for line in lines if line.get("reaction") == "finish")
        self.assertEqual((finish["from"], finish["to"], finish["trigger"]), ("work.Busy", "work.Idle", "after"))

    def test_order_of_the_members(self):
        order = ["seq", "t", "step", "kind", "object", "chart", "from", "to", "reaction", "condition", "message", "data",
                 "process", "sender", "cause", "trigger", "text", "place"]
        self.hyla("run", "shop.hyla", "--events-file", "e.jsonl")
        for line in self.lines()[1:]:
            self.assertEqual(list(line), [key for key in order if key in line])

    def test_threads_change_nothing(self):
        for threads in ["1", "2", "5"]:
            self.expect(["run", "shop.hyla", "--stop-time", "20000", "--threads", threads, "--events-file",
                         threads + ".jsonl"], 0)
        one = (self.folder / "1.jsonl").read_bytes()
        self.assertGreater(len(one), 3_000_000)
        for threads in ["2", "5"]:
            self.assertTrue((self.folder / (threads + ".jsonl")).read_bytes() == one)

    def test_files_that_cannot_be_written(self):
        self.expect(["run", "shop.hyla", "--events-file", "none/e.jsonl"], 2, "",
                    "hyla: cannot write `none/e.jsonl`: no such file or folder\n")
        self.expect(["run", "shop.hyla", "--events-file", "./shop.hyla"], 2, "",
                    "hyla: cannot write events to `./shop.hyla`: it is a file of the model\n")
        self.assertEqual((self.folder / "shop.hyla").read_text(), SHOP)
        for threads in ["1", "2"]:
            result = self.expect(["run", "endless.hyla", "--events-file", "/dev/full", "--threads", threads], 2)
            self.assertEqual(result.stderr, b"hyla: cannot write `/dev/full`: the disk is full\n")

    def test_killed_run_leaves_whole_lines(self):
        for threads in ["1", "2"]:
            process = subprocess.Popen([hyla_path(), "run", "endless.hyla", "--events-file", "e.jsonl", "--threads",
                                        threads], cwd=self.folder)
            self.wait_for(lambda: (self.folder / "e.jsonl").exists() and len(self.lines_so_far()) > 10)
            process.kill()
            process.wait(timeout=60)
            text = (self.folder / "e.jsonl").read_text()
            # The kernel may cut the last write in two; everything before it is whole.
            for line in text[:text.rindex("\n")].splitlines():
                EVENTS.validate(json.loads(line))
            (self.folder / "e.jsonl").unlink()

    def lines_so_far(self):
        return (self.folder / "e.jsonl").read_bytes()

    def wait_for(self, condition):
        end = time.monotonic() + 20
        while not condition():
            self.assertLess(time.monotonic(), end)
            time.sleep(0.01)


class Interrupts(RunCase):
    def interrupted(self, *arguments):
        process = subprocess.Popen([hyla_path(), "run", "endless.hyla", "--events-file", "e.jsonl", *arguments],
                                   cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        while not (self.folder / "e.jsonl").exists() or not (self.folder / "e.jsonl").stat().st_size:
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        out, error = process.communicate(timeout=60)
        return process.returncode, out.decode(), error.decode()

    def test_the_run_ends_in_order(self):
        status, out, error = self.interrupted()
        self.assertEqual((status, error), (1, ""))
        self.assertRegex(out, r"^Clock, seed 1: interrupted at t = [0-9.e-]+ s\n")
        last = self.lines()[-1]
        self.assertEqual((last["kind"], last["text"]), ("stop", "interrupted"))

    def test_replications_end_in_order(self):
        process = subprocess.Popen([hyla_path(), "run", "endless.hyla", "--replications", "5", "--threads", "2",
                                    "--progress", "always"], cwd=self.folder, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE)
        process.stderr.read(1)  # the first sign of progress
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 1)
        self.assertIn(b"5 replications: 5 interrupted\n", out)


class Progress(RunCase):
    def on_terminal(self, *arguments, **variables):
        """What the command writes to its error stream, a terminal."""
        ours, theirs = pty.openpty()
        environment = {"PATH": os.environ["PATH"], "TERM": "xterm", **variables}
        self.hyla("run", "endless.hyla", "--stop-time", "10", *arguments, capture_output=False,
                  stdout=subprocess.DEVNULL, stderr=theirs, env=environment)
        os.close(theirs)
        text = b""
        try:
            while piece := os.read(ours, 100_000):
                text += piece
        except OSError:  # the other end is closed, and all has been read
            pass
        os.close(ours)
        return text.decode()

    def test_line_on_a_terminal(self):
        text = self.on_terminal()
        self.assertRegex(text, r"^\r\x1b\[K\d+ %   time [0-9.e+-]+ \([0-9.e+-]+/s\)   events \d")
        self.assertTrue(text.endswith("\r\x1b[K"), text)

    def test_silence_elsewhere(self):
        self.assertEqual(self.on_terminal("--progress", "never"), "")
        self.assertEqual(self.on_terminal(TERM="dumb"), "")
        result = self.hyla("run", "shop.hyla", "--stop-time", "100000")
        self.assertEqual(result.stderr, b"")


if __name__ == "__main__":
    run_tests()
