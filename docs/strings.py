"""Print every text that a user can read, by where it comes from, for a review of the language.

    PYTHONPATH=. .venv/bin/python docs/strings.py > strings.txt

Help of commands, settings, descriptions of tools, the literals of errors, output and findings in the source,
the texts of the page, and the skills and prompts for agents. Names, patterns, SQL and lists of words are left
out: a text has a space in it and reads like prose.
"""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

HOME = Path(__file__).parent.parent
SOURCE = HOME / "src" / "recollect"
PAGE = HOME / "frontend" / "src"
# Literals of these folders reach nobody, or are data.
SKIPPED = ("bench/handmade", "bench/linked", "redaction", "text")
_PROSE = re.compile(r"[A-Za-z]{2,}[,.;:]? [a-z]")
_NO_PROSE = re.compile(
    r"\b(?:SELECT|INSERT|CREATE TABLE|UPDATE \w+ SET|DELETE FROM|WHERE|ORDER BY|UNION|PRAGMA|NOT NULL)\b"
    r"|\b(?:CREATE INDEX|ALTER TABLE|COLLATE|coalesce)\b|%\(\w+\)s|\(\?|\\b|\[\^|^\s*import "
    r"|^(?:[\w'/-]+ ){12,}[\w'/-]+$| / .* / "  # a list of words
)
# The page: strings, templates, and text between tags. What has operators in it is code.
_PAGE_TEXT = re.compile(
    r'"(?P<string>(?:[^"\\\n]|\\.)*)"|`(?P<template>(?:[^`\\]|\\.)*)`'
    r"|(?<![=-])>(?P<between>[^<>{}]*[A-Za-z][^<>{}]*)[<{]|}(?P<after>[^<>{}=;()]*[A-Za-z][^<>{}=;()]*)<"
)
_PAGE_CODE = re.compile(
    r"=>|&&|\|\||===|[;=]|\) ?[?:]|\b(?:const|return|interface|function|Promise)\b|^[./#]"
)
_CLASSES = re.compile(r"[a-z][\w-]*(?: [a-z][\w-]*)*$")  # names of CSS classes


def texts(path: Path) -> Iterator[tuple[int, str]]:
    """The literals of a module that read like prose, with their lines; docstrings of commands included."""
    tree = ast.parse(path.read_text("utf-8"))
    docstrings = {id(node) for node in _docstrings(tree, is_shown="cli" in path.parts)}
    inner = {
        id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values
    }
    for node in ast.walk(tree):
        if id(node) in docstrings or id(node) in inner:
            continue
        text = _text(node)
        if text and _PROSE.search(text) and not _NO_PROSE.search(text):
            yield getattr(node, "lineno", 0), " ".join(text.split())


def _text(node: ast.AST) -> str:
    """The text of a literal; a value inside of it is `{...}`."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        parts = [_text(part) if isinstance(part, ast.Constant) else "{…}" for part in node.values]
        return "".join(parts)
    return ""


def _docstrings(tree: ast.AST, *, is_shown: bool) -> Iterator[ast.AST]:
    """The docstrings that no user reads: all but those of commands."""
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    for node in ast.walk(tree):
        if not isinstance(node, kinds) or not node.body or not isinstance(node.body[0], ast.Expr):
            continue
        if not (is_shown and isinstance(node, ast.FunctionDef) and _is_command(node)):
            yield node.body[0].value


def _is_command(node: ast.FunctionDef) -> bool:
    return any("command" in ast.dump(decorator) for decorator in node.decorator_list)


def page_texts(path: Path) -> Iterator[tuple[int, str]]:
    """The texts of a module of the page, with their lines. A value inside of one is `{…}`."""
    source = re.sub(
        r"/\*.*?\*/|(?<!:)//[^\n]*",
        lambda found: "\n" * found[0].count("\n"),
        path.read_text("utf-8"),
        flags=re.DOTALL,
    )
    for found in _PAGE_TEXT.finditer(source):
        raw = next(filter(None, found.groups()), "")
        text = " ".join(re.sub(r"\$\{[^}]*\}", "{…}", raw).split())
        if _is_shown(text, is_string=found["string"] is not None):
            yield source.count("\n", 0, found.start()) + 1, text


def _is_shown(text: str, *, is_string: bool) -> bool:
    """Whether a person reads this text on the page: it is neither code, nor a name, nor CSS classes."""
    if len(text) < 4 or not re.search("[A-Za-z]{2}", text) or _PAGE_CODE.search(text):
        return False
    if not is_string:
        return True
    is_class = _CLASSES.match(text) and "-" in text
    return (" " in text and not is_class) or bool(re.fullmatch("[A-Z][a-z]+", text))


def main() -> None:
    """Print the texts of every module."""
    for path in sorted(SOURCE.rglob("*.py")):
        shown = path.relative_to(SOURCE).as_posix()
        if shown.startswith(SKIPPED):
            continue
        rows = sorted(set(texts(path)))
        if rows:
            print(f"\n## {shown}")
        for line, text in rows:
            print(f"{line:>5}  {text}")
    for path in sorted(PAGE.rglob("*.ts*")):
        if not path.name.endswith((".test.ts", ".test.tsx", ".d.ts")) and (
            rows := sorted(set(page_texts(path)))
        ):
            print(f"\n## page/{path.relative_to(PAGE).as_posix()}")
            print("\n".join(f"{line:>5}  {text}" for line, text in rows))
    for path in sorted((SOURCE / "agents" / "skills").iterdir()):
        print(f"\n## {path.relative_to(SOURCE).as_posix()}\n{path.read_text('utf-8')}")


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    main()
