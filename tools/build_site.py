#!/usr/bin/env python3
"""Builds the documentation as a web site: docs/, a page for each file of examples/ and lib/, and the command reference.

The pages are put together in STAGE and drawn by MkDocs into OUT, which fails on links that lead nowhere. Links from a
page to a file outside docs/ become links to that file's page."""

import argparse
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from source_files import ROOT

LINK = re.compile(r"(!?\[[^\]]*\]\()<?([^)<>\s#]+)(#[^)\s>]*)?>?(\))")
# What the tests are told about a listing stands behind its language.
FENCE = re.compile(r"^```(\w+) (.+)$", re.MULTILINE)
# Folders outside docs/ whose files have pages, with the title of each.
FOLDERS = {"examples": "Examples", "lib": "Standard library"}
# Files of the root folder that have pages.
ROOT_PAGES = {"README.md": "index.md", "ARCHITECTURE.md": "ARCHITECTURE.md", "CONTRIBUTING.md": "CONTRIBUTING.md",
              "CHANGELOG.md": "CHANGELOG.md"}
LANGUAGES = {".hyla": "hyla", ".cpp": "cpp", ".c": "c", ".txt": "cmake"}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("hyla", type=Path, help="the command, for its help texts")
    parser.add_argument("stage", type=Path, help="folder for the pages; emptied first")
    parser.add_argument("out", type=Path, help="folder of the site")
    arguments = parser.parse_args()
    shutil.rmtree(arguments.stage, ignore_errors=True)
    pages = arguments.stage / "docs"
    shutil.copytree(ROOT / "docs", pages, ignore=shutil.ignore_patterns("schemas"))
    shutil.copytree(ROOT / "docs" / "schemas", pages / "schemas")
    shutil.copy(ROOT / "tools" / "site" / "hyla.css", pages / "hyla.css")
    for folder, title in FOLDERS.items():
        write_sources(pages, folder, title)
    write_reference(arguments.hyla.resolve(), pages / "book" / "command-reference.md")
    write_messages(arguments.hyla.resolve(), pages / "diagnostics" / "README.md")
    for name, page in ROOT_PAGES.items():
        write_root_page(ROOT / name, pages / page)
    for page in pages.rglob("*.md"):
        page.write_text(FENCE.sub(headed, relink(page.read_text(), page.relative_to(pages))))
    configuration = arguments.stage / "mkdocs.yml"
    configuration.write_text(configure(pages, arguments.out.resolve()))
    status = subprocess.run(["mkdocs", "build", "--strict", "--quiet", "--clean", "-f", configuration],
                            env={**os.environ, "NO_MKDOCS_2_WARNING": "1"}, check=False).returncode
    return status or complain_of_fences(arguments.out)


def complain_of_fences(out: Path) -> int:
    """A listing that MkDocs did not understand takes the rest of its page with it."""
    broken = [page for page in out.rglob("*.html") if "```" in page.read_text()]
    for page in broken:
        print(f"{page}: a listing is not drawn as one", file=sys.stderr)
    return 1 if broken else 0


def title_of(page: Path) -> str:
    for line in page.read_text().splitlines():
        if line.startswith("# "):
            return line[2:].replace("`", "").strip()
    return page.stem


def write_sources(pages: Path, folder: str, title: str) -> None:
    """A page for each source file of a folder, and one that lists them unless it has a README.md."""
    entries = []
    for path in sorted((ROOT / folder).rglob("*")):
        if path.suffix not in LANGUAGES or not path.is_file():
            continue
        name = path.relative_to(ROOT)
        text = path.read_text()
        page = pages / name.with_name(name.name + ".md")
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(f"# {name.name}\n\n```{LANGUAGES[path.suffix]}\n{text}```\n")
        first = next((line.lstrip("/# ") for line in text.splitlines() if line.lstrip("/# ")), "")
        entries.append(f"- [`{name.relative_to(folder)}`]({name.relative_to(folder)}.md): {first}\n")
    readme = ROOT / folder / "README.md"
    head = readme.read_text() if readme.exists() else f"# {title}\n"
    (pages / folder / "README.md").write_text(head + "\n## All files\n\n" + "".join(entries))


def ask(hyla: Path, *words: str) -> str:
    return subprocess.run([hyla, *words], capture_output=True, text=True, check=True).stdout


def write_messages(hyla: Path, page: Path) -> None:
    """A table of all kinds of messages."""
    rows = re.findall(r"^([a-z0-9-]+) +(.+)$", ask(hyla, "explain"), re.MULTILINE)
    page.write_text("# Messages\n\nEvery message has a kind, in brackets behind the word `error` or `warning`.\n\n"
                    "| kind | about |\n| --- | --- |\n" +
                    "".join(f"| [`{kind}`]({kind}.md) | {text} |\n" for kind, text in rows))


def write_reference(hyla: Path, page: Path) -> None:
    """The help texts of the command, one section a verb."""
    overview = ask(hyla, "help")
    verbs = re.findall(r"^  (\w+)  ", overview, re.MULTILINE)
    text = f"# Command reference\n\n```text\n{overview}```\n"
    for verb in verbs:
        text += f"\n## hyla {verb}\n\n```text\n{ask(hyla, 'help', verb)}```\n"
    page.write_text(text)


def write_root_page(source: Path, page: Path) -> None:
    """The pages of docs/ stand beside it on the site."""
    page.write_text(source.read_text().replace("](docs/", "](").replace('src="docs/', 'src="'))


def relink(text: str, page: Path) -> str:
    """Leads links that leave docs/ to the pages of the files."""
    folder = page.parent
    is_root_page = str(page) in ROOT_PAGES.values()

    def target(match: re.Match[str]) -> str:
        before, path, fragment, after = match[1], match[2], match[3] or "", match[4]
        if re.match(r"[a-z]+:", path):
            return match[0]
        # Where the link leads, as seen from the root of the repository.
        home = folder if folder.parts[:1] in [("examples",), ("lib",)] or is_root_page else "docs" / folder
        place = Path(os.path.normpath(home / path))
        if place.parts[:1] == ("docs",):
            return match[0]
        if place.parts[:1] and place.parts[0] in FOLDERS:
            if (ROOT / place).is_dir():
                place = place / "README.md" if (ROOT / place / "README.md").exists() else Path(place.parts[0], "README.md")
            elif place.suffix in LANGUAGES:
                place = place.with_name(place.name + ".md")
            return before + os.path.relpath(place, folder) + fragment + after
        if str(place) in ROOT_PAGES:
            return before + os.path.relpath(ROOT_PAGES[str(place)], folder) + fragment + after
        if (ROOT / "docs" / place).exists() and is_root_page:
            return match[0]
        return before[1:-2] if not before.startswith("!") else match[0]  # the words alone: the file has no page

    return LINK.sub(target, text)


def headed(fence: re.Match[str]) -> str:
    """The beginning of a listing, with a title if the reader should know more: its file, or why it is refused."""
    language, words = fence[1], fence[2].split()
    if words[0].endswith(".hyla"):
        return f'```{language} title="{words[0]}"'
    if words[0] == "error":
        return f'```{language} title="refused: {words[1]}"'
    return f"```{language}"


def configure(pages: Path, out: Path) -> str:
    def entry(page: str, indent: str, number: str = "") -> str:
        return f'{indent}- "{number}{title_of(pages / page)}": {page}\n'

    chapters = [str(page.relative_to(pages)) for page in sorted((pages / "book").glob("[0-9]*.md"))]
    seeds = [str(page.relative_to(pages)) for page in sorted((pages / "seeds").glob("*.md")) if page.name != "README.md"]
    reference = ["language.md", "book/command-reference.md", "output-file.md", "events-file.md", "formatting.md",
                 "glossary.md", "dependencies.md"]
    text = (ROOT / "tools" / "site" / "mkdocs.yml").read_text()
    hook = ROOT / "tools" / "site" / "hyla_lexer.py"
    text += f"docs_dir: {pages.resolve()}\nsite_dir: {out}\nhooks: [{hook}]\nnav:\n"
    text += '  - "Hyla": index.md\n  - "The book":\n    - "Contents": book/README.md\n'
    text += "".join(entry(page, "    ", f"{number}. ") for number, page in enumerate(chapters))
    if seeds:
        text += '  - "Worked examples":\n    - "Overview": seeds/README.md\n' + "".join(entry(page, "    ") for page in seeds)
    text += '  - "Reference":\n' + "".join(entry(page, "    ") for page in reference if (pages / page).exists())
    for folder, title in FOLDERS.items():
        text += f'  - "{title}":\n    - "{title}": {folder}/README.md\n'
        text += "".join(f'    - "{page.relative_to(pages / folder).with_suffix("")}": {page.relative_to(pages)}\n'
                        for page in sorted((pages / folder).rglob("*.md")) if page.name != "README.md")
    text += '  - "Messages":\n    - "All": diagnostics/README.md\n' + "".join(
        f'    - "{page.stem}": {page.relative_to(pages)}\n' for page in sorted((pages / "diagnostics").glob("[a-z]*.md")))
    text += '  - "Project":\n' + "".join(entry(page, "    ") for page in ROOT_PAGES.values() if page != "index.md")
    records = [*sorted((pages / "adr").glob("[0-9]*.md")), pages / "adr" / "template.md"]
    text += '  - "Decisions":\n    - "All": adr/README.md\n'
    text += "".join(entry(str(page.relative_to(pages)), "    ") for page in records)
    return text


if __name__ == "__main__":
    sys.exit(main())
