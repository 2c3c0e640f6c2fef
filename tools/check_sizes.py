#!/usr/bin/env python3
"""Fails on source files that are too long to be read in one sitting."""

import sys
from pathlib import Path

from checking import run_check
from source_files import source_files

MAX_LINES = 700
EXEMPT = "tests/fuzz/corpus/"  # inputs, not sources


def check(root: Path) -> list[str]:
    problems = []
    for path in source_files("sources", root):
        lines = (root / path).read_bytes().count(b"\n")
        if lines > MAX_LINES and not path.startswith(EXEMPT):
            problems.append(f"{path}:{MAX_LINES}: {lines} lines; split it, the limit is {MAX_LINES}")
    return problems


if __name__ == "__main__":
    sys.exit(run_check(check, __doc__))
