"""The frame of the checks in tools/check_*.py: each is a function from the repository's root to a list of problems."""

import argparse
import sys
from pathlib import Path
from typing import Callable

from source_files import ROOT


def run_check(check: Callable[[Path], list[str]], description: str) -> int:
    """Runs a check as a program: prints its problems, one per line, and returns the exit status."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--root", type=Path, default=ROOT, help="the repository to check (default: this one)")
    problems = check(parser.parse_args().root)
    for problem in problems:
        print(problem)
    if problems:
        print(f"{len(problems)} problem{'s' if len(problems) > 1 else ''}", file=sys.stderr)
    return 1 if problems else 0
