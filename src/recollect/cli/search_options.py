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


def text_of(query: Sequence[str]) -> str:
    """The words of a query as one text; a `-` alone is standard input, which may be of any length."""
    if list(query) != ["-"]:
        return " ".join(query)
    text = sys.stdin.buffer.read().decode("utf-8", "surrogateescape").strip()
    if not text:
        raise RefusedError("standard input is empty; pipe in the text to search for, or give words.")
    return text


def one_of(given: str, known: Sequence[str], what: str) -> str:
    """The known name that was given; capitals do not matter."""
    name = given.strip().lower()
    if name not in known:
        raise RefusedError(f"there is no {what} {given!r}; there are {', '.join(known)}.")
    return name


def statuses_of(status: str) -> frozenset[str]:
    """The statuses that a name stands for."""
    name = one_of(status, (*(one.value for one in Status), "all"), "status")
    return frozenset(Status) if name == "all" else frozenset({name})


def moment_of(
    recollect: "Recollect", option: str, given: str | None, *, end_of_day: bool = False
) -> str | None:
    """The moment that an option names, by a date or a commit."""
    if given is not None and not given.strip():
        raise RefusedError(f"{option} needs a date such as 2026-01-31 or a commit, not {given!r}.")
    return recollect.moment(given, end_of_day=end_of_day)


def file_of(project: Path, here: Path, given: str) -> str:
    """A file as memories name it, from the project's folder.

    A path from the root, or one that leads to a file from `here`, is made one. A mere name, a pattern and
    a file outside the project stay as they are.
    """
    explicit = given.startswith(("/", "./", "../"))
    if "/" not in given or is_pattern(given):
        return given.removeprefix("./")
    named = here / given
    if not explicit and not os.path.lexists(named):
        return given
    folder, name = os.path.split(os.path.normpath(Path.cwd() / named))
    path = Path(os.path.realpath(folder), name)  # a file that is a link keeps its own name
    return path.relative_to(project).as_posix() if path.is_relative_to(project) else given
