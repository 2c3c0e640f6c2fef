#!/usr/bin/env python3
"""Shows that each check passes a good repository and fails on each kind of bad one, in a temporary folder."""

import sys
import tempfile
import unittest
from pathlib import Path

import check_docs
import check_format
import check_layers
import check_sizes
import embed
from source_files import ROOT, source_files

LAYERS = """
[libraries]
base = []
diag = ["base"]
syntax = ["diag"]
model = ["diag"]
[apps]
hyla = ["syntax"]
[third_party.CLI11]
headers = ["CLI/"]
targets = ["CLI11::CLI11"]
files = ["apps/*"]
"""

README = "# base\n\nInput: nothing.\n\nOutput: helpers.\n\nReading order:\n\n1. `a.h`\n"


class CheckTest(unittest.TestCase):
    """A small repository to spoil."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)

    def write(self, path: str, text: str) -> None:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def expect(self, check, *problems: str) -> None:
        """The check finds just these problems, each given by its beginning."""
        found = check(self.root)
        self.assertEqual(len(found), len(problems), found)
        for message, beginning in zip(found, problems):
            self.assertTrue(message.startswith(beginning), f"{message!r} does not begin with {beginning!r}")


class LayersTest(CheckTest):
    def setUp(self) -> None:
        super().setUp()
        self.write("tools/layers.toml", LAYERS)
        self.write("src/base/CMakeLists.txt", "hyla_library(NAME base)\n")
        self.write("src/base/a.h", "#include <vector>\n")
        self.write("src/syntax/CMakeLists.txt", "hyla_library(\n  NAME syntax  # the reader\n  DEPS diag)\n")
        self.write("src/syntax/b.cpp", '#include "syntax/b.h"\n#include "base/a.h"\n')
        self.write("src/model/CMakeLists.txt", "hyla_library(NAME model DEPS diag)\n")
        self.write("apps/hyla/CMakeLists.txt", "hyla_app(NAME hyla DEPS syntax LINK CLI11::CLI11)\n")
        self.write("apps/hyla/main.cpp", '#include <CLI/CLI.hpp>\n#include "options.h"\n#include "syntax/b.h"\n')

    def test_good(self) -> None:
        self.expect(check_layers.check)

    def test_include_of_a_higher_library(self) -> None:
        self.write("src/base/c.cpp", '#include <string>\n\n#include "syntax/b.h"\n')
        self.expect(check_layers.check, "src/base/c.cpp:3: `base` must not include `syntax/b.h`: it may use nothing")

    def test_include_of_a_sibling(self) -> None:
        self.write("src/model/m.h", '#include "syntax/b.h"\n')
        self.expect(check_layers.check, "src/model/m.h:1: `model` must not include `syntax/b.h`: it may use `base`, `diag`")

    def test_app_includes_only_what_is_named(self) -> None:
        self.write("apps/hyla/main.cpp", '#include "base/a.h"\n')
        self.expect(check_layers.check, "apps/hyla/main.cpp:1: `hyla` must not include `base/a.h`")

    def test_include_without_folder(self) -> None:
        self.write("src/syntax/b.cpp", '#include "b.h"\n')
        self.expect(check_layers.check, 'src/syntax/b.cpp:1: write `"syntax/b.h"`')

    def test_include_from_nowhere(self) -> None:
        self.write("src/syntax/b.cpp", '#include "fmt/format.h"\n')
        self.expect(check_layers.check, 'src/syntax/b.cpp:1: `"fmt/format.h"` is in no library')

    def test_fenced_header(self) -> None:
        self.write("src/syntax/b.cpp", "#  include <CLI/CLI.hpp>\n")
        self.expect(check_layers.check, "src/syntax/b.cpp:1: `<CLI/CLI.hpp>` belongs to CLI11, which only `apps/*`")

    def test_unknown_header(self) -> None:
        self.write("src/syntax/b.cpp", "#include <boost/graph.hpp>\n")
        self.expect(check_layers.check, "src/syntax/b.cpp:1: `<boost/graph.hpp>` is neither")

    def test_link_of_a_higher_library(self) -> None:
        self.write("src/base/CMakeLists.txt", "# Helpers.\nhyla_library(NAME base DEPS syntax)\n")
        self.expect(check_layers.check, "src/base/CMakeLists.txt:2: `base` must not depend on `syntax`")

    def test_fenced_target(self) -> None:
        self.write("src/base/CMakeLists.txt", "hyla_library(NAME base LINK CLI11::CLI11)\n")
        self.expect(check_layers.check, "src/base/CMakeLists.txt:1: `CLI11::CLI11` belongs to CLI11")

    def test_unknown_target(self) -> None:
        self.write("src/base/CMakeLists.txt", "hyla_library(NAME base TEST_LINK Boost::graph)\n")
        self.expect(check_layers.check, "src/base/CMakeLists.txt:1: the target `Boost::graph` is not listed")

    def test_link_behind_the_table(self) -> None:
        self.write("src/base/CMakeLists.txt", "hyla_library(NAME base)\ntarget_link_libraries(hyla_base PUBLIC m)\n")
        self.expect(check_layers.check, "src/base/CMakeLists.txt:2: say it with DEPS or LINK")

    def test_included_but_not_linked(self) -> None:
        self.write("src/syntax/CMakeLists.txt", "hyla_library(NAME syntax)\n")
        self.expect(check_layers.check, "src/syntax/b.cpp:2: `base` is not in the DEPS of `syntax`")

    def test_wrong_name(self) -> None:
        self.write("src/model/CMakeLists.txt", "hyla_library(NAME models DEPS diag)\n")
        self.expect(check_layers.check, "src/model/CMakeLists.txt:1: the name must be that of the folder, `model`")

    def test_unknown_folder(self) -> None:
        self.write("src/extra/x.h", "\n")
        self.expect(check_layers.check, "src/extra: not in tools/layers.toml")

    def test_cycle_in_the_table(self) -> None:
        self.write("tools/layers.toml", LAYERS.replace("base = []", 'base = ["model"]'))
        self.expect(check_layers.check, "tools/layers.toml: `base` names `model`, which does not stand above it")


class FormatTest(CheckTest):
    def test_good_and_bad(self) -> None:
        self.write(".clang-format", (ROOT / ".clang-format").read_text())
        self.write("src/base/good.h", "int f(int* p) { return *p; }\n")
        self.expect(check_format.check)
        self.write("src/base/bad.cpp", "int g();\nint f( int *p )\n{ return *p; }\n")
        self.expect(check_format.check, "src/base/bad.cpp:2: not formatted")


class SizesTest(CheckTest):
    def test_good_and_bad(self) -> None:
        for path in ("src/base/a.cpp", "tools/a.py", "examples/a.hyla", "docs/a.md"):
            self.write(path, "\n" * check_sizes.MAX_LINES)
        self.expect(check_sizes.check)
        for path in ("examples/a.hyla", "src/base/a.cpp", "docs/a.md", "build/a.cpp", "tests/fuzz/corpus/a.hyla"):
            self.write(path, "\n" * (check_sizes.MAX_LINES + 1))
        self.expect(check_sizes.check, "examples/a.hyla:700: 701 lines", "src/base/a.cpp:700: 701 lines")


class DocsTest(CheckTest):
    def setUp(self) -> None:
        super().setUp()
        self.write("tools/packages.txt", "# group package reason\nbuild cmake builds\n")
        self.write("docs/dependencies.md", "| `cmake` | builds |\n")
        self.write("src/base/a.cpp", "\n")
        self.write("src/base/README.md", README)

    def test_good_links(self) -> None:
        self.write("README.md", "[d](docs/dependencies.md) [h](#the-word-x) [w](https://a.b) `[no](x)`\n# The word `x`!\n")
        self.write("docs/a.md", "```\n[code](nowhere)\n```\n[up](../README.md#the-word-x)\n")
        self.expect(check_docs.check)

    def test_bad_links(self) -> None:
        self.write("README.md", "fine\n[a](nowhere.md) ![b](docs/dependencies.md#x)\n")
        self.expect(
            check_docs.check,
            "README.md:2: the link `nowhere.md` leads nowhere",
            "README.md:2: the link `docs/dependencies.md#x`: there is no such heading",
        )

    def test_missing_readme(self) -> None:
        self.write("src/diag/a.cpp", "\n")
        self.expect(check_docs.check, "src/diag/README.md:1: missing")

    def test_poor_readme(self) -> None:
        self.write("src/base/README.md", "Input, output.\n")
        self.expect(check_docs.check, "src/base/README.md:1: 1 lines", "src/base/README.md:1: does not speak of: reading")

    def test_package_without_reason(self) -> None:
        self.write("tools/packages.txt", "build cmake builds\nfuzz clang fuzzes\n")
        self.expect(check_docs.check, "tools/packages.txt:2: docs/dependencies.md gives no reason for `clang`")


class SourceFilesTest(CheckTest):
    def test_kinds(self) -> None:
        for path in ("a.cpp", "build/b.cpp", "build-asan/b.cpp", ".cache/c.cpp", "examples/e.hyla", "tests/x/fail_f.hyla"):
            self.write(path, "")
        self.assertEqual(source_files("cpp", self.root), ["a.cpp"])
        self.assertEqual(source_files("hyla", self.root), ["examples/e.hyla", "tests/x/fail_f.hyla"])
        self.assertEqual(source_files("formatted-hyla", self.root), ["examples/e.hyla"])


class EmbedTest(CheckTest):
    def test_escapes(self) -> None:
        self.write("lib/a.hyla", 'say "ä??"\\\n1')
        text = embed.generate(self.root, ["lib/a.hyla"], "hyla::check::library")
        self.assertIn(r'"say \"\303\244\?\?\"\\\n"', text)
        self.assertIn('"1",\n      13}', text)
        self.assertIn("namespace hyla::check {", text)

    def test_no_files(self) -> None:
        self.assertIn("library() { return {}; }", embed.generate(self.root, [], "hyla::library"))


if __name__ == "__main__":
    sys.exit(unittest.main())
