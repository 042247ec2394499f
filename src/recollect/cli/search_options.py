"""The options of a search, parsed."""

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from recollect.errors import RefusedError
from recollect.records.record import Status
from recollect.retrieval.files import is_pattern

if TYPE_CHECKING:
    from recollect.app.project import Recollect


def text_of(query: "Sequence[str]") -> str:
    """The words of a query as one text; a single `-` reads standard input."""
    if list(query) != ["-"]:
        if not (text := " ".join(query)).strip():
            raise RefusedError("there is nothing to search for; give words, or - for standard input.")
        return text
    text = sys.stdin.buffer.read().decode("utf-8", "surrogateescape").strip()
    if not text:
        raise RefusedError("standard input is empty; pipe in the text to search for, or give words.")
    return text


def one_of(text: str, known: "Sequence[str]", what: str) -> str:
    """The known name that `text` spells, ignoring case."""
    name = text.strip().lower()
    if name not in known:
        raise RefusedError(f"unknown {what} {text!r}; choose one of {', '.join(known)}.")
    return name


def statuses_of(status: str) -> frozenset[str]:
    """The statuses that a name selects: `all` selects every one."""
    name = one_of(status, (*(status.value for status in Status), "all"), "status")
    return frozenset(Status) if name == "all" else frozenset({name})


def moment_of(
    recollect: "Recollect", option: str, text: str | None, *, end_of_day: bool = False
) -> str | None:
    """The moment that an option names, by a date or a commit."""
    if text is not None and not text.strip():
        raise RefusedError(f"{option} needs a date such as 2026-01-31 or a commit, not {text!r}.")
    return recollect.moment(text, end_of_day=end_of_day)


def file_of(project: Path, here: Path, text: str) -> str:
    """A file relative to the project's folder, as memories name it.

    Absolute paths, and paths that exist relative to `here`, are converted. Plain names, patterns and files
    outside the project stay as they are.
    """
    explicit = text.startswith(("/", "./", "../"))
    if "/" not in text or is_pattern(text):
        return text.removeprefix("./")
    named = here / text
    if not explicit and not os.path.lexists(named):
        return text
    folder, name = os.path.split(os.path.normpath(Path.cwd() / named))
    path = Path(os.path.realpath(folder), name)  # a file that is a link keeps its own name
    return path.relative_to(project).as_posix() if path.is_relative_to(project) else text
