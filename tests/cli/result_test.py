#!/usr/bin/env python3
"""Result files as people and scripts meet them: formats, what is in them, and what happens when things go wrong."""

import json
import os
import signal
import struct
import subprocess
import time

from case import Case, hyla_path, run_tests

STAIRS = """model Stairs {
    parameter rise: Real(unit = "m") = 0.1;
    output height: Real(unit = "m") := 0.1;
    discrete count: Integer := 0;
    every 1 { height := height + rise; count := count + 1; }
    section Simulation { stop_time = 2; output_interval = 0.5; }
}
"""

ENDLESS = """model Endless {
    var x := 1;
    var y := 0;
    discrete n: Integer := 0;
    der(x) = y;
    der(y) = -x;
    every 0.01 { n := n + 1; }
    section Simulation { stop_time = 9e7; output_interval = 0.1; }
}
"""

CALM = """model Calm {
    var x := 1;
    var y := 0;
    der(x) = y;
    der(y) = -x;
    section Simulation { stop_time = 9e6; output_interval = 0.1; }
}
"""

CARS = """model Car {
    parameter speed: Real(unit = "m/s") = 1;
    output way: Real(unit = "m") := 0;
    der(way) = speed;
}
model Road {
    output traffic: Integer := 0;
    population cars: Car;
    at 1 { new Car(speed = 2) in cars; traffic := traffic + 1; }
    at 2 { new Car(speed = 3) in cars; traffic := traffic + 1; }
    section Simulation { stop_time = 4; output_interval = 1; }
}
"""


class MatFile:
    """The matrices of a MAT file of level 4, read by the book."""

    def __init__(self, data):
        self.matrices = {}
        place = 0
        while place < len(data):
            kind, rows, columns, imaginary, length = struct.unpack_from("<5i", data, place)
            assert imaginary == 0
            name = data[place + 20:place + 20 + length - 1].decode()
            place += 20 + length
            letter = {0: "d", 20: "i", 51: "B"}[kind]
            size = struct.calcsize(letter)
            numbers = struct.unpack_from(f"<{rows * columns}{letter}", data, place)
            place += rows * columns * size
            self.matrices[name] = [numbers[i * rows:(i + 1) * rows] for i in range(columns)]

    def texts(self, name):
        return [bytes(column).decode().strip() for column in self.matrices[name]]

    def trajectory(self, name):
        data, row, *_ = self.matrices["dataInfo"][self.texts("name").index(name)]
        sign = 1 if row > 0 else -1
        return [sign * column[abs(row) - 1] for column in self.matrices[f"data_{data}"]]


class Formats(Case):
    def setUp(self):
        super().setUp()
        self.write("stairs.hyla", STAIRS)

    def test_mat(self):
        self.expect(["run", "stairs.hyla", "--output-file", "o.mat"], 0, error="")
        mat = MatFile((self.folder / "o.mat").read_bytes())
        self.assertEqual(mat.texts("name"), ["time", "rise", "height", "count"])
        self.assertEqual(mat.texts("description"), ["[s]", "[m]", "[m]", ""])
        self.assertEqual(mat.trajectory("rise"), [0.1, 0.1])
        self.assertEqual([column[0] for column in mat.matrices["data_2"]], [0, 0.5, 1, 1, 1.5, 2, 2])
        self.assertEqual(mat.trajectory("height"), [0.1, 0.1, 0.1, 0.2, 0.2, 0.2, 0.30000000000000004])
        self.assertEqual(mat.trajectory("count"), [0, 0, 0, 1, 1, 1, 2])
        self.assertEqual("".join(mat.texts("model")), "Stairs")

    def test_all_formats_hold_the_same(self):
        for name in ["o.csv", "o.mat", "o.h5", "o.HDF5"]:
            self.expect(["run", "stairs.hyla", "--output-file", name], 0, error="")
        for name in ["o.mat", "o.h5", "o.HDF5"]:
            self.expect(["compare", "o.csv", name, "--no-events", "--tolerance", "0"], 0)

    def test_unknown_endings_are_refused(self):
        for name in ["o.txt", "o", "o.mat5", "csv"]:
            self.expect(["run", "stairs.hyla", "--output-file", name], 2, "",
                        f"hyla: cannot write `{name}`: its name must end with `.csv`, `.mat`, `.h5` or `.hdf5`, which tells "
                        "the format\n")
            self.assertFalse((self.folder / name).exists())

    def test_a_full_disk(self):
        self.write("endless.hyla", ENDLESS)
        for ending in ["csv", "mat", "h5"]:
            os.symlink("/dev/full", self.folder / f"full.{ending}")
            for model in ["stairs.hyla", "endless.hyla"]:
                result = self.expect(["run", model, "--output-file", f"full.{ending}"], 2)
                self.assertIn(f"hyla: cannot write `full.{ending}`: the disk is full\n".encode(), result.stderr)

    def test_a_limit_of_file_sizes(self):
        self.write("endless.hyla", ENDLESS)
        for name in ["o.csv", "o.mat", "o.h5"]:
            result = subprocess.run(["bash", "-c", f"ulimit -f 64; '{hyla_path()}' run endless.hyla --output-file {name}"],
                                    cwd=self.folder, capture_output=True, timeout=60, check=False)
            self.assertEqual(result.returncode, 2, result)
            self.assertIn(b"the file would become larger than is allowed", result.stderr)
            self.expect(["compare", name, name, "--no-events"], 0)

    def test_what_was_recorded_before_the_disk_is_full(self):
        self.write("calm.hyla", CALM)
        for name in ["o.mat", "o.h5"]:
            command = f"ulimit -f 2000; '{hyla_path()}' run calm.hyla --output-file {name}"
            result = subprocess.run(["bash", "-c", command], cwd=self.folder, capture_output=True, timeout=60, check=False)
            self.assertEqual(result.returncode, 2, result)
            message = result.stderr.decode()
            self.assertRegex(message, r"larger than is allowed; it holds the run up to time \d+")
            compared = json.loads(self.expect(["compare", name, name, "--json"], 0).stdout)
            self.assertEqual(compared["a_end"], float(message.split("up to time ")[1]))
            self.assertIn(b"Calm, seed 1: interrupted at", result.stdout)


class Interrupted(Case):
    def test_a_run_without_events_is_watched_and_ended(self):
        self.write("calm.hyla", CALM)
        for name in ["o.csv", "o.mat", "o.h5"]:
            run = subprocess.Popen([hyla_path(), "run", "calm.hyla", "--output-file", name, "--progress", "always"],
                                   cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            self.assertNotEqual(run.stderr.read(1), b"")  # the first sign of progress
            run.send_signal(signal.SIGINT)
            out, _ = run.communicate(timeout=60)
            self.assertEqual(run.returncode, 1)
            self.assertRegex(out, rb"^Calm, seed 1: interrupted at t = [0-9.e+]+ s\n")
            end = float(out.split()[7])
            compared = json.loads(self.expect(["compare", name, name, "--json"], 0).stdout)
            self.assertAlmostEqual(compared["a_end"] / end, 1, delta=1e-4)


class Killed(Case):
    def test_a_killed_run_leaves_a_readable_file(self):
        self.write("endless.hyla", ENDLESS)
        for name in ["o.csv", "o.mat", "o.h5"]:
            run = subprocess.Popen([hyla_path(), "run", "endless.hyla", "--output-file", name, "--progress", "never"],
                                   cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            try:
                time.sleep(0.7)
                begin = time.monotonic()
                while not (self.folder / name).exists() or (self.folder / name).stat().st_size < 50000:
                    self.assertLess(time.monotonic() - begin, 30)
                    time.sleep(0.05)
                run.send_signal(signal.SIGSTOP)  # or it would write faster than anybody can read
                self.expect(["compare", name, name, "--no-events"], 0)
            finally:
                run.send_signal(signal.SIGKILL)
                run.wait(timeout=60)
            self.expect(["compare", name, name, "--no-events"], 0)


class LaterObjects(Case):
    def setUp(self):
        super().setUp()
        self.write("cars.hyla", CARS)

    def test_fixed_columns(self):
        for name in ["o.csv", "o.mat"]:
            result = self.expect(["run", "cars.hyla", "Road", "--output-file", name], 0, error="")
            self.assertIn(b"note: 2 variables of objects that were made during the run could not be recorded: only HDF5 "
                          b"files (`.h5`) can take them\n", result.stdout)
        result = self.expect(["run", "cars.hyla", "Road", "--output-file", "o.csv", "--json"], 0)
        self.assertEqual(len(json.loads(result.stdout)["run"]["notes"]), 1)

    def test_hdf5(self):
        result = self.expect(["run", "cars.hyla", "Road", "--output-file", "o.h5"], 0, error="")
        self.assertNotIn(b"note:", result.stdout)


if __name__ == "__main__":
    run_tests()
