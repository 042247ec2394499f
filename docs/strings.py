"""Print every text that a user can read, by where it comes from, for a review of the language.

    PYTHONPATH=. .venv/bin/python docs/strings.py > strings.txt

Help of commands, settings, descriptions of tools, and the literals of errors, output and findings in the
source. Names, patterns and SQL are left out: a text has a space in it and reads like prose.
"""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

SOURCE = Path(__file__).parent.parent / "src" / "recollect"
# Literals of these folders reach nobody, or are data.
SKIPPED = ("bench/handmade", "bench/linked", "redaction", "text")
_PROSE = re.compile(r"[A-Za-z]{2,}[,.;:]? [a-z]")
_NO_PROSE = re.compile(
    r"\b(?:SELECT|INSERT|CREATE TABLE|UPDATE \w+ SET|DELETE FROM|WHERE|ORDER BY|UNION|PRAGMA)\b"
    r"|\(\?|\\b|\[\^|^\s*import "
)


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


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    main()
