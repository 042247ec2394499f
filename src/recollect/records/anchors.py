"""Anchors: has the code that a memory is about changed? Pure; files are read elsewhere."""

import hashlib
import json
from enum import StrEnum

from recollect.errors import RefusedError
from recollect.records.json_format import JsonObject
from recollect.records.record import Anchor, parse_span


class AnchorState(StrEnum):
    """The state of anchored code."""

    FRESH = "fresh"  # unchanged; a span may have moved within its file
    DRIFTED = "drifted"  # changed
    ORPHANED = "orphaned"  # the file is gone


def digest(lines: list[str]) -> str:
    """The digest of a text. Line endings do not count, so a checkout on Windows agrees."""
    text = "\n".join(line.rstrip("\r") for line in lines)
    return "sha256:" + hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()


def parse_place(text: str) -> tuple[str, tuple[int, int] | None]:
    """Read `src/auth.py`, `src/auth.py:12` or `src/auth.py:12-40`."""
    path, colon, span = text.rpartition(":")
    if colon and span[:1].isdigit():
        try:
            return path, parse_span(span)
        except ValueError as error:
            raise RefusedError(f"anchor {text!r}: the span {error}.") from None
    return text, None


def anchored(path: str, text: str, span: tuple[int, int] | None, commit: str | None) -> JsonObject:
    """Anchor a text as it is now."""
    lines = text.split("\n")
    row: JsonObject = {"path": path}
    if span is None:
        row["digest"] = digest(lines)
    else:
        count = len(lines) - (not lines[-1])
        if span[1] > count:
            raise RefusedError(f"anchor {path}:{span[0]}-{span[1]}: the file has {count} lines.")
        row["digest"] = digest(lines[span[0] - 1 : span[1]])
        row["lines"] = f"{span[0]}-{span[1]}"
    if commit:
        row["commit"] = commit
    return row


def verdict(anchor: Anchor, text: str | None) -> AnchorState:
    """Compare an anchor with the current text of its file; None when the file is gone."""
    if text is None:
        return AnchorState.ORPHANED
    lines = text.split("\n")
    if anchor.lines is None:
        return AnchorState.FRESH if digest(lines) == anchor.digest else AnchorState.DRIFTED
    first, last = anchor.lines
    if digest(lines[first - 1 : last]) == anchor.digest or _moved(anchor, lines):
        return AnchorState.FRESH
    return AnchorState.DRIFTED


def _moved(anchor: Anchor, lines: list[str]) -> bool:
    assert anchor.lines is not None
    height = anchor.lines[1] - anchor.lines[0] + 1
    starts = range(len(lines) - height + 1)
    return any(digest(lines[start : start + height]) == anchor.digest for start in starts)


def anchors_of(rows: str) -> list[Anchor]:
    """The anchors in the JSON rows of a record."""
    return [
        Anchor(row["path"], row["digest"], parse_span(row.get("lines")), row.get("commit"))
        for row in json.loads(rows)
    ]
