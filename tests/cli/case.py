"""What the tests of the command share: a folder with files, and the command run in it."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
_hyla = ""

GOOD = "model A {\n    var x := 0;\n    der(x) = 1;\n}\n"
BAD = "model A {\n    var x := $0;\n    der(x) = 1;\n}\n"


def hyla_path():
    return _hyla


def run_tests():
    """Runs the tests of the main program; its first argument is the command."""
    global _hyla
    _hyla = str(Path(sys.argv.pop(1)).resolve())
    unittest.main()


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.write("good.hyla", GOOD)
        self.write("bad.hyla", BAD)

    def write(self, name, text):
        data = text if isinstance(text, bytes) else text.encode()
        (self.folder / name).write_bytes(data)

    def hyla(self, *arguments, **options):
        options.setdefault("capture_output", True)
        return subprocess.run([hyla_path(), *arguments], cwd=self.folder, timeout=120, check=False, **options)

    def expect(self, arguments, status, out=None, error=None):
        """Runs the command and compares what is given."""
        result = self.hyla(*arguments)
        self.assertEqual(result.returncode, status, result)
        if out is not None:
            self.assertEqual(result.stdout.decode(), out)
        if error is not None:
            self.assertEqual(result.stderr.decode(), error)
        return result
