"""Colours Hyla on the pages of the site: a lexer for Pygments. MkDocs loads this file as a hook.

The words come from the table of the compiler. Some are words only in their places, and may be names elsewhere: those
are taken for names where a sign follows that follows names."""

import re
from pathlib import Path

import pygments.lexers
from pygments.lexer import RegexLexer
from pygments.token import Comment, Keyword, Name, Number, Operator, Punctuation, String, Whitespace

TABLE = (Path(__file__).resolve().parents[2] / "src" / "syntax" / "token_kinds.def").read_text()
LITERALS = ("true", "false", "none", "infinity")


def words(macro: str) -> str:
    return "|".join(re.findall(rf'^{macro}\(\w+, "(\w+)"\)', TABLE, re.MULTILINE))


class HylaLexer(RegexLexer):
    name = "Hyla"
    aliases = ["hyla"]
    filenames = ["*.hyla"]
    tokens = {
        "root": [
            (r"\s+", Whitespace),
            (r"//[^\n]*", Comment.Single),
            (r"/\*[\s\S]*?\*/", Comment.Multiline),
            (r'"(\\.|[^"\\\n])*"', String),
            (r"\d+(\.\d+)?([eE][-+]?\d+)?", Number),
            (rf"\b({'|'.join(LITERALS)})\b", Keyword.Constant),
            (r"\b(Real|Integer|Boolean|String)\b", Keyword.Type),
            (rf"\b({words('HYLA_WORD')})\b", Keyword),
            (rf"\b({words('HYLA_PLACE_WORD')})\b(?!\s*([=;,)\].:+*/^<]|-(?!>)))", Keyword),
            (r"[^\W\d]\w*", Name),
            (r":=|->|--|\.\.|==|!=|<=|>=|[-=<>+*/^@]", Operator),
            (r"[{}()\[\];,.:]", Punctuation),
        ],
    }


pygments.lexers.LEXERS["HylaLexer"] = (__name__, HylaLexer.name, ("hyla",), ("*.hyla",), ())
pygments.lexers._lexer_cache[HylaLexer.name] = HylaLexer  # pylint: disable=protected-access
