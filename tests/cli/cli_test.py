#!/usr/bin/env python3
"""Runs the command `hyla` as a user would: statuses, streams, wording of complaints, JSON against its schema."""

import json
import os
import pty
import subprocess

import jsonschema

from case import BAD, GOOD, ROOT, Case, hyla_path, run_tests

SCHEMA = json.loads((ROOT / "docs/schemas/diagnostics.schema.json").read_text())

class Words(Case):
    """Verbs, options and their misspellings."""

    def test_unknown_verb(self):
        self.expect(["chek", "good.hyla"], 2, "",
                    "hyla: unknown verb `chek`; did you mean `check`?\n`hyla help` lists the verbs\n")
        self.expect(["--frobnicate"], 2, "", "hyla: unknown option `--frobnicate`\n`hyla help` lists the verbs\n")
        self.expect([], 2, "", "hyla: a verb is missing\n`hyla help` lists the verbs\n")

    def test_unknown_option(self):
        self.expect(["check", "good.hyla", "--jsn"], 2, "", "hyla: unknown option `--jsn`; did you mean `--json`?\n")
        self.expect(["check", "good.hyla", "--colour=never"], 2, "",
                    "hyla: unknown option `--colour`; did you mean `--color`?\n")
        self.expect(["check", "good.hyla", "--frobnicate"], 2, "",
                    "hyla: unknown option `--frobnicate`; `hyla help check` lists all\n")
        self.expect(["fmt", "good.hyla", "--chek"], 2, "", "hyla: unknown option `--chek`; did you mean `--check`?\n")

    def test_wrong_values(self):
        self.expect(["check", "good.hyla", "--dump", "modle"], 2, "",
                    "hyla: --dump takes one of `tokens`, `tree` and `model`, not `modle`; did you mean `model`?\n")
        self.expect(["check", "good.hyla", "--color", "sometimes"], 2)
        self.expect(["check", "good.hyla", "--dump"], 2, "", "hyla: `--dump` needs a value\n")
        self.expect(["check", "good.hyla", "--werror=3"], 2, "", "hyla: `--werror` takes no value\n")
        self.expect(["check", "good.hyla", "--json", "--dump", "tree"], 2)

    def test_missing_and_superfluous_arguments(self):
        self.expect(["check"], 2, "", "hyla: `hyla check` needs a file\n")
        self.expect(["fmt"], 2, "", "hyla: `hyla fmt` needs a file or --stdin\n")
        self.expect(["fmt", "--stdin", "good.hyla"], 2)
        self.expect(["version", "now"], 2, "", "hyla: unexpected argument `now`\n")

    def test_help_and_version(self):
        self.assertTrue(self.expect(["help"], 0, error="").stdout.startswith(b"usage: hyla VERB"))
        self.assertEqual(self.hyla("--help").stdout, self.hyla("help").stdout)
        for verb in ["check", "run", "fmt", "explain", "version", "help"]:
            text = self.expect(["help", verb], 0, error="").stdout
            self.assertTrue(text.startswith(b"usage: hyla " + verb.encode()), text)
            self.assertEqual(self.expect([verb, "--help"], 0, error="").stdout, text)
        self.expect(["help", "chek"], 2)
        self.assertRegex(self.expect(["version"], 0, error="").stdout.decode(), r"^hyla \d+\.\d+\.\d+\n$")
        self.assertEqual(self.hyla("--version").stdout, self.hyla("version").stdout)


class Check(Case):
    def test_success_is_silent(self):
        self.expect(["check", "good.hyla"], 0, "", "")
        self.expect(["check", "good.hyla", "good.hyla", "--werror"], 0, "", "")
        self.write("empty.hyla", "")
        self.expect(["check", "empty.hyla"], 0, "", "")

    def test_mistakes_go_to_the_error_stream(self):
        result = self.expect(["check", "good.hyla", "bad.hyla"], 1, "")
        self.assertTrue(result.stderr.startswith(b"bad.hyla:2:14: error["), result.stderr)
        self.assertTrue(result.stderr.endswith(b"\n\n1 error\n"), result.stderr)
        self.assertNotIn(b"\x1b", result.stderr)

    def test_files_that_cannot_be_read(self):
        self.expect(["check", "god.hyla"], 2, "",
                    "hyla: cannot read `god.hyla`: no such file; did you mean `good.hyla`?\n")
        self.expect(["check", "."], 2, "", "hyla: cannot read `.`: it is a folder\n")
        result = self.expect(["check", "bad.hyla", "none.hyla"], 2, "")
        self.assertIn(b"bad.hyla:2:14: error", result.stderr, "the other files are checked all the same")

    def test_dash_dash_ends_the_options(self):
        self.write("--odd.hyla", GOOD)
        self.expect(["check", "--", "--odd.hyla"], 0, "", "")

    def test_dumps(self):
        for stage in ["tokens", "tree", "model"]:
            self.assertNotEqual(self.expect(["check", "--dump", stage, "good.hyla"], 0, error="").stdout, b"", stage)

    def test_colours(self):
        self.assertIn(b"\x1b[", self.hyla("check", "bad.hyla", "--color", "always").stderr)
        self.assertIn(b"\x1b[", self.on_terminal("check", "bad.hyla"))
        self.assertNotIn(b"\x1b[", self.on_terminal("check", "bad.hyla", "--color", "never"))
        self.assertNotIn(b"\x1b[", self.on_terminal("check", "bad.hyla", NO_COLOR="1"))
        self.assertNotIn(b"\x1b[", self.on_terminal("check", "bad.hyla", TERM="dumb"))

    def on_terminal(self, *arguments, **variables):
        """What the command writes when its error stream is a terminal."""
        ours, theirs = pty.openpty()
        environment = {"PATH": os.environ["PATH"], "TERM": "xterm", **variables}
        self.hyla(*arguments, capture_output=False, stdout=subprocess.DEVNULL, stderr=theirs, env=environment)
        os.close(theirs)
        text = os.read(ours, 100_000)
        os.close(ours)
        return text

    def test_reader_that_goes_away(self):
        self.write("many.hyla", "$\n" * 3000)
        process = subprocess.Popen([hyla_path(), "check", "--json", "many.hyla"], cwd=self.folder, stdout=subprocess.PIPE)
        process.stdout.read(10)
        process.stdout.close()
        self.assertEqual(process.wait(timeout=60), 1)


class Json(Case):
    def document(self, arguments, status):
        result = self.expect(["check", "--json", *arguments], status, error="")
        document = json.loads(result.stdout)
        jsonschema.validate(document, SCHEMA)
        return document

    def test_the_schema_is_one(self):
        jsonschema.Draft7Validator.check_schema(SCHEMA)

    def test_success(self):
        self.assertEqual(self.document(["good.hyla"], 0),
                         {"diagnostics": [], "failures": [], "errors": 0, "warnings": 0, "omitted": 0})

    def test_mistakes(self):
        document = self.document(["bad.hyla"], 1)
        self.assertEqual(document["errors"], 1)
        first = document["diagnostics"][0]
        self.assertEqual((first["file"], first["line"], first["column"]), ("bad.hyla", 2, 14))

    def test_failures(self):
        self.assertEqual(self.document(["none.hyla"], 2)["failures"], ["cannot read `none.hyla`: no such file"])

    def test_any_bytes(self):
        self.write("bytes.hyla", bytes(range(256)) * 20)
        self.document(["bytes.hyla"], 1)

    def test_messages_beyond_the_limit_are_counted(self):
        self.write("many.hyla", "$ " * 3000)
        document = self.document(["many.hyla"], 1)
        self.assertLessEqual(len(document["diagnostics"]), 1000)
        self.assertEqual(len(document["diagnostics"]), document["errors"])


class Format(Case):
    UGLY = "model A {var x:=0;der(x)=1;}"

    def test_in_place(self):
        self.write("ugly.hyla", self.UGLY)
        self.expect(["fmt", "ugly.hyla"], 0, "", "")
        self.assertNotEqual((self.folder / "ugly.hyla").read_text(), self.UGLY)
        self.expect(["fmt", "--check", "ugly.hyla"], 0, "", "")

    def test_check_changes_nothing(self):
        self.write("ugly.hyla", self.UGLY)
        self.expect(["fmt", "--check", "good.hyla", "ugly.hyla"], 1, "",
                    "ugly.hyla is not laid out as `hyla fmt` would\n")
        self.assertEqual((self.folder / "ugly.hyla").read_text(), self.UGLY)

    def test_from_standard_input(self):
        result = self.hyla("fmt", "--stdin", input=self.UGLY.encode())
        self.assertEqual((result.returncode, result.stderr), (0, b""))
        self.write("ugly.hyla", self.UGLY)
        self.hyla("fmt", "ugly.hyla")
        self.assertEqual(result.stdout, (self.folder / "ugly.hyla").read_bytes())

    def test_files_with_mistakes_are_left_alone(self):
        result = self.expect(["fmt", "bad.hyla"], 1, "")
        self.assertIn(b"bad.hyla:2:14: error", result.stderr)
        self.assertEqual((self.folder / "bad.hyla").read_text(), BAD)
        result = self.hyla("fmt", "--stdin", input=BAD.encode())
        self.assertEqual((result.returncode, result.stdout), (1, b""))

    def test_files_that_cannot_be_read(self):
        self.expect(["fmt", "god.hyla"], 2, "",
                    "hyla: cannot read `god.hyla`: no such file; did you mean `good.hyla`?\n")


class Explain(Case):
    def test_list(self):
        text = self.expect(["explain"], 0, error="").stdout.decode()
        self.assertRegex(text, r"(?m)^missing-semicolon +A `;` is missing")

    def test_page(self):
        text = self.expect(["explain", "missing-semicolon"], 0, error="").stdout.decode()
        self.assertTrue(text.startswith("missing-semicolon\n\n"), text)
        self.assertIn("error[missing-semicolon]", text)

    def test_unknown_kind(self):
        self.expect(["explain", "mising-semicolon"], 2, "",
                    "hyla: there is no kind of message `mising-semicolon`; did you mean `missing-semicolon`?\n")


if __name__ == "__main__":
    run_tests()
