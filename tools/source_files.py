#!/usr/bin/env python3
"""Names the files of the repository by kind, for `./dev` and the checks: tracked and new ones, never ignored ones."""

import argparse
import fnmatch
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

CPP = ("*.h", "*.cpp")
SOURCES = ("*.h", "*.cpp", "*.py", "*.sh", "*.hyla", "*.cmake", "*CMakeLists.txt", "dev")

# Hyla files that must stay as they are: inputs that are wrong on purpose, where a change of layout moves the places of
# the expected messages, and the fuzzers' corpora.
UNFORMATTED_HYLA = ("tests/diagnostics/*", "tests/fuzz/*", "*/fail_*", "*/unformatted_*")

KINDS = {
    "all": lambda path: True,
    "cpp": lambda path: matches(path, CPP),
    "sources": lambda path: matches(path, SOURCES),
    "hyla": lambda path: matches(path, ("*.hyla",)),
    "formatted-hyla": lambda path: matches(path, ("*.hyla",)) and not matches(path, UNFORMATTED_HYLA),
    "markdown": lambda path: matches(path, ("*.md",)),
}


def matches(path: str, patterns: tuple[str, ...]) -> bool:
    return any(fnmatch.fnmatchcase(path, pattern) for pattern in patterns)


def all_files(root: Path) -> list[str]:
    """Paths relative to the root, sorted. Outside a git checkout (an unpacked archive) the folders are walked."""
    git = ["git", "-C", str(root), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    if (root / ".git").exists():
        listed = subprocess.run(git, capture_output=True, text=True, check=False)
        if listed.returncode == 0:
            return sorted(p for p in set(listed.stdout.split("\0")) if p and (root / p).is_file())
    return sorted(walk(root))


def walk(root: Path) -> list[str]:
    found = []
    for folder, folders, files in os.walk(root):
        at_top = Path(folder) == root
        folders[:] = [f for f in folders if not f.startswith(".") and f != "__pycache__"
                      and not (at_top and (f == "build" or f.startswith("build-")))]
        found += [(Path(folder) / f).relative_to(root).as_posix() for f in files]
    return found


def source_files(kind: str, root: Path = ROOT) -> list[str]:
    return [path for path in all_files(root) if KINDS[kind](path)]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind", choices=KINDS)
    args = parser.parse_args()
    sys.stdout.writelines(f"{path}\n" for path in source_files(args.kind))
    return 0


if __name__ == "__main__":
    sys.exit(main())
