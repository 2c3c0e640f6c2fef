#!/usr/bin/env python3
"""Fails on Markdown links that lead nowhere, libraries without a README.md, and packages without a stated reason."""

import re
import sys
from pathlib import Path
from typing import Iterator

from checking import run_check
from source_files import source_files

LINK = re.compile(r"!?\[[^\]]*\]\(<?([^)<>\s]+)>?(?:\s+\"[^\"]*\")?\)")
HEADING = re.compile(r"^#{1,6}\s+(.*?)\s*#*$")
INLINE_CODE = re.compile(r"`[^`]*`")
README_WORDS = ("input", "output", "reading order")
README_LINES = range(8, 61)


def unfenced(text: str) -> Iterator[tuple[int, str]]:
    """Numbered lines outside code blocks."""
    fence = ""
    for number, line in enumerate(text.splitlines(), start=1):
        mark = re.match(r"\s*(```+|~~~+)", line)
        if fence:
            fence = "" if mark and mark[1].startswith(fence) else fence
        elif mark:
            fence = mark[1]
        else:
            yield number, line


def anchors(text: str) -> set[str]:
    """The fragments that headings can be reached by, made as GitHub makes them."""
    seen: dict[str, int] = {}
    result = set()
    for _, line in unfenced(text):
        if heading := HEADING.match(line):
            slug = re.sub(r"[^\w\- ]", "", heading[1].lower()).replace(" ", "-")
            count = seen[slug] = seen.get(slug, -1) + 1
            result.add(f"{slug}-{count}" if count else slug)
    return result


def check_links(root: Path) -> list[str]:
    problems = []
    for path in source_files("markdown", root):
        for number, line in unfenced((root / path).read_text(errors="replace")):
            for target in LINK.findall(INLINE_CODE.sub("", line)):
                if not re.match(r"[a-z]+:", target):
                    problems += [f"{path}:{number}: {p}" for p in check_link(root / path, target)]
    return problems


def check_link(page: Path, target: str) -> list[str]:
    file, _, anchor = target.partition("#")
    linked = page if not file else page.parent / file
    if not linked.exists():
        return [f"the link `{target}` leads nowhere"]
    if anchor and linked.suffix == ".md" and anchor not in anchors(linked.read_text(errors="replace")):
        return [f"the link `{target}`: there is no such heading in {linked.name}"]
    return []


def check_readmes(root: Path) -> list[str]:
    """A library's README.md says in about 20 lines what goes in, what comes out, and in which order to read."""
    problems = []
    for folder in sorted({source.parent for source in root.glob("src/*/*.cpp")}):
        readme = folder / "README.md"
        name = readme.relative_to(root).as_posix()
        if not readme.exists():
            problems.append(f"{name}:1: missing; say input, output and reading order in about 20 lines")
            continue
        text = readme.read_text()
        if len(text.splitlines()) not in README_LINES:
            problems.append(f"{name}:1: {len(text.splitlines())} lines; about 20 are wanted")
        missing = [word for word in README_WORDS if word not in text.lower()]
        if missing:
            problems.append(f"{name}:1: does not speak of: {', '.join(missing)}")
    return problems


def check_packages(root: Path) -> list[str]:
    """Every package that ./dev installs is named in docs/dependencies.md."""
    reasons = (root / "docs/dependencies.md").read_text()
    problems = []
    for number, line in enumerate((root / "tools/packages.txt").read_text().splitlines(), start=1):
        words = line.split()
        if words and words[0] != "#" and f"`{words[1]}`" not in reasons:
            problems.append(f"tools/packages.txt:{number}: docs/dependencies.md gives no reason for `{words[1]}`")
    return problems


def check(root: Path) -> list[str]:
    return check_links(root) + check_readmes(root) + check_packages(root)


if __name__ == "__main__":
    sys.exit(run_check(check, __doc__))
