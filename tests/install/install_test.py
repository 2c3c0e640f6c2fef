#!/usr/bin/env python3
"""Installs the build into an empty folder, and uses it from there: the command, and the library by CMake and pkg-config."""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
EXAMPLE = ROOT / "examples" / "library"


class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        cls.prefix = cls.folder / "prefix"
        cls.run_command("cmake", "--install", BUILD, "--prefix", cls.prefix)
        cls.libraries = next(cls.prefix.rglob("libhyla.so")).parent

    @classmethod
    def run_command(cls, *words, **options):
        result = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False, **options)
        if result.returncode != 0:
            raise AssertionError(f"{words} failed:\n{result.stdout}{result.stderr}")
        return result.stdout

    def check_program(self, program):
        output = self.run_command(program, env={**os.environ, "LD_LIBRARY_PATH": str(self.libraries)})
        self.assertIn("nearly full\n", output)
        self.assertIn("alarm.High\n", output)
        self.assertRegex(output.splitlines()[-1], r"^ 60\.00 s  level 0\.9[12]\d m, \d+ steps$")

    def test_the_command_finds_its_native_code(self):
        output = self.run_command(self.prefix / "bin" / "hyla", "run", ROOT / "examples" / "bouncing_ball.hyla")
        self.assertIn("reached the stop time", output)
        if any((self.prefix / "lib" / "hyla").glob("libhyla_jit.so")):
            self.run_command(self.prefix / "bin" / "hyla", "run", "--jit", "on", ROOT / "examples" / "van_der_pol.hyla")

    def test_a_program_finds_the_package_by_cmake(self):
        build = self.folder / "build"
        self.run_command("cmake", "-S", EXAMPLE, "-B", build, f"-DCMAKE_PREFIX_PATH={self.prefix}")
        self.run_command("cmake", "--build", build)
        self.check_program(build / "tank")

    def test_a_program_finds_the_package_by_pkg_config(self):
        settings = {**os.environ, "PKG_CONFIG_PATH": str(self.libraries / "pkgconfig")}
        try:
            flags = self.run_command("pkg-config", "--cflags", "--libs", "hyla", env=settings)
        except FileNotFoundError:
            self.skipTest("there is no pkg-config")
        program = self.folder / "tank"
        self.run_command("g++", EXAMPLE / "tank.cpp", "-o", program, *flags.split())
        self.check_program(program)

    def test_only_the_header_can_be_seen(self):
        names = self.run_command("nm", "-DC", "--defined-only", self.libraries / "libhyla.so")
        own = [line.split(maxsplit=2)[2] for line in names.splitlines() if "hyla::" in line]
        self.assertTrue(any("hyla::Simulation::run_to" in name for name in own))
        for inner in ("hyla::engine::", "hyla::service::", "hyla::diag::", "hyla::model::"):
            self.assertFalse([name for name in own if name.startswith(inner)], inner)


if __name__ == "__main__":
    BUILD = Path(sys.argv.pop(1)).resolve()
    unittest.main()
