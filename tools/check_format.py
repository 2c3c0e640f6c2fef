#!/usr/bin/env python3
"""Fails on C++ files that `./dev format` would change."""

import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from checking import run_check
from source_files import source_files

CHUNK = 16
COMPLAINT = re.compile(r"^(.+?:\d+):\d+: error: code should be clang-formatted")


def unformatted(root: Path, files: list[str]) -> list[str]:
    """The first place in each of the files that clang-format would change."""
    command = ["clang-format", "--dry-run", "-Werror", *files]
    result = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    first: dict[str, str] = {}
    for line in result.stderr.splitlines():
        if found := COMPLAINT.match(line):
            first.setdefault(found[1].rsplit(":", 1)[0], f"{found[1]}: not formatted; run ./dev format")
    if result.returncode != 0 and not first:
        return [f"clang-format failed: {result.stderr.strip()}"]
    return list(first.values())


def check(root: Path) -> list[str]:
    if not shutil.which("clang-format"):
        return ["clang-format is not installed; any verb of ./dev installs it"]
    files = source_files("cpp", root)
    chunks = [files[i : i + CHUNK] for i in range(0, len(files), CHUNK)]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return [problem for problems in pool.map(lambda chunk: unformatted(root, chunk), chunks) for problem in problems]


if __name__ == "__main__":
    sys.exit(run_check(check, __doc__))
