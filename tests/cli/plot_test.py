#!/usr/bin/env python3
"""Runs `hyla plot` as a user would: words, options, statuses, pictures, the terminal."""

import fcntl
import os
import pty
import struct
import subprocess
import termios

from case import Case, hyla_path, run_tests

LAMP = """model Lamp {
    output brightness: Real(unit = "lm") := 0;
    var warmth: Real(unit = "lm.s") := 300;
    der(warmth) = brightness;
    chart light {
        initial -> Off;
        state Off { after 1 -> On { brightness := 800; } }
        state On { after 2 -> Off { brightness := 0; } }
    }
    section Simulation { stop_time = 9; }
    section View {
        Plot(brightness, title = "how bright");
        Gantt(light);
    }
}
"""

QUEUE = """model Queue {
    tally waiting;
    every exponential(1) { waiting.add(uniform(0, 1)); }
    section Simulation { stop_time = 100; }
}
"""


class PlotCase(Case):
    def setUp(self):
        super().setUp()
        self.write("lamp.hyla", LAMP)
        self.expect(["run", "lamp.hyla", "--output-file", "r.csv", "--events-file", "r.jsonl"], 0)

    def picture(self, name):
        return (self.folder / name).read_text()


class Pictures(PlotCase):
    def test_name_of_the_picture(self):
        self.expect(["plot", "r.csv"], 0, "", "drawn: r.svg\n")
        svg = self.picture("r.svg")
        for text in ["brightness", "warmth", "light", "Off", "Lamp"]:
            self.assertIn(text, svg)

    def test_formats(self):
        for name, start in [("p.svg", b"<?xml"), ("p.png", b"\x89PNG"), ("p.PDF", b"%PDF")]:
            self.expect(["plot", "r.csv", "warmth", "-o", name], 0, "", "")
            self.assertTrue((self.folder / name).read_bytes().startswith(start))

    def test_view_of_the_model(self):
        self.expect(["plot", "r.csv", "--model", "lamp.hyla", "-o", "p.svg"], 0, "", "")
        svg = self.picture("p.svg")
        self.assertIn("how bright", svg)
        self.assertIn("brightness [lm]", svg)
        self.assertIn("time [s]", svg)
        self.assertNotIn("warmth", svg)

    def test_options(self):
        self.expect(["plot", "r.csv", "warmth", "/", "brightness", "--from", "1", "--to", "5", "--title", "Two",
                     "--size", "640x400", "--mark", "light.On", "-o", "p.svg"], 0, "", "")
        svg = self.picture("p.svg")
        self.assertIn('width="640" height="400"', svg)
        self.assertIn("Two", svg)
        self.expect(["plot", "r.csv", "warmth", "--x", "brightness", "-o", "p.svg"], 0, "", "")
        self.expect(["plot", "r.csv", "warmth", "--histogram", "-o", "p.svg"], 0, "", "")
        self.assertIn("mean", self.picture("p.svg"))

    def test_several_results(self):
        self.expect(["run", "lamp.hyla", "--output-file", "s.csv", "--stop-time", "5"], 0)
        self.expect(["plot", "r.csv", "s.csv", "warmth", "-o", "p.svg"], 0, "", "")
        self.assertIn("warmth (s)", self.picture("p.svg"))

    def test_statistics(self):
        self.write("queue.hyla", QUEUE)
        self.write("s.json", self.expect(["run", "queue.hyla", "--json"], 0).stdout)
        self.expect(["plot", "s.json"], 0, "", "drawn: s.svg\n")
        self.assertIn("waiting", self.picture("s.svg"))
        self.expect(["run", "queue.hyla", "--plot", "p.svg"], 0)
        self.assertIn("observations [%]", self.picture("p.svg"))
        self.expect(["plot", "s.json", "wait"], 2, "", "hyla: `s.json` has no statistic `wait`; there are `waiting`\n")

    def test_same_as_run(self):
        """The picture of a run and that of its results show the same panels."""
        self.expect(["run", "lamp.hyla", "--plot", "run.svg"], 0)
        self.expect(["plot", "r.csv", "--model", "lamp.hyla", "-o", "plot.svg"], 0)
        texts = [[line for line in self.picture(name).splitlines() if "<tspan" in line]
                 for name in ("run.svg", "plot.svg")]
        self.assertEqual(texts[0], texts[1])


class Terminal(PlotCase):
    def test_plain(self):
        result = self.expect(["plot", "r.csv", "warmth", "--terminal"], 0, error="")
        text = result.stdout.decode()
        self.assertIn("warmth", text)
        self.assertIn("└", text)
        self.assertNotIn("\x1b", text)
        self.assertLessEqual(max(len(line) for line in text.splitlines()), 80)
        self.assertFalse((self.folder / "r.svg").exists())

    def test_colours_and_width(self):
        result = self.expect(["plot", "r.csv", "--terminal", "--color", "always"], 0, error="")
        self.assertIn("\x1b[38;5;", result.stdout.decode())
        main, other = pty.openpty()
        fcntl.ioctl(other, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 120, 0, 0))
        process = subprocess.Popen([hyla_path(), "plot", "r.csv", "warmth", "--terminal", "--color", "never"],
                                   cwd=self.folder, stdout=other)
        os.close(other)
        data = b""
        try:
            while piece := os.read(main, 65536):
                data += piece
        except OSError:
            pass
        self.assertEqual(process.wait(), 0)
        os.close(main)
        self.assertEqual(max(len(line) for line in data.decode().splitlines()), 120)


class Complaints(PlotCase):
    def complaint(self, arguments, error):
        self.expect(["plot", *arguments], 2, "", "hyla: " + error + "\n")

    def test_words(self):
        self.complaint([], "`hyla plot` needs a result file, such as `hyla run` writes")
        self.complaint(["lamp.hyla"], "`lamp.hyla` is a model, and `hyla plot` draws results: "
                       "`hyla run lamp.hyla --plot FILE` runs and draws")
        self.write("tank.csv", "time,h\n0,1\n")
        self.complaint(["tnak.csv"], "cannot read `tnak.csv`: no such file; did you mean `tank.csv`?")
        self.complaint(["r.csv", "wramth"], "`r.csv`: no variable `wramth` was recorded; did you mean `warmth`?")
        self.complaint(["r.csv", "--x", "wamth", "brightness"],
                       "--x: `r.csv`: no variable `wamth` was recorded; did you mean `warmth`?")
        self.complaint(["r.csv", "--mark", "light.Onn"], "--mark: no event matches `light.Onn`; did you mean `light.On`?")
        self.complaint(["r.csv", "--terminl"], "unknown option `--terminl`; did you mean `--terminal`?")

    def test_values(self):
        self.complaint(["r.csv", "-o", "p.bmp"], "-o takes a name that ends with `.svg`, `.png` or `.pdf`, not `p.bmp`")
        self.complaint(["r.csv", "--size", "800"],
                       "--size takes a width and a height from 100 to 10000, such as 800x600, not `800`")
        self.complaint(["r.csv", "--from", "x"], "--from takes a number, not `x`")
        self.complaint(["r.csv", "--from", "5", "--to", "2"], "--from 5 is not before --to 2")
        self.complaint(["r.csv", "--from", "50"], "--from `50` lies behind the last recorded time `9`")
        self.complaint(["r.csv", "--x", "warmth", "--histogram"], "--x and --histogram exclude each other")
        self.complaint(["r.csv", "--top", "Lamp"], "--top needs --model FILE")

    def test_files(self):
        self.write("empty.csv", "")
        self.write("odd.csv", "time,x\n0,1\n1,what\n")
        for name in ["empty.csv", "odd.csv"]:
            result = self.expect(["plot", name], 2, "")
            self.assertIn(name.encode(), result.stderr)
        whole = (self.folder / "r.csv").read_bytes()
        self.write("cut.csv", whole[:len(whole) - 3])
        self.assertIn(self.hyla("plot", "cut.csv").returncode, (0, 2))
        self.complaint(["r.csv", "-o", "no/p.svg"], "cannot draw `no/p.svg`: no such file or folder")

    def test_gnuplot_is_missing(self):
        result = self.hyla("plot", "r.csv", "-o", "q.svg", env={"PATH": "/nowhere"})
        self.assertEqual(result.returncode, 2)
        self.assertIn(b"the program `gnuplot` is missing; the package `gnuplot-nox` has it", result.stderr)
        self.assertFalse((self.folder / "q.svg").exists())
        result = self.hyla("plot", "r.csv", "--terminal", env={"PATH": "/nowhere"})
        self.assertEqual(result.returncode, 0)


if __name__ == "__main__":
    run_tests()
