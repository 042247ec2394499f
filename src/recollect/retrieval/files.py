"""Files that a text names: paths, and names with a file extension."""

from __future__ import annotations

import re

MOST_NAMES = 20
# Patterns as text: `re` compiles and caches each when it is first used, and most prompts name no file.
_ADDRESS = r"(?i)(?<!\w)(?:https?|ftp|wss?|git|ssh)://\S*|(?<!\w)file://"
_RUN = r"[\w/.@-]+"
_PATH = r"(?:\.\./|\./|/)?[^/]+(?:/[^/]+)+"
_FILE_NAME = r"[^@/.]+(?:\.[^@/.]+)*\.[A-Za-z][^@/.-]{0,5}(?=[@/.-]|$)"
_VERSION = r"\d+(?:\.\d+)+"
_NOT_FILES = frozenset({"e.g", "i.e"})


def named_files(text: str) -> list[str]:
    """The files named in a text, in order, each once, without line numbers and a leading `./`.

    An address on the network is not a file.
    """
    names: dict[str, None] = {}
    if "://" in text:
        text = re.sub(_ADDRESS, " ", text)
    for run in _runs(text):
        match = re.match(_PATH, run) or re.match(_FILE_NAME, run)
        name = match.group().removeprefix("./").rstrip(".") if match else ""
        if name and name.lower() not in _NOT_FILES and not re.fullmatch(_VERSION, name):
            names.setdefault(name)
    return list(names)[:MOST_NAMES]


def _runs(text: str) -> list[str]:
    """The parts of a text that may be paths: a name without a slash or a dot is only a word."""
    if "/" not in text and "." not in text:
        return []
    return [run for run in re.findall(_RUN, text) if "/" in run or "." in run.rstrip(".")]


def is_pattern(path: str) -> bool:
    """Whether a path is a glob pattern."""
    return any(mark in path for mark in "*?[")


def base_name(path: str) -> str:
    """The last part of a path."""
    return path.rsplit("/", 1)[-1]


def agreement(named: str, path: str) -> float:
    """How surely a named file is the one at `path`, which has the same base name.

    2 if a folder matches too, 1 if either has no folder, 0 if the folders differ: a trace through one
    `__init__.py` is not about the others.
    """
    left, right = _parts(named), _parts(path)
    shorter = min(len(left), len(right))
    shared = next((place for place in range(shorter) if left[place] != right[place]), shorter)
    if shared > 1:
        return 2.0
    return 1.0 if shared == shorter else 0.0


def _parts(path: str) -> list[str]:
    """The parts of a path, the last first, without empty ones, `.` and `..`."""
    return [part for part in reversed(path.split("/")) if part not in {"", ".", ".."}]
