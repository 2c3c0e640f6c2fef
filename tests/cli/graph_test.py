#!/usr/bin/env python3
"""Runs `hyla graph` as a user would, and has Graphviz draw every example without complaint."""

import os
import subprocess
import xml.etree.ElementTree

from case import ROOT, Case, run_tests

NASTY = """model A {
    chart c {
        initial -> S;
        state S {
            entry {
                print("</TD></TABLE>><script>alert(1)</script>\\\\", "&amp; %s");
            }
            after 1 if 1 < 2 -> self;
        }
    }
}
"""


class Graph(Case):
    def graph(self, status, *arguments):
        result = self.hyla("graph", *arguments)
        self.assertEqual(result.returncode, status, result.stderr.decode())
        return result.stdout.decode(), result.stderr.decode()

    def draw(self, dot):
        """Graphviz must have nothing to say about it."""
        result = subprocess.run(["dot", "-Tsvg"], input=dot.encode(), capture_output=True, check=False, timeout=60)
        self.assertEqual((result.returncode, result.stderr.decode()), (0, ""))
        return result.stdout.decode()

    def test_draws_every_example(self):
        for path in sorted((ROOT / "examples").glob("*.hyla")):
            with self.subTest(path.name):
                out, err = self.graph(0, str(path), "--structure")
                self.assertEqual(err, "")
                self.draw(out)
                result = self.hyla("graph", str(path), "--charts")
                if result.returncode == 0:
                    self.draw(result.stdout.decode())
                else:
                    self.assertIn("have a chart", result.stderr.decode())

    def test_draws_every_sort_of_item(self):
        for name, model in [("charts", "Washer"), ("ports", "Plant"), ("structural_dynamics", "Rectifier"),
                            ("structural_dynamics", "Pendulum"), ("dynamic_objects", "Road"),
                            ("dynamic_objects", "Machine"), ("merged_charts", "")]:
            path = str(ROOT / "tests/accepted" / f"{name}.hyla")
            for what in ["--structure", "--charts"]:
                with self.subTest(name + " " + model + " " + what):
                    result = self.hyla("graph", path, *([model] if model else []), what)
                    if result.returncode == 0:
                        self.draw(result.stdout.decode())

    def test_writes_pictures(self):
        for end, begin in [("svg", b"<?xml"), ("png", b"\x89PNG"), ("pdf", b"%PDF"), ("dot", b"digraph")]:
            out, err = self.graph(0, "good.hyla", "-o", f"a.{end}")
            self.assertEqual((out, err), ("", ""))
            self.assertTrue((self.folder / f"a.{end}").read_bytes().startswith(begin))

    def test_text_of_a_model_is_no_markup(self):
        self.write("nasty.hyla", NASTY)
        self.graph(0, "nasty.hyla", "-o", "nasty.svg")
        text = (self.folder / "nasty.svg").read_text()
        names = {element.tag.split("}")[-1] for element in xml.etree.ElementTree.fromstring(text).iter()}
        self.assertNotIn("script", names)
        self.assertIn("alert(1)", text)
        self.draw(self.graph(0, "nasty.hyla")[0])

    def test_says_what_is_wrong(self):
        self.expect(["graph"], 2, "", "hyla: `hyla graph` needs a file\n")
        self.expect(["graph", "bad.hyla"], 1)
        self.expect(["graph", "gone.hyla"], 2)
        self.expect(["graph", "good.hyla", "B"], 2)
        self.expect(["graph", "good.hyla", "--charts", "--structure"], 2, "",
                    "hyla: --structure, --charts and --chart exclude each other\n")
        self.expect(["graph", "good.hyla", "-o", "a.gif"], 2, "",
                    "hyla: -o takes a name that ends with `.svg`, `.png`, `.pdf` or `.dot`, not `a.gif`\n")
        self.expect(["graph", "good.hyla", "--depth", "x"], 2)

    def test_needs_graphviz_for_pictures_only(self):
        environment = {**os.environ, "PATH": str(self.folder)}
        result = self.hyla("graph", "good.hyla", "-o", "a.svg", env=environment)
        self.assertEqual(result.returncode, 2)
        self.assertEqual(result.stderr.decode(), "hyla: cannot draw `a.svg`: the program `dot` is missing; "
                                                 "the package `graphviz` has it\n")
        self.assertFalse((self.folder / "a.svg").exists())
        self.assertEqual(self.hyla("graph", "good.hyla", env=environment).returncode, 0)


if __name__ == "__main__":
    run_tests()
