#!/usr/bin/env python3
"""Fails on an include, a DEPS or a LINK that tools/layers.toml does not allow."""

import fnmatch
import re
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

from checking import run_check
from source_files import source_files

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^">]+)[">]')
STANDARD = re.compile(r"[a-z_0-9]+")
DECLARATION = re.compile(r"\bhyla_(library|app)\s*\(([^)]*)\)")
KEYWORDS = {"NAME", "MODULE", "DEPS", "LINK", "TEST_LINK", "PCH", "TEST_PCH"}


@dataclass
class Layers:
    """The table of layers.toml, with each library's permission extended to what it may use indirectly."""

    libraries: dict[str, set[str]]
    apps: dict[str, set[str]]
    third_party: dict[str, dict[str, list[str]]]
    problems: list[str]

    def allowed(self, area: str, owner: str) -> set[str]:
        return (self.libraries if area == "src" else self.apps)[owner] | {owner}


@dataclass
class Declaration:
    """One call of hyla_library() or hyla_app()."""

    line: int
    words: dict[str, list[str]]


def load_layers(path: Path) -> Layers:
    data = tomllib.loads(path.read_text())
    libraries: dict[str, set[str]] = {}
    problems = []
    for name, direct in data["libraries"].items():
        libraries[name] = set()
        for other in direct:
            if other in libraries and other != name:
                libraries[name] |= {other} | libraries[other]
            else:
                problems.append(f"tools/layers.toml: `{name}` names `{other}`, which does not stand above it")
    apps = {name: set(direct) for name, direct in data.get("apps", {}).items()}
    for name, direct in apps.items():
        problems += [f"tools/layers.toml: app `{name}` names `{o}`, which is no library" for o in direct - set(libraries)]
    return Layers(libraries, apps, data.get("third_party", {}), problems)


def names(items: set[str]) -> str:
    return ", ".join(f"`{item}`" for item in sorted(items)) or "nothing"


# --- includes ---------------------------------------------------------------------------------------------------------


@dataclass
class Include:
    """One #include of a file; `owner` is the folder of the file below `area`, as in area/owner/x.cpp."""

    path: str
    line: int
    own: bool  # written with quotes
    header: str

    @property
    def area(self) -> str:
        return self.path.split("/")[0]

    @property
    def owner(self) -> str:
        return self.path.split("/")[1]

    @property
    def library(self) -> str | None:
        return self.header.split("/")[0] if self.own and "/" in self.header else None


def read_includes(root: Path) -> list[Include]:
    includes = []
    for path in source_files("cpp", root):
        for number, line in enumerate((root / path).read_text(errors="replace").splitlines(), start=1):
            if (found := INCLUDE.match(line)) and "/" in path:
                includes.append(Include(path, number, found[1] == '"', found[2]))
    return includes


def check_includes(includes: list[Include], layers: Layers) -> list[str]:
    problems = []
    for include in includes:
        if not include.own:
            found = check_foreign_include(include.path, include.header, layers)
        elif include.area in ("src", "apps"):
            found = check_own_include(include, layers)
        else:
            found = []  # tests and benchmarks may look anywhere
        problems += [f"{include.path}:{include.line}: {problem}" for problem in found]
    return problems


def check_own_include(include: Include, layers: Layers) -> list[str]:
    owner, header, library = include.owner, include.header, include.library
    if library is None:
        return [f'write `"{owner}/{header}"`: paths in src/ start at src/'] if include.area == "src" else []
    if library not in layers.libraries:
        return [f'`"{header}"` is in no library of tools/layers.toml; third-party headers are written with <>']
    allowed = layers.allowed(include.area, owner)
    if library in allowed:
        return []
    return [f"`{owner}` must not include `{header}`: it may use {names(allowed - {owner})}"]


def check_foreign_include(path: str, header: str, layers: Layers) -> list[str]:
    if STANDARD.fullmatch(header):
        return []
    for name, rule in layers.third_party.items():
        if any(header.startswith(beginning) for beginning in rule["headers"]):
            return check_third_party(path, f"<{header}>", name, rule)
    return [f"`<{header}>` is neither a standard header nor listed in tools/layers.toml"]


def check_third_party(path: str, what: str, name: str, rule: dict[str, list[str]]) -> list[str]:
    if any(fnmatch.fnmatchcase(path, pattern) for pattern in rule["files"]):
        return []
    return [f"`{what}` belongs to {name}, which only {names(set(rule['files']))} may use"]


# --- CMake ------------------------------------------------------------------------------------------------------------


def read_declarations(text: str) -> list[Declaration]:
    text = re.sub(r"#.*", "", text)
    declarations = []
    for found in DECLARATION.finditer(text):
        words: dict[str, list[str]] = {}
        keyword = ""
        for word in found[2].split():
            if word in KEYWORDS:
                keyword = word
            words.setdefault(keyword, []).extend([word] if word != keyword else [])
        declarations.append(Declaration(text[: found.start()].count("\n") + 1, words))
    return declarations


def check_cmake(root: Path, includes: list[Include], layers: Layers) -> list[str]:
    problems = []
    for list_file in sorted(root.glob("src/*/CMakeLists.txt")) + sorted(root.glob("apps/*/CMakeLists.txt")):
        path = list_file.relative_to(root).as_posix()
        area, owner, _ = path.split("/")
        text = list_file.read_text()
        for number, line in enumerate(text.splitlines(), start=1):
            if re.match(r"\s*target_(link_libraries|include_directories)\b", line):
                problems.append(f"{path}:{number}: say it with DEPS or LINK, so that the layers can be checked")
        declarations = read_declarations(text)
        if len(declarations) != 1:
            problems.append(f"{path}:1: a folder declares exactly one library or app, not {len(declarations)}")
        own_includes = [i for i in includes if i.area == area and i.owner == owner]
        for declaration in declarations:
            found = check_declaration(area, owner, declaration, layers)
            problems += [f"{path}:{declaration.line}: {problem}" for problem in found]
            problems += check_linked(own_includes, declaration, layers)
    return problems


def check_declaration(area: str, owner: str, declaration: Declaration, layers: Layers) -> list[str]:
    problems = []
    if declaration.words.get("NAME") != [owner]:
        problems.append(f"the name must be that of the folder, `{owner}`")
    allowed = layers.allowed(area, owner) - {owner}
    for dep in declaration.words.get("DEPS", []):
        if dep not in allowed:
            problems.append(f"`{owner}` must not depend on `{dep}`: it may use {names(allowed)}")
    for keyword, file in (("LINK", "any.cpp"), ("TEST_LINK", "any_test.cpp")):
        for target in declaration.words.get(keyword, []):
            problems += check_target(f"{area}/{owner}/{file}", target, layers)
    return problems


def check_target(path: str, target: str, layers: Layers) -> list[str]:
    for name, rule in layers.third_party.items():
        if any(fnmatch.fnmatchcase(target, pattern) for pattern in rule["targets"]):
            return check_third_party(path, target, name, rule)
    return [f"the target `{target}` is not listed in tools/layers.toml"]


def check_linked(includes: list[Include], declaration: Declaration, layers: Layers) -> list[str]:
    """What a folder includes must be linked: named in DEPS, or reached through one of these."""
    linked = set(declaration.words.get("NAME", []))
    for dep in declaration.words.get("DEPS", []):
        linked |= {dep} | layers.libraries.get(dep, set())
    return [
        f"{i.path}:{i.line}: `{i.library}` is not in the DEPS of `{i.owner}`"
        for i in includes
        if i.library in layers.allowed(i.area, i.owner) - linked
    ]


def check_folders(root: Path, layers: Layers) -> list[str]:
    problems = []
    for area, known in (("src", layers.libraries), ("apps", layers.apps)):
        for folder in sorted(root.glob(f"{area}/*/")):
            if folder.name not in known:
                problems.append(f"{area}/{folder.name}: not in tools/layers.toml; give it its layer there")
    return problems


def check(root: Path) -> list[str]:
    layers = load_layers(root / "tools/layers.toml")
    problems = layers.problems + check_folders(root, layers)
    if problems:
        return problems
    includes = read_includes(root)
    return check_includes(includes, layers) + check_cmake(root, includes, layers)


if __name__ == "__main__":
    sys.exit(run_check(check, __doc__))
